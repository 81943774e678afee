"""Reading attention: prefix matching by loops, silenced heads by hand, rollout by walks, and a sink by its formula."""

from copy import deepcopy

import pytest
import torch
from torch.nn.utils import prune, weight_norm
from torch.testing import assert_close

from attnbook.attention import (
    MultiHeadAttention,
    RotaryPositions,
    SeparateHeads,
    SinkAttention,
    ablate_head,
    causal_mask,
    prefix_matching,
    rollout,
    stack_heads,
    widen_heads,
)
from attnbook.transformer import EncoderLayer, Transformer, TransformerConfig
from tensors import close, coin, fill, generator, randn, says


def causal_weights(*shape):
    scores = torch.randn(*shape, shape[-1], generator=generator(), dtype=torch.float64)
    return scores.masked_fill(~causal_mask(shape[-1]), -torch.inf).softmax(-1)


def by_loops(weights, tokens):
    """The score of one head (T, T): its sum over rows that have a match, and their number."""
    total, count = 0.0, 0
    for t in range(len(tokens)):
        places = [j for j in range(1, t + 1) if tokens[j - 1] == tokens[t]]
        total += sum(weights[t, j].item() for j in places)
        count += bool(places)
    return total, count


def test_prefix_matching_by_hand():
    weights = torch.tensor(
        [
            [1, 0, 0, 0, 0],
            [0.5, 0.5, 0, 0, 0],
            [0.25, 0.5, 0.25, 0, 0],
            [0, 0.25, 0.75, 0, 0],
            [0.125, 0.125, 0.25, 0.25, 0.25],
        ]
    )
    found = prefix_matching(weights, torch.tensor([3, 5, 3, 5, 5]))
    assert_close(found, torch.tensor(1.75 / 3))


def test_prefix_matching_by_loops():
    tokens = torch.randint(4, (3, 11), generator=generator())
    weights = causal_weights(3, 2, 5, 11)
    found = prefix_matching(weights, tokens)
    assert found.shape == (2, 5)
    for layer in range(2):
        for head in range(5):
            parts = [by_loops(weights[b, layer, head], tokens[b]) for b in range(3)]
            expected = sum(total for total, _ in parts) / sum(count for _, count in parts)  # fmt: skip
            assert found[layer, head].item() == pytest.approx(expected)
    assert_close(prefix_matching(weights[1], tokens[1]), prefix_matching(weights[1:2], tokens[1:2]))


def test_prefix_matching_errors():
    with pytest.raises(ValueError, match="pass the weights of these tokens"):
        prefix_matching(torch.rand(2, 5, 5), torch.arange(7))
    for weights, tokens in (((2, 5, 5), torch.zeros(3, 5).long()), ((3, 2, 5, 4), torch.zeros(3, 5).long())):
        with pytest.raises(ValueError, match="pass the weights of these tokens"):
            prefix_matching(torch.rand(weights), tokens)


@pytest.mark.parametrize(
    ("tokens", "error", "message"),
    [
        ([1, 2, 1, 2, 1], TypeError, "tokens must be a tensor of integers, got list"),
        (torch.rand(5), TypeError, "tokens must hold integers, got torch.float32"),
        (torch.tensor(3), ValueError, r"tokens must be \(T,\) or \(B, T\), got shape \(\)"),
        (torch.ones(1, 1, 5).long(), ValueError, r"got shape \(1, 1, 5\)"),
    ],
)
def test_tokens_of_another_kind(tokens, error, message):
    with pytest.raises(error, match=message):
        prefix_matching(torch.rand(2, 5, 5), tokens)


def test_weights_without_sequences_are_not_taken_for_those_of_as_many_tokens():
    """Three sequences of three tokens, and the weights of one."""
    weights, tokens = torch.rand(3, 3).tril(), torch.tensor([[1, 2, 1]] * 3)
    with pytest.raises(ValueError, match="weights must have at least 3 axes"):
        prefix_matching(weights, tokens)
    found = prefix_matching(weights.expand(3, 3, 3), tokens)
    assert_close(found, weights[2, 1])  # the 1 that followed the first 1 was a 2


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("head", [0, 2])
def test_a_silenced_head_says_its_mean(head, bias):
    torch.manual_seed(0)
    layer = MultiHeadAttention(15, 3, bias=bias).double()
    x = torch.randn(2, 7, 15, dtype=torch.float64)
    given = []
    hook = layer.W_o.register_forward_pre_hook(lambda _, a: given.append(a[0]))
    layer(x)
    hook.remove()
    for mean in (None, torch.randn(5, dtype=torch.float64)):
        heads = given[0].clone().unflatten(-1, (3, 5))
        heads[:, :, head] = 0 if mean is None else mean
        expected = layer.W_o(heads.flatten(2))
        quiet = deepcopy(layer)
        ablate_head(quiet, head, mean)
        assert_close(quiet(x)[0], expected)
        assert_close(quiet(x, need_weights=True)[1], layer(x, need_weights=True)[1])


