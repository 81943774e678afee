"""Pictures in one visual language: the same colour for the same thing in plots, figures and formulas.

Functions take data and an `ax` where that makes sense, and return what they drew on; none calls `plt.show()`.
Figures are dark ink on a transparent ground: the page inverts their lightness in dark mode and keeps the hues.
"""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator
from torch import Tensor

from attnbook.checks import check_mask
from attnbook.page.fonts import drawable, set_families
from attnbook.page.style import INK, KEY, MASKED, OUTPUT, QUERY, VALUE, VIOLET, ink_on

WEIGHTS = LinearSegmentedColormap.from_list("attnbook.weights", ["#ffffff", "#b9b5e8", VIOLET])
# numbers from −1 to 1, in the colours of the figures (SIGNED_ENDS in widgets/kit/kit.js)
SIGNED = LinearSegmentedColormap.from_list("attnbook.signed", ["#8C6214", "#ffffff", VIOLET])


def _array(values) -> np.ndarray:
    if isinstance(values, Tensor):
        return values.detach().cpu().float().numpy()
    return np.asarray(values, dtype=float)


def show_heatmaps(
    weights: Tensor,
    row_labels: Sequence[str] | None = None,
    col_labels: Sequence[str] | None = None,
    mask: Tensor | None = None,
    titles: Sequence[str] | None = None,
    figsize: tuple[float, float] | None = None,
    xlabel: str = "keys",
    ylabel: str = "queries",
    vmax: float | None = 1.0,
    annotate: bool = False,
) -> Figure:
    """Draw attention weights as heat maps: queries down, keys across, one colour scale from 0 to 1.

    Args:
        weights: (T, S), (cols, T, S) or (rows, cols, T, S): a grid of maps that share axes and colour bar.
        row_labels: T labels of the queries, tokens say.
        col_labels: S labels of the keys.
        mask: bool, broadcastable to `weights`, True = may attend; masked cells are drawn grey and hatched.
        titles: one title per map, in reading order.
        figsize: in inches; chosen by the number of maps if not given.
        xlabel: what the columns are.
        ylabel: what the rows are.
        vmax: the top of the colour scale; None for the largest weight present (say so in the text if you use it).
        annotate: print each weight in its cell, for small maps.

    Returns:
        The matplotlib figure. Labels may be in any script: a font that has their characters is looked for, and a
        warning says which characters no font has.

    Raises:
        TypeError: a mask that is not a bool tensor.
        ValueError: weights that are empty or have fewer than 2 or more than 4 axes, a number of labels other than
            the number of cells, or a mask that does not broadcast to the weights.
    """
    table = _array(weights)
    if not 2 <= table.ndim <= 4 or table.size == 0:
        raise ValueError(
            f"weights must be (T, S), (cols, T, S) or (rows, cols, T, S) and not empty, got shape {table.shape}; "
            "pick the batch entry or the head that you want to see"
        )
    shown = None
    if mask is not None:
        check_mask(mask, table.shape)
        shown = np.broadcast_to(mask.detach().cpu().numpy(), table.shape)
        shown = shown.reshape((1,) * (4 - shown.ndim) + shown.shape)
    table = table.reshape((1,) * (4 - table.ndim) + table.shape)
    rows, cols, num_queries, num_keys = table.shape
    for what, labels, size in (("row_labels", row_labels, num_queries), ("col_labels", col_labels, num_keys)):
        if labels is not None and len(labels) != size:
            raise ValueError(f"{what} has {len(labels)} labels for {size} positions; pass one label each")
    if titles is not None and len(titles) != rows * cols:
        raise ValueError(f"titles has {len(titles)} entries for {rows * cols} maps; pass one each")
    families, (row_labels, col_labels, titles, (xlabel, ylabel)) = drawable(
        row_labels, col_labels, titles, (xlabel, ylabel)
    )
    top = vmax if vmax is not None else float(table.max()) or 1.0
    figure, axes = plt.subplots(
        rows,
        cols,
        sharex=True,
        sharey=True,
        squeeze=False,
        layout="constrained",
        figsize=figsize or (min(7.2, 1.6 + 2.6 * cols), 0.6 + 2.2 * rows),
    )
    image = None
    for index, ax in enumerate(axes.flat):
        r, c = divmod(index, cols)
        image = ax.imshow(table[r, c], cmap=WEIGHTS, vmin=0, vmax=top, aspect="auto", interpolation="nearest")
        ax.spines[["top", "right"]].set_visible(True)
        if shown is not None:
            for i, j in zip(*np.nonzero(~shown[r, c]), strict=True):
                ax.add_patch(
                    Rectangle(
                        (j - 0.5, i - 0.5), 1, 1, facecolor="#99999955", edgecolor=MASKED, hatch="////", linewidth=0
                    )
                )
        if annotate:
            _annotate(ax, table[r, c], top, None if shown is None else shown[r, c])
        _ticks(ax, row_labels, col_labels)
        if r == rows - 1:
            ax.set_xlabel(xlabel, color=KEY)
        if c == 0:
            ax.set_ylabel(ylabel, color=QUERY)
        if titles is not None:
            ax.set_title(titles[index])
    bar = figure.colorbar(image, ax=axes, shrink=0.85, aspect=22)
    bar.set_label("weight")
    bar.outline.set_visible(False)
    set_families(figure, families)
    return figure


