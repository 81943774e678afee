"""Modes that look on at every operation."""

from .._operations import MODES


class TorchDispatchMode:
    """While it is active, operations go through its `__torch_dispatch__`."""

    def __enter__(self):
        MODES.append(self)
        return self

    def __exit__(self, *error):
        MODES.remove(self)
