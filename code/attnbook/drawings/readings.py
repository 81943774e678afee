"""Drawings of what weights say, and of what they leave open."""

import torch

from attnbook.drawings.sheet import Sheet, drawing, shade
from attnbook.page.style import GREY, INK, KEY, OUTPUT, QUERY, VALUE, VIOLET, ink_on

VALUES = torch.tensor([1.0, 2.0, 3.0])
STORIES = torch.tensor([[0.5, 0.0, 0.5], [0.0, 1.0, 0.0]])


@drawing(
    "Two rows of attention weights over three keys with the values 1, 2 and 3. One is 0.5, 0, 0.5: it never looks at "
    "the middle key. The other is 0, 1, 0: it looks only at the middle key. Below each row the weights lie as discs on "
    "a beam, at the places of their values; both beams balance at the same place. The output is 2 both times."
)
def two_stories_for_one_output(sheet: Sheet) -> None:
    """Two opposite rows of weights that give the same average."""
    titles = "never looks at the middle key", "looks only at the middle key"
    for number, (title, weights) in enumerate(zip(titles, STORIES, strict=True)):
        if sheet.narrow:
            left, top = 70, 18 + 266 * number
        else:
            left, top = 76 + 360 * number, 18
        _story(sheet, left, top, title, weights)


def _story(sheet: Sheet, left: float, top: float, title: str, weights) -> None:
    """A row of weights, and below it a beam that carries them."""
    step, output = 80, (weights @ VALUES).item()
    places = [left + (j + 0.5) * step for j in range(3)]
    sheet.text(places[1], top, title, bold=True)
    for y, words, color in ((39, "weight", VIOLET), (73, "value", VALUE)):
        sheet.text(left - 12, top + y, words, anchor="end", size=14, color=color)
    beam = top + 178
    for x, weight, value in zip(places, weights.tolist(), VALUES, strict=True):
        look = {"fill": shade(weight), "ink": ink_on(weight)}
        look |= {"color": GREY, "radius": 0, "line": 1}
        sheet.box(x - step / 2, top + 16, step, 34, f"{weight:g}", **look)
        look = {"color": VALUE, "radius": 0, "bold": True}
        sheet.box(x - step / 2, top + 52, step, 34, f"{value:g}", **look)
        if weight:
            radius = 30 * weight**0.5  # so that weights are areas
            high = beam - 2 * radius - 3
            sheet.line((x, top + 90), (x, high), color=GREY, width=1, dashed=True)
            sheet.dot(x, beam - 2 - radius, radius, fill=shade(weight), color=GREY)
    sheet.line((left, beam), (left + 3 * step, beam), width=3)
    x = left + (output - 0.5) * step
    sheet.area((x, beam + 2), (x - 14, beam + 24), (x + 14, beam + 24), fill=OUTPUT)
    sheet.text(x, beam + 44, f"output {output:g}", bold=True)


ROW = ("<bos>", "a", "b", "c", "d", "a")


@drawing(
    "The row bos, a, b, c, d, a in two layers. In layer 1 each position looks at the one before and leaves a note: "
    "after bos, after a, after b, after c, after d. In layer 2 the last position, an a, asks which note says after a. "
    "It finds the one at the position of b, and copies the symbol that stands there: next comes b."
)
def two_heads_that_copy(sheet: Sheet) -> None:
    """A head that notes what came before, and one that looks for the note."""
    notes = 136
    between = _copied(sheet, notes, 2, {})
    sheet.text(between, notes + 130, "look", size=13 if sheet.narrow else 14, color=QUERY)
    if sheet.narrow:
        for y, said in ((300, "Layer 1 notes what came before."), (322, "Layer 2 looks for the note, and copies.")):
            sheet.text(2, y, said, anchor="start", size=14)
    else:
        _named(sheet, notes, ("layer 1", INK), ("notes", GREY), ("layer 2", INK), ("looks", GREY))


@drawing(
    "The row bos, a, b, c, d, a again. The note at b has been erased: it no longer says after a. The note at d, which "
    "said after c, now says after a, which is false. The last position asks which note says after a, finds the false "
    "one, and copies the symbol that stands there: the answer is d instead of b."
)
def a_false_note(sheet: Sheet) -> None:
    """One note erased and another forged: the look and the copy go astray."""
    _copied(sheet, 116, 4, {2: "erased", 4: "false"})
    if not sheet.narrow:
        _named(sheet, 116, ("notes of", INK), ("layer 1", INK), ("layer 2", INK), ("looks", GREY))


