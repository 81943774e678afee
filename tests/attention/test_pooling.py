"""Attention pooling and kernel regression: against loops, by hand, and the numbers that the book prints."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import naive
from attnbook.attention import (
    KERNELS,
    NWKernelRegression,
    WidthStep,
    attention_pooling,
    average_pooling,
    fit_width,
    leave_one_out_mask,
    nadaraya_watson,
    regression_loss,
)
from attnbook.data import kernel_regression_data
from tensors import DEVICES, DV, HALF, HALF_TOLERANCE, PROPERTY, TOLERANCE, B, D, H, S, T, close, coin, randn, says

DATA = kernel_regression_data()
PRECISE = kernel_regression_data(dtype=torch.float64)


def error(prediction):
    """Mean squared error to the true curve at the book's 100 queries."""
    return ((prediction - DATA.truth) ** 2).mean().item()


# --- attention_pooling -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_attention_pooling_against_loops(dtype):
    weights, value = (randn(B, H, T, S, dtype=dtype).softmax(-1), randn(B, H, S, DV, dtype=dtype, seed=1))
    output = attention_pooling(weights, value)
    assert output.shape == (B, H, T, DV) and output.dtype == dtype
    for b in range(B):
        close(output[b, 1].double(), naive.average(weights[b, 1], value[b, 1]), TOLERANCE[dtype])


def test_the_shapes_of_chapter_2():
    assert attention_pooling(torch.ones(2, 1, 4), torch.ones(2, 4, 6)).shape == (2, 1, 6)
    weights, values = torch.full((2, 10), 0.1), torch.arange(20.0).reshape(2, 10)
    means = attention_pooling(weights[:, None, :], values[:, :, None])
    close(means, torch.tensor([[[4.5]], [[14.5]]]), 1e-6)


def test_values_may_be_numbers():
    weights, value = randn(B, T, S).softmax(-1), randn(S, seed=1)
    close(attention_pooling(weights, value), attention_pooling(weights, value[:, None])[..., 0])


@PROPERTY
@given(seed=st.integers(0, 2**16), num_keys=st.integers(1, 9))
def test_an_average_lies_between_the_least_and_the_greatest_value(seed, num_keys):
    weights, value = (randn(T, num_keys, seed=seed).softmax(-1), randn(num_keys, DV, seed=seed + 1))
    output = attention_pooling(weights, value)
    assert (output >= value.amin(0) - 1e-12).all() and (output <= value.amax(0) + 1e-12).all()
    order = torch.randperm(num_keys, generator=torch.Generator().manual_seed(seed))
    close(attention_pooling(weights[:, order], value[order]), output)


@pytest.mark.parametrize(
    ("weights", "value", "error", "message"),
    [
        ([[1.0]], torch.ones(S), TypeError, ("weights must be a torch.Tensor", "list")),
        (torch.ones(T, S), [1.0], TypeError, ("value must be a torch.Tensor", "list")),
        (torch.ones(T, S).long(), torch.ones(S), TypeError, ("weights must be a floating-point tensor",)),
        (torch.ones(S), torch.ones(S), ValueError, ("weights must have at least 2 axes",)),
        (torch.ones(T, S), torch.tensor(1.0), ValueError, ("value must have at least 1 axes",)),
        (
            torch.ones(T, S),
            torch.ones(T),
            ValueError,
            (f"weights are for {S}", f"number of values is {T}", "one value"),
        ),
        (torch.ones(T, S), torch.ones(B, T, S), ValueError, (f"weights are for {S}", f"number of values is {T}")),
        (torch.ones(B, T, S), torch.ones(3, S, DV), ValueError, ("axes of weights are (2,), those of value (3,)",)),
        (torch.ones(T, S), torch.ones(S).double(), TypeError, ("weights is torch.float32, value is torch.float64",)),
    ],
)
def test_attention_pooling_errors(weights, value, error, message):
    with pytest.raises(error, match=says(*message)):
        attention_pooling(weights, value)


# --- average_pooling -------------------------------------------------------------------------------------------------


