"""Precision: sums in float32 at least, also under autocast, and products in the dtype that autocast gives them."""

from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor


def without_autocast(x: Tensor) -> AbstractContextManager:
    """A context in which autocast leaves the products of tensors such as x in the dtype that they have.

    A function with its own backward pass needs this in both passes. Autocast has ended before the second one, so that
    otherwise the two would compute with different numbers.
    """
    if _is_cast(x):
        return torch.autocast(x.device.type, enabled=False)
    return nullcontext()


def sum_dtype(x: Tensor) -> torch.dtype:
    """The dtype for sums of numbers such as x's, and for angles: their own, but float32 at least."""
    return torch.promote_types(x.dtype, torch.float32)


def product_dtype(x: Tensor) -> torch.dtype:
    """The dtype of a product of tensors such as x: their own, or autocast's, as in PyTorch's fused kernel."""
    if _is_cast(x) and x.dtype != torch.float64:  # which autocast leaves alone
        return torch.get_autocast_dtype(x.device.type)
    return x.dtype


def _is_cast(x: Tensor) -> bool:
    """Whether autocast is on where x is; the meta device has none."""
    return not x.is_meta and torch.is_autocast_enabled(x.device.type)
