"""Drawings of tables with a cell for every pair of tokens."""

import torch

from attnbook.drawings.alignments import KEY_INK
from attnbook.drawings.sheet import PALE, Sheet, drawing, shade
from attnbook.page.style import GREY, INK, KEY, QUERY, VIOLET
from attnbook.pairs import binary_loss, pair_loss

WORDS = ["the", "founder", "of", "the", "museum", "of", "paris", "lives", "in"]
WORDS += ["georgia", "."]
ENTITIES = {(0, 6): "person", (3, 6): "group", (6, 6): "place", (9, 9): "place"}
SHADES = {"person": shade(0.3), "group": shade(0.65), "place": shade(1)}
INKS = {"person": INK, "group": "#ffffff", "place": "#ffffff"}


@drawing(
    "The sentence the founder of the museum of paris lives in georgia. Bars below it show its entities: a person from "
    "token 0 to 6, in it a group from 3 to 6, in it the place paris, and apart from them the place georgia. A row then "
    "counts the entities around each token: 1 for the first three, 2 for tokens 3 to 5, 3 for paris, 1 for georgia, 0 "
    "for the others; a tagger has room for one. A table with a row for each first token and a column for each last one "
    "has a cell of its own for each of the four; the half below its diagonal is hatched."
)
def room_for_nested_names(sheet: Sheet) -> None:
    """Nested entities, the one row of a tagger, and a table of spans."""
    count = len(WORDS)
    left, cell, high = (74, 24, 20) if sheet.narrow else (80, 56, 16)
    top = 18
    for t, word in enumerate(WORDS):
        if sheet.narrow:
            x = left + (t + 0.5) * cell + 4
            sheet.text(x, 62, word, size=13, anchor="start", turn=-90)
        else:
            sheet.text(left + (t + 0.5) * cell, top, word, size=14)
    top = 62 if sheet.narrow else 18
    _bars(sheet, left, top + 12, cell)

    row = top + 12 + 3 * 24 + (44 if sheet.narrow else 32)
    for t in range(count):
        depth = sum(i <= t <= j for i, j in ENTITIES)
        look = {"color": GREY, "ink": INK if depth else GREY, "line": 1.5}
        if depth > 1:
            look = {"color": KEY, "ink": KEY, "line": 2.5, "bold": True}
        sheet.box(left + t * cell + 1, row, cell - 2, 28, str(depth), radius=0, size=14, **look)
    said = "One label per token. Each token would need:"
    sheet.text(0 if sheet.narrow else left, row - 9, said, anchor="start", size=13)

    table = row + 28 + 34
    said = "A table has a cell for every first and last word."
    sheet.text(0 if sheet.narrow else left, table - 9, said, anchor="start", size=13)
    for i, word in enumerate(WORDS):
        y = table + i * high
        sheet.hatch(left, y, i * cell, high) if i else None
        base = y + high / 2 + 4.5
        sheet.text(left - 8, base, word, anchor="end", size=13, color=QUERY)
        for j in range(i, count):
            x, name = left + j * cell, ENTITIES.get((i, j))
            look = {"fill": SHADES[name], "ink": INKS[name]} if name else {}
            said = "" if sheet.narrow else name or ""
            look |= {"color": PALE, "radius": 0, "line": 1, "size": 12.5}
            sheet.box(x, y, cell, high, said, **look)
    if sheet.narrow:
        for (i, j), name in ENTITIES.items():
            x = left + (j + 1) * cell if j < 9 else left + j * cell - 50
            look = {"color": "#ffffff", "fill": "#ffffff", "ink": INK, "size": 13}
            sheet.box(x + 2, table + i * high + 1, 46, high - 2, name, **look)


def _bars(sheet: Sheet, left: float, top: float, cell: float) -> None:
    """Each entity as a bar below its words, the outer ones first."""
    for (i, j), name in ENTITIES.items():
        level = sum(a <= i and j <= b for a, b in ENTITIES) - 1
        x, y, wide = left + i * cell + 2, top + 24 * level, (j - i + 1) * cell - 4
        said = name if wide > 50 else ""
        look = {"color": "none", "fill": SHADES[name], "ink": INKS[name], "size": 13}
        sheet.box(x, y, wide, 20, said, **look)
        if not said and level:
            sheet.text(x + wide + 6, y + 15, name, anchor="start", size=13)
        elif not said:
            sheet.text(x + wide / 2, y + 36, name, size=13)


KNEE = ("left", "shoulder", "and", "knee")


