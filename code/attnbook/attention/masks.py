"""Masks: who may attend to whom.

One convention in the whole book: a mask is a bool tensor whose last two axes are (queries, keys), and **True means
"may attend"**. Masks therefore combine with `&`. `attnbook.attention.conventions` converts to and from others.
"""

import torch
from torch import Tensor

from attnbook.checks import (
    aligned_shape,
    check_count,
    check_lengths,
    check_mask,
    check_scores,
    check_valid_lens,
    is_traced,
)
from attnbook.checks.masking import LENS_AND_MASK


def sequence_mask(valid_lens: Tensor, num_keys: int) -> Tensor:
    """Mark the positions that hold real tokens: True for the first `valid_lens` positions.

    Args:
        valid_lens: integers in 0…S, any shape (…).
        num_keys: S, the padded length.

    Returns:
        bool (…, S) on the device of `valid_lens`; True = real token.

    Example:
        >>> sequence_mask(torch.tensor([2, 3]), 4).int()
        tensor([[1, 1, 0, 0],
                [1, 1, 1, 0]], dtype=torch.int32)
    """
    check_count("num_keys", num_keys, at_least=0)
    check_lengths(valid_lens, num_keys)
    positions = torch.arange(num_keys, device=valid_lens.device)  # (S,)
    return positions < valid_lens.unsqueeze(-1)  # (…, S)


def causal_mask(
    num_queries: int, num_keys: int | None = None, *, device: torch.device | None = None
) -> Tensor:
    """Let each query attend to itself and the past only: a lower triangle.

    With more keys than queries, the queries are the *last* positions (the first keys are an earlier, cached part).

    Args:
        num_queries: T.
        num_keys: S ≥ T; T if not given.
        device: where to make the mask.

    Returns:
        bool (T, S); True = may attend.

    Source:
        Vaswani et al. (2017), §3.2.3.
    """
    num_keys = num_queries if num_keys is None else num_keys
    check_count("num_queries", num_queries, at_least=0)
    check_count("num_keys", num_keys, at_least=0)
    if num_keys < num_queries:
        raise ValueError(
            f"a causal mask needs at least as many keys as queries (each query sees itself), "
            f"got {num_queries} queries and {num_keys} keys"
        )
    allowed = torch.ones(num_queries, num_keys, dtype=torch.bool, device=device)
    return allowed.tril(diagonal=num_keys - num_queries)


LARGE = 256  # positions, from which on a mask costs more than a look at it
_TRIANGLE: dict[tuple[int, torch.device | None], Tensor] = {}


def shared_triangle(size: int, device: torch.device | None = None) -> Tensor:
    """`causal_mask(size)`; a large one is kept for the next call, so nobody may write to it."""
    if size < LARGE:
        return causal_mask(size, device=device)
    key = size, device
    stored = _TRIANGLE.get(key)
    if stored is None or is_traced():
        with torch.inference_mode(False):  # a mask that can be used anywhere
            stored = causal_mask(size, device=device)
        # a fake tensor is of no use once its context has ended
        if type(stored) is Tensor and not is_traced():
            _TRIANGLE.clear()
            _TRIANGLE[key] = stored
    return stored


def sliding_window_mask(
    num_queries: int,
    window: int,
    *,
    num_keys: int | None = None,
    device: torch.device | None = None,
) -> Tensor:
    """Let each position attend to itself and the `window` − 1 positions before it: a band below the diagonal.

    With more keys than queries, the queries are the *last* positions, as in `causal_mask`: with a cache, `num_keys` is
    `cache.length + num_queries`.

    Args:
        num_queries: T.
        window: how many positions each one sees, its own included.
        num_keys: S ≥ T; T if not given.
        device: where to make the mask.

    Returns:
        bool (T, S); True = may attend.

    Source:
        Beltagy et al. (2020), §3.1; one-sided, as in Jiang et al. (2023), §2.
    """
    check_count("window", window)
    causal = causal_mask(num_queries, num_keys, device=device)
    return causal.triu(diagonal=causal.shape[1] - num_queries + 1 - window)


def combine_masks(
    shape: torch.Size,
    valid_lens: Tensor | None = None,
    mask: Tensor | None = None,
    device: torch.device | None = None,
    *,
    names: tuple[str, str] = LENS_AND_MASK,
) -> Tensor | None:
    """One mask from valid lengths and a mask: a key must pass both.

    Args:
        shape: the shape of the scores, (B, …, T, S).
        valid_lens, mask: see `attnbook.attention`. One mask for each head is (1, H, T, S).
        device: where the result is wanted, usually the scores' device.
        names: what the caller calls lengths and mask, for errors.

    Returns:
        bool, broadcastable to `shape`, True = may attend; None if there is nothing to hide.
    """
    if mask is not None:
        check_mask(mask, shape, name=names[1])
        mask = mask.reshape(aligned_shape(mask.shape, shape)).to(device)
    if valid_lens is None:
        return mask
    check_valid_lens(valid_lens, shape, names=names)
    between = [1] * (len(shape) - 1 - valid_lens.dim())  # heads, to broadcast over
    lengths = valid_lens.to(device).reshape(
        valid_lens.shape[0], *between, *valid_lens.shape[1:]
    )  # (B, 1…, 1 or T)
    return both_masks(sequence_mask(lengths, shape[-1]), mask)


def both_masks(a: Tensor | None, b: Tensor | None) -> Tensor | None:
    """Both masks in one; None hides nothing."""
    return b if a is None else a if b is None else a & b


def masked_softmax(
    scores: Tensor, valid_lens: Tensor | None = None, mask: Tensor | None = None
) -> Tensor:
    """Softmax over the keys that a query may attend to; every other key gets exactly zero.

    A query that may attend to nothing gets a row of zeros, and a gradient of zero: nothing to say, nothing to learn.

    Args:
        scores: (…, T, S), floating point; −inf counts as masked. Not changed.
        valid_lens, mask: which keys count, see `attnbook.attention`; lengths need scores (B, …, T, S).

    Returns:
        Weights, the scores' shape and dtype; each row sums to 1, or to 0 where nothing may be attended to.

    Raises:
        ValueError: NaN or +inf in the scores.

    Source:
        Vaswani et al. (2017), §3.2.3 (scores set to −∞ before the softmax).
    """
    check_scores(scores)
    mask = combine_masks(scores.shape, valid_lens, mask, scores.device)
    return unchecked_masked_softmax(scores, mask)


def unchecked_masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    """`masked_softmax` without checks; NaN in the scores gives NaN."""
    allowed = scores != -torch.inf  # (…, T, S)
    if mask is not None:
        allowed = allowed & mask
    nothing = ~allowed.any(dim=-1, keepdim=True)  # (…, T, 1): fully masked rows
    # A softmax over −inf alone is NaN: such a row is computed over zeros, then emptied.
    safe = scores.masked_fill(~allowed, -torch.inf).masked_fill(nothing, 0.0)
    return safe.softmax(dim=-1).masked_fill(nothing, 0.0)
