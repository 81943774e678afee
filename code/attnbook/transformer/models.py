"""The Transformer: an encoder, a decoder, and both together."""

import math
from typing import cast

from torch import Tensor, nn

from attnbook.attention import LearnedPositions, SinusoidalPositions, causal_mask
from attnbook.checks import check_batch, check_config, check_features
from attnbook.transformer.blocks import DecoderLayer, EncoderLayer
from attnbook.transformer.configs import PAPER_BASE, TransformerConfig
from attnbook.transformer.stack import check_tokens, one_mask, run_layers
from attnbook.transformer.stepping import DecoderLayerCache, Stepping, check_caches


def _embed(
    config: TransformerConfig, vocab_size: int
) -> tuple[nn.Embedding, LearnedPositions | SinusoidalPositions]:
    """Embeddings and positions. Times √D, as in the forward pass, the entries of an embedding are near 1."""
    size, dropout = config.d_model, config.dropout
    embedding = nn.Embedding(vocab_size, size)
    nn.init.normal_(embedding.weight, std=size**-0.5)
    if config.positions == "learned":
        return embedding, LearnedPositions(config.max_positions, size, dropout)
    return embedding, SinusoidalPositions(size, dropout)


def _stack(layer: type, number: int, config: TransformerConfig) -> nn.ModuleList:
    """A number of encoder or decoder layers of the same sizes."""
    names = ("d_model", "num_heads", "d_ff", "dropout", "activation", "norm_first")
    sizes = {name: getattr(config, name) for name in names}
    return nn.ModuleList(layer(**sizes) for _ in range(number))


def _last_norm(config: TransformerConfig) -> nn.Module:
    """Pre-LN ends with a sum that has not been normalised; post-LN needs nothing more."""
    return nn.LayerNorm(config.d_model) if config.norm_first else nn.Identity()


class Encoder(nn.Module):
    """Token ids to one vector per position, each informed by all the others.

    Args:
        config: the sizes.

    Source:
        Vaswani et al. (2017), figure 1, left.
    """

    def __init__(self, config: TransformerConfig):
        super().__init__()
        check_config(config, TransformerConfig)
        self.config = config
        self.embedding, self.positions = _embed(config, config.source_vocab_size)
        self.layers = _stack(EncoderLayer, config.num_encoder_layers, config)
        self.norm = _last_norm(config)

    def forward(
        self,
        source: Tensor,
        valid_lens: Tensor | None = None,
        *,
        mask: Tensor | None = None,
        need_weights: bool = False,
    ) -> tuple[Tensor, list[Tensor] | None]:
        """Encode a batch of source sentences.

        Args:
            source: (B, S) token ids.
            valid_lens: (B,) integers, how many tokens are real.
            mask: see `attnbook.attention`.
            need_weights: return each layer's attention weights too.

        Returns:
            memory (B, S, D), and a list of weights (B, H, S, S), one per layer, or None.
        """
        check_tokens("source", source, self.config.source_vocab_size)
        mask = one_mask(self.config.num_heads, source, valid_lens, mask)
        embedded = self.embedding(source) * math.sqrt(self.config.d_model)  # (B, S, D)
        x = self.positions(embedded)
        x, weights = run_layers(self.layers, x, mask=mask, need_weights=need_weights)
        return self.norm(x), weights