def test_average_pooling_on_the_books_data():
    output, weights = average_pooling(DATA.x_query, DATA.y_train)
    assert weights.shape == (100, 50)
    close(weights, torch.full((100, 50), 0.02))
    close(output, DATA.y_train.mean().expand(100), 1e-5)
    assert error(output) == pytest.approx(0.864, abs=0.001)


def test_average_pooling_ignores_the_query():
    value = randn(S, DV)
    output, weights = average_pooling(randn(T, D), value)
    close(output, value.mean(0).expand(T, DV))
    close(average_pooling(9 * randn(T, seed=1), value)[0], output)
    assert weights.shape == (T, S) and weights.dtype == value.dtype
    assert average_pooling(torch.empty(0), value)[0].shape == (0, DV)
    assert average_pooling(torch.empty(T), torch.empty(S, device="meta"))[1].device.type == "meta"


@pytest.mark.parametrize(
    ("query", "value", "error", "message"),
    [
        ([1.0], torch.ones(S), TypeError, ("query must be a torch.Tensor", "list")),
        (torch.ones(T), torch.ones(S).int(), TypeError, ("value must be a floating-point tensor", "torch.int32")),
        (torch.tensor(1.0), torch.ones(S), ValueError, ("query must have at least 1 axes",)),
        (torch.ones(T), torch.ones(0), ValueError, ("value is empty", "at least one value")),
    ],
)
def test_average_pooling_errors(query, value, error, message):
    with pytest.raises(error, match=says(*message)):
        average_pooling(query, value)


# --- nadaraya_watson -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [0.3, 1.0, 2.5])
def test_nadaraya_watson_against_loops(width):
    query, key, value = randn(T), randn(S, seed=1), randn(S, seed=2)
    output, weights = nadaraya_watson(query, key, value, width=width)
    expected = naive.nadaraya_watson(query.tolist(), key.tolist(), value.tolist(), width)
    close(output, torch.tensor(expected, dtype=torch.float64))
    close(weights, (-((query[:, None] - key) ** 2) / (2 * width**2)).softmax(-1))


@pytest.mark.parametrize("width", [0.3, 1.5])
@pytest.mark.parametrize("name", KERNELS)
def test_any_kernel_against_its_definition(name, width):
    query, key, value, mask = (randn(T), randn(S, seed=1), randn(S, DV, seed=2), coin(T, S))
    output, weights = nadaraya_watson(query, key, value, kernel=name, width=width, mask=mask)
    assert output.shape == (T, DV) and weights.shape == (T, S)
    for i in range(T):
        similarity = [KERNELS[name]((query[i] - key[j]) / width).item() if mask[i, j] else 0.0 for j in range(S)]
        total = sum(similarity) or 1.0
        expected = torch.tensor(similarity, dtype=torch.float64) / total
        close(weights[i], expected)
        close(output[i], expected @ value)


def test_a_function_is_a_kernel_too():
    query, key, value = randn(T), randn(S, seed=1), randn(S, seed=2)
    named = nadaraya_watson(query, key, value, kernel="gaussian", width=0.7)
    own = nadaraya_watson(query, key, value, kernel=lambda u: torch.exp(-(u**2) / 2), width=0.7)
    close(own[0], named[0])
    close(own[1], named[1])
    numbers = [x.float() for x in (query, key, value)]
    near = nadaraya_watson(*numbers, kernel=lambda u: u <= 1)
    close(near[1], nadaraya_watson(*numbers, kernel="boxcar")[1])


def test_a_kernel_is_given_distances_and_those_are_never_negative():
    """exp(−u) is a kernel of the distance, but not of the difference."""
    query, key, value = randn(T), randn(S, seed=1), randn(S, seed=2)
    _, weights = nadaraya_watson(query, key, value, kernel=lambda u: torch.exp(-u), width=0.7)
    close(weights, (-(query[:, None] - key).abs() / 0.7).softmax(-1))


