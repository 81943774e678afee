"""A history as a picture: years down a line, and beside each a sketch of its attention weights."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from attnbook.page.plotting import WEIGHTS
from attnbook.page.style import MASKED, VIOLET


class Event(NamedTuple):
    """One entry of the timeline.

    Attributes:
        year: as printed.
        who: the headline.
        what: one line of explanation; a newline breaks it.
        sketches: names out of `SKETCHES`, drawn beside it.
    """

    year: str
    who: str
    what: str
    sketches: tuple[str, ...] = ()


def _normalised(similarity: np.ndarray) -> np.ndarray:
    return similarity / similarity.sum(axis=1, keepdims=True)


def _bump(centres: np.ndarray, width: float, size: int = 9) -> np.ndarray:
    return _normalised(np.exp(-0.5 * ((np.arange(size) - centres[:, None]) / width) ** 2))


def _swap() -> np.ndarray:
    return _bump(np.array([0, 1, 4, 3, 2, 5, 6, 7.5, 8]), 0.45)


def _window() -> np.ndarray:
    band = np.abs(np.arange(9)[:, None] - np.arange(9)) <= 2
    return _normalised(_bump(np.arange(9), 1.6) * band)


def _glimpses() -> np.ndarray:
    return np.eye(9)[[4, 1, 7, 2, 4, 8, 5, 0, 6]]


def _causal() -> np.ndarray:
    return _normalised(np.tril(_bump(np.arange(9) - 1.0, 1.4)))


# What the weights of each idea look like, from formulas and not from data: 9 by 9, queries down.
SKETCHES: dict[str, Callable[[], np.ndarray]] = {
    "kernel": lambda: _bump(np.arange(9), 1.5),
    "forward": lambda: _bump(np.array([0, 0, 1, 2, 2, 2.6, 4, 5, 6]), 0.8),
    "swap": _swap,
    "window": _window,
    "glimpses": _glimpses,
    "regions": lambda: _bump(np.array([4.0, 1, 7, 2, 4, 8, 5, 0, 6]), 1.1),
    "previous": lambda: _bump(np.arange(9) - 1.0, 0.5),
    "wide": lambda: _bump(np.arange(9), 4.0),
    "mirror": lambda: _bump(8.0 - np.arange(9), 1.0),
    "same": lambda: _bump(np.repeat([1.0, 4, 7], 3), 0.8),
    "causal": _causal,
    "both sides": lambda: _bump(np.arange(9), 2.4),
}


def draw_timeline(events: Sequence[Event], ax: Axes, gap_after: int | None = None) -> Axes:
    """Draw a history downwards: years, headlines, and small heat maps of what the weights look like.

    Args:
        events: in order of time.
        ax: where to draw.
        gap_after: the index of an event after which the line is dotted, since many years pass there.

    Returns:
        The axes.

    Raises:
        ValueError: no event, no event after the gap, or a sketch that is not in `SKETCHES`.
    """
    if not events:
        raise ValueError("events is empty: pass at least one Event")
    if gap_after is not None and not 0 <= gap_after < len(events) - 1:
        raise ValueError(f"gap_after is {gap_after}, but the gap must be between two of the {len(events)} events")
    unknown = [name for event in events for name in event.sketches if name not in SKETCHES]
    if unknown:
        raise ValueError(f"no sketch is called {unknown[0]!r}; choose among {', '.join(SKETCHES)}")
    last_before = len(events) if gap_after is None else gap_after
    tops = [-1.5 * i - 0.5 * (i > last_before) for i in range(len(events))]
    ax.set(xlim=(-1.55, 8.3), ylim=(tops[-1] - 0.95, 0.75), aspect="equal")
    ax.axis("off")
    for i, ends in enumerate(pairwise(tops)):
        ax.plot([0, 0], ends, color=VIOLET, lw=3, linestyle=":" if i == gap_after else "-")
    bold = {"fontweight": "bold", "va": "center"}
    for event, y in zip(events, tops, strict=True):
        ax.plot(0, y, "o", color=VIOLET, markersize=11)
        ax.text(-0.3, y, event.year, ha="right", fontsize=12.5, **bold)
        ax.text(0.4, y + 0.25, event.who, fontsize=12, **bold)
        ax.text(0.4, y, event.what, va="top", fontsize=10.5, linespacing=1.25)
        _draw_sketches(ax, event.sketches, right=8.2, middle=y)
    return ax


def _draw_sketches(ax: Axes, names: Sequence[str], right: float, middle: float) -> None:
    """One or two maps side by side, or more of them, smaller, in two columns; right-aligned."""
    few = len(names) <= 2
    side = 1.14 if few else 0.54
    columns = min(2, len(names))
    for n, name in enumerate(names):
        row, column = divmod(n, 2)
        left = right - (columns - column) * side - (columns - 1 - column) * 0.1
        bottom = middle - side / 2 if few else middle + 0.03 - row * (side + 0.06)
        table = SKETCHES[name]()
        edges = (left, left + side, bottom, bottom + side)
        ax.imshow(table / table.max(), cmap=WEIGHTS, extent=edges, interpolation="nearest")
        frame = Rectangle((left, bottom), side, side, fill=False, edgecolor=MASKED)
        ax.add_patch(frame)
