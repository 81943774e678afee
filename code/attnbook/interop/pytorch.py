"""PyTorch's attention and Transformer layers into the book's, and its attention back."""

import torch
import torch.nn.functional as F
from torch import nn

from attnbook.attention import MultiHeadAttention
from attnbook.interop.copying import check_kind, copy_into
from attnbook.transformer import DecoderLayer, EncoderLayer


def _activation_of(function: object) -> str:
    """Its name here. Its name there says little: a function called gelu may be the approximate one."""
    if function in (F.relu, torch.relu) or type(function) is nn.ReLU:
        return "relu"
    if function is F.gelu or (
        type(function) is nn.GELU and function.approximate == "none"
    ):
        return "gelu"
    raise ValueError(
        f"the layer's activation is {function}; only relu and the exact gelu have a counterpart here"
    )


def _sizes_of(layer: nn.TransformerEncoderLayer | nn.TransformerDecoderLayer) -> dict:
    """The arguments of our layer that make it one like PyTorch's."""
    name = _activation_of(layer.activation)
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
    check_kind(layer, nn.MultiheadAttention)
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
    copy_into(ours.W_o, layer.out_proj)
    return ours.train(layer.training)


@torch.no_grad()
def to_torch_attention(layer: MultiHeadAttention) -> nn.MultiheadAttention:
    """PyTorch's multi-head attention with the weights of the book's.

    Args:
        layer: without rotary positions and norms, with as many key/value heads as query heads, of D / H features each.

    Returns:
        A new `nn.MultiheadAttention` with `batch_first=True`.

    Raises:
        TypeError: not a `MultiHeadAttention`.
        ValueError: grouped heads, heads of another size, rotary positions or norms: PyTorch's class has none.
    """
    check_kind(layer, MultiHeadAttention)
    for linear in (layer.W_qkv, layer.W_o):
        check_kind(linear, nn.Linear)  # an adapter's own weights would be left out
    if layer.num_kv_heads != layer.num_heads or layer.rotary is not None:
        raise ValueError(
            "nn.MultiheadAttention supports neither shared key/value heads nor rotary positions"
        )
    if layer.norm_q is not None:
        raise ValueError("nn.MultiheadAttention does not normalise queries and keys")
    if layer.num_heads * layer.head_dim != layer.d_model:
        raise ValueError(
            f"nn.MultiheadAttention has heads of d_model / num_heads features, not of {layer.head_dim}"
        )
    theirs = nn.MultiheadAttention(
        layer.d_model,
        layer.num_heads,
        dropout=layer.dropout.p,
        bias=layer.W_qkv.bias is not None,
        batch_first=True,
    ).to(layer.W_qkv.weight)
    theirs.in_proj_weight.copy_(layer.W_qkv.weight)
    if layer.W_qkv.bias is not None:
        theirs.in_proj_bias.copy_(layer.W_qkv.bias)
    copy_into(theirs.out_proj, layer.W_o)
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
    check_kind(layer, nn.TransformerEncoderLayer)
    ours = EncoderLayer(**_sizes_of(layer)).to(layer.linear1.weight)
    ours.attention = from_torch_attention(layer.self_attn)
    copy_into(ours.feed_forward.W_1, layer.linear1)
    copy_into(ours.feed_forward.W_2, layer.linear2)
    copy_into(ours.around_attention.norm, layer.norm1)
    copy_into(ours.around_feed_forward.norm, layer.norm2)
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
    check_kind(layer, nn.TransformerDecoderLayer)
    ours = DecoderLayer(**_sizes_of(layer)).to(layer.linear1.weight)
    ours.self_attention = from_torch_attention(layer.self_attn)
    ours.cross_attention = from_torch_attention(layer.multihead_attn)
    copy_into(ours.feed_forward.W_1, layer.linear1)
    copy_into(ours.feed_forward.W_2, layer.linear2)
    copy_into(ours.around_self_attention.norm, layer.norm1)
    copy_into(ours.around_cross_attention.norm, layer.norm2)
    copy_into(ours.around_feed_forward.norm, layer.norm3)
    return ours.train(layer.training)
