"""The data of chapters 2 and 3: the curve by hand, the noise, the seeds."""

import dataclasses
import math

import numpy as np
import pytest
import torch

from attnbook.data import RegressionData, kernel_regression_data, true_curve
from tensors import DEVICES, says

FIELDS = [field.name for field in dataclasses.fields(RegressionData)]


def tensors(data):
    return [getattr(data, name) for name in FIELDS]


def test_the_curve_by_hand():
    x = torch.tensor([0.0, math.pi / 2, math.pi, 1.0], dtype=torch.float64)
    expected = [0, 2 + (math.pi / 2) ** 0.8, math.pi**0.8, 2 * math.sin(1) + 1]
    assert true_curve(x).tolist() == pytest.approx(expected)
    assert true_curve(x.float()).dtype == torch.float32


def test_shapes_and_ranges():
    data = kernel_regression_data()
    assert [tuple(t.shape) for t in tensors(data)] == [(50,), (50,), (100,), (100,)]
    assert all(t.dtype == torch.float32 for t in tensors(data))
    assert (data.x_train.diff() >= 0).all() and data.x_train.min() >= 0 and data.x_train.max() < 5
    assert data.x_train.min() < 0.5 and data.x_train.max() > 4.5
    assert data.x_query.tolist() == pytest.approx([0.05 * i for i in range(100)])
    assert data.truth.tolist() == pytest.approx([2 * math.sin(x) + x**0.8 for x in data.x_query.tolist()], abs=1e-5)


def test_the_numbers_are_those_of_numpys_generator():
    """Uniform points first, then the noise: whoever writes these three lines has the book's data."""
    rng = np.random.default_rng(0)
    x = np.sort(rng.random(50) * 5)
    y = 2 * np.sin(x) + x**0.8 + rng.normal(0, 0.5, 50)
    data = kernel_regression_data(dtype=torch.float64)
    np.testing.assert_allclose(data.x_train.numpy(), x, atol=1e-12)
    np.testing.assert_allclose(data.y_train.numpy(), y, atol=1e-12)


@pytest.mark.parametrize("noise", [0.25, 0.5])
def test_the_noise_is_normal_with_that_standard_deviation(noise):
    data = kernel_regression_data(20_000, noise=noise, dtype=torch.float64)
    residual = (data.y_train - true_curve(data.x_train)) / noise
    assert residual.mean().item() == pytest.approx(0, abs=0.03)
    assert residual.std().item() == pytest.approx(1, abs=0.03)
    assert (residual.abs() < 1).double().mean().item() == pytest.approx(0.683, abs=0.02)
    assert torch.corrcoef(torch.stack([residual, data.x_train]))[0, 1].abs() < 0.03


def test_without_noise_the_points_lie_on_the_curve():
    data = kernel_regression_data(noise=0)
    torch.testing.assert_close(data.y_train, true_curve(data.x_train))


def test_seeds():
    first, again, other = (kernel_regression_data(seed=seed) for seed in (3, 3, 4))
    assert all(torch.equal(a, b) for a, b in zip(tensors(first), tensors(again), strict=True))
    assert not torch.equal(first.x_train, other.x_train)
    assert torch.equal(first.x_query, other.x_query)


def test_the_global_random_state_is_left_alone():
    before = torch.get_rng_state(), np.random.get_state()[1].tolist()  # noqa: NPY002
    kernel_regression_data(seed=3)
    assert torch.equal(torch.get_rng_state(), before[0])
    assert np.random.get_state()[1].tolist() == before[1]  # noqa: NPY002


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16])
def test_dtype(dtype):
    assert all(t.dtype == dtype for t in tensors(kernel_regression_data(dtype=dtype)))


@pytest.mark.parametrize("device", ["meta", *DEVICES])
def test_to_another_device(device):
    moved = kernel_regression_data().to(torch.device(device))
    assert isinstance(moved, RegressionData)
    assert all(t.device.type == device for t in tensors(moved))
    assert moved.x_train.shape == (50,) and moved.truth.shape == (100,)
    if device != "meta":
        for name in FIELDS:
            assert torch.equal(getattr(moved, name).cpu(), getattr(kernel_regression_data(), name))


def test_the_data_cannot_be_changed_by_mistake():
    with pytest.raises(dataclasses.FrozenInstanceError):
        kernel_regression_data().x_train = None


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: kernel_regression_data(0), ValueError, ("n must be at least 1, got 0",)),
        (lambda: kernel_regression_data(2.5), TypeError, ("n must be an integer", "float")),
        (
            lambda: kernel_regression_data(noise=-0.1),
            ValueError,
            ("noise must be a finite number of at least 0", "got -0.1"),
        ),
        (lambda: kernel_regression_data(noise=math.nan), ValueError, ("finite number of at least 0", "got nan")),
        (lambda: kernel_regression_data(noise=math.inf), ValueError, ("finite number of at least 0", "got inf")),
        (lambda: true_curve(1.0), TypeError, ("x must be a torch.Tensor", "float")),
        (lambda: true_curve(torch.tensor([1])), TypeError, ("x must be a floating-point tensor", "int64")),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=says(*message)):
        call()
