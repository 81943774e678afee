"""The sizes of a recurrent translator."""

from dataclasses import dataclass

from attnbook.checks import check_choice, check_fields, check_probability
from attnbook.translation.alignment_scores import ALIGNMENTS


@dataclass(frozen=True)
class RecurrentConfig:
    """Sizes of a recurrent encoder–decoder; the defaults are those of Dive into Deep Learning's Bahdanau model.

    Attributes:
        source_vocab_size, target_vocab_size: V of either language.
        embed_size, hidden_size: of a word's vector and of a GRU's state.
        num_layers: of the encoder and of the decoder alike.
        dropout: on attention weights and between layers.
        attention: "additive", "scaled dot" or "multiplicative"; "none" for a decoder that sees the last state only.
        bidirectional: let the encoder read both ways.

    Raises:
        TypeError, ValueError: a size that is not a count, or an unknown attention.

    Source:
        Bahdanau et al. (2015), §3; sizes of Zhang et al. (2023), §11.4.
    """

    source_vocab_size: int
    target_vocab_size: int
    embed_size: int = 256
    hidden_size: int = 256
    num_layers: int = 2
    dropout: float = 0.2
    attention: str = "additive"
    bidirectional: bool = False

    def __post_init__(self) -> None:
        check_fields(self)
        check_probability("dropout", self.dropout)
        check_choice("attention", self.attention, (*ALIGNMENTS, "none"))
