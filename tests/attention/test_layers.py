"""The three attention layers: against loops and PyTorch, their properties, edges and errors."""

import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch.func import hessian, jacfwd, jacrev

import naive
from attnbook.attention import (
    AdditiveAttention,
    DotProductAttention,
    MultiplicativeAttention,
    causal_mask,
    combine_masks,
    multiplicative_score,
    sequence_mask,
)
from attnbook.attention.masks import LARGE, shared_triangle
from tensors import (
    DEVICES,
    DK,
    DV,
    HALF,
    HALF_TOLERANCE,
    HIDDEN,
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
    inputs,
    randn,
    says,
)

KINDS = {
    "dot": lambda key_size=D, **rest: DotProductAttention(**rest),
    "multiplicative": lambda key_size=D, **rest: MultiplicativeAttention(D, key_size, **rest),
    "additive": lambda key_size=D, **rest: AdditiveAttention(D, key_size, HIDDEN, **rest),
}
ALL = pytest.mark.parametrize("kind", KINDS)
LENS, QUERY_LENS = torch.tensor(LENGTHS), torch.tensor(QUERY_LENGTHS)


def layer_of(kind, dtype=torch.float64, device="cpu", **arguments):
    """A layer with weights of a moderate size, the same ones every time."""
    layer = KINDS[kind](**arguments)
    with torch.no_grad():
        for seed, parameter in enumerate(layer.parameters(), start=21):
            parameter.copy_(0.5 * randn(*parameter.shape, seed=seed))
    return layer.to(device, dtype)


def by_loops(kind, layer, query, key, value, mask):
    """One sequence, one number at a time."""
    if kind == "dot":
        return naive.dot_product_attention(query, key, value, mask)
    if kind == "additive":
        weights = layer.W_q.weight, layer.W_k.weight, layer.w_v.weight[0]
        return naive.additive_attention(query, key, value, *weights, mask)
    scores = torch.tensor(
        [
            [
                sum(
                    query[i, a].item() * layer.weight[a, b].item() * key[j, b].item()
                    for a in range(query.shape[1])
                    for b in range(key.shape[1])
                )
                for j in range(key.shape[0])
            ]
            for i in range(query.shape[0])
        ],
        dtype=torch.float64,
    )
    weights = naive.masked_softmax(scores, mask)
    return naive.average(weights, value), weights


# --- the truth -------------------------------------------------------------------------------------------------------


@ALL
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("lengths", [LENGTHS, QUERY_LENGTHS], ids=["one a sequence", "one a query"])
def test_against_loops(kind, dtype, lengths):
    layer = layer_of(kind, dtype)
    query, key, value = inputs(dtype=dtype)
    mask = coin(T, S, seed=8)
    mask[4] = False
    output, weights = layer(query, key, value, torch.tensor(lengths), mask=mask, need_weights=True)
    fused, none = layer(query, key, value, torch.tensor(lengths), mask=mask)
    assert none is None
    assert output.shape == (B, T, DV) and weights.shape == (B, T, S)
    assert output.dtype == weights.dtype == dtype
    allowed = combine_masks(torch.Size([B, T, S]), torch.tensor(lengths), mask).expand(B, T, S)
    for b in range(B):
        expected = by_loops(kind, layer, query[b], key[b], value[b], allowed[b])
        close(output[b].double(), expected[0], TOLERANCE[dtype])
        close(weights[b].double(), expected[1], TOLERANCE[dtype])
        close(fused[b].double(), expected[0], TOLERANCE[dtype])


@pytest.mark.parametrize("kind", ["multiplicative", "additive"])
def test_queries_and_keys_of_different_sizes_against_loops(kind):
    layer = layer_of(kind, key_size=DK)
    query, key, value = inputs(key_size=DK)
    output, weights = layer(query, key, value, LENS, need_weights=True)
    for b in range(B):
        allowed = sequence_mask(LENS[b], S).expand(T, S)
        expected = by_loops(kind, layer, query[b], key[b], value[b], allowed)
        close(output[b], expected[0])
        close(weights[b], expected[1])


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("mask", [None, coin(T, S, seed=1) | (torch.arange(S) == 0), causal_mask(T, S)])
def test_dot_product_attention_is_pytorchs_in_value_and_gradient(dtype, need_weights, mask):
    ours, theirs = (inputs((B, H), dtype=dtype, grad=True) for _ in range(2))
    output, _ = DotProductAttention()(*ours, mask=mask, need_weights=need_weights)
    expected = F.scaled_dot_product_attention(*theirs, attn_mask=mask)
    close(output, expected, TOLERANCE[dtype])
    upstream = randn(B, H, T, DV, seed=9, dtype=dtype)
    gradients = (torch.autograd.grad((o * upstream).sum(), x) for o, x in ((output, ours), (expected, theirs)))
    for got, wanted in zip(*gradients, strict=True):
        close(got, wanted, TOLERANCE[dtype])


