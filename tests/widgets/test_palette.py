"""The figures have one palette, the kit's: its colours, in both themes, and none besides."""

import re

import pytest

from attnbook.page import style
from attnbook.widgets.kit import KIT, WIDGETS

CSS = (KIT / "figures.css").read_text("utf-8")
LITERAL = re.compile(r"#[0-9a-fA-F]{3,8}\b(?!-)|\b(?:rgba?|hsla?)\([^)]*\)")
NAMED = re.compile(
    r"\b(?:fill|stroke|colou?r|background)[\"']?\s*[:=]\s*[\"']?"
    r"(?!none|transparent|inherit|currentColor|var\b|url\b)([a-z]+)[\"';]"
)
FIGURES = sorted(path for path in WIDGETS.rglob("*") if path.suffix in (".js", ".py") and path.parent != KIT)


def variables(head):
    """The variables that a rule of figures.css sets."""
    rule = CSS[CSS.index(head) :]
    rule = rule[: rule.index("}")]
    return dict(re.findall(r"--ab-([\w-]+): (#[0-9a-f]{6});", rule))


LIGHT, DARK = variables(":root {"), variables('html[data-theme="dark"],')
KIT_SOURCE = (KIT / "kit.js").read_text("utf-8")
HEADS = re.search(r"heads: \[(.*)\]", KIT_SOURCE)[1].lower()
PALETTE = {*LIGHT.values(), *re.findall(r"#[0-9a-f]{6}", HEADS)}


def strangers(source):
    """The colours in a source that are not the palette's."""
    literals = [c for c in LITERAL.findall(source) if "{" not in c]  # computed from the palette
    return [c for c in literals if c.lower() not in PALETTE] + NAMED.findall(source)


@pytest.mark.parametrize("path", FIGURES, ids=[str(path.relative_to(WIDGETS)) for path in FIGURES])
def test_a_figure_has_no_colour_of_its_own(path):
    assert strangers(path.read_text("utf-8")) == []


@pytest.mark.parametrize("source", ['{ fill: "#123456" }', "{ stroke: 'red' }", "color:teal;", "rgb(1, 2, 3)", "#abc"])
def test_a_stranger_is_seen(source):
    assert len(strangers(source)) == 1


def test_every_colour_is_there_in_both_themes_and_falls_back_to_the_light_one():
    used = {}
    for path in [*WIDGETS.rglob("*.js")]:
        found = re.findall(r"var\(--ab-([\w-]+)(?:,\s*([^)]*))?\)", path.read_text("utf-8"))
        for name, fallback in found:
            used.setdefault(name, set()).add(fallback.lower())
    for name, fallbacks in used.items():
        if name not in ("part", "digits", "letters", "bar"):  # lengths, numbers
            assert name in LIGHT and name in DARK
            assert fallbacks <= {"", LIGHT[name]}
    assert len(used) > 12


def test_the_palette_is_that_of_the_plots():
    for name in ("query", "key", "value", "output", "masked"):
        assert LIGHT[name] == getattr(style, name.upper()).lower()
