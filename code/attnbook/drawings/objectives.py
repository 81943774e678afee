"""Drawings of what models are trained on: two tasks for one sentence, and a loss with label smoothing."""

import math

from attnbook.drawings.sheet import Sheet, drawing, tint
from attnbook.page.style import GREY, INK, KEY, OUTPUT, QUERY, VIOLET

WORDS = ("the", "dog", "chased", "the", "cat")
GAP = 2


@drawing(
    "Two ways to learn from the dog chased the cat. Left, fill the gap: chased is replaced by MASK, lines come to it "
    "from all other words on both sides, and only there the answer, chased, is asked for; in the table of who may look "
    "at whom, every cell is filled. Right, go on: lines come to chased from the words before it only, and each place "
    "is asked for the next word; in the table, the future is hatched."
)
def fill_the_gap_or_go_on(sheet: Sheet) -> None:
    """The masked objective beside the causal one, on one sentence."""
    for number, masked in enumerate((True, False)):
        left, top = (2, 18 + 318 * number) if sheet.narrow else (2 + 360 * number, 18)
        _objective(sheet, left, top, masked)


def _objective(sheet: Sheet, left: float, top: float, masked: bool) -> None:
    wide, step = 61, 67
    middle = [left + step * t + wide / 2 for t in range(5)]
    answers, row = top + 30, top + 70
    title = "fill the gap: look both ways" if masked else "go on: look back"
    sheet.text(left, top, title, anchor="start", bold=True)
    for t, word in enumerate(WORDS):
        gap = masked and t == GAP
        sheet.box(left + step * t, row, wide, 32, "[MASK]" if gap else word, color=QUERY if t == GAP else INK, size=14)
        asked = WORDS[GAP] if gap else None if masked else (*WORDS, ".")[t + 1]
        if asked:
            sheet.box(left + step * t, answers - 16, wide, 28, asked, color=OUTPUT, ink=INK, dashed=True, size=14)
            sheet.line((middle[t], row - 2), (middle[t], answers + 15), color=OUTPUT, arrow=True)
    ask = GAP
    for t in range(5):
        if t != ask and (masked or t < ask):
            low = row + 44 + 10 * abs(t - ask)
            end = middle[ask] + 9 * (t - ask)
            way = (middle[t], row + 34), (middle[t], low), (end, low), (end, row + 35)
            sheet.line(*way, color=KEY, arrow=True)
    table = [[1.0 if masked or j <= i else None for j in range(5)] for i in range(5)]
    x, y, cell = left + 100, row + 92, 22
    for i, cells in enumerate(table):
        for j, allowed in enumerate(cells):
            if allowed is None:
                sheet.hatch(x + j * cell, y + i * cell, cell, cell)
            ground = "none" if allowed is None else tint(VIOLET, 0.3)
            sheet.box(x + j * cell, y + i * cell, cell, cell, color=GREY, fill=ground, radius=0, line=1)
        name = "[MASK]" if masked and i == GAP else WORDS[i]
        sheet.text(x - 6, y + i * cell + 16, name, anchor="end", size=13, color=QUERY if i == GAP else INK)
    sheet.text(x + 5 * cell + 12, y + 30, "asked at", anchor="start", size=14, color=VIOLET)
    sheet.text(x + 5 * cell + 12, y + 52, "1 place of 5" if masked else "5 places of 5", anchor="start", bold=True)
    key = "filled: may be looked at" + ("" if masked else "; hatched: may not")
    sheet.text(x + 2.5 * cell, y + 5 * cell + 18, key, size=13, color=GREY)


MODELS = ("nearly certain", 0.997, 0.001), ("as asked", 0.925, 0.025)  # of the right word, and of each of three others


@drawing(
    "The smoothed loss of two models as bars of four parts, one for each word. The nearly certain model, which gives "
    "the right word 0.997 and each other 0.001, pays 0.003 for the right word and 3 times 0.173 for the others, which "
    "are hatched: 0.521. The model that does as asked, with 0.925 and 0.025, pays 0.072 and 3 times 0.092: 0.349."
)
def what_certainty_costs(sheet: Sheet) -> None:
    """What each word adds to the smoothed loss of two models, with four words and ε = 0.1."""
    _, right, other = MODELS[1]  # what is asked of each word
    left, wide, row = (8, 486, 84) if sheet.narrow else (190, 780, 72)
    for number, (name, p, q) in enumerate(MODELS):
        top = 38 + row * number
        at = (left, top - 22, "start") if sheet.narrow else (left - 14, top + 15, "end")
        sheet.text(at[0], at[1], name, anchor=at[2], bold=True)
        at = (left + 130, top - 22, "start") if sheet.narrow else (left - 14, top + 34, "end")
        sheet.text(at[0], at[1], f"{p:.3f} and 3 · {q:.3f}", anchor=at[2], size=13, color=GREY)
        parts = [-right * math.log(p), *[-other * math.log(q)] * 3]
        x = left
        for word, part in enumerate(parts):
            if word:
                sheet.hatch(x, top, wide * part, 30)
                sheet.box(x, top, wide * part, 30, color=GREY, radius=0, line=1)
            else:
                sheet.box(x, top, wide * part, 30, color=INK, fill=VIOLET, radius=0, line=1)
                sheet.text(left, top - 5, f"{part:.3f}", anchor="start", size=13, color=VIOLET)
            x += wide * part
        middle = left + wide * (parts[0] + 1.5 * parts[1])
        sheet.bar(middle - 36, top + 6, 72, 18, fill="#ffffff")
        sheet.text(middle, top + 20, f"3 · {parts[1]:.3f}", size=13)
        sheet.text(x + 8, top + 20, f"= {sum(parts):.3f}", anchor="start", bold=True)
    low = 38 + row + 46
    sheet.bar(left, low, 16, 14, fill=VIOLET)
    sheet.text(left + 22, low + 12, "for the right word", anchor="start", size=13)
    sheet.hatch(left + 160, low, 16, 14)
    sheet.text(left + 182, low + 12, "for the three others", anchor="start", size=13)
