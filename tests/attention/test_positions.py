"""Positions, absolute, relative and rotary: formulas, oracles, identities, other libraries, errors."""

import math
import re
from functools import partial

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnbook.attention import (
    DebertaPositions,
    KeyValueCache,
    LearnedPositions,
    LinearScaling,
    Llama3Scaling,
    MultiHeadAttention,
    RotaryPositions,
    ShawPositions,
    SinkAttention,
    SinusoidalPositions,
    T5Positions,
    alibi_bias,
    causal_mask,
    relative_positions,
    rotary_frequencies,
    rotate,
    sinusoidal_encoding,
    split_heads,
)
from tensors import HALF, PROPERTY, TOLERANCE, B, D, H, S, T, close, fill, randn, says

# --- sinusoidal ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("d_model", "base"), [(8, 10000.0), (11, 10000.0), (1, 100.0)])
def test_sinusoids_by_the_formula(d_model, base):
    encoding = sinusoidal_encoding(T, d_model, base=base, start=3, dtype=torch.float64)
    assert encoding.shape == (T, d_model)
    for t in range(T):
        for j in range(d_model):
            angle = (3 + t) / base ** (2 * (j // 2) / d_model)
            wave = math.cos if j % 2 else math.sin
            assert encoding[t, j].item() == pytest.approx(wave(angle), abs=1e-12)
    close(sinusoidal_encoding(T, d_model, base=base, start=3), encoding.float(), 0)


def test_a_step_is_a_rotation():
    """PE(p + k) = R_k PE(p), with one R_k for all p."""
    size, k = 10, 3
    encoding = sinusoidal_encoding(40, size, dtype=torch.float64)
    frequency = 10000.0 ** (-torch.arange(0, size, 2).double() / size)
    c, s = (k * frequency).cos(), (k * frequency).sin()
    turns = [torch.stack([c, s]), torch.stack([-s, c])]  # one 2 × 2 matrix a frequency
    rotation = torch.block_diag(*torch.stack(turns).permute(2, 0, 1))
    close(rotation @ rotation.T, torch.eye(size).double())
    close(encoding[:-k] @ rotation.T, encoding[k:])


def test_the_gram_matrix_depends_on_the_offset_only_and_is_not_monotone():
    encoding = sinusoidal_encoding(60, 16, dtype=torch.float64)
    gram = encoding @ encoding.T
    for offset in range(60):
        diagonal = gram.diagonal(offset)
        close(diagonal, diagonal[:1].expand_as(diagonal), 1e-12)
    close(gram.diagonal(), torch.full((60,), 8.0).double())
    assert (gram[0].diff() > 0).any() and (gram[0].diff() < 0).any()


def test_an_odd_size_is_an_even_one_without_its_last_cosine():
    odd = sinusoidal_encoding(T, 5, base=10000.0 ** (5 / 6), dtype=torch.float64)
    close(odd, sinusoidal_encoding(T, 6, dtype=torch.float64)[:, :5])  # the same ω_i


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, *HALF])
def test_sinusoidal_positions_are_added_along_the_sequence(dtype):
    """Not along the batch: B = T would hide that."""
    x = randn(B, T, D, dtype=dtype)
    layer = SinusoidalPositions(D)
    output = layer(x, start=2)
    assert output.dtype == dtype
    encoding = sinusoidal_encoding(T, D, start=2, dtype=dtype)
    for b in range(B):
        for t in range(T):
            close(output[b, t], x[b, t] + encoding[t], 0)
    assert not list(layer.parameters())


# --- learned ---------------------------------------------------------------------------------------------------------


def test_learned_positions_are_added_along_the_sequence_and_learn():
    layer, x = fill(LearnedPositions(S, D)).double(), randn(B, T, D)
    output = layer(x, start=2)
    for t in range(T):
        expected = x[:, t] + layer.embedding.weight[2 + t]
        close(output[:, t], expected, 0)
    output.sum().backward()
    used = layer.embedding.weight.grad[:, 0].tolist()
    assert used == [0, 0] + [B] * T
    assert layer(x[:, :0], start=S).shape == (B, 0, D)


