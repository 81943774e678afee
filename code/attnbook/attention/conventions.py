"""Masks of other libraries, from and to the book's (True = may attend)."""

import torch
from torch import Tensor

from attnbook.checks import check_mask, has_values, kind_of


def to_blocked(mask: Tensor) -> Tensor:
    """Turn the book's mask into one where True means "blocked".

    That is what `nn.MultiheadAttention` expects as `attn_mask` and `key_padding_mask`, and `nn.Transformer*` likewise.

    Args:
        mask: bool, True = may attend.

    Returns:
        bool, same shape, True = blocked.
    """
    check_mask(mask)
    return ~mask


def from_blocked(mask: Tensor) -> Tensor:
    """Turn a mask in which True means "blocked" into the book's (True = may attend).

    Args:
        mask: bool, True = blocked.

    Returns:
        bool, same shape, True = may attend.
    """
    if kind_of(mask) != torch.bool:
        raise TypeError(
            f"mask must be a bool tensor (True = blocked), got {kind_of(mask)}; convert it with mask.bool()"
        )
    return ~mask


def to_additive(mask: Tensor, dtype: torch.dtype = torch.float32) -> Tensor:
    """Turn the book's mask into numbers to add to the scores: 0 where allowed, −inf where not.

    Args:
        mask: bool, True = may attend.
        dtype: a floating-point dtype, that of the scores.

    Returns:
        Same shape, `dtype`; 0 or −inf.
    """
    check_mask(mask)
    if not isinstance(dtype, torch.dtype) or not dtype.is_floating_point:
        raise TypeError(
            f"an additive mask needs a floating-point dtype, got {dtype}; use the dtype of the scores"
        )
    return torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill(
        ~mask, -torch.inf
    )


def from_additive(mask: Tensor) -> Tensor:
    """Turn an additive mask into the book's: True where 0 is added, False where a very negative number is.

    Args:
        mask: floating point; 0 = may attend; −inf, or anything at or below −10⁴, = blocked (libraries use −10⁴, −10⁹
            and the dtype's smallest number).

    Returns:
        bool, same shape, True = may attend.

    Raises:
        ValueError: a value that is neither: that is a score bias, such as a relative position, not a mask.
    """
    if not isinstance(mask, Tensor) or not mask.is_floating_point():
        raise TypeError(
            f"an additive mask is a floating-point tensor, got {kind_of(mask)}; for 0/1 masks use from_binary"
        )
    allowed, blocked = mask == 0, mask <= -1e4
    if has_values(mask) and not (allowed | blocked).all():
        neither = mask[~(allowed | blocked)][0].item()
        raise ValueError(
            f"an additive mask holds 0 and very negative numbers, got {neither:g}; add a bias to the scores"
        )
    return allowed


def to_binary(mask: Tensor) -> Tensor:
    """Turn the book's mask into integers 1 (may attend) and 0, as Hugging Face's `attention_mask`.

    Args:
        mask: bool, True = may attend.

    Returns:
        int64, same shape.
    """
    check_mask(mask)
    return mask.long()


def from_binary(mask: Tensor) -> Tensor:
    """Turn a 0/1 mask (1 = may attend) into the book's.

    Args:
        mask: integers or floats, each exactly 0 or 1.

    Returns:
        bool, same shape, True = may attend.
    """
    if not isinstance(mask, Tensor) or mask.is_complex():
        raise TypeError(
            f"a 0/1 mask is a tensor of real numbers, got {kind_of(mask)}; make one with torch.tensor([...])"
        )
    if has_values(mask) and not ((mask == 0) | (mask == 1)).all():
        neither = mask[(mask != 0) & (mask != 1)][0].item()
        raise ValueError(
            f"a 0/1 mask holds only 0 and 1, got {neither}; for masks to be added use from_additive"
        )
    return mask == 1
