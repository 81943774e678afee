"""Attention as a layer: score, masked softmax, average.

The layers here share one call: `layer(query, key, value, valid_lens=None, *, mask=None, need_weights=False)` returns
(output, weights), with weights None unless asked for; `DotProductAttention.forward` documents it for all. Without
weights, a dot product runs in PyTorch's fused kernel.
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.attention.fused import fused_attention
from attnbook.attention.masks import (
    combine_masks,
    masked_softmax,
    unchecked_masked_softmax,
)
from attnbook.attention.scores import multiplicative_score, scaled_dot_score
from attnbook.checks import (
    check_count,
    check_features,
    check_probability,
    check_query_key,
    check_switch,
    check_value,
)


def attention_step(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None,
    bias: Tensor | None,
    dropout: nn.Dropout,
    *,
    group: int = 1,
    need_weights: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """softmax(q·k / √D + bias) v, unchecked: the step that all dot-product attention here shares.

    Args:
        query: (B, H, T, D), or without the head axis.
        key: (B, H / group, S, D).
        value: (B, H / group, S, Dv).
        mask: bool, with as many axes as the scores, True = may attend.
        bias: added to the scores.
        dropout: of weights, while it is training.
        group: how many query heads share a head of keys and values.
        need_weights: compute in steps and return the weights too; else in PyTorch's fused kernel.

    Returns:
        output (B, H, T, Dv), and weights (B, H, T, S) before dropout, or None.
    """
    p = dropout.p if dropout.training else 0.0
    if not need_weights:
        output = fused_attention(
            query, key, value, mask, bias, dropout=p, shared_heads=group > 1
        )
        return output, None
    if group > 1:
        key, value = (x.repeat_interleave(group, dim=1) for x in (key, value))
    # divided first: float16 may hold the scores but not q·k
    scores = query / math.sqrt(query.shape[-1]) @ key.mT  # (B, H, T, S)
    scores = scores if bias is None else scores + bias.to(query)
    weights = unchecked_masked_softmax(scores, mask)  # each row sums to 1
    return F.dropout(weights, p) @ value, weights


class _ScoredAttention(nn.Module):
    """Attention whose score has two steps: `project_key`, once for all queries, and `scores`."""

    dropout: nn.Dropout

    def project_key(self, key: Tensor) -> Tensor:
        """The keys (B, …, S, Dk) as `scores` takes them: here unchanged."""
        return key

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        """How well each projected key fits each query (B, …, T, Dq): (B, …, T, S)."""
        raise NotImplementedError

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        valid_lens: Tensor | None = None,
        *,
        mask: Tensor | None = None,
        need_weights: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """As `DotProductAttention.forward`, for query (B, …, T, Dq) and key (B, …, S, Dk). NaN is an error."""
        check_query_key(query, key, same_features=False)
        check_value(query, key, value)
        check_switch("need_weights", need_weights)
        scores = self.scores(query, self.project_key(key))  # (B, …, T, S)
        weights = masked_softmax(scores, valid_lens, mask)  # (B, …, T, S)
        output = self.dropout(weights) @ value  # (B, …, T, Dv)
        return output, weights if need_weights else None


class DotProductAttention(_ScoredAttention):
    """Scaled dot-product attention, softmax(q·k / √D) v. It has no parameters.

    Args:
        dropout: the probability of dropping a weight while training.

    Source:
        Vaswani et al. (2017), eq. 1.
    """

    def __init__(self, dropout: float = 0.0):
        super().__init__()
        check_probability("dropout", dropout)
        self.dropout = nn.Dropout(dropout)

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        """q·k / √D."""
        return scaled_dot_score(query, key)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        valid_lens: Tensor | None = None,
        *,
        mask: Tensor | None = None,
        need_weights: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Average the values by how well their keys match each query.

        Args:
            query: (B, …, T, D).
            key: (B, …, S, D).
            value: (B, …, S, Dv).
            valid_lens, mask: which keys count, see `attnbook.attention`.
            need_weights: return the weights too. Second derivatives and forward-mode differentiation
                (`torch.func.jacfwd`, `hessian`) need it. NaN in a score becomes NaN in the output either way; without
                weights that of a masked key does, too, and the compiled fused kernel gives zeros for NaN on the CPU
                over fewer than 16 keys.

        Returns:
            output (B, …, T, Dv), and weights (B, …, T, S) before dropout, or None.
        """
        check_query_key(query, key)
        check_value(query, key, value)
        check_switch("need_weights", need_weights)
        batch = torch.broadcast_shapes(query.shape[:-2], key.shape[:-2])
        shape = torch.Size([*batch, query.shape[-2], key.shape[-2]])
        mask = combine_masks(shape, valid_lens, mask, query.device)
        return attention_step(
            query, key, value, mask, None, self.dropout, need_weights=need_weights
        )


class MultiplicativeAttention(_ScoredAttention):
    """Attention with the bilinear score qᵀ M k, for queries and keys of different sizes.

    Args:
        query_size: Dq.
        key_size: Dk.
        dropout: the probability of dropping a weight while training.

    Attributes:
        weight: M, (Dq, Dk).

    Source:
        Luong et al. (2015), §3.1, "general".
    """

    def __init__(self, query_size: int, key_size: int, dropout: float = 0.0):
        super().__init__()
        check_count("query_size", query_size)
        check_count("key_size", key_size)
        check_probability("dropout", dropout)
        self.weight = nn.Parameter(torch.empty(query_size, key_size))
        # Var(qᵀMk) = Dq · Dk · Var(M) for standard normal q and k; this start makes it 1, as 1/√D does for dot products
        nn.init.normal_(self.weight, std=1 / math.sqrt(query_size * key_size))
        self.dropout = nn.Dropout(dropout)

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        """qᵀ M k."""
        query_size, key_size = self.weight.shape
        check_features("query", query, "query_size", query_size, module=self)
        check_features("key", key, "key_size", key_size, module=self)
        return multiplicative_score(query, key, self.weight)


class AdditiveAttention(_ScoredAttention):
    """Attention with the additive score w_vᵀ tanh(W_q q + W_k k), for queries and keys of any sizes.

    Args:
        query_size: Dq.
        key_size: Dk.
        num_hiddens: h, the hidden units of the score.
        dropout: the probability of dropping a weight while training.

    Attributes:
        W_q, W_k, w_v: linear maps without bias, to h, to h, and from h to one score.

    Source:
        Bahdanau et al. (2015), appendix A.1.2 (W_a, U_a, v_a are our W_q, W_k, w_v).
    """

    def __init__(
        self, query_size: int, key_size: int, num_hiddens: int, dropout: float = 0.0
    ):
        super().__init__()
        check_count("query_size", query_size)
        check_count("key_size", key_size)
        check_count("num_hiddens", num_hiddens)
        check_probability("dropout", dropout)
        self.query_size, self.key_size = query_size, key_size
        self.W_q = nn.Linear(query_size, num_hiddens, bias=False)
        self.W_k = nn.Linear(key_size, num_hiddens, bias=False)
        self.w_v = nn.Linear(num_hiddens, 1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def project_key(self, key: Tensor) -> Tensor:
        """W_k k, (B, …, S, h)."""
        check_features("key", key, "key_size", self.key_size, module=self.W_k)
        return self.W_k(key)

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        """As `additive_score`, but by calls of the maps, so that hooks and wrappers around them act."""
        check_features("query", query, "query_size", self.query_size, module=self.W_q)
        hidden = self.W_q(query).unsqueeze(-2) + key.unsqueeze(-3)  # (…, T, S, h)
        return self.w_v(hidden.tanh()).squeeze(-1)  # (…, T, S)
