"""A figure: the tensors of multi-head attention, shape by shape, and which number goes to which head."""

from typing import Any

import traitlets

from ..kit import Figure, checked, number_between, one_of, record, whole_number, yes_or_no

POSITIONS = [2, 3, 4, 5, 6]
SIZES = [4, 6, 8, 12]
HEADS = [1, 2, 3, 4]
INDEX = whole_number(0, max(*POSITIONS, *SIZES) - 1)
CELL = record("a cell", "cells", INDEX, INDEX)
STEPS = ["project", "split", "transpose", "attend", "merge", "W_O"]


class ShapeTracerFigure(Figure):
    """Multi-head self-attention on one sequence, step by step, with every number of the tensor drawn as a cell.

    Args:
        num_positions: T, the length of the sequence, 2 to 6. The batch is one sequence.
        d_model: D, the features of a position: 4, 6, 8 or 12.
        num_heads: H, 1 to 4, a divisor of `d_model`.
        step: 0 to 5: project, split, transpose, attend, merge, W_O.
        wrong_order: whether the tensor is cut by `view(B, H, T, Dh)` at once, without the transpose.
        cell: the cell that is followed, [position, feature] right after the projection.

    Raises:
        TypeError, ValueError: a value of the wrong kind or outside its limits, or heads that do not divide the
            features; the message names what would fit.

    Source:
        Vaswani et al. (2017), §3.2.2: our T, D, H are their n, d_model, h, and D/H their d_k = d_v.
    """

    module = "shape_tracer"

    num_positions = one_of(4, POSITIONS, "the length of the sequence, T")
    d_model = one_of(8, SIZES, "the number of features, D")
    num_heads = one_of(2, HEADS, "the number of heads, H")
    step = number_between(0, 0, len(STEPS) - 1, "the step that is drawn", whole=True)
    wrong_order = yes_or_no(False, "whether the tensor is viewed as (B, H, T, Dh) without a transpose")
    cell = traitlets.Any().tag(sync=True, kind=CELL)

    @traitlets.validate("d_model", "num_heads")
    def _check_division(self, proposal: dict[str, Any]) -> Any:
        sizes = {"d_model": self.d_model, "num_heads": self.num_heads}
        check_division(**{**sizes, proposal["trait"].name: proposal["value"]})
        return proposal["value"]

    @traitlets.default("cell")
    def _first_cell(self) -> list[int]:
        return [min(1, self.num_positions - 1), min(5, self.d_model - 1)]

    @traitlets.validate("cell")
    def _check_cell(self, proposal: dict[str, Any]) -> Any:
        t, d = self.num_positions, self.d_model
        words = f"[position, feature], whole numbers from 0 to {t - 1} and from 0 to {d - 1}"
        kind = record(words, words, whole_number(0, t - 1), whole_number(0, d - 1))
        return checked(self, "cell", proposal["value"], kind, "the cell that is followed")

    @traitlets.observe("num_positions", "d_model")
    def _keep_the_cell_inside(self, change: dict[str, Any]) -> None:
        inside = [min(self.cell[0], self.num_positions - 1), min(self.cell[1], self.d_model - 1)]
        if inside != list(self.cell):
            self.cell = inside

    def alt_text(self) -> str:
        """What the figure shows, in words."""
        t, d, h = self.num_positions, self.d_model, self.num_heads
        return (
            f"Shape tracer of multi-head attention with {t} positions, {d} features and {h} heads. On top the six "
            f"steps with their shapes: project (1, {t}, {d}), split (1, {t}, {h}, {d // h}), transpose "
            f"(1, {h}, {t}, {d // h}), attend, merge (1, {t}, {d}), and the output map. Below, the tensor of the "
            "chosen step as a table of cells, each named by its position, a letter, and its feature, a number, and "
            "coloured and marked by its head. In the live figure a cell can be followed through all steps, "
            "and a switch leaves the transpose out: the shapes stay right, and numbers go to the wrong heads."
        )


def check_division(d_model: int, num_heads: int) -> None:
    """Raise ValueError where the heads do not divide the features, and say which numbers would fit."""
    if d_model % num_heads == 0:
        return
    heads = ", ".join(str(h) for h in HEADS if d_model % h == 0)
    sizes = ", ".join(str(d) for d in SIZES if d % num_heads == 0)
    raise ValueError(
        f"ShapeTracerFigure.d_model is {d_model}, which is not divisible by num_heads {num_heads}: each head gets "
        f"d_model / num_heads features; take {heads} heads, or {sizes} features"
    )
