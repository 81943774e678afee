"""Drawings of Transformer blocks: the stream of each word, and what is normalised together."""

import re

import torch
import torch.nn.functional as F

from attnbook.drawings.sheet import Sheet, drawing, shade, tint
from attnbook.page.style import GREY, INK, KEY, OUTPUT, QUERY, VALUE, VIOLET

WORDS = "time", "flies", "like", "an", "arrow"
HEARD = 0.25, 0.3, 0.1, 0.05, 0.3  # what "flies" hears: an example


@drawing(
    "A block, from below, for the five words time flies like an arrow. A heavy line per word, its stream, runs "
    "straight up. Lower half, attention: each stream gives a copy to a norm; from the five norms lines run to all five "
    "columns, and what arrives in a column is added to its stream. The lines that arrive at flies are drawn heavily "
    "and named: what flies hears. Upper half, network: each stream again gives a copy to a norm and to a network of "
    "its own column, which is added too. No line leaves its column there."
)
def a_stream_for_each_word(sheet: Sheet) -> None:
    """Attention mixes columns, the network stays within one."""
    left, pitch, away, wide = (36, 61, 29, 46) if sheet.narrow else (176, 108, 50, 62)
    ground, top = 352, 22
    norms, plus = (302, 138), (188, 52)  # of attention and of the network
    streams = [left + pitch * number for number in range(5)]
    band = left - 14, plus[0] + 14, 4 * pitch + away + wide / 2 + 22, 76
    sheet.bar(*band, fill=shade(0.1))
    for x in streams:
        for i, to in enumerate(streams):
            way = (x + away, norms[0] - 12), (to + away, plus[0] + 20)
            if i != 1:
                sheet.line(*way, color="#a8a2d6", width=1)
    for j, x in enumerate(streams):
        way = (x + away, norms[0] - 12), (streams[1] + away, plus[0] + 20)
        sheet.line(*way, color=VIOLET, width=1.5 + 9 * HEARD[j])
    for word, x in zip(WORDS, streams, strict=True):
        for start in norms:
            sheet.line((x, start + 34), (x + away, start + 34), (x + away, start + 12), color=GREY)
            look = {"color": GREY, "fill": "#ffffff", "dashed": True, "size": 13}
            sheet.box(x + away - wide / 2 + 1, start - 12, wide - 2, 24, "norm", **look)
        sheet.line((x + away, plus[0] + 20), (x + away, plus[0]), (x + 9, plus[0]), color=GREY, arrow=True)
        box = x + away - wide / 2 + 1, 74, wide - 2, 40
        sheet.line((x + away, norms[1] - 12), (x + away, 114), color=GREY)
        sheet.box(*box, "" if sheet.narrow else "network", fill=tint(OUTPUT, 0.35), size=13)
        sheet.line((x + away, 74), (x + away, plus[1]), (x + 9, plus[1]), color=GREY, arrow=True)
        sheet.line((x, ground), (x, top - 14), width=3.5, arrow=True)
        for y in plus:
            sheet.dot(x, y, 8, fill="#ffffff", color=INK)
            sheet.line((x - 4, y), (x + 4, y))
            sheet.line((x, y - 4), (x, y + 4))
        sheet.text(x, ground + 18, word, size=14)
    heard = (left, ground + 42) if sheet.narrow else (4, 277)
    sheet.text(*heard, "bold: what flies hears", color=VIOLET, size=14, anchor="start")
    if sheet.narrow:
        sheet.text(14, 256, "attention", turn=-90, size=14)
        sheet.text(14, 100, "network", turn=-90, size=14)
    else:
        for y, title, does in ((235, "attention", "mixes columns"), (92, "network", "stays in its column")):
            sheet.text(4, y, title, anchor="start", bold=True)
            sheet.text(4, y + 21, does, anchor="start", size=14)
        sheet.text(4, 345, "a line per word:", anchor="start", size=14, color=GREY)
        sheet.text(4, 365, "its stream", anchor="start", size=14, color=GREY)


@drawing(
    "Two layers side by side, each with a heavy vertical arrow, the stream, from x below to z above. Side branches "
    "leave the stream, pass through attention or the network and return to it in a circled plus. Left, post-LN: a norm "
    "sits on the stream itself, above each plus; below it stands: the stream passes two norms. Right, pre-LN: norms "
    "sit on the side branches, below attention and below the network; below it stands: the stream meets only sums."
)
def a_norm_on_the_stream_or_beside_it(sheet: Sheet) -> None:
    """Post-LN and pre-LN: the same parts, the norms in two places."""
    panels = (("post-LN", "the stream passes", "two norms", True), ("pre-LN", "the stream meets", "only sums", False))
    for number, (title, said, more, after) in enumerate(panels):
        x, out = (38 + 170 * number, 78) if sheet.narrow else (110 + 330 * number, 130)
        sheet.text(x + out / 2, 18, title, bold=True)
        _sublayers(sheet, x, out, ("attention", "network"), 350, after=after)
        middle = x + out / 2 - 4 if sheet.narrow else x + out / 2
        if sheet.narrow:
            sheet.text(middle, 374, said, size=14, color=VIOLET)
            sheet.text(middle, 393, more, size=14, color=VIOLET)
        else:
            sheet.text(middle, 374, f"{said} {more}", size=14, color=VIOLET)


