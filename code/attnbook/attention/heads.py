"""Multi-head attention with one projection for all heads: the layer that the models use."""

from collections.abc import Callable
from typing import cast

import torch
from torch import Tensor, nn

from attnbook.attention.cache import KeyValueCache
from attnbook.attention.layers import attention_step
from attnbook.attention.masks import combine_masks
from attnbook.attention.separate_heads import SeparateHeads, check_stage
from attnbook.attention.splitting import check_inputs, check_kv_heads, head_size
from attnbook.checks import (
    aligned_shape,
    check_bias,
    check_callable,
    check_count,
    check_features,
    check_kind,
    check_positive,
    check_probability,
    check_switch,
    check_tensor,
)

#: A function of projected queries (B, H, T, Dh) and keys (B, H, S, Dh) that gives a bias, (B or 1, H, T, S).
Bias = Callable[[Tensor, Tensor], Tensor]


class MultiHeadAttention(nn.Module):
    """Stage 3: one projection for all heads, split and merged by reshaping. This is the one the models use.

    With `num_kv_heads` below `num_heads`, groups of query heads share one key/value head (grouped-query attention);
    with 1, all of them do (multi-query attention).

    Args:
        d_model: D.
        num_heads: H.
        num_kv_heads: key/value heads, a divisor of `num_heads`; all of them if not given.
        head_dim: Dh; D / H if not given, which must then be a whole number.
        dropout: the probability of dropping a weight while training.
        bias: give the projections a bias, as in `nn.MultiheadAttention` and BERT; stages 1 and 2 have none by default,
            as in the paper.
        qk_norm: before rotation, divide every query and every key of a head by its root mean square, and multiply
            each feature by a learned weight.
        eps: of that norm, added to the mean square.
        rotary: a function of (x (…, T, Dh), start) that rotates queries and keys by their position, such as
            `RotaryPositions()`, or None.

    Attributes:
        W_qkv: one linear map from D to (H + 2 Hkv) · Dh; its rows are those of W_q, W_k and W_v, in this order.
        sizes: the number of rows of W_q, W_k and W_v.
        W_o: the output map, from H · Dh to D.
        norm_q, norm_k: the norms, or None.

    Source:
        Vaswani et al. (2017), §3.2.2; Shazeer (2019), arXiv:1911.02150, multi-query; Ainslie et al. (2023),
        arXiv:2305.13245, grouped-query; Henry et al. (2020), arXiv:2010.04245, for the norm, with a learned weight as
        in Qwen3 (arXiv:2505.09388, §2).
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        *,
        num_kv_heads: int | None = None,
        head_dim: int | None = None,
        dropout: float = 0.0,
        bias: bool = True,
        qk_norm: bool = False,
        eps: float = 1e-6,
        rotary: Callable[[Tensor, int], Tensor] | None = None,
    ):
        super().__init__()
        check_count("d_model", d_model)
        check_kv_heads(num_heads, num_kv_heads)
        check_probability("dropout", dropout)
        check_switch("qk_norm", qk_norm)
        check_positive("eps", eps)
        check_switch("bias", bias, advice="a bias on the scores goes into the call")
        if rotary is not None:
            check_callable("rotary", rotary, "pass RotaryPositions(), or None")
        head_dim = head_size(d_model, num_heads) if head_dim is None else head_dim
        check_count("head_dim", head_dim)
        self.d_model, self.num_heads, self.head_dim = d_model, num_heads, head_dim
        self.num_kv_heads = num_heads if num_kv_heads is None else num_kv_heads
        self.dropout, self.rotary = nn.Dropout(dropout), rotary
        self.sizes = (num_heads * head_dim, *[self.num_kv_heads * head_dim] * 2)
        self.W_qkv = nn.Linear(d_model, sum(self.sizes), bias=bias)
        self.W_o = nn.Linear(self.sizes[0], d_model, bias=bias)
        self.norm_q = nn.RMSNorm(head_dim, eps=eps) if qk_norm else None
        self.norm_k = nn.RMSNorm(head_dim, eps=eps) if qk_norm else None
        nn.init.xavier_uniform_(self.W_qkv.weight)
        for projection in (self.W_qkv, self.W_o) if bias else ():
            nn.init.zeros_(projection.bias)

    def forward(
        self,
        query: Tensor,
        key: Tensor | None = None,
        value: Tensor | None = None,
        valid_lens: Tensor | None = None,
        *,
        mask: Tensor | None = None,
        bias: Tensor | Bias | None = None,
        need_weights: bool = False,
        cache: KeyValueCache | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        """Attend with all heads at once.

        Args:
            query: (B, T, D).
            key: (B, S, D); the query if not given (self-attention). Any other tensor, even an equal copy, is taken
                for another sequence: all of `W_qkv` is applied to both, and what is not needed thrown away, about twice
                the work of separate maps.
            value: (B, S, D); the key if not given.
            valid_lens, mask: which keys count, see `attnbook.attention`.
            bias: see there; in self-attention also a function that makes it, given the projected queries (B, H, T, Dh)
                and keys (B, H, S, Dh), those of a cache included: relative positions, such as `ShawPositions`.
            need_weights: return the weights too; without them the fused kernel never stores the T × S table. What else
                depends on it, see `DotProductAttention.forward`; gradients under `vmap` of a learned bias need it, too.
            cache: a `KeyValueCache`, to which the keys of the query are added; or, from `start_cache`, the keys of a
                memory, which take their place. A call that fails leaves it as it was; after a forward hook of this
                layer that fails, only blocks and models put it back.

        Returns:
            output (B, T, D), and weights (B, H, T, S) before dropout, or None.

        Raises:
            ValueError: other keys than the query's beside rotary positions, a function as bias, or a cache.
        """
        key = query if key is None else key
        value = key if value is None else value
        self._check_inputs(query, key, value, bias, cache)
        check_switch("need_weights", need_weights)
        q, *stored = self.project(query, key, value, cache)  # (B, H, T or S, Dh)
        k, v = (x.to(q.dtype) for x in stored)  # a cache may hold others: autocast's
        if callable(bias):
            bias = bias(q, k.repeat_interleave(self.num_heads // k.shape[1], dim=1))
            check_tensor("bias", bias)
        output, weights = self.attend(q, k, v, valid_lens, mask, bias, need_weights)
        output = self.W_o(output.transpose(1, 2).flatten(2))  # heads merged
        if cache is not None:  # only now: what fails above leaves it as it was
            cache.key, cache.value = stored
        return output, weights

    def start_cache(self, memory: Tensor) -> KeyValueCache:
        """A cache of the keys and values of a memory, so that they are projected once.

        Args:
            memory: (B, S, D), such as an encoder's output.

        Returns:
            What to pass as `cache`, with a query alone.
        """
        check_features(
            "memory", memory, "d_model", self.d_model, dims=3, module=self.W_qkv
        )
        self._check_no_rotary()
        return KeyValueCache(memory=self.project_all(memory)[1:])

    def _check_inputs(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        bias: Tensor | Bias | None,
        cache: KeyValueCache | None,
    ) -> None:
        """Require inputs that fit the layer and each other; masks and lengths are checked later, beside the scores."""
        stored = cache.length if isinstance(cache, KeyValueCache) else 0
        check_inputs(query, key, value, self.d_model, self.W_qkv, stored)
        if callable(bias):
            check_callable("bias", bias, "make one, or pass numbers")
        if cache is not None:
            advice = (
                "pass KeyValueCache(), or what start_cache(memory) of this layer gives"
            )
            check_kind("cache", cache, KeyValueCache, advice)
            if key is not query or value is not key:
                raise ValueError(
                    "a cache holds keys already, or gets them from the query, but others were passed; leave them out, "
                    "and let start_cache(memory) put a memory's into a cache"
                )
            cache.check_queries(query, self.num_kv_heads, self.head_dim)
        crossing = key is not query or (cache is not None and not cache.grows)
        if crossing:
            self._check_no_rotary()
        if crossing and callable(bias):
            raise ValueError(
                "a function as bias is given places in one sequence, but the keys are those of another; pass the bias "
                "itself, (B, H, T, S), or leave it out"
            )

    def _check_no_rotary(self) -> None:
        """Refuse rotary positions where the keys are not the query's."""
        if self.rotary is not None:
            raise ValueError(
                "rotary positions compare places in one sequence, but other keys than the query were passed; leave "
                "them out, or make the layer for another sequence without rotary"
            )

    def attend(
        self,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        valid_lens: Tensor | None,
        mask: Tensor | None,
        bias: Tensor | None,
        need_weights: bool,
    ) -> tuple[Tensor, Tensor | None]:
        """Attend from queries (B, H, T, Dh) to keys and values (B, Hkv, S, Dh): (B, H, T, Dh), and weights or None."""
        shape = torch.Size([*q.shape[:3], k.shape[2]])  # of the scores
        mask = combine_masks(shape, valid_lens, mask, q.device)
        if bias is not None:
            check_bias(bias, shape)
            bias = bias.reshape(aligned_shape(bias.shape, shape))
        group = self.num_heads // self.num_kv_heads  # query heads per key/value head
        return attention_step(
            q, k, v, mask, bias, self.dropout, group=group, need_weights=need_weights
        )

    def project(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        cache: KeyValueCache | None = None,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Queries (B, H, T, Dh), and keys and values (B, Hkv, S, Dh), those of the cache included."""
        q, k, v = self.project_all(query)  # one product for all heads of all three
        if cache is not None and not cache.grows:
            return q, cast(Tensor, cache.key), cast(Tensor, cache.value)
        if key is not query:  # the map is called, not cut: what wraps it acts here, too
            _, k, v = self.project_all(key)
        if value is not key:
            *_, v = self.project_all(value)
        if self.rotary is not None:
            start = 0 if cache is None else cache.length
            q, k = self.rotary(q, start), self.rotary(k, start)
        return (q, k, v) if cache is None else (q, *cache.joined(k, v))

    def project_all(self, x: Tensor) -> tuple[Tensor, ...]:
        """Unrotated queries (B, H, T, Dh), keys and values (B, Hkv, T, Dh) of the same positions (B, T, D).

        With norms the values are copied: a view would keep the whole product in memory until the backward pass.
        """
        heads = (self.num_heads, self.num_kv_heads, self.num_kv_heads)
        x = self.W_qkv(x).unflatten(-1, (sum(heads), self.head_dim))
        q, k, v = x.transpose(1, 2).split_with_sizes(heads, dim=1)
        if self.norm_q is not None and self.norm_k is not None:
            q, k, v = self.norm_q(q), self.norm_k(k), v.contiguous()  # v: a copy
        return q, k, v


@torch.no_grad()
def stack_heads(stage: SeparateHeads) -> MultiHeadAttention:
    """Stage 3 from stage 2: the weights of separate heads, stacked into one projection that computes the same.

    Args:
        stage: stage 2.

    Returns:
        A `MultiHeadAttention` with copied weights.
    """
    check_stage(stage)
    has_bias = stage.W_o.bias is not None
    layer = MultiHeadAttention(stage.d_model, len(stage.heads), bias=has_bias)
    layer.to(stage.W_o.weight)
    names = ("W_q", "W_k", "W_v")
    maps = [getattr(head, name) for name in names for head in stage.heads]
    layer.W_qkv.weight.copy_(torch.cat([linear.weight for linear in maps]))
    if has_bias:
        layer.W_qkv.bias.copy_(torch.cat([linear.bias for linear in maps]))
    layer.W_o.load_state_dict(stage.W_o.state_dict())
    return layer.train(stage.training)