@ALL
def test_with_and_without_weights_are_one_function(kind):
    """Outputs and gradients, with heads, lengths and a causal mask, an empty row among them."""
    layer, lengths = layer_of(kind), torch.tensor([0, 6])
    gradients = []
    for need_weights in (True, False):
        query, key, value = inputs((B, H), grad=True)
        output, _ = layer(query, key, value, lengths, mask=causal_mask(T, S), need_weights=need_weights)
        (output * randn(B, H, T, DV, seed=9)).sum().backward()
        gradients.append((output.detach(), query.grad, key.grad, value.grad))
    for with_weights, without in zip(*gradients, strict=True):
        close(with_weights, without)


@ALL
def test_the_output_is_the_weights_times_the_values(kind):
    query, key, value = inputs((B, H))
    output, weights = layer_of(kind)(query, key, value, QUERY_LENS, need_weights=True)
    close(output, torch.einsum("bhts,bhsv->bhtv", weights, value))


def test_the_shapes_and_lengths_of_chapter_5():
    lengths = torch.tensor([2, 6])
    keys, values = (torch.ones(2, 10, 2), torch.arange(40.0).reshape(1, 10, 4).repeat(2, 1, 1))
    # equal keys: a uniform average over the first 2 and 6 values
    means = torch.stack([values[0, :2].mean(0), values[0, :6].mean(0)])[:, None]
    for layer, query in (
        (DotProductAttention(dropout=0.1), randn(2, 1, 2, dtype=torch.float32)),
        (MultiplicativeAttention(20, 2, dropout=0.1), randn(2, 1, 20, dtype=torch.float32)),
        (AdditiveAttention(20, 2, 8, dropout=0.1), randn(2, 1, 20, dtype=torch.float32)),
    ):
        output, weights = layer.eval()(query, keys, values, lengths, need_weights=True)
        assert output.shape == (2, 1, 4) and weights.shape == (2, 1, 10)
        close(output, means, 1e-5)
        close(weights[0, 0, :2], torch.tensor([0.5, 0.5]), 1e-6)
        assert (weights[0, 0, 2:] == 0).all() and (weights[1, 0, 6:] == 0).all()


def test_parameters():
    assert not list(DotProductAttention().parameters())
    assert {n: tuple(p.shape) for n, p in MultiplicativeAttention(D, DK).named_parameters()} == {"weight": (D, DK)}
    assert {n: tuple(p.shape) for n, p in AdditiveAttention(D, DK, HIDDEN).named_parameters()} == {
        "W_q.weight": (HIDDEN, D),
        "W_k.weight": (HIDDEN, DK),
        "w_v.weight": (1, HIDDEN),
    }


@pytest.mark.parametrize(("query_size", "key_size"), [(16, 16), (8, 128)])
def test_multiplicative_scores_start_with_variance_one(query_size, key_size):
    torch.manual_seed(0)
    variances = []
    for _ in range(20):
        query, key = torch.randn(100, query_size), torch.randn(100, key_size)
        weight = MultiplicativeAttention(query_size, key_size).weight
        variances.append(multiplicative_score(query, key, weight).var().item())
    assert sum(variances) / 20 == pytest.approx(1, abs=0.15)


@pytest.mark.parametrize("kind", ["multiplicative", "additive"])
def test_every_parameter_learns(kind):
    layer = layer_of(kind)
    layer(*inputs(), LENS)[0].square().sum().backward()
    assert all(p.grad.abs().max() > 1e-6 and p.grad.isfinite().all() for p in layer.parameters())


# --- properties ------------------------------------------------------------------------------------------------------


