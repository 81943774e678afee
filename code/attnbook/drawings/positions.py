"""Drawings of positions: where each encoding acts, which distances two tasks ask for, and two ways to ask a memory."""

import math
from collections.abc import Callable

import torch

from attnbook.attention import relative_positions, sinusoidal_encoding
from attnbook.drawings.sheet import PALE, Sheet, drawing, tint
from attnbook.page.style import GREY, INK, KEY, QUERY, VALUE, VIOLET
from attnbook.studies import look_back_batch, reversal_batch

BELOW = "#8C6214"  # of numbers below 0, as VIOLET of those above: the colours of SIGNED in page/plotting.py
STATIONS = "embeddings", "q and k", "scores", "softmax", "average\nof values"


@drawing(
    "The way of the words dog bites man through attention, in five stations: embeddings, queries and keys, scores, "
    "softmax, average of values; the values go round from the embeddings to the average. Three stations have a pin. "
    "At the embeddings, sinusoidal and learned positions add a vector: for position 1, 0.84, 0.54, 0.01, 1.00. At "
    "the queries and keys, rotary positions turn each by its position. At the scores, Shaw, T5, ALiBi and DeBERTa "
    "add a term for the distance, in a table of three words: -2 and -1, to the left, in brown, 1 and 2 in violet, "
    "stronger farther away; ALiBi adds one for its size only."
)
def where_positions_act(sheet: Sheet) -> None:
    """The stations of attention, with each encoding pinned to the one where it acts."""
    pins = _added_vector, _turned, _added_number
    if sheet.narrow:
        tops = 40, 166, 292, 414, 482
        sheet.text(71, 22, "dog bites man", size=14)
        for name, y, after in zip(STATIONS, tops, (*tops[1:], 0), strict=True):
            sheet.box(18, y, 106, 40, name, fill="#f4f4f4", size=14)
            if after:
                sheet.line((71, y + 40), (71, after - 3), arrow=True)
        around = (71, 92), (5, 92), (5, 502), (15, 502)
        sheet.line(*around, color=VALUE, width=2, arrow=True)
        sheet.dot(71, 92, 3.5, fill=VALUE)
        sheet.text(21, 129, "values", color=VALUE, size=13, turn=-90)
        for y, draw in zip(tops, pins, strict=False):
            sheet.line((124, y + 20), (150, y + 20), color=VIOLET, dashed=True)
            sheet.dot(124, y + 20, 5, fill=VIOLET)
            draw(sheet, 244, y)
        return
    y, places = 62, ((36, 108), (232, 76), (444, 76), (538, 70), (626, 72))
    sheet.text(90, 50, "dog bites man", size=14)
    for number, (name, (x, width)) in enumerate(zip(STATIONS, places, strict=True)):
        sheet.box(x, y, width, 40, name, fill="#f4f4f4", size=14)
        if number < 4:
            start = x + width, y + 20
            sheet.line(start, (places[number + 1][0] - 3, y + 20), arrow=True)
    around = (180, y + 20), (180, 22), (662, 22), (662, y - 3)
    sheet.line(*around, color=VALUE, width=2, arrow=True)
    sheet.dot(180, y + 20, 3.5, fill=VALUE)
    sheet.text(420, 15, "values", color=VALUE, size=14)
    for (x, width), draw in zip(places, pins, strict=False):
        middle = x + width / 2
        sheet.line((middle, y + 40), (middle, y + 72), color=VIOLET, dashed=True)
        sheet.dot(middle, y + 40, 5, fill=VIOLET)
        draw(sheet, middle, y + 90)


def _said(sheet: Sheet, x: float, y: float, names: str, does: str) -> None:
    """Who acts, bold, and what is done, below."""
    if sheet.narrow:  # where the pin ends
        x, y = 156, y + 5
    anchor = "start" if sheet.narrow else "middle"
    sheet.text(x, y, names, anchor=anchor, color=VIOLET, bold=True, size=14)
    sheet.text(x, y + 20, does, anchor=anchor, size=14)


