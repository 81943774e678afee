"""Is one vector too small for a sentence, or only slower to learn from? Its size, and the training, are varied.

Question: does a translator without attention fall behind because its vector has too few numbers, or because it has been
    trained too little?
Varies: the size of its states (16, 64, 128), of which the last is the vector, and the steps of training; attention
    instead of a vector, with states of 64.
Equal: sentences of 4 to 8 tokens from the bilingual grammar, batches, learning rate, embeddings. The number of
    parameters differs with the size of the states, and is told; with 64 the model without attention has 8 % fewer.
Control: sentences of four tokens, which need less room; and the training loss at every moment, so that models can be
    compared that fit their training sentences equally well.
Seeds: 3 of model and data, since each takes minutes; all are stored.
Turned round by: a vector twice as large that gains on the sentences of eight tokens as much as attention does; a vector
    that catches up with attention at an equal training loss.

About a minute a model on one quiet core.
"""

from collections.abc import Iterator

from attnbook.studies import fit_one_vector

OPTIONS = {"seeds": 3, "steps": [250, 500, 1000, 2000, 3000], "with_attention": 1000}
VECTORS = (None, 16, 64, 128)
MEASURED = (
    "mean training loss of the last 100 steps, nats per word; BLEU on 100 new sentences of each "
    "length in English tokens, the full stop included; size null is attention instead of a vector"
)


def settings(options) -> Iterator[dict]:
    """All vectors, and attention, with every seed."""
    for seed in range(options.seeds):
        for size in VECTORS:
            last = options.with_attention if size is None else max(options.steps)
            yield {"seed": seed, "size": size, "steps": [n for n in sorted(options.steps) if n <= last]}


def run(seed: int, size: int | None, steps: list[int]) -> dict:
    """Train one translator."""
    return {"seed": seed, "size": size, "moments": fit_one_vector(size, seed, tuple(steps))}
