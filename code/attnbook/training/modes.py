"""A model's mode, changed for a moment, and its device."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
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


def device_of(model: nn.Module) -> torch.device:
    """Where a model's parameters are; the CPU if it has none.

    Args:
        model: the model.

    Returns:
        A `torch.device`.
    """
    return next((p.device for p in model.parameters()), torch.device("cpu"))
