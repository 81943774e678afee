"""Multi-head attention in three stages, and with fewer key/value heads than query heads.

The stages are the chapter's derivation, and compute the same thing with the same weights: `WideHeads` (a module a head,
each at full width), `SeparateHeads` (a module a head, each at width D/H), `MultiHeadAttention` (one projection for all
heads, split and merged by reshaping). The last is the one that the models use.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.checks import check_count, check_probability, check_same_size, check_tensor
from attnbook.masks import combine_masks, masked_softmax
from attnbook.scores import scaled_dot_score

__all__ = [
    "WideHeads",
    "SeparateHeads",
    "MultiHeadAttention",
    "split_heads",
    "merge_heads",
]


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    """Cut the features into heads and bring the head axis forward.

    Args:
        x: (…, T, D), D divisible by `num_heads`.
        num_heads: H.

    Returns:
        (…, H, T, D/H). Head h holds features h·D/H to (h + 1)·D/H of every position.

    Raises:
        ValueError: D is not divisible by H.
    """
    check_tensor("x", x, min_dims=2)
    head_dim = _head_dim(x.shape[-1], num_heads)
    return x.unflatten(-1, (num_heads, head_dim)).transpose(-3, -2)


def merge_heads(x: Tensor) -> Tensor:
    """Undo `split_heads`: put the heads' features side by side again.

    Args:
        x: (…, H, T, Dh).

    Returns:
        (…, T, H·Dh).
    """
    check_tensor("x", x, min_dims=3)
    return x.transpose(-3, -2).flatten(-2)


def _head_dim(d_model: int, num_heads: int) -> int:
    check_count("d_model", d_model, at_least=1)
    check_count("num_heads", num_heads, at_least=1)
    if d_model % num_heads:
        raise ValueError(
            f"d_model {d_model} is not divisible by num_heads {num_heads}: every head gets d_model / num_heads "
            f"features; take {num_heads * max(1, round(d_model / num_heads))} features, or another number of heads"
        )
    return d_model // num_heads


class WideHeads(nn.Module):
    """Stage 1: each head is a module of its own, at the full width of the model.

    The plainest reading of "several attentions side by side", and the dearest: H times the parameters of one head.

    Args:
        d_model: D, the width of queries, keys, values and output.
        num_heads: H.
        bias: give the projections a bias.

    Source:
        Vaswani et al. (2017), §3.2.2, with d_k = d_v = d_model instead of d_model / h.
    """

    def __init__(self, d_model: int, num_heads: int, bias: bool = False):
        super().__init__()
        check_count("d_model", d_model)
        check_count("num_heads", num_heads)
        self.heads = nn.ModuleList(_Head(d_model, d_model, bias) for _ in range(num_heads))
        self.W_o = nn.Linear(num_heads * d_model, d_model, bias=bias)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, valid_lens=None, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Attend with each head in turn, concatenate, and mix with W_o.

        Args:
            query: (B, T, D).
            key: (B, S, D).
            value: (B, S, D).
            valid_lens: (B,) or (B, T) integers.
            mask: bool, broadcastable to (B, T, S), True = may attend.

        Returns:
            output (B, T, D) and weights (B, H, T, S).
        """
        pairs = [head(query, key, value, valid_lens, mask) for head in self.heads]
        outputs, weights = zip(*pairs, strict=True)
        return self.W_o(torch.cat(outputs, dim=-1)), torch.stack(weights, dim=1)


class _Head(nn.Module):
    """One head: three projections and one attention."""

    def __init__(self, d_model: int, head_dim: int, bias: bool):
        super().__init__()
        self.W_q = nn.Linear(d_model, head_dim, bias=bias)
        self.W_k = nn.Linear(d_model, head_dim, bias=bias)
        self.W_v = nn.Linear(d_model, head_dim, bias=bias)

    def forward(self, query, key, value, valid_lens=None, mask=None):
        scores = scaled_dot_score(self.W_q(query), self.W_k(key))  # (B, T, S)
        weights = masked_softmax(scores, valid_lens, mask)
        return weights @ self.W_v(value), weights


