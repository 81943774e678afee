"""The same attention for less memory: softmax in one pass, and tiles of scores instead of a table."""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from attnbook.attention.precision import product_dtype, sum_dtype, without_autocast
from attnbook.attention.scores import scaled_product
from attnbook.checks import (
    check_alike,
    check_count,
    check_query_key,
    check_switch,
    check_tensor,
    check_value,
    readable,
)


def online_softmax(scores: Tensor, value: Tensor) -> Tensor:
    """softmax(scores) · value, reading each score and its value once and keeping neither.

    Args:
        scores: (…, S), finite.
        value: (S, Dv).

    Returns:
        (…, Dv), in the dtype of the values; half precision is summed in float32.

    Raises:
        ValueError: scores that are not finite (not looked for on a GPU).

    Source:
        Milakov & Gimelshein (2018), algorithm 3; with the values, Rabe & Staats (2021), §3.
    """
    check_tensor("scores", scores, min_dims=1)
    check_tensor("value", value, dims=2)
    check_alike("scores", scores, "value", value)
    if not 0 < scores.shape[-1] == len(value):
        raise ValueError(
            f"scores {tuple(scores.shape)} and value {tuple(value.shape)} must be (…, S) and (S, Dv), S at least 1; "
            "pass one value for each score"
        )
    if readable(scores) and not (finite := scores.isfinite()).all():
        raise ValueError(
            f"scores must be finite, got {scores[~finite][0].item()}; leave out keys that are masked, and their values"
        )
    precise = torch.promote_types(scores.dtype, torch.float32)  # of the sums
    most = torch.full_like(scores[..., :1], -torch.inf, dtype=precise)  # the largest
    total = torch.zeros_like(most)  # (…, 1): Σ exp(score − most)
    summed = torch.zeros_like(most * value[0])  # (…, Dv): Σ exp(score − most) value
    for score, v in zip(scores.split(1, dim=-1), value, strict=True):
        new = torch.maximum(most, score)
        old, own = (most - new).exp(), (score - new).exp()
        total, summed, most = total * old + own, summed * old + own * v, new
    return (summed / total).to(value.dtype)


def tiled_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    tile: int = 128,
    causal: bool = False,
    window: int | None = None,
) -> Tensor:
    """softmax(q·k / √D) v from tiles of the scores: the T × S table is never stored, not for gradients either.

    Tiles in which no query may see a key are not computed. Half precision is computed in float32, also under autocast,
    and the output rounded: sums over many keys would stop growing.

    Args:
        query: (…, T, D).
        key: (…, S, D).
        value: (…, S, Dv).
        tile: how many queries, and how many keys, a tile has at most.
        causal: query t sees the keys up to t only; T = S.
        window: with `causal`, only the last so many of these, its own included; all if not given.

    Returns:
        (…, T, Dv). It can be differentiated again and again; derivatives of derivatives store what they need, and that
        is the whole table.

    Raises:
        ValueError: T and S differ although `causal` is asked for, or a window comes without `causal`.

    Source:
        Rabe & Staats (2021), arXiv:2112.05682; Dao et al. (2022), arXiv:2205.14135, algorithms 1 and 4.
    """
    check_query_key(query, key)
    check_value(query, key, value)
    check_count("tile", tile)
    check_switch("causal", causal, advice="tiles take no mask; use the fused kernel")
    num_queries, num_keys = query.shape[-2], key.shape[-2]
    if window is not None:
        check_count("window", window)
        if not causal:
            raise ValueError("a window looks back, so it needs causal=True")
    if causal and num_queries != num_keys:
        raise ValueError(
            f"causal tiles need as many queries as keys, got {num_queries} and {num_keys}; "
            "for queries that continue a cache, use a mask and the fused kernel"
        )
    reach = min(window or num_keys, num_keys) if causal else None
    tensors = (x.to(sum_dtype(query)) for x in (query, key, value))
    with without_autocast(query):
        output, _ = TiledAttention.apply(*tensors, tile, reach)
    return output.to(product_dtype(query))


def tiles(
    num_queries: int, num_keys: int, tile: int, reach: int | None = None
) -> Iterator[tuple[slice, slice]]:
    """The rows and columns of the tiles in which some query sees some key.

    Args:
        num_queries, num_keys: T and S.
        tile: the largest number of rows, and of columns.
        reach: a query sees so many keys, the last of them its own; None: all keys.

    Yields:
        Slices of rows and columns, row by row. Numbers are checked when the first tile is asked for.
    """
    check_count("num_queries", num_queries, at_least=0)
    check_count("num_keys", num_keys, at_least=0)
    check_count("tile", tile)
    if reach is not None:
        check_count("reach", reach)
    for row in range(0, num_queries, tile):
        rows = slice(row, min(row + tile, num_queries))
        for column in range(0, num_keys, tile):
            columns = slice(column, min(column + tile, num_keys))
            if reach is None or (
                columns.start < rows.stop and columns.stop > rows.start - reach + 1
            ):
                yield rows, columns


