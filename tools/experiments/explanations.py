"""Train readers of topics, and store what other weights do to their answers.

    python -m tools.experiments.explanations

writes chapters/results/explanations.json; about three minutes of one core.
"""

import argparse
from pathlib import Path

import torch

from attnbook.files import write_atomically
from attnbook.studies import (
    TopicReader,
    adversarial_weights,
    fit_topics,
    jensen_shannon,
    topic_rows,
)
from tools import ROOT
from tools.experiments.stored import made_by, row_by_row

DEFAULT = ROOT / "chapters" / "results" / "explanations.json"


def quartiles(values: torch.Tensor) -> list[float]:
    """The lower quartile, the median and the upper quartile."""
    return [round(q, 4) for q in values.quantile(torch.tensor([0.25, 0.5, 0.75])).tolist()]  # fmt: skip


@torch.no_grad()
def accuracy(model: TopicReader, test: tuple) -> float:
    """The fraction of right topics."""
    return round((model(test[0]).argmax(-1) == test[1]).float().mean().item(), 4)


def measure(context: bool, seed: int, steps: int) -> dict:
    """Train two readers, one with uniform weights, and try other weights on the first."""
    model = fit_topics(context, seed=seed, steps=steps)
    blind = fit_topics(context, uniform=True, seed=seed, steps=steps)
    test = topic_rows(1000, torch.Generator().manual_seed(99))
    with torch.no_grad():
        values, weights = model.read(test[0])
        told = model.answer(values, weights).argmax(-1)
        generator = torch.Generator().manual_seed(7)
        changed = []
        for _ in range(20):
            order = torch.rand(weights.shape, generator=generator).argsort(-1)
            other = model.answer(values, weights.gather(1, order)).argmax(-1)
            changed.append((other != told).float().mean().item())
        even = model.answer(values, torch.full_like(weights, 1 / 12)).argmax(-1)
    some = values[:200]
    found = adversarial_weights(lambda w: model.answer(some, w), weights[:200])
    return {
        "context": context,
        "steps": steps,
        "seed": seed,
        "accuracy": accuracy(model, test),
        "retrained uniform": accuracy(blind, test),
        "on the loudest": round(
            (weights.argmax(-1) == test[2]).float().mean().item(), 4
        ),  # fmt: skip
        "changed by permuting": round(sum(changed) / len(changed), 4),
        "changed by uniform": round((even != told).float().mean().item(), 4),
        "adversary": quartiles(jensen_shannon(weights[:200], found)),
    }


def main() -> None:
    """Run all trainings and write the result file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=DEFAULT)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=600)
    options = parser.parse_args()
    torch.set_num_threads(1)
    rows = []
    plans = (False, 1), (True, 1), (False, 4)  # context, steps as a multiple
    for context, longer in plans:
        for seed in range(options.seeds):
            rows.append(measure(context, seed, longer * options.steps))
            print(rows[-1], flush=True)
    result = {
        **made_by(__spec__.name, options),
        "measured": "on 1000 fresh sentences: how often the topic is right, with the trained weights and when trained "
        "with uniform ones; how often the largest weight is on the loudest word; how many predictions change when "
        "each sentence's weights are permuted (20 times) or replaced by uniform ones. adversary: quartiles over 200 "
        "sentences of the Jensen-Shannon divergence between the weights and the furthest found under which the answer "
        "moves by at most 0.01 in total variation",
        "rows": rows,
    }
    write_atomically(options.out, row_by_row(result, "rows"))


if __name__ == "__main__":
    main()
