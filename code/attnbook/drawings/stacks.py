"""Drawings of the whole encoder–decoder: its two stacks and what flows between them, and where its numbers are."""

from collections.abc import Mapping

from attnbook.drawings.sheet import Picture, Sheet, drawing, tint
from attnbook.page.style import GREY, INK, KEY, OUTPUT, QUERY, VALUE, VIOLET
from attnbook.transformer import PAPER_BASE

FOOTS = 356, 252, 148  # upper edges of the sublayers' boxes, from the first to the last
SUBLAYER, NORM = 34, 28  # heights


@drawing(
    "An encoder–decoder. Left, from below: source ids, embedding plus position, and six layers of self-attention and "
    "feed-forward network, each followed by add and layer norm, with a grey way around the sublayer, the residual "
    "connection; out comes the memory. Right: target ids so far, embedding plus position, and six layers of masked "
    "self-attention, cross-attention and feed-forward network; then a linear head from 512 to V, and the next word. "
    "The memory enters the cross-attention as keys and as values; the queries come from the decoder below."
)
def two_stacks_and_a_memory(sheet: Sheet) -> None:
    """The Transformer of 2017, from token ids below to the next word above."""
    left, right, half = (80, 260, 62) if sheet.narrow else (160, 540, 100)
    encoder, decoder = ("self-attention", "feed-forward"), ("masked self-attention", "cross-attention", "feed-forward")
    sizes = PAPER_BASE.d_model, PAPER_BASE.num_encoder_layers, PAPER_BASE.num_decoder_layers
    for x, out, names, times in ((left, -1, encoder, sizes[1]), (right, 1, decoder, sizes[2])):
        top = FOOTS[len(names) - 1] - 58
        edge = x - half - 15, top, 2 * half + 30, 408 - top
        sheet.box(*edge, color=INK, dashed=True, radius=8, line=1)
        sheet.text(x + out * half, 426, f"{times} ×", bold=True)
        below = 436
        for name, y in zip(names, FOOTS, strict=False):
            _sublayer(sheet, x, half, out, name, y, below)
            below = y - 16 - NORM
        words = "source ids  (B, S)" if out < 0 else "target ids so far  (B, T)"
        name = "encoder" if out < 0 else "decoder"
        sheet.box(x - half, 436, 2 * half, 30, "embedding + pos." if sheet.narrow else "embedding + position", size=13)
        sheet.line((x, 488), (x, 468), arrow=True)
        sheet.text(x, 504, words.replace(" so far", "") if sheet.narrow else words, size=13)
        sheet.text(x, 526, name, bold=True)
    sheet.line((right, 104), (right, 72), arrow=True)
    sheet.box(right - half, 40, 2 * half, 30, "head" if sheet.narrow else f"linear head, {sizes[0]} → V", size=13)
    sheet.line((right, 40), (right, 26), arrow=True)
    sheet.text(right, 18, "next word  (B, T, V)", size=13)
    _memory(sheet, left, right - half, half, sizes[0])


def _sublayer(sheet: Sheet, x: float, half: float, out: int, name: str, y: float, below: float) -> None:
    """A sublayer with its norm above it, an arrow from what is below, and the way around it on the side `out`."""
    crossing = name == "cross-attention"
    colour = OUTPUT if name == "feed-forward" else VIOLET
    sheet.line((x, below), (x, y + SUBLAYER + 1), color=QUERY if crossing else INK, arrow=True)
    if crossing:
        sheet.text(x - 7, y + SUBLAYER + 20, "queries", anchor="end", color=QUERY, size=13)
    words = name.replace("masked ", "masked\n") if sheet.narrow else name
    sheet.box(x - half, y, 2 * half, SUBLAYER, words, color=colour, fill=tint(colour, 0.15), ink=INK, size=13)
    norm = y - 16 - NORM
    sheet.line((x, y), (x, norm + NORM + 1), arrow=True)
    sheet.box(x - half, norm, 2 * half, NORM, "add, layer norm", color=GREY, fill="#f4f4f4", ink=INK, size=13)
    way, start, end = x + out * (half + 9), y + SUBLAYER + 8, norm + NORM / 2
    sheet.line((x, start), (way, start), (way, end), color=GREY, width=1.8)
    sheet.line((way, end), (x + out * (half + 1), end), color=GREY, width=1.8, arrow=True)
    if name == "feed-forward":
        sheet.text(way - 5 * out, y - 5, "residual", color=GREY, size=13, anchor="start" if out < 0 else "end")


def _memory(sheet: Sheet, left: float, edge: float, half: float, width: int) -> None:
    """The encoder's output and its two ways into the decoder."""
    cross = FOOTS[1] + SUBLAYER / 2
    sheet.line((left, FOOTS[1] - 16 - NORM), (left, 146))
    sheet.text(left, 128, f"memory  (B, S, {width})", size=13, bold=True)
    bend = (edge + left + half) / 2
    for shift, height, colour, words in ((3, 150, KEY, "keys"), (-4, 170, VALUE, "values")):
        turn = bend + shift * (1 if sheet.narrow else 6)
        way = (left, height), (turn, height), (turn, cross - 2 * shift), (edge - 1, cross - 2 * shift)
        sheet.line(*way, color=colour, arrow=True, dashed=colour == VALUE)
        sheet.text(left + 8, height - 5, words, anchor="start", color=colour, size=13)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.01 else f"{100 * share:.1f} %" if share >= 0.001 else "under 0.1 %"


KINDS = {"embeddings": "#dddddd", "attention": tint(VIOLET, 0.3), "feed-forward": tint(OUTPUT, 0.4), "norms": INK}


def where_the_parameters_are(counts: Mapping[str, Mapping[str, int]]) -> Picture:
    """One bar per model, one piece per kind of part, as shares of all its parameters.

    Args:
        counts: model → kind → number of parameters; kinds are embeddings, attention, feed-forward and norms.

    Returns:
        The picture.

    Raises:
        ValueError: a kind that is none of the four, or a model without parameters.
    """
    said = []
    for model, parts in counts.items():
        unknown = [kind for kind in parts if kind not in KINDS]
        if unknown:
            raise ValueError(f"{model} has parameters of kind {', '.join(unknown)}; use {', '.join(KINDS)}")
        total = sum(parts.values())
        if total <= 0:
            raise ValueError(f"{model} has no parameters; count them first")
        shares = ", ".join(f"{_percent(n / total)} {kind}" for kind, n in parts.items() if n)
        said.append(f"{model}, {total / 1e6:.1f} million: {shares}.")

    def draw(sheet: Sheet) -> None:
        x0, wide = 4, sheet.width - 8
        for row, (model, parts) in enumerate(counts.items()):
            y, left, total = 8 + 92 * row, float(x0), sum(parts.values())
            title = f"{model}: {total / 1e6:.1f} million"
            sheet.text(x0, y + 14, title, anchor="start", size=14, bold=True)
            for kind, fill in KINDS.items():
                length = wide * parts.get(kind, 0) / total
                sheet.bar(left, y + 24, length, 30, fill=fill)
                if length > 0.04 * wide:
                    sheet.text(left + length / 2, y + 44, f"{100 * length / wide:.0f} %", size=14)
                    size = 12 if sheet.narrow else 13
                    sheet.text(max(left + length / 2, x0 + 38), y + 70, kind, size=size, color=GREY)
                elif kind == "norms":
                    said = f"norms: {_percent(length / wide)}"
                    sheet.text(x0 + wide, y + 14, said, anchor="end", size=13, color=GREY)
                left += length

    return Picture(draw, "One bar per model, divided by the shares of its parameters. " + " ".join(said))
