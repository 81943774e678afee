"""Train memories on associative recall, and store how often each finds the right value.

    python -m tools.experiments.recall

writes chapters/results/recall.json; about four minutes of one core. An interrupted run goes on where it stopped.
"""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

import torch

from attnbook.files import write_atomically
from attnbook.studies import MEMORIES, RECALL_TASKS, fit_memory, recall_accuracy
from tools import ROOT
from tools.experiments.stored import made_by, row_by_row, unfinished

DEFAULT = ROOT / "chapters" / "results" / "recall.json"
PAIRS = 8, 16, 32, 64, 128  # trained on up to 64


def plans() -> Iterator[dict]:
    """What is trained, seeds aside; steps as a multiple of the usual ones."""
    usual = {"d": 16, "longer": 1}
    for task in RECALL_TASKS:
        for kind in MEMORIES:
            yield {"task": task, "kind": kind} | usual
    for task in ("store", "update"):
        for d in (8, 32):
            for kind in ("linear", "delta"):
                yield {"task": task, "kind": kind} | usual | {"d": d}
    for kind in ("linear", "delta"):  # is the tie a matter of time?
        yield {"task": "store", "kind": kind} | usual | {"longer": 3}


def measure(plan: dict, seed: int, steps: int) -> dict:
    """Train one memory, and mark it on fresh rows."""
    began = time.process_time()
    model = fit_memory(
        plan["kind"], plan["task"], plan["d"], seed=seed, steps=plan["longer"] * steps
    )
    right = {n: round(recall_accuracy(model, plan["task"], n), 4) for n in PAIRS}
    spent = round(time.process_time() - began, 1)
    return plan | {"seed": seed, "right": right, "cpu_seconds": spent}


def main() -> None:
    """Run all trainings and write the result file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=DEFAULT)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=300)
    options = parser.parse_args()
    torch.set_num_threads(1)
    fresh = {
        **made_by(__spec__.name, options),
        "seeds": list(range(options.seeds)),
        "steps": options.steps,
        "measured": "fraction of right answers on 200 fresh rows, for each number of pairs written; trained on 8, 16, "
        "32 and 64 pairs in turn. `longer` multiplies the steps; the memory of a layer that keeps no pairs is (d, d)",
        "rows": [],
    }
    result = unfinished(options.out, fresh)
    done = [{k: r[k] for k in ("task", "kind", "d", "longer", "seed")} for r in result["rows"]]  # fmt: skip
    for plan in plans():
        for seed in result["seeds"]:
            if plan | {"seed": seed} in done:
                continue
            row = measure(plan, seed, options.steps)
            result["rows"].append(row)
            print(row, flush=True)
            write_atomically(options.out, row_by_row(result, "rows"))


if __name__ == "__main__":
    main()
