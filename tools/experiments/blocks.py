"""Pre-LN and post-LN stacks: gradients before training, and who needs a warm-up.

Question: are post-LN's gradients larger in the last layers before training, and does it need a warm-up that pre-LN does
    not?
Varies: where the norm stands; the depth (gradients); the peak rate and the steps of warm-up (training).
Equal: width, data, batches and steps; the rate falls in the same way after the peak, with warm-up or without.
Control: pre-LN without warm-up; five peak rates, so that no side is judged at a rate that suits the other.
Seeds: 20 for gradients, 3 for training; one for the runs of 4,000 steps, which only ask whether patience is enough.
Turned round by: post-LN that learns without warm-up at rates at which pre-LN learns, or after 4,000 steps.

About twenty minutes on one core.
"""

import itertools
from collections.abc import Iterator

import torch

from attnbook.studies import fit_stack, layer_gradients

OPTIONS = {"gradient_seeds": 20, "seeds": 3, "steps": 1000}
DEPTHS, PEAKS = (2, 4, 6, 8, 10, 12), (1e-3, 3e-3, 6e-3, 1e-2, 3e-2)
WARMUPS = {False: (0, 60, 400), True: (0, 60)}  # norm_first → steps of warm-up
CHUNK = 50  # steps that one stored loss is the mean of
LONGER, LONGER_PEAKS = 4000, (6e-3, 1e-2)  # post-LN without warm-up, one seed
MEASURED = (
    "gradients: norm of the gradient of each layer's W_2 before training; training: six layers, 32 wide, rows of 16 "
    "symbols out of 8 to be reversed (guessing: 2.079); warmup: steps of the rise to the peak rate, after which the "
    "rate falls with the square root of the step (0: no rise, the peak for 60 steps, then the same fall); losses: "
    f"mean over every {CHUNK} steps, on fresh rows; longer: some of the same runs, {LONGER} steps"
)


def trained(norm_first: bool, warmup: int, peak: float, seed: int, steps: int) -> list[float]:
    """Losses of one training, as they are stored."""
    rise, until = warmup > 0, warmup or 60
    losses = fit_stack(norm_first, peak, rise, seed, steps=steps, warmup=until)
    return [round(loss.mean().item(), 3) for loss in torch.tensor(losses).split(CHUNK)]


def settings(options) -> Iterator[dict]:
    """Gradients, then trainings, then longer ones; `rows` is where a run is stored."""
    for norm_first, depth, seed in itertools.product((False, True), DEPTHS, range(options.gradient_seeds)):
        yield {"rows": "gradients", "norm_first": norm_first, "depth": depth, "seed": seed}
    for seed, peak, norm_first in itertools.product(range(options.seeds), PEAKS, (False, True)):
        for warmup in WARMUPS[norm_first]:
            row = {"peak": peak, "seed": seed, "norm_first": norm_first}
            row |= {"warmup": warmup, "steps": options.steps}
            yield {"rows": "training"} | row
    for peak in LONGER_PEAKS:
        row = {"peak": peak, "seed": 0, "norm_first": False}
        yield {"rows": "longer"} | row | {"warmup": 0, "steps": LONGER}


def run(seed: int, rows: str, norm_first: bool, **how) -> dict:
    """Measure the gradients of a new stack, or train one."""
    if rows == "gradients":
        gradients = [round(g, 4) for g in layer_gradients(how["depth"], norm_first, seed)]
        row = {"norm_first": norm_first, "depth": how["depth"], "seed": seed}
        return {"rows": rows} | row | {"by_layer": gradients}
    losses = trained(norm_first, how["warmup"], how["peak"], seed, how["steps"])
    row = {"peak": how["peak"], "seed": seed}
    if rows == "training":
        row |= {"norm_first": norm_first, "warmup": how["warmup"]}
    return {"rows": rows} | row | {"losses": losses}


def summary(results: list[dict], options) -> dict:
    """The rows of each kind."""
    by_kind: dict[str, list] = {"gradients": [], "training": [], "longer": []}
    for result in results:
        row = {key: value for key, value in result.items() if key != "rows"}
        by_kind[result["rows"]].append(row)
    return {"measured": MEASURED, **by_kind}
