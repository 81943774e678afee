"""Drawings of kernel regression: which points count for a guess, and how far a kernel should reach."""

import torch

from attnbook.attention import NWKernelRegression, gaussian, leave_one_out_mask, nadaraya_watson
from attnbook.data import kernel_regression_data, true_curve
from attnbook.drawings.sheet import WRITTEN, Sheet, drawing, shade
from attnbook.page.style import GREY, INK, KEY, MASKED, OUTPUT, QUERY, VALUE, VIOLET

LOW, HIGH = -0.5, 4.5  # what the plots show of y; of x it is 0 to 5
# where curves are drawn; in double precision, so that every processor draws the same picture
FINE = torch.linspace(0, 5, 251, dtype=torch.float64)


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
        reach = torch.linspace(max(centre - far, 0), min(centre + far, 5), 61, dtype=torch.float64)
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
    points = data.x_train.double(), data.y_train.double()
    answer, weights = nadaraya_watson(points[0].new_tensor([asked]), *points, width=width)
    curve, _ = nadaraya_watson(FINE, *points, width=width)
    if sheet.narrow:
        plot, floor, high = _Plot(sheet, 26, 44, 304, 190), 302, 56
    else:
        plot, floor, high = _Plot(sheet, 28, 6, 660, 206), 282, 62

    for tick in (0, 2, 4):  # of the values
        level = plot.at(0, tick)[1]
        sheet.line((plot.x - 7, level), (plot.x - 2, level), color=INK, width=1)
        sheet.text(plot.x - 10, level + 5, f"{tick}", anchor="end", size=13)
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
    sheet.text(*plot.at(1, 1.45), "estimate", anchor="start", color=WRITTEN, size=14)
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
    for row, words in enumerate(("the kernel,", f"width {width:g}: near", "points count more")):
        high = floor - 54 + 18 * row
        sheet.text(left, high, words, anchor="end", color=VIOLET, size=14)
    left, high = (176, 14) if sheet.narrow else (500, 36)
    for row, words in enumerate((f"answer {answer.item():.1f}:", "the weighted average")):
        sheet.text(left, high + 18 * row, words, anchor="start", size=14)
    corner = (left + 62, high + 24) if sheet.narrow else (left - 6, high + 8)
    sheet.line(corner, (there + 6, above - 7), color=INK, width=1)


@drawing(
    "The same fifty points three times, each time with another kernel and the curve that it makes. With width 1 the "
    "curve is a flat hump that misses most points; with width 1/5 it follows them; with width 1/60 the kernel is a "
    "needle, and the curve jumps from point to point. Bars below compare the errors with each point left out in "
    "turn, 0.68, 0.32 and 0.50: the middle one is the smallest."
)
def three_widths(sheet: Sheet) -> None:
    """A kernel that is too wide, one that is right and one that is too narrow, with their leave-one-out errors."""
    data = kernel_regression_data()
    points, rest = (data.x_train.double(), data.y_train.double()), leave_one_out_mask(50)
    for number, (w, title) in enumerate(
        ((1, "width 1: too wide"), (5, "width 1/5: about right"), (60, "width 1/60: too narrow"))
    ):
        model = NWKernelRegression(w).double().requires_grad_(False)
        curve, _ = model(FINE, *points)
        left_out, _ = model(points[0], *points, mask=rest)  # (50,)
        error = ((left_out - points[1]) ** 2).mean().item()
        if sheet.narrow:
            x, y, width, high = 8, 236 * number, 324, 96
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
        if w == 1:
            sheet.text(*plot.at(4.2, 2.75), "measured", color=VALUE, size=13)
            sheet.text(*plot.at(2.2, 1.5), "fit", color=WRITTEN, size=13)
        for row, words in enumerate(("error, each point left", f"out in turn: {error:.2f}")):
            sheet.text(x, floor + 24 + 17 * row, words, anchor="start", size=14)
        left, upper = (x + 170, floor + 30) if sheet.narrow else (x, floor + 50)
        long = 200 if sheet.narrow else 280
        sheet.bar(left, upper, long * error, 12, fill=VIOLET if w == 5 else MASKED)


