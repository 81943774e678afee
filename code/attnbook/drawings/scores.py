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
