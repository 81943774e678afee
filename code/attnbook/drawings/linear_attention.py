"""Drawings of how linear attention is computed, and of what its memory is asked for."""

from attnbook.drawings.sheet import Sheet, drawing, shade
from attnbook.page.style import GREY, INK, KEY, QUERY, VALUE, VIOLET

LENGTH, CHUNK = 7, 3


@drawing(
    "Three triangles of seven rows, a row for each position: what it sees of the past. In parallel, every cell is a "
    "score, 28 in one step. Recurrently, each row is one read of the matrix S, with no scores, in 7 steps. In chunks "
    "of 3, the cells near the diagonal are scores, 13 in all, and the matrix stands in for all cells left of them, "
    "in 3 steps."
)
def one_triangle_in_three_ways(sheet: Sheet) -> None:
    """The past of each position as scores, as a matrix, or as both."""
    cell, apart = (14, 18) if sheet.narrow else (24, 72)
    left, top, size = (3, 28, 12) if sheet.narrow else (26, 30, 14)
    for number, (title, long) in enumerate((("in parallel", LENGTH), ("recurrently", 0), ("in chunks", CHUNK))):
        x = left + number * (LENGTH * cell + apart)
        sheet.text(x + LENGTH * cell / 2, 17, title, bold=True, size=size)
        scores = 0
        for t in range(LENGTH):
            start = t - t % long if long else t + 1  # the first position with a score of its own
            for j in range(start, t + 1):
                sheet.box(x + j * cell, top + t * cell, cell, cell, color=GREY, fill=shade(0.5), radius=0, line=1)
                scores += 1
        every = long or 1  # rows that read the same S
        for t in range(long, LENGTH, every):
            wide, high = (t if long else t + 1) * cell, min(every, LENGTH - t) * cell
            look = {"color": VALUE, "ink": INK, "radius": 0, "line": 1.5, "size": 12}
            sheet.box(x, top + t * cell, wide, high, "S", **look)
        steps = -(-LENGTH // every) if long < LENGTH else 1
        low = top + LENGTH * cell
        for down, words in ((20, f"{scores or 'no'} scores"), (38, f"{steps} step{'s' if steps > 1 else ''}")):
            sheet.text(x + LENGTH * cell / 2, low + down, words, size=13)


TASKS = {  # eight pairs: the key's letter, and whether the pair still counts; which of these are asked for
    "store": ("abcdefgh", range(8), ()),
    "update": ("abcadcbd", (3, 5, 6, 7), ()),
    "reset": ("abcdefgh", (6, 7), (6,)),
}


@drawing(
    "Three rows of eight pairs, each a key, a letter, over a value, a number. Store: eight different keys, and all are "
    "asked for. Update: the keys a, b, c, a, d, c, b, d; of each key the first pair is hatched, void, and the "
    "later one is asked for. Reset: eight different keys with a mark on the seventh; the six before it are void, "
    "and the last two are asked for."
)
def what_three_tasks_ask(sheet: Sheet) -> None:
    """The pairs of three tasks of recall: void, or asked for."""
    left, wide, row, down = (2, 38, 96, 28) if sheet.narrow else (104, 56, 74, 12)
    for number, (name, (keys, counts, marks)) in enumerate(TASKS.items()):
        top = 14 + row * number + (16 if sheet.narrow else 0)
        if sheet.narrow:
            sheet.text(left, top - 8, name, anchor="start", bold=True)
        else:
            sheet.text(left - 14, top + 29, name, anchor="end", bold=True)
        for t, (key, value) in enumerate(zip(keys, (5, 2, 7, 3, 8, 1, 6, 4), strict=True)):
            x = left + t * (wide + 4)
            if t in counts:
                sheet.box(x, top, wide, 46, color=QUERY, line=2.5)
            else:
                sheet.hatch(x, top, wide, 46)
                sheet.box(x, top, wide, 46, color=GREY, line=1)
            sheet.text(x + wide / 2, top + 19, key, color=KEY, bold=True)
            sheet.text(x + wide / 2, top + 38, str(value), color=VALUE, bold=True)
            if t in marks:
                sheet.text(x + wide / 2, top - 4, "mark", color=VIOLET, size=13)
    low = 14 + row * 2 + 46 + down + (16 if sheet.narrow else 0)
    sheet.box(left, low, 16, 14, color=QUERY, line=2.5)
    sheet.text(left + 24, low + 12, "asked for", anchor="start", size=13)
    sheet.hatch(left + 130, low, 16, 14)
    sheet.box(left + 130, low, 16, 14, color=GREY, line=1, radius=0)
    sheet.text(left + 154, low + 12, "void", anchor="start", size=13)