def test_vectors_are_compared_by_euclidean_distance():
    query, key, value = randn(T, D), randn(S, D, seed=1), randn(S, seed=2)
    _, weights = nadaraya_watson(query, key, value, width=1.3)
    squared = ((query[:, None] - key) ** 2).sum(-1)
    close(weights, (-squared / (2 * 1.3**2)).softmax(-1))
    _, numbers = nadaraya_watson(query[:, 0], key[:, 0], value)
    _, columns = nadaraya_watson(query[:, :1], key[:, :1], value)
    close(numbers, columns)


def test_nadaraya_watson_on_the_books_data():
    output, weights = nadaraya_watson(DATA.x_query, DATA.x_train, DATA.y_train)
    assert weights.shape == (100, 50)
    close(weights.sum(-1), torch.ones(100), 1e-5)
    close(weights, (-((DATA.x_query[:, None] - DATA.x_train) ** 2) / 2).softmax(-1), 1e-6)
    assert error(output) == pytest.approx(0.287, abs=0.001)
    assert error(output) < error(average_pooling(DATA.x_query, DATA.y_train)[0]) / 2


def test_compact_kernels_fit_the_books_data_better_at_width_one():
    """Each of them reaches less far than the Gaussian of the same width."""
    wide = error(nadaraya_watson(DATA.x_query, DATA.x_train, DATA.y_train)[0])
    for name in ("boxcar", "triangular", "epanechnikov"):
        assert error(nadaraya_watson(DATA.x_query, DATA.x_train, DATA.y_train, kernel=name)[0]) < wide / 2


def mean_error(n, width):
    samples = [kernel_regression_data(n, seed=seed) for seed in range(3)]
    return sum(error(nadaraya_watson(d.x_query, d.x_train, d.y_train, width=width)[0]) for d in samples) / 3


def test_consistency():
    """With more points *and* a narrower kernel, width n^(−1/5), the error falls; with more points alone it stays."""
    few, more, many = (mean_error(n, n**-0.2) for n in (50, 500, 5000))
    assert more < few / 2 and many < more / 2
    assert mean_error(5000, 1.0) > mean_error(50, 1.0) / 2


@PROPERTY
@given(seed=st.integers(0, 2**16), name=st.sampled_from([*KERNELS]), num_keys=st.integers(1, 9))
def test_rows_sum_to_one_or_zero_and_order_does_not_matter(seed, name, num_keys):
    query, key, value = (2 * randn(T, seed=seed), 2 * randn(num_keys, seed=seed + 1), randn(num_keys, seed=seed + 2))
    mask = coin(T, num_keys, seed=seed)
    output, weights = nadaraya_watson(query, key, value, kernel=name, mask=mask)
    reached = (KERNELS[name](query[:, None] - key) > 0) & mask
    close(weights.sum(-1), reached.any(-1).double())
    assert (weights[~reached] == 0).all() and (weights >= 0).all()
    for i in range(T):
        near = value[reached[i]]
        low, high = (near.min(), near.max()) if len(near) else (0, 0)
        assert low - 1e-12 <= output[i] <= high + 1e-12
    order = torch.randperm(num_keys, generator=torch.Generator().manual_seed(seed))
    close(nadaraya_watson(query, key[order], value[order], kernel=name, mask=mask[:, order])[0], output)
    rows = torch.randperm(T, generator=torch.Generator().manual_seed(seed))
    close(nadaraya_watson(query[rows], key, value, kernel=name, mask=mask[rows])[0], output[rows])
    shifted = nadaraya_watson(query + 3, key + 3, value, kernel=name, mask=mask)[0]
    if name != "boxcar":  # its edge is a jump, and a shift rounds
        close(shifted, output, 1e-8)


@pytest.mark.parametrize("name", ["boxcar", "triangular", "epanechnikov"])
def test_where_no_key_is_near_there_is_nothing_and_no_nan(name):
    query = torch.tensor([0.0, 10.0], dtype=torch.float64, requires_grad=True)
    key = torch.tensor([-0.5, 0.25], dtype=torch.float64, requires_grad=True)
    output, weights = nadaraya_watson(query, key, torch.ones(2, 3, dtype=torch.float64), kernel=name)
    assert (weights[1] == 0).all() and (output[1] == 0).all()
    close(weights[0].sum(), torch.tensor(1.0, dtype=torch.float64))
    if name != "boxcar":  # flat wherever it is anything: no gradient to speak of
        (weights @ key).sum().backward()
        assert query.grad.isfinite().all() and key.grad.isfinite().all()
        assert query.grad[1] == 0 and query.grad[0] != 0


