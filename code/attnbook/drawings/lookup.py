"""A look-up that finds one key, one that asks them all, and what the length of its query does."""

import torch

from attnbook.attention import attention_pooling, dot_score
from attnbook.drawings.sheet import Sheet, drawing, shade
from attnbook.page.style import GREY, INK, KEY, OUTPUT, QUERY, VALUE

WINDS, HIGH, STEP = ("N", "E", "S", "W"), 30, 40  # of a row of the tables
KEYS = torch.tensor([[0.0, 1.0], [1.0, 0.0], [0.0, -1.0], [-1.0, 0.0]])
VALUES = torch.tensor([4.0, 10.0, 20.0, 12.0])  # °C
NORTH_EAST = torch.tensor([[0.6, 0.8]])


@drawing(
    "Two look-ups of the air's temperature by the wind, in the same table: N 4 °C, E 10 °C, S 20 °C, W 12 °C. On the "
    "left, a dict is asked for S: one line leads to the key S, and its value, 20 °C, is the answer. On the right, "
    "attention is asked with an arrow to the north-east, nearer north than east. Lines lead to all four keys, which "
    "are arrows too, and their weights are 0.44, 0.36, 0.09 and 0.11, a budget of 1. The answer is a blend of all four "
    "values, 8.46 °C."
)
def one_key_or_a_blend(sheet: Sheet) -> None:
    """A dict, which gives the value of one key, and attention, which gives a blend of all."""
    weights = dot_score(NORTH_EAST, KEYS).softmax(-1)  # (1, 4)
    south = torch.tensor([0.0, 0.0, 1.0, 0.0])
    below, right = (250, 4) if sheet.narrow else (0, 288)
    _look_up(sheet, 4, 0, "a dict finds one key", south, (74, 110, 110))
    columns = (66, 104, 182) if sheet.narrow else (94, 134, 238)
    _look_up(sheet, right, below, "attention asks them all", weights[0], columns)


def _look_up(
    sheet: Sheet, x: float, y: float, title: str, weights: torch.Tensor, columns: tuple[float, float, float]
) -> None:
    """A query, the table that it asks, and the answer; columns are where keys, weights and values begin."""
    soft = bool((weights < 1).all())
    keys, marks, values = (x + at for at in columns)
    end, out = values + 50, values + (96 if soft and not sheet.narrow else 82)
    top, asked = y + 62, 40
    middle = top + 1.5 * STEP + HIGH / 2
    sheet.text(x, y + 18, title, anchor="start", bold=True)
    heads = [(x, "query", QUERY), (keys, "keys", KEY), (values, "values", VALUE)]
    for at, head, color in heads + [(marks, "weights", INK)] * soft:
        sheet.text(at, y + 48, head, anchor="start", color=color, size=13)
    sheet.box(x, middle - 20, asked, 40, "" if soft else "S", color=QUERY, line=2)
    if soft:
        _arrow(sheet, x + asked / 2, middle, NORTH_EAST[0], 26, QUERY)
        for down, words in ((37, "NE,"), (53, "more N")):
            sheet.text(x + asked / 2, middle + down, words, color=QUERY, size=13)

    for row, (wind, weight, value) in enumerate(zip(WINDS, weights.tolist(), VALUES.tolist(), strict=True)):
        upper, centre = top + row * STEP, top + row * STEP + HIGH / 2
        if weight:
            color, wide = (shade(0.4 + 0.6 * weight), 10 * weight) if soft else (INK, 2)
            for ends in (((x + asked + 2, middle), (keys - 3, centre)), ((end + 3, centre), (out - 3, middle))):
                sheet.line(*ends, color=color, width=wide, arrow=not soft)
        key, worth = (KEY, VALUE) if weight else (GREY, GREY)  # found, or not
        sheet.box(keys, upper, 30, HIGH, "" if soft else wind, color=key)
        if soft:
            _arrow(sheet, keys + 15, centre, KEYS[row], 18, KEY)
            bar = (values - marks - 44) * weight / weights.max().item()
            sheet.box(marks, upper + 6, bar, HIGH - 12, color=GREY, fill=shade(weight), radius=0, line=1)
            words = f"{weight:.2f}"
            sheet.text(marks + bar + 5, centre + 5, words, anchor="start", size=13)
        sheet.box(values, upper, 50, HIGH, f"{value:.0f} °C", color=worth, size=13)
    answer = attention_pooling(weights[None], VALUES[:, None]).item()
    words = f"{answer:.2f} °C" if soft else f"{answer:.0f} °C"
    sheet.box(out, middle - 20, 66, 40, words, color=OUTPUT, ink=INK, line=2.5)
    sheet.text(out + 33, middle + 37, "a blend" if soft else "its value", size=13)


