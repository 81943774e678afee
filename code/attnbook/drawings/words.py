"""Drawings of words: what attention does with them, and how many of them are right."""

import torch

from attnbook.attention import masked_softmax
from attnbook.drawings.sheet import Sheet, drawing, shade, tint
from attnbook.page.style import GREY, INK, KEY, QUERY, VIOLET

BATCH = (("Dive", "into", "Deep", "Learning"), ("Learn", "to", "code", ""), ("Hello", "world", "", ""))
BETTER = "Elle va mieux.", "Elle se sent mieux.", "Elle est meilleure."


@drawing(
    "She's better. has three translations, so it makes three pairs. Pairs dealt out one by one: Elle va mieux. and "
    "Elle est meilleure. go to training, Elle se sent mieux. to the test, so the test asks for a sentence that was "
    "trained on. Dealt out by sentence: all three go to the test, and training has not seen the sentence."
)
def a_sentence_on_one_side(sheet: Sheet) -> None:
    """Where the pairs of one sentence go if the split is by pair, and if it is by sentence."""
    deals = (
        ("split by pair", (False, True, False), "tested on a sentence that was trained on"),
        ("split by sentence", (True, True, True), "training has not seen this sentence"),
    )
    for number, (title, tested, so) in enumerate(deals):
        x, y = (4, 186 * number) if sheet.narrow else (4 + 360 * number, 0)
        sheet.text(x, y + 16, title, anchor="start", bold=True)
        sheet.box(x, y + 68, 92, 28, "She's better.", color=KEY, size=12.5)
        for row, (french, test) in enumerate(zip(BETTER, tested, strict=True)):
            middle = y + 46 + 36 * row
            sheet.line((x + 92, y + 82), (x + 108, middle), color=GREY)
            sheet.box(x + 108, middle - 14, 136, 28, french, color=QUERY, size=12.5)
            sheet.line((x + 246, middle), (x + 262, middle), arrow=True)
            look = {"color": VIOLET, "fill": tint(VIOLET), "bold": True} if test else {"color": INK}
            sheet.box(x + 265, middle - 13, 66, 26, "test" if test else "training", size=13, **look)
        sheet.text(x, y + 162, so, anchor="start", size=13, color=GREY)


@drawing(
    "On the left, a batch of three sentences in a table of three rows and four columns: Dive into Deep Learning, Learn "
    "to code, Hello world; the three empty places are hatched and called pad. On the right, the budget of a query of "
    "the third row, drawn three times as a bar. Softmax over all four: 0.03 for Hello, 0.09 for world, 0.88 for the "
    "padding. The padding dropped afterwards: 0.12 is left. Masked before the softmax: 0.27 for Hello, 0.73 for world."
)
def budget_of_a_row(sheet: Sheet) -> None:
    """Where the budget of a query goes that has padding among its keys."""
    cell, high = (78, 38) if not sheet.narrow else (80, 36)
    left, top = 4, 30
    sheet.text(left, top - 12, "one batch", anchor="start", color=GREY)
    for i, words in enumerate(BATCH):
        for j, word in enumerate(words):
            x, y = left + j * cell, top + i * high
            if not word:
                sheet.hatch(x, y, cell, high)
            size = 14 if word else 13
            sheet.box(x, y, cell, high, word or "pad", color=GREY, ink=INK if word else GREY, radius=0, size=size)
    y = top + 2 * high
    sheet.box(left, y, 4 * cell, high, color=QUERY, radius=0, line=3)

    scores = torch.tensor([[1.0, 2.0, 3.0, 4.0]])
    mask = torch.tensor([True, True, False, False])
    over_all, masked = scores.softmax(-1)[0], masked_softmax(scores, mask=mask)[0]
    if sheet.narrow:
        x, y, width = 4, y + high + 44, 330
    else:
        sheet.line((left + 4 * cell + 8, y + high / 2), (left + 4 * cell + 40, y + high / 2), color=QUERY, arrow=True)
        x, y, width = 376, 30, 318
    sheet.text(x, y - 12, "each of its queries has a budget of 1", anchor="start", color=QUERY)
    for number, (title, weights) in enumerate(
        (
            ("softmax over all four", over_all),
            ("padding dropped afterwards", over_all * mask),
            ("masked, then softmax", masked),
        )
    ):
        upper, start = y + number * 58, x
        sheet.text(x, upper + 14, title, anchor="start", size=14)
        sheet.box(x, upper + 21, width, 22, color=GREY, dashed=True, radius=0, line=1)
        for weight, word in zip(weights.tolist(), ("Hello", "world", "pad", "pad"), strict=True):
            wide = weight * width
            if not wide:
                continue
            if word == "pad":
                sheet.hatch(start, upper + 21, wide, 22)
            sheet.box(
                start,
                upper + 21,
                wide,
                22,
                f"{word} {weight:.2f}" if wide > 66 else "",
                color=GREY if word == "pad" else INK,
                fill="none" if word == "pad" else shade(0.35 if word == "Hello" else 0.75),
                ink=INK if word != "world" else "#ffffff",
                radius=0,
                line=1,
                size=13,
            )
            start += wide
        if number == 1:
            sheet.text(
                start + 8, upper + 37, f"only {sum(weights.tolist()):.2f} is left", anchor="start", color=KEY, size=13
            )


