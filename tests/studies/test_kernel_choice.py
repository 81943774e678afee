"""Kernels at one spread, and distances that measure more than what matters."""

import pytest
import torch

from attnbook.attention import KERNELS, average_pooling, nadaraya_watson
from attnbook.data import kernel_regression_data
from attnbook.studies import REACH, errors_by_spread, errors_with_coordinates


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_of_its_reach_has_standard_deviation_1(name):
    u = torch.linspace(-9, 9, 180_001, dtype=torch.float64)
    density = KERNELS[name](u / REACH[name])
    variance = (u**2 * density).sum() / density.sum()
    assert abs(variance.item() - 1) < 1e-3


def test_errors_are_those_of_the_package():
    data = kernel_regression_data(n=30, seed=1)
    guess, _ = nadaraya_watson(data.x_query, data.x_train, data.y_train, kernel="boxcar", width=0.3 * 3**0.5)
    errors = errors_by_spread("boxcar", (0.2, 0.3), n=30, draws=2)
    assert errors.shape == (2, 2)
    torch.testing.assert_close(errors[1, 1], ((guess - data.truth) ** 2).mean())


def test_idle_coordinates_cost_more_the_more_there_are():
    none, one, four, sixteen = errors_with_coordinates((0, 1, 4, 16), draws=3)
    assert (one < four).all() and (four < sixteen).all()
    assert (sixteen < 1.2 * none).all()


def test_without_coordinates_the_guess_is_the_average():
    query, key = torch.zeros(3, 0), torch.zeros(5, 0)
    value = torch.arange(5.0)
    guess, _ = nadaraya_watson(query, key, value)
    torch.testing.assert_close(guess, average_pooling(query, value)[0])


@pytest.mark.parametrize("name", REACH)
def test_lonely_queries_are_what_narrow_kernels_that_end_suffer_from(name):
    lonely, errors = [], []
    for seed in range(20):
        data = kernel_regression_data(seed=seed)
        guess, weights = nadaraya_watson(
            data.x_query, data.x_train, data.y_train, kernel=name, width=0.05 * REACH[name]
        )
        near = weights.sum(-1) > 0
        lonely.append((~near).sum())
        errors.append(((guess - data.truth)[near] ** 2).mean())
    assert 0.125 < torch.stack(errors).median() < 0.155
    assert torch.stack(lonely).median() in ([0] if name == "gaussian" else range(8, 19))