@pytest.mark.parametrize("layer", [SinusoidalPositions(D, 0.5), LearnedPositions(S, D, 0.5)])
def test_dropout_only_while_training(layer):
    x = torch.ones(B, T, D)
    torch.manual_seed(0)
    assert 0.3 < (layer.train()(x) == 0).float().mean() < 0.7
    assert (layer.eval()(x) != 0).any() and torch.equal(layer(x), layer(x))


# --- distances -------------------------------------------------------------------------------------------------------


def test_relative_positions_by_hand():
    assert relative_positions(2, 3).tolist() == [[-1, 0, 1], [-2, -1, 0]]
    distance = relative_positions(T, S)
    for i in range(T):
        for j in range(S):
            assert distance[i, j] == j - (i + S - T)


@pytest.mark.parametrize(("num_keys", "limit"), [(T, 2), (S, 3), (S, 50)])
def test_shaw_against_loops(num_keys, limit):
    layer, query = fill(ShawPositions(D, limit)).double(), randn(B, H, T, D)
    bias = layer(query, randn(B, H, num_keys, D, seed=1))
    assert bias.shape == (B, H, T, num_keys)
    for i in range(T):
        for j in range(num_keys):
            distance = j - (i + num_keys - T)
            vector = layer.embedding.weight[max(-limit, min(limit, distance)) + limit]
            close(bias[:, :, i, j], query[:, :, i] @ vector / math.sqrt(D))


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize(("buckets", "limit"), [(32, 128), (6, 20), (7, 20)])
def test_t5_buckets_are_those_of_transformers(causal, buckets, limit):
    from transformers.models.t5.modeling_t5 import T5Attention

    distance = torch.arange(-200, 201)
    expected = T5Attention._relative_position_bucket(
        distance, bidirectional=not causal, num_buckets=buckets, max_distance=limit
    )
    bucket = T5Positions(H, buckets, limit, causal=causal).bucket(distance)
    assert bucket.dtype == torch.long and torch.equal(bucket, expected)


@pytest.mark.parametrize(
    ("distance", "causal", "expected"),
    [
        (torch.tensor([1, 0], dtype=torch.uint8), True, [0, 0]),
        (torch.tensor([-128, 127], dtype=torch.int8), True, [31, 0]),
        (torch.tensor([-128, 127], dtype=torch.int8), False, [15, 31]),
    ],
)
def test_t5_buckets_of_distances_that_have_no_negative(distance, causal, expected):
    bucket = T5Positions(H, causal=causal).bucket(distance)
    assert bucket.dtype == torch.long and bucket.tolist() == expected


def test_t5_buckets_by_hand():
    """Eight buckets: four for the past and the present, of which 0 and 1 are exact, and four for the future."""
    bucket = T5Positions(H, 8, max_distance=8).bucket
    # from 2 on, two steps of doubling lead to 8: 2 and 3 share a bucket, and all the rest
    assert bucket(-torch.arange(10)).tolist() == [0, 1, 2, 2, 3, 3, 3, 3, 3, 3]
    assert bucket(torch.arange(1, 10)).tolist() == [5, 6, 6, 7, 7, 7, 7, 7, 7]
    causal = T5Positions(H, 4, max_distance=8, causal=True).bucket
    assert causal(-torch.arange(10)).tolist() == [0, 1, 2, 2, 3, 3, 3, 3, 3, 3]
    assert causal(torch.arange(10)).tolist() == [0] * 10


@pytest.mark.parametrize("causal", [True, False])
def test_t5_looks_its_numbers_up(causal):
    layer = fill(T5Positions(H, 8, 20, causal=causal)).double()
    bias = layer(randn(B, H, T, D), randn(B, H, S, D))
    assert bias.shape == (1, H, T, S)
    for i in range(T):
        for j in range(S):
            row = layer.bucket(torch.tensor(j - (i + S - T)))
            close(bias[0, :, i, j], layer.embedding.weight[row])
    if not causal:  # the past and the future are told apart
        assert layer.bucket(torch.tensor(1)) != layer.bucket(torch.tensor(-1))


