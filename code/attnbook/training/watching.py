"""Trainings that somebody watches from outside: a progress bar, a curve, a button that stops."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Watcher = Callable[[list[float], float], None]
_WATCHER: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def watched(by: Watcher) -> Iterator[None]:
    """Have every training in this block report after each step, however deep it is called.

    Args:
        by: called with the losses so far and how far the training is, from 0 to 1. It may raise, to stop it.
    """
    token = _WATCHER.set(by)
    try:
        yield
    finally:
        _WATCHER.reset(token)


def watcher() -> Watcher | None:
    """Who watches the trainings of this thread."""
    return _WATCHER.get()


def reader_waits() -> bool:
    """Whether a progress bar has a reader: in a notebook, unless `ATTNBOOK_BARS` is off or someone watches already."""
    switched_on = os.environ.get("ATTNBOOK_BARS", "").lower() not in ("off", "0", "no")
    return switched_on and "ipykernel" in sys.modules and watcher() is None
