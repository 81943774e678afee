"""Llama, Mistral, Qwen3 and Gemma of transformers, and the book's language model with their weights: one function."""

import dataclasses
from copy import deepcopy

import pytest
import torch
import transformers
from torch import nn

from attnbook.attention import LinearScaling, Llama3Scaling
from attnbook.interop import from_huggingface_decoder
from attnbook.interop.decoders import DECODERS
from attnbook.transformer import LanguageModel
from tensors import B, close, fill, generator, says

V, D, FF, LENGTH = 31, 24, 37, 13
TOKENS = torch.randint(V, (B, LENGTH), generator=generator())
TOKENS[0, -2:] = torch.tensor([0, 3])  # what two configurations call padding
LENS = [8, 11]
SIZES = {
    "vocab_size": V, "hidden_size": D, "intermediate_size": FF, "num_hidden_layers": 3, "num_attention_heads": 6,
    "num_key_value_heads": 3, "max_position_embeddings": 23,
}  # fmt: skip
LLAMA3 = {
    "rope_type": "llama3", "rope_theta": 50.0, "factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 3.0,
    "original_max_position_embeddings": 17,
}  # fmt: skip
# what is changed of a family's settings: every field of theirs that changes the function stands here or is refused
SETTINGS = [
    ("Llama", {}),
    ("Llama", {"num_key_value_heads": 6, "head_dim": 10}),
    ("Llama", {"hidden_act": "gelu", "rms_norm_eps": 0.1, "tie_word_embeddings": True}),
    ("Llama", {"attention_bias": True, "attention_dropout": 0.2, "hidden_act": "gelu_new"}),
    ("Llama", {"mlp_bias": True, "pad_token_id": 3, "hidden_act": "relu"}),
    ("Llama", {"rope_parameters": {"rope_type": "default", "rope_theta": 7.0}}),
    ("Llama", {"rope_parameters": {"rope_type": "linear", "rope_theta": 50.0, "factor": 3.0}}),
    ("Llama", {"rope_parameters": LLAMA3, "head_dim": 8}),
    ("Mistral", {"sliding_window": None}),
    ("Mistral", {"sliding_window": 4, "head_dim": 6}),
    ("Qwen3", {"head_dim": 10}),
    ("Qwen3", {"head_dim": 6, "attention_bias": True, "tie_word_embeddings": True}),
    ("Qwen3", {"head_dim": 8, "use_sliding_window": True, "sliding_window": 4, "max_window_layers": 1}),
    ("Qwen3", {"head_dim": 8, "use_sliding_window": True, "sliding_window": 3,
               "layer_types": ["sliding_attention", "full_attention", "sliding_attention"]}),
    ("Gemma", {"head_dim": 6}),
    ("Gemma", {"head_dim": 8, "num_key_value_heads": 1, "attention_bias": True, "tie_word_embeddings": False}),
]  # fmt: skip
EACH = pytest.mark.parametrize(("family", "changes"), SETTINGS, ids=lambda x: x if isinstance(x, str) else ",".join(x))


def model_of(family="Llama", **changes):
    config = getattr(transformers, f"{family}Config")(**SIZES | changes)
    return fill(getattr(transformers, f"{family}ForCausalLM")(config)).eval()


def near(found, expected):
    """Within 1e-5, which for numbers above 1 is a relative difference."""
    close(found, expected, 1e-5 * max(1, expected.abs().max().item()))


def pair(family, changes):
    theirs = model_of(family, **changes)
    return from_huggingface_decoder(theirs), theirs


@EACH
def test_outputs_are_theirs(family, changes):
    ours, theirs = pair(family, changes)
    logits, weights = ours(TOKENS, need_weights=True)
    theirs.set_attn_implementation("eager")
    expected = theirs(TOKENS, output_attentions=True)
    assert expected.logits.std() > 0.1
    near(logits, expected.logits)
    for found, maps in zip(weights, expected.attentions, strict=True):
        near(found, maps)
    theirs.set_attn_implementation("sdpa")
    near(ours(TOKENS)[0], theirs(TOKENS).logits)


def converted(model, weights):
    """Our weights from theirs: what is converted beside zeros, so that Gemma's 1 + weight is the weight."""
    states = []
    for factor in (1, 0):
        copy = deepcopy(model)
        with torch.no_grad():
            for name, parameter in copy.named_parameters():
                parameter.copy_(factor * weights[name])
        states.append(from_huggingface_decoder(copy).state_dict())
    return {name: weight - states[1][name] for name, weight in states[0].items()}


@EACH
def test_gradients_are_theirs(family, changes):
    ours, theirs = pair(family, changes)
    upstream = torch.randn(B, LENGTH, V, generator=generator(5)) / V
    for model, logits in ((ours, ours(TOKENS)[0]), (theirs, theirs(TOKENS).logits)):
        (logits * upstream).sum().backward()
        assert all(parameter.grad is not None for parameter in model.parameters())
    expected = converted(theirs, {name: p.grad for name, p in theirs.named_parameters()})
    for name, parameter in ours.named_parameters():
        near(parameter.grad, expected[name])
        if not name.endswith("W_qkv.bias"):
            assert parameter.grad.abs().max() > 1e-5, name


