"""`torch.nn.functional`."""

import math

from .. import _numbers as n
from .._elementwise import OF_ONE, clamp, where
from .._making import clone, full, ones
from .._missing import missing_from, words
from .._operations import must_be_tensor, op
from .._random import default_generator
from .._reductions import cdist, norm  # noqa: F401
from .._reductions import log_softmax as _log_softmax
from .._reductions import softmax as _softmax
from .._tensor import Tensor, flat, new
from .._views import broadcast_tensors, cat, narrow

tanh, sigmoid = OF_ONE["tanh"], OF_ONE["sigmoid"]

# --- functions of single numbers ------------------------------------------------------------------------------------


def relu(input, inplace=False):
    return input.relu_() if inplace else input.relu()


def leaky_relu(input, negative_slope=0.01, inplace=False):
    return where(input > 0, input, negative_slope * input)


def elu(input, alpha=1.0, inplace=False):
    return where(input > 0, input, alpha * clamp(input, max=0).expm1())


def gelu(input, approximate="none"):
    if approximate == "tanh":
        return 0.5 * input * (1 + (math.sqrt(2 / math.pi) * (input + 0.044715 * input**3)).tanh())
    return 0.5 * input * (1 + (input / math.sqrt(2)).erf())


def softplus(input, beta=1, threshold=20):
    bent = clamp(beta * input, max=threshold).exp().log1p() / beta
    return where(beta * input > threshold, input, bent)


def logsigmoid(input):
    return -softplus(-input)


def _axis_by_habit(x, dim) -> int:
    return (0 if x.dim() in (0, 1, 3) else 1) if dim is None else dim


def softmax(input, dim=None, _stacklevel=3, dtype=None):
    return _softmax(input, _axis_by_habit(input, dim), dtype)


def log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    return _log_softmax(input, _axis_by_habit(input, dim), dtype)


@op("native_dropout", torch=False, method=False)
def _dropped(input, p):
    kept = [u < 1 - p for u in default_generator.uniforms(input.numel())]
    mask = new(n.held(kept, input.dtype), input.shape, input.dtype)
    return input * mask / (1 - p) if p < 1 else input * 0


def dropout(input, p=0.5, training=True, inplace=False):
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    return _dropped(input, p) if training and p else input


# --- along axes -----------------------------------------------------------------------------------------------------


def linear(input, weight, bias=None):
    if not isinstance(input, Tensor):
        raise must_be_tensor("linear", "input", 1, input)
    if input.dtype is not weight.dtype:
        kinds = f"{input.dtype.legacy} and {weight.dtype.legacy}"
        raise RuntimeError(f"mat1 and mat2 must have the same dtype, but got {kinds}")
    if weight.dim() == 2 and input.shape[-1] != weight.shape[1]:
        shapes = f"{math.prod(input.shape[:-1])}x{input.shape[-1]} and {weight.shape[1]}x{weight.shape[0]}"
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({shapes})")
    out = input.matmul(weight.t())
    return out if bias is None else out + bias


def normalize(input, p=2.0, dim=1, eps=1e-12):
    return input / clamp(norm(input, p, dim, True), min=eps)


def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    a, b = (x / clamp(norm(x, 2, dim, True), min=eps) for x in broadcast_tensors(x1, x2))
    return (a * b).sum(dim)


@op(torch=False, method=False)
def pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    return norm(x1 - x2 + eps, p, -1, keepdim)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    if tuple(input.shape[input.dim() - len(shape) :]) != shape:
        wanted = "".join(f", {size}" for size in shape)
        raise RuntimeError(words("layer-norm-shape", list(shape), wanted, list(input.shape)))
    dims = list(range(-len(shape), 0))
    apart = input - input.mean(dims, keepdim=True)
    out = (apart / ((apart * apart).mean(dims, keepdim=True) + eps).sqrt()).contiguous()
    return _scaled(out, weight, bias)


def _scaled(x, weight, bias):
    x = x if weight is None else x * weight
    return x if bias is None else x + bias


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    dims, shape = [d for d in range(input.dim()) if d != 1], [1, -1] + [1] * (input.dim() - 2)
    if training and input.numel() // input.shape[1] == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {input.shape}")
    mean = input.mean(dims) if training else running_mean
    var = input.var(dims, correction=0) if training else running_var
    out = (input - mean.reshape(shape)) / (var.reshape(shape) + eps).sqrt()
    return _scaled(out, *(x if x is None else x.reshape(shape) for x in (weight, bias)))


def embedding(input, weight, padding_idx=None, **_):
    return weight[input]


@op(torch=False, method=False)
def one_hot(input, num_classes=-1):
    if input.dtype is not n.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    values = flat(input)
    if min(values, default=0) < 0:
        raise RuntimeError("Class values must be non-negative.")
    count = max(values) + 1 if num_classes == -1 else num_classes
    if max(values, default=-1) >= count:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return new([int(i == v) for v in values for i in range(count)], (*input.shape, count), n.int64)


