"""The sizes of whole models, as frozen dataclasses; the defaults are the papers'."""

from dataclasses import dataclass

from attnbook.attention.splitting import head_size
from attnbook.checks import check_fields, check_positive, check_probability
from attnbook.transformer.feed_forward import get_activation


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

    Raises:
        TypeError, ValueError: a size that is not a count, or a choice that there is not.

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
        activation: one of `ACTIVATIONS`.
        eps: the layer norms'.

    Raises:
        TypeError, ValueError: a size that is not a count, or a choice that there is not.

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
        _check_choices(self)
        check_positive("eps", self.eps)


def _check_choices(config: "TransformerConfig | BertConfig") -> None:
    check_probability("dropout", config.dropout)
    get_activation(config.activation)
    head_size(config.d_model, config.num_heads)


#: The base model of Vaswani et al. (2017).
PAPER_BASE = TransformerConfig()
#: BERT base of Devlin et al. (2019).
BERT_BASE = BertConfig()