@EACH
def test_writing_with_a_cache_is_theirs(family, changes):
    ours, theirs = pair(family, changes)
    cache, their_cache = ours.start_cache(), transformers.DynamicCache(config=theirs.config)
    for start, end in ((0, 5), (5, 6), (6, 7), (7, 10), *((t, t + 1) for t in range(10, LENGTH))):
        tokens = TOKENS[:, start:end]
        expected = theirs(tokens, past_key_values=their_cache, use_cache=True).logits
        near(ours(tokens, cache=cache)[0], expected)


@EACH
@pytest.mark.parametrize("side", ["front", "end"])
def test_padded_batches_are_theirs(family, changes, side):
    ours, theirs = pair(family, changes)
    real = torch.arange(LENGTH) < torch.tensor(LENS)[:, None]
    real = real.flip(1) if side == "front" else real
    options = {"mask": real[:, None, None]} if side == "front" else {"valid_lens": torch.tensor(LENS)}
    expected = theirs(TOKENS, attention_mask=real.long()).logits
    near(ours(TOKENS, **options)[0][real], expected[real])


def test_what_comes_back():
    theirs = model_of("Qwen3", head_dim=4, use_sliding_window=True, sliding_window=5, max_window_layers=2).train()
    ours = from_huggingface_decoder(theirs)
    assert type(ours) is LanguageModel and ours.training
    config = dataclasses.asdict(ours.config)
    expected = {
        "d_model": D, "num_heads": 6, "num_kv_heads": 3, "head_dim": 4, "d_ff": FF, "num_layers": 3, "qk_norm": True,
        "max_positions": 23, "window": 5, "global_layers": (0, 1), "tie_output": False, "activation": "silu",
    }  # fmt: skip
    assert expected.items() <= config.items()
    theirs_at = {p.data_ptr() for p in theirs.parameters()}
    assert not theirs_at & {p.data_ptr() for p in ours.parameters()}
    assert from_huggingface_decoder(theirs.bfloat16()).embedding.weight.dtype == torch.bfloat16
    scalings = [
        from_huggingface_decoder(model_of(rope_parameters=rope)).config.rotary_scaling
        for rope in ({"rope_type": "linear", "rope_theta": 50.0, "factor": 3.0}, LLAMA3)
    ]
    assert scalings == [LinearScaling(3.0), Llama3Scaling(4.0, 1.0, 3.0, 17)]
    dropped = from_huggingface_decoder(model_of(attention_dropout=0.2))
    assert [layer.attention.dropout.p for layer in dropped.layers] == [0.2] * 3
    assert dropped.config.dropout == 0
    fewer = model_of()
    fewer.config.num_hidden_layers = 2  # they use the first ones only
    near(from_huggingface_decoder(fewer)(TOKENS)[0], fewer(TOKENS).logits)


HONOURED = {
    *SIZES, *(name for _, changes in SETTINGS for name in changes), "hidden_act", "use_bidirectional_attention",
}  # fmt: skip
# how it begins, which tokens stop it, how it is divided among devices, what is handed back
WITHOUT_EFFECT = {
    "initializer_range", "bos_token_id", "eos_token_id", "use_cache", "pretraining_tp", "model_type", "default_theta",
    "keys_to_ignore_at_inference", "base_model_tp_plan", "base_model_pp_plan",
}  # fmt: skip


@pytest.mark.parametrize("name", DECODERS.values())
def test_every_field_of_their_configurations_is_known(name):
    config = getattr(transformers, name).config_class
    fields = {field for field in vars(config)["__annotations__"] if not field.startswith("_")}
    assert fields and fields <= HONOURED | WITHOUT_EFFECT


class Adapter(nn.Linear):
    def forward(self, x):
        return super().forward(x) * 2


def adapted():
    model = model_of()
    model.model.layers[1].mlp.up_proj = Adapter(D, FF, bias=False)
    return model


def other_activation():
    model = model_of()
    model.model.layers[1].mlp.act_fn = nn.Tanh()
    return model


def scaled(**rope):
    return lambda: model_of(rope_parameters={"rope_theta": 50.0, **rope})


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: nn.Linear(2, 3), TypeError, ("LlamaForCausalLM", "GemmaForCausalLM; got Linear")),
        (lambda: model_of().model, TypeError, ("transformers.LlamaForCausalLM, got LlamaModel", "has a head")),
        (lambda: model_of("Gemma2"), TypeError, ("got Gemma2ForCausalLM of model_type 'gemma2'",)),
        (lambda: model_of("Qwen2"), TypeError, ("got Qwen2ForCausalLM of model_type 'qwen2'",)),
        (adapted, TypeError, ("expected a Linear, got Adapter", "merge adapters")),
        (other_activation, TypeError, ("expected a SiLUActivation, got Tanh",)),
        (lambda: model_of(hidden_act="quick_gelu"), ValueError, ("hidden_act is 'quick_gelu'", "no counterpart")),
        (lambda: model_of("Gemma", use_bidirectional_attention=True), ValueError, ("use_bidirectional_attention",)),
        (scaled(rope_type="yarn", factor=4.0, original_max_position_embeddings=8), ValueError,
         ("rope_type", "'yarn'", "ours are default, linear and llama3")),
        (scaled(rope_type="dynamic", factor=4.0), ValueError, ("rope_type", "'dynamic'")),
        (scaled(rope_type="default", partial_rotary_factor=0.5), ValueError, ("partial_rotary_factor is 0.5",)),
    ],
)  # fmt: skip
def test_what_has_no_counterpart_is_refused_by_name(make, error, message):
    with pytest.raises(error, match=says(*message)):
        from_huggingface_decoder(make())
