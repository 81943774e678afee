"""A place for weight that should go nowhere."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.attention.cache import KeyValueCache
from attnbook.attention.heads import Bias, MultiHeadAttention
from attnbook.checks import check_lengths


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

    def __init__(self, d_model: int, num_heads: int, learned: bool, **options: Any):
        super().__init__(d_model, num_heads, **options)
        key = torch.zeros(self.num_kv_heads, 1, self.head_dim)
        self.sink = nn.Parameter(key) if learned else None

    def project(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        cache: KeyValueCache | None = None,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values, with the sink in front of the keys and a zero in front of the values."""
        q, k, v = super().project(query, key, value, cache)
        if self.sink is None:
            k = F.pad(k, (0, 0, 1, 0))
        else:
            sink = self.sink.to(k).expand(k.shape[0], -1, -1, -1)
            k = torch.cat([sink, k], dim=2)
        v = F.pad(v, (0, 0, 1, 0))
        return q, k, v

    def tables(
        self,
        shape: torch.Size,
        device: torch.device,
        valid_lens: Tensor | None = None,
        mask: Tensor | None = None,
        bias: Tensor | Bias | None = None,
    ) -> tuple[Tensor | None, Tensor | Bias | None]:
        """As `MultiHeadAttention.tables`, for tables of S columns or S + 1; they come back with S + 1."""
        num_keys = shape[-1]
        if valid_lens is not None:  # the sink is a key more, and always counts
            check_lengths(valid_lens, num_keys)
            valid_lens = valid_lens.long() + 1
        plain = (None if _with_sink(t, num_keys) is t else t for t in (mask, bias))
        super().tables(shape, device, None, *plain)  # errors name what came
        mask, bias = (_with_sink(table, num_keys) for table in (mask, bias))
        shape = torch.Size([*shape[:-1], num_keys + 1])
        return super().tables(shape, device, valid_lens, mask, bias)


def _with_sink(table: Any, num_keys: int) -> Any:
    """A mask or a bias of S columns with one in front that leaves the sink as it is; any other as it came."""
    if not isinstance(table, Tensor) or table.shape[-1:] != (num_keys,):
        return table
    like = table.new_ones if table.dtype == torch.bool else table.new_zeros
    return torch.cat([like(*table.shape[:-1], 1), table], dim=-1)
