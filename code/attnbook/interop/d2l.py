"""The layers of Dive into Deep Learning into the book's."""

from typing import Any

import torch
from torch import nn

from attnbook.attention import AdditiveAttention, MultiHeadAttention
from attnbook.interop.copying import check_kind, copy_into, stack_into
from attnbook.interop.loading import load_d2l
from attnbook.transformer import EncoderLayer


def _check(layer: nn.Module, name: str) -> None:
    kind = getattr(load_d2l(), name)
    check_kind(layer, kind, f"d2l.{name}")
    if any(nn.parameter.is_lazy(p) for p in layer.parameters()):
        raise ValueError(
            f"this {type(layer).__name__} has no weights yet: its maps are created at the first call; call it once"
        )


@torch.no_grad()
def from_d2l_attention(layer: nn.Module) -> MultiHeadAttention:
    """The book's multi-head attention with the weights of d2l's.

    Args:
        layer: a `d2l.MultiHeadAttention` that has been called once (its maps are lazy).

    Returns:
        A new `MultiHeadAttention`.

    Raises:
        TypeError: another kind of layer.
        ValueError: the layer has not been called yet, or takes inputs of another size than it puts out.

    Source:
        W_q, W_k, W_v stacked are our W_qkv; W_o is W_o.
    """
    _check(layer, "MultiHeadAttention")
    theirs: Any = layer
    _check(theirs.attention, "DotProductAttention")
    d_model, has_bias = theirs.W_o.in_features, theirs.W_o.bias is not None
    sizes = [linear.in_features for linear in (theirs.W_q, theirs.W_k, theirs.W_v)]
    if sizes != [d_model] * 3:
        raise ValueError(
            f"the layer takes queries, keys and values of sizes {sizes}, ours takes num_hiddens, {d_model}, of each; "
            "project them first"
        )
    dropout = theirs.attention.dropout.p
    ours = MultiHeadAttention(d_model, theirs.num_heads, dropout=dropout, bias=has_bias)
    ours.to(theirs.W_o.weight)
    stack_into(ours.W_qkv, (theirs.W_q, theirs.W_k, theirs.W_v))
    copy_into(ours.W_o, theirs.W_o)
    return ours.train(layer.training)


def from_d2l_additive(layer: nn.Module) -> AdditiveAttention:
    """The book's additive attention with the weights of d2l's.

    Args:
        layer: a `d2l.AdditiveAttention` that has been called once (its maps are lazy).

    Returns:
        A new `AdditiveAttention`; the names of the weights are the same.

    Raises:
        TypeError: another kind of layer.
        ValueError: the layer has not been called yet.
    """
    _check(layer, "AdditiveAttention")
    theirs: Any = layer
    ours = AdditiveAttention(
        theirs.W_q.in_features,
        theirs.W_k.in_features,
        theirs.W_q.out_features,
        theirs.dropout.p,
    ).to(theirs.W_q.weight)
    for name in ("W_q", "W_k", "w_v"):
        copy_into(getattr(ours, name), getattr(theirs, name))
    return ours.train(layer.training)


def from_d2l_encoder_block(layer: nn.Module) -> EncoderLayer:
    """The book's encoder layer with the weights of d2l's.

    Args:
        layer: a `d2l.TransformerEncoderBlock` with `use_bias=True` that has been called once (its maps are lazy).

    Returns:
        A new `EncoderLayer`, post-LN with ReLU. While training, ours drops hidden units of the feed-forward network,
        too, which theirs does not.

    Raises:
        TypeError: another kind of layer.
        ValueError: the layer has not been called yet, or its attention has no biases.

    Source:
        addnorm1.ln and addnorm2.ln are the norms around attention and feed-forward network, ffn.dense1 and
        ffn.dense2 our W_1 and W_2.
    """
    _check(layer, "TransformerEncoderBlock")
    theirs: Any = layer
    attention = from_d2l_attention(theirs.attention)
    if attention.W_o.bias is None:
        raise ValueError(
            "a block made with use_bias=False has no counterpart; make it with use_bias=True"
        )
    ours = EncoderLayer(
        attention.d_model,
        attention.num_heads,
        theirs.ffn.dense1.out_features,
        dropout=theirs.addnorm1.dropout.p,
        eps=theirs.addnorm1.ln.eps,
    ).to(theirs.ffn.dense1.weight)
    ours.attention = attention
    copy_into(ours.feed_forward.W_1, theirs.ffn.dense1)
    copy_into(ours.feed_forward.W_2, theirs.ffn.dense2)
    copy_into(ours.around_attention.norm, theirs.addnorm1.ln)
    copy_into(ours.around_feed_forward.norm, theirs.addnorm2.ln)
    return ours.train(layer.training)
