"""Whatever is put around a map acts wherever the map is used: adapters, hooks and parametrisations, as other libraries
attach them. In each layer and model every map is wrapped in turn, and does what a map with the sum of both weights
does.
"""

from copy import deepcopy

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils import parametrize

from attnbook.attention import (
    AdditiveAttention,
    CrossAttention,
    DebertaPositions,
    KeyValueCache,
    LatentAttention,
    LearnedPositions,
    MultiHeadAttention,
    SelfAttention,
    SeparateHeads,
    ShawPositions,
    SinkAttention,
    T5Positions,
    WideHeads,
    causal_mask,
)
from attnbook.transformer import (
    BertConfig,
    BertEncoder,
    Decoder,
    DecoderLayer,
    Encoder,
    EncoderLayer,
    FeedForward,
    Transformer,
    TransformerConfig,
)
from attnbook.translation import RecurrentConfig, RecurrentTranslator
from tensors import close, fill, randn

E, H = 12, 3
X, MEMORY = randn(2, 5, E), randn(2, 7, E, seed=1)
IDS, TARGET = torch.tensor([[3, 4, 5, 1], [6, 7, 1, 0]]), torch.tensor([[1, 5], [1, 6]])
LENS = torch.tensor([4, 3])
SIZES = TransformerConfig(11, 13, E, H, 17, 2, 2, positions="learned", max_positions=9, tie_output=False)


def in_pieces(layer):
    cache = KeyValueCache()
    pieces = (X[:, :2], X[:, 2:])
    outputs = [layer(x, mask=causal_mask(x.shape[1], cache.length + x.shape[1]), cache=cache) for x in pieces]
    return torch.cat([output for output, _ in outputs], dim=1)


def twice_to_one_memory(layer):
    cache = layer.start_cache(MEMORY)
    first, _ = layer(X[:, :2], cache=cache)
    return torch.cat([first, layer(X[:, 2:], cache=cache)[0]], dim=1)


def decoder_step(layer):
    cache = layer.start_cache(MEMORY)
    layer(X[:, :1], cache=cache)
    return layer(X[:, 1:2], cache=cache)[0]


ITSELF, CROSS = (lambda f: f(X)[0]), (lambda f: f(X, MEMORY)[0])
WEIGHTS = lambda f: f(X, MEMORY, MEMORY + 1, need_weights=True)[0]  # noqa: E731
HEADS = [ITSELF, CROSS, WEIGHTS, in_pieces, twice_to_one_memory]
CASES = [
    *((MultiHeadAttention(E, H, num_kv_heads=n), call) for n in (3, 1) for call in HEADS),
    *((SinkAttention(E, H, learned=True), call) for call in HEADS),
    *((make(E, H), lambda f: f(X, MEMORY, MEMORY)[0]) for make in (WideHeads, SeparateHeads)),
    (AdditiveAttention(E, E, 5), lambda f: f(X, MEMORY, MEMORY)[0]),
    (CrossAttention(E), CROSS),
    (SelfAttention(E, causal=True), ITSELF),
    (LatentAttention(E, H, 5), ITSELF),
    (LatentAttention(E, H, 5), lambda f: f(X[:, 3:], cache=f(X[:, :3])[1])[0]),
    (ShawPositions(4, 2), lambda f: f(randn(2, H, 5, 4), randn(2, H, 7, 4))),
    (T5Positions(H), lambda f: f(randn(2, H, 5, 4), randn(2, H, 7, 4))),
    (DebertaPositions(E, H, 3), lambda f: f(randn(2, H, 5, 4), randn(2, H, 7, 4))),
    (LearnedPositions(9, E), lambda f: f(X, start=2)),
    (FeedForward(E, 17), lambda f: f(X)),
    (EncoderLayer(E, H, 17), lambda f: f(X, mask=causal_mask(5))[0]),
    (DecoderLayer(E, H, 17), lambda f: f(X, MEMORY, mask=causal_mask(5))[0]),
    (DecoderLayer(E, H, 17), decoder_step),
    (Encoder(SIZES), lambda f: f(IDS, LENS)[0]),
    (Decoder(SIZES), lambda f: f(TARGET, MEMORY)[0]),
    (Transformer(SIZES), lambda f: f(IDS, TARGET, LENS)),
    (BertEncoder(BertConfig(11, E, H, 17, 1, 9)), lambda f: f(IDS, LENS)[0]),
    (RecurrentTranslator(RecurrentConfig(11, 13, 5, 8, bidirectional=True)), lambda f: f(IDS, TARGET, LENS)),
]  # fmt: skip


