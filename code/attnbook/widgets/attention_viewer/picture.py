"""The viewer's picture, drawn without a browser: for readers without JavaScript, and for `save("….svg")`."""

import base64
import html
import io

import numpy as np

from .packing import part_of, unpack

WIDTH, OVERVIEW, LONGEST = 720, 260, 14
RAMP = np.array([[255, 255, 255], [185, 181, 232], [75, 63, 168]])  # as in the figures
MISSING, NOT_KEPT = (205, 205, 205), (225, 227, 232)
QUERY, KEY, INK, ACCENT = "#0072B2", "#b34e00", "#1f2430", "#4B3FA8"


def page_of(t, count, window):
    """The range of `window` tokens that token t is on; as `pageOf` in figure.js."""
    start = min(t // window * window, max(0, count - window))
    return range(start, min(count, start + window))


def draw(kind, window, root, layer, head, query, key):
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
    rows, columns = (
        page_of(query, len(queries), window),
        page_of(key, len(keys), window),
    )
    packed = kind["heads"][layer - 1][head - 1]
    part = part_of(packed, (len(queries), len(keys)), kind["kept"], rows, columns)
    layers, heads = len(kind["heads"]), len(kind["heads"][0])
    tile = min(84, OVERVIEW / heads)
    labels = [
        [_cut(names[t]) for t in where]
        for names, where in ((queries, rows), (keys, columns))
    ]
    side, above = (12 + 7.2 * max(map(len, one)) for one in labels)
    left, top = heads * tile + 50 + side, 52 + above
    size = min(30, (WIDTH - left - 12) / len(columns))
    height = max(64 + layers * tile, top + size * len(rows)) + 16
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" '
        'font-family="system-ui,sans-serif" font-size="12.5">',
        f'<rect width="{WIDTH}" height="{height:.0f}" rx="12" fill="#ffffff"/>',
        _text(16, 28, "All heads", weight=650, size=14),
        _text(
            left - side,
            28,
            f"Layer {layer}, head {head}: queries down, keys across",
            weight=650,
            size=14,
        ),
        _image(_overview(kind, root), 24, 52, heads * tile, layers * tile),
        _frame(24 + (head - 1) * tile, 52 + (layer - 1) * tile, tile, tile, ACCENT),
        _image(_shaded(part, root), left, top, size * len(columns), size * len(rows)),
    ]
    parts += [
        _text(24 + (h + 0.5) * tile, 46, str(h + 1), anchor="middle")
        for h in range(heads)
        if tile > 16 or h == head - 1
    ]
    parts += [
        _text(20, 56 + (l + 0.5) * tile, str(l + 1), anchor="end")
        for l in range(layers)
        if tile > 16 or l == layer - 1
    ]
    step = int(np.ceil(12 / size))
    for axis, (names, where, chosen) in enumerate(
        ((labels[0], rows, query), (labels[1], columns, key))
    ):
        for i, (name, t) in enumerate(zip(names, where, strict=True)):
            if t != chosen and (i % step or abs(t - chosen) < step):
                continue
            look = {"weight": 700, "colour": (QUERY, KEY)[axis]} if t == chosen else {}
            middle = (i + 0.5) * size + 4
            if axis == 0:
                parts.append(_text(left - 6, top + middle, name, anchor="end", **look))
            else:
                parts.append(_text(left + middle, top - 6, name, turned=True, **look))
    parts += [
        _frame(
            left, top + (query - rows.start) * size, size * len(columns), size, QUERY
        ),
        _frame(left + (key - columns.start) * size, top, size, size * len(rows), KEY),
        "</svg>\n",
    ]
    return "".join(parts)


def as_image(svg):
    """The data URI of a picture."""
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode('ascii')}"


def _cut(label):
    return label if len(label) <= LONGEST else f"{label[: LONGEST - 1]}…"


def _text(x, y, text, anchor="start", weight=450, size=12.5, colour=INK, turned=False):
    turn = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if turned else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}" font-size="{size}" '
        f'fill="{colour}"{turn}>{html.escape(text)}</text>'
    )


def _frame(x, y, width, height, colour):
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="none" stroke="{colour}" '
        'stroke-width="2"/>'
    )


def _shaded(weights, root):
    known = np.nan_to_num(weights).clip(0, 1)
    place = 2 * (np.sqrt(known) if root else known)
    low = np.minimum(place.astype(int), 1)
    pixels = RAMP[low] + (RAMP[low + 1] - RAMP[low]) * (place - low)[..., None]
    pixels[np.isnan(weights)] = MISSING
    pixels[weights == -1] = NOT_KEPT
    return pixels.round().astype("u1")


def _overview(kind, root):
    rows, columns = kind["thumb"]
    tiles = []
    for layer in kind["heads"]:
        line = []
        for head in layer:
            codes = unpack(head["thumb"], "u1", rows, columns).astype("f4")
            weights = np.where(codes == 255, np.nan, (codes / 254) ** 2)
            line.append(
                np.pad(
                    _shaded(weights, root),
                    ((0, 2), (0, 2), (0, 0)),
                    constant_values=255,
                )
            )
        tiles.append(np.concatenate(line, axis=1))
    return np.concatenate(tiles)


def _image(pixels, x, y, width, height):
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG", optimize=True)
    data = base64.b64encode(file.getvalue()).decode("ascii")
    return (
        f'<image x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" preserveAspectRatio="none" '
        f'style="image-rendering:pixelated" href="data:image/png;base64,{data}"/>'
    )
