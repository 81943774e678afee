"""Self-, masked and cross-attention with one head, and sentences in one vector: loops, properties, edges, errors."""

import pytest
import torch
import torch.nn.functional as F

import naive
from attnbook.attention import CrossAttention, QueryPooling, SelfAttention, causal_mask, pair_mask, sequence_mask
from attnbook.transformer import count_parameters
from tensors import DK, HALF, HALF_TOLERANCE, HIDDEN, LENGTHS, TOLERANCE, B, D, S, T, close, coin, fill, randn, says

LENS = torch.tensor(LENGTHS)


def x_and_memory(dtype=torch.float64, grad=False):
    x = randn(B, T, D, seed=1, dtype=dtype, grad=grad)
    return x, randn(B, S, DK, seed=2, dtype=dtype, grad=grad)


def cross(dtype=torch.float64):
    """All three sizes differ."""
    return fill(CrossAttention(D, memory_size=DK, head_dim=HIDDEN)).to(dtype)


# --- who may meet whom -----------------------------------------------------------------------------------------------


def test_pair_mask_by_loops():
    query_mask, key_mask = coin(B, T, seed=1), coin(B, S, seed=2)
    mask = pair_mask(query_mask, key_mask)
    assert mask.shape == (B, T, S) and mask.dtype == torch.bool
    for b in range(B):
        for i in range(T):
            for j in range(S):
                assert mask[b, i, j] == (query_mask[b, i] and key_mask[b, j])


@pytest.mark.parametrize(
    ("query_mask", "key_mask", "error", "message"),
    [
        (torch.ones(B, T), coin(B, S), TypeError, "query_mask must be a bool tensor .* got torch.float32"),
        (coin(B, T), [True], TypeError, "key_mask must be a bool tensor .* got list"),
        (coin(T), coin(B, S), ValueError, r"query_mask must be \(B, positions\), got shape \(5,\)"),
        (coin(B, T), coin(3, S), ValueError, "query_mask holds 2 sequences, key_mask holds 3"),
    ],
)  # fmt: skip
def test_wrong_pair_masks(query_mask, key_mask, error, message):
    with pytest.raises(error, match=message):
        pair_mask(query_mask, key_mask)


# --- cross-attention -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_cross_attention_against_loops(dtype):
    layer, (x, memory) = cross(dtype), x_and_memory(dtype)
    mask = coin(B, T, S, seed=8)
    mask[1, 2] = False
    output, weights = layer(x, memory, LENS, mask=mask, need_weights=True)
    assert output.shape == (B, T, D) and weights.shape == (B, T, S)
    allowed = mask & sequence_mask(LENS, S)[:, None]
    for b in range(B):
        query, key = layer.W_q(x[b]), layer.W_k(memory[b])
        value = layer.W_v(memory[b])
        average, expected = naive.dot_product_attention(query, key, value, allowed[b])
        close(weights[b].double(), expected, TOLERANCE[dtype])
        outside = average @ layer.W_o.weight.double().T
        close(output[b].double(), outside, TOLERANCE[dtype])
    assert (weights[1, 2] == 0).all() and (output[1, 2] == 0).all()


def test_cross_attention_is_pytorchs_in_value_and_gradient():
    layer = cross()
    ours, theirs = (x_and_memory(grad=True) for _ in range(2))
    mask = coin(T, S, seed=8) | (torch.arange(S) == 0)
    output, _ = layer(*ours, mask=mask)
    q, (k, v) = layer.W_q(theirs[0]), (W(theirs[1]) for W in (layer.W_k, layer.W_v))
    expected = layer.W_o(F.scaled_dot_product_attention(q, k, v, attn_mask=mask))
    close(output, expected)
    upstream = randn(B, T, D, seed=9)
    ours = torch.autograd.grad((output * upstream).sum(), ours)
    theirs = torch.autograd.grad((expected * upstream).sum(), theirs)
    for got, wanted in zip(ours, theirs, strict=True):
        close(got, wanted)


def test_a_row_without_keys_has_finite_gradients():
    layer, (x, memory) = cross(), x_and_memory(grad=True)
    layer(x, memory, torch.tensor([0, 4]))[0].sum().backward()
    gradients = (x.grad, memory.grad, *(p.grad for p in layer.parameters()))
    assert all(g.isfinite().all() and (g != 0).any() for g in gradients)
    assert (x.grad[0] == 0).all() and (memory.grad[0] == 0).all()
    assert (memory.grad[1, 4:] == 0).all()


