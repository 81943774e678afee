"""Train every kind of position on both tasks with several seeds, and store the accuracies.

python -m tools.experiments.positions            writes chapters/results/positions.json (about ten minutes, one core)
"""

import argparse
import json
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
from tools.experiments.stored import made_by

TASKS = {"look back": look_back_batch, "mirror": reversal_batch}
DEFAULT = ROOT / "chapters" / "results" / "positions.json"


def main() -> None:
    """Run all trainings and write the result file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=DEFAULT)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--length", type=int, default=24)
    options = parser.parse_args()
    torch.set_num_threads(1)
    rows = []
    for task, batch in TASKS.items():
        plans = [(kind, False) for kind in KINDS]
        if (
            task == "look back"
        ):  # the mirror asks for the future, which a causal reader never sees
            plans += [("none", True), ("ALiBi", True)]
        for kind, causal in plans:
            for seed in range(options.seeds):
                model = fit_reader(
                    kind, batch, options.length, seed, options.steps, causal
                )
                trained = reading_accuracy(model, batch, options.length)
                beyond = reading_accuracy(
                    model, batch, 2 * options.length, first=options.length
                )
                rows.append(
                    {"task": task, "kind": kind, "causal": causal, "seed": seed,
                     "trained_length": round(trained, 4), "beyond": round(beyond, 4)}
                )  # fmt: skip
                print(rows[-1], flush=True)
    result = {
        **made_by(__spec__.name, options),
        "length": options.length,
        "steps": options.steps,
        "seeds": list(range(options.seeds)),
        "measured": "share of right answers on 200 fresh rows: at the trained length, and at twice the length "
        "in the second half only",
        "rows": rows,
    }
    text = json.dumps(result, indent=1, ensure_ascii=False)
    write_atomically(options.out, text + "\n")


if __name__ == "__main__":
    main()
