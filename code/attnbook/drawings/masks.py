"""Drawings of what can go wrong in a masked softmax: an exponential that leaves its format, and a row with nothing."""

import math

import torch
from torch import Tensor

from attnbook.attention import masked_softmax
from attnbook.drawings.sheet import Sheet, drawing, tint
from attnbook.page.style import GREY, INK, KEY, VALUE, VIOLET

FLOAT32 = torch.finfo(torch.float32)


@drawing(
    "Two lines with the exponents that float32 can hold, from −104 to 88.7. Below, exp rounds to 0; above, it is "
    "infinite; both zones are hatched. On the upper line the scores 0, 50 and 100 are marked: the last lies in the "
    "infinite zone. An arrow says: subtract the largest score. On the lower line the same three are at −100, −50 and "
    "0, all within the range, and the largest exponential is 1."
)
def three_exponentials_shifted(sheet: Sheet) -> None:
    """Three scores on the range of float32's exponentials, as they are and with their maximum subtracted."""
    scores = torch.tensor([0.0, 50.0, 100.0])
    highest = math.log(FLOAT32.max)
    lowest = math.log(FLOAT32.smallest_normal * FLOAT32.eps / 2)  # from here down it rounds to 0
    start, end = -135.0, 125.0
    left, wide = (6, 328) if sheet.narrow else (10, 680)

    def at(exponent: float) -> float:
        return left + (exponent - start) / (end - start) * wide

    for number, (title, shown) in enumerate((("the scores as they are", scores), ("shifted", scores - scores.max()))):
        top = 128 * number
        sheet.text(left, top + 18, title, anchor="start", size=14, bold=True)
        y = top + 54
        sheet.hatch(at(start), y, at(lowest) - at(start), 26)
        sheet.hatch(at(highest), y, at(end) - at(highest), 26)
        sheet.box(at(lowest), y, at(highest) - at(lowest), 26, color=GREY, radius=0, line=1)
        for score in shown.tolist():
            inside = score < highest
            sheet.dot(at(score), y + 13, 7, fill=VIOLET if inside else "#ffffff", color=VIOLET)
            sheet.text(at(score), y - 8, f"e^{{{score:g}}}".replace("-", "−"), color=VIOLET)
        for place, words in ((lowest, f"{lowest:.0f}"), (highest, f"{highest:.1f}")):
            sheet.text(at(place), y + 43, words.replace("-", "−"), size=13, color=GREY)
        sheet.text(left + 2, y + 43, "0", anchor="start", size=13, color=GREY)
        sheet.text((at(highest) + at(end)) / 2 + 8, y + 43, "∞", size=14, color=GREY)
        sheet.text(at(-8), y + 43, "what float32 holds" if sheet.narrow else "exponents that float32 holds", size=13)
    middle = at(0)
    sheet.text(middle + 12, 120, "subtract the largest", anchor="start", size=13, color=KEY)
    sheet.line((middle, 104), (middle, 150), color=KEY, arrow=True)


def _gradients(weights: Tensor) -> tuple[list[float], list[list[float]]]:
    """Of the values and of the matrix that makes them, for a loss that sums all outputs."""
    words = torch.tensor([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]])  # (S, D)
    matrix = torch.ones(3, 2, requires_grad=True)
    value = words @ matrix
    value.retain_grad()
    (weights @ value).sum().backward()
    return value.grad[:, 0].tolist(), matrix.grad.tolist()


@drawing(
    "Two versions of one backward pass, each with the weights of two queries over four keys, the last two masked. "
    "Filled with minus infinity, the second query, which has nothing to attend to, has four weights of NaN. Each "
    "value's gradient is the sum of its column, so all four are NaN, and so are all six entries of the gradient at "
    "the matrix W_V. With zeros in the second row, as masked_softmax has them, the values' gradients are .27, .73, 0 "
    "and 0, and the matrix's are finite."
)
def an_empty_row_spoils_the_matrix(sheet: Sheet) -> None:
    """One row of NaN on its way back: through the values to the matrix that makes them, and the same with zeros."""
    scores = torch.tensor([[1.0, 2.0, 3.0, 4.0]] * 2)
    mask = torch.tensor([[True, True, False, False], [False] * 4])
    filled = scores.masked_fill(~mask, -torch.inf).softmax(-1)
    versions = (("filled with −∞", filled), ("zeros instead", masked_softmax(scores, mask=mask)))
    for number, (title, weights) in enumerate(versions):
        x, y = (2, 250 * number) if sheet.narrow else (4 + 358 * number, 0)
        cell, high, table = 40, 30, x + 62
        sheet.text(x, y + 18, title, anchor="start", size=14, bold=True)
        sheet.text(table + 80, y + 42, "weights", size=13, color=VIOLET)
        for i, name in enumerate(("words", "empty")):
            sheet.text(table - 6, y + 68 + i * high, name, anchor="end", size=13)
            _cells(sheet, table, y + 49 + i * high, weights[i].tolist(), cell, high, VIOLET)
        to_values, to_matrix = _gradients(weights)
        low = y + 146
        for j in range(4):
            sheet.line(
                (table + (j + 0.5) * cell, y + 113), (table + (j + 0.5) * cell, low - 3), color=VALUE, arrow=True
            )
        _cells(sheet, table, low, to_values, cell, high, VALUE)
        sheet.text(table + 80, low + high + 18, "each value's gradient:", size=13, color=VALUE)
        sheet.text(table + 80, low + high + 35, "the sum of its column", size=13, color=VALUE)
        right = table + 4 * cell + 32
        sheet.line((table + 4 * cell + 4, low + high / 2), (right - 4, low + high / 2), color=VALUE, arrow=True)
        for i, row in enumerate(to_matrix):
            _cells(sheet, right, low - 60 + i * high, row, cell, high, VALUE)
        sheet.text(right + cell, low - 88, "gradient", size=13, color=VALUE)
        sheet.text(right + cell, low - 70, "at W_V", size=13, color=VALUE)


def _cells(sheet: Sheet, x: float, y: float, numbers: list[float], wide: float, high: float, color: str) -> None:
    """A row of cells with a number in each; NaN is white on dark."""
    for place, value in enumerate(numbers):
        left = x + place * wide
        if math.isnan(value):
            sheet.box(left, y, wide, high, "NaN", color=GREY, fill=INK, ink="#ffffff", radius=0, line=1, size=13)
        else:
            words = f"{value:.2f}".lstrip("0") if value else "0"
            sheet.box(left, y, wide, high, words, color=GREY, fill=tint(color), ink=INK, radius=0, line=1, size=13)