@drawing(
    "Two tables over the words left shoulder and knee, a row and a column for each. In GlobalPointer's, a bar over "
    "left shoulder is the cell in the row of left and the column of shoulder. Left … knee has a gap: the cell of left "
    "and knee would mean all four words, and is crossed out. In W2NER's, arcs lead over the words, from left to "
    "shoulder and from left to knee: two cells above the diagonal say next. Dashed arcs lead back from the last word "
    "to the first: the cells shoulder, left and knee, left below the diagonal say part."
)
def two_readings_of_a_table(sheet: Sheet) -> None:
    """A name in two pieces, for which GlobalPointer's table has no cell, and W2NER's has two."""
    cell, high = (62, 32) if sheet.narrow else (64, 32)
    for number, title in enumerate(("GlobalPointer: a cell is a span", "W2NER: a cell is a link")):
        left, top = (82, 18 + 330 * number) if sheet.narrow else (76 + 362 * number, 18)
        middle = [left + (j + 0.5) * cell for j in range(4)]
        sheet.text(left - 76, top, title, anchor="start", bold=True)
        table = top + 126
        words, y = table - 9, table - 27
        if number:
            cells = {(0, 1): "next", (0, 3): "next", (1, 0): "part", (3, 0): "part"}
            for (i, j), name in cells.items():
                rise, away = (j - i) * 18 if i < j else (i - j) * 30, 5 if i < j else -5
                way = ((middle[i] + away, y), (middle[i] + away, y - rise - 8))
                way += ((middle[j] - away, y - rise - 8), (middle[j] - away, y))
                color = QUERY if i < j else KEY
                sheet.line(*way, color=color, width=2, curved=True, arrow=True, dashed=name == "part")
        else:
            cells = {(0, 1): "span"}
            look = {"color": VIOLET, "fill": shade(0.3), "ink": INK, "size": 13}
            sheet.box(left + 4, y - 22, 2 * cell - 8, 20, "one span", **look)
            look |= {"color": GREY, "fill": "none", "dashed": True}
            sheet.box(left + 4, y - 50, 4 * cell - 8, 20, "left … knee is not a span", **look)
        for i, word in enumerate(KNEE):
            y = table + (i + 0.5) * high + 5
            sheet.text(middle[i], words, word, size=13, color=KEY)
            sheet.text(left - 8, y, word, anchor="end", size=13, color=QUERY)
            for j in range(4):
                x, y = left + j * cell, table + i * high
                name = cells.get((i, j), "")
                if j < i and not number:
                    sheet.hatch(x, y, cell, high)
                look = {"color": PALE, "radius": 0, "line": 1, "size": 13}
                if name:
                    look |= {"fill": shade(0.65 if name == "part" else 0.3)}
                    look |= {"ink": "#ffffff" if name == "part" else INK}
                sheet.box(x, y, cell, high, name, **look)
        lines = ("row: first word, column: last word", INK), ("left … knee has no cell of its own", INK)
        if number:
            lines = (
                ("blue, above the diagonal: to the next word", QUERY),
                ("orange, below it: from last word to first", KEY_INK),
            )
        else:
            x, y = left + 3 * cell, table
            for way in (((x + 22, y + 7), (x + 42, y + 25)), ((x + 42, y + 7), (x + 22, y + 25))):
                sheet.line(*way, color=GREY)
        for down, (line, color) in enumerate(lines):
            sheet.text(left - 76, table + 4 * high + 24 + 19 * down, line, anchor="start", size=13, color=color)


@drawing(
    "Two bars of one length, the first gradient of a table of 378 cells, one of them right; each is divided into what "
    "pushes down and what pushes up. Binary loss: the 377 wrong cells push down with 188.5, nearly the whole bar; the "
    "right one pushes up with 0.5, 0.3 % of the push, a line at the end. Loss for pairs: all wrong cells together push "
    "down with 0.997, the right one pushes up with 0.5, 33 % of the push."
)
def first_push_of_two_losses(sheet: Sheet) -> None:
    """How the first gradient is shared between all wrong cells and the right one, in both losses."""
    pushes = []
    for loss in (lambda s, t: binary_loss(s, t) * s.numel(), pair_loss):
        scores, target = torch.zeros(1, 378, requires_grad=True), torch.zeros(1, 378, dtype=torch.bool)
        target[0, 0] = True
        loss(scores, target).backward()
        pushes.append((scores.grad[~target].sum().item(), -scores.grad[target].sum().item()))
    left, right, y = (0, 336, 18) if sheet.narrow else (150, 690, 18)
    for title, (down, up) in zip(("binary loss", "loss for pairs"), pushes, strict=True):
        sheet.text(0, y + (0 if sheet.narrow else 17), title, anchor="start", bold=True)
        look = {"anchor": "end" if sheet.narrow else "start", "size": 13, "color": GREY}
        sheet.text(right if sheet.narrow else 0, y + (0 if sheet.narrow else 36), "shares of the push", **look)
        y += 10 if sheet.narrow else 0
        middle = left + (right - left) * down / (down + up)
        sheet.bar(left, y, middle - left, 24, fill=GREY)
        sheet.bar(middle, y, right - middle, 24, fill=VIOLET)
        number = f"{down:.1f}" if down > 1 else f"{down:.3f}"
        said = f"377 wrong cells{', down' if sheet.narrow else ' push down'}: {number}"
        sheet.text(left + 10, y + 17, said, anchor="start", size=13, color="#ffffff")
        said = f"1 right cell pushes up: {up:.1f} ({100 * up / (down + up):.{0 if down < 1 else 1}f} %)"
        sheet.text(right, y + 43, said, anchor="end", size=13, color=VIOLET, bold=True)
        y += 80 if sheet.narrow else 66
    sheet.bottom = y - (30 if sheet.narrow else 16)


