"""The three bare layers, against formulas written another way and PyTorch's modules."""

import pytest
import torch
from torch import nn

from attnbook.studies import bare_attention, bare_convolution, bare_recurrence


def numbers(*shape):
    generator = torch.Generator().manual_seed(sum(shape))
    return 0.5 * torch.randn(*shape, generator=generator, dtype=torch.float64)


def test_bare_attention_is_pytorchs_on_one_sequence():
    x = numbers(7, 5)
    theirs = nn.functional.scaled_dot_product_attention(*[x[None]] * 3)[0]
    torch.testing.assert_close(bare_attention(x), theirs)


def test_the_bare_recurrence_is_an_rnn_without_biases():
    x, W, U = numbers(7, 5), numbers(5, 5), numbers(5, 5) / 2
    theirs = nn.RNN(5, 5, bias=False, batch_first=True).double()
    theirs.weight_ih_l0.data, theirs.weight_hh_l0.data = W.T, U.T
    torch.testing.assert_close(bare_recurrence(x, W, U), theirs(x[None])[0][0])


@pytest.mark.parametrize("dilation", [1, 2])
def test_the_bare_convolution_by_a_loop(dilation):
    x, kernel = numbers(7, 5), numbers(5, 5, 3)
    wanted = torch.zeros_like(x)
    for t in range(7):
        for k in range(3):
            if 0 <= (s := t + (k - 1) * dilation) < 7:
                wanted[t] += kernel[:, :, k] @ x[s]
    torch.testing.assert_close(bare_convolution(x, kernel, dilation), wanted)