@ALL
@pytest.mark.parametrize("need_weights", [True, False])
@PROPERTY
@given(seed=st.integers(0, 2**16), num_keys=st.integers(1, 8))
def test_order_does_not_matter_and_an_average_stays_within_its_values(kind, need_weights, seed, num_keys):
    layer, generator = layer_of(kind), torch.Generator().manual_seed(seed)
    query, key, value = (
        randn(B, T, D, seed=seed),
        randn(B, num_keys, D, seed=seed + 1),
        randn(B, num_keys, DV, seed=seed + 2),
    )
    mask = coin(B, T, num_keys, seed=seed + 3)
    output, weights = layer(query, key, value, mask=mask, need_weights=need_weights)

    columns = torch.randperm(num_keys, generator=generator)
    permuted, _ = layer(query, key[:, columns], value[:, columns], mask=mask[..., columns], need_weights=need_weights)
    close(permuted, output)
    rows = torch.randperm(T, generator=generator)
    permuted, _ = layer(query[:, rows], key, value, mask=mask[:, rows], need_weights=need_weights)
    close(permuted, output[:, rows])

    some, blocked = mask.any(-1), ~mask[..., None]
    least = value[:, None].masked_fill(blocked, torch.inf).amin(2)  # of the values that a query may see
    greatest = value[:, None].masked_fill(blocked, -torch.inf).amax(2)
    assert (output[some] >= least[some] - 1e-12).all() and (output[some] <= greatest[some] + 1e-12).all()
    assert (output[~some] == 0).all()
    if need_weights:
        close(weights.sum(-1), some.double())
        assert (weights[~mask] == 0).all()


@ALL
@pytest.mark.parametrize("need_weights", [True, False])
def test_what_is_masked_does_not_matter(kind, need_weights):
    layer, mask = layer_of(kind), coin(T, S, seed=8)
    mask[:, 5] = False  # nobody may look at the sixth key
    query, key, value = inputs()
    output, _ = layer(query, key, value, mask=mask, need_weights=need_weights)
    key[:, 5], value[:, 5] = 9.0, -9.0
    changed, _ = layer(query, key, value, mask=mask, need_weights=need_weights)
    close(changed, output)


@ALL
@pytest.mark.parametrize("need_weights", [True, False])
def test_causality_by_changing_the_future(kind, need_weights):
    layer, mask = layer_of(kind), causal_mask(T)
    query, key, value = inputs()
    key, value = key[:, :T], value[:, :T]
    output, _ = layer(query, key, value, mask=mask, need_weights=need_weights)
    for j in range(T):
        other_key, other_value = key.clone(), value.clone()
        other_key[:, j] += 1
        other_value[:, j] -= 1
        changed, _ = layer(query, other_key, other_value, mask=mask, need_weights=need_weights)
        close(changed[:, :j], output[:, :j])
        assert ((changed - output)[:, j:].abs().amax((0, 2)) > 1e-3).all()  # present and later outputs do notice


@ALL
@pytest.mark.parametrize("need_weights", [True, False])
def test_causality_by_gradient(kind, need_weights):
    layer, mask = layer_of(kind), causal_mask(T)
    for i in range(T):
        query, key, value = inputs(grad=True)
        output, _ = layer(query, key[:, :T], value[:, :T], mask=mask, need_weights=need_weights)
        gradients = torch.autograd.grad(output[:, i].square().sum(), (key, value))
        for gradient in gradients:
            assert (gradient[:, i + 1 :] == 0).all()
        assert (gradients[1][:, : i + 1].abs().amax((0, 2)) > 0).all()


def test_the_scale_keeps_large_queries_and_keys_from_saturating():
    """With 256 features the unscaled weights would be nearly one-hot."""
    query, key = randn(B, T, 256) / 0.7, randn(B, S, 256, seed=1) / 0.7
    _, weights = DotProductAttention()(query, key, randn(B, S, DV), need_weights=True)
    assert weights.amax(-1).mean() < 0.5 < (query @ key.mT).softmax(-1).amax(-1).mean()


# --- edges -----------------------------------------------------------------------------------------------------------


