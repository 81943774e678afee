"""The key–value cache: the same numbers step by step as at once, beams, errors that change nothing."""

from copy import copy, deepcopy

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnbook.attention import (
    KeyValueCache,
    MultiHeadAttention,
    RotaryPositions,
    SinkAttention,
    alibi_bias,
    causal_mask,
    sliding_window_mask,
)
from attnbook.transformer import DecoderLayerCache, EncoderLayer
from tensors import DV, PROPERTY, B, D, H, S, T, close, coin, fill, randn, says

E = H * 10  # an even head size, for rotary positions


def layer_of(**options):
    return fill(MultiHeadAttention(E, H, **options)).double()


def add(cache, key, value):
    """As a layer does at the end of a call."""
    cache.key, cache.value = cache.joined(key, value)


def test_what_is_stored():
    cache = KeyValueCache()
    assert cache.length == 0 and cache.key is None and cache.value is None
    key, value = randn(B, H, T, D), randn(B, H, T, DV, seed=1)
    for start, end in ((0, 2), (2, 3), (3, T)):
        assert cache.length == start
        add(cache, key[:, :, start:end], value[:, :, start:end])
        assert torch.equal(cache.key, key[:, :, :end])
        assert torch.equal(cache.value, value[:, :, :end])
    assert cache.length == T


@pytest.mark.parametrize(
    "options", [{}, {"num_kv_heads": 1}, {"rotary": RotaryPositions()}], ids=["plain", "one key/value head", "rotary"]
)
@pytest.mark.parametrize("need_weights", [True, False])
@settings(PROPERTY, max_examples=8)
@given(cuts=st.sets(st.integers(1, S - 1)))
def test_in_any_pieces_as_at_once(options, need_weights, cuts):
    layer, x = layer_of(**options), randn(B, S, E)
    at_once, all_weights = layer(x, mask=causal_mask(S), need_weights=True)
    cache, outputs = KeyValueCache(), []
    for start, end in zip([0, *sorted(cuts)], [*sorted(cuts), S], strict=True):
        mask = causal_mask(end - start, end)
        piece = x[:, start:end]
        output, weights = layer(piece, mask=mask, need_weights=need_weights, cache=cache)
        outputs.append(output)
        if need_weights:
            close(weights, all_weights[:, :, start:end, :end])
    close(torch.cat(outputs, dim=1), at_once)
    kept = options.get("num_kv_heads", H)
    assert cache.key.shape == cache.value.shape == (B, kept, S, 10)


def test_a_new_position_is_turned_by_its_own_place():
    """Word by word with rotary positions: the place is counted by the cache, not by the call."""
    layer, x = layer_of(rotary=RotaryPositions()), randn(B, 3, E)
    cache, at_once = KeyValueCache(), layer(x, mask=causal_mask(3))[0]
    for t in range(3):
        output, _ = layer(x[:, t : t + 1], cache=cache)
        close(output, at_once[:, t : t + 1])


def test_what_was_handed_out_is_never_written_over():
    """Also where a shortened cache goes on in room that a copy of it still looks at."""
    new = [randn(B, H, 1, D, seed=n) for n in range(5)]
    with torch.no_grad():
        cache = KeyValueCache()
        for x in new[:3]:
            add(cache, x, -x)
        other = copy(cache)
        cache.shorten(1)
        add(cache, new[3], -new[3])
        close(other.key, torch.cat(new[:3], dim=2))
        close(cache.key, torch.cat([new[0], new[3]], dim=2))
        cache.reorder(torch.tensor([1, 0]))
        add(cache, new[4], -new[4])
    expected = torch.cat([new[0].flip(0), new[3].flip(0), new[4]], dim=2)
    close(cache.key, expected)
    close(cache.value, -expected)


def test_lengths_and_biases_count_the_stored_keys_too():
    layer, x, bias = layer_of(), randn(B, S, E), randn(1, H, S, S)
    lengths, mask = torch.tensor([4, 7]), causal_mask(S)
    at_once, _ = layer(x, valid_lens=lengths, mask=mask, bias=bias)
    cache = KeyValueCache()
    layer(x[:, :5], mask=causal_mask(5), cache=cache)
    rest, _ = layer(x[:, 5:], valid_lens=lengths, mask=causal_mask(2, S), bias=bias[:, :, 5:], cache=cache)
    close(rest, at_once[:, 5:])


def test_reorder_continues_the_chosen_sequences():
    layer, x, next_one = layer_of(), randn(B, T, E), randn(4, 1, E, seed=3)
    order = torch.tensor([1, 1, 0, 1])  # four beams out of two
    cache = KeyValueCache()
    layer(x, cache=cache)
    cache.reorder(order)
    output, _ = layer(next_one, cache=cache)
    whole, _ = layer(torch.cat([x[order], next_one], dim=1))
    close(output, whole[:, -1:])


