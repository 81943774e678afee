"""Drawings of masks: two at once, an exponential that leaves its format, and a row with nothing."""

import math

import torch
from torch import Tensor

from attnbook.attention import masked_softmax
from attnbook.drawings.sheet import Sheet, drawing, shade, tint
from attnbook.page.style import GREY, INK, KEY, QUERY, VALUE, VIOLET

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
        top = 150 * number
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
        sheet.text(left, y + 62, "rounds to 0", anchor="start", size=13, color=GREY)
        sheet.text(left + wide, y + 62, "overflows to ∞", anchor="end", size=13, color=GREY)
        sheet.text(at(-8), y + 43, "what float32 holds" if sheet.narrow else "exponents that float32 holds", size=13)
    middle = at(0)
    sheet.text(middle + 12, 144, "subtract the largest", anchor="start", size=13, color=KEY)
    sheet.line((middle, 124), (middle, 172), color=KEY, arrow=True)


@drawing(
    "The way of one score of an empty row, forward and back, under two masks. Forward, both are alike: the score 1 "
    "becomes −∞, and the softmax makes NaN of it. Back, the softmax sends NaN in both. The mask that fills multiplies "
    "by its slope, 0, and writes 0 at the score. The mask that adds has the slope 1: NaN arrives at the score."
)
def a_nan_meets_the_mask(sheet: Sheet) -> None:
    """One score of an empty row, forward and back: filling stops the NaN, adding passes it on."""
    for number, (title, mask) in enumerate((("fill with −∞", "fill"), ("add −∞", "add"))):
        x, y = (4, 170 * number) if sheet.narrow else (4 + 358 * number, 0)
        score = torch.ones(2, requires_grad=True)  # two keys, both forbidden
        masked = score.masked_fill(torch.tensor(True), -math.inf) if mask == "fill" else score - math.inf
        masked.retain_grad()
        weights = masked.softmax(-1)
        weights[0].backward()
        sheet.text(x, y + 18, title, anchor="start", size=14, bold=True)
        places, wide, high = (x, x + 134, x + 268), 62, 30
        forward = zip(places, ("score", "masked", "weight"), (score, masked, weights), strict=True)
        for place, name, numbers in forward:
            sheet.text(place + wide / 2, y + 44, name, size=13)
            _cells(sheet, place, y + 50, [numbers[0].item()], wide, high, VIOLET)
        for place, grad in zip(places, (score.grad, masked.grad), strict=False):
            _cells(sheet, place, y + 108, [grad[0].item()], wide, high, VALUE)
        _cells(sheet, places[2], y + 108, [1.0], wide, high, VALUE)
        slope = "slope 0" if mask == "fill" else "slope 1"
        for start, there, back in ((places[0], mask, slope), (places[1], "softmax", "· NaN")):
            left, right = start + wide + 4, start + 134 - 4
            sheet.line((left, y + 72), (right, y + 72), color=INK, arrow=True)
            sheet.text((left + right) / 2, y + 65, there, size=13)
            sheet.line((right, y + 130), (left, y + 130), color=VALUE, arrow=True)
            sheet.text((left + right) / 2, y + 123, back, size=13, color=VALUE)
        sheet.text(x, y + 154, "gradients, from right to left", anchor="start", size=13, color=VALUE)


SENTENCE = ("Learn", "to", "code", "<pad>")


@drawing(
    "Three tables of four queries by four keys, both named Learn, to, code and pad, joined by and and an equals sign. "
    "Padding: one row, repeated four times, with the key pad hatched. Causal: a triangle, in which each query sees "
    "itself and what stands before it. Both: the triangle, with the column of pad hatched, too. Its last row, that of "
    "the query pad, has three words left; below it stands: a query nobody reads."
)
def two_masks_at_once(sheet: Sheet) -> None:
    """A padding mask, repeated for each query, and a triangle make one mask."""
    padding = torch.tensor([True, True, True, False]).expand(4, 4)
    causal = torch.ones(4, 4, dtype=torch.bool).tril()
    tables = (("padding: equal rows", padding), ("causal: a triangle", causal), ("both", padding & causal))
    wide, high = 44, 26
    for number, (title, allowed) in enumerate(tables):
        x, y = (58, 176 * number) if sheet.narrow else (58 + 226 * number, 0)
        sheet.text(x, y + 18, title, anchor="start", size=14, bold=True)
        for j, word in enumerate(SENTENCE):
            sheet.text(x + (j + 0.5) * wide, y + 39, word, size=13, color=KEY)
        for i, row in enumerate(allowed.tolist()):
            top = y + 46 + i * high
            if number == 0 or sheet.narrow:
                sheet.text(x - 7, top + 18, SENTENCE[i], anchor="end", size=13, color=QUERY)
            for j, may in enumerate(row):
                if not may:
                    sheet.hatch(x + j * wide, top, wide, high)
                fill = shade(0.4) if may else "none"
                sheet.box(x + j * wide, top, wide, high, color=GREY, fill=fill, radius=0, line=1)
        if number:
            at = (x - 30, y + 18) if sheet.narrow else (x - 25, y + 46 + 2 * high + 5)
            sheet.text(*at, "and" if number == 1 else "=", bold=True)
    sheet.text(x + 2 * wide, y + 46 + 4 * high + 18, "a query nobody reads", size=13, color=QUERY)


