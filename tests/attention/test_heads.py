"""Multi-head attention: its three stages, loops, shared key/value heads, biases, edges and errors."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import naive
from attnbook.attention import (
    KeyValueCache,
    MultiHeadAttention,
    RotaryPositions,
    SeparateHeads,
    T5Positions,
    WideHeads,
    causal_mask,
    combine_masks,
    merge_heads,
    rotate,
    split_heads,
    stack_heads,
    widen_heads,
)
from attnbook.transformer import count_parameters
from tensors import (
    DEVICES,
    HALF,
    HALF_TOLERANCE,
    LENGTHS,
    PROPERTY,
    QUERY_LENGTHS,
    TOLERANCE,
    B,
    D,
    H,
    S,
    T,
    close,
    coin,
    fill,
    randn,
    says,
)

E = H * D  # d_model: H heads of size D
LENS, QUERY_LENS = torch.tensor(LENGTHS), torch.tensor(QUERY_LENGTHS)
BOTH = pytest.mark.parametrize("need_weights", [True, False])


def sequences(dtype=torch.float64, grad=False, device="cpu"):
    """Query (B, T, E), and key and value (B, S, E)."""
    return tuple(
        randn(B, n, E, seed=seed, dtype=dtype, grad=grad, device=device) for seed, n in enumerate((T, S, S), start=1)
    )


def layer_of(dtype=torch.float64, device="cpu", **options):
    """A layer with weights of a moderate size, the same ones every time."""
    return fill(MultiHeadAttention(E, H, **options)).to(device, dtype).eval()


def by_loops(layer, query, key, value, mask):
    """Output (B, T, E) and weights (B, H, T, S): one sequence, one head, one number at a time."""
    maps = zip(
        (query, key, value), layer.W_qkv.weight.split(layer.sizes), layer.W_qkv.bias.split(layer.sizes), strict=True
    )
    q, k, v = (x @ weight.T + bias for x, weight, bias in maps)
    output, weights = torch.zeros_like(query), torch.zeros(B, H, T, S).double()
    for b in range(B):
        for h in range(H):
            own = slice(h * D, (h + 1) * D)
            group = h // (H // layer.num_kv_heads)
            shared = slice(group * D, (group + 1) * D)
            output[b, :, own], weights[b, h] = naive.dot_product_attention(
                q[b, :, own], k[b, :, shared], v[b, :, shared], mask[b, h]
            )
    return output @ layer.W_o.weight.T + layer.W_o.bias, weights


# --- split and merge -------------------------------------------------------------------------------------------------


def test_splitting_and_merging_by_loops():
    x = randn(B, T, E)
    split = split_heads(x, H)
    assert split.shape == (B, H, T, D)
    for b in range(B):
        for h in range(H):
            for t in range(T):
                for d in range(D):
                    assert split[b, h, t, d] == x[b, t, h * D + d]
    assert torch.equal(merge_heads(split), x)


def test_a_reshape_alone_has_the_right_shape_and_the_wrong_numbers():
    x = randn(B, T, E)
    reshaped, split = x.reshape(B, H, T, D), split_heads(x, H)
    assert reshaped.shape == split.shape
    close(reshaped[:, 0, 0], split[:, 0, 0])  # the first head of the first position
    assert ((reshaped - split).abs().amax((0, 3)) > 0.1).sum() > H * T / 2
    # it is its own inverse too, so that an inverse alone proves nothing
    close(reshaped.reshape(B, T, E), x)
    # and what one position says ends up in the rows of others
    changed = x.clone()
    changed[:, 0] += 1
    rows = (changed.reshape(B, H, T, D) != reshaped).any(3).any(0).any(0)
    assert rows.sum() > 1
    assert (split_heads(changed, H) != split).any(3).any(0).any(0).tolist() == [t == 0 for t in range(T)]


@PROPERTY
@given(
    lead=st.lists(st.integers(0, 3), max_size=2),
    length=st.integers(0, 4),
    heads=st.integers(1, 4),
    size=st.integers(1, 3),
)
def test_merging_undoes_splitting(lead, length, heads, size):
    x = randn(*lead, length, heads * size)
    split = split_heads(x, heads)
    assert split.shape == (*lead, heads, length, size)
    assert torch.equal(merge_heads(split), x)


# --- the three stages ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_the_three_stages_are_one_function(bias, dtype):
    """With copied weights: outputs, weights and gradients, for unequal lengths, padding and an empty row."""
    separate = fill(SeparateHeads(E, H, bias=bias)).to(dtype)
    stages = (separate, widen_heads(separate), stack_heads(separate))
    mask = causal_mask(T, S)
    mask[2] = False
    results = []
    for stage in stages:
        arguments = sequences(dtype, grad=True)
        output, weights = stage(*arguments, LENS, mask=mask, need_weights=True)
        assert output.dtype == dtype and weights.shape == (B, H, T, S)
        (output * randn(B, T, E, seed=9, dtype=dtype)).sum().backward()
        results.append((output, weights, *(x.grad for x in arguments)))
    for other in results[1:]:
        for got, expected in zip(other, results[0], strict=True):
            close(got, expected, TOLERANCE[dtype])
    assert results[0][1].amax(-1)[:, :, 3:].max() < 0.9  # no softmax has saturated


def test_the_parameters_of_the_stages():
    wide, separate = WideHeads(E, H), SeparateHeads(E, H)
    one = MultiHeadAttention(E, H, bias=False)
    assert count_parameters(separate) == count_parameters(one) == 4 * E * E
    assert count_parameters(wide) == H * count_parameters(one)
    with_bias = MultiHeadAttention(E, H)
    assert count_parameters(with_bias) == 4 * E * E + 4 * E
    assert count_parameters(SeparateHeads(E, H, bias=True)) == 4 * E * E + 4 * E


def test_separate_heads_are_wide_heads_of_a_smaller_width():
    """Made alike, too: the same seed gives the same weights, and what the wide ones ask of sizes is asked here."""
    torch.manual_seed(0)
    wide = WideHeads(E, H, head_dim=D)
    torch.manual_seed(0)
    separate = SeparateHeads(E, H)
    for (name, weight), (twin, other) in zip(wide.named_parameters(), separate.named_parameters(), strict=True):
        assert name == twin and torch.equal(weight, other)
    both = [stage(QUERY, KEY, VALUE, need_weights=True) for stage in (wide, separate)]
    assert all(torch.equal(a, b) for a, b in zip(*both, strict=True))


def test_copied_stages_keep_dtype_and_mode_and_share_nothing():
    separate = SeparateHeads(E, H, bias=True).double().eval()
    for make in (widen_heads, stack_heads):
        copy = make(separate)
        assert copy.W_o.weight.dtype == torch.float64 and not copy.training
        own = {p.data_ptr() for p in copy.parameters()}
        assert not own & {p.data_ptr() for p in separate.parameters()}
        assert all(p.requires_grad for p in copy.parameters())


@pytest.mark.parametrize("make", [WideHeads, SeparateHeads])
def test_a_stage_is_a_concatenation_of_heads(make):
    """Silencing one head's columns of W_o takes away that head alone."""
    stage = fill(make(E, H)).double()
    query, key, value = sequences()
    output, weights = stage(query, key, value, need_weights=True)
    size = stage.heads[0].W_v.out_features
    parts = torch.zeros(B, T, E).double()
    for h, head in enumerate(stage.heads):
        columns = stage.W_o.weight[:, h * size : (h + 1) * size]
        parts += weights[:, h] @ head.W_v(value) @ columns.T
    close(output, parts)


