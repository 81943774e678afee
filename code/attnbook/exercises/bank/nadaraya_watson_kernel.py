"""Read the reader's kernel off their predictions, by asking about two keys at chosen distances."""

from __future__ import annotations

from collections.abc import Callable

import torch

from ..legacy import Exercise, exact
from ..observe import observe
from ..recognise import Case, near
from ..verdict import Finding
from ..wording import values

DISTANCES = (-2.0, -1.0, 0.5, 1.0, 2.0)  # in widths


def _answer(fn: Callable, arguments: tuple) -> torch.Tensor | None:
    result = observe(fn, arguments).result
    good = (
        isinstance(result, torch.Tensor)
        and result.shape == arguments[0].shape
        and torch.isfinite(result).all()
    )
    return result.detach().to(torch.float64) if good else None


def another_kernel(
    exercise: Exercise, fn: Callable, cases: list[Case]
) -> Finding | None:
    """Tell which kernel a function must have used, or that its weights do not sum to 1.

    Args:
        exercise: the exercise.
        fn: the reader's function.
        cases: the probes (not used: this detector asks questions of its own).

    Returns:
        The finding, or None if the kernel is the right one or cannot be read off.
    """
    queries, keys, _, width = exercise.example()
    ones = _answer(fn, (queries, keys, torch.ones_like(keys), width))
    if ones is None:
        return None
    if not near(ones, torch.ones_like(ones)):
        return Finding(
            "weights-do-not-sum-to-one",
            "the sum of the weights",
            f"With queries {values(queries)}, keys {values(keys)}, width 2 and all three values equal to 1 "
            f"every average is 1. "
            f"Yours are {values(ones)}: so much is the sum of your weights.",
            "What must the weights of each query be divided by?",
        )
    seen = []
    for u in DISTANCES:
        share = _answer(fn, (exact(0), exact(0, u * width), exact(0, 1), width))
        if share is None or not 0 <= float(share) < 1:
            return None
        seen.append(float(share / (1 - share)))
    mine, right = exact(*seen), torch.exp(-(exact(*DISTANCES) ** 2) / 2)
    if near(mine, right):
        return None
    lopsided = not near(mine[:2].flip(0), mine[3:])
    more = (
        " It treats keys on the left and on the right differently." if lopsided else ""
    )
    return Finding(
        "another-kernel",
        "another kernel",
        f"From your predictions one can read off your kernel, relative to its top. At u = −2, −1, 0.5, 1, "
        f"2 widths it is {values(mine)}; "
        f"a Gaussian has {values(right)}.{more}",
        "Which formula gives these numbers, and where does it part from exp(−u²/2)?",
    )
