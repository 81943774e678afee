"""A drawing of positions: where each encoding acts."""

import math

from attnbook.attention import relative_positions, sinusoidal_encoding
from attnbook.drawings.sheet import Sheet, drawing, tint
from attnbook.page.style import GREY, INK, KEY, QUERY, VALUE, VIOLET

STATIONS = "embeddings", "q and k", "scores", "softmax", "average\nof values"


@drawing(
    "The way of the words dog bites man through attention, in five stations: embeddings, queries and keys, scores, "
    "softmax, average of values; the values go round from the embeddings to the average. Three stations have a pin. "
    "At the embeddings, sinusoidal and learned positions add a vector, for position 1 here 0.84, 0.54, 0.01, 1.00. At "
    "the queries and keys, rotary positions turn both. At the scores, Shaw, T5, ALiBi and DeBERTa add a number that "
    "depends on the distance, in a table of three words from -2 to 2."
)
def where_positions_act(sheet: Sheet) -> None:
    """The stations of attention, with each encoding pinned to the one where it acts."""
    pins = _added_vector, _turned, _added_number
    if sheet.narrow:
        tops = 40, 166, 292, 414, 482
        sheet.text(68, 22, "dog bites man", size=14)
        for name, y, after in zip(STATIONS, tops, (*tops[1:], 0), strict=True):
            sheet.box(18, y, 100, 40, name, fill="#f4f4f4", size=14)
            if after:
                sheet.line((68, y + 40), (68, after - 3), arrow=True)
        around = (68, 92), (5, 92), (5, 502), (15, 502)
        sheet.line(*around, color=VALUE, width=2, arrow=True)
        sheet.dot(68, 92, 3.5, fill=VALUE)
        sheet.text(21, 129, "values", color=VALUE, size=13, turn=-90)
        for y, draw in zip(tops, pins, strict=False):
            sheet.line((118, y + 20), (150, y + 20), color=VIOLET, dashed=True)
            sheet.dot(118, y + 20, 5, fill=VIOLET)
            draw(sheet, 244, y)
        return
    y, places = 62, ((36, 108), (254, 76), (444, 76), (538, 70), (626, 72))
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
    sheet.text(x, y, names, color=VIOLET, bold=True, size=14)
    sheet.text(x, y + 20, does, size=14)


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
    _said(sheet, x, y, "rotary", "turns q and k")
    sheet.line((x - 40, y + 80), (x + 40, y + 80), color=GREY, width=1, dashed=True)
    for angle, color in ((0.45, KEY), (1.25, QUERY)):
        tip = x - 40 + 72 * math.cos(angle), y + 80 - 50 * math.sin(angle)
        sheet.line((x - 40, y + 80), tip, color=color, width=2.5, arrow=True)
        _arc(sheet, x - 40, y + 80, 0, angle, 26 if color == KEY else 34, color)
    sheet.text(x - 2, y + 40, "q", color=QUERY, size=14)
    sheet.text(x + 36, y + 62, "k", color=KEY, size=14)


def _added_number(sheet: Sheet, x: float, y: float) -> None:
    if sheet.narrow:
        _said(sheet, x, y - 6, "Shaw, T5,", "")
        _said(sheet, x, y + 12, "ALiBi, DeBERTa", "add to scores by distance")
        y += 12
    else:
        _said(sheet, x, y, "Shaw, T5, ALiBi, DeBERTa", "add to the scores by distance")
    for i, row in enumerate(relative_positions(3, 3).tolist()):
        for j, distance in enumerate(row):
            place = x - 54 + 36 * j, y + 34 + 20 * i, 36, 20
            words, fill = (f"{distance}".replace("-", "−"), tint(VIOLET, abs(distance) / 5))
            look = {"color": VIOLET, "ink": INK, "radius": 0, "line": 1, "size": 13}
            sheet.box(*place, words, fill=fill, **look)
    sheet.text(x, y + 111, "distance j − i", color=VIOLET, size=13)


def _arc(sheet: Sheet, x: float, y: float, start: float, end: float, radius: float, color: str) -> None:
    """Part of a circle around (x, y), anticlockwise, angles in radians."""
    steps = max(int(24 * abs(end - start)), 2)
    angles = [start + (end - start) * step / steps for step in range(steps + 1)]
    points = [(x + radius * math.cos(a), y - radius * math.sin(a)) for a in angles]
    sheet.line(*points, color=color, width=1.5)
