"""What is moved stands below the controls that move it."""

import pytest

from attnbook import widgets

ABOVE = [
    "AttentionPatternsFigure",
    "BlockExplorerFigure",
    "KernelRegressionFigure",
    "MaskBuilderFigure",
    "PositionExplorerFigure",
    "QueryKeyValueFigure",
    "SaturationFigure",
    "ScoreFunctionsFigure",
    "TrainWidthFigure",
]


@pytest.mark.parametrize("width", [390, 1000])
@pytest.mark.parametrize("name", ABOVE)
def test_the_controls_stand_above_the_drawing_in_sight(open_figure, name, width):
    page = open_figure(getattr(widgets, name)(), width=width)
    controls = page.page.locator(".ab-controls").first.bounding_box()
    drawing = page.page.locator(".ab-stages").first.bounding_box()
    assert controls["y"] + controls["height"] <= drawing["y"]
    assert drawing["y"] - controls["y"] < 400  # half a phone's screen, at most
    assert page.page.evaluate("document.documentElement.scrollWidth") <= width