def _added_vector(sheet: Sheet, x: float, y: float) -> None:
    encoding = sinusoidal_encoding(2, 4)[1].tolist()
    _said(sheet, x, y, "sinusoidal, learned", "add a vector")
    sheet.vector(x - 72, y + 34, 4, 36, 20, color=GREY)
    sheet.text(x - 82, y + 63, "+", size=14)
    sheet.vector(x - 72, y + 58, 4, 36, 20, color=VIOLET)
    for number, value in enumerate(encoding):
        sheet.text(x - 54 + 36 * number, y + 73, f"{value:.2f}", size=13)
    sheet.text(x, y + 95, "PE(1)", color=VIOLET, size=13)


def _turned(sheet: Sheet, x: float, y: float) -> None:
    _said(sheet, x, y, "rotary", "turn each by its position")
    sheet.line((x - 40, y + 80), (x + 40, y + 80), color=GREY, width=1, dashed=True)
    for angle, length, color in ((0.45, 72, KEY), (1.25, 50, QUERY)):
        tip = x - 40 + length * math.cos(angle), y + 80 - length * math.sin(angle)
        sheet.line((x - 40, y + 80), tip, color=color, width=2.5, arrow=True)
        _arc(sheet, x - 40, y + 80, 0, angle, 26 if color == KEY else 34, color)
    sheet.text(x - 12, y + 42, "q", color=QUERY, size=14)
    sheet.text(x + 36, y + 52, "k", color=KEY, size=14)


def _added_number(sheet: Sheet, x: float, y: float) -> None:
    if sheet.narrow:
        _said(sheet, x, y - 6, "Shaw, T5,", "")
        _said(sheet, x, y + 12, "ALiBi, DeBERTa", "add a term for distance")
        y += 12
    else:
        _said(sheet, x, y, "Shaw, T5, ALiBi, DeBERTa", "add a term for distance")
    for i, row in enumerate(relative_positions(3, 3).tolist()):
        for j, distance in enumerate(row):
            place = x - 54 + 36 * j, y + 34 + 20 * i, 36, 20
            words, fill = f"{distance}".replace("-", "−"), tint(BELOW if distance < 0 else VIOLET, abs(distance) / 5)
            look = {"color": VIOLET, "ink": INK, "radius": 0, "line": 1, "size": 13}
            sheet.box(*place, words, fill=fill, **look)
    if sheet.narrow:
        sheet.text(x, y + 111, "distance j − i", color=VIOLET, size=13)
        sheet.text(x, y + 129, "(ALiBi: its size only)", color=VIOLET, size=13)
    else:
        sheet.text(x, y + 111, "distance j − i (ALiBi: its size only)", color=VIOLET, size=13)


def _arc(sheet: Sheet, x: float, y: float, start: float, end: float, radius: float, color: str) -> None:
    """Part of a circle around (x, y), anticlockwise, angles in radians."""
    steps = max(int(24 * abs(end - start)), 2)
    angles = [start + (end - start) * step / steps for step in range(steps + 1)]
    points = [(x + radius * math.cos(a), y - radius * math.sin(a)) for a in angles]
    sheet.line(*points, color=color, width=1.5)


@drawing(
    "Two rows of three cards. Above, dog 1, bites 2, man 3, and below each its output: 2.58, 2.85, 2.95. Below, the "
    "sentence reversed: man 3, bites 2, dog 1, with 2.95, 2.85, 2.58. Lines join the outputs of equal words, and cross."
)
def outputs_move_with_their_words(sheet: Sheet) -> None:
    """Attention of three words and of the same three reversed, each word's number query, key and value at once."""
    left, pitch, wide = (62, 96, 84) if sheet.narrow else (200, 150, 110)
    words = {"dog": 1.0, "bites": 2.0, "man": 3.0}
    x = torch.tensor(list(words.values()))[:, None]  # (T, 1)
    outputs = dict(zip(words, ((x @ x.T).softmax(dim=-1) @ x)[:, 0].tolist(), strict=True))
    for row, order in enumerate((list(words), list(words)[::-1])):
        cards, numbers = (6, 66) if row == 0 else (178, 150)
        for column, word in enumerate(order):
            middle = left + pitch * column
            sheet.box(middle - wide / 2, cards, wide, 32, f"{word} {words[word]:.0f}", size=14)
            sheet.text(middle, numbers + 5, f"{outputs[word]:.2f}", color=VIOLET, bold=True, size=14)
            ends = (cards + 33, numbers - 9) if row == 0 else (cards - 1, numbers + 12)
            sheet.line((middle, ends[0]), (middle, ends[1]), color=GREY, arrow=True)
            if row == 0:
                below = left + pitch * (2 - column)
                sheet.line((middle, numbers + 11), (below, 136), color=VIOLET, width=1.5, dashed=True)


