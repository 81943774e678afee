"""A history as a picture: years down a line, and beside each a sketch of its attention weights."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from attnbook.page.plotting import WEIGHTS
from attnbook.page.style import KEY, MASKED, QUERY, VIOLET

SIDE = 1.25  # of a sketch


class Event(NamedTuple):
    """One entry of the timeline.

    Attributes:
        year: as printed.
        who: the headline.
        what: one line of explanation; a newline breaks it.
        sketches: names out of `SKETCHES`, drawn beside it.
        called: what stands below each sketch.
    """

    year: str
    who: str
    what: str
    sketches: tuple[str, ...] = ()
    called: tuple[str, ...] = ()


def _normalised(similarity: np.ndarray) -> np.ndarray:
    return similarity / similarity.sum(axis=1, keepdims=True)


def _bump(centres: np.ndarray, width: float, size: int = 9) -> np.ndarray:
    return _normalised(np.exp(-0.5 * ((np.arange(size) - centres[:, None]) / width) ** 2))


def _swap() -> np.ndarray:
    return _bump(np.array([0, 1, 4, 3, 2, 5, 6, 7.5, 8]), 0.45)


def _look_up() -> np.ndarray:
    return _bump(np.array([6.0, 2, 7, 7, 0, 4, 8, 1, 3]), 0.45)


def _window() -> np.ndarray:
    band = np.abs(np.arange(9)[:, None] - np.arange(9)) <= 2
    return _normalised(_bump(np.arange(9), 1.6) * band)


def _glimpses() -> np.ndarray:
    return np.eye(9)[[4, 1, 7, 2, 4, 8, 5, 0, 6]]


def _causal() -> np.ndarray:
    return _normalised(np.tril(np.ones((9, 9))))


# What the weights of each idea look like, from formulas and not from data: 9 by 9, queries down.
SKETCHES: dict[str, Callable[[], np.ndarray]] = {
    "kernel": lambda: _bump(np.arange(9), 1.5),
    "forward": lambda: _bump(np.array([0, 0, 1, 2, 2, 2.6, 4, 5, 6]), 0.8),
    "swap": _swap,
    "window": _window,
    "look-up": _look_up,
    "glimpses": _glimpses,
    "regions": lambda: _bump(np.array([4.0, 1, 7, 2, 4, 8, 5, 0, 6]), 1.1),
    "previous": lambda: _bump(np.arange(9) - 1.0, 0.5),
    "mirror": lambda: _bump(8.0 - np.arange(9), 1.0),
    "causal": _causal,
    "both sides": lambda: _bump(np.arange(9), 4.0),
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
        ValueError: no event, no event after the gap, a sketch that is not in `SKETCHES`, or not one name for each.
    """
    if not events:
        raise ValueError("events is empty: pass at least one Event")
    if gap_after is not None and not 0 <= gap_after < len(events) - 1:
        raise ValueError(f"gap_after is {gap_after}, but the gap must be between two of the {len(events)} events")
    unknown = [name for event in events for name in event.sketches if name not in SKETCHES]
    if unknown:
        raise ValueError(f"no sketch is called {unknown[0]!r}; choose among {', '.join(SKETCHES)}")
    if any(len(event.called) not in (0, len(event.sketches)) for event in events):
        raise ValueError("called needs one name for each sketch, or none at all")
    last_before = len(events) if gap_after is None else gap_after
    tops = [-1.85 * i - 0.3 * (i > last_before) for i in range(len(events))]
    ax.set(xlim=(-1.55, 8.3), ylim=(tops[-1] - 0.95, 1.15), aspect="equal")
    ax.axis("off")
    for i, ends in enumerate(pairwise(tops)):
        ax.plot([0, 0], ends, color=VIOLET, lw=3, linestyle=":" if i == gap_after else "-")
    bold = {"fontweight": "bold", "va": "center"}
    for event, y in zip(events, tops, strict=True):
        ax.plot(0, y, "o", color=VIOLET, markersize=11)
        ax.text(-0.3, y, event.year, ha="right", fontsize=12.5, **bold)
        ax.text(0.4, y + 0.25, event.who, fontsize=12, **bold)
        ax.text(0.4, y, event.what, va="top", fontsize=10.5, linespacing=1.25)
        _draw_sketches(ax, event, right=8.2, middle=y)
    if events[0].sketches:
        ax.text(8.2 - SIDE / 2, tops[0] + SIDE / 2 + 0.08, "keys →", color=KEY, ha="center", va="bottom", fontsize=10)
        ax.text(8.1 - SIDE, tops[0], "← queries", color=QUERY, ha="right", va="center", rotation=90, fontsize=10)
    return ax


def _draw_sketches(ax: Axes, event: Event, right: float, middle: float) -> None:
    """An event's maps side by side, right-aligned, with their names below."""
    bottom = middle - SIDE / 2
    for n, name in enumerate(event.sketches):
        left = right - (len(event.sketches) - n) * SIDE - (len(event.sketches) - 1 - n) * 0.14
        table = SKETCHES[name]()
        edges = (left, left + SIDE, bottom, bottom + SIDE)
        ax.imshow(table / table.max(), cmap=WEIGHTS, extent=edges, interpolation="nearest")
        ax.add_patch(Rectangle((left, bottom), SIDE, SIDE, fill=False, edgecolor=MASKED))
        if event.called:
            ax.text(left + SIDE / 2, bottom - 0.06, event.called[n], ha="center", va="top", fontsize=10)
