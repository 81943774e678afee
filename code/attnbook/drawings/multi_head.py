"""Drawings of several heads side by side."""

import torch

from attnbook.attention import masked_softmax, split_heads
from attnbook.drawings.sheet import Sheet, drawing, shade
from attnbook.page.style import GREY, INK, KEY, OUTPUT, QUERY, VALUE, VIOLET, ink_on

WORDS = "dog", "bites", "man"
ASKED = "who bites?", "bites whom?", "itself"  # what each head is after
SCORES = torch.tensor([[3.0, 1.0, 0.0], [0.0, 1.0, 3.0], [0.0, 3.0, 0.0]])


@drawing(
    "Multi-head attention for the word bites in dog bites man, from above: x has 12 numbers, and each of three heads "
    "reads all of them. Each head makes a query, keys and values of 4 numbers and has weights of its own: the first "
    "gives 0.84 to dog, the second 0.84 to man, the third 0.91 to bites. The three outputs of 4 numbers are put side "
    "by side, 12 numbers again. The matrix W_O, 12 by 12, mixes them to y, 12 numbers."
)
def three_heads_share_the_width(sheet: Sheet) -> None:
    """Three lanes of attention between one x and one y."""
    if sheet.narrow:
        cell, pitch, top, middle = 25, 114, 38, 170
    else:
        cell, pitch, top, middle = 28, 168, 8, 446
    high, weights = 18, masked_softmax(SCORES)
    left = middle - 6 * cell

    if sheet.narrow:
        sheet.text(left, 24, "x of “bites”: 12 numbers", anchor="start", size=14)
    else:
        sheet.text(4, top + 15, "x of “bites”: 12 numbers", anchor="start", size=14)
    sheet.vector(left, top, 12, cell, high, color=GREY)
    lane = top + high + (30 if sheet.narrow else 34)
    for h in range(3):
        x = middle + (h - 1) * pitch
        half = 2 * cell if sheet.narrow else 72
        fan = (left, top + high), (left + 12 * cell, top + high)
        ends = (x + half, lane), (x - half, lane)
        sheet.area(*fan, *ends, fill="#88888822")
    for h in range(3):
        x = middle + (h - 1) * pitch
        bottom = _lane(sheet, x, lane, weights[h].tolist(), h, cell)
    joined = bottom + (26 if sheet.narrow else 34)
    for h in range(3):
        x, start = middle + (h - 1) * pitch, left + 4 * h * cell
        for side in (0, 1):
            above = x + (2 * side - 1) * 2 * cell, bottom
            below = start + side * 4 * cell, joined
            sheet.line(above, below, color=OUTPUT, width=1, dashed=True)
    sheet.vector(left, joined, 12, cell, high, color=OUTPUT)
    for h in (1, 2):
        x = left + 4 * h * cell
        sheet.line((x, joined - 3), (x, joined + high + 3), width=2.5)
    mix = joined + high + 24
    sheet.line((middle, joined + high + 4), (middle, mix - 3), arrow=True)
    sheet.box(left, mix, 12 * cell, 32, "W_O mixes the heads", fill=shade(0.12))
    y = mix + 32 + 24
    sheet.line((middle, mix + 36), (middle, y - 3), arrow=True)
    sheet.vector(left, y, 12, cell, high, color=OUTPUT)
    if sheet.narrow:
        sheet.text(middle, y + 38, "y: 12 numbers again", size=14)
        sheet.text(middle, y + 62, "dog and man have a k and a v, too", size=13)
        sheet.text(middle, y + 80, "(weights made up)", size=13)
        return
    for base, words in (
        (lane - 12, "each head reads all 12"),
        (lane + 18, "q, k, v: 4 numbers each"),
        (lane + 36, "(dog, man: k, v, too)"),
        (lane + 69, "its own weights"),
        (lane + 86, "(here made up)"),
        (bottom - 4, "and its own 4 numbers"),
        (joined + 14, "side by side: 3 · 4 = 12"),
        (mix + 21, "12 × 12 weights"),
        (y + 14, "y: 12 numbers again"),
    ):
        sheet.text(4, base, words, anchor="start", size=14)


