"""The viewer's picture, drawn without a browser: for readers without JavaScript, and for `save("….svg")`."""

import base64
import html
import io
from collections.abc import Iterator
from typing import Any

import numpy as np

from .packing import part_of, unpack

WIDTH, OVERVIEW, LONGEST = 720, 260, 14
RAMP = np.array([[255, 255, 255], [185, 181, 232], [75, 63, 168]])  # as in the figures
NOT_KEPT = (230, 233, 239, 255)
QUERY, KEY, INK, LINE, ACCENT = "#0072B2", "#b34e00", "#1f2430", "#c9cfd9", "#4B3FA8"


def page_of(t: int, count: int, window: int) -> range:
    """The range of `window` tokens that token t is on; as `pageOf` in figure.js."""
    start = min(t // window * window, max(0, count - window))
    return range(start, min(count, start + window))


def draw_heads(
    kind: dict[str, Any],
    window: int,
    root: bool,
    layer: int,
    head: int,
    query: int,
    key: int,
) -> str:
    """Draws the overview of a kind and one head around a query and a key.

    Args:
        kind: a kind as the viewer packs it.
        window: how many tokens are shown.
        root: whether shades are square roots of weights.
        layer, head: counted from 1.
        query, key: positions.

    Returns:
        SVG text.
    """
    queries, keys = kind["queries"], kind["keys"] or kind["queries"]
    rows = page_of(query, len(queries), window)
    columns = page_of(key, len(keys), window)
    layers, heads = len(kind["heads"]), len(kind["heads"][0])
    tile = min(84, OVERVIEW / heads)
    side, above = (
        12 + 7.2 * max(len(_cut(labels[t])) for t in where)
        for labels, where in ((queries, rows), (keys, columns))
    )
    left, top = heads * tile + 50 + side, 52 + above
    cell = min(30, (WIDTH - left - 12) / len(columns))
    wide, high = cell * len(columns), cell * len(rows)
    height = max(64 + layers * tile, top + high) + 16
    packed = kind["heads"][layer - 1][head - 1]
    part = part_of(packed, (len(queries), len(keys)), kind["kept"], rows, columns)
    title = f"Layer {layer}, head {head}: queries down, keys across"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" '
        'font-family="system-ui,sans-serif" font-size="12.5">',
        '<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        '<path d="M0 0V6" stroke="#999999" stroke-width="2.4"/></pattern>',
        f'<rect width="{WIDTH}" height="{height:.0f}" rx="12" fill="#ffffff"/>',
        _text(16, 28, "All heads", weight=650, size=14),
        _text(left - side, 28, title, weight=650, size=14),
        _image(_overview(kind, root), 24, 52, heads * tile, layers * tile),
        _frame(24 + (head - 1) * tile, 52 + (layer - 1) * tile, tile, tile, ACCENT),
        _image(_shaded(part, root), left, top, wide, high),
        _frame(left, top, wide, high, LINE),
        _frame(left, top + (query - rows.start) * cell, wide, cell, QUERY),
        _frame(left + (key - columns.start) * cell, top, cell, high, KEY),
    ]
    for h in range(heads):
        if tile > 16 or h == head - 1:
            parts.append(_text(24 + (h + 0.5) * tile, 46, h + 1, anchor="middle"))
    for l in range(layers):
        if tile > 16 or l == layer - 1:
            parts.append(_text(20, 56 + (l + 0.5) * tile, l + 1, anchor="end"))
    for t, middle, look in _labelled(rows, query, cell, QUERY):
        text = _cut(queries[t])
        parts.append(_text(left - 6, top + middle, text, anchor="end", **look))
    for t, middle, look in _labelled(columns, key, cell, KEY):
        parts.append(_text(left + middle, top - 6, _cut(keys[t]), turned=True, **look))
    return "".join([*parts, "</svg>\n"])


def _labelled(
    where: range, chosen: int, cell: float, colour: str
) -> Iterator[tuple[int, float, dict[str, Any]]]:
    """Position, place and look of the labels along an axis: 12 pixels apart at least, the chosen one among them."""
    step = int(np.ceil(12 / cell))
    for i, t in enumerate(where):
        if t == chosen:
            yield t, (i + 0.5) * cell + 4, {"weight": 700, "colour": colour}
        elif i % step == 0 and abs(t - chosen) >= step:
            yield t, (i + 0.5) * cell + 4, {}


def as_image(svg: str) -> str:
    """The data URI of a picture."""
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode('ascii')}"


def _cut(label: str) -> str:
    return label if len(label) <= LONGEST else f"{label[: LONGEST - 1]}…"


def _text(
    x: float,
    y: float,
    text: object,
    anchor: str = "start",
    weight: int = 450,
    size: float = 12.5,
    colour: str = INK,
    turned: bool = False,
) -> str:
    turn = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if turned else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}" font-size="{size}" '
        f'fill="{colour}"{turn}>{html.escape(str(text))}</text>'
    )


def _frame(x: float, y: float, width: float, height: float, colour: str) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="none" stroke="{colour}" '
        'stroke-width="2"/>'
    )


def _shaded(weights: np.ndarray, root: bool) -> np.ndarray:
    known = np.nan_to_num(weights).clip(0, 1)
    place = 2 * (np.sqrt(known) if root else known)
    low = np.minimum(place.astype(int), 1)
    pixels = np.full((*weights.shape, 4), 255.0)
    pixels[..., :3] = RAMP[low] + (RAMP[low + 1] - RAMP[low]) * (place - low)[..., None]
    pixels[weights == -1] = NOT_KEPT
    pixels[np.isnan(weights)] = 0  # transparent: the hatching below shows through
    return pixels.round().astype("u1")


def _overview(kind: dict[str, Any], root: bool) -> np.ndarray:
    rows, columns = kind["thumb"]
    square = -(-48 // max(rows, columns))  # as in images.js
    lines = []
    for layer in kind["heads"]:
        line = []
        for head in layer:
            codes = unpack(head["thumb"], "u1", rows, columns).astype("f4")
            weights = np.where(codes == 255, np.nan, (codes / 254) ** 2)
            tile = _shaded(weights, root).repeat(square, axis=0).repeat(square, axis=1)
            edge = ((0, 2), (0, 2), (0, 0))
            line.append(np.pad(tile, edge, constant_values=205))
        lines.append(np.concatenate(line, axis=1))
    return np.concatenate(lines)


def _image(pixels: np.ndarray, x: float, y: float, width: float, height: float) -> str:
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG", optimize=True)
    data = base64.b64encode(file.getvalue()).decode("ascii")
    place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
    return (
        f'<rect {place} fill="url(#hatch)"/><image {place} preserveAspectRatio="none" '
        f'style="image-rendering:pixelated" href="data:image/png;base64,{data}"/>'
    )
