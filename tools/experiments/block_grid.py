"""Measure stacks of layers in every wiring before training, for the block explorer.

    python -m tools.experiments.block_grid        about half a minute

writes code/attnbook/widgets/block_explorer/data.json.

Six wirings (the layer norm after the sublayer, before it or nowhere; with and without the residual sum), stacks of
2 to 12 layers, and 20 seeds of each. What is stored of the seeds is the lower quartile, the median and the upper
quartile.
"""

import argparse
import itertools
import json
from pathlib import Path

import torch

from attnbook.files import write_atomically
from attnbook.studies import NORM_PLACES, measure_stack
from tools import ROOT
from tools.experiments.stored import made_by

DEPTHS = range(2, 13)
MEASURES = ("gradient", "stream", "apart")
DEFAULT = ROOT / "code" / "attnbook" / "widgets" / "block_explorer" / "data.json"
MEASURED = (
    "lower quartile, median, upper quartile over the seeds, before training, width 64, rows of 16 symbols; gradient: "
    "norm of the gradient of each layer's W_2; stream: mean square of the stream's entries, before the first layer "
    "and after each; apart: the share of it by which the positions of a row differ from their mean; ratio: last "
    "number over first, stack by stack"
)


def quartiles(values: list[float]) -> list[float]:
    """Lower quartile, median and upper quartile, to three digits."""
    found = torch.tensor(values, dtype=torch.float64).quantile(
        torch.tensor([0.25, 0.5, 0.75], dtype=torch.float64)
    )
    return [float(f"{number:.3g}") for number in found.tolist()]


def entry(norm: str, residual: bool, depth: int, seeds: int) -> dict:
    """One stack of the grid, as it is stored."""
    runs = [measure_stack(norm, residual, depth, seed) for seed in range(seeds)]
    result = {"norm": norm, "residual": residual, "depth": depth, "ratio": {}}
    for measure in MEASURES:
        by_seed = [getattr(run, measure) for run in runs]
        result[measure] = [quartiles(list(at)) for at in zip(*by_seed, strict=True)]
        result["ratio"][measure] = quartiles([line[-1] / line[0] for line in by_seed])
    return result


def main() -> None:
    """Measure the whole grid and replace the file in one step."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=DEFAULT)
    parser.add_argument("--seeds", type=int, default=20)
    options = parser.parse_args()
    torch.set_num_threads(1)
    wirings = itertools.product((True, False), NORM_PLACES, DEPTHS)
    result = {
        **made_by(__spec__.name, options),
        "measured": MEASURED,
        "seeds": options.seeds,
        "stacks": [
            entry(norm, residual, depth, options.seeds)
            for residual, norm, depth in wirings
        ],
    }
    rows = ",\n".join(
        json.dumps(stack, separators=(",", ":")) for stack in result.pop("stacks")
    )
    head = json.dumps(result, indent=1)[:-2]
    write_atomically(options.out, f'{head},\n "stacks": [\n{rows}\n]}}\n')


if __name__ == "__main__":
    main()
