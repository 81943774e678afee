"""Transformer blocks: attention and a small network, each wrapped in a residual connection and a layer norm."""

from collections.abc import Callable
from copy import copy

import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.attention import KeyValueCache, MultiHeadAttention
from attnbook.attention.masks import OneMask
from attnbook.checks import (
    check_count,
    check_positive,
    check_probability,
    check_same_size,
    check_tensor,
)

#: The functions between the two linear maps of `FeedForward`, by name.
ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"relu": F.relu, "gelu": F.gelu}


class FeedForward(nn.Module):
    """The position-wise network: the same two linear maps at every position, W_2 f(W_1 x).

    Args:
        d_model: D.
        d_ff: the hidden width, usually 4 D.
        activation: "relu" (the Transformer) or "gelu" (BERT, GPT).
        dropout: the probability of dropping a hidden unit while training.
        bias: give both maps a bias.

    Source:
        Vaswani et al. (2017), §3.3; Hendrycks & Gimpel (2016), arXiv:1606.08415, for GELU.
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        activation: str = "relu",
        dropout: float = 0.0,
        bias: bool = True,
    ):
        super().__init__()
        check_count("d_model", d_model)
        check_count("d_ff", d_ff)
        check_probability("dropout", dropout)
        if activation not in ACTIVATIONS:
            names = ", ".join(ACTIVATIONS)
            raise ValueError(f"activation must be one of {names}, got {activation!r}")
        self.d_model = d_model
        self.W_1 = nn.Linear(d_model, d_ff, bias=bias)
        self.W_2 = nn.Linear(d_ff, d_model, bias=bias)
        self.activation, self.dropout = ACTIVATIONS[activation], nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        """Apply the network to each position by itself.

        Args:
            x: (…, D).

        Returns:
            (…, D).
        """
        fits = isinstance(x, Tensor) and x.shape[-1:] == (self.d_model,)
        if not fits or not x.is_floating_point():  # what is wrong with it?
            check_tensor("x", x, min_dims=1)
            sizes = ("x has size", x.shape[-1], "d_model is", self.d_model)
            check_same_size(*sizes, "they must agree")
        return self.W_2(self.dropout(self.activation(self.W_1(x))))


class Residual(nn.Module):
    """x + f(x) with a layer norm: before f (pre-LN) or after the sum (post-LN, the original).

    Args:
        d_model: D.
        dropout: the probability of dropping an entry of f(x) while training.
        norm_first: pre-LN instead of post-LN.
        eps: the layer norm's, added to the variance.

    Source:
        Vaswani et al. (2017), §3.1 (post-LN); Xiong et al. (2020) (pre-LN).
    """

    def __init__(
        self,
        d_model: int,
        dropout: float = 0.0,
        norm_first: bool = False,
        eps: float = 1e-5,
    ):
        super().__init__()
        check_count("d_model", d_model)
        check_probability("dropout", dropout)
        check_positive("eps", eps)
        self.norm = nn.LayerNorm(d_model, eps=eps)
        self.dropout, self.norm_first = nn.Dropout(dropout), norm_first

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """Wrap a sublayer.

        Args:
            x: (…, D).
            sublayer: a function from (…, D) to (…, D).

        Returns:
            (…, D).
        """
        if self.norm_first:
            return x + self.dropout(sublayer(self.norm(x)))
        return self.norm(x + self.dropout(sublayer(x)))


class EncoderLayer(nn.Module):
    """Self-attention, then the position-wise network.

    Args:
        d_model: D.
        num_heads: H.
        d_ff: the network's hidden width.
        dropout: one probability for attention weights, hidden units and residual branches.
        activation: "relu" or "gelu".
        norm_first: pre-LN instead of post-LN.
        eps: the layer norms'.
        num_kv_heads: see `MultiHeadAttention`.
        rotary: see `MultiHeadAttention`.

    Source:
        Vaswani et al. (2017), figure 1, left.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        dropout: float = 0.0,
        activation: str = "relu",
        norm_first: bool = False,
        eps: float = 1e-5,
        num_kv_heads: int | None = None,
        rotary: nn.Module | None = None,
    ):
        super().__init__()
        self.attention = MultiHeadAttention(
            d_model, num_heads, num_kv_heads, dropout, rotary=rotary
        )
        self.feed_forward = FeedForward(d_model, d_ff, activation, dropout)
        self.around_attention = Residual(d_model, dropout, norm_first, eps)
        self.around_feed_forward = Residual(d_model, dropout, norm_first, eps)

    def forward(
        self,
        x: Tensor,
        valid_lens: Tensor | None = None,
        *,
        mask: Tensor | OneMask | None = None,
        bias: Tensor | None = None,
        need_weights: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Let every position look at the others, then think by itself.

        Args:
            x: (B, T, D).
            valid_lens, mask, bias: see `MultiHeadAttention.forward`.
            need_weights: return the attention weights too.

        Returns:
            output (B, T, D), and weights (B, H, T, T) or None.
        """
        if not isinstance(mask, OneMask):
            check_vectors("x", x, self.attention.d_model)
            mask = self.attention.one_mask((x, x, x), valid_lens, mask=mask, bias=bias)
        weights = None

        def attend(h: Tensor) -> Tensor:
            nonlocal weights
            h, weights = self.attention(h, mask=mask, need_weights=need_weights)
            return h

        x = self.around_attention(x, attend)
        return self.around_feed_forward(x, self.feed_forward), weights


class DecoderLayerCache:
    """What one decoder layer keeps between steps: its own keys and values so far, and the memory's.

    Attributes:
        own: of the target so far; grows.
        across: of the encoder's output; projected once.
    """

    def __init__(self) -> None:
        self.own, self.across = KeyValueCache(), KeyValueCache(grows=False)

    def __copy__(self) -> "DecoderLayerCache":
        return self.copy()

    def copy(self) -> "DecoderLayerCache":
        """A cache of its own, which goes on from here."""
        other = DecoderLayerCache()
        other.own, other.across = copy(self.own), copy(self.across)
        return other

    def reorder(self, order: Tensor) -> None:
        """Keep and repeat sequences by index, as beam search does.

        Args:
            order: (B',) integers, which stored sequence each new one continues.
        """
        self.own.reorder(order)
        self.across.reorder(order)


class DecoderLayer(nn.Module):
    """Masked self-attention, attention to the encoder's output, then the position-wise network.

    Args:
        d_model: D.
        num_heads: H.
        d_ff: the network's hidden width.
        dropout: one probability for attention weights, hidden units and residual branches.
        activation: "relu" or "gelu".
        norm_first: pre-LN instead of post-LN.
        eps: the layer norms'.

    Source:
        Vaswani et al. (2017), figure 1, right.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        dropout: float = 0.0,
        activation: str = "relu",
        norm_first: bool = False,
        eps: float = 1e-5,
    ):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.feed_forward = FeedForward(d_model, d_ff, activation, dropout)
        self.around_self_attention = Residual(d_model, dropout, norm_first, eps)
        self.around_cross_attention = Residual(d_model, dropout, norm_first, eps)
        self.around_feed_forward = Residual(d_model, dropout, norm_first, eps)

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        valid_lens: Tensor | None = None,
        *,
        mask: Tensor | OneMask | None = None,
        memory_mask: Tensor | OneMask | None = None,
        need_weights: bool = False,
        cache: DecoderLayerCache | None = None,
    ) -> tuple[Tensor, tuple[Tensor | None, Tensor | None]]:
        """Look back at the target so far, look across at the source, then think.

        Args:
            x: (B, T, D), target positions; with a cache, the new ones only.
            memory: (B, S, D), the encoder's output.
            valid_lens: (B,) integers, how many positions of the memory are real.
            mask: for self-attention: bool, broadcastable to (B, H, T, T), True = may attend; a causal mask while
                training. With a cache that holds P positions already: to (B, H, T, P + T).
            memory_mask: for attention to the memory: bool, broadcastable to (B, H, T, S). If both masks have been made
                by `MultiHeadAttention.one_mask`, nothing is checked again.
            need_weights: return both attentions' weights too.
            cache: this layer's cache, when decoding step by step.

        Returns:
            output (B, T, D), and (self weights (B, H, T, T), cross weights (B, H, T, S)), each None unless asked for.
        """
        own, across = (None, None) if cache is None else (cache.own, cache.across)
        if not (isinstance(mask, OneMask) and isinstance(memory_mask, OneMask)):
            for name, vectors in (("x", x), ("memory", memory)):
                check_vectors(name, vectors, self.self_attention.d_model)
            check_same_batch(x, memory)
            inputs, looking = (x, memory, memory), self.cross_attention
            mask = self.self_attention.one_mask((x, x, x), mask=mask, cache=own)
            memory_mask = looking.one_mask(
                inputs, valid_lens, mask=memory_mask, cache=across
            )
        own_weights = cross_weights = None

        def look_back(h: Tensor) -> Tensor:
            nonlocal own_weights
            h, own_weights = self.self_attention(
                h, mask=mask, need_weights=need_weights, cache=own
            )
            return h

        def look_across(h: Tensor) -> Tensor:
            nonlocal cross_weights
            h, cross_weights = self.cross_attention(
                h,
                memory,
                mask=memory_mask,
                need_weights=need_weights,
                cache=across,
            )
            return h

        x = self.around_self_attention(x, look_back)
        x = self.around_cross_attention(x, look_across)
        x = self.around_feed_forward(x, self.feed_forward)
        return x, (own_weights, cross_weights)


def check_vectors(name: str, x: Tensor, d_model: int) -> None:
    """Require one vector of size D per position, (B, T, D)."""
    check_tensor(name, x, dims=3)
    size = x.shape[-1]
    check_same_size(f"{name} has size", size, "d_model is", d_model, "project it")


def check_same_batch(x: Tensor, memory: Tensor) -> None:
    """Require the memory of each sequence."""
    if x.shape[0] != memory.shape[0]:
        raise ValueError(
            f"x holds {x.shape[0]} sequences, memory holds {memory.shape[0]}; pass the memory of each sequence"
        )