def _lane(sheet: Sheet, x: float, y: float, weights: list[float], head: int, cell: float) -> float:
    """One head around x; returns where its output ends."""
    named = ("q", QUERY), ("k", KEY), ("v", VALUE)
    if sheet.narrow:
        for number, (name, color) in enumerate(named):
            sheet.text(x - 44, y + 14 + 18 * number, name, color=color, size=14)
            sheet.vector(x - 30, y + 5 + 18 * number, 4, 18, 11, color=color)
        y += 82
        sheet.text(x, y - 14, f"head {head + 1}", size=13, bold=True)
        y += 10
        sheet.text(x, y - 6, ASKED[head], color=QUERY, size=13, italic=True)
        for number, (word, weight) in enumerate(zip(WORDS, weights, strict=True)):
            ink = ink_on(weight)
            words = f"{word} {weight:.2f}".replace("0.", ".")
            look = {"color": GREY, "fill": shade(weight), "ink": ink, "radius": 0}
            sheet.box(x - 46, y + 24 * number, 92, 24, words, line=1, size=13, **look)
        y += 3 * 24
    else:
        for number, (name, color) in enumerate(named):
            left = x - 72 + 50 * number
            sheet.text(left + 5, y + 18, name, color=color, size=14)
            sheet.vector(left + 12, y + 7, 4, 8, 14, color=color)
        y += 48
        asked = f"head {head + 1}: {ASKED[head]}"
        sheet.text(x, y - 5, asked, color=QUERY, size=13, italic=True)
        for number, (word, weight) in enumerate(zip(WORDS, weights, strict=True)):
            ink = ink_on(weight)
            words = f"{word}\n{weight:.2f}".replace("0.", ".")
            look = {"color": GREY, "fill": shade(weight), "ink": ink, "radius": 0}
            place = x - 72 + 48 * number, y, 48, 38
            sheet.box(*place, words, line=1, size=13, **look)
        y += 38
    sheet.line((x, y + 4), (x, y + 18), color=OUTPUT, arrow=True)
    sheet.vector(x - 2 * cell, y + 22, 4, cell, 18, color=OUTPUT)
    return y + 40


@drawing(
    "The numbers 0 to 7 in a table of two positions and four features. The first two features of each position belong "
    "to head 1 and are violet, the last two belong to head 2 and are white. Cut, then swap: head 1 holds 0 1 and 4 5, "
    "all violet, and head 2 holds 2 3 and 6 7, all white, so that each head has both positions. One reshape: head 1 "
    "holds 0 1 and 2 3, which is all of position 1, and head 2 holds 4 5 and 6 7, all of position 2; each head is half "
    "violet and half white."
)
def cut_and_swap_or_reshape(sheet: Sheet) -> None:
    """Eight numbers on their way to two heads, the right way and a wrong one of the same shape."""
    small = torch.arange(8.0).reshape(2, 4)
    right, wrong = split_heads(small, 2), small.reshape(2, 2, 2)
    cell, start = 36, 96 if sheet.narrow else 84

    def table(x: float, y: float, numbers: torch.Tensor) -> None:
        for i, row in enumerate(numbers.tolist()):
            for j, number in enumerate(row):
                look = {"bold": True, "fill": shade(0.5)} if number % 4 < 2 else {}
                sheet.box(
                    x + j * cell, y + i * cell, cell, cell, f"{number:.0f}", color=VIOLET, ink=INK, radius=0, **look
                )

    sheet.text(start + 2 * cell, 18, "as they come", bold=True)
    for head in range(2):
        sheet.text(start + (2 * head + 1) * cell, 46, f"head {head + 1}'s", size=14)
        sheet.text(start - 8, 78 + head * cell, f"position {head + 1}", anchor="end", size=14)
    table(start, 54, small)
    ways = ("cut, then swap", right, "both positions in each head"), ("one reshape", wrong, "one position in each head")
    for number, (title, heads, means) in enumerate(ways):
        x, y = (84, 166 + 168 * number) if sheet.narrow else (292 + 222 * number, 0)
        sheet.text(x + 2 * cell + 12, y + 18, title, bold=True)
        for head in range(2):
            left = x + head * (2 * cell + 24)
            sheet.text(left + cell, y + 46, f"head {head + 1}", size=14)
            table(left, y + 54, heads[head])
        sheet.text(x + 2 * cell + 12, y + 54 + 2 * cell + 22, means, color=GREY, size=14)
