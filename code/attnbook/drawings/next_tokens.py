"""Drawings of a decoder-only language model: what it is asked, and what became of its block."""

import math
from collections import Counter

from attnbook.drawings.sheet import WRITTEN, Sheet, drawing, tint
from attnbook.language import kneser_ney_loss
from attnbook.page.style import GREY, INK, KEY, QUERY, VIOLET

TEXT = ("the", "query", "asks", "each", "key")


@drawing(
    "The text: the query asks each key. Above four columns stand the words that are read: the, query, asks, each. Row "
    "by row a triangle grows: at the first position one cell is open, at the fourth all four; later words, right of "
    "the diagonal, are hatched. From each row an arrow leads to the word that is asked for there: query, asks, each, "
    "key, the same text shifted by one."
)
def one_text_four_questions(sheet: Sheet) -> None:
    """One row of text, read and shifted by one, and what each position may look at."""
    left, wide, high = (74, 47, 34) if sheet.narrow else (150, 92, 36)
    top, count = 62, len(TEXT) - 1
    right = left + count * wide
    target = right + (26 if sheet.narrow else 64)
    sheet.text(left + count * wide / 2, 18, "read", size=14, color=QUERY, bold=True)
    at, anchor = (sheet.width - 2, "end") if sheet.narrow else (target, "start")
    sheet.text(at, 18, "asked for", anchor=anchor, size=14, color=WRITTEN, bold=True)
    for j, word in enumerate(TEXT[:-1]):
        sheet.text(left + (j + 0.5) * wide, top - 10, word, color=QUERY)
    for i in range(count):
        y = top + i * high
        sheet.text(left - 8, y + high / 2 + 5, f"position {i + 1}", anchor="end", size=13, color=GREY)
        for j in range(count):
            if j > i:
                sheet.hatch(left + j * wide, y, wide, high)
            ground = "none" if j > i else tint(VIOLET, 0.3)
            sheet.box(left + j * wide, y, wide, high, color=GREY, fill=ground, radius=0, line=1)
        sheet.line((right + 5, y + high / 2), (target - 6, y + high / 2), color=WRITTEN, arrow=True)
        sheet.text(target, y + high / 2 + 5, TEXT[i + 1], anchor="start", color=WRITTEN)
    words = ("filled: may be looked at; hatched: later words", "one pass answers all four questions")
    for row, line in enumerate(words):
        sheet.text(left if not sheet.narrow else 6, top + count * high + 22 + 18 * row, line, anchor="start", size=13)


@drawing(
    "The Transformer's encoder and, right of it, its decoder, read from below. Grey and dashed is what goes: the "
    "source, its embedding, the encoder's self-attention and feed-forward network in a frame, times N, and the "
    "decoder's cross-attention, to which an arrow leads from the top of the encoder's frame. Filled is what stays: the "
    "text, its embedding, in a solid frame, times N, self-attention under the causal mask and, past cross-attention, a "
    "feed-forward network; then the head, which gives the next token. Sums and norms are not drawn."
)
def what_is_left(sheet: Sheet) -> None:
    """A Transformer without a source: its encoder goes, and cross-attention with it."""
    half, high, pitch = (62, 40, 62) if sheet.narrow else (100, 36, 58)
    left, right = (76, 250) if sheet.narrow else (190, 480)
    low, lift = 92 + 4 * pitch, 26  # of the layers, and of the head, for the names of the columns

    def part(x: float, row: float, words: str, *, stays: bool) -> None:
        look = {"color": VIOLET, "fill": tint(VIOLET), "ink": INK} if stays else {"color": GREY, "dashed": True}
        sheet.box(x - half, low - row * pitch - high, 2 * half, high, words, size=13, **look)

    def up(x: float, row: int, *, stays: bool) -> None:  # from what stands below the row
        look = {"color": VIOLET, "width": 2} if stays else {"color": GREY}
        sheet.line((x, low - row * pitch + pitch - high - 2), (x, low - row * pitch + 2), arrow=True, **look)

    name, margin = low - 2 * pitch - high - 26, 7 if sheet.narrow else 18
    sheet.text(left, name, "encoder", bold=True, color=GREY, size=14)
    sheet.text(right - 10, name, "decoder", anchor="end", bold=True, color=VIOLET, size=14)
    for x, rows, color, room in ((left, 1, GREY, margin), (right, 2, VIOLET, margin + (14 if sheet.narrow else 8))):
        top, edge = low - rows * pitch - high - 18, half + room
        sheet.box(x - edge, top, 2 * edge, low + 6 - top, color=color, dashed=x == left, radius=8, line=1)
        sheet.text(x + half, top + 13, "× N", anchor="end", color=color, size=13, bold=True)
    sheet.text(right, 18, "the next token", color=WRITTEN)
    sheet.line((right, low - 3 * pitch - high - lift - 2), (right, 26), color=VIOLET, width=2, arrow=True)
    for x, word, stays in ((left, "the source", False), (right, "the text", True)):
        part(x, -1, "embedding", stays=stays)
        up(x, 0, stays=stays)
        sheet.text(x, low + pitch + 46, word, color=QUERY if stays else GREY)
        sheet.line((x, low + pitch + 30), (x, low + pitch + 2), color=VIOLET if stays else GREY, arrow=True)
    part(left, 0, "self-attention", stays=False)
    up(left, 1, stays=False)
    part(left, 1, "feed-forward", stays=False)
    over = low - pitch - high / 2
    leaves, between = low - pitch - high - 30, left + half + (16 if sheet.narrow else 31)
    memory = (left, low - pitch - high), (left, leaves), (between, leaves), (between, over), (right - half - 2, over)
    sheet.line(*memory, color=GREY, arrow=True)  # of the last layer: it leaves from the frame's top
    part(right, 0, "self-attention,\ncausal mask", stays=True)
    part(right, 1, "cross-attention", stays=False)
    part(right, 2, "feed-forward", stays=True)
    past, gap = right + half + (9 if sheet.narrow else 12), (pitch - high) / 2
    turns = ((right, low - high), (right, low - high - gap), (past, low - high - gap), (past, low - pitch - high - gap))
    sheet.line(*turns, (right, turns[-1][1]), (right, low - 2 * pitch + 2), color=VIOLET, width=2, arrow=True)
    ends = low - 2 * pitch - high, low - 3 * pitch - lift
    sheet.line((right, ends[0] - 2), (right, ends[1] + 2), color=VIOLET, width=2, arrow=True)
    part(right, 3 + lift / pitch, "head", stays=True)
    said = ("filled: stays", VIOLET), ("dashed: goes", GREY), ("not drawn: sums, norms", GREY)
    for row, (words, color) in enumerate(said):
        sheet.text(4 if sheet.narrow else left - half, 18 + 20 * row, words, size=13, color=color, anchor="start")


