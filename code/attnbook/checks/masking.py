"""Checks of scores, and of the masks and lengths that hide some of them."""

import torch
from torch import Tensor

from attnbook.checks.tensors import check_tensor, shape_of


def _readable(tensor: Tensor) -> bool:
    """Whether values can be looked at: not while `torch.compile` traces, nor on the meta device."""
    return not (torch.compiler.is_compiling() or tensor.is_meta)


def check_mask(mask: Tensor, shape: torch.Size | None = None) -> None:
    """Require a boolean mask, True = may attend, that broadcasts to `shape`.

    Args:
        mask: bool, broadcastable to (…, T, S).
        shape: the shape of the scores; None where the mask stands alone.

    Raises:
        TypeError: the mask is not a bool tensor (0/1 and additive masks have their own converters).
        ValueError: it does not broadcast to `shape`.
    """
    if not isinstance(mask, Tensor):
        raise TypeError(
            f"mask must be a bool tensor (True = may attend), got {type(mask).__name__}"
        )
    if mask.dtype != torch.bool:
        raise TypeError(
            f"mask must be a bool tensor (True = may attend), got {mask.dtype}; convert a 0/1 mask with "
            "from_binary(mask), an additive one with from_additive(mask), and one in which True means blocked "
            "with from_blocked(mask)"
        )
    if shape is None:
        return
    try:
        fits = torch.broadcast_shapes(mask.shape, shape) == torch.Size(shape)
    except RuntimeError:
        fits = False
    if not fits:
        raise ValueError(
            f"mask has shape {shape_of(mask)}, which does not broadcast to the scores' {tuple(shape)}; "
            "its last two axes are (queries, keys), each of full size or 1"
        )


def check_lengths(valid_lens: Tensor, num_keys: int) -> None:
    """Require integers in 0…`num_keys`.

    Args:
        valid_lens: integers of any shape.
        num_keys: S, the number of keys.

    Raises:
        TypeError: not a tensor of integers.
        ValueError: a length is negative or beyond the axis.
    """
    _check_integers(valid_lens)
    if valid_lens.numel() == 0 or not _readable(valid_lens):
        return
    low, high = int(valid_lens.min()), int(valid_lens.max())
    if low < 0 or high > num_keys:
        raise ValueError(
            f"valid_lens must lie between 0 and the number of keys, {num_keys}; got {low if low < 0 else high}"
        )


def check_valid_lens(valid_lens: Tensor, shape: torch.Size) -> None:
    """Require valid lengths whose shape fits scores of shape (B, …, T, S).

    Args:
        valid_lens: integers, shape (B,), one a sequence, or (B, T), one a query.
        shape: the shape of the scores, (B, …, T, S).

    Raises:
        TypeError: not a tensor of integers.
        ValueError: a shape other than (B,) or (B, T), or scores without a batch axis.
    """
    _check_integers(valid_lens)
    if len(shape) < 3:
        raise ValueError(
            f"valid_lens needs scores with a batch axis (B, …, T, S), got {tuple(shape)}; pass a mask"
        )
    batch, num_queries = shape[0], shape[-2]
    if tuple(valid_lens.shape) not in {(batch,), (batch, num_queries)}:
        raise ValueError(
            f"valid_lens must have shape ({batch},), one length a sequence, or ({batch}, {num_queries}), "
            f"one a query; got {shape_of(valid_lens)} for scores of shape {tuple(shape)}"
        )


def _check_integers(valid_lens: Tensor) -> None:
    if not isinstance(valid_lens, Tensor):
        raise TypeError(
            f"valid_lens must be a tensor of integers, got {type(valid_lens).__name__}; "
            "make one with torch.tensor([...])"
        )
    if (
        valid_lens.is_floating_point()
        or valid_lens.is_complex()
        or valid_lens.dtype == torch.bool
    ):
        raise TypeError(
            f"valid_lens must hold integers, got {valid_lens.dtype}; lengths count keys, so use torch.long"
        )


def check_scores(scores: Tensor) -> None:
    """Require scores that a softmax can digest: no NaN and no +inf (−inf is fine: it means masked).

    The test reads every score once and, on a GPU, waits for the answer; it is left out while `torch.compile` traces.

    Args:
        scores: (…, T, S), floating point.

    Raises:
        TypeError: not a floating-point tensor.
        ValueError: fewer than two axes, an empty key axis, a NaN, or +inf.
    """
    check_tensor("scores", scores, min_dims=2)
    if scores.shape[-1] == 0:
        raise ValueError(
            f"scores has shape {shape_of(scores)}: the key axis is empty; a softmax needs at least one key"
        )
    if not _readable(scores):
        return
    bad = scores.isnan() | (scores == torch.inf)
    if bad.any():
        where = tuple(bad.nonzero()[0].tolist())
        raise ValueError(
            f"scores holds {scores[where].item()} at index {where}; look for a division by zero or an overflow "
            "in the queries and keys (float16 ends at 65504) before the softmax hides it"
        )
