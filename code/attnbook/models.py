"""Whole models: embeddings, a stack of blocks, and a head. Their sizes are frozen dataclasses."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from attnbook.blocks import ACTIVATIONS, DecoderLayer, DecoderLayerCache, EncoderLayer
from attnbook.checks import check_count, check_probability, check_same_size
from attnbook.masks import causal_mask
from attnbook.positions import LearnedPositions, SinusoidalPositions

__all__ = [
    "TransformerConfig",
    "BertConfig",
    "PAPER_BASE",
    "BERT_BASE",
    "Encoder",
    "Decoder",
    "Transformer",
    "BertEmbeddings",
    "BertEncoder",
    "count_parameters",
]


@dataclass(frozen=True)
class TransformerConfig:
    """Sizes of an encoder–decoder Transformer; the defaults are the paper's base model.

    Attributes:
        source_vocab_size, target_vocab_size: V of either language.
        d_model, num_heads, d_ff: the width, its heads, and the feed-forward network's hidden width.
        num_encoder_layers, num_decoder_layers: N of either stack.
        dropout: on embeddings, attention weights, hidden units and residual branches.
        activation: "relu" or "gelu".
        norm_first: pre-LN instead of post-LN.
        positions: "sinusoidal" or "learned".
        max_positions: the longest sequence, for learned positions.
        tie_output: use the target embedding as the output map, too.

    Source:
        Vaswani et al. (2017), table 3, "base".
    """

    source_vocab_size: int = 37000
    target_vocab_size: int = 37000
    d_model: int = 512
    num_heads: int = 8
    d_ff: int = 2048
    num_encoder_layers: int = 6
    num_decoder_layers: int = 6
    dropout: float = 0.1
    activation: str = "relu"
    norm_first: bool = False
    positions: str = "sinusoidal"
    max_positions: int = 512
    tie_output: bool = True

    def __post_init__(self):
        for name in (
            "source_vocab_size",
            "target_vocab_size",
            "d_model",
            "num_heads",
            "d_ff",
            "max_positions",
        ):
            check_count(name, getattr(self, name))
        _check_choices(self)
        if self.positions not in ("sinusoidal", "learned"):
            raise ValueError(
                f"positions must be 'sinusoidal' or 'learned', got {self.positions!r}"
            )


@dataclass(frozen=True)
class BertConfig:
    """Sizes of a BERT-style encoder; the defaults are BERT-base.

    Attributes:
        vocab_size: V.
        d_model, num_heads, d_ff, num_layers: the width, heads, hidden width and depth.
        max_positions: the longest sequence.
        num_segments: how many kinds of segment (token types).
        dropout: everywhere.
        activation: "gelu" or "relu".
        eps: the layer norms'.

    Source:
        Devlin et al. (2019), §3; sizes of bert-base-uncased.
    """

    vocab_size: int = 30522
    d_model: int = 768
    num_heads: int = 12
    d_ff: int = 3072
    num_layers: int = 12
    max_positions: int = 512
    num_segments: int = 2
    dropout: float = 0.1
    activation: str = "gelu"
    eps: float = 1e-12

    def __post_init__(self):
        for name in (
            "vocab_size",
            "d_model",
            "num_heads",
            "d_ff",
            "max_positions",
            "num_segments",
        ):
            check_count(name, getattr(self, name))
        _check_choices(self)


def _check_choices(config) -> None:
    check_probability("dropout", config.dropout)
    if config.activation not in ACTIVATIONS:
        raise ValueError(
            f"activation must be one of {', '.join(ACTIVATIONS)}, got {config.activation!r}"
        )
    if config.d_model % config.num_heads:
        raise ValueError(
            f"d_model {config.d_model} is not divisible by num_heads {config.num_heads}"
        )


PAPER_BASE = TransformerConfig()
BERT_BASE = BertConfig()


def count_parameters(module: nn.Module) -> int:
    """How many numbers a module learns, shared ones counted once.

    Args:
        module: any module.

    Returns:
        The count.
    """
    return sum(p.numel() for p in module.parameters() if p.requires_grad)


def check_ids(name: str, ids: Tensor, vocab_size: int) -> None:
    """Require token ids (B, T) within the vocabulary.

    Args:
        name: the argument's name.
        ids: (B, T) integers.
        vocab_size: V.

    Raises:
        TypeError: not a tensor of integers.
        ValueError: not two axes, or an id outside 0…V − 1.
    """
    if (
        not isinstance(ids, Tensor)
        or ids.is_floating_point()
        or ids.dtype == torch.bool
    ):
        kind = ids.dtype if isinstance(ids, Tensor) else type(ids).__name__
        raise TypeError(f"{name} must be a tensor of token ids (integers), got {kind}")
    if ids.dim() != 2:
        raise ValueError(
            f"{name} must be (B, T), got shape {tuple(ids.shape)}; add a batch axis with [None]"
        )
    if ids.numel() and not torch.compiler.is_compiling():
        low, high = int(ids.min()), int(ids.max())
        if low < 0 or high >= vocab_size:
            raise ValueError(
                f"{name} holds the id {low if low < 0 else high}, beyond the vocabulary of {vocab_size} "
                f"(0 … {vocab_size - 1}); was it made with another vocabulary?"
            )


def _embed(
    config: TransformerConfig, vocab_size: int
) -> tuple[nn.Embedding, nn.Module]:
    embedding = nn.Embedding(vocab_size, config.d_model)
    nn.init.normal_(
        embedding.weight, std=config.d_model**-0.5
    )  # times √D in the forward pass: entries near 1
    if config.positions == "learned":
        return embedding, LearnedPositions(
            config.max_positions, config.d_model, config.dropout
        )
    return embedding, SinusoidalPositions(config.d_model, config.dropout)


def _layer_sizes(config: TransformerConfig) -> dict:
    return dict(
        d_model=config.d_model,
        num_heads=config.num_heads,
        d_ff=config.d_ff,
        dropout=config.dropout,
        activation=config.activation,
        norm_first=config.norm_first,
    )


class Encoder(nn.Module):
    """Token ids to one vector a position, each informed by all the others.

    Args:
        config: the sizes.

    Source:
        Vaswani et al. (2017), figure 1, left.
    """

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.config = config
        self.embedding, self.positions = _embed(config, config.source_vocab_size)
        self.layers = nn.ModuleList(
            EncoderLayer(**_layer_sizes(config))
            for _ in range(config.num_encoder_layers)
        )
        self.norm = (
            nn.LayerNorm(config.d_model) if config.norm_first else nn.Identity()
        )  # pre-LN ends un-normed

    def forward(
        self, ids: Tensor, valid_lens: Tensor | None = None, need_weights: bool = False
    ) -> tuple[Tensor, list[Tensor] | None]:
        """Encode a batch of source sentences.

        Args:
            ids: (B, S) token ids.
            valid_lens: (B,) integers, how many tokens are real.
            need_weights: return each layer's attention weights too.

        Returns:
            memory (B, S, D), and a list of weights (B, H, S, S), one a layer, or None.

        Raises:
            TypeError, ValueError: ids or lengths that do not fit.
        """
        check_ids("ids", ids, self.config.source_vocab_size)
        x = self.positions(self.embedding(ids) * math.sqrt(self.config.d_model))
        seen = []
        for layer in self.layers:
            x, weights = layer(x, valid_lens=valid_lens, need_weights=need_weights)
            seen.append(weights)
        return self.norm(x), seen if need_weights else None


class Decoder(nn.Module):
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
        self.layers = nn.ModuleList(
            DecoderLayer(**_layer_sizes(config))
            for _ in range(config.num_decoder_layers)
        )
        self.norm = nn.LayerNorm(config.d_model) if config.norm_first else nn.Identity()
        self.head = nn.Linear(
            config.d_model, config.target_vocab_size, bias=not config.tie_output
        )
        if config.tie_output:
            self.head.weight = self.embedding.weight

    def start_cache(self) -> list[DecoderLayerCache]:
        """An empty cache for step-by-step decoding, one entry a layer.

        Returns:
            A list to pass as `cache`; it fills as tokens are decoded.
        """
        return [DecoderLayerCache() for _ in self.layers]

    def forward(
        self,
        ids: Tensor,
        memory: Tensor,
        memory_lens: Tensor | None = None,
        need_weights: bool = False,
        cache: list[DecoderLayerCache] | None = None,
    ) -> tuple[Tensor, list[tuple[Tensor, Tensor]] | None]:
        """Score the next word at every position; no position sees a later one.

        Args:
            ids: (B, T) target ids, beginning with <bos>; with a cache, only those not yet decoded.
            memory: (B, S, D) from the encoder.
            memory_lens: (B,) integers, how many source positions are real.
            need_weights: return each layer's self- and cross-attention weights too.
            cache: from `start_cache`, when decoding step by step.

        Returns:
            logits (B, T, V), and a list of (self, cross) weights, one a layer, or None.

        Raises:
            TypeError, ValueError: ids, memory or cache that do not fit.
        """
        check_ids("ids", ids, self.config.target_vocab_size)
        if cache is not None:
            check_same_size(
                "the cache is for layers:",
                len(cache),
                "the decoder has",
                len(self.layers),
                "start a new one",
            )
        start = cache[0].own.length if cache else 0
        x = self.positions(
            self.embedding(ids) * math.sqrt(self.config.d_model), start=start
        )
        mask = causal_mask(ids.shape[1], start + ids.shape[1], device=ids.device)
        seen = []
        for index, layer in enumerate(self.layers):
            x, weights = layer(
                x,
                memory,
                memory_lens,
                mask,
                need_weights=need_weights,
                cache=cache[index] if cache else None,
            )
            seen.append(weights)
        return self.head(self.norm(x)), seen if need_weights else None


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
        self, source: Tensor, target: Tensor, source_lens: Tensor | None = None
    ) -> Tensor:
        """Score every next target word in one parallel pass (teacher forcing).

        Args:
            source: (B, S) ids.
            target: (B, T) ids, beginning with <bos>.
            source_lens: (B,) integers.

        Returns:
            logits (B, T, V); position t scores the word that follows target[:, :t + 1].
        """
        memory, _ = self.encoder(source, source_lens)
        logits, _ = self.decoder(target, memory, source_lens)
        return logits


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
            segments: (B, T) 0 or 1; all 0 if not given.

        Returns:
            (B, T, D).

        Raises:
            TypeError, ValueError: ids beyond the vocabulary, or a sequence longer than the learned positions.
        """
        check_ids("ids", ids, self.config.vocab_size)
        length = ids.shape[1]
        if length > self.config.max_positions:
            raise ValueError(
                f"the sequence has {length} tokens, but only {self.config.max_positions} positions are learned; cut it"
            )
        segments = torch.zeros_like(ids) if segments is None else segments
        check_ids("segments", segments, self.config.num_segments)
        x = self.word(ids) + self.position.weight[:length] + self.segment(segments)
        return self.dropout(self.norm(x))


class BertEncoder(nn.Module):
    """BERT: embeddings and a stack of post-LN encoder layers; looks both ways.

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
                config.dropout,
                config.activation,
                eps=config.eps,
            )
            for _ in range(config.num_layers)
        )

    def forward(
        self,
        ids: Tensor,
        valid_lens: Tensor | None = None,
        segments: Tensor | None = None,
        mask: Tensor | None = None,
        need_weights: bool = False,
    ) -> tuple[Tensor, list[Tensor] | None]:
        """Encode a batch of token ids.

        Args:
            ids: (B, T) token ids.
            valid_lens: (B,) integers, how many tokens are real.
            segments: (B, T) segment ids.
            mask: bool, broadcastable to (B, H, T, T), True = may attend.
            need_weights: return each layer's weights too.

        Returns:
            hidden states (B, T, D), and a list of weights (B, H, T, T), one a layer, or None.
        """
        x = self.embeddings(ids, segments)
        seen = []
        for layer in self.layers:
            x, weights = layer(
                x, valid_lens=valid_lens, mask=mask, need_weights=need_weights
            )
            seen.append(weights)
        return x, seen if need_weights else None
