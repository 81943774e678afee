"""Drawings of tables with a cell for every pair of tokens."""

from attnbook.drawings.sheet import Sheet, drawing, shade
from attnbook.page.style import GREY, INK, KEY, QUERY, VIOLET

WORDS = ["the", "founder", "of", "the", "museum", "of", "paris", "lives", "in"]
WORDS += ["georgia", "."]
ENTITIES = {(0, 6): "person", (3, 6): "group", (6, 6): "place", (9, 9): "place"}
SHADES = {"person": shade(0.3), "group": shade(0.65), "place": shade(1)}
INKS = {"person": INK, "group": "#ffffff", "place": "#ffffff"}


@drawing(
    "The sentence the founder of the museum of paris lives in georgia. Bars below it show its entities: a person from "
    "token 0 to 6, in it a group from 3 to 6, in it the place paris, and apart from them the place georgia. A tagger "
    "has one row with one label per token; at tokens 3 to 5 it would need two labels, at paris three. A table with a "
    "row for each first token and a column for each last one has a cell of its own for each of the four; the half "
    "below its diagonal is hatched."
)
def room_for_nested_names(sheet: Sheet) -> None:
    """Nested entities, the one row of a tagger, and a table of spans."""
    count = len(WORDS)
    left, cell, high = (74, 24, 20) if sheet.narrow else (80, 56, 16)
    right = left + count * cell
    top = 18
    for t, word in enumerate(WORDS):
        if sheet.narrow:
            x = left + (t + 0.5) * cell + 4
            sheet.text(x, 62, word, size=13, anchor="start", turn=-90)
        else:
            sheet.text(left + (t + 0.5) * cell, top, word, size=14)
    top = 62 if sheet.narrow else 18
    _bars(sheet, left, top + 12, cell)

    row = top + 12 + 3 * 24 + (40 if sheet.narrow else 12)
    for t in range(count):
        names = [name for (i, j), name in ENTITIES.items() if i <= t <= j]
        said = (*names, "none")[0] if len(names) < 2 else f"1 of {len(names)}"
        look = {"line": 1.5, "ink": INK if names else GREY}
        if sheet.narrow:
            said = str(len(names))
        if len(names) > 1:
            look = {"color": KEY, "ink": KEY, "line": 2.5, "bold": True}
        look = {"color": GREY, "radius": 0, "size": 13} | look
        sheet.box(left + t * cell + 1, row, cell - 2, 28, said, **look)
    lines = ("labels", "needed") if sheet.narrow else ("a tagger's", "one label")
    for number, line in enumerate(lines):
        sheet.text(0, row + 11 + 16 * number, line, anchor="start", size=13)
    if sheet.narrow:
        said = "A tagger gives each token one label."
        sheet.text(0, row - 12, said, anchor="start", size=13)

    table = row + 28 + 34
    said = "A table has a cell for every first and last word."
    middle = 0 if sheet.narrow else (left + right) / 2
    anchor = "start" if sheet.narrow else "middle"
    sheet.text(middle, table - 10, said, anchor=anchor, size=13)
    for i, word in enumerate(WORDS):
        y = table + i * high
        sheet.hatch(left, y, i * cell, high) if i else None
        base = y + high / 2 + 4.5
        sheet.text(left - 8, base, word, anchor="end", size=13, color=QUERY)
        for j in range(i, count):
            x, name = left + j * cell, ENTITIES.get((i, j))
            look = {"fill": SHADES[name], "ink": INKS[name]} if name else {}
            said = "" if sheet.narrow else name or ""
            look |= {"color": "#c4c4c4", "radius": 0, "line": 1, "size": 12.5}
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


@drawing(
    "Two tables over the words the museum of paris, with a row and a column for each. In GlobalPointer's, the group "
    "is the cell in the row of the first word, the, and the column of the last, paris; the place is the cell paris, "
    "paris; the half below the diagonal is hatched. In W2NER's, three cells above the diagonal link each word to the "
    "next; the group's type stands below the diagonal, in the row of its last word and the column of its first, and "
    "the place again at paris, paris."
)
def two_readings_of_a_table(sheet: Sheet) -> None:
    """The same two entities in GlobalPointer's table and in W2NER's."""
    words = WORDS[3:7]
    pointer = {(0, 3): "group", (3, 3): "place"}
    chain = {(t, t + 1): "next" for t in range(3)} | {(3, 0): "group", (3, 3): "place"}
    cell, high = 66, 32
    tables = (
        ("GlobalPointer", pointer, "row: the first word", "column: the last word"),
        ("W2NER", chain, "above: on to the next word", "below: from last word to first"),
    )
    for number, (title, cells, *lines) in enumerate(tables):
        left, top = (70, 18 + 262 * number) if sheet.narrow else (70 + 360 * number, 18)
        sheet.text(left + 2 * cell, top, title, bold=True)
        table = top + 44
        for i, word in enumerate(words):
            x, y = left + (i + 0.5) * cell, table + (i + 0.5) * high + 5
            sheet.text(x, table - 8, word, size=14, color=KEY)
            sheet.text(left - 8, y, word, anchor="end", size=14, color=QUERY)
            for j in range(4):
                x, y = left + j * cell, table + i * high
                name = cells.get((i, j), "")
                if j < i and not number:
                    sheet.hatch(x, y, cell, high)
                look = {"color": "#c4c4c4", "radius": 0, "line": 1, "size": 14}
                if name == "next":
                    look |= {"fill": shade(0.15), "ink": INK}
                elif name:
                    look |= {"fill": SHADES[name], "ink": INKS[name]}
                sheet.box(x, y, cell, high, name, **look)
        for down, line in enumerate(lines):
            at = left + 2 * cell, table + 4 * high + 24 + 19 * down
            sheet.text(*at, line, size=13)


SISTER = ("the", "sister", "of", "the", "founder", "of", "the", "museum", "of", "paris")
OF_SISTER = {(0, 9): "person", (3, 9): "person", (6, 9): "group"}


@drawing(
    "The words the sister of the founder of the museum of paris, with three bars below them: a person from the first "
    "word to the last, in it a person who begins at the founder, in it the group, the museum of paris. A link from "
    "last word to last word leads from paris to paris, where two persons end. A link from first word to first word "
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
    x, low = middle[9], below + (30 if sheet.narrow else 102)
    loop = ((x - 9, below), (x - 19, below + 50), (x + 19, below + 50), (x + 8, below + 8))
    sheet.line(*loop, color=KEY, width=2.2, curved=True)
    sheet.area((x + 6, below), (x + 2, below + 12), (x + 13, below + 11), fill=KEY)
    start, end = (middle[3], below - 24), (middle[6], below)
    corners = (start[0], low - 5), (end[0], low - 5)
    sheet.line(start, *corners, end, color=VIOLET, width=2.2, arrow=True)

    lines = (
        ("last word → last word", "two persons end here", KEY),
        ("first word → first word", "only one begins here", VIOLET),
    )
    for number, (kind, said, color) in enumerate(lines):
        y = below + 70 + 56 * number if sheet.narrow else below + 36 + 66 * number
        sheet.text(left, y, kind, anchor="start", size=14)
        look = {"size": 14, "color": color}
        if sheet.narrow:
            sheet.text(left, y + 21, said, anchor="start", **look)
        elif number:
            sheet.text(start[0] + 12, y - 18, said, anchor="start", **look)
        else:
            sheet.text(x - 26, y, said, anchor="end", **look)
