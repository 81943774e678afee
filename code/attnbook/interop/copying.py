"""What all conversions need."""

from torch import nn


def copy_into(target: nn.Module, source: nn.Module) -> None:
    """Give a module the weights of another of the same kind."""
    target.load_state_dict(source.state_dict())


def check_kind(layer: nn.Module, kind: type) -> None:
    """Require a layer of the class that a conversion is for."""
    if not isinstance(layer, kind):
        raise TypeError(f"expected a {kind.__name__}, got {type(layer).__name__}")
