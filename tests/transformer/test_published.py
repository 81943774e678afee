"""Numbers that other libraries' own tests expect, reproduced: facts, with where they stand.

PyTorch (test/test_transformers.py, test_transformerencoderlayer; test/test_nn.py, test_transformerdecoder): every
parameter holds cos(0), cos(1), …; inputs and outputs stand there as (T, B, D).
torchtune (tests/torchtune/modules/test_position_embeddings.py and test_attention.py, 2024), there computed with Llama's
own code: inputs are normal numbers of a seed, weights are ramps from 0 to 1.
"""

import pytest
import torch
from torch import nn

from attnbook.attention import MultiHeadAttention, RotaryPositions, causal_mask
from attnbook.transformer import DecoderLayer, EncoderLayer

FIVE = [
    [[0.7462, 0.6653, 0.5679, 0.4891], [0.5387, 0.1655, 0.3565, 0.0471]],
    [[0.8335, 0.2799, 0.5031, 0.2947], [0.1402, 0.0318, 0.7636, 0.1346]],
    [[0.6333, 0.9344, 0.1376, 0.9938], [0.8924, 0.2872, 0.6692, 0.2944]],
    [[0.9897, 0.6915, 0.3154, 0.1733], [0.8645, 0.3513, 0.3064, 0.0767]],
    [[0.8117, 0.2366, 0.4838, 0.7881], [0.3718, 0.4945, 0.9511, 0.0864]],
]
THREE = [
    [[0.4517, 0.6793, 0.5313, 0.0034], [0.2678, 0.3677, 0.4459, 0.7166]],
    [[0.8100, 0.3716, 0.4096, 0.1976], [0.6958, 0.8844, 0.6081, 0.8315]],
    [[0.0494, 0.9343, 0.5955, 0.3830], [0.5404, 0.3464, 0.9378, 0.6200]],
]


def tensor(numbers):
    return torch.tensor(numbers, dtype=torch.float32).transpose(0, 1)  # (B, T, D)


def cosines(layer):
    with torch.no_grad():
        for p in layer.parameters():
            p.copy_(torch.arange(p.numel(), dtype=p.dtype).cos().view(p.shape))
    return layer.eval()


def both_ways(call, expected, tolerance):
    for need_weights in (True, False):
        torch.testing.assert_close(call(need_weights), tensor(expected), rtol=0, atol=tolerance)


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        ([[[20, 30, 40, 50]]], [[[2.258703, 0.127985, -0.697881, 0.170862]]]),
        (
            [[[1, 2, 3, 4]], [[5, 6, 7, 8]]],
            [[[2.272644, 0.119035, -0.691669, 0.153486]]] * 2,
        ),
        (
            FIVE,
            [
                [[2.428589, 0.020835, -0.602055, -0.085249], [2.427987, 0.021213, -0.602496, -0.084103]],
                [[2.424689, 0.019155, -0.604793, -0.085672], [2.413863, 0.022211, -0.612486, -0.072490]],
                [[2.433774, 0.021598, -0.598343, -0.087548], [2.425104, 0.019748, -0.604515, -0.084839]],
                [[2.436185, 0.022682, -0.596625, -0.087261], [2.433556, 0.021891, -0.598509, -0.086832]],
                [[2.416246, 0.017512, -0.610712, -0.082961], [2.422901, 0.024187, -0.606178, -0.074929]],
            ],
        ),
    ],
)  # fmt: skip
def test_pytorchs_encoder_layer(x, expected):
    layer = cosines(EncoderLayer(4, 2, 16))
    both_ways(lambda w: layer(tensor(x), need_weights=w)[0], expected, 3e-6)


def test_pytorchs_encoder_layer_with_padding():
    """There the first sentence hides its key 1, which a length cannot say: a mask does."""
    layer, real = cosines(EncoderLayer(4, 2, 16)), torch.ones(2, 1, 5, dtype=torch.bool)
    real[0, 0, 1] = real[1, 0, 3] = real[1, 0, 4] = False
    expected = [
        [[2.429026, 0.020793, -0.601741, -0.085642], [2.428811, 0.021445, -0.601912, -0.084252]],
        [[2.425009, 0.019155, -0.604566, -0.085899], [2.415408, 0.02249, -0.611415, -0.073]],
        [[2.434199, 0.021682, -0.598039, -0.087699], [2.42598, 0.019941, -0.603896, -0.085091]],
        [[2.436457, 0.022736, -0.59643, -0.08736], [2.434021, 0.022093, -0.598179, -0.08679]],
        [[2.416531, 0.017498, -0.610513, -0.083181], [2.4242, 0.024653, -0.605266, -0.074959]],
    ]  # fmt: skip
    both_ways(lambda w: layer(tensor(FIVE), mask=real, need_weights=w)[0], expected, 3e-6)  # fmt: skip


