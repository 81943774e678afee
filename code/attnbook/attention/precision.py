"""Sums in float32 at least, also under autocast: what keeps it away, and what it would have made of a product."""

from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor


def without_autocast(x: Tensor) -> AbstractContextManager:
    """A context in which autocast leaves the products of tensors such as x in the dtype that they have.

    A function with a backward pass of its own needs it in both passes: autocast has no part in the second, where it
    has ended, and the gradients would be those of other numbers.
    """
    if _is_cast(x):
        return torch.autocast(x.device.type, enabled=False)
    return nullcontext()


def sum_dtype(x: Tensor) -> torch.dtype:
    """What sums of numbers such as x's, and angles, are computed in: their dtype, but float32 at least."""
    return torch.promote_types(x.dtype, torch.float32)


def product_dtype(x: Tensor) -> torch.dtype:
    """What a product of tensors such as x is rounded to: their dtype, or autocast's, as in PyTorch's fused kernel."""
    if _is_cast(x) and x.dtype != torch.float64:  # which autocast leaves alone
        return torch.get_autocast_dtype(x.device.type)
    return x.dtype


def _is_cast(x: Tensor) -> bool:
    """Whether autocast is on where x is; the meta device has none."""
    return not x.is_meta and torch.is_autocast_enabled(x.device.type)
