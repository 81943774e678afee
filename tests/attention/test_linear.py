"""Memories of fixed size: three forms against loops, what they store, what they forget, and wrong arguments."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnbook.attention import (
    chunked_memory,
    elu_features,
    normalised,
    parallel_memory,
    random_features,
    recurrent_memory,
)
from tensors import DV, HALF, HALF_TOLERANCE, PROPERTY, B, D, H, S, T, close, randn, says

FORMS = [parallel_memory, recurrent_memory, chunked_memory]
M = 17  # random directions
KINDS = [(), ("decay",), ("beta",), ("decay", "beta"), ("decay", "beta", "state")]


def arguments(lead=(B, H), length=S, dtype=torch.float64, grad=False):
    """Query, key and value, and the gates by name: decay in (0.5, 1), beta in (0, 1), a memory to begin with."""
    shapes = (length, D), (length, D), (length, DV)
    qkv = [
        (0.5 * randn(*lead, *shape, seed=seed)).to(dtype).requires_grad_(grad)
        for seed, shape in enumerate(shapes, start=1)
    ]
    gates = {
        "decay": 0.5 + 0.5 * randn(*lead, length, seed=4).sigmoid(),
        "beta": randn(*lead, length, seed=5).sigmoid(),
        "state": randn(*lead, DV, D, seed=6),
    }
    gates = {k: g.to(dtype).requires_grad_(grad) for k, g in gates.items()}
    return qkv, gates


def by_loops(query, key, value, decay=None, beta=None, state=None):
    """One sequence, one number at a time, by the definition."""
    (length, size), dv = key.shape, value.shape[1]
    memory = [[float(state[r, c]) if state is not None else 0.0 for c in range(size)] for r in range(dv)]  # fmt: skip
    outputs = torch.zeros(length, dv, dtype=torch.float64)
    for t in range(length):
        a = 1.0 if decay is None else float(decay[t])
        memory = [[a * entry for entry in row] for row in memory]
        for r in range(dv):
            known = sum(memory[r][c] * float(key[t, c]) for c in range(size))
            new = float(value[t, r])
            if beta is not None:
                new = float(beta[t]) * (new - known)
            for c in range(size):
                memory[r][c] += new * float(key[t, c])
        for r in range(dv):
            outputs[t, r] = sum(memory[r][c] * float(query[t, c]) for c in range(size))
    return outputs, torch.tensor(memory, dtype=torch.float64)


@pytest.mark.parametrize("kind", KINDS, ids="+".join)
def test_all_forms_against_loops(kind):
    (query, key, value), gates = arguments()
    chosen = {name: gates[name] for name in kind}
    found = [form(query, key, value, **chosen) for form in FORMS]
    assert {(output.shape, state.shape) for output, state in found} == {((B, H, S, DV), (B, H, DV, D))}
    for b in range(B):
        for h in range(H):
            one = {name: gate[b, h] for name, gate in chosen.items()}
            wanted = by_loops(query[b, h], key[b, h], value[b, h], **one)
            for output, state in found:
                close(output[b, h], wanted[0])
                close(state[b, h], wanted[1])


@pytest.mark.parametrize("form", FORMS)
def test_what_follows_a_strong_decay_is_as_exact_as_before(form):
    (query, key, value), _ = arguments((), 400, torch.float32)
    decay = torch.where(torch.arange(400) < 200, 1e-4, 0.99)
    wanted = recurrent_memory(*(x.double() for x in (query, key, value)), decay=decay.double())
    for found, exact in zip(form(query, key, value, decay=decay), wanted, strict=True):
        close(found.double(), exact, 1e-5)


@PROPERTY
@given(length=st.integers(1, 40), chunk_size=st.integers(1, 45))
def test_any_chunks_as_one_by_one(length, chunk_size):
    qkv, gates = arguments((B,), length)
    output, state = recurrent_memory(*qkv, **gates)
    chunked = chunked_memory(*qkv, **gates, chunk_size=chunk_size)
    close(chunked[0], output)
    close(chunked[1], state)


@pytest.mark.parametrize("kind", KINDS, ids="+".join)
def test_all_forms_have_the_same_gradients(kind):
    found = []
    for form in FORMS:
        qkv, gates = arguments(grad=True)
        chosen = {name: gates[name] for name in kind}
        output, state = form(*qkv, **chosen)
        (output.square().sum() + state.square().sum()).backward()
        found.append([x.grad for x in (*qkv, *chosen.values())])
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            close(a, b, 1e-9)


@pytest.mark.parametrize("form", FORMS)
def test_a_memory_goes_on_where_it_stopped(form):
    (query, key, value), gates = arguments()
    gates.pop("state")
    at_once, last = form(query, key, value, **gates)
    state, pieces = None, []
    for part in (slice(0, 2), slice(2, 3), slice(3, S)):
        now = {name: gate[..., part] for name, gate in gates.items()}
        qkv = (x[..., part, :] for x in (query, key, value))
        output, state = form(*qkv, **now, state=state)
        pieces.append(output)
    close(torch.cat(pieces, dim=-2), at_once)
    close(state, last)


@pytest.mark.parametrize("dtype", HALF)
@pytest.mark.parametrize("kind", KINDS, ids="+".join)
@pytest.mark.parametrize("form", FORMS)
def test_half_precision_is_rounded_once(form, kind, dtype):
    """Over so many positions that sums in half precision would stop growing."""
    qkv, gates = arguments((B,), 600, dtype)
    qkv[1], gates["decay"] = qkv[1] + 0.3, gates["decay"] / 2 + 0.5  # keys alike, and little forgotten
    chosen = {name: gates[name] for name in kind}
    precise = form(*(x.double() for x in qkv), **{name: gate.double() for name, gate in chosen.items()})
    for found, expected in zip(form(*qkv, **chosen), precise, strict=True):
        assert found.dtype == dtype
        assert (found - expected).abs().max() < HALF_TOLERANCE[dtype] * expected.abs().max()


@pytest.mark.parametrize("kind", KINDS, ids="+".join)
@pytest.mark.parametrize("form", FORMS)
def test_autocast_rounds_the_outputs_and_nothing_else(form, kind):
    qkv, gates = arguments((B,), dtype=torch.float32, grad=True)
    chosen = {name: gates[name] for name in kind}
    expected = form(*qkv, **chosen)
    with torch.autocast("cpu", torch.bfloat16):
        found = form(*qkv, **chosen)
    assert torch.equal(found[0], expected[0].bfloat16()) and found[0].dtype == torch.bfloat16
    close(found[1], expected[1], 0)
    pull, given = randn(*expected[0].shape, seed=9).bfloat16(), (*qkv, *chosen.values())
    wanted = torch.autograd.grad(expected[0], given, pull.float())
    for a, b in zip(torch.autograd.grad(found[0], given, pull), wanted, strict=True):
        close(a, b, 0)


@pytest.mark.parametrize("form", FORMS)
def test_no_position_sees_the_future(form):
    (query, key, value), gates = arguments()
    before, _ = form(query, key, value, **gates)
    for x in (query, key, value, gates["decay"], gates["beta"]):
        changed = x.clone()
        where = (..., 4, slice(None)) if x.dim() == 4 else (..., 4)
        changed[where] = 0.9 * changed[where]
        now = [changed if x is y else y for y in (query, key, value)]
        others = {k: changed if x is g else g for k, g in gates.items()}
        moved = (form(*now, **others)[0] - before).abs().amax((0, 1, 3))  # (T,)
        assert moved[:4].max() < 1e-12 and moved[4] > 1e-6


def test_the_example_of_the_chapter():
    key = torch.tensor([[1, 0], [0, 1], [0.6, 0.8]], dtype=torch.float64)
    value = torch.tensor([[10.0], [20.0], [50.0]], dtype=torch.float64)
    _, linear = parallel_memory(key, key, value)
    _, delta = parallel_memory(key, key, value, beta=torch.ones(3).double())
    close(linear, torch.tensor([[40.0, 60.0]], dtype=torch.float64))
    close(delta, torch.tensor([[26.8, 42.4]], dtype=torch.float64))


@pytest.mark.parametrize("form", FORMS)
def test_the_delta_rule_stores_what_was_written_last(form):
    """With keys of length 1 and a full step: exactly, whatever was stored before."""
    (_, key, value), gates = arguments()
    key = torch.nn.functional.normalize(key, dim=-1)
    output, _ = form(key, key, value, beta=torch.ones(S).double(), state=gates["state"])
    close(output, value)


@pytest.mark.parametrize("form", FORMS)
def test_orthogonal_keys_do_not_interfere(form):
    key = torch.eye(D, dtype=torch.float64)[:S]
    value = randn(S, DV)
    for beta in (None, torch.ones(S, dtype=torch.float64)):
        _, state = form(key, key, value, beta=beta)
        close(key @ state.mT, value)


@pytest.mark.parametrize("form", FORMS)
def test_a_decay_of_a_half_halves(form):
    decay = torch.full((S,), 0.5, dtype=torch.float64)
    key = torch.eye(D, dtype=torch.float64)[:S]
    _, state = form(key, key, torch.ones(S, 1).double(), decay=decay)
    left = torch.tensor([0.5 ** (S - 1 - t) for t in range(S)], dtype=torch.float64)
    close((key @ state.mT)[:, 0], left)


@pytest.mark.parametrize("form", FORMS)
def test_normalised_weights_sum_to_one(form):
    (query, key, value), gates = arguments()
    q, k = elu_features(query), elu_features(key)
    output, state = normalised(form, q, k, value)
    scores = (q @ k.mT).tril()
    weights = scores / scores.sum(-1, keepdim=True)
    close(output, weights @ value)
    assert state.shape == (B, H, DV + 1, D)
    close(state[..., -1, :], k.sum(-2))
    ones, _ = normalised(form, q, k, torch.ones_like(value), decay=gates["decay"])
    close(ones, torch.ones_like(value))


@pytest.mark.parametrize("dtype", HALF)
@pytest.mark.parametrize("kind", [(), ("decay",), ("state",)], ids="+".join)
@pytest.mark.parametrize("form", FORMS)
def test_the_normalised_form_is_divided_before_it_is_rounded(form, kind, dtype):
    """Over so many positions that float16 does not hold the sum of the scores, and values whose average is small."""
    query, key, value = (randn(1100, n, seed=seed).to(dtype) for seed, n in enumerate((64, 64, DV), start=1))
    given = (elu_features(2 * query), elu_features(2 * key), value)
    chosen = {"decay": torch.full((1100,), 0.9995), "state": randn(DV + 1, 64, seed=6).square()}
    chosen = {name: x.to(dtype) for name, x in chosen.items() if name in kind}
    precise = normalised(form, *(x.double() for x in given), **{name: x.double() for name, x in chosen.items()})
    rounding = 1.01 * torch.finfo(dtype).eps / 2
    for found, expected in zip(normalised(form, *given, **chosen), precise, strict=True):
        assert found.dtype == dtype
        torch.testing.assert_close(found.double(), expected, rtol=rounding, atol=1e-5)


@pytest.mark.parametrize("form", FORMS)
def test_autocast_rounds_the_normalised_outputs_and_nothing_else(form):
    (query, key, value), gates = arguments((B,), dtype=torch.float32)
    given = (form, elu_features(query), elu_features(key), value)
    expected = normalised(*given, decay=gates["decay"])
    with torch.autocast("cpu", torch.bfloat16):
        found = normalised(*given, decay=gates["decay"])
        mixed = normalised(*given[:3], value.bfloat16(), decay=gates["decay"])
    close(mixed[0].float(), expected[0], HALF_TOLERANCE[torch.bfloat16])
    assert found[0].dtype == mixed[0].dtype == mixed[1].dtype == torch.bfloat16
    assert torch.equal(found[0], expected[0].bfloat16()) and torch.equal(found[1], expected[1])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", KINDS, ids="+".join)
def test_single_precision(form, kind):
    (query, key, value), gates = arguments(dtype=torch.float32)
    output, state = form(query, key, value, **{n: gates[n] for n in kind})
    assert output.dtype == state.dtype == torch.float32
    exact, gates = arguments()
    wanted, _ = recurrent_memory(*exact, **{n: gates[n] for n in kind})
    close(output.double(), wanted, 1e-5)


@pytest.mark.parametrize("form", FORMS)
def test_strong_forgetting_stays_finite(form):
    """e^-700 at each of 37 positions: a quotient of cumulative products would be 0/0."""
    qkv, _ = arguments((B,), 37)
    output, state = form(*qkv, decay=torch.full((37,), 1e-300, dtype=torch.float64))
    assert output.isfinite().all() and state.isfinite().all()
    close(state, qkv[2][:, -1, :, None] * qkv[1][:, -1, None, :])


def test_elu_features_by_the_formula():
    x = randn(B, D)
    wanted = [[v + 1 if v > 0 else math.exp(v) for v in row] for row in x.tolist()]
    close(elu_features(x), torch.tensor(wanted, dtype=torch.float64))


@pytest.mark.parametrize("dtype", [torch.float32, *HALF])
def test_elu_features_of_far_negative_numbers_are_positive(dtype):
    """elu(−20) + 1 is 0 in float32, elu(−8) + 1 in bfloat16."""
    x = torch.tensor([-16.0, -8.0, -0.001, 0.0, 3.0], dtype=dtype)
    wanted = torch.tensor([math.exp(v) if v <= 0 else v + 1 for v in x.tolist()])
    found = elu_features(x)
    assert found.dtype == dtype and (found > 0).all()
    torch.testing.assert_close(found.float(), wanted, rtol=torch.finfo(dtype).eps, atol=2**-25)


@pytest.mark.parametrize("form", FORMS)
def test_an_average_over_far_negative_keys_is_one(form):
    far = elu_features(torch.full((S, D), -18.0))
    value = randn(S, DV).float()
    counts = torch.arange(1, S + 1)[:, None]
    close(normalised(form, far, far, value)[0], value.cumsum(0) / counts, 1e-5)


def test_elu_features_have_finite_gradients():
    x = torch.tensor([-200.0, -1.0, 0.0, 1.0, 200.0], requires_grad=True)
    elu_features(x).sum().backward()
    close(x.grad, torch.tensor([0, math.exp(-1), 1, 1, 1]), 1e-6)


def test_random_features_by_the_formula():
    x, directions = randn(B, T, D), randn(M, D, seed=1)
    found = random_features(x, directions)
    for b in range(B):
        for t in range(T):
            for m in range(M):
                wx = sum(float(x[b, t, i] * directions[m, i]) for i in range(D))
                half = sum(float(x[b, t, i]) ** 2 for i in range(D)) / 2
                wanted = math.exp(wx - half) / math.sqrt(M)
                assert float(found[b, t, m]) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("dtype", HALF)
def test_the_exponents_of_random_features_are_not_rounded(dtype):
    """Their errors would be factors of the features."""
    x, directions = (randn(n, D, seed=n).to(dtype) for n in (T, M))
    expected = random_features(x.double(), directions.double())
    found = random_features(x, directions)
    assert found.dtype == dtype
    torch.testing.assert_close(found.double(), expected, rtol=1.01 * torch.finfo(dtype).eps / 2, atol=1e-6)
    with torch.autocast("cpu", torch.bfloat16):
        found = random_features(x.float(), directions.float())
    close(found.double(), expected, 1e-5)


def test_random_features_estimate_the_exponential_kernel():
    generator = torch.Generator().manual_seed(0)
    directions = torch.randn(200_000, 3, generator=generator, dtype=torch.float64)
    q, k = torch.tensor([0.5, -0.3, 0.2]).double(), torch.tensor([0.1, 0.4, 0.6]).double()  # fmt: skip
    estimate = random_features(q, directions) @ random_features(k, directions)
    assert float(estimate) == pytest.approx(math.exp(float(q @ k)), rel=0.01)


ONE = {"query": randn(S, D), "key": randn(S, D), "value": randn(S, DV)}  # one sequence, for several gates


@pytest.mark.parametrize(
    ("change", "error", "match"),
    [
        ({"query": randn(B, H, T, D)}, ValueError, ("number of queries is 5", "number of keys is 7")),
        ({"query": randn(B, H, S, D + 2)}, ValueError, ("query has size 13", "key has size 11")),
        ({"value": randn(B, H, T, DV)}, ValueError, ("number of keys is 7", "number of values is 5")),
        ({"key": randn(1, H, S, D), "value": randn(5, H, S, DV)}, ValueError,
         ("axes of query are (2, 3), those of value (5, 3)", "broadcast")),
        ({"decay": randn(B, H, T).sigmoid()}, ValueError, ("decay is given for 5", "one number for each position")),
        ({"beta": randn(B, H, T).sigmoid()}, ValueError, ("beta is given for 5",)),
        ({"beta": torch.ones(S, dtype=torch.long)}, TypeError, ("beta must be a floating-point tensor",)),
        ({"decay": torch.ones(S)}, TypeError, ("torch.float64", "torch.float32")),
        ({"decay": torch.zeros(S).double()}, ValueError, ("decay must be above 0, got 0.0", "without a state")),
        ({"decay": torch.full((S,), -0.5).double()}, ValueError, ("decay must be above 0, got -0.5",)),
        ({"decay": torch.full((S,), torch.nan).double()}, ValueError, ("decay must be above 0, got nan",)),
        ({"decay": randn(5, S).sigmoid()}, ValueError, ("decay are (5,), those of queries, keys and values (2, 3)",)),
        ({"beta": randn(5, 1, S).sigmoid()}, ValueError, ("beta are (5, 1), those of", "values (2, 3)")),
        ({"state": randn(5, DV, D)}, ValueError, ("state are (5,), those of queries, keys and values (2, 3)",)),
        (ONE | {"decay": randn(3, S).sigmoid(), "state": randn(2, DV, D)}, ValueError,
         ("axes of state are (2,), those of decay (3,); make them equal",)),
        (ONE | {"decay": randn(3, S).sigmoid(), "beta": randn(2, S).sigmoid()}, ValueError,
         ("axes of beta are (2,), those of decay (3,)",)),
        (ONE | {"beta": randn(3, S).sigmoid(), "state": randn(2, DV, D)}, ValueError,
         ("axes of state are (2,), those of beta (3,)",)),
        ({"state": [0.0]}, TypeError, ("state must be a torch.Tensor",)),
        ({"state": randn(B, H, D, DV)}, ValueError, ("(13, 11)".replace("(", "(…, "), "got (2, 3, 11, 13)")),
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", FORMS)
def test_wrong_arguments(form, change, error, match):
    (query, key, value), _ = arguments()
    given = {"query": query, "key": key, "value": value} | change
    with pytest.raises(error, match=says(*match)):
        form(**given)


def test_wrong_arguments_of_the_normalised_form():
    (query, key, value), _ = arguments()
    wrong = [
        ({"key": [1.0]}, ("key must be a torch.Tensor, got list",)),
        ({"decay": torch.ones(S)}, ("key is torch.float64, decay is torch.float32",)),
        ({"beta": torch.ones(S).long()}, ("beta must be a floating-point tensor, got torch.int64",)),
        ({"state": [0.0]}, ("state must be a torch.Tensor, got list",)),
    ]
    for change, message in wrong:
        with pytest.raises(TypeError, match=says(*message)):
            normalised(parallel_memory, **{"query": query, "key": key, "value": value} | change)


@pytest.mark.parametrize("form", FORMS)
def test_gates_are_given_by_name(form):
    """A memory in the place of a decay, say, would be taken for one."""
    (query, key, value), gates = arguments()
    with pytest.raises(TypeError, match="positional argument"):
        form(query, key, value, gates["decay"])


def test_wrong_features_and_chunks():
    (query, key, value), _ = arguments()
    with pytest.raises(ValueError, match="at least 1"):
        chunked_memory(query, key, value, chunk_size=0)
    with pytest.raises(ValueError, match=says("x has size 11", "directions have size 13")):  # fmt: skip
        random_features(query, randn(M, DV))
    with pytest.raises(TypeError, match="x must be a torch.Tensor"):
        elu_features([1.0])
