"""Drawings of whole models as stacks, with what flows through them, and where their numbers are."""

from collections.abc import Mapping

from attnbook.drawings.sheet import Picture, Sheet, drawing, tint
from attnbook.page.style import GREY, INK, KEY, OUTPUT, QUERY, VALUE, VIOLET
from attnbook.transformer import PAPER_BASE, BertConfig

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


MINILM = BertConfig(d_model=384, d_ff=1536, num_layers=6)  # all-MiniLM-L6-v2
PIECES = "[CLS]", "time", "flies", ".", "[SEP]"


@drawing(
    "The encoder of all-MiniLM-L6-v2, from below. The text Time flies. becomes five pieces: CLS, time, flies, a full "
    "stop, SEP. Each gets the sum of three vectors, of its word, its position and its segment, with a layer norm; the "
    "tables have 11.92 million parameters. Six layers follow, with 10.65 million parameters: self-attention with 12 "
    "heads of 32 features, and a feed-forward network from 384 to 1536 and back to 384, each followed by add and "
    "layer norm, with a grey way around it, the residual connection. Out come the states, 384 numbers for each piece. "
    "Their mean, scaled to length 1, is the text's vector of 384 numbers."
)
def from_a_text_to_its_vector(sheet: Sheet) -> None:
    """A pretrained encoder with its sizes, from a text below to one vector above."""
    x, half = (166, 126) if sheet.narrow else (330, 150)
    wide, layers = MINILM.d_model, MINILM.num_layers
    table = (MINILM.vocab_size + MINILM.max_positions + MINILM.num_segments + 2) * wide  # with the norm's two rows
    layer = 4 * (wide + 1) * wide + (wide + 1) * MINILM.d_ff + (MINILM.d_ff + 1) * wide + 4 * wide
    sheet.box(x - half - 15, FOOTS[1] - 58, 2 * half + 38, 466 - FOOTS[1], dashed=True, radius=8, line=1)
    attention = f"self-attention, {MINILM.num_heads} heads of {wide // MINILM.num_heads}"
    below = 436
    for name, y in zip((attention, f"feed-forward, {wide} → {MINILM.d_ff} → {wide}"), FOOTS, strict=False):
        _sublayer(sheet, x, half, 1, name, y, below)
        below = y - 16 - NORM
    sheet.text(x + half + 16, 186, f"{layers} ×", bold=True, anchor="end")
    words = f"word + position + segment, norm\n{table / 1e6:.2f} million parameters"
    sheet.box(x - half, 436, 2 * half, 44, words, size=13)
    pitch = 2 * half / len(PIECES)
    for number, piece in enumerate(PIECES):
        left = x - half + pitch * number
        sheet.box(left + 2, 518, pitch - 4, 28, piece, color=GREY, ink=INK, size=13)
        sheet.line((left + pitch / 2, 518), (left + pitch / 2, 482), arrow=True, width=1.2)
    sheet.line((x, 572), (x, 548), arrow=True)
    sheet.text(x, 590, "Time flies.", size=14, italic=True)
    sheet.line((x, below), (x, 122), arrow=True)
    sheet.box(x - half, 90, 2 * half, 30, "mean of the states, to length 1", color=VIOLET, ink=INK, size=13)
    sheet.line((x, 90), (x, 62), color=VIOLET, arrow=True)
    sheet.vector(x - 72, 32, 8, 18, 28, color=VIOLET)
    sheet.text(x + 45, 50, "…", size=14)
    sheet.text(x, 20, f"the text's vector: {wide} numbers", size=14, bold=True)
    for y, shape in ((426, f"(B, T, {wide})"), (148, f"states  (B, T, {wide})")):
        sheet.text(x + 14, y, shape, anchor="start", size=13)
    sheet.text(x - 8, 186, f"{layers * layer / 1e6:.2f} million parameters", anchor="end", size=12)


def _sublayer(sheet: Sheet, x: float, half: float, out: int, name: str, y: float, below: float) -> None:
    """A sublayer with its norm above it, an arrow from what is below, and the way around it on the side `out`."""
    crossing = name == "cross-attention"
    colour = OUTPUT if name.startswith("feed-forward") else VIOLET
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