@ALL
@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, *HALF])
@pytest.mark.parametrize("lead", [(B,), (B, H)], ids=["without heads", "with heads"])
def test_a_query_with_nothing_to_attend_to(kind, need_weights, dtype, lead):
    """Zeros in the output and in every gradient that would come from it, also through PyTorch's kernel."""
    layer = layer_of(kind, dtype)
    query, key, value = inputs(lead, dtype=dtype, grad=True)
    mask = torch.ones(T, S, dtype=torch.bool)
    mask[2] = False
    output, _ = layer(query, key, value, torch.tensor([0, 4]), mask=mask, need_weights=need_weights)
    assert (output[0] == 0).all() and (output[1, ..., 2, :] == 0).all()
    assert (output[1, ..., 1, :] != 0).any()
    output.sum().backward()
    gradients = query.grad, key.grad, value.grad, *(p.grad for p in layer.parameters())
    assert all(g.isfinite().all() for g in gradients)
    assert all((g[0] == 0).all() for g in gradients[:3])
    assert (query.grad[1, ..., 2, :] == 0).all() and (query.grad[1, ..., 1, :] != 0).any()


@ALL
@pytest.mark.parametrize("need_weights", [True, False])
def test_lengths_zero_and_one(kind, need_weights):
    query, key, value = inputs()
    output, _ = layer_of(kind)(query, key, value, torch.tensor([0, 1]), need_weights=need_weights)
    assert (output[0] == 0).all()
    close(output[1], value[1, :1].expand(T, DV))


@ALL
@pytest.mark.parametrize("need_weights", [True, False])
def test_single_key_no_query_empty_batch_and_no_batch(kind, need_weights):
    layer = layer_of(kind)
    query, key, value = inputs()
    output, _ = layer(query, key[:, :1], value[:, :1], need_weights=need_weights)
    close(output, value[:, :1].expand(B, T, DV))
    assert layer(query[:, :0], key, value, LENS, need_weights=need_weights)[0].shape == (B, 0, DV)
    assert layer(query[:0], key[:0], value[:0], LENS[:0], need_weights=need_weights)[0].shape == (0, T, DV)
    alone, _ = layer(query[0], key[0], value[0], mask=coin(T, S), need_weights=need_weights)
    close(alone, layer(query, key, value, mask=coin(T, S))[0][0])


@ALL
@pytest.mark.parametrize("need_weights", [True, False])
def test_leading_axes_broadcast(kind, need_weights):
    """Heads may share their keys and values, lengths belong to sequences, masks to heads."""
    layer = layer_of(kind)
    query, key, value = (randn(B, H, T, D, seed=1), randn(B, 1, S, D, seed=2), randn(B, 1, S, DV, seed=3))
    mask = coin(H, T, S)
    output, weights = layer(query, key, value, QUERY_LENS, mask=mask[None], need_weights=need_weights)
    assert output.shape == (B, H, T, DV)
    assert weights is None or weights.shape == (B, H, T, S)
    allowed = sequence_mask(QUERY_LENS, S)
    for b in range(B):
        for h in range(H):
            alone, _ = layer(query[b, h][None], key[b], value[b], mask=(allowed[b] & mask[h])[None])
            close(output[b, h], alone[0])


@ALL
@pytest.mark.parametrize("need_weights", [True, False])
def test_a_mask_of_three_axes_is_one_per_sequence(kind, need_weights):
    """Also where there are as many heads, and the shapes alone could not tell."""
    layer = layer_of(kind)
    query, key, value = (randn(2, 2, T, D, seed=1), randn(2, 2, S, D, seed=2), randn(2, 2, S, DV, seed=3))
    mask = coin(2, T, S)
    output, _ = layer(query, key, value, mask=mask, need_weights=need_weights)
    for b in range(2):
        alone, _ = layer(query[b], key[b], value[b], mask=mask[b])
        close(output[b], alone)


@ALL
@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("dtype", HALF)
def test_half_precision(kind, need_weights, dtype):
    layer = layer_of(kind, dtype)
    query, key, value = inputs(dtype=dtype)
    output, _ = layer(query, key, value, LENS, need_weights=need_weights)
    assert output.dtype == dtype
    precise, _ = layer.double()(query.double(), key.double(), value.double(), LENS)
    close(output.double(), precise, 2 * HALF_TOLERANCE[dtype])