@pytest.mark.parametrize(
    ("x", "memory", "expected", "activation"),
    [
        ([[[20, 30, 40, 50]]], [[[60, 70, 80, 90]]], [[[2.314351, 0.094805, -0.671322, 0.101977]]], "relu"),
        ([[[20, 30, 40, 50]]], [[[60, 70, 80, 90]]], [[[2.306435, 0.095946, -0.675796, 0.10687]]], "gelu"),
        ([[[9, 10, 11, 12]], [[11, 12, 13, 14]]], [[[1, 2, 3, 4]]],
         [[[2.422245, 0.051716, -0.606338, -0.024756]]] * 2, "relu"),
        ([[[1, 2, 3, 4]], [[5, 6, 7, 8]]], [[[9, 10, 11, 12]], [[11, 12, 13, 14]]],
         [[[2.343536, 0.085561, -0.654954, 0.074991]]] * 2, "relu"),
    ],
)  # fmt: skip
def test_pytorchs_decoder_layer(x, memory, expected, activation):
    layer = cosines(DecoderLayer(4, 2, 16, activation=activation))
    both_ways(lambda w: layer(tensor(x), tensor(memory), need_weights=w)[0], expected, 3e-5)


def test_pytorchs_decoder_layer_with_padding():
    layer, x, memory = cosines(DecoderLayer(4, 2, 16)), tensor(THREE), tensor(FIVE)
    plain = [
        [[2.430065, 0.027862, -0.601136, -0.073096], [2.431935, 0.028907, -0.599809, -0.072488]],
        [[2.428457, 0.027053, -0.602275, -0.073462], [2.431970, 0.029387, -0.599789, -0.071621]],
        [[2.431934, 0.028196, -0.599802, -0.073809], [2.432306, 0.028858, -0.599542, -0.072846]],
    ]  # fmt: skip
    both_ways(lambda w: layer(x, memory, need_weights=w)[0], plain, 3e-6)
    own = [
        [[2.430025, 0.027643, -0.601164, -0.073476], [2.4323, 0.029375, -0.599553, -0.071881]],
        [[2.428523, 0.026838, -0.602226, -0.07391], [2.432634, 0.029842, -0.599318, -0.071253]],
        [[2.432278, 0.028152, -0.599555, -0.074139], [2.432659, 0.029244, -0.599294, -0.072382]],
    ]  # fmt: skip
    mask = (torch.arange(3) < torch.tensor([[2], [1]]))[:, None]
    both_ways(lambda w: layer(x, memory, mask=mask, need_weights=w)[0], own, 3e-6)
    across = [
        [[2.429757, 0.027358, -0.601351, -0.073816], [2.432692, 0.028583, -0.599263, -0.073634]],
        [[2.428247, 0.02662, -0.602419, -0.074123], [2.432657, 0.029055, -0.599293, -0.072732]],
        [[2.431515, 0.027687, -0.600096, -0.074459], [2.433075, 0.028543, -0.598987, -0.073985]],
    ]  # fmt: skip
    lens = torch.tensor([4, 3])
    both_ways(lambda w: layer(x, memory, memory_lens=lens, need_weights=w)[0], across, 3e-6)


def test_llamas_rotary_positions():
    torch.manual_seed(0)
    x = torch.randn(4, 2048, 32, 128).transpose(1, 2)  # (B, H, T, Dh)
    rotated = RotaryPositions()(x)
    found = [rotated.mean().item(), rotated.sum().item(), rotated.max().item()]
    assert found == pytest.approx([6.4543e-05, 2165.7053, 5.4546], rel=1e-4)


class Ramp(nn.Module):
    """The linear map whose weight (rows, columns) counts evenly from 0 to 1: of rank 2, and computed so.

    Args:
        order: its rows, in the order in which they are wanted.
        rows, columns: as the weight was made.
    """

    def __init__(self, order, rows, columns):
        super().__init__()
        self.order, self.columns, self.last = order, columns, rows * columns - 1

    def forward(self, x):
        along = x @ (torch.arange(self.columns, dtype=x.dtype) / self.last)
        down = self.order.to(x.dtype) * self.columns / self.last
        return along.unsqueeze(-1) + x.sum(-1, keepdim=True) * down


@pytest.mark.parametrize(("groups", "mean"), [(8, -2852.556641), (1, -5087.197754)])
def test_llamas_grouped_and_multi_query_attention(groups, mean):
    """32 heads of 128 features, 2048 positions; torchtune's rows are each group's queries, its keys, its values."""
    layer = MultiHeadAttention(4096, 32, num_kv_heads=groups, bias=False, rotary=RotaryPositions()).eval()
    rows = torch.arange((32 + 2 * groups) * 128).view(groups, 32 // groups + 2, 128)
    parts = rows[:, :-2], rows[:, -2], rows[:, -1]
    order = torch.cat([part.flatten() for part in parts])
    layer.W_qkv = Ramp(order, len(order), 4096)
    layer.W_o = Ramp(torch.arange(4096), 4096, 4096)
    torch.manual_seed(16)
    x = torch.randn(4, 2048, 4096)
    with torch.no_grad():
        output, _ = layer(x, mask=causal_mask(2048))
    assert output.mean().item() == pytest.approx(mean, rel=1e-4)
