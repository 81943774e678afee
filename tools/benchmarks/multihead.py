"""Multi-head self-attention: the book's layer, PyTorch's, d2l's."""

import torch

from attnbook.interop import from_d2l_attention, load_d2l, to_torch_attention
from tools.benchmarks.family import Bar, Case, Family, Layer, bars_against, padded_sequences

OURS, TORCH = "MultiHeadAttention", "nn.MultiheadAttention"
D2L = "d2l.MultiHeadAttention"
SIZES = ((8, 128), (8, 512), (1, 2048))


def multi_head_layers(case: Case, device: str) -> dict[str, Layer]:
    """Three layers with one set of weights; each is told of padding in its own way."""
    torch.manual_seed(0)
    d2l = load_d2l().MultiHeadAttention(case.size, case.heads, 0.0, bias=True)
    d2l(*[torch.zeros(1, 1, case.size)] * 3, None)  # its maps are made at a call
    ours = from_d2l_attention(d2l)
    theirs = to_torch_attention(ours)
    for module in (d2l, ours, theirs):
        module.to(device)
    return {
        TORCH: Layer(lambda x, lens, blocked: theirs(x, x, x, key_padding_mask=blocked, need_weights=False)[0], theirs),
        OURS: Layer(lambda x, lens, blocked: ours(x, valid_lens=lens)[0], ours),
        D2L: Layer(lambda x, lens, blocked: d2l(x, x, x, lens), d2l),
    }


MULTI_HEAD = Family(
    "multi-head",
    tuple(Case(*size, 256, 8, padding) for size in SIZES for padding in (False, True)),
    multi_head_layers,
    padded_sequences,
    reference=TORCH,
    bars=(
        *bars_against(OURS, TORCH),
        Bar("time", "both", OURS, D2L, 0.5, only=lambda case: case.length == 2048),
        Bar("slope", "both", OURS, None, 1.1),
    ),
    sweep=tuple(Case(1, length, 256, 8) for length in (512, 1024, 2048, 4096)),
)
