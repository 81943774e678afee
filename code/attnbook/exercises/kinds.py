"""The kind and the shape of a result: errors, None, tuples, arrays, axes that are missing or in the wrong order."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

import numpy as np
import torch

from .exercise import Exercise
from .observe import error_text, own_line, read_from_outside, shapes_there
from .recognise import Case, near, smallest_wrong
from .verdict import Finding
from .wording import inputs, number, one_line, shapes, side_by_side, values


def wrong_kind(exercise: Exercise, case: Case) -> Finding | None:
    """Find a result that is no tensor: None, a tuple, a list, an array, a bare number.

    Args:
        exercise: the exercise.
        case: a probe, already answered without an error.

    Returns:
        The finding, or None if a tensor came back.
    """
    result, given = case.call.result, inputs(exercise.parameters, case.arguments)
    if isinstance(result, torch.Tensor):
        return None
    wanted = f"a tensor of shape ({', '.join(exercise.returns.split())})" if exercise.returns else "a tensor with one number"
    if result is None and case.call.printed.strip():
        return Finding("prints", "printed, not returned",
                       f"With {given} your function prints `{one_line(case.call.printed, 60)}` and returns nothing (None).\n"
                       "What is printed can be read by you, but not used by the next line of code.",
                       "Which word hands a result back to the caller?")
    if result is None:
        return Finding("returns-none", "nothing comes back",
                       f"With {given} your function computes something, but returns nothing (None).",
                       f"The caller waits for {wanted}. Which line of yours holds it, and does that line begin with `return`?")
    inside = " The numbers in it are right." if _same_numbers(result, case.expected) else ""
    if isinstance(result, tuple):
        inside = ""
        for position, part in enumerate(result):
            if isinstance(part, torch.Tensor) and near(part, case.expected):
                inside = f" Number {position + 1} of them is the right answer."
        return Finding("returns-a-tuple", "more than one thing comes back",
                       f"With {given} your function returns a tuple of {len(result)}; wanted is {wanted} alone.{inside}",
                       "Which of them was asked for? (A comma at the end of the `return` line makes a tuple, too.)")
    if isinstance(result, list):
        return Finding("returns-a-list", "a list",
                       f"With {given} your function returns a Python list of length {len(result)}; wanted is {wanted}.{inside}",
                       "Which function of torch lays tensors side by side along a new axis, so that gradients still reach them?")
    if isinstance(result, np.ndarray | np.generic):
        return Finding("returns-numpy", "a NumPy array",
                       f"With {given} your function returns a NumPy {type(result).__name__}; wanted is {wanted}.{inside}\n"
                       "NumPy keeps no record of how a number was made, so no gradient could ever reach the arguments.",
                       "Which of your NumPy calls has a namesake in torch?")
    if isinstance(result, bool | int | float):
        return Finding("returns-a-number", "a bare Python number",
                       f"With {given} your function returns the Python number {number(result)}; wanted is {wanted}.{inside}\n"
                       "A Python number does not remember how it was computed: no gradient can flow back through it.",
                       "What would the last line return without `.item()` or `float(...)`?")
    return Finding("returns-another-kind", "not a tensor",
                   f"With {given} your function returns {_a(type(result).__name__)}; wanted is {wanted}.",
                   "At which line does your tensor turn into something else?")


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


def an_error(exercise: Exercise, fn: Callable, cases: list[Case]) -> Finding:
    """Report an exception by the reader's own line, not by the checker's traceback.

    Args:
        exercise: the exercise.
        fn: the reader's function.
        cases: the probes; at least one of them raised.

    Returns:
        The finding.
    """
    case = next(case for case in cases if case.call.error is not None)
    error, place = case.call.error, own_line(case.call.error, fn)
    named, strange = _sizes_named(error, exercise.sizes(case.arguments))
    there = shapes_there(error, fn)
    notes = (f"\nIn that line: {there}." if there else "") + (f"{' ' if there else chr(10)}Here {named}." if named else "")
    where = "your function raises"
    if place and place[2]:
        where = f"line {place[1]} of {place[0]} raises an error:\n    {place[2]}"
    elif place:
        where = f"line {place[1]} of {place[0]} raises an error:"
    says = f"With the shapes {shapes(exercise.parameters, case.arguments)} {where}\n{error_text(error)}.{notes}"
    if case is not cases[0] and cases[0].right():
        small = shapes(exercise.parameters, cases[0].arguments)
        outside = read_from_outside(fn)
        told = f" It reads {listed(outside)} from the notebook, outside the function." if outside else ""
        return Finding("one-shape-only", "one shape only", f"With the shapes {small} your answer is right.{told}\n{says}",
                       "Is a size written into your code as a number? Where could the code read it off the arguments instead?"
                       if strange or outside else _question(error))
    return Finding("raises", "an error in your function", says, _question(error))


QUESTIONS = (
    ("not defined", "Is this name a parameter of your function, or something that only another cell knows?"),
    ("must be Tensor, not", "Is what you hand over there a tensor or a plain number? Which library has this function for plain numbers?"),
    ("Dimension out of range", "How many axes does the tensor in that line have, and which one do you ask for?"),
    ("has no attribute", "What kind of thing stands before the dot? Print its type one line earlier."),
    ("Boolean value of Tensor", "The line asks a whole tensor for one yes or no. Which number of it is meant, or which operation works on all at once?"),
    ("subscript", "Write the einsum's letters beside the shapes: does every letter stand for one size throughout?"),
    ("not supported between", "Which two kinds of things meet in that line?"),
)


def _question(error: BaseException) -> str:
    text = str(error)
    for part, question in QUESTIONS:
        if part in text:
            return question
    if any(word in text for word in ("size", "shape", "dimension", "broadcast")):
        return ("Write the shape of each factor in that line as a comment, axis by axis. "
                "Which two axes meet that should not?")
    return "What did you expect that line to hold, and what does printing it one line earlier show?"


def _sizes_named(error: BaseException, sizes: dict[str, int]) -> tuple[str, bool]:
    """Name the axes whose sizes an error's text mentions; and whether it mentions a size that no axis has."""
    mentioned = {int(n) for n in re.findall(r"(?:\(|\[|x|, |size )(\d+)(?=[\])x, ]|$)", str(error))} if isinstance(error, RuntimeError) else set()
    named = [" = ".join([*(axis for axis, size in sizes.items() if size == n), str(n)]) for n in sorted(mentioned) if n > 1 and n in sizes.values()]
    return ", ".join(named), any(n not in sizes.values() and n > 1 for n in mentioned)


