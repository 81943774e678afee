"""Drawings of one sentence that asks itself, and of the three vectors that a word needs for it."""

import torch

from attnbook.attention import causal_mask
from attnbook.drawings.sheet import Sheet, drawing, shade
from attnbook.interop import TIME_FLIES
from attnbook.page.style import GREY, INK, KEY, MASKED, OUTPUT, QUERY, VALUE

WORDS = TIME_FLIES[0].split()


@drawing(
    "Three small maps; in each the sentence time flies like an arrow stands on top and answers. Self-attention: the "
    "same five words stand below and ask, and lines lead from each to all five. Masked: lines lead only to the word "
    "itself and to those before it, so that like sees time, flies and like, while an and arrow stand in dashed grey "
    "boxes. Cross-attention: the first words of a French translation, le temps vole, ask, and each sees all five words."
)
def who_asks_whom(sheet: Sheet) -> None:
    """Self-, masked and cross-attention: the same lines, other words below, and a mask."""
    every = torch.ones(5, 5, dtype=torch.bool)
    french, chosen = ["le", "temps", "vole"], 2
    for number, (title, sees, below, mask) in enumerate(
        (
            ("self-attention", "a word sees all words", WORDS, every),
            ("masked", "a word sees what came before", WORDS, causal_mask(5)),
            ("cross-attention", "a word sees another sentence", french, every[:3]),
        )
    ):
        if sheet.narrow:
            x, y, step, deep = 10, 230 * number, 64, 96
        else:
            x, y, step, deep = 6 + 236 * number, 0, 43, 120
        upper, lower = y + 78, y + 78 + deep
        sheet.text(x, y + 18, title, anchor="start", bold=True)
        sheet.text(x, y + 40, sees, anchor="start", color=GREY, size=14)
        apart = step if len(below) == 5 else 1.3 * step
        keys = [x + (j + 0.5) * step for j in range(5)]
        queries = [x + 2.5 * step + (i - len(below) // 2) * apart for i in range(len(below))]
        for i in sorted(range(len(below)), key=lambda i: i == chosen):
            look = {"color": "#bbbbbb", "width": 1}
            if i == chosen:
                look = {"color": QUERY, "width": 2, "arrow": True}
            for key in [key for j, key in enumerate(keys) if mask[i, j]]:
                sheet.line((queries[i], lower - 17), (key, upper + 9), **look)
        for j, word in enumerate(WORDS):
            seen = bool(mask[chosen, j])
            if not seen:
                wide = 12 + 8 * len(word)
                left = keys[j] - wide / 2
                sheet.box(left, upper - 17, wide, 24, color=MASKED, dashed=True, line=1)
            sheet.text(keys[j], upper, word, color=KEY if seen else GREY, size=14)
        for at, word in zip(queries, below, strict=True):
            bold = word == below[chosen]
            sheet.text(at, lower, word, color=QUERY, size=14, bold=bold)
        asks = "the sentence itself" if below == WORDS else "its translation"
        words = f"asks: {asks}"
        middle = x + 2.5 * step
        sheet.text(middle, lower + 23, words, color=QUERY, size=13, italic=True)


@drawing(
    "Two words, red with the vector (1, 0), cup with (0, 1): an adjective and a noun. Each has three more, a query, "
    "a key and a value. The query of red, (0, 4), looks for a noun. Its score is 0 with the key of red, (1, 0), "
    "and 2.83 with the key of cup, (0, 1), so its weights are 0.06 and 0.94. What comes out for red is the average of "
    "the two values, (0.06, 0.94): mostly the value of cup."
)
def three_vectors_of_a_word(sheet: Sheet) -> None:
    """How a word's vector becomes a query, a key and a value, and what each of them is for."""
    x = torch.eye(2)  # of red, an adjective, and of cup, a noun
    query, key, value = x @ torch.tensor([[0.0, 4.0], [4.0, 0.0]]), x, x
    scores = query @ key.T / 2**0.5  # (2, 2)
    weights = scores.softmax(-1)
    output = (weights @ value)[0]
    roles = (
        ("query", "looks for", query, QUERY, ("a noun", "an adjective")),
        ("key", "offers", key, KEY, ("an adjective", "a noun")),
        ("value", "passes on", value, VALUE, ("red", "cup")),
    )
    narrow = sheet.narrow
    wide, high = (112, 36) if narrow else (86, 40)

    def place(part: int, word: int) -> tuple[float, float]:
        """Corner of a box: parts go to the right on a wide sheet, words on a narrow one."""
        if narrow:
            return 92 + 126 * word, (28 if part == 0 else 8) + 74 * part
        return 6 + 117 * part, 68 + 102 * word

    for word, name in enumerate(("red", "cup")):
        left, upper = place(0, word)
        sheet.text(left + wide / 2, upper - 9, name, bold=True)
        sheet.box(left, upper, wide, high, _vector(x[word]))
        for part, (_, _, vectors, color, says) in enumerate(roles, start=1):
            left, upper = place(part, word)
            sheet.box(left, upper, wide, high, _vector(vectors[word]), color=color, line=2)
            middle, below = left + wide / 2, upper + high + 17
            sheet.text(middle, below, says[word], color=color, size=13)
        weight = weights[0, word].item()
        left, upper = place(4, word)
        ink = INK if weight < 0.7 else "#ffffff"
        look = {"color": GREY, "fill": shade(weight), "ink": ink, "radius": 0}
        sheet.box(left, upper, wide, high, f"{weight:.2f}", **look)
        words = f"score {scores[0, word].item():.2f}".replace(".00", "")
        sheet.text(left + wide / 2, upper + high + 17, words, size=13)
        if not narrow:
            (start, level), (end, _) = place(1, 0), place(2, word)
            ends = (start + wide + 3, level + high / 2), (end - 3, upper + high / 2)
            sheet.line(*ends, color=QUERY, width=1 + 1.5 * word, arrow=True)
            ends = (6 + wide + 4, upper + high / 2), (start - 4, upper + high / 2)
            sheet.line(*ends, color=GREY, width=1, arrow=True)

    heads = [role[:2] + (role[3],) for role in roles] + [("weights", "for red", INK)]
    for part, (name, does, color) in enumerate(heads, start=1):
        left, upper = place(part, 0)
        at, base, anchor = left + wide / 2, 20, "middle"
        if narrow:
            at, base, anchor = 2, upper + 15, "start"
        sheet.text(at, base, name, color=color, anchor=anchor, size=14, bold=True)
        sheet.text(at, base + 19, does, color=color, anchor=anchor, size=14)

    left, upper = (135, place(5, 0)[1] + 12) if narrow else (place(5, 0)[0] + 8, 119)
    size = (150, high) if narrow else (98, high)
    for word in (0, 1):
        start, level = place(4, word)
        ends = (start + wide + 3, level + high / 2), (left - 3, upper + high / 2)
        if narrow:
            ends = ((start + wide / 2, level + high + 23), (left + size[0] / 2, upper - 3))
        weight = weights[0, word].item()
        sheet.line(*ends, color=shade(0.4 + 0.5 * weight), width=1 + 4 * weight)
    words = _vector(output)
    sheet.box(left, upper, *size, words, color=OUTPUT, ink=INK, line=2.5)
    words = "red, now mostly cup"
    lines = (words,) if narrow else ("red, now", "mostly cup")
    for row, words in enumerate(lines):
        below = upper + high + 18 + 17 * row
        sheet.text(left + size[0] / 2, below, words, size=13)


def _vector(numbers: torch.Tensor) -> str:
    """Numbers as a vector, with at most two decimals."""
    return f"({', '.join(f'{round(n, 2):g}' for n in numbers.tolist())})"
