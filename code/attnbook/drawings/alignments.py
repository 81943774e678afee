"""Alignments: who looked at whom while a translation was written, and how an alignment is judged."""

import functools
from collections.abc import Collection

from torch import Tensor

from attnbook.drawings.sheet import Picture, Sheet, drawing, shade
from attnbook.page.style import GREY, KEY, ink_on
from attnbook.translation import load_page_model

KEY_INK = "#A84A00"  # the key's colour, dark enough for words


@functools.cache
def _alignment(sentence: str) -> tuple[list[str], list[str], list[list[float]]]:
    """What the page's translator looks at for its own translation."""
    source, target, weights = load_page_model("bahdanau").align(sentence)
    return source, target, weights.tolist()


@drawing(
    "Two tables of attention weights, French words down and English words across; the largest weight of each row has a "
    "thick outline. She bought a red car: voiture looks most at car, 0.58, and rouge, the word after it, back at red, "
    "0.87; the first word, elle, at bought, 0.81, and at she with 0.05. I'm not afraid of animals: animaux looks most "
    "at animals, 0.74; the first word, je, at not, 0.62, and at I'm with 0.02."
)
def where_each_word_looked(sheet: Sheet) -> None:
    """The attention weights of two translations, with numbers."""
    cell, label = 36, 76
    for number, sentence in enumerate(("She bought a red car.", "I'm not afraid of animals.")):
        source, target, weights = _alignment(sentence)
        x = label if sheet.narrow else label + number * 352
        y = 74 + number * (8 * cell + 96) * sheet.narrow
        sheet.table(x, y, weights, cell=cell, rows=target, numbers=True, size=13)
        for j, word in enumerate(source):
            sheet.text(x + (j + 0.5) * cell + 5, y - 8, word, anchor="start", size=14, turn=-90)
        for i, row in enumerate(weights):
            j = max(range(len(row)), key=row.__getitem__)
            sheet.box(x + j * cell, y + i * cell, cell, cell, color=KEY, radius=0, line=3)
        _axes(sheet, x, y)
        if number or not sheet.narrow:
            sheet.text(x, y + 8 * cell + 20, "framed: the row's largest", color=KEY_INK, anchor="start", size=14)


def _axes(sheet: Sheet, x: float, y: float) -> None:
    """What the columns and the rows of a table are, beside its upper left corner."""
    sheet.text(x - 7, y - 26, "looks at →", anchor="end", size=13, color=GREY)
    sheet.text(x - 7, y - 8, "writes ↓", anchor="end", size=13, color=GREY)


def weights_and_true_links(
    source: list[str], target: list[str], weights: Tensor, links: Collection[tuple[int, int]]
) -> Picture:
    """Attention weights with rings at the true links; beside each row, how far its largest weight is from one.

    Args:
        source, target: the words, without `<eos>`.
        weights: (T, S) from 0 to 1, one row per target word.
        links: pairs (i, j) of a source word i and the target word j that belongs to it.

    Returns:
        The picture.
    """
    said = []
    for j, row in enumerate(weights):
        away = min(abs(int(row.argmax()) - i) for i, word in links if word == j)
        said.append(("hit", "next to it")[away] if away < 2 else f"{away} away")

    def draw(sheet: Sheet) -> None:
        cell, left, top = (27, 92, 92) if sheet.narrow else (38, 112, 92)
        high, two_lines = (42, 8) if sheet.narrow else (30, 0)  # narrow: the verdict is below the word
        right = left + len(source) * cell + 8
        for i, word in enumerate(source):
            sheet.text(left + (i + 0.5) * cell + 5, top - 8, word, anchor="start", size=14, turn=-90)
        for j, (word, row) in enumerate(zip(target, weights.tolist(), strict=True)):
            y = top + j * high
            sheet.text(left - 7, y + high / 2 + 5 - two_lines, word, anchor="end", size=14)
            for i, weight in enumerate(row):
                look = {"color": GREY, "fill": shade(weight), "radius": 0, "line": 0.7}
                words = f"{weight:.2f}".lstrip("0")
                ink = ink_on(weight)
                sheet.box(left + i * cell, y, cell, high, words, ink=ink, size=13, **look)
            at, look = ((left - 7, "end"), {"size": 13}) if sheet.narrow else ((right, "start"), {"size": 14})
            sheet.text(at[0], y + high / 2 + 5 + two_lines, said[j], anchor=at[1], bold=said[j] == "hit", **look)
        for i, j in sorted(links):
            x, y = left + (i + 0.5) * cell, top + (j + 0.5) * high
            sheet.dot(x, y, 13, fill="none", color=KEY)
        _axes(sheet, left, top)
        under = top + len(target) * high + 22
        sheet.text(left, under, "ring: a true link", anchor="start", size=14, color=KEY_INK)
        if sheet.narrow:
            said_below = "under each word: its row's largest weight"
            sheet.text(left - 84, under + 20, said_below, size=13, anchor="start", color=GREY)
        else:
            sheet.text(right, top - 8, "largest:", anchor="start", size=13, color=GREY)

    alt = (
        f"Attention weights from {' '.join(target)}, down, to {' '.join(source)}, across, with rings at the true "
        "links. Beside each row, how far its largest weight is from a true link: "
        + ", ".join(f"{word} {how}" for word, how in zip(target, said, strict=True))
        + "."
    )
    return Picture(draw, alt)


