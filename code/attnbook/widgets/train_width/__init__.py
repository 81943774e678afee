"""A kernel-backed figure: the start and the step size decide where the training of a kernel width ends."""

from functools import cached_property

import matplotlib
import torch
from matplotlib.figure import Figure as Drawing

from attnbook.attention import NWKernelRegression, fit_width, regression_loss
from attnbook.data import kernel_regression_data
from attnbook.page import INK, KEY, OUTPUT, plot_regression, use_book_style

from ..frames import Frame, FrameFigure, Panel, picture_of
from ..kit import one_of

EPOCHS = 5
FAR = 10.0  # beyond this |w| the leave-one-out loss is nearly flat: the plateau


class TrainWidthFigure(FrameFigure):
    """Five epochs of gradient descent on the inverse width w of a Nadaraya–Watson regression.

    Left the path of w on the leave-one-out loss, right the curve that the trained w gives.

    Args:
        w0: where w starts: 0.1, 0.5, 1, 2 or 5.
        lr: step size on the summed loss: 0.5, 0.05 or 0.005.

    Raises:
        TypeError, ValueError: a value that is not among those, or a name that is not a control.
    """

    title = "Where does training take w?"
    hint = "Five epochs of gradient descent. Choose where w starts, and the step size."
    alt = (
        "Left, the leave-one-out loss as a function of w with the points that five epochs of gradient descent visit; "
        "right, the training points, the true curve and the curve fitted before and after training. With step size "
        "0.5, a start at 0.5 or 1 overshoots onto a plateau beyond 20; with smaller steps none of the starts does."
    )
    controls = {
        "w0": {"label": "start w₀", "kind": "slider"},
        "lr": {"label": "step size", "kind": "select"},
    }
    outputs = {
        "w": {"label": "w after 5 epochs", "digits": 1},
        "loss": {"label": "leave-one-out loss", "digits": 1},
        "best": {"label": "lowest possible loss", "digits": 1},
    }
    w0 = one_of(0.5, [0.1, 0.5, 1.0, 2.0, 5.0], "where w starts")
    lr = one_of(0.5, [0.5, 0.05, 0.005], "the step size")

    @cached_property
    def _data(self):
        return kernel_regression_data()

    @cached_property
    def _curve(self):
        grid = torch.linspace(-6, 25, 311)
        return grid, torch.tensor(
            [self._loss(NWKernelRegression(w.item())) for w in grid]
        )

    def _loss(self, model):
        with torch.no_grad():
            return regression_loss(model, self._data.x_train, self._data.y_train).item()

    def _predict(self, w):
        data = self._data
        with torch.no_grad():
            return NWKernelRegression(w)(data.x_query, data.x_train, data.y_train)[0]

    def draw(self, w0, lr):
        """Train once and draw both panels.

        Args:
            w0: where w starts.
            lr: the step size.

        Returns:
            The `Frame`.
        """
        data = self._data
        path = fit_width(
            NWKernelRegression(w0), data.x_train, data.y_train, lr=lr, epochs=EPOCHS
        )
        best = float(self._curve[1].min())
        visited = ", ".join(f"{step.w:.1f}" for step in path)
        with matplotlib.rc_context():
            use_book_style()
            panels = [
                Panel(
                    picture_of(self._draw_path(path)),
                    f"Leave-one-out loss against w; w goes {visited}.",
                ),
                Panel(
                    picture_of(self._draw_fit(path)),
                    f"Training points, truth and the curve fitted with w = {path[-1].w:.1f}.",
                ),
            ]
        numbers = {
            "w": round(path[-1].w, 1),
            "loss": round(path[-1].loss, 1),
            "best": round(best, 1),
        }
        return Frame(panels, numbers, verdict(path, best))

    def _draw_path(self, path):
        drawing, ax = small_axes()
        ax.plot(*self._curve, color=INK, linewidth=1.6)
        ws, losses = zip(*path, strict=True)
        ax.plot(ws, losses, "-", color=KEY, linewidth=1.2, alpha=0.7)
        ax.plot(
            ws[1:-1],
            losses[1:-1],
            "o",
            color=KEY,
            markersize=5,
            alpha=0.8,
            markeredgewidth=0,
        )
        ax.plot(
            ws[:1],
            losses[:1],
            "o",
            markersize=9,
            color="none",
            markeredgecolor=KEY,
            markeredgewidth=2,
            label="start",
        )
        ax.plot(
            ws[-1:],
            losses[-1:],
            "D",
            markersize=8,
            color=KEY,
            markeredgewidth=0,
            label="after 5 epochs",
        )
        ax.set(xlabel="w", ylabel="leave-one-out loss", xlim=(-6, 25), ylim=(10, 72))
        ax.legend(loc="upper right")
        return drawing

    def _draw_fit(self, path):
        drawing, ax = small_axes()
        plot_regression(
            self._data, self._predict(path[-1].w), ax=ax, label="after 5 epochs"
        )
        ax.plot(
            self._data.x_query,
            self._predict(path[0].w),
            color=OUTPUT,
            linewidth=1.6,
            linestyle=":",
            label="at the start",
        )
        ax.set(ylim=(-0.8, 6.8))
        ax.legend(
            loc="upper center",
            ncols=2,
            handlelength=1.5,
            labelspacing=0.3,
            columnspacing=1.2,
        )
        return drawing


def small_axes():
    """An empty drawing of the size of one panel, and its axes."""
    drawing = Drawing(figsize=(3.9, 3.3), dpi=150, layout="constrained")
    return drawing, drawing.subplots()


def verdict(path, best):
    """Says in a sentence what happened on a training path, from its numbers alone.

    Args:
        path: steps (w, loss), the first at the start, the last after training.
        best: the lowest loss that any w has.

    Returns:
        The sentence.
    """
    start, end = path[0], path[-1]
    if abs(end.w) > FAR:
        jump = next(i for i, step in enumerate(path) if abs(step.w) > FAR)
        text = (
            f"Step {jump} overshoots, from w = {path[jump - 1].w:.1f} to {path[jump].w:.1f}. The loss is so flat there "
            f"that the other steps hardly move w: it ends at {end.w:.1f}, on the plateau."
        )
    elif end.loss > best + 5 and abs(end.w) < 0.2:
        text = (
            "Near w = 0 all keys get nearly equal weights, and the loss is almost flat: steps of this size do not "
            "get w away from there."
        )
    elif end.loss > best + 2:
        text = (
            f"The direction is right, but the steps are short: w has reached {end.w:.1f}, and the valley is "
            "further on."
        )
    elif start.w * end.w < 0:
        text = (
            f"w crosses 0 and ends at {end.w:.1f}. Only the size of w matters, not its sign: the kernel is the same "
            f"as for {abs(end.w):.1f}."
        )
    else:
        text = (
            f"w ends in the valley, at {end.w:.1f}, with a loss of {end.loss:.1f}; the lowest possible loss is "
            f"{best:.1f}."
        )
    return text.replace("-", "−")
