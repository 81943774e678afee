"""An exception in the reader's function, told by their own line."""

import functools
import re
from collections.abc import Callable
from pathlib import Path

from . import undefined
from .calls import error_text, own_line, read_from_outside, shapes_there
from .case import Case, first_failed
from .language import later, say
from .verdict import Finding, message

REFUSED = later(
    "It is your own line that refuses these arguments. Which condition leads to it, and does the task allow such "
    "arguments?"
)
SIZE = later("Is a size written into your code as a number? Where could the code read it off the arguments instead?")


@functools.cache
def _questions() -> list[list[str]]:
    """The lines of `questions.txt`: kinds of error, what the text contains, the question."""
    lines = Path(__file__).with_name("questions.txt").read_text("utf-8").partition("\n\n")[2].splitlines()
    return [[part.strip() for part in line.split(" | ")] for line in lines]


def an_error(exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Report an exception by the reader's own line, not by the checker's traceback."""
    if (case := first_failed(cases)) is None:
        return None
    error, place = case.call.error, own_line(case.call.error, fn)
    named, strange = _sizes_named(error, exercise.sizes(case.arguments))
    there = shapes_there(error, fn)
    notes = []
    if there:
        notes.append(say("In that line: {there}.", there=there))
    if named:
        notes.append(say("Here {named}.", named=named))
    if place:
        facts = {"line": place[1], "function": place[0]}
        where = say("With {shapes} line {line} of {function} raises an error:", shapes=case.shaped, **facts)
        where += f"\n    {place[2]}".rstrip()
    else:
        where = say("With {shapes} your function raises", shapes=case.shaped)
    says = f"{where}\n{error_text(error)}.\n{' '.join(notes)}".rstrip("\n")
    ask = _question(error, fn, exercise.function)
    if at_the_edge(exercise, cases):
        return message("fails-at-the-edge", says=says, ask=ask)
    if case is not cases[0] and cases[0].right():
        outside = read_from_outside(fn)
        told = (
            say("It reads {names} from the notebook, outside the function.", names=from_outside(outside))
            if outside
            else ""
        )
        told = f" {told}".rstrip()
        ask = say(SIZE) if strange or outside else ask
        return message("one-shape-only", says=says, small=cases[0].shaped, told=told, ask=ask)
    own = place and re.search(r"(^|:\s*)(raise|assert)\b", place[2])
    return message("raises", says=says, ask=say(REFUSED) if own else ask)


def _question(error: BaseException, fn: Callable, task: str) -> str:
    """The question that fits the kind of an error and its text."""
    kinds, text = {kind.__name__ for kind in type(error).__mro__}, error_text(error)
    if type(error) is NameError and error.name and "is not defined" in text:
        return undefined.in_function(error, fn, task)
    return say(
        next(
            question
            for of, patterns, question in _questions()
            if (not of or kinds & set(of.split())) and any(re.search(part, text) for part in patterns.split(" / "))
        )
    )


def at_the_edge(exercise, cases: list[Case]) -> bool:
    """Ask whether an answer is right but for the edges of the task."""
    return all(case.right() for case in cases[: 1 + len(exercise.probes())])


def _sizes_named(error: BaseException, sizes: dict[str, int]) -> tuple[str, bool]:
    """Name the axes whose sizes an error's text mentions; and whether it mentions a size that no axis has."""
    text = error_text(error) if isinstance(error, RuntimeError) else ""
    mentioned = {int(n) for n in re.findall(r"(?:\(|\[|x|, |size )(\d+)(?=[\])x, ]|$)", text)} - {0, 1}
    known = sorted(mentioned & set(sizes.values()))
    axes = {n: say(" or ").join(axis for axis, size in sizes.items() if size == n) for n in known}
    named = [say("{size} is {axes}", size=n, axes=axes[n]) for n in known]
    return say(", ").join(named), bool(mentioned - set(known))


def from_outside(outside: dict[str, str]) -> str:
    """Name what a function reads from outside."""
    return say(", ").join(say("`{name}` ({what})", name=name, what=what) for name, what in outside.items())