SISTER = ("the", "sister", "of", "the", "founder", "of", "the", "museum", "of", "paris")
OF_SISTER = {(0, 9): "person", (3, 9): "person", (6, 9): "group"}


@drawing(
    "The words the sister of the founder of the museum of paris, with three bars below them: a person from the first "
    "word to the last, in it a person who begins at the founder, in it the group, the museum of paris. A link from "
    "last word to last word leads from paris to paris, where two people end. A link from first word to first word "
    "leads from the founder's first word to the museum's, and only one person begins there."
)
def who_works_for_the_museum(sheet: Sheet) -> None:
    """A relation as a link of last words, and as one of first words."""
    left, cell, top = (2, 33.5, 60) if sheet.narrow else (18, 66, 18)
    middle = [left + (t + 0.5) * cell for t in range(len(SISTER))]
    for x, word in zip(middle, SISTER, strict=True):
        if sheet.narrow:
            sheet.text(x + 4, top, word, size=13, anchor="start", turn=-90)
        else:
            sheet.text(x, top, word, size=14)
    for level, ((i, j), name) in enumerate(OF_SISTER.items()):
        look = {"color": "none", "fill": SHADES[name], "ink": INKS[name], "size": 13}
        x, y = left + i * cell + 2, top + 14 + 24 * level
        sheet.box(x, y, (j - i + 1) * cell - 4, 20, name, **look)

    below = top + 14 + 24 * 3  # the bars
    x, low = middle[9], below + (30 if sheet.narrow else 40)
    loop = ((x - 9, below), (x - 19, below + 50), (x + 19, below + 50), (x + 8, below + 8))
    sheet.line(*loop, color=KEY, width=2.2, curved=True)
    sheet.area((x + 6, below), (x + 2, below + 12), (x + 13, below + 11), fill=KEY)
    start, end = (middle[3], below - 24), (middle[6], below)
    corners = (start[0], low - 5), (end[0], low - 5)
    sheet.line(start, *corners, end, color=VIOLET, width=2.2, arrow=True)

    lines = (
        ("last word → last word", "two people end here", KEY_INK),
        ("first word → first word", "only one begins here", VIOLET),
    )
    for number, (kind, said, color) in enumerate(lines):
        y = below + 70 + 56 * number if sheet.narrow else below + 36 + 66 * number
        look = {"size": 14, "color": color}
        if sheet.narrow:
            sheet.text(left, y, kind, anchor="start", **look)
            sheet.text(left, y + 21, said, anchor="start", **look)
        else:
            place, anchor = (left, "start") if number else (x + 34, "end")
            sheet.text(place, low + 24, f"{kind}: {said}", anchor=anchor, **look)


@drawing(
    "A table of two starts, i and i', and two ends, j and j'. Each cell holds the place score minus the group score, "
    "the row's number r or r' plus the column's t or t'. Cells i j and i' j', on the diagonal, should be places, above "
    "0; cells i j' and i' j should be groups, below 0. But both pairs of cells have one sum, r + r' + t + t'."
)
def four_cells_that_contradict(sheet: Sheet) -> None:
    """What a number for each row and one for each column cannot say."""
    cell, high, left, top = (110, 48, 92, 30) if sheet.narrow else (130, 48, 100, 30)
    rows, columns, marks = ("r", "r'"), ("t", "t'"), ("", "'")
    for i in range(2):
        sheet.text(left + (i + 0.5) * cell, top - 10, f"end j{marks[i]}: {columns[i]}", color=KEY_INK, size=14)
        look = {"color": QUERY, "anchor": "end", "size": 14}
        sheet.text(left - 8, top + (i + 0.5) * high + 5, f"start i{marks[i]}: {rows[i]}", **look)
        for j in range(2):
            said = f"{rows[i]} + {columns[j]}\n{'place: > 0' if i == j else 'group: < 0'}"
            look = {"color": GREY, "ink": INK, "fill": shade(0.3 if i == j else 0), "radius": 0, "line": 1, "size": 14}
            sheet.box(left + j * cell, top + i * high, cell, high, said, **look)
    x, y = (4, top + 2 * high + 26) if sheet.narrow else (left + 2 * cell + 30, top + high - 9)
    for down, line in enumerate(("places: the sum r + r' + t + t' > 0", "groups: the same sum < 0")):
        sheet.text(x, y + 26 * down, line, anchor="start", size=14)
