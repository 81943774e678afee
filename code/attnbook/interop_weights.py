"""Weights from PyTorch's and Hugging Face's classes into the book's, and back.

Each function makes a new module with copied weights; the source is left as it was. With the same weights, the same
numbers come out: that is what the tests and the cross-check appendix show.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from torch import nn

from attnbook.attention import AdditiveAttention
from attnbook.blocks import ACTIVATIONS, DecoderLayer, EncoderLayer
from attnbook.models import BertConfig, BertEncoder
from attnbook.multihead import MultiHeadAttention

__all__ = [
    "from_torch_attention",
    "to_torch_attention",
    "from_torch_encoder_layer",
    "from_torch_decoder_layer",
    "from_d2l_attention",
    "from_d2l_additive",
    "from_huggingface_bert",
    "load_bert",
    "TIME_FLIES",
]

# A sentence and its ids under bert-base-uncased, as a batch of one, without [CLS] and [SEP].
TIME_FLIES = ("time flies like an arrow", ((2051, 10029, 2066, 2019, 8612),))


def _copy(target: nn.Module, source: nn.Module) -> None:
    target.load_state_dict(source.state_dict())


def _check_kind(layer: nn.Module, kind: type) -> None:
    if not isinstance(layer, kind):
        raise TypeError(f"expected a {kind.__name__}, got {type(layer).__name__}")


def _sizes_of(layer: nn.TransformerEncoderLayer | nn.TransformerDecoderLayer) -> dict:
    """The arguments of our layer that make it one like PyTorch's."""
    function = layer.activation
    name = getattr(function, "__name__", type(function).__name__).lower()
    if name not in ACTIVATIONS or getattr(function, "approximate", "none") != "none":
        raise ValueError(
            f"the layer's activation is {function}; only relu and the exact gelu have a counterpart here"
        )
    if layer.linear1.bias is None:
        raise ValueError(
            "a layer made with bias=False has no counterpart; make it with biases"
        )
    return {
        "d_model": layer.self_attn.embed_dim,
        "num_heads": layer.self_attn.num_heads,
        "d_ff": layer.linear1.out_features,
        "dropout": layer.dropout.p,
        "activation": name,
        "norm_first": layer.norm_first,
        "eps": layer.norm1.eps,
    }


@torch.no_grad()
def from_torch_attention(layer: nn.MultiheadAttention) -> MultiHeadAttention:
    """The book's multi-head attention with the weights of PyTorch's.

    Args:
        layer: one whose keys and values have the size of its queries, without `add_bias_kv` and `add_zero_attn`.

    Returns:
        A new `MultiHeadAttention`; it takes (B, T, D), whatever `batch_first` was.

    Raises:
        TypeError: not an `nn.MultiheadAttention`.
        ValueError: a layer with features that ours does not have.

    Source:
        in_proj_weight = [W_q; W_k; W_v] is our W_qkv, out_proj our W_o.
    """
    _check_kind(layer, nn.MultiheadAttention)
    if layer.in_proj_weight is None or layer.bias_k is not None or layer.add_zero_attn:
        raise ValueError(
            "kdim, vdim, add_bias_kv and add_zero_attn have no counterpart; make the layer without them"
        )
    has_bias = layer.in_proj_bias is not None
    ours = MultiHeadAttention(
        layer.embed_dim, layer.num_heads, dropout=layer.dropout, bias=has_bias
    ).to(layer.in_proj_weight)
    ours.W_qkv.weight.copy_(layer.in_proj_weight)
    if has_bias:
        ours.W_qkv.bias.copy_(layer.in_proj_bias)
    _copy(ours.W_o, layer.out_proj)
    return ours.train(layer.training)


@torch.no_grad()
def to_torch_attention(layer: MultiHeadAttention) -> nn.MultiheadAttention:
    """PyTorch's multi-head attention with the weights of the book's.

    Args:
        layer: without rotary positions and with as many key/value heads as query heads.

    Returns:
        A new `nn.MultiheadAttention` with `batch_first=True`.

    Raises:
        TypeError: not a `MultiHeadAttention`.
        ValueError: grouped heads or rotary positions, which PyTorch's class does not have.
    """
    _check_kind(layer, MultiHeadAttention)
    if layer.num_kv_heads != layer.num_heads or layer.rotary is not None:
        raise ValueError(
            "nn.MultiheadAttention has neither shared key/value heads nor rotary positions"
        )
    theirs = nn.MultiheadAttention(
        layer.d_model,
        layer.num_heads,
        dropout=layer.dropout,
        bias=layer.W_qkv.bias is not None,
        batch_first=True,
    ).to(layer.W_qkv.weight)
    theirs.in_proj_weight.copy_(layer.W_qkv.weight)
    if layer.W_qkv.bias is not None:
        theirs.in_proj_bias.copy_(layer.W_qkv.bias)
    _copy(theirs.out_proj, layer.W_o)
    return theirs.train(layer.training)


