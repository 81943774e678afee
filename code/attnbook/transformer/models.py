"""Whole models: embeddings, a stack of blocks, and a head.

An encoder makes of the lengths one mask for all its layers.
"""

import math
from collections.abc import Iterable
from typing import Any, cast

import torch
from torch import Tensor, nn

from attnbook.attention import (
    LearnedPositions,
    SinusoidalPositions,
    causal_mask,
    combine_masks,
)
from attnbook.checks import check_ids
from attnbook.transformer.blocks import DecoderLayer, DecoderLayerCache, EncoderLayer
from attnbook.transformer.configs import (
    BERT_BASE,
    PAPER_BASE,
    BertConfig,
    TransformerConfig,
)
from attnbook.transformer.stepping import Stepping, check_caches


def count_parameters(module: nn.Module) -> int:
    """How many numbers a module learns, shared ones counted once.

    Args:
        module: any module.

    Returns:
        The count.
    """
    return sum(p.numel() for p in module.parameters() if p.requires_grad)


def one_mask(
    num_heads: int,
    ids: Tensor,
    valid_lens: Tensor | None,
    mask: Tensor | None = None,
    start: int = 0,
) -> Tensor | None:
    """Of lengths and mask one mask, for all layers in which ids (B, T), `start` others before, attend to themselves."""
    if isinstance(valid_lens, Tensor) and valid_lens.dim() != 1:
        raise ValueError(
            f"valid_lens must have shape ({len(ids)},), one length per text, got {tuple(valid_lens.shape)}; "
            "a 0/1 attention_mask goes in as mask=from_binary(attention_mask)[:, None]"
        )
    batch, length = ids.shape
    shape = torch.Size([batch, num_heads, length, start + length])
    return combine_masks(shape, valid_lens, mask, ids.device)


def run_layers(
    layers: nn.ModuleList, x: Tensor, *, need_weights: bool, **options: Any
) -> tuple[Tensor, list[Any] | None]:
    """x (B, T, D) through one layer after another; and a list of their weights, or None.

    Of a list of masks or of caches each layer is given its own entry; all other options are given to all.
    """
    lists = {
        name: options.pop(name)
        for name in ("mask", "cache")
        if isinstance(options.get(name), list)
    }
    weights_of_layers = []
    for number, layer in enumerate(layers):
        own = {name: entries[number] for name, entries in lists.items()}
        x, weights = layer(x, need_weights=need_weights, **options, **own)
        weights_of_layers.append(weights)
    return x, weights_of_layers if need_weights else None


def _embed(
    config: TransformerConfig, vocab_size: int
) -> tuple[nn.Embedding, LearnedPositions | SinusoidalPositions]:
    """Embeddings whose entries, times √D in the forward pass, are near 1; and positions."""
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
        check_ids("source", source, self.config.source_vocab_size)
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
        self.config = config
        self.embedding, self.positions = _embed(config, config.target_vocab_size)
        self.layers = _stack(DecoderLayer, config.num_decoder_layers, config)
        self.norm = _last_norm(config)
        sizes = config.d_model, config.target_vocab_size
        self.head = nn.Linear(*sizes, bias=not config.tie_output)
        if config.tie_output:
            self.head.weight = self.embedding.weight

    def start_cache(self, memory: Tensor) -> list[DecoderLayerCache]:
        """An empty cache for step-by-step decoding, which holds the memory's keys and values already.

        Args:
            memory: (B, S, D) from the encoder.

        Returns:
            One entry per layer, to be passed as `cache`, without the memory; it fills as tokens are decoded.
        """
        layers = cast(Iterable[DecoderLayer], self.layers)
        return [layer.start_cache(memory) for layer in layers]

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
        check_ids("target", target, self.config.target_vocab_size)
        if cache is not None:
            check_caches(
                cache,
                DecoderLayerCache,
                len(self.layers),
                lambda one: (one.own.length, one.across.length),
                "start_cache(memory)",
            )
        start = 0 if cache is None else cache[0].own.length
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
        memory, mask = self.encode(source, valid_lens)
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
        check_ids("source", source, self.config.source_vocab_size)
        mask = one_mask(self.config.num_heads, source, valid_lens)
        return self.encoder(source, mask=mask)[0], mask


class BertEmbeddings(nn.Module):
    """Word, position and segment vectors, added, normalised, dropped out.

    Args:
        config: the sizes.

    Source:
        Devlin et al. (2019), figure 2.
    """

    def __init__(self, config: BertConfig):
        super().__init__()
        self.config = config
        self.word = nn.Embedding(config.vocab_size, config.d_model)
        self.position = nn.Embedding(config.max_positions, config.d_model)
        self.segment = nn.Embedding(config.num_segments, config.d_model)
        self.norm = nn.LayerNorm(config.d_model, eps=config.eps)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, ids: Tensor, segments: Tensor | None = None) -> Tensor:
        """Embed a batch.

        Args:
            ids: (B, T) token ids.
            segments: (B, T), 0 … num_segments − 1; all 0 if not given.

        Returns:
            (B, T, D).
        """
        check_ids("ids", ids, self.config.vocab_size)
        length = ids.shape[1]
        limit = self.config.max_positions
        if length > limit:
            raise ValueError(
                f"the sequence has {length} tokens, but only {limit} positions are learned; cut it"
            )
        segments = torch.zeros_like(ids) if segments is None else segments
        check_ids("segments", segments, self.config.num_segments, "num_segments")
        if segments.shape != ids.shape:
            raise ValueError(
                f"segments has shape {tuple(segments.shape)}, ids has {tuple(ids.shape)}; pass one segment per token"
            )
        places = torch.arange(length, device=ids.device)
        x = self.word(ids) + self.position(places) + self.segment(segments)
        return self.dropout(self.norm(x))


class BertEncoder(nn.Module):
    """BERT: embeddings and a stack of post-LN encoder layers; looks both ways.

    Without the pooler, which only sentence pairs need. While training, hidden units of the feed-forward networks are
    dropped too, which BERT does not do.

    Args:
        config: the sizes.

    Source:
        Devlin et al. (2019), §3.
    """

    def __init__(self, config: BertConfig = BERT_BASE):
        super().__init__()
        self.config = config
        self.embeddings = BertEmbeddings(config)
        self.layers = nn.ModuleList(
            EncoderLayer(
                config.d_model,
                config.num_heads,
                config.d_ff,
                dropout=config.dropout,
                activation=config.activation,
                eps=config.eps,
            )
            for _ in range(config.num_layers)
        )

    def forward(
        self,
        ids: Tensor,
        valid_lens: Tensor | None = None,
        segments: Tensor | None = None,
        *,
        mask: Tensor | None = None,
        need_weights: bool = False,
    ) -> tuple[Tensor, list[Tensor] | None]:
        """Encode a batch of token ids.

        Args:
            ids: (B, T) token ids.
            valid_lens: (B,) integers, how many tokens are real.
            segments: (B, T) segment ids.
            mask: see `attnbook.attention`.
            need_weights: return each layer's weights too.

        Returns:
            hidden states (B, T, D), and a list of weights (B, H, T, T), one per layer, or None.
        """
        x = self.embeddings(ids, segments)
        mask = one_mask(self.config.num_heads, ids, valid_lens, mask)
        return run_layers(self.layers, x, mask=mask, need_weights=need_weights)