def _annotate(ax: Axes, table: np.ndarray, top: float, shown: np.ndarray | None) -> None:
    for (i, j), weight in np.ndenumerate(table):
        if shown is None or shown[i, j]:
            ax.text(j, i, f"{weight:.2f}", ha="center", va="center", fontsize=9, color=ink_on(weight / top))


def _ticks(ax: Axes, row_labels: Sequence[str] | None, col_labels: Sequence[str] | None) -> None:
    for axis, labels in ((ax.yaxis, row_labels), (ax.xaxis, col_labels)):
        if labels is None:
            axis.set_major_locator(MaxNLocator(integer=True, nbins=6))
        else:
            axis.set_ticks(range(len(labels)), labels)
    if col_labels is not None and max(map(len, col_labels)) > 4:
        ax.tick_params(axis="x", labelrotation=45)
    ax.tick_params(length=0)


def name_it(ax: Axes, words: str, spot: tuple[float, float], there: tuple[float, float], color: str) -> None:
    """Write a curve's name beside it, with a thin line from the words to the curve.

    Args:
        ax: where.
        words: the name.
        spot: the middle of the words.
        there: a point of the curve.
        color: of the curve.
    """
    lead = {"arrowstyle": "-", "color": color, "linewidth": 0.8, "shrinkA": 1, "shrinkB": 2}
    ax.annotate(words, there, spot, color=color, ha="center", va="center", arrowprops=lead)


def plot_regression(
    data,
    prediction: Tensor | None = None,
    ax: Axes | None = None,
    label: str = "prediction",
    spot: tuple[float, float] = (2.2, 0.5),
    at: float = 2.2,
) -> Axes:
    """Draw the points, the true curve (dashed) and a prediction, each with its name beside it.

    Args:
        data: a `RegressionData`.
        prediction: (m,) at `data.x_query`, or None for the points and the truth alone.
        ax: where to draw; a new one if not given.
        label: the prediction's name.
        spot: where the name stands.
        at: the x at which a thin line joins it to the prediction.

    Returns:
        The axes.

    Raises:
        ValueError: another number of predictions than of queries.
    """
    if prediction is not None and len(prediction) != len(data.x_query):
        raise ValueError(
            f"there are {len(prediction)} predictions for {len(data.x_query)} queries; "
            "predict at data.x_query, not at the training points"
        )
    ax = ax or plt.subplots(figsize=(5, 3.2))[1]
    x, y = _array(data.x_train), _array(data.y_train)
    ax.plot(x, y, "o", color=VALUE, markersize=4.5, alpha=0.55, markeredgewidth=0, label="measured", clip_on=False)
    asked, truth = _array(data.x_query), _array(data.truth)
    ax.plot(asked, truth, "--", color=INK, linewidth=1.5, label="truth")
    ax.set(xlabel="x", ylabel="y", xlim=(0, 5))
    far = (x + y).argmax()  # towards the upper right corner, which is empty
    name_it(ax, "measured", (x[far] + 0.9, y[far] + 0.3), (x[far], y[far]), VALUE)
    name_it(ax, "truth", (3.5, 0.5), (asked[len(asked) * 3 // 4], truth[len(asked) * 3 // 4]), INK)
    if prediction is not None:
        ax.plot(asked, _array(prediction), color=OUTPUT, label=label)
        name_it(ax, label, spot, (at, np.interp(at, asked, _array(prediction))), OUTPUT)
    return ax


def plot_weights_row(key: Tensor, weights: Tensor, query: float, ax: Axes | None = None) -> Axes:
    """Draw one row of weights over the keys' positions: how much one query gives to each key.

    Args:
        key: (S,) positions of the keys.
        weights: (S,) their weights.
        query: where the query stands.
        ax: where to draw; a new one if not given.

    Returns:
        The axes.

    Raises:
        ValueError: another number of weights than of keys.
    """
    if len(weights) != len(key):
        raise ValueError(f"there are {len(weights)} weights for {len(key)} keys; pass one row of the weights")
    ax = ax or plt.subplots(figsize=(5, 1.8))[1]
    ax.vlines(_array(key), 0, _array(weights), color=VIOLET, linewidth=2.5)
    top = float(weights.max()) or 1.0
    ax.axhline(0, color=INK, linewidth=0.8)
    ax.plot(_array(key), np.full(len(key), 0.045), "|", color=KEY, markersize=7, transform=ax.get_xaxis_transform())
    ax.axvline(query, color=QUERY, linewidth=1.5, linestyle=":")
    ax.annotate(
        f"query {query:g}",
        (query, 1),
        xycoords=("data", "axes fraction"),
        xytext=(0, 2),
        textcoords="offset points",
        color=QUERY,
        va="bottom",
        ha="center",
    )
    ax.set(xlabel="x of the key", ylabel="weight", ylim=(-0.11 * top, 1.05 * top))  # the keys' ticks below the bars
    return ax
