"""Every drawing, wide and narrow: nothing is cut off, no words lie on others, and it says what is to be seen."""

import re
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page

from attnbook import drawings
from attnbook.drawings import Picture, Sheet, drawing, shade
from boxes import BOXES, overlap

CHAPTERS = Path(__file__).parents[2] / "chapters" / "text"
PICTURES = {name: found for name in drawings.__all__ if hasattr(found := getattr(drawings, name), "__wrapped__")}


@pytest.fixture(scope="module")
def page(browser) -> Page:
    page = browser.new_page()
    yield page
    page.close()


@pytest.mark.browser
@pytest.mark.parametrize("number", [0, 1], ids=["wide", "narrow"])
@pytest.mark.parametrize("name", PICTURES)
def test_words_can_be_read(page, name, number):
    sheet = PICTURES[name]().sheets[number]
    words = page.evaluate(BOXES, sheet.svg())
    out = [w for w in words if w["left"] < 0 or w["top"] < 0 or w["right"] > sheet.width]
    assert out == []
    assert [w for w in words if w["size"] < 12] == []
    assert [(a["words"], b["words"]) for a, b in combinations(words, 2) if overlap(a, b)] == []


@pytest.mark.parametrize("name", PICTURES)
def test_nothing_is_cut_off(name):
    for sheet in PICTURES[name]().sheets:
        root = ElementTree.fromstring(sheet.svg())
        across = []
        for part in root:
            tag = part.tag.split("}")[1]
            if tag == "rect":
                across += [float(part.get("x")), float(part.get("x")) + float(part.get("width"))]
            elif tag == "circle":
                across += [float(part.get("cx")) + sign * float(part.get("r")) for sign in (-1, 1)]
            elif tag in ("path", "polygon"):
                way = re.findall(r"(-?[\d.]+),(-?[\d.]+)", part.get("d") or part.get("points"))
                across += [float(x) for x, _ in way]
        assert min(across) >= 0 and max(across) <= sheet.width


@pytest.mark.parametrize("name", PICTURES)
def test_a_page_shows_it_and_it_is_described(name):
    picture = PICTURES[name]()
    assert len(picture.alt) > 60 and picture.alt.endswith(".")
    assert any(re.search(rf"^{name}\(\)$", page.read_text("utf-8"), re.M) for page in CHAPTERS.glob("*.md"))


def test_a_sheet_is_as_high_as_what_stands_on_it():
    sheet = Sheet(340)
    sheet.box(10, 10, 50, 80)
    assert 'height="96"' in sheet.svg()


def test_words_are_lowered_and_raised():
    sheet = Sheet(340)
    sheet.text(0, 20, "W_O x^{T}<")
    assert '>W<tspan dy="3.8" font-size="11.3">O</tspan><tspan dy="-3.8"> x</tspan>' in sheet.svg()
    assert ">T</tspan>" in sheet.svg() and "&lt;" in sheet.svg()


def test_the_shade_of_a_weight_is_the_one_of_the_heat_maps():
    from matplotlib.colors import to_hex

    from attnbook.page import WEIGHTS

    def channels(colour):
        return [int(colour[at : at + 2], 16) for at in (1, 3, 5)]

    for percent in range(0, 101, 5):
        expected, came = (channels(to_hex(WEIGHTS(percent / 100))), channels(shade(percent / 100)))
        assert max(abs(a - b) for a, b in zip(expected, came, strict=True)) <= 2


def test_a_page_chooses_between_two_widths():
    @drawing("A line.")
    def line(sheet):
        sheet.line((0, 0), (sheet.width, 10))

    picture = line()
    assert isinstance(picture, Picture) and repr(picture) == "A line."
    shown = picture._repr_html_()
    assert 'alt="A line."' in shown
    assert "L700,10" not in shown and "L340%2C10" in shown and "L700%2C10" in shown
    assert " " not in re.search(r'srcset="([^"]*)"', shown)[1]  # which would end the address
