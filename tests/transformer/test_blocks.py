"""Transformer blocks: loops by hand, PyTorch's layers, pre- and post-LN, caches, gradients, errors."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from attnbook.attention import (
    DotProductAttention,
    KeyValueCache,
    LearnedPositions,
    MultiHeadAttention,
    RotaryPositions,
    SelfAttention,
    SinusoidalPositions,
    WideHeads,
    causal_mask,
)
from attnbook.transformer import (
    ACTIVATIONS,
    Block,
    DecoderLayer,
    EncoderLayer,
    FeedForward,
    GatedFeedForward,
    Residual,
    count_parameters,
)
from tensors import HALF, HALF_TOLERANCE, LENGTHS, B, D, H, S, T, close, coin, fill, randn, says

E, FF = H * D, 17  # d_model and d_ff
LENS = torch.tensor(LENGTHS)  # of the memory
OWN_LENS = torch.tensor([3, 5])
PRE_AND_POST = pytest.mark.parametrize("norm_first", [True, False])


def encoder(**options):
    return fill(EncoderLayer(E, H, FF, **options)).double().eval()


def decoder(**options):
    return fill(DecoderLayer(E, H, FF, **options)).double().eval()


def x_and_memory(**options):
    return randn(B, T, E, seed=1, **options), randn(B, S, E, seed=2, **options)


# --- the parts -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("bias", [True, False])
def test_feed_forward_treats_every_position_alone(activation, bias):
    layer = fill(FeedForward(D, FF, activation=activation, bias=bias)).double()
    x, function = randn(B, T, D), ACTIVATIONS[activation]
    output = layer(x)
    for b in range(B):
        for t in range(T):
            hidden = layer.W_1.weight @ x[b, t] + (layer.W_1.bias if bias else 0)
            expected = layer.W_2.weight @ function(hidden)
            close(output[b, t], expected + (layer.W_2.bias if bias else 0))
    assert count_parameters(layer) == 2 * D * FF + bias * (D + FF)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_what_a_hook_has_kept_of_the_hidden_layer_is_not_overwritten(activation):
    layer, x = fill(FeedForward(D, FF, activation=activation)).double(), randn(B, T, D)
    weights = {name: p.detach().clone() for name, p in layer.named_parameters()}
    hidden, before = [], x.clone()
    layer.W_1.register_forward_hook(lambda module, given, output: hidden.append(output))
    trained = layer(x)
    with torch.no_grad():
        asked = layer(x)
    plain = F.linear(x, layer.W_1.weight, layer.W_1.bias)
    close(hidden[0], plain)
    close(hidden[1], plain)
    close(asked, trained)
    assert torch.equal(x, before) and plain.min() < 0
    for name, p in layer.named_parameters():
        assert torch.equal(p, weights[name])


def test_activations_by_their_formulas():
    """Gaussian's distribution function exactly, or approximated as GPT-2 and Gemma do."""
    x = torch.linspace(-3, 3, 13, dtype=torch.float64)
    inner = (2 / torch.pi) ** 0.5 * (x + 0.044715 * x**3)
    formulas = {
        "relu": x * (x > 0),
        "gelu": x * 0.5 * (1 + torch.erf(x / 2**0.5)),
        "gelu-tanh": x * 0.5 * (1 + inner.tanh()),
        "silu": x / (1 + (-x).exp()),
    }
    assert formulas.keys() == ACTIVATIONS.keys()
    for name, expected in formulas.items():
        close(ACTIVATIONS[name](x), expected)
    assert (formulas["gelu"] - formulas["gelu-tanh"]).abs().max() > 1e-5


@pytest.mark.parametrize("bias", [True, False])
def test_a_gate_multiplies_each_hidden_unit(bias):
    layer = fill(GatedFeedForward(D, FF, bias=bias)).double()
    x = randn(B, T, D)
    gate, plain = (F.linear(x, w.weight, w.bias) for w in (layer.W_g, layer.W_1))
    close(layer(x), F.linear(gate * gate.sigmoid() * plain, layer.W_2.weight, layer.W_2.bias))
    assert count_parameters(layer) == 3 * D * FF + bias * (D + 2 * FF)
    silent = GatedFeedForward(D, FF, activation="gelu-tanh", dropout=0.5).double().train()
    assert not torch.equal(silent(x), silent(x))
    assert torch.equal(silent.eval()(x), silent(x))


