"""One new word a sentence through a Transformer's decoder: the numbers of `Decoder` with a cache, sooner.

So small a step is mostly surroundings: a mask that hides nothing, checks of what the model has made itself, dropout
that drops nothing, positions computed again, all keys copied to append one. They are left out here, which is right only
for one word a sentence, without gradients, in evaluation mode, and with no weights to show.
"""

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.attention import (
    MultiHeadAttention,
    SinusoidalPositions,
    sequence_mask,
    sinusoidal_encoding,
    split_heads,
)
from attnbook.transformer import Decoder, DecoderLayer, DecoderLayerCache, Residual
from attnbook.transformer.models import check_ids

ROWS = 64  # so many positions' encodings are computed at once


def can_hurry(model: nn.Module) -> bool:
    """Whether `OneWord` gives what the model gives: no gradients are wanted, and no dropout is at work.

    Args:
        model: with a `Decoder`.

    Returns:
        The answer.
    """
    return not (torch.is_grad_enabled() or model.training)


def bare(module: nn.Module) -> Callable[[Tensor], Tensor]:
    """What a linear map or a layer norm computes, without what PyTorch's modules look up at every call."""
    if type(module) is nn.Linear:
        weight, bias = module.weight, module.bias
        return lambda x: F.linear(x, weight, bias)
    if type(module) is nn.LayerNorm:
        sizes, weight, bias = module.normalized_shape, module.weight, module.bias
        return lambda x: torch.layer_norm(x, sizes, weight, bias, module.eps)
    return module


class OneWord:
    """The decoder's step, and what stays the same from one step to the next.

    Args:
        decoder: in evaluation mode.
        memory: (B, S, D), the encoder's output.
        memory_lens: (B,) integers.
    """

    def __init__(self, decoder: Decoder, memory: Tensor, memory_lens: Tensor | None):
        self.decoder, self.memory, self.allowed = decoder, memory, None
        if memory_lens is not None:
            real = sequence_mask(memory_lens.to(memory.device), memory.shape[1])
            if not real.all():
                self.allowed = real[:, None, None]  # (B, 1, 1, S), True = may attend
        self.scale = math.sqrt(decoder.config.d_model)
        self.layers = [_Layer(layer) for layer in decoder.layers]
        self.norm, self.head = bare(decoder.norm), bare(decoder.head)
        self.rows, self.first = None, 0

    def __call__(self, ids: Tensor, cache: list[DecoderLayerCache]) -> Tensor:
        """Read one word a sentence and score the next.

        Args:
            ids: (B,) the words.
            cache: of `Decoder.start_cache`; the words' keys and values are added to it.

        Returns:
            logits (B, V).

        Raises:
            TypeError, ValueError: ids that do not fit.
        """
        try:
            x = self.decoder.embedding(ids) * self.scale  # (B, D)
        except (IndexError, RuntimeError, TypeError):
            check_ids("ids", ids[:, None], self.decoder.config.target_vocab_size)
            raise
        x = self._placed(x, cache[0].own.length)
        for layer, kept in zip(self.layers, cache, strict=True):
            x = layer(x, kept, self.memory, self.allowed)
        return self.head(self.norm(x))

    def _placed(self, x: Tensor, place: int) -> Tensor:
        """Add the position's encoding; sines and cosines are computed for many positions at once."""
        positions = self.decoder.positions
        if not isinstance(positions, SinusoidalPositions):
            return positions(x[:, None], start=place)[:, 0]
        if self.rows is None or not self.first <= place < self.first + ROWS:
            rows = sinusoidal_encoding(
                ROWS, x.shape[-1], positions.base, place, x.dtype
            )
            self.rows, self.first = rows.to(x.device), place
        return x + self.rows[place - self.first]


class _Layer:
    """One decoder layer's step: look back, look across, think."""

    def __init__(self, layer: DecoderLayer):
        own, across = layer.self_attention, layer.cross_attention
        network, size = layer.feed_forward, own.d_model
        self.own, self.across = own, across
        self.around_own = _Around(layer.around_self_attention)
        self.around_across = _Around(layer.around_cross_attention)
        self.around_network = _Around(layer.around_feed_forward)
        self.W_qkv, self.W_o = bare(own.W_qkv), bare(own.W_o)
        bias = across.W_qkv.bias
        self.query_map = (
            across.W_qkv.weight[:size],
            None if bias is None else bias[:size],
        )
        self.W_o_across = bare(across.W_o)
        self.W_1, self.W_2 = bare(network.W_1), bare(network.W_2)
        self.activation = network.activation

    def __call__(
        self, x: Tensor, kept: DecoderLayerCache, memory: Tensor, allowed: Tensor | None
    ) -> Tensor:
        heads = (len(x), self.own.num_heads, 1, self.own.head_dim)

        def look_back(h: Tensor) -> Tensor:  # the newest may see all that are kept
            q, k, v = self.W_qkv(h).split(self.own.sizes, dim=-1)
            key, value = kept.own.append(k.view(heads), v.view(heads))
            seen = F.scaled_dot_product_attention(q.view(heads), key, value)
            return self.W_o(seen.reshape(h.shape))

        def look_across(h: Tensor) -> Tensor:
            if not kept.across.length:
                kept.across.update(*memory_heads(self.across, memory))
            q = F.linear(h, *self.query_map).view(heads)
            seen = F.scaled_dot_product_attention(
                q, kept.across.key, kept.across.value, allowed
            )
            return self.W_o_across(seen.reshape(h.shape))

        def think(h: Tensor) -> Tensor:
            return self.W_2(self.activation(self.W_1(h)))

        x = self.around_own(x, look_back)
        x = self.around_across(x, look_across)
        return self.around_network(x, think)


class _Around:
    """A `Residual` without its dropout."""

    def __init__(self, residual: Residual):
        self.norm, self.norm_first = bare(residual.norm), residual.norm_first

    def __call__(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        if self.norm_first:
            return x + sublayer(self.norm(x))
        return self.norm(x + sublayer(x))


def memory_heads(
    attention: MultiHeadAttention, memory: Tensor
) -> tuple[Tensor, Tensor]:
    """Keys and values of a memory (B, S, D), for all heads: (B, H, S, Dh) each."""
    size, bias = attention.d_model, attention.W_qkv.bias
    bias = None if bias is None else bias[size:]
    key, value = F.linear(memory, attention.W_qkv.weight[size:], bias).chunk(2, -1)
    number = attention.num_heads
    return split_heads(key, number), split_heads(value, number)
