"""The decoder-only language model: one pass is one pass per token, under every choice; masks, padding, errors."""

import dataclasses
import math

import pytest
import torch
import torch.nn.functional as F

from attnbook.attention import KeyValueCache, LinearScaling, causal_mask, sequence_mask, sliding_window_mask
from attnbook.transformer import LanguageModel, LanguageModelConfig, count_parameters
from tensors import B, S, close, fill, generator, says

V, D, H, FF, N = 29, 30, 5, 17, 3
SMALL = LanguageModelConfig(V, D, H, FF, N, max_positions=11)
TOKENS = torch.randint(V, (B, S), generator=generator())
CHOICES = {
    "Llama": {},
    "2017": {
        "activation": "relu", "gated": False, "norm": "layer", "norm_first": False, "attention_bias": True,
        "feed_forward_bias": True, "positions": "sinusoidal", "scale_embedding": True,
    },
    "GPT-2": {
        "activation": "gelu-tanh", "gated": False, "norm": "layer", "attention_bias": True, "feed_forward_bias": True,
        "positions": "learned",
    },
    "Qwen": {"num_kv_heads": 1, "head_dim": 4, "qk_norm": True, "tie_output": False, "rotary_base": 100.0},
    "Gemma": {"head_dim": 8, "activation": "gelu-tanh", "scale_embedding": True, "rotary_scaling": LinearScaling(2.0)},
    "Mistral": {"num_kv_heads": 1, "window": 3, "global_layers": (1,)},
}  # fmt: skip
EACH = pytest.mark.parametrize("choice", CHOICES)


def model_of(choice="Llama", **changes):
    config = dataclasses.replace(SMALL, **CHOICES[choice] | changes)
    return fill(LanguageModel(config)).double().eval()


@EACH
@pytest.mark.parametrize("need_weights", [True, False])
def test_one_pass_is_one_pass_a_token_however_they_are_cut(choice, need_weights):
    model = model_of(choice)
    logits, weights = model(TOKENS, need_weights=need_weights)
    assert logits.shape == (B, S, V) and (weights is None) != need_weights
    cache, pieces = model.start_cache(), []
    for start, end in ((0, 3), (3, 3), (3, 4), (4, 5), (5, S)):
        piece, seen = model(TOKENS[:, start:end], need_weights=need_weights, cache=cache)
        pieces.append(piece)
        for step, whole in zip(seen or (), weights or (), strict=True):
            close(step, whole[:, :, start:end, :end])
    close(torch.cat(pieces, dim=1), logits)
    assert [one.length for one in cache] == [S] * N


@EACH
def test_a_token_changes_what_follows_and_nothing_before(choice):
    model, other = model_of(choice), TOKENS.clone()
    other[:, 4] = (other[:, 4] + 1) % V
    moved = (model(TOKENS)[0] - model(other)[0]).abs().amax(-1)
    assert (moved[:, :4] == 0).all() and (moved[:, 4:] > 1e-6).all()


@EACH
def test_every_parameter_learns(choice):
    model = model_of(choice)
    logits = model(TOKENS[:, :-1])[0]
    F.cross_entropy(logits.flatten(0, 1), TOKENS[:, 1:].flatten()).backward()
    for name, parameter in model.named_parameters():
        gradient = parameter.grad
        if name.endswith("W_qkv.bias"):  # no softmax notices the keys' part
            gradient = gradient.view(3, D)[[0, 2]]
        assert gradient.isfinite().all() and gradient.abs().max() > 1e-8, name


def test_by_its_parts():
    model = model_of("Mistral", scale_embedding=True)
    x = model.embedding.weight[TOKENS] * math.sqrt(D)
    masks = [sliding_window_mask(S, 3), causal_mask(S), sliding_window_mask(S, 3)]
    for layer, mask in zip(model.layers, masks, strict=True):
        x = x + layer.attention(layer.around_attention.norm(x), mask=mask)[0]
        x = x + layer.feed_forward(layer.around_feed_forward.norm(x))
    x = x / (x.pow(2).mean(-1, keepdim=True) + 1e-6).sqrt() * model.norm.weight
    close(model(TOKENS)[0], x @ model.embedding.weight.T)
    post = model_of("2017")
    assert isinstance(post.norm, torch.nn.Identity)
    x = post.positions(post.embedding(TOKENS) * math.sqrt(D))
    for layer in post.layers:
        x, _ = layer(x, mask=causal_mask(S))
    close(post(TOKENS)[0], x @ post.embedding.weight.T)