@pytest.mark.parametrize("gradients", [True, False])
def test_a_deep_copy_shares_nothing_and_goes_on_by_itself(gradients):
    layer, x = layer_of(), randn(B, T, E, grad=gradients)
    with torch.set_grad_enabled(gradients):
        cache = KeyValueCache()
        layer(x[:, :3], cache=cache)
        layer(x[:, 3:4], cache=cache)
        other = deepcopy([cache, cache])
        assert other[0] is other[1]
        for one in (cache, other[0]):
            close(layer(x[:, 4:], cache=one)[0], layer(x)[0][:, 4:])
        assert other[0].key.data_ptr() != cache.key.data_ptr()


def test_a_window_over_stored_keys_knows_how_many_there_are():
    layer, x = layer_of(), randn(B, 12, E)
    at_once, _ = layer(x, mask=sliding_window_mask(12, 4))
    cache, outputs = KeyValueCache(), []
    for t in range(12):
        mask = sliding_window_mask(1, 4, num_keys=t + 1)
        outputs.append(layer(x[:, t : t + 1], mask=mask, cache=cache)[0])
    close(torch.cat(outputs, dim=1), at_once)


@pytest.mark.parametrize("name", ["mask", "bias"])
def test_a_table_of_the_new_position_alone_is_refused(name):
    layer, x, cache = layer_of(), randn(B, 3, E), KeyValueCache()
    table = sliding_window_mask(1, 4) if name == "mask" else randn(1, 1)
    layer(x[:, :1], **{name: table}, cache=cache)  # the first one: a single key
    for need_weights in (True, False):
        with pytest.raises(ValueError, match=says(f"{name} has shape (1, 1), one column for 2 keys")):
            layer(x[:, 1:2], **{name: table}, need_weights=need_weights, cache=cache)
    assert cache.length == 1


@pytest.mark.parametrize("num_kv_heads", [H, 1])
def test_a_memory_is_projected_once(num_kv_heads):
    layer, x, memory = layer_of(num_kv_heads=num_kv_heads), randn(B, 2, E), randn(B, S, E)  # fmt: skip
    read, lens, mask = [], torch.tensor([4, 6]), coin(B, 2, S, seed=4)
    layer.W_qkv.register_forward_hook(lambda _, given, out: read.append(given[0]))
    cache = layer.start_cache(memory)
    assert not cache.grows and cache.length == S
    for need_weights in (True, False):
        options = {"valid_lens": lens, "mask": mask, "need_weights": need_weights}
        options["bias"] = randn(2, S)
        got = layer(x, **options, cache=cache)
        expected = layer(x, memory, **options)
        close(got[0], expected[0])
        if need_weights:
            close(got[1], expected[1])
    # the memory, then each x, and without the cache both again
    assert [given.shape[1] for given in read] == [S, *[2, 2, S] * 2]
    assert cache.length == S


def test_a_memorys_cache_follows_its_sequences_and_its_copies():
    """Beam search gives the sentences another order, and their keys with them."""
    layer, x, memory = layer_of(), randn(3, 1, E), randn(B, S, E, seed=1)
    cache, order = layer.start_cache(memory), torch.tensor([1, 0, 1])
    twins = copy(cache), deepcopy(cache)
    cache.reorder(order)
    close(layer(x, cache=cache)[0], layer(x, memory[order])[0])
    for twin in twins:
        close(layer(x[:B], cache=twin)[0], layer(x[:B], memory)[0])


@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("gradients", [True, False])
@pytest.mark.parametrize("kind", ["memory", "grows", "rotary", "sink"])
def test_no_new_position_beside_stored_ones(kind, gradients, need_weights):
    layer, x = layer_of(rotary=RotaryPositions() if kind == "rotary" else None), randn(B, T, E)
    if kind == "sink":
        layer = fill(SinkAttention(E, H, learned=True)).double()
    cache = layer.start_cache(x) if kind == "memory" else KeyValueCache()
    with torch.set_grad_enabled(gradients):
        if kind != "memory":
            with pytest.raises(ValueError, match="no key to attend to"):
                layer(x[:, :0], need_weights=need_weights, cache=cache)
            layer(x, cache=cache)
        before = cache.key.clone()
        output, weights = layer(x[:, :0], need_weights=need_weights, cache=cache)
    assert output.shape == (B, 0, E) and torch.equal(cache.key, before)
    assert weights is None or weights.shape == (B, H, 0, T + (kind == "sink"))