SEEN = [0, 1, 0, 0, 1, 2]  # a b a a b c


@drawing(
    "What follows a, in the text a b a a b c, by Kneser and Ney; two bars for each token. The upper one is what was "
    "seen after a: a once, b twice, c never; of each of the two counts 0.6 is hatched, taken off, 1.2 in all. The "
    "lower one is what is kept, filled, and what is handed out again, dashed: a has 0.4 and 0.6, b 1.4 and 0.3, c "
    "nothing and 0.3. Divided by 3 that is 0.333 for a, 0.567 for b, 0.100 for c."
)
def a_discount_is_lent(sheet: Sheet) -> None:
    """Counts after one token: what is taken off each, and to whom it is handed out."""
    left, unit, high = (22, 117, 22) if sheet.narrow else (70, 165, 22)
    pairs = Counter(zip(SEEN, SEEN[1:], strict=False))
    once, twice = (sum(count == times for count in pairs.values()) for times in (1, 2))
    less = once / (once + 2 * twice)
    total = sum(count for (before, _), count in pairs.items() if before == 0)
    freed = less * sum(before == 0 for before, _ in pairs)
    lines = (
        (f"hatched: taken off, {freed:.1f} in all", GREY),
        (f"dashed: handed out, {freed:.1f} in all; filled: kept", VIOLET),
    )
    for row, (said, color) in enumerate(lines):
        at = (0, 18 + 20 * row) if sheet.narrow else (left + 300 * row, 18)
        sheet.text(*at, said, anchor="start", size=13, color=color)
    y = 52 if sheet.narrow else 34
    for word, often in enumerate(("seen once", "seen twice", "never seen")):
        count = pairs[0, word]
        kept = max(count - less, 0)
        chance = math.exp(-kneser_ney_loss(SEEN, [0, word], vocab_size=3, order=2))
        lent = chance * total - kept
        cut, end, low = left + kept * unit, left + (kept + lent) * unit, y + high + 2
        sheet.text(left - 10, low + 4, "abc"[word], anchor="end", bold=True)
        if count:
            look = {"color": VIOLET, "fill": VIOLET, "ink": "#ffffff", "radius": 0, "line": 1, "size": 13}
            for bar in (y, low):
                sheet.box(left, bar, kept * unit, high, f"{kept:.1f}", **look)
            sheet.hatch(cut, y, less * unit, high)
            sheet.box(cut, y, less * unit, high, color=GREY, radius=0, line=1)
            look = {"color": "#ffffff", "fill": "#ffffff", "ink": INK, "radius": 2, "size": 12}
            sheet.box(cut + less * unit / 2 - 16, y + 4, 32, high - 8, f"−{less:.1f}", **look)
        look = {"color": VIOLET, "fill": tint(VIOLET), "ink": INK, "dashed": True, "radius": 0, "size": 12}
        sheet.box(cut, low, lent * unit, high, f"+{lent:.1f}", **look)
        sheet.text(left + count * unit + 8, y + 16, often, anchor="start", size=13, color=GREY)
        sheet.text(end + 8, low + 16, f"{kept + lent:.1f} / {total} = {chance:.3f}", anchor="start", size=13)
        y += 2 * high + 16


