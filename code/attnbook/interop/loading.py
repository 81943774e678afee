"""Bridges to other libraries: what the book's layers are compared with."""

import importlib
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any


@contextmanager
def _empty_torchvision() -> Iterator[None]:
    """Stand in for torchvision while d2l is imported, if the real one cannot be loaded.

    d2l 1.0.3 imports torchvision at its top, for chapters about pictures; the attention classes never touch it.
    """
    try:
        importlib.import_module("torchvision")
    except Exception:  # absent, or built for another torch: either way it cannot serve
        added: dict[str, Any] = {
            name: types.ModuleType(name)
            for name in ("torchvision", "torchvision.transforms")
        }
        added["torchvision"].transforms = added["torchvision.transforms"]
        sys.modules.update(added)
        try:
            yield
        finally:
            for name in added:
                sys.modules.pop(name, None)
    else:
        yield


def load_d2l() -> ModuleType:
    """Import `d2l.torch`, the code of Dive into Deep Learning.

    Returns:
        The module.

    Raises:
        ImportError: d2l is not installed; the message says how to install it.

    Source:
        Zhang et al. (2023), package d2l 1.0.3. Its weight names (W_q, W_k, w_v) are ours, so `load_state_dict` copies.
    """
    with _empty_torchvision():
        try:
            return importlib.import_module("d2l.torch")
        except ImportError as error:
            raise ImportError(
                f"d2l could not be imported ({error}); install it without its old pins: "
                "pip install --no-deps d2l==1.0.3, besides pandas, requests and scipy (make lab does both)"
            ) from error