@pytest.mark.parametrize("frozen", [True, False])
def test_the_bias_of_a_silenced_head_learns_where_its_layer_does(frozen):
    layer = MultiHeadAttention(15, 3, bias=False).requires_grad_(not frozen)
    ablate_head(layer, 1, torch.ones(5))
    assert [weight.requires_grad for weight in layer.parameters()] == [not frozen] * 3


@pytest.mark.parametrize("first", [None, torch.ones(5)])
@pytest.mark.parametrize("then", [None, torch.zeros(5)])
def test_a_head_is_silenced_once(first, then):
    """What was put in its place is in the bias already, and the map to make another of is gone."""
    layer = MultiHeadAttention(15, 3)
    ablate_head(layer, 1, first)
    before = deepcopy(layer.state_dict())
    with pytest.raises(ValueError, match="head 1 is silent already, and what it would say instead cannot be changed"):
        ablate_head(layer, 1, then)
    assert all(torch.equal(weight, before[name]) for name, weight in layer.state_dict().items())


def test_ablation_errors():
    layer = MultiHeadAttention(15, 3)
    with pytest.raises(ValueError, match="heads 0 to 2, there is no head 3"):
        ablate_head(layer, 3)
    with pytest.raises(ValueError, match="head must be at least 0, got -1"):
        ablate_head(layer, -1)
    with pytest.raises(TypeError, match="head must be an integer, got str"):
        ablate_head(layer, "0")
    with pytest.raises(ValueError, match="mean must be .Dh,. = .5,., got .3,."):
        ablate_head(layer, 0, torch.zeros(3))


def test_a_refused_ablation_changes_nothing():
    layer = MultiHeadAttention(15, 3, bias=False)
    before = layer.W_o.weight.clone()
    double, numbers = torch.zeros(5, dtype=torch.float64), [0.0] * 5
    for mean, message in (
        (double, "the layer is torch.float32, mean is torch.float64"),
        (numbers, "mean must be a torch.Tensor"),
    ):
        with pytest.raises(TypeError, match=message):
            ablate_head(layer, 0, mean)
        assert layer.W_o.bias is None and torch.equal(layer.W_o.weight, before)


def test_rollout_of_weights_to_another_sequence():
    with pytest.raises(ValueError, match="pass those of self-attention"):
        rollout(torch.ones(2, 3, 4))


def test_rollout_of_two_layers_by_hand():
    weights = torch.tensor([[[0, 1.0], [0.5, 0.5]], [[1.0, 0], [1.0, 0]]])
    assert_close(rollout(weights), torch.tensor([[0.5, 0.5], [0.375, 0.625]]))


def test_rollout_is_a_walk_from_the_last_layer_down():
    weights = causal_weights(3, 5)
    weights[1] *= 0.5  # rows may sum to less than 1
    expected = torch.zeros(5, 5, dtype=torch.float64)
    steps = [(w + torch.eye(5)) / (w + torch.eye(5)).sum(-1, keepdim=True) for w in weights]  # fmt: skip
    for t in range(5):
        for a in range(5):
            for b in range(5):
                for j in range(5):
                    expected[t, j] += steps[2][t, a] * steps[1][a, b] * steps[0][b, j]
    assert_close(rollout(weights), expected)
    assert_close(rollout(weights).sum(-1), torch.ones(5, dtype=torch.float64))
    assert_close(rollout(weights.expand(2, -1, -1, -1))[1], expected)


def test_a_sink_of_zeros_is_the_softmax_off_by_one():
    torch.manual_seed(0)
    plain = MultiHeadAttention(12, 2, rotary=RotaryPositions()).double()
    sink = SinkAttention(12, 2, learned=False, rotary=RotaryPositions()).double()
    sink.load_state_dict(plain.state_dict())
    x = torch.randn(3, 7, 12, dtype=torch.float64)
    mask = causal_mask(7)
    output, weights = sink(x, mask=mask, need_weights=True)
    q, k, v = plain.project(x, x, x)
    exps = (q @ k.mT / 6**0.5).exp() * causal_mask(7)
    expected = exps / (1 + exps.sum(-1, keepdim=True))
    assert_close(weights[..., 1:], expected)
    assert_close(output, plain.W_o((expected @ v).transpose(1, 2).flatten(2)))
    assert_close(sink(x, mask=mask)[0], output)
    with_sink = torch.nn.functional.pad(mask, (1, 0), value=True)
    assert_close(sink(x, mask=with_sink)[0], output)