def _sublayers(sheet: Sheet, x: float, out: float, names: tuple[str, ...], bottom: float, *, after: bool) -> None:
    """A stream from x at the bottom up to z, and a branch for each sublayer."""
    sheet.line((x, bottom), (x, bottom - 46 - 136 * len(names)), width=3.5, arrow=True)
    sheet.text(x + 16, bottom - 34 - 136 * len(names), "z", italic=True)
    sheet.text(x + 16, bottom, "x", italic=True)
    for number, name in enumerate(names):
        foot = bottom - 24 - 136 * number
        plus = foot - 84
        sheet.line((x, foot), (x + out, foot), (x + out, plus), (x + 11, plus), color=GREY, arrow=True)
        high = 44 if after else 58
        sheet.box(x + out - 44, foot - high - 15, 88, 30, name, fill="#ffffff", size=14)
        place = (x - 27, plus - 42) if after else (x + out - 27, foot - 32)
        sheet.box(*place, 54, 24, "norm", color=VIOLET, fill=shade(0.25), ink=INK, size=14)
        sheet.dot(x, plus, 10, fill="#ffffff", color=INK)
        sheet.line((x - 5, plus), (x + 5, plus))
        sheet.line((x, plus - 5), (x, plus + 5))


@drawing(
    "A decoder layer in post-LN, from below: the stream is a heavy vertical arrow from x to z with three side branches "
    "that return to it in a circled plus, each followed by a norm on the stream: self-attention with a causal mask, "
    "cross-attention, and the network. From the right the memory, the encoder's output, enters the cross-attention as "
    "keys and values; its queries come from the stream."
)
def a_decoder_layer_and_the_memory(sheet: Sheet) -> None:
    """Three sublayers around one stream, and the source that enters the second."""
    x, out, bottom = (38, 100, 462) if sheet.narrow else (190, 150, 462)
    _sublayers(sheet, x, out, ("self", "cross", "network"), bottom, after=True)
    memory = x + out + (114 if sheet.narrow else 200)
    cross = bottom - 24 - 136 - 44
    sheet.box(memory, cross - 24, 84, 48, "memory", color=VALUE, fill=tint(VALUE), ink=INK, size=14)
    sheet.text(memory + 42, cross + 42, "encoder", size=13)
    for y, name, color, dashed in ((-8, "keys", KEY, False), (8, "values", VALUE, True)):
        sheet.line((memory - 1, cross + y), (x + out + 46, cross + y), color=color, arrow=True, dashed=dashed)
        sheet.text((memory + x + out + 46) / 2, cross + (-16 if y < 0 else 28), name, size=13, color=color)
    sheet.text(x + out - 8, cross + 34, "queries", size=13, color=QUERY, anchor="end")
    sheet.text(x + out + 52, bottom - 64, "causal mask", size=13, color=GREY, anchor="start")


WORD = torch.tensor([1.0, 3.0, 5.0, 7.0])  # the features of one word
COLUMNS, DEPTH = 3, 2  # positions and sentences of the little batch
FEATURE = torch.tensor([[3.0, 1, 1], [1, 0, 0]])  # the first feature of its words; the zeros are padding


