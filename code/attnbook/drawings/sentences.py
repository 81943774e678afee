"""Drawings of one sentence that asks itself, and of the three vectors that a word needs for it."""

from collections.abc import Sequence

import torch

from attnbook.attention import causal_mask
from attnbook.drawings.sheet import WRITTEN, Sheet, drawing, shade, tint
from attnbook.interop import TIME_FLIES
from attnbook.page.style import GREY, INK, KEY, MASKED, OUTPUT, QUERY, VALUE, VIOLET, ink_on

WORDS = TIME_FLIES[0].split()


@drawing(
    "Three small maps; in each the sentence time flies like an arrow stands below and answers. Self-attention: the "
    "same five words stand above and ask, and lines lead down from each to all five. Masked: lines lead only to the "
    "word itself and to those before it, so that like sees time, flies and like, while an and arrow stand in dashed "
    "grey boxes. Cross-attention: the first words of a French translation, le temps vole, ask, and each sees all five."
)
def who_asks_whom(sheet: Sheet) -> None:
    """Self-, masked and cross-attention: the same lines, other words above, and a mask."""
    every = torch.ones(5, 5, dtype=torch.bool)
    french, chosen = ["le", "temps", "vole"], 2
    for number, (title, sees, above, mask) in enumerate(
        (
            ("self-attention", "a word sees all words", WORDS, every),
            ("masked", "a word sees no later word", WORDS, causal_mask(5)),
            ("cross-attention", "a word sees another sentence", french, every[:3]),
        )
    ):
        if sheet.narrow:
            x, y, step, deep = 10, 252 * number, 64, 96
        else:
            x, y, step, deep = 6 + 236 * number, 0, 43, 120
        upper, lower, middle = y + 92, y + 92 + deep, x + 2.5 * step
        sheet.text(x, y + 18, title, anchor="start", bold=True)
        sheet.text(x, y + 40, sees, anchor="start", color=GREY, size=14)
        asks = "the sentence itself asks" if above == WORDS else "its translation asks"
        sheet.text(middle, upper - 23, asks, color=QUERY, size=13, italic=True)
        apart = step if len(above) == 5 else 1.3 * step
        keys = [x + (j + 0.5) * step for j in range(5)]
        queries = [middle + (i - len(above) // 2) * apart for i in range(len(above))]
        for i in sorted(range(len(above)), key=lambda i: i == chosen):
            look = {"color": "#bbbbbb", "width": 1}
            if i == chosen:
                look = {"color": QUERY, "width": 2, "arrow": True}
            for key in [key for j, key in enumerate(keys) if mask[i, j]]:
                sheet.line((queries[i], upper + 8), (key, lower - 19), **look)
        for at, word in zip(queries, above, strict=True):
            sheet.text(at, upper, word, color=QUERY, size=14, bold=word == above[chosen])
        for j, word in enumerate(WORDS):
            seen = bool(mask[chosen, j])
            if not seen:
                wide = 12 + 8 * len(word)
                sheet.box(keys[j] - wide / 2, lower - 17, wide, 24, color=MASKED, dashed=True, line=1)
            sheet.text(keys[j], lower, word, color=KEY if seen else GREY, size=14)
        sheet.text(middle, lower + 24, "the sentence answers", color=KEY, size=13, italic=True)


KINDS = "article", "adjective", "noun", "verb"
CUP = "the", "red", "cup", "broke"  # one word of each kind, so that the rows of an identity matrix are their vectors
LOOKS_FOR = "noun", "noun", "adjective", "noun"  # what each kind looks for


@drawing(
    "The sentence the red cup broke, one row per word, and three vectors for each, whose four numbers belong to "
    "article, adjective, noun and verb. Queries, what a word looks for: the, red and broke have a 6 at noun, cup has "
    "a 6 at adjective. Keys and values, what a word offers and passes on, have a 1 at the word's own kind. Beside "
    "them the table of weights, queries down and keys across. The, red and broke give 0.87 to cup and 0.04 to each "
    "other word; cup gives 0.87 to red and 0.04 to broke. Last, what comes out: for broke 0.87 at noun, for cup 0.87 "
    "at adjective."
)
def three_vectors_of_a_word(sheet: Sheet) -> None:
    """How a sentence becomes queries, keys and values, and what its words make of them."""
    x = torch.eye(4)
    looks_for = x[[KINDS.index(kind) for kind in LOOKS_FOR]]
    query, key, value = 6 * x @ looks_for, x, x
    weights = (query @ key.T / 4**0.5).softmax(-1)
    output = weights @ value
    narrow = sheet.narrow
    cell, high, gap, left = (22, 28, 6, 54) if narrow else (25, 32, 14, 54)
    chosen = CUP.index("broke")

    def words(top: float) -> None:
        for i, word in enumerate(CUP):
            look = {"anchor": "end", "size": 14, "bold": i == chosen}
            sheet.text(left - 7, top + (i + 0.5) * high + 5, word, color=QUERY if i == chosen else INK, **look)

    def head(x: float, top: float, title: str, does: str, color: str, columns: Sequence[str], wide: float) -> None:
        middle = x + 2 * wide
        color = WRITTEN if color == OUTPUT else color  # words need a darker one
        sheet.text(middle, top - (100 if narrow else 104), title, color=color, size=15, bold=True)
        sheet.text(middle, top - (83 if narrow else 86), does, color=color, size=13)
        for j, name in enumerate(columns):
            sheet.text(x + (j + 0.5) * wide + 5, top - 6, name, anchor="start", size=13, turn=-90)

    def cells(x: float, top: float, rows: torch.Tensor, color: str, wide: float, whole: bool) -> None:
        for i, row in enumerate(rows.tolist()):
            for j, number in enumerate(row):
                said = f"{number:g}" if whole else f"{number:.2f}".lstrip("0")
                look = {"radius": 0, "line": 1, "size": 13}
                if color == VIOLET:
                    look |= {"color": GREY, "fill": shade(number), "ink": ink_on(number)}
                else:
                    strong = number > 0.5
                    look |= {"color": color, "fill": tint(color, 0.35) if strong else "none"}
                    look |= {"ink": INK if strong else GREY, "bold": strong}
                sheet.box(x + j * wide, top + i * high, wide, high, said, **look)

    top = 116 if narrow else 120
    words(top)
    parts = (("query", "looks for", query, QUERY), ("key", "offers", key, KEY), ("value", "passes on", value, VALUE))
    for number, (title, does, rows, color) in enumerate(parts):
        at = left + number * (4 * cell + gap)
        head(at, top, title, does, color, KINDS, cell)
        cells(at, top, rows, color, cell, whole=True)
        if number == 0:
            sheet.box(at, top + chosen * high, 4 * cell, high, color=QUERY, radius=0, line=3)

    if narrow:
        top += 4 * high + 134
        words(top)
        at, wide, last = left, 34, 34
    else:
        at, wide, last = left + 3 * (4 * cell + gap) + 8, 35, 35
    head(at, top, "weights", "on each word", VIOLET, CUP, wide)
    cells(at, top, weights, VIOLET, wide, whole=False)
    sheet.box(at, top + chosen * high, 4 * wide, high, color=QUERY, radius=0, line=3)
    at += 4 * wide + gap
    head(at, top, "output", "weights × values", OUTPUT, KINDS, last)
    cells(at, top, output, OUTPUT, last, whole=False)
    below = top + 4 * high + 24
    share, back = (f"{weights[i, j].item():.2f}" for i, j in ((3, 2), (2, 3)))
    lines = (f"“broke” gives “cup” {share} of its weight; “cup” gives “broke” {back}.",)
    if narrow:
        lines = (f"“broke” gives “cup” {share} of its weight;", f"“cup” gives “broke” {back}.")
    for row, said in enumerate(lines):
        sheet.text(0 if narrow else left, below + 19 * row, said, anchor="start", size=14)
