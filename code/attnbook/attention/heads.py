"""Multi-head attention with one projection for all heads: the layer that the models use."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.attention.masks import combine_masks, masked_softmax
from attnbook.attention.scores import scaled_dot_score
from attnbook.attention.splitting import (
    check_inputs,
    head_size,
    merge_heads,
    split_heads,
)
from attnbook.attention.stages import SeparateHeads, check_stage
from attnbook.checks import check_count, check_probability, check_tensor


class MultiHeadAttention(nn.Module):
    """Stage 3: one projection for all heads, split and merged by reshaping. This is the one the models use.

    With `num_kv_heads` below `num_heads`, groups of query heads share one key/value head (grouped-query attention);
    with 1, all of them do (multi-query attention).

    Args:
        d_model: D, divisible by `num_heads`.
        num_heads: H.
        num_kv_heads: key/value heads, a divisor of `num_heads`; all of them if not given.
        dropout: the probability of dropping a weight while training.
        bias: give the projections a bias.
        rotary: a function of (x (…, T, Dh), start) that turns queries and keys by their position, such as
            `RotaryPositions()`, or None.

    Attributes:
        W_qkv: one linear map to queries, keys and values, in this order; its rows are W_q, W_k and W_v stacked.
        W_o: the output map.

    Source:
        Vaswani et al. (2017), §3.2.2; Shazeer (2019), arXiv:1911.02150, multi-query; Ainslie et al. (2023),
        arXiv:2305.13245, grouped-query.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        num_kv_heads: int | None = None,
        dropout: float = 0.0,
        bias: bool = True,
        rotary=None,
    ):
        super().__init__()
        self.head_dim = head_size(d_model, num_heads)
        self.d_model, self.num_heads = d_model, num_heads
        self.num_kv_heads = num_heads if num_kv_heads is None else num_kv_heads
        check_count("num_kv_heads", self.num_kv_heads)
        if num_heads % self.num_kv_heads:
            raise ValueError(
                f"num_kv_heads {num_kv_heads} does not divide num_heads {num_heads}: query heads share key/value "
                "heads in groups of equal size; take a divisor"
            )
        check_probability("dropout", dropout)
        kv_size = self.num_kv_heads * self.head_dim
        self.sizes = (d_model, kv_size, kv_size)
        self.W_qkv = nn.Linear(d_model, sum(self.sizes), bias=bias)
        self.W_o = nn.Linear(d_model, d_model, bias=bias)
        self.dropout, self.rotary = dropout, rotary
        nn.init.xavier_uniform_(self.W_qkv.weight)
        if bias:
            nn.init.zeros_(self.W_qkv.bias)
            nn.init.zeros_(self.W_o.bias)

    def _project(
        self, query: Tensor, key: Tensor, value: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values for all heads side by side; one product where the input is the same."""
        if query is key and key is value:
            return self.W_qkv(query).split(self.sizes, dim=-1)
        weights, biases = self.W_qkv.weight.split(self.sizes), (None, None, None)
        if self.W_qkv.bias is not None:
            biases = self.W_qkv.bias.split(self.sizes)
        maps = zip((query, key, value), weights, biases, strict=True)
        return tuple(F.linear(x, weight, bias) for x, weight, bias in maps)

    def _project_query(self, query: Tensor) -> Tensor:
        """Queries alone, for a memory whose keys and values are kept."""
        size = self.d_model
        bias = None if self.W_qkv.bias is None else self.W_qkv.bias[:size]
        return F.linear(query, self.W_qkv.weight[:size], bias)

    def forward(
        self,
        query: Tensor,
        key: Tensor | None = None,
        value: Tensor | None = None,
        valid_lens: Tensor | None = None,
        mask: Tensor | None = None,
        need_weights: bool = False,
        bias: Tensor | None = None,
        cache=None,
    ) -> tuple[Tensor, Tensor | None]:
        """Attend with all heads at once.

        Args:
            query: (B, T, D).
            key: (B, S, D); the query if not given (self-attention).
            value: (B, S, D); the key if not given.
            valid_lens: (B,) or (B, T) integers: how many keys count.
            mask: bool, (B, H, T, S), or (B, T, S) or (T, S) for all heads; any size may be 1. True = may attend.
            need_weights: return the weights too; without them the fused kernel never stores the T × S table.
            bias: floating point, broadcastable to (B, H, T, S), added to the scores (relative positions).
            cache: a `KeyValueCache`: one that grows for self-attention, one that does not for
                attention to a memory that stays the same.

        Returns:
            output (B, T, D), and weights (B, H, T, S) before dropout, or None.

        Raises:
            TypeError, ValueError: shapes, dtypes, lengths or masks that do not fit.
        """
        key = query if key is None else key
        value = key if value is None else value
        check_inputs(query, key, value, self.W_qkv.weight)
        _check_cache(cache, key, itself=key is query)
        grows = cache is not None and cache.grows
        start = cache.length if grows else 0
        num_keys = start + key.shape[1]
        shape = torch.Size([len(query), self.num_heads, query.shape[1], num_keys])
        allowed = combine_masks(shape, valid_lens, _for_all_heads(mask), query.device)
        _check_bias(bias, shape)

        if cache is not None and not grows and cache.length:  # the memory's, kept
            q, k, v = self._project_query(query), cache.key, cache.value
        else:
            q, k, v = self._project(query, key, value)
            k, v = split_heads(k, self.num_kv_heads), split_heads(v, self.num_kv_heads)
            if self.rotary is not None:
                k = self.rotary(k, start)
            if cache is not None:
                k, v = cache.update(k, v)  # (B, H, S, Dh), the earlier positions first
        q = split_heads(q, self.num_heads)  # (B, H, T, Dh)
        if self.rotary is not None:
            q = self.rotary(q, start)
        attend = self._attend_openly if need_weights else self._attend_fused
        output, weights = attend(q, k, v, allowed, bias)
        return self.W_o(merge_heads(output)), weights

    def _attend_fused(self, q, k, v, allowed, bias) -> tuple[Tensor, None]:
        """PyTorch's kernel: the (T, S) table is never stored."""
        mask = allowed
        if bias is not None:  # one float mask says both: what to add, and −inf
            mask = bias.to(q)
            if allowed is not None:
                mask = mask.masked_fill(~allowed, -torch.inf)
        output = F.scaled_dot_product_attention(
            q,
            k,
            v,
            attn_mask=mask,
            dropout_p=self.dropout if self.training else 0.0,
            enable_gqa=self.num_kv_heads != self.num_heads,
        )
        return output, None

    def _attend_openly(self, q, k, v, allowed, bias) -> tuple[Tensor, Tensor]:
        """The same in the open, so that the weights can be looked at."""
        group = self.num_heads // self.num_kv_heads  # query heads to a key/value head
        k, v = k.repeat_interleave(group, dim=1), v.repeat_interleave(group, dim=1)
        scores = scaled_dot_score(q, k)  # (B, H, T, S)
        if bias is not None:
            scores = scores + bias.to(q)
        weights = masked_softmax(scores, mask=allowed)
        return F.dropout(weights, self.dropout, self.training) @ v, weights

    @classmethod
    @torch.no_grad()
    def from_separate(cls, stage: SeparateHeads) -> "MultiHeadAttention":
        """Stack the weights of separate heads into one projection: the same function, computed at once.

        Args:
            stage: stage 2.

        Returns:
            Stage 3 with copied weights.

        Raises:
            TypeError: another stage.
        """
        check_stage(stage)
        has_bias = stage.W_o.bias is not None
        layer = cls(stage.W_o.in_features, len(stage.heads), bias=has_bias)
        layer.to(stage.W_o.weight)
        names = ("W_q", "W_k", "W_v")
        maps = [getattr(head, name) for name in names for head in stage.heads]
        layer.W_qkv.weight.copy_(torch.cat([linear.weight for linear in maps]))
        if has_bias:
            layer.W_qkv.bias.copy_(torch.cat([linear.bias for linear in maps]))
        layer.W_o.load_state_dict(stage.W_o.state_dict())
        return layer.train(stage.training)


def _check_cache(cache, key: Tensor, itself: bool) -> None:
    """Require the kind of cache that fits: a growing one for self-attention, a fixed one for a memory."""
    if cache is None:
        return
    if cache.grows and not itself:
        raise ValueError(
            "a growing cache collects the keys of self-attention step by step, but other keys than the query were "
            "passed; leave them out, or pass KeyValueCache(grows=False)"
        )
    if itself and not cache.grows:
        raise ValueError(
            "KeyValueCache(grows=False) keeps the keys of a memory, but no other keys than the query were passed; "
            "pass the memory, or KeyValueCache()"
        )
    if not cache.grows and cache.length and cache.key.shape[::2] != key.shape[:2]:
        stored, given = tuple(cache.key.shape[::2]), tuple(key.shape[:2])
        raise ValueError(
            f"the cache keeps a memory of (sequences, positions) {stored}, but {given} were passed; start a new cache"
        )


def _for_all_heads(mask: Tensor | None) -> Tensor | None:
    """Give a (B, T, S) mask its head axis, and a mask of the keys (S,) its query axis; others broadcast as they are."""
    if isinstance(mask, Tensor) and mask.dim() == 3:
        return mask.unsqueeze(1)
    return torch.atleast_2d(mask) if isinstance(mask, Tensor) else mask


def _check_bias(bias: Tensor | None, shape: torch.Size) -> None:
    """Require numbers that can be added to scores of this shape."""
    if bias is None:
        return
    check_tensor("bias", bias, min_dims=2)
    sizes = zip(bias.shape[::-1], shape[::-1], strict=False)
    if bias.dim() > len(shape) or any(
        size not in (1, wanted) for size, wanted in sizes
    ):
        raise ValueError(
            f"bias has shape {tuple(bias.shape)}, which does not broadcast to the scores' {tuple(shape)} "
            "(sequences, heads, queries, keys); one for all sequences is (H, T, S)"
        )
