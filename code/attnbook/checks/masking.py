"""Checks of scores, and of the masks and lengths that hide some of them."""

import torch
from torch import Tensor

from attnbook.checks.integers import check_integers, one_outside
from attnbook.checks.tensors import check_tensor, kind_of
from attnbook.checks.values import readable

#: The names of lengths and mask in errors, unless the caller passes others.
LENS_AND_MASK = "valid_lens", "mask"


def check_mask(mask: Tensor, shape: torch.Size | None = None, *, name: str = "mask") -> None:
    """Require a boolean mask, True = may attend.

    Beside scores of a given shape it broadcasts to that, with a column for each key.
    """
    if not isinstance(mask, Tensor):
        raise TypeError(
            f"{name} must be a bool tensor (True = may attend), got {type(mask).__name__}; make one with "
            "torch.tensor([...])"
        )
    if mask.dtype != torch.bool:
        raise TypeError(
            f"{name} must be a bool tensor (True = may attend), got {mask.dtype}; convert a 0/1 mask with "
            f"from_binary({name}), an additive one with from_additive({name}), and one in which True means blocked "
            f"with from_blocked({name})"
        )
    if shape is not None:
        _check_broadcasts(name, mask, shape)


def check_bias(bias: Tensor, shape: torch.Size) -> None:
    """Require numbers to add to scores of this shape: they broadcast to it, with a column for each key."""
    advice = "pass a mask as mask=, or as bias=to_additive(mask), numbers as bias.float()"
    check_tensor("bias", bias, min_dims=2, advice=advice)
    _check_broadcasts("bias", bias, shape)


def aligned_shape(table: torch.Size, shape: torch.Size) -> tuple[int, ...]:
    """The shape in which a mask or bias broadcasts to scores of shape `shape`.

    Three axes next to four or more are (B, T, S), for all heads, and become (B, 1…, T, S). All other tables broadcast
    from the right, with two axes at least; so one for each head is (1, H, T, S).
    """
    if len(table) == 3 and len(shape) > 3:
        return (table[0], *[1] * (len(shape) - 3), *table[1:])
    return (*[1] * (2 - len(table)), *table)


def _check_broadcasts(name: str, table: Tensor, shape: torch.Size) -> None:
    sizes = aligned_shape(table.shape, shape)
    # no zip(strict=False), which PyTorch 2.5 compiles as strict
    shared = min(len(sizes), len(shape))
    pairs = ((sizes[-i], shape[-i]) for i in range(1, shared + 1))
    if len(sizes) > max(len(shape), 2) or any(a not in (1, b) for a, b in pairs):
        heads = "; one for each head is (1, H, T, S)" if len(shape) > 3 else ""
        of_padding = len(shape) > 2 and table.shape == (shape[0], shape[-1])
        padding = f"; one of padding, (B, S), goes in as {name}[:, None]" if of_padding else ""
        raise ValueError(
            f"{name} has shape {tuple(table.shape)}, which does not broadcast to the scores' {tuple(shape)}; "
            f"its last two axes are (queries, keys), one row for each query or for all{heads}{padding}"
        )
    if sizes[-1] != shape[-1]:  # a table of the new positions only, say
        raise ValueError(
            f"{name} has shape {tuple(table.shape)}, one column for {shape[-1]} keys; give each key its column, "
            "those that a cache holds included: causal_mask(T, S) and sliding_window_mask(T, window, num_keys=S) do"
        )


def check_lengths(valid_lens: Tensor, num_keys: int, *, names: tuple[str, str] = LENS_AND_MASK) -> None:
    """Require integers in 0…`num_keys`, of any shape; `names` are those of lengths and mask in errors."""
    name, mask = names
    if kind_of(valid_lens) == torch.bool:
        raise TypeError(
            f"{name} must hold integers, got torch.bool; a mask goes in as {mask}=, and has lengths, mask.sum(-1), if "
            "it hides only padding at the end"
        )
    check_integers(name, valid_lens)
    outside = one_outside(valid_lens, num_keys)
    if outside is not None:
        raise ValueError(f"{name} must lie between 0 and the number of keys, {num_keys}; got {outside}")


def check_valid_lens(valid_lens: Tensor, shape: torch.Size, *, names: tuple[str, str] = LENS_AND_MASK) -> None:
    """Require lengths that fit scores (B, …, T, S): (B,), one per sequence, or (B, T), one per query."""
    name, mask = names
    check_lengths(valid_lens, shape[-1], names=names)
    if len(shape) < 3:
        raise ValueError(f"{name} needs scores with a batch axis (B, …, T, S), got {tuple(shape)}; pass a {mask}")
    batch, num_queries = shape[0], shape[-2]
    if valid_lens.shape not in ((batch,), (batch, num_queries)):
        raise ValueError(
            f"{name} must have shape ({batch},), one length per sequence, or ({batch}, {num_queries}), "
            f"one per query; got {tuple(valid_lens.shape)} for scores of shape {tuple(shape)}"
        )


def check_scores(scores: Tensor) -> None:
    """Require scores (…, T, S) that a softmax can take: at least one key, no NaN and no +inf (−inf means masked).

    The check reads every score once, so it is skipped on a GPU.
    """
    check_tensor("scores", scores, min_dims=2)
    if scores.shape[-1] == 0:
        raise ValueError(
            f"scores has shape {tuple(scores.shape)}: the key axis is empty; a softmax needs at least one key"
        )
    if not readable(scores) or (usable := scores < torch.inf).all():  # NaN is below nothing
        return
    where = tuple((~usable).nonzero()[0].tolist())
    raise ValueError(
        f"scores holds {scores[where].item()} at index {where}; look for a division by zero or an overflow "
        "in the queries and keys (float16 ends at 65504) before the softmax hides it"
    )
