"""Train again with other settings: a bar, a curve, a button that stops, and the runs so far in one picture."""

import threading
import time
from collections.abc import Callable

import ipywidgets
from matplotlib.figure import Figure

from attnbook.page.style import GREY, VIOLET
from attnbook.training import watched

from .frames import Frame, Workbench, as_address, choosing

POINTS = 100  # of a curve
PAUSE = 0.5  # seconds between two pictures


class Stopped(Exception):
    """The reader has pressed Stop."""


def thinned(losses: list[float], points: int = POINTS) -> list[list[float]]:
    """A curve of few points, each the mean of the steps since the one before.

    Args:
        losses: of every step.
        points: how many, about.

    Returns:
        Pairs (step, mean loss).
    """
    size = max(1, len(losses) // points)
    starts = range(0, len(losses) - size + 1, size)
    return [[i + size, sum(losses[i : i + size]) / size] for i in starts]


def draw_curves(curves: dict[str, list], current: str) -> str:
    """Draw the losses of several runs, one of them in colour, each with its settings at its end.

    Args:
        curves: name → pairs (step, loss), the name as `named` writes it.
        current: the run in colour.

    Returns:
        The picture's address.
    """
    figure = Figure(figsize=(4.4, 3.2), layout="constrained", facecolor="none")
    ax = figure.subplots()
    ax.set(facecolor="none", xlabel="step", ylabel="loss, nats")
    ax.spines[["top", "right"]].set_visible(False)
    shown = {name: curve for name, curve in curves.items() if curve}
    for name, curve in shown.items():
        look = {"color": GREY, "alpha": 0.7, "linewidth": 1}
        if name == current:
            look = {"color": VIOLET, "linewidth": 2.2, "zorder": 3}
        ax.plot(*zip(*curve, strict=True), **look)
    _, most = ax.set_ylim(bottom=0)
    _, last = ax.set_xlim(left=0)
    heading, said = short_names(list(shown))
    if len(shown) > 1:
        heading += " (violet: this run, grey: the others)"
    ax.set_title(heading, loc="left", fontsize=10)
    beside = ax.get_yaxis_transform()  # x in widths of the plot, y in nats
    ends = {name: curve[-1] for name, curve in shown.items()}
    for name, height in spread_labels({n: loss for n, (_, loss) in ends.items()}, 0.075 * most).items():
        step, loss = ends[name]
        color, weight = (VIOLET, "bold") if name == current else (GREY, "normal")
        ax.plot([step, last], [loss, loss], color=color, linewidth=0.7, linestyle=":")
        ax.plot([1, 1.06], [loss, height], transform=beside, color=color, linewidth=0.7, clip_on=False)
        ax.text(1.07, height, said[name], transform=beside, va="center", color=color, weight=weight, fontsize=10)
    return as_address(figure, dpi=145)  # as wide as the page


def spread_labels(heights: dict[str, float], least: float) -> dict[str, float]:
    """Move labels that are too near each other.

    Args:
        heights: label → where it belongs, from 0 upwards.
        least: what two of them must be apart.

    Returns:
        Label → where it goes, in the same order from below, none lower than where it belongs.
    """
    found, free = {}, 0.0
    for name, height in sorted(heights.items(), key=lambda item: item[1]):
        found[name] = max(height, free)
        free = found[name] + least
    return found


def short_names(names: list[str]) -> tuple[str, dict[str, str]]:
    """What tells runs apart, without what they share.

    Args:
        names: as `named` writes them.

    Returns:
        The settings in which they differ (all, if there is one run), below each other; name → its values.
    """
    rows = {name: dict(part.rsplit(" ", 1) for part in name.split(", ")) for name in names}
    settings = list(dict.fromkeys(key for row in rows.values() for key in row))
    differ = [s for s in settings if len({row.get(s) for row in rows.values()}) > 1] or settings
    return " · ".join(differ), {name: " · ".join(row.get(s, "–") for s in differ) for name, row in rows.items()}


def named(choice: dict) -> str:
    """A run's name: "heads 4, width 8"."""
    return ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in choice.items())


