"""Hugging Face's decoder-only language models into the book's: Llama, Mistral, Qwen3, Gemma."""

from collections.abc import Iterable, Iterator
from typing import Any, cast

import torch
from torch import Tensor, nn

from attnbook.attention import LinearScaling, Llama3Scaling
from attnbook.interop.copying import check_kind, check_parts
from attnbook.transformer import EncoderLayer, LanguageModel, LanguageModelConfig

# model_type: the class that computes what ours does
DECODERS = {
    "llama": "LlamaForCausalLM",
    "mistral": "MistralForCausalLM",
    "qwen3": "Qwen3ForCausalLM",
    "gemma": "GemmaForCausalLM",
}
# their names of activations: ours
ACTIVATIONS = {
    "silu": "silu",
    "swish": "silu",
    "gelu": "gelu",
    "gelu_pytorch_tanh": "gelu-tanh",
    "gelu_new": "gelu-tanh",
    "relu": "relu",
}
# parts of a layer, ours: theirs; queries, keys and values are apart there
PARTS = {
    "around_attention.norm": "input_layernorm",
    "attention.W_o": "self_attn.o_proj",
    "around_feed_forward.norm": "post_attention_layernorm",
    "feed_forward.W_g": "mlp.gate_proj",
    "feed_forward.W_1": "mlp.up_proj",
    "feed_forward.W_2": "mlp.down_proj",
}
# fields of a config.json that are ours by another name
SIZES = {
    "vocab_size": "vocab_size",
    "d_model": "hidden_size",
    "num_heads": "num_attention_heads",
    "num_kv_heads": "num_key_value_heads",
    "head_dim": "head_dim",
    "d_ff": "intermediate_size",
    "max_positions": "max_position_embeddings",
    "eps": "rms_norm_eps",
    "tie_output": "tie_word_embeddings",
}


@torch.no_grad()
def from_huggingface_decoder(model: nn.Module) -> LanguageModel:
    """The book's language model with the weights of a Hugging Face one.

    Llama, Mistral, Qwen3 and Gemma (the first) are one model with other settings: `config` of what comes back says
    which. Two things are written differently there, and are turned into ours: rotary positions pair the two halves of a
    head's features, which is another order of the rows of W_q and W_k; Gemma's norms multiply by 1 + weight.

    Args:
        model: a `LlamaForCausalLM`, `MistralForCausalLM`, `Qwen3ForCausalLM` or `GemmaForCausalLM` of `transformers`.

    Returns:
        A new `LanguageModel` of the same dtype and mode, on the same device. In float32 it scores as theirs does; in
        half precision the two round in different places.

    Raises:
        TypeError: another kind of model, or parts of it that are, such as adapters.
        ValueError: a setting that ours does not have; the message names it.

    Source:
        Touvron et al. (2023), arXiv:2302.13971; Jiang et al. (2023), arXiv:2310.06825; Yang et al. (2025),
        arXiv:2505.09388; Gemma Team (2024), arXiv:2403.08295.
    """
    _check_decoder(model)
    decoder: Any = model
    theirs = decoder.config
    layers = decoder.model.layers[: theirs.num_hidden_layers]
    ours = LanguageModel(_config(theirs, len(layers)))
    ours.to(decoder.lm_head.weight)
    state = dict(_weights(decoder, layers))
    ours.load_state_dict({name: weight.detach() for name, weight in state.items()})
    ours.embedding.padding_idx = decoder.model.embed_tokens.padding_idx
    for layer in cast(Iterable[EncoderLayer], ours.layers):
        layer.attention.dropout.p = theirs.attention_dropout
    return ours.train(model.training)


def _check_decoder(model: Any) -> None:
    model_type = getattr(getattr(model, "config", None), "model_type", None)
    if model_type not in DECODERS:
        kind = "" if model_type is None else f" of model_type {model_type!r}"
        raise TypeError(
            f"expected a model of transformers, {', '.join(DECODERS.values())}; got {type(model).__name__}{kind}"
        )
    import transformers

    name = DECODERS[model_type]
    kind = getattr(transformers, name)
    advice = "; pass the model that has a head, which scores the next token"
    check_kind(model, kind, f"transformers.{name}", advice)
    check_parts(model, kind, len(model.model.layers))


