"""The sizes and choices of whole models, as frozen dataclasses."""

from dataclasses import dataclass

from attnbook.attention import LinearScaling, Llama3Scaling
from attnbook.attention.rotary import check_even
from attnbook.attention.splitting import check_kv_heads, head_size
from attnbook.checks import (
    check_choice,
    check_count,
    check_fields,
    check_positive,
    check_probability,
)
from attnbook.transformer.feed_forward import ACTIVATIONS


@dataclass(frozen=True)
class TransformerConfig:
    """Sizes of an encoder–decoder Transformer; the defaults are the paper's base model.

    Attributes:
        source_vocab_size, target_vocab_size: V of either language.
        d_model, num_heads, d_ff: the width, its heads, and the feed-forward network's hidden width.
        num_encoder_layers, num_decoder_layers: N of either stack.
        dropout: on embeddings, attention weights, hidden units and residual branches.
        activation: one of `ACTIVATIONS`.
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

    def __post_init__(self) -> None:
        check_fields(self)
        _check_shared(self)
        check_choice("positions", self.positions, ("sinusoidal", "learned"))


@dataclass(frozen=True)
class BertConfig:
    """Sizes of a BERT-style encoder; the defaults are BERT-base.

    Attributes:
        vocab_size: V.
        d_model, num_heads, d_ff, num_layers: the width, heads, hidden width and depth.
        max_positions: the longest sequence.
        num_segments: how many kinds of segment (token types).
        dropout: everywhere.
        activation: one of `ACTIVATIONS`.
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

    def __post_init__(self) -> None:
        check_fields(self)
        _check_shared(self)
        check_positive("eps", self.eps)


@dataclass(frozen=True)
class LanguageModelConfig:
    """Sizes and choices of a decoder-only language model; the defaults are Llama's block, at a small size.

    Attributes:
        vocab_size: V. (This and what follows in brackets is the name in Hugging Face's `config.json`.)
        d_model: D (hidden_size).
        num_heads: H (num_attention_heads).
        num_kv_heads: key/value heads, a divisor of H; all of them if None (num_key_value_heads).
        head_dim: Dh; D / H if None.
        d_ff: the feed-forward network's hidden width (intermediate_size).
        num_layers: N (num_hidden_layers).
        max_positions: the longest text that it is made for (max_position_embeddings).
        dropout: on embeddings, attention weights, hidden units and residual branches.
        activation: one of `ACTIVATIONS` (hidden_act).
        gated: a `GatedFeedForward` in the place of a `FeedForward`.
        norm: "rms" or "layer".
        norm_first: pre-LN, with one more norm at the end, instead of post-LN.
        eps: of all norms (rms_norm_eps).
        qk_norm: see `MultiHeadAttention`.
        attention_bias, feed_forward_bias: give these maps biases (the latter: mlp_bias).
        positions: "rotary", "learned" or "sinusoidal".
        rotary_base: see `RotaryPositions` (rope_theta).
        rotary_scaling: `LinearScaling(…)` or `Llama3Scaling(…)`, see `RotaryPositions` (rope_parameters).
        window: how many positions each one sees, its own included; all before it if None (sliding_window). By
            `torch.export` such a model becomes a program for texts up to this length or for longer ones, not for both.
        global_layers: the layers, counted from 0, that see all positions although there is a window (layer_types).
        tie_output: use the embedding as the output map, too (tie_word_embeddings).
        scale_embedding: multiply embeddings by √D, as the Transformer and Gemma do.

    Raises:
        ValueError: settings that exclude each other.

    Source:
        Radford et al. (2019), GPT-2; Touvron et al. (2023), arXiv:2302.13971, §2.2, for what Llama changed.
    """

    vocab_size: int
    d_model: int = 256
    num_heads: int = 4
    d_ff: int = 688
    num_layers: int = 4
    num_kv_heads: int | None = None
    head_dim: int | None = None
    max_positions: int = 512
    dropout: float = 0.0
    activation: str = "silu"
    gated: bool = True
    norm: str = "rms"
    norm_first: bool = True
    eps: float = 1e-6
    qk_norm: bool = False
    attention_bias: bool = False
    feed_forward_bias: bool = False
    positions: str = "rotary"
    rotary_base: float = 10000.0
    rotary_scaling: LinearScaling | Llama3Scaling | None = None
    window: int | None = None
    global_layers: tuple[int, ...] = ()
    tie_output: bool = True
    scale_embedding: bool = False

    def __post_init__(self) -> None:
        check_fields(self)
        check_kv_heads(self.num_heads, self.num_kv_heads)
        if self.head_dim is None:
            head_size(self.d_model, self.num_heads)
        else:
            check_count("head_dim", self.head_dim)
        check_probability("dropout", self.dropout)
        check_choice("activation", self.activation, ACTIVATIONS)
        for name in ("eps", "rotary_base"):
            check_positive(name, getattr(self, name))
        check_choice("norm", self.norm, ("rms", "layer"))
        check_choice("positions", self.positions, ("rotary", "learned", "sinusoidal"))
        self._check_rotary()
        self._check_windows()

    def _check_rotary(self) -> None:
        """Require settings of rotary positions only beside these, and heads that can be rotated."""
        scaling = self.rotary_scaling
        if not isinstance(scaling, LinearScaling | Llama3Scaling | None):
            raise TypeError(
                "rotary_scaling must be LinearScaling(…), Llama3Scaling(…) or None, whose numbers a file can hold, got "
                f"{type(scaling).__name__}; RotaryPositions takes any function"
            )
        if self.positions == "rotary":
            size = self.d_model // self.num_heads
            check_even(size if self.head_dim is None else self.head_dim)
        elif scaling is not None or self.rotary_base != type(self).rotary_base:
            raise ValueError(
                f"{self.positions} positions are not rotated: leave rotary_base and rotary_scaling out, or pass "
                "positions='rotary'"
            )

    def _check_windows(self) -> None:
        """Require a window of at least one position, and global layers only beside one, of those that the model has."""
        if self.window is not None:
            check_count("window", self.window)
        if not isinstance(self.global_layers, tuple):
            raise TypeError(
                f"global_layers must be a tuple, got {type(self.global_layers).__name__}; write (0, 2), or () for none"
            )
        for i, layer in enumerate(self.global_layers):
            check_count(f"global_layers[{i}]", layer, at_least=0)
        if max(self.global_layers, default=0) >= self.num_layers:
            raise ValueError(
                f"global_layers must be below num_layers, {self.num_layers}, got {max(self.global_layers)}"
            )
        if self.global_layers and self.window is None:
            raise ValueError(
                f"without a window all layers are global: leave global_layers {self.global_layers} out, or pass a "
                "window"
            )


def _check_shared(config: TransformerConfig | BertConfig) -> None:
    """Check the settings that the Transformer and BERT have in common."""
    check_probability("dropout", config.dropout)
    check_choice("activation", config.activation, ACTIVATIONS)
    head_size(config.d_model, config.num_heads)


#: The base model of Vaswani et al. (2017).
PAPER_BASE = TransformerConfig()
#: BERT base of Devlin et al. (2019).
BERT_BASE = BertConfig()