def test_far_away_the_gaussian_still_decides_for_the_nearest_key():
    """exp(−u²/2) underflows to 0/0 there; a softmax of −u²/2 does not."""
    output, weights = nadaraya_watson(torch.tensor([1000.0]), torch.tensor([0.0, 5.0]), torch.tensor([3.0, 4.0]))
    assert output.tolist() == [4.0] and weights.tolist() == [[0.0, 1.0]]


def test_a_masked_gaussian_row_is_zero():
    mask = coin(T, S)
    mask[2] = False
    output, weights = nadaraya_watson(randn(T), randn(S, seed=1), randn(S, seed=2), mask=mask)
    assert output[2] == 0 and (weights[2] == 0).all()
    assert (weights[~mask] == 0).all()


@pytest.mark.parametrize("name", ["gaussian", "triangular", "epanechnikov"])
def test_nadaraya_watson_gradcheck(name):
    query, key, value = (randn(3, 2, grad=True), randn(4, 2, seed=1, grad=True), randn(4, seed=2, grad=True))
    width = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(
        lambda *args: nadaraya_watson(*args[:3], kernel=name, width=args[3]), (query, key, value, width)
    )


@pytest.mark.parametrize("dtype", [torch.float32, *HALF])
@pytest.mark.parametrize("name", KERNELS)
def test_dtype_follows_the_input(name, dtype):
    query, key, value = (randn(T, dtype=dtype), randn(S, seed=1, dtype=dtype), randn(S, seed=2, dtype=dtype))
    output, weights = nadaraya_watson(query, key, value, kernel=name)
    assert output.dtype == weights.dtype == dtype
    precise, _ = nadaraya_watson(query.double(), key.double(), value.double(), kernel=name)
    if name != "boxcar":  # rounding may carry a key over its edge
        close(output.double(), precise, {**TOLERANCE, **HALF_TOLERANCE}[dtype])


@pytest.mark.parametrize("device", ["meta", *DEVICES])
@pytest.mark.parametrize("name", KERNELS)
def test_device_follows_the_input(name, device):
    output, weights = nadaraya_watson(*(torch.zeros(n, device=device) for n in (T, S, S)), kernel=name)
    assert output.device.type == weights.device.type == device


@pytest.mark.parametrize("name", KERNELS)
def test_arguments_are_left_alone_and_strides_do_not_matter(name):
    query, key, value, mask = (randn(D, T).T, randn(D, S, seed=1).T, randn(DV, S, seed=2).T, coin(S, T).T)
    before = [x.clone() for x in (query, key, value, mask)]
    output, _ = nadaraya_watson(query, key, value, kernel=name, width=4.0, mask=mask)
    assert all(torch.equal(x, y) for x, y in zip(before, (query, key, value, mask), strict=True))
    contiguous = (x.contiguous() for x in (query, key, value))
    close(output, nadaraya_watson(*contiguous, kernel=name, width=4.0, mask=mask.contiguous())[0])


@pytest.mark.parametrize("name", KERNELS)
def test_no_query_and_a_single_key(name):
    assert nadaraya_watson(torch.empty(0), torch.ones(S), torch.ones(S), kernel=name)[1].shape == (0, S)
    output, weights = nadaraya_watson(torch.tensor([0.5]), torch.tensor([0.4]), torch.tensor([7.0]), kernel=name)
    assert output.tolist() == [7.0] and weights.tolist() == [[1.0]]