# --- the layer against loops -----------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("num_kv_heads", [H, 1])
@pytest.mark.parametrize("lengths", [LENGTHS, QUERY_LENGTHS], ids=["one a sequence", "one a query"])
def test_against_loops(need_weights, num_kv_heads, lengths):
    layer = layer_of(num_kv_heads=num_kv_heads)
    query, key, value = sequences()
    mask = coin(B, H, T, S, seed=8)
    mask[1, 2, 4] = False
    shape = torch.Size([B, H, T, S])
    allowed = combine_masks(shape, torch.tensor(lengths), mask)
    output, weights = layer(query, key, value, torch.tensor(lengths), mask=mask, need_weights=need_weights)
    expected = by_loops(layer, query, key, value, allowed)
    close(output, expected[0])
    if need_weights:
        close(weights, expected[1])
    else:
        assert weights is None


@BOTH
@pytest.mark.parametrize("shape", [(B, H, T, S), (B, T, S), (T, S), (S,), (B, 1, S), (B, 1, 1, S), (H, 1, 1)], ids=str)
def test_masks_of_every_shape(need_weights, shape):
    """(B, T, S) is one mask per sequence, not one per head."""
    if shape == (H, 1, 1):
        with pytest.raises(ValueError, match="does not broadcast"):
            layer_of()(*sequences(), mask=coin(*shape))
        return
    mask = coin(*shape, seed=8)
    whole = mask.unsqueeze(1) if mask.dim() == 3 else mask
    output, _ = layer_of()(*sequences(), mask=mask, need_weights=need_weights)
    expected, _ = by_loops(layer_of(), *sequences(), whole.expand(B, H, T, S))
    close(output, expected)


