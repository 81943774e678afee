"""`torch.nn.functional`."""

import math

from .. import _numbers as n
from .._elementwise import where
from .._making import default_generator, full
from .._missing import require
from .._operations import FUNCTIONS, Operations, define, must_be_tensor
from .._tensor import Tensor, flat, new

tanh, sigmoid = FUNCTIONS["tanh"], FUNCTIONS["sigmoid"]


def _axis_by_habit(x, dim) -> int:
    return (0 if x.dim() in (0, 1, 3) else 1) if dim is None else dim


def _scaled(x, weight, bias):
    x = x if weight is None else x * weight
    return x if bias is None else x + bias


def _reduced(loss, reduction):
    require(reduction in ("none", "mean", "sum"), "reduction", reduction)
    return loss if reduction == "none" else getattr(loss, reduction)()


def _by_class(input, target, weight=None, ignore_index=-100, reduction="mean", smoothing=0.0):
    """The loss of log-probabilities, the classes along axis 1 (or 0 if there is no other)."""
    if input.dim() > 1:
        size = target._shape[0] if target._shape else 0
        require(input._shape[0] == size, "loss-batch", input._shape[0], size)
        wanted = (size, *input._shape[2:])
        require(target._shape == wanted, "loss-sizes", list(wanted), list(target.shape))
        input = input.movedim(1, -1)
    require(target.dtype is n.int64, "loss-dtype", target.dtype.legacy)
    counts, classes = target != ignore_index, input._shape[-1]
    target = where(counts, target, 0)
    matter = counts.to(input.dtype) if weight is None else weight[target] * counts
    hit = -input.gather(-1, target.unsqueeze(-1)).squeeze(-1) * matter
    even = -(input if weight is None else input * weight).sum(-1) if smoothing else 0.0
    loss = where(counts, (1 - smoothing) * hit + smoothing / classes * even, 0.0)
    return loss.sum() / matter.sum() if reduction == "mean" else _reduced(loss, reduction)


