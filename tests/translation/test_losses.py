"""The masked loss: PyTorch's own numbers, a loop, and padding that does not count."""

import math

import pytest
import torch
import torch.nn.functional as F

from attnbook.translation import masked_cross_entropy
from tensors import close, randn, says

B, T, V = 3, 5, 7
TARGET = torch.tensor([[4, 6, 2, 0, 0], [3, 2, 0, 0, 0], [5, 6, 4, 3, 2]])


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.5])
def test_it_is_pytorchs_in_value_and_gradient(smoothing):
    logits = randn(B, T, V, grad=True)
    found = masked_cross_entropy(logits, TARGET, label_smoothing=smoothing)
    expected = F.cross_entropy(logits.flatten(0, 1), TARGET.flatten(), ignore_index=0, label_smoothing=smoothing)
    close(found, expected)
    gradients = [torch.autograd.grad(loss, logits)[0] for loss in (found, expected)]
    close(*gradients)
    assert (gradients[0][TARGET == 0] == 0).all()


def test_by_hand():
    logits = torch.tensor([[[0.0, 0, 0, 0], [0.0, math.log(3), 0, 0], [9.0, 0, 0, 0]]])
    target = torch.tensor([[2, 1, 0]])  # p = 1/4, then 1/2; the third is padding
    found = masked_cross_entropy(logits, target)
    assert float(found) == pytest.approx((math.log(4) + math.log(2)) / 2)


def test_what_stands_at_padding_does_not_matter():
    logits = randn(B, T, V)
    other = torch.where((TARGET == 0)[..., None], randn(B, T, V, seed=1), logits)
    close(masked_cross_entropy(logits, TARGET), masked_cross_entropy(other, TARGET))
    longer = F.pad(logits, (0, 0, 0, 4)), F.pad(TARGET, (0, 4))
    close(masked_cross_entropy(*longer), masked_cross_entropy(logits, TARGET))


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_padding_may_hold_anything(value, smoothing):
    clean = randn(B, T, V, grad=True)
    padding = (TARGET == 0)[..., None]
    dirty = clean.detach().masked_fill(padding, value).requires_grad_()
    losses = [masked_cross_entropy(x, TARGET, label_smoothing=smoothing) for x in (clean, dirty)]
    close(*losses)
    for loss in losses:
        loss.backward()
    close(dirty.grad, clean.grad)


def test_every_word_counts_the_same_not_every_sentence():
    logits, words = randn(B, T, V), TARGET != 0
    sentences = [masked_cross_entropy(logits[i : i + 1], TARGET[i : i + 1]) for i in range(B)]
    mean_of_means = torch.stack(sentences).mean()
    weighted = sum(s * n for s, n in zip(sentences, words.sum(1), strict=True)) / words.sum()
    found = masked_cross_entropy(logits, TARGET)
    close(found, weighted)
    assert abs(found - mean_of_means) > 1e-3


def test_nothing_but_padding():
    logits = randn(2, 3, V, grad=True)
    loss = masked_cross_entropy(logits, torch.zeros(2, 3, dtype=torch.long))
    loss.backward()
    assert loss.item() == 0 and (logits.grad == 0).all()


def test_another_padding():
    logits = randn(B, T, V)
    for padding in (6, -100):
        target = torch.where(TARGET == 0, padding, TARGET - 1)
        expected = F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=padding)
        close(masked_cross_entropy(logits, target, ignore=padding), expected)


def test_refusals():
    logits = randn(B, T, V)
    with pytest.raises(ValueError, match=says("(3, 4)", "(3, 5, 7)")):
        masked_cross_entropy(logits, TARGET[:, :4])
    with pytest.raises(TypeError, match=says("torch.long", "float32")):
        masked_cross_entropy(logits, TARGET.float())
    for beyond in (-1, V):
        with pytest.raises(ValueError, match=says("from 0 to 6", f"{beyond}")):
            masked_cross_entropy(logits, TARGET.where(TARGET != 6, beyond))
    with pytest.raises(ValueError, match="label_smoothing"):
        masked_cross_entropy(logits, TARGET, label_smoothing=1.0)
    with pytest.raises(ValueError, match="logits"):
        masked_cross_entropy(logits[0], TARGET[0])
