"""Exercises that tell a wrong answer *which* mistake it is.

check("soft-lookup", my_soft_lookup)   judges an answer
hints("soft-lookup")                   hints, solution, why the wrong answer looks right: folded
hint("soft-lookup", 1)                 one hint
progress()                             what is solved so far
"""

from collections.abc import Callable

from . import display as _display
from . import record as _record
from .bank import SHELF
from .checker import judge
from .exercise import Exercise, Mistake
from .unreadable import in_notebooks as _in_notebooks
from .verdict import Verdict

__all__ = ["Exercise", "Mistake", "Verdict", "check", "get", "hint", "hints", "names", "progress"]


def names() -> list[str]:
    """Name all exercises, in the order of the book: ``["soft-lookup", "nadaraya-watson", …]``."""
    return SHELF.names()


def get(name: str) -> Exercise:
    """Take an exercise by its name; a ValueError names the nearest ones if there is none."""
    return SHELF.get(name)


def check(name: str, fn: Callable) -> Verdict:
    """Judge an answer and remember the result.

    Args:
        name: the exercise, for instance ``"soft-lookup"``.
        fn: your function (the function itself, without brackets after its name).

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
    return verdict if not remark else Verdict(**{**vars(verdict), "note": f"{verdict.note} {remark}".strip()})


def hints(name: str) -> _display.Hints:
    """All the help for an exercise, folded: three hints, the solution, "why the wrong answer looks right"."""
    return _display.Hints(get(name))


def hint(name: str, level: int) -> _display.Text:
    """One hint, of level 1, 2 or 3; each says more than the one before."""
    return _display.hint(get(name), level)


def progress() -> _record.Progress:
    """What is solved so far, by chapter: ✓ solved, ✗ tried, ○ not yet."""
    return _record.table(SHELF)


_in_notebooks()
