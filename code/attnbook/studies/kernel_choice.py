"""What decides how well kernel regression guesses a curve: the kernel's shape, its width, or what distance measures?

Question: at one and the same spread, how much do four kernels differ; and does a kernel survive coordinates that the
    curve does not depend on?
Varied: the shape and the standard deviation of the kernel; the number of coordinates in the distance, 1 to 16.
Held equal: the data (draws 0 to 19 of one recipe), the hundred queries, the measure (mean squared distance from the
    true curve). With several coordinates each has the same range, only the first matters, and the width is the best
    one of a fixed list, chosen by looking at the truth: the kernel is given every advantage.
Control: the same points measured by the first coordinate alone; the plain average.
Spread: 20 draws. Kernels are compared draw by draw, as a ratio to the Gaussian: median and range.
Turned round if: a kernel's error at its best spread were twice or half the Gaussian's in the median, or if the error
    with 16 coordinates came near the error with one.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from attnbook.attention import nadaraya_watson
from attnbook.data import kernel_regression_data, true_curve

#: A kernel's standard deviation is its width divided by this.
REACH = {
    "gaussian": 1.0,
    "boxcar": 3**0.5,
    "triangular": 6**0.5,
    "epanechnikov": 5**0.5,
}
WIDTHS = tuple(0.1 * 2 ** (step / 3) for step in range(22))  # 0.1 to 12.8


def errors_by_spread(
    kernel: str, spreads: Sequence[float], n: int = 50, draws: int = 20
) -> Tensor:
    """The error of one kernel at several standard deviations, on several draws of the data.

    Args:
        kernel: a name in `REACH`.
        spreads: the standard deviations.
        n: points in a draw.
        draws: how many, with the seeds 0, 1, …

    Returns:
        (spreads, draws): mean squared distances from the true curve.
    """
    sets = [kernel_regression_data(n=n, seed=seed) for seed in range(draws)]
    errors = torch.empty(len(spreads), draws)
    for row, spread in enumerate(spreads):
        for seed, data in enumerate(sets):
            guess, _ = nadaraya_watson(
                data.x_query,
                data.x_train,
                data.y_train,
                kernel=kernel,
                width=spread * REACH[kernel],
            )
            errors[row, seed] = ((guess - data.truth) ** 2).mean()
    return errors


def errors_with_coordinates(
    counts: Sequence[int], n: int = 200, draws: int = 20
) -> Tensor:
    """The error of a Gaussian kernel whose distance measures coordinates that do not matter, at its best width.

    Points and a hundred queries are uniform in [0, 5)¹⁶; the curve is `true_curve` of the first coordinate.

    Args:
        counts: how many of the sixteen coordinates the distance measures; with 0 the guess is the plain average.
        n: points in a draw.
        draws: how many, with the seeds 0, 1, …

    Returns:
        (counts, draws): mean squared distances from the truth, each the smallest over `WIDTHS`.
    """
    errors = torch.empty(len(counts), draws)
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        points, queries = (
            torch.from_numpy(5 * rng.random((size, 16))) for size in (n, 100)
        )
        value = true_curve(points[:, 0]) + torch.from_numpy(rng.normal(0, 0.5, n))
        truth = true_curve(queries[:, 0])
        for row, count in enumerate(counts):
            guesses = [
                nadaraya_watson(queries[:, :count], points[:, :count], value, width=w)[
                    0
                ]
                for w in WIDTHS
            ]
            errors[row, seed] = min(
                ((guess - truth) ** 2).mean().item() for guess in guesses
            )
    return errors
