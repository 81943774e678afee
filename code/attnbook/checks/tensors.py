"""Checks of attention's arguments: queries, keys, values and weights, their shapes, dtypes and devices."""

import torch
from torch import Tensor, nn


def check_tensor(name: str, tensor: Tensor, min_dims: int = 0, dims: int | None = None, *, advice: str = "") -> None:
    """Require a floating-point tensor with at least `min_dims` axes, or with exactly `dims`.

    `advice` says what to do about another dtype, if the caller can guess which argument was meant.
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(
            f"{name} must be a torch.Tensor, got {type(tensor).__name__}; "
            f"convert it with torch.as_tensor({name}, dtype=torch.float32)"
        )
    if not tensor.is_floating_point():
        advice = advice or f"convert it with {name}.float()"
        raise TypeError(f"{name} must be a floating-point tensor, got {tensor.dtype}; {advice}")
    if tensor.dim() < min_dims:
        raise ValueError(
            f"{name} must have at least {min_dims} axes, got shape {tuple(tensor.shape)}; add one with [None]"
        )
    if dims is not None and tensor.dim() != dims:
        raise ValueError(
            f"{name} must have {dims} axes, got shape {tuple(tensor.shape)}; reshape it, or pick the part you mean"
        )


def kind_of(x: object) -> object:
    """The dtype of a tensor, or the name of any other object's type, for errors."""
    return x.dtype if isinstance(x, Tensor) else type(x).__name__


def check_alike(name_a: str, a: Tensor, name_b: str, b: Tensor) -> None:
    """Require two tensors of the same dtype, unless autocast will convert them, on the same device."""
    if a.dtype != b.dtype and not torch.is_autocast_enabled(a.device.type):
        raise TypeError(f"{name_a} is {a.dtype}, {name_b} is {b.dtype}; convert both to one dtype")
    if a.device != b.device:
        raise ValueError(f"{name_a} is on {a.device}, {name_b} is on {b.device}; move both to one device")


def check_features(
    name: str, x: Tensor, what: str, size: int, *, dims: int | None = None, module: nn.Module | None = None
) -> None:
    """Require vectors (…, size); `what` names the setting that fixes the size, such as "d_model".

    They must have the dtype and the device of `module`, the map or table that they meet. This is checked only if its
    `weight` is a floating-point tensor: a module that wraps a map (an adapter, a quantised layer) checks for itself.
    """
    check_tensor(name, x, min_dims=1, dims=dims)
    if x.shape[-1] != size:
        raise ValueError(f"{name} has size {x.shape[-1]}, {what} is {size}; project it to that size")
    weight = None if module is None else getattr(module, "weight", None)
    if isinstance(weight, Tensor) and weight.is_floating_point():
        check_alike(name, x, "the layer", weight)


def check_weight(
    name: str, weight: Tensor, like: Tensor, sizes: dict[str, int], *, like_name: str = "the input"
) -> None:
    """Require a parameter with these axes, such as {"h": 8, "Dq": 20}, alike to the tensor that it multiplies."""
    check_tensor(name, weight)
    check_alike(like_name, like, name, weight)
    if list(weight.shape) != list(sizes.values()):
        letters = ", ".join(sizes) + ("," if len(sizes) == 1 else "")
        raise ValueError(
            f"{name} must be ({letters}) = {tuple(sizes.values())}, got {tuple(weight.shape)}; "
            "is it transposed, or made for inputs of another size?"
        )


def check_own_weights(name: str, module: nn.Module) -> None:
    """Require a module whose weights are parameters, not computed from others by a hook before each call.

    Pruning and `torch.nn.utils.weight_norm` add such hooks, and call those others weight_orig and the like. A weight
    that is read without a call may then be out of date, and one that is written is overwritten.
    """
    parameters = [parameter for parameter, _ in module.named_parameters(recurse=False)]
    for weight, tensor in vars(module).items():
        if isinstance(tensor, Tensor) and any(parameter.startswith(f"{weight}_") for parameter in parameters):
            raise TypeError(
                f"{weight} of {name} is made anew before each call, as by pruning or weight_norm; make it permanent "
                "first, as torch.nn.utils.prune.remove and remove_weight_norm do"
            )


def check_query_key(query: Tensor, key: Tensor, same_features: bool = True) -> None:
    """Require queries (…, T, Dq) and keys (…, S, Dk), at least one, that can be scored against each other."""
    check_tensor("query", query, min_dims=2)
    check_tensor("key", key, min_dims=2)
    check_alike("query", query, "key", key)
    check_keys("key", key)
    if same_features and query.shape[-1] != key.shape[-1]:
        raise ValueError(f"query has size {query.shape[-1]}, key has size {key.shape[-1]}; project both to one size")
    check_leading_axes("query", query.shape[:-2], "key", key.shape[:-2])


def check_keys(name: str, x: Tensor) -> None:
    """Require at least one position in (…, S, D), to attend to."""
    if x.shape[-2] == 0:
        raise ValueError(f"{name} has shape {tuple(x.shape)}: no key to attend to; pass at least one")


def check_value(query: Tensor, key: Tensor, value: Tensor) -> None:
    """Require a value (…, S, Dv) for each key, with leading axes that broadcast with theirs and the queries'."""
    check_tensor("value", value, min_dims=2)
    check_alike("key", key, "value", value)
    if key.shape[-2] != value.shape[-2]:
        raise ValueError(
            f"the number of keys is {key.shape[-2]}, the number of values is {value.shape[-2]}; pass one value for "
            "each key"
        )
    for name, x in (("key", key), ("query", query)):
        check_leading_axes(name, x.shape[:-2], "value", value.shape[:-2])


def check_batch(**tensors: Tensor) -> None:
    """Require tensors of equally many sequences, the size of the first axis."""
    sizes = {name: x.shape[0] for name, x in tensors.items()}
    first, *others = sizes.values()
    if any(size != first for size in others):
        held = ", ".join(f"{name} holds {size} sequences" for name, size in sizes.items())
        raise ValueError(f"{held}; pass as many of each")


def check_leading_axes(name_a: str, a: torch.Size, name_b: str, b: torch.Size) -> None:
    """Require leading (batch) axes that are equal or broadcast."""
    if a == b:
        return
    try:
        torch.broadcast_shapes(a, b)
    except RuntimeError:
        raise ValueError(
            f"the leading (batch) axes of {name_a} are {tuple(a)}, those of {name_b} {tuple(b)}; make them equal, or "
            "such that they broadcast"
        ) from None