@PRE_AND_POST
def test_residual_by_hand(norm_first):
    norm_1e3 = nn.LayerNorm(D, eps=1e-3)
    layer, x = fill(Residual(D, norm_first=norm_first, norm=norm_1e3)).double(), randn(T, D)

    def norm(y):
        centred = y - y.mean(-1, keepdim=True)
        spread = (centred**2).mean(-1, keepdim=True) + 1e-3
        return centred / spread.sqrt() * layer.norm.weight + layer.norm.bias

    expected = x + norm(x).cos() if norm_first else norm(x + x.cos())
    close(layer(x, layer.before(x).cos()), expected)


def test_a_residual_takes_a_norm():
    norm = fill(nn.RMSNorm(D, eps=1e-3)).double()
    layer, x = Residual(D, norm_first=True, norm=norm), randn(T, D)
    size = (x.pow(2).mean(-1, keepdim=True) + 1e-3).sqrt()
    close(layer.before(x), x / size * norm.weight)
    assert layer.norm is norm and list(dict(layer.named_parameters())) == ["norm.weight"]


# --- encoder layer ---------------------------------------------------------------------------------------------------


@PRE_AND_POST
def test_encoder_layer_by_its_parts(norm_first):
    layer, x = encoder(norm_first=norm_first, activation="gelu"), x_and_memory()[0]
    mask = coin(B, H, T, T, seed=3)
    output, weights = layer(x, OWN_LENS, mask=mask, need_weights=True)
    first, second = layer.around_attention.norm, layer.around_feed_forward.norm

    def attend(h):
        return layer.attention(h, valid_lens=OWN_LENS, mask=mask)[0]

    if norm_first:
        middle = x + attend(first(x))
        close(output, middle + layer.feed_forward(second(middle)))
    else:
        middle = first(x + attend(x))
        close(output, second(middle + layer.feed_forward(middle)))
    looked_at = first(x) if norm_first else x
    expected = layer.attention(looked_at, None, None, OWN_LENS, mask=mask, need_weights=True)[1]
    close(weights, expected)
    close(layer(x, OWN_LENS, mask=mask)[0], output)
    assert layer(x)[1] is None


@PRE_AND_POST
def test_encoder_layer_options_reach_the_attention(norm_first):
    x, bias = randn(B, T, 6 * 10), randn(1, 6, T, T)
    options = {"norm_first": norm_first, "rotary": RotaryPositions()}
    layer = fill(EncoderLayer(60, 6, FF, **options)).double()
    assert layer.attention.rotary is options["rotary"]
    plain, _ = layer(x)
    biased, _ = layer(x, bias=bias)
    masked, _ = layer(x, mask=causal_mask(T))
    order = torch.tensor([1, 0, 2, 3, 4])
    moved, _ = layer(x[:, order])
    for other in (biased, masked, moved[:, order]):
        assert (other - plain).abs().max() > 1e-3


# --- decoder layer ---------------------------------------------------------------------------------------------------


@PRE_AND_POST
def test_decoder_layer_by_its_parts(norm_first):
    layer, (x, memory) = decoder(norm_first=norm_first), x_and_memory()
    mask, memory_mask = causal_mask(T), coin(B, T, S, seed=5)
    output, (own, cross) = layer(x, memory, memory_lens=LENS, mask=mask, memory_mask=memory_mask, need_weights=True)
    norms = (layer.around_self_attention.norm, layer.around_cross_attention.norm, layer.around_feed_forward.norm)
    parts = (
        lambda h: layer.self_attention(h, mask=mask, need_weights=True),
        lambda h: layer.cross_attention(h, memory, memory, LENS, mask=memory_mask, need_weights=True),
        lambda h: (layer.feed_forward(h), None),
    )
    seen = []
    for norm, part in zip(norms, parts, strict=True):
        y, weights = part(norm(x) if norm_first else x)
        x = x + y if norm_first else norm(x + y)
        seen.append(weights)
    close(output, x)
    close(own, seen[0])
    close(cross, seen[1])
    assert own.shape == (B, H, T, T) and cross.shape == (B, H, T, S)
    x, memory = x_and_memory()
    fused, nothing = layer(x, memory, memory_lens=LENS, mask=mask, memory_mask=memory_mask)
    close(fused, output)
    assert nothing == (None, None)


