"""Drawings of scores: what a query likes in a key."""

from collections.abc import Callable

import torch

from attnbook.attention import additive_score, dot_score, gaussian_score
from attnbook.drawings.sheet import Sheet, drawing, shade, tint
from attnbook.page.style import GREY, INK, KEY, QUERY, VIOLET, ink_on


def network_score(query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
    """The chapter's small network: tanh(q + k) + tanh(q − k)."""
    ones, signs = query.new_ones(2, 1), query.new_tensor([[1.0], [-1.0]])
    return additive_score(query, key, ones, signs, query.new_ones(2))


SCORES = (
    ("nearness", "−(q − k)^2 / 2", "the nearest wins", gaussian_score),
    ("dot product", "q · k", "the largest wins", dot_score),
    ("small network", "tanh(q + k) + tanh(q − k)", "the key at 0 wins", network_score),
)

KEYS = (-1.0, 0.0, 1.0, 2.0)


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
        sheet.text(x + 2 * cell, y + high + 165, f"weights: {wins}", size=14)


def _plot(
    sheet: Sheet,
    x: float,
    y: float,
    cell: float,
    high: float,
    score: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
) -> None:
    """A score over the keys from −1.5 to 2.5, and the weights of four of them; a cell is one unit wide."""
    # in double precision, so that every processor draws the same picture
    every = torch.linspace(-1.5, 2.5, 81, dtype=torch.float64)[:, None]
    query, keys = every.new_tensor([[1.0]]), every.new_tensor(KEYS)[:, None]
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
            ink=ink_on(weight),
            radius=0,
            line=1,
            size=13,
        )


@drawing(
    "Two drawings of the keys −1, 0, 1 and 2. As single numbers they lie on a line, and the query 1 points to the "
    "right along it: the scores are −1, 0, 1 and 2, and the largest key wins. With a second entry, minus half the "
    "square, they lie on a parabola that opens downwards, and the query (1, 1) points up and to the right. From each "
    "key a dashed line leads at right angles to the query's line, where its score can be read: −1.5 for the key −1, 0 "
    "for the keys 0 and 2, and 0.5 for the key 1, which is the query: the nearest key wins."
)
def nearness_lifted(sheet: Sheet) -> None:
    """A Gaussian score in one dimension as a dot product in two: the keys are lifted onto a parabola."""
    if sheet.narrow:
        _keys_on_a_line(sheet, 4, 116, 70)
        _keys_on_a_parabola(sheet, 4, 204, 70)
    else:
        _keys_on_a_line(sheet, 4, 136, 66)
        _keys_on_a_parabola(sheet, 330, 12, 82)


def _said(number: float) -> str:
    return f"{number:g}".replace("-", "−")


def _keys_on_a_line(sheet: Sheet, x: float, line: float, unit: float) -> None:
    """Keys that are single numbers, and their products with the query 1."""
    sheet.text(x, 18, "a key is a number, k", anchor="start", bold=True)
    sheet.text(x, 40, "score q · k: the largest key wins", anchor="start", color=GREY, size=14)
    zero = x + 1.5 * unit
    sheet.line((zero - 1.4 * unit, line), (zero + 2.5 * unit, line), color=GREY, width=1)
    sheet.line((zero, line - 28), (zero + unit, line - 28), color=QUERY, width=2.5, arrow=True)
    sheet.text(zero + unit + 8, line - 23, "q = 1", color=QUERY, anchor="start", size=14)
    for key in KEYS:
        score, best = dot_score(torch.ones(1, 1), torch.tensor([[key]])).item(), key == 2
        at, start = zero + key * unit, key == KEYS[0]
        sheet.dot(at, line, 7 if best else 5, fill=KEY, color=INK if best else KEY)
        sheet.text(at, line + 25, f"k = {_said(key)}" if start else _said(key), color=KEY, size=14)
        words = f"score {_said(score)}" if start else _said(score)
        sheet.text(at, line + 49, words, color=VIOLET, size=14, bold=best)