def listed(outside: dict[str, str]) -> str:
    """Name what a function reads from outside.

    Args:
        outside: names and descriptions, from `read_from_outside`.

    Returns:
        For instance ``\`d\` (the number 64)``.
    """
    return ", ".join(f"`{name}` ({what})" for name, what in outside.items())


def wrong_shape(exercise: Exercise, cases: list[Case]) -> Finding | None:
    """Find a result of the wrong shape, and say which axis is missing, too many or in the wrong place.

    Args:
        exercise: the exercise.
        cases: the probes, all answered by tensors.

    Returns:
        The finding, or None if all shapes are right.
    """
    bad = [case for case in cases if case.got.shape != case.expected.shape]
    if not bad:
        return None
    case, axes = max(bad, key=lambda case: case.expected.numel()), exercise.returns.split()
    names = f"({', '.join(axes)})" if len(axes) > 1 else f"({''.join(axes)},)"
    wanted = f"{names} = {tuple(case.expected.shape)}" if axes else "(), a single number"
    says = f"With {shapes(exercise.parameters, case.arguments)} the result should have the shape {wanted}; yours has {tuple(case.got.shape)}."
    for order in itertools.permutations(range(len(axes))):
        if all(c.got.dim() == len(axes) and near(c.got, c.expected.permute(order)) for c in cases):
            yours = ", ".join(axes[i] for i in order)
            return Finding("transposed", "axes in the wrong order",
                           f"{says}\nAll your numbers are right, but laid out as ({yours}).",
                           f"Which axis should run down the rows, and which across? Yours are the other way round: ({yours}).")
    if all(near(c.got.squeeze(), c.expected.squeeze()) for c in cases):
        more = case.got.dim() > case.expected.dim()
        return Finding("extra-axis" if more else "missing-axis", "an axis of size 1" if more else "an axis is lost",
                       f"{says}\nThe numbers are right; {'an axis of size 1 has stayed' if more else 'an axis of size 1 was dropped'}.",
                       "Which line " + ("adds an axis of size 1 that no later line takes away?" if more
                                        else "squeezes away an axis that the caller counts on?"))
    for verb, reduce in (("sum", torch.sum), ("mean", torch.mean)):
        if axes and all(near(c.got, reduce(c.expected)) for c in cases):
            return Finding("over-summed", "one sum too many",
                           f"{says}\nYour number is the {verb} of all the right ones.",
                           f"Over which axis should your last {verb} run? Without `dim` it runs over all of them.")
    if any(near(c.got.squeeze(), c.expected.squeeze()) for c in cases) and case.got.dim() < case.expected.dim():
        return Finding("missing-axis", "an axis is lost", f"{says}\nFor other shapes your numbers are right.",
                       "Does your code squeeze axes, or pick the first element of one? What happens to an axis of size 1 then?")
    for dim in range(case.got.dim()):
        for verb, reduce in (("sum", torch.sum), ("mean", torch.mean)):
            if all(c.got.dim() > dim and near(reduce(c.got.to(torch.float64), dim), c.expected) for c in cases):
                return Finding("not-summed", "one sum is missing",
                               f"{says}\nThe {verb} of your result over its axis {dim} would be right: {values(case.expected)}.",
                               f"Your result still has one number for each of {case.got.shape[dim]} things. What should become of them?")
    for dim in range(case.expected.dim()):
        for verb, reduce in (("sum", torch.sum), ("mean", torch.mean)):
            if all(near(c.got, reduce(c.expected, dim)) for c in cases):
                return Finding("over-summed", "one sum too many",
                               f"{says}\nYour numbers are the right ones after a further {verb} over {axes[dim]}.",
                               f"Which line lets the axis {axes[dim]} disappear?")
    return Finding("wrong-shape", "the shape of the result", says,
                   "Write the shape as a comment behind each of your lines. At which line does an axis come or go that should not?")


def not_finite(exercise: Exercise, cases: list[Case]) -> Finding | None:
    """Find NaN or infinite numbers where finite ones belong.

    Args:
        exercise: the exercise.
        cases: the probes, all answered by tensors of the right shape.

    Returns:
        The finding, or None if all results are finite.
    """
    bad = [case for case in cases if not torch.isfinite(case.got).all()]
    if not bad:
        return None
    case = smallest_wrong(bad)
    what = "NaN (not a number)" if torch.isnan(case.got).any() else "∞ (infinity)"
    count = int((~torch.isfinite(case.got)).sum())
    return Finding("not-finite", "NaN" if "NaN" in what else "infinity",
                   f"{side_by_side(inputs(exercise.parameters, case.arguments), case.expected, case.got)}"
                   f"{count} of {case.got.numel()} numbers {'is' if count == 1 else 'are'} {what}.",
                   "0/0, ∞ − ∞, the logarithm or root of a negative number: which of them can happen in your code with these arguments?")
