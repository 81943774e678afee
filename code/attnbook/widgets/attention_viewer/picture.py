"""The viewer's picture, drawn without a browser: for readers without JavaScript, and for `save("….svg")`."""

import base64
import html
import io
import math
import unicodedata
from collections.abc import Iterator
from typing import Any

import numpy as np

from .packing import part_of, read_map

WIDTH, OVERVIEW, LONGEST = 720, 260, 14
SCALE, READABLE = 20, 18  # as in drawing.js; what both compute is in tests/javascript/viewer.json
RAMP = np.array([[255, 255, 255], [185, 181, 232], [75, 63, 168]])  # as in the figures
OCHRE = np.array([140, 98, 20])  # of negative weights
NOT_KEPT = (230, 233, 239, 255)
QUERY, KEY, INK, LINE, ACCENT = "#0072B2", "#b34e00", "#1f2430", "#c9cfd9", "#4B3FA8"


def page_of(t: int, count: int, window: int) -> range:
    """The range of `window` tokens that token t is on."""
    start = min(t // window * window, max(0, count - window))
    return range(start, min(count, start + window))


def draw_heads(kind: dict[str, Any], window: int, shade: str, layer: int, head: int, query: int, key: int) -> str:
    """Draw the overview of a kind and one head around a query and a key.

    Args:
        kind: a kind as the viewer packs it.
        window: how many tokens are shown.
        shade: what makes a cell dark, as the viewer's trait.
        layer, head: by the model's numbers.
        query, key: positions.

    Returns:
        SVG text.
    """
    queries, keys = kind["queries"], kind["keys"] or kind["queries"]
    rows = page_of(query, len(queries), window)
    columns = page_of(key, len(keys), window)
    layers, heads = len(kind["heads"]), len(kind["heads"][0])
    tile = min(84, OVERVIEW / heads)
    row, column = kind["layers"].index(layer), kind["head_numbers"].index(head)
    edge = max(24, 10 + 7.2 * _digits(kind["layers"]))
    side, above = (
        12 + 7.2 * max(_columns(_cut(labels[t])) for t in where) for labels, where in ((queries, rows), (keys, columns))
    )
    left, top = edge + heads * tile + 26 + side, 52 + above
    room = [min(30, (WIDTH - left - 12) / len(columns)), min(30, 760 / len(rows))]
    cell = across = down = min(room)
    if len(rows) < len(columns):
        down = max(cell, min(READABLE, room[1]))
    elif len(columns) < len(rows):
        across = max(cell, min(READABLE, room[0]))
    wide, high = across * len(columns), down * len(rows)
    height = max(64 + layers * tile, top + high) + 16 + SCALE
    packed = kind["heads"][row][column]
    part = part_of(packed, (len(queries), len(keys)), kind["kept"], rows, columns)
    causal = _is_causal(kind)
    if causal:
        part = _unmasked(part, rows.start, columns.start)
    every = [one for line in kind["heads"] for one in line]
    tops = [max(one["top"] for one in every), _top(part)]
    signed = any(one["signed"] for one in every)
    title = f"Layer {layer}, head {head}: queries down, keys across"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" '
        'font-family="system-ui,sans-serif" font-size="12.5">',
        '<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        '<path d="M0 0V6" stroke="#999999" stroke-width="2.4"/></pattern>',
        f'<rect width="{WIDTH}" height="{height:.0f}" rx="12" fill="#ffffff"/>',
        _text(16, 28, "All heads", weight=650, size=14),
        _text(left - side, 28, title, weight=650, size=14),
        _image(_overview(kind, causal, shade, tops[0], tile), edge, 52, heads * tile, layers * tile),
        _between(edge, 52, tile, layers, heads),
        _frame(edge + column * tile, 52 + row * tile, tile, tile, ACCENT),
        _scale(edge, 52 + layers * tile + 16, tops[0], shade, signed),
        _image(_shaded(part, shade, tops[1]), left, top, wide, high),
        _frame(left, top, wide, high, LINE),
        _frame(left, top + (query - rows.start) * down, wide, down, QUERY),
        _frame(left + (key - columns.start) * across, top, across, high, KEY),
        _scale(left, top + high + 16, tops[1], shade, packed["signed"]),
    ]
    numbers = kind["head_numbers"]
    for h in _far_apart(heads, column, (7.2 * _digits(numbers) + 4) / tile):
        x = edge + (h + 0.5) * tile
        parts.append(_text(x, 46, numbers[h], anchor="middle"))
    for l in _far_apart(layers, row, 14 / tile):
        y = 56 + (l + 0.5) * tile
        parts.append(_text(edge - 4, y, kind["layers"][l], anchor="end"))
    for t, middle, look in _labelled(rows, query, down, QUERY):
        text = _cut(queries[t])
        parts.append(_text(left - 6, top + middle, text, anchor="end", **look))
    for t, middle, look in _labelled(columns, key, across, KEY):
        parts.append(_text(left + middle, top - 6, _cut(keys[t]), turned=True, **look))
    return "".join([*parts, "</svg>\n"])


def _labelled(where: range, chosen: int, cell: float, colour: str) -> Iterator[tuple[int, float, dict[str, Any]]]:
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


def _columns(text: str) -> int:
    """The width of a text in letters, as in kit.js: a character of East Asia takes two, an accent none."""
    return sum(
        0 if unicodedata.category(letter) == "Mn" else 1 + (unicodedata.east_asian_width(letter) in "WF")
        for letter in text
    )


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


def _digits(numbers: list[int]) -> int:
    return len(str(max(numbers)))


