"""Judge a count: what kind of number it is, what it refuses, and which part of it is amiss."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import torch

from ..legacy import Exercise
from ..observe import error_text, observe, own_line
from ..recognise import Case, make_case
from ..verdict import Finding
from ..wording import number, one_line


def as_number(arguments: tuple, result: object) -> torch.Tensor:
    """Read a count as a number.

    Args:
        arguments: the call's arguments.
        result: a whole number, or anything that stands for one number.

    Returns:
        One number, float64.

    Raises:
        TypeError: if `result` is no number.
    """
    if isinstance(result, bool | str | bytes | complex):
        raise TypeError(f"a count is a number, got a {type(result).__name__}")
    return torch.tensor(float(result), dtype=torch.float64)


def count_kind(exercise: Exercise, fn: Callable, case: Case) -> Finding | None:
    """Find a result that is no number.

    Args:
        exercise: the exercise.
        fn: the reader's function.
        case: a probe, already answered without an error.

    Returns:
        The finding, or None.
    """
    if case.got is not None:
        return None
    given = " and ".join(
        f"{n} {a}" for n, a in zip(exercise.parameters, case.arguments, strict=True)
    )
    result = case.call.result
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
            f"With {given} your function returns nothing (None); wanted is one whole number.",
            "Which line of yours holds the number, and does the last line begin with `return`?",
        )
    if isinstance(result, tuple | list):
        try:
            total = f" Their sum is {number(float(sum(result)))}."
        except (TypeError, ValueError):
            total = ""
        return Finding(
            "returns-a-tuple",
            "more than one thing comes back",
            f"With {given} your function returns a {type(result).__name__} of {len(result)}; wanted is one "
            f"whole number, the total.{total}",
            "What is asked for: the parts, or what they come to together?",
        )
    if isinstance(result, torch.nn.Module):
        return Finding(
            "returns-a-layer",
            "a layer, not its size",
            f"With {given} your function returns a layer of the class `{type(result).__name__}`; wanted is "
            "how many numbers its parameters hold.",
            "Over what would you sum `numel()`?",
        )
    return Finding(
        "returns-another-kind",
        "not a number",
        f"With {given} your function returns a {type(result).__name__}; wanted is one whole number.",
        "At which line does your number turn into something else?",
    )


def must_be_whole(exercise: Exercise, fn: Callable) -> Finding | None:
    """Demand a whole number by its type, not only by its value.

    Args:
        exercise: the exercise.
        fn: the reader's function, right in its values.

    Returns:
        The finding, or None.
    """
    result = make_case(exercise, fn, exercise.example()).call.result
    if isinstance(result, int | np.integer) and not isinstance(result, bool):
        return None
    if isinstance(result, torch.Tensor):
        return Finding(
            "a-tensor",
            "a tensor with one number in it",
            f"With d_model 10 and num_heads 5 you return a tensor of the dtype {result.dtype} with the right "
            "number, 400, in it. A count is an ordinary Python integer.",
            "Does this need torch at all, or which method takes the number out?",
        )
    return Finding(
        "a-float",
        "400.0 parameters",
        f"With d_model 10 and num_heads 5 you return {result!r}, a {type(result).__name__}. Parameters are "
        "counted in whole numbers, and beyond 2^53 a float can no longer tell one from the next.",
        "Which operator of yours makes a floating-point number even of 10/5, and which one does not?",
    )


def _kind_of(result: object) -> str:
    return "None" if result is None else f"a {type(result).__name__}"


def must_refuse(exercise: Exercise, fn: Callable) -> Finding | None:
    """Demand an error where the heads cannot share the features.

    Args:
        exercise: the exercise.
        fn: the reader's function, right where they can.

    Returns:
        The finding, or None.
    """
    for d_model, num_heads in [(8, 3), (3, 8)]:
        call = observe(fn, (d_model, num_heads))
        if isinstance(call.error, ValueError | AssertionError):
            continue
        asked = f"`my_equal_heads({d_model}, {num_heads})`"
        place = own_line(call.error, fn) if call.error is not None else None
        if place and re.search(r"(^|:\s*)raise\b", place[2]):
            return Finding(
                "refused-otherwise",
                "another error",
                f"For {asked} your function refuses, as it should, but with {error_text(call.error)}. Code that "
                "catches the error of an argument that does not fit waits for a `ValueError`.",
                "Which name stands behind `raise` in your code?",
            )
        if call.error is not None:
            return Finding(
                "refused-by-accident",
                "another error",
                f"For {asked} your function raises {error_text(call.error)}. That is an accident on the "
                "way, and tells the caller nothing of heads; asked for is a `ValueError`.",
                "Where could your function look at its arguments before it begins to count?",
            )
        if isinstance(call.result, int | float) and not isinstance(call.result, bool):
            return Finding(
                "not-refused",
                "a layer that does not exist",
                f"The counts are right. But for {asked} your function returns {number(call.result)}, "
                f"although {d_model}/{num_heads} = {number(d_model / num_heads)} is not a whole number of "
                "features for a head: there is no such layer.",
                "How does one find out whether one whole number divides another, and how does a function "
                "refuse?",
            )
        return Finding(
            "refused-in-silence",
            "no error",
            f"For {asked} there is no layer to count, and your function returns {_kind_of(call.result)} "
            "without a word. The caller will notice much later, or never; asked for is a `ValueError`.",
            "Which statement stops a function and tells the caller why?",
        )
    return None


def _powers(d: int, h: int) -> list[tuple[str, float]]:
    return [
        ("D²", d * d),
        ("H·D²", h * d * d),
        ("D²/H", d * d / h),
        ("D²/H²", d * d / h**2),
        ("D", d),
        ("H·D", h * d),
        ("D/H", d / h),
        ("D³", d**3),
        ("H", h),
        ("1", 1),
    ]


def a_part_amiss(exercise: Exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Recognise a count that is off by one, two or three matrices or vectors.

    Args:
        exercise: the exercise.
        fn: the reader's function.
        cases: the probes, all answered by numbers.

    Returns:
        The finding, or None.
    """
    return what_is_amiss(exercise, fn, cases, largest=3)


def what_is_amiss(
    exercise: Exercise, fn: Callable, cases: list[Case], largest: float = 1e6
) -> Finding | None:
    """Work out by how much a count is off, as a formula in D and H.

    Args:
        exercise: the exercise.
        fn: the reader's function.
        cases: the probes, all answered by numbers.
        largest: how many times a part may be too many or too few.

    Returns:
        The finding, or None if no simple formula gives the difference on every probe.
    """
    differences = [float(case.got - case.expected) for case in cases]
    for position, (name, _) in enumerate(_powers(1, 1)):
        sizes = [_powers(*case.arguments)[position][1] for case in cases]
        factors = [
            difference / size
            for difference, size in zip(differences, sizes, strict=True)
        ]
        if max(factors) - min(factors) > 1e-6 or not 1e-6 < abs(factors[0]) <= largest:
            continue
        factor = number(abs(factors[0]))
        amount = (
            factor if name == "1" else name if factor == "1" else f"{factor}·{name}"
        )
        return Finding(
            "off-by-a-part",
            "too many" if factors[0] > 0 else "too few",
            f"With d_model 10 and num_heads 5 you count {number(float(cases[0].got))}; right is "
            f"{number(float(cases[0].expected))}.\nFor all sizes that were tried you count {amount} too "
            f"{'many' if factors[0] > 0 else 'few'}.",
            f"Which matrix (or vector) has {amount} numbers, and does it belong to the layer?",
        )
    return None