@drawing(
    "Three panels, each with the true curve, dashed, and twenty fits to fresh noise at the same fifty keys. At w = 1 "
    "the twenty curves lie close together, a flat hump far from the truth. At w = 4 they lie around the truth, a "
    "little apart. At w = 20 they are jagged and scatter widely on both sides of it."
)
def twenty_fits(sheet: Sheet) -> None:
    """Bias and variance: the same keys with twenty draws of the noise, at three widths."""
    keys, fine = kernel_regression_data().x_train.double(), FINE[::2]
    truth = fine.tolist(), true_curve(fine).tolist()
    dice = torch.Generator().manual_seed(0)
    noise = torch.randn(50, 20, generator=dice, dtype=torch.float64)
    noisy = true_curve(keys)[:, None] + 0.5 * noise
    titles = (1, "w = 1: all alike, all wrong"), (4, "w = 4: near the truth"), (20, "w = 20: scattered")
    for number, (w, title) in enumerate(titles):
        if sheet.narrow:
            x, y, width, high = 8, 196 * number, 324, 106
        else:
            x, y, width, high = 8 + 236 * number, 0, 212, 150
        plot = _Plot(sheet, x, y + (44 if sheet.narrow else 56), width, high)
        sheet.text(x, y + 18, title, anchor="start", size=14, bold=True)
        fits, _ = NWKernelRegression(w).double().requires_grad_(False)(fine, keys, noisy)  # (126, 20)
        for fit in fits.T:
            ends = (plot.at(*point) for point in zip(fine.tolist(), fit.tolist(), strict=True))
            sheet.line(*ends, color=OUTPUT, width=0.8)
        ends = (plot.at(*point) for point in zip(*truth, strict=True))
        sheet.line(*ends, color=INK, width=2, dashed=True)
        floor = plot.at(0, -1.3)[1]
        sheet.line((x, floor), (x + width, floor), color=GREY, width=1)
        for place, words, anchor in ((0, "0", "start"), (2.5, "x", "middle"), (5, "5", "end")):
            sheet.text(plot.at(place, 0)[0], floor + 16, words, anchor=anchor, size=13, color=GREY)
        if w == 1:
            sheet.text(*plot.at(2.0, 3.9), "truth", size=13)
            sheet.text(*plot.at(2.2, 1.6), "twenty fits", color=WRITTEN, size=13)


@drawing(
    "Three small maps of two features of a flat, its distance to the station to the right and its size upwards, each "
    "with a query in the middle and three lines on which keys get the same score. One w: circles, all directions count "
    "alike. One w for each feature: ellipses along the axes, narrow in size, which has the larger w. A matrix W: "
    "tilted ellipses, narrow in a direction that mixes both features."
)
def from_one_width_to_a_matrix(sheet: Sheet) -> None:
    """Which keys are equally near to a query, with one width, one per feature, or a matrix."""
    cases = (
        ("one w", torch.tensor([[1.25, 0.0], [0.0, 1.25]]), "all directions alike"),
        ("one w per feature", torch.tensor([[0.8, 0.0], [0.0, 2.2]]), "size counts more"),
        ("a matrix W", torch.tensor([[0.57, 0.57], [-1.56, 1.56]]), "a mixture counts more"),
    )
    turn = torch.linspace(0, 2 * torch.pi, 73, dtype=torch.float64)
    circle = torch.stack([turn.cos(), turn.sin()])  # (2, 73)
    for number, (title, matrix, said) in enumerate(cases):
        if sheet.narrow:
            x, y, side = 8, 202 * number - 18, 150
        else:
            x, y, side = 20 + 230 * number, 0, 180
        middle = x + side / 2, y + 30 + side / 2
        at = (x + side + 12, y + 66) if sheet.narrow else (x, y + 18)
        sheet.text(*at, title, anchor="start", size=14, bold=True)
        at = (x + side + 12, y + 88) if sheet.narrow else (x, y + 66 + side)
        sheet.text(*at, said, anchor="start", size=14, color=VIOLET)
        scale = side / 2 / 1.5
        for part in (0.4, 0.7, 1.0):
            ends = part * torch.linalg.solve(matrix.double(), circle)  # ‖W z‖ = part
            points = [(middle[0] + scale * a, middle[1] - scale * b) for a, b in ends.T.tolist()]
            sheet.line(*points, color=VIOLET, width=1.5)
        low, left = y + 30 + side, x
        sheet.line((left, low), (left + side, low), color=INK, width=1, arrow=True)
        sheet.line((left, low), (left, y + 30), color=INK, width=1, arrow=True)
        sheet.dot(*middle, 5, fill=QUERY)
        sheet.text(left + side, low + 16, "to the station", anchor="end", size=13)
        sheet.text(left + 6, y + 44, "size", anchor="start", size=13)
        top = min(points, key=lambda point: point[1])  # of the outermost line
        sheet.text(top[0], top[1] - 5, "equal score", color=VIOLET, size=13)
        sheet.line((middle[0] + 4, middle[1] + 4), (middle[0] + 50, middle[1] + 50), color=QUERY, width=1)
        sheet.text(middle[0] + 56, middle[1] + 64, "query", size=13, color=QUERY)
