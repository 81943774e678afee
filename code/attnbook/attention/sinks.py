"""A place for weight that should go nowhere."""

from typing import Any

import torch
from torch import Tensor, nn

from attnbook.attention.cache import KeyValueCache
from attnbook.attention.heads import MultiHeadAttention
from attnbook.attention.masks import OneMask, align


class SinkAttention(MultiHeadAttention):
    """Multi-head attention with one more key, whose value is zero: weight on it is weight that goes nowhere.

    With a key of zeros this is the softmax "off by one", exp(x) / (1 + Σ exp(x)). It is called as `MultiHeadAttention`
    is, with mask, bias, lengths, cache and shared key/value heads. The sink is key 0 of the weights, (B, H, T, S + 1),
    and every query may attend to it. A mask or a bias of S + 1 columns has one for the sink, too: the first.

    Args:
        d_model, num_heads: see `MultiHeadAttention`.
        learned: whether the key is learned; else it is zero.
        options: further arguments of `MultiHeadAttention`. Heads that share keys share a sink, and rotary positions do
            not turn it.

    Source:
        Miller (2023), "Attention is off by one"; Xiao et al. (2024), arXiv:2309.17453, §3.3.
    """

    no_value: Tensor

    def __init__(self, d_model: int, num_heads: int, learned: bool, **options: Any):
        super().__init__(d_model, num_heads, **options)
        key = torch.zeros(self.num_kv_heads, 1, self.head_dim)
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
            torch.cat([new.to(old).expand(old.shape[0], -1, -1, -1), old], dim=2)
            for new, old in ((sink, k), (self.no_value, v))
        )
        return q, k, v

    def one_mask(
        self,
        inputs: tuple[Tensor, Tensor, Tensor],
        valid_lens: Tensor | None = None,
        *,
        mask: Tensor | OneMask | None = None,
        bias: Tensor | None = None,
        cache: KeyValueCache | None = None,
    ) -> OneMask:
        """As `MultiHeadAttention.one_mask`, for tables of S columns or S + 1; returns them with S + 1."""
        if isinstance(mask, OneMask):
            return mask
        shape = self.scores_shape(*inputs, cache)
        (sink_mask, mask), (sink_bias, bias) = (
            _without_sink(table, shape) for table in (mask, bias)
        )
        mask, bias = super().one_mask(
            inputs, valid_lens, mask=mask, bias=bias, cache=cache
        )
        return OneMask(
            _with_sink(sink_mask, mask, shape), _with_sink(sink_bias, bias, shape)
        )


def _without_sink(
    table: Tensor | None, shape: torch.Size
) -> tuple[Tensor | None, Tensor | None]:
    """A table's column for the sink, if it has one, and its columns for the keys."""
    if isinstance(table, Tensor) and table.dim() and table.shape[-1] == shape[-1] + 1:
        return table[..., :1], table[..., 1:]
    return None, table


def _with_sink(
    column: Tensor | None, table: Tensor | None, shape: torch.Size
) -> Tensor | None:
    """The table with a column for the sink in front: the given one, or one that leaves the sink as it is."""
    if table is None:
        return None
    if column is None:
        like = table.new_ones if table.dtype == torch.bool else table.new_zeros
        column = like(1, 1)  # may be attended to; nothing is added
    column = align(column.to(table.device), torch.Size([*shape[:-1], 1]))
    lead = torch.broadcast_shapes(column.shape[:-1], table.shape[:-1])
    return torch.cat([column.expand(*lead, 1), table.expand(*lead, -1)], dim=-1)