@PRE_AND_POST
@pytest.mark.parametrize("need_weights", [True, False])
def test_step_by_step_as_at_once(norm_first, need_weights):
    layer, (x, memory) = decoder(norm_first=norm_first), x_and_memory()
    at_once, (own, cross) = layer(x, memory, memory_lens=LENS, mask=causal_mask(T), need_weights=True)
    cache = layer.start_cache(memory)
    for t in range(T):
        step, weights = layer(
            x[:, t : t + 1], memory_lens=LENS, mask=causal_mask(1, t + 1), need_weights=need_weights, cache=cache
        )
        close(step, at_once[:, t : t + 1])
        if need_weights:
            close(weights[0], own[:, :, t : t + 1, : t + 1])
            close(weights[1], cross[:, :, t : t + 1])
    assert cache.length == cache.own.length == T
    cache.shorten(2)
    assert [part.length for part in cache.parts] == [2, S] and cache.length == 2


@PRE_AND_POST
def test_the_decoder_sees_the_past_and_the_memory_but_no_padding(norm_first):
    layer, (x, memory) = decoder(norm_first=norm_first), x_and_memory(grad=True)
    output, _ = layer(x, memory, memory_lens=LENS, mask=causal_mask(T))
    for t in range(T):
        loss = output[:, t].square().sum()
        to_x, to_memory = torch.autograd.grad(loss, (x, memory), retain_graph=True)
        reached = to_x.abs().amax((0, 2))
        assert (reached[t + 1 :] == 0).all() and (reached[: t + 1] > 1e-9).all()
        for b, length in enumerate(LENGTHS):
            reached = to_memory[b].abs().amax(1)
            assert (reached[length:] == 0).all() and (reached[:length] > 1e-9).all()


def test_a_block_is_made_of_its_parts_and_steps_with_a_cache():
    parts = (
        MultiHeadAttention(D, H, rotary=RotaryPositions(), head_dim=4, qk_norm=True, bias=False),
        GatedFeedForward(D, FF),
        *(Residual(D, norm_first=True, norm=nn.RMSNorm(D)) for _ in range(2)),
    )
    layer, x = fill(Block(*parts)).double().eval(), randn(B, T, D)
    assert list(layer.children()) == list(parts)
    assert layer.state_dict().keys() >= {"attention.norm_q.weight", "feed_forward.W_g.weight"}
    attention, feed_forward, first, second = parts
    middle = x + attention(first.norm(x), mask=causal_mask(T))[0]
    at_once, weights = layer(x, mask=causal_mask(T), need_weights=True)
    close(at_once, middle + feed_forward(second.norm(middle)))
    cache = KeyValueCache()
    for t in range(T):
        step, step_weights = layer(x[:, t : t + 1], need_weights=True, cache=cache)
        close(step[:, 0], at_once[:, t])
        close(step_weights[:, :, 0], weights[:, :, t, : t + 1])


# --- both ------------------------------------------------------------------------------------------------------------


@PRE_AND_POST
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_every_parameter_learns(norm_first, activation):
    x, memory = x_and_memory()
    options = {"norm_first": norm_first, "activation": activation}
    upstream = randn(B, T, E, seed=9)
    calls = (encoder(**options), (x, OWN_LENS), {}), (decoder(**options), (x, memory), {"memory_lens": LENS})
    for layer, arguments, named in calls:
        (layer(*arguments, **named, mask=causal_mask(T))[0] * upstream).sum().backward()
        for name, parameter in layer.named_parameters():
            gradient = parameter.grad
            if name.endswith("W_qkv.bias"):  # no softmax notices the keys' part
                gradient = gradient.view(3, E)[[0, 2]]
            assert gradient.isfinite().all() and gradient.abs().max() > 1e-6, name


@PRE_AND_POST
def test_dropout_only_while_training(norm_first):
    x, memory = x_and_memory()
    options = {"norm_first": norm_first, "dropout": 0.5}
    for make, arguments in ((encoder, (x,)), (decoder, (x, memory))):
        layer = make(**options)
        quiet = make(norm_first=norm_first)(*arguments)[0]
        close(layer(*arguments)[0], quiet)
        torch.manual_seed(0)
        first, second = (layer.train()(*arguments)[0] for _ in range(2))
        assert (first - second).abs().max() > 0.01


def test_dropout_can_be_switched_on_by_itself():
    """As one samples from a trained model: all in evaluation, the modules of dropout alone in training."""
    x, h = randn(B, T, E), randn(B, T, E, seed=1)
    layers = (
        FeedForward(E, FF, dropout=0.5), Residual(E, 0.5), SinusoidalPositions(E, 0.5), LearnedPositions(9, E, 0.5),
        *(MultiHeadAttention(E, H, dropout=0.5, qk_norm=norm) for norm in (False, True)), DotProductAttention(0.5),
    )  # fmt: skip
    for layer in layers:
        layer, number = layer.double().eval(), {Residual: 2, DotProductAttention: 3}.get(type(layer), 1)

        def output(layer=layer, number=number):
            found = layer(*(x, h, h)[:number])
            return found if isinstance(found, torch.Tensor) else found[0]

        assert torch.equal(output(), output())
        layer.dropout.train()
        torch.manual_seed(0)
        assert (output() - output()).abs().max() > 0.01


