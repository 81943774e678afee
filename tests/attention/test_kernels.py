"""Four kernels: values by hand, shapes of the curves, and the areas that tell them apart."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnbook.attention import KERNELS, boxcar, epanechnikov, gaussian, triangular
from attnbook.attention.kernels import get_kernel
from tensors import DEVICES, HALF, PROPERTY, S, T, close, randn, says

ALL = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)


@pytest.mark.parametrize(
    ("kernel", "u", "expected"),
    [
        (gaussian, 1.0, math.exp(-0.5)),
        (gaussian, -2.0, math.exp(-2)),
        (boxcar, 0.999, 1.0),
        (boxcar, -1.0, 1.0),  # the edge counts as within
        (boxcar, 1.001, 0.0),
        (triangular, 0.25, 0.75),
        (triangular, -0.5, 0.5),
        (triangular, 1.5, 0.0),
        (epanechnikov, 0.5, 0.75),
        (epanechnikov, -0.1, 0.99),
        (epanechnikov, 1.5, 0.0),
    ],
)
def test_by_hand(kernel, u, expected):
    close(kernel(torch.tensor(u, dtype=torch.float64)), torch.tensor(expected, dtype=torch.float64))


@pytest.mark.parametrize(
    ("kernel", "area"), [(gaussian, math.sqrt(2 * math.pi)), (boxcar, 2), (triangular, 1), (epanechnikov, 4 / 3)]
)
def test_area(kernel, area):
    """The constants that the book leaves out; the triangular and the Epanechnikov kernel differ in them."""
    u = torch.linspace(-9, 9, 180_001, dtype=torch.float64)
    assert torch.trapezoid(kernel(u), u).item() == pytest.approx(area, abs=2e-4)


@ALL
@PROPERTY
@given(u=st.lists(st.floats(-5, 5), min_size=2, max_size=20))
def test_one_at_zero_even_never_negative_and_falling(kernel, u):
    u = torch.tensor(u, dtype=torch.float64).abs().sort().values
    weights = kernel(u)
    assert torch.equal(weights, kernel(-u))
    assert ((weights >= 0) & (weights <= 1)).all()
    assert (weights.diff() <= 0).all()
    assert kernel(torch.zeros(1)).item() == 1


@pytest.mark.parametrize("kernel", [boxcar, triangular, epanechnikov])
def test_compact_kernels_end_at_one_width(kernel):
    assert (kernel(torch.tensor([1.01, -1.01, 7.0, 1e30])) == 0).all()


def test_the_gaussian_never_ends_before_the_numbers_do():
    assert (gaussian(torch.tensor([3.0, 10.0])) > 0).all()


@ALL
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, *HALF])
@pytest.mark.parametrize("device", DEVICES)
def test_dtype_shape_and_device_follow_the_input(kernel, dtype, device):
    u = randn(T, S, dtype=dtype, device=device)
    weights = kernel(u)
    assert (weights.dtype, weights.shape, weights.device) == (u.dtype, u.shape, u.device)
    close(weights.double(), kernel(u.double()), 4e-3 if dtype == torch.bfloat16 else 1e-3)
    assert kernel(torch.empty(0, S)).shape == (0, S)
    assert kernel(torch.empty(T, S, device="meta")).device.type == "meta"


@ALL
def test_the_argument_is_left_alone_and_strides_do_not_matter(kernel):
    u = randn(T, S)
    before = u.clone()
    close(kernel(u.T), kernel(u).T.contiguous())
    assert torch.equal(u, before)


@ALL
def test_very_large_distances_in_half_precision_are_finite(kernel):
    assert kernel(torch.tensor([300.0, 6e4], dtype=torch.float16)).tolist() == [0, 0]


@pytest.mark.parametrize("kernel", [gaussian, triangular, epanechnikov])
def test_gradient(kernel):
    u = torch.tensor([-1.7, -0.6, -0.2, 0.3, 0.8, 1.4], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(kernel, u)


def test_names():
    assert list(KERNELS) == ["gaussian", "boxcar", "triangular", "epanechnikov"]
    for name, kernel in KERNELS.items():
        assert kernel.__name__ == name
        assert get_kernel(name) is kernel
        assert get_kernel(kernel) is kernel


@ALL
def test_numbers_are_no_tensors(kernel):
    with pytest.raises(TypeError, match=says("u must be a torch.Tensor", "float", "as_tensor")):
        kernel(0.5)
    with pytest.raises(TypeError, match=says("u must be a floating-point tensor", "torch.int64")):
        kernel(torch.tensor([1]))


def test_unknown_kernels():
    with pytest.raises(ValueError, match=says("no kernel is called 'gauss'", "gaussian, boxcar", "function of u")):
        get_kernel("gauss")
    with pytest.raises(TypeError, match=says("kernel must be a function, got int", "gaussian, box", "function of u")):
        get_kernel(3)
