"""Drawings of whole Transformers: how they learn and write, and which halves they have."""

import functools
import math

import torch
import torch.nn.functional as F
from torch import Tensor

from attnbook.attention import causal_mask, masked_softmax, sinusoidal_encoding
from attnbook.drawings.sheet import WRITTEN, Sheet, drawing, shade, tint
from attnbook.page.style import GREY, INK, KEY, OUTPUT, QUERY, VALUE, VIOLET

TARGET = "<bos>", "9", "1", "7", "4", "<eos>"  # 4 7 1 9 backwards
WIDTH = 46  # of a word


@drawing(
    "Two triangles for the same target, 9 1 7 4. In training all words are known: one row goes in, bos 9 1 7 4, and "
    "its five positions are computed in one pass. The first sees bos and should say 9; the second bos and 9 and should "
    "say 1; so on to the fifth, which sees all and should say eos. What comes later is hatched. In writing the same "
    "five steps come one after another, in five passes, since the word that comes out of a row goes into the next."
)
def rows_at_once_or_in_turn(sheet: Sheet) -> None:
    """Training in one parallel pass beside writing word by word."""
    _training(sheet, 8, 0)
    if sheet.narrow:
        _writing(sheet, 8, 336)
    else:
        _writing(sheet, 380, 0)


def _heading(sheet: Sheet, x: float, y: float, title: str, why: str) -> None:
    sheet.text(x, y + 16, title, anchor="start", bold=True)
    sheet.text(x, y + 39, why, anchor="start", size=14)


def _cell(sheet: Sheet, x: float, y: float, height: float, word: str, *, own: bool) -> None:
    """A word that goes in: known, or the decoder's own."""
    look = {"ink": WRITTEN if own else INK, "fill": tint(OUTPUT) if own else "none"}
    size = 13 if word == "<bos>" else 15
    sheet.box(x, y, WIDTH, height, word, color=GREY, radius=0, line=1, size=size, **look)


def _out(sheet: Sheet, x: float, y: float, word: str) -> None:
    """What comes out of a row, after an arrow from x, around the height y."""
    sheet.line((x + 4, y), (x + 20, y), color=WRITTEN, arrow=True)
    look = {"fill": tint(OUTPUT), "size": 13 if word == "<eos>" else 15}
    sheet.box(x + 24, y - 14, WIDTH, 28, word, color=WRITTEN, **look)


def _training(sheet: Sheet, x: float, y: float) -> None:
    high, top, end = 40, y + 84, x + 5 * WIDTH
    _heading(sheet, x, y, "Training: one pass", "All words are known; later ones are hidden.")
    sheet.text(x, top - 10, "what each position sees", anchor="start", size=13, color=GREY)
    sheet.text(end + 47, top - 10, "comes out", size=13, color=GREY)
    for i, row in enumerate(causal_mask(5).tolist()):
        for j, seen in enumerate(row):
            if not seen:
                sheet.hatch(x + j * WIDTH, top + i * high, WIDTH, high)
            _cell(sheet, x + j * WIDTH, top + i * high, high, TARGET[j] if seen else "", own=False)
        _out(sheet, end, top + (i + 0.5) * high, TARGET[i + 1])
    sheet.box(x, top, 5 * WIDTH, 5 * high, color=INK, radius=0, line=2.5)
    sheet.text(x, top + 5 * high + 22, f"one row goes in: {' '.join(TARGET[:5])}", anchor="start", size=14)


def _writing(sheet: Sheet, x: float, y: float) -> None:
    high, pitch, top = 28, 43, y + 84
    _heading(sheet, x, y, "Writing: five passes", "Each needs the word that came out before.")
    for i in range(5):
        upper, end = top + i * pitch, x + (i + 1) * WIDTH
        for j in range(i + 1):
            _cell(sheet, x + j * WIDTH, upper, high, TARGET[j], own=j > 0)
        sheet.box(x, upper, (i + 1) * WIDTH, high, color=INK, radius=0, line=2.5)
        _out(sheet, end, upper + high / 2, TARGET[i + 1])
        if i < 4:
            way = (end + 44, upper + high + 1), (end + 30, upper + pitch - 3)
            sheet.line(*way, color=WRITTEN, arrow=True)


