"""What all conversions need."""

from collections.abc import Iterable
from copy import deepcopy
from typing import Any

import torch
from torch import nn

from attnbook.checks import check_own_weights

PARTS = (nn.Linear, nn.LayerNorm, nn.Embedding)
MERGE = "; merge adapters into the weights before copying, and put back other parts"


def check_kind(layer: object, kind: type, called: str = "", advice: str = "") -> None:
    """Require a layer that computes what the class does that a conversion is for.

    Args:
        layer: what came.
        kind: its class; one below it may differ in how it is made, but not in what it does.
        called: what readers call the class, where that is more than its name.
        advice: what to do.

    Raises:
        TypeError: another class, or one below it with methods of its own, or weights that a hook makes.
    """
    came = type(layer).__name__
    if came == (called or kind.__name__) and type(layer) is not kind:
        came = f"{type(layer).__module__}.{came}"
    expected = f"expected a {called or kind.__name__}, got {came}"
    if not isinstance(layer, kind):
        raise TypeError(expected + advice)
    line = type(layer).__mro__
    own = [name for below in line[: line.index(kind)] for name in vars(below)]
    for name in own:
        if not name.startswith("__") and callable(getattr(kind, name, None)):
            raise TypeError(f"{expected}, whose {name}() is its own{advice}")
    if isinstance(layer, nn.Module):
        check_own_weights(f"the {came}", layer)


def check_parts(model: Any, kind: type[nn.Module], num_layers: int) -> None:
    """Require parts of the classes that a model of transformers is made of: one put in computes its own.

    Args:
        model: with its `config`.
        kind: its class.
        num_layers: how many it has.

    Raises:
        TypeError: a part of another class, such as an adapter or another activation.
    """
    config = deepcopy(model.config)
    config.num_hidden_layers = num_layers
    with torch.device("meta"):
        parts = dict(kind(config).named_modules())
    for name, part in model.named_modules():
        if name in parts:
            check_kind(part, type(parts[name]), advice=MERGE)


def _check_part(part: object, kind: type) -> None:
    check_kind(part, kind, advice=MERGE)


def copy_into(target: nn.Module, source: nn.Module) -> None:
    """Give a linear map, a norm or an embedding the weights of another.

    Raises:
        TypeError: the source is of another kind, such as a map with an adapter around it.
        ValueError: it lacks a weight or a bias.
    """
    _check_part(source, next(kind for kind in PARTS if isinstance(target, kind)))
    weights = {name: getattr(source, name) for name, _ in target.named_parameters()}
    for name, weight in weights.items():
        if weight is None:
            raise ValueError(
                f"a {type(source).__name__} without {name} has no counterpart; make the layer with it"
            )
    target.load_state_dict(weights)
    if isinstance(target, nn.LayerNorm) and isinstance(source, nn.LayerNorm):
        target.eps = source.eps


@torch.no_grad()
def stack_into(target: nn.Linear, sources: Iterable[nn.Linear]) -> None:
    """Give a linear map the weights, and the biases, of several, one below the other.

    Raises:
        TypeError: one of them is not a linear map, or has an adapter around it.
    """
    sources = list(sources)
    for source in sources:
        _check_part(source, nn.Linear)
    target.weight.copy_(torch.cat([source.weight for source in sources]))
    if target.bias is not None:
        target.bias.copy_(torch.cat([source.bias for source in sources]))