@drawing(
    "A sequence of 24 random symbols, and below it the answers that are wanted. Arrows lead from position 5 to 2 and "
    "from 20 to 17, both −3; the answers are the sequence moved by three, from the fourth position on."
)
def three_places_back(sheet: Sheet) -> None:
    """The task of looking back, on one sequence."""
    _task(sheet, 20, "look back:", "the same distance everywhere", look_back_batch, {5: 2, 20: 17}, 30)


@drawing(
    "The same sequence of 24 random symbols twice, and below it the answers that are wanted. Look back, the same "
    "distance everywhere: arrows lead from position 5 to 2 and from 20 to 17, both −3; the answers are the sequence "
    "moved by three. Mirror, another distance at each position: one arrow leads from position 2 to 23, +21, the other "
    "from 20 to 5, −15; the answers are the sequence reversed."
)
def one_distance_or_many(sheet: Sheet) -> None:
    """Two tasks on one sequence: one asks for a single distance, the other for another one at each position."""
    y = _task(sheet, 20, "look back:", "the same distance everywhere", look_back_batch, {5: 2, 20: 17}, 30)
    _task(sheet, y, "mirror:", "another distance at each position", reversal_batch, {2: 23, 20: 5}, 96)


def _task(sheet: Sheet, y: float, name: str, said: str, batch: Callable, found: dict[int, int], rise: float) -> float:
    """A sequence, its answers, and arrows from some positions to where theirs are found; returns where this ends."""
    cell, left = (14, 2) if sheet.narrow else (24, 112)
    sheet.text(2 if sheet.narrow else left, y, f"{name} {said}", anchor="start", size=14, bold=True)
    y += rise + 28
    symbols, answers = (rows[0].tolist() for rows in batch(1, 24, torch.Generator().manual_seed(1)))
    for at, (symbol, answer) in enumerate(zip(symbols, answers, strict=True), 1):
        color = QUERY if at in found else KEY if at in found.values() else None
        look = {"color": color or PALE, "fill": tint(color) if color else "none", "line": 2 if color else 1}
        x = left + cell * (at - 1)
        sheet.box(x, y, cell, 26, "abcdefgh"[symbol], ink=INK, radius=0, size=13, **look)
        if answer >= 0:
            ink = INK if at in found else GREY
            sheet.text(x + cell / 2, y + 68, "abcdefgh"[answer], size=13, color=ink, bold=at in found)
        if color:
            sheet.text(x + cell / 2, y + 42, f"{at}", size=13, color=color)
    farthest = max(abs(to - at) for at, to in found.items())
    for at, to in found.items():
        x0, x1 = (left + cell * (place - 0.5) for place in (at, to))
        high = rise if abs(to - at) == farthest else 0.62 * rise
        way = (x0, y - 2), (x0, y - 4 / 3 * high), (x1, y - 4 / 3 * high), (x1, y - 3)
        sheet.line(*way, color=VIOLET, width=2, arrow=True, curved=True)
        distance = f"{to - at:+}".replace("-", "−")
        sheet.text((x0 + x1) / 2, y - high - 6, distance, size=14, color=VIOLET)
    x, anchor = (left + 12 * cell, "middle") if sheet.narrow else (left - 12, "end")
    lows = (-7, 42, 86) if sheet.narrow else (18, 42, 68)
    for low, words in zip(lows, ("sequence", "position", "wanted"), strict=True):
        sheet.text(x, y + low, words, anchor=anchor, size=13, color=GREY)
    return y + (124 if sheet.narrow else 104)


