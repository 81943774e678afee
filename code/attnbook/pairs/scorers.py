"""Four ways to score every pair of tokens for each of several types: the scores of attention, read as answers.

All take one vector per token (B, T, D) and return scores (B, C, T, T): row i, column j says how much the span from
token i to token j is a span of that type.
"""

import torch
from torch import Tensor, nn

from attnbook.attention import rotate, scaled_dot_score
from attnbook.checks import (
    check_count,
    check_features,
    check_query_key,
    check_switch,
    check_tensor,
    check_weight,
)


def biaffine_score(
    query: Tensor, key: Tensor, weight: Tensor, w_q: Tensor, w_k: Tensor, bias: Tensor
) -> Tensor:
    """The biaffine score qᵀ U k + w_q·q + w_k·k + b, one for each type.

    Args:
        query: (…, T, Dq).
        key: (…, S, Dk).
        weight: U, (C, Dq, Dk).
        w_q: (C, Dq).
        w_k: (C, Dk).
        bias: b, (C,).

    Returns:
        (…, C, T, S).

    Source:
        Dozat & Manning (2017), arXiv:1611.01734.
    """
    check_query_key(query, key, same_features=False)
    sizes = {"Dq": query.shape[-1], "Dk": key.shape[-1]}
    check_tensor("bias", bias, dims=1)
    check_weight("bias", bias, query, {"C": len(bias)})
    check_weight("weight", weight, query, {"C": len(bias)} | sizes)
    check_weight("w_q", w_q, query, {"C": len(bias), "Dq": sizes["Dq"]})
    check_weight("w_k", w_k, key, {"C": len(bias), "Dk": sizes["Dk"]})
    product = query.unsqueeze(-3) @ weight @ key.unsqueeze(-3).mT  # (…, C, T, S)
    of_query = (query @ w_q.T).mT.unsqueeze(-1)  # (…, C, T, 1)
    of_key = (key @ w_k.T).mT.unsqueeze(-2)  # (…, C, 1, S)
    return product + of_query + of_key + bias[:, None, None]


def _check_sizes(d_model: int, num_types: int, head_dim: int) -> None:
    for name, size in (
        ("d_model", d_model),
        ("num_types", num_types),
        ("head_dim", head_dim),
    ):
        check_count(name, size)


def _turned(x: Tensor) -> Tensor:
    """Rotary positions 0, 1, 2, … along the last axis but one."""
    return rotate(x, torch.arange(x.shape[-2], device=x.device))


class Biaffine(nn.Module):
    """A small network for starts, one for ends, and the biaffine score of what they make.

    Args:
        d_model: D.
        num_types: C.
        head_dim: Dh, what both networks make.

    Source:
        Dozat & Manning (2017), arXiv:1611.01734; Yu et al. (2020), arXiv:2005.07150, for spans.
    """

    def __init__(self, d_model: int, num_types: int, head_dim: int):
        super().__init__()
        _check_sizes(d_model, num_types, head_dim)
        self.start = nn.Linear(d_model, head_dim)
        self.end = nn.Linear(d_model, head_dim)
        size, scale = (num_types, head_dim), head_dim**-0.5
        self.weight = nn.Parameter(scale**2 * torch.randn(*size, head_dim))
        self.w_q = nn.Parameter(scale * torch.randn(*size))
        self.w_k = nn.Parameter(scale * torch.randn(*size))
        self.bias = nn.Parameter(torch.zeros(num_types))

    def forward(self, x: Tensor) -> Tensor:
        """Score every pair of tokens.

        Args:
            x: (B, T, D), one vector per token.

        Returns:
            (B, C, T, T): type, start, end.
        """
        check_features("x", x, "d_model", self.start.in_features, dims=3)
        query, key = self.start(x).relu(), self.end(x).relu()  # (B, T, Dh)
        return biaffine_score(query, key, self.weight, self.w_q, self.w_k, self.bias)


