"""Losses for tables of pairs, of which a few are right and hundreds are not."""

import torch
import torch.nn.functional as F
from torch import Tensor

from attnbook.checks import check_tensor, kind_of


def check_table(scores: Tensor, target: Tensor, mask: Tensor | None) -> None:
    """Require a table of True and False for a table of scores, and a mask that broadcasts to it.

    Args:
        scores: (…, T, S).
        target: bool, the same shape.
        mask: bool, broadcastable to the scores, or None.

    Raises:
        TypeError, ValueError: tables of another kind or shape.
    """
    check_tensor("scores", scores, min_dims=2)
    for name, table in (("target", target), ("mask", mask)):
        if table is not None and kind_of(table) != torch.bool:
            raise TypeError(
                f"{name} must be a bool tensor, got {kind_of(table)}; compare it with 0"
            )
    if target.shape != scores.shape:
        raise ValueError(
            f"scores are {tuple(scores.shape)}, target is {tuple(target.shape)}; they must agree"
        )
    if mask is not None:
        _check_broadcasts(mask, scores)


def _check_broadcasts(mask: Tensor, scores: Tensor) -> None:
    try:
        mask.expand_as(scores)
    except RuntimeError:
        raise ValueError(
            f"mask is {tuple(mask.shape)}, which does not broadcast to the scores' {tuple(scores.shape)}; "
            "each of its axes has the scores' size, or 1"
        ) from None


def pair_loss(scores: Tensor, target: Tensor, mask: Tensor | None = None) -> Tensor:
    """Every right pair above 0, every other below: log(1 + Σ e^−s) over right pairs + log(1 + Σ e^s) over the others.

    Args:
        scores: (…, T, S).
        target: bool, the same shape, True = a right pair.
        mask: bool, broadcastable to the scores, True = a pair that counts; all if not given.

    Returns:
        The mean over all tables, a scalar, in nats.

    Source:
        Su et al. (2022), arXiv:2208.03054 (class imbalance loss).
    """
    check_table(scores, target, mask)
    counts = torch.ones_like(target) if mask is None else mask.expand_as(target)
    right, wrong = (target & counts).flatten(-2), (~target & counts).flatten(-2)
    scores = scores.flatten(-2)  # (…, T S)
    threshold = torch.zeros_like(scores[..., :1])  # e^0 = 1
    too_low = torch.cat([threshold, (-scores).masked_fill(~right, -torch.inf)], dim=-1)
    too_high = torch.cat([threshold, scores.masked_fill(~wrong, -torch.inf)], dim=-1)
    return (too_low.logsumexp(dim=-1) + too_high.logsumexp(dim=-1)).mean()


def binary_loss(scores: Tensor, target: Tensor, mask: Tensor | None = None) -> Tensor:
    """A yes-or-no question for every pair by itself: the mean binary cross-entropy.

    Args:
        scores, target, mask: see `pair_loss`.

    Returns:
        The mean over all pairs that count, a scalar, in nats; 0 with gradient 0 if none does.
    """
    check_table(scores, target, mask)
    counts = torch.ones_like(target) if mask is None else mask.expand_as(target)
    scores, right = scores[counts], target[counts].to(scores.dtype)
    if not scores.numel():
        return scores.sum()  # 0; the mean of nothing is NaN
    return F.binary_cross_entropy_with_logits(scores, right)