@ALL
@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize(("dtype", "keys"), [(torch.bfloat16, 512), (torch.float16, 4096)])
def test_many_keys_add_up_in_half_precision(kind, need_weights, dtype, keys):
    """As many that one more would be lost: bfloat16 has no 257, float16 no 2,049."""
    query, key, _ = inputs(dtype=dtype)
    value = (torch.arange(keys) >= keys // 2).to(dtype)[None, :, None]
    output, _ = layer_of(kind, dtype)(query[:1], key[:1, :1].expand(1, keys, -1), value, need_weights=need_weights)
    assert (output == 0.5).all()


@ALL
@pytest.mark.parametrize("need_weights", [True, False])
def test_very_large_half_precision_scores_stay_finite(kind, need_weights):
    """Dot products of −39,600, where float16 ends at −65,504: every row still sums to 1."""
    layer = layer_of(kind, torch.float16)
    query, key = torch.full((B, T, D), 60.0).half(), torch.full((B, S, D), -60.0).half()
    output, _ = layer(query, key, torch.ones(B, S, DV).half(), LENS, need_weights=need_weights)
    close(output, torch.ones(B, T, DV).half(), 2e-3)


@ALL
@pytest.mark.parametrize("need_weights", [True, False])
def test_strides_do_not_matter_and_arguments_are_left_alone(kind, need_weights):
    layer = layer_of(kind)
    query, key, value = (randn(size, B, n, seed=size).permute(1, 2, 0) for n, size in ((T, D), (S, D), (S, DV)))
    mask, lengths = coin(S, T).T, LENS.clone()
    assert not any(x.is_contiguous() for x in (query, key, value, mask))
    before = [x.clone() for x in (query, key, value, lengths, mask)]
    output, _ = layer(query, key, value, lengths, mask=mask, need_weights=need_weights)
    assert all(torch.equal(x, y) for x, y in zip(before, (query, key, value, lengths, mask), strict=True))
    contiguous = (x.contiguous() for x in (query, key, value, lengths))
    options = {"mask": mask.contiguous(), "need_weights": need_weights}
    close(output, layer(*contiguous, **options)[0])


@ALL
@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("device", ["meta", *DEVICES])
def test_everything_follows_the_query(kind, need_weights, device):
    """Lengths and masks may come from the CPU."""
    layer = layer_of(kind, torch.float32, device)
    output, weights = layer(
        *inputs(dtype=torch.float32, device=device), LENS, mask=coin(T, S), need_weights=need_weights
    )
    assert output.device.type == device and output.shape == (B, T, DV)
    assert weights is None or weights.device.type == device


@ALL
@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("dtype", [torch.float32, *HALF])
@pytest.mark.parametrize("device", DEVICES)
def test_every_device_and_dtype_agrees_with_float64_on_the_cpu(kind, need_weights, dtype, device):
    mask, lengths = causal_mask(T, S), torch.tensor([0, 6])
    arguments = inputs((B, H), dtype=dtype, device=device, grad=True)
    output, _ = layer_of(kind, dtype, device)(*arguments, lengths, mask=mask, need_weights=need_weights)
    output.sum().backward()
    expected, _ = layer_of(kind)(*(x.detach().cpu().double() for x in arguments), lengths, mask=mask)
    close(output.cpu().double(), expected, {torch.float32: 1e-5, **HALF_TOLERANCE}[dtype])
    assert all(x.grad.isfinite().all() for x in arguments)


@ALL
@pytest.mark.parametrize("need_weights", [True, False])
def test_gradcheck(kind, need_weights):
    layer = layer_of(kind)
    arguments = (
        randn(2, 2, D, seed=1, grad=True),
        randn(2, 3, D, seed=2, grad=True),
        randn(2, 3, 2, seed=3, grad=True),
    )
    lengths = torch.tensor([[2, 3], [0, 1]])
    names, parameters = zip(*layer.named_parameters(), strict=True) if kind != "dot" else ((), ())

    def output(query, key, value, *weights):
        call = (query, key, value, lengths)
        own = dict(zip(names, weights, strict=True))
        options = {"need_weights": need_weights}
        return torch.func.functional_call(layer, own, call, options)[0]

    assert torch.autograd.gradcheck(output, (*arguments, *parameters), fast_mode=True)


@ALL
@pytest.mark.parametrize("need_weights", [True, False])
def test_compiles_into_one_graph(kind, need_weights):
    layer, arguments = layer_of(kind), (*inputs(), torch.tensor([0, 6]))
    options = {"mask": causal_mask(T, S), "need_weights": need_weights}
    compiled = torch.compile(layer, fullgraph=True, backend="eager")
    output, weights = compiled(*arguments, **options)
    expected = layer(*arguments, **options)
    close(output, expected[0])
    if need_weights:
        close(weights, expected[1])


@ALL
def test_autocast(kind):
    """Under autocast the layers take what autocast makes: a mixture of dtypes."""
    query, key, value = inputs(dtype=torch.float32)
    layer = layer_of(kind, torch.float32)
    expected, _ = layer(query, key, value, LENS)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        for need_weights in (True, False):
            output, _ = layer(query.bfloat16(), key, value, LENS, need_weights=need_weights)
            close(output.float(), expected, 2 * HALF_TOLERANCE[torch.bfloat16])


# --- dropout ---------------------------------------------------------------------------------------------------------


@ALL
@pytest.mark.parametrize("need_weights", [True, False])
def test_dropout_only_while_training(kind, need_weights):
    query, key, value = inputs()
    quiet, _ = layer_of(kind)(query, key, value, LENS)
    layer = layer_of(kind, dropout=0.5)
    torch.manual_seed(0)
    first, weights = layer.train()(query, key, value, LENS, need_weights=need_weights)
    second, _ = layer(query, key, value, LENS, need_weights=need_weights)
    assert not torch.allclose(first, second) and not torch.allclose(first, quiet)
    close(layer.eval()(query, key, value, LENS, need_weights=need_weights)[0], quiet)
    if need_weights:  # they are shown as they were before dropout
        close(weights, layer(query, key, value, LENS, need_weights=True)[1])


@ALL
@pytest.mark.parametrize("need_weights", [True, False])
def test_dropout_drops_weights_and_scales_up_the_rest(kind, need_weights):
    """With values of 1 for one key alone, an output is that key's weight: gone, or divided by 1 − p."""
    query, key, _ = inputs()
    value = torch.eye(S, dtype=torch.float64).expand(B, S, S)
    layer = layer_of(kind, dropout=0.25)
    _, weights = layer.eval()(query, key, value, need_weights=True)
    torch.manual_seed(0)
    outputs = torch.stack([layer.train()(query, key, value, need_weights=need_weights)[0] for _ in range(60)])
    dropped = outputs == 0
    close(outputs[~dropped], (weights / 0.75).expand_as(outputs)[~dropped])
    assert dropped.double().mean().item() == pytest.approx(0.25, abs=0.03)


# --- errors ----------------------------------------------------------------------------------------------------------

QUERY, KEY, VALUE = inputs(dtype=torch.float32)


@ALL
@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize(
    ("query", "key", "value", "error", "message"),
    [
        ([1.0], KEY, VALUE, TypeError, ("query must be a torch.Tensor", "list", "as_tensor")),
        (QUERY, KEY.long(), VALUE, TypeError, ("key must be a floating-point tensor", "int64")),
        (QUERY, KEY, VALUE.long(), TypeError, ("value must be a floating-point tensor", "int64")),
        (QUERY.double(), KEY, VALUE, TypeError, ("query is torch.float64, key is torch.float32",)),
        (QUERY, KEY, VALUE.double(), TypeError, ("key is torch.float32, value is torch.float64",)),
        (QUERY, KEY, VALUE.to("meta"), ValueError, ("key is on cpu, value is on meta", "one device")),
        (QUERY[0, 0], KEY, VALUE, ValueError, ("query must have at least 2 axes",)),
        (QUERY, KEY, VALUE[0, 0], ValueError, ("value must have at least 2 axes",)),
        (QUERY, KEY, VALUE[:, 1:], ValueError, (f"keys is {S}", f"values is {S - 1}", "one value for each")),
        (QUERY, KEY[:, :0], VALUE[:, :0], ValueError, ("no key to attend to",)),
        (QUERY, randn(3, S, D).float(), VALUE, ValueError, (f"axes of query are ({B},), those of key (3,)",)),
        (QUERY, KEY, randn(3, S, DV).float(), ValueError, (f"axes of key are ({B},), those of value (3,)",)),
        (QUERY, KEY[:1], randn(3, S, DV).float(), ValueError, (f"axes of query are ({B},), those of value (3,)",)),
    ],
)
def test_wrong_inputs(kind, need_weights, query, key, value, error, message):
    """Wrong masks and lengths: test_bad_input.py, for all layers."""
    with pytest.raises(error, match=says(*message)):
        layer_of(kind, torch.float32)(query, key, value, need_weights=need_weights)


@ALL
@pytest.mark.parametrize("need_weights", [True, False])
def test_lengths_need_a_batch(kind, need_weights):
    with pytest.raises(ValueError, match="needs scores with a batch axis"):
        layer_of(kind, torch.float32)(QUERY[0], KEY[0], VALUE[0], LENS, need_weights=need_weights)


def test_the_fused_kernels_second_derivative_is_refused_and_the_other_is_right():
    given = [randn(B, n, D, seed=n, grad=True) for n in (T, S, S)]
    layer = DotProductAttention()

    def penalty(need_weights):
        output = layer(*given, need_weights=need_weights)[0]
        slopes = torch.autograd.grad(output.sin().sum(), given, create_graph=True)
        return sum(slope.square().sum() for slope in slopes)

    close(penalty(False), penalty(True))
    with pytest.raises(RuntimeError, match="pass need_weights=True, which computes"):
        penalty(False).backward()
    assert torch.autograd.gradgradcheck(
        lambda *a: layer(*a, need_weights=True)[0], [randn(1, 3, 2, seed=n, grad=True) for n in range(3)]
    )


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of what forward mode loads
def test_with_weights_it_is_differentiated_forwards_too():
    x = randn(1, 3, 2)
    attend = lambda x: DotProductAttention()(x, x, x, need_weights=True)[0]  # noqa: E731
    close(jacfwd(attend)(x), jacrev(attend)(x))
    close(hessian(lambda x: attend(x).sin().sum())(x), jacrev(jacrev(lambda x: attend(x).sin().sum()))(x))


@pytest.mark.parametrize("need_weights", [True, False])
def test_sizes_that_do_not_fit(need_weights):
    key = randn(B, S, DK, dtype=torch.float32)
    with pytest.raises(ValueError, match=says(f"query has size {D}, key has size {DK}", "project both to one size")):
        DotProductAttention()(QUERY, key, VALUE, need_weights=need_weights)
    for make in (MultiplicativeAttention, lambda *sizes: AdditiveAttention(*sizes, HIDDEN)):
        with pytest.raises(ValueError, match=says(f"key has size {DK}, key_size is {D}", "project it")):
            make(D, D)(QUERY, key, VALUE, need_weights=need_weights)
        with pytest.raises(ValueError, match=says(f"query has size {D}, query_size is {DK}", "project it")):
            make(DK, DK)(QUERY, key, VALUE, need_weights=need_weights)
        with pytest.raises(TypeError, match="^(query|key) is torch.float32, the layer is torch.float64"):
            make(D, DK).double()(QUERY, key, VALUE, need_weights=need_weights)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: DotProductAttention(dropout=1.0), ValueError, ("dropout must be at least 0 and below 1, got 1.0",)),
        (lambda: DotProductAttention(dropout="0.1"), TypeError, ("dropout must be a number", "str")),
        (lambda: MultiplicativeAttention(D, DK, dropout=-1), ValueError, ("dropout must be at least 0", "got -1")),
        (lambda: MultiplicativeAttention(0, DK), ValueError, ("query_size must be at least 1, got 0",)),
        (lambda: MultiplicativeAttention(D, "3"), TypeError, ("key_size must be an integer", "str")),
        (lambda: AdditiveAttention(D, DK, HIDDEN, dropout=2), ValueError, ("dropout must be at least 0", "got 2")),
        (lambda: AdditiveAttention(-1, DK, HIDDEN), ValueError, ("query_size must be at least 1, got -1",)),
        (lambda: AdditiveAttention(D, 0, HIDDEN), ValueError, ("key_size must be at least 1, got 0",)),
        (lambda: AdditiveAttention(D, DK, 0.5), TypeError, ("num_hiddens must be an integer", "float")),
    ],
)
def test_layers_that_cannot_be_made(make, error, message):
    with pytest.raises(error, match=says(*message)):
        make()


