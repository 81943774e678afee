"""Drawings of what models are trained on: two tasks, what filling costs, partners to be found, and smoothed labels."""

import math

import torch

from attnbook.drawings.sheet import Sheet, drawing, shade, tint
from attnbook.page.style import GREY, INK, KEY, OUTPUT, QUERY, VIOLET, ink_on

WORDS = ("the", "dog", "chased", "the", "cat")
GAP = 2  # the word to which lines are drawn in both halves


@drawing(
    "Two ways to learn from the dog chased the cat; blue, the positions that are asked. Fill the gap: chased is "
    "replaced by MASK, lines come to it from all other words on both sides, and it alone is blue and asked, for "
    "chased; in the table of who may look at whom, queries down and keys across, every cell is filled. Go on: all five "
    "are blue and asked for the next word, dog for chased; lines come to chased only, from the two words before it; in "
    "the table, each row is filled up to the word itself, and the future is hatched."
)
def fill_the_gap_or_go_on(sheet: Sheet) -> None:
    """The masked objective beside the causal one, on one sentence."""
    for number, masked in enumerate((True, False)):
        left, top = (2, 18 + 336 * number) if sheet.narrow else (2 + 360 * number, 18)
        _objective(sheet, left, top, masked)


def _objective(sheet: Sheet, left: float, top: float, masked: bool) -> None:
    wide, step = 61, 67
    colours = [INK if masked and t != GAP else QUERY for t in range(5)]
    middle = [left + step * t + wide / 2 for t in range(5)]
    answers, row = top + 30, top + 70
    title = "fill the gap: look both ways" if masked else "go on: look back only"
    sheet.text(left, top, title, anchor="start", bold=True)
    for t, word in enumerate(WORDS):
        gap = masked and t == GAP
        sheet.box(left + step * t, row, wide, 32, "[MASK]" if gap else word, color=colours[t], size=14)
        asked = WORDS[GAP] if gap else None if masked else (*WORDS, ".")[t + 1]
        if asked:
            sheet.box(left + step * t, answers - 16, wide, 28, asked, color=OUTPUT, ink=INK, dashed=True, size=14)
            sheet.line((middle[t], row - 2), (middle[t], answers + 15), color=OUTPUT, arrow=True)
    _looks(sheet, middle, row, GAP, both=masked)
    looking = "[MASK]" if masked else WORDS[GAP]
    sheet.text(middle[2], row + 82, f"lines: where {looking} looks, besides itself", size=13, color=KEY)
    table = [[1.0 if masked or j <= i else None for j in range(5)] for i in range(5)]
    x, y, cell = left + 100, row + 92, 22
    for i, cells in enumerate(table):
        for j, allowed in enumerate(cells):
            if allowed is None:
                sheet.hatch(x + j * cell, y + i * cell, cell, cell)
            ground = "none" if allowed is None else tint(VIOLET, 0.3)
            sheet.box(x + j * cell, y + i * cell, cell, cell, color=GREY, fill=ground, radius=0, line=1)
        name = "[MASK]" if masked and i == GAP else WORDS[i]
        sheet.text(x - 6, y + i * cell + 16, name, anchor="end", size=13, color=colours[i])
    sheet.text(x + 5 * cell + 12, y + 30, "asked at", anchor="start", size=14, color=QUERY)
    for line, words in enumerate(("1 position" if masked else "5 positions", "of 5")):
        sheet.text(x + 5 * cell + 12, y + 52 + 20 * line, words, anchor="start", size=14, bold=True, color=QUERY)
    key = "filled: may be looked at" + ("" if masked else "; hatched: may not")
    sheet.text(x + 2.5 * cell, y + 5 * cell + 18, key, size=13, color=GREY)
    sheet.text(x + 2.5 * cell, y + 5 * cell + 36, "rows: queries; columns: keys", size=13, color=GREY)