class SeparateHeads(WideHeads):
    """Stage 2: still a module a head, but each works at width D/H, so that all heads together cost about one.

    Args:
        d_model: D, divisible by `num_heads`.
        num_heads: H.
        bias: give the projections a bias.

    Source:
        Vaswani et al. (2017), §3.2.2 (d_k = d_v = d_model / h).
    """

    def __init__(self, d_model: int, num_heads: int, bias: bool = False):
        head_dim = _head_dim(d_model, num_heads)
        nn.Module.__init__(self)
        self.heads = nn.ModuleList(_Head(d_model, head_dim, bias) for _ in range(num_heads))
        self.W_o = nn.Linear(d_model, d_model, bias=bias)


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
        rotary: a function of (x (…, T, Dh), positions) that turns queries and keys by their position, or None.

    Attributes:
        W_qkv: one linear map to queries, keys and values, in this order; `W_q`, `W_k`, `W_v` are views of its rows.
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
        self.head_dim = _head_dim(d_model, num_heads)
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

    def _project(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values for all heads side by side; one product where the input is the same."""
        if query is key and key is value:
            return self.W_qkv(query).split(self.sizes, dim=-1)
        weights = self.W_qkv.weight.split(self.sizes)
        biases = (None,) * 3 if self.W_qkv.bias is None else self.W_qkv.bias.split(self.sizes)
        return tuple(
            F.linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases, strict=True)
        )

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
            mask: bool, broadcastable to (B, H, T, S), True = may attend; (B, T, S) and (T, S) serve all heads.
            need_weights: return the weights too; without them the fused kernel never stores the T × S table.
            bias: floating point, broadcastable to (B, H, T, S), added to the scores (relative positions).
            cache: an object with `update(key, value)` and `length`, see `attnbook.cache`.

        Returns:
            output (B, T, D), and weights (B, H, T, S) before dropout, or None.

        Raises:
            TypeError, ValueError: shapes, dtypes, lengths or masks that do not fit.
        """
        key = query if key is None else key
        value = key if value is None else value
        for name, x in (("query", query), ("key", key), ("value", value)):
            check_tensor(name, x, min_dims=3)
            check_same_size(f"{name} has size", x.shape[-1], "d_model is", self.d_model, "project it to d_model")
        q, k, v = self._project(query, key, value)
        q = split_heads(q, self.num_heads)  # (B, H, T, Dh)
        k, v = split_heads(k, self.num_kv_heads), split_heads(v, self.num_kv_heads)
        start = 0 if cache is None else cache.length
        if self.rotary is not None:
            q, k = self.rotary(q, start), self.rotary(k, start)
        if cache is not None:
            k, v = cache.update(k, v)
        scores_shape = torch.Size([*q.shape[:-1], k.shape[-2]])  # (B, H, T, S)
        allowed = combine_masks(scores_shape, valid_lens, _for_all_heads(mask), q.device)
        if need_weights:
            output, weights = self._attend_openly(q, k, v, allowed, bias)
        else:
            output, weights = self._attend_fused(q, k, v, allowed, bias), None
        return self.W_o(merge_heads(output)), weights

    def _attend_fused(self, q, k, v, allowed, bias) -> Tensor:
        """PyTorch's kernel: the (T, S) table is never stored."""
        if bias is not None:  # one float mask says both: the bias, and −inf where nothing may be attended to
            allowed = bias.to(q.dtype) if allowed is None else bias.to(q.dtype).masked_fill(~allowed, -torch.inf)
        return F.scaled_dot_product_attention(
            q,
            k,
            v,
            attn_mask=allowed,
            dropout_p=self.dropout if self.training else 0.0,
            enable_gqa=self.num_kv_heads != self.num_heads,
        )

    def _attend_openly(self, q, k, v, allowed, bias) -> tuple[Tensor, Tensor]:
        """The same in the open, so that the weights can be looked at."""
        shared_by = self.num_heads // self.num_kv_heads  # query heads to one key/value head
        k, v = k.repeat_interleave(shared_by, dim=-3), v.repeat_interleave(shared_by, dim=-3)
        scores = scaled_dot_score(q, k)  # (B, H, T, S)
        if bias is not None:
            scores = scores + bias
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
        """
        has_bias = stage.W_o.bias is not None
        layer = cls(stage.W_o.in_features, len(stage.heads), bias=has_bias)
        maps = [getattr(head, name) for name in ("W_q", "W_k", "W_v") for head in stage.heads]
        layer.W_qkv.weight.copy_(torch.cat([linear.weight for linear in maps]))
        if has_bias:
            layer.W_qkv.bias.copy_(torch.cat([linear.bias for linear in maps]))
        layer.W_o.load_state_dict(stage.W_o.state_dict())
        return layer.to(stage.W_o.weight)


def _for_all_heads(mask: Tensor | None) -> Tensor | None:
    """Give a (B, T, S) mask its head axis; (T, S) and (B, H, T, S) broadcast as they are."""
    return mask.unsqueeze(1) if isinstance(mask, Tensor) and mask.dim() == 3 else mask
