"""One operation, three uses: self-attention, masked self-attention, cross-attention; and a sentence in one vector."""

import torch
from torch import Tensor, nn

from attnbook.attention.masks import causal_mask, masked_softmax
from attnbook.attention.scores import scaled_dot_score
from attnbook.checks import (
    check_alike,
    check_batch,
    check_count,
    check_features,
    check_keys,
    check_mask,
    check_switch,
    check_tensor,
)


def pair_mask(query_mask: Tensor, key_mask: Tensor) -> Tensor:
    """Which query may meet which key, if either side has padding: both must be real.

    Args:
        query_mask: bool (B, T), True = real.
        key_mask: bool (B, S), True = real.

    Returns:
        bool (B, T, S), True = may attend. The rows of padded queries are empty.
    """
    for name, mask in (("query_mask", query_mask), ("key_mask", key_mask)):
        check_mask(mask, name=name)
        if mask.dim() != 2:
            raise ValueError(
                f"{name} must be (B, positions), got shape {tuple(mask.shape)}; add a batch axis with [None]"
            )
    check_batch(query_mask=query_mask, key_mask=key_mask)
    return query_mask.unsqueeze(-1) & key_mask.unsqueeze(-2)


class CrossAttention(nn.Module):
    """One head: queries from one sequence, keys and values from another.

    Args:
        d_model: the size of the sequence that asks, and of the output.
        memory_size: the size of the sequence that answers; d_model if not given.
        head_dim: the size of queries and keys; d_model if not given.

    Attributes:
        W_q, W_k, W_v, W_o: linear maps without bias.

    Source:
        Vaswani et al. (2017), §3.2.3, with one head.
    """

    def __init__(
        self, d_model: int, memory_size: int | None = None, head_dim: int | None = None
    ):
        super().__init__()
        memory_size = d_model if memory_size is None else memory_size
        head_dim = d_model if head_dim is None else head_dim
        sizes = {"d_model": d_model, "memory_size": memory_size, "head_dim": head_dim}
        for name, size in sizes.items():
            check_count(name, size)
        self.d_model, self.memory_size = d_model, memory_size
        self.W_q = nn.Linear(d_model, head_dim, bias=False)
        self.W_k = nn.Linear(memory_size, head_dim, bias=False)
        self.W_v = nn.Linear(memory_size, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        valid_lens: Tensor | None = None,
        *,
        mask: Tensor | None = None,
        need_weights: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Let every position of x look at every position of the memory.

        Args:
            x: (B, T, D).
            memory: (B, S, memory_size).
            valid_lens, mask: which positions of the memory count, see `attnbook.attention`.
            need_weights: return the weights too.

        Returns:
            output (B, T, D), and weights (B, T, S) or None.
        """
        check_features("x", x, "d_model", self.d_model, dims=3, module=self.W_q)
        check_features(
            "memory", memory, "memory_size", self.memory_size, dims=3, module=self.W_k
        )
        check_keys("memory", memory)
        check_batch(x=x, memory=memory)
        check_switch("need_weights", need_weights)
        scores = scaled_dot_score(self.W_q(x), self.W_k(memory))  # (B, T, S)
        weights = masked_softmax(scores, valid_lens, mask)
        output = self.W_o(weights @ self.W_v(memory))
        return output, weights if need_weights else None


class SelfAttention(CrossAttention):
    """One head: queries, keys and values from the same sequence.

    Args:
        d_model: D.
        causal: let each position see itself and the past only.
        head_dim: the size of queries and keys; d_model if not given.
    """

    def __init__(
        self, d_model: int, *, causal: bool = False, head_dim: int | None = None
    ):
        super().__init__(d_model, head_dim=head_dim)
        check_switch("causal", causal)
        self.causal = causal

    def forward(  # type: ignore[override]  # x is its own memory
        self,
        x: Tensor,
        valid_lens: Tensor | None = None,
        *,
        mask: Tensor | None = None,
        need_weights: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Let every position look at every (or every earlier) position of its own sequence.

        Args:
            x: (B, T, D).
            valid_lens, mask: which positions count, see `attnbook.attention`.
            need_weights: return the weights too.

        Returns:
            output (B, T, D), and weights (B, T, T) or None.
        """
        check_tensor("x", x, dims=3)
        check_keys("x", x)
        if self.causal:
            past = causal_mask(x.shape[1], device=x.device)  # (T, T)
            if mask is not None:
                check_mask(mask, torch.Size([x.shape[0], *past.shape]))
            mask = past if mask is None else mask.to(x.device) & past
        return super().forward(x, x, valid_lens, mask=mask, need_weights=need_weights)


class QueryPooling(nn.Module):
    """A sequence in one vector, or a few: learned queries look at all positions.

    Args:
        d_model: D.
        num_queries: one for a single vector; one per label for multi-label tasks.

    Attributes:
        query: (num_queries, D), learned.

    Source:
        Yang et al. (2016), "Hierarchical Attention Networks", eqs. 5–7 (u_w is our query), with a dot-product score
        and without their hidden layer.
    """

    def __init__(self, d_model: int, num_queries: int = 1):
        super().__init__()
        check_count("d_model", d_model)
        check_count("num_queries", num_queries)
        self.d_model = d_model
        self.query = nn.Parameter(torch.randn(num_queries, d_model) * d_model**-0.5)

    def forward(
        self,
        x: Tensor,
        valid_lens: Tensor | None = None,
        *,
        mask: Tensor | None = None,
        need_weights: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Average the positions, each learned query with weights of its own.

        Args:
            x: (B, T, D).
            valid_lens, mask: which positions count, see `attnbook.attention`; a mask has a row per query or one.
            need_weights: return the weights too.

        Returns:
            output (B, num_queries, D), and weights (B, num_queries, T) or None.
        """
        check_features("x", x, "d_model", self.d_model, dims=3)
        check_keys("x", x)
        check_alike("x", x, "the layer", self.query)
        check_switch("need_weights", need_weights)
        query = self.query.expand(x.shape[0], -1, -1)  # (B, num_queries, D)
        weights = masked_softmax(scaled_dot_score(query, x), valid_lens, mask)
        return weights @ x, weights if need_weights else None