@drawing(
    "A memory of eight pairs of a letter and a digit: C 4, A 7, H 2, E 5, B 0, G 3, D 7, F 1. Asked by content, the "
    "query E stands above, and an arrow leads to the pair E 5: its answer is 5. Asked by position, query number 3 "
    "stands below, and an arrow leads to the third pair, H 2: its answer is 2."
)
def by_content_or_by_position(sheet: Sheet) -> None:
    """One memory of pairs, and two ways to ask for one of them."""
    cell, left = (41, 7) if sheet.narrow else (56, 126)
    for number, (letter, digit) in enumerate(zip("CAHEBGDF", "47250371", strict=True)):
        x, asked = left + cell * number, letter in "EH"
        look = {"color": KEY if asked else PALE, "line": 2 if asked else 1}
        sheet.box(x + 2, 76, cell - 4, 56, **look)
        sheet.text(x + cell / 2, 98, letter, color=KEY, bold=asked)
        sheet.text(x + cell / 2, 122, digit, color=VALUE, bold=asked)
    for number, query, y, way, wanted in (
        (4, "E", 4, "by content:", "what belongs to E?"),
        (3, "3", 174, "by position:", "what stands third?"),
    ):
        x = left + cell * (number - 0.5)
        sheet.box(x - 15, y, 30, 28, query, color=QUERY, fill=tint(QUERY), ink=INK)
        ends = ((x, y + 28), (x, 73)) if y < 76 else ((x, y), (x, 135))
        sheet.line(*ends, color=QUERY, width=2, arrow=True)
        sheet.text(x + 26, y + 11, way, anchor="start", size=14, bold=True)
        sheet.text(x + 26, y + 29, wanted, anchor="start", size=14)


STRIP = (2, 5), (702, 705)  # positions, those of a pair three places apart


@drawing(
    "Eight clock hands, one for each pair of features of a vector of 16, at the positions 2 and 5 and, below, at 702 "
    "and 705. They turn anticlockwise from a tick on the right, from place to place by 1, 0.32, 0.10, 0.03, 0.01, "
    "0.003, 0.001 and 0.0003. A shaded slice shows how far a hand has turned in the three places: by 3.00, 0.95, 0.30, "
    "0.09, 0.03, 0.009, 0.003 and 0.0009. The eight slices of 2 to 5 are as large as those of 702 to 705. At 2 "
    "and 5 the last four hands lie nearly on the tick, at 702 and 705 none does."
)
def eight_hands(sheet: Sheet) -> None:
    """All hands of an encoding at two positions, and how far each has turned between them, twice."""
    left, pitch, radius = (23, 42, 18) if sheet.narrow else (136, 75, 28)
    omegas = [10000 ** (-2 * pair / 16) for pair in range(8)]
    for number, omega in enumerate(omegas):
        low = 13 * (number % 2) if sheet.narrow else 0  # side by side, the longest would touch
        sheet.text(left + number * pitch, 38 + low, _small(omega), size=12 if sheet.narrow else 13)
    sheet.text(4, 15, "ω, how far a hand turns from place to place", anchor="start", size=13)
    y = 58.0 if sheet.narrow else 48.0
    for pair in STRIP:
        for number, position in enumerate(pair):
            words = f"position {position}"
            if sheet.narrow:
                sheet.text(4, y + 14, words, anchor="start", size=13, color=GREY)
            else:
                sheet.text(96, y + radius + 5, words, anchor="end", size=14, color=GREY)
            middle = y + radius + (20 if sheet.narrow else 0)
            for hand, omega in enumerate(omegas):
                _hand(sheet, (left + hand * pitch, middle), radius, [omega * at for at in pair[: number + 1]])
            y = middle + radius + 8
        for hand, omega in enumerate(omegas):
            turn = _small(omega * (pair[1] - pair[0]))
            low = 13 * (hand % 2) if sheet.narrow else 0
            sheet.text(left + hand * pitch, y + 12 + low, turn, size=12 if sheet.narrow else 13, color=VIOLET)
        if not sheet.narrow:
            sheet.text(96, y + 12, "turned by", anchor="end", size=14, color=VIOLET)
        y += 38 if sheet.narrow else 30
    sheet.text(4, y + 8, "violet: turned by 3ω since the position above", anchor="start", size=13, color=VIOLET)


