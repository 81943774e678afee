"""What the exercises that ask for a mask have in common: how it is read, and that it is bool."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

from .. import legacy as kinds
from ..legacy import Exercise
from ..recognise import Case, make_case
from ..verdict import Finding
from ..wording import inputs, number, values


def as_numbers(arguments: tuple, result: torch.Tensor) -> torch.Tensor:
    """Read a mask as numbers, 1 for True and 0 for False.

    Args:
        arguments: the call's arguments.
        result: a mask of any dtype.

    Returns:
        The same in float64.
    """
    return result.detach().to(torch.float64)


def additive(mask: torch.Tensor) -> torch.Tensor:
    """Write a mask as what is added to the scores: 0, or −∞.

    Args:
        mask: bool, True = may attend.

    Returns:
        The same shape, float64.
    """
    return torch.zeros(mask.shape, dtype=torch.float64).masked_fill(~mask, -torch.inf)


def to_be_added(exercise: Exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Recognise a mask that is meant to be added to the scores, whatever its large negative number is.

    Args:
        exercise: the exercise.
        fn: the reader's function.
        cases: the probes, all answered by tensors of the right shape.

    Returns:
        The finding, or None.
    """
    for case in cases:
        allowed = case.expected == 1
        if (
            (case.got[allowed] != 0).any()
            or (case.got[~allowed] > -1).any()
            or case.call.result.dtype == torch.bool
        ):
            return None
    if not torch.isfinite(cases[0].got).all():
        return None  # −∞ is a mistake that the exercises know by name
    lowest = number(float(cases[0].got.min()))
    return Finding(
        "additive-finite",
        "a mask to be added",
        f"With {inputs(exercise.parameters, cases[0].arguments)} your mask is {values(cases[0].got)}: "
        f"numbers to be added to the scores, 0 where a query may look and {lowest} where not. Asked for is "
        "a bool mask, with True where it may look.",
        f"Which part of your code comes *before* the {lowest}, and says who may attend?",
    )


def mask_kind(exercise: Exercise, fn: Callable, case: Case) -> Finding | None:
    """Find a mask that is no tensor.

    Args:
        exercise: the exercise.
        fn: the reader's function.
        case: a probe, already answered without an error.

    Returns:
        The finding, or None if a tensor came back.
    """
    result, given = case.call.result, inputs(exercise.parameters, case.arguments)
    wanted = f"a bool tensor of shape ({', '.join(exercise.returns.split())})"
    if isinstance(result, np.ndarray):
        return Finding(
            "returns-numpy",
            "a NumPy array",
            f"With {given} your function returns a NumPy array of shape {result.shape}; wanted is "
            f"{wanted}.\n"
            "The scores that it is to mask are a tensor, perhaps on an accelerator, where NumPy cannot "
            "follow.",
            "Which of your NumPy calls has a namesake in torch?",
        )
    if isinstance(result, list):
        return Finding(
            "returns-a-list",
            "a list",
            f"With {given} your function returns a Python list of length {len(result)}; wanted is {wanted}. "
            "A list has neither a shape nor `&` and `~`.",
            "Which function of torch makes one tensor of the rows that you have gathered?",
        )
    if isinstance(result, bool):
        return Finding(
            "returns-a-bool",
            "one yes or no",
            f"With {given} your function returns {result}; wanted is {wanted}: one yes or no for every pair "
            "of a query and a key.",
            "Which line answers for one pair only, and what would answer for all pairs at once?",
        )
    return kinds.wrong_kind(exercise, case)


def _not_one(dtype: torch.dtype) -> str:
    return number(int(~torch.ones((), dtype=dtype)))


def must_be_bool(exercise: Exercise, fn: Callable) -> Finding | None:
    """Demand a mask of dtype bool.

    Args:
        exercise: the exercise.
        fn: the reader's function, right in its zeros and ones.

    Returns:
        The finding, or None.
    """
    case = make_case(exercise, fn, exercise.example())
    dtype = case.call.result.dtype
    if dtype == torch.bool:
        return None
    harm = (
        "A mask of floating-point numbers is *added* to the scores by `F.scaled_dot_product_attention`. "
        "Yours would add 1 where a query may look and 0 where it may not: nothing would be hidden."
        if dtype.is_floating_point
        else f"With whole numbers `~` does not turn 1 into 0: ~1 is {_not_one(dtype)}, and that counts as True again. "
        "`masked_fill` and `F.scaled_dot_product_attention` refuse such a mask."
    )
    return Finding(
        "not-bool",
        f"{str(dtype).removeprefix('torch.')} instead of bool",
        f"With {inputs(exercise.parameters, case.arguments)} your zeros and ones stand in the right places, "
        f"{values(case.got)}, but their dtype is {dtype}.\n{harm}",
        "Which dtype knows only True and False, and where could your code ask for it (or compare, so that it "
        "comes by itself)?",
    )