def test_where_dropout_acts():
    """One probability for attention weights, hidden units and residual branches."""
    for layer in (encoder(dropout=0.25), decoder(dropout=0.25)):
        drops = [m.p for m in layer.modules() if isinstance(m, torch.nn.Dropout)]
        attentions = [m for m in layer.children() if hasattr(m, "W_qkv")]
        assert drops == [0.25] * (2 * len(attentions) + 2)  # each attention's and the one around it; the network's


@PRE_AND_POST
@pytest.mark.parametrize("dtype", HALF)
def test_half_precision(norm_first, dtype):
    layer, (x, memory) = (decoder(norm_first=norm_first).to(dtype), x_and_memory(dtype=dtype))
    output, _ = layer(x, memory, memory_lens=LENS, mask=causal_mask(T))
    assert output.dtype == dtype
    precise = layer.double()(x.double(), memory.double(), memory_lens=LENS, mask=causal_mask(T))[0]
    close(output.double(), precise, 4 * HALF_TOLERANCE[dtype])  # three sublayers, norms


def test_compiles_into_one_graph():
    layer, call = decoder(), x_and_memory()
    options = {"mask": causal_mask(T), "memory_lens": LENS, "need_weights": True}
    compiled = torch.compile(layer, fullgraph=True, backend="eager")
    output, weights = compiled(*call, **options)
    expected = layer(*call, **options)
    close(output, expected[0])
    close(weights[0], expected[1][0])
    close(weights[1], expected[1][1])


# --- errors ----------------------------------------------------------------------------------------------------------

