"""Transformer blocks: attention and a small network, each wrapped in a residual connection and a layer norm."""

from collections.abc import Callable
from functools import partial
from inspect import signature
from typing import cast

import torch
from torch import Tensor, nn

from attnbook.attention import Bias, KeyValueCache, MultiHeadAttention, combine_masks
from attnbook.checks import (
    check_alike,
    check_batch,
    check_callable,
    check_count,
    check_features,
    check_kind,
    check_positive,
    check_probability,
    check_switch,
)
from attnbook.transformer.feed_forward import FeedForward
from attnbook.transformer.stepping import DecoderLayerCache, Stepping


class Residual(nn.Module):
    """x + f(x) with a norm: before f (pre-LN) or after the sum (post-LN, the original).

    Args:
        d_model: D.
        dropout: the probability of dropping an entry of f(x) while training.
        norm_first: pre-LN instead of post-LN.
        norm: a function of (…, D) that gives (…, D), such as `nn.RMSNorm(d_model)`; `nn.LayerNorm(d_model)` if not
            given.

    Source:
        Vaswani et al. (2017), §3.1 (post-LN); Xiong et al. (2020) (pre-LN); Zhang & Sennrich (2019), arXiv:1910.07467,
        for RMSNorm.
    """

    def __init__(
        self,
        d_model: int,
        dropout: float = 0.0,
        *,
        norm_first: bool = False,
        norm: Callable[[Tensor], Tensor] | None = None,
    ):
        super().__init__()
        check_count("d_model", d_model)
        check_probability("dropout", dropout)
        check_switch("norm_first", norm_first)
        if norm is not None:
            advice = f"pass a norm of this size, such as nn.RMSNorm({d_model})"
            check_callable("norm", norm, advice)
            shape = getattr(norm, "normalized_shape", (d_model,))
            if tuple(shape) != (d_model,):
                raise ValueError(
                    f"norm is made for {tuple(shape)}, d_model is {d_model}; {advice}"
                )
        self.d_model = d_model
        # cast to what the book's models put in, for those that read its weights
        self.norm = nn.LayerNorm(d_model) if norm is None else cast(nn.Module, norm)
        self.dropout, self.norm_first = nn.Dropout(dropout), norm_first

    def before(self, x: Tensor) -> Tensor:
        """The input of f: x (…, D), normalised if the norm comes first."""
        return self.norm(x) if self.norm_first else x

    def forward(self, x: Tensor, h: Tensor) -> Tensor:
        """Add f(before(x)) to x, and normalise the sum in post-LN.

        Args:
            x: (…, D).
            h: f(before(x)), (…, D).

        Returns:
            (…, D).
        """
        check_features("h", h, "d_model", self.d_model)
        stream = getattr(x, "shape", x)
        if stream != h.shape:
            raise ValueError(
                f"x must have the shape of h, {tuple(h.shape)}, got {stream}; a sum of others would be broadcast"
            )
        if self.dropout.training:
            h = self.dropout(h)
        x = x + h
        return x if self.norm_first else self.norm(x)


