"""Diagrams of ideas, drawn by code: a desk and an eye, a wind rose, who reaches whom in one step, a short history.

Every function takes the numbers it draws and an `ax`, and returns the `ax`. Dark ink on a transparent ground; every
meaning that has a colour also has a label, a line style or a thickness.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Arc, Circle, Ellipse, FancyBboxPatch, Polygon, Rectangle

from attnbook.plotting import INK, KEY, MASKED, OUTPUT, QUERY, WEIGHTS

__all__ = ["draw_desk", "draw_wind_rose", "draw_reach", "draw_timeline", "Event", "SKETCHES"]

WEIGHT = "#4B3FA8"  # the dark end of the weights' colour map


def _bare(ax: Axes, width: float, height: float) -> None:
    """An empty sheet: equal scales, no ticks, no frame."""
    ax.set(xlim=(0, width), ylim=(0, height), aspect="equal")
    ax.axis("off")


# --- the desk ---------------------------------------------------------------------------------------------------


def _letter(ax: Axes, x: float, y: float) -> None:
    ax.add_patch(Rectangle((x - 0.62, y - 0.38), 1.24, 0.76, fill=False, edgecolor=INK, linewidth=1.4))
    ax.plot([x - 0.62, x, x + 0.62], [y + 0.38, y - 0.08, y + 0.38], color=INK, linewidth=1.4)


def _newspaper(ax: Axes, x: float, y: float) -> None:
    ax.add_patch(Rectangle((x - 0.58, y - 0.55), 1.16, 1.1, fill=False, edgecolor=INK, linewidth=1.4))
    ax.plot([x - 0.44, x + 0.44], [y + 0.36, y + 0.36], color=INK, linewidth=3.5)
    for row in range(4):
        for left in (-0.44, 0.06):
            ax.plot([x + left, x + left + 0.38], [y + 0.12 - 0.16 * row] * 2, color=MASKED, linewidth=1.2)


def _cup(ax: Axes, x: float, y: float) -> None:
    ax.add_patch(Arc((x + 0.48, y), 0.5, 0.5, theta1=-90, theta2=90, color=KEY, linewidth=4))
    ax.add_patch(
        FancyBboxPatch(
            (x - 0.42, y - 0.48), 0.84, 0.94, boxstyle="round,pad=0.03,rounding_size=0.14",
            facecolor=KEY, edgecolor=INK, linewidth=1.4,
        )
    )  # fmt: skip
    wave = np.linspace(0, 1, 30)
    for shift in (-0.2, 0.15):
        ax.plot(x + shift + 0.06 * np.sin(7 * wave), y + 0.62 + 0.34 * wave, color=MASKED, linewidth=1.4)


def _notebook(ax: Axes, x: float, y: float) -> None:
    ax.add_patch(Rectangle((x - 0.48, y - 0.6), 0.96, 1.2, fill=False, edgecolor=INK, linewidth=1.4))
    for hole in np.linspace(-0.45, 0.45, 6):
        ax.add_patch(Ellipse((x - 0.48, y + hole), 0.22, 0.09, fill=False, edgecolor=INK, linewidth=1.2))


def _book(ax: Axes, x: float, y: float) -> None:
    for side in (-1, 1):
        page = [(0, -0.42), (0.72, -0.3), (0.72, 0.5), (0, 0.38)]
        ax.add_patch(
            Polygon([(x + side * a, y + b) for a, b in page], fill=False, edgecolor=INK, linewidth=1.6)
        )
        for row in range(4):
            height = y + 0.24 - 0.15 * row
            ax.plot(
                [x + side * 0.12, x + side * 0.6], [height, height + 0.08], color=MASKED, linewidth=1.2
            )


_THINGS: dict[str, Callable[[Axes, float, float], None]] = {
    "letter": _letter,
    "newspaper": _newspaper,
    "cup": _cup,
    "notebook": _notebook,
    "book": _book,
}


def draw_desk(weights: Sequence[float], ax: Axes, things: Sequence[str], title: str, wish: str = "") -> Axes:
    """Draw an eye in front of a desk; each line of sight is as thick as the attention its thing gets.

    Args:
        weights: one attention weight a thing, from 0 to 1.
        ax: where to draw.
        things: what lies on the desk, from left to right: names out of letter, newspaper, cup, notebook, book.
        title: the line above.
        wish: what the eye is looking for (the query), or "" for nothing in particular.

    Returns:
        The axes.

    Raises:
        ValueError: a thing that cannot be drawn, or another number of weights than of things.
    """
    unknown = [thing for thing in things if thing not in _THINGS]
    if unknown:
        raise ValueError(f"cannot draw {', '.join(unknown)}; choose among {', '.join(_THINGS)}")
    if len(weights) != len(things):
        raise ValueError(f"{len(weights)} weights for {len(things)} things; pass one weight each")
    width = 1.85 * len(things)
    _bare(ax, width, 5.5)
    eye = (width / 2, 0.75)
    arch = np.linspace(-1, 1, len(things))
    for thing, weight, place in zip(things, map(float, weights), arch, strict=True):
        x, y = width / 2 + place * (width / 2 - 0.95), 3.8 - 0.55 * place**2
        _THINGS[thing](ax, x, y)
        start, end = np.array([eye[0] + 0.75 * place, eye[1] + 0.62 - 0.3 * place**2]), np.array([x, y - 1.3])
        ax.plot(
            *zip(start, end, strict=True), color=WEIGHT, linewidth=0.6 + 11 * weight,
            alpha=0.25 + 0.6 * weight, solid_capstyle="round", linestyle="-" if weight > 0.05 else ":",
        )  # fmt: skip
        ax.text(x, y - 0.95, f"{thing}  {weight:.2f}", ha="center", va="center", fontsize=10)
    bend = np.linspace(-0.62, 0.62, 40)
    lid = 0.42 * (1 - (bend / 0.62) ** 2)
    ax.plot(eye[0] + bend, eye[1] + lid, color=INK, linewidth=1.8)
    ax.plot(eye[0] + bend, eye[1] - lid, color=INK, linewidth=1.8)
    ax.add_patch(Circle(eye, 0.24, facecolor=QUERY if wish else MASKED, edgecolor=INK, linewidth=1.2))
    ax.text(
        eye[0] + 0.85, eye[1], f"query: “{wish}”" if wish else "no query", va="center",
        color=QUERY if wish else INK, fontsize=11, fontweight="bold" if wish else "normal",
    )  # fmt: skip
    ax.text(width / 2, 5.35, title, ha="center", va="top", fontsize=11.5, fontweight="bold")
    return ax


# --- the wind rose ----------------------------------------------------------------------------------------------


def draw_wind_rose(query, keys, values, weights, ax: Axes, names: Sequence[str], title: str = "") -> Axes:
    """Draw unit keys on a circle, the query as an arrow, and one disc a key whose area is its weight.

    Args:
        query: (2,) the query; its arrow is drawn up to the circle, its length is written beside it.
        keys: (S, 2) unit vectors.
        values: (S,) numbers, written beside their keys.
        weights: (S,) attention weights.
        ax: where to draw.
        names: S names of the keys.
        title: the line above.

    Returns:
        The axes.
    """
    query, keys, weights = (np.asarray(a, dtype=float) for a in (query, keys, weights))
    ax.set(xlim=(-2.25, 2.25), ylim=(-2.75, 2.05), aspect="equal")
    ax.axis("off")
    ax.add_patch(Circle((0, 0), 1, fill=False, edgecolor=MASKED, linewidth=1, linestyle=":"))
    for key, value, weight, name in zip(keys, values, weights, names, strict=True):
        ax.add_patch(Circle(key, 0.6 * np.sqrt(weight), facecolor=WEIGHT, alpha=0.55, linewidth=0))
        ax.annotate("", key, (0, 0), arrowprops={"arrowstyle": "-|>", "color": KEY, "lw": 1.6})
        ax.text(*(key * [1.85, 1.72]), f"{name}\n{float(value):g} °C", ha="center", va="center", fontsize=10)
    length = float(np.linalg.norm(query))
    if length > 0:
        tip = query / length * min(1, length)
        ax.annotate("", tip, (0, 0), arrowprops={"arrowstyle": "-|>", "color": QUERY, "lw": 3})
    else:
        ax.plot(0, 0, "o", color=QUERY, markersize=7)
    output = float(weights @ np.asarray(values, dtype=float))
    ax.text(0, -2.75, f"output {output:.1f} °C", ha="center", va="bottom", fontsize=11, fontweight="bold")
    ax.set_title(title)
    return ax


# --- who reaches whom -------------------------------------------------------------------------------------------


def draw_reach(reach, ax: Axes, title: str = "", recurrent: bool = False, highlight: int | None = None) -> Axes:
    """Draw inputs below, outputs above, and a line wherever an input was seen to move an output.

    Args:
        reach: bool (T, T), rows outputs, columns inputs: True where nudging the input moves the output.
        ax: where to draw.
        title: the line above.
        recurrent: draw an arrow from every output to the next, which starts from it.
        highlight: an output whose lines are drawn strongly.

    Returns:
        The axes.

    Raises:
        ValueError: `reach` is not square.
    """
    reach = np.asarray(reach, dtype=bool)
    if reach.ndim != 2 or reach.shape[0] != reach.shape[1]:
        raise ValueError(f"reach must be square, (outputs, inputs), got shape {reach.shape}")
    size = len(reach)
    ax.set(xlim=(-0.9, size - 0.1), ylim=(-0.75, 3.2), aspect="auto")
    ax.axis("off")
    for i, j in zip(*np.nonzero(reach), strict=True):
        strong = i == highlight
        ax.plot(
            [j, i], [0, 2.4], color=WEIGHT if strong else MASKED, linewidth=2.2 if strong else 0.8,
            alpha=1 if strong else 0.55, zorder=2 if strong else 1,
        )  # fmt: skip
    if recurrent:
        for i in range(size - 1):
            ax.annotate(
                "", (i + 0.82, 2.4), (i + 0.18, 2.4),
                arrowprops={"arrowstyle": "-|>", "color": WEIGHT if i + 1 == highlight else INK, "lw": 1.4},
            )  # fmt: skip
    for t in range(size):
        ax.plot(t, 0, "s", color=KEY, markersize=8, zorder=3)
        ax.plot(t, 2.4, "o", color=OUTPUT, markersize=10, zorder=3, markeredgecolor=INK, markeredgewidth=0.8)
        ax.text(t, -0.28, f"{t}", ha="center", va="top", fontsize=9.5)
    ax.text(-0.75, 0, "x", ha="center", va="center", fontsize=12, style="italic")
    ax.text(-0.75, 2.4, "y", ha="center", va="center", fontsize=12, style="italic")
    ax.set_title(title, loc="left")
    return ax


# --- a short history --------------------------------------------------------------------------------------------


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


def _causal() -> np.ndarray:
    return _normalised(np.tril(_bump(np.arange(9) - 1.0, 1.4)))


# What the weights of each idea look like, from formulas and not from data: queries down, keys across, 9 by 9.
SKETCHES: dict[str, Callable[[], np.ndarray]] = {
    "kernel": lambda: _bump(np.arange(9), 1.5),
    "forward": lambda: _bump(np.array([0, 0, 1, 2, 2, 2.6, 4, 5, 6]), 0.8),
    "swap": _swap,
    "window": _window,
    "previous": lambda: _bump(np.arange(9) - 1.0, 0.5),
    "wide": lambda: _bump(np.arange(9), 4.0),
    "mirror": lambda: _bump(8.0 - np.arange(9), 1.0),
    "same": lambda: _bump(np.repeat([1.0, 4, 7], 3), 0.8),
    "causal": _causal,
    "both sides": lambda: _bump(np.arange(9), 2.4),
}


def draw_timeline(events: Sequence[Event], ax: Axes, gap_after: int = 0) -> Axes:
    """Draw a history downwards: years, headlines, and small heat maps of what the weights look like.

    Args:
        events: in order of time.
        ax: where to draw.
        gap_after: the index of the event after which the line is broken, since many years pass there.

    Returns:
        The axes.

    Raises:
        ValueError: no event, or a sketch that is not in `SKETCHES`.
    """
    if not events:
        raise ValueError("events is empty: pass at least one Event")
    unknown = [name for event in events for name in event.sketches if name not in SKETCHES]
    if unknown:
        raise ValueError(f"no sketch is called {unknown[0]!r}; choose among {', '.join(SKETCHES)}")
    step, gap = 1.5, 0.5
    tops = [-(step * i + gap * (i > gap_after)) for i in range(len(events))]
    ax.set(xlim=(-1.55, 8.3), ylim=(tops[-1] - 0.95, 0.75), aspect="equal")
    ax.axis("off")
    ax.plot([0, 0], [0, tops[gap_after] - 0.62], color=WEIGHT, linewidth=3)
    ax.plot([0, 0], [tops[gap_after] - 0.68, tops[gap_after + 1] + 0.36], color=WEIGHT, linewidth=3, linestyle=":")
    ax.plot([0, 0], [tops[gap_after + 1] + 0.3, tops[-1]], color=WEIGHT, linewidth=3)
    for event, y in zip(events, tops, strict=True):
        ax.plot(0, y, "o", color=WEIGHT, markersize=11)
        ax.text(-0.3, y, event.year, ha="right", va="center", fontsize=12.5, fontweight="bold")
        ax.text(0.4, y + 0.1, event.who, va="bottom", fontsize=12, fontweight="bold")
        ax.text(0.4, y, event.what, va="top", fontsize=10.5, linespacing=1.25)
        _draw_sketches(ax, event.sketches, right=8.2, middle=y)
    return ax


def _draw_sketches(ax: Axes, names: Sequence[str], right: float, middle: float) -> None:
    """One map 1.1 high, or several in a row of at most two, right-aligned."""
    side = 1.14 if len(names) <= 2 else 0.54
    columns = min(2, len(names))
    for n, name in enumerate(names):
        row, column = divmod(n, 2)
        left = right - (columns - column) * side - (columns - 1 - column) * 0.1
        bottom = middle - side / 2 if len(names) <= 2 else middle + 0.03 - row * (side + 0.06)
        table = SKETCHES[name]()
        ax.imshow(
            table / table.max(), cmap=WEIGHTS, vmin=0, vmax=1, interpolation="nearest",
            extent=(left, left + side, bottom, bottom + side), zorder=2,
        )  # fmt: skip
        ax.add_patch(Rectangle((left, bottom), side, side, fill=False, edgecolor=MASKED, linewidth=0.8, zorder=3))
