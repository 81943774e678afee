"""An exception in the reader's function, told by their own line."""

from __future__ import annotations

import re
from collections.abc import Callable

from .exercise import Exercise
from .observe import error_text, own_line, read_from_outside, shapes_there
from .recognise import Case
from .verdict import Finding
from .wording import shapes


def an_error(exercise: Exercise, fn: Callable, cases: list[Case]) -> Finding:
    """Report an exception by the reader's own line, not by the checker's traceback."""
    case = next(case for case in cases if case.call.error is not None)
    error, place = case.call.error, own_line(case.call.error, fn)
    named, strange = _sizes_named(error, exercise.sizes(case.arguments))
    there = shapes_there(error, fn)
    notes = (f"\nIn that line: {there}." if there else "") + (
        f"{' ' if there else chr(10)}Here {named}." if named else ""
    )
    where = "your function raises"
    if place and place[2]:
        where = f"line {place[1]} of {place[0]} raises an error:\n    {place[2]}"
    elif place:
        where = f"line {place[1]} of {place[0]} raises an error:"
    says = f"With the shapes {shapes(exercise.parameters, case.arguments)} {where}\n{error_text(error)}.{notes}"
    if at_the_edge(exercise, cases):
        return Finding(
            "fails-at-the-edge",
            "at the edge",
            f"For ordinary arguments your answer is right.\n{says}",
            _question(error),
        )
    if case is not cases[0] and cases[0].right():
        small = shapes(exercise.parameters, cases[0].arguments)
        outside = read_from_outside(fn)
        told = f" It reads {listed(outside)} from the notebook, outside the function." if outside else ""
        return Finding(
            "one-shape-only",
            "one shape only",
            f"With the shapes {small} your answer is right.{told}\n{says}",
            "Is a size written into your code as a number? Where could the code read it off the arguments instead?"
            if strange or outside
            else _question(error),
        )
    if place and re.search(r"(^|:\s*)(raise|assert)\b", place[2]):
        return Finding(
            "raises",
            "an error in your function",
            says,
            "It is your own line that refuses these arguments. Which condition leads to it, and does the task "
            "allow such arguments?",
        )
    return Finding("raises", "an error in your function", says, _question(error))


QUESTIONS = (
    (
        "not defined",
        "Is this name a parameter of your function, or something that only another cell knows?",
    ),
    (
        "must be Tensor, not",
        "Is what you hand over there a tensor or a plain number? Which library has this function for plain numbers?",
    ),
    (
        "Dimension out of range",
        "How many axes does the tensor in that line have, and which one do you ask for?",
    ),
    (
        "has no attribute",
        "What kind of thing stands before the dot? Print its type one line earlier.",
    ),
    (
        "Boolean value of Tensor",
        "The line asks a whole tensor for one yes or no. Which number of it is meant, or which operation "
        "works on all at once?",
    ),
    (
        "subscript",
        "Write the einsum's letters beside the shapes: does every letter stand for one size throughout?",
    ),
    ("not supported between", "Which two kinds of things meet in that line?"),
)


def _question(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return "Left to itself this line would end the whole notebook. What should the function do instead?"
    if isinstance(error, RecursionError):
        return "The function calls itself without end. Did you mean to call another one?"
    text = str(error)
    for part, question in QUESTIONS:
        if part in text:
            return question
    if any(word in text for word in ("size", "shape", "dimension", "broadcast", "stack expects")):
        return (
            "Write the shape of each factor in that line as a comment, axis by axis. "
            "Which two axes meet that should not?"
        )
    return "What did you expect that line to hold, and what does printing it one line earlier show?"


def at_the_edge(exercise: Exercise, cases: list[Case]) -> bool:
    """Ask whether an answer is right but for the edges of the task."""
    return all(case.right() for case in cases[: 1 + len(exercise.probes())])


def _sizes_named(error: BaseException, sizes: dict[str, int]) -> tuple[str, bool]:
    """Name the axes whose sizes an error's text mentions; and whether it mentions a size that no axis has."""
    mentioned = (
        {int(n) for n in re.findall(r"(?:\(|\[|x|, |size )(\d+)(?=[\])x, ]|$)", str(error))}
        if isinstance(error, RuntimeError)
        else set()
    )
    named = [
        " = ".join([*(axis for axis, size in sizes.items() if size == n), str(n)])
        for n in sorted(mentioned)
        if n > 1 and n in sizes.values()
    ]
    return ", ".join(named), any(n not in sizes.values() and n > 1 for n in mentioned)


def listed(outside: dict[str, str]) -> str:
    r"""Name what a function reads from outside."""
    return ", ".join(f"`{name}` ({what})" for name, what in outside.items())