def test_how_many_parameters():
    """Llama 3's 8 billion, as its paper rounds them."""
    llama = LanguageModelConfig(128256, 4096, 32, 14336, 32, num_kv_heads=8, tie_output=False)
    with torch.device("meta"):
        assert count_parameters(LanguageModel(llama)) == 8_030_261_248
    tied, apart = model_of(), model_of(tie_output=False)
    assert tied.head.weight is tied.embedding.weight
    assert count_parameters(apart) - count_parameters(tied) == V * D


def test_at_first_all_tokens_are_nearly_equally_likely():
    torch.manual_seed(0)
    for choice in CHOICES:
        model = LanguageModel(dataclasses.replace(SMALL, **CHOICES[choice]))
        loss = F.cross_entropy(model(TOKENS[:, :-1])[0].flatten(0, 1), TOKENS[:, 1:].flatten())
        assert abs(loss.item() - math.log(V)) < 0.5, choice


# --- padding ---------------------------------------------------------------------------------------------------------


@EACH
def test_padding_at_the_end_changes_nothing(choice):
    model, lens = model_of(choice), torch.tensor([3, 6])
    logits = model(TOKENS, lens)[0]
    for b, length in enumerate(lens.tolist()):
        close(logits[b, :length], model(TOKENS[b : b + 1, :length])[0][0])
    other = torch.where(sequence_mask(lens, S), TOKENS, 1)
    real = sequence_mask(lens, S)
    close(model(other, lens)[0][real], logits[real])


@EACH
def test_padding_in_front_is_hidden_by_a_mask_also_from_a_cache(choice):
    model, lens, width = model_of(choice), [3, 5], 5
    padded = torch.zeros(B, S, dtype=torch.long)
    real = torch.ones(B, S, dtype=torch.bool)
    for b, length in enumerate(lens):  # then two more tokens for each
        padded[b, width - length :] = TOKENS[b, : length + S - width]
        real[b, : width - length] = False
    cache, pieces = model.start_cache(), []
    for start, end in ((0, width), (width, width + 1), (width + 1, S)):
        mask = real[:, None, None, :end]
        pieces.append(model(padded[:, start:end], mask=mask, cache=cache)[0])
    logits = torch.cat(pieces, dim=1)
    close(logits, model(padded, mask=real[:, None, None])[0])
    assert logits.isfinite().all()
    for b, length in enumerate(lens):
        alone = model(TOKENS[b : b + 1, : length + S - width])[0][0]
        off = (logits[b, width - length :] - alone).abs().max()
        # where each position has a number, a text that begins further to the right is another
        elsewhere = model.positions is not None and length < width
        assert off > 1e-4 if elsewhere else off < 1e-10


def test_a_window_as_wide_as_the_text_is_none():
    close(model_of("Llama", window=S)(TOKENS)[0], model_of("Llama")(TOKENS)[0])
    assert (model_of("Llama", window=S - 1)(TOKENS)[0] - model_of("Llama")(TOKENS)[0]).abs().max() > 1e-4


# --- errors ----------------------------------------------------------------------------------------------------------


def interrupted():
    cache = model_of().start_cache()
    model_of()(TOKENS[:, :2], cache=cache)
    cache[-1].shorten(1)
    return cache