def test_nadaraya_watson_compiles_into_one_graph():
    query, key, value, mask = randn(T), randn(S, seed=1), randn(S, seed=2), coin(T, S)
    for name in ("gaussian", "epanechnikov"):
        compiled = torch.compile(nadaraya_watson, fullgraph=True, backend="eager")
        close(
            compiled(query, key, value, kernel=name, width=0.8, mask=mask)[0],
            nadaraya_watson(query, key, value, kernel=name, width=0.8, mask=mask)[0],
        )


X, Y = torch.arange(4.0), torch.ones(4)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: nadaraya_watson([1.0], X, Y), TypeError, ("query must be a torch.Tensor", "list")),
        (lambda: nadaraya_watson(X.long(), X, Y), TypeError, ("query must be a floating-point tensor", "int64")),
        (lambda: nadaraya_watson(X, X.long(), Y), TypeError, ("key must be a floating-point tensor", "int64")),
        (lambda: nadaraya_watson(X, X.double(), Y), TypeError, ("query is torch.float32, key is torch.float64",)),
        (lambda: nadaraya_watson(X, X, Y.double()), TypeError, ("weights is torch.float32, value is torch.float64",)),
        (lambda: nadaraya_watson(X, X[:, None], Y), ValueError, ("(4,)", "(4, 1)", "both as numbers", "(T, D)")),
        (lambda: nadaraya_watson(X.view(1, 2, 2), X.view(1, 2, 2), Y), ValueError, ("(1, 2, 2)", "both as vectors")),
        (
            lambda: nadaraya_watson(torch.ones(T, D), torch.ones(S, DV), torch.ones(S)),
            ValueError,
            (f"query has size {D}, key has size {DV}", "project both"),
        ),
        (lambda: nadaraya_watson(X, X[:0], Y[:0]), ValueError, ("key is empty", "at least one key")),
        (lambda: nadaraya_watson(X, X, Y[:3]), ValueError, ("weights are for 4", "number of values is 3")),
        (lambda: nadaraya_watson(X, X, Y, kernel="gauss"), ValueError, ("no kernel is called 'gauss'",)),
        (lambda: nadaraya_watson(X, X, Y, kernel=1), TypeError, ("kernel must be a function, got int", "function")),
        (
            lambda: nadaraya_watson(X, X, Y, kernel=torch.nn.ReLU),
            TypeError,
            ("kernel must be a function, got the class ReLU, of which none was made", "gaussian, boxcar"),
        ),
        (
            lambda: nadaraya_watson(X, X, Y, kernel=lambda u: u.mean(0, keepdim=True)),
            ValueError,
            ("must have the shape of u, (4, 4), got (1, 4)", "each distance by itself"),
        ),
        (lambda: nadaraya_watson(X, X, Y, width=0), ValueError, ("width must be a finite number above 0",)),
        (lambda: nadaraya_watson(X, X, Y, width=None), TypeError, ("width must be a number", "NoneType")),
        (lambda: nadaraya_watson(X, X, Y, mask=torch.ones(4, 4)), TypeError, ("mask must be a bool tensor",)),
        (lambda: nadaraya_watson(X, X, Y, mask=coin(3, 4)), ValueError, ("does not broadcast",)),
        (lambda: nadaraya_watson(X, X, Y, kernel="boxcar", mask=coin(3, 4)), ValueError, ("does not broadcast",)),
        (lambda: NWKernelRegression("0.1"), TypeError, ("w must be a number", "str")),
        (lambda: NWKernelRegression(True), TypeError, ("w must be a number", "bool")),
        (lambda: NWKernelRegression(math.nan), ValueError, ("w must be a finite number, got nan",)),
        (lambda: NWKernelRegression()(X, X[:, None], Y), ValueError, ("both as numbers",)),
        (lambda: NWKernelRegression()(X, X, Y, mask=torch.ones(4, 4)), TypeError, ("mask must be a bool tensor",)),
        (lambda: NWKernelRegression()(X, X, Y[:3]), ValueError, ("weights are for 4", "number of values is 3")),
        (lambda: leave_one_out_mask(1), ValueError, ("n must be at least 2, got 1",)),
        (lambda: leave_one_out_mask(2.5), TypeError, ("n must be an integer", "float")),
        (
            lambda: nadaraya_watson(X, X, Y, kernel=lambda u: 1),
            TypeError,
            ("what kernel(u) gives must be a Tensor, got int; weigh",),
        ),
        (
            lambda: regression_loss(5, X, Y),
            TypeError,
            ("model must be a function, got int; pass an NWKernelRegression()",),
        ),
        (
            lambda: regression_loss(NWKernelRegression, X, Y),
            TypeError,
            ("model must be a function, got the class NWK",),
        ),
        (lambda: fit_width(5, X, Y), TypeError, ("model must be a NWKernelRegression, got int",)),
        (lambda: regression_loss(NWKernelRegression(), [1.0], Y), TypeError, ("x must be a torch.Tensor", "list")),
        (lambda: regression_loss(NWKernelRegression(), X, [1.0]), TypeError, ("y must be a torch.Tensor", "list")),
        (lambda: regression_loss(NWKernelRegression(), X, Y[:3]), ValueError, ("weights are for 4", "values is 3")),
        (lambda: regression_loss(NWKernelRegression(), X[:1], Y[:1]), ValueError, ("at least 2, got 1",)),
        (
            lambda: fit_width(NWKernelRegression(), X, Y, leave_one_out="no"),
            TypeError,
            ("leave_one_out must be True or False, got 'no'",),
        ),
        (
            lambda: regression_loss(NWKernelRegression(), X, Y, leave_one_out=None),
            TypeError,
            ("leave_one_out must be True or False, got None",),
        ),
        (lambda: fit_width(NWKernelRegression(), X, Y, lr=0), ValueError, ("lr must be a finite number above 0",)),
        (lambda: fit_width(NWKernelRegression(), X, Y, lr="1"), TypeError, ("lr must be a number", "str")),
        (lambda: fit_width(NWKernelRegression(), X, Y, epochs=-1), ValueError, ("epochs must be at least 0, got -1",)),
        (lambda: fit_width(NWKernelRegression(), X, Y, epochs=2.0), TypeError, ("epochs must be an integer", "float")),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=says(*message)):
        call()


