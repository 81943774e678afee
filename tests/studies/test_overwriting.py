"""Memories filled with random pairs: what they read back, against loops and least squares."""

import pytest
import torch

from attnbook.attention import recurrent_memory
from attnbook.studies import best_step, draw_pairs, fill_memory, read_rightly, recalled


@pytest.mark.parametrize("common", [0.0, 0.5])
def test_keys_have_length_one_and_what_they_share(common):
    key, value = draw_pairs(300, common)
    torch.testing.assert_close(key.norm(dim=-1), torch.ones(300, dtype=torch.float64))
    products = (key @ key.T)[~torch.eye(300, dtype=torch.bool)]
    assert abs(products.mean() - common) < 0.05
    assert value.shape == (300, 32)


@pytest.mark.parametrize("step", [0.25, 1.0])
def test_a_number_is_the_step_of_a_delta_rule(step):
    key, value = draw_pairs(7)
    beta = torch.full((7,), step, dtype=torch.float64)
    theirs = recurrent_memory(key, key, value, beta=beta)[1]
    torch.testing.assert_close(fill_memory(step, key, value), theirs)


def test_linear_is_a_sum_and_decay_fades():
    key, value = draw_pairs(3)
    torch.testing.assert_close(fill_memory("linear", key, value), value.T @ key)
    fading = torch.tensor([(31 / 32) ** 2, 31 / 32, 1.0], dtype=torch.float64)
    torch.testing.assert_close(fill_memory("decay", key, value), (fading[:, None] * value).T @ key)


def test_least_squares_fits_as_many_pairs_as_features():
    key, value = draw_pairs(32)
    torch.testing.assert_close(key @ fill_memory("least squares", key, value).mT, value)
    assert recalled("least squares", 32, seeds=range(2)).mean() == 1


def test_the_scale_of_an_answer_does_not_count():
    value = torch.eye(3, dtype=torch.float64)
    assert read_rightly(100 * value, value, torch.tensor([0, 1, 0])).tolist() == [1, 1, 0]


def test_the_answers_of_a_sum_are_as_much_too_long_as_the_chapter_says():
    found = []
    for seed in range(20):
        key, value = draw_pairs(64, seed=seed)
        found.append((key @ fill_memory("linear", key, value).mT).norm() / value.norm())
    assert torch.stack(found).mean().item() == pytest.approx((1 + 63 / 32) ** 0.5, abs=0.05)


def test_rows_are_draws_and_columns_ages():
    rows = recalled(1.0, 16, seeds=range(3))
    assert rows.shape == (3, 16) and set(rows.unique().tolist()) <= {0.0, 1.0}
    assert rows[:, -1].tolist() == [1, 1, 1]  # just written


def test_the_best_step_is_small_where_keys_share_nothing():
    assert best_step(64) <= 0.25
