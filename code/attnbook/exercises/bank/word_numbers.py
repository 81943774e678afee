"""Exercises whose result is a Python list of whole numbers: how it is read, and what is said of a wrong one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

from .. import differences
from ..legacy import Exercise
from ..recognise import Case, known_mistake, make_case, several_mistakes, smallest_wrong
from ..verdict import Finding
from ..wording import inputs, one_line, values


def as_whole_numbers(arguments: tuple, result: object) -> torch.Tensor:
    """Read a list of whole numbers.

    Args:
        arguments: the call's arguments.
        result: a list, a tuple, an array or a tensor with one axis.

    Returns:
        The numbers, float64, with one axis.

    Raises:
        TypeError: if `result` is something else, or holds something else.
    """
    if isinstance(result, torch.Tensor):
        if (
            result.dim() != 1
            or result.is_floating_point()
            or result.dtype == torch.bool
        ):
            raise TypeError(
                f"not a row of whole numbers: {result.dtype}, {result.dim()} axes"
            )
        return result.detach().to("cpu", torch.float64)
    if isinstance(result, np.ndarray):
        return as_whole_numbers(arguments, torch.as_tensor(result))
    if not isinstance(result, list | tuple) or not all(_whole(x) for x in result):
        raise TypeError("not a list of whole numbers")
    return torch.tensor([int(x) for x in result], dtype=torch.float64)


def _whole(x: object) -> bool:
    if isinstance(x, torch.Tensor):
        return x.numel() == 1 and not x.is_floating_point() and x.dtype != torch.bool
    return isinstance(x, int | np.integer) and not isinstance(x, bool)


def must_be_a_list(exercise: Exercise, fn: Callable) -> Finding | None:
    """Demand an ordinary list of Python integers.

    Args:
        exercise: the exercise.
        fn: the reader's function, right in its numbers.

    Returns:
        The finding, or None.
    """
    case = make_case(exercise, fn, exercise.example())
    result, numbers = case.call.result, values(case.expected)
    if isinstance(result, torch.Tensor | np.ndarray):
        what = "tensor" if isinstance(result, torch.Tensor) else "NumPy array"
        return Finding(
            "a-tensor" if what == "tensor" else "an-array",
            f"a {what}, not a list",
            f"Your numbers are right, {numbers}, but they come in a {what}; asked for is an ordinary list, whose "
            "numbers can be looked up in a vocabulary one by one.",
            f"Which method of a {what} makes a Python list of it?",
        )
    if isinstance(result, tuple):
        return Finding(
            "a-tuple",
            "a tuple, not a list",
            f"Your numbers are right, {numbers}, but they come in a tuple; asked for is a list, and a tuple equals "
            "none, whatever it holds.",
            "How does one make a list of a tuple?",
        )
    if any(type(x) is not int for x in result):
        inside = next(type(x).__name__ for x in result if type(x) is not int)
        return Finding(
            "tensors-inside",
            "what is in the list",
            f"Your numbers are right, {numbers}, but in the list they are of the type {inside}. As the key of a "
            "dictionary such a thing finds nothing.",
            "Which method or function makes a Python integer of it?",
        )
    return None


def list_kind(exercise: Exercise, fn: Callable, case: Case) -> Finding | None:
    """Judge an answer that is a list, of whatever length: what it is, and if that is right what is amiss in it.

    Lists of different lengths cannot be subtracted from each other, so the general remarks on numbers do not apply.

    Args:
        exercise: the exercise.
        fn: the reader's function.
        case: a probe, already answered without an error.

    Returns:
        The finding; None if some call raises an error.
    """
    if case.got is None:
        return _no_list(exercise, case)
    cases = [
        make_case(exercise, fn, some)
        for some in (exercise.example(), *exercise.probes())
    ]
    at_the_edge = all(one.right() for one in cases)
    if at_the_edge:
        cases += [make_case(exercise, fn, some) for some in exercise.edges()]
    if any(one.call.error is not None for one in cases) or all(
        one.right() for one in cases
    ):
        return None
    for one in cases:
        if one.got is None:
            return _no_list(exercise, one)
    found = (
        known_mistake(exercise, fn, cases)
        or several_mistakes(exercise, cases)
        or differences.not_repeatable(exercise, fn, cases)
        or _first(exercise.detectors, exercise, fn, cases)
        or differences.ignores(exercise, fn, cases)
        or _first(exercise.describers, exercise, fn, cases)
    )
    if found:
        return found
    worst = smallest_wrong(cases)
    seen = (
        f"With {inputs(exercise.parameters, worst.arguments)} you return {_row(worst.got)}; right is "
        f"{_row(worst.expected)}."
    )
    if at_the_edge:
        return Finding(
            "wrong-at-the-edge",
            "at the edge",
            f"For ordinary arguments your answer is right.\n{seen}",
            "What is special about these arguments?",
        )
    path = "; ".join(
        f"{what} {values(value)}"
        for what, value in exercise.on_the_way(worst.arguments)
    )
    return Finding(
        "unknown",
        "another list",
        f"{seen}\nOn the way to it one passes: {path}.",
        "Print the same quantities in your function: which is the first that differs?",
    )


def _first(asked: tuple[Callable, ...], *question: object) -> Finding | None:
    return next((found for one in asked if (found := one(*question))), None)


def _row(x: torch.Tensor) -> str:
    return (
        "an empty list"
        if x.numel() == 0
        else values(x)
        if x.numel() > 1
        else f"[{values(x)}]"
    )


def _no_list(exercise: Exercise, case: Case) -> Finding:
    given, result = inputs(exercise.parameters, case.arguments), case.call.result
    wanted = "wanted is a list of whole numbers"
    if result is None and case.call.printed.strip():
        return Finding(
            "prints",
            "printed, not returned",
            f"With {given} your function prints `{one_line(case.call.printed, 60)}` and returns nothing (None).",
            "Which word hands a result back to the caller?",
        )
    if result is None:
        return Finding(
            "returns-none",
            "nothing comes back",
            f"With {given} your function returns nothing (None); {wanted}.",
            "Which line of yours holds the list, and does that line begin with `return`?",
        )
    if isinstance(result, int | np.integer) or (
        isinstance(result, torch.Tensor) and result.numel() == 1
    ):
        return Finding(
            "one-number",
            "one number",
            f"With {given} your function returns a single number; {wanted}, here {_row(case.expected)}.",
            "For how many words is an answer wanted, and which line makes one number of them all?",
        )
    if isinstance(result, tuple | list) and result and _is_row(result[0]):
        inside = (
            " The first of them is the right answer."
            if _same(result[0], case.expected)
            else ""
        )
        return Finding(
            "returns-a-tuple",
            "more than the list",
            f"With {given} your function returns a {type(result).__name__} of {len(result)}, whose first part is a "
            f"{type(result[0]).__name__}; {wanted}.{inside}",
            "Which part of it was asked for?",
        )
    kind = type(result).__name__
    if isinstance(result, list) and result:
        kind += f" whose first entry is of the type {type(result[0]).__name__}"
    elif isinstance(result, torch.Tensor):
        kind = f"tensor of the dtype {result.dtype} and the shape {tuple(result.shape)}"
    return Finding(
        "returns-another-kind",
        "not a list of whole numbers",
        f"With {given} your function returns a {kind}; {wanted}.",
        "At which line does your list turn into something else?",
    )


def _is_row(x: object) -> bool:
    return isinstance(x, list | tuple) or (isinstance(x, torch.Tensor) and x.dim() == 1)


def _same(part: object, expected: torch.Tensor) -> bool:
    try:
        return torch.equal(as_whole_numbers((), part), expected)
    except TypeError:
        return False
