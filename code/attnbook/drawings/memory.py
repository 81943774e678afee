"""Drawings of what attention has to hold and to move: a table of scores, tiles, a cache."""

import math

from attnbook.drawings.alignments import KEY_INK
from attnbook.drawings.sheet import Sheet, drawing, shade
from attnbook.page.style import GREY, INK, KEY, OUTPUT, QUERY, VALUE, VIOLET

FAINT = "#d4d4d4"
WORDS, TILE = 4096, 128


@drawing(
    "First the table of all scores of 4096 queries and 4096 keys, 16,777,216 in each head, drawn with a dashed "
    "outline: it is never stored. A tiny square in it is one tile of 128 by 128 scores, true to scale. Then "
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
    sheet.text(x + 64, to_y - 14, "kept for each row", bold=True, size=14)
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
    "Four rows, each a layer with eight query heads and a bar for what its cache keeps per position, with heads of 16 "
    "numbers. Multi-head: each query has a key and a value of its own, 256 numbers. Grouped: four queries share each "
    "of two, 64. Multi-query: all share one, 32. Latent: each query has its own key and value, drawn dashed, since "
    "they are made from one short vector and not kept; kept are this latent and, in a small box beside it, what holds "
    "the position, 64 + 8."
)
def four_ways_to_share_keys(sheet: Sheet) -> None:
    """Eight query heads on eight, two and one key/value heads, and on a latent."""
    _ways_to_share(sheet, ("multi-head", "grouped", "multi-query", "latent"))


@drawing(
    "Three rows, each a layer with eight query heads and a bar for what its cache keeps per position, with heads of 16 "
    "numbers. Multi-head: each query has a key and a value of its own, 256 numbers. Grouped: the first four queries "
    "share one key and value, the last four another, 64. Multi-query: all share one, 32."
)
def three_ways_to_share_keys(sheet: Sheet) -> None:
    """Eight query heads on eight, two and one key/value heads."""
    _ways_to_share(sheet, ("multi-head", "grouped", "multi-query"))


def _ways_to_share(sheet: Sheet, names: tuple[str, ...]) -> None:
    kept = [2 * groups * SIZE for groups in (HEADS, 2, 1)] + [sum(LATENT)]
    left, bars, longest, row = (4, 196, 136, 112) if sheet.narrow else (160, 384, 200, 94)
    heads = [left + 8 + 21 * h for h in range(HEADS)]
    sheet.text(left, 14, "8 query heads", anchor="start", size=13, color=QUERY)
    sheet.text(bars, 14, "kept per position", anchor="start", size=13, bold=True)
    for number, (name, groups) in enumerate(zip(names, (8, 2, 1, 0), strict=False)):
        top = 30 + row * number
        queries = top + (26 if sheet.narrow else 8)
        keys = queries + (46 if groups else 62)
        sheet.text(4, top + (8 if sheet.narrow else 26), name, anchor="start", bold=True)
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
                sheet.line((query, queries + 8), (query, keys - 46), color=GREY, width=1)
                _key_and_value(sheet, query, keys - 45, faint=True)
                sheet.line((query, keys - 18), (x, keys), color=GREY, width=1)
            sheet.box(x - 26, keys, 52, 16, color=VIOLET, fill=shade(0.4), radius=0)
            sheet.box(x + 31, keys, 12, 16, color=KEY, fill=shade(0.1), radius=0)
            sheet.text(x - 34, keys + 13, "latent", anchor="end", size=13, color=VIOLET)
            sheet.text(x + 49, keys + 13, "position", anchor="start", size=13, color=KEY_INK)
        y = queries + 10
        sheet.bar(bars, y, kept[number] * longest / kept[0], 18, fill=shade(0.6))
        said = f"{kept[number]} numbers" if groups else "{} + {} numbers".format(*LATENT)
        if sheet.narrow:
            sheet.text(bars, y + 36, said, anchor="start", size=13)
        else:
            sheet.text(bars + kept[number] * longest / kept[0] + 8, y + 14, said, anchor="start", size=14)
    y = 30 + row * len(names) + (14 if sheet.narrow else 4)
    for x, color, said in ((4, KEY, "key"), (64, VALUE, "value")):
        sheet.bar(x, y, 10, 18, fill=color)
        sheet.text(x + 16, y + 14, said, anchor="start", size=13)
    if "latent" not in names:
        return
    for x, color in ((136, KEY), (146, VALUE)):
        sheet.box(x, y, 10, 18, color=color, dashed=True, radius=0, line=1)
    sheet.text(164, y + 14, "from the latent, not kept", anchor="start", size=13)