@pytest.mark.parametrize("dtype", HALF)
def test_half_precision(dtype):
    layer, (x, memory) = cross(dtype), x_and_memory(dtype)
    output, _ = layer(x, memory, LENS)
    assert output.dtype == dtype
    expected, _ = layer.double()(x.double(), memory.double(), LENS)
    close(output.double(), expected, 2 * HALF_TOLERANCE[dtype])


# --- self-attention --------------------------------------------------------------------------------------------------


def test_self_attention_is_cross_attention_with_itself():
    x, mask = x_and_memory()[0], coin(T, T, seed=3)
    same, masked = (fill(SelfAttention(D)).double(), fill(SelfAttention(D, causal=True)).double())
    general = fill(CrossAttention(D)).double()
    lengths = torch.tensor([3, 5])
    for layer, allowed in ((same, mask), (masked, mask & causal_mask(T))):
        ours = layer(x, lengths, mask=mask, need_weights=True)
        theirs = general(x, x, lengths, mask=allowed, need_weights=True)
        for got, expected in zip(ours, theirs, strict=True):
            close(got, expected)
    close(masked(x)[0], general(x, x, mask=causal_mask(T))[0])


def test_masked_self_attention_by_changing_the_future_and_by_gradient():
    layer, x = fill(SelfAttention(D, causal=True)).double(), x_and_memory(grad=True)[0]
    output, weights = layer(x, need_weights=True)
    assert (weights.triu(1) == 0).all() and (weights.tril() > 0).sum() == B * 15
    for t in range(T):
        changed = x.detach().clone()
        changed[:, t] += 1
        difference = (layer(changed)[0] - output).abs().amax((0, 2))
        assert (difference[:t] < 1e-12).all() and (difference[t:] > 1e-3).all()
        loss = output[:, t].square().sum()
        gradient = torch.autograd.grad(loss, x, retain_graph=True)[0].abs().amax((0, 2))
        assert (gradient[t + 1 :] == 0).all() and (gradient[: t + 1] > 0).all()


def test_self_attention_does_not_see_the_order():
    layer, x = fill(SelfAttention(D)).double(), x_and_memory()[0]
    order = torch.tensor([3, 0, 4, 1, 2])
    close(layer(x[:, order])[0], layer(x)[0][:, order])
    masked = fill(SelfAttention(D, causal=True)).double()
    assert (masked(x[:, order])[0] - masked(x)[0][:, order]).abs().max() > 0.01


def test_padding_changes_nothing():
    layer, x = fill(SelfAttention(D)).double(), x_and_memory()[0]
    longer = torch.cat([x, randn(B, 2, D, seed=5)], dim=1)
    close(layer(longer, torch.tensor([T, T]))[0][:, :T], layer(x)[0])


def test_parameters():
    assert count_parameters(SelfAttention(D)) == 4 * D * D
    expected = D * HIDDEN + DK * HIDDEN + DK * D + D * D
    assert count_parameters(CrossAttention(D, DK, HIDDEN)) == expected


# --- a sentence in one vector ----------------------------------------------------------------------------------------


def test_query_pooling_against_loops():
    layer, x = fill(QueryPooling(D, num_queries=3), 0.5).double(), x_and_memory()[0]
    output, weights = layer(x, torch.tensor([3, 0]), need_weights=True)
    assert output.shape == (B, 3, D) and weights.shape == (B, 3, T)
    expected = naive.dot_product_attention(layer.query, x[0], x[0], torch.arange(T).expand(3, T) < 3)
    close(output[0], expected[0])
    close(weights[0], expected[1])
    assert (output[1] == 0).all() and (weights[1] == 0).all()
    assert weights[0, 0, :3].max() < 0.9


def test_query_pooling_takes_a_mask_beside_lengths():
    """One for each learned query, or for all; a key must pass both."""
    layer, x = fill(QueryPooling(D, num_queries=3), 0.5).double(), x_and_memory()[0]
    lens, mask = torch.tensor([3, T]), coin(3, T)
    output, weights = layer(x, lens, mask=mask, need_weights=True)
    for b in range(B):
        allowed = mask & (torch.arange(T) < lens[b])
        expected = naive.dot_product_attention(layer.query, x[b], x[b], allowed)
        close(output[b], expected[0])
        close(weights[b], expected[1])
    for_all = torch.arange(T)[None] < 3
    close(layer(x, mask=for_all)[0], layer(x, torch.tensor([3, 3]))[0])