@drawing(
    "Three models with their masks. Encoder only, such as BERT: each of four words may look at all four. Decoder only, "
    "such as GPT: each word may look at itself and at those before it; the rest is hatched. Both, such as T5 and the "
    "Transformer of 2017: four source words look at all source words; below, three target words look at all source "
    "words, and among the target words at themselves and at those before."
)
def three_kinds_of_models(sheet: Sheet) -> None:
    """Which halves a model has, and who may look at whom in it."""
    cell, seen, causal = 28, 0.3, causal_mask(4)

    def table(x: float, y: float, allowed: list[list[bool]]) -> None:
        sheet.table(x, y, [[seen if a else None for a in row] for row in allowed], cell=cell)

    kinds = (
        ("encoder only", "BERT", "reads"),
        ("decoder only", "GPT", "writes on"),
        ("both", "the Transformer of 2017, T5", "reads and writes"),
    )
    places = ((26, 0), (196, 0), (26, 250)) if sheet.narrow else ((30, 0), (226, 0), (444, 0))
    for (x, y), (title, name, does) in zip(places, kinds, strict=True):
        sheet.text(x, y + 16, title, anchor="start", bold=True)
        sheet.text(x, y + 38, name, anchor="start", color=VIOLET)
        sheet.text(x, y + 59, does, anchor="start", size=14)
    (left, top), (middle, _), (right, low) = places
    table(left, top + 88, [[True] * 4] * 4)
    table(middle, top + 88, causal.tolist())
    table(right, low + 88, [[True] * 4] * 4)
    table(right, low + 88 + 4 * cell + 8, [[True] * 4] * 3)
    table(right + 4 * cell + 8, low + 88 + 4 * cell + 8, causal_mask(3).tolist())
    for x in (left, middle):
        sheet.text(x + 2 * cell, top + 80, "key", size=13, color=KEY)
        sheet.text(x - 8, top + 88 + 2 * cell, "query", size=13, color=QUERY, turn=-90)
    sheet.text(right + 2 * cell, low + 80, "source", size=13, color=KEY)
    sheet.text(right + 5.5 * cell + 8, low + 88 + 4 * cell, "target", size=13, color=KEY)
    sheet.text(right - 8, low + 88 + 2 * cell, "source", size=13, color=QUERY, turn=-90)
    sheet.text(right - 8, low + 96 + 5.5 * cell, "target", size=13, color=QUERY, turn=-90)


@functools.cache
def tiny_transformer() -> dict[str, Tensor]:
    """A decoder of one layer and one head that continues a pattern of period two: all its numbers for the words a b a.

    Features 1 and 2 say which word it is, 3 and 4 where it stands. The query is turned back by one position, so it
    fits the key of the word before; the network widens the lead of the larger word. Norms and biases are left out.
    """
    table = torch.tensor([[1.0, 0, 0, 0], [0, 1, 0, 0]])  # a and b
    x = table[[0, 1, 0]] + F.pad(sinusoidal_encoding(3, 2), (2, 0))  # (T, D)
    cos, sin = math.cos(1), math.sin(1)
    back = torch.tensor([[cos, -sin], [sin, cos]])  # sine and cosine of p become those of p - 1
    query, key, value = 8 * x[:, 2:] @ back.T, x[:, 2:], x[:, :2]
    scores = query @ key.T / 2**0.5
    weights = masked_softmax(scores[None], mask=causal_mask(3))[0]
    context = weights @ value
    heard = x + F.pad(3 * context, (0, 2))  # W_O triples, and writes into features 1 and 2
    hidden = (heard[:, :2] @ torch.tensor([[1.0, -1], [-1, 1]])).clamp(min=0)
    thought = heard + F.pad(2 * hidden, (0, 2))
    logits = thought @ table.T
    return {
        "x": x, "query": query, "key": key, "value": value, "scores": scores, "weights": weights, "context": context,
        "heard": heard, "hidden": hidden, "thought": thought, "logits": logits, "chances": logits.softmax(-1),
    }  # fmt: skip


