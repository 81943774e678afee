"""Measure pre-LN and post-LN stacks with several seeds: gradients before training, and the effect of warm-up.

    python -m tools.experiments.blocks            writes chapters/results/blocks.json (about ten minutes, one core)

The file is written anew after every training. An interrupted run goes on where it stopped.
"""

import argparse
import itertools
import json
from pathlib import Path

import torch

from attnbook.files import write_atomically
from attnbook.studies import fit_stack, layer_gradients
from tools import ROOT
from tools.experiments.stored import made_by, unfinished

DEPTHS, PEAKS = (2, 4, 6, 8, 10, 12), (3e-2, 1e-2, 3e-3, 1e-3)
DEFAULT = ROOT / "chapters" / "results" / "blocks.json"
MEASURED = (
    "gradients: norm of the gradient of each layer's W_2 before training; training: mean loss of the last 20 steps on "
    "fresh rows, six layers, rows of 16 symbols out of 8 to be reversed (guessing: 2.079)"
)


def main() -> None:
    """Run all measurements that the result file does not hold yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=DEFAULT)
    parser.add_argument("--gradient-seeds", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=200)
    options = parser.parse_args()
    torch.set_num_threads(1)
    result = {
        **made_by(__spec__.name, options),
        "measured": MEASURED,
        "gradients": [],
        "training": [],
    }
    result = unfinished(options.out, result)
    done = [(r["norm_first"], r["depth"], r["seed"]) for r in result["gradients"]]
    for norm_first, depth, seed in itertools.product(
        (False, True), DEPTHS, range(options.gradient_seeds)
    ):
        if (norm_first, depth, seed) not in done:
            by_layer = [round(g, 4) for g in layer_gradients(depth, norm_first, seed)]
            result["gradients"].append(
                {"norm_first": norm_first, "depth": depth, "seed": seed, "by_layer": by_layer}
            )  # fmt: skip
    write_atomically(options.out, json.dumps(result, indent=1) + "\n")
    done = [
        (r["peak"], r["seed"], r["norm_first"], r["rise"]) for r in result["training"]
    ]
    for peak, seed, norm_first, rise in itertools.product(
        PEAKS, range(options.seeds), (False, True), (False, True)
    ):
        if (peak, seed, norm_first, rise) in done:
            continue
        losses = fit_stack(norm_first, peak, rise, seed, steps=options.steps)
        row = {"peak": peak, "seed": seed, "norm_first": norm_first, "rise": rise,
               "loss": round(sum(losses[-20:]) / 20, 4)}  # fmt: skip
        result["training"].append(row)
        write_atomically(options.out, json.dumps(result, indent=1) + "\n")
        print(row, flush=True)


if __name__ == "__main__":
    main()
