"""Scores between one decoder state and all encoder states, cut in three so that nothing is computed twice.

`keys` is done once for a sentence, `query` and `scores` at every step.
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.checks import check_count

ALIGNMENTS = ("additive", "scaled dot", "multiplicative")


class AdditiveAlignment(nn.Module):
    """w_vᵀ tanh(W_q s + W_k h): the score of `AdditiveAttention`, with W_k h computed once.

    Args:
        query_size: the decoder state's size.
        key_size: the encoder states' size.
        num_hiddens: h, the hidden units of the score.

    Attributes:
        W_q, W_k, w_v: linear maps without bias.

    Source:
        Bahdanau et al. (2015), appendix A.1.2 (W_a, U_a, v_a are our W_q, W_k, w_v); U_a h_j is computed ahead there.
    """

    def __init__(self, query_size: int, key_size: int, num_hiddens: int):
        super().__init__()
        check_count("query_size", query_size)
        check_count("key_size", key_size)
        check_count("num_hiddens", num_hiddens)
        self.W_q = nn.Linear(query_size, num_hiddens, bias=False)
        self.W_k = nn.Linear(key_size, num_hiddens, bias=False)
        self.w_v = nn.Linear(num_hiddens, 1, bias=False)

    def keys(self, memory: Tensor) -> Tensor:
        """Project the encoder states: (B, S, Dk) → (B, S, h)."""
        return self.W_k(memory)

    def query(self, state: Tensor) -> Tensor:
        """Project the decoder state: (B, Dq) → (B, h)."""
        return self.W_q(state)

    def scores(self, query: Tensor, keys: Tensor) -> Tensor:
        """Score all keys for one query per sentence: (B, h), (B, S, h) → (B, S)."""
        hidden = (query[:, None] + keys).tanh_()  # (B, S, h), in the sum's own memory
        return self.w_v(hidden)[..., 0]


class ScaledDotAlignment(nn.Module):
    """sᵀh / √D: nothing to learn.

    Args:
        size: D, of the decoder state and of the encoder states alike.

    Source:
        Luong et al. (2015), eq. 8, "dot"; the √D is Vaswani et al.'s (2017).
    """

    def __init__(self, size: int):
        super().__init__()
        check_count("size", size)
        self.scale = 1 / math.sqrt(size)

    def keys(self, memory: Tensor) -> Tensor:
        """The encoder states themselves: (B, S, D)."""
        return memory

    def query(self, state: Tensor) -> Tensor:
        """The decoder state over √D: (B, D)."""
        return state * self.scale

    def scores(self, query: Tensor, keys: Tensor) -> Tensor:
        """Score all keys for one query per sentence: (B, D), (B, S, D) → (B, S)."""
        return (keys @ query[:, :, None])[:, :, 0]


class MultiplicativeAlignment(nn.Module):
    """sᵀ M h, for states of different sizes.

    Args:
        query_size: the decoder state's size.
        key_size: the encoder states' size.

    Attributes:
        weight: M, (Dq, Dk).

    Source:
        Luong et al. (2015), eq. 8, "general" (their W_a is our M).
    """

    def __init__(self, query_size: int, key_size: int):
        super().__init__()
        check_count("query_size", query_size)
        check_count("key_size", key_size)
        start = torch.randn(query_size, key_size) / math.sqrt(query_size * key_size)
        self.weight = nn.Parameter(start)

    def keys(self, memory: Tensor) -> Tensor:
        """The encoder states themselves: (B, S, Dk)."""
        return memory

    def query(self, state: Tensor) -> Tensor:
        """The decoder state times M: (B, Dq) → (B, Dk)."""
        return F.linear(state, self.weight.T)

    def scores(self, query: Tensor, keys: Tensor) -> Tensor:
        """Score all keys for one query per sentence: (B, Dk), (B, S, Dk) → (B, S)."""
        return (keys @ query[:, :, None])[:, :, 0]


def make_alignment(
    score: str, query_size: int, key_size: int
) -> AdditiveAlignment | ScaledDotAlignment | MultiplicativeAlignment:
    """The alignment model of this name.

    Args:
        score: one of `ALIGNMENTS`.
        query_size: the decoder state's size; also the hidden units of the additive score.
        key_size: the encoder states' size.

    Returns:
        A module with `keys`, `query` and `scores`.

    Raises:
        ValueError: an unknown name, or "scaled dot" with different sizes.
    """
    if score == "additive":
        return AdditiveAlignment(query_size, key_size, query_size)
    if score == "multiplicative":
        return MultiplicativeAlignment(query_size, key_size)
    if score != "scaled dot":
        raise ValueError(f"score must be one of {', '.join(ALIGNMENTS)}, got {score!r}")
    if query_size != key_size:
        raise ValueError(
            f"a dot product needs states of one size, but the decoder's has {query_size} and the encoder's "
            f"{key_size}; take score='multiplicative', or an encoder that reads one way"
        )
    return ScaledDotAlignment(query_size)
