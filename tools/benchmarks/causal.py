"""Causal attention of several heads without a table: the book's tiles, PyTorch's kernel, and the table itself.

PyTorch's `flex_attention` skips empty tiles, too. It is left out: on the CPU it has to be compiled and has no backward
pass.
"""

import torch.nn.functional as F
from torch import Tensor

from attnbook.attention import causal_mask, sliding_window_mask, tiled_attention
from tools.benchmarks.family import Case, Family, Layer, random_sequences

WINDOW = 256
FUSED, TILES, TABLE = "F.scaled_dot_product_attention", "tiled_attention", "a table"


def heads_of_three(case: Case, device: str) -> list[Tensor]:
    """Query, key and value, each (B, H, T, D / H); they want gradients."""
    return [
        x.detach().unflatten(-1, (case.heads, -1)).transpose(1, 2).requires_grad_()
        for x in random_sequences(case, device, count=3)
    ]


def table(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """The formula as it stands."""
    scores = query @ key.mT / query.shape[-1] ** 0.5
    seen = causal_mask(query.shape[-2], device=query.device)
    return scores.masked_fill(~seen, -float("inf")).softmax(-1) @ value


def causal_layers(case: Case, device: str) -> dict[str, Layer]:
    """Each query sees all keys up to its own."""
    return {
        FUSED: Layer(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True)),
        TILES: Layer(lambda q, k, v: tiled_attention(q, k, v, causal=True)),
        TABLE: Layer(table),
    }


def window_layers(case: Case, device: str) -> dict[str, Layer]:
    """Each query sees the last `WINDOW` keys up to its own; the kernel is told so by a mask."""

    def masked(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        seen = sliding_window_mask(query.shape[-2], WINDOW, device=query.device)
        return F.scaled_dot_product_attention(query, key, value, attn_mask=seen)

    return {FUSED: Layer(masked), TILES: Layer(lambda q, k, v: tiled_attention(q, k, v, causal=True, window=WINDOW))}


def _cases(*lengths: int) -> tuple[Case, ...]:
    return tuple(Case(1, length, 256, 4) for length in lengths)


CAUSAL = Family("causal", _cases(512, 2048), causal_layers, heads_of_three, FUSED)
WINDOWED = Family("window", _cases(512, 2048), window_layers, heads_of_three, FUSED)
