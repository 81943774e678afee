"""Seeds and devices: what a run needs to be the same run tomorrow."""

import os
import random

import numpy as np
import torch
from torch import nn

__all__ = ["seed_everything", "best_device", "device_of"]


def seed_everything(seed: int) -> torch.Generator:
    """Seed Python's, NumPy's and PyTorch's random numbers, and return a separate generator.

    Args:
        seed: an integer from 0 to 2**32 − 1 (NumPy's range, the narrowest of the three).

    Returns:
        A CPU `torch.Generator` seeded alike, for calls that should not depend on what ran before them.

    Raises:
        TypeError: `seed` is not an integer.
        ValueError: it is out of range.
    """
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise TypeError(f"seed must be an integer, got {type(seed).__name__}")
    if not 0 <= seed < 2**32:
        raise ValueError(f"seed must be between 0 and 2**32 - 1, got {seed}")
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 — libraries still read the global state
    torch.manual_seed(seed)
    return torch.Generator().manual_seed(seed)


def best_device() -> torch.device:
    """The device to compute on: CUDA if there is one, else Apple's MPS, else the CPU.

    The environment variable `ATTNBOOK_DEVICE` (cpu, cuda, cuda:1, mps …) overrides the choice; the tests set it to
    cpu, so that the numbers stored in the notebooks compare.

    Returns:
        A `torch.device`.

    Raises:
        ValueError: `ATTNBOOK_DEVICE` names no device, or one that this machine does not have.
    """
    wanted = os.environ.get("ATTNBOOK_DEVICE", "").strip()
    if not wanted:
        if torch.cuda.is_available():
            return torch.device("cuda")
        if torch.backends.mps.is_available():
            return torch.device("mps")
        return torch.device("cpu")
    try:
        device = torch.device(wanted)
        if device.type == "meta":
            raise RuntimeError("meta tensors hold no numbers")
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise ValueError(
            f"ATTNBOOK_DEVICE is {wanted!r}, which this machine cannot use ({str(error).splitlines()[0]}); "
            "unset it, or set it to cpu"
        ) from None
    return device


def device_of(model: nn.Module) -> torch.device:
    """Where a model's parameters are; the CPU if it has none.

    Args:
        model: the model.

    Returns:
        A `torch.device`.
    """
    return next((p.device for p in model.parameters()), torch.device("cpu"))
