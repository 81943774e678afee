"""The book's interactive figures; each class is imported only when it is asked for.

Of a value of the wrong kind or outside its limits, given or set later, each raises TypeError or ValueError with a
message that names what would fit.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .kit import Figure

FIGURES = {
    "QueryKeyValueFigure": "query_key_value",
    "KernelRegressionFigure": "kernel_regression",
    "TrainWidthFigure": "train_width",
    "MaskBuilderFigure": "mask_builder",
    "SaturationFigure": "softmax_saturation",
    "ScoreFunctionsFigure": "score_functions",
    "ScoreCostsFigure": "score_costs",
    "ShapeTracerFigure": "shape_tracer",
    "PositionExplorerFigure": "position_explorer",
    "RotaryPositionsFigure": "rotary_positions",
    "TranslatePageFigure": "translate_page",
    "AlignmentReaderFigure": "alignment_reader",
    "BeamTreeFigure": "beam_tree",
    "SamplingExplorerFigure": "sampling_explorer",
    "WritePageFigure": "write_page",
    "BlockExplorerFigure": "block_explorer",
    "AttentionPatternsFigure": "attention_patterns",
    "TileStepperFigure": "tile_stepper",
    "MemoryRegressionFigure": "memory_regression",
    "SpanTableFigure": "span_table",
    "InductionHeadsFigure": "induction_heads",
    "RealSentenceFigure": "real_sentence",
}

TOOLS = {
    "AttentionViewer": "attention_viewer",
    "StoredFrames": "stored_frames",
}  # figures of what they are given: no stored picture, no first state
CLASSES = FIGURES | TOOLS

__all__ = list(CLASSES)


def __getattr__(name: str) -> Any:
    if name not in CLASSES:
        raise AttributeError(f"attnbook.widgets has no {name!r}; the figures are {', '.join(CLASSES)}")
    return getattr(import_module(f"{__name__}.{CLASSES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(list(globals()) + __all__)


def figure_class(module: str) -> type["Figure"]:
    """Find the class of a figure by its module's name.

    Args:
        module: the name of the module, `"query_key_value"` for example.

    Returns:
        The class.

    Raises:
        ValueError: no figure has a module of that name.
    """
    for name, where in CLASSES.items():
        if where == module:
            return __getattr__(name)
    raise ValueError(f"no figure is called {module!r}; there are {', '.join(CLASSES.values())}")
