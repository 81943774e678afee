"""Is one vector too small for a sentence, or only slower to learn from? Its size, and the training, are varied.

Question: does a translator without attention fail because its vector has too few numbers, or because it has been
    trained too little?
Varies: how many numbers pass from reader to writer (4, 16, 64), and the steps of training; attention instead of a
    vector.
Equal: sentences of 4 to 8 English words from the bilingual grammar, batches, learning rate, states of 64 in reader and
    writer; the number of parameters within 8 %, and the same within 0.1 % for attention and the vector of 64.
Control: sentences of four words, which need less room; the vector of 64 numbers, as wide as the states; and the
    training loss at every moment, so that models can be compared that fit their training sentences equally well.
Seeds: 3 of model and data, two minutes of processor time each; all are stored, since vectors of 64 numbers learn at
    very unequal speeds.
Turned round by: a small vector that catches up with a large one when trained longer; a large one that does not catch
    up with attention at an equal training loss.

About half a minute a model on one quiet core.
"""

from collections.abc import Iterator

from attnbook.studies import fit_one_vector

OPTIONS = {"seeds": 3, "steps": [250, 500, 1000, 2000, 3000], "with_attention": 1000}
VECTORS = (None, 64, 16, 4)


def settings(options) -> Iterator[dict]:
    """All vectors, and attention, with every seed."""
    for seed in range(options.seeds):
        for size in VECTORS:
            last = options.with_attention if size is None else options.steps[-1]
            yield {"seed": seed, "size": size, "steps": [n for n in options.steps if n <= last]}


def run(seed: int, size: int | None, steps: list[int]) -> dict:
    """Train one translator."""
    return {"seed": seed, "size": size, "moments": fit_one_vector(size, seed, tuple(steps))}


def summary(results: list[dict], options) -> dict:
    """All rows."""
    return {
        "measured": "mean training loss of the last 100 steps, nats per word; BLEU on 100 new sentences of each "
        "length in English words; size null is attention instead of a vector",
        "rows": results,
    }
