"""A figure: where the norm of a layer stands, whether its input is added back, and what that does before training."""

from typing import Any

import traitlets

from ..kit import Figure, checked, figure_data, number_between, one_of, whole_number, yes_or_no

NORMS = ["after", "before", "none"]
MEASURES = ["gradient", "stream", "apart"]
WIRINGS = {
    "post-LN": ("after", True),
    "pre-LN": ("before", True),
    "sum only": ("none", True),
    "post-norm only": ("after", False),
    "pre-norm only": ("before", False),
    "bare layers": ("none", False),
}  # name → where the norm stands, and whether the input is added back


# what `tools/experiments/block_grid.py` measured
GRID = {name: figure_data("block_explorer")[name] for name in ("seeds", "stacks")}


class BlockExplorerFigure(Figure):
    """A Transformer layer whose norm and residual sum can be moved and taken out, and what 2 to 12 of them do.

    Args:
        norm: where the layer norm stands: "after" the sum (post-LN), "before" the sublayer (pre-LN), or "none".
        residual: whether the sublayer's input is added to its output.
        depth: L, the number of layers, 2 to 12.
        measure: what is drawn: "gradient" (norm of the gradient of each layer's W_2), "stream" (mean square of the
            stream's entries after each layer) or "apart" (the share of it by which the words of a row differ).
        layer: the layer that is read, 1 to L.
        compare: the wiring that is drawn beside it: "post-LN", "pre-LN", "sum only", "post-norm only", "pre-norm
            only", "bare layers", or "nothing".
        grid: the stored measurements; cannot be set.

    Source:
        Xiong et al. (2020), figures 1 and 3; the numbers are the book's own, see `tools/experiments/block_grid.py`.
    """

    module = "block_explorer"
    alt = """A Transformer layer and what a stack of twelve does before training. Left, the layer as a drawing: a heavy
        line from the input below to the output above, with attention and the network on side branches that end in a
        sum on the heavy line, and a layer norm after each sum. Right, on a logarithmic axis, the gradient of each of
        the twelve layers, as median and middle half of twenty stacks: post-LN rises slightly from the first layer to
        the last, pre-LN falls to less than half. Below, the last layer's gradient in stacks of 2 to 12 layers: it
        grows for post-LN and falls for pre-LN. In the live figure the norm can be moved or removed, the sum can be
        cut, and two more quantities can be drawn."""

    norm = one_of("after", NORMS, "where the layer norm stands")
    residual = yes_or_no(True, "whether the input is added back")
    depth = number_between(12, 2, 12, "the number of layers, L", whole=True)
    measure = one_of("gradient", MEASURES, "what is drawn")
    layer = number_between(12, 1, 12, "the layer that is read", whole=True)
    compare = one_of("pre-LN", [*WIRINGS, "nothing"], "the wiring to compare with")
    _place = one_of("after", NORMS[:2], "where the norm stood last")
    grid = traitlets.Any(GRID).tag(sync=True, made=True)

    @traitlets.default("layer")
    def _last_layer(self) -> int:
        return self.depth

    @traitlets.validate("layer")
    def _check_layer(self, proposal: dict[str, Any]) -> Any:
        depth = self.depth
        what = f"the layer that is read, in a stack of {depth} layers"
        return checked(self, "layer", proposal["value"], whole_number(1, depth), what)

    @traitlets.observe("depth")
    def _keep_the_layer_inside(self, change: dict[str, Any]) -> None:
        self.layer = min(self.layer, self.depth)

    @traitlets.validate("grid")
    def _check_grid(self, proposal: dict[str, Any]) -> Any:
        if proposal["value"] != GRID:
            raise ValueError(
                "BlockExplorerFigure.grid is what tools/experiments/block_grid.py measured; it cannot be set. "
                "Run that script to measure anew"
            )
        return proposal["value"]
