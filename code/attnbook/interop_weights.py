"""Weights from PyTorch's and Hugging Face's classes into the book's, and back.

Each function makes a new module with copied weights; the source is left as it was. With the same weights, the same
numbers come out: that is what the tests and the cross-check appendix show.
"""

from pathlib import Path

import torch
from torch import Tensor, nn

from attnbook.attention import AdditiveAttention
from attnbook.blocks import DecoderLayer, EncoderLayer
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
]


def _copy(target: nn.Module, source: nn.Module) -> None:
    target.load_state_dict(source.state_dict())


def _activation_name(activation) -> str:
    name = getattr(activation, "__name__", type(activation).__name__).lower()
    if name not in ("relu", "gelu"):
        raise ValueError(
            f"the layer's activation is {name}; only relu and gelu have a counterpart here"
        )
    return name


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
    if not isinstance(layer, nn.MultiheadAttention):
        raise TypeError(
            f"expected an nn.MultiheadAttention, got {type(layer).__name__}"
        )
    if layer.in_proj_weight is None or layer.bias_k is not None or layer.add_zero_attn:
        raise ValueError(
            "kdim, vdim, add_bias_kv and add_zero_attn have no counterpart; make the layer without them"
        )
    ours = MultiHeadAttention(
        layer.embed_dim,
        layer.num_heads,
        dropout=layer.dropout,
        bias=layer.in_proj_bias is not None,
    ).to(layer.in_proj_weight)
    ours.W_qkv.weight.copy_(layer.in_proj_weight)
    if layer.in_proj_bias is not None:
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
        ValueError: grouped heads or rotary positions, which PyTorch's class does not have.
    """
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
        layer: with relu or gelu.

    Returns:
        A new `EncoderLayer`.

    Raises:
        ValueError: another activation.
    """
    ours = EncoderLayer(
        layer.self_attn.embed_dim,
        layer.self_attn.num_heads,
        layer.linear1.out_features,
        layer.dropout.p,
        _activation_name(layer.activation),
        layer.norm_first,
        layer.norm1.eps,
    ).to(layer.linear1.weight)
    ours.attention = from_torch_attention(layer.self_attn)
    _copy(ours.feed_forward.W_1, layer.linear1)
    _copy(ours.feed_forward.W_2, layer.linear2)
    _copy(ours.around_attention.norm, layer.norm1)
    _copy(ours.around_feed_forward.norm, layer.norm2)
    return ours.train(layer.training)


def from_torch_decoder_layer(layer: nn.TransformerDecoderLayer) -> DecoderLayer:
    """The book's decoder layer with the weights of PyTorch's.

    Args:
        layer: with relu or gelu.

    Returns:
        A new `DecoderLayer`.

    Raises:
        ValueError: another activation.
    """
    ours = DecoderLayer(
        layer.self_attn.embed_dim,
        layer.self_attn.num_heads,
        layer.linear1.out_features,
        layer.dropout.p,
        _activation_name(layer.activation),
        layer.norm_first,
        layer.norm1.eps,
    ).to(layer.linear1.weight)
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

    Source:
        W_q, W_k, W_v stacked are our W_qkv; W_o is W_o.
    """
    d_model, has_bias = layer.W_o.in_features, layer.W_o.bias is not None
    ours = MultiHeadAttention(
        d_model, layer.num_heads, dropout=layer.attention.dropout.p, bias=has_bias
    )
    ours.W_qkv.weight.copy_(
        torch.cat([layer.W_q.weight, layer.W_k.weight, layer.W_v.weight])
    )
    if has_bias:
        ours.W_qkv.bias.copy_(
            torch.cat([layer.W_q.bias, layer.W_k.bias, layer.W_v.bias])
        )
    _copy(ours.W_o, layer.W_o)
    return ours.to(layer.W_o.weight).train(layer.training)


def from_d2l_additive(layer: nn.Module) -> AdditiveAttention:
    """The book's additive attention with the weights of d2l's.

    Args:
        layer: a `d2l.AdditiveAttention` that has been called once (its maps are lazy).

    Returns:
        A new `AdditiveAttention`; the names of the weights are the same.
    """
    ours = AdditiveAttention(
        layer.W_q.in_features,
        layer.W_k.in_features,
        layer.W_q.out_features,
        layer.dropout.p,
    )
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
        ValueError: a configuration that ours does not have.
    """
    theirs = model.config
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
        mine.attention.W_qkv.weight.copy_(torch.cat([m.weight for m in maps]))
        mine.attention.W_qkv.bias.copy_(torch.cat([m.bias for m in maps]))
        _copy(mine.attention.W_o, layer.attention.output.dense)
        _copy(mine.around_attention.norm, layer.attention.output.LayerNorm)
        _copy(mine.feed_forward.W_1, layer.intermediate.dense)
        _copy(mine.feed_forward.W_2, layer.output.dense)
        _copy(mine.around_feed_forward.norm, layer.output.LayerNorm)
    return ours.train(model.training)


TIME_FLIES = ("time flies like an arrow", ((2051, 10029, 2066, 2019, 8612),))


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
    except ImportError as error:
        raise ImportError(
            "loading a pretrained BERT needs transformers; pip install -r requirements.txt"
        ) from error
    try:
        model = BertModel.from_pretrained(folder, local_files_only=True)
    except Exception as error:  # json, safetensors, pickle and size errors: all mean that the folder is no good
        raise ValueError(
            f"the BERT in {folder} cannot be read ({str(error).splitlines()[0]}); copy it again"
        ) from error
    return from_huggingface_bert(model.eval())


def ids_tensor() -> Tensor:
    """The ids of "time flies like an arrow" under bert-base-uncased, (1, 5)."""
    return torch.tensor(TIME_FLIES[1])
