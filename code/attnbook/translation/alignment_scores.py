"""The score between a decoder's state and the encoder's states: an attention layer, chosen by its name."""

from attnbook.attention import (
    AdditiveAttention,
    DotProductAttention,
    MultiplicativeAttention,
)
from attnbook.checks import check_choice

ALIGNMENTS = ("additive", "scaled dot", "multiplicative")


def make_alignment(
    score: str, query_size: int, key_size: int, dropout: float = 0.0
) -> AdditiveAttention | DotProductAttention | MultiplicativeAttention:
    """The attention layer with the score of this name.

    Args:
        score: one of `ALIGNMENTS`.
        query_size: the decoder state's size; also the hidden units of the additive score.
        key_size: the encoder states' size.
        dropout: the layer's.

    Returns:
        The layer. Its `project_key` is called once for a sentence, its `scores` at every step.

    Raises:
        ValueError: an unknown name, or "scaled dot" with different sizes.
    """
    check_choice("score", score, ALIGNMENTS)
    if score == "additive":
        return AdditiveAttention(query_size, key_size, query_size, dropout)
    if score == "multiplicative":
        return MultiplicativeAttention(query_size, key_size, dropout)
    if query_size != key_size:
        raise ValueError(
            f"a dot product needs states of one size, but the decoder's has {query_size} and the encoder's "
            f"{key_size}; take score='multiplicative', or an encoder that reads one way"
        )
    return DotProductAttention(dropout)
