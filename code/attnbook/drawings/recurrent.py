"""Drawings of recurrent translators: through one vector, and with looks back."""

import functools

from attnbook.drawings.sheet import Sheet, drawing, shade, tint
from attnbook.page.style import GREY, INK, KEY, QUERY, VIOLET
from attnbook.translation import load_page_model

READ = "he", "was", "very", "calm", "<eos>"
WROTE = "il", "était", "très", "calme", "<eos>"
WRITTEN = "#A0447A"  # the output's colour, dark enough for words


@drawing(
    "A reader, one vector and a writer. The reader takes the words he was very calm and the end, and has one state "
    "after another. Only its last state is handed on: one vector, always of 256 numbers. The writer has one state "
    "after another, too, and from each comes a word: il était très calme and the end. Into each state go the vector "
    "and the word before; no line leads from the reader's other states to the writer."
)
def a_sentence_through_one_vector(sheet: Sheet) -> None:
    """An encoder and a decoder with one vector in between."""
    pitch, wide, high = (66, 44, 30) if sheet.narrow else (58, 42, 32)
    reader, writer = ((10, 72), (10, 284)) if sheet.narrow else ((6, 100), (420, 100))
    for (x, y), name in zip((reader, writer), ("s", "h")[::-1], strict=True):
        for t in range(5):
            left = x + pitch * t
            look = {"color": INK, "fill": "#f4f4f4"}
            sheet.box(left, y, wide, high, f"{name}_{t + 1}", **look)
            if t:
                way = (left - pitch + wide, y + high / 2), (left - 3, y + high / 2)
                sheet.line(*way, arrow=True)
    for t, word in enumerate(READ):
        x, y = reader[0] + pitch * t + wide / 2, reader[1]
        above = sheet.narrow
        start, end = (y - 20, y - 3) if above else (y + high + 20, y + high + 3)
        sheet.line((x, start), (x, end), color=GREY, arrow=True)
        sheet.text(x, y - 26 if above else y + high + 37, word, size=14)
    for t, word in enumerate(WROTE):
        x, y = writer[0] + pitch * t + wide / 2, writer[1]
        below = sheet.narrow
        start, end = (y + high, y + high + 22) if below else (y, y - 22)
        sheet.line((x, start), (x, end), color=WRITTEN, arrow=True)
        base = end + 17 if below else end - 7
        sheet.text(x, base, word, color=WRITTEN, size=14)
        if t < 4:
            there = x + pitch - wide / 2 + 6, y + high + 3 if below else y - 3
            sheet.line((x + 26, base - 5), there, color=WRITTEN, width=1, dashed=True, arrow=True)
    last = reader[0] + 4 * pitch + wide
    if sheet.narrow:
        sheet.text(10, 18, "the reader", anchor="start", bold=True)
        sheet.text(10, writer[1] + 94, "the writer", anchor="start", bold=True)
        sheet.line((last - 22, 102), (last - 22, 171), (255, 171), width=2.5, color=VIOLET, arrow=True)
        sheet.vector(90, 160, 8, 20, 22, color=VIOLET)
        sheet.text(90, 148, "c: always 256 numbers", color=VIOLET, anchor="start", size=14)
        top = 228
        sheet.line((170, 184), (170, top), color=VIOLET, width=2.5)
        sheet.line((writer[0] + 22, top), (writer[0] + 4 * pitch + 22, top), color=VIOLET, width=2.5)
        for t in range(5):
            x = writer[0] + pitch * t + 22
            sheet.line((x, top), (x, writer[1] - 3), color=VIOLET, width=2, arrow=True)
        return
    for x, who, how in ((6, "the reader", "one state after another"), (420, "the writer", "one word after another")):
        sheet.text(x, 16, who, anchor="start", bold=True)
        sheet.text(x, 37, how, anchor="start", size=14)
    middle = reader[1] + high / 2
    sheet.line((last, middle), (337, middle), color=VIOLET, width=2.5, arrow=True)
    sheet.vector(341, middle - 64, 8, 30, 16, color=VIOLET, down=True)
    sheet.text(356, middle + 84, "c: always", color=VIOLET, size=14)
    sheet.text(356, middle + 102, "256 numbers", color=VIOLET, size=14)
    low = middle + 50
    sheet.line((371, low), (420 + 4 * pitch + wide / 2, low), color=VIOLET, width=2.5)
    for t in range(5):
        x = writer[0] + pitch * t + wide / 2
        sheet.line((x, low), (x, writer[1] + high + 3), color=VIOLET, width=2, arrow=True)


@functools.cache
def _looks() -> tuple[list[str], list[str], list[list[float]]]:
    """What the page's translator looks at: source words, target words, weights (T, S)."""
    source, target, weights = load_page_model("bahdanau").align("A black cat.")
    return source, target, weights.tolist()