def test_another_memory_is_never_taken_for_the_one_that_is_stored():
    layer, x = layer_of(), randn(B, 1, E)
    one, other = randn(B, 1, E, seed=1), randn(B, 1, E, seed=2)
    cache = layer.start_cache(one)
    for again in (cache, copy(cache), deepcopy(cache)):
        again.reorder(torch.tensor([1, 0]))
        for memory in (one, other, one[[1, 0]]):
            for keys in ((memory,), (memory, other), (x, memory)):
                with pytest.raises(ValueError, match="a cache holds keys already"):
                    layer(x, *keys, cache=again)
        close(layer(x, cache=again)[0], layer(x, one[[1, 0]])[0])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda f: f.start_cache([1.0]), TypeError, "memory must be a torch.Tensor"),
        (lambda f: f.start_cache(randn(S, E)), ValueError, "memory must have 3 axes"),
        (lambda f: f.start_cache(randn(B, S, E + 1)), ValueError, "memory has size 31, d_model is 30"),
        (lambda f: f.start_cache(randn(B, S, E).float()), TypeError, "float32, the layer is torch.float64"),
        (lambda f: f.start_cache(randn(B, 0, E)), ValueError, "no key to attend to"),
        (lambda f: f(randn(3, 1, E), cache=f.start_cache(randn(B, S, E))), ValueError, "keys of 2 sequences"),
        (lambda f: f.start_cache(randn(B, S, E)).shorten(2), ValueError, "a memory, which stays as it is"),
        (lambda f: DecoderLayerCache(KeyValueCache(), KeyValueCache()), ValueError, "across a memory's"),
        (lambda f: DecoderLayerCache(1, 2), TypeError, "own must be a KeyValueCache, got int; let start_cache"),
        (lambda f: DecoderLayerCache(KeyValueCache(), [KEY]), TypeError, "across must be a KeyValueCache, got list"),
        (lambda f: KeyValueCache().shorten(1), ValueError, "holds 0 positions, cannot keep 1; pass at most 0"),
        (lambda f: KeyValueCache([KEY]), ValueError, "memory must be a pair of keys and values, got list of 1"),
        (lambda f: KeyValueCache(KEY), TypeError, "a pair of keys and values, got Tensor; let"),
        (lambda f: KeyValueCache(5), TypeError, "a pair of keys and values, got int; let"),
        (lambda f: KeyValueCache((KEY, None)), TypeError, "value must be a torch.Tensor, got NoneType"),
        (lambda f: KeyValueCache((KEY[0], KEY)), ValueError, r"key must have 4 axes, got shape \(3, 5, 11\)"),
        (lambda f: KeyValueCache((KEY, KEY[0])), ValueError, "value must have 4 axes"),
        (lambda f: KeyValueCache((KEY, KEY[:, :, 1:])), ValueError, "pass one value for each key"),
        (lambda f: KeyValueCache((KEY, KEY[..., 1:])), ValueError,
         r"key \(2, 3, 5, 11\) and value \(2, 3, 5, 10\) must have one shape"),
        (lambda f: KeyValueCache((KEY[:, :, :0], KEY[:, :, :0])), ValueError, "no key to attend to"),
        (lambda f: KeyValueCache((KEY, KEY.to("meta"))), ValueError, "key is on cpu, value is on meta"),
        (lambda f: KeyValueCache((KEY.float(), KEY.double())), TypeError, "float32, value is torch.float64"),
        (lambda f: KeyValueCache((KEY, KEY[:, 1:])), ValueError, r"key \(2, 3, 5, 11\) and value \(2, 2, 5, 11\)"),
    ],
)  # fmt: skip
def test_wrong_memories(call, error, message):
    with pytest.raises(error, match=message):
        call(layer_of())


@pytest.mark.parametrize("prefill", ["full", "autocast"])
def test_keys_are_not_rounded_by_autocast(prefill):
    """What came in float32 stays float32 where bfloat16 is added to it, with room for it as with `torch.cat`."""
    layer, x = layer_of().float(), randn(B, T, E, dtype=torch.float32)
    for gradients in (True, False):
        cache = KeyValueCache()
        with torch.set_grad_enabled(gradients):
            with torch.autocast("cpu", torch.bfloat16, enabled=prefill == "autocast"):
                layer(x[:, :2], cache=cache)
            stored = cache.key
            with torch.autocast("cpu", torch.bfloat16):
                layer(x[:, 2:3], cache=cache)
                layer(x[:, 3:4], cache=cache)
        assert torch.equal(cache.key[:, :, :2], stored)
        assert cache.key.dtype == cache.value.dtype == stored.dtype
        if prefill == "full":
            assert stored.dtype == torch.float32
    with torch.no_grad():  # and the other way round: room of bfloat16, keys of float32
        cache = KeyValueCache()
        for _ in range(3):
            add(cache, KEY.bfloat16(), KEY.bfloat16())
        with torch.autocast("cpu", torch.bfloat16):
            add(cache, KEY.float(), KEY.float())
        assert torch.equal(cache.key[:, :, -T:], KEY.float())