FEATURES = torch.tensor([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]])  # of the words, (S, D)


def _gradients(weights: Tensor) -> tuple[list[float], list[list[float]]]:
    """Of the values and of the matrix that makes them, for a loss that sums all outputs."""
    matrix = torch.ones(3, 1, requires_grad=True)
    value = FEATURES @ matrix
    value.retain_grad()
    (weights @ value).sum().backward()
    return value.grad[:, 0].tolist(), matrix.grad.tolist()


@drawing(
    "Two versions of one backward pass, each with the weights of two queries over four keys, the last two masked. "
    "Filled with minus infinity, the second query, which has nothing to attend to, has four weights of NaN. Each "
    "value's gradient is the sum of its column, so all four are NaN. Below stand the three features of the four words. "
    "Each row of features times the values' gradients, added up, is one entry of the gradient at W_V: three times NaN. "
    "With zeros in the second row, as masked_softmax has them, the values' gradients are .27, .73, 0 and 0, and "
    "the matrix's .27, .73 and 0."
)
def an_empty_row_spoils_the_matrix(sheet: Sheet) -> None:
    """One row of NaN on its way back: through the values to the matrix that makes them, and the same with zeros."""
    scores = torch.tensor([[1.0, 2.0, 3.0, 4.0]] * 2)
    mask = torch.tensor([[True, True, False, False], [False] * 4])
    filled = scores.masked_fill(~mask, -torch.inf).softmax(-1)
    versions = (("filled with −∞", filled), ("zeros instead", masked_softmax(scores, mask=mask)))
    for number, (title, weights) in enumerate(versions):
        x, y = (2, 318 * number) if sheet.narrow else (4 + 358 * number, 0)
        cell, high, table = 40, 28, x + 74
        right = table + 4 * cell + 34
        sheet.text(x, y + 18, title, anchor="start", size=14, bold=True)
        sheet.text(table + 80, y + 42, "weights", size=13, color=VIOLET)
        for i, name in enumerate(("words", "empty")):
            sheet.text(table - 6, y + 67 + i * high, name, anchor="end", size=13)
            _cells(sheet, table, y + 49 + i * high, weights[i].tolist(), cell, high, VIOLET)
        to_values, to_matrix = _gradients(weights)
        low = y + 136
        for j in range(4):
            there = table + (j + 0.5) * cell
            sheet.line((there, y + 109), (there, low - 3), color=VALUE, arrow=True)
        sheet.text(table + 150, y + 126, "add up columns", anchor="start", size=13, color=VALUE)
        _cells(sheet, table, low, to_values, cell, high, VALUE)
        sheet.text(table - 6, low + 12, "values’", anchor="end", size=13, color=VALUE)
        sheet.text(table - 6, low + 27, "gradient", anchor="end", size=13, color=VALUE)
        upper = low + high + 12
        for i, (row, entry) in enumerate(zip(FEATURES.T.tolist(), to_matrix, strict=True)):
            top, middle = upper + i * high, upper + (i + 0.5) * high
            for j, feature in enumerate(row):
                sheet.box(table + j * cell, top, cell, high, f"{feature:.0f}", color=GREY, radius=0, line=1, size=13)
            sheet.line((table + 4 * cell + 4, middle), (right - 4, middle), color=VALUE, arrow=True)
            _cells(sheet, right, top, entry, cell, high, VALUE)
        for row, words in enumerate(("words’", "features")):
            sheet.text(table - 6, upper + 38 + 16 * row, words, anchor="end", size=13)
        sheet.text(right + cell / 2, upper - 10, "at W_V", size=13, color=VALUE)
        words = "feature × gradient, added up over the words"
        sheet.text(x + 4, upper + 3 * high + 20, words, anchor="start", size=13, color=VALUE)


def _cells(sheet: Sheet, x: float, y: float, numbers: list[float], wide: float, high: float, color: str) -> None:
    """A row of cells with a number in each; NaN is white on dark."""
    for place, value in enumerate(numbers):
        left = x + place * wide
        if math.isnan(value):
            sheet.box(left, y, wide, high, "NaN", color=GREY, fill=INK, ink="#ffffff", radius=0, line=1, size=13)
        else:
            words = "−∞" if value == -math.inf else f"{value:.2f}".lstrip("0") if value % 1 else f"{value:.0f}"
            sheet.box(left, y, wide, high, words, color=GREY, fill=tint(color), ink=INK, radius=0, line=1, size=13)
