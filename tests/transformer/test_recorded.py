"""Recorded once, run with other sizes: `torch.compile`, `torch.export` and `torch.jit.trace`, with lengths and masks.

In each case x is (B, T, D), y is (B, T + 1, D); s and t are ids of these sizes, n the lengths, (B,).
"""

import pytest
import torch
from torch.export import Dim, export

from attnbook.attention import (
    AdditiveAttention,
    DotProductAttention,
    LatentAttention,
    MultiHeadAttention,
    RotaryPositions,
    SelfAttention,
    SinkAttention,
    causal_mask,
    masked_softmax,
    sliding_window_mask,
)
from attnbook.transformer import (
    BertConfig,
    BertEncoder,
    Decoder,
    DecoderLayer,
    EncoderLayer,
    LanguageModel,
    LanguageModelConfig,
    Transformer,
    TransformerConfig,
)
from tensors import fill, randn

E, H = 12, 3
SIZES = {
    "source_vocab_size": 11,
    "target_vocab_size": 11,
    "d_model": E,
    "num_heads": H,
    "d_ff": 17,
    "num_encoder_layers": 1,
    "num_decoder_layers": 1,
}
HEADS = MultiHeadAttention(E, H)
CASES = {
    "softmax": (torch.nn.Identity(), lambda _, x, n: masked_softmax(x @ x.mT, n)),
    "heads": (HEADS, lambda f, x, n: f(x, valid_lens=n)[0]),
    "heads, weights": (HEADS, lambda f, x, n: f(x, valid_lens=n, need_weights=True)),
    "heads, memory": (HEADS, lambda f, x, y, n: f(x, y, valid_lens=n)[0]),
    "heads, mask": (
        MultiHeadAttention(E, H, num_kv_heads=1, rotary=RotaryPositions()),
        lambda f, x: f(x, mask=sliding_window_mask(x.shape[1], 2))[0],
    ),
    "sink": (SinkAttention(E, H, learned=True), lambda f, x, n: f(x, valid_lens=n, mask=causal_mask(x.shape[1]))[0]),
    "dot": (DotProductAttention(), lambda f, x, y, n: f(x, y, y, valid_lens=n)[0]),
    "additive": (AdditiveAttention(E, E, 5), lambda f, x, y, n: f(x, y, y, n)[0]),
    "one head": (SelfAttention(E, causal=True), lambda f, x, n: f(x, n)),
    "latent": (LatentAttention(E, H, 5), lambda f, x: f(x)),
    "encoder layer": (EncoderLayer(E, H, 17), lambda f, x, n: f(x, n)[0]),
    "decoder layer": (
        DecoderLayer(E, H, 17),
        lambda f, x, y, n: f(x, y, memory_lens=n, mask=causal_mask(x.shape[1]))[0],
    ),
    "transformer": (Transformer(TransformerConfig(**SIZES)), lambda f, s, t, n: f(s, t, n)),
    "learned positions": (Transformer(TransformerConfig(**SIZES, positions="learned")), lambda f, s, t, n: f(s, t, n)),
    "bert": (BertEncoder(BertConfig(11, E, H, 17, 1)), lambda f, s, n: f(s, n)[0]),
}
SOME = ["heads", "heads, weights", "sink", "decoder layer", "transformer", "bert"]


class Called(torch.nn.Module):
    """A module whose call is one of the lambdas."""

    def __init__(self, name):
        super().__init__()
        module, self.call = CASES[name]
        self.module = fill(module).eval()
        names = self.call.__code__.co_varnames[1 : self.call.__code__.co_argcount]
        self.names = names

    def forward(self, *given):
        return self.call(self.module, *given)

    def arguments(self, length, batch):
        pick = torch.Generator().manual_seed(length)
        every = {
            "x": randn(batch, length, E, dtype=torch.float32),
            "y": randn(batch, length + 1, E, seed=1, dtype=torch.float32),
            "s": torch.randint(3, 11, (batch, length), generator=pick),
            "t": torch.randint(3, 11, (batch, length + 1), generator=pick),
            "n": torch.randint(1, length + 1, (batch,), generator=pick),
        }
        return tuple(every[name] for name in self.names)


@pytest.fixture
def counter():
    """A compiler that counts what it is given, and nothing compiled yet."""
    from torch._dynamo.testing import CompileCounter  # half a second, which no other test waits for

    torch._dynamo.reset()
    return CompileCounter()


@pytest.mark.parametrize("name", CASES)
def test_eleven_lengths_compile_twice(name, counter):
    """Once for the sizes that come first, once for all: a size that became a number would compile anew each time."""
    called = Called(name)
    compiled = torch.compile(called, backend=counter, fullgraph=True)
    for length in range(3, 14):
        given = called.arguments(length, batch=2 + length % 5)
        torch.testing.assert_close(compiled(*given), called(*given))
    assert counter.frame_count <= 2


@pytest.mark.parametrize("kind", [LanguageModel, Decoder])
def test_twelve_cached_steps_compile_at_most_three_times(kind, counter):
    """Of a model with two layers, whose caches have to have read the same."""
    if kind is LanguageModel:
        model, given = LanguageModel(LanguageModelConfig(11, E, H, 17, 2)), ()
    else:
        model = Decoder(TransformerConfig(**SIZES | {"num_decoder_layers": 2}))
        given = (randn(2, 5, E, dtype=torch.float32),)
    model = fill(model).eval()
    ids = torch.randint(3, 11, (2, 12), generator=torch.Generator().manual_seed(0))
    cache = model.start_cache(*given)
    compiled = torch.compile(model, backend=counter, fullgraph=True)
    with torch.no_grad():
        steps = [compiled(one, cache=cache)[0] for one in ids.split(1, dim=1)]
        torch.testing.assert_close(torch.cat(steps, dim=1), model(ids, *given)[0])
    assert counter.frame_count <= 3


@pytest.mark.parametrize("name", CASES)
def test_exported_with_free_sizes_it_is_the_same(name):
    called = Called(name)
    batch, sizes = Dim("batch", min=2, max=64), {}
    for letter in "xyst":
        length = Dim(f"length_{letter}", min=2, max=100)
        sizes[letter] = {0: batch, 1: length}
    shapes = tuple((sizes | {"n": {0: batch}})[letter] for letter in called.names)
    given = called.arguments(5, batch=3)
    program = export(called, given, dynamic_shapes=(shapes,)).module()
    for length, batch in ((5, 3), (2, 2), (13, 7)):
        given = called.arguments(length, batch)
        torch.testing.assert_close(program(*given), called(*given))


@pytest.mark.filterwarnings("ignore::torch.jit.TracerWarning")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", SOME)
def test_traced_it_is_the_same_with_other_sizes_too(name):
    called = Called(name)
    traced = torch.jit.trace(called, called.arguments(5, batch=3), check_trace=False)
    for length, batch in ((5, 3), (2, 2), (70, 7)):
        given = called.arguments(length, batch)
        torch.testing.assert_close(traced(*given), called(*given))