SURE, POSSIBLE = {(0, 0), (1, 2), (2, 3), (3, 2)}, {(1, 1), (3, 1)}  # (target, source)
CLAIMED = {(0, 0), (1, 1), (2, 3), (3, 3)}


@drawing(
    "A table with the French words elle ne dort pas down and the English words she does not sleep across. Disks mark "
    "the four sure links: elle to she, ne to not, dort to sleep, pas to not; rings mark two more that are possible: ne "
    "and pas to does. Four cells are shaded, the links that are claimed: elle to she and dort to sleep, both sure; ne "
    "to does, possible; pas to sleep, wrong. Beside it: two sure, three possible, of four claimed and four sure, 1 "
    "minus 5 eighths is 0.375."
)
def four_claimed_links(sheet: Sheet) -> None:
    """The alignment error rate of four claimed links."""
    cell, x, y = 50, 52, 30
    for i, french in enumerate(("elle", "ne", "dort", "pas")):
        sheet.text(x - 8, y + (i + 0.5) * cell + 5, french, anchor="end")
        for j in range(4):
            ground = shade(0.45) if (i, j) in CLAIMED else "none"
            sheet.box(x + j * cell, y + i * cell, cell, cell, color=GREY, fill=ground, radius=0, line=1)
    for j, english in enumerate(("she", "does", "not", "sleep")):
        sheet.text(x + (j + 0.5) * cell, y - 9, english)
    for links, fill in ((SURE, KEY), (POSSIBLE, "none")):
        for i, j in links:
            sheet.dot(x + (j + 0.5) * cell, y + (i + 0.5) * cell, 9, fill=fill, color=KEY)
    left, top = (8, y + 4 * cell + 34) if sheet.narrow else (x + 4 * cell + 56, y + 24)
    sheet.dot(left + 9, top - 5, 9, fill=KEY, color=KEY)
    sheet.text(left + 32, top, "sure link", anchor="start")
    sheet.dot(left + 9, top + 25, 9, fill="none", color=KEY)
    sheet.text(left + 32, top + 30, "possible, not sure", anchor="start")
    sheet.box(left, top + 46, 18, 18, color=GREY, fill=shade(0.45), radius=0, line=1)
    sheet.text(left + 32, top + 60, "claimed: the row's largest weight", anchor="start")
    right, allowed = len(CLAIMED & SURE), len(CLAIMED & (SURE | POSSIBLE))
    rate = 1 - (right + allowed) / (len(CLAIMED) + len(SURE))
    said = f"AER = 1 − ({right} + {allowed}) / ({len(CLAIMED)} + {len(SURE)}) = {rate:g}"
    sheet.text(left, top + 104, said, anchor="start", bold=True)
    sheet.text(left, top + 128, f"claims: {right} sure, {allowed} sure or possible", anchor="start", size=14)


# words with the places of the English ones that they come from, the sure one first
ENGLISH = ["Paul", "saw", "the", "dog", "that", "Marc", "sold"]
FRENCH = [("Paul", 0), ("a", 1), ("vu", 1), ("le", 2), ("chien", 3), ("que", 4), ("Marc", 5), ("a", 6), ("vendu", 6)]
CHINESE = [("保罗", 0), ("看到", 1), ("了", 1), ("马克", 5), ("卖", 6), ("的", 4), ("狗", 3, 2)]
GLOSSES = "Paul", "see", "(past)", "Marc", "sell", "that", "dog"


