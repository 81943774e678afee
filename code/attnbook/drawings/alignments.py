"""The attention of several heads between two sentences, with the links that are known."""

from collections.abc import Collection

from torch import Tensor

from attnbook.drawings.sheet import Picture, Sheet, shade
from attnbook.page.style import GREY, KEY


def heads_and_their_average(
    heads: Tensor, source: list[str], target: list[str], links: Collection[tuple[int, int]], errors: list[float]
) -> Picture:
    """One large map, the average of all heads, and a small one for each head; known links are framed.

    Args:
        heads: (H, T, S) weights from 0 to 1, one row per target word.
        source, target: the words.
        links: pairs (i, j) of a source word i and the target word j that belongs to it.
        errors: an error rate for each head, then one for their average.

    Returns:
        The picture.
    """

    def table(sheet: Sheet, left: float, top: float, weights: Tensor, cell: float) -> None:
        for j, row in enumerate(weights.tolist()):
            for i, weight in enumerate(row):
                look = {"color": "#d0d0d0", "fill": shade(weight), "radius": 0, "line": 0.5}
                sheet.box(left + i * cell, top + j * cell, cell, cell, **look)
        for i, j in sorted(links):
            look = {"color": KEY, "radius": 0, "line": cell / 11}
            sheet.box(left + i * cell, top + j * cell, cell, cell, **look)

    def draw(sheet: Sheet) -> None:
        cell, left, top = (24, 92, 96) if sheet.narrow else (26, 96, 96)
        for i, word in enumerate(source):
            sheet.text(left + (i + 0.5) * cell + 5, top - 7, word, anchor="start", size=14, turn=-90)
        for j, word in enumerate(target):
            sheet.text(left - 7, top + (j + 0.5) * cell + 5, word, anchor="end", size=14)
        sheet.text(left - 7, top - 26, "looks at →", anchor="end", size=13, color=GREY)
        sheet.text(left - 7, top - 8, "writes ↓", anchor="end", size=13, color=GREY)
        table(sheet, left, top, heads.mean(0), cell)
        under = top + len(target) * cell
        sheet.text(left, under + 22, f"average of all: error {errors[-1]:.2f}", anchor="start", size=14, bold=True)
        x0, y0 = (4, under + 66) if sheet.narrow else (left + len(source) * cell + 34, 40)
        small = 8.5
        step, high = 84, len(target) * small + (40 if sheet.narrow else 54)
        for number, weights in enumerate(heads):
            x, y = x0 + number % 4 * step, y0 + number // 4 * high
            table(sheet, x, y, weights, small)
            words = f"{number // 4 + 1}.{number % 4 + 1}: {errors[number]:.2f}"
            sheet.text(x, y + len(target) * small + 18, words, anchor="start", size=13)
        sheet.text(x0, y0 - 14, "each head (layer.head): its error", anchor="start", size=13, color=GREY)

    alt = (
        f"Nine heat maps of the decoder's looks from the words of {' '.join(target)}, down, to those of "
        f"{' '.join(source)}, across; the true links are framed. Large, the average of all eight heads, with an error "
        f"rate of {errors[-1]:.2f}. Small, the heads by themselves, with error rates from {min(errors[:-1]):.2f} to "
        f"{max(errors[:-1]):.2f}."
    )
    return Picture(draw, alt)