def _config(theirs: Any, num_layers: int) -> LanguageModelConfig:
    """Our config of theirs: each field that changes the function is taken over or refused."""
    if theirs.hidden_act not in ACTIVATIONS:
        raise ValueError(
            f"hidden_act is {theirs.hidden_act!r}, which has no counterpart; ours are {', '.join(ACTIVATIONS)}"
        )
    if getattr(theirs, "use_bidirectional_attention", False):
        raise ValueError(
            "use_bidirectional_attention lets positions see later ones; the book's language model does not"
        )
    kinds = (
        getattr(theirs, "layer_types", None) if theirs.model_type == "qwen3" else None
    )
    window = getattr(theirs, "sliding_window", None)
    global_layers = _global_layers(kinds, num_layers)
    return LanguageModelConfig(
        **{ours: getattr(theirs, name) for ours, name in SIZES.items()},
        num_layers=num_layers,
        activation=ACTIVATIONS[theirs.hidden_act],
        qk_norm=theirs.model_type == "qwen3",
        attention_bias=getattr(theirs, "attention_bias", False),
        feed_forward_bias=getattr(theirs, "mlp_bias", False),
        scale_embedding=theirs.model_type == "gemma",
        window=window,
        global_layers=() if window is None else global_layers,
        **_rotary(theirs.rope_parameters),
    )


def _global_layers(kinds: list[str] | None, num_layers: int) -> tuple[int, ...]:
    """The layers that see everything, whatever window there is."""
    kinds = [] if kinds is None else kinds[:num_layers]
    if odd := [
        kind for kind in kinds if kind not in ("full_attention", "sliding_attention")
    ]:
        raise ValueError(
            f"layer_types names {odd[0]!r}; ours are full_attention and sliding_attention"
        )
    return tuple(n for n, kind in enumerate(kinds) if kind == "full_attention")


def _rotary(rope: dict) -> dict[str, Any]:
    """Base and scaling of rotary positions."""
    kind = rope.get("rope_type", "default")
    if rope.get("partial_rotary_factor", 1.0) != 1.0:
        raise ValueError(
            f"partial_rotary_factor is {rope['partial_rotary_factor']}: a part of each head is not rotated; ours "
            "rotates all of it"
        )
    scaling: LinearScaling | Llama3Scaling | None = None
    if kind == "linear":
        scaling = LinearScaling(rope["factor"])
    elif kind == "llama3":
        scaling = Llama3Scaling(
            rope["factor"],
            rope["low_freq_factor"],
            rope["high_freq_factor"],
            rope["original_max_position_embeddings"],
        )
    elif kind != "default":
        raise ValueError(
            f"rope_type (of rope_parameters, or rope_scaling) is {kind!r}, which has no counterpart; ours are default, "
            "linear and llama3"
        )
    return {"rotary_base": rope["rope_theta"], "rotary_scaling": scaling}


def _weights(decoder: Any, layers: Any) -> Iterator[tuple[str, Tensor]]:
    """Our names, and what stands there."""
    more = 1.0 if decoder.config.model_type == "gemma" else 0.0  # norms are 1 + weight
    yield "embedding.weight", decoder.model.embed_tokens.weight
    yield "norm.weight", decoder.model.norm.weight + more
    yield "head.weight", decoder.lm_head.weight
    for number, layer in enumerate(layers):
        for ours, theirs in PARTS.items():
            for name, weight in layer.get_submodule(theirs).named_parameters():
                add = more if ours.endswith("norm") else 0.0
                yield f"layers.{number}.{ours}.{name}", weight + add
        attention, size = layer.self_attn, layer.self_attn.head_dim
        for name, weight in attention.v_proj.named_parameters():
            query, key = (
                neighbours(getattr(part, name), size)
                for part in (attention.q_proj, attention.k_proj)
            )
            stacked = torch.cat([query, key, weight])
            yield f"layers.{number}.attention.W_qkv.{name}", stacked
        if decoder.config.model_type == "qwen3":
            for ours, part in (
                ("norm_q", attention.q_norm),
                ("norm_k", attention.k_norm),
            ):
                turned = neighbours(part.weight, size)
                yield f"layers.{number}.attention.{ours}.weight", turned


def neighbours(rows: Tensor, head_dim: int) -> Tensor:
    """Rows (H · Dh, …) of which halves of each head are pairs, in the order in which neighbours are."""
    halves = rows.unflatten(0, (-1, 2, head_dim // 2))  # (H, 2, Dh/2, …)
    return halves.transpose(1, 2).flatten(0, 2)