class Adapter(nn.Module):
    """A module that shares no name with the one that it wraps."""

    def __init__(self, base, more):
        super().__init__()
        self.base, self.more = base, more

    def forward(self, x):
        return self.base(x) + beside(self.base, x, self.more)


class Sum(nn.Module):
    def __init__(self, more):
        super().__init__()
        self.more = more

    def forward(self, weight):
        return weight + self.more


def beside(base, x, more):
    return F.embedding(x, more) if isinstance(base, nn.Embedding) else F.linear(x, more)


def adapter(model, name, more):
    model.set_submodule(name, Adapter(model.get_submodule(name), more))


def hook(model, name, more):
    def add(module, given, output):
        return output + beside(module, given[0], more)

    model.get_submodule(name).register_forward_hook(add)


def parametrisation(model, name, more):
    parametrize.register_parametrization(model.get_submodule(name), "weight", Sum(more), unsafe=True)


def merged(model, name, more):
    with torch.no_grad():
        model.get_submodule(name).weight += more


@pytest.mark.parametrize("wrap", [adapter, hook, parametrisation])
@pytest.mark.parametrize(("model", "call"), CASES, ids=[type(model).__name__ for model, _ in CASES])
def test_what_is_around_a_map_acts(model, call, wrap):
    model = fill(deepcopy(model)).double().eval()
    maps = [n for n, m in model.named_modules() if type(m) in (nn.Linear, nn.Embedding)]
    assert maps
    as_it_was, changed = call(model), 0
    for name in maps:
        weight = model.get_submodule(name).weight
        more = 0.2 * randn(*weight.shape, seed=5)
        expected, found = deepcopy(model), deepcopy(model)
        merged(expected, name, more)
        wrap(found, name, more)
        close(call(found), call(expected))
        changed += not torch.allclose(call(expected), as_it_was)
    assert changed == len(maps)


def test_a_hook_fires_once_for_each_input():
    layer, fired = MultiHeadAttention(E, H).double(), []
    layer.W_qkv.register_forward_hook(lambda *_: fired.append(1))
    for arguments, times in (((X,), 1), ((X, MEMORY), 2), ((X, MEMORY, MEMORY + 1), 3)):
        fired.clear()
        layer(*arguments)
        assert len(fired) == times


def test_hooks_on_the_parts_of_a_model_fire():
    """As where somebody keeps each attention's output."""
    model, fired = Transformer(SIZES).double(), set()
    for name, module in model.named_modules():
        if list(module.parameters()):
            module.register_forward_hook(lambda *_, name=name: fired.add(name))
    model(IDS, TARGET, LENS)
    inside = {n for n, m in model.named_modules() if list(m.parameters())}
    assert inside - fired == {"encoder.layers", "decoder.layers"}


class Around(nn.Module):
    """A module that only calls the one within."""

    def __init__(self, within):
        super().__init__()
        self.within = within

    def forward(self, *args, **options):
        return self.within(*args, **options)


def test_a_module_around_attention_changes_nothing():
    x, memory = torch.randn(2, 3, 16), torch.randn(2, 5, 16)
    encoder, decoder = EncoderLayer(16, 4, 8).eval(), DecoderLayer(16, 4, 8).eval()
    expected = encoder(x)[0], decoder(x, memory)[0]
    encoder.attention = Around(encoder.attention)
    decoder.self_attention = Around(decoder.self_attention)
    decoder.cross_attention = Around(decoder.cross_attention)
    assert torch.equal(encoder(x)[0], expected[0])
    assert torch.equal(decoder(x, memory)[0], expected[1])
