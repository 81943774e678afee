"""A drawing of what encoders and language models are trained on."""

from attnbook.drawings.sheet import Sheet, drawing
from attnbook.page.style import GREY, INK, KEY, OUTPUT, QUERY, VIOLET

WORDS = ("the", "dog", "chased", "the", "cat")
GAP = 2


@drawing(
    "Two ways to learn from the dog chased the cat. Left, fill the gap: chased is replaced by MASK, lines come to it "
    "from all other words on both sides, and only there the answer, chased, is asked for; in the table of who may look "
    "at whom, no cell is forbidden. Right, go on: lines come to chased from the words before it only, and each place "
    "is asked for the next word; in the table, the future is forbidden."
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
            sheet.box(x + j * cell, y + i * cell, cell, cell, color=GREY, radius=0, line=1)
        name = "[MASK]" if masked and i == GAP else WORDS[i]
        sheet.text(x - 6, y + i * cell + 16, name, anchor="end", size=13, color=QUERY if i == GAP else INK)
    sheet.text(x + 5 * cell + 12, y + 30, "asked at", anchor="start", size=14, color=VIOLET)
    sheet.text(x + 5 * cell + 12, y + 52, "1 place of 5" if masked else "5 places of 5", anchor="start", bold=True)
    sheet.text(x + 2.5 * cell, y + 5 * cell + 18, "who may look at whom", size=13, color=GREY)
