"""Measure pre-LN and post-LN stacks with several seeds: gradients before training, and the effect of warm-up.

    python -m tools.experiments.blocks            writes chapters/results/blocks.json (twenty minutes, one core)

The file is written anew after every training. An interrupted run goes on where it stopped.
"""

import argparse
import itertools
from pathlib import Path

import torch

from attnbook.files import write_atomically
from attnbook.studies import fit_stack, layer_gradients
from tools import ROOT
from tools.experiments.stored import made_by, row_by_row, unfinished

DEPTHS, PEAKS = (2, 4, 6, 8, 10, 12), (1e-3, 3e-3, 6e-3, 1e-2, 3e-2)
WARMUPS = {False: (0, 60, 400), True: (0, 60)}  # norm_first → steps of warm-up
CHUNK = 50  # steps that one stored loss is the mean of
LONGER, LONGER_PEAKS = 4000, (6e-3, 1e-2)  # post-LN without warm-up, one seed
DEFAULT = ROOT / "chapters" / "results" / "blocks.json"
MEASURED = (
    "gradients: norm of the gradient of each layer's W_2 before training; training: six layers, 32 wide, rows of 16 "
    "symbols out of 8 to be reversed (guessing: 2.079); warmup: steps of the rise to the peak rate, after which the "
    "rate falls with the square root of the step (0: no rise, the peak for 60 steps, then the same fall); losses: "
    f"mean over every {CHUNK} steps, on fresh rows; longer: some of the same runs, {LONGER} steps"
)


def trained(
    norm_first: bool, warmup: int, peak: float, seed: int, steps: int
) -> list[float]:
    """Losses of one training, as they are stored."""
    rise, until = warmup > 0, warmup or 60
    losses = fit_stack(norm_first, peak, rise, seed, steps=steps, warmup=until)
    return [round(loss.mean().item(), 3) for loss in torch.tensor(losses).split(CHUNK)]


def main() -> None:
    """Run all measurements that the result file does not hold yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=DEFAULT)
    parser.add_argument("--gradient-seeds", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=1000)
    options = parser.parse_args()
    torch.set_num_threads(1)
    fresh = {
        **made_by(__spec__.name, options),
        "measured": MEASURED,
        "gradients": [],
        "training": [],
        "longer": [],
    }
    result = unfinished(options.out, fresh)

    def there(rows: str, *names: str) -> set:
        return {tuple(row[name] for name in names) for row in result[rows]}

    def store(rows: str, row: dict) -> None:
        result[rows].append(row)
        text = row_by_row(result, "gradients", "training", "longer")
        write_atomically(options.out, text)

    done = there("gradients", "norm_first", "depth", "seed")
    for key in itertools.product((False, True), DEPTHS, range(options.gradient_seeds)):
        if key not in done:
            norm_first, depth, seed = key
            found = [round(g, 4) for g in layer_gradients(depth, norm_first, seed)]
            row = {"norm_first": norm_first, "depth": depth, "seed": seed}
            store("gradients", row | {"by_layer": found})

    done = there("training", "peak", "seed", "norm_first", "warmup")
    for seed, peak, norm_first in itertools.product(
        range(options.seeds), PEAKS, (False, True)
    ):
        for warmup in WARMUPS[norm_first]:
            if (peak, seed, norm_first, warmup) in done:
                continue
            row = {"peak": peak, "seed": seed, "norm_first": norm_first}
            losses = trained(norm_first, warmup, peak, seed, options.steps)
            store("training", row | {"warmup": warmup, "losses": losses})
            print(result["training"][-1], flush=True)

    done = there("longer", "peak")
    for peak in LONGER_PEAKS:
        if (peak,) not in done:
            losses = trained(False, 0, peak, 0, LONGER)
            store("longer", {"peak": peak, "seed": 0, "losses": losses})


if __name__ == "__main__":
    main()
