"""A decoder-only language model: the Transformer without its encoder."""

import math

from torch import Tensor, nn

from attnbook.attention import (
    KeyValueCache,
    LearnedPositions,
    MultiHeadAttention,
    RotaryPositions,
    SinusoidalPositions,
    sliding_window_mask,
)
from attnbook.attention.masks import both_masks
from attnbook.checks import check_config
from attnbook.transformer.blocks import Block, Residual
from attnbook.transformer.configs import LanguageModelConfig
from attnbook.transformer.feed_forward import FeedForward, GatedFeedForward
from attnbook.transformer.stack import check_tokens, one_mask, run_layers, step_mask
from attnbook.transformer.stepping import Stepping, check_caches


class LanguageModel(Stepping):
    """Token ids to a score for every next token; no position sees a later one.

    Its blocks are those of the encoder, under a causal mask: a decoder layer without a memory is nothing else.

    Args:
        config: the sizes and choices.

    Source:
        Radford et al. (2018), GPT, §3.1; Vaswani et al. (2017), figure 1.
    """

    def __init__(self, config: LanguageModelConfig):
        super().__init__()
        check_config(config, LanguageModelConfig)
        self.config = config
        size = config.d_model
        self.embedding = nn.Embedding(config.vocab_size, size)
        self.positions, rotary = _positions(config)
        self.dropout = nn.Dropout(config.dropout)
        self.layers = nn.ModuleList(
            _layer(config, rotary) for _ in range(config.num_layers)
        )
        # pre-LN ends with a sum that has not been normalised
        self.norm = _norm(config) if config.norm_first else nn.Identity()
        self.head = nn.Linear(size, config.vocab_size, bias=False)
        self.apply(_begin_small)
        if config.tie_output:
            self.head.weight = self.embedding.weight

    def start_cache(self) -> list[KeyValueCache]:
        """Empty caches for step-by-step writing.

        Returns:
            One for each layer, to be passed as `cache`; they fill as tokens are read.
        """
        return [KeyValueCache() for _ in self.layers]

    def forward(
        self,
        tokens: Tensor,
        valid_lens: Tensor | None = None,
        *,
        mask: Tensor | None = None,
        need_weights: bool = False,
        cache: list[KeyValueCache] | None = None,
    ) -> tuple[Tensor, list[Tensor] | None]:
        """Score the next token at every position.

        Texts of different lengths are padded at the end and come with `valid_lens`; what is scored at padding means
        nothing. With rotary positions they can be continued together, with a cache: pad them at the front and hide the
        padding by a mask, `real[:, None, None]` for real (B, S), True = a token. Rotary positions see distances only,
        so that it does not matter how far to the right a text begins. With others it does: continue each by itself.

        Args:
            tokens: (B, T) ids; with a cache, only those that have not been read.
            valid_lens: (B,) integers, how many tokens are real; without a cache.
            mask: see `attnbook.attention`; beside the causal one.
            need_weights: return each layer's attention weights too.
            cache: from `start_cache` of this model.

        Returns:
            logits (B, T, V), and a list of weights (B, H, T, S), one per layer, or None.
        """
        if cache is not None:
            check_caches(cache, KeyValueCache, len(self.layers), "start_cache()")
            if valid_lens is not None:
                raise ValueError(
                    "valid_lens is for texts padded at the end, and the padding would stay in the cache, before what "
                    "comes next; with rotary positions, pad at the front and pass mask; with others, continue each "
                    "text by itself"
                )
        start = 0 if cache is None else cache[0].length
        check_tokens("tokens", tokens, self.config.vocab_size, start)
        x = self.embedding(tokens)  # (B, T, D)
        if self.config.scale_embedding:
            x = x * math.sqrt(self.config.d_model)
        x = self.dropout(x if self.positions is None else self.positions(x, start))
        masks = self._masks(tokens, start, valid_lens, mask)
        x, weights = run_layers(
            self.layers, x, mask=masks, need_weights=need_weights, cache=cache
        )
        return self.head(self.norm(x)), weights

    def _masks(
        self, tokens: Tensor, start: int, lens: Tensor | None, mask: Tensor | None
    ) -> list[Tensor | None]:
        """A mask for each layer: of all positions so far, or of those in its window."""
        config, length = self.config, tokens.shape[1]
        total = start + length
        allowed = one_mask(config.num_heads, tokens, lens, mask, start)
        causal = windowed = step_mask(length, start, tokens.device)
        if config.window is not None and config.window < total:
            windowed = sliding_window_mask(
                length, config.window, num_keys=total, device=tokens.device
            )
        causal, windowed = both_masks(causal, allowed), both_masks(windowed, allowed)
        return [
            causal if number in config.global_layers else windowed
            for number in range(len(self.layers))
        ]


def _positions(
    config: LanguageModelConfig,
) -> tuple[nn.Module | None, RotaryPositions | None]:
    """The layer that is added to the embeddings, and the one that rotates queries and keys; one of them is None."""
    if config.positions == "learned":
        return LearnedPositions(config.max_positions, config.d_model), None
    if config.positions == "sinusoidal":
        return SinusoidalPositions(config.d_model), None
    scaling = config.rotary_scaling
    return None, RotaryPositions(base=config.rotary_base, scaling=scaling)


def _norm(config: LanguageModelConfig) -> nn.Module:
    norm = nn.RMSNorm if config.norm == "rms" else nn.LayerNorm
    return norm(config.d_model, eps=config.eps)


def _layer(config: LanguageModelConfig, rotary: RotaryPositions | None) -> Block:
    size, dropout = config.d_model, config.dropout
    attention = MultiHeadAttention(
        size,
        config.num_heads,
        num_kv_heads=config.num_kv_heads,
        dropout=dropout,
        bias=config.attention_bias,
        rotary=rotary,
        head_dim=config.head_dim,
        qk_norm=config.qk_norm,
        eps=config.eps,
    )
    network = GatedFeedForward if config.gated else FeedForward
    return Block(
        attention,
        network(
            size,
            config.d_ff,
            activation=config.activation,
            dropout=dropout,
            bias=config.feed_forward_bias,
        ),
        Residual(size, dropout, norm_first=config.norm_first, norm=_norm(config)),
        Residual(size, dropout, norm_first=config.norm_first, norm=_norm(config)),
    )


def _begin_small(module: nn.Module) -> None:
    """Start with small weights: all tokens are nearly equally likely. (GPT-2 also divides W_o and W_2 by √(2N).)"""
    if isinstance(module, nn.Linear | nn.Embedding):
        nn.init.normal_(module.weight, std=0.02)
    if isinstance(module, nn.Linear) and module.bias is not None:
        nn.init.zeros_(module.bias)