def test_query_pooling_learns_and_ignores_padding():
    layer, x = QueryPooling(D).double(), x_and_memory()[0]
    output, _ = layer(x, torch.tensor([3, 4]))
    other = x.clone()
    other[0, 3:], other[1, 4:] = 9.0, -9.0
    close(layer(other, torch.tensor([3, 4]))[0], output)
    output.square().sum().backward()
    assert layer.query.grad.abs().max() > 1e-3


# --- errors ----------------------------------------------------------------------------------------------------------

CROSS, (X, MEMORY) = cross(torch.float32), x_and_memory(torch.float32)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: CROSS([1.0], MEMORY), TypeError, ("x must be a torch.Tensor", "list")),
        (lambda: CROSS(X.long(), MEMORY), TypeError, ("x must be a floating-point tensor",)),
        (lambda: CROSS(X.double(), MEMORY), TypeError, ("x is torch.float64, the layer is torch.float32",)),
        (lambda: CROSS(X, MEMORY.half()), TypeError, ("memory is torch.float16, the layer is torch.float32",)),
        (lambda: CROSS(X[0], MEMORY[0]), ValueError, ("x must have 3 axes, got shape (5, 11)",)),
        (lambda: CROSS(X[..., 1:], MEMORY), ValueError, ("x has size 10, d_model is 11",)),
        (lambda: CROSS(X, X), ValueError, ("memory has size 11, memory_size is 19",)),
        (lambda: CROSS(X, MEMORY[:, :0]), ValueError, ("memory has shape (2, 0, 19): no key to attend to",)),
        *(
            (lambda layer=layer: layer(X[:, :0]), ValueError, ("x has shape (2, 0, 11): no key to attend to",))
            for layer in (SelfAttention(D), SelfAttention(D, causal=True), QueryPooling(D))
        ),
        (lambda: CROSS(X, torch.cat([MEMORY] * 2)), ValueError, ("x holds 2 sequences, memory holds 4 sequences",)),
        (lambda: CROSS(X[:1], MEMORY), ValueError, ("x holds 1 sequences, memory holds 2 sequences",)),
        (lambda: CROSS(X, MEMORY[:1]), ValueError, ("x holds 2 sequences, memory holds 1 sequences",)),
        (lambda: CROSS(X, MEMORY, LENS + 2), ValueError, ("number of keys, 7; got 8",)),
        (lambda: CROSS(X, MEMORY, mask=coin(S, T)), ValueError, ("does not broadcast",)),
        (lambda: SelfAttention(D, causal=True)(X, mask=torch.ones(T, T)), TypeError, ("mask must be a bool tensor",)),
        (lambda: SelfAttention(D, causal=True)(X, mask=coin(S, T)), ValueError, ("does not broadcast",)),
        (lambda: SelfAttention(D, causal=True)([1.0]), TypeError, ("x must be a torch.Tensor",)),
        (lambda: SelfAttention(D)(MEMORY), ValueError, ("x has size 19, d_model is 11",)),
        (lambda: QueryPooling(D)(X[0]), ValueError, ("x must have 3 axes",)),
        (lambda: QueryPooling(D)(MEMORY), ValueError, ("x has size 19, d_model is 11; project",)),
        (lambda: QueryPooling(D)(X.double()), TypeError, ("x is torch.float64, the layer is torch.float32",)),
        (lambda: QueryPooling(D)(X, LENS[:1]), ValueError, ("valid_lens must have shape (2,)",)),
        (lambda: QueryPooling(D)(X, mask=coin(S, T)), ValueError, ("does not broadcast",)),
        (lambda: QueryPooling(D, 0), ValueError, ("num_queries must be at least 1",)),
        (lambda: CrossAttention(D, 0), ValueError, ("memory_size must be at least 1, got 0",)),
        (lambda: CrossAttention(D, head_dim=2.5), TypeError, ("head_dim must be an integer",)),
    ],
)  # fmt: skip
def test_errors(call, error, message):
    with pytest.raises(error, match=says(*message)):
        call()
