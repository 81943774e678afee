"""Pictures of trained runs: seeds as dots with their range, or a table of medians and ranges, darker if better."""

from collections.abc import Callable, Sequence
from statistics import median

from attnbook.drawings.sheet import PALE, Picture, Sheet, tint
from attnbook.page.style import GREY, INK, VIOLET

Row = tuple[str, Sequence[Sequence[float]]]
HIGH, WIDE_HIGH, HEADING, GAP = 34, 28, 22, 8  # of a row, narrow and wide; of a heading; below a group
ROW, LINE = 24, 16  # of a row of dots; of one length, where the lengths stand below each other
GROUND = "#e2e2e2"  # up to what a guess gets


def right_at_lengths(lengths: Sequence[str], groups: Sequence[tuple[str, Sequence[float], Sequence[Row]]]) -> Picture:
    """Right answers, one row per reader and one panel per length of the sequences; narrow, one line per length.

    Args:
        lengths: the names of three panels, "length 24"; what follows a comma stands below.
        groups: a heading, for each length what always naming the most frequent symbol gets in percent, and the rows;
            a row is a name and, for each length, the seeds' results in percent, or none if there are none.

    Returns:
        The picture.
    """

    def draw(sheet: Sheet) -> None:
        if sheet.narrow:
            _lengths_below_each_other(sheet, lengths, groups)
            return
        first, pitch, wide, end = 200, 165, 104, 180
        lefts = [first + pitch * number for number in range(len(lengths))]
        for left, words in zip(lefts, lengths, strict=True):
            for number, line in enumerate(words.split(", ")):
                sheet.text(left + wide / 2, 14 + 16 * number, line, size=13, bold=not number)
        y = 36
        for heading, guesses, rows in groups:
            sheet.text(4, y + 15, heading, anchor="start", size=13, color=VIOLET, bold=True)
            y += HEADING
            for left, guess in zip(lefts, guesses, strict=True):
                sheet.bar(left, y, wide * guess / 100, ROW * len(rows), fill=GROUND)
                for part in (0, 0.5, 1):
                    x = left + wide * part
                    sheet.line((x, y), (x, y + ROW * len(rows)), color=PALE, width=1)
            for name, cells in rows:
                sheet.text(end, y + ROW / 2 + 5, name, anchor="end", size=13)
                for left, cell in zip(lefts, cells, strict=True):
                    _spread(sheet, y + ROW / 2, (left, wide), cell)
                y += ROW
            y += GAP
        for left in lefts:
            for part in (0, 0.5, 1):
                sheet.text(left + wide * part, y + 8, f"{100 * part:.0f}", size=12, color=GREY)
        _what_is_counted(sheet, y, groups)

    alt = f"Right answers in percent, from the lowest to the highest seed: {'; '.join(lengths)}. " + " ".join(
        f"{heading} (always the most frequent symbol: {', '.join(f'{guess:.0f}' for guess in guesses)}): "
        + "; ".join(f"{name}: {', '.join(_range(cell) or 'no result' for cell in cells)}" for name, cells in rows)
        + "."
        for heading, guesses, rows in groups
    )
    return Picture(draw, alt)


def _lengths_below_each_other(
    sheet: Sheet, lengths: Sequence[str], groups: Sequence[tuple[str, Sequence[float], Sequence[Row]]]
) -> None:
    """The right answers on a narrow sheet: each reader has a line for each length."""
    left, wide, end, y = 122, 160, 112, 22
    names = [words.split(", ")[0].split()[-1] for words in lengths]
    sheet.text(end, y - 6, "length", anchor="end", size=13)
    for heading, guesses, rows in groups:
        sheet.text(4, y + 15, heading, anchor="start", size=13, color=VIOLET, bold=True)
        y += HEADING
        for name, cells in rows:
            for guess, line in zip(guesses, range(len(names)), strict=True):
                sheet.bar(left, y + LINE * line, wide * guess / 100, LINE, fill=GROUND)
            for part in (0, 0.5, 1):
                x = left + wide * part
                sheet.line((x, y), (x, y + LINE * len(names)), color=PALE, width=1)
            sheet.text(4, y + 13, name, anchor="start", size=13, bold=True)
            for length, cell in zip(names, cells, strict=True):
                sheet.text(end, y + 13, length, anchor="end", size=12, color=GREY)
                _spread(sheet, y + LINE / 2, (left, wide), cell)
                y += LINE
            y += GAP
    for part in (0, 0.5, 1):
        sheet.text(left + wide * part, y + 5, f"{100 * part:.0f}", size=12, color=GREY)
    y = _what_is_counted(sheet, y, groups)
    counted: dict[str, list[str]] = {}  # what follows a comma, and the lengths for which it does
    for words, name in zip(lengths, names, strict=True):
        for what in words.split(", ")[1:]:
            counted.setdefault(what, []).append(name)
    for what, those in counted.items():
        y += 20
        sheet.text(sheet.width / 2, y, f"{' and '.join(those)}: {what}", size=13)


def _what_is_counted(sheet: Sheet, y: float, groups: Sequence[tuple[str, Sequence[float], Sequence[Row]]]) -> float:
    """What the dots, the grey ground and, if there is one, a dash are, below y; returns where this ends."""
    sheet.text(sheet.width / 2, y + 32, "right answers in %: seeds, lowest–highest", size=13)
    x = sheet.width / 2 - 122
    sheet.bar(x, y + 41, 24, 14, fill=GROUND)
    sheet.text(x + 32, y + 53, "always the most frequent symbol", anchor="start", size=13)
    if all(cell for _, _, rows in groups for _, cells in rows for cell in cells):
        return y + 54
    sheet.text(x + 12, y + 74, "–", size=13, color=GREY)
    sheet.text(x + 32, y + 74, "not tested", anchor="start", size=13)
    return y + 75


def _spread(sheet: Sheet, y: float, panel: tuple[float, float], found: Sequence[float]) -> None:
    """The seeds of one cell as dots, and their range as a number on the right of the panel."""
    left, wide = panel
    if not found:
        sheet.text(left + wide + 8, y + 5, "–", anchor="start", size=13, color=GREY)
        return
    at = sorted(left + wide * percent / 100 for percent in found)
    if at[-1] > at[0]:
        sheet.line((at[0], y), (at[-1], y), color=VIOLET, width=1.5)
    for x in at:
        sheet.dot(x, y, 3.5, fill=VIOLET)
    sheet.text(left + wide + 8, y + 5, _range(found), anchor="start", size=13)


def _range(found: Sequence[float]) -> str:
    """The lowest and the highest, once if they round to the same, and nothing if there are none."""
    return "–".join(dict.fromkeys(f"{end:.0f}" for end in (min(found), max(found)))) if found else ""


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