@BOTH
def test_three_axes_are_sequences_also_where_there_are_as_many_heads(need_weights):
    """With B = H the shapes cannot tell a mask of the sequences from one of the heads: a rule has to."""
    heads = 2
    layer = fill(MultiHeadAttention(6 * heads, heads)).double()
    x, mask = (randn(heads, T, 6 * heads), coin(heads, T, T, seed=2) | torch.eye(T).bool())
    bias = randn(heads, T, T, seed=3)
    output, _ = layer(x, mask=mask, bias=bias, need_weights=need_weights)
    for b in range(heads):
        alone, _ = layer(x[b : b + 1], mask=mask[b], bias=bias[b])
        close(output[b : b + 1], alone)
    by_head, _ = layer(x, bias=bias[None], need_weights=need_weights)
    assert (by_head - layer(x, bias=bias)[0]).abs().max() > 1e-3


@BOTH
def test_keys_and_values_are_the_query_unless_given(need_weights):
    layer, (query, key, _) = layer_of(), sequences()
    alone, _ = layer(query, need_weights=need_weights)
    close(alone, layer(query, query, query)[0])
    close(alone, layer(query, query.clone(), query.clone())[0])  # three products
    close(layer(query, key)[0], layer(query, key, key)[0])


# --- fewer key/value heads -------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("num_kv_heads", [1, 2, 3])
def test_shared_heads_are_repeated_heads(need_weights, num_kv_heads):
    heads, size = 6, 5
    few = fill(MultiHeadAttention(heads * size, heads, num_kv_heads=num_kv_heads)).double()
    full = MultiHeadAttention(heads * size, heads).double()
    repeat = heads // num_kv_heads

    def widened(rows):
        q, k, v = rows.split(few.sizes)
        k, v = (x.unflatten(0, (num_kv_heads, size)).repeat_interleave(repeat, 0) for x in (k, v))
        return torch.cat([q, k.flatten(0, 1), v.flatten(0, 1)])

    with torch.no_grad():
        full.W_qkv.weight.copy_(widened(few.W_qkv.weight))
        full.W_qkv.bias.copy_(widened(few.W_qkv.bias))
    full.W_o.load_state_dict(few.W_o.state_dict())
    query, key = randn(B, T, heads * size), randn(B, S, heads * size, seed=1)
    output, weights = few(query, key, valid_lens=LENS, need_weights=need_weights)
    expected = full(query, key, valid_lens=LENS, need_weights=True)
    close(output, expected[0])
    if need_weights:
        close(weights, expected[1])
    saved = 2 * (heads - num_kv_heads) * size * (heads * size + 1)
    assert count_parameters(few) == count_parameters(full) - saved