X, MEMORY = x_and_memory()
FFN, AROUND = FeedForward(D, FF), Residual(D)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: FeedForward(D, FF, activation="tanh"), ValueError,
         ("activation must be one of relu, gelu, gelu-tanh, silu, got 'tanh'",)),
        (lambda: FeedForward(D, 0), ValueError, ("d_ff must be at least 1",)),
        (lambda: FeedForward(D, FF, dropout=1.0), ValueError, ("dropout must be at least 0 and below 1",)),
        (lambda: FeedForward(D, FF)(X), ValueError, ("x has size 33, d_model is 11",)),
        (lambda: FeedForward(D, FF)(coin(T, D)), TypeError, ("x must be a floating-point tensor",)),
        (lambda: FeedForward(E, FF)(X), TypeError, ("x is torch.float64, the layer is torch.float32",)),
        (lambda: Residual(0), ValueError, ("d_model must be at least 1",)),
        (lambda: GatedFeedForward(D, FF, activation="tanh"), ValueError, ("activation must be one of",)),
        (lambda: GatedFeedForward(D, FF)(X), ValueError, ("x has size 33, d_model is 11",)),
        (lambda: EncoderLayer(E, H, FF, eps=0), ValueError, ("eps must be a finite number above 0",)),
        (lambda: DecoderLayer(E, H, FF, eps=0), ValueError, ("eps must be a finite number above 0",)),
        (lambda: AROUND(X[..., :1], X[..., :D]), ValueError, ("x must have the shape of h, (2, 5, 11), got",)),
        (lambda: AROUND(X[..., :D], X[..., :1]), ValueError, ("h has size 1, d_model is 11",)),
        (lambda: AROUND(X[..., :D], (X[..., :D], None)), TypeError, ("h must be a torch.Tensor, got tuple",)),
        (lambda: AROUND(5, X[..., :D]), ValueError, ("x must have the shape of h, (2, 5, 11), got 5",)),
        (lambda: Residual(D, norm_first=True)(X, X), ValueError, ("h has size 33, d_model is 11",)),
        (lambda: Residual(D, norm=5), TypeError, ("norm must be a function, got int; pass a norm of this size",)),
        (lambda: Residual(D, norm=nn.LayerNorm), TypeError,
         ("norm must be a function, got the class LayerNorm, of which none was made", "nn.RMSNorm(11)")),
        (lambda: Residual(D, norm=nn.LayerNorm(4)), ValueError, ("norm is made for (4,), d_model is 11; pass",)),
        (lambda: Residual(D, norm=nn.RMSNorm((3, D))), ValueError, ("norm is made for (3, 11), d_model is 11",)),
        (lambda: Block(nn.Identity(), FFN, AROUND, AROUND), TypeError,
         ("attention must be a layer with a d_model, got Identity; pass a MultiHeadAttention",)),
        (lambda: Block(WideHeads(D, 1), FFN, AROUND, AROUND), TypeError,
         ("attention must take x and the options valid_lens, mask, bias, need_weights, cache, but WideHeads does not",
          "; pass a MultiHeadAttention")),
        (lambda: Block(SelfAttention(D), FFN, AROUND, AROUND), TypeError, ("but SelfAttention does not",)),
        (lambda: Block(MultiHeadAttention(D, 1), nn.Linear(D, 1), AROUND, AROUND).double()(X[..., :D]), ValueError,
         ("h has size 1, d_model is 11",)),
        (lambda: Block(MultiHeadAttention(D, 1), None, AROUND, AROUND), TypeError,
         ("feed_forward must be a function, got NoneType; pass a FeedForward",)),
        (lambda: Block(MultiHeadAttention(D, 1), FFN, nn.LayerNorm(D), AROUND), TypeError,
         ("around_attention must be a Residual, got LayerNorm; pass Residual(d_model)",)),
        (lambda: Block(MultiHeadAttention(D, 1), FFN, AROUND, nn.LayerNorm(D)), TypeError,
         ("around_feed_forward must be a Residual, got LayerNorm",)),
        (lambda: Block(MultiHeadAttention(D, 1), FFN, Residual(4), AROUND), ValueError,
         ("around_attention has d_model 4, attention has 11; make both of one size",)),
        (lambda: Block(MultiHeadAttention(D, 1), FFN, AROUND, Residual(4)), ValueError,
         ("around_feed_forward has d_model 4, attention has 11",)),
        (lambda: EncoderLayer(E, 7, FF), ValueError, ("d_model 33 is not divisible by num_heads 7",)),
        (lambda: EncoderLayer(E, H, FF, norm_first=True)(X[..., 1:]), ValueError, ("x has size 32, d_model is 33",)),
        (lambda: encoder()(X[0]), ValueError, ("x must have 3 axes",)),
        (lambda: encoder()(X, LENS), ValueError, ("number of keys, 5; got 6",)),
        (lambda: encoder()(X, mask=coin(T, S)), ValueError, ("mask has shape (5, 7)", "does not broadcast")),
        (lambda: encoder().float()(X), TypeError, ("x is torch.float64, the layer is torch.float32",)),
        (lambda: EncoderLayer(E, H, FF, norm_first=True)(X), TypeError, ("x is torch.float64, the layer is",)),
        (lambda: DecoderLayer(E, H, FF, norm_first=True)(X, MEMORY), TypeError, ("x is torch.float64, the layer is",)),
        (lambda: decoder()(X, cache=KeyValueCache()), TypeError,
         ("cache must be a DecoderLayerCache, got KeyValueCache", "start_cache(memory)")),
        (lambda: encoder()(X, cache=encoder().attention.start_cache(MEMORY)), ValueError,
         ("the cache holds a memory, but the layer attends to its own positions",)),
        (lambda: decoder()(X, MEMORY.float()), TypeError, ("x is torch.float64, memory is torch.float32",)),
        (lambda: decoder()(X, MEMORY[0]), ValueError, ("memory must have 3 axes",)),
        (lambda: decoder()(X, MEMORY[..., 1:]), ValueError, ("memory has size 32, d_model is 33",)),
        (lambda: decoder()(X, MEMORY[:1]), ValueError, ("x holds 2 sequences, memory holds 1",)),
        (lambda: decoder()(X, MEMORY, memory_lens=LENS + 2), ValueError, ("number of keys, 7; got 8",)),
        (lambda: decoder()(X, MEMORY, memory_mask=coin(S, T)), ValueError, ("does not broadcast",)),
    ],
)  # fmt: skip
def test_errors(call, error, message):
    with pytest.raises(error, match=says(*message)):
        call()


@pytest.mark.parametrize(
    "error", [UnicodeDecodeError("utf-8", b"mask", 0, 1, "mask"), ValueError("mask", 5), ValueError(5), TypeError()]
)
def test_what_a_hook_raises_between_a_decoders_parts_comes_as_it_is(error):
    def hook(*_):
        raise error

    layer, before = decoder(), error.args
    layer.cross_attention.register_forward_hook(hook)
    with pytest.raises(type(error)) as caught:
        layer(X, MEMORY)
    assert caught.value is error and error.args == before