class F(Operations, into=globals()):
    def gelu(input, approximate="none"):
        if approximate == "tanh":
            return 0.5 * input * (1 + (math.sqrt(2 / math.pi) * (input + 0.044715 * input**3)).tanh())
        return 0.5 * input * (1 + (input / math.sqrt(2)).erf())

    def softplus(input, beta=1, threshold=20):
        return where(beta * input > threshold, input, (beta * input).clamp(max=threshold).exp().log1p() / beta)

    def dropout(input, p=0.5, training=True):
        require(0 <= p <= 1, "dropout", p)
        if not training or not p:
            return input
        kept = [u < 1 - p for u in default_generator.uniforms(input.numel())]
        mask = new(n.held(kept, input.dtype), input._shape, input.dtype)
        return input * mask / (1 - p) if p < 1 else input * 0

    def linear(input, weight, bias=None):
        require(input.dtype is weight.dtype, "linear-dtypes", input.dtype.legacy, weight.dtype.legacy)
        out = input.matmul(weight.t())
        return out if bias is None else out + bias

    def normalize(input, p=2.0, dim=1, eps=1e-12):
        return input / input.norm(p, dim, True).clamp(min=eps)

    def cosine_similarity(x1, x2, dim=1, eps=1e-8):
        a, b = (F.normalize(x, 2, dim, eps) for x in FUNCTIONS["broadcast_tensors"](x1, x2))
        return (a * b).sum(dim)

    def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        wanted = "".join(f", {size}" for size in shape)
        require(input._shape[-len(shape) :] == shape, "layer-norm-shape", list(shape), wanted, list(input.shape))
        dims = list(range(-len(shape), 0))
        deviation = (input.var(dims, correction=0, keepdim=True) + eps).sqrt()
        return _scaled(((input - input.mean(dims, keepdim=True)) / deviation).contiguous(), weight, bias)

    def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
        dims, shape = [d for d in range(input.dim()) if d != 1], [1, -1] + [1] * (input.dim() - 2)
        mean = input.mean(dims) if training else running_mean
        var = input.var(dims, correction=0) if training else running_var
        out = (input - mean.reshape(shape)) / (var.reshape(shape) + eps).sqrt()
        return _scaled(out, *(x if x is None else x.reshape(shape) for x in (weight, bias)))

    def one_hot(input, num_classes=-1):
        require(input.dtype is n.int64, "one-hot-dtype")
        values = flat(input)
        count = max(values) + 1 if num_classes == -1 else num_classes
        require(min(values, default=0) >= 0, "one-hot-negative")
        require(max(values, default=-1) < count, "one-hot-large")
        return new([int(i == v) for v in values for i in range(count)], (*input._shape, count), n.int64)

    def pad(input, pad, mode="constant", value=None):
        require(mode == "constant", "pad-mode", mode)
        require(len(pad) <= 2 * input.dim(), "pad-length", len(pad), input.dim())
        sides = [(input.dim() - 1 - i // 2, *pad[i : i + 2]) for i in range(0, len(pad), 2)]
        shape = list(input._shape)
        for d, before, after in sides:
            shape[d] += before + after
        out = inside = full(shape, value or 0, dtype=input.dtype, device=input.device)
        for d, before, after in sides:
            input = input.narrow(d, max(-before, 0), input.size(d) + min(before, 0) + min(after, 0))
            inside = inside.narrow(d, max(before, 0), input.size(d))
        inside.copy_(input)
        return out

    def kl_div(input, target, reduction="mean"):
        loss = where(target > 0, target * (where(target > 0, target, 1.0).log() - input), 0.0)
        return loss.sum() / input.shape[0] if reduction == "batchmean" else _reduced(loss, reduction)

    def binary_cross_entropy_with_logits(input, target, weight=None, reduction="mean"):
        loss = (1 - target) * input + F.softplus(-input)
        return _reduced(loss if weight is None else loss * weight, reduction)

    def cross_entropy(input, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0):
        if not isinstance(target, Tensor):
            raise must_be_tensor("cross_entropy_loss", "target", 2, target)
        require(0 <= label_smoothing <= 1, "label-smoothing", label_smoothing)
        d = min(input.dim() - 1, 1)
        logs = input.log_softmax(d)
        if target.dtype.kind != 2:
            return _by_class(logs, target, weight, ignore_index, reduction, label_smoothing)
        require(target._shape == input._shape, "loss-soft")
        soft = target * (1 - label_smoothing) + label_smoothing / input._shape[d]
        loss = -(logs * soft if weight is None else logs * soft * weight).sum(d)
        return loss.sum() / (loss.numel() or math.nan) if reduction == "mean" else _reduced(loss, reduction)

    def scaled_dot_product_attention(
        query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
    ):
        if enable_gqa:
            key, value = (x.repeat_interleave(query.shape[-3] // x.shape[-3], -3) for x in (key, value))
        scores = query.matmul(key.transpose(-2, -1)) * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)
        require(not is_causal or attn_mask is None, "causal-and-mask")
        if is_causal:
            attn_mask = full((query.shape[-2], key.shape[-2]), True, device=query.device).tril()
        if attn_mask is None:
            return F.dropout(scores.softmax(-1), dropout_p).matmul(value)
        scores = scores.masked_fill(~attn_mask, -math.inf) if attn_mask.dtype is n.bool_ else scores + attn_mask
        blind = (scores == -math.inf).all(-1, keepdim=True)
        weights = scores.masked_fill(blind, 0.0).softmax(-1).masked_fill(blind, 0.0)
        return F.dropout(weights, dropout_p).matmul(value)


define(
    {
        "relu": lambda input, inplace=False: input.relu_() if inplace else input.relu(),
        "elu": lambda input, alpha=1.0: where(input > 0, input, alpha * input.clamp(max=0).expm1()),
        "silu": lambda input: input * input.sigmoid(),
        "logsigmoid": lambda input: -F.softplus(-input),
        "softmax": lambda input, dim=None, dtype=None: input.softmax(_axis_by_habit(input, dim), dtype),
        "log_softmax": lambda input, dim=None, dtype=None: input.log_softmax(_axis_by_habit(input, dim), dtype),
        "embedding": lambda input, weight, padding_idx=None: weight[input],
        "mse_loss": lambda input, target, reduction="mean": _reduced((input - target) ** 2, reduction),
        "nll_loss": _by_class,
    },
    into=globals(),
)