def test_learned_scores_that_overflow_are_reported():
    query, layer = torch.full((B, T, D), 1e4, dtype=torch.float16), MultiplicativeAttention(D, D).half()
    torch.nn.init.ones_(layer.weight)
    with pytest.raises(ValueError, match=says("scores holds inf", "float16 ends at 65504")):
        layer(query, query[:, :1], query[:, :1])


def test_nan_in_a_masked_key_is_seen_without_weights_only():
    query, key, value = randn(1, T, D), randn(1, S, D, seed=1), randn(1, S, DV, seed=2)
    key[0, -1, 0] = torch.nan
    lens = torch.tensor([S - 1])
    assert DotProductAttention()(query, key, value, lens)[0].isnan().all()
    assert DotProductAttention()(query, key, value, lens, need_weights=True)[0].isfinite().all()


@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("lens", [None, LENS], ids=["all keys", "lengths"])
def test_nan_in_a_query_is_seen_in_its_output_and_nowhere_else(need_weights, lens):
    query, key, value = randn(B, T, D), randn(B, S, D, seed=1), randn(B, S, DV, seed=2)
    query[1, 2, 0] = torch.nan
    output, _ = DotProductAttention()(query, key, value, lens, need_weights=need_weights)
    assert output.isnan().all(-1).nonzero().tolist() == [[1, 2]] and output.isnan().sum() == DV