# from below: what stands in a block: first what stays, then what has changed; "+" is the sum with what came in
OF_2017 = (
    ("attention\nwith biases", ""),
    "+",
    ("LayerNorm", ""),
    ("network\nW_2 ReLU(W_1 x)\nwith biases", ""),
    "+",
    ("LayerNorm", ""),
)
OF_TODAY = (
    ("", "RMSNorm ②, moved ①"),
    ("attention", "no biases ③\nrotary ⑤, QK-norm ⑥\ngrouped queries ⑦"),
    "+",
    ("", "RMSNorm ②, moved ①"),
    ("network", "no biases ③, gate ④:\nW_2(SiLU(W_g x) ⊙ W_1 x)"),
    "+",
)


@drawing(
    "Two blocks, read from below. Left, 2017: x, in the first layer plus sinusoids; attention with biases, the sum "
    "with what came in, LayerNorm; the network W_2 ReLU(W_1 x) with biases, the sum, LayerNorm. A grey path around "
    "each part ends before a norm. Right, today: RMSNorm, then attention without biases, rotary, with QK-norm and "
    "grouped queries; the sum; RMSNorm, then a network with a gate and no biases; the sum. Here a grey path leads "
    "around norm and part together; beside the arrow at the top stands: at the end: RMSNorm, 1. Only the lines "
    "that have changed are orange, with the numbers of the table: 1 and 2 at the norms, 3 in both parts, 4 at the "
    "gate, 5 to 7 in attention."
)
def a_block_then_and_now(sheet: Sheet) -> None:
    """The block of 2017 beside today's, with what has changed."""
    _block(sheet, 80 if sheet.narrow else 180, "2017", "(first layer:\n+ sinusoids)", OF_2017)
    _block(sheet, 250 if sheet.narrow else 520, "today", "", OF_TODAY)
    for row, words in enumerate(("at the end:", "RMSNorm ①")):
        at = (262 if sheet.narrow else 548, 32 + 15 * row)
        sheet.text(*at, words, anchor="start", size=12 if sheet.narrow else 13, color=GREY)
    left, anchor = (7, "start") if sheet.narrow else (350, "middle")
    sheet.text(left, 470, "orange: what has changed, ① to ⑦", anchor=anchor, color=KEY, size=13)


def _block(sheet: Sheet, x: float, title: str, added: str, parts: tuple[str | tuple[str, str], ...]) -> None:
    half, size = (73, 12) if sheet.narrow else (118, 14)
    way, y, entry = x + half + 6, 402.0, 410.0
    sheet.text(x, 18, title, bold=True)
    sheet.text(x, 440, "x", italic=True)
    if added:
        for row, words in enumerate(added.split("\n")):
            sheet.text(x + 12, 432 + 16 * row, words, anchor="start", size=13)
    sheet.line((x, 424), (x, y + 1), arrow=True)
    for part in parts:
        if part == "+":
            middle = y - 12
            sheet.line((x, entry), (way, entry), (way, middle), (x + 13, middle), color=GREY, width=1.8, arrow=True)
            sheet.dot(x, middle, 11, fill="#ffffff", color=INK)
            sheet.text(x, middle + 5, "+")
            top = y - 24
            entry = top - 8
        else:
            old, new = ((28, 40, 56)[words.count("\n")] * bool(words) for words in part)
            old -= 4 * bool(new and old)  # a line above what has changed
            top = y - old - new
            if old:
                sheet.box(x - half, top, 2 * half, old + new, color=GREY, fill=tint(GREY, 0.15))
                look = {"color": GREY, "ink": INK, "size": size}
                sheet.box(x - half, top, 2 * half, old, part[0], line=0, **look)
            if new:
                look = {"color": KEY, "fill": tint(KEY, 0.15), "ink": INK, "size": size}
                sheet.box(x - half, y - new, 2 * half, new, part[1], **look)
        y = top - 20
        sheet.line((x, top), (x, y + 1), arrow=True)