def _arrow(sheet: Sheet, x: float, y: float, towards: torch.Tensor, long: float, color: str) -> None:
    """An arrow of a direction, its middle at (x, y)."""
    right, up = (long / 2 * towards).tolist()
    sheet.line((x - right, y + up), (x + right, y - up), color=color, width=2, arrow=True)


@drawing(
    "The same four keys, N 4 °C, E 10 °C, S 20 °C and W 12 °C, asked three times by a query between N and E. Of length "
    "0 it is a point: all four weights are 0.25, and the output is 11.50 °C. Of length 1 its arrow is as long as a "
    "key's: the weights are 0.44, 0.36, 0.09 and 0.11, the output 8.46 °C. Of length 5 it is five times as long: N "
    "gets 0.73, E 0.27, the others 0.00, and the output is 5.62 °C."
)
def a_longer_query_insists(sheet: Sheet) -> None:
    """One direction at three lengths: the query's arrow, the weights it makes and the output."""
    unit, top = 24, 0
    for number, length in enumerate((0, 1, 5)):
        x, up = (8 if sheet.narrow else 8 + 236 * number), (unit * 4 if length == 5 or not sheet.narrow else 36)
        sheet.text(x, top + 18, f"query of length {length}", anchor="start", size=14, bold=True)
        across, middle = x + 62, top + 36 + up
        for wind, key in zip(WINDS, KEYS.tolist(), strict=True):
            right, above = (unit * part for part in key)
            sheet.line((across, middle), (across + right, middle - above), color=KEY, width=2, arrow=True)
            sheet.text(across + 1.55 * right, middle + 5 - 1.5 * above, wind, color=KEY, size=13)
        right, above = (length * unit * NORTH_EAST[0]).tolist()
        if length:
            sheet.line((across, middle), (across + right, middle - above), color=QUERY, width=3, arrow=True)
            spot = across + right + 5, middle - above + (10 if length > 1 else 0)
            sheet.text(*spot, "query", anchor="start", color=QUERY, size=13)
        else:
            sheet.dot(across, middle, 5, fill=QUERY)
        weights = dot_score(length * NORTH_EAST, KEYS).softmax(-1)  # (1, 4)
        left, upper = (x + 158, middle - 44) if sheet.narrow else (x, middle + 72)
        heads = ("key", KEY, "start", 0), ("value", VALUE, "end", 62), ("weight", INK, "start", 70)
        for head, color, anchor, at in heads:
            sheet.text(left + at, upper - 8, head, anchor=anchor, color=color, size=13)
        for row, (wind, weight) in enumerate(zip(WINDS, weights[0].tolist(), strict=True)):
            y, bar = upper + 22 * row, 88 * weight
            sheet.text(left, y + 13, wind, anchor="start", color=KEY, size=13)
            sheet.text(left + 62, y + 13, f"{VALUES[row]:.0f} °C", anchor="end", color=VALUE, size=13)
            if weight > 0.005:
                sheet.box(left + 70, y, bar, 16, color=GREY, fill=shade(weight), radius=0, line=1)
            sheet.text(left + 76 + bar, y + 13, f"{weight:.2f}", anchor="start", size=13)
        answer = attention_pooling(weights, VALUES[:, None]).item()
        sheet.box(left, upper + 94, 132, 28, f"output {answer:.2f} °C", color=OUTPUT, ink=INK, line=2, size=13)
        top += sheet.narrow * (middle - top + 100)
