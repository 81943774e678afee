"""The colours of the book and its defaults for drawing and printing."""

import torch

QUERY = "#0072B2"
KEY = "#D55E00"
VALUE = "#009E73"
OUTPUT = "#CC79A7"
MASKED = "#999999"
INK = "#222222"
VIOLET = "#4B3FA8"  # weights: the dark end of their colour map
GREY = "#6E6E6E"  # as violet, for curves that are neither query, key, value nor output

CENTRED = {"ha": "center", "va": "center"}  # a text around its place


def ink_on(weight: float) -> str:
    """A colour of words that can be read on the shade of a weight, with a contrast of at least 4.5 : 1.

    Args:
        weight: from 0, which is white, to 1, which is violet.

    Returns:
        The book's ink, black, or white.
    """
    return INK if weight < 0.7 else "#000000" if weight < 0.82 else "#ffffff"


def use_book_style() -> None:
    """Set the book's defaults: matplotlib's sizes, type, colours and transparent ground; tensors to three decimals."""
    torch.set_printoptions(precision=3, sci_mode=False)
    import matplotlib.pyplot as plt  # last: in a page, where nothing can be drawn, the tensors' part still holds

    plt.rcParams.update(
        {
            "figure.figsize": (5, 3.1),
            "figure.dpi": 144,
            "figure.facecolor": "none",
            "axes.facecolor": "none",
            "savefig.facecolor": "none",
            "figure.constrained_layout.use": True,
            "font.size": 11,
            "axes.titlesize": 11,
            "axes.labelsize": 11,
            "xtick.labelsize": 10.5,
            "ytick.labelsize": 10.5,
            "legend.fontsize": 10.5,
            "legend.frameon": False,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.edgecolor": INK,
            "axes.labelcolor": INK,
            "text.color": INK,
            "xtick.color": INK,
            "ytick.color": INK,
            "axes.grid": False,
            "grid.color": "#dddddd",
            "lines.linewidth": 2.0,
            "axes.prop_cycle": plt.cycler(color=[QUERY, KEY, VALUE, OUTPUT, "#56B4E9", "#E69F00", INK]),
            "hatch.linewidth": 0.8,
        }
    )