def _key_and_value(sheet: Sheet, x: float, y: float, faint: bool = False) -> None:
    for place, color in ((x - 8, KEY), (x, VALUE)):
        look = {"dashed": True, "line": 1} if faint else {"fill": color, "line": 1}
        sheet.box(place, y, 8, 26, color=color, radius=0, **look)


SPEED, BANDWIDTH = 989e12, 3.35e12  # of an H100 (SXM): operations on bfloat16 and bytes, per second
HALF = 2  # bytes of a number in bfloat16
WIDTH, LONG, LATENT_SIZE, ROTATED, HEAD, MANY = 512, 64, 512, 64, 128, 128


def bytes_of_a_head(tiled: bool) -> list[tuple[str, str, float]]:
    """What one head of 64 over 4096 words moves between the memories: what, which way, bytes."""
    vectors, table = WORDS * LONG * HALF, WORDS * WORDS * HALF
    if tiled:
        return [("Q", "in", vectors), ("K, V", "in", 2 * vectors * WORDS / TILE), ("output", "out", vectors)]
    return [
        ("Q, K, V", "in", 3 * vectors),
        ("scores", "out", table),
        ("scores", "in", table),
        ("weights", "out", table),
        ("weights", "in", table),
        ("output", "out", vectors),
    ]


def operations_per_byte() -> list[tuple[str, str, float]]:
    """How many operations are done for each byte that is fetched: when, by what, how many."""

    def recurrence(texts: int) -> float:
        return 2 * texts * WIDTH**2 / (HALF * (WIDTH**2 + 2 * texts * WIDTH))

    def square(tiled: bool) -> float:
        return 4 * WORDS**2 * LONG / sum(number for *_, number in bytes_of_a_head(tiled))

    def decoding(queries: int, key: int, value: int, kept: int) -> float:
        return 2 * queries * (key + value) / (HALF * kept)

    return [
        ("reading", "recurrence, 1 text", recurrence(1)),
        ("reading", "recurrence, 32 texts", recurrence(32)),
        ("reading", "attention with its table", square(False)),
        ("reading", "attention in tiles", square(True)),
        ("writing", "multi-head", decoding(1, HEAD, HEAD, 2 * HEAD)),
        ("writing", "grouped, 16 share", decoding(16, HEAD, HEAD, 2 * HEAD)),
        ("writing", "multi-query, 128 share", decoding(MANY, HEAD, HEAD, 2 * HEAD)),
        ("writing", "latent, 128 share", decoding(MANY, LATENT_SIZE + ROTATED, LATENT_SIZE, LATENT_SIZE + ROTATED)),
    ]


@drawing(
    "Eight lines with a dot each, across a logarithmic axis from 1 to 1000 operations per byte that is fetched. "
    "Reading a text: a recurrence with 1 text 1.0, with 32 texts 28; attention with its table 32, in tiles 124. "
    "Writing, by attention with a cache: multi-head 1.0, grouped queries 16, multi-query 128, latent 242. A dashed "
    "line at 295 is the balance of an H100. All dots lie to the left of it, where the processor waits for bytes."
)
def waiting_for_bytes(sheet: Sheet) -> None:
    """Operations per byte of everything that this chapter compares, and what a processor can use."""
    narrow = sheet.narrow
    left, right = (10, 322) if narrow else (232, 672)
    row, top = (42, 58) if narrow else (27, 58)
    cases = operations_per_byte()

    def across(number: float) -> float:
        return left + (right - left) * math.log10(number) / 3

    balance = across(SPEED / BANDWIDTH)
    low = top + len(cases) * row + (44 if narrow else 40)
    sheet.bar(left, top - 22, balance - left, low - top + 22, fill="#f0eef9")
    middle = (left + balance) / 2
    sheet.text(middle, top - 32, "waits for bytes", color=VIOLET, bold=True, size=14)
    said = "waits for arithmetic"
    if narrow:  # the strip to the right of the line is narrower than the words
        sheet.text((balance + right) / 2 - 4, (top - 22 + low) / 2, said, size=14, bold=True, turn=90)
    else:
        sheet.text(right, top - 32, said, anchor="end", size=14, bold=True)
    sheet.line((balance, top - 22), (balance, low), color=INK, dashed=True)
    y, before = top, ""
    for when, name, number in cases:
        if when != before:
            said = {"reading": "reading a text", "writing": "writing: attention, cached"}[when]
            start = left + 4 if narrow else 4
            sheet.text(start, y, said, anchor="start", size=13, color=GREY, bold=True)
            y += 20
        before = when
        x = across(number)
        line = y + (19 if narrow else 0)
        start = left + 4 if narrow else 16
        sheet.text(start, y + 4, name, anchor="start", size=13 if narrow else 14)
        sheet.line((left, line), (x, line), color=GREY, width=1)
        sheet.dot(x, line, 6, fill=VIOLET)
        said = f"{number:.0f}"
        if number < 100:
            sheet.text(x + 11, line + 5, said, anchor="start", size=13, bold=True)
        else:
            sheet.text(x - 10, line - 5, said, anchor="end", size=13, bold=True)
        y += row
    sheet.line((left, low), (right, low))
    for tick in (1, 10, 100, 1000):
        x = across(tick)
        sheet.line((x, low), (x, low + 5))
        anchor = "start" if tick == 1 and narrow else "end" if tick == 1000 else "middle"
        sheet.text(x, low + 20, str(tick), size=13, anchor=anchor)
    sheet.text(balance, low + 20, f"{SPEED / BANDWIDTH:.0f}", size=13, bold=True)
    sheet.text((left + right) / 2, low + 40, f"operations per byte moved; {SPEED / BANDWIDTH:.0f}: an H100", size=13)