def _looks(sheet: Sheet, middle: list[float], row: float, ask: int, *, both: bool) -> None:
    """Lines to one position from all others that may be looked at from there."""
    for t, x in enumerate(middle):
        if t < ask or (both and t > ask):
            far = abs(t - ask)
            low = row + 44 + 10 * far
            end = middle[ask] + 6 * (ask + 1 - far) * (1 if t > ask else -1)  # the farthest ends innermost
            sheet.line((x, row + 34), (x, low), (end, low), (end, row + 35), color=KEY, arrow=True)


TEXTS = torch.tensor([[0.5, 0.0], [0.0, 0.5]])  # new and los, down, by york and angeles, across
SAID = {0.0: "0", 0.25: "¼", 0.5: "½"}
OFF = ("the", "dog", "ran", "off")  # the last one is appended


@drawing(
    "Two tables of new and los, down, by york and angeles, across. What the texts say: ½ for new york and ½ for los "
    "angeles, 0 for the two others. What is written if each gap is filled on its own: ¼ in each of the four cells, "
    "with crosses at new angeles and los york, which no text says. Beside them, the states of the dog ran after off "
    "has been appended, embedding, layer 1 and layer 2 of each word; those to compute are filled. Looking back, they "
    "are the three of off; both ways, the embedding of off and all states of both layers."
)
def why_filling_is_not_writing(sheet: Sheet) -> None:
    """Two gaps filled apart, beside what the texts say; and the states that one more word asks for."""
    sheet.text(8, 18, "two gaps, each filled on its own", anchor="start", bold=True, size=14)
    apart = TEXTS.sum(1)[:, None] * TEXTS.sum(0)
    for number, (name, shares) in enumerate((("what the texts say", TEXTS), ("what is written", apart))):
        x, y = 42 + 168 * number, 82
        sheet.text(x + 62, 48, name, size=13)
        for j, word in enumerate(("york", "angeles")):
            sheet.text(x + 62 * j + 31, y - 8, word, size=13)
        for i, word in enumerate(("new", "los")):
            sheet.text(x - 6, y + 32 * i + 21, word, anchor="end", size=13)
            for j in range(2):
                share = shares[i, j].item()
                words = SAID[share] + (" ✗" if share > TEXTS[i, j] == 0 else "")
                look = {"color": GREY, "fill": shade(share), "ink": INK, "radius": 0, "line": 1}
                sheet.box(x + 62 * j, y + 32 * i, 62, 32, words, **look)
    sheet.text(8, 172, "✗: no text says this", anchor="start", size=13, color=GREY)
    left, top = (0, 200) if sheet.narrow else (360, 0)
    sheet.text(left + 8, top + 18, "one more word: off", anchor="start", bold=True, size=14)
    for row, name in enumerate(("layer 2", "layer 1", "embedding")):
        sheet.text(left + 75, top + 58 + 26 * row + 18, name, anchor="end", size=12)
    for number, name in enumerate(("looking back", "both ways")):
        x = left + 81 + 130 * number
        sheet.text(x + 62, top + 48, name, size=13)
        for j, word in enumerate(OFF):
            new = j == len(OFF) - 1
            for row in range(3):
                ground = tint(VIOLET, 0.45) if new or (number and row < 2) else "none"
                sheet.box(x + 31 * j, top + 58 + 26 * row, 31, 26, color=GREY, fill=ground, radius=0, line=1)
            sheet.text(x + 31 * j + 15.5, top + 154, word, size=13, color=QUERY if new else INK, bold=new)
    sheet.text(left + 8, top + 180, "filled: to be computed; empty: kept", anchor="start", size=13, color=GREY)


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


PAIRS = ("what sings?", "a bird"), ("what is red?", "a rose"), ("what shuts?", "a door")
ASKING = torch.tensor([[0.6, 0.8], [1.0, 0.0], [0.8, -0.6]])  # made up, of length 1
ANSWERING = torch.tensor([[0.6, 0.8], [0.0, 1.0], [0.8, -0.6]])
SCALE = 2