def _keys_on_a_parabola(sheet: Sheet, left: float, y: float, unit: float) -> None:
    """The same keys with a second entry, and how far along the query (1, 1) each of them lies."""
    zero, top = left + 1.85 * unit, y + 124
    sheet.text(left, y + 6, "with a second entry, (k, −k^2/2)", anchor="start", bold=True)
    sheet.text(left, y + 28, "score (q, 1) · (k, −k^2/2): the nearest key wins", anchor="start", color=GREY, size=14)

    def at(x: float, y: float) -> tuple[float, float]:
        return zero + x * unit, top - y * unit

    sheet.line(at(-1.45, 0), at(2.6, 0), color=GREY, width=1)
    sheet.text(*at(2.55, -0.24), "k", color=GREY, size=14, anchor="end")
    steps = [-1.35 + 3.45 * number / 60 for number in range(61)]
    sheet.line(*(at(x, -(x**2) / 2) for x in steps), color=KEY, width=1)
    sheet.line(at(-1.05, -1.05), at(0.9, 0.9), color=QUERY, width=1)
    sheet.line(at(0, 0), at(1, 1), color=QUERY, width=2.5, arrow=True)
    sheet.text(*at(1.08, 0.85), "(q, 1) = (1, 1)", color=QUERY, anchor="start", size=14)
    for key, (right, down) in zip(KEYS, ((-12, -6), (-5, 30), (13, 10), (13, 6)), strict=True):
        lifted = torch.tensor([[key, -(key**2) / 2]])
        score, best = dot_score(torch.ones(1, 2), lifted).item(), key == 1
        place, foot = at(*lifted[0].tolist()), at(score / 2, score / 2)
        if key:
            sheet.line(place, foot, color=VIOLET, width=1.2, dashed=True)
            sheet.dot(*foot, 4, fill=VIOLET)
        sheet.dot(*place, 7 if best else 5, fill=KEY, color=INK if best else KEY)
        words, anchor = (f"k = {_said(key)}", "end") if key == KEYS[0] else (_said(key), "start")
        sheet.text(place[0] + right, place[1] + down, words, color=KEY, size=14, anchor=anchor)
        if key != 2:  # its score is that of the key 0
            words = f"score {_said(score)}" if key == KEYS[0] else _said(score)
            below = (6, 18) if key == KEYS[0] else (-9, -6)
            anchor = "start" if key == KEYS[0] else "end"
            spot = foot[0] + below[0], foot[1] + below[1]
            sheet.text(*spot, words, color=VIOLET, size=14, bold=best, anchor=anchor)


@drawing(
    "The additive score for T = 3 queries and S = 5 keys, as a table of sums. Three projected queries, each a vector "
    "of h = 4 numbers, stand beside the rows; five projected keys, vectors of 4 numbers, stand above the columns. In "
    "each of the 15 cells is tanh of query plus key, a vector of 4 numbers, 60 in all. The product with w_v makes one "
    "score of each, a second table of 15 numbers."
)
def every_query_meets_every_key(sheet: Sheet) -> None:
    """The additive score for all pairs: first a hidden vector for each pair, then a number."""
    size, left, cell = (3, 5, 4), 78, 38 if sheet.narrow else 48  # T, S, h
    top = 28 + cell
    unit = (cell - 6) / size[2]

    def vector(i: int, j: int, color: str) -> None:
        for number in range(size[2]):
            x, y = left + j * cell + 4, top + i * cell + 3 + number * unit
            sheet.box(x, y, cell - 8, unit - 1, color=color, fill=tint(color), radius=0, line=1)

    pairs = [(i, j) for i in range(size[0]) for j in range(size[1])]
    for j in range(size[1]):
        vector(-1, j, KEY)
    for i in range(size[0]):
        vector(i, -1, QUERY)
    for pair in pairs:
        vector(*pair, VIOLET)
    sheet.text(left + size[1] * cell + 3, 30, "h = 4", anchor="start", color=KEY, size=13)
    middle, end = left + size[1] * cell / 2, top + size[0] * cell
    sheet.text(middle, 18, "W_k k, for S = 5 keys", color=KEY, size=14)
    sheet.text(left - cell / 2, top - 13, "+")
    sheet.text(20, top + 1.5 * cell, "W_q q, T = 3 queries", color=QUERY, size=14, turn=-90)
    sheet.text(middle, end + 22, "tanh of each sum:", color=VIOLET, size=14)
    sheet.text(middle, end + 42, f"T · S · h = {size[0] * size[1] * size[2]} numbers", color=VIOLET, size=14)
    if sheet.narrow:
        sheet.line((middle, end + 52), (middle, end + 92), arrow=True)
        sheet.text(middle + 12, end + 76, "· w_v", anchor="start")
        right, high = left, end + 98
    else:
        sheet.line((left + 5 * cell + 14, top + 1.5 * cell), (left + 5 * cell + 84, top + 1.5 * cell), arrow=True)
        sheet.text(left + 5 * cell + 48, top + 1.5 * cell - 10, "· w_v")
        right, high = left + 5 * cell + 98, top
    for i, j in pairs:
        x, y = right + j * cell + 4, high + i * cell + 4
        sheet.box(x, y, cell - 8, cell - 8, color=GREY, fill=shade(0.12), radius=0, line=1)
    sheet.text(right + 2.5 * cell, high + 3 * cell + 22, "scores:", size=14)
    sheet.text(right + 2.5 * cell, high + 3 * cell + 42, f"T · S = {size[0] * size[1]} numbers", size=14)