def _small(angle: float) -> str:
    """An angle with two digits behind the point, or as many as show the first that is not 0."""
    return f"{angle:.{max(2, math.ceil(-math.log10(angle)))}f}"


def _hand(sheet: Sheet, center: tuple[float, float], radius: float, turns: list[float]) -> None:
    """A clock with a hand; with a slice behind it, if there is a turn before it."""
    x, y = center
    sheet.dot(x, y, radius, fill="#ffffff", color=GREY)
    rim = [turns[0] + (turns[-1] - turns[0]) * part / 24 for part in range(25)]
    if len(turns) > 1:
        around = [(x + radius * math.cos(turn), y - radius * math.sin(turn)) for turn in rim]
        sheet.area((x, y), *around, fill=tint(VIOLET, 0.4))
    sheet.line((x + radius - 5, y), (x + radius, y), color=INK, width=2)
    tip = x + 0.85 * radius * math.cos(turns[-1]), y - 0.85 * radius * math.sin(turns[-1])
    sheet.line((x, y), tip, color=INK, width=2.5)


AHEAD = -3, -9, -66, -129, 60  # key − query


@drawing(
    "Two clock hands, for keys at the distances -3, -9, -66 and -129, to the left, and 60, to the right. They "
    "start from a tick on the right and turn anticlockwise with every place to the left. Beside each hand a dashed "
    "one shows where it stands at -3; violet hands are off by less than 0.4. Hand 0 turns by 1 from place to place, "
    "hand 1 by 0.1. At -9 hand 0 is nearly back, at 2.72 instead of 3, but hand 1 is at 0.90 instead of 0.3. "
    "At -66, -129 and 60 both are back: hand 0 at 3.17, 3.34 and 2.83, hand 1 at 0.32, 0.33 and 0.28."
)
def two_hands_come_back(sheet: Sheet) -> None:
    """At which distances the two fast hands of a head stand as they do three places to the left."""
    left, pitch, radius = (26, 71, 22) if sheet.narrow else (190, 114, 32)
    high = 2 * radius + 46
    sheet.text(left - radius if sheet.narrow else 20, 18, "distance j − i", anchor="start", size=14)

    def off(distance: int, omega: float) -> float:
        """How far a hand is from where it stands three places to the left."""
        return abs(math.remainder((distance - AHEAD[0]) * omega, 2 * math.pi))

    for row, (name, omega) in enumerate((("hand 0, ω = 1", 1.0), ("hand 1, ω = 0.1", 0.1))):
        top = 72 + row * high + (10 + 24 * row if sheet.narrow else 0)
        if sheet.narrow:
            sheet.text(left - radius, top - 12, name, anchor="start", size=13, color=GREY)
        else:
            sheet.text(20, top + radius + 5, name, anchor="start", size=14, color=GREY)
        for column, distance in enumerate(AHEAD):
            x, y = left + column * pitch, top + radius
            angle = -distance * omega % (2 * math.pi)
            color = VIOLET if off(distance, omega) < 0.4 else GREY
            sheet.dot(x, y, radius, fill=tint(color, 0.12), color=color)
            sheet.line((x + radius - 6, y), (x + radius, y), color=INK, width=2)
            for turn, look in (
                (angle, {"color": color, "width": 3}),
                (-AHEAD[0] * omega, {"color": INK, "width": 1.2, "dashed": True}),
            ):
                tip = x + 0.9 * radius * math.cos(turn), y - 0.9 * radius * math.sin(turn)
                sheet.line((x, y), tip, **look)
            if not row:
                both = max(off(distance, 1.0), off(distance, 0.1)) < 0.4
                sheet.text(x, 44, f"{distance}".replace("-", "−"), bold=True, color=VIOLET if both else INK)
            sheet.text(x, y + radius + 18, f"{angle:.2f}", size=13, color=color)
    y = top + high - 2
    key = ("tick: 0", "dashed: at −3", "violet hand: off by less than 0.4", "violet number on top: both hands near")
    for number, words in enumerate(key):
        x, down = (4, 22 * number) if sheet.narrow else ((190, 290)[number % 2] + 140 * (number == 3), number // 2 * 22)
        sheet.text(x, y + down, words, anchor="start", size=13, color=VIOLET if number > 1 else INK)
