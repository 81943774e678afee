"""Scoring functions: one cell at a time against plain arithmetic, and the identities between them."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnbook.attention import (
    additive_score,
    concat_score,
    dot_score,
    gaussian_score,
    multiplicative_score,
    scaled_dot_score,
)
from tensors import DEVICES, DK, HALF, HIDDEN, PROPERTY, B, D, H, S, T, close, inputs, randn, says


def parameters(dtype=torch.float64, device="cpu", grad=False, key_size=DK):
    shapes = {"weight": (D, key_size), "W_q": (HIDDEN, D), "W_k": (HIDDEN, key_size), "w_v": (HIDDEN,)}
    return {
        name: randn(*shape, seed=seed, dtype=dtype, device=device, grad=grad)
        for seed, (name, shape) in enumerate(shapes.items(), start=11)
    }


def all_scores(query, key, p):
    """Every scoring function on one pair of inputs of size D."""
    return {
        "gaussian": gaussian_score(query, key, width=1.7),
        "dot": dot_score(query, key),
        "scaled dot": scaled_dot_score(query, key),
        "multiplicative": multiplicative_score(query, key, p["weight"]),
        "additive": additive_score(query, key, p["W_q"], p["W_k"], p["w_v"]),
        "concat": concat_score(query, key, torch.cat([p["W_q"], p["W_k"]], dim=1), p["w_v"]),
    }


NAMES = ["gaussian", "dot", "scaled dot", "multiplicative", "additive", "concat"]
ALL = pytest.mark.parametrize("name", NAMES)


def by_arithmetic(name, q, k, p):
    """One score from lists of numbers."""
    if name == "dot":
        return sum(a * b for a, b in zip(q, k, strict=True))
    if name == "scaled dot":
        return by_arithmetic("dot", q, k, p) / math.sqrt(len(q))
    if name == "gaussian":
        return -sum((a - b) ** 2 for a, b in zip(q, k, strict=True)) / (2 * 1.7**2)
    if name == "multiplicative":
        return sum(q[a] * p["weight"][a, b].item() * k[b] for a in range(len(q)) for b in range(len(k)))
    total = 0.0
    for unit in range(HIDDEN):
        inside = sum(p["W_q"][unit, a].item() * q[a] for a in range(len(q)))
        inside += sum(p["W_k"][unit, b].item() * k[b] for b in range(len(k)))
        total += p["w_v"][unit].item() * math.tanh(inside)
    return total


@ALL
def test_against_arithmetic(name):
    query, key, _ = inputs()
    p = parameters(key_size=D)
    scores = all_scores(query, key, p)[name]
    assert scores.shape == (B, T, S)
    for b, i, j in [(0, 0, 0), (0, 4, 6), (1, 2, 5), (1, 3, 0), (0, 1, 4)]:
        expected = by_arithmetic(name, query[b, i].tolist(), key[b, j].tolist(), p)
        assert scores[b, i, j].item() == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("name", ["multiplicative", "additive", "concat"])
def test_queries_and_keys_of_different_sizes(name):
    query, key, _ = inputs(key_size=DK)
    p = parameters()
    W = torch.cat([p["W_q"], p["W_k"]], dim=1)
    scores = {
        "multiplicative": lambda: multiplicative_score(query, key, p["weight"]),
        "additive": lambda: additive_score(query, key, p["W_q"], p["W_k"], p["w_v"]),
        "concat": lambda: concat_score(query, key, W, p["w_v"]),
    }[name]()
    assert scores.shape == (B, T, S)
    for b, i, j in [(0, 0, 0), (0, 4, 6), (1, 2, 5)]:
        expected = by_arithmetic(name, query[b, i].tolist(), key[b, j].tolist(), p)
        assert scores[b, i, j].item() == pytest.approx(expected, abs=1e-10)


# --- identities ------------------------------------------------------------------------------------------------------


def test_by_hand():
    query, key = (torch.tensor([[1.0, 2.0, 2.0, 0.0]]), torch.tensor([[2.0, 0.0, 1.0, 3.0], [1.0, 2.0, 2.0, 0.0]]))
    assert dot_score(query, key).tolist() == [[4, 9]]
    assert scaled_dot_score(query, key).tolist() == [[2, 4.5]]
    assert gaussian_score(query, key).tolist() == [[-7.5, 0]]
    close(gaussian_score(query, key, width=5), torch.tensor([[-0.3, 0]]), 1e-6)


@pytest.mark.parametrize("cast", [False, True], ids=["float16", "autocast"])
@pytest.mark.parametrize("sign", [1, -1])
def test_scaled_scores_that_float16_holds_although_it_does_not_hold_the_product(sign, cast):
    """64 · 60² is beyond 65504; an eighth of it is not."""
    query = torch.full((T, 64), 60.0, dtype=torch.float32 if cast else torch.float16)
    expected = torch.full((T, S), sign * 28800.0, dtype=torch.float16)
    with torch.autocast("cpu", dtype=torch.float16, enabled=cast):
        assert torch.equal(scaled_dot_score(query, sign * query[:1].expand(S, 64)), expected)


def test_other_scaled_scores_are_products_divided_as_their_costs_are_counted():
    """Chapter 5 counts a division for each score, and two tables: divided first, the memory would depend on D."""
    query, key, _ = inputs(dtype=torch.float32)
    assert torch.equal(scaled_dot_score(query, key), dot_score(query, key) / math.sqrt(D))


def test_the_gaussian_score_is_a_dot_product_and_two_norms():
    query, key, _ = inputs()
    norms = query.square().sum(-1)[..., :, None] / 2 + key.square().sum(-1)[..., None, :] / 2
    close(gaussian_score(query, key), dot_score(query, key) - norms)


def test_a_wider_gaussian_is_flatter_by_the_square_of_the_width():
    query, key, _ = inputs()
    close(gaussian_score(query, key, width=3.0), gaussian_score(query, key) / 9)
    width = torch.tensor(3.0, dtype=torch.float64, requires_grad=True)
    gaussian_score(query, key, width=width).sum().backward()
    close(width.grad, -2 * gaussian_score(query, key).sum() / 27)


def test_multiplicative_with_the_identity_is_the_dot_product():
    query, key, _ = inputs()
    close(multiplicative_score(query, key, torch.eye(D, dtype=torch.float64)), dot_score(query, key))


def test_multiplicative_is_a_dot_product_with_a_projected_query():
    query, key, _ = inputs(key_size=DK)
    weight = parameters()["weight"]
    close(multiplicative_score(query, key, weight), dot_score(query @ weight, key))


def test_concat_is_the_additive_score_in_one_matrix():
    query, key, _ = inputs(lead=(B, H), key_size=DK)
    p = parameters()
    W = torch.cat([p["W_q"], p["W_k"]], dim=1)
    hidden = torch.nn.Linear(D + DK, HIDDEN, bias=False, dtype=torch.float64)  # one hidden layer on [q; k]
    with torch.no_grad():
        hidden.weight.copy_(W)
    queries, keys = (query[..., :, None, :].expand(B, H, T, S, D), key[..., None, :, :].expand(B, H, T, S, DK))
    pairs = torch.cat([queries, keys], dim=-1)
    close(concat_score(query, key, W, p["w_v"]), hidden(pairs).tanh() @ p["w_v"])
    close(concat_score(query, key, W, p["w_v"]), additive_score(query, key, p["W_q"], p["W_k"], p["w_v"]))


def test_additive_scores_are_bounded_by_w_v():
    query, key, _ = inputs(key_size=DK)
    p = parameters()
    scores = additive_score(100 * query, 100 * key, p["W_q"], p["W_k"], p["w_v"])
    assert scores.abs().max() <= p["w_v"].abs().sum()
    assert scores.abs().max() > 1


@pytest.mark.parametrize("size", [4, 64, 768])
def test_the_spread_of_the_dot_product_grows_with_the_size_and_the_scale_takes_it_away(size):
    query, key = randn(400, size, seed=1) / 0.7, randn(400, size, seed=2) / 0.7
    assert dot_score(query, key).var().item() == pytest.approx(size, rel=0.15)
    assert scaled_dot_score(query, key).var().item() == pytest.approx(1, rel=0.15)


def test_saturation_as_chapter_5_measures_it():
    """With 16 keys the mean largest weight goes to 1 without the scale, and stays near a quarter with it."""
    greatest = {}
    for size in (4, 768):
        query, key = (randn(1000, 1, size, seed=1) / 0.7, randn(1000, 16, size, seed=2) / 0.7)
        for function in (dot_score, scaled_dot_score):
            greatest[function, size] = function(query, key).softmax(-1).amax(-1).mean().item()
    assert greatest[dot_score, 4] == pytest.approx(0.42, abs=0.03)
    assert greatest[dot_score, 768] == pytest.approx(0.95, abs=0.03)
    assert greatest[scaled_dot_score, 4] == pytest.approx(0.24, abs=0.03)
    assert greatest[scaled_dot_score, 768] == pytest.approx(0.24, abs=0.03)


# --- properties ------------------------------------------------------------------------------------------------------


@PROPERTY
@given(seed=st.integers(0, 2**16), size=st.integers(1, 12))
def test_symmetry_translation_and_rotation(seed, size):
    query, key, shift = (randn(T, size, seed=seed), randn(S, size, seed=seed + 1), randn(size, seed=seed + 2))
    rotation = torch.linalg.qr(randn(size, size, seed=seed + 3)).Q
    for score in (dot_score, scaled_dot_score, gaussian_score):
        close(score(query, key), score(key, query).mT)
        close(score(query @ rotation, key @ rotation), score(query, key))
    close(gaussian_score(query + shift, key + shift), gaussian_score(query, key))
    assert (gaussian_score(query, key) <= 0).all()
    close(gaussian_score(query, query).diagonal(), torch.zeros(T, dtype=torch.float64))


@ALL
@PROPERTY
@given(seed=st.integers(0, 2**16))
def test_permuting_queries_permutes_rows_and_permuting_keys_columns(name, seed):
    generator = torch.Generator().manual_seed(seed)
    rows, columns = (torch.randperm(T, generator=generator), torch.randperm(S, generator=generator))
    query, key, p = (randn(T, D, seed=seed), randn(S, D, seed=seed + 1), parameters(key_size=D))
    permuted = all_scores(query[rows], key[columns], p)[name]
    close(permuted, all_scores(query, key, p)[name][rows][:, columns])


# --- shapes, dtypes, devices, gradients ------------------------------------------------------------------------------


@ALL
def test_leading_axes_broadcast(name):
    p = parameters(key_size=D)
    query, key = randn(B, H, T, D, seed=1), randn(B, 1, S, D, seed=2)
    scores = all_scores(query, key, p)[name]
    assert scores.shape == (B, H, T, S)
    close(scores[1, 2], all_scores(query[1, 2], key[1, 0], p)[name])
    close(all_scores(query[0, 0], key, p)[name][1, 0], all_scores(query[0, 0], key[1, 0], p)[name])


@ALL
def test_empty_batch_no_query_and_a_single_key(name):
    p = parameters(key_size=D)
    assert all_scores(randn(0, T, D), randn(0, S, D), p)[name].shape == (0, T, S)
    assert all_scores(randn(B, 0, D), randn(B, S, D), p)[name].shape == (B, 0, S)
    assert all_scores(randn(B, T, D), randn(B, 1, D), p)[name].shape == (B, T, 1)


@ALL
@pytest.mark.parametrize("dtype", [torch.float32, *HALF])
def test_dtype_follows_the_input(name, dtype):
    query, key, _ = inputs(dtype=dtype)
    p = parameters(dtype=dtype, key_size=D)
    scores = all_scores(query, key, p)[name]
    assert scores.dtype == dtype
    precise = all_scores(query.double(), key.double(), {n: w.double() for n, w in p.items()})[name]
    unit = 20 * torch.finfo(dtype).eps  # room for the rounding of sums of D or h terms
    torch.testing.assert_close(scores.double(), precise, rtol=unit, atol=unit)


@ALL
@pytest.mark.parametrize("device", ["meta", *DEVICES])
def test_device_follows_the_input(name, device):
    query, key, _ = inputs(device=device)
    assert all_scores(query, key, parameters(device=device, key_size=D))[name].device.type == device


@ALL
def test_strides_do_not_matter_and_arguments_are_left_alone(name):
    p = parameters(key_size=D)
    query, key = (randn(D, T, B, seed=1).permute(2, 1, 0), randn(S, B, D, seed=2).transpose(0, 1))
    assert not query.is_contiguous() and not key.is_contiguous()
    before = [x.clone() for x in (query, key, *p.values())]
    scores = all_scores(query, key, p)[name]
    close(scores, all_scores(query.contiguous(), key.contiguous(), p)[name])
    assert all(torch.equal(x, y) for x, y in zip(before, (query, key, *p.values()), strict=True))


@ALL
def test_gradcheck(name):
    query, key = randn(2, 3, seed=1, grad=True), randn(4, 3, seed=2, grad=True)
    weight, W_q, W_k, w_v = (randn(3, 3, seed=3), randn(5, 3, seed=4), randn(5, 3, seed=5), randn(5, seed=6))
    weights = {
        "multiplicative": (weight,),
        "additive": (W_q, W_k, w_v),
        "concat": (torch.cat([W_q, W_k], dim=1), w_v),
    }.get(name, ())
    function = {
        "gaussian": gaussian_score,
        "dot": dot_score,
        "scaled dot": scaled_dot_score,
        "multiplicative": multiplicative_score,
        "additive": additive_score,
        "concat": concat_score,
    }[name]
    assert torch.autograd.gradcheck(function, (query, key, *(w.requires_grad_() for w in weights)))


def test_compiles_into_one_graph():
    query, key, _ = inputs()
    p = parameters(key_size=D)
    compiled = torch.compile(all_scores, fullgraph=True, backend="eager")(query, key, p)
    for name, expected in all_scores(query, key, p).items():
        close(compiled[name], expected)


# --- errors ----------------------------------------------------------------------------------------------------------

QUERY, KEY = torch.ones(B, T, D), torch.ones(B, S, DK)
P = parameters(dtype=torch.float32)


@pytest.mark.parametrize("score", [dot_score, scaled_dot_score, gaussian_score])
def test_sizes_must_be_equal_where_nothing_projects(score):
    with pytest.raises(ValueError, match=says(f"query has size {D}, key has size {DK}", "project both to one size")):
        score(QUERY, KEY)


@ALL
@pytest.mark.parametrize(
    ("query", "key", "error", "message"),
    [
        ([1.0], QUERY, TypeError, ("query must be a torch.Tensor", "list", "as_tensor")),
        (QUERY, QUERY.long(), TypeError, ("key must be a floating-point tensor", "torch.int64")),
        (QUERY, QUERY.double(), TypeError, ("query is torch.float32, key is torch.float64", "one dtype")),
        (QUERY[0, 0], QUERY, ValueError, ("query must have at least 2 axes", f"({D},)")),
        (QUERY, QUERY[:, :0], ValueError, ("no key to attend to", "at least one")),
        (
            QUERY,
            torch.ones(B + 1, S, D),
            ValueError,
            (f"leading (batch) axes of query are ({B},), those of key ({B + 1},)",),
        ),
        (QUERY, QUERY.to("meta"), ValueError, ("query is on cpu, key is on meta", "one device")),
    ],
)
def test_wrong_queries_and_keys(name, query, key, error, message):
    with pytest.raises(error, match=says(*message)):
        {
            "gaussian": lambda: gaussian_score(query, key),
            "dot": lambda: dot_score(query, key),
            "scaled dot": lambda: scaled_dot_score(query, key),
            "multiplicative": lambda: multiplicative_score(query, key, P["weight"]),
            "additive": lambda: additive_score(query, key, P["W_q"], P["W_k"], P["w_v"]),
            "concat": lambda: concat_score(query, key, torch.ones(HIDDEN, 2 * D), P["w_v"]),
        }[name]()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: gaussian_score(QUERY, QUERY, width=0), ValueError, ("width must be a finite number above 0", "got 0")),
        (lambda: gaussian_score(QUERY, QUERY, width="1"), TypeError, ("width must be a number", "str")),
        (
            lambda: multiplicative_score(QUERY, KEY, P["weight"].T),
            ValueError,
            (f"weight must be (Dq, Dk) = ({D}, {DK}), got ({DK}, {D})", "transposed"),
        ),
        (
            lambda: multiplicative_score(QUERY, QUERY, P["weight"]),
            ValueError,
            (f"weight must be (Dq, Dk) = ({D}, {D}), got ({D}, {DK})", "another size"),
        ),
        (
            lambda: multiplicative_score(QUERY, KEY, P["weight"][None]),
            ValueError,
            ("weight must be (Dq, Dk)", f"got (1, {D}, {DK})"),
        ),
        (
            lambda: multiplicative_score(QUERY, KEY, P["weight"].double()),
            TypeError,
            ("the input is torch.float32, weight is torch.float64", "one dtype"),
        ),
        (
            lambda: multiplicative_score(QUERY, KEY, P["weight"].tolist()),
            TypeError,
            ("weight must be a torch.Tensor", "list"),
        ),
        (
            lambda: additive_score(QUERY, KEY, P["W_q"].T, P["W_k"], P["w_v"]),
            ValueError,
            (f"W_q must be (h, Dq) = ({HIDDEN}, {D}), got ({D}, {HIDDEN})", "transposed"),
        ),
        (
            lambda: additive_score(QUERY, KEY, P["W_q"], P["W_q"], P["w_v"]),
            ValueError,
            (f"W_k must be (h, Dk) = ({HIDDEN}, {DK}), got ({HIDDEN}, {D})", "another size"),
        ),
        (
            lambda: additive_score(QUERY, KEY, P["W_q"], P["W_k"][:3], P["w_v"]),
            ValueError,
            (f"W_k must be (h, Dk) = ({HIDDEN}, {DK}), got (3, {DK})",),
        ),
        (
            lambda: additive_score(QUERY, KEY, P["W_q"], P["W_k"], P["w_v"][:3]),
            ValueError,
            (f"W_q must be (h, Dq) = (3, {D}), got ({HIDDEN}, {D})",),
        ),
        (
            lambda: additive_score(QUERY, KEY, P["W_q"], P["W_k"], P["w_v"][None]),
            ValueError,
            ("w_v must have 1 axes", f"(1, {HIDDEN})"),
        ),
        (
            lambda: additive_score(QUERY, KEY, P["W_q"], P["W_k"].half(), P["w_v"]),
            TypeError,
            ("the input is torch.float32, W_k is torch.float16", "one dtype"),
        ),
        (
            lambda: additive_score(QUERY, KEY, P["W_q"].to("meta"), P["W_k"], P["w_v"]),
            ValueError,
            ("the input is on cpu, W_q is on meta", "one device"),
        ),
        (
            lambda: concat_score(QUERY, KEY, P["W_q"], P["w_v"]),
            ValueError,
            (f"W must be (h, Dq + Dk) = ({HIDDEN}, {D + DK}), got ({HIDDEN}, {D})",),
        ),
        (
            lambda: concat_score(QUERY, KEY, P["w_v"], P["w_v"]),
            ValueError,
            ("W must be (h, Dq + Dk)", f"got ({HIDDEN},)"),
        ),
    ],
)
def test_wrong_parameters(call, error, message):
    with pytest.raises(error, match=says(*message)):
        call()