MODEL = model_of()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: MODEL(TOKENS + V), ValueError, ("tokens holds the id", "beyond the vocabulary of 29")),
        (lambda: MODEL(TOKENS[0]), ValueError, ("tokens must be (B, T), got shape (7,)",)),
        (lambda: MODEL(TOKENS.double()), TypeError, ("tokens must be a tensor of token ids",)),
        (lambda: MODEL(TOKENS, torch.tensor([3, 8])), ValueError, ("valid_lens must lie between 0 and", "7; got 8")),
        (lambda: MODEL(TOKENS, mask=causal_mask(S - 1)), ValueError, ("mask has shape (6, 6)", "does not broadcast")),
        (lambda: MODEL(TOKENS, mask=TOKENS > 3), ValueError,
         ("mask has shape (2, 7)", "one of padding, (B, S), goes in as mask[:, None]")),
        (lambda: MODEL(TOKENS, cache=KeyValueCache()), TypeError, ("cache must be a list of KeyValueCache",)),
        (lambda: MODEL(TOKENS, cache=MODEL.start_cache()[1:]), ValueError, ("for 2 layers, the model has 3",)),
        (lambda: MODEL(TOKENS, cache=interrupted()), ValueError, ("different numbers of positions", "begin again")),
        (lambda: MODEL(TOKENS, cache=[KeyValueCache()] * N), ValueError,
         ("layers 0 and 1 share one cache", "use start_cache()")),
        (lambda: MODEL(TOKENS, torch.tensor([3, 7]), cache=MODEL.start_cache()), ValueError,
         ("valid_lens is for texts padded at the end", "with rotary positions, pad at the front and pass mask")),
        (lambda: model_of("GPT-2")(TOKENS[:, :0]), ValueError, ("tokens has shape (2, 0): no token to read",)),
        (lambda: model_of("GPT-2")(TOKENS.repeat(1, 2)), ValueError, ("only positions 0 to 10 are learned",)),
    ],
)  # fmt: skip
def test_errors(call, error, message):
    with pytest.raises(error, match=says(*message)):
        call()


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"vocab_size": 0}, ValueError, "vocab_size must be at least 1, got 0"),
        ({"d_model": 32}, ValueError, "d_model 32 is not divisible by num_heads 5"),
        ({"num_kv_heads": 2}, ValueError, "num_kv_heads 2 does not divide num_heads 5"),
        ({"head_dim": 0}, ValueError, "head_dim must be at least 1"),
        ({"window": 0}, ValueError, "window must be at least 1"),
        ({"eps": 0}, ValueError, "eps must be a finite number above 0"),
        ({"rotary_base": torch.tensor(1e4)}, TypeError, "rotary_base must be a number, got Tensor"),
        ({"rotary_base": -1}, ValueError, "rotary_base must be a finite number above 0"),
        ({"dropout": 1}, ValueError, "dropout must be at least 0 and below 1"),
        ({"activation": "swish"}, ValueError, "activation must be one of relu, gelu, gelu-tanh, silu"),
        ({"norm": "batch"}, ValueError, "norm must be one of rms, layer, got 'batch'"),
        ({"positions": "none"}, ValueError, "positions must be one of rotary, learned, sinusoidal, got 'none'"),
        ({"global_layers": (3,)}, ValueError, "global_layers must be below num_layers, 3, got 3"),
        ({"global_layers": (1.0,)}, TypeError, r"global_layers\[0\] must be an integer"),
        ({"global_layers": 1}, TypeError, "global_layers must be a tuple, got int"),
        ({"global_layers": (1,)}, ValueError, r"all layers are global: leave global_layers \(1,\) out, or pass"),
        ({"rotary_scaling": 3}, TypeError, "rotary_scaling must be LinearScaling"),
        ({"rotary_scaling": abs}, TypeError, "rotary_scaling must be LinearScaling"),
        ({"positions": "learned", "rotary_base": 7.0}, ValueError, "learned positions are not rotated: leave rotary_b"),
        ({"positions": "sinusoidal", "rotary_scaling": LinearScaling(2.0)}, ValueError, "sinusoidal positions are not"),
        ({"head_dim": 7}, ValueError, "rotary positions rotate pairs of features, got 7 features; use an even head"),
        ({"d_model": 35}, ValueError, "rotary positions rotate pairs of features, got 7 features"),
    ],
)
def test_wrong_configurations(change, error, message):
    with pytest.raises(error, match=message):
        dataclasses.replace(SMALL, **change)
