"""Diagrams of ideas, drawn by code: a desk and an eye, a wind rose, who reaches whom in one step.

Every function takes the numbers it draws and an `ax`, and returns the `ax`. Dark ink on a transparent ground; every
meaning that has a colour also has a label, a line style or a thickness.
"""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle

from attnbook.page.style import CENTRED, INK, KEY, MASKED, OUTPUT, QUERY, VIOLET


def _bare(ax: Axes, width: float, height: float) -> None:
    """An empty sheet: equal scales, no ticks, no frame."""
    ax.set(xlim=(0, width), ylim=(0, height), aspect="equal")
    ax.axis("off")


# --- the desk -------------------------------------------------------------------------


def _box(width: float, height: float, x: float = 0.0, y: float = 0.0) -> np.ndarray:
    """(5, 2): the closed outline of a rectangle around (x, y)."""
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)]) / 2
    return corners * (width, height) + (x, y)


def _arc(width: float, height: float, x: float, y: float, turn=(0, 360)) -> np.ndarray:
    """(41, 2): an ellipse around (x, y), or the part of it between two angles."""
    angle = np.deg2rad(np.linspace(*turn, 41))
    return np.stack([np.cos(angle) * width, np.sin(angle) * height], 1) / 2 + (x, y)


def _text(lefts, y: float, length: float, rise: float = 0.0) -> list[np.ndarray]:
    """Four lines of writing, one below the other, beginning at each of `lefts`."""
    line = np.array([(0, 0), (length, rise)])
    return [line + (x, y - 0.16 * row) for x in lefts for row in range(4)]


_STEAM = np.stack([0.06 * np.sin(np.linspace(0, 7, 30)), np.linspace(0, 0.34, 30)], 1)
_PAGE = np.array([(0, -0.42), (0.72, -0.3), (0.72, 0.5), (0, 0.38), (0, -0.42)])

# Every thing is a list of strokes around its centre: outlines in ink, writing in grey.
_THINGS: dict[str, tuple[list[np.ndarray], list[np.ndarray]]] = {
    "letter": ([_box(1.24, 0.76), np.array([(-0.62, 0.38), (0, -0.08), (0.62, 0.38)])], []),
    "newspaper": ([_box(1.16, 1.1), _box(0.88, 0.03, y=0.36)], _text((-0.44, 0.06), y=0.12, length=0.38)),
    "cup": ([_box(0.84, 0.94), _arc(0.5, 0.5, 0.48, 0, (-90, 90))], [_STEAM + (-0.2, 0.62), _STEAM + (0.15, 0.62)]),
    "notebook": ([_box(0.96, 1.2)] + [_arc(0.22, 0.09, -0.48, y) for y in np.linspace(-0.45, 0.45, 6)], []),
    "book": ([_PAGE, _PAGE * (-1, 1)], _text([0.12], 0.24, 0.48, rise=0.08) + _text([-0.12], 0.24, -0.48, rise=0.08)),
}


def _draw_thing(ax: Axes, thing: str, x: float, y: float) -> None:
    outlines, writing = _THINGS[thing]
    for stroke in writing:
        ax.plot(*(stroke + (x, y)).T, color=MASKED, linewidth=1.3)
    for stroke in outlines:
        if thing == "cup":  # the one thing that stands out
            closed = (stroke[0] == stroke[-1]).all()
            ax.plot(*(stroke + (x, y)).T, color=KEY, linewidth=4)
            if closed:
                ax.fill(*(stroke + (x, y)).T, color=KEY)
        ax.plot(*(stroke + (x, y)).T, color=INK, linewidth=1.4)


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
        _draw_thing(ax, thing, x, y)
        sight = ax.plot([eye[0] + 0.75 * place, x], [eye[1] + 0.62 - 0.3 * place**2, y - 1.5])[0]
        sight.set(color=VIOLET, linewidth=0.6 + 11 * weight, alpha=0.25 + 0.6 * weight)
        sight.set(solid_capstyle="round", linestyle="-" if weight > 0.05 else ":")
        ax.text(x, y - 1.03, f"{thing}\n{weight:.2f}", fontsize=10, **CENTRED)
    colour = QUERY if wish else INK
    bend = np.linspace(-0.62, 0.62, 40)
    for lid in (0.42, -0.42):
        ax.plot(eye[0] + bend, eye[1] + lid * (1 - (bend / 0.62) ** 2), color=INK)
    ax.add_patch(Circle(eye, 0.24, facecolor=QUERY if wish else MASKED, edgecolor=INK))
    words = ax.text(eye[0] + 0.85, eye[1], "no query", va="center", color=colour)
    if wish:
        words.set(text=f"query: “{wish}”", fontweight="bold")
    ax.text(width / 2, 5.2, title, fontsize=11.5, fontweight="bold", **CENTRED)
    return ax


# --- who reaches whom ----------------------------------------------------------------


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
        line = ax.plot([j, i], [0, 2.4], color=MASKED, linewidth=0.6, zorder=1)[0]
        if i == highlight:
            line.set(color=VIOLET, linewidth=2.2, zorder=2)
    for i in range(1, size if recurrent else 1):
        colour = VIOLET if i == highlight else INK
        arrow = {"arrowstyle": "-|>", "color": colour, "lw": 1.4}
        ax.annotate("", (i - 0.18, 2.4), (i - 0.82, 2.4), arrowprops=arrow)
    places = np.arange(size)
    ax.plot(places, 0 * places, "s", color=KEY, markersize=8, zorder=3)
    ax.plot(places, 0 * places + 2.4, "o", color=OUTPUT, markersize=10, mec=INK, zorder=3)
    for t in places:
        ax.text(t, -0.5, f"{t}", fontsize=12, **CENTRED)
    for height, letter in ((0, "x"), (2.4, "y")):
        ax.text(-0.75, height, letter, fontsize=13, style="italic", **CENTRED)
    ax.set_title(title, loc="left")
    return ax