@pytest.mark.parametrize(("num_keys", "limit"), [(T, 2), (S, 3), (S, 50)])
def test_deberta_against_loops(num_keys, limit):
    layer = fill(DebertaPositions(H * D, H, limit)).double()
    query, key = randn(B, H, T, D), randn(B, H, num_keys, D, seed=1)
    bias = layer(query, key)
    position_query = split_heads(layer.W_q(layer.embedding.weight), H)  # (H, 2k, D)
    position_key = split_heads(layer.W_k(layer.embedding.weight), H)

    def delta(i, j):
        """The paper's eq. 3; queries are the last positions."""
        distance = i + num_keys - T - j
        return max(0, min(2 * limit - 1, distance + limit))

    def delta_back(j, i):
        distance = j - (i + num_keys - T)
        return max(0, min(2 * limit - 1, distance + limit))

    for b in range(B):
        for h in range(H):
            for i in range(T):
                for j in range(num_keys):
                    c2p = query[b, h, i] @ position_key[h, delta(i, j)]
                    p2c = key[b, h, j] @ position_query[h, delta_back(j, i)]
                    expected = (c2p + p2c) / math.sqrt(D)
                    close(bias[b, h, i, j], expected)


def test_alibi_slopes_are_the_papers():
    bias = alibi_bias(randn(B, 8, 1, D), randn(B, 8, 2, D))  # one query, whose only other key is one step back
    slopes = [-x for x in bias[0, :, 0, 0].tolist()]
    assert slopes == [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256]
    assert (bias[0, :, 0, 1] == 0).all()
    for h in range(3):
        for i in range(T):
            for j in range(S):
                distance = abs(j - (i + S - T))
                expected = -(2 ** (-8 * (h + 1) / 3)) * distance
                bias = alibi_bias(randn(B, 3, T, D), randn(B, 3, S, D))
                assert bias[0, h, i, j].item() == pytest.approx(expected)


RELATIVE = {
    "Shaw": lambda: ShawPositions(D, 2),
    "T5": lambda: T5Positions(H, 8, 20),
    "DeBERTa": lambda: DebertaPositions(H * D, H, 2),
}


@pytest.mark.parametrize("kind", RELATIVE)
def test_relative_positions_learn_through_the_attention(kind):
    """The bias goes through the fused kernel and comes back as a gradient, in both paths the same."""
    layer = fill(MultiHeadAttention(H * D, H)).double()
    relative, x = fill(RELATIVE[kind]()).double(), randn(B, T, H * D)
    gradients = []
    for need_weights in (True, False):
        relative.zero_grad()
        output, _ = layer(x, need_weights=need_weights, bias=relative)
        output.square().sum().backward()
        gradients.append([p.grad.clone() for p in relative.parameters()])
    for openly, fused in zip(*gradients, strict=True):
        assert openly.abs().max() > 1e-6
        close(fused, openly)


FUNCTIONS = RELATIVE | {"ALiBi": lambda: alibi_bias}


def relative_of(kind):
    made = FUNCTIONS[kind]()
    return fill(made).double() if isinstance(made, torch.nn.Module) else made


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_relative_positions_do_not_know_where_they_are(kind):
    """The same tokens further back get the same biases."""
    bias = relative_of(kind)
    query, key = randn(B, H, S, D), randn(B, H, S, D, seed=1)
    moved = (torch.cat([randn(B, H, 4, D, seed=7), x], dim=2) for x in (query, key))
    close(bias(*moved)[..., 4:, 4:], bias(query, key))