# --- NWKernelRegression ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("w", [0.1, 1.0, -2.5])
@pytest.mark.parametrize("shape", [(), (D,)], ids=["numbers", "vectors"])
def test_the_model_is_nadaraya_watson_with_width_one_over_w(w, shape):
    query, key, value, mask = (randn(T, *shape), randn(S, *shape, seed=1), randn(S, DV, seed=2), coin(T, S))
    model = NWKernelRegression(w).double()
    for got, expected in zip(
        model(query, key, value, mask=mask),
        nadaraya_watson(query, key, value, width=1 / abs(w), mask=mask),
        strict=True,
    ):
        close(got, expected, 1e-7)  # w is born in float32


def test_the_model_has_one_parameter_and_its_sign_does_not_matter():
    model = NWKernelRegression()
    assert [(name, p.shape, p.item()) for name, p in model.named_parameters()] == [("w", (), pytest.approx(0.1))]
    close(
        NWKernelRegression(3)(DATA.x_query, DATA.x_train, DATA.y_train)[1],
        NWKernelRegression(-3)(DATA.x_query, DATA.x_train, DATA.y_train)[1],
    )


def test_a_greater_w_is_a_narrower_kernel_and_zero_is_the_mean():
    greatest = [
        NWKernelRegression(w)(DATA.x_query, DATA.x_train, DATA.y_train)[1].amax(-1).mean().item()
        for w in (0, 0.5, 1, 2, 5)
    ]
    assert greatest == sorted(greatest) and greatest[-1] > 2 * greatest[2]
    mean, _ = NWKernelRegression(0)(DATA.x_query, DATA.x_train, DATA.y_train)
    close(mean, average_pooling(DATA.x_query, DATA.y_train)[0], 1e-5)