# --- heads of their own size, normalised -----------------------------------------------------------------------------


@BOTH
def test_heads_of_any_size_and_normalised_queries_and_keys_against_loops(need_weights):
    size = 4
    layer = fill(
        MultiHeadAttention(D, 6, num_kv_heads=2, bias=False, rotary=RotaryPositions(), head_dim=size, qk_norm=True)
    ).double()
    assert (layer.W_qkv.weight.shape, layer.W_o.weight.shape) == ((10 * size, D), (D, 6 * size))
    x = randn(B, T, D)
    output, weights = layer(x, need_weights=need_weights)

    def normalised(y, norm):
        return y / (y.pow(2).mean() + 1e-6).sqrt() * norm.weight

    for b in range(B):
        heads = layer.W_qkv(x[b]).unflatten(-1, (10, size)).transpose(0, 1)  # (10, T, Dh)
        mixed = []
        for h in range(6):
            q, k, v = heads[h], heads[6 + h // 3], heads[8 + h // 3]
            q = torch.stack([normalised(one, layer.norm_q) for one in q])
            k = torch.stack([normalised(one, layer.norm_k) for one in k])
            expected = (rotate(q, torch.arange(T)) @ rotate(k, torch.arange(T)).T / size**0.5).softmax(-1)
            if need_weights:
                close(weights[b, h], expected)
            mixed.append(expected @ v)
        close(output[b], layer.W_o(torch.cat(mixed, dim=-1)))


def test_norms_of_queries_and_keys_are_two_more_parts_and_change_no_other():
    torch.manual_seed(3)
    plain = MultiHeadAttention(E, H, num_kv_heads=1)
    torch.manual_seed(3)
    state = MultiHeadAttention(E, H, num_kv_heads=1, qk_norm=True).state_dict()
    assert state.keys() == plain.state_dict().keys() | {"norm_q.weight", "norm_k.weight"}
    assert all(torch.equal(state[name], weight) for name, weight in plain.state_dict().items())


# --- biases on the scores --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, *HALF])
@pytest.mark.parametrize("learned", [True, False])
@pytest.mark.parametrize("num_kv_heads", [H, 1])
def test_with_and_without_weights_are_one_function(dtype, learned, num_kv_heads):
    """Outputs and all gradients, with a bias for each head, lengths, and rows without any key."""
    layer = layer_of(dtype, num_kv_heads=num_kv_heads)
    mask = causal_mask(T, S)
    mask[2] = False
    results = []
    for need_weights in (True, False):
        layer.zero_grad()
        arguments = sequences(dtype, grad=True)
        bias = randn(1, H, T, S, seed=4, grad=learned)  # float64: it follows the layer
        output, weights = layer(*arguments, torch.tensor([0, 6]), mask=mask, need_weights=need_weights, bias=bias)
        nothing = layer.W_o.bias.expand(T, E)
        close(output[0], nothing, 0)
        close(output[1, 2], nothing[2], 0)
        assert (output[1, 1] != nothing[1]).any()
        if need_weights:
            assert (weights[0] == 0).all() and (weights[1, :, 2] == 0).all()
        (output * randn(B, T, E, seed=9, dtype=dtype)).sum().backward()
        found = [x.grad for x in (*arguments, *layer.parameters())]
        found += [bias.grad] if learned else []
        assert all(g.isfinite().all() for g in found)
        assert all((g[0] == 0).all() for g in found[:3])
        if learned:
            assert (bias.grad[0, :, 2] == 0).all() and (bias.grad[0, :, 1] != 0).any()
        results.append([output.double(), *(g.double() for g in found)])
    # sums over many positions: a few units in the last place of the largest of them
    tolerance = {**TOLERANCE, **HALF_TOLERANCE}[dtype]
    for with_weights, without in zip(*results, strict=True):
        close(without, with_weights, tolerance * max(1, with_weights.abs().max().item()))


@BOTH
@pytest.mark.parametrize("shape", [(B, H, T, S), (1, H, T, S), (1, H, 1, S), (B, T, S), (T, S), (1, S)])
def test_a_bias_is_added_to_the_scaled_scores(need_weights, shape):
    """Against a layer whose scores are raised by the logarithm of integer weights: each key counted that often."""
    layer, (query, key, value) = layer_of(), sequences()
    bias = randn(*shape, seed=6)
    each = bias.unsqueeze(1) if bias.dim() == 3 else bias  # (B, T, S): for all heads
    output, _ = layer(query, key, value, need_weights=need_weights, bias=bias)
    _, plain = layer(query, key, value, need_weights=True)
    weights = plain * each.exp()  # softmax(e + b) is proportional to softmax(e) · exp(b)
    weights = weights / weights.sum(-1, keepdim=True)
    _, _, v = layer.project(query, key, value)
    close(output, layer.W_o(merge_heads(weights @ v)))


@BOTH
def test_minus_infinity_in_a_bias_masks(need_weights):
    layer, mask = layer_of(), coin(T, S, seed=8)
    mask[3] = False
    bias = torch.zeros(T, S).double().masked_fill(~mask, -torch.inf)
    output, _ = layer(*sequences(), need_weights=need_weights, bias=bias)
    close(output, layer(*sequences(), mask=mask)[0])


# --- properties ------------------------------------------------------------------------------------------------------


@BOTH
def test_causality_by_changing_the_future_and_by_gradient(need_weights):
    layer, mask = layer_of(), causal_mask(T)
    x = sequences(grad=True)[0]
    output, _ = layer(x, mask=mask, need_weights=need_weights)
    for t in range(T):
        changed = x.detach().clone()
        changed[:, t] += 1
        other, _ = layer(changed, mask=mask, need_weights=need_weights)
        difference = (other - output).abs().amax((0, 2))
        assert (difference[:t] < 1e-12).all() and (difference[t:] > 1e-3).all()
        loss = output[:, t].square().sum()
        gradient = torch.autograd.grad(loss, x, retain_graph=True)[0].abs().amax((0, 2))
        assert (gradient[t + 1 :] == 0).all() and (gradient[: t + 1] > 1e-6).all()


@BOTH
@PROPERTY
@given(seed=st.integers(0, 2**16))
def test_order_does_not_matter(need_weights, seed):
    layer, generator = layer_of(), torch.Generator().manual_seed(seed)
    query, key, value = sequences()
    mask = coin(B, H, T, S, seed=seed)
    output, weights = layer(query, key, value, None, mask=mask, need_weights=need_weights)
    columns = torch.randperm(S, generator=generator)
    rows = torch.randperm(T, generator=generator)
    other, _ = layer(
        query[:, rows],
        key[:, columns],
        value[:, columns],
        None,
        mask=mask[:, :, rows][..., columns],
        need_weights=need_weights,
    )
    close(other, output[:, rows])
    if need_weights:
        close(weights.sum(-1), mask.any(-1).double())
        assert (weights[~mask] == 0).all()


def test_heads_look_at_different_things():
    """At the start already: W_q and W_k of the heads are drawn apart."""
    torch.manual_seed(0)
    _, weights = MultiHeadAttention(E, H)(*sequences(torch.float32), need_weights=True)
    assert (weights[:, 0] - weights[:, 1]).abs().max() > 0.05


def test_every_parameter_learns():
    layer = layer_of()
    layer(*sequences(), LENS)[0].square().sum().backward()
    q, k, v = layer.W_qkv.bias.grad.split(layer.sizes)
    assert all(p.grad.isfinite().all() for p in layer.parameters())
    for gradient in (*layer.W_qkv.weight.grad.split(layer.sizes), q, v):
        assert gradient.abs().max() > 1e-6
    # but for the keys' bias: it raises all scores of a query alike, which no softmax notices
    assert k.abs().max() < 1e-12


# --- edges -----------------------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("dtype", HALF)
def test_half_precision(need_weights, dtype):
    layer = layer_of(dtype)
    arguments = sequences(dtype)
    output, _ = layer(*arguments, LENS, mask=causal_mask(T, S), need_weights=need_weights)
    assert output.dtype == dtype
    arguments = (x.double() for x in arguments)
    expected, _ = layer.double()(*arguments, LENS, mask=causal_mask(T, S))
    close(output.double(), expected, 2 * HALF_TOLERANCE[dtype])


@BOTH
def test_autocast(need_weights):
    layer, arguments = layer_of(torch.float32), sequences(torch.float32)
    bias = randn(1, H, T, S, dtype=torch.float32)
    expected, _ = layer(*arguments, LENS, bias=bias)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        output, _ = layer(*arguments, LENS, need_weights=need_weights, bias=bias)
    close(output.float(), expected, 2 * HALF_TOLERANCE[torch.bfloat16])


@BOTH
def test_compiles_into_one_graph(need_weights):
    layer, lengths = layer_of(), torch.tensor([0, 6])
    call = (*sequences(), lengths)
    options = {"mask": causal_mask(T, S), "bias": randn(1, H, T, S)}
    options["need_weights"] = need_weights
    compiled = torch.compile(layer, fullgraph=True, backend="eager")
    output, weights = compiled(*call, **options)
    close(output, layer(*call, **options)[0])
    if need_weights:
        close(weights, layer(*call, **options)[1])


@BOTH
@pytest.mark.parametrize("device", ["meta", *DEVICES])
def test_everything_follows_the_query(need_weights, device):
    """Lengths and masks may come from the CPU."""
    layer = layer_of(torch.float32, device)
    arguments = sequences(torch.float32, device=device)
    output, weights = layer(*arguments, LENS, mask=coin(T, S), need_weights=need_weights)
    assert output.device.type == device and output.shape == (B, T, E)
    assert weights is None or weights.device.type == device


@BOTH
def test_strides_do_not_matter_and_arguments_are_left_alone(need_weights):
    layer = layer_of()
    query, key, value = (randn(E, B, n, seed=n).permute(1, 2, 0) for n in (T, S, S))
    names = "query", "key", "value", "mask", "valid_lens"
    passed = dict(zip(names, (query, key, value, coin(S, T).T, LENS), strict=True))
    assert not any(passed[name].is_contiguous() for name in names[:4])
    before = {name: x.clone().contiguous() for name, x in passed.items()}
    output, _ = layer(**passed, need_weights=need_weights)
    assert all(torch.equal(before[name], x) for name, x in passed.items())
    close(output, layer(**before, need_weights=need_weights)[0])


@BOTH
@pytest.mark.parametrize("lens", [None, LENS], ids=["all keys", "lengths"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16], ids=str)
def test_nan_is_seen_in_the_output_with_weights_and_without(need_weights, lens, dtype):
    layer, (query, key, value) = layer_of().to(dtype), (x.to(dtype) for x in sequences())
    query[1, 2, 0] = torch.nan
    output, _ = layer(query, key, value, lens, need_weights=need_weights)
    seen = output.isnan().all(-1)
    assert seen.nonzero().tolist() == [[1, 2]] and seen.sum() * E == output.isnan().sum()


@BOTH
def test_single_key_no_query_and_empty_batch(need_weights):
    layer, (query, key, value) = layer_of(), sequences()
    alone, _ = layer(query, key[:, :1], value[:, :1], need_weights=need_weights)
    _, _, v = layer.project(query, key, value)
    close(alone, layer.W_o(merge_heads(v)[:, :1]).expand(B, T, E))  # all weight on the only key
    none, _ = layer(query[:, :0], key, value, LENS, need_weights=need_weights)
    assert none.shape == (B, 0, E)
    empty = (x[:0] for x in (query, key, value, LENS))
    assert layer(*empty, need_weights=need_weights)[0].shape == (0, T, E)


# --- dropout ---------------------------------------------------------------------------------------------------------


@BOTH
def test_dropout_only_while_training(need_weights):
    quiet, _ = layer_of()(*sequences())
    layer = layer_of(dropout=0.5)
    call = {"need_weights": need_weights}
    close(layer(*sequences(), **call)[0], quiet)
    torch.manual_seed(0)
    first, weights = layer.train()(*sequences(), **call)
    second, _ = layer(*sequences(), **call)
    assert (first - second).abs().max() > 0.01 < (first - quiet).abs().max()
    if need_weights:  # they are shown as they were before dropout
        close(weights, layer_of()(*sequences(), **call)[1])


@BOTH
def test_dropout_drops_weights_and_scales_up_the_rest(need_weights):
    """One key, values and W_o that pass a 1 on: each head's output is its weight, gone or divided by 1 − p."""
    layer = MultiHeadAttention(E, H, dropout=0.25, bias=False).double()
    with torch.no_grad():
        layer.W_qkv.weight[2 * E :].copy_(torch.eye(E))
        layer.W_o.weight.copy_(torch.eye(E))
    ones = torch.ones(50, 1, E).double()
    torch.manual_seed(0)
    output, _ = layer(ones, need_weights=need_weights)
    kept = output[output != 0]
    close(kept, torch.full_like(kept, 1 / 0.75))
    assert (output == 0).double().mean().item() == pytest.approx(0.25, abs=0.1)


# --- errors ----------------------------------------------------------------------------------------------------------

QUERY, KEY, VALUE = sequences(torch.float32)


@pytest.mark.parametrize("stage", [WideHeads, SeparateHeads, MultiHeadAttention])
@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([1.0], KEY, VALUE), TypeError, ("query must be a torch.Tensor", "list")),
        ((QUERY, KEY.long(), VALUE), TypeError, ("key must be a floating", "int64", "lengths as valid_lens=, a mask")),
        ((QUERY, KEY, VALUE.double()), TypeError, ("key is torch.float32, value is torch.float64",)),
        ((QUERY.half(), KEY.half(), VALUE.half()), TypeError, ("query is torch.float16, the layer is torch.float32",)),
        ((QUERY[0], KEY[0], VALUE[0]), ValueError, ("query must have 3 axes, got shape (5, 33)",)),
        ((QUERY[..., 1:], KEY, VALUE), ValueError, ("query has size 32, d_model is 33; project",)),
        ((QUERY, KEY[..., 1:], VALUE), ValueError, ("key has size 32, d_model is 33; project",)),
        ((QUERY, KEY, VALUE[..., 1:]), ValueError, ("value has size 32, d_model is 33",)),
        ((QUERY, KEY, VALUE[:, 1:]), ValueError, ("number of keys is 7, the number of values is 6",)),
        ((QUERY, KEY[:, :0], VALUE[:, :0]), ValueError, ("no key to attend to",)),
        ((QUERY[:1], KEY, VALUE), ValueError, ("query holds 1 sequences, key holds 2", "pass as many of each",)),
        ((QUERY, KEY, VALUE[:1]), ValueError, ("value holds 1 sequences",)),
    ],
)  # fmt: skip
def test_wrong_inputs(stage, arguments, error, message):
    """Wrong masks and lengths: test_bad_input.py, for all layers."""
    with pytest.raises(error, match=says(*message)):
        stage(E, H)(*arguments)