class Decoder(Stepping):
    """Target ids so far, and the encoder's memory, to a score for every next word.

    Args:
        config: the sizes.

    Source:
        Vaswani et al. (2017), figure 1, right.
    """

    def __init__(self, config: TransformerConfig):
        super().__init__()
        check_config(config, TransformerConfig)
        self.config = config
        self.embedding, self.positions = _embed(config, config.target_vocab_size)
        self.layers = _stack(DecoderLayer, config.num_decoder_layers, config)
        self.norm = _last_norm(config)
        self.head = nn.Linear(
            config.d_model, config.target_vocab_size, bias=not config.tie_output
        )
        if config.tie_output:
            self.head.weight = self.embedding.weight

    def start_cache(self, memory: Tensor) -> list[DecoderLayerCache]:
        """A list of `DecoderLayer.start_cache(memory)`, one for each layer: pass it as `cache`, without the memory."""
        return [cast(DecoderLayer, layer).start_cache(memory) for layer in self.layers]

    def forward(
        self,
        target: Tensor,
        memory: Tensor | None = None,
        *,
        memory_mask: Tensor | None = None,
        memory_lens: Tensor | None = None,
        need_weights: bool = False,
        cache: list[DecoderLayerCache] | None = None,
    ) -> tuple[Tensor, list[tuple[Tensor, Tensor]] | None]:
        """Score the next word at every position; no position sees a later one.

        Args:
            target: (B, T) ids, beginning with <bos>; with a cache, only those not yet decoded.
            memory: (B, S, D) from the encoder; without a cache.
            memory_mask, memory_lens: for attention to the memory, see `attnbook.attention`.
            need_weights: return each layer's self- and cross-attention weights too.
            cache: from `start_cache`, when decoding step by step.

        Returns:
            logits (B, T, V), and a list of (self, cross) weights, one per layer, or None.
        """
        if cache is not None:
            number = len(self.layers)
            check_caches(cache, DecoderLayerCache, number, "start_cache(memory)")
        start = 0 if cache is None else cache[0].length
        check_tokens("target", target, self.config.target_vocab_size, start)
        if memory is not None:
            size, table = self.config.d_model, self.embedding
            check_features("memory", memory, "d_model", size, dims=3, module=table)
            check_batch(target=target, memory=memory)
        elif cache is not None:
            check_batch(target=target, memory=cast(Tensor, cache[0].across.key))
        embedded = self.embedding(target) * math.sqrt(self.config.d_model)  # (B, T, D)
        x = self.positions(embedded, start)
        mask, length = None, target.shape[1]
        if length > 1:  # a single new word may look at all that were before
            mask = causal_mask(length, start + length, device=target.device)
        x, weights = run_layers(
            self.layers,
            x,
            memory=memory,
            mask=mask,
            memory_mask=memory_mask,
            memory_lens=memory_lens,
            need_weights=need_weights,
            cache=cache,
        )
        return self.head(self.norm(x)), weights


class Transformer(nn.Module):
    """The encoder–decoder of 2017.

    Args:
        config: the sizes.

    Source:
        Vaswani et al. (2017), figure 1.
    """

    def __init__(self, config: TransformerConfig = PAPER_BASE):
        super().__init__()
        self.config = config
        self.encoder, self.decoder = Encoder(config), Decoder(config)

    def forward(
        self, source: Tensor, target: Tensor, valid_lens: Tensor | None = None
    ) -> Tensor:
        """Score every next target word in one parallel pass (teacher forcing).

        Args:
            source: (B, S) ids.
            target: (B, T) ids, beginning with <bos>.
            valid_lens: (B,) integers, how many source tokens are real.

        Returns:
            logits (B, T, V); position t scores the word that follows target[:, :t + 1].
        """
        check_tokens("target", target, self.config.target_vocab_size)
        memory, mask = self.encode(source, valid_lens)
        check_batch(source=source, target=target)
        return self.decoder(target, memory, memory_mask=mask)[0]

    def encode(
        self, source: Tensor, valid_lens: Tensor | None = None
    ) -> tuple[Tensor, Tensor | None]:
        """Encode the source, and keep the mask of its padding for the decoder.

        Args:
            source: (B, S) ids.
            valid_lens: (B,) integers, how many source tokens are real.

        Returns:
            memory (B, S, D), and a mask (B, 1, 1, S), True = real; None without lengths.
        """
        check_tokens("source", source, self.config.source_vocab_size)
        mask = one_mask(self.config.num_heads, source, valid_lens)
        return self.encoder(source, mask=mask)[0], mask
