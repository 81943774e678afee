"""Pictures of trained runs: medians and seeds as dots, or a table of medians and ranges, the darker, the better."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import median

from attnbook.drawings.sheet import PALE, Picture, Sheet, shade, tint
from attnbook.page.style import GREY, INK, VIOLET

Row = tuple[str, Sequence[Sequence[float]]]
HIGH, WIDE_HIGH, HEADING, GAP = 34, 28, 22, 8  # of a row, narrow and wide; of a heading; below a group
DOTS = 32  # of a row of dots
GROUND = "#e2e2e2"  # up to what a guess gets


def right_answers(
    columns: Sequence[str], groups: Sequence[tuple[str, Sequence[Row]]], guess: float | None = None
) -> Picture:
    """Right answers, one row per reader, and in it a dot for each condition, from white to violet.

    Args:
        columns: the names of at least two conditions.
        groups: a heading and its rows; a row is a name and, for each condition or only the first of them, the seeds'
            results in percent.
        guess: what always naming the most frequent symbol gets, in percent, as a grey ground.

    Returns:
        The picture.
    """

    looks = [shade(number / (len(columns) - 1)) for number in range(len(columns))]

    def draw(sheet: Sheet) -> None:
        left, right, end = (112, 304, 98) if sheet.narrow else (200, 640, 176)
        x = 8.0
        for words, look in zip(columns, looks, strict=True):
            sheet.dot(x, 13, 5, fill=look, color=VIOLET)
            sheet.text(x + 12, 18, words, anchor="start", size=13)
            x += 36 + 7.8 * len(words)
        at = [left + (right - left) * quarter / 4 for quarter in range(5)]
        y = 30
        for heading, rows in groups:
            sheet.text(4, y + 15, heading, anchor="start", size=13, color=VIOLET, bold=True)
            y += HEADING
            if guess:
                sheet.bar(left, y, (right - left) * guess / 100, DOTS * len(rows), fill=GROUND)
            for x in at:
                sheet.line((x, y), (x, y + DOTS * len(rows)), color=PALE, width=1)
            for name, cells in rows:
                sheet.text(end, y + 26, name, anchor="end", size=14)
                found = [[left + (right - left) * percent / 100 for percent in cell] for cell in cells]
                _dots(sheet, y + 21, found, looks[: len(cells)], [f"{median(cell):.0f}" for cell in cells])
                y += DOTS
            y += GAP
        for x, percent in zip(at, (0, 25, 50, 75, 100), strict=True):
            sheet.text(x, y + 9, f"{percent}", size=13, color=GREY)
        _keys(sheet, y + 32, guess is not None)

    alt = f"Right answers in percent, median and range of the seeds: {', '.join(columns)}. " + " ".join(
        f"{heading}, {name}: {', '.join(map(_ranged, cells))}." for heading, rows in groups for name, cells in rows
    )
    if guess:
        alt += f" Always the most frequent symbol: {guess:.0f}."
    return Picture(draw, alt)


def right_at_lengths(lengths: Sequence[str], groups: Sequence[tuple[str, Sequence[float], Sequence[Row]]]) -> Picture:
    """Right answers, one row per reader and one panel per length of the sequences.

    Args:
        lengths: the names of three panels; what follows a comma stands below.
        groups: a heading, for each length what always naming the most frequent symbol gets in percent, and the rows;
            a row is a name and, for each length, the seeds' results in percent, or none if it was not tested.

    Returns:
        The picture.
    """

    def draw(sheet: Sheet) -> None:
        first, pitch, wide, end = (92, 83, 68, 82) if sheet.narrow else (200, 162, 130, 180)
        lefts = [first + pitch * number for number in range(len(lengths))]
        for left, words in zip(lefts, lengths, strict=True):
            for number, line in enumerate(words.split(", ")):
                sheet.text(left + wide / 2, 14 + 16 * number, line, size=13, bold=not number)
        y = 36
        for heading, guesses, rows in groups:
            sheet.text(4, y + 15, heading, anchor="start", size=13, color=VIOLET, bold=True)
            y += HEADING
            high = HIGH if sheet.narrow and any(", " in name for name, _ in rows) else 24
            for left, guess in zip(lefts, guesses, strict=True):
                sheet.bar(left, y, wide * guess / 100, high * len(rows), fill=GROUND)
                for part in (0, 0.5, 1):
                    x = left + wide * part
                    sheet.line((x, y), (x, y + high * len(rows)), color=PALE, width=1)
            for name, cells in rows:
                middle = y + high / 2
                lines = name.split(", ") if sheet.narrow else [name]
                for number, line in enumerate(lines):
                    sheet.text(end, middle + 5 + 15 * (number - (len(lines) - 1) / 2), line, anchor="end", size=13)
                for left, cell in zip(lefts, cells, strict=True):
                    _spread(sheet, middle, (left, wide), cell)
                y += high
            y += GAP
        marks = {0: "start", 1: "end"} if sheet.narrow else dict.fromkeys((0, 0.5, 1), "middle")
        for left in lefts:
            for part, anchor in marks.items():
                sheet.text(left + wide * part, y + 8, f"{100 * part:.0f}", anchor=anchor, size=12, color=GREY)
        _keys(sheet, y + 32, True)

    alt = f"Right answers in percent, median and range of the seeds: {'; '.join(lengths)}. " + " ".join(
        f"{heading} (always the most frequent symbol: {', '.join(f'{guess:.0f}' for guess in guesses)}): "
        + "; ".join(f"{name}: {', '.join(map(_ranged, cells))}" for name, cells in rows)
        + "."
        for heading, guesses, rows in groups
    )
    return Picture(draw, alt)


def _spread(sheet: Sheet, y: float, panel: tuple[float, float], found: Sequence[float]) -> None:
    """The seeds of one cell as small dots on their range, the median as a large one, with its number beside them."""
    left, wide = panel
    if not found:
        sheet.text(left + wide / 2, y + 5, "–", size=13, color=GREY)
        return
    at = sorted(left + wide * percent / 100 for percent in found)
    if at[-1] > at[0]:
        sheet.line((at[0], y), (at[-1], y), color=VIOLET, width=1.5)
    for x in at:
        sheet.dot(x, y, 2.5, fill="#ffffff", color=VIOLET)
    sheet.dot(median(at), y, 4.5, fill=VIOLET)
    words = f"{median(found):.0f}"
    if max(found) > 65:
        sheet.text(min(at[0], median(at) - 2) - 6, y + 5, words, anchor="end", size=13)
    else:
        sheet.text(max(at[-1], median(at) + 2) + 6, y + 5, words, anchor="start", size=13)


def _keys(sheet: Sheet, y: float, guess: bool) -> None:
    """What dots and ground mean, below a picture."""
    sheet.text(sheet.width / 2, y, "right answers in %; large: median, small: seed", size=13)
    if guess:
        x = sheet.width / 2 - 122
        sheet.bar(x, y + 9, 24, 14, fill=GROUND)
        sheet.text(x + 32, y + 21, "always the most frequent symbol", anchor="start", size=13)


def _ranged(found: Sequence[float]) -> str:
    # rounded first: no range where it would not show
    return _steps([round(percent) for percent in found], 100) if found else "not tested"


def steps_until_learned(peaks: Sequence[float], groups: Sequence[tuple[str, Sequence[Row]]], limit: int) -> Picture:
    """Steps that runs needed, one row per warm-up, one column per peak learning rate.

    Args:
        peaks: the learning rates.
        groups: a heading and its rows; a row is a name and, for each peak, the seeds' numbers of steps.
        limit: more steps than this mean that a run has not learned; infinitely many, that it has learned and lost it.

    Returns:
        The picture.
    """

    def draw(sheet: Sheet) -> None:
        label, wide = (48, 58) if sheet.narrow else (100, 119)
        lefts = [label + wide * column for column in range(len(peaks))]
        middle = (lefts[0] + lefts[-1] + wide) / 2
        whole = sheet.width / 2
        sheet.text(whole, 16, "steps until the loss stays below 0.5", size=14, bold=True)
        said = f"median (lowest–highest) of three seeds; not yet: over {limit}"
        if sheet.narrow:
            said = said.replace("(lowest–highest)", "and range")
        sheet.text(whole, 36, said, size=12 if sheet.narrow else 13, color=GREY)
        sheet.text(middle, 58, "peak learning rate", size=13, color=GREY)
        for left, peak in zip(lefts, peaks, strict=True):
            sheet.text(left + wide / 2, 77, f"{peak:g}", size=13)
        _table(sheet, 84, lefts, wide, groups, lambda steps: max(0.0, 1 - 2 * steps / limit), limit)

    alt = f"Median steps (and range) until a run has learned, at peak rates of {', '.join(f'{p:g}' for p in peaks)}. "
    alt += " ".join(
        f"{heading} " + "; ".join(f"{name}, {', '.join(_steps(c, limit) for c in cells)}" for name, cells in rows) + "."
        for heading, rows in groups
    )
    return Picture(draw, alt)


def _failed(found: Sequence[float]) -> str:
    """What is said of runs that have not learned."""
    return "lost again" if median(found) == float("inf") else "not yet"


def _steps(found: Sequence[float], limit: float) -> str:
    middle, low, high = median(found), min(found), max(found)
    if middle > limit:
        return _failed(found)
    return f"{middle:.0f}" + (f" ({low:.0f}–{high:.0f})" if low < high else "")


def _dots(sheet: Sheet, y: float, found: Sequence[Sequence[float]], looks: Sequence[str], said: Sequence[str]) -> None:
    """The results of one row: the seeds as small dots, the medians as large ones, joined, with their numbers above."""
    middles = [median(cell) for cell in found]
    if len(middles) > 1:
        sheet.line(*((x, y) for x in middles), color=VIOLET, width=1.5)
    for cell, look in zip(found, looks, strict=True):
        for x in cell:
            sheet.dot(x, y, 2.5, fill=look, color=VIOLET)
    places = _apart(middles, max(24, 10 * max(map(len, said))))
    if max(middles) - min(middles) < 3 and len(middles) > 1:  # dots upon each other: all numbers in one place
        left = max(map(max, found)) > sheet.width * 0.75
        x = min(map(min, found)) - 11 if left else max(map(max, found)) + 11
        sheet.text(x, y + 5, ", ".join(said), anchor="end" if left else "start", size=13)
        places = []
    for x, look in zip(middles, looks, strict=True):
        sheet.dot(x, y, 5.5, fill=look, color=VIOLET)
    for x, words in zip(places, said[: len(places)], strict=True):
        sheet.text(x, y - 9, words, size=13)


def _apart(places: Sequence[float], least: float) -> list[float]:
    """The places, those that are too near to each other moved apart."""
    order = sorted(range(len(places)), key=places.__getitem__)
    moved = [float(place) for place in places]
    for one, other in list(pairwise(order)) * len(order):  # again, as one pair may push another together
        lacking = max(0.0, least - (moved[other] - moved[one])) / 2
        moved[one] -= lacking
        moved[other] += lacking
    return moved


def _table(
    sheet: Sheet,
    y: float,
    lefts: Sequence[float],
    wide: float,
    groups: Sequence[tuple[str, Sequence[Row]]],
    dark: Callable[[float], float],
    limit: float = float("inf"),
) -> float:
    """Groups of rows from y on, with a column at each of `lefts`; `dark` says how dark a median is, 0 to 1.

    Returns where they end.
    """
    high = HIGH if sheet.narrow else WIDE_HIGH
    for heading, rows in groups:
        sheet.text(4, y + 15, heading, anchor="start", size=13, color=VIOLET, bold=True)
        y += HEADING
        for name, cells in rows:
            sheet.text(lefts[0] - 8, y + high / 2 + 5, name, anchor="end", size=14)
            for left, found in zip(lefts, cells, strict=True):
                place = left, y, wide, high
                if median(found) > limit:
                    sheet.hatch(*place)
                    sheet.box(*place, color="#ffffff", radius=0, line=1.5)
                    words = _failed(found)
                    lines = [words] if 8 * len(words) < wide else words.split()
                    w, h = 8 * max(map(len, lines)), 15 * len(lines) + 2
                    sheet.box(left + (wide - w) / 2, y + (high - h) / 2, w, h, color="none", fill="#ffffff")
                    for row, line in enumerate(lines):
                        below = 5 + 15 * (row - (len(lines) - 1) / 2)
                        sheet.text(left + wide / 2, y + high / 2 + below, line, size=13)
                else:
                    _runs(sheet, place, found, 0.02 + 0.42 * dark(median(found)))
            y += high
        y += GAP
    return y


def _runs(sheet: Sheet, place: tuple[float, float, float, float], found: Sequence[float], dark: float) -> None:
    """A cell with the median of some results and, if they differ, their lowest and highest."""
    x, y, width, height = place
    sheet.box(*place, color="#ffffff", fill=tint(INK, dark), radius=0, line=1.5)
    words, low, high = (f"{value:.0f}" for value in (median(found), min(found), max(found)))
    if low == high:
        sheet.text(x + width / 2, y + height / 2 + 5, words, size=14, bold=True)
    elif sheet.narrow:
        sheet.text(x + width / 2, y + 15, words, size=14, bold=True)
        sheet.text(x + width / 2, y + 29, f"{low}–{high}", size=12)
    else:
        part = (len(words) * 9.7 + 3 + (len(low + high) + 3) * 7.6) / 2
        sheet.text(x + width / 2 - part, y + height / 2 + 5, words, size=14, bold=True, anchor="start")
        sheet.text(x + width / 2 + part, y + height / 2 + 5, f"({low}–{high})", size=13, anchor="end")
