"""Errors: what a name says that PyTorch has and this stand-in has not, and PyTorch's own words for mistakes."""

import builtins
import functools
import os


class NotInThePage(AttributeError):
    """Something of PyTorch that the stand-in lacks; no mistake of the reader's."""

    def __init__(self, what: str):
        super().__init__(
            f"torch.{what} is not available in the page: here torch is a small stand-in on the CPU. In a notebook with "
            "PyTorch the same line works."
        )


@functools.cache
def _rows(file: str, bar: str) -> dict[str, str]:
    with open(os.path.join(os.path.dirname(__file__), file), encoding="utf-8") as lines:
        return dict(line.rstrip().split(bar, 1) for line in lines if bar in line)


def absent(owner: str, name: str, thing: object, kind: str) -> AttributeError:
    """The error for a name that `owner` (``""``, ``"nn."``, ``"Tensor."``) lacks: missing here, or missing everywhere.

    Python adds to the latter the nearest name that `thing` has. names.txt holds what PyTorch offers besides.
    """
    if not name.startswith("_") and name in _rows("names.txt", ":").get(owner, "").split():
        return NotInThePage(f"{owner}{name}")
    return AttributeError(f"{kind} has no attribute '{name}'", name=name, obj=thing)


def missing_from(module):
    """The `__getattr__` of a module of the stand-in."""
    path = module.__name__.rpartition("torch")[2]  # ".nn.functional"

    def __getattr__(name):
        raise absent(f"{path[1:]}." if path else "", name, module, f"module 'torch{path}'")

    return __getattr__


def error(key: str, *facts: object) -> Exception:
    """The error with this key, from errors.txt, which holds its type and PyTorch's words."""
    kind, _, text = _rows("errors.txt", " | ")[key].partition(": ")
    return getattr(builtins, kind)(text.replace("\\n", "\n").format(*facts))


def require(holds: object, key: str, *facts: object):
    """Raise the error with this key unless something holds."""
    if not holds:
        raise error(key, *facts)
