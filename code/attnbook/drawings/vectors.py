"""A drawing of a text's vector: the mean of its states, and the angle to another's."""

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F

from attnbook.drawings.alignments import KEY_INK
from attnbook.drawings.sheet import Sheet, drawing
from attnbook.page.style import GREY, KEY, VIOLET


@drawing(
    "Two parts. The mean of the states: arrows from the origin lead to the states of two tokens, (3, 0) and (1, 4); "
    "half way between their ends lies the mean, (2, 2). The cosine: the mean scaled to length 1 is an arrow to (0.71, "
    "0.71), which ends on a quarter of a circle, and another text is the arrow (1, 0) along the axis; there are 45 "
    "degrees between them. A dashed line drops from the end of the first to the axis, at 0.71: the cosine."
)
def a_mean_and_a_cosine(sheet: Sheet) -> None:
    """The mean of two states, scaled to length 1, and its cosine with another text."""
    states = torch.tensor([[3.0, 0.0], [1.0, 4.0]])
    mean = states.mean(0)
    unit = F.normalize(mean, dim=0)
    left, low, step = 30, 232, 44
    to = _plane(sheet, left, low, step, 4.4, "the mean of the states")
    for number, state in enumerate(states.tolist(), 1):
        sheet.line(to(0, 0), to(*state), color=GREY, width=2.2, arrow=True)
        x, y = to(*state)
        said = f"token {number}: ({state[0]:g}, {state[1]:g})"
        sheet.text(*((x + 7, y - 10) if number == 1 else (x + 10, y + 6)), said, anchor="start", size=13)
    sheet.line(*(to(*state) for state in states.tolist()), color=GREY, width=1.2, dashed=True)
    sheet.line(to(0, 0), to(*mean.tolist()), color=VIOLET, width=2.6, arrow=True)
    x, y = to(*mean.tolist())
    sheet.text(x + 10, y + 4, f"mean: ({mean[0]:g}, {mean[1]:g})", anchor="start", color=VIOLET, bold=True, size=13)

    left, low = (30, 528) if sheet.narrow else (400, 232)
    to = _plane(sheet, left, low, 170, 1.15, "at length 1: the cosine")
    ring = [to(math.cos(turn / 40 * math.pi), math.sin(turn / 40 * math.pi)) for turn in range(21)]
    sheet.line(*ring, color=GREY, width=1)
    sheet.line(to(0, 0), to(1, 0), color=KEY, width=2.6, arrow=True)
    sheet.text(to(1, 0)[0] + 9, low - 10, "another: (1, 0)", anchor="start", color=KEY_INK, size=13)
    sheet.line(to(0, 0), to(*unit.tolist()), color=VIOLET, width=2.6, arrow=True)
    x, y = to(*unit.tolist())
    sheet.text(x + 10, y - 4, f"({unit[0]:.2f}, {unit[1]:.2f})", anchor="start", color=VIOLET, bold=True, size=13)
    sheet.line((x, y), (x, low), color=VIOLET, width=1.2, dashed=True)
    sheet.text(x, low + 18, f"cosine {unit[0]:.2f}", color=VIOLET, bold=True, size=13)
    around = [to(0.3 * math.cos(turn / 40 * math.pi), 0.3 * math.sin(turn / 40 * math.pi)) for turn in range(11)]
    sheet.line(*around, width=1)
    sheet.text(*to(0.34, 0.12), "45°", anchor="start", size=13)


def _plane(sheet: Sheet, left: float, low: float, step: float, far: float, title: str) -> Callable:
    """Two axes with a title above; what turns coordinates into places of the sheet."""

    def to(x: float, y: float) -> tuple[float, float]:
        return left + step * x, low - step * y

    sheet.text(left - 28, low - step * far - 14, title, anchor="start", bold=True, size=14)
    for end in ((far, 0), (0, far)):
        sheet.line(to(0, 0), to(*end), color=GREY, width=1)
    return to
