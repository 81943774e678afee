"""`MultiheadAttention`, as the exercises build it."""

import math

from .. import _numbers as n
from .._making import empty, full, zeros
from .._missing import NotInThePage, require
from .._tape import no_grad
from .._tensor import Tensor
from . import functional as F
from .modules import Module, NonDynamicallyQuantizableLinear, Parameter

WEIGHTS = "in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight"


def xavier_uniform_(tensor, gain=1.0, generator=None):
    bound = gain * math.sqrt(6.0 / sum(tensor.shape))
    return no_grad(Tensor.uniform_)(tensor, -bound, bound, generator=generator)


class MultiheadAttention(Module):
    def __init__(
        self, embed_dim, num_heads, dropout=0.0, bias=True, add_bias_kv=False, add_zero_attn=False, kdim=None,
        vdim=None, batch_first=False, device=None, dtype=None,
    ):  # fmt: skip
        require(embed_dim > 0 and num_heads > 0, "heads", embed_dim, num_heads)
        super().__init__()
        if add_bias_kv or add_zero_attn:
            raise NotInThePage("nn.MultiheadAttention(add_bias_kv, add_zero_attn)")
        self.embed_dim, self.num_heads, self.dropout, self.batch_first = embed_dim, num_heads, dropout, batch_first
        self.kdim, self.vdim, self.head_dim = kdim or embed_dim, vdim or embed_dim, embed_dim // num_heads
        require(self.head_dim * num_heads == embed_dim, "heads-size")
        self._qkv_same_embed_dim = self.kdim == self.vdim == embed_dim
        shapes = {"in_proj_weight": (3 * embed_dim, embed_dim)}
        if not self._qkv_same_embed_dim:
            sizes = zip(WEIGHTS[1:], (embed_dim, self.kdim, self.vdim), strict=True)
            shapes = {name: (embed_dim, size) for name, size in sizes}
        for name in (*WEIGHTS, "in_proj_bias"):
            self.register_parameter(name, None)
        if bias:
            self.in_proj_bias = Parameter(zeros(3 * embed_dim, dtype=dtype))
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, dtype=dtype)
        for name, shape in shapes.items():
            setattr(self, name, Parameter(xavier_uniform_(empty(shape, dtype=dtype))))
        if bias:
            self.out_proj.bias.data.zero_()

    def forward(
        self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True,
        is_causal=False,
    ):  # fmt: skip
        """Attend; masks are bool with True = may *not* attend, or numbers that are added to the scores."""
        single = query.dim() == 2
        if not self.batch_first and not single:
            query, key, value = (x.transpose(0, 1) for x in (query, key, value))
        query, key, value = (x.unsqueeze(0) if single else x for x in (query, key, value))
        require(query.shape[-1] == self.embed_dim, "heads-query", self.embed_dim, query.shape[-1])
        separate = [getattr(self, name) for name in WEIGHTS[1:]]
        weights = self.in_proj_weight.chunk(3) if self._qkv_same_embed_dim else separate
        biases = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        heads = [
            F.linear(x, w, b).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for x, w, b in zip((query, key, value), weights, biases, strict=True)
        ]
        scores = heads[0].matmul(heads[1].transpose(-2, -1)) / math.sqrt(self.head_dim)
        for mask in self._masks(attn_mask, key_padding_mask, query.shape[0]):
            scores = scores.masked_fill(mask, -math.inf) if mask.dtype is n.bool_ else scores + mask
        weights = F.dropout(scores.softmax(-1), self.dropout, self.training)
        out = self.out_proj(weights.matmul(heads[2]).transpose(1, 2).flatten(2))
        weights = (weights.mean(1) if average_attn_weights else weights) if need_weights else None
        if single:
            return out.squeeze(0), weights if weights is None else weights.squeeze(0)
        return out if self.batch_first else out.transpose(0, 1), weights

    def _masks(self, mask, padding, batch: int):
        """The masks, broadcastable to the scores (B, H, T, S)."""
        if mask is not None:
            yield mask if mask.dim() == 2 else mask.unflatten(0, (batch, self.num_heads))
        if padding is not None:
            yield padding.reshape(batch, 1, 1, -1)


class Transformer(Module):
    """Here only its mask."""

    def __init__(self, *_, **__):
        raise NotInThePage("nn.Transformer")

    @staticmethod
    def generate_square_subsequent_mask(sz, device=None, dtype=None):
        return full((sz, sz), -math.inf, dtype=dtype or n.default).triu(1)
