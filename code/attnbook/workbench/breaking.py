"""Break a function: make one of its known mistakes, or another, and see which claims fail."""

from collections.abc import Callable

import ipywidgets
import torch
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from attnbook.exercises import get
from attnbook.exercises.checker import judge
from attnbook.exercises.edits import code, compiled, edited_code
from attnbook.exercises.guard import SECONDS, TooLong, time_limit
from attnbook.page import INK, KEY, QUERY, WEIGHTS

from .frames import Frame, Workbench, as_address

NONE = "no mistake"
FRAME = {"fill": False, "edgecolor": KEY, "linewidth": 1.8}


def draw_tables(tables: dict[str, torch.Tensor], rows: list[str] | None = None) -> str:
    """Draw small tables of weights side by side, with their numbers and the sums of their rows.

    Cells that differ from the first table's have a frame.

    Args:
        tables: title → (rows, columns).
        rows: names of the rows.

    Returns:
        The picture's address.
    """
    figure = Figure(figsize=(5.2, 2.4), layout="constrained", facecolor="none")
    figure.supxlabel("orange frame: not as it should be", fontsize=11)
    first = next(iter(tables.values()))
    axes = figure.subplots(1, len(tables))
    for ax, (title, table) in zip(axes, tables.items(), strict=True):
        ax.imshow(table.numpy(), cmap=WEIGHTS, vmin=0, vmax=1, aspect="auto")
        ax.set(xticks=range(table.shape[1]), yticks=[], facecolor="none")
        ax.tick_params(axis="x", length=0, labelcolor=KEY)
        ax.set_title(title, fontsize=11)
        ax.set_xlabel("keys", color=KEY)
        if rows and ax is axes[0]:
            ax.set_yticks(range(len(table)), rows)
            ax.tick_params(axis="y", length=0, labelcolor=QUERY)
        for i, j in torch.cartesian_prod(*map(torch.arange, table.shape)).tolist():
            ink = "white" if table[i, j] > 0.6 else INK
            words = f"{table[i, j]:.2f}"
            ax.text(j, i, words, ha="center", va="center", color=ink)
            if words != f"{first[i, j]:.2f}":
                ax.add_patch(Rectangle((j - 0.45, i - 0.45), 0.9, 0.9, **FRAME))
        beside = {"ha": "left", "va": "center", "style": "italic", "fontsize": 10}
        for i, total in enumerate(table.sum(-1).tolist()):
            ax.text(table.shape[1] - 0.4, i, f"{total:.2f}", **beside)
        ax.text(table.shape[1] - 0.4, -0.75, "sum", **beside)
    return as_address(figure)


class BreakIt(Workbench):
    """Shows the solution of an exercise to be broken: choose a mistake that its checker knows, or edit the code.

    Args:
        name: the exercise.
        claims: sentence → whether it holds, given the function.
        arguments: on which the function is shown; its result is a table, or a batch of tables with one row each.
        mistakes: names of mistakes to store pictures of, the first of them seen first; the notebook offers all that
            have words.
        rows: names of the tables' rows.

    Attributes:
        mistake, code: the list, and the text that is run.
    """

    def __init__(
        self,
        name: str,
        claims: dict[str, Callable[[Callable], object]],
        arguments: tuple,
        mistakes: list[str],
        rows: list[str] | None = None,
    ):
        self.exercise, self.claims, self.arguments = get(name), claims, arguments
        self.rows = rows
        self.known = {m.name.replace("-", " "): m for m in self.exercise.mistakes if m.says and not callable(m.edit)}
        names = [*(name.replace("-", " ") for name in mistakes), NONE]
        self.mistake = ipywidgets.Dropdown(options=[NONE, *self.known], value=names[0], description="mistake")
        self.code = ipywidgets.Textarea(
            self._code_of(names[0]), description="code", layout=ipywidgets.Layout(width="100%", height="12em")
        )
        button = ipywidgets.Button(description="Run it", button_style="primary")
        self.seen = ipywidgets.HTML()
        self.mistake.observe(self._choose, "value")
        button.on_click(lambda _: self.try_it())
        frames = [self._frame(one, self._code_of(one)) for one in names]
        self.try_it()
        box = ipywidgets.VBox([self.mistake, self.code, button, self.seen])
        hint = "Here are a few mistakes to choose from. In JupyterLab you can edit the code and make your own."
        super().__init__(f"Break {self.exercise.function}", hint, frames, box)

    def _code_of(self, name: str) -> str:
        solution = self.exercise.solution
        return code(solution) if name == NONE else edited_code(solution, self.known[name].edits)

    def _choose(self, change) -> None:
        self.code.value = self._code_of(change["new"])
        self.try_it()

    def try_it(self) -> None:
        """Run the code as it stands, and say which claims hold and what the checker sees."""
        self.seen.value = self._frame("yours", self.code.value, judged=True).to_html()

    def _frame(self, name: str, text: str, judged: bool = False) -> Frame:
        try:
            with time_limit():
                return self._seen(name, text, judged)
        except TooLong:
            return Frame(name, [f"Stopped after {SECONDS} seconds."])
        except Exception as error:  # whatever the reader has written
            return Frame(name, [f"{type(error).__name__}: {error}"])

    def _seen(self, name: str, text: str, judged: bool) -> Frame:
        solution = self.exercise.solution
        function = compiled(solution, text, "<the code above>")
        got, right = (f(*map(torch.clone, self.arguments)).detach().flatten(0, -2) for f in (function, solution))
        original = code(solution).splitlines()
        changed = [line.strip() for line in text.splitlines() if line not in original]
        says = [f"changed: {line}" for line in changed]
        marks = {claim: self._holds(claim, function) for claim in self.claims}
        says += [f"{'✓' if holds else '✗'} {claim}" for claim, holds in marks.items()]
        if judged:
            verdict = judge(self.exercise, function)
            says += [f"The checker: {verdict.about}", *verdict.says.splitlines()]
        rows = "; ".join(" ".join(f"{x:.2f}" for x in row) for row in got.tolist())
        alt = f"Two tables of weights: right, and with {name}: {rows}."
        return Frame(name, says, draw_tables({"right": right, name: got}, self.rows), alt)

    def _holds(self, claim: str, function: Callable) -> bool:
        try:
            return bool(self.claims[claim](function))
        except Exception:  # a broken function may raise anything
            return False
