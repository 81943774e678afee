"""Drawings of kernel regression: which points count for a guess, and how far a kernel should reach."""

import torch

from attnbook.attention import NWKernelRegression, gaussian, leave_one_out_mask, nadaraya_watson
from attnbook.data import kernel_regression_data
from attnbook.drawings.sheet import Sheet, drawing, shade
from attnbook.page.style import INK, KEY, MASKED, OUTPUT, QUERY, VALUE, VIOLET

LOW, HIGH = -0.5, 4.5  # what the plots show of y; of x it is 0 to 5
FINE = torch.linspace(0, 5, 251)  # where curves are drawn


class _Plot:
    """The fifty points between x = 0 and 5, on a part of a sheet."""

    def __init__(self, sheet: Sheet, x: float, y: float, width: float, height: float):
        self.sheet, self.x, self.y = sheet, x, y
        self.width, self.height = width, height

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Where the point (x, y) of the data is on the sheet."""
        part = (y - LOW) / (HIGH - LOW)
        return self.x + x / 5 * self.width, self.y + (1 - part) * self.height

    def curve(self, xs: torch.Tensor, ys: torch.Tensor, color: str) -> None:
        """A curve through the points (xs, ys)."""
        ends = (self.at(x, y) for x, y in zip(xs.tolist(), ys.tolist(), strict=True))
        self.sheet.line(*ends, color=color, width=2.5)

    def bell(self, centre: float, width: float, high: float, floor: float) -> None:
        """A Gaussian kernel over its query, `high` pixels high, with its foot at `floor`."""
        far = 3.2 * width
        reach = torch.linspace(max(centre - far, 0), min(centre + far, 5), 61)
        heights = (high * gaussian((reach - centre) / width)).tolist()
        ends = [(self.at(x, 0)[0], floor - tall) for x, tall in zip(reach.tolist(), heights, strict=True)]
        foot = [(ends[-1][0], floor), (ends[0][0], floor)]
        self.sheet.area(*ends, *foot, fill=shade(0.25))
        self.sheet.line(*ends, color=VIOLET, width=1.5)


@drawing(
    "Fifty noisy points over x from 0 to 5 and a curve through them, which rises to 3.7 near x = 2 and falls to 1.1 at "
    "the end. Below, a query stands on the x axis at x = 3. Over it is a bell, the kernel, in which a bar for each key "
    "nearby shows how much its point counts. These points are large and dark, all others small and white. Above the "
    "query, on the curve, is the answer, 2.7: the average of the points, weighted by the kernel."
)
def each_point_by_its_weight(sheet: Sheet) -> None:
    """One query to fifty points: its kernel, their weights and the weighted average."""
    data, asked, width = kernel_regression_data(), 3.0, 0.25
    points = data.x_train, data.y_train
    answer, weights = nadaraya_watson(torch.tensor([asked]), *points, width=width)
    curve, _ = nadaraya_watson(FINE, *points, width=width)
    if sheet.narrow:
        plot, floor, high = _Plot(sheet, 10, 44, 320, 190), 302, 56
    else:
        plot, floor, high = _Plot(sheet, 12, 6, 676, 206), 282, 62

    plot.bell(asked, width, high, floor)
    sheet.line((plot.x, floor), (plot.x + plot.width, floor), color=INK)
    for x in data.x_train.tolist():
        left = plot.at(x, 0)[0]
        sheet.line((left, floor), (left, floor + 7), color=KEY, width=1.5)
        tall = high * gaussian(torch.tensor((x - asked) / width)).item()
        if tall > 1:
            sheet.line((left, floor), (left, floor - tall), color=VIOLET, width=2)
    there, above = plot.at(asked, answer.item())
    sheet.line((there, floor), (there, above), color=QUERY, dashed=True)
    plot.curve(FINE, curve, OUTPUT)
    shares = (weights[0] / weights.max()).tolist()
    for x, y, share in zip(*(p.tolist() for p in points), shares, strict=True):
        color = VALUE if share > 0.01 else MASKED
        fill = shade(0.8 * share) if share > 0.01 else "#ffffff"
        sheet.dot(*plot.at(x, y), 3 + 5 * share, fill=fill, color=color)
    sheet.dot(there, above, 6, fill=OUTPUT, color=INK)
    foot = floor + 15
    sheet.area((there, floor + 2), (there - 7, foot), (there + 7, foot), fill=QUERY)
    sheet.text(there, floor + 31, f"query: x = {asked:g}", color=QUERY, size=14)
    sheet.text(plot.x, floor + 31, "keys", anchor="start", color=KEY, size=14)
    values = plot.at(asked + 0.12, 0.85)
    sheet.text(*values, "values", anchor="start", color=VALUE, size=14)
    left = plot.at(asked - 2.6 * width, 0)[0]
    for row, words in enumerate(("the kernel: near", "points count more")):
        high = floor - 36 + 18 * row
        sheet.text(left, high, words, anchor="end", color=VIOLET, size=14)
    left, high = (176, 14) if sheet.narrow else (500, 36)
    for row, words in enumerate((f"answer {answer.item():.1f}:", "the weighted average")):
        sheet.text(left, high + 18 * row, words, anchor="start", size=14)
    corner = (left + 62, high + 24) if sheet.narrow else (left - 6, high + 8)
    sheet.line(corner, (there + 6, above - 7), color=INK, width=1)


@drawing(
    "The same fifty points three times, each time with another kernel and the curve that it makes. With width 1 the "
    "curve is a flat hump that misses most points; with width 1/5 it follows them; with width 1/60 the kernel is a "
    "needle, and the curve jumps from point to point. Bars below compare the leave-one-out errors, 0.68, 0.32 and "
    "0.50: the middle one is the smallest."
)
def three_widths(sheet: Sheet) -> None:
    """A kernel that is too wide, one that is right and one that is too narrow, with their leave-one-out errors."""
    data = kernel_regression_data()
    points, rest = (data.x_train, data.y_train), leave_one_out_mask(50)
    for number, (w, title) in enumerate(
        ((1, "width 1: too wide"), (5, "width 1/5: about right"), (60, "width 1/60: too narrow"))
    ):
        model = NWKernelRegression(w).requires_grad_(False)
        curve, _ = model(FINE, *points)
        left_out, _ = model(data.x_train, *points, mask=rest)  # (50,)
        error = ((left_out - data.y_train) ** 2).mean().item()
        if sheet.narrow:
            x, y, width, high = 8, 218 * number, 324, 96
        else:
            x, y, width, high = 8 + 236 * number, 0, 212, 140
        plot, floor = _Plot(sheet, x, y + 28, width, high), y + high + 70
        sheet.text(x, y + 18, title, anchor="start", size=14, bold=True)
        plot.bell(2.5, 1 / w, 34, floor)
        sheet.line((x, floor), (x + width, floor), color=INK)
        if w == 1:
            sheet.text(plot.at(2.5, 0)[0], floor - 9, "kernel", color=VIOLET, size=13)
        for point in zip(*(p.tolist() for p in points), strict=True):
            sheet.dot(*plot.at(*point), 2.5, fill="#ffffff", color=VALUE)
        plot.curve(FINE, curve, OUTPUT)
        words = f"leave-one-out error {error:.2f}"
        sheet.text(x, floor + 24, words, anchor="start", size=14)
        left, upper = (x + 190, floor + 13) if sheet.narrow else (x, floor + 32)
        long = 180 if sheet.narrow else 280
        sheet.bar(left, upper, long * error, 12, fill=VIOLET if w == 5 else MASKED)
