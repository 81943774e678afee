"""A weight matrix as bytes: every row has one scale, and a weight is a whole number from −127 to 127 times it."""

import base64

import numpy as np
import torch
from torch import Tensor


def packed(name: str, weight: Tensor) -> dict:
    """One parameter for the file: a matrix as bytes and a scale a row, anything else as float32."""
    weight = weight.detach().float().cpu()
    if not torch.isfinite(weight).all():
        raise ValueError(f"{name} is not finite everywhere; training has diverged")
    if weight.dim() != 2 or len(weight) == 1:  # biases, norms, w_v: few and dear
        return {"shape": list(weight.shape), "floats": coded(weight.numpy())}
    scale = weight.abs().amax(1, keepdim=True) / 127  # (rows, 1)
    # Rounded up to 17 significant bits: then 127 · scale is exact, and a second rounding finds the same scale.
    bits = scale.view(torch.int32)
    scale = ((bits + 127) & ~127).view(torch.float32)
    whole = torch.where(scale > 0, weight / scale, 0.0).round().to(torch.int8)
    return {
        "shape": list(weight.shape),
        "scales": coded(scale.numpy()),
        "bytes": coded(whole.numpy()),
    }


def coded(array: np.ndarray) -> str:
    """An array's bytes, little-endian, as base64."""
    little = array.astype(array.dtype.newbyteorder("<"))
    return base64.b64encode(little.tobytes()).decode("ascii")


def decoded(text: str, kind: str) -> Tensor:
    """What `coded` has written, as a row of numbers."""
    data = np.frombuffer(base64.b64decode(text, validate=True), dtype=kind)
    return torch.from_numpy(data.astype(data.dtype.newbyteorder("=")))


def restored(entry: dict) -> Tensor:
    """The parameter that `packed` has stored."""
    shape = entry["shape"]
    if "floats" in entry:
        return decoded(entry["floats"], "<f4").reshape(shape)
    whole = decoded(entry["bytes"], "i1").reshape(shape)
    return whole.float() * decoded(entry["scales"], "<f4").reshape(-1, 1)
