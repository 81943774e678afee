"""`MultiheadAttention`, as the exercises build it."""

import math

from .. import _numbers as n
from .._making import empty, ones
from .._missing import NotInThePage, words
from . import functional as F
from . import init
from .modules import Module, NonDynamicallyQuantizableLinear
from .parameter import Parameter


class MultiheadAttention(Module):
    """Several heads between linear layers; one matrix holds the weights of queries, keys and values."""

    def __init__(
        self, embed_dim, num_heads, dropout=0.0, bias=True, add_bias_kv=False, add_zero_attn=False, kdim=None,
        vdim=None, batch_first=False, device=None, dtype=None,
    ):  # fmt: skip
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(words("heads", embed_dim, num_heads))
        super().__init__()
        if add_bias_kv or add_zero_attn:
            raise NotInThePage("nn.MultiheadAttention(add_bias_kv, add_zero_attn)")
        self.embed_dim, self.num_heads, self.dropout, self.batch_first = embed_dim, num_heads, dropout, batch_first
        self.kdim, self.vdim = embed_dim if kdim is None else kdim, embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.head_dim = embed_dim // num_heads
        assert self.head_dim * num_heads == self.embed_dim, "embed_dim must be divisible by num_heads"
        split = {"q_proj_weight": embed_dim, "k_proj_weight": self.kdim, "v_proj_weight": self.vdim}
        for name, size in split.items():
            own = None if self._qkv_same_embed_dim else Parameter(empty(embed_dim, size, dtype=dtype))
            self.register_parameter(name, own)
        whole = Parameter(empty(3 * embed_dim, embed_dim, dtype=dtype)) if self._qkv_same_embed_dim else None
        self.register_parameter("in_proj_weight", whole)
        self.register_parameter("in_proj_bias", Parameter(empty(3 * embed_dim, dtype=dtype)) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, dtype=dtype)
        self.bias_k = self.bias_v = None
        self.add_zero_attn = False
        for p in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
            if p is not None:
                init.xavier_uniform_(p)
        if bias:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)

    def forward(
        self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True,
        is_causal=False,
    ):  # fmt: skip
        """Attend; masks are bool with True = may *not* attend, or numbers that are added to the scores."""
        single = query.dim() == 2
        if not self.batch_first and not single:
            query, key, value = (x.transpose(0, 1) for x in (query, key, value))
        query, key, value = (x.unsqueeze(0) if single else x for x in (query, key, value))
        for x, size in ((query, self.embed_dim),):
            assert x.shape[-1] == size, f"was expecting embedding dimension of {size}, but got {x.shape[-1]}"
        weights = self.in_proj_weight.chunk(3) if self._qkv_same_embed_dim else self._separate()
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

    def _separate(self):
        return self.q_proj_weight, self.k_proj_weight, self.v_proj_weight

    def _masks(self, mask, padding, batch: int):
        """The masks, broadcastable to the scores (B, H, T, S)."""
        if mask is not None:
            yield mask if mask.dim() == 2 else mask.unflatten(0, (batch, self.num_heads))
        if padding is not None:
            yield padding.reshape(batch, 1, 1, -1)


class Transformer(Module):
    """Here only its mask."""

    @staticmethod
    def generate_square_subsequent_mask(sz, device=None, dtype=None):
        """−∞ above the diagonal, else 0."""
        return (ones(sz, sz, dtype=dtype) * -math.inf).triu(1).nan_to_num(neginf=-math.inf)

    def __init__(self, *_, **__):
        raise NotInThePage("nn.Transformer")
