"""Small seeded data sets, made in memory."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from attnbook.checks import check_count, check_positive, check_tensor


def true_curve(x: Tensor) -> Tensor:
    """The curve behind the noisy points of Part I: y = 2 sin x + x^0.8.

    Args:
        x: any shape, floating point, in radians, not negative.

    Returns:
        Same shape and dtype; NaN where x is negative.

    Raises:
        TypeError: x is not a floating-point tensor.
    """
    check_tensor("x", x)
    return 2 * torch.sin(x) + x**0.8


@dataclass(frozen=True)
class RegressionData:
    """Noisy points of a curve, and queries at which to guess it.

    Attributes:
        x_train: (n,) sorted, in [0, 5): the keys.
        y_train: (n,) the curve plus noise: the values.
        x_query: (100,) 0, 0.05, …, 4.95: the queries.
        truth: (100,) the curve without noise at the queries.
    """

    x_train: Tensor
    y_train: Tensor
    x_query: Tensor
    truth: Tensor

    def to(self, device: torch.device) -> "RegressionData":
        """The same data on another device.

        Args:
            device: where to.

        Returns:
            A new RegressionData.
        """
        return RegressionData(*(tensor.to(device) for tensor in vars(self).values()))


def kernel_regression_data(
    n: int = 50, noise: float = 0.5, seed: int = 0, dtype: torch.dtype = torch.float32
) -> RegressionData:
    """Draw n points of `true_curve` with Gaussian noise, the same ones for the same seed.

    Args:
        n: the number of training points.
        noise: the standard deviation of the noise, in the unit of y.
        seed: for `numpy.random.default_rng`.
        dtype: of the returned tensors; the numbers are drawn in float64.

    Returns:
        A `RegressionData`.

    Raises:
        TypeError: `n` is not an integer, `noise` not a number.
        ValueError: no point, or noise that is negative or not finite.
    """
    check_count("n", n)
    check_positive("noise", noise, or_zero=True)
    rng = np.random.default_rng(seed)
    x_train = torch.from_numpy(np.sort(rng.random(n) * 5))
    y_train = true_curve(x_train) + torch.from_numpy(rng.normal(0, noise, n))
    x_query = torch.from_numpy(np.arange(0, 5, 0.05))
    return RegressionData(
        *(t.to(dtype) for t in (x_train, y_train, x_query, true_curve(x_query)))
    )
