"""Kernels: how much a key at distance u still counts.

Each takes the distance in units of the width, u = ‖q − k‖ / width, and returns a weight that is 1 at u = 0 and never
negative. They are not normalised to integrate to 1: kernel regression divides by the sum, so a constant factor cancels.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from attnbook.checks import check_callable, check_tensor


def gaussian(u: Tensor) -> Tensor:
    """The Gaussian kernel exp(−u²/2): smooth, and never quite zero.

    Args:
        u: scaled distances, any shape, floating point.

    Returns:
        Weights in (0, 1], same shape and dtype.

    Source:
        Silverman (1986), table 3.1, without its constant 1/√(2π).
    """
    check_tensor("u", u)
    return torch.exp(-0.5 * u**2)


def boxcar(u: Tensor) -> Tensor:
    """The boxcar kernel: 1 within one width of the query, 0 beyond.

    Args:
        u: scaled distances, any shape, floating point.

    Returns:
        Weights 0 or 1, same shape and dtype; the edge |u| = 1 counts as within.

    Source:
        Silverman (1986), table 3.1 ("rectangular"), without its constant 1/2.
    """
    check_tensor("u", u)
    return (u.abs() <= 1).to(u.dtype)


def triangular(u: Tensor) -> Tensor:
    """The triangular kernel max(0, 1 − |u|): a straight fall to zero at one width.

    Teaching code often prints this one under the name Epanechnikov; see `epanechnikov`.

    Args:
        u: scaled distances, any shape, floating point.

    Returns:
        Weights in [0, 1], same shape and dtype.

    Source:
        Silverman (1986), table 3.1.
    """
    check_tensor("u", u)
    return (1 - u.abs()).clamp_min(0)


def epanechnikov(u: Tensor) -> Tensor:
    """The Epanechnikov kernel max(0, 1 − u²): a parabola, zero beyond one width.

    Args:
        u: scaled distances, any shape, floating point.

    Returns:
        Weights in [0, 1], same shape and dtype.

    Source:
        Epanechnikov (1969), there with another scale: (3/4)(1 − u²/5)/√5 on |u| ≤ √5.
    """
    check_tensor("u", u)
    return (1 - u**2).clamp_min(0)


#: The kernels by name.
KERNELS: dict[str, Callable[[Tensor], Tensor]] = {
    "gaussian": gaussian,
    "boxcar": boxcar,
    "triangular": triangular,
    "epanechnikov": epanechnikov,
}


def get_kernel(kernel: str | Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    """The kernel of that name; a function of the scaled distance passes through unchanged."""
    advice = f"choose one of {', '.join(KERNELS)}, or pass a function of u"
    if not isinstance(kernel, str):
        check_callable("kernel", kernel, advice)
        return kernel
    if kernel not in KERNELS:
        raise ValueError(f"no kernel is called {kernel!r}; {advice}")
    return KERNELS[kernel]
