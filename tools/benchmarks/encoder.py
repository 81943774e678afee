"""A whole encoder layer: the book's and PyTorch's, both as in the Transformer paper (norm after the sum, ReLU)."""

import torch
from torch import nn

from attnbook.interop import from_torch_encoder_layer
from tools.benchmarks.family import Case, Family, Layer, bars_against, padded_sequences
from tools.benchmarks.multihead import SIZES

OURS, TORCH = "EncoderLayer", "nn.TransformerEncoderLayer"


def encoder_layers(case: Case, device: str) -> dict[str, Layer]:
    """Two layers with one set of weights, hidden width 4 D, without dropout."""
    torch.manual_seed(0)
    theirs = nn.TransformerEncoderLayer(case.size, case.heads, 4 * case.size, dropout=0.0, batch_first=True).to(device)
    ours = from_torch_encoder_layer(theirs)
    return {
        TORCH: Layer(lambda x, lens, blocked: theirs(x, src_key_padding_mask=blocked), theirs),
        OURS: Layer(lambda x, lens, blocked: ours(x, valid_lens=lens)[0], ours),
    }


ENCODER_LAYER = Family(
    "encoder-layer",
    tuple(Case(*size, 256, 8, padding) for size in SIZES for padding in (False, True)),
    encoder_layers,
    padded_sequences,
    reference=TORCH,
    bars=bars_against(OURS, TORCH),
)