@drawing(
    "All numbers of a decoder with one layer, one head and four features, for the words a b a. In turn, one row per "
    "word: word plus position; queries, keys and values; scores, with what comes later hatched; weights; contexts; the "
    "stream after attention; two hidden units; the stream after the network; logits; probabilities. In the third row "
    "the weights are 0.06, 0.87 and 0.06: the query fits the key of the word before, b. Its probabilities are 0.02 for "
    "a and 0.98 for b."
)
def every_number_of_a_tiny_transformer(sheet: Sheet) -> None:
    """One layer, one head, two words: all that is computed, from the embeddings to the probabilities."""
    parts = (  # name, its title, how it is made, its colour
        ("x", "x", "word + position", INK),
        ("query", "q", "W_Q x", QUERY),
        ("key", "k", "W_K x", KEY),
        ("value", "v", "W_V x", VALUE),
        ("scores", "scores", "q · k / √2", GREY),
        ("weights", "weights", "softmax", VIOLET),
        ("context", "context", "weights · v", VALUE),
        ("heard", "after attention", "x + W_O context", INK),
        ("hidden", "hidden", "ReLU", GREY),
        ("thought", "after network", "+ W_2 hidden", INK),
        ("logits", "logits", "times table", WRITTEN),
        ("chances", "next word", "softmax", WRITTEN),
    )
    bands = (2, 2, 2, 2, 2, 2) if sheet.narrow else (5, 4, 3)
    numbers, wide, high, gap = tiny_transformer(), 42, 24, 28
    rest, y = list(parts), 37
    for count in bands:
        band, rest = rest[:count], rest[count:]
        x = 26
        for word, row in zip("aba", range(3), strict=True):
            sheet.text(12, y + 17 + high * row, word, bold=True, size=14)
        for number, (name, title, how, color) in enumerate(band):
            values = numbers[name].tolist()
            across = len(values[0]) * wide
            if number and name not in ("key", "value"):  # q, k and v are made from x, side by side
                sheet.line((x - gap + 7, y + 1.5 * high), (x - 7, y + 1.5 * high), color=GREY, arrow=True)
            sheet.text(x + across / 2, y - 23, title, bold=True, color=color, size=14)
            sheet.text(x + across / 2, y - 7, how, size=13, color=GREY)
            for i, row in enumerate(values):
                for j, value in enumerate(row):
                    _number_cell(sheet, (x + j * wide, y + i * high, wide, high), value, name, color, hidden=j > i)
            x += across + gap
        if sheet.narrow and band[0][0] == "key":  # the scores stand below
            sheet.line((26 + wide, y + 3 * high + 3), (26 + wide, y + 3 * high + 20), color=GREY, arrow=True)
        if "chances" in [name for name, *_ in band]:
            for j, word in enumerate("ab"):
                sheet.text(x - gap - (1.5 - j) * wide, y + 3 * high + 16, word, bold=True, size=14, color=WRITTEN)
        y += 3 * high + 56


def _number_cell(sheet: Sheet, place: tuple, value: float, name: str, color: str, *, hidden: bool) -> None:
    """A cell with its number; hatched where a mask hides it."""
    if hidden and name in ("scores", "weights"):
        sheet.hatch(*place)
        sheet.box(*place, color=GREY, radius=0, line=1)
        return
    fill = tint(color, 0.16) if color not in (INK, GREY) else "none"
    ink = INK
    if name == "weights":
        fill, ink = shade(value), INK if value < 0.6 else "#ffffff"
    words = f"{value:.1f}" if value >= 9.995 else f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−")
    sheet.box(*place, words, color=color, fill=fill, ink=ink, radius=0, line=1, size=13)


HALVES = ("danke", "vielen"), ("schön", "dank")  # the first word and the second


@drawing(
    "Two tables for the two words of a translation: danke or vielen in the rows, schön or dank in the columns. Word by "
    "word: ½ for danke schön, ½ for vielen dank, and 0 for the other two cells. Both words at once: ¼ in each of the "
    "four cells; danke dank and vielen schön, which are wrong, are hatched."
)
def two_words_in_turn_or_at_once(sheet: Sheet) -> None:
    """What two models write that know two right answers: one word after the other, or both at once."""
    cell, high, side, apart = (52, 34, 52, 12) if sheet.narrow else (86, 38, 66, 60)
    halves = torch.tensor([0.5, 0.5])  # what each word is by itself
    in_turn = torch.diag(halves)  # the second word is drawn given the first
    for number, (title, table) in enumerate((("word by word", in_turn), ("both at once", halves.outer(halves)))):
        left, top = number * (side + 2 * cell + apart) + side + (4 if sheet.narrow else 40), 50
        sheet.text(left + cell, 15, title, bold=True)
        for i, first in enumerate(HALVES[0]):
            sheet.text(left - 8, top + (i + 0.5) * high + 5, first, anchor="end", size=14)
            sheet.text(left + (i + 0.5) * cell, top - 9, HALVES[1][i], size=14)
            for j in range(2):
                x, y, chance = left + j * cell, top + i * high, table[i, j].item()
                if i != j and chance:
                    sheet.hatch(x, y, cell, high)
                fill = shade(chance) if i == j else "none"
                said = {0: "0", 0.25: "¼", 0.5: "½"}[chance]
                sheet.box(x, y, cell, high, said, color=GREY, ink=INK, fill=fill, radius=0, line=1, size=17)
