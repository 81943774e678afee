"""Every score of a table, one pair at a time; what rotary positions change; what the shared scorer cannot say."""

import pytest
import torch

from attnbook.attention import rotate
from attnbook.pairs import Biaffine, EfficientGlobalPointer, GlobalPointer, MultiHeadSelection, biaffine_score
from tensors import DK, B, D, S, T, close, fill, randn, says

C, DH = 3, 6
SCORERS = [Biaffine, MultiHeadSelection, GlobalPointer, EfficientGlobalPointer]


def tokens(seed=1):
    return randn(B, T, D, seed=seed)


def made(kind, **more):
    return fill(kind(D, C, DH, **more).double())


def test_biaffine_by_loops():
    query, key = randn(B, T, D, seed=2), randn(B, S, DK, seed=3)
    U, w_q, w_k = randn(C, D, DK, seed=4), randn(C, D, seed=5), randn(C, DK, seed=6)
    bias = randn(C, seed=7)
    scores = biaffine_score(query, key, U, w_q, w_k, bias)
    assert scores.shape == (B, C, T, S)
    for b in range(B):
        for c in range(C):
            for i in range(T):
                for j in range(S):
                    q, k = query[b, i], key[b, j]
                    right = q @ U[c] @ k + w_q[c] @ q + w_k[c] @ k + bias[c]
                    close(scores[b, c, i, j], right)


def test_biaffine_wrong_sizes():
    query, key = randn(B, T, D), randn(B, S, DK)
    right = randn(C, D, DK), randn(C, D), randn(C, DK), randn(C)
    with pytest.raises(ValueError, match=says("weight must be (C, Dq, Dk)")):
        biaffine_score(query, key, right[0].mT, *right[1:])
    with pytest.raises(ValueError, match=says("w_k must be (C, Dk)")):
        biaffine_score(query, key, *right[:2], right[1], right[3])


def by_hand(scorer, x, i, j):
    """Scores (C,) of one pair, from the layer's parameters."""
    if isinstance(scorer, Biaffine):
        q, k = scorer.start(x[i]).relu(), scorer.end(x[j]).relu()
        return torch.stack([q @ scorer.weight[c] @ k + scorer.w_q[c] @ q for c in range(C)]) + (
            scorer.w_k @ k + scorer.bias
        )
    if isinstance(scorer, MultiHeadSelection):
        return scorer.w_v((scorer.W_q(x[i]) + scorer.W_k(x[j])).tanh())
    both = scorer.W_qk(x)

    def turned(vectors, at):
        place = torch.tensor([float(at)])
        return rotate(vectors[None], place)[0] if scorer.rotary else vectors

    if isinstance(scorer, GlobalPointer):
        parts = both.reshape(T, C, 2, DH)
        return torch.stack([turned(parts[i, c, 0], i) @ turned(parts[j, c, 1], j) for c in range(C)]) / (DH**0.5)
    shared = turned(both[i, :DH], i) @ turned(both[j, DH:], j) / DH**0.5
    return shared + scorer.name(both[i])[:C] + scorer.name(both[j])[C:]


@pytest.mark.parametrize("kind", SCORERS)
@pytest.mark.parametrize("rotary", [False, True])
def test_every_pair_by_hand(kind, rotary):
    if kind in SCORERS[:2] and rotary:
        return
    more = {"rotary": rotary} if kind in SCORERS[2:] else {}
    scorer, x = made(kind, **more), tokens()
    scores = scorer(x)
    assert scores.shape == (B, C, T, T)
    for b in range(B):
        for i in range(T):
            for j in range(T):
                close(scores[b, :, i, j], by_hand(scorer, x[b], i, j))


@pytest.mark.parametrize("kind", SCORERS)
def test_start_and_end_differ(kind):
    scores = made(kind)(tokens())
    assert (scores - scores.mT).abs().max() > 0.01


@pytest.mark.parametrize("kind", SCORERS[2:])
def test_rotary_scores_know_the_distance_and_nothing_else(kind):
    one = randn(1, 1, D, seed=9).expand(1, T, D)  # the same token everywhere
    scores = made(kind, rotary=True)(one)
    for k in range(1 - T, T):
        diagonal = scores.diagonal(k, -2, -1)
        close(diagonal, diagonal[..., :1].expand_as(diagonal))
    assert (scores[..., 0, 1] - scores[..., 0, 2]).abs().min() > 1e-4
    plain = made(kind, rotary=False)(one)
    close(plain, plain[..., :1, :1].expand_as(plain))


def test_types_of_the_shared_scorer_differ_by_a_start_and_an_end():
    """The difference of two types is a sum of a number per row and one per column."""
    scores = made(EfficientGlobalPointer)(tokens())
    apart = scores[:, 0] - scores[:, 1]
    mixed = apart - apart[:, :1] - apart[:, :, :1] + apart[:, :1, :1]
    close(mixed, torch.zeros_like(mixed))
    scores = made(GlobalPointer)(tokens())
    apart = scores[:, 0] - scores[:, 1]
    mixed = apart - apart[:, :1] - apart[:, :, :1] + apart[:, :1, :1]
    assert mixed.abs().max() > 0.01


@pytest.mark.parametrize("kind", SCORERS)
def test_wrong_tokens_errors(kind):
    with pytest.raises(ValueError, match=says(f"d_model is {D}")):
        kind(D, C, DH)(torch.randn(B, T, D + 1))
    with pytest.raises(ValueError, match=says("x must have 3 axes")):
        kind(D, C, DH)(torch.randn(T, D))
    with pytest.raises((TypeError, ValueError), match="num_types"):
        kind(D, 0, DH)