class TiledAttention(torch.autograd.Function):
    """The two passes of `tiled_attention`, which describes it; nothing is checked here.

    Beside the output it returns the logarithm of each row's sum, from which the weights of a tile are made again: so
    the second pass, too, can be differentiated, and `torch.func` can transform both.
    """

    @staticmethod
    def forward(
        query: Tensor, key: Tensor, value: Tensor, tile: int, reach: int | None
    ) -> tuple[Tensor, Tensor]:
        """Read the `tiles` row by row: output (…, T, Dv), and log Σ exp(scores), (…, T, 1)."""
        batch = torch.broadcast_shapes(*(x.shape[:-2] for x in (query, key, value)))
        most = query.new_full(
            (*batch, query.shape[-2], 1), torch.finfo(query.dtype).min
        )
        total = torch.zeros_like(most)  # (…, T, 1)
        summed = query.new_zeros(*batch, query.shape[-2], value.shape[-1])
        for rows, columns in tiles(query.shape[-2], key.shape[-2], tile, reach):
            scores = _scores(query, key, rows, columns, reach)  # a tile of them
            new = torch.maximum(most[..., rows, :], scores.amax(-1, keepdim=True))
            old = (most[..., rows, :] - new).exp()
            weights = (scores - new).exp()  # but for their sum
            total[..., rows, :] = total[..., rows, :] * old + weights.sum(-1, True)
            more = weights @ value[..., columns, :]
            summed[..., rows, :] = summed[..., rows, :] * old + more
            most[..., rows, :] = new
        return summed.div_(total), most + total.log()

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple, output: tuple[Tensor, Tensor]) -> None:
        """Keep what the second pass reads."""
        *tensors, ctx.tile, ctx.reach = inputs
        ctx.save_for_backward(*tensors, *output)

    @staticmethod
    def backward(ctx: Any, grad: Tensor, grad_log: Tensor) -> tuple[Tensor | None, ...]:
        with without_autocast(grad):
            return *_gradients(ctx, grad, grad_log), None, None

    @staticmethod
    def vmap(
        info: Any, in_dims: tuple, *inputs: Any
    ) -> tuple[tuple[Tensor, Tensor], tuple[int, int]]:
        """Treat the axis that `torch.vmap` maps over as one more axis of the batch."""
        *tensors, tile, reach = inputs
        tensors = _mapped_first(tensors, in_dims[:3])
        return TiledAttention.apply(*tensors, tile, reach), (0, 0)


def _gradients(ctx: Any, grad: Tensor, grad_log: Tensor) -> list[Tensor]:
    """The second pass: the gradients of query, key and value."""
    query, key, value, output, log_total = ctx.saved_tensors
    tile, reach = ctx.tile, ctx.reach
    blocks = [
        [torch.zeros_like(block) for block in x.split(tile, dim=-2)]
        for x in (query, key, value)
    ]  # of the three gradients: one for so many rows or columns
    # (…, T, 1): what is taken off each slope, Σ weights · slopes
    mean = (grad * output).sum(-1, keepdim=True) - grad_log
    for rows, columns in tiles(query.shape[-2], key.shape[-2], tile, reach):
        scores = _scores(query, key, rows, columns, reach)
        weights = (scores - log_total[..., rows, :]).exp()  # made again
        slopes = grad[..., rows, :] @ value[..., columns, :].mT
        slopes = (slopes - mean[..., rows, :]) * weights  # those of the scores
        slopes = slopes * query.shape[-1] ** -0.5
        parts = (
            (rows, slopes @ key[..., columns, :]),
            (columns, slopes.mT @ query[..., rows, :]),
            (columns, weights.mT @ grad[..., rows, :]),
        )
        for block, (place, part) in zip(blocks, parts, strict=True):
            so_far = block[place.start // tile]
            block[place.start // tile] = so_far + part.sum_to_size(so_far.shape)
    return [torch.cat(block, dim=-2) for block in blocks]


def _mapped_first(tensors: list[Tensor], places: tuple) -> list[Tensor]:
    """Each tensor with the axis that `torch.vmap` maps over in front, of size 1 if it has none."""
    first = [
        x[None] if place is None else x.movedim(place, 0)
        for x, place in zip(tensors, places, strict=True)
    ]
    axes = max(x.dim() for x in first)
    return [x.reshape(x.shape[0], *[1] * (axes - x.dim()), *x.shape[1:]) for x in first]


def _scores(
    query: Tensor, key: Tensor, rows: slice, columns: slice, reach: int | None
) -> Tensor:
    """A tile of scores, −∞ where nothing may be seen."""
    tile = query[..., rows, :], key[..., columns, :]
    scores = scaled_product(*tile, query.shape[-1])
    if reach is not None:
        t = torch.arange(rows.start, rows.stop, device=query.device)[:, None]
        ago = t - torch.arange(columns.start, columns.stop, device=query.device)
        scores.masked_fill_((ago < 0) | (ago >= reach), -torch.inf)
    return scores
