"""The bare layers, against formulas written another way and PyTorch's modules."""

import pytest
import torch
from torch import nn

from attnbook.studies import bare_attention, bare_recurrence, fused_or_not


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


def test_a_batch_is_its_texts_one_by_one():
    x, W, U = numbers(3, 7, 5), numbers(5, 5), numbers(5, 5) / 2
    for layer in (bare_attention, lambda text: bare_recurrence(text, W, U)):
        torch.testing.assert_close(layer(x), torch.stack([layer(text) for text in x]))


@pytest.mark.parametrize(
    "options, which", [({}, "fused"), ({"is_causal": True}, "fused"), ({"dropout_p": 0.5}, "plain formula")]
)
def test_the_kernel_is_told_by_its_operations(options, which):
    assert fused_or_not(numbers(1, 2, 7, 5), **options) == which
