"""Drawings of what attention has to hold: a table of scores, a cache."""

from attnbook.drawings.sheet import Sheet, drawing, shade
from attnbook.page.style import GREY, INK, KEY, OUTPUT, QUERY, VALUE, VIOLET

FAINT = "#d4d4d4"
WORDS, TILE = 4096, 128


@drawing(
    "On the left the table of all scores of 4096 queries and 4096 keys, 16,777,216 in each head, drawn with a dashed "
    "outline: it is never stored. A tiny square in it is one tile of 128 by 128 scores, true to scale. On the right "
    "the tile is enlarged; an arrow leads from it to what is kept for each query: the largest score so far, the sum "
    "and the output. Then the tile is forgotten and the next one is read."
)
def a_table_never_stored(sheet: Sheet) -> None:
    """The table of scores, one tile of it, and what is kept of each row."""
    left, top, side, tiles = 58 if sheet.narrow else 40, 40, 224, WORDS // TILE
    row, column, step = 10, 6 if sheet.narrow else 18, side / tiles
    x, y = left + column * step, top + row * step

    sheet.text(left + side / 2, top - 14, "4096 keys", color=KEY, size=14)
    middle = top + side / 2
    sheet.text(left - 14, middle, "4096 queries", color=QUERY, size=14, turn=-90)
    for line in range(row, tiles):
        down = top + line * step
        sheet.line((left, down), (left + side, down), color=FAINT, width=0.6)
    for line in range(tiles):
        across = left + line * step
        sheet.line((across, y), (across, top + side), color=FAINT, width=0.6)
    sheet.bar(left, top, side, row * step, fill=shade(0.14))
    sheet.bar(left, y, column * step, step, fill=shade(0.14))
    sheet.text(left + side / 2, top + 40, "read and forgotten", size=14)
    sheet.box(left, top, side, side, color=GREY, dashed=True, radius=0)
    sheet.bar(x, y, step, step, fill=VIOLET)
    middle = left + side / 2 + (26 if sheet.narrow else 0)
    sheet.bar(middle - 80, top + 130, 160, 52, fill="#ffffff")
    sheet.text(middle, top + 151, f"{WORDS * WORDS:,} scores,", size=14)
    sheet.text(middle, top + 171, "never stored", size=14)

    big = 112
    if sheet.narrow:
        to_x, to_y = 14, top + side + 62
        ways = ((x, y + step), (to_x, to_y)), ((x + step, y + step), (to_x + big, to_y))
    else:
        to_x, to_y = 352, top + 56
        ways = ((x + step, y), (to_x, to_y)), ((x + step, y + step), (to_x, to_y + big))
    for way in ways:
        sheet.line(*way, color=VIOLET, width=1, dashed=True)
    sheet.bar(to_x, to_y, big, big, fill="#ffffff")
    said = f"{TILE} × {TILE}\nscores"
    look = {"color": VIOLET, "fill": shade(0.3), "ink": INK, "radius": 0}
    sheet.box(to_x, to_y, big, big, said, line=2.5, size=14, **look)
    x, y = to_x + big + 12, to_y + big / 2
    sheet.line((x, y), (x + 28, y), width=2, arrow=True)

    low, x = to_y + big, x + 44
    said = to_x + big / 2, low + 22 if sheet.narrow else to_y - 14
    sheet.text(*said, "one tile at a time", bold=True, size=14)
    sheet.text(x + 64, to_y - 14, "kept of each row", bold=True, size=14)
    for start, wide, fill, name in (
        (0, 14, shade(0.6), "largest\nscore"),
        (48, 14, shade(0.6), "sum"),
        (88, 52, OUTPUT, "output"),
    ):
        sheet.box(x + start, to_y, wide, big, color=INK, fill=fill, radius=0, line=1)
        for number, line in enumerate(name.split("\n")):
            sheet.text(x + start + wide / 2, low + 18 + 16 * number, line, size=13)


HEADS, SIZE = 8, 16  # of a small layer
LATENT = 4 * SIZE, SIZE // 2  # a latent and the rotated part, as DeepSeek-V2 has them


@drawing(
    "Four layers with eight query heads. Multi-head: each query head has a key and value head of its own. Grouped: "
    "four query heads share each of two. Multi-query: all share one. Latent: each has its own keys and values, made "
    "from one short vector, and only that vector is kept. Bars compare what the cache keeps per position with heads "
    "of 16 numbers: 256, 64, 32, and 64 + 8 numbers."
)
def four_ways_to_share_keys(sheet: Sheet) -> None:
    """Eight query heads on eight, two and one key/value heads, and on a latent."""
    kept = [2 * groups * SIZE for groups in (HEADS, 2, 1)] + [sum(LATENT)]
    names = "multi-head", "grouped", "multi-query", "latent"
    for number, (name, groups) in enumerate(zip(names, (8, 2, 1, 0), strict=True)):
        if sheet.narrow:
            left, top = 4 + 176 * (number % 2), 18 + 262 * (number // 2)
        else:
            left, top = 4 + 178 * number, 18
        sheet.text(left + 78, top, name, bold=True)
        heads = [left + 8 + 20 * h for h in range(HEADS)]
        queries, keys = top + 40, top + 100
        if not number:
            sheet.text(left + 78, top + 22, "8 query heads", size=13, color=QUERY)
        for x in heads:
            sheet.dot(x, queries, 6, fill=QUERY)
        for group in range(groups):
            size = HEADS // groups
            mine = heads[group * size : (group + 1) * size]
            x = sum(mine) / size
            for query in mine:
                sheet.line((query, queries + 8), (x, keys - 3), color=GREY, width=1)
            _key_and_value(sheet, x, keys)
        if not groups:
            x = sum(heads) / HEADS
            for query in heads:
                sheet.line((query, queries + 8), (query, keys - 38), color=GREY, width=1)
                _key_and_value(sheet, query, keys - 36, faint=True)
                sheet.line((query, keys - 8), (x, keys + 10), color=GREY, width=1)
            sheet.box(x - 26, keys + 10, 52, 16, color=VIOLET, fill=shade(0.4), radius=0)
        shared = f"{groups} keys and values" if groups > 1 else "1 key and value"
        sheet.text(left + 78, keys + 46, shared if groups else "1 latent", size=13)
        if not number or sheet.narrow and number == 2:
            said = "kept per position:"
            sheet.text(left, top + 174, said, anchor="start", size=13, color=GREY)
        sheet.bar(left, top + 182, kept[number] * 152 / kept[0], 16, fill=shade(0.6))
        said = f"{kept[number]} numbers" if groups else "{} + {} numbers".format(*LATENT)
        sheet.text(left, top + 217, said, anchor="start", size=14)


def _key_and_value(sheet: Sheet, x: float, y: float, faint: bool = False) -> None:
    for place, color in ((x - 8, KEY), (x, VALUE)):
        look = {"dashed": True, "line": 1} if faint else {"fill": color, "line": 1}
        sheet.box(place, y, 8, 26, color=color, radius=0, **look)