def from_torch_encoder_layer(layer: nn.TransformerEncoderLayer) -> EncoderLayer:
    """The book's encoder layer with the weights of PyTorch's.

    Args:
        layer: with relu or gelu, and with biases.

    Returns:
        A new `EncoderLayer`; it takes (B, T, D), whatever `batch_first` was.

    Raises:
        TypeError: not an `nn.TransformerEncoderLayer`.
        ValueError: another activation, or no biases.
    """
    _check_kind(layer, nn.TransformerEncoderLayer)
    ours = EncoderLayer(**_sizes_of(layer)).to(layer.linear1.weight)
    ours.attention = from_torch_attention(layer.self_attn)
    _copy(ours.feed_forward.W_1, layer.linear1)
    _copy(ours.feed_forward.W_2, layer.linear2)
    _copy(ours.around_attention.norm, layer.norm1)
    _copy(ours.around_feed_forward.norm, layer.norm2)
    return ours.train(layer.training)


def from_torch_decoder_layer(layer: nn.TransformerDecoderLayer) -> DecoderLayer:
    """The book's decoder layer with the weights of PyTorch's.

    Args:
        layer: with relu or gelu, and with biases.

    Returns:
        A new `DecoderLayer`; it takes (B, T, D), whatever `batch_first` was.

    Raises:
        TypeError: not an `nn.TransformerDecoderLayer`.
        ValueError: another activation, or no biases.
    """
    _check_kind(layer, nn.TransformerDecoderLayer)
    ours = DecoderLayer(**_sizes_of(layer)).to(layer.linear1.weight)
    ours.self_attention = from_torch_attention(layer.self_attn)
    ours.cross_attention = from_torch_attention(layer.multihead_attn)
    _copy(ours.feed_forward.W_1, layer.linear1)
    _copy(ours.feed_forward.W_2, layer.linear2)
    _copy(ours.around_self_attention.norm, layer.norm1)
    _copy(ours.around_cross_attention.norm, layer.norm2)
    _copy(ours.around_feed_forward.norm, layer.norm3)
    return ours.train(layer.training)


@torch.no_grad()
def from_d2l_attention(layer: nn.Module) -> MultiHeadAttention:
    """The book's multi-head attention with the weights of d2l's.

    Args:
        layer: a `d2l.MultiHeadAttention` that has been called once (its maps are lazy).

    Returns:
        A new `MultiHeadAttention`.

    Raises:
        ValueError: the layer has not been called yet, or takes inputs of another size than it puts out.

    Source:
        W_q, W_k, W_v stacked are our W_qkv; W_o is W_o.
    """
    _check_called(layer)
    d_model, has_bias = layer.W_o.in_features, layer.W_o.bias is not None
    sizes = [linear.in_features for linear in (layer.W_q, layer.W_k, layer.W_v)]
    if sizes != [d_model] * 3:
        raise ValueError(
            f"the layer takes queries, keys and values of sizes {sizes}, ours takes num_hiddens, {d_model}, of each; "
            "project them first"
        )
    dropout = layer.attention.dropout.p
    ours = MultiHeadAttention(d_model, layer.num_heads, dropout=dropout, bias=has_bias)
    ours.to(layer.W_o.weight)
    ours.W_qkv.weight.copy_(
        torch.cat([layer.W_q.weight, layer.W_k.weight, layer.W_v.weight])
    )
    if has_bias:
        ours.W_qkv.bias.copy_(
            torch.cat([layer.W_q.bias, layer.W_k.bias, layer.W_v.bias])
        )
    _copy(ours.W_o, layer.W_o)
    return ours.train(layer.training)


def _check_called(layer: nn.Module) -> None:
    if any(nn.parameter.is_lazy(p) for p in layer.parameters()):
        raise ValueError(
            f"this {type(layer).__name__} has no weights yet: its maps are made at the first call; call it once"
        )


def from_d2l_additive(layer: nn.Module) -> AdditiveAttention:
    """The book's additive attention with the weights of d2l's.

    Args:
        layer: a `d2l.AdditiveAttention` that has been called once (its maps are lazy).

    Returns:
        A new `AdditiveAttention`; the names of the weights are the same.

    Raises:
        ValueError: the layer has not been called yet.
    """
    _check_called(layer)
    ours = AdditiveAttention(
        layer.W_q.in_features,
        layer.W_k.in_features,
        layer.W_q.out_features,
        layer.dropout.p,
    ).to(layer.W_q.weight)
    _copy(ours, layer)
    return ours.train(layer.training)