@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("kind", ["memory", "grows"])
@pytest.mark.parametrize(
    ("stored", "asked"), [("bfloat16", "float32"), ("float32", "bfloat16"), ("float16", "float32")]
)
def test_a_cache_of_another_precision_goes_on(kind, stored, asked, need_weights):
    """As autocast leaves one, or a model that was converted in between, or one who keeps it small."""
    stored, asked = getattr(torch, stored), getattr(torch, asked)
    layer, x = layer_of(rotary=RotaryPositions() if kind == "grows" else None).float(), randn(B, T, E).float()
    expected = layer(x)[0][:, -1:] if kind == "grows" else layer(x[:, -1:], x[:, :-1])[0]
    with torch.no_grad():
        cache = layer.start_cache(x[:, :-1]) if kind == "memory" else KeyValueCache()
        if kind == "grows":
            layer(x[:, :-1], mask=causal_mask(T - 1), cache=cache)
        cache.key, cache.value = cache.key.to(stored), cache.value.to(stored)
        output, _ = layer.to(asked)(x[:, -1:].to(asked), need_weights=need_weights, cache=cache)
    assert output.dtype == asked
    close(output.float(), expected, 0.1)


def test_a_cache_on_another_device_is_refused():
    cache = layer_of().start_cache(randn(B, S, E))
    cache.key, cache.value = cache.key.to("meta"), cache.value.to("meta")
    with pytest.raises(ValueError, match="the cache is on meta, query is on cpu; start a new cache"):
        layer_of()(randn(B, 1, E), cache=cache)


@pytest.mark.parametrize("own", [False, True])
def test_a_function_as_bias_does_not_go_with_another_sequence(own):
    """It would take the keys of a text for those of the same one, silently where there are more keys than queries."""
    layer, x, memory = layer_of(), randn(B, 3, E), randn(B, S, E)
    call = {"cache": layer.start_cache(memory)} if own else {"key": memory}
    with pytest.raises(ValueError, match="but the keys are those of another; pass the bias itself"):
        layer(x, bias=alibi_bias, **call)
    bias = alibi_bias(randn(B, H, 3, 10), randn(B, H, S, 10))
    close(layer(x, bias=bias, **call)[0], layer(x, memory, bias=bias)[0])


def test_rotary_positions_and_another_sequence_do_not_go_together():
    layer, x = layer_of(rotary=RotaryPositions()), randn(B, 3, E)
    memory = layer_of().start_cache(randn(B, S, E))  # another layer's
    for call in (
        lambda: layer(x, randn(B, S, E)),
        lambda: layer.start_cache(randn(B, S, E)),
        lambda: layer(x, cache=memory),
    ):
        with pytest.raises(ValueError, match="rotary positions compare places in one"):
            call()


def test_gradients_flow_through_the_stored_keys():
    layer, x = layer_of(), randn(B, T, E, grad=True)
    cache = KeyValueCache()
    layer(x[:, :-1], cache=cache)
    layer(x[:, -1:], cache=cache)[0].square().sum().backward()
    assert (x.grad.abs().amax((0, 2)) > 1e-6).all()


# --- errors ----------------------------------------------------------------------------------------------------------

KEY = randn(B, H, T, D)


@pytest.mark.parametrize(
    ("layer", "sequences", "message"),
    [
        (layer_of(), B + 1, "keys of 2 sequences, the new ones have 3; start a new cache"),
        (layer_of(num_kv_heads=1), B, "keys of 3 heads, the new ones have 1"),
        (fill(MultiHeadAttention(E, H, head_dim=4)).double(), B, "keys of 10 features, the new ones have 4"),
    ],
)
def test_another_layers_cache_is_refused_and_stays_as_it_was(layer, sequences, message):
    cache = KeyValueCache()
    layer_of()(randn(B, T, E), cache=cache)
    before = cache.key, cache.value
    with pytest.raises(ValueError, match=message):
        layer(randn(sequences, 1, E), cache=cache)
    assert cache.key is before[0] and cache.value is before[1]


