"""Exercises that tell a wrong answer *which* mistake it is.

check("soft-lookup", my_soft_lookup)   judges an answer
hints("soft-lookup")                   hints, solution, why the wrong answer looks right: folded
hint("soft-lookup", 1)                 one hint
stub("soft-lookup")                    the code to start from
progress()                             what is solved so far
"""

from __future__ import annotations

from collections.abc import Callable

from . import display as _display
from . import record as _record
from .bank import SHELF
from .checker import judge
from .exercise import Exercise, Mistake
from .verdict import Verdict

__all__ = [
    "Exercise",
    "Mistake",
    "Verdict",
    "check",
    "get",
    "hint",
    "hints",
    "names",
    "progress",
    "stub",
]


def names() -> list[str]:
    """Name all exercises, in the order of the book.

    Returns:
        For instance ``["soft-lookup", "nadaraya-watson", …]``.
    """
    return [exercise.name for exercise in SHELF]


def get(name: str) -> Exercise:
    """Take an exercise by its name.

    Args:
        name: for instance ``"soft-lookup"``.

    Returns:
        The exercise with all its parts.

    Raises:
        TypeError: if `name` is not a string.
        ValueError: if there is no such exercise; the message names the nearest ones.
    """
    return SHELF.get(name)


def check(name: str, fn: Callable) -> Verdict:
    """Judge an answer and remember the result.

    Args:
        name: the exercise, for instance ``"soft-lookup"``.
        fn: your function (the function itself, without brackets behind its name).

    Returns:
        The verdict, which a notebook shows: ✓ solved, ✗ with one mistake, its numbers and a question, or
        ○ not written yet. It is true if the exercise is solved.

    Raises:
        TypeError: if `name` is not a string.
        ValueError: if there is no such exercise; the message names the nearest ones.
    """
    verdict = judge(get(name), fn)
    if verdict.status == "unwritten" or verdict.diagnosis == "not-a-function":
        return verdict
    remark = _record.note(verdict.exercise, verdict.status == "solved")
    return verdict if not remark else Verdict(**{**vars(verdict), "note": remark})


def hints(name: str) -> _display.Hints:
    """Show the help for an exercise, folded.

    Args:
        name: the exercise.

    Returns:
        Three hints, the solution and "why the wrong answer looks right", as HTML that opens on a click.

    Raises:
        ValueError: if there is no such exercise.
    """
    return _display.Hints(get(name))


def hint(name: str, level: int) -> _display.Text:
    """Show one hint.

    Args:
        name: the exercise.
        level: 1, 2 or 3; each says more than the one before.

    Returns:
        The hint.

    Raises:
        ValueError: if there is no such exercise or hint.
    """
    return _display.hint(get(name), level)


def stub(name: str) -> _display.Text:
    """Show the code that an answer starts from.

    Args:
        name: the exercise.

    Returns:
        The source of the stub.

    Raises:
        ValueError: if there is no such exercise.
    """
    return _display.stub(get(name))


def progress() -> _record.Progress:
    """Show what is solved so far: ✓ solved, ✗ tried, ○ not yet.

    Returns:
        A table by chapter.
    """
    return _record.table(SHELF)
