"""Attention without heads or projections: dot-product and additive scores."""

import torch
import torch.nn.functional as F
from torch import Tensor

from attnbook.attention import AdditiveAttention, DotProductAttention, MultiplicativeAttention
from attnbook.interop import load_d2l
from tools.benchmarks.family import Case, Family, Layer, random_sequences

BATCH, SIZE, HIDDEN = 2, 64, 64
FUSED, ADDITIVE_OURS = "F.scaled_dot_product_attention", "AdditiveAttention"


def fused(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """PyTorch's kernel; on the CPU only inputs with an axis for heads reach its fused form."""
    heads = (x[:, None] for x in (query, key, value))
    return F.scaled_dot_product_attention(*heads)[:, 0]


def dot_layers(case: Case, device: str) -> dict[str, Layer]:
    """Scaled dot-product attention in five ways."""
    ours, theirs = DotProductAttention(), load_d2l().DotProductAttention(0.0)
    bilinear = MultiplicativeAttention(case.size, case.size)
    with torch.no_grad():  # qᵀMk with M = 1/√D is the scaled dot product
        bilinear.weight.copy_(torch.eye(case.size) / case.size**0.5)
    bilinear.to(device)
    return {
        FUSED: Layer(fused),
        "DotProductAttention": Layer(lambda q, k, v: ours(q, k, v)[0], ours),
        "… with its weights": Layer(lambda q, k, v: ours(q, k, v, need_weights=True)[0], ours),
        "MultiplicativeAttention": Layer(lambda q, k, v: bilinear(q, k, v)[0], bilinear),
        "d2l.DotProductAttention": Layer(lambda q, k, v: theirs(q, k, v, None), theirs),
    }


def additive_layers(case: Case, device: str) -> dict[str, Layer]:
    """Additive attention in two ways."""
    torch.manual_seed(0)
    ours = AdditiveAttention(case.size, case.size, HIDDEN)
    theirs = load_d2l().AdditiveAttention(HIDDEN, 0.0)
    theirs(*[torch.zeros(1, 1, case.size)] * 3, None)  # its maps are made at a call
    for name in ("W_q", "W_k", "w_v"):
        getattr(theirs, name).load_state_dict(getattr(ours, name).state_dict())
    ours.to(device), theirs.to(device)
    return {
        ADDITIVE_OURS: Layer(lambda q, k, v: ours(q, k, v)[0], ours),
        "d2l.AdditiveAttention": Layer(lambda q, k, v: theirs(q, k, v, None), theirs),
    }


def three_inputs(case: Case, device: str) -> list[Tensor]:
    """Query, key and value, each (B, T, D)."""
    return random_sequences(case, device, count=3)


def _cases(*lengths: int) -> tuple[Case, ...]:
    return tuple(Case(BATCH, length, SIZE) for length in lengths)


DOT = Family("dot", _cases(128, 512, 2048), dot_layers, three_inputs, FUSED)
ADDITIVE = Family("additive", _cases(128, 512), additive_layers, three_inputs, ADDITIVE_OURS)
