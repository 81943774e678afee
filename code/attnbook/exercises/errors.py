"""An exception in the reader's function, told by their own line."""

import re
from collections.abc import Callable

from .observe import error_text, own_line, read_from_outside, shapes_there
from .recognise import Case, first_failed
from .verdict import Finding, message

REFUSED = (
    "It is your own line that refuses these arguments. Which condition leads to it, and does the task allow such "
    "arguments?"
)
SIZE = "Is a size written into your code as a number? Where could the code read it off the arguments instead?"
AXES = "Write the shape of each factor in that line as a comment, axis by axis. Which two axes meet that should not?"
ANYTHING = "What did you expect that line to hold, and what does printing it one line earlier show?"

# what the text of an error contains, and the question that leads on
# fmt: off
QUESTIONS = (
    ("SystemExit", "By itself this line would end the whole notebook. What should the function do instead?"),
    ("RecursionError", "The function calls itself without end. Did you mean to call another one?"),
    ("not defined", "Is this name a parameter of your function, or something that only another cell knows?"),
    ("must be Tensor, not", "Is what you pass there a tensor or a plain number? Which library has this function for "
                            "plain numbers?"),
    ("Dimension out of range", "How many axes does the tensor in that line have, and which one do you ask for?"),
    ("has no attribute", "What kind of thing comes before the dot? Print its type one line earlier."),
    ("Boolean value of Tensor", "The line asks a whole tensor for one yes or no. Which number of it is meant, or which "
                                "operation works on all at once?"),
    ("subscript", "Write the einsum's letters beside the shapes: does every letter stand for one size throughout?"),
    ("not supported between", "Which two kinds of things meet in that line?"),
    *((word, AXES) for word in ("size", "shape", "dimension", "broadcast", "stack expects")),
)
# fmt: on


def an_error(exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Report an exception by the reader's own line, not by the checker's traceback."""
    if (case := first_failed(cases)) is None:
        return None
    error, place = case.call.error, own_line(case.call.error, fn)
    named, strange = _sizes_named(error, exercise.sizes(case.arguments))
    there = shapes_there(error, fn)
    notes = [f"In that line: {there}."] * bool(there) + [f"Here {named}."] * bool(named)
    where = f"line {place[1]} of {place[0]} raises an error:\n    {place[2]}" if place else "your function raises"
    says = f"With the shapes {case.shapes} {where.rstrip()}\n{error_text(error)}."
    says += "\n" * bool(notes) + " ".join(notes)
    ask = next((question for part, question in QUESTIONS if part in error_text(error)), ANYTHING)
    if at_the_edge(exercise, cases):
        return message("fails-at-the-edge", says=says, ask=ask)
    if case is not cases[0] and cases[0].right():
        outside = read_from_outside(fn)
        told = f" It reads {listed(outside)} from the notebook, outside the function." if outside else ""
        ask = SIZE if strange or outside else ask
        return message("one-shape-only", says=says, small=cases[0].shapes, told=told, ask=ask)
    own = place and re.search(r"(^|:\s*)(raise|assert)\b", place[2])
    return message("raises", says=says, ask=REFUSED if own else ask)


def at_the_edge(exercise, cases: list[Case]) -> bool:
    """Ask whether an answer is right but for the edges of the task."""
    return all(case.right() for case in cases[: 1 + len(exercise.probes())])


def _sizes_named(error: BaseException, sizes: dict[str, int]) -> tuple[str, bool]:
    """Name the axes whose sizes an error's text mentions; and whether it mentions a size that no axis has."""
    text = str(error) if isinstance(error, RuntimeError) else ""
    mentioned = {int(n) for n in re.findall(r"(?:\(|\[|x|, |size )(\d+)(?=[\])x, ]|$)", text)} - {0, 1}
    known = sorted(mentioned & set(sizes.values()))
    named = [" = ".join([*(axis for axis, size in sizes.items() if size == n), str(n)]) for n in known]
    return ", ".join(named), bool(mentioned - set(known))


def listed(outside: dict[str, str]) -> str:
    """Name what a function reads from outside."""
    return ", ".join(f"`{name}` ({what})" for name, what in outside.items())