REFERENCE = ["the", "cat", "is", "on", "the", "mat"]
FOUND = ["the", "cat", "is", "on", "a", "mat", "today"]


@drawing(
    "The sentence the cat is on a mat today in boxes, below the reference the cat is on the mat. Under it, one row "
    "each for its words, pairs, triples and quadruples, a box for each; those that the reference has are filled. "
    "Words: 5 of 7, all but a and today. Pairs: 3 of 6, the cat, cat is, is on. Triples: 2 of 5, the cat is, cat is "
    "on. Quadruples: 1 of 4, the cat is on."
)
def what_bleu_counts(sheet: Sheet) -> None:
    """The runs of words of a translation that its reference has."""
    left, cell = (2, 48) if sheet.narrow else (112, 83)
    top = 38 if sheet.narrow else 16
    if sheet.narrow:
        sheet.text(left, 15, "the reference", anchor="start", size=13, color=GREY)
    else:
        sheet.text(0, top + 5, "reference", anchor="start", color=GREY)
    for j, word in enumerate(REFERENCE):
        sheet.text(left + (j + 0.5) * cell, top + 5, word, size=13.5)
    names = ("words", "pairs", "triples", "quadruples")
    y = top + (44 if sheet.narrow else 26)
    for n, name in enumerate(names, 1):
        has = [REFERENCE[j : j + n] for j in range(len(REFERENCE) - n + 1)]
        high = 13 + 15 * n if sheet.narrow else 28 if n < 3 else 36
        right = 0
        for j in range(len(FOUND) - n + 1):
            run = FOUND[j : j + n]
            hit = run in has
            if hit:
                has.remove(run)  # a run counts at most as often as the reference has it
                right += 1
            said = "\n".join(run if sheet.narrow else filter(None, (" ".join(run[:2]), " ".join(run[2:]))))
            look = {"color": VIOLET, "fill": shade(0.25), "ink": INK} if hit else {"color": GREY, "dashed": True}
            look["size"] = 12.5 if n > (1 if sheet.narrow else 2) else 13.5
            sheet.box(left + (j + (n - 1) / 2) * cell + 2, y, cell - 4, high, said, line=1.5, **look)
        number = f"{right} of {len(FOUND) - n + 1}"
        if sheet.narrow:
            sheet.text(left, y - 7, f"{name}: {number}", anchor="start", size=13)
        else:
            sheet.text(0, y + 19, f"{name}: {number}", anchor="start", size=13.5)
        y += high + 26 if sheet.narrow else 44