def _far_apart(count: int, chosen: int, apart: float) -> Iterator[int]:
    """The places that are labelled: the chosen one, and the last if it fits."""
    step, last = max(1, math.ceil(apart)), count - 1
    for i in range(count):
        fits = i == last or (i % step == 0 and last - i >= step)
        if i == chosen or (abs(i - chosen) >= step and fits):
            yield i


def _top(part: np.ndarray) -> float:
    """The size of the weight that is farthest from 0."""
    there = np.ma.compressed(np.ma.masked_invalid(part))
    return float(np.abs(there).max(initial=0))


def _between(x: float, y: float, tile: float, layers: int, heads: int) -> str:
    down = "".join(f"M{x + h * tile:.1f} {y}v{layers * tile:.1f}" for h in range(heads + 1))
    across = "".join(f"M{x:.1f} {y + l * tile:.1f}h{heads * tile:.1f}" for l in range(layers + 1))
    return f'<path d="{down}{across}" stroke="{LINE}" stroke-width="{1 if tile < 20 else 1.5}"/>'


def _scale(x: float, y: float, top: float, shade: str, signed: bool) -> str:
    """What the shades mean: from 0, or the lowest negative weight, to the largest one that is shown."""
    top = 1.0 if shade == "one" else top
    low = f"−{_three_digits(top)}" if signed else "0"
    start = x + 6 + 7.2 * len(low)
    steps = np.linspace(-1 if signed else 0, 1, 13 if signed else 7)
    pixels = _shaded(steps[None], shade, 1.0)[0, :, :3].tolist()
    colours = [",".join(map(str, rgb)) for rgb in pixels]
    width = 10 * len(steps)
    said = _three_digits(top) + (", by square roots" if shade == "root" else "")
    return "".join(
        [
            _text(x, y, low),
            *(
                f'<rect x="{start + 10 * i:.1f}" y="{y - 10:.1f}" width="10" height="11" fill="rgb({rgb})"/>'
                for i, rgb in enumerate(colours)
            ),
            f'<rect x="{start:.1f}" y="{y - 10:.1f}" width="{width}" height="11" fill="none" stroke="{LINE}"/>',
            _text(start + width + 6, y, said),
        ]
    )


def _three_digits(x: float) -> str:
    """A number as JavaScript writes it after three digits: without an exponent from 0.000001 on."""
    short = f"{x:.3g}"
    if 0 < x < 1e-6:
        return short.replace("e-0", "e−")
    return np.format_float_positional(float(short), trim="-")


def _shaded(weights: np.ndarray, shade: str, top: float) -> np.ndarray:
    missing = np.ma.getmaskarray(weights)
    weights = np.ma.getdata(weights)
    whole = 1.0 if shade == "one" else top or 1.0
    sizes = (np.abs(np.nan_to_num(weights)) / whole).clip(0, 1)
    place = 2 * (np.sqrt(sizes) if shade == "root" else sizes)
    low = np.minimum(place.astype(int), 1)
    pixels = np.full((*weights.shape, 4), 255.0)
    pixels[..., :3] = RAMP[low] + (RAMP[low + 1] - RAMP[low]) * (place - low)[..., None]
    ochre = RAMP[0] + (OCHRE - RAMP[0]) * (place / 2)[..., None]
    pixels[..., :3] = np.where((weights < 0)[..., None], ochre, pixels[..., :3])
    pixels[missing] = NOT_KEPT
    pixels[np.isnan(weights)] = 0  # transparent: the hatching below shows through
    return pixels.round().astype("u1")


def _is_causal(kind: dict[str, Any]) -> bool:
    """Whether no query of any head looks at a later key: then these are taken to be masked; as in stored.js."""
    queries, keys = len(kind["queries"]), len(kind["keys"] or kind["queries"])
    size = kind["thumb"]
    near = int(queries % size[0] > 0)  # cells that overlap: the first above the diagonal holds some of it
    return 1 < queries == keys and all(
        not np.nan_to_num(np.triu(read_map(head, "thumb", size), near + 1)).any()
        for layer in kind["heads"]
        for head in layer
    )


def _unmasked(cells: np.ndarray, top: int = 0, left: int = 0) -> np.ndarray:
    """Cells of a causal map from (top, left) on, with NaN in place of what is masked."""
    later = np.arange(cells.shape[1]) + left > np.arange(cells.shape[0])[:, None] + top
    cells = cells.copy()
    cells[later & (np.ma.getdata(cells) == 0)] = np.nan  # of what is not kept, data are 0
    return cells


def _overview(kind: dict[str, Any], causal: bool, shade: str, top: float, tile: float) -> np.ndarray:
    """All heads, a map of at most as many cells for each as can be seen; what separates them is drawn on top."""
    most = max(4, min(64, math.ceil(2 * tile)))
    shown = _unmasked if causal else np.asarray
    lines = [
        np.concatenate([_smaller(shown(read_map(head, "thumb", kind["thumb"])), most) for head in layer], axis=1)
        for layer in kind["heads"]
    ]
    return _shaded(np.concatenate(lines), shade, top)


def _smaller(cells: np.ndarray, most: int) -> np.ndarray:
    """A map of at most `most` cells on a side; each holds the weight of its cells that is farthest from 0."""
    for axis in (0, 1):
        count = cells.shape[axis]
        if count > most:
            starts = [math.ceil(i * count / most) for i in range(most)]
            largest = np.fmax.reduceat(cells, starts, axis=axis)
            least = np.fmin.reduceat(cells, starts, axis=axis)
            cells = np.where(-least > largest, least, largest)
    return cells


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