@drawing(
    "Three cubes of numbers, each two sentences deep, three positions wide and four features high. In the cubes for "
    "layer norm and RMS norm one column is shaded, the features 1, 3, 5 and 7 of one word. Layer norm subtracts their "
    "mean, 4, and divides by their standard deviation, 2.24, which makes -1.34, -0.45, 0.45 and 1.34 of them. RMS norm "
    "divides by the root of their mean square, 4.58, which makes 0.22, 0.65, 1.09 and 1.53. In the cube for batch norm "
    "the top layer is shaded, one feature of all positions of both sentences: 3, 1, 1 in front and 1, 0, 0 behind, "
    "where the zeros are padding. Their mean is 1 and their standard deviation 1, which makes 2, 0, 0 of those in "
    "front and 0, -1, -1 of those behind."
)
def numbers_normalised_together(sheet: Sheet) -> None:
    """Which numbers of a batch share a mean and a standard deviation."""
    centred = WORD - WORD.mean()
    deviation = centred.square().mean().sqrt()
    rms = WORD.square().mean().sqrt()
    torch.testing.assert_close(F.layer_norm(WORD, (4,)), centred / deviation)
    after = centred / deviation, WORD / rms
    behind = f"behind (padded): {' '.join(f'{x:.0f}' for x in FEATURE[1].tolist())}; "
    behind += f"mean {FEATURE.mean():.0f}, deviation {FEATURE.std(correction=0):.0f}"
    cubes = (
        ("layer norm", "one word", f"mean {WORD.mean():.0f}, deviation {deviation:.2f}"),
        ("RMS norm", "one word", f"root mean square {rms:.2f}"),
        ("batch norm", "one feature", behind),
    )
    for number, (title, which, does) in enumerate(cubes):
        if sheet.narrow:
            x, y = 26, 20 + 196 * number
            words, base, anchor = 232 if number < 2 else 178, y + 62, "start"
        else:
            x, y = 42 + 236 * number, 34
            words, base, anchor = x + 68, 212, "middle"
        _cube(sheet, x, y, together="feature" if number == 2 else "word")
        if number < 2:
            _after(sheet, 178 if sheet.narrow else x + 166, y + DEPTH * 12, after[number][:, None], 46, 2)
        else:
            left, upper = (234, y + 178) if sheet.narrow else (x + 17, y + 248)
            _after(sheet, left, upper, (FEATURE - FEATURE.mean()) / FEATURE.std(correction=0), 34, 0)
            for row, name in enumerate(("front", "behind")):
                sheet.text(left - 6, upper + 18 + 27 * row, name, anchor="end", size=13)
        sheet.text(x, y + 148, "positions →", anchor="start", size=13, color=GREY)
        sheet.text(x - 8, y + 130, "features →", anchor="start", size=13, color=GREY, turn=-90)
        if not sheet.narrow:
            sheet.text(x + 68, 18, title, bold=True)
            sheet.text(words, base, which, size=14, color=VIOLET)
            for line, said in enumerate(does.split("; ")):
                sheet.text(words, base + 21 + 20 * line, said, size=14)
        else:
            sheet.text(words, base, title, anchor=anchor, bold=True)
            sheet.text(words, base + 22, which, anchor=anchor, size=14, color=VIOLET)
            for line, said in enumerate(re.sub("(root mean) ", r"\1, ", does).replace(";", ",").split(", ")):
                sheet.text(words, base + 44 + 20 * line, said, anchor=anchor, size=14)


def _after(sheet: Sheet, x: float, y: float, values: torch.Tensor, wide: float, digits: int) -> None:
    """What was shaded once more, normalised: numbers (rows, columns) in cells."""
    sheet.text(x + wide * values.shape[1] / 2, y - 8, "after", size=13, color=VIOLET)
    look = {"color": VIOLET, "fill": shade(0.25), "ink": INK, "radius": 0, "line": 1, "size": 13}
    for row, numbers in enumerate(values.tolist()):
        for column, value in enumerate(numbers):
            words = f"{value:.{digits}f}".replace("-", "−")
            sheet.box(x + wide * column, y + 27 * row, wide, 27, words, **look)


def _cube(sheet: Sheet, x: float, y: float, *, together: str) -> None:
    """Cells of a batch in slanted projection; those that are normalised together are shaded."""
    wide, high, slant, rise = 34, 27, 20, 12
    y += DEPTH * rise
    plain, marked = "#f6f6f6", shade(0.5)

    def corner(column: int, row: int, depth: int) -> tuple[float, float]:
        return x + column * wide + depth * slant, y + row * high - depth * rise

    for row in range(len(WORD)):
        for column in range(COLUMNS):
            word = together == "word" and column == 1
            chosen = word or (together == "feature" and row == 0)
            look = {"color": GREY, "ink": INK, "radius": 0, "line": 1, "size": 13}
            said = f"{WORD[row]:.0f}" if word else f"{FEATURE[0, column]:.0f}" if chosen else ""
            sheet.box(*corner(column, row, 0), wide, high, said, fill=marked if chosen else plain, **look)
    for depth in range(DEPTH):
        for column in range(COLUMNS):
            top = [corner(column + a, 0, depth + b) for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))]
            chosen = together == "feature" or (column == 1 and depth == 0)
            sheet.area(*top, fill=marked if chosen else plain, color=GREY)
        for row in range(len(WORD)):
            side = [corner(COLUMNS, row + a, depth + b) for a, b in ((0, 0), (0, 1), (1, 1), (1, 0))]
            chosen = together == "feature" and row == 0
            sheet.area(*side, fill=marked if chosen else plain, color=GREY)
    start, end = corner(COLUMNS, len(WORD), 0), corner(COLUMNS, len(WORD), DEPTH)
    sheet.text(
        (start[0] + end[0]) / 2 + 6,
        (start[1] + end[1]) / 2 + 14,
        "batch →",
        size=13,
        color=GREY,
        turn=-31,
        anchor="middle",
    )
