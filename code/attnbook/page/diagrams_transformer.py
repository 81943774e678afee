"""Diagrams of the whole model, drawn by code: the two stacks and what flows between them, and where its numbers are.

Dark ink on a transparent ground; every meaning that has a colour also has a label, a line style or hatching.
"""

from collections.abc import Mapping
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import FancyBboxPatch

from attnbook.page.style import CENTRED, INK, KEY, MASKED, OUTPUT, QUERY, VALUE, VIOLET
from attnbook.transformer import TransformerConfig

ENCODER, DECODER, WIDTH = 2.3, 8.0, 3.0  # middles of the two columns, width of a box


class _Block(NamedTuple):
    text: str
    y: float
    colour: object
    residual: bool = False  # is there a way around it, to the norm above?


def _stack_of(attentions: list[str]) -> list[_Block]:
    """The sublayers of one layer from the bottom up, each with its norm above it."""
    blocks, y = [], 2.75
    for name in attentions:
        blocks += [_Block(name, y, VIOLET, residual=True)]
        blocks += [_Block("add, layer norm", y + 0.8, MASKED)]
        y += 1.8
    blocks += [_Block("feed-forward", y, OUTPUT, residual=True)]
    return blocks + [_Block("add, layer norm", y + 0.8, MASKED)]


def _box(ax: Axes, x: float, y: float, text: str, colour) -> None:
    corner, style = (x - WIDTH / 2, y - 0.27), "round,pad=0,rounding_size=0.1"
    ax.add_patch(FancyBboxPatch(corner, WIDTH, 0.54, boxstyle=style, fc="none", ec=colour, lw=1.6))
    tint = FancyBboxPatch(corner, WIDTH, 0.54, boxstyle=style, fc=colour, ec="none")
    tint.set_alpha(0.13)
    ax.add_patch(tint)
    ax.text(x, y, text, fontsize=10, **CENTRED)


def _arrow(ax: Axes, start, end, colour=INK, style: str = "-") -> None:
    look = {"arrowstyle": "-|>", "color": colour, "lw": 1.5, "shrinkA": 0, "shrinkB": 0}
    if style != "-":  # the line by itself, or the arrow's head would be broken too
        ax.plot(*zip(start, end, strict=True), color=colour, lw=1.5, ls=style)
        start = [e - 0.02 * (e - s) for s, e in zip(start, end, strict=True)]
    ax.annotate("", end, start, arrowprops=look | {"mutation_scale": 11})


def _draw_stack(ax: Axes, x: float, blocks: list[_Block], times: int, out: int) -> None:
    """Blocks and arrows from below the first to above the last; `out` is the side of the frame that is labelled."""
    top = blocks[-1].y
    frame = (x - WIDTH / 2 - 0.5, 2.02)
    look = {"boxstyle": "round,pad=0,rounding_size=0.2", "fc": "none", "ec": INK}
    ax.add_patch(FancyBboxPatch(frame, WIDTH + 1.0, top + 0.45 - 2.02, lw=1, ls="--", **look))
    side = x + out * (WIDTH / 2 + 0.62)
    ax.text(side, (top + 2.4) / 2, f"{times} ×", fontsize=13, va="center", ha="left" if out > 0 else "right")
    below = 1.67
    for block in blocks:
        _arrow(ax, (x, below), (x, block.y - 0.27))
        _box(ax, x, block.y, block.text, block.colour)
        if block.residual:  # x + f(x): out of the line below, around the box, into the norm above
            way = x + out * (WIDTH / 2 + 0.25)
            low, high = block.y - 0.42, block.y + 0.8
            ax.plot([x, way, way], [low, low, high], color=INK, lw=1.2, ls=":")
            _arrow(ax, (way, high), (x + out * WIDTH / 2, high))
        below = block.y + 0.27