@pytest.mark.parametrize(
    ("order", "error", "message"),
    [
        ([0, 1], TypeError, r"order must be a tensor of torch.long indices, got list; make one with"),
        (torch.tensor([0.0]), TypeError, "got torch.float32"),
        (torch.tensor([True, False]), TypeError, "got torch.bool"),
        (torch.tensor([[0]]), ValueError, r"order must be \(B',\), got shape \(1, 1\); pass one index"),
        (torch.tensor([0, 2]), ValueError, r"order must be in 0 … 1, got \[0, 2\]; pass indices of the 2"),
        (torch.tensor([-1]), ValueError, r"order must be in 0 … 1, got \[-1\]"),
    ],
)
def test_wrong_orders(order, error, message):
    cache = KeyValueCache()
    add(cache, KEY, KEY)
    with pytest.raises(error, match=message):
        cache.reorder(order)


def test_reordering_an_empty_cache_leaves_it_empty():
    cache = KeyValueCache()
    cache.reorder(torch.tensor([0, 0]))
    assert cache.length == 0


def test_a_mask_that_does_not_fit_leaves_the_cache_as_it_was():
    layer, cache = layer_of(), KeyValueCache()
    layer(randn(B, T, E), cache=cache)
    before = cache.key
    with pytest.raises(ValueError, match=says("mask has shape (2, 2)", "(2, 3, 1, 6)")):
        layer(randn(B, 1, E), mask=causal_mask(2), cache=cache)
    assert cache.key is before


@pytest.mark.parametrize("gradients", [True, False])
@pytest.mark.parametrize("layer", [layer_of(), SinkAttention(E, H, learned=True).double()])
def test_a_bias_that_fails_leaves_the_cache_as_it_was(layer, gradients):
    """Keys are stored before a function makes a bias of them: the very tensors from before come back."""
    cache = KeyValueCache()
    with torch.set_grad_enabled(gradients):
        layer(randn(B, T, E), cache=cache)
        before = cache.key, cache.value
        for wrong in (lambda q, k: None, lambda q, k: randn(2, 2), lambda q, k: 1 / 0):
            with pytest.raises((TypeError, ValueError, ZeroDivisionError)):
                layer(randn(B, 1, E), bias=wrong, cache=cache)
            assert cache.key is before[0] and cache.value is before[1]


def test_a_layer_that_fails_at_its_end_leaves_the_cache_as_it_was():
    layer, cache, x = layer_of(), KeyValueCache(), randn(B, T, E)
    with torch.no_grad():
        layer(x[:, :3], cache=cache)
        failing = layer.W_o.register_forward_hook(lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            layer(x[:, 3:4], cache=cache)
        failing.remove()
        assert cache.length == 3
        close(layer(x[:, 3:], cache=cache)[0], layer(x)[0][:, 3:])


def test_a_cache_of_another_kind():
    with pytest.raises(TypeError, match=says("cache must be a KeyValueCache, got list", "start_cache")):
        layer_of()(randn(B, 1, E), cache=[])


@pytest.mark.parametrize("kind", ["memory", "grows"])
def test_a_cache_keeps_no_more_than_keys_and_values(kind):
    layer = MultiHeadAttention(64, 8, num_kv_heads=1).eval()
    x = torch.randn(2, 50, 64)
    with torch.no_grad():
        cache = layer.start_cache(x) if kind == "memory" else KeyValueCache()
        if kind == "grows":
            layer(x, cache=cache)
    assert cache.key.untyped_storage().nbytes() == cache.key.nbytes == 2 * 50 * 8 * 4
    assert cache.value.untyped_storage().nbytes() == cache.value.nbytes


def test_what_is_given_to_a_cache_stays_the_callers():
    cache, key = KeyValueCache(), torch.ones(1, 1, 2, 3)
    add(cache, key, key)
    key.zero_()
    assert cache.key.eq(1).all() and cache.value.eq(1).all()


@pytest.mark.parametrize("make", [MultiHeadAttention, lambda d, h: EncoderLayer(d, h, 7)], ids=["attention", "block"])
def test_steps_compile_once_their_number_may_grow(make):
    """For no key, for one, and for any number."""
    layer, x = make(8, 2).double().eval(), randn(2, 12, 8)
    graphs = []

    def backend(graph, _):
        graphs.append(graph)
        return graph

    def step(new, cache):
        return layer(new, mask=causal_mask(1, cache.length + 1), cache=cache)[0]

    torch._dynamo.reset()
    compiled, cache = torch.compile(step, backend=backend, fullgraph=True), KeyValueCache()
    with torch.no_grad():
        outputs = torch.cat([compiled(new, cache) for new in x.split(1, dim=1)], dim=1)
        close(outputs, layer(x, mask=causal_mask(12))[0])
    assert len(graphs) <= 3
