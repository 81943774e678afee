"""A step that fails, wherever it does, leaves the cache as it was: the same step may be taken again."""

import pytest
import torch

from attnbook.attention import KeyValueCache
from attnbook.transformer import (
    Decoder,
    DecoderLayer,
    EncoderLayer,
    LanguageModel,
    LanguageModelConfig,
    TransformerConfig,
)
from tensors import B, S, close, fill, randn

D, H, FF, V = 12, 3, 17, 29
MEMORY = randn(B, S, D, seed=1)
SMALL = TransformerConfig(V, V, D, H, FF, 2, 2, dropout=0.0, norm_first=True)
WRITES = fill(LanguageModel(LanguageModelConfig(V, D, H, FF, 2))).double().eval()
DECODES, DECODER_LAYER, ENCODER_LAYER = (
    fill(module).double().eval()
    for module in (Decoder(SMALL), DecoderLayer(D, H, FF), EncoderLayer(D, H, FF))
)  # fmt: skip
IDS, X = torch.arange(2 * B).view(B, 2), randn(B, 2, D)
# the module, its input, a new cache, what of it grows, and the parts that fail
STEPS = {
    "language model": (WRITES, IDS, WRITES.start_cache, lambda caches: caches,
                       ("", "norm", "head", "layers.1", "layers.0.feed_forward.W_2", "layers.1.attention.W_o")),
    "decoder": (DECODES, IDS, lambda: DECODES.start_cache(MEMORY), lambda caches: [one.own for one in caches],
                ("", "norm", "head", "layers.1.cross_attention", "layers.0.feed_forward")),
    "decoder layer": (DECODER_LAYER, X, lambda: DECODER_LAYER.start_cache(MEMORY), lambda cache: [cache.own],
                      ("", "around_self_attention", "cross_attention.W_o", "feed_forward", "around_feed_forward")),
    "encoder layer": (ENCODER_LAYER, X, KeyValueCache, lambda cache: [cache],
                      ("", "around_attention", "feed_forward", "around_feed_forward")),
}  # fmt: skip
PLACES = [(name, part) for name, (*_, parts) in STEPS.items() for part in parts]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
@pytest.mark.parametrize("grad", [True, False])
@pytest.mark.parametrize(("name", "part"), PLACES)
def test_a_step_that_fails_can_be_repeated(name, part, grad, error):
    def fail(*_):
        raise error

    module, x, start, growing, _ = STEPS[name]
    first, second = x.split(1, dim=1)
    with torch.set_grad_enabled(grad):
        expected = start()
        module(first, cache=expected)
        right = module(second, cache=expected)[0]
        cache = start()
        module(first, cache=cache)
        hook = module.get_submodule(part).register_forward_hook(fail)
        with pytest.raises(error):
            module(second, cache=cache)
        hook.remove()
        assert [one.length for one in growing(cache)] == [1] * len(growing(cache))
        close(module(second, cache=cache)[0], right)
