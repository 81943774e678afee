"""Drawings of recurrent translators: through one vector, and with looks back."""

import functools

import torch

from attnbook.drawings.sheet import WRITTEN, Sheet, drawing, shade, tint
from attnbook.page.style import GREY, INK, KEY, QUERY, VIOLET, ink_on
from attnbook.text import BOS
from attnbook.translation import load_page_model

READ = "he", "was", "very", "calm", "<eos>"
WROTE = "il", "était", "très", "calme", "<eos>"


@drawing(
    "A reader, one vector and a writer. The reader takes the words he was very calm and the end, and has one state "
    "after another. Only its last state is handed on: one vector, always of 256 numbers. The writer begins with this "
    "vector as its state, and has one state after another, too; from each comes a word: il était très calme and the "
    "end. Into each state go the vector and the word before, at first the mark bos; no line leads from the reader's "
    "other states to the writer."
)
def a_sentence_through_one_vector(sheet: Sheet) -> None:
    """An encoder and a decoder with one vector in between."""
    pitch, wide, high = (60, 44, 30) if sheet.narrow else (58, 42, 32)
    reader, writer = ((10, 72), (46, 284)) if sheet.narrow else ((6, 100), (421, 100))
    for (x, y), name in zip((reader, writer), "hs", strict=True):
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
    below = sheet.narrow
    for t, word in enumerate(("<bos>", *WROTE)):
        x, y = writer[0] + pitch * (t - 1) + wide / 2, writer[1]
        start, end = (y + high, y + high + 22) if below else (y, y - 22)
        base = end + 17 if below else end - 7
        x += 18 if not t and below else 4 * (not t)
        sheet.text(x, base, word, color=WRITTEN, size=14)
        if t:
            sheet.line((x, start), (x, end), color=WRITTEN, arrow=True)
        if t < 5:
            there = writer[0] + pitch * t + 6, y + high + 3 if below else y - 3
            sheet.line((x + 26, base - 5), there, color=WRITTEN, width=1, dashed=True, arrow=True)
    last, middle = reader[0] + 4 * pitch + wide, reader[1] + high / 2
    first, ground = writer[0] + wide / 2, writer[1] + high / 2
    if sheet.narrow:
        sheet.text(10, 18, "the reader", anchor="start", bold=True)
        sheet.text(10, writer[1] + 94, "the writer", anchor="start", bold=True)
        sheet.line((last - 22, 102), (last - 22, 171), (255, 171), width=2.5, color=VIOLET, arrow=True)
        sheet.vector(90, 160, 8, 20, 22, color=VIOLET)
        sheet.text(90, 148, "c: always 256 numbers", color=VIOLET, anchor="start", size=14)
        top = 228
        sheet.line((170, 184), (170, top), color=VIOLET, width=2.5)
        sheet.line((first + 4 * pitch, top), (20, top), (20, ground), color=VIOLET, width=2.5)
        sheet.line((20, ground), (writer[0] - 3, ground), color=VIOLET, width=2.5, arrow=True)
        for t in range(5):
            x = first + pitch * t
            sheet.line((x, top), (x, writer[1] - 3), color=VIOLET, width=2, arrow=True)
        return
    for x, who, how in ((6, "the reader", "one state after another"), (421, "the writer", "one word after another")):
        sheet.text(x, 16, who, anchor="start", bold=True)
        sheet.text(x, 37, how, anchor="start", size=14)
    sheet.line((last, middle), (327, middle), color=VIOLET, width=2.5, arrow=True)
    sheet.vector(331, middle - 64, 8, 30, 16, color=VIOLET, down=True)
    sheet.text(346, middle + 84, "c: always", color=VIOLET, size=14)
    sheet.text(346, middle + 102, "256 numbers", color=VIOLET, size=14)
    sheet.line((361, middle), (writer[0] - 3, middle), color=VIOLET, width=2.5, arrow=True)
    sheet.text(389, middle + 20, "start", color=VIOLET, size=14)
    low = middle + 50
    sheet.line((361, low), (first + 4 * pitch, low), color=VIOLET, width=2.5)
    for t in range(5):
        x = first + pitch * t
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
    sheet.text((left + right) / 2, ground + 63, "both ends make s_0", color=GREY, size=14)
    sheet.text(right + 26, ground + 14, "read from", anchor="start", size=14)
    sheet.text(right + 26, ground + 33, "both ends", anchor="start", size=14)


