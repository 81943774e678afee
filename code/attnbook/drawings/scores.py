"""Drawings of scores: what a query likes in a key."""

from collections.abc import Callable

import torch

from attnbook.attention import additive_score, dot_score, gaussian_score
from attnbook.drawings.sheet import Sheet, drawing, shade
from attnbook.page.style import GREY, INK, KEY, QUERY, VIOLET


def network_score(query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
    """The chapter's small network: tanh(q + k) + tanh(q − k)."""
    ones = torch.ones(2, 1)
    return additive_score(query, key, ones, torch.tensor([[1.0], [-1.0]]), torch.ones(2))


SCORES = (
    ("nearness", "−(q − k)^2 / 2", "the nearest key wins", gaussian_score),
    ("dot product", "q · k", "the largest key wins", dot_score),
    ("small network", "tanh(q + k) + tanh(q − k)", "the key near zero wins", network_score),
)


@drawing(
    "Three plots of the score that the query 1 gives to the keys from −1.5 to 2.5. Nearness is a hill with its top at "
    "the query: of the keys −1, 0, 1 and 2 it prefers 1, with a weight of 0.43. The dot product is a rising line: it "
    "prefers 2, with 0.64. The small network is a hump over zero: it prefers 0, with 0.41. Below each plot stand the "
    "weights of the four keys, in a row of shaded cells."
)
def three_favourites(sheet: Sheet) -> None:
    """One query, four keys, three scores, and another favourite for each."""
    for number, (name, formula, wins, score) in enumerate(SCORES):
        x, y = (22, 282 * number) if sheet.narrow else (8 + 239 * number, 0)
        cell, high = (74, 84) if sheet.narrow else (51.5, 118)
        sheet.text(x, y + 18, name, anchor="start", bold=True)
        sheet.text(x, y + 40, formula, anchor="start", color=GREY, size=14)
        _plot(sheet, x, y + 72, cell, high, score)
        sheet.text(x + 2 * cell, y + high + 165, wins, size=14)


def _plot(
    sheet: Sheet,
    x: float,
    y: float,
    cell: float,
    high: float,
    score: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
) -> None:
    """A score over the keys from −1.5 to 2.5, and the weights of four of them; a cell is one unit wide."""
    query, keys = torch.tensor([[1.0]]), torch.tensor([[-1.0], [0.0], [1.0], [2.0]])
    every = torch.linspace(-1.5, 2.5, 81)[:, None]
    scores, line = score(query, keys)[0], score(query, every)[0]
    weights = scores.softmax(-1)
    low, most, axis = line.min().item(), line.max().item(), y + high + 18

    def at(key: float, score: float) -> tuple[float, float]:
        return x + (key + 1.5) * cell, y + high * (most - score) / (most - low)

    sheet.line((x, axis), (x + 4 * cell, axis), color=GREY, width=1)
    asked = at(1.0, low)[0]
    sheet.line((asked, axis), (asked, y - 4), color=QUERY, width=2, dashed=True)
    sheet.text(asked, y - 11, "q = 1", color=QUERY, size=14)
    curve = zip(every[:, 0].tolist(), line.tolist(), strict=True)
    sheet.line(*(at(*point) for point in curve), color=VIOLET, width=2)
    sheet.text(at(0.0, low)[0], axis - 22, "score", color=VIOLET, size=14)

    best = int(weights.argmax())
    for j, (key, found) in enumerate(zip(keys[:, 0].tolist(), scores.tolist(), strict=True)):
        size, outline = (7, INK) if j == best else (4, KEY)
        sheet.dot(*at(key, found), size, fill=KEY, color=outline)
        words = "k = −1" if j == 0 else f"{key:g}"
        sheet.text(at(key, found)[0], axis + 18, words, color=KEY, size=14)
        weight = weights[j].item()
        sheet.box(
            x + j * cell,
            axis + 27,
            cell,
            28,
            f"{weight:.2f}",
            color=GREY,
            fill=shade(weight),
            ink=INK if weight < 0.7 else "#ffffff",
            radius=0,
            line=1,
            size=13,
        )


@drawing(
    "Keys −1, 0, 1, 2 as dots on a parabola that opens downwards: their second entry is minus half their square. The "
    "arrow of the query 1 points along (1, 1). A dashed line at right angles to it touches the parabola at the key 1, "
    "which lies furthest along the arrow, with a dot product of 0.5. The keys 0 and 2 reach 0, the key −1 only −1.5. "
    "Below, without the second entry, the same keys on a line: the key 2 lies furthest along the query."
)
def nearness_lifted(sheet: Sheet) -> None:
    """A Gaussian score in one dimension as a dot product in two: the keys are lifted onto a parabola."""
    query, keys = 1.0, [-1.0, 0.0, 1.0, 2.0]
    unit = 70 if sheet.narrow else 84
    left, top = (112, 62) if sheet.narrow else (250, 62)

    def at(x: float, y: float) -> tuple[float, float]:
        return left + x * unit, top - y * unit

    steps = [-1 + 3.2 * number / 60 for number in range(61)]
    sheet.line(*(at(x, -(x**2) / 2) for x in steps), color=GREY, width=1.5)
    best = query**2 / 2  # of the query with the key that is the query
    low, high = (query - 0.95, query + 0.95)
    sheet.line(*(at(x, best - query * x) for x in (low, high)), color=QUERY, width=1, dashed=True)
    sheet.line(at(0, 0), at(0.52, 0.52), color=QUERY, width=2.5, arrow=True)
    sheet.text(*at(0.6, 0.5), "(q, 1), q = 1", color=QUERY, anchor="start", size=14)
    for key in keys:
        x, y = at(key, -(key**2) / 2)
        score = query * key - key**2 / 2
        sheet.dot(x, y, 6, fill=KEY)
        said = f"key {key:.0f}: {score:.1f}".removesuffix(".0").replace("-", "−")
        look = {"size": 14, "color": KEY}
        if key > 1:
            sheet.text(x - 14, y + 5, said, anchor="end", **look)
        elif key > 0:
            sheet.text(x + 15, y + 4, said if sheet.narrow else f"{said}, the best", anchor="start", bold=True, **look)
        elif key:
            sheet.text(x + 9, y + 26, said, **look)
        else:
            sheet.text(x - 14, y - 8, said, anchor="end", **look)
    base = top + 2.3 * unit + 62
    start = left - 1.2 * unit
    sheet.text(start, base - 34, "without the second entry:", anchor="start", size=14, bold=True)
    sheet.line((left - unit, base), (left + 2 * unit, base), color=GREY)
    for key in keys:
        x = left + key * unit
        sheet.dot(x, base, 6, fill=KEY)
        said = f"key {key:.0f}: {query * key:.0f}".replace("-", "−")
        sheet.text(x, base + 24, said, size=13, color=KEY, bold=key == 2)
