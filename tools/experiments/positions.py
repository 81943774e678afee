"""Train readers that are told their positions in different ways, and store how often they are right.

    python -m tools.experiments.positions

writes chapters/results/positions.json; about 20 minutes on one core. An interrupted run goes on where it stopped.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import torch

from attnbook.files import write_atomically
from attnbook.studies import (
    KINDS,
    fit_reader,
    look_back_batch,
    reading_accuracy,
    reversal_batch,
)
from tools import ROOT
from tools.experiments.stored import made_by, row_by_row, unfinished

TASKS = {"look back": look_back_batch, "mirror": reversal_batch}
DEFAULT = ROOT / "chapters" / "results" / "positions.json"
LOUD = 0.5**0.5  # as large as the sinusoids
PLAN = {
    "causal": False,
    "max_distance": 8,
    "learned_std": LOUD,
    "rows": None,
    "longer": 1,
}


def plans() -> Iterator[dict]:
    """What is trained, seeds aside: the arguments of `fit_reader`, steps as a multiple of the usual ones."""
    for longer in (1, 4):  # room for all distances, and time
        # half of T5's buckets hold one distance each
        for kind, most in (("DeBERTa", 24), ("Shaw", 24), ("T5", 48)):
            room = {"max_distance": most, "longer": longer}
            yield PLAN | {"task": "mirror", "kind": kind} | room
    yield PLAN | {"task": "mirror", "kind": "rotary", "longer": 4}
    for kind in ("sinusoidal", "learned"):
        yield PLAN | {"task": "look back", "kind": kind, "longer": 4}
    for task in TASKS:
        for kind in KINDS:
            yield PLAN | {"task": task, "kind": kind}
    for kind in ("none", "ALiBi"):  # the mirror asks for the future
        yield PLAN | {"task": "look back", "kind": kind, "causal": True}
    for rows in (32, 128, 512):  # little data
        for kind, std in (("sinusoidal", LOUD), ("learned", LOUD), ("learned", 0.02)):
            little = {"rows": rows, "learned_std": std}
            yield PLAN | {"task": "look back", "kind": kind} | little


def measure(plan: dict, seed: int, length: int, steps: int) -> dict:
    """Train one reader, and mark it on fresh rows."""
    sizes = {key: plan[key] for key in ("causal", "max_distance", "learned_std")}
    batch = TASKS[plan["task"]]
    reader = fit_reader(
        plan["kind"],
        batch,
        length,
        seed,
        plan["longer"] * steps,
        rows=plan["rows"],
        **sizes,
    )
    beyond = reading_accuracy(reader, batch, 2 * length, first=length)
    trained = reading_accuracy(reader, batch, length)
    right = {"trained_length": round(trained, 4), "beyond": round(beyond, 4)}
    return plan | {"seed": seed} | right


def main() -> None:
    """Run all trainings and write the result file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=DEFAULT)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--length", type=int, default=24)
    options = parser.parse_args()
    torch.set_num_threads(1)
    fresh = {
        **made_by(__spec__.name, options),
        "length": options.length,
        "steps": options.steps,
        "seeds": list(range(options.seeds)),
        "measured": "fraction of right answers on 200 fresh rows: at the trained length, and at twice the length in "
        "the second half only. `longer` multiplies the steps; `rows` is how many different rows were trained on, "
        "null if none came twice",
        "rows": [],
    }
    result = unfinished(options.out, fresh)
    done = [
        {key: row[key] for key in [*PLAN, "task", "kind", "seed"]}
        for row in result["rows"]
    ]
    for plan in plans():
        for seed in result["seeds"]:
            if plan | {"seed": seed} in done:
                continue
            row = measure(plan, seed, options.length, options.steps)
            result["rows"].append(row)
            print(row, flush=True)
            write_atomically(options.out, row_by_row(result, "rows"))


if __name__ == "__main__":
    main()