@drawing(
    "Three texts in rows, what sings?, what is red? and what shuts?, and their partners in columns, a bird, a rose and "
    "a door. A first table has their cosines, row by row: 1.0, 0.8, 0.0; 0.6, 0.0, 0.8; 0.0, −0.6, 1.0. The cells of "
    "the diagonal, the partners, have heavy frames. The second table is the softmax of twice the cosines along each "
    "row: 0.55, 0.37, 0.07; 0.36, 0.11, 0.53; 0.12, 0.03, 0.85. Beside each row stands minus the logarithm of its "
    "framed share: 0.59, 2.23 and 0.16; below, their mean, the loss, 0.99. In the second row the door is nearer than "
    "the partner, and the loss is large."
)
def each_text_finds_its_partner(sheet: Sheet) -> None:
    """The loss of a batch of pairs: cosines, a softmax along each row, and what it gives to the partners."""
    cosines = ASKING @ ANSWERING.T
    shares = (SCALE * cosines).softmax(-1)
    losses = -shares.diagonal().log()
    cell, high, left, top = (50, 34, 90, 46) if sheet.narrow else (58, 34, 104, 66)
    other, low = (left, top + 3 * high + 94) if sheet.narrow else (left + 3 * cell + 92, top)
    sheet.text(left + 1.5 * cell, 16, "cosines", bold=True, size=14)
    _partners(sheet, left, top, cell, high, [[(v, "none") for v in row] for row in cosines.tolist()], "{:.1f}")
    for row, (words, _) in enumerate(PAIRS):
        for y in {top, low}:
            sheet.text(left - 8, y + (row + 0.5) * high + 5, words, anchor="end", size=13)
    if sheet.narrow:
        sheet.line((left - 36, top + 3 * high + 8), (left - 36, low - 14), color=GREY, arrow=True)
    else:
        sheet.line((left + 3 * cell + 14, top + 1.5 * high), (other - 14, top + 1.5 * high), color=GREY, arrow=True)
    middle, title = other + (1.9 if sheet.narrow else 1.5) * cell, low - 62 if sheet.narrow else 16
    sheet.text(middle, title, f"softmax of {SCALE} × cosine", bold=True, size=14)
    sheet.text(middle, title + 18, "along each row", size=13)
    _partners(sheet, other, low, cell, high, [[(v, shade(v)) for v in row] for row in shares.tolist()], "{:.2f}")
    end, below = other + 3 * cell + (8 if sheet.narrow else 14), low + 3 * high + 22
    sheet.text(end, low - 10, "−log(partner)", anchor="start", size=13)
    for row, loss in enumerate(losses.tolist()):
        sheet.text(end, low + (row + 0.5) * high + 5, f"{loss:.2f}", anchor="start", size=14)
    sheet.text(end, below, f"mean: {losses.mean():.2f}", anchor="start", size=13, bold=True)
    sheet.text(left + 3 * cell, below, "thick frame: the partner", anchor="end", size=13, color=GREY)


def _partners(sheet: Sheet, x: float, y: float, cell: float, high: float, table: list, form: str) -> None:
    """A table of texts by partners; what belongs together is framed."""
    for j, (_, words) in enumerate(PAIRS):
        sheet.text(x + (j + 0.5) * cell, y - 10, words, size=13)
    for i, row in enumerate(table):
        for j, (value, fill) in enumerate(row):
            ink = INK if fill == "none" else ink_on(value)
            place = x + j * cell, y + i * high, cell, high
            words = form.format(abs(value) if abs(value) < 1e-6 else value).replace("-", "−")
            sheet.box(*place, words, color=GREY, fill=fill, ink=ink, radius=0, line=1, size=14)
    for i in range(len(table)):
        sheet.box(x + i * cell + 1.5, y + i * high + 1.5, cell - 3, high - 3, radius=0, line=3)