class Retrain(Workbench):
    """Trains a model again with the settings that the reader chooses, and draws its loss beside those of other runs.

        Retrain(lambda heads, seed: …, stored_results("retrained")["heads"], heads=[1, 2, 4], seed=range(5))

    Args:
        run: trains with one value of each choice, and returns a sentence about the result. Every training in it that
            goes through `attnbook.training.train` is watched and can be stopped.
        stored: finished runs as dicts: `choice`, `curve` (pairs of step and loss) and `says`.
        title: a few words.
        choices: argument → the values it may take, a list or a range.

    Attributes:
        start, stop, bar: the buttons and the progress bar.
        controls: argument → its control.
        curves: name of a run → its curve, the stored ones first.
    """

    def __init__(self, run: Callable[..., str], stored: list[dict], title: str, **choices):
        self.run, self._thread, self._stopping = run, None, threading.Event()
        self.curves = {named(one["choice"]): one["curve"] for one in stored}
        frames = [self._frame(named(one["choice"]), one["says"]) for one in stored]
        self.controls = {name: choosing(name, values) for name, values in choices.items()}
        for name, value in stored[0]["choice"].items():
            self.controls[name].value = value
        self.start = ipywidgets.Button(description="Train", button_style="primary")
        self.stop = ipywidgets.Button(description="Stop", disabled=True)
        self.bar = ipywidgets.FloatProgress(value=0, min=0, max=1, description="progress")
        self.picture = ipywidgets.HTML(frames[0].to_html())
        self.start.on_click(lambda _: self.begin())
        self.stop.on_click(lambda _: self._stopping.set())
        buttons = ipywidgets.HBox([self.start, self.stop, self.bar])
        box = ipywidgets.VBox([*self.controls.values(), buttons, self.picture])
        hint = "Here are a few finished runs to choose from. In JupyterLab you can train with other settings."
        super().__init__(title, hint, frames, box)

    def _frame(self, name: str, says: str) -> Frame:
        ends = f"from {self.curves[name][0][1]:.2f} to {self.curves[name][-1][1]:.2f}" if self.curves[name] else "empty"
        alt = f"The loss against the step, {name}: {ends}. Other runs in grey, each with its settings at its end."
        return Frame(name, [says], draw_curves(self.curves, name), alt)

    def begin(self) -> None:
        """Train with the chosen settings, in a thread of its own, so that the buttons answer."""
        if self._thread is not None and self._thread.is_alive():
            return
        self._stopping.clear()
        self.start.disabled, self.stop.disabled, self.bar.value = True, False, 0.0
        choice = {name: control.value for name, control in self.controls.items()}
        self._thread = threading.Thread(target=self._work, args=[choice], daemon=True)
        self._thread.start()

    def wait(self) -> None:
        """Wait until the training that runs has ended."""
        if self._thread is not None:
            self._thread.join()

    def _work(self, choice: dict) -> None:
        name, drawn = named(choice), time.monotonic()
        self.curves.pop(name, None)  # the newest run is drawn last
        self.curves[name] = []

        def look(losses: list[float], part: float) -> None:
            nonlocal drawn
            if self._stopping.is_set():
                raise Stopped
            if part < 1 and time.monotonic() - drawn < PAUSE:
                return
            self.bar.value, self.curves[name] = part, thinned(losses)
            said = f"Step {len(losses)}, loss {losses[-1]:.3f}"
            self.picture.value = self._frame(name, said).to_html()
            drawn = time.monotonic()

        try:
            with watched(look):
                said = self.run(**choice)
        except Stopped:
            said = "Stopped."
        except Exception as error:  # the reader's settings, or the reader's own function
            said = f"It ended with {type(error).__name__}: {error}"
        finally:
            self.start.disabled, self.stop.disabled = False, True
        self.picture.value = self._frame(name, said).to_html()