def test_a_learned_sink_takes_the_weight_that_its_key_asks_for():
    torch.manual_seed(0)
    sink = SinkAttention(10, 2, learned=True).double()
    x = torch.randn(3, 7, 10, dtype=torch.float64)
    with torch.no_grad():
        sink.sink.copy_(torch.randn(2, 1, 5))
    output, weights = sink(x, need_weights=True)
    q, k, v = sink.project(x, x, x)
    expected = ((q * sink.sink).sum(-1) / 5**0.5).exp()
    others = (q @ k.mT / 5**0.5).exp().sum(-1)
    assert_close(weights[..., 0], expected / (expected + others))
    of_values = (weights[..., 1:] @ v).transpose(1, 2).flatten(2)  # the sink's is zero
    assert_close(output, sink.W_o(of_values))
    sink(x)[0].sum().backward()
    assert sink.sink.grad.abs().sum() > 0


@pytest.mark.parametrize("num_kv_heads", [1, 3, 6])
@pytest.mark.parametrize("columns", [7, 8], ids=["of the keys", "with the sink's"])
@pytest.mark.parametrize("lead", [(), (2,), (1, 6), (2, 6)], ids=len)
def test_a_sink_with_masks_lengths_and_a_bias(num_kv_heads, columns, lead):
    """One more key whose value is zero: written down in steps."""
    sink = fill(SinkAttention(12, 6, learned=True, num_kv_heads=num_kv_heads)).double()
    x, memory = randn(2, 5, 12), randn(2, 7, 12, seed=1)
    mask, bias = coin(*lead, 5, columns), randn(*lead, 5, columns, seed=3)
    lens = torch.tensor([4, 7])
    output, weights = sink(x, memory, valid_lens=lens, mask=mask, bias=bias, need_weights=True)
    close(sink(x, memory, valid_lens=lens, mask=mask, bias=bias)[0], output)

    if columns == 7:
        mask = torch.nn.functional.pad(mask, (1, 0), value=True)
        bias = torch.nn.functional.pad(bias, (1, 0), value=0.0)
    if len(lead) == 1:
        mask, bias = mask[:, None], bias[:, None]
    q, k, v = sink.project(x, memory, memory)
    k = torch.cat([sink.sink.expand(2, -1, -1, -1), k], dim=2)
    v = torch.nn.functional.pad(v, (0, 0, 1, 0))
    k, v = (y.repeat_interleave(6 // num_kv_heads, dim=1) for y in (k, v))
    scores = q @ k.mT / 2**0.5 + bias
    real = torch.arange(8) <= lens[:, None, None, None]  # the sink, and so many keys
    expected = torch.where(mask & real, scores.exp(), 0.0)
    expected = expected / expected.sum(-1, keepdim=True)
    some = expected.isfinite()  # a mask may hide the sink, too, and all keys
    close(weights, torch.where(some, expected, 0.0))
    close(output, sink.W_o((weights @ v).transpose(1, 2).flatten(2)))


@pytest.mark.parametrize("learned", [True, False])
def test_a_sink_in_the_place_of_a_models_attention(learned):
    """With lengths, masks, caches and biases: one more key at each of its attentions, and none elsewhere."""
    sizes = TransformerConfig(11, 13, 12, 3, 17, 2, 2, dropout=0.0)
    model = fill(Transformer(sizes)).double().eval()
    for layer in model.encoder.layers:
        layer.attention = fill(SinkAttention(12, 3, learned=learned)).double()
    for layer in model.decoder.layers:
        layer.self_attention = fill(SinkAttention(12, 3, learned=learned)).double()
        layer.cross_attention = fill(SinkAttention(12, 3, learned=learned)).double()
    source, target = torch.randint(11, (2, 7)), torch.randint(13, (2, 5))
    lens = torch.tensor([4, 7])
    logits = model(source, target, lens)
    memory, weights = model.encoder(source, lens, need_weights=True)
    assert all(w.shape == (2, 3, 7, 8) for w in weights)
    assert all((w[0, ..., 5:] == 0).all() and (w[..., 0] > 0).all() for w in weights)
    short = source[:1, :4]  # without padding
    close(model(short, target[:1]), logits[:1])
    both, weights = model.decoder(target, memory, memory_lens=lens, need_weights=True)
    close(both, logits)
    for own, across in weights:
        assert own.shape == (2, 3, 5, 6) and across.shape == (2, 3, 5, 8)
        assert (own[..., 1:].triu(1) == 0).all() and (across[0, ..., 5:] == 0).all()
    cache = model.decoder.start_cache(memory)
    steps = [model.decoder(w, memory_lens=lens, cache=cache)[0] for w in target.split(1, 1)]  # fmt: skip
    close(torch.cat(steps, dim=1), logits)


def test_a_layer_with_a_sink_takes_what_its_attention_takes():
    layer, x = fill(EncoderLayer(12, 3, 17, norm_first=True)).double(), randn(2, 5, 12)
    layer.attention = fill(SinkAttention(12, 3, learned=True)).double()
    mask, bias = coin(5, 6, seed=1), randn(1, 3, 5, 6)
    output, weights = layer(x, mask=mask, bias=bias, need_weights=True)
    h, expected = layer.attention(layer.around_attention.norm(x), mask=mask, bias=bias, need_weights=True)
    close(weights, expected)
    x = x + h
    close(output, x + layer.feed_forward(layer.around_feed_forward.norm(x)))


@pytest.mark.parametrize("lens", [[-1, 5], [0, 6]])
def test_lengths_of_a_sink_count_the_keys_alone(lens):
    sink, x = SinkAttention(12, 2, learned=True), torch.randn(2, 5, 12)
    with pytest.raises(ValueError, match="between 0 and the number of keys, 5"):
        sink(x, valid_lens=torch.tensor(lens))
    many = torch.randn(2, 255, 12)  # and 255 + 1 is 0 in bytes
    close(sink(many, valid_lens=torch.tensor([255, 255], dtype=torch.uint8))[0], sink(many)[0], 1e-6)


def test_a_sink_says_what_does_not_fit():
    sink, x = SinkAttention(12, 2, learned=True), torch.randn(2, 5, 12)
    for columns in (1, 4, 7):
        with pytest.raises(ValueError, match="mask has shape"):
            sink(x, mask=torch.ones(5, columns, dtype=torch.bool))
        with pytest.raises(ValueError, match="bias has shape"):
            sink(x, bias=torch.ones(5, columns))
    with pytest.raises(TypeError, match="query must be a torch.Tensor"):
        sink([1.0])
    with pytest.raises(TypeError, match="mask must be a bool tensor"):
        sink(x, mask=torch.ones(5, 5))


def test_an_adapter_around_the_output_map_is_not_silenced_halfway():
    layer = MultiHeadAttention(12, 2)
    layer.W_o = torch.nn.Sequential(layer.W_o)
    with pytest.raises(TypeError, match="W_o must be an nn.Linear, got Sequential"):
        ablate_head(layer, 0)


@pytest.mark.parametrize("layer", [torch.nn.Linear(3, 3), SeparateHeads(12, 2), 5])
def test_what_has_no_heads_to_silence(layer):
    with pytest.raises(TypeError, match=says(f"layer must be a MultiHeadAttention, got {type(layer).__name__}; pass")):
        ablate_head(layer, 0)


@pytest.mark.parametrize(
    "hook", [lambda m: prune.l1_unstructured(m, "weight", amount=0.3), weight_norm], ids=["pruned", "normed"]
)
@pytest.mark.filterwarnings("ignore:.*weight_norm.*deprecated")
def test_weights_that_a_hook_makes_are_neither_written_nor_copied(hook):
    """The head would speak again with the next call, and a copy of the weights be one of those of the last call."""
    layer, stage = MultiHeadAttention(12, 2), SeparateHeads(12, 2)
    hook(layer.W_o)
    hook(stage.heads[1].W_k)
    with pytest.raises(TypeError, match=r"^weight of W_o is made anew before each call.*prune\.remove"):
        ablate_head(layer, 0)
    for make in (stack_heads, widen_heads):
        with pytest.raises(TypeError, match=r"^weight of heads\.1\.W_k is made anew"):
            make(stage)


@pytest.mark.parametrize("shape", [(3, 5, 5), (4, 5), (2, 2, 7, 5), (4, 4), (5, 7)])
@pytest.mark.parametrize("name", ["mask", "bias"])
def test_what_does_not_fit_a_sink_is_named_as_it_came(name, shape):
    table = torch.ones(shape, dtype=torch.bool if name == "mask" else torch.float)
    with pytest.raises(ValueError, match=says(f"{name} has shape {shape}, ", "scores' (2, 2, 5, 5)")):
        SinkAttention(12, 2, learned=True)(torch.randn(2, 5, 12), **{name: table})
