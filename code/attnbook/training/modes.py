"""A model's mode, changed for a moment."""

from collections.abc import Iterator
from contextlib import contextmanager

from torch import nn


@contextmanager
def evaluating(model: nn.Module) -> Iterator[nn.Module]:
    """Put a model into evaluation mode, and afterwards, errors or not, every part of it back into its own.

    Args:
        model: the model.

    Yields:
        The same model.
    """
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        yield model
    finally:
        for module, training in modes:
            module.training = training