class Block(Stepping):
    """Self-attention, then the position-wise network; the caller makes the parts.

    Args:
        attention: a `MultiHeadAttention`, or another layer with a d_model that takes all of its options.
        feed_forward: a function of (…, D) that gives (…, D), such as a `FeedForward`.
        around_attention, around_feed_forward: the two residual connections with their norms.
    """

    def __init__(
        self,
        attention: nn.Module,
        feed_forward: Callable[[Tensor], Tensor],
        around_attention: Residual,
        around_feed_forward: Residual,
    ):
        super().__init__()
        _check_attention(attention)
        check_callable("feed_forward", feed_forward, "pass a FeedForward")
        # cast to what the book's models put in, for those that read their weights
        self.attention = cast(MultiHeadAttention, attention)
        self.feed_forward = cast(FeedForward, feed_forward)
        self.d_model = self.attention.d_model
        for name, around in (
            ("around_attention", around_attention),
            ("around_feed_forward", around_feed_forward),
        ):
            check_kind(name, around, Residual, "pass Residual(d_model)")
            if around.d_model != self.d_model:
                raise ValueError(
                    f"{name} has d_model {around.d_model}, attention has {self.d_model}; make both of one size"
                )
        self.around_attention = around_attention
        self.around_feed_forward = around_feed_forward

    def forward(
        self,
        x: Tensor,
        valid_lens: Tensor | None = None,
        *,
        mask: Tensor | None = None,
        bias: Tensor | Bias | None = None,
        need_weights: bool = False,
        cache: KeyValueCache | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        """Let every position look at the others, then think by itself.

        Args:
            x: (B, T, D); with a cache, the new positions only.
            valid_lens, mask, bias, cache: see `MultiHeadAttention.forward`.
            need_weights: return the attention weights too.

        Returns:
            output (B, T, D), and weights (B, H, T, T), or (B, H, T, S) with a cache, or None.
        """
        norm = self.around_attention.norm
        check_features("x", x, "d_model", self.d_model, dims=3, module=norm)
        if isinstance(cache, KeyValueCache) and not cache.grows:
            raise ValueError(
                "the cache holds a memory, but the layer attends to its own positions; pass KeyValueCache()"
            )
        h, weights = self.attention(
            self.around_attention.before(x),
            valid_lens=valid_lens,
            mask=mask,
            bias=bias,
            need_weights=need_weights,
            cache=cache,
        )
        x = self.around_attention(x, h)
        h = self.feed_forward(self.around_feed_forward.before(x))
        return self.around_feed_forward(x, h), weights


def _check_attention(attention: nn.Module) -> None:
    """Require a layer that knows its size and can be called as a block calls it."""
    kind = type(attention).__name__
    if not isinstance(getattr(attention, "d_model", None), int):
        raise TypeError(
            f"attention must be a layer with a d_model, got {kind}; pass a MultiHeadAttention"
        )
    options = ("valid_lens", "mask", "bias", "need_weights", "cache")
    try:
        signature(attention.forward).bind(None, **dict.fromkeys(options))
    except TypeError as refused:
        raise TypeError(
            f"attention must take x and the options {', '.join(options)}, but {kind} does not: {refused}; pass a "
            "MultiHeadAttention"
        ) from None


def _residual(d_model: int, dropout: float, norm_first: bool, eps: float) -> Residual:
    """A residual connection with a layer norm of this eps."""
    check_positive("eps", eps)
    norm = nn.LayerNorm(d_model, eps=eps)
    return Residual(d_model, dropout, norm_first=norm_first, norm=norm)


class EncoderLayer(Block):
    """A `Block` of multi-head attention, a feed-forward network and layer norms, as in the Transformer's encoder.

    Under a causal mask it is what a decoder-only model such as GPT is made of: a decoder layer without a memory.

    Args:
        d_model: D.
        num_heads: H.
        d_ff: the network's hidden width.
        dropout: one probability for attention weights, hidden units and residual branches.
        activation: one of `ACTIVATIONS`.
        norm_first: pre-LN instead of post-LN.
        eps: the layer norms'.
        rotary: see `MultiHeadAttention`.

    Source:
        Vaswani et al. (2017), figure 1, left.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        *,
        dropout: float = 0.0,
        activation: str = "relu",
        norm_first: bool = False,
        eps: float = 1e-5,
        rotary: Callable[[Tensor, int], Tensor] | None = None,
    ):
        around = partial(_residual, d_model, dropout, norm_first, eps)
        super().__init__(
            MultiHeadAttention(d_model, num_heads, dropout=dropout, rotary=rotary),
            FeedForward(d_model, d_ff, activation=activation, dropout=dropout),
            around(),
            around(),
        )


class DecoderLayer(Stepping):
    """Masked self-attention, attention to the encoder's output, then the position-wise network.

    Args:
        d_model, num_heads, d_ff, dropout, activation, norm_first, eps: see `EncoderLayer`.

    Source:
        Vaswani et al. (2017), figure 1, right.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        *,
        dropout: float = 0.0,
        activation: str = "relu",
        norm_first: bool = False,
        eps: float = 1e-5,
    ):
        super().__init__()
        self.d_model, self.num_heads = d_model, num_heads
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.feed_forward = FeedForward(
            d_model, d_ff, activation=activation, dropout=dropout
        )
        around = partial(_residual, d_model, dropout, norm_first, eps)
        self.around_self_attention = around()
        self.around_cross_attention = around()
        self.around_feed_forward = around()

    def start_cache(self, memory: Tensor) -> DecoderLayerCache:
        """An empty cache for step-by-step decoding, which holds the memory's keys and values already.

        Args:
            memory: (B, S, D), the encoder's output.

        Returns:
            What to pass as `cache`, without the memory.
        """
        return DecoderLayerCache(
            KeyValueCache(), self.cross_attention.start_cache(memory)
        )

    def forward(
        self,
        x: Tensor,
        memory: Tensor | None = None,
        *,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        memory_lens: Tensor | None = None,
        need_weights: bool = False,
        cache: DecoderLayerCache | None = None,
    ) -> tuple[Tensor, tuple[Tensor | None, Tensor | None]]:
        """Look back at the target so far, look across at the source, then think.

        Args:
            x: (B, T, D), target positions; with a cache, the new ones only.
            memory: (B, S, D), the encoder's output; without a cache.
            mask: for self-attention, see `attnbook.attention`; a causal mask while training. S is T there, and P + T
                with a cache that holds P positions already.
            memory_mask, memory_lens: for attention to the memory, the lengths (B,) or (B, T).
            need_weights: return both attentions' weights too.
            cache: from `start_cache`, when decoding step by step.

        Returns:
            output (B, T, D), and (self weights (B, H, T, T), or (B, H, T, P + T) with a cache, cross weights
            (B, H, T, S)), each None unless asked for.
        """
        norm = self.around_self_attention.norm
        check_features("x", x, "d_model", self.d_model, dims=3, module=norm)
        num_keys = _memory_length(x, memory, cache)
        own, across = (None, None) if cache is None else (cache.own, cache.across)
        h, own_weights = self.self_attention(
            self.around_self_attention.before(x),
            mask=mask,
            need_weights=need_weights,
            cache=own,
        )
        x = self.around_self_attention(x, h)
        shape = torch.Size([x.shape[0], self.num_heads, x.shape[1], num_keys])
        names = "memory_lens", "memory_mask"  # the caller's, for errors
        h, cross_weights = self.cross_attention(
            self.around_cross_attention.before(x),
            memory,
            mask=combine_masks(shape, memory_lens, memory_mask, x.device, names=names),
            need_weights=need_weights,
            cache=across,
        )
        x = self.around_cross_attention(x, h)
        h = self.feed_forward(self.around_feed_forward.before(x))
        return self.around_feed_forward(x, h), (own_weights, cross_weights)


def _memory_length(
    x: Tensor, memory: Tensor | None, cache: DecoderLayerCache | None
) -> int:
    """The number of keys in the memory, or in the cache that holds it; require one of the two, and that it fits x."""
    if (memory is None) == (cache is None):
        passed = "neither was" if memory is None else "both were"
        raise ValueError(
            f"pass the memory, or a cache from start_cache(memory), which holds it; {passed} passed"
        )
    if memory is None:
        advice = "let start_cache(memory) of this layer make it"
        check_kind("cache", cache, DecoderLayerCache, advice)
        across = cast(DecoderLayerCache, cache).across
        check_batch(x=x, memory=cast(Tensor, across.key))
        return across.length
    check_features("memory", memory, "d_model", x.shape[-1], dims=3)
    check_alike("x", x, "memory", memory)
    check_batch(x=x, memory=memory)
    if memory.shape[1] == 0:
        raise ValueError("memory holds no key to attend to; pass at least one")
    return memory.shape[1]