@drawing(
    "Paul saw the dog that Marc sold, twice, with lines to its translation below. To French, Paul a vu le chien que "
    "Marc a vendu, no two lines cross. To Chinese three lines cross two others or more: the words are, in order, Paul, "
    "see, a mark of the past, Marc, sell, that, dog. The dog has gone to the end, and what is said of it stands "
    "before it. The has no word of its own."
)
def links_that_cross(sheet: Sheet) -> None:
    """One English sentence linked to French and to Chinese."""
    for number, (name, words) in enumerate((("French", FRENCH), ("Chinese", CHINESE))):
        x, y = (0, 176 * number) if sheet.narrow else (356 * number, 0)
        above, below, chinese = y + 42, y + 112, words is CHINESE
        sheet.text(x + 4, y + 16, f"English and {name}", anchor="start", size=14, color=GREY)
        wide = [7.6 * len(word) for word in GLOSSES] if chinese else [7.6 * len(word[0]) for word in words]
        english = _places(x, [7.6 * len(word) for word in ENGLISH])
        other = _places(x, wide)
        for word, at in zip(ENGLISH, english, strict=True):
            sheet.text(at, above, word)
        for k, ((text, *places), at) in enumerate(zip(words, other, strict=True)):
            sheet.text(at, below + 15, text)
            for i in places:
                moved = chinese and places[0] in (3, 4)
                look = {"color": KEY, "width": 2.5} if moved else {"color": GREY}
                sheet.line((english[i], above + 7), (at, below - 3), dashed=i != places[0], **look)
            if chinese:
                sheet.text(at, below + 36, GLOSSES[k], size=13, color=GREY)


def _places(x: float, widths: list[float]) -> list[float]:
    """The middles of words in a row 330 wide, with equal gaps."""
    gap = (330 - sum(widths)) / (len(widths) - 1)
    return [x + 4 + sum(widths[:k]) + k * gap + width / 2 for k, width in enumerate(widths)]


def heads_and_their_average(
    heads: Tensor, source: list[str], target: list[str], links: Collection[tuple[int, int]], errors: list[float]
) -> Picture:
    """One large map, the average of all heads, and a small one for each head; known links are framed.

    Args:
        heads: (H, T, S) weights from 0 to 1, one row per target word.
        source, target: the words.
        links: pairs (i, j) of a source word i and the target word j that belongs to it.
        errors: an error rate for each head, then one for their average.

    Returns:
        The picture.
    """

    def table(sheet: Sheet, left: float, top: float, weights: Tensor, cell: float) -> None:
        for j, row in enumerate(weights.tolist()):
            for i, weight in enumerate(row):
                look = {"color": "#d0d0d0", "fill": shade(weight), "radius": 0, "line": 0.5}
                sheet.box(left + i * cell, top + j * cell, cell, cell, **look)
        for i, j in sorted(links):
            look = {"color": KEY, "radius": 0, "line": cell / 11}
            sheet.box(left + i * cell, top + j * cell, cell, cell, **look)

    def draw(sheet: Sheet) -> None:
        cell, left, top = (24, 92, 96) if sheet.narrow else (22, 96, 96)
        for i, word in enumerate(source):
            sheet.text(left + (i + 0.5) * cell + 5, top - 7, word, anchor="start", size=14, turn=-90)
        for j, word in enumerate(target):
            sheet.text(left - 7, top + (j + 0.5) * cell + 5, word, anchor="end", size=14)
        _axes(sheet, left, top)
        table(sheet, left, top, heads.mean(0), cell)
        under = top + len(target) * cell
        sheet.text(left, under + 22, f"average of all: error {errors[-1]:.2f}", anchor="start", size=14, bold=True)
        sheet.text(left, under + 44, "framed: a true link", anchor="start", size=14, color=KEY_INK)
        sheet.text(left, under + 64, "errors: over all sentences", anchor="start", size=14, color=GREY)
        x0, y0 = (4, under + 108) if sheet.narrow else (left + len(source) * cell + 24, 60)
        across = 2 if sheet.narrow else 4
        step = (sheet.width - x0) / across  # as large as there is room for
        small = (step - 12) / len(source)
        high = len(target) * small + (40 if sheet.narrow else 64)
        for number, weights in enumerate(heads):
            x, y = x0 + number % across * step, y0 + number // across * high
            table(sheet, x, y, weights, small)
            words = f"{number // 4 + 1}.{number % 4 + 1}: {errors[number]:.2f}"
            sheet.text(x, y + len(target) * small + 18, words, anchor="start", size=13)
        sheet.text(x0, y0 - 14, "each head (layer.head): its error", anchor="start", size=13, color=GREY)

    alt = (
        f"Nine heat maps of the decoder's looks from the words of {' '.join(target)}, down, to those of "
        f"{' '.join(source)}, across; the true links are framed. Large, the average of all eight heads, with an error "
        f"rate of {errors[-1]:.2f}. Small, the heads by themselves, with error rates from {min(errors[:-1]):.2f} to "
        f"{max(errors[:-1]):.2f}."
    )
    return Picture(draw, alt)