class MultiHeadSelection(nn.Module):
    """The additive score with a vector w_v for each type: one hidden layer on every pair.

    Args:
        d_model: D.
        num_types: C.
        head_dim: h, the hidden units.

    Source:
        Bekoulis et al. (2018), arXiv:1804.07847 (their U, W, V are our W_q, W_k, w_v), with tanh.
    """

    def __init__(self, d_model: int, num_types: int, head_dim: int):
        super().__init__()
        _check_sizes(d_model, num_types, head_dim)
        self.W_q = nn.Linear(d_model, head_dim)  # with the bias inside the tanh
        self.W_k = nn.Linear(d_model, head_dim, bias=False)
        self.w_v = nn.Linear(head_dim, num_types)

    def forward(self, x: Tensor) -> Tensor:
        """As `Biaffine.forward`, by a network on the pair."""
        check_features("x", x, "d_model", self.W_q.in_features, dims=3)
        query, key = self.W_q(x).unsqueeze(2), self.W_k(x).unsqueeze(1)
        hidden = (query + key).tanh()  # (B, T, T, h)
        return self.w_v(hidden).permute(0, 3, 1, 2)


class GlobalPointer(nn.Module):
    """One attention head per type, without the softmax: scaled dot products of start and end vectors.

    Args:
        d_model: D.
        num_types: C.
        head_dim: Dh, even if rotary.
        rotary: rotate both vectors by their positions, so that the score also depends on the span's length.

    Source:
        Su et al. (2022), arXiv:2208.03054.
    """

    def __init__(
        self, d_model: int, num_types: int, head_dim: int, *, rotary: bool = True
    ):
        super().__init__()
        _check_sizes(d_model, num_types, head_dim)
        check_switch("rotary", rotary)
        self.sizes, self.rotary = (num_types, 2 * head_dim), rotary
        self.W_qk = nn.Linear(d_model, num_types * 2 * head_dim)

    def forward(self, x: Tensor) -> Tensor:
        """As `Biaffine.forward`, by a head per type."""
        check_features("x", x, "d_model", self.W_qk.in_features, dims=3)
        heads = self.W_qk(x).unflatten(-1, self.sizes).transpose(1, 2)  # (B, C, T, 2Dh)
        query, key = heads.chunk(2, dim=-1)  # (B, C, T, Dh)
        if self.rotary:
            query, key = _turned(query), _turned(key)
        return scaled_dot_score(query, key)


class EfficientGlobalPointer(nn.Module):
    """One score that finds spans, shared by all types, and two numbers per token and type that name them.

    Args:
        d_model: D.
        num_types: C.
        head_dim: Dh, even if rotary.
        rotary: see `GlobalPointer`.

    Source:
        Su et al. (2022), arXiv:2208.03054; Su (2022), kexue.fm/archives/8877.
    """

    def __init__(
        self, d_model: int, num_types: int, head_dim: int, *, rotary: bool = True
    ):
        super().__init__()
        _check_sizes(d_model, num_types, head_dim)
        check_switch("rotary", rotary)
        self.rotary = rotary
        self.W_qk = nn.Linear(d_model, 2 * head_dim)
        self.name = nn.Linear(2 * head_dim, 2 * num_types)

    def forward(self, x: Tensor) -> Tensor:
        """As `Biaffine.forward`, by one head for all types."""
        check_features("x", x, "d_model", self.W_qk.in_features, dims=3)
        both = self.W_qk(x)  # (B, T, 2Dh)
        query, key = both.chunk(2, dim=-1)
        if self.rotary:
            query, key = _turned(query), _turned(key)
        is_span = scaled_dot_score(query, key).unsqueeze(1)  # (B, 1, T, T)
        as_start, as_end = self.name(both).mT.chunk(2, dim=1)  # (B, C, T)
        return is_span + as_start.unsqueeze(-1) + as_end.unsqueeze(-2)
