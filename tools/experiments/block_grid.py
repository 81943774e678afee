"""Stacks of layers in every wiring before training, for the figure "block explorer" of chapter 9.

Question: what does a gradient meet on its way down, and what becomes of the stream on its way up, before any training?
Varies: where the norm stands (after the sublayer, before it, nowhere), whether there is a residual sum, the depth.
Equal: width 64, the rows, the initialisation.
Control: the stacks without norm and without sum.
Seeds: 20; the quartiles are stored and drawn.
Turned round by: quartiles of two wirings that overlap where the chapter tells them apart.

About half a minute on one core.
"""

import itertools

import torch

from attnbook.studies import NORM_PLACES, measure_stack
from tools.experiments.stored import quartiles

RESULT = "code/attnbook/widgets/block_explorer/data.json"
OPTIONS = {"seeds": 20}
DEPTHS = range(2, 13)
WIRINGS = list(itertools.product((True, False), NORM_PLACES, DEPTHS))
MEASURES = ("gradient", "stream", "apart")
MEASURED = (
    "lower quartile, median, upper quartile over the seeds, before training, width 64, rows of 16 symbols; gradient: "
    "norm of the gradient of each layer's W_2; stream: mean square of the stream's entries, before the first layer "
    "and after each; apart: the share of it by which the positions of a row differ from their mean; ratio: last "
    "number over first, stack by stack"
)


def three_digits(values: list[float]) -> list[float]:
    """The quartiles as they are stored."""
    return [float(f"{number:.3g}") for number in quartiles(torch.tensor(values, dtype=torch.float64))]


def entry(residual: bool, norm: str, depth: int, runs: list[dict]) -> dict:
    """One stack of the grid, as it is stored."""
    result = {"norm": norm, "residual": residual, "depth": depth, "ratio": {}}
    for measure in MEASURES:
        by_seed = [run[measure] for run in runs]
        result[measure] = [three_digits(list(at)) for at in zip(*by_seed, strict=True)]
        result["ratio"][measure] = three_digits([line[-1] / line[0] for line in by_seed])
    return result


def variants(options) -> list[dict]:
    """Every stack."""
    return [{"norm": norm, "residual": residual, "depth": depth} for residual, norm, depth in WIRINGS]


def run(seed: int, norm: str, residual: bool, depth: int) -> dict:
    """Measure one stack."""
    measured = measure_stack(norm, residual, depth, seed)
    stack = {"norm": norm, "residual": residual, "depth": depth}
    return stack | {measure: getattr(measured, measure) for measure in MEASURES}


def summary(results: list[dict], options) -> dict:
    """The quartiles of each stack."""
    runs = iter(results)
    same = [[next(runs) for _ in range(options.seeds)] for _ in WIRINGS]
    stacks = [entry(*stack, of_stack) for stack, of_stack in zip(WIRINGS, same, strict=True)]
    return {"measured": MEASURED, "seeds": options.seeds, "stacks": stacks}
