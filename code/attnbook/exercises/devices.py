"""A rehearsal on a second device, for machines that have none.

The arguments are wrapped so that they say `device('meta')` while their numbers stay on the CPU. Every
operation is watched: if it mixes a wrapped tensor with one that the function made on the CPU, a real
accelerator would refuse, and so does the rehearsal.
"""

import contextlib
import io
import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only

from .language import say

ELSEWHERE = torch.device("meta")
# operations in which torch allows tensors from the CPU: indices, masks, what is copied
INDEXING = {"index", "index_put", "_index_put_impl", "copy", "_to_copy"}


class WrongDevice(RuntimeError):
    """Tensors of two devices met in one operation."""


class Elsewhere(torch.Tensor):
    """A tensor that says it is on another device; its numbers are in `held`."""

    @staticmethod
    def __new__(cls, held: torch.Tensor):
        return torch.Tensor._make_wrapper_subclass(
            cls, held.shape, strides=held.stride(), dtype=held.dtype, device=ELSEWHERE
        )

    def __init__(self, held: torch.Tensor) -> None:
        self.held = held

    def tolist(self) -> Any:
        return self.held.tolist()

    @classmethod
    def __torch_dispatch__(cls, func: Callable, types: tuple, args: tuple = (), kwargs: dict | None = None) -> Any:
        return _run(func, args, kwargs or {})


class Watch(TorchDispatchMode):
    """A mode that looks on at every operation."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # else torch would load its compiler first, which takes seconds and is not needed here


class _Rehearsal(Watch):
    def __torch_dispatch__(self, func: Callable, types: tuple, args: tuple = (), kwargs: dict | None = None) -> Any:
        return _run(func, args, kwargs or {})


def _run(func: Callable, args: tuple, kwargs: dict) -> Any:
    tensors = [x for x in tree_leaves((args, kwargs)) if isinstance(x, torch.Tensor)]
    away = [x for x in tensors if isinstance(x, Elsewhere)]
    device = kwargs.get("device")
    if away and func.overloadpacket.__name__.rstrip("_") not in INDEXING:
        for x in tensors:
            if not isinstance(x, Elsewhere) and x.dim() > 0:
                raise WrongDevice(say("a tensor of shape {shape} on the CPU meets the arguments", shape=tuple(x.shape)))
    lands_away = bool(away) if device is None else torch.device(device).type == ELSEWHERE.type
    if device is not None:
        kwargs = {**kwargs, "device": torch.device("cpu")}
    plain_args, plain_kwargs = tree_map_only(Elsewhere, lambda x: x.held, (args, kwargs))
    result = func(*plain_args, **plain_kwargs)
    if func._schema.is_mutable:  # an in-place operation hands back the tensor that it wrote into
        return args[0] if args and isinstance(args[0], torch.Tensor) else result
    return tree_map_only(torch.Tensor, Elsewhere, result) if lands_away else result


def on_another_device(fn: Callable, arguments: tuple) -> Any:
    """Call a function with its tensors on a second device, in rehearsal."""
    given = tuple(Elsewhere(a.clone()) if isinstance(a, torch.Tensor) else a for a in arguments)
    with torch.no_grad(), _Rehearsal(), warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        return fn(*given)
