"""Tiles, online softmax, windows and latents: the same numbers, and less of everything else."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.utils._python_dispatch import TorchDispatchMode

from attnbook.attention import (
    LatentAttention,
    MultiHeadAttention,
    causal_mask,
    online_softmax,
    sliding_window_mask,
    tiled_attention,
    tiles,
)
from tensors import DEVICES, DV, HALF, HALF_TOLERANCE, PROPERTY, B, D, H, S, T, close, fill, randn, says

SEEN = [(False, None), (True, None), (True, 1), (True, 4), (True, 100)]


def inputs(queries=T, keys=S, **options):
    shapes = (queries, D), (keys, D), (keys, DV)
    return [randn(B, H, *shape, seed=i, **options) for i, shape in enumerate(shapes)]


def plain(query, key, value, mask=None):
    scores = query @ key.mT / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    return scores.softmax(-1) @ value


def mask_of(n, causal, window):
    if not causal:
        return None
    return causal_mask(n) if window is None else sliding_window_mask(n, window)


# --- online softmax -------------------------------------------------------------------------------------------


@given(st.integers(1, 13), st.floats(0.1, 300))
@PROPERTY
def test_online_softmax_is_softmax_however_large_the_scores(num_keys, scale):
    scores, value = scale * randn(B, T, num_keys), randn(num_keys, DV, seed=1)
    close(online_softmax(scores, value), scores.softmax(-1) @ value, 1e-12)


@pytest.mark.parametrize(
    ("scores", "value", "error", "message"),
    [
        ([1.0], randn(1, 2), TypeError, "scores must be a torch.Tensor"),
        (randn(3, 0), randn(0, 2), ValueError, r"scores \(3, 0\) and value \(0, 2\).*S at least 1"),
        (randn(3, 4), randn(5, 2), ValueError, "pass one value for each score"),
        (randn(3, 4), randn(4), ValueError, "value must have 2 axes"),
        (torch.tensor([-torch.inf, 0.0]), torch.eye(2), ValueError, "scores must be finite, got -inf; leave out keys"),
        (torch.tensor([[0.0], [torch.nan]]), torch.eye(1), ValueError, "scores must be finite, got nan"),
        (randn(3, 4), randn(4, 2).float(), TypeError, "value is torch.float32"),
    ],
)
def test_online_softmax_errors(scores, value, error, message):
    with pytest.raises(error, match=message):
        online_softmax(scores, value)


# --- tiles ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tile", [1, 2, 3, 5, 17, 100])
@pytest.mark.parametrize(("causal", "window"), SEEN)
@pytest.mark.parametrize("device", DEVICES)
def test_tiles_give_the_numbers_and_gradients_of_the_table(tile, causal, window, device):
    n = 17 if causal else S
    query, key, value = given = inputs(17, n, grad=True, device=device)
    mask = mask_of(17, causal, window)
    expected = plain(*given, None if mask is None else mask.to(device))
    found = tiled_attention(query, key, value, tile=tile, causal=causal, window=window)
    close(found, expected, 1e-12)
    pull = randn(*expected.shape, seed=9, device=device)
    wanted = torch.autograd.grad(expected, given, pull)
    for a, b in zip(torch.autograd.grad(found, given, pull), wanted, strict=True):
        close(a, b, 1e-12)


def test_heads_may_be_shared_and_gradients_are_added_up():
    query = randn(B, H, T, D, grad=True)
    key, value = (randn(B, 1, S, n, seed=n, grad=True) for n in (D, DV))
    given = query, key, value
    found, expected = tiled_attention(*given, tile=3), plain(*given)
    close(found, expected, 1e-12)
    pull = randn(*expected.shape, seed=9)
    for a, b in zip(torch.autograd.grad(found, given, pull), torch.autograd.grad(expected, given, pull), strict=True):
        close(a, b, 1e-12)


@pytest.mark.parametrize("dtype", HALF)
def test_half_precision(dtype):
    found = tiled_attention(*inputs(dtype=dtype), tile=3)
    assert found.dtype == dtype
    close(found.double(), plain(*inputs()), HALF_TOLERANCE[dtype])


@pytest.mark.parametrize("inside", [True, False])
def test_autocast_rounds_the_output_and_nothing_else(inside):
    """In both passes, wherever the second one is: else the gradients are not those of the numbers that came out."""
    given = inputs(dtype=torch.float32, grad=True)
    expected = tiled_attention(*given, tile=3)
    pull = randn(*expected.shape, seed=9).bfloat16()
    wanted = torch.autograd.grad(expected, given, pull.float())
    with torch.autocast("cpu", torch.bfloat16):
        found = tiled_attention(*given, tile=3)
        assert found.dtype == torch.nn.functional.scaled_dot_product_attention(*given).dtype
        if inside:
            gradients = torch.autograd.grad(found, given, pull)
    if not inside:
        gradients = torch.autograd.grad(found, given, pull)
    assert torch.equal(found, expected.bfloat16())
    for a, b in zip(gradients, wanted, strict=True):
        assert torch.equal(a, b)


def test_autocast_leaves_double_precision_alone():
    expected = tiled_attention(*inputs(), tile=3)
    with torch.autocast("cpu", torch.bfloat16):
        close(tiled_attention(*inputs(), tile=3), expected, 0)


@pytest.mark.parametrize(("dtype", "keys"), [(torch.bfloat16, 512), (torch.float16, 4096)])
def test_many_keys_add_up_in_half_precision(dtype, keys):
    query, key = torch.zeros(1, 2, dtype=dtype), torch.zeros(keys, 2, dtype=dtype)
    value = (torch.arange(keys) >= keys // 2).to(dtype)[:, None]
    for output in (tiled_attention(query, key, value, tile=1), online_softmax(query @ key.mT, value)):
        assert output.dtype == dtype and output.item() == 0.5


def test_scores_of_any_size_and_inputs_of_any_layout():
    query, key, value = inputs()
    close(tiled_attention(1e3 * query, key, value, tile=2), plain(1e3 * query, key, value))
    turned = [x.mT.contiguous().mT for x in (query, key, value)]
    close(tiled_attention(*turned, tile=2), plain(query, key, value), 1e-12)
    assert tiled_attention(query[..., :0, :], key, value).shape == (B, H, 0, DV)


class Largest(TorchDispatchMode):
    """The size of the largest tensor that is made."""

    size = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        made = function(*args, **(kwargs or {}))
        if isinstance(made, torch.Tensor):
            self.size = max(self.size, made.numel())
        return made


@pytest.mark.parametrize(("causal", "window"), SEEN)
def test_second_derivatives_are_those_of_the_table(causal, window):
    """With a penalty on the gradient, and by differences of numbers."""

    def penalty(attend):
        q = randn(B, T, D, grad=True)
        (slope,) = torch.autograd.grad(attend(q, q, q).sum(), q, create_graph=True)
        (slope.square().sum() + attend(q, q.sin(), q.cos()).sum()).backward()
        return q.grad

    def tiled(q, k, v):
        return tiled_attention(q, k, v, tile=2, causal=causal, window=window)

    def table(q, k, v):
        return plain(q, k, v, mask_of(T, causal, window))

    close(penalty(tiled), penalty(table))
    given = [randn(2, 3, 2, seed=n, grad=True) for n in range(3)]
    assert torch.autograd.gradgradcheck(tiled, given)


@pytest.mark.parametrize("places", [(0, 0, 0), (None, 1, 1), (2, None, None)])
def test_mapped_over_any_axis_of_any_argument(places):
    shapes = (B, H, T, D), (H, S, D), (S, DV)  # the axes that broadcast
    given = [
        randn(*shape, seed=n) if place is None else randn(7, *shape, seed=n).movedim(0, place)
        for n, (shape, place) in enumerate(zip(shapes, places, strict=True))
    ]
    mapped = torch.vmap(lambda *a: tiled_attention(*a, tile=3), in_dims=places)(*given)
    close(mapped, torch.vmap(plain, in_dims=places)(*given))


@pytest.mark.parametrize("mapped", [0, 1, 2])
def test_gradients_can_be_mapped_too(mapped):
    """Gradients one example at a time, where only one of the arguments is another for each."""
    given = inputs(T, S)
    given[mapped] = torch.stack([given[mapped], given[mapped].sin()])
    places = tuple(0 if n == mapped else None for n in range(3))

    def gradients(f):
        loss = torch.func.grad(lambda *a: f(*a).sin().sum(), argnums=(0, 1, 2))
        return torch.vmap(loss, in_dims=places)(*given)

    found = gradients(lambda *a: tiled_attention(*a, tile=3))
    for a, b in zip(found, gradients(plain), strict=True):
        close(a, b)


def test_torch_func_differentiates_twice():
    q, k, v = (x[0, :2] for x in inputs())
    found, expected = (
        torch.func.jacrev(torch.func.grad(lambda q, f=f: f(q, k, v).sin().sum()))(q)
        for f in (lambda *a: tiled_attention(*a, tile=3), plain)
    )
    close(found, expected)


def test_no_tensor_is_ever_larger_than_the_inputs():
    n, tile = 64, 8
    given = [randn(n, 11, seed=i, grad=True) for i in range(3)]
    with Largest() as seen:
        tiled_attention(*given, tile=tile).sum().backward()
    assert seen.size == n * 11
    with Largest() as seen:  # and the watch notices a table
        plain(*given)
    assert seen.size == n * n


@given(st.integers(1, 30), st.integers(1, 9), st.one_of(st.none(), st.integers(1, 30)))
@PROPERTY
def test_the_tiles_are_those_with_something_to_be_seen(n, tile, reach):
    wanted = mask_of(n, reach is not None, reach)
    wanted = torch.ones(n, n, dtype=torch.bool) if wanted is None else wanted
    covered = torch.zeros(n, n, dtype=torch.int)
    for rows, columns in tiles(n, n, tile, reach):
        covered[rows, columns] += 1
        assert wanted[rows, columns].any()
    assert covered.max() == 1
    assert covered[wanted].all()


def test_tiles_say_what_does_not_fit():
    query, key, value = inputs()
    with pytest.raises(ValueError, match=says("a window looks back", "causal=True")):
        tiled_attention(query, key, value, window=3)
    with pytest.raises(ValueError, match=says(f"got {T} and {S}")):
        tiled_attention(query, key, value, causal=True)
    with pytest.raises(ValueError, match="tile must be at least 1, got 0"):
        tiled_attention(query, key, value, tile=0)
    with pytest.raises(TypeError, match="causal must be True or False, got 'no'"):
        tiled_attention(query, query, value[..., :T, :], causal="no")
    with pytest.raises(TypeError, match="got Tensor; tiles take no mask"):
        tiled_attention(query, query, value[..., :T, :], causal=causal_mask(T))
    for wrong, message in (
        ((4, 4, -1), "tile must be at least 1, got -1"),
        ((4, 4, 0), "tile must be at least 1, got 0"),
        ((-1, 4, 2), "num_queries must be at least 0, got -1"),
        ((4, -1, 2), "num_keys must be at least 0, got -1"),
        ((4, 4, 2, 0), "reach must be at least 1, got 0"),
    ):
        with pytest.raises(ValueError, match=message):
            list(tiles(*wrong))
    assert list(tiles(0, 4, 2)) == list(tiles(4, 0, 2)) == []
    with pytest.raises(ValueError, match="window must be at least 1, got 0"):
        tiled_attention(query, query, value[..., :T, :], causal=True, window=0)
    with pytest.raises(ValueError, match="one value for each key"):
        tiled_attention(query, key, value[..., 1:, :])
    with pytest.raises(ValueError, match=says("axes of query are (2, 3), those of value (5, 3)")):
        tiled_attention(query, key[:1], randn(5, H, S, DV))


# --- windows --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("window", [1, 2, 3, 5, 9])
def test_a_window_looks_back_so_far(window):
    expected = [[0 <= i - j < window for j in range(T)] for i in range(T)]
    assert sliding_window_mask(T, window).tolist() == expected


@pytest.mark.parametrize("num_queries", [0, 1, 2, T])
@pytest.mark.parametrize("window", [1, 3, 9])
def test_a_window_looks_back_from_the_last_keys(num_queries, window):
    expected = sliding_window_mask(S, window)[S - num_queries :]
    assert torch.equal(sliding_window_mask(num_queries, window, num_keys=S), expected)


def test_a_window_has_a_size():
    with pytest.raises(ValueError, match="window must be at least 1, got 0"):
        sliding_window_mask(T, 0)
    assert sliding_window_mask(0, 3).shape == (0, 0)
    assert sliding_window_mask(3, 2, device=torch.device("meta")).is_meta


# --- latents --------------------------------------------------------------------------------------------------

E, C = H * D, 5


def latent_layer(dtype=torch.float64):
    return fill(LatentAttention(E, H, C)).to(dtype)


@torch.no_grad()
def as_multi_head(layer):
    """The layer with keys and values of its own that computes the same."""
    whole = MultiHeadAttention(E, H, bias=False).double()
    maps = (w.weight @ layer.W_down.weight for w in (layer.W_uk, layer.W_uv))
    whole.W_qkv.weight.copy_(torch.cat([layer.W_q.weight, *maps]))
    whole.W_o.load_state_dict(layer.W_o.state_dict())
    return whole


def test_latent_attention_is_multi_head_attention_with_maps_of_low_rank():
    layer, x = latent_layer(), randn(B, T, E)
    whole = as_multi_head(layer)
    output, latents = layer(x)
    close(output, whole(x, mask=causal_mask(T), need_weights=True)[0], 1e-12)
    assert latents.shape == (B, T, C)
    assert torch.linalg.matrix_rank(whole.W_qkv.weight[E : 2 * E]) == C


@pytest.mark.parametrize("parts", [(5,), (1, 4), (2, 2, 1), (1, 1, 1, 1, 1)])
def test_the_latents_are_all_that_must_be_kept(parts):
    layer, x, cache, outputs = latent_layer(), randn(B, T, E), None, []
    for part in x.split(parts, dim=1):
        output, cache = layer(part, cache=cache)
        outputs.append(output)
    whole, latents = layer(x)
    close(torch.cat(outputs, 1), whole, 1e-12)
    close(cache, latents, 1e-12)


def test_latent_attention_by_loops():
    layer, x = latent_layer(), randn(B, T, E)
    latents = x @ layer.W_down.weight.mT
    q, k, v = (
        a.unflatten(-1, (H, D)).transpose(1, 2) for a in (layer.W_q(x), layer.W_uk(latents), layer.W_uv(latents))
    )
    heads = plain(q, k, v, causal_mask(T))
    close(layer(x)[0], layer.W_o(heads.transpose(1, 2).flatten(2)), 1e-12)


@torch.no_grad()
def test_latent_scores_that_float16_holds_although_it_does_not_hold_the_product():
    """One head of 64 features, all maps the identity: scores of 28800, but 230400 before the division."""
    layer = LatentAttention(64, 1, 64).half()
    for weight in layer.parameters():
        weight.copy_(torch.eye(64))
    x = torch.full((1, T, 64), 60.0, dtype=torch.float16)
    close(layer(x)[0], x, 1e-2)


def test_latent_attention_says_what_does_not_fit():
    with pytest.raises(ValueError, match="latent_size must be at least 1, got 0"):
        LatentAttention(E, H, 0)
    layer = latent_layer()
    with pytest.raises(ValueError, match=says(f"d_model is {E}")):
        layer(randn(B, T, E + 1))
    with pytest.raises(ValueError, match=says(f"x has shape ({B}, 0, {E}): no key to attend to")):
        layer(randn(B, 0, E))
    with pytest.raises(TypeError, match="x is torch.float64, cache is torch.float32"):
        layer(randn(B, T, E), cache=randn(B, T, C, dtype=torch.float32))
    for cache, message in (
        (randn(B, 2, C + 1), f"cache has size {C + 1}, latent_size is {C}"),
        (randn(2, C), "cache must have 3 axes"),
        (randn(1, 2, C), f"x holds {B} sequences, cache holds 1"),
    ):
        with pytest.raises(ValueError, match=message):
            layer(randn(B, T, E), cache=cache)