def pad(input, pad, mode="constant", value=None):
    if mode != "constant":
        raise AttributeError(f"pad(mode={mode!r}) is not available in the page")
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(pad) > 2 * input.dim():
        raise RuntimeError(words("pad-length", len(pad), input.dim()))
    out = input
    for i in range(len(pad) // 2):
        d, (before, after) = input.dim() - 1 - i, pad[2 * i : 2 * i + 2]
        start, stop = max(-before, 0), out.shape[d] + min(after, 0)
        parts = [narrow(out, d, start, stop - start)]
        for count, place in ((before, 0), (after, len(parts))):
            if count > 0:
                shape = [count if k == d else size for k, size in enumerate(out.shape)]
                filled = full(shape, 0 if value is None else value, dtype=out.dtype, device=out.device)
                parts.insert(place if place == 0 else len(parts), filled)
        out = cat(parts, d)
    return clone(out) if out is input else out


# --- losses ---------------------------------------------------------------------------------------------------------


def _reduced(loss, reduction):
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return loss if reduction == "none" else getattr(loss, reduction)()


def mse_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    return _reduced((input - target) ** 2, reduction)


def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    if log_target:
        loss = target.exp() * (target - input)
    else:
        loss = where(target > 0, target * (where(target > 0, target, 1.0).log() - input), 0.0)
    return loss.sum() / input.shape[0] if reduction == "batchmean" else _reduced(loss, reduction)


def binary_cross_entropy_with_logits(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    loss = (1 - target) * input - logsigmoid(input)
    return _reduced(loss if weight is None else loss * weight, reduction)


def _by_class(input, target):
    """Scores with the classes last and targets, both in rows; and the shape of the losses."""
    if input.dim() == 1:
        return input.unsqueeze(0), target.reshape(1), target.shape
    size = target.shape[0] if target.dim() else 0
    if input.shape[0] != size:
        raise ValueError(f"Expected input batch_size ({input.shape[0]}) to match target batch_size ({size}).")
    wanted = (input.shape[0], *input.shape[2:])
    if target.shape == input.shape:
        raise RuntimeError("Expected floating point type for target with class probabilities, got Long")
    if target.shape != wanted:
        if input.dim() == 2:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        raise RuntimeError(f"Expected target size {list(wanted)}, got {list(target.shape)}")
    return input.movedim(1, -1).reshape(-1, input.shape[1]), target.reshape(-1), target.shape


def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
    rows, right, shape = _by_class(input, target)
    if right.dtype is not n.int64:
        raise RuntimeError(f"expected scalar type Long but found {right.dtype.legacy}")
    counts = right != ignore_index
    right = where(counts, right, 0)
    for v in flat(right):
        if not 0 <= v < rows.shape[1]:
            raise IndexError(f"Target {v} is out of bounds.")
    matter = counts.to(rows.dtype) if weight is None else weight[right] * counts
    loss = where(counts, -rows.gather(1, right.unsqueeze(1)).squeeze(1) * matter, 0.0)
    if reduction == "mean":
        return loss.sum() / matter.sum()
    return _reduced(loss.reshape(shape), reduction)


def cross_entropy(
    input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0
):
    for position, (name, x) in enumerate((("input", input), ("target", target)), 1):
        if not isinstance(x, Tensor):
            raise must_be_tensor("cross_entropy_loss", name, position, x)
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    logs, count = log_softmax(input, 0 if input.dim() == 1 else 1), input.shape[0 if input.dim() == 1 else 1]
    if target.dtype.kind == 2:
        if target.shape != input.shape:
            raise RuntimeError("Expected floating point type for target with class probabilities, got Long")
        soft = target * (1 - label_smoothing) + label_smoothing / count
        loss = -(logs * soft if weight is None else logs * soft * weight).sum(0 if input.dim() == 1 else 1)
        return _reduced(loss, reduction)
    hard = nll_loss(logs, target, weight, ignore_index=ignore_index, reduction=reduction)
    if not label_smoothing:
        return hard
    rows, right, shape = _by_class(logs, target)
    matter = (right != ignore_index).to(rows.dtype)
    even = -(rows if weight is None else rows * weight).sum(1) * matter
    if reduction == "mean":
        even = even.sum() / (matter if weight is None else weight[where(matter > 0, right, 0)] * matter).sum()
    else:
        even = _reduced(even.reshape(shape), reduction)
    return (1 - label_smoothing) * hard + label_smoothing / count * even


# --- attention ------------------------------------------------------------------------------------------------------


def scaled_dot_product_attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
):
    if enable_gqa:
        key, value = (x.repeat_interleave(query.shape[-3] // x.shape[-3], -3) for x in (key, value))
    scores = query.matmul(key.transpose(-2, -1)) * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    if is_causal:
        if attn_mask is not None:
            raise RuntimeError("Explicit attn_mask should not be set when is_causal=True")
        attn_mask = ones(query.shape[-2], key.shape[-2], dtype=n.bool_, device=query.device).tril()
    if attn_mask is None:
        weights = softmax(scores, -1)
    else:
        is_bool = attn_mask.dtype is n.bool_
        scores = scores.masked_fill(~attn_mask, -math.inf) if is_bool else scores + attn_mask
        blind = (scores == -math.inf).all(-1, keepdim=True)
        weights = softmax(scores.masked_fill(blind, 0.0), -1).masked_fill(blind, 0.0)
    return dropout(weights, dropout_p).matmul(value)


__getattr__ = missing_from("torch.nn.functional", globals())
