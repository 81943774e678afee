"""Argument checks: every error says what was expected, what came, and what to do.

The functions return nothing and raise `TypeError` for a wrong kind of thing and
`ValueError` for a right kind of thing with a wrong shape or value.
"""

import torch
from torch import Tensor

__all__ = [
    "check_tensor",
    "check_alike",
    "check_same_size",
    "check_weight",
    "check_query_key",
    "check_value",
    "check_mask",
    "check_lengths",
    "check_valid_lens",
    "check_scores",
    "check_probability",
    "check_positive",
    "check_count",
]


def _shape(tensor: Tensor) -> str:
    return (
        "("
        + ", ".join(str(size) for size in tensor.shape)
        + ("," if tensor.dim() == 1 else "")
        + ")"
    )


def _readable(tensor: Tensor) -> bool:
    """Whether values can be looked at: not while `torch.compile` traces, nor on the meta device."""
    return not (torch.compiler.is_compiling() or tensor.is_meta)


def check_tensor(
    name: str, tensor: Tensor, min_dims: int = 0, dims: int | None = None
) -> None:
    """Require a floating-point tensor with at least `min_dims` axes, or with exactly `dims`.

    Args:
        name: the argument's name, for the message.
        tensor: what the caller passed.
        min_dims: the least number of axes.
        dims: the exact number of axes, where more have no meaning.

    Raises:
        TypeError: `tensor` is no tensor, or its dtype is not floating point.
        ValueError: it has too few axes, or too many.
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(
            f"{name} must be a torch.Tensor, got {type(tensor).__name__}; "
            f"convert it with torch.as_tensor({name}, dtype=torch.float32)"
        )
    if not tensor.is_floating_point():
        raise TypeError(
            f"{name} must be a floating-point tensor, got {tensor.dtype}; convert it with {name}.float()"
        )
    if tensor.dim() < min_dims:
        raise ValueError(
            f"{name} must have at least {min_dims} axes, got shape {_shape(tensor)}; add one with [None]"
        )
    if dims is not None and tensor.dim() != dims:
        raise ValueError(
            f"{name} must have {dims} axes, got shape {_shape(tensor)}; reshape it, or pick the part you mean"
        )


def check_alike(name_a: str, a: Tensor, name_b: str, b: Tensor) -> None:
    """Require two tensors of one dtype on one device.

    Args:
        name_a: the first tensor's name.
        a: the first tensor.
        name_b: the second tensor's name.
        b: the second tensor.

    Raises:
        TypeError: the dtypes differ (and no autocast is there to convert them).
        ValueError: the devices differ.
    """
    if a.dtype != b.dtype and not torch.is_autocast_enabled(a.device.type):
        raise TypeError(
            f"{name_a} is {a.dtype}, {name_b} is {b.dtype}; convert both to one dtype"
        )
    if a.device != b.device:
        raise ValueError(
            f"{name_a} is on {a.device}, {name_b} is on {b.device}; move both to one device"
        )


def check_same_size(
    name_a: str, size_a: int, name_b: str, size_b: int, advice: str
) -> None:
    """Require two sizes to be equal.

    Args:
        name_a: what the first size belongs to.
        size_a: the first size.
        name_b: what the second size belongs to.
        size_b: the second size.
        advice: what to do when they differ.

    Raises:
        ValueError: the sizes differ.
    """
    if size_a != size_b:
        raise ValueError(f"{name_a} {size_a}, {name_b} {size_b}; {advice}")


def check_weight(name: str, weight: Tensor, like: Tensor, **sizes: int) -> None:
    """Require a parameter of a given shape, on the device and in the dtype of what it is multiplied with.

    Args:
        name: the parameter's name.
        weight: the parameter.
        like: the tensor that it meets, for its dtype and device.
        sizes: the axes in order, each with its size: h=8, Dq=20.

    Raises:
        TypeError: not a floating-point tensor, or another dtype.
        ValueError: another shape, or another device.
    """
    check_tensor(name, weight)
    check_alike("the input", like, name, weight)
    if tuple(weight.shape) != tuple(sizes.values()):
        letters = ", ".join(sizes) + ("," if len(sizes) == 1 else "")
        raise ValueError(
            f"{name} must be ({letters}) = {tuple(sizes.values())}, got {_shape(weight)}; "
            "is it transposed, or made for inputs of another size?"
        )


def check_query_key(query: Tensor, key: Tensor, same_features: bool = True) -> None:
    """Require queries (…, T, D) and keys (…, S, D) that can be scored against each other.

    Args:
        query: (…, T, Dq), floating point.
        key: (…, S, Dk), floating point.
        same_features: whether Dq must equal Dk.

    Raises:
        TypeError: one of them is not a floating-point tensor, or their dtypes differ.
        ValueError: too few axes, no key at all, unequal sizes, or two devices.
    """
    check_tensor("query", query, min_dims=2)
    check_tensor("key", key, min_dims=2)
    check_alike("query", query, "key", key)
    if key.shape[-2] == 0:
        raise ValueError(
            f"key has shape {_shape(key)}: no key to attend to; pass at least one"
        )
    if same_features:
        check_same_size(
            "query has size",
            query.shape[-1],
            "key has size",
            key.shape[-1],
            "project both to one size",
        )
    _check_leading_axes("query", query, "key", key)


def check_value(key: Tensor, value: Tensor) -> None:
    """Require one value for each key: value (…, S, Dv).

    Args:
        key: (…, S, Dk), floating point, checked already.
        value: (…, S, Dv), of the keys' dtype and device.

    Raises:
        TypeError: `value` is not a floating-point tensor, or its dtype is not the keys'.
        ValueError: too few axes, another number of positions than S, or another device.
    """
    check_tensor("value", value, min_dims=2)
    check_alike("key", key, "value", value)
    check_same_size(
        "the number of keys is",
        key.shape[-2],
        "the number of values is",
        value.shape[-2],
        "pass one value for each key",
    )
    _check_leading_axes("key", key, "value", value)


def _check_leading_axes(name_a: str, a: Tensor, name_b: str, b: Tensor) -> None:
    try:
        torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except RuntimeError:
        raise ValueError(
            f"{name_a} {_shape(a)} and {name_b} {_shape(b)} have leading (batch) axes that do not match; "
            "they must be equal or broadcast"
        ) from None


def check_mask(mask: Tensor, shape: torch.Size | None = None) -> None:
    """Require a boolean mask, True = may attend, that broadcasts to `shape`.

    Args:
        mask: bool, broadcastable to (…, T, S).
        shape: the shape of the scores; None where the mask stands alone.

    Raises:
        TypeError: the mask is not a bool tensor (0/1 and additive masks have their own converters).
        ValueError: it does not broadcast to `shape`.
    """
    if not isinstance(mask, Tensor):
        raise TypeError(
            f"mask must be a bool tensor (True = may attend), got {type(mask).__name__}"
        )
    if mask.dtype != torch.bool:
        raise TypeError(
            f"mask must be a bool tensor (True = may attend), got {mask.dtype}; convert a 0/1 mask with "
            "from_binary(mask), an additive one with from_additive(mask), and one in which True means blocked "
            "with from_blocked(mask)"
        )
    if shape is None:
        return
    try:
        fits = torch.broadcast_shapes(mask.shape, shape) == torch.Size(shape)
    except RuntimeError:
        fits = False
    if not fits:
        raise ValueError(
            f"mask has shape {_shape(mask)}, which does not broadcast to the scores' {tuple(shape)}; "
            "its last two axes are (queries, keys), each of full size or 1"
        )


def check_lengths(valid_lens: Tensor, num_keys: int) -> None:
    """Require integers in 0…`num_keys`.

    Args:
        valid_lens: integers of any shape.
        num_keys: S, the number of keys.

    Raises:
        TypeError: not a tensor of integers.
        ValueError: a length is negative or beyond the axis.
    """
    _check_integers(valid_lens)
    if valid_lens.numel() == 0 or not _readable(valid_lens):
        return
    low, high = int(valid_lens.min()), int(valid_lens.max())
    if low < 0 or high > num_keys:
        raise ValueError(
            f"valid_lens must lie between 0 and the number of keys, {num_keys}; got {low if low < 0 else high}"
        )


def check_valid_lens(valid_lens: Tensor, shape: torch.Size) -> None:
    """Require valid lengths whose shape fits scores of shape (B, …, T, S).

    Args:
        valid_lens: integers, shape (B,), one a sequence, or (B, T), one a query.
        shape: the shape of the scores, (B, …, T, S).

    Raises:
        TypeError: not a tensor of integers.
        ValueError: a shape other than (B,) or (B, T), or scores without a batch axis.
    """
    _check_integers(valid_lens)
    if len(shape) < 3:
        raise ValueError(
            f"valid_lens needs scores with a batch axis (B, …, T, S), got {tuple(shape)}; pass a mask"
        )
    batch, num_queries = shape[0], shape[-2]
    if tuple(valid_lens.shape) not in {(batch,), (batch, num_queries)}:
        raise ValueError(
            f"valid_lens must have shape ({batch},), one length a sequence, or ({batch}, {num_queries}), "
            f"one a query; got {_shape(valid_lens)} for scores of shape {tuple(shape)}"
        )


def _check_integers(valid_lens: Tensor) -> None:
    if not isinstance(valid_lens, Tensor):
        raise TypeError(
            f"valid_lens must be a tensor of integers, got {type(valid_lens).__name__}; "
            "make one with torch.tensor([...])"
        )
    if (
        valid_lens.is_floating_point()
        or valid_lens.is_complex()
        or valid_lens.dtype == torch.bool
    ):
        raise TypeError(
            f"valid_lens must hold integers, got {valid_lens.dtype}; lengths count keys, so use torch.long"
        )


def check_scores(scores: Tensor) -> None:
    """Require scores that a softmax can digest: no NaN and no +inf (−inf is fine: it means masked).

    The test reads every score once and, on a GPU, waits for the answer; it is left out while `torch.compile` traces.

    Args:
        scores: (…, T, S), floating point.

    Raises:
        TypeError: not a floating-point tensor.
        ValueError: fewer than two axes, an empty key axis, a NaN, or +inf.
    """
    check_tensor("scores", scores, min_dims=2)
    if scores.shape[-1] == 0:
        raise ValueError(
            f"scores has shape {_shape(scores)}: the key axis is empty; a softmax needs at least one key"
        )
    if not _readable(scores):
        return
    bad = scores.isnan() | (scores == torch.inf)
    if bad.any():
        where = tuple(bad.nonzero()[0].tolist())
        raise ValueError(
            f"scores holds {scores[where].item()} at index {where}; look for a division by zero or an overflow "
            "in the queries and keys (float16 ends at 65504) before the softmax hides it"
        )


def check_probability(name: str, value: float) -> None:
    """Require a dropout probability in [0, 1).

    Args:
        name: the argument's name.
        value: the probability.

    Raises:
        TypeError: not a real number.
        ValueError: outside [0, 1).
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(
            f"{name} must be a number between 0 and 1, got {type(value).__name__}"
        )
    if not 0 <= value < 1:
        raise ValueError(f"{name} must be at least 0 and below 1, got {value}")


def check_positive(name: str, value: float) -> None:
    """Require a number above zero.

    Args:
        name: the argument's name.
        value: a number, or a tensor with one element.

    Raises:
        TypeError: not a real number.
        ValueError: zero, negative, or not finite.
    """
    if isinstance(value, Tensor) and value.numel() == 1:
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} must be a number, got {type(value).__name__}")
    if not 0 < value < float("inf"):
        raise ValueError(f"{name} must be a finite number above 0, got {value}")


def check_count(name: str, value: int, at_least: int = 1) -> None:
    """Require a whole number, of points or units or steps.

    Args:
        name: the argument's name.
        value: the number.
        at_least: the least number that makes sense.

    Raises:
        TypeError: not an integer.
        ValueError: below `at_least`.
    """
    if isinstance(value, bool) or not isinstance(value, (int, torch.SymInt)):
        raise TypeError(
            f"{name} must be an integer, got {type(value).__name__}; convert it with int({name})"
        )
    if value < at_least:
        raise ValueError(f"{name} must be at least {at_least}, got {value}")
