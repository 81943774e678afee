"""Multi-head attention with one module per head: at full width, then at a fraction of it."""

import math
from typing import cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.attention.masks import masked_softmax
from attnbook.attention.scores import scaled_dot_score
from attnbook.attention.splitting import check_inputs, check_linear, head_size
from attnbook.checks import check_count, check_switch


class WideHeads(nn.Module):
    """Stage 1: each head is a module of its own, at the full width of the model.

    The plainest reading of "several attentions side by side", and the dearest: H times the parameters of one head.

    Args:
        d_model: D, the width of queries, keys, values and output.
        num_heads: H.
        bias: give the projections a bias.
        head_dim: the width of each head; D if not given.

    Source:
        Vaswani et al. (2017), §3.2.2, with d_k = d_v = d_model instead of d_model / h.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        *,
        bias: bool = False,
        head_dim: int | None = None,
    ):
        super().__init__()
        head_dim = d_model if head_dim is None else head_dim
        sizes = {"d_model": d_model, "num_heads": num_heads, "head_dim": head_dim}
        for name, size in sizes.items():
            check_count(name, size)
        check_switch("bias", bias)
        self.d_model = d_model
        self.heads = nn.ModuleList(
            _Head(d_model, head_dim, bias) for _ in range(num_heads)
        )
        self.W_o = nn.Linear(num_heads * head_dim, d_model, bias=bias)

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
        """Attend with each head in turn, concatenate, and mix with W_o.

        Args:
            query: (B, T, D).
            key: (B, S, D).
            value: (B, S, D).
            valid_lens, mask: which keys count for all heads, see `attnbook.attention`.
            need_weights: return the weights too.

        Returns:
            output (B, T, D), and weights (B, H, T, S) or None.
        """
        projection = cast(_Head, self.heads[0]).W_q
        check_inputs(query, key, value, self.d_model, projection)
        check_switch("need_weights", need_weights)
        pairs = [head(query, key, value, valid_lens, mask=mask) for head in self.heads]
        outputs, weights = zip(*pairs, strict=True)
        output = self.W_o(torch.cat(outputs, dim=-1))
        return output, torch.stack(weights, dim=1) if need_weights else None


class _Head(nn.Module):
    """One head: three projections and one attention."""

    def __init__(self, d_model: int, head_dim: int, bias: bool):
        super().__init__()
        self.W_q = nn.Linear(d_model, head_dim, bias=bias)
        self.W_k = nn.Linear(d_model, head_dim, bias=bias)
        self.W_v = nn.Linear(d_model, head_dim, bias=bias)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        valid_lens: Tensor | None,
        mask: Tensor | None,
    ) -> tuple[Tensor, Tensor]:
        scores = scaled_dot_score(self.W_q(query), self.W_k(key))  # (B, T, S)
        weights = masked_softmax(scores, valid_lens, mask)
        return weights @ self.W_v(value), weights


class SeparateHeads(WideHeads):
    """Stage 2: still one module per head, but each works at width D/H, so that all heads together cost about one.

    Args:
        d_model: D, divisible by `num_heads`.
        num_heads: H.
        bias: give the projections a bias.

    Source:
        Vaswani et al. (2017), §3.2.2 (d_k = d_v = d_model / h).
    """

    def __init__(self, d_model: int, num_heads: int, *, bias: bool = False):
        head_dim = head_size(d_model, num_heads)
        super().__init__(d_model, num_heads, bias=bias, head_dim=head_dim)


@torch.no_grad()
def widen_heads(stage: SeparateHeads) -> WideHeads:
    """Stage 1 from stage 2: narrow heads widened with zeros, the same function at H times the cost.

    Args:
        stage: stage 2.

    Returns:
        A `WideHeads` with copied weights: the first D/H rows of each head are the narrow head's, the others zero.
    """
    check_stage(stage)
    num_heads, d_model = len(stage.heads), stage.d_model
    missing = d_model - d_model // num_heads  # features that a narrow head has not
    wide = WideHeads(d_model, num_heads, bias=stage.W_o.bias is not None)
    wide.to(stage.W_o.weight)
    for head, narrow in zip(wide.heads, stage.heads, strict=True):
        for name, numbers in narrow.state_dict().items():
            if name.startswith("W_q"):  # scores are now divided by √D, not √(D/H)
                numbers = numbers * math.sqrt(num_heads)
            zeros = numbers.new_zeros(missing, *numbers.shape[1:])
            head.get_parameter(name).copy_(torch.cat([numbers, zeros]))
    by_head = stage.W_o.weight.unflatten(1, (num_heads, -1))  # (D, H, D/H)
    wide.W_o.weight.copy_(F.pad(by_head, (0, missing)).flatten(1))
    if wide.W_o.bias is not None:
        wide.W_o.bias.copy_(stage.W_o.bias)
    return wide.train(stage.training)


def check_stage(stage: nn.Module) -> None:
    """Require stage 2, with nothing around its maps: their weights are copied."""
    if not isinstance(stage, SeparateHeads):
        raise TypeError(
            f"stage must be a SeparateHeads, got {type(stage).__name__}; only its weights can be stacked or widened"
        )
    for name, module in stage.named_modules():
        if not list(module.children()):
            check_linear(name, module)