@pytest.mark.parametrize("need_weights", [True, False])
def test_scores_that_float16_holds_count_though_their_dot_products_are_beyond_it(need_weights):
    """Scores of ±12,800 from dot products of ±102,400."""
    key = torch.tensor([40.0, -40.0, 40.0]).half()[None, :, None].expand(1, 3, 64)
    value = torch.tensor([[[1.0], [2.0], [4.0]]]).half()
    output, weights = DotProductAttention()(key[:, :1], key, value, need_weights=need_weights)
    assert output.tolist() == [[[2.5]]]
    if need_weights:
        assert weights.tolist() == [[[0.5, 0.0, 0.5]]]


@pytest.mark.parametrize("size", [LARGE, LARGE + 8, LARGE + 1, LARGE - 8])
def test_a_large_triangle_is_recognised_and_nothing_else_is(size, monkeypatch):
    """The kernel is told so, and leaves out one half of the work; the numbers are those of any mask."""
    told, kernel = [], F.scaled_dot_product_attention

    def spied(*tensors, **options):
        told.append(options["is_causal"])
        assert options["is_causal"] == (options["attn_mask"] is None)
        return kernel(*tensors, **options)

    monkeypatch.setattr(F, "scaled_dot_product_attention", spied)
    query, key, value = (randn(1, size, 4, seed=seed) for seed in range(3))
    triangle, layer = causal_mask(size), DotProductAttention()
    other = triangle.clone()
    other[size // 2, 3] = False
    wrong = triangle.clone()
    wrong[3, size // 2] = True
    at_an_odd_byte = torch.ones(size**2 + 1, dtype=torch.bool)[1:].view(size, size).tril_()
    unlike = triangle.mT.contiguous().mT, other, wrong, triangle.mT.contiguous(), at_an_odd_byte, sequence_mask
    for mask in (triangle, *unlike):
        lens = torch.tensor([size - 3]) if mask is sequence_mask else None
        given = {"valid_lens": lens, "mask": triangle if lens is not None else mask}
        found, _ = layer(query, key, value, **given)
        close(found, layer(query, key, value, **given, need_weights=True)[0])
    large = size >= LARGE and size % 8 == 0
    assert told == [large, *[False] * 6]
    # on a GPU, where no mask is looked at: the triangle that models share, and no other
    monkeypatch.setattr("attnbook.attention.fused.readable", lambda mask: False)
    for mask in (shared_triangle(size, query.device), triangle):
        layer(query, key, value, mask=mask)
    assert told[7:] == [large, False]


def test_the_scale_is_the_square_root_of_the_size():
    query, key, value = inputs()
    _, weights = DotProductAttention()(query, key, value, need_weights=True)
    ratio = weights.log()[..., 0] - weights.log()[..., 1]
    close(ratio, ((query @ key.mT)[..., 0] - (query @ key.mT)[..., 1]) / math.sqrt(D))


@pytest.mark.parametrize("shape", [(B, T, D), (B, H, T, D)], ids=["single", "heads"])
@pytest.mark.parametrize("masked", [False, True])
def test_the_table_of_weights_is_never_stored_without_need_weights(shape, masked):
    """PyTorch fuses on the CPU only where there is a head axis; the layer has to provide one."""
    query, key, value = (randn(*shape, dtype=torch.float32) for _ in range(3))
    lens = torch.tensor([T, 2]) if masked else None
    with torch.profiler.profile() as profile, torch.no_grad():
        DotProductAttention().eval()(query, key, value, lens)
    used = {event.key for event in profile.key_averages()}
    assert "aten::_scaled_dot_product_flash_attention_for_cpu" in used, used
