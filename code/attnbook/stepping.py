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

from attnbook.blocks import DecoderLayer, DecoderLayerCache, Residual
from attnbook.masks import sequence_mask
from attnbook.models import Decoder, check_ids
from attnbook.multihead import MultiHeadAttention, split_heads
from attnbook.positions import SinusoidalPositions, sinusoidal_encoding

__all__ = ["OneWord", "can_hurry"]

ROWS = 64  # so many positions' encodings are computed at once


def can_hurry(model: nn.Module) -> bool:
    """Whether `OneWord` gives what the model gives: no gradients are wanted, and no dropout is at work.

    Args:
        model: with a `Decoder`.

    Returns:
        The answer.
    """
    return not (torch.is_grad_enabled() or model.training)


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
        decoder = self.decoder
        try:
            x = decoder.embedding(ids) * math.sqrt(decoder.config.d_model)  # (B, D)
        except (IndexError, RuntimeError, TypeError):
            check_ids("ids", ids[:, None], decoder.config.target_vocab_size)
            raise
        x = self._placed(x, cache[0].own.length)
        for layer, kept in zip(decoder.layers, cache, strict=True):
            x = self._through(layer, x, kept)
        return decoder.head(decoder.norm(x))

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

    def _through(
        self, layer: DecoderLayer, x: Tensor, kept: DecoderLayerCache
    ) -> Tensor:
        """One layer: look back, look across, think."""
        own, across = layer.self_attention, layer.cross_attention
        network = layer.feed_forward
        heads = (len(x), own.num_heads, 1, own.head_dim)

        def look_back(h: Tensor) -> Tensor:  # the newest may see all that are kept
            q, k, v = own.W_qkv(h).split(own.sizes, dim=-1)
            return own.W_o(
                attend(q, *kept.own.append(k.view(heads), v.view(heads)), heads)
            )

        def look_across(h: Tensor) -> Tensor:
            if not kept.across.length:
                kept.across.update(*memory_heads(across, self.memory))
            q = F.linear(h, *query_map(across))
            return across.W_o(
                attend(q, kept.across.key, kept.across.value, heads, self.allowed)
            )

        def think(h: Tensor) -> Tensor:
            return network.W_2(network.activation(network.W_1(h)))

        x = around(layer.around_self_attention, x, look_back)
        x = around(layer.around_cross_attention, x, look_across)
        return around(layer.around_feed_forward, x, think)


def around(
    residual: Residual, x: Tensor, sublayer: Callable[[Tensor], Tensor]
) -> Tensor:
    """`Residual` without its dropout."""
    if residual.norm_first:
        return x + sublayer(residual.norm(x))
    return residual.norm(x + sublayer(x))


def attend(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    heads: tuple[int, int, int, int],
    allowed: Tensor | None = None,
) -> Tensor:
    """One query a sentence, (B, D), asks keys and values (B, H, S, Dh); `heads` is (B, H, 1, Dh)."""
    output = F.scaled_dot_product_attention(query.view(heads), key, value, allowed)
    return output.reshape(query.shape)


def query_map(attention: MultiHeadAttention) -> tuple[Tensor, Tensor | None]:
    """The part of `W_qkv` that makes queries: weight (D, D) and bias (D,)."""
    size, bias = attention.d_model, attention.W_qkv.bias
    return attention.W_qkv.weight[:size], None if bias is None else bias[:size]


def memory_heads(
    attention: MultiHeadAttention, memory: Tensor
) -> tuple[Tensor, Tensor]:
    """Keys and values of a memory (B, S, D), for all heads: (B, H, S, Dh) each."""
    size, bias = attention.d_model, attention.W_qkv.bias
    bias = None if bias is None else bias[size:]
    key, value = F.linear(memory, attention.W_qkv.weight[size:], bias).chunk(2, -1)
    number = attention.num_heads
    return split_heads(key, number), split_heads(value, number)
