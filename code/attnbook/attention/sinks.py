"""A place for weight that should go nowhere."""

from typing import Any

import torch
from torch import Tensor, nn

from attnbook.attention.cache import KeyValueCache
from attnbook.attention.heads import MultiHeadAttention


class SinkAttention(MultiHeadAttention):
    """Multi-head attention with one more key, whose value is zero: weight on it is weight that goes nowhere.

    With a key of zeros this is the softmax "off by one", exp(x) / (1 + Σ exp(x)). The sink is key 0: a mask has a
    column for it, and so have the weights.

    Args:
        d_model, num_heads: see `MultiHeadAttention`.
        learned: whether the key is learned; else it is zero.
        options: further arguments of `MultiHeadAttention`.

    Source:
        Miller (2023), "Attention is off by one"; Xiao et al. (2024), arXiv:2309.17453, §3.3.
    """

    no_value: Tensor

    def __init__(self, d_model: int, num_heads: int, learned: bool, **options: Any):
        super().__init__(d_model, num_heads, **options)
        key = torch.zeros(num_heads, 1, self.head_dim)
        self.sink = nn.Parameter(key) if learned else None
        self.register_buffer("no_value", key.clone(), persistent=False)

    def project(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        cache: KeyValueCache | None = None,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values, with the sink in front of the keys and a zero in front of the values."""
        q, k, v = super().project(query, key, value, cache)
        sink = self.no_value if self.sink is None else self.sink
        k, v = (
            torch.cat([new.expand(len(k), -1, -1, -1), old], dim=2)
            for new, old in ((sink, k), (self.no_value, v))
        )
        return q, k, v
