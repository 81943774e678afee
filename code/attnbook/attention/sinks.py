"""A sink: one more key, for weight that should go nowhere."""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.attention.heads import MultiHeadAttention
from attnbook.checks import check_bias, check_lengths, check_mask, check_switch


class SinkAttention(MultiHeadAttention):
    """Multi-head attention with one more key, whose value is zero: weight on it is weight that goes nowhere.

    With a key of zeros this is the softmax "off by one", exp(x) / (1 + Σ exp(x)). It is called as `MultiHeadAttention`
    is, with mask, bias, lengths, cache and shared key/value heads. The sink is key 0 of the weights, (B, H, T, S + 1).
    Every query may attend to it, unless a mask of S + 1 columns forbids it: in a mask or bias of that size, the first
    column is the sink's.

    Args:
        d_model, num_heads: see `MultiHeadAttention`.
        learned: whether the key is learned; else it is zero.
        options: further arguments of `MultiHeadAttention`. Heads that share keys share a sink, and rotary positions do
            not turn it.

    Source:
        Miller (2023), "Attention is off by one"; Xiao et al. (2024), arXiv:2309.17453, §3.3.
    """

    def __init__(self, d_model: int, num_heads: int, *, learned: bool, **options: Any):
        super().__init__(d_model, num_heads, **options)
        check_switch("learned", learned)
        key = torch.zeros(self.num_kv_heads, 1, self.head_dim)
        self.sink = nn.Parameter(key) if learned else None

    def attend(
        self,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        valid_lens: Tensor | None,
        mask: Tensor | None,
        bias: Tensor | None,
        need_weights: bool,
    ) -> tuple[Tensor, Tensor | None]:
        """Attend with the sink before the keys and a zero before the values; tables of S columns get one more."""
        shape = torch.Size([*q.shape[:3], k.shape[2]])  # of the scores without it
        if valid_lens is not None:  # the sink is a key more, and always counts
            check_lengths(valid_lens, shape[-1])
            valid_lens = valid_lens.long() + 1
        mask = _with_sink(mask, shape, check_mask)
        bias = _with_sink(bias, shape, check_bias)
        if self.sink is None:
            k = F.pad(k, (0, 0, 1, 0))
        else:
            sink = self.sink.to(k).expand(k.shape[0], -1, -1, -1)
            k = torch.cat([sink, k], dim=2)
        v = F.pad(v, (0, 0, 1, 0))
        return super().attend(q, k, v, valid_lens, mask, bias, need_weights)


def _with_sink(
    table: Tensor | None,
    shape: torch.Size,
    check: Callable[[Tensor, torch.Size], None],
) -> Tensor | None:
    """A mask or bias with a first column for the sink: a neutral one is added unless it has S + 1 columns already."""
    if table is None or getattr(table, "shape", ())[-1:] == (shape[-1] + 1,):
        return table
    check(table, shape)
    like = table.new_ones if table.dtype == torch.bool else table.new_zeros
    return torch.cat([like(*table.shape[:-1], 1), table], dim=-1)
