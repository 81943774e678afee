"""Tables to sets and back; spans that nest, cross and tie; what counts as found."""

import itertools

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnbook.pairs import f1_score, nested_decode, pair_table, pairs_above, span_mask
from tensors import PROPERTY, B, T, randn, says

C = 3


def test_spans_end_where_they_start_or_later_and_are_real():
    lens = torch.tensor([3, 5])
    mask = span_mask(lens, T)
    assert mask.shape == (2, 1, T, T)
    for b, i, j in itertools.product(range(2), range(T), range(T)):
        assert mask[b, 0, i, j] == (i <= j < lens[b])


def test_there_and_back():
    pairs = [{(0, 1, 2), (2, 1, 2), (1, 0, 0)}, set()]
    table = pair_table(pairs, C, T)
    assert table.shape == (B, C, T, T) and table.sum() == 3
    scores = torch.where(table, 1.0, -1.0)
    assert pairs_above(scores) == pairs
    assert pairs_above(scores, threshold=1.0) == [set(), set()]
    assert pairs_above(scores, mask=~table) == [set(), set()]


@pytest.mark.parametrize("pair", [(-1, 1, 2), (0, -1, 2), (0, 1, -1), (C, 1, 2), (0, T, 2), (0, 1, T)])
def test_a_pair_outside_the_table_is_refused(pair):
    with pytest.raises(ValueError, match=says(f"below {(C, T, T)}; got {pair}")):
        pair_table([{(0, 1, 2), pair}], C, T)


def test_spans_lie_in_a_square():
    with pytest.raises(ValueError, match=says("rows 2", "columns 3")):
        nested_decode(torch.zeros(2, 3))


def test_the_threshold_itself_is_not_above():
    assert pairs_above(torch.zeros(1, 1, 2, 2)) == [set()]


def crossing(a, b):
    (i, j), (k, m) = sorted([a, b])
    return i < k <= j < m


def slow_decode(scores, threshold=0.0):
    """Take the best cell that crosses none taken before, until there is none."""
    n, taken = len(scores), []
    while True:
        left = [
            (i, j)
            for i, j in itertools.product(range(n), range(n))
            if i <= j
            and scores[i, j] > threshold
            and (i, j) not in taken
            and not any(crossing((i, j), other) for other in taken)
        ]
        if not left:
            return set(taken)
        taken.append(max(left, key=lambda span: scores[span].item()))


@PROPERTY
@given(st.integers(1, 7), st.integers(0, 10**6), st.floats(-0.5, 0.5))
def test_nested_decoding_as_slowly_as_possible(n, seed, threshold):
    scores = randn(n, n, seed=seed)
    kept = nested_decode(scores, threshold=threshold)
    assert {tuple(s) for s in kept.nonzero().tolist()} == slow_decode(scores, threshold)


def test_nested_spans_stay_and_crossing_ones_go():
    scores = torch.full((5, 5), -1.0)
    for (i, j), score in {(0, 3): 4, (1, 3): 1, (0, 0): 5, (2, 4): 3}.items():
        scores[i, j] = score
    scores[4, 0] = 9  # an end before its start
    kept = nested_decode(scores)
    assert kept.nonzero().tolist() == [[0, 0], [0, 3], [1, 3]]
    scores[2, 4] = 6
    assert nested_decode(scores).nonzero().tolist() == [[0, 0], [2, 4]]


def test_f1_by_hand():
    gold = [{1, 2, 3}, {4}]
    assert f1_score(gold, gold) == 1
    # 2 hits of 3 found, 4 to find: precision 2/3, recall 1/2
    assert f1_score([{1, 2, 9}, set()], gold) == pytest.approx(4 / 7)
    assert f1_score([set()], [set()]) == 1 and f1_score([set()], [{1}]) == 0


def test_wrong_tables_errors():
    with pytest.raises(ValueError, match=says("scores must have 2 axes")):
        nested_decode(torch.zeros(1, 3, 3))
    with pytest.raises(ValueError, match=says("scores must have 4 axes")):
        pairs_above(torch.zeros(1, 3, 3))
    scores = torch.zeros(1, 2, 3, 3)
    with pytest.raises(TypeError, match=says("mask must be a bool tensor", "float32")):
        pairs_above(scores, torch.ones(1, 1, 3, 3))
    with pytest.raises(ValueError, match=says("mask is (4, 3)", "does not broadcast")):
        pairs_above(scores, torch.ones(4, 3) > 0)
    with pytest.raises(ValueError, match=says("mask is (2, 1, 2, 3, 3)")):
        pairs_above(scores, torch.ones(2, 1, 2, 3, 3) > 0)


def test_scores_that_are_nan_are_no_answer():
    """They are above no threshold, as the scores of a model that finds nothing; where none count, they may be."""
    scores = torch.ones(2, 1, 3, 3)
    scores[1, 0, 2, 1] = torch.nan
    with pytest.raises(ValueError, match="scores are NaN: its training diverged"):
        pairs_above(scores)
    forwards = span_mask(torch.tensor([3, 2]), 3)
    assert len(pairs_above(scores, forwards)[1]) == 3
    assert nested_decode(scores[1, 0]).any()
    with pytest.raises(ValueError, match="scores are NaN: its training diverged"):
        nested_decode(scores[1, 0].T)
