"""Weights as they are stored, in 32, 16 or 8 bits, and the files that hold them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

#: Where the book's own files are.
FOLDER = Path(__file__).parent
SCALES = ".scales"


def to_int8(
    weights: Mapping[str, Tensor], block: int | None = None
) -> dict[str, Tensor]:
    """Round matrices to eight bits: a weight is a whole number from −127 to 127 times its scale.

    Args:
        weights: by name.
        block: how many neighbours in a row share a scale; by default all of them.

    Returns:
        What a file stores: for a matrix the int8 tensor, and its scales under ``name.scales``, (rows,) in float32 or,
        in blocks, (rows, columns / block) in float16; vectors and matrices of a single row as float32, since they are
        few and dear. Rounding again changes nothing, but for blocks of weights below 0.008.

    Raises:
        ValueError: a weight that is not finite, or rows that blocks do not divide.
    """
    stored = {}
    for name, given in weights.items():
        weight = given.detach().float().cpu()
        if not torch.isfinite(weight).all():
            raise ValueError(
                f"{name} is not finite everywhere; training has diverged, lower its learning rate"
            )
        if weight.dim() != 2 or len(weight) == 1:
            stored[name] = weight
            continue
        rows, columns = weight.shape
        if columns % (block or columns):
            raise ValueError(
                f"{name} has {columns} columns, which blocks of {block} do not divide"
            )
        blocks = weight.view(rows, -1, block or columns)  # (rows, blocks, block)
        scale = blocks.abs().amax(-1) / 127  # (rows, blocks)
        if block:
            scale = scale.half()
        else:
            # Rounded up to 17 significant bits: then 127 · scale is exact, and a second rounding finds the same scale.
            scale = ((scale.view(torch.int32) + 127) & ~127).view(torch.float32)[:, 0]
        steps = scale.float().view(rows, -1, 1)
        whole = torch.where(steps > 0, blocks / steps, 0.0).round().clamp(-127, 127)
        stored[name] = whole.to(torch.int8).view(rows, columns)
        stored[name + SCALES] = scale
    return stored


def to_half(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Round weights to half precision.

    Args:
        weights: by name.

    Returns:
        float16 tensors by name.

    Raises:
        ValueError: a weight that is not finite, or beyond ±65504, where half precision ends.
    """
    halves = {name: weight.detach().half().cpu() for name, weight in weights.items()}
    for name, half in halves.items():
        if not half.isfinite().all():
            raise ValueError(
                f"{name} is not finite everywhere in half precision, which ends at 65504; store it by to_int8"
            )
    return halves


def to_float(stored: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The weights that a file stores.

    Args:
        stored: from `to_int8` or `to_half`, or as read.

    Returns:
        float32 tensors by name.

    Raises:
        LookupError: int8 without its scales.
        RuntimeError: scales whose number does not fit.
    """
    weights = {}
    for name, tensor in stored.items():
        if not name.endswith(SCALES):
            weights[name] = tensor.float()
            if tensor.dtype == torch.int8:
                scales = stored[name + SCALES].float()
                count = scales[:1].numel()  # in a row
                blocks = weights[name].unflatten(1, (count, -1))
                weights[name] = (blocks * scales.reshape(-1, count, 1)).flatten(1)
    return weights


def weights_file(stored: Mapping[str, Tensor], about: dict) -> bytes:
    """The content of a file of weights.

    Args:
        stored: tensors by name, from `to_int8` or `to_half`, or of whole numbers.
        about: what the file says of itself; anything that JSON can hold.

    Returns:
        Its bytes, the same for the same arguments.
    """
    text = json.dumps(about, ensure_ascii=False, separators=(",", ":"))
    tensors = {name: tensor.contiguous() for name, tensor in stored.items()}
    return save(tensors, {"about": text})


def read_weights(path: str | Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Read a file of weights.

    Args:
        path: the file.

    Returns:
        float32 tensors by name, on the CPU; and what the file says of itself.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is no such file, or damaged.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    try:
        with safe_open(path, "pt") as file:
            about = json.loads((file.metadata() or {})["about"])
            stored = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        if not isinstance(about, dict):
            raise TypeError(f"about is {about!r:.40}")
        return to_float(stored), about
    except (
        SafetensorError,
        LookupError,
        TypeError,
        ValueError,
        RuntimeError,
    ) as error:
        raise ValueError(
            f"{path.name} is no file of weights as this book writes them, or a damaged one "
            f"({type(error).__name__}: {error}); an earlier version wrote JSON: make such a file anew"
        ) from error
