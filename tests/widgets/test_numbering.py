"""Readers count layers and heads from 1: no figure, whatever is chosen in it, and no text names a head 0."""

import re
from pathlib import Path

import pytest

from attnbook import widgets
from attnbook.widgets import FIGURES

CHAPTERS = Path(__file__).parents[2] / "chapters"
FROM_ZERO = re.compile(r"\b(head|layer)s? 0\b", re.IGNORECASE)
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
TEXTS = """() => [...document.querySelectorAll(".ab-card *")].flatMap((node) => [
  node.children.length ? "" : node.textContent, node.getAttribute("aria-label"), node.getAttribute("aria-valuetext"),
]).filter(Boolean)"""


def require_from_one(page):
    texts = page.page.evaluate(TEXTS)
    assert texts and not [text for text in texts if FROM_ZERO.search(text)]
    return texts


@pytest.mark.parametrize("name", FIGURES)
def test_figures_count_from_one(open_figure, name):
    figure = getattr(widgets, name)()
    assert not FROM_ZERO.search(figure.alt_text())
    page = open_figure(figure)
    if not any(re.search("head|layer", text) for text in require_from_one(page)):
        return
    for option in page.page.locator("select[data-control] option:enabled").all():
        select = option.locator("..")
        if select.is_visible():
            select.select_option(option.get_attribute("value"))
            page.settle()
            require_from_one(page)
    for control in page.page.locator("input[type=range][data-control]").all():
        for key in ("Home", "End") if control.is_visible() else ():
            control.press(key)
            page.settle()
            require_from_one(page)


def test_the_first_head_of_the_shape_tracer_is_head_1(open_figure):
    """As its chapter calls it; its colours and marks stay."""
    page = open_figure(widgets.ShapeTracerFigure(cell=[0, 0]))
    assert {"head 1", "head 2"} <= {*require_from_one(page)}
    assert "It belongs to head 1" in page.page.locator(".ab-said").inner_text()


def test_fallback_pictures_count_from_one():
    folder = Path(widgets.__file__).parent
    for picture in folder.glob("*/fallback.svg"):
        assert not FROM_ZERO.search(picture.read_text("utf-8")), picture


@pytest.mark.parametrize("chapter", sorted(CHAPTERS.glob("**/*.md")), ids=lambda path: path.stem)
def test_texts_count_from_one(chapter):
    """Outside of code, where an index is one."""
    assert not FROM_ZERO.findall(CODE.sub("", chapter.read_text("utf-8")))