@BOTH
@pytest.mark.parametrize(
    ("bias", "error", "message"),
    [
        ([0.0], TypeError, ("bias must be a torch.Tensor", "list")),
        (coin(T, S), TypeError,
         ("bias must be a floating-point tensor", "bool", "a mask as mask=, or as bias=to_additive(mask)")),
        (T5Positions, TypeError, ("bias must be a function, got the class T5Positions, of which none was made; make",)),
        (randn(S), ValueError, ("bias must have at least 2 axes",)),
        (randn(H, T, S), ValueError, ("bias has shape (3, 5, 7)", "(2, 3, 5, 7)", "(1, H, T, S)")),
        (randn(H, S, T), ValueError, ("bias has shape (3, 7, 5)", "does not broadcast")),
        (randn(1, 1, H, T, S), ValueError, ("bias has shape (1, 1, 3, 5, 7)",)),
    ],
)  # fmt: skip
def test_wrong_biases(need_weights, bias, error, message):
    with pytest.raises(error, match=says(*message)):
        layer_of(torch.float32)(QUERY, KEY, VALUE, need_weights=need_weights, bias=bias)


def test_a_cache_is_for_self_attention():
    with pytest.raises(ValueError, match="gets them from the query, but others were passed"):
        layer_of(torch.float32)(QUERY, KEY, VALUE, cache=KeyValueCache())


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: MultiHeadAttention(E, 7), ValueError, ("d_model 33 is not divisible by num_heads 7", "take 35")),
        (lambda: SeparateHeads(512, 7), ValueError, ("d_model 512 is not divisible by num_heads 7", "take 511")),
        (lambda: MultiHeadAttention(3, 8), ValueError, ("d_model 3 is not divisible", "take 8 features")),
        (lambda: MultiHeadAttention(E, 0), ValueError, ("num_heads must be at least 1",)),
        (lambda: MultiHeadAttention(33.0, H), TypeError, ("d_model must be an integer, got float",)),
        (lambda: MultiHeadAttention(32, 8, num_kv_heads=3), ValueError, ("3 does not divide num_heads 8",)),
        (lambda: MultiHeadAttention(32, 8, num_kv_heads=16), ValueError, ("num_kv_heads 16 does not divide",)),
        (lambda: MultiHeadAttention(32, 8, num_kv_heads=0), ValueError, ("num_kv_heads must be at least 1",)),
        (lambda: MultiHeadAttention(E, H, dropout=1), ValueError, ("dropout must be at least 0 and below 1",)),
        (lambda: MultiHeadAttention(E, 7, head_dim=0), ValueError, ("head_dim must be at least 1",)),
        (lambda: MultiHeadAttention(E, "7", head_dim=2), TypeError, ("num_heads must be an integer, got str",)),
        (lambda: MultiHeadAttention(E, H, eps=0), ValueError, ("eps must be a finite number above 0",)),
        (lambda: WideHeads(0, H), ValueError, ("d_model must be at least 1",)),
        (lambda: WideHeads(E, H, head_dim=0), ValueError, ("head_dim must be at least 1, got 0",)),
        (lambda: WideHeads(E, True), TypeError, ("num_heads must be an integer, got bool",)),
        (lambda: stack_heads(WideHeads(E, H)), TypeError, ("SeparateHeads, got WideHeads",)),
        (lambda: widen_heads(MultiHeadAttention(E, H)), TypeError, ("got MultiHeadAttention",)),
        (lambda: split_heads(randn(T, E), 2), ValueError, ("d_model 33 is not divisible by num_heads 2",)),
        (lambda: split_heads(randn(E), H), ValueError, ("x must have at least 2 axes",)),
        (lambda: split_heads(coin(T, E), H), TypeError, ("x must be a floating-point tensor",)),
        (lambda: merge_heads(randn(T, E)), ValueError, ("x must have at least 3 axes",)),
    ],
)  # fmt: skip
def test_what_cannot_be_made(make, error, message):
    with pytest.raises(error, match=says(*message)):
        make()
