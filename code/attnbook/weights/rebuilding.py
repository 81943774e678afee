"""Models that are built again from a file: what it states is checked before anything is made of it."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

LARGEST = 100_000_000  # no size is larger; whether the weights have it, `rebuilt` sees

Model = TypeVar("Model", bound=nn.Module)


def settings(kind: Callable[..., object], stored: Any, weights: Any) -> dict[str, Any]:
    """What a file states about a model's sizes, if it can be that.

    Args:
        kind: the config, or the model, that takes these settings; its annotations say of which type each is.
        stored: the settings by name, as read.
        weights: by name, as read; no model has more layers than weights.

    Returns:
        The settings, for `kind(**settings)`, which checks their ranges.

    Raises:
        TypeError, ValueError: a setting that there is not, one that is missing, or one of another type; the message
            names it.
    """
    named = isinstance(stored, dict) and all(type(name) is str for name in stored)
    if not named or not isinstance(weights, dict):
        raise TypeError("config and weights must be dicts by name")
    parameters = inspect.signature(kind).parameters
    kinds = get_type_hints(kind if is_dataclass(kind) else kind.__init__)
    if unknown := [name for name in stored if name not in parameters]:
        raise ValueError(f"{kind.__name__} has no setting {unknown[0][:40]!r}")
    for name, parameter in parameters.items():
        if name in stored:
            _check(name, stored[name], kinds[name])
        elif is_dataclass(kind) or parameter.default is parameter.empty:
            raise ValueError(f"the setting {name} is missing")
        number = kinds[name] is int and name.endswith("layers")
        if number and stored.get(name, 0) > len(weights):
            raise ValueError(
                f"{name} is {stored[name]}, with only {len(weights)} weights"
            )
    return stored


def _check(name: str, value: object, kind: Any) -> None:
    several = get_args(kind) if isinstance(kind, UnionType) else (kind,)
    kinds = [get_origin(one) or one for one in several]  # tuple, of tuple[int, ...]
    if type(value) not in kinds and not (float in kinds and type(value) is int):
        called = " or ".join(one.__name__ for one in kinds)
        raise TypeError(
            f"the setting {name} must be of type {called}, got {repr(value)[:40]}"
        )
    if isinstance(value, (int, float)) and not abs(value) <= LARGEST:  # NaN, too
        raise ValueError(f"the setting {name} is out of range: {repr(value)[:40]}")


class _Unfilled(TorchFunctionMode):
    """Passes over what fills a tensor: for those without memory PyTorch would first load its compiler, for a second."""

    def __torch_function__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        name = getattr(function, "__name__", "")
        if name.endswith("_") and not name.endswith("__"):
            return args[0] if args else None
        return function(*args, **(kwargs or {}))


def rebuilt(make: Callable[[], Model], weights: Mapping[str, Tensor]) -> Model:
    """A model with a file's weights, which takes no more memory than they do.

    Args:
        make: makes the model; it is called twice, first without memory.
        weights: by name, as read. One that the model shares between two places is there under its first name, and
            perhaps under the others.

    Returns:
        The model.

    Raises:
        TypeError: a weight that is no tensor of floats.
        ValueError: weights of other names, shapes or sizes than the model's, or not finite; the message names one.
    """
    with torch.device("meta"), _Unfilled():  # shapes without numbers
        planned = make()
    shapes = {name: weight.shape for name, weight in planned.state_dict().items()}
    every = dict(planned.named_parameters(remove_duplicate=False))
    own = dict(planned.named_parameters()).keys() | (shapes.keys() - every.keys())
    if absent := sorted(own - weights.keys()):
        raise ValueError(f"the weights lack {absent[0]}")
    if surplus := [name for name in weights if name not in shapes]:
        raise ValueError(f"the weights have {surplus[0]!r:.60}, the model has not")
    storages = {}
    for name, weight in weights.items():
        if not torch.is_tensor(weight) or weight.layout is not torch.strided:
            raise TypeError(f"the weight {name} is no tensor")
        if not weight.is_floating_point():
            raise TypeError(f"the weight {name} is of {weight.dtype}, not of floats")
        if weight.shape != shapes[name]:
            raise ValueError(
                f"the weight {name} has shape {tuple(weight.shape)}, the model's {tuple(shapes[name])}"
            )
        storage = weight.untyped_storage()
        storages[storage.data_ptr()] = storage.nbytes()
    # a file may say of a few numbers that they are many
    if sum(weights[n].numel() * weights[n].itemsize for n in own) > sum(
        storages.values()
    ):
        raise ValueError("the weights are larger than what is stored of them")
    for name, weight in weights.items():
        if not weight.isfinite().all():
            raise ValueError(f"the weight {name} is not finite everywhere")
    model = make()
    model.load_state_dict(weights, strict=False)
    return model