def _copied(sheet: Sheet, notes: float, found: int, marks: dict[int, str]) -> float:
    """A row, the notes below it, the question that finds one of them, and the copy of the symbol above that one.

    `marks` says what has been done to a note, by its place; it returns where the question's line runs, half-way.
    """
    left, step, wide = (2, 48.5, 45) if sheet.narrow else (84, 88, 66)
    size = 13 if sheet.narrow else 14
    symbols, ask, asking = 56, notes + 90, len(ROW) - 1
    middle = [left + step * t + wide / 2 for t in range(len(ROW) + 1)]
    for t, symbol in enumerate(ROW):
        x = middle[t] - wide / 2
        color, line = (VALUE, 2.5) if t == found else (INK, 1.5)
        sheet.box(x, symbols, wide, 32, symbol, color=color, ink=INK, line=line, size=size)
        if not t:
            continue
        said = {"erased": "", "false": f"after\n{ROW[asking]}"}.get(marks.get(t), f"after\n{ROW[t - 1]}")
        if not marks:
            sheet.line((middle[t - 1], symbols + 34), (middle[t], notes - 4), color=VIOLET, arrow=True)
        if not said:
            sheet.hatch(x, notes, wide, 44)
        color, line = (KEY, 2.5) if t == found else (GREY, 1.5)
        sheet.box(x, notes, wide, 44, said, color=color, ink=INK, line=line, size=size, dashed=t in marks)
    edge, corner = middle[asking] - wide / 2, (middle[found], ask + 22)
    sheet.box(edge, ask, wide, 44, f"after\n{ROW[asking]}?", color=QUERY, line=2.5, size=size)
    for t, word in marks.items():
        sheet.text(middle[t], notes + 62, word, color=KEY if t == found else GREY, size=13)
    below = notes + (70 if marks else 48)
    sheet.line((edge - 2, corner[1]), corner, (corner[0], below), color=QUERY, width=2.2, arrow=True)
    x = middle[-1]
    way = (middle[found], symbols - 3), (middle[found], 24), (x, 24), (x, symbols - 4)
    sheet.line(*way, color=VALUE, width=2.2, arrow=True)
    sheet.text((middle[found] + x) / 2, 17, "copy", size=size, color=VALUE)
    look = {"color": OUTPUT, "ink": INK, "line": 2.5, "dashed": True, "bold": True}
    sheet.box(x - wide / 2, symbols, wide, 32, ROW[found], size=size, **look)
    return (corner[0] + edge) / 2


def _named(sheet: Sheet, notes: float, *lines: tuple[str, str]) -> None:
    """What stands left of the notes and of the question, two lines each."""
    for y, (words, color) in zip((19, 37, 109, 127), lines, strict=True):
        sheet.text(2, notes + y, words, anchor="start", size=14, color=color)


OLD_DOG = ["the", "old", "dog", "sleeps"]
SCHOOL = ["the", "children", "behind", "the", "school", "slept"]
# what two heads of the pretrained encoder give to [CLS], each word and [SEP]: 3.9 from *the*, 6.3 from *slept*
OF_HEAD = [0.08, 0.02, 0.14, 0.72, 0.03, 0.01]
OF_VERB = [0.20, 0.03, 0.38, 0.01, 0.04, 0.29, 0.03, 0.03]
# sentence, the rule's name and answer, its colour, the word that is asked, and the weights of its arcs
ANSWERS = (
    (OLD_DOG, "next word:", "old ✗", GREY, 0, {1: 0.25}),
    (OLD_DOG, "nearest noun:", "dog ✓", KEY, 0, {2: 0.25}),
    (OLD_DOG, "head 3.9:", "dog ✓", VIOLET, 0, {to: OF_HEAD[to + 1] for to in (1, 2)}),
    (SCHOOL, "nearest noun:", "school ✗", KEY, 5, {4: 0.25}),
    (SCHOOL, "noun before nearest:", "children ✓", INK, 5, {1: 0.25}),
    (SCHOOL, "head 6.3:", "children ✓", VIOLET, 5, {to: OF_VERB[to + 1] for to in (1, 4)}),
)


@drawing(
    "Two questions, each of a sentence drawn three times. Determiner to noun, which is the noun of the, in the old "
    "dog sleeps: the next word is old, which is wrong; the nearest noun is dog, which is right; head 3.9 gives "
    "0.08 to CLS, 0.02 to the, 0.14 to old, 0.72 to dog, 0.03 to sleeps and 0.01 to SEP. Verb to subject, which is "
    "the subject of slept, in the children behind the school slept: the nearest noun is school, which is wrong; the "
    "noun before nearest is children, which is right; head 6.3 gives 0.20 to CLS, 0.03 to the, 0.38 to children, 0.01 "
    "to behind, 0.04 to the, 0.29 to school, 0.03 to slept and 0.03 to SEP."
)
def the_nearest_or_the_right_noun(sheet: Sheet) -> None:
    """A distance, the nearest noun and a head where two of them agree; and the last three where they do not."""
    left, top = (3, 0) if sheet.narrow else (290, 0)
    for number, (words, rule, answer, color, asked, arcs) in enumerate(ANSWERS):
        if number in (0, 3):
            asks = "verb → subject: the subject of “slept”?" if number else "determiner → noun: the noun of “the”?"
            sheet.text(left if sheet.narrow else 20, top + 18, asks, anchor="start", size=14, color=QUERY)
            top += 28
        middles, x, low = [], left, top + (54 if sheet.narrow else 24)
        for at, word in enumerate(words):
            wide = 10 + 8 * len(word)
            look = {"color": QUERY, "ink": QUERY} if at == asked else {"color": GREY, "ink": INK}
            sheet.box(x, low, wide, 26, word, size=13, **look)
            middles.append(x + wide / 2)
            x += wide + 3
        for to, weight in arcs.items():
            a, b, high = middles[asked], middles[to], low - 10 - 3 * abs(to - asked)
            way = (a, low - 1), (a, high), (b, high), (b, low - 1)
            sheet.line(*way, color=color, width=1 + 4 * weight, arrow=True, curved=True)
        above = low - 20 - 3 * max(abs(to - asked) for to in arcs)
        at, y = (left, above) if sheet.narrow else (20, low + 18)
        sheet.text(at, y, rule, anchor="start", size=14)
        sheet.text(at + 156, y, answer, anchor="start", size=14, bold=True)
        top += 98 if sheet.narrow else 56
        if color == VIOLET:
            first, *row, last = OF_VERB if words is SCHOOL else OF_HEAD
            for middle, weight in zip(middles, row, strict=True):
                sheet.text(middle, low + 41, f"{weight:.2f}", size=12, color=VIOLET)
            y = low + (60 if sheet.narrow else 41)
            sheet.text(at, y, f"[CLS] {first:.2f}, [SEP] {last:.2f}", anchor="start", size=12, color=VIOLET)
            top += 38 if sheet.narrow else 34