@drawing(
    "Two columns, each with a small box, the fast memory, above a large one, the slow memory; arrows between them are "
    "as thick as the bytes that move, for one head of 64 over 4096 words with 2 bytes per number. First, with the "
    "table: Q, K, V in, 1.6 MB; scores out and in, weights out and in, 33.6 MB each time, numbered as trips 1 to 4; "
    "output out, 0.5 MB; together "
    "136 MB. Then, in tiles: Q in, 0.5 MB; K and V in once for each of 32 tiles of queries, 33.6 MB; output out, 0.5 "
    "MB; together 35 MB."
)
def fast_and_slow_memory(sheet: Sheet) -> None:
    """The bytes that attention moves between the memories, with a table and in tiles."""
    wide = 322 if sheet.narrow else 330
    for number, (title, tiled) in enumerate((("with the table", False), ("in tiles", True))):
        left = 8 if sheet.narrow else 8 + number * (wide + 24)
        top = 26 + (number * 286 if sheet.narrow else 0)
        moves = bytes_of_a_head(tiled)
        total = sum(amount for *_, amount in moves)
        sheet.text(left + wide / 2, top - 8, f"{title}: {total / 1e6:.0f} MB", bold=True)
        sheet.box(
            left + wide / 2 - 105, top + 4, 210, 40, "fast memory\nbeside the arithmetic", fill=shade(0.12), size=13
        )
        sheet.box(left, top + 150, wide, 72, fill="#eeeeee")
        sheet.text(left + wide / 2, top + 214, "slow memory", size=14)
        trip, step = 0, wide / len(moves)
        for place, (name, way, amount) in enumerate(moves):
            x = left + step * (place + 0.5)
            near = left + wide / 2 + (x - left - wide / 2) * 0.6
            thick = max(amount / 33.6e6 * 12, 1.5)
            ends = [(x, top + 148), (near, top + 48)]
            color = VIOLET if way == "in" else GREY
            _stout_arrow(sheet, *(ends if way == "in" else ends[::-1]), thick, color)
            size = 12 if sheet.narrow else 13
            sheet.text(x, top + 168, name, size=size)
            sheet.text(x, top + 185, f"{amount / 1e6:.1f}", size=size)
            if name in ("scores", "weights"):
                trip += 1
                sheet.text(x + 0.4 * (near - x) + 15, top + 112, str(trip), size=13, bold=True)
        said = "K and V come back for each of 32 tiles of queries" if tiled else "the table makes four trips"
        sheet.text(left + wide / 2, top + 240, said, size=13)


def _stout_arrow(sheet: Sheet, start: tuple, end: tuple, thick: float, color: str) -> None:
    (x0, y0), (x1, y1) = start, end
    long = math.hypot(x1 - x0, y1 - y0)
    along = (x1 - x0) / long, (y1 - y0) / long
    head = 6 + thick
    neck = x1 - along[0] * head, y1 - along[1] * head
    sheet.line(start, neck, color=color, width=thick)
    side = 4 + thick / 2
    sheet.area(
        end,
        (neck[0] - along[1] * side, neck[1] + along[0] * side),
        (neck[0] + along[1] * side, neck[1] - along[0] * side),
        fill=color,
    )