def _looks_above_and_below(sheet: Sheet) -> None:
    """The first step above the encoder and the second one below it, for a phone."""
    source, target, weights = _looks()
    pitch, wide, left, ground = 66, 46, 12, 222
    _encoder(sheet, left, ground, pitch, wide, source)
    for t, (strip, row) in enumerate(((154, 60), (320, 388))):
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
        base, start, end = (row - 17, row - 13, row - 2) if t == 0 else (row + 60, row + 46, row + 33)
        sheet.text(254, base, "<bos>" if t == 0 else target[0], color=WRITTEN, bold=t > 0)
        sheet.line((254, start), (254, end), color=WRITTEN, arrow=True)
        sheet.text(222, base, "reads", color=WRITTEN, anchor="end", size=14)
        sheet.text(326, between, f"step {t + 1}", anchor="end", size=14, bold=True)
    sheet.text(46, 30, "both ends make s_0", color=GREY, anchor="start", size=14)
    sheet.line((left, ground + 30), (4, ground + 30), (4, 75), (10, 75), color=GREY, dashed=True)
    sheet.line(
        (left + 4 * pitch + wide, ground + 10),
        (335, ground + 10),
        (335, 12),
        (36, 12),
        (36, 57),
        color=GREY,
        dashed=True,
        arrow=True,
    )


def _strip(sheet: Sheet, x: float, y: float, wide: float, weights: list[float]) -> None:
    """Weights in cells beside each other."""
    for j, weight in enumerate(weights):
        look = {"fill": shade(weight), "ink": ink_on(weight)}
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


@functools.cache
def _gate() -> list[tuple[str, list[float]]]:
    """One step of a GRU of four units: the old state, the new candidate, the gate, and the state after it."""
    torch.manual_seed(0)
    gru = torch.nn.GRU(3, 4)
    x, h = torch.randn(1, 3), torch.randn(1, 4)
    from_x = (gru.weight_ih_l0 @ x[0] + gru.bias_ih_l0).view(3, 4)
    from_h = (gru.weight_hh_l0 @ h[0] + gru.bias_hh_l0).view(3, 4)
    r, z = torch.sigmoid(from_x[:2] + from_h[:2])
    new = torch.tanh(from_x[2] + r * from_h[2])
    after = (1 - z) * new + z * h[0]
    both = (("old state", h[0]), ("update gate z", z), ("what is new", new), ("state after", after))
    return [(name, numbers.tolist()) for name, numbers in both]


@drawing(
    "Four columns, entries 1 to 4 of a state. In each, a dot marks the old state and a ring the new proposal on a "
    "vertical scale from -1 to 2; a thick line marks the state after the step, which lies between them, and the gate "
    "is written below: z = 0.78, 0.25, 0.47 and 0.36. The larger z, the nearer the state stays to the old one."
)
def a_gate_between_old_and_new(sheet: Sheet) -> None:
    """One step of a gated recurrent unit, entry by entry."""
    (_, old), (_, gate), (_, new), (_, after) = _gate()
    left, pitch, ground, unit = (40, 62, 134, 52) if sheet.narrow else (60, 142, 134, 52)
    sheet.text(left - 28, 14, "one step of the GRU: the value of each entry", anchor="start", size=14)
    for tick in (-1, 0, 1, 2):
        y = ground - unit * tick
        sheet.line((left - 8, y), (left + 4 * pitch - 10, y), color="#cccccc", width=0.6)
        sheet.text(left - 14, y + 5, f"{tick}".replace("-", "−"), anchor="end", size=13)
    for k in range(4):
        x = left + pitch * (k + 0.5) - 8
        a, b, c = (ground - unit * value for value in (old[k], new[k], after[k]))
        sheet.line((x, a), (x, b), color=GREY, width=1.5, dashed=True)
        sheet.dot(x, a, 6, fill=INK)
        sheet.dot(x, b, 6, fill="#ffffff", color=INK)
        sheet.line((x - 16, c), (x + 16, c), color=VIOLET, width=4)
        sheet.text(x, ground + 1.45 * unit + 10, f"entry {k + 1}", size=13, bold=True)
        sheet.text(x, ground + 1.45 * unit + 30, f"z = {gate[k]:.2f}", size=13)
        if k == 3:
            names = (a, "old state", INK), (b, "new", INK), (c, "after", VIOLET)
            for y, name, color in names:
                sheet.text(x + 22, y + 5, name, color=color, anchor="start", size=14, bold=name == "after")
    for down, said in ((58, "z is the update gate:"), (77, "the larger z, the nearer to the old state")):
        sheet.text(left - 28, ground + 1.45 * unit + down, said, anchor="start", size=14)