@torch.no_grad()
def from_huggingface_bert(model: nn.Module) -> BertEncoder:
    """The book's BERT with the weights of a Hugging Face `BertModel`.

    Args:
        model: a `transformers.BertModel` with absolute positions.

    Returns:
        A new `BertEncoder`; the pooler, which only sentence pairs need, is left out.

    Raises:
        TypeError: another kind of model.
        ValueError: a configuration that ours does not have: another activation, a decoder, relative positions.
    """
    if not (hasattr(model, "embeddings") and hasattr(model, "encoder")):
        raise TypeError(
            f"expected a transformers.BertModel, got {type(model).__name__}; its .bert may be one"
        )
    theirs = model.config
    positions = getattr(theirs, "position_embedding_type", "absolute") or "absolute"
    if theirs.is_decoder or positions != "absolute":
        kind = "a decoder" if theirs.is_decoder else f"{positions} positions"
        raise ValueError(
            f"this BERT has {kind}; the book's is an encoder with absolute positions"
        )
    ours = BertEncoder(
        BertConfig(
            vocab_size=theirs.vocab_size,
            d_model=theirs.hidden_size,
            num_heads=theirs.num_attention_heads,
            d_ff=theirs.intermediate_size,
            num_layers=theirs.num_hidden_layers,
            max_positions=theirs.max_position_embeddings,
            num_segments=theirs.type_vocab_size,
            dropout=theirs.hidden_dropout_prob,
            activation=theirs.hidden_act,
            eps=theirs.layer_norm_eps,
        )
    ).to(model.embeddings.word_embeddings.weight)
    _copy(ours.embeddings.word, model.embeddings.word_embeddings)
    _copy(ours.embeddings.position, model.embeddings.position_embeddings)
    _copy(ours.embeddings.segment, model.embeddings.token_type_embeddings)
    _copy(ours.embeddings.norm, model.embeddings.LayerNorm)
    for mine, layer in zip(ours.layers, model.encoder.layer, strict=True):
        attention = layer.attention.self
        maps = (attention.query, attention.key, attention.value)
        mine.attention.dropout = attention.dropout.p
        mine.attention.W_qkv.weight.copy_(torch.cat([m.weight for m in maps]))
        mine.attention.W_qkv.bias.copy_(torch.cat([m.bias for m in maps]))
        _copy(mine.attention.W_o, layer.attention.output.dense)
        _copy(mine.around_attention.norm, layer.attention.output.LayerNorm)
        _copy(mine.feed_forward.W_1, layer.intermediate.dense)
        _copy(mine.feed_forward.W_2, layer.output.dense)
        _copy(mine.around_feed_forward.norm, layer.output.LayerNorm)
    return ours.train(model.training)


@contextmanager
def _quiet(logging) -> Iterator[None]:
    """Without the progress bar and the report of transformers: what matters of it becomes an error."""
    level, bar = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bar:
            logging.enable_progress_bar()


def load_bert(folder: str | Path) -> BertEncoder:
    """The book's BERT with pretrained weights from a local folder; nothing is downloaded.

    Args:
        folder: what `BertModel.save_pretrained` wrote, or a cached snapshot: config.json and the weights.

    Returns:
        A `BertEncoder` in eval mode.

    Raises:
        ImportError: `transformers` is not installed.
        FileNotFoundError: no such folder, or no config.json in it.
        ValueError: the files are damaged or belong to another kind of model.
    """
    folder = Path(folder).expanduser()
    if not (folder / "config.json").is_file():
        raise FileNotFoundError(
            f"{folder} holds no config.json; pass the folder that BertModel.save_pretrained wrote, "
            "or use BertEncoder() with random weights and the built-in ids TIME_FLIES"
        )
    try:
        from transformers import BertModel
        from transformers.utils import logging
    except ImportError as error:
        raise ImportError(
            "loading a pretrained BERT needs transformers; pip install -r requirements.txt"
        ) from error
    try:
        config = json.loads((folder / "config.json").read_text("utf-8"))
        if config.get("model_type") != "bert":
            raise ValueError(f"a model of type {config.get('model_type')}, not bert")
        with _quiet(logging):
            model, report = BertModel.from_pretrained(
                folder, local_files_only=True, output_loading_info=True
            )
        absent = sorted(k for k in report["missing_keys"] if not k.startswith("pooler"))
        if absent:  # they were filled with random numbers
            raise ValueError(f"{len(absent)} weights are missing, {absent[0]} first")
    except Exception as error:  # of json, safetensors, pickle, or sizes that differ
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise ValueError(
            f"the BERT in {folder} cannot be read ({reason}); copy it again"
        ) from error
    return from_huggingface_bert(model.eval())
