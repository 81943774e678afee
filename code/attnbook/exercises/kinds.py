"""The kind and the shape of a result: None, tuples, arrays, axes that are missing or in the wrong order."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import torch

from .exercise import Exercise
from .recognise import Case, near, smallest_wrong, unusual
from .verdict import Finding
from .wording import inputs, number, one_line, shapes, side_by_side, values


def wrong_kind(
    exercise: Exercise,
    case: Case,
    wanted: str,
    inside: str = "",
    name: str = "returns-another-kind",
) -> Finding | None:
    """What to say of a result that is not of the kind asked for; None for an ordinary tensor.

    `inside` describes the result, where the caller knows more of it than its type.
    """
    result, given = case.call.result, inputs(exercise.parameters, case.arguments)
    returns, asked = f"With {given} your function returns", f"; wanted: {wanted}."
    if isinstance(result, torch.Tensor) and not unusual(result) and not inside:
        return None
    if result is None and case.call.printed.strip():
        return Finding(
            "prints",
            "printed, not returned",
            f"With {given} your function prints `{one_line(case.call.printed, 60)}` and returns nothing "
            "(None).\nWhat is printed can be read by you, but not used by the next line of code.",
            "Which word hands a result back to the caller?",
        )
    if result is None:
        return Finding(
            "returns-none",
            "nothing comes back",
            f"{returns} nothing (None){asked}",
            "Which line of yours holds the result, and does every way through your code end in a `return`?",
        )
    if inside:
        ask = "At which line does your result turn into something else?"
        return Finding(name, "what comes back", f"{returns} {inside}{asked}", ask)
    right = " The numbers in it are right." if _same_numbers(result, case.expected) else ""
    if isinstance(result, torch.Tensor):
        kind = f"a {unusual(result)} tensor; wanted is an ordinary one"
        name, about, ask = (
            "returns-another-kind",
            "an unusual tensor",
            "Which line makes it so?",
        )
    elif isinstance(result, tuple):
        kind, name, about = (
            f"a tuple of {len(result)}",
            "returns-a-tuple",
            "more than one thing comes back",
        )
        where = [i for i, part in enumerate(result, 1) if _is_it(case, part)]
        right = f" Number {where[-1]} of them is the right answer." if where else ""
        ask = "Which of them was asked for? (A comma at the end of the `return` line makes a tuple, too.)"
    elif isinstance(result, list):
        kind, name, about = (
            f"a Python list of length {len(result)}",
            "returns-a-list",
            "a list",
        )
        flow = ", so that gradients still reach them" if exercise.differentiable else ""
        ask = f"Which function of torch makes one tensor of the parts that you have gathered{flow}?"
    elif isinstance(result, np.ndarray | np.generic):
        kind, name, about = (
            f"a NumPy {type(result).__name__}",
            "returns-numpy",
            "a NumPy array",
        )
        right += "\nNumPy cannot follow a tensor to an accelerator" + (
            ", and keeps no record of how a number was made: no gradient could ever reach the arguments."
            if exercise.differentiable
            else "."
        )
        ask = "Which of your NumPy calls has a namesake in torch?"
    elif isinstance(result, bool | int | float):
        kind, name = f"the Python number {number(result)}", "returns-a-number"
        about = "a bare Python number"
        if exercise.differentiable:
            right += "\nA Python number does not remember how it was computed: no gradient can flow back through it."
        ask = "What would the last line return without `.item()` or `float(...)`?"
    else:
        kind, name = _a(type(result).__name__), "returns-another-kind"
        about, ask = (
            "another kind of thing",
            "At which line does your result turn into something else?",
        )
    return Finding(name, about, f"{returns} {kind}{asked}{right}", ask)


def _is_it(case: Case, part: object) -> bool:
    got = case.numbers(part)
    return got is not None and near(got, case.expected)


def first(asked: tuple[Callable, ...], *question: object) -> Finding | None:
    """The first finding that one of several recognisers has."""
    return next((found for one in asked if (found := one(*question))), None)


def _a(noun: str) -> str:
    return f"an {noun}" if noun[0].lower() in "aeiou" else f"a {noun}"


def _same_numbers(result: object, expected: torch.Tensor) -> bool:
    try:
        if isinstance(result, list) and result and isinstance(result[0], torch.Tensor):
            result = torch.stack(result)
        numbers = torch.as_tensor(np.asarray(result, dtype=float))
        return numbers.numel() == expected.numel() and near(numbers.reshape(expected.shape), expected)
    except (TypeError, ValueError, RuntimeError):
        return False


def wrong_shape(exercise: Exercise, cases: list[Case]) -> Finding | None:
    """Find a result of the wrong shape, and say which axis is missing, too many or in the wrong place."""
    bad = [case for case in cases if case.got.shape != case.expected.shape]
    if not bad:
        return None
    case, axes = (
        max(bad, key=lambda case: case.expected.numel()),
        exercise.returns.split(),
    )
    wanted = f"{_axes(exercise)} = {tuple(case.expected.shape)}" if axes else "(), a single number"
    says = (
        f"With {shapes(exercise.parameters, case.arguments)} the result should have the shape {wanted}; "
        f"yours has {tuple(case.got.shape)}."
    )
    for order in itertools.permutations(range(len(axes))):
        if all(c.got.dim() == len(axes) and near(c.got, c.expected.permute(order)) for c in cases):
            yours = ", ".join(axes[i] for i in order)
            return Finding(
                "transposed",
                "axes in the wrong order",
                f"{says}\nAll your numbers are right, but laid out as ({yours}).",
                f"Which axis should run down the rows, and which across? Yours are the other way round: ({yours}).",
            )
    if all(near(c.got.squeeze(), c.expected.squeeze()) for c in cases):
        more = case.got.dim() > case.expected.dim()
        return Finding(
            "extra-axis" if more else "missing-axis",
            "an axis of size 1" if more else "an axis is lost",
            f"{says}\nThe numbers are right; "
            f"{'an axis of size 1 has stayed' if more else 'an axis of size 1 was dropped'}.",
            "Which line "
            + (
                "adds an axis of size 1 that no later line takes away?"
                if more
                else "squeezes away an axis that the caller counts on?"
            ),
        )
    for verb, reduce in (("sum", torch.sum), ("mean", torch.mean)):
        if axes and all(near(c.got, reduce(c.expected)) for c in cases):
            return Finding(
                "over-summed",
                "one sum too many",
                f"{says}\nYour number is the {verb} of all the right ones.",
                f"Over which axis should your last {verb} run? Without `dim` it runs over all of them.",
            )
    for dim, axis in enumerate(axes):
        if all(near(c.got, c.expected.select(dim, 0)) for c in cases):
            return Finding(
                "cut-short",
                f"not all of {axis}",
                f"{says}\nYour numbers are right for the first of {case.expected.shape[dim]} along the "
                f"axis {axis}; "
                "the others are missing.",
                f"Which line picks the number 0 of {axis}, or works on one only?",
            )
    if all(c.got.numel() == c.expected.numel() and near(c.got.reshape(c.expected.shape), c.expected) for c in cases):
        return Finding(
            "flattened",
            "axes run together",
            f"{says}\nYour numbers are right and in the right order, but axes are run together.",
            "Which line joins two axes (a `reshape`, one list for two loops), and which line should part them again?",
        )
    for dim, axis in enumerate(axes):
        if all(_first_few(c, dim) for c in cases):
            return Finding(
                "cut-short",
                f"not all of {axis}",
                f"{says}\nYour numbers are right, but they stop after {case.got.shape[dim]} of "
                f"{case.expected.shape[dim]} along the axis {axis}.",
                "Does a `return` stand inside a loop, or does a loop run over the wrong length?",
            )
    for dim in range(case.got.dim()):
        for verb, reduce in (("sum", torch.sum), ("mean", torch.mean)):
            if all(c.got.dim() > dim and near(reduce(c.got.to(torch.float64), dim), c.expected) for c in cases):
                return Finding(
                    "not-summed",
                    "one sum is missing",
                    f"{says}\nThe {verb} of your result over its axis {dim} would be right: {values(case.expected)}.",
                    f"Your result still has one number for each of {case.got.shape[dim]} things. What "
                    f"should become of them?",
                )
    for dim in range(case.expected.dim()):
        for verb, reduce in (("sum", torch.sum), ("mean", torch.mean)):
            if all(near(c.got, reduce(c.expected, dim)) for c in cases):
                return Finding(
                    "over-summed",
                    "one sum too many",
                    f"{says}\nYour numbers are the right ones after a further {verb} over {axes[dim]}.",
                    f"Which line lets the axis {axes[dim]} disappear?",
                )
    if any(near(c.got.squeeze(), c.expected.squeeze()) for c in cases) and case.got.dim() < case.expected.dim():
        return Finding(
            "missing-axis",
            "an axis is lost",
            f"{says}\nFor other shapes your numbers are right.",
            "Does your code squeeze axes, or pick the first element of one? What happens to an axis of size 1 then?",
        )
    return Finding(
        "wrong-shape",
        "the shape of the result",
        says,
        "Write the shape as a comment behind each of your lines. At which line does an axis come or go "
        "that should not?",
    )


def _axes(exercise: Exercise) -> str:
    axes = exercise.returns.split()
    return f"({', '.join(axes)})" if len(axes) > 1 else f"({''.join(axes)},)"


def _first_few(case: Case, dim: int) -> bool:
    got, expected = case.got, case.expected
    fits = got.dim() == expected.dim() and got.shape[dim] <= expected.shape[dim]
    return fits and near(got, expected.narrow(dim, 0, got.shape[dim]))


def not_finite(exercise: Exercise, cases: list[Case]) -> Finding | None:
    """Find NaN or infinite numbers where finite ones belong."""
    bad = [case for case in cases if not torch.isfinite(case.got).all()]
    if not bad:
        return None
    case = smallest_wrong(bad)
    what = "NaN (not a number)" if torch.isnan(case.got).any() else "∞ (infinity)"
    count, total = int((~torch.isfinite(case.got)).sum()), case.got.numel()
    share = f"{count} of {total} numbers {'is' if count == 1 else 'are'} {what}." if total > 1 else ""
    return Finding(
        "not-finite",
        "NaN" if "NaN" in what else "infinity",
        side_by_side(
            inputs(exercise.parameters, case.arguments),
            case.expected,
            case.got,
            longest=6,
        )
        + share,
        "0/0, ∞ − ∞, a softmax over nothing but −∞, the logarithm or root of a negative number: which of "
        "them can happen in your "
        "code with these arguments?",
    )
