"""The loops are the tests' truth, so they are checked against numbers by hand and against PyTorch."""

import math

import pytest
import torch
import torch.nn.functional as F

import naive
from tensors import DK, DV, HIDDEN, D, S, T, close, coin, randn


def numbers(*values):
    return torch.tensor(values, dtype=torch.float64)


def test_softmax_by_hand():
    assert naive.softmax([0.0, math.log(3)]) == pytest.approx([0.25, 0.75])
    assert naive.softmax([5.0]) == [1.0]
    assert naive.softmax([1000.0, 1000.0]) == [0.5, 0.5]  # exp(1000) alone would overflow
    assert naive.softmax([-1000.0, -1000.0, -3000.0]) == [0.5, 0.5, 0.0]


def test_masked_softmax_by_hand():
    scores = numbers([0.0, 9.0, math.log(3)], [1.0, 2.0, 3.0])
    mask = torch.tensor([[True, False, True], [False, False, False]])
    close(naive.masked_softmax(scores, mask), numbers([0.25, 0, 0.75], [0, 0, 0]))


def test_masked_softmax_against_pytorch():
    scores, mask = randn(T, S), coin(T, S) | (torch.arange(S) == 3)
    close(naive.masked_softmax(scores, mask), scores.masked_fill(~mask, -torch.inf).softmax(-1))


def test_average_by_hand():
    output = naive.average(numbers([0.5, 0.5, 0], [0, 0.25, 0.75]), numbers([1, 10], [3, 20], [5, 40]))
    close(output, numbers([2, 15], [4.5, 35]))


def test_nadaraya_watson_by_hand():
    """At the query 1 the keys 0 and 2 are equally far; at 0 the nearer one counts e^2 times as much."""
    middle, left = naive.nadaraya_watson([1.0, 0.0], [0.0, 2.0], [10.0, 30.0])
    assert middle == pytest.approx(20)
    assert left == pytest.approx((10 * math.e**2 + 30) / (math.e**2 + 1))
    [wide] = naive.nadaraya_watson([0.0], [0.0, 2.0], [10.0, 30.0], width=2.0)
    assert wide == pytest.approx((10 * math.e**0.5 + 30) / (math.e**0.5 + 1))


def test_dot_product_attention_against_pytorch():
    query, key, value = randn(T, D), randn(S, D, seed=1), randn(S, DV, seed=2)
    mask = coin(T, S) | (torch.arange(S) == 3)
    output, weights = naive.dot_product_attention(query, key, value, mask)
    close(output, F.scaled_dot_product_attention(query, key, value, attn_mask=mask))
    close(weights @ value, output)


def test_additive_attention_against_tensor_expressions():
    query, key, value = randn(T, D), randn(S, DK, seed=1), randn(S, DV, seed=2)
    W_q, W_k, w_v = (randn(HIDDEN, D, seed=3), randn(HIDDEN, DK, seed=4), randn(HIDDEN, seed=5))
    mask = coin(T, S) | (torch.arange(S) == 3)
    output, weights = naive.additive_attention(query, key, value, W_q, W_k, w_v, mask)
    hidden = F.linear(query, W_q)[:, None] + F.linear(key, W_k)
    scores = (hidden.tanh() * w_v).sum(-1)
    close(weights, scores.masked_fill(~mask, -torch.inf).softmax(-1))
    close(output, weights @ value)