# from above: each part of a model, its lines, and the field of the file that sets each line
PARTS = (
    (("head", None), ("a matrix of its own", "tie_word_embeddings: false")),
    (("RMSNorm", None),),
    "+",
    (("network", None), ("14336 hidden units", "intermediate_size: 14336"), ("gate: SiLU", 'hidden_act: "silu"')),
    (("RMSNorm", None),),
    "+",
    (
        ("attention", None),
        ("32 heads of queries", "num_attention_heads: 32"),
        ("8 of keys and values", "num_key_value_heads: 8"),
        ("rotary, base 10000", "rope_theta: 10000.0"),
        ("sees 4096 tokens", "sliding_window: 4096"),
    ),
    (("RMSNorm", None), ("ε, for all the norms", "rms_norm_eps: 1e-05")),
    ("× 32", "num_hidden_layers: 32"),
    (("embedding", None), ("32000 tokens", "vocab_size: 32000"), ("of 4096 numbers", "hidden_size: 4096")),
)


@drawing(
    "Left, fields of a config.json; right, the model, read from below; from each but the first a line leads to what it "
    "sets, which is orange. The embedding: vocab_size 32000, its tokens, and hidden_size 4096, the numbers of each. A "
    "frame around the block: num_hidden_layers, 32 times. In it, first RMSNorm: rms_norm_eps 1e-05, the ε of all "
    "norms. Attention: num_attention_heads 32, of queries; num_key_value_heads 8; rope_theta 10000.0, the base of the "
    "rotary angles; sliding_window 4096, how many tokens it sees. The sum, RMSNorm, and the network: intermediate_size "
    "14336, its hidden units, and hidden_act silu, of its gate; the sum. Above the frame the last RMSNorm and the "
    "head: tie_word_embeddings false, so it has a matrix of its own. No line leads from model_type: mistral."
)
def where_the_fields_act(sheet: Sheet) -> None:
    """The fields of a model's file, pinned to the parts of today's block that they set."""
    start, edge, left, half, size = (6, 168, 190, 66, 12) if sheet.narrow else (50, 270, 420, 100, 14)
    x, way, row, y = left + half, left + 2 * half + 6, 19 if sheet.narrow else 22, 44.0
    pins, into, frame = [], None, 0.0  # pins: a field, and where it leads
    for part in PARTS:
        if part == "+":
            frame, into = frame or y - 9, y + 11
            sheet.dot(x, y + 11, 11, fill="#ffffff", color=INK)
            sheet.text(x, y + 16, "+")
            y += 22
        elif isinstance(part[0], str):
            sheet.text(left, y + 5, part[0], anchor="start", size=size, bold=True, color=KEY)
            pins.append((part[1], y, left - 8))
            sheet.box(left - 8, frame, way + 14 - left, y + 14 - frame, color=KEY, dashed=True, radius=8, line=1)
            sheet.line((x, y + 28), (x, y))
            y += 28
            continue
        else:
            high, fields = row * len(part) + 8, row * (len(part) - 1)
            sheet.box(left, y, 2 * half, high, color=GREY, fill=tint(GREY, 0.15))
            if fields:
                sheet.box(left, y + high - fields - 4, 2 * half, fields + 4, color=KEY, fill=tint(KEY), ink=INK)
            for number, (words, field) in enumerate(part):
                line = y + 4 + row * (number + 0.5)
                sheet.text(x, line + 0.35 * size, words, size=size, bold=not number)
                if field:
                    pins.append((field, line, left))
            y += high
            if into and "RMSNorm" in part[0][0]:  # a sublayer ends: what came in goes around it
                around = (x, y + 9), (way, y + 9), (way, into), (x + 13, into)
                sheet.line(*around, color=GREY, width=1.8, arrow=True)
                into = None
        if part != PARTS[-1]:
            sheet.line((x, y + 18), (x, y + 1), arrow=True)
            y += 18
    sheet.text(x, 18, "the next token", color=WRITTEN, size=14)
    sheet.line((x, 43), (x, 24), arrow=True)
    sheet.line((x, y + 18), (x, y + 1), arrow=True)
    sheet.text(x, y + 34, "the text", color=QUERY, size=14)
    sheet.text(start, y + 34, "orange: set by a field", anchor="start", color=KEY, size=13)
    sheet.text((start + edge) / 2, 18, "config.json", bold=True, size=14)
    sheet.box(start - 5, 26, edge - start + 5, y - 22, color=GREY, fill="#f4f4f4", line=1)
    for field, line, to in [('model_type: "mistral"', 44, 0), *pins]:
        lines = field.replace("_", r"\_").replace(" ", "\n" if sheet.narrow and len(field) > 25 else " ").split("\n")
        for number, words in enumerate(lines):
            at = line + 0.35 * size + 1.2 * size * (number - (len(lines) - 1) / 2)
            sheet.text(start, at, words, anchor="start", size=size)
        if to:
            sheet.line((edge, line), (to - 3, line), color=KEY, dashed=True)
            sheet.dot(to - 3, line, 3.5, fill=KEY)
