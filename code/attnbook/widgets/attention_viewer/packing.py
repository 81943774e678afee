"""Weights packed for the browser: all of them if they fit, or else the largest of each row and column.

All numbers are little-endian and travel as base64. A weight is a float16: three digits from 6·10⁻⁵ on, fewer below,
where its steps are 6·10⁻⁸. Maps for looking at whole heads hold one byte for each cell: 254·√(w/scale) of the largest
weight w in it; where a head has negative weights, 127 ± 127·√(|w|/scale) of the one that is farthest from 0; 255 if all
of them are NaN.
"""

import base64
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import adaptive_max_pool2d

THUMB, MAP = (64, 128)  # cells on a side, at most: of a head in the overview, and of a long head's map
MOST = 64  # of a row or a column
LARGEST = 65504  # of a float16
TOLERANCE = 0.02  # how far the sum of a row may be from 1: weights in bfloat16 have less than three digits


def plan(shape: Sequence[int], heads: int, megabytes: float) -> dict[str, Any]:
    """Decide how much of each head is kept.

    Args:
        shape: (T, S), queries and keys of a head.
        heads: how many heads the viewer has altogether.
        megabytes: how long their texts may be together, in millions of characters.

    Returns:
        dict: thumb and map, the numbers of their cells [down, across] (map is None where the thumb is as fine); kept,
        how many weights of each row and column, or None for all weights.

    Raises:
        ValueError: not even the largest weight of each row and column would fit.
    """
    T, S = shape
    small, large = ([min(T, THUMB), min(S, THUMB)], [min(T, MAP), min(S, MAP)] if max(shape) > THUMB else None)
    overview = small[0] * small[1] + (large[0] * large[1] if large else 0)
    room = megabytes * 1e6 * 3 / 4 / heads - overview  # base64 writes 3 bytes as 4
    kept = None
    if room < 2 * T * S:
        kept = min(MOST, T, S, int((room - 2 * (T + S)) // (4 * (T + S))))
        if kept < 1:
            least = (overview + 6 * (T + S)) * heads * 4 / 3e6
            raise ValueError(
                f"{heads} heads of {T} queries and {S} keys need megabytes={least + 1:.0f} or more, got {megabytes}"
            )
    return {"thumb": small, "map": large, "kept": kept}


def pack_head(
    weights: Tensor, thumb: list[int], map: list[int] | None, kept: int | None, name: str = ""
) -> dict[str, Any]:
    """Pack one head.

    Args:
        weights: (T, S) tensor.
        thumb, map, kept: as in `plan`.
        name: of the head, for the message.

    Returns:
        dict. For reading the maps: top, the largest weight or size of a negative one; scale, the power of 4 that is
        next to it; signed, whether there are negative weights. Texts: thumb, map if there is one, and either all (T·S
        weights) or rows and columns (indices, as uint16, of the largest weights, then these weights) and row_sums,
        column_sums. And `unusual`: numbers of rows that do not sum to 1, their smallest and largest sum, and the
        number of rows with a NaN.

    Raises:
        ValueError: a weight is infinite, or too large for a float16.
    """
    w = weights.float()
    sums = w.sum(dim=1)
    known, opposite = w, -w
    if sums.isnan().any():
        known, opposite = (table.nan_to_num(-torch.inf, torch.inf, -torch.inf) for table in (known, opposite))
    top, least = max(0.0, float(known.max())), -float(opposite.max())
    if max(top, -least) > LARGEST or sums.isinf().any():
        raise ValueError(f"{name}some weights are infinite, or very large: these look like scores; pass their softmax")
    signed, top = least < 0, max(top, -least)
    scale = 4.0 ** math.ceil(math.log(top, 4)) if top else 1.0
    packed: dict[str, Any] = {"unusual": _unusual(sums), "top": top, "scale": scale, "signed": signed}
    both = (known, opposite) if signed else (known,)
    for size, role in ((map, "map"), (thumb, "thumb")):
        if size:
            largest = [adaptive_max_pool2d(table[None] / scale, size)[0] for table in both]
            packed[role] = _codes(*largest)
    if kept is None:
        return packed | {"all": _text(w, "<f2")}
    sizes = torch.maximum(known, opposite) if signed else known
    for axis, by, table in (("rows", sizes, known), ("columns", sizes.T, known.T)):
        index = by.topk(kept, dim=1).indices
        packed[axis] = [_text(index, "<u2"), _text(table.gather(1, index), "<f2")]
    columns = w[~sums.isnan()].sum(dim=0)
    return packed | {"row_sums": _text(sums, "<f2"), "column_sums": _text(columns, "<f2")}


def _unusual(sums: Tensor) -> list[float]:
    there = sums[~sums.isnan()]
    off = there[(there - 1).abs() > TOLERANCE]
    ends = [round(float(x), 2) for x in (off.min(), off.max())] if len(off) else [1, 1]
    return [len(off), *ends, len(sums) - len(there)]


def _codes(largest: Tensor, opposite: Tensor | None = None) -> str:
    codes = (254 * largest.clamp(min=0).sqrt()).round()
    if opposite is not None:
        sizes = torch.where(largest < opposite, -opposite, largest)
        codes = (127 + 127 * sizes.sign() * sizes.abs().sqrt()).round()
    return _text(torch.where(largest == -torch.inf, 255.0, codes), "u1")


def read_map(head: dict[str, Any], role: str, size: list[int]) -> np.ndarray:
    """Read a map of a packed head.

    Args:
        head: what `pack_head` returned.
        role: "thumb" or "map".
        size: its numbers of cells [down, across].

    Returns:
        float32 array of weights, NaN where all of a cell are.
    """
    codes = unpack(head[role], "u1", *size).astype("f4")
    places = codes / 127 - 1 if head["signed"] else codes / 254
    weights = head["scale"] * np.sign(places) * places**2
    return np.where(codes == 255, np.float32(np.nan), weights)


def _text(tensor: Tensor, dtype: str) -> str:
    with np.errstate(over="ignore"):
        data = tensor.cpu().numpy().astype(dtype)
    return base64.b64encode(data.tobytes()).decode("ascii")


def unpack(text: str, dtype: str, *shape: int) -> np.ndarray:
    """The array that a packed text holds."""
    return np.frombuffer(base64.b64decode(text), dtype).reshape(shape)


def part_of(head: dict[str, Any], shape: tuple[int, int], kept: int | None, rows: range, columns: range) -> np.ndarray:
    """Read a part of a packed head.

    Args:
        head: what `pack_head` returned.
        shape: (T, S).
        kept: as in `plan`.
        rows, columns: ranges.

    Returns:
        float32 array (len(rows), len(columns)); NaN as it was. If not all weights were kept, a masked one, its mask
        True where the weight was not.
    """
    T, S = shape
    if kept is None:
        whole = unpack(head["all"], "<f2", T, S)
        return whole[rows.start : rows.stop, columns.start : columns.stop].astype("f4")
    part = np.ma.masked_all((T, S), "f4")
    part.data[...] = 0
    for name, n in (("columns", S), ("rows", T)):
        index, values = (unpack(head[name][i], dtype, n, kept) for i, dtype in enumerate(("<u2", "<f2")))
        view = part.T if name == "columns" else part
        lines, places = np.nonzero(np.isfinite(values))
        view[lines, index[lines, places]] = values[lines, places]
    part[np.isnan(unpack(head["row_sums"], "<f2", T))] = np.nan
    return part[rows.start : rows.stop, columns.start : columns.stop]
