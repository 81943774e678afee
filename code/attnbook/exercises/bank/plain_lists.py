"""Exercises whose arguments are Python lists: a list that can say what it holds, and must stay as it was."""

from __future__ import annotations

from collections.abc import Callable

from ..legacy import Exercise
from ..observe import copies, observe
from ..verdict import Finding
from ..wording import number


def in_words(x: object) -> str:
    """Write lists, pairs, words and numbers as one would on paper.

    Args:
        x: a number, a word, or lists and tuples of them.

    Returns:
        For instance ``“the cat”`` for a list of words, ``((−1.8, 1), (−2.4, 4))`` for a list of pairs.
    """
    if isinstance(x, str):
        return f"“{x}”"
    if isinstance(x, bool | int | float):
        return number(x)
    if not isinstance(x, list | tuple):
        return f"a {type(x).__name__}"
    if not x:
        return "empty"
    if isinstance(x, list) and all(isinstance(part, str) for part in x):
        return f"“{' '.join(x)}”"
    return "(" + ", ".join(in_words(part) for part in x) + ")"


class Listed(list):
    """A list that messages can show, and that the checker can exchange for another one.

    Args:
        items: what it holds.
        other: makes the items of another list, to find out whether this argument matters.
    """

    def __init__(self, items=(), other: Callable[[list], list] | None = None):
        super().__init__(items)
        self.other = other

    @property
    def described(self) -> str:
        """The list on one line; a long one by its length."""
        text = in_words(list(self))
        return text if len(text) <= 110 else f"a list of {len(self)}"

    def __rmul__(self, factor: float) -> list:
        """Another list for a factor that is no whole number; else what Python does."""
        if isinstance(factor, float) and self.other is not None:
            return Listed(self.other(list(self)), self.other)
        return super().__rmul__(factor)


Listed.__name__ = "list"  # what Python's own messages call it


def leaves_lists_alone(exercise: Exercise, fn: Callable) -> Finding | None:
    """Demand that lists among the arguments stay as they were.

    Args:
        exercise: the exercise.
        fn: the reader's function, right in its results.

    Returns:
        The finding, or None.
    """
    for arguments in (exercise.example(), *exercise.probes()):
        before, after = copies(arguments), observe(fn, arguments).after
        for name, old, new in zip(exercise.parameters, before, after, strict=True):
            if isinstance(old, list) and list(old) != list(new):
                return Finding(
                    "writes-into-argument",
                    f"`{name}` is changed",
                    f"The result is right, but `{name}` was {in_words(list(old))} before the call and is "
                    f"{in_words(list(new))} after it.\nWhoever passed the list may still need it.",
                    "Which method of a list (`sort`, `append`, `pop`, `remove`, …) changes the list itself, and "
                    "what gives a new one instead?",
                )
    return None
