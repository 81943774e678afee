"""The loss by its formula, on the page's small numbers, under a mask, at its extremes, and its gradient."""

import math

import pytest
import torch

from attnbook.pairs import binary_loss, pair_loss
from tensors import B, S, T, close, coin, randn, says

C = 3


def test_the_formula_by_loops():
    scores, target = 2 * randn(B, C, T, S), coin(B, C, T, S)
    mask = coin(B, 1, T, S, seed=5)
    total = 0.0
    for b in range(B):
        for c in range(C):
            low = high = 1.0
            for i in range(T):
                for j in range(S):
                    if not mask[b, 0, i, j]:
                        continue
                    s = scores[b, c, i, j].item()
                    if target[b, c, i, j]:
                        low += math.exp(-s)
                    else:
                        high += math.exp(s)
            total += math.log(low) + math.log(high)
    close(pair_loss(scores, target, mask).item(), total / (B * C))


def test_one_softmax_says_the_same():
    """log Σ over all comparisons: each right pair and the threshold against each wrong pair and the threshold."""
    scores, target = randn(T, S), coin(T, S)
    right = torch.cat([scores[target], torch.zeros(1)])
    wrong = torch.cat([scores[~target], torch.zeros(1)])
    product = (wrong[None] - right[:, None]).exp().sum().log()
    close(pair_loss(scores, target), product)


def test_the_push_on_all_wrong_pairs_is_below_one():
    scores = (3 * randn(T, S)).requires_grad_()
    target = torch.zeros(T, S, dtype=torch.bool)
    target[1, 2] = True
    pair_loss(scores, target).backward()
    e = scores.detach()[~target].exp()
    close(scores.grad[~target], e / (1 + e.sum()))
    assert 0 < scores.grad[~target].sum() < 1 and scores.grad[1, 2] < 0


def test_large_scores_are_finite():
    scores = torch.tensor([[1e4, -1e4], [-1e4, 1e4]])
    right = scores > 0
    assert pair_loss(scores, right) == 0
    close(pair_loss(scores, ~right), torch.tensor(2e4), 2.0)  # 2 log 2 more
    scores.requires_grad_()
    pair_loss(scores, ~right).backward()
    assert scores.grad.isfinite().all()


def test_a_table_without_right_pairs_and_one_without_pairs():
    nothing = torch.zeros(2, 2, dtype=torch.bool)
    scores = torch.zeros(2, 2, dtype=torch.float64)
    close(pair_loss(scores, nothing).item(), math.log(5))
    assert pair_loss(scores, nothing, mask=nothing) == 0


@pytest.mark.parametrize("loss", [pair_loss, binary_loss])
def test_no_pair_counts(loss):
    scores = randn(B, C, T, S, grad=True)
    nothing = torch.zeros(T, S, dtype=torch.bool)
    found = loss(scores, coin(B, C, T, S), nothing)
    found.backward()
    assert found == 0 and (scores.grad == 0).all()


@pytest.mark.parametrize("loss", [pair_loss, binary_loss])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_does_not_count_may_hold_anything(loss, value):
    target, mask = coin(B, C, T, S), coin(T, S, seed=4)
    clean = randn(B, C, T, S, grad=True)
    dirty = clean.detach().masked_fill(~mask, value).requires_grad_()
    losses = [loss(scores, target, mask) for scores in (clean, dirty)]
    close(*losses)
    for one in losses:
        one.backward()
    close(dirty.grad, clean.grad)


def test_binary_by_formula():
    scores, target, mask = randn(B, C, T, S), coin(B, C, T, S), coin(1, 1, T, S, seed=4)
    signed = torch.where(target, scores, -scores)
    right = -signed.sigmoid().log()[mask.expand_as(scores)].mean()
    close(binary_loss(scores, target, mask), right)


@pytest.mark.parametrize("loss", [pair_loss, binary_loss])
def test_wrong_arguments_errors(loss):
    with pytest.raises(TypeError, match=says("target must be a bool tensor", "got list")):
        loss(randn(1, 2), [[True, False]])
    with pytest.raises(TypeError, match=says("target must be a bool tensor")):
        loss(randn(T, S), torch.ones(T, S))
    with pytest.raises(ValueError, match=says("they must agree")):
        loss(randn(T, S), coin(S, T))
    with pytest.raises(TypeError, match=says("mask must be a bool tensor")):
        loss(randn(T, S), coin(T, S), torch.ones(T, S))
    with pytest.raises(ValueError, match=says("mask is (7, 5)", "(5, 7)")):
        loss(randn(T, S), coin(T, S), coin(S, T))