def draw_transformer(config: TransformerConfig, ax: Axes) -> Axes:
    """Draw the encoder–decoder with its two stacks, from token ids below to probabilities above.

    Args:
        config: the sizes that are written into the picture.
        ax: where to draw; about as high as it is wide.

    Returns:
        The axes.

    Source:
        Vaswani et al. (2017), figure 1; drawn afresh.
    """
    ax.set(xlim=(-0.6, 11.0), ylim=(-0.1, 9.55), aspect="auto")
    ax.axis("off")
    for x, ids, name in ((ENCODER, "source ids  (B, S)", "encoder"), (DECODER, "target ids so far  (B, T)", "decoder")):
        ax.text(x, 0.2, ids, fontsize=10, **CENTRED)
        _arrow(ax, (x, 0.42), (x, 1.13))
        _box(ax, x, 1.4, "embedding + position", VALUE)
        ax.text(x, 0.77, f"    {name}", fontsize=10, fontweight="bold", ha="left", va="center")
    encoder = _stack_of(["self-attention"])
    decoder = _stack_of(["masked self-attention", "cross-attention"])
    _draw_stack(ax, ENCODER, encoder, config.num_encoder_layers, -1)
    _draw_stack(ax, DECODER, decoder, config.num_decoder_layers, +1)
    _draw_memory(ax, encoder[-1].y, decoder[2].y, config.d_model)
    top = decoder[-1].y
    _arrow(ax, (DECODER, top + 0.27), (DECODER, top + 0.8))
    _box(ax, DECODER, top + 1.07, f"linear head, {config.d_model} → V", VALUE)
    _arrow(ax, (DECODER, top + 1.34), (DECODER, top + 1.75))
    ax.text(DECODER, top + 1.95, "softmax: next word  (B, T, V)", fontsize=10, **CENTRED)
    return ax


def _draw_memory(ax: Axes, top: float, cross: float, d_model: int) -> None:
    """The encoder's output, and its two ways into the decoder: as keys and as values."""
    high, bend = top + 1.0, (ENCODER + DECODER) / 2
    ax.plot([ENCODER, ENCODER], [top + 0.27, high + 0.14], color=INK, lw=1.5)
    ax.text(ENCODER, high + 0.45, f"memory  (B, S, {d_model})", fontsize=10, **CENTRED)
    left = DECODER - WIDTH / 2
    for shift, colour, word, style in ((0.13, KEY, "keys", "-"), (-0.13, VALUE, "values", "--")):
        turn = bend + shift
        ax.plot([ENCODER, turn, turn], [high + shift, high + shift, cross + shift], color=colour, lw=1.5, ls=style)
        _arrow(ax, (turn, cross + shift), (left, cross + shift), colour, style)
        ax.text(
            turn + (0.12 if shift > 0 else -0.12),
            (high + cross) / 2,
            word,
            color=colour,
            fontsize=10,
            rotation=90,
            va="center",
            ha="left" if shift > 0 else "right",
        )
    _arrow(ax, (DECODER, cross - 0.73), (DECODER, cross - 0.27), QUERY)
    ax.text(DECODER - 0.12, cross - 0.53, "queries", color=QUERY, fontsize=9.5, ha="right", va="center")


KINDS = {  # how each kind of parameter looks: colour and hatching
    "embeddings": (VALUE, "...."),
    "attention": (VIOLET, ""),
    "feed-forward": (OUTPUT, "////"),
    "norms": (MASKED, ""),
}


def draw_parameters(counts: Mapping[str, Mapping[str, int]], ax: Axes) -> Axes:
    """Draw where each model's numbers are: one bar a model, one piece a kind, as shares of the whole.

    Args:
        counts: model → kind → number of parameters; kinds are embeddings, attention, feed-forward and norms.
        ax: where to draw.

    Returns:
        The axes.

    Raises:
        ValueError: a kind that is none of the four, or a model without parameters.
    """
    for model, parts in counts.items():
        unknown = [kind for kind in parts if kind not in KINDS]
        if unknown:
            raise ValueError(f"{model} has parameters of kind {', '.join(unknown)}; use {', '.join(KINDS)}")
        if sum(parts.values()) <= 0:
            raise ValueError(f"{model} has no parameters; count them first")
    for row, parts in enumerate(counts.values()):
        total, left = sum(parts.values()), 0.0
        for kind, (colour, hatch) in KINDS.items():
            share = 100 * parts.get(kind, 0) / total
            ax.barh(
                row,
                share,
                left=left,
                height=0.55,
                facecolor=(*to_rgb(colour), 0.3),
                edgecolor=to_rgb(colour),
                hatch=hatch,
                label=kind if row == 0 else None,
            )
            if share > 4:
                ax.text(left + share / 2, row - 0.42, f"{share:.0f} %", fontsize=10, **CENTRED)
            left += share
    names = [f"{model}\n{sum(p.values()) / 1e6:.1f} million" for model, p in counts.items()]
    ax.set_yticks(range(len(names)), names)
    ax.set(xlim=(0, 100), ylim=(len(names) - 0.55, -0.75), xlabel="share of the parameters, in percent")
    ax.tick_params(axis="y", length=0)
    ax.legend(ncols=4, loc="lower center", bbox_to_anchor=(0.42, 1.0), columnspacing=1.2)
    return ax