@drawing(
    "Two steps of a decoder that writes un chat for a black cat. The encoder has a state for every word of the source, "
    "read from both ends. The decoder's state s0, made of what the encoder ends with, is the query of step 1: its "
    "weights are 0.26 for a, 0.15 for black and 0.52 for cat; the average of the encoder's states is the "
    "context c1, which makes s1 and the word un. s1 is the query of step 2: weights 0.12, 0.12, 0.67, context c2, s2, "
    "and the word chat."
)
def two_looks_back(sheet: Sheet) -> None:
    """Two steps of Bahdanau's decoder, unrolled."""
    if sheet.narrow:
        _looks_above_and_below(sheet)
        return
    source, target, weights = _looks()
    pitch, wide, left, ground, top, strip = 84, 60, 150, 272, 50, 156
    right = left + 4 * pitch + wide
    _encoder(sheet, left, ground, pitch, wide, source)
    states = 118, 366, 614
    for t in (0, 1):
        x = states[t] + 24
        for j, weight in enumerate(weights[t]):
            ends = (x + 36 * j + 18, strip + 26), (left + pitch * j + 30, ground - 2)
            sheet.line(*ends, color=KEY, width=0.8 + 6 * weight)
        _strip(sheet, x, strip, 36, weights[t])
        sheet.text(x + 2, strip - 8, "weights", anchor="start", size=14)
        asked = ((states[t] + 8, top + 32), (states[t] + 8, strip + 13), (x - 3, strip + 13))
        sheet.line(*asked, color=QUERY, width=2, arrow=True)
        sheet.text(x - 8, top + 62, "query", color=QUERY, anchor="start", size=14)
        c = states[t + 1] - 86
        sheet.line((c, strip), (c, top + 84), color=VIOLET, width=2, arrow=True)
        look = {"color": VIOLET, "fill": tint(VIOLET), "size": 14}
        sheet.box(c - 48, top + 52, 96, 28, f"context c_{t + 1}", **look)
        into = ((c + 48, top + 66), (states[t + 1] - 12, top + 66), (states[t + 1] - 12, top + 36))
        sheet.line(*into, color=VIOLET, width=2, arrow=True)
        after = (states[t] + 24, top + 16), (states[t + 1] - 27, top + 16)
        sheet.line(*after, arrow=True)
        before = (states[t] + 26, top - 28), (states[t + 1] - 18, top - 3)
        sheet.line(*before, color=WRITTEN, width=1, dashed=True, arrow=True)
    for t, (x, word) in enumerate(zip(states, ("<bos>", *target), strict=False)):
        sheet.box(x - 24, top, 48, 32, f"s_{t}", color=QUERY, fill=tint(QUERY))
        sheet.text(x, top - 26, word, color=WRITTEN, bold=t > 0)
        if t:
            sheet.line((x, top), (x, top - 20), color=WRITTEN, arrow=True)
    ends = (right, ground + 10), (right + 14, ground + 10), (right + 14, ground + 70)
    way = (100, ground + 70), (100, top + 36)
    sheet.line(*ends, *way, color=GREY, dashed=True, arrow=True)
    sheet.line((left, ground + 30), (100, ground + 30), color=GREY, dashed=True)
    sheet.text(right + 26, ground + 14, "read from", anchor="start", size=14)
    sheet.text(right + 26, ground + 33, "both ends", anchor="start", size=14)


def _looks_above_and_below(sheet: Sheet) -> None:
    """The first step above the encoder and the second one below it, for a phone."""
    source, target, weights = _looks()
    pitch, wide, left, ground = 66, 46, 12, 196
    _encoder(sheet, left, ground, pitch, wide, source)
    for t, (strip, row) in enumerate(((128, 34), (294, 362))):
        for j, weight in enumerate(weights[t]):
            x = left + pitch * j + wide / 2
            ends = (strip + 26, ground - 2) if t == 0 else (ground + 42, strip)
            sheet.line((x, ends[0]), (x, ends[1]), color=KEY, width=0.8 + 6 * weight)
            _strip(sheet, x - wide / 2, strip, wide, [weight])
        high, edge = (row + 30, strip - 3) if t == 0 else (row, strip + 29)
        for number, x in ((t, 36), (t + 1, 254)):
            sheet.box(x - 24, row, 48, 30, f"s_{number}", color=QUERY, fill=tint(QUERY))
        sheet.line((36, high), (36, edge), color=QUERY, width=2, arrow=True)
        between = (high + edge) / 2 + 5
        sheet.text(44, between, "query", color=QUERY, anchor="start", size=14)
        sheet.line((145, edge), (145, high), color=VIOLET, width=2, arrow=True)
        sheet.text(153, between, "weights", anchor="start", size=14)
        look = {"color": VIOLET, "fill": tint(VIOLET), "size": 14}
        sheet.box(97, row, 96, 30, f"context c_{t + 1}", **look)
        sheet.line((193, row + 15), (227, row + 15), color=VIOLET, width=2, arrow=True)
        sheet.line((278, row + 15), (292, row + 15), color=WRITTEN, arrow=True)
        sheet.text(296, row + 20, target[t], color=WRITTEN, anchor="start", bold=True)
    sheet.line((left, ground + 30), (4, ground + 30), (4, 49), (10, 49), color=GREY, dashed=True)
    sheet.line(
        (left + 4 * pitch + wide, ground + 10),
        (335, ground + 10),
        (335, 12),
        (36, 12),
        (36, 31),
        color=GREY,
        dashed=True,
        arrow=True,
    )


def _strip(sheet: Sheet, x: float, y: float, wide: float, weights: list[float]) -> None:
    """Weights in cells beside each other."""
    for j, weight in enumerate(weights):
        look = {"fill": shade(weight), "ink": "#ffffff" if weight > 0.6 else INK}
        words = f"{weight:.2f}".lstrip("0")
        place = x + wide * j, y, wide, 26
        sheet.box(*place, words, color=GREY, radius=0, line=1, size=13, **look)


def _encoder(sheet: Sheet, x: float, y: float, pitch: float, wide: float, source: list[str]) -> None:
    """A state per source word, each in two halves, one per direction of reading."""
    for j, word in enumerate(source):
        left = x + pitch * j
        sheet.box(left, y, wide, 40, word, color=KEY, fill=tint(KEY), ink=INK, size=13)
        if j:
            sheet.line((left - pitch + wide, y + 10), (left - 2, y + 10), color=KEY, arrow=True)
            sheet.line((left, y + 30), (left - pitch + wide + 2, y + 30), color=KEY, arrow=True)