@pytest.mark.parametrize("make", [MultiHeadAttention, partial(SinkAttention, learned=True)], ids=["plain", "sink"])
@pytest.mark.parametrize("kv_heads", [H, 1])
@pytest.mark.parametrize("kind", FUNCTIONS)
def test_relative_positions_are_a_bias_that_the_layer_makes(kind, kv_heads, make):
    """The same as a table of them, and word by word with a cache as at once; a sink is nowhere."""
    layer = fill(make(H * D, H, num_kv_heads=kv_heads)).double()
    bias, x, mask = relative_of(kind), randn(B, T, H * D), causal_mask(T)
    query, key, _ = layer.project_all(x)
    table = bias(query, key.repeat_interleave(H // kv_heads, dim=1))
    assert table.std() > 1e-3
    output, weights = layer(x, mask=mask, bias=bias, need_weights=True)
    by_table, table_weights = layer(x, mask=mask, bias=table, need_weights=True)
    close(output, by_table)
    close(weights, table_weights)
    close(layer(x, mask=mask, bias=bias)[0], output)
    cache = KeyValueCache()
    steps = [layer(x[:, i : i + 1], bias=bias, cache=cache)[0] for i in range(T)]
    close(torch.cat(steps, dim=1), output)


def test_a_bias_that_does_not_fit_leaves_the_cache_as_it_was():
    layer, cache = fill(MultiHeadAttention(H * D, H)).double(), KeyValueCache()
    layer(randn(B, 2, H * D), cache=cache)
    for bias, error, message in (
        (lambda query, key: query, ValueError, "bias has shape (2, 3, 1, 11)"),
        (lambda query, key: None, TypeError, "bias must be a torch.Tensor, got NoneType"),
        (ShawPositions(7, 2), ValueError, "query has size 11, head_dim is 7"),
        (DebertaPositions(66, 6, 2).double(), ValueError, "query has 3 heads, num_heads is 6"),
        (3.0, TypeError, "bias must be a torch.Tensor, got float"),
    ):
        with pytest.raises(error, match=re.escape(message)):
            layer(randn(B, 1, H * D), bias=bias, cache=cache)
        assert cache.length == 2


# --- rotary ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_rotate_is_a_product_of_complex_numbers(dtype):
    size, position = 10, torch.tensor([0, 1, 5, 100, 2.5])
    x = randn(B, H, T, size, dtype=dtype)
    pairs = torch.view_as_complex(x.double().reshape(B, H, T, size // 2, 2))
    frequency = 100.0 ** (-torch.arange(0, size, 2).double() / size)
    turned = pairs * torch.exp(1j * position.double()[:, None] * frequency)
    output = rotate(x, position, base=100.0)
    assert output.dtype == dtype
    expected = torch.view_as_real(turned).flatten(-2)
    close(output.double(), expected, 3 * TOLERANCE[dtype])


@PROPERTY
@given(
    i=st.integers(0, 500), j=st.integers(0, 500), shift=st.integers(0, 500),
    seed=st.integers(0, 2**16),
)  # fmt: skip
def test_rotation_keeps_norms_and_scores_depend_on_the_offset_only(i, j, shift, seed):
    query, key = randn(1, 8, seed=seed), randn(1, 8, seed=seed + 1)

    def score(a, b):
        return rotate(query, torch.tensor([a])) @ rotate(key, torch.tensor([b])).T

    close(score(i + shift, j + shift), score(i, j))
    close(rotate(query, torch.tensor([i])).norm(), query.norm())


def test_scores_do_depend_on_the_offset():
    query, key = randn(1, 8), randn(1, 8, seed=1)
    scores = [(rotate(query, torch.tensor([k])) @ key.T).item() for k in range(5)]
    assert min(abs(a - b) for a, b in zip(scores, scores[1:], strict=False)) > 1e-3


@pytest.mark.parametrize("dtype", HALF)
def test_rotary_positions_far_away_in_half_precision(dtype):
    """Angles are not rounded to half precision: bfloat16 cannot tell position 257 from 256."""
    x = randn(T, 8, dtype=dtype)
    expected = RotaryPositions()(x.double(), start=2000)
    output = RotaryPositions()(x, start=2000)
    assert output.dtype == dtype
    close(output.double(), expected, 3 * torch.finfo(dtype).eps)


def test_rotary_positions_are_looked_up_in_a_table():
    """In any order of calls, for heads of several sizes, dtypes and devices, as `rotate` computes them."""
    layer = RotaryPositions(base=100.0)
    for start, size, dtype in (
        (0, 4, torch.float32),
        (1, 4, torch.float64),
        (500, 4, torch.float64),
        (3, 6, torch.float64),
        (1, 4, HALF[0]),
    ):
        x = randn(B, T, size, dtype=dtype)
        assert torch.equal(layer(x, start), rotate(x, torch.arange(start, start + T), base=100.0))
    wide = randn(B, 2 * T + 1, 7)  # whatever the strides are, and wherever it begins
    for x in (wide[:, 1::2, 1:5], wide[:, 1::2, 2:6], wide.mT[:, 1:5, :T].mT, wide[:1, :T, :6:2][..., :2]):
        assert torch.equal(layer(x, 2), layer(x.clone(memory_format=torch.contiguous_format), 2))
    x = randn(T, 4, grad=True)
    with torch.inference_mode():
        RotaryPositions()(x)
    (gradient,) = torch.autograd.grad(layer(x).sum(), x)
    assert gradient.isfinite().all()


def test_a_base_or_a_scaling_that_is_replaced_counts_from_the_next_call_on():
    """As one makes a trained model ready for longer texts; a table of the old ones is thrown away."""
    x, rotary, sinusoids = randn(B, T, 4), RotaryPositions(), SinusoidalPositions(4)
    rotary(x), sinusoids(x)
    rotary.base = sinusoids.base = 100.0
    assert torch.equal(rotary(x), RotaryPositions(base=100.0)(x))
    assert torch.equal(sinusoids(x), SinusoidalPositions(4, base=100.0)(x))
    for scaling in (LinearScaling(4.0), LinearScaling(8.0), None):
        rotary.scaling = scaling
        assert torch.equal(rotary(x), RotaryPositions(base=100.0, scaling=scaling)(x))


class LearnedScaling(torch.nn.Module):
    """Frequencies divided by a number that is learned."""

    def __init__(self):
        super().__init__()
        self.factor = torch.nn.Parameter(torch.tensor(2.0, dtype=torch.float64))

    def forward(self, frequencies):
        return frequencies / self.factor


def learning_layers():
    """Layers whose angles hang on a number that is learned, with the number and what they are with it."""
    module, base = LearnedScaling(), torch.nn.Parameter(torch.tensor(100.0, dtype=torch.float64))
    own = module.factor
    yield "module", RotaryPositions(scaling=module), own, lambda n: RotaryPositions(scaling=lambda w: w / n)
    yield (
        "function",
        RotaryPositions(scaling=lambda w: w / own),
        own,
        lambda n: RotaryPositions(scaling=lambda w: w / n),
    )
    yield "base", RotaryPositions(base=base), base, lambda n: RotaryPositions(base=n)
    yield "sinusoids", SinusoidalPositions(4, base=base), base, lambda n: SinusoidalPositions(4, base=n)


@pytest.mark.parametrize("name", ["module", "function", "base", "sinusoids"])
def test_what_learns_is_followed_and_can_be_differentiated_again(name):
    """Also after a call in which nothing was recorded."""
    ((layer, number, like),) = (rest for kind, *rest in learning_layers() if kind == name)
    x, pull = randn(B, T, 4), randn(B, T, 4, seed=1)
    with torch.no_grad():
        layer(x)
    for _ in range(3):
        number.grad = None
        (layer(x) * pull).sum().backward()
        assert number.grad.abs() > 1e-3
        with torch.no_grad():
            number.add_(0.5)
            close(layer(x), like(number.item())(x))


def test_a_scaling_that_is_mapped_or_replaced_for_a_call_leaves_nothing_behind():
    layer, x, factors = RotaryPositions(scaling=LearnedScaling()), randn(B, T, 4), torch.tensor([2.0, 3.0]).double()

    def call(factor):
        return torch.func.functional_call(layer, {"scaling.factor": factor}, (x,))

    mapped = torch.vmap(call)(factors)
    for factor, one in zip(factors, mapped, strict=True):
        close(one, call(factor))
        close(one, RotaryPositions(scaling=LinearScaling(factor.item()))(x))
    sinusoids = SinusoidalPositions(4)

    def by_base(base):
        sinusoids.base = base
        return sinusoids(x)

    mapped = torch.vmap(by_base)(factors)
    sinusoids.base = 3.0
    close(sinusoids(x), mapped[1])


def test_frequencies_that_are_scaled_for_longer_texts():
    frequencies = rotary_frequencies(8, base=100.0)
    close(frequencies, torch.tensor([1.0, 100**-0.25, 0.1, 100**-0.75], dtype=torch.float64))
    close(LinearScaling(4.0)(frequencies), frequencies / 4)
    # 10, 3.2, 1 and 0.3 turns within 20 positions: the first stays, the last two are divided, the second in part
    turning = frequencies * math.pi
    scaled = Llama3Scaling(4.0, low=1.0, high=5.0, trained_length=20)(turning)
    part = (10 * 100**-0.25 - 1) / 4
    ratio = torch.tensor([1, part + (1 - part) / 4, 0.25, 0.25], dtype=torch.float64)
    close(scaled, turning * ratio)
    x, position = randn(B, T, 8), torch.arange(T, dtype=torch.float64)
    close(RotaryPositions(scaling=LinearScaling(4.0))(x), rotate(x, position / 4))


@pytest.mark.parametrize("need_weights", [True, False])
def test_a_rotary_layer_knows_offsets_and_nothing_else(need_weights):
    layer = fill(MultiHeadAttention(H * 10, H, rotary=RotaryPositions())).double()
    plain = fill(MultiHeadAttention(H * 10, H)).double()
    x, call = randn(B, S, H * 10), {"need_weights": need_weights}
    output, weights = layer(x, **call)
    assert (output - plain(x)[0]).abs().max() > 1e-3
    order = torch.tensor([1, 0, *range(2, S)])
    assert (layer(x[:, order])[0] - output[:, order]).abs().max() > 1e-3
    # against the oracle: turn the projected queries and keys by hand
    position = torch.arange(S)
    q, k, v = (split_heads(y, H) for y in layer.W_qkv(x).split(layer.sizes, -1))
    scores = rotate(q, position) @ rotate(k, position).mT / math.sqrt(10)
    expected = (scores.softmax(-1) @ v).transpose(1, 2).flatten(2)
    close(output, layer.W_o(expected))
    if need_weights:
        close(weights, scores.softmax(-1))


# --- errors ----------------------------------------------------------------------------------------------------------

QUERY = randn(B, H, T, D, dtype=torch.float32)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: sinusoidal_encoding(-1, D), ValueError, ("num_positions must be at least 0",)),
        (lambda: sinusoidal_encoding(T, 0), ValueError, ("d_model must be at least 1",)),
        (lambda: sinusoidal_encoding(T, 8.0), TypeError, ("d_model must be an integer",)),
        (lambda: sinusoidal_encoding(T, D, base=0), ValueError, ("base must be a finite number above 0",)),
        (lambda: SinusoidalPositions(0), ValueError, ("d_model must be at least 1",)),
        (lambda: SinusoidalPositions(D, dropout=1.5), ValueError, ("dropout must be at least 0 and below 1",)),
        (lambda: SinusoidalPositions(D)(randn(B, T, 13)), ValueError, ("x has size 13, d_model is 11",)),
        (lambda: SinusoidalPositions(D)(torch.ones(B, T).long()), TypeError, ("x must be a floating-point tensor",)),
        (lambda: LearnedPositions(T, D)(torch.ones(S, D)), ValueError,
         ("ends at position 6, but only positions 0 to 4",)),
        (lambda: LearnedPositions(T, D)(torch.ones(1, D), start=5), ValueError,
         ("ends at position 5, but only positions 0 to 4",)),
        (lambda: LearnedPositions(T, D)(torch.ones(1, D), start=-1), ValueError, ("start must be at least 0, got -1",)),
        (lambda: SinusoidalPositions(D)(randn(B, 1, D), start=-1), ValueError, ("start must be at least 0, got -1",)),
        (lambda: SinusoidalPositions(D)(randn(B, 1, D), start=1.0), TypeError, ("start must be an integer",)),
        (lambda: sinusoidal_encoding(T, D, start=-1), ValueError, ("start must be at least 0, got -1",)),
        (lambda: RotaryPositions()(randn(B, T, 4), start=-1), ValueError, ("start must be at least 0, got -1",)),
        (lambda: LearnedPositions(T, 1)(randn(B, T, D)), ValueError, ("x has size 11, d_model is 1",)),
        (lambda: LearnedPositions(0, D), ValueError, ("max_positions must be at least 1",)),
        (lambda: sinusoidal_encoding(T, D, dtype=torch.long), TypeError,
         ("a floating-point dtype, got torch.int64; use the dtype of the embeddings",)),
        (lambda: sinusoidal_encoding(T, D, dtype="float"), TypeError, ("a floating-point dtype, got float",)),
        (lambda: relative_positions(S, T), ValueError, ("the last positions", "7 queries and 5 keys")),
        (lambda: alibi_bias(QUERY[0], QUERY), ValueError, ("query must have 4 axes",)),
        (lambda: alibi_bias(QUERY, QUERY[:, :, :2]), ValueError, ("5 queries and 2 keys",)),
        (lambda: T5Positions(H)(QUERY, 5), TypeError, ("key must be a torch.Tensor, got int",)),
        (lambda: ShawPositions(D, 0), ValueError, ("max_distance must be at least 1",)),
        (lambda: ShawPositions(7, 2)(QUERY, QUERY), ValueError, ("query has size 11, head_dim is 7",)),
        (lambda: ShawPositions(D, 2)(QUERY[0], QUERY), ValueError, ("query must have 4 axes",)),
        (lambda: T5Positions(H, 3), ValueError, ("num_buckets must be at least 4",)),
        (lambda: T5Positions(2).bucket(torch.tensor([1.5])), TypeError,
         ("distance must hold integers, got torch.float32; use torch.long",)),
        (lambda: T5Positions(H, 32, 8), ValueError, ("max_distance must be above 8", "got 8")),
        (lambda: T5Positions(H, 32, 16, causal=True), ValueError, ("max_distance must be above 16",)),
        (lambda: DebertaPositions(33, 2, 4), ValueError, ("d_model 33 is not divisible by num_heads 2",)),
        (lambda: DebertaPositions(33, 3, 4)(QUERY, QUERY[0]), ValueError, ("key must have 4 axes",)),
        (lambda: DebertaPositions(66, 6, 4)(QUERY, QUERY), ValueError, ("query has 3 heads, num_heads is 6",)),
        (lambda: DebertaPositions(33, 3, 4)(QUERY, QUERY[:1]), ValueError, ("query holds 2 sequences, key holds 1",)),
        (lambda: DebertaPositions(30, 3, 4)(QUERY, QUERY), ValueError, ("query has size 11, head_dim is 10",)),
        (lambda: DebertaPositions(33, 3, 4)(QUERY, QUERY.double()), TypeError,
         ("key is torch.float64, the layer is torch.float32",)),
        (lambda: DebertaPositions(33, 3, 4).half()(QUERY, QUERY), TypeError, ("query is torch.float32, the layer is",)),
        (lambda: ShawPositions(D, 2)(QUERY.double(), QUERY), TypeError,
         ("query is torch.float64, the layer is torch.float32",)),
        (lambda: rotate(QUERY, torch.arange(T)), ValueError, ("got 11 features; use an even head_dim",)),
        (lambda: rotate(randn(T, 4), torch.arange(S)), ValueError, ("position must be (5,)", "got (7,)")),
        (lambda: rotate(randn(T, 4), torch.arange(T), base=-1), ValueError, ("base must be",)),
        (lambda: rotate(randn(2, 4), [0, 1]), TypeError, ("position must be a tensor of real numbers, got list",)),
        (lambda: rotate(randn(2, 4), torch.ones(2, dtype=torch.complex64)), TypeError,
         ("position must be a tensor of real numbers, got torch.complex64",)),
        (lambda: LearnedPositions(T, D)(randn(B, T, D).half()), TypeError, ("x is torch.float16, the layer is",)),
        (lambda: rotary_frequencies(5), ValueError, ("got 5 features; use an even head_dim",)),
        (lambda: RotaryPositions(scaling=lambda w: w[:1])(randn(B, T, 4)), ValueError,
         ("scaling must give (2,) frequencies, got (1,)",)),
        (lambda: RotaryPositions(scaling=lambda w: 5)(randn(B, T, 4)), TypeError, ("what scaling gives must be a",)),
        (lambda: LinearScaling(torch.tensor(8.0)), TypeError, ("factor must be a number, got Tensor",)),
        (lambda: Llama3Scaling(low=torch.tensor(1.0)), TypeError, ("low must be a number, got Tensor",)),
        (lambda: LinearScaling(0), ValueError, ("factor must be a finite number above 0",)),
        (lambda: Llama3Scaling(trained_length=8192.5), TypeError, ("trained_length must be an integer, got float",)),
        (lambda: Llama3Scaling(low=4), ValueError, ("low must be below high, got 4 and 4.0",)),
        (lambda: Llama3Scaling()(torch.arange(4)), TypeError, ("frequencies must be a floating-point tensor",)),
        (lambda: RotaryPositions(base=0), ValueError, ("base must be a finite number above 0",)),
        (lambda: RotaryPositions()([1.0]), TypeError, ("x must be a torch.Tensor",)),
        (lambda: RotaryPositions(128), TypeError, ("takes 1 positional argument but 2 were given",)),
    ],
)  # fmt: skip
def test_errors(call, error, message):
    with pytest.raises(error, match=says(*message)):
        call()