SKY = "The sky is blue."  # a sentence of the test set


@functools.cache
def _prefixes() -> tuple[list[str], list[str], list[str]]:
    """What is wanted for `SKY`, and what the page's translator says after the wanted words and after its own."""
    translator, wanted = load_page_model("seq2seq"), ["le", "ciel", "est", "bleu", "."]
    vocabulary, (ids, lens) = translator.target_vocab, translator.encode([SKY])
    with torch.no_grad():
        given = torch.tensor([[BOS, *vocabulary.encode(" ".join(wanted))]])
        logits, _ = translator.model(ids, given, lens, need_weights=True)
    said = vocabulary.tokens(logits[0].argmax(-1).tolist())
    return wanted, said, translator.translate([SKY])[0].split()


@drawing(
    "Twice the same writer, asked for le ciel est bleu, the sky is blue. Its second word is chat by mistake. In "
    "training the words fed in are bos, le, ciel, est: the teacher's, whatever was said before; it goes on with est "
    "and bleu, and one mistake stays one. In translation what is fed in is bos, le and then its own chat; it goes on "
    "with est and fermé: here one mistake brings another."
)
def the_teachers_word_or_its_own(sheet: Sheet) -> None:
    """What is fed into the writer while it is trained, and when it translates."""
    wanted, forced, own = _prefixes()
    rows = (
        ("training", forced, wanted, "one mistake stays one"),
        ("translation", own, own, "here one mistake brings another"),
    )
    pitch, wide, shown = 68, 50, 4
    for number, (title, said, given, lesson) in enumerate(rows):
        left, top = (66, 236 * number) if sheet.narrow else (66 + 352 * number, 0)
        sheet.text(left - 62, top + 16, f"in {title}", anchor="start", bold=True)
        for name, y in (("wanted", top + 48), ("says", top + 80), ("fed in", top + 178)):
            sheet.text(left - 62, y, name, anchor="start", size=14)
        for t in range(shown):
            x = left + pitch * t + wide / 2
            sheet.text(x, top + 48, wanted[t], size=14)
            wrong, fed = said[t] != wanted[t], ("<bos>", *given)[t]
            sheet.text(x, top + 80, said[t] + (" ✗" if wrong else ""), color=WRITTEN, size=14, bold=wrong)
            sheet.box(x - wide / 2, top + 102, wide, 30, f"s_{t + 1}", fill="#f4f4f4")
            sheet.line((x, top + 102), (x, top + 86), color=WRITTEN, arrow=True)
            sheet.line((x, top + 162), (x, top + 135), color=GREY, arrow=True)
            other = bool(t) and fed != wanted[t - 1]
            sheet.text(x, top + 178, fed, color=WRITTEN if number and t else INK, size=14, bold=other)
            if t < shown - 1:
                sheet.line((x + wide / 2, top + 117), (x + pitch - wide / 2 - 3, top + 117), arrow=True)
                if number:
                    middle = x + pitch / 2
                    start, end = (x + 20, top + 86), (x + pitch - 20, top + 168)
                    way = start, (middle + 4, top + 96), (middle - 4, top + 156), end
                    sheet.line(*way, color=WRITTEN, width=1.2, dashed=True, arrow=True, curved=True)
        sheet.text(left - 62, top + 206, lesson, anchor="start", size=14, color=WRITTEN if number else INK)
