"""Exercises whose result is one Python number: what is said of a result that is none."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

from ..legacy import Exercise
from ..recognise import Case
from ..verdict import Finding
from ..wording import inputs, number, one_line


def as_number(arguments: tuple, result: object) -> torch.Tensor:
    """Read one number.

    Args:
        arguments: the call's arguments.
        result: anything that stands for one real number.

    Returns:
        One number, float64.

    Raises:
        TypeError: if `result` is no number.
    """
    if isinstance(result, torch.Tensor):
        result = result.detach().cpu().numpy()
    if isinstance(result, np.ndarray) and result.size == 1:
        result = result.item()
    if isinstance(result, bool | np.bool_) or not isinstance(
        result, int | float | np.integer | np.floating
    ):
        raise TypeError(f"not a number but a {type(result).__name__}")
    return torch.tensor(float(result), dtype=torch.float64)


def number_kind(wanted: str) -> Callable:
    """Make a judge of results that should be one number.

    Args:
        wanted: what is asked for, for instance ``"one number from 0 to 1"``.

    Returns:
        The slot `kind` of an exercise.
    """

    def kind(exercise: Exercise, fn: Callable, case: Case) -> Finding | None:
        if case.got is not None:
            return None
        given, result = inputs(exercise.parameters, case.arguments), case.call.result
        if result is None and case.call.printed.strip():
            return Finding(
                "prints",
                "printed, not returned",
                f"With {given} your function prints `{one_line(case.call.printed, 60)}` and returns nothing "
                "(None).",
                "Which word hands a result back to the caller?",
            )
        if result is None:
            return Finding(
                "returns-none",
                "nothing comes back",
                f"With {given} your function returns nothing (None); wanted is {wanted}. There may be a way through "
                "your code that meets no `return`.",
                "With these arguments, which line is the last that your function reaches?",
            )
        if isinstance(result, tuple | list):
            return Finding(
                "returns-a-tuple",
                "more than one thing comes back",
                f"With {given} your function returns a {type(result).__name__} of {len(result)}; wanted is {wanted}: "
                f"{number(float(case.expected))}.",
                "Which one number is asked for?",
            )
        return Finding(
            "returns-another-kind",
            "not a number",
            f"With {given} your function returns a {type(result).__name__}; wanted is {wanted}.",
            "At which line does your number turn into something else?",
        )

    return kind
