"""What a name says that PyTorch has and this stand-in has not."""

import functools
from pathlib import Path


class NotInThePage(AttributeError):
    """Something of PyTorch that the stand-in lacks; no mistake of the reader's."""

    def __init__(self, what: str):
        super().__init__(
            f"torch.{what} is not available in the page: here torch is a small stand-in on the CPU. In a notebook with "
            "PyTorch the same line works."
        )


def absent(owner: str, name: str, thing: object, kind: str) -> AttributeError:
    """The error for a name that `owner` (``""``, ``"nn."``, ``"Tensor."``) lacks: missing here, or missing everywhere.

    Python adds to the latter the nearest name that `thing` has.
    """
    if not name.startswith("_") and f"{owner}{name}" in _names():
        return NotInThePage(f"{owner}{name}")
    return AttributeError(f"{kind} has no attribute '{name}'", name=name, obj=thing)


def missing_from(module: str, thing: dict):
    """The `__getattr__` of a module of the stand-in, ``"torch.nn"``."""
    owner = "".join(f"{part}." for part in module.split(".")[1:])

    def __getattr__(name):
        import sys

        raise absent(owner, name, sys.modules.get(thing["__name__"]), f"module '{module}'")

    return __getattr__


@functools.cache
def _errors() -> dict[str, str]:
    rows = Path(__file__).with_name("errors.txt").read_text("utf-8").splitlines()
    return {key: text.replace("\\n", "\n") for key, bar, text in (row.partition(" | ") for row in rows) if bar}


def words(key: str, *facts: object) -> str:
    """An error's message, from errors.txt."""
    return _errors()[key].format(*facts)


def _names() -> set:
    """What PyTorch offers besides, as ``"trapezoid"``, ``"nn.LSTM"``, ``"Tensor.cholesky"``."""
    lines = Path(__file__).with_name("names.txt").read_text("utf-8").splitlines()
    return {owner + name for owner, _, names in (line.partition(":") for line in lines) for name in names.split()}
