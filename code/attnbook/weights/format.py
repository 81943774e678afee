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


def to_int8(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Round matrices to eight bits: every row has one scale, and a weight is a whole number from −127 to 127 times it.

    Args:
        weights: by name.

    Returns:
        What a file stores: for a matrix the int8 tensor, and its scales (rows,) under ``name.scales``; vectors
        and matrices of a single row as float32, since they are few and dear. Rounding again changes nothing.

    Raises:
        ValueError: a weight that is not finite.
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
        scale = weight.abs().amax(1, keepdim=True) / 127  # (rows, 1)
        # Rounded up to 17 significant bits: then 127 · scale is exact, and a second rounding finds the same scale.
        bits = scale.view(torch.int32)
        scale = ((bits + 127) & ~127).view(torch.float32)
        whole = torch.where(scale > 0, weight / scale, 0.0).round()
        stored[name] = whole.to(torch.int8)
        stored[name + SCALES] = scale[:, 0]
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
        RuntimeError: scales of another number than the rows.
    """
    weights = {}
    for name, tensor in stored.items():
        if not name.endswith(SCALES):
            weights[name] = tensor.float()
            if tensor.dtype == torch.int8:
                weights[name] *= stored[name + SCALES].reshape(-1, 1)
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
