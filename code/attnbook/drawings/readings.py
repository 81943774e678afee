"""Drawings of what weights say, and of what they leave open."""

import torch

from attnbook.drawings.sheet import Sheet, drawing, shade
from attnbook.page.style import GREY, INK, OUTPUT, VALUE, VIOLET

VALUES = torch.tensor([1.0, 2.0, 3.0])
STORIES = torch.tensor([[0.5, 0.0, 0.5], [0.0, 1.0, 0.0]])


@drawing(
    "Two rows of attention weights over three keys with the values 1, 2 and 3. One is 0.5, 0, 0.5: it never looks at "
    "the middle key. The other is 0, 1, 0: it looks at nothing else. Below each row the weights lie as discs on a "
    "beam, at the places of their values; both beams balance at the same place. The output is 2 both times."
)
def two_stories_for_one_output(sheet: Sheet) -> None:
    """Two opposite rows of weights that give the same average."""
    titles = "never looks at the middle key", "looks at nothing else"
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
        look = {"fill": shade(weight), "ink": INK if weight < 0.6 else "#ffffff"}
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
