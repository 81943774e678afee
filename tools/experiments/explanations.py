"""Is attention an explanation? What other weights do to the answers of trained readers of topics.

Question: do the answers depend on the attention weights, and can quite different weights give the same answers?
Varies: whether a GRU reads the words before they are averaged; the weights: the model's, permuted, uniform (in use and
    in training), and the furthest that an adversary finds.
Equal: data, steps, batches, sizes of the readers. A GRU adds parameters; the reader without one is trained four
    times as long too.
Control: readers trained with uniform weights.
Seeds: 3, all stored; the adversary tries 200 sentences of each. The chapter shows the lowest and the highest, and
    nothing that it concludes rests on ranges that overlap.
Turned round by: readers without context whose answers survive a permutation of the weights.

About three minutes on one core.
"""

from collections.abc import Iterator

import torch

from attnbook.studies import TopicReader, adversarial_weights, fit_topics, jensen_shannon, topic_rows
from tools.experiments.stored import quartiles, share

OPTIONS = {"seeds": 3, "steps": 600}
MEASURED = (
    "on 1000 fresh sentences: how often the topic is right, with the trained weights and when trained "
    "with uniform ones; how often the largest weight is on the loudest word; how many predictions change when "
    "each sentence's weights are permuted (20 times) or replaced by uniform ones. adversary: quartiles over 200 "
    "sentences of the Jensen-Shannon divergence between the weights and the furthest found under which the answer "
    "moves by at most 0.01 in total variation"
)


def variants(options) -> Iterator[dict]:
    """Both kinds of reader, one of them trained for longer too."""
    for context, longer in ((False, 1), (True, 1), (False, 4)):
        yield {"context": context, "steps": longer * options.steps}


@torch.no_grad()
def accuracy(model: TopicReader, test: tuple) -> float:
    """The fraction of right topics."""
    return share(model(test[0]).argmax(-1) == test[1])


def run(seed: int, context: bool, steps: int) -> dict:
    """Train two readers, one with uniform weights, and try other weights on the first."""
    model = fit_topics(context, seed=seed, steps=steps)
    blind = fit_topics(context, uniform=True, seed=seed, steps=steps)
    test = topic_rows(1000, torch.Generator().manual_seed(99))
    with torch.no_grad():
        values, weights = model.read(test[0])
        answers = model.answer(values, weights).argmax(-1)
        generator = torch.Generator().manual_seed(7)
        changed = []
        for _ in range(20):
            order = torch.rand(weights.shape, generator=generator).argsort(-1)
            other = model.answer(values, weights.gather(1, order)).argmax(-1)
            changed.append((other != answers).float().mean().item())
        even = model.answer(values, torch.full_like(weights, 1 / weights.shape[-1])).argmax(-1)
    adversarial = adversarial_weights(lambda w: model.answer(values[:200], w), weights[:200])
    return {
        "context": context,
        "steps": steps,
        "seed": seed,
        "accuracy": accuracy(model, test),
        "retrained uniform": accuracy(blind, test),
        "on the loudest": share(weights.argmax(-1) == test[2]),
        "changed by permuting": round(sum(changed) / len(changed), 4),
        "changed by uniform": share(even != answers),
        "adversary": [round(q, 4) for q in quartiles(jensen_shannon(weights[:200], adversarial))],
    }
