"""Whether a check can read values: there are none under `vmap`, while a program is traced, and on the meta device."""

import torch
from torch import Tensor


def is_traced() -> bool:
    """Whether a program is recorded, to be run later: compiled, exported, or traced."""
    recording = torch.jit.is_tracing()  # type: ignore[attr-defined]
    return recording or torch.compiler.is_compiling()


def has_values(tensor: Tensor) -> bool:
    """Whether a tensor's numbers can be read at all; where not, checks of values are skipped.

    They cannot on the meta device, in a fake tensor, in one of the slices that `torch.vmap` maps over, and while a
    program is compiled, exported or traced.
    """
    if tensor.is_meta or is_traced():
        return False
    try:
        bool(tensor.new_zeros(()))  # it is a zero, but it has to be read
    except RuntimeError:
        return False
    return True


def readable(tensor: Tensor) -> bool:
    """Whether a tensor's numbers can be read for free: they exist, and on the CPU.

    Reading a number from a GPU means waiting until it has finished all its work.
    """
    return tensor.device.type == "cpu" and has_values(tensor)