@pytest.mark.parametrize("shape", [(), (2,)], ids=["numbers", "vectors"])
def test_gradient_of_the_width(shape):
    x, y, mask = randn(4, *shape), randn(4, seed=1), leave_one_out_mask(4)
    model = NWKernelRegression(1.3).double()

    def loss(w):
        prediction, _ = torch.func.functional_call(model, {"w": w}, (x, x, y), {"mask": mask})
        return ((prediction - y) ** 2).sum()

    assert torch.autograd.gradcheck(loss, model.w)


def test_coincident_points_have_finite_gradients():
    """The distance has no derivative at 0; the score, its square, does."""
    x = torch.zeros(3, 2, requires_grad=True)
    output, _ = NWKernelRegression(1.0)(x, x, torch.tensor([1.0, 2.0, 4.0]))
    output.square().sum().backward()
    assert x.grad.isfinite().all()


# --- the loss and its descent ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, S])
def test_each_point_sees_all_others(n):
    mask = leave_one_out_mask(n)
    assert mask.shape == (n, n) and mask.dtype == torch.bool
    assert all(mask[i, j] == (i != j) for i in range(n) for j in range(n))
    assert leave_one_out_mask(n, device="meta").device.type == "meta"


@pytest.mark.parametrize("leave_one_out", [True, False])
def test_the_loss_is_a_sum_over_points_that_may_not_see_themselves(leave_one_out):
    x, y = randn(S), randn(S, seed=1)
    model = NWKernelRegression(0.5).double()
    total = 0.0
    for i in range(S):
        keys = [j for j in range(S) if j != i or not leave_one_out]
        [guess] = naive.nadaraya_watson([x[i].item()], x[keys].tolist(), y[keys].tolist(), width=2.0)
        total += (guess - y[i].item()) ** 2
    assert regression_loss(model, x, y, leave_one_out).item() == pytest.approx(total, abs=1e-10)
    assert regression_loss(model, x, y).item() == regression_loss(model, x, y, True).item()  # the default is honest


def test_the_path_is_plain_gradient_descent():
    model = NWKernelRegression(0.8).double()
    path = fit_width(model, PRECISE.x_train, PRECISE.y_train, lr=0.01, epochs=3)
    assert len(path) == 4 and all(isinstance(step, WidthStep) for step in path)
    w = path[0].w
    assert w == pytest.approx(0.8)
    for step in path:
        there = NWKernelRegression().double()
        there.w.data.fill_(step.w)  # the constructor would round it to float32
        loss = regression_loss(there, PRECISE.x_train, PRECISE.y_train)
        assert step.loss == pytest.approx(loss.item(), abs=1e-9)
        assert step.w == pytest.approx(w, abs=1e-9)
        w = step.w - 0.01 * torch.autograd.grad(loss, there.w)[0].item()
    assert model.w.item() == path[-1].w
    assert path[-1].loss < path[0].loss


def test_no_epoch_changes_nothing():
    model = NWKernelRegression(0.8)
    [step] = fit_width(model, DATA.x_train, DATA.y_train, epochs=0)
    assert step.w == model.w.item() == pytest.approx(0.8)
    assert step.loss == pytest.approx(regression_loss(model, DATA.x_train, DATA.y_train).item())


@pytest.mark.parametrize(("leave_one_out", "expected"), [(True, -4.4), (False, 15.3)])
def test_where_w_lands_in_chapter_3(leave_one_out, expected):
    path = fit_width(NWKernelRegression(0.1), DATA.x_train, DATA.y_train, lr=0.5, epochs=5, leave_one_out=leave_one_out)
    assert len(path) == 6
    assert path[-1].w == pytest.approx(expected, abs=0.05)
    assert path[-1].loss < path[0].loss / 3


def test_with_the_point_among_its_keys_a_narrower_kernel_always_looks_better():
    widths = (1, 2, 5, 20, 100, 1000)
    seen, honest = (
        [regression_loss(NWKernelRegression(w), DATA.x_train, DATA.y_train, loo).item() for w in widths]
        for loo in (False, True)
    )
    assert seen == sorted(seen, reverse=True) and seen[-1] < 0.01 * seen[0]  # memorised
    assert honest[-1] > 1.2 * min(honest)  # and the honest error knows it
