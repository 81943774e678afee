"""Rotary positions: the browser's numbers are the package's, and words in front change no score."""

import numpy as np
import pytest
import torch

from attnbook.attention import rotate
from attnbook.widgets import RotaryPositionsFigure

STATES = [
    {},
    {"query": [0.6, -1.1], "key": [-0.3, 0.9], "query_place": 0, "key_place": 20, "front": 100},
    {"omega": 0.1, "query_place": 17, "key_place": 4, "front": 63},
    {"query": [0.0, 0.0]},
]


def expected(figure):
    """Query and key as the package turns them; a pair alone has the frequency 1, so ω goes into the positions."""
    pairs = torch.tensor([figure.query, figure.key], dtype=torch.float64)
    places = torch.tensor([figure.query_place, figure.key_place]) + figure.front
    return rotate(pairs, places * figure.omega).numpy()


@pytest.mark.parametrize("state", STATES)
def test_the_browser_turns_as_the_package_does(open_figure, state):
    figure = RotaryPositionsFigure(**state)
    page = open_figure(figure)
    query, key = expected(figure)
    assert page.read("score") == pytest.approx(query @ key, abs=1e-6)
    assert page.read("distance") == figure.key_place - figure.query_place
    if query.any():
        size = np.linalg.norm(query) * np.linalg.norm(key)
        assert page.read("angle") == pytest.approx(np.arccos(query @ key / size), abs=1e-5)
    view = {"query": figure.query, "key": figure.key, "omega": figure.omega}
    assert page.math("scoreAt", view, page.read("distance")) == pytest.approx(query @ key, abs=1e-6)


def test_the_numbers_that_the_chapter_works_by_hand(open_figure):
    page = open_figure(RotaryPositionsFigure())
    assert page.text("score") == "−0.416" and page.text("angle") == "2.00"
    page.set(front=100)
    assert page.text("score") == "−0.416" and page.text("angle") == "2.00"
    page.set(key_place=1)
    assert page.text("score") == "−0.654"


def test_words_in_front_turn_the_arrows_and_leave_the_score(open_figure):
    page = open_figure(RotaryPositionsFigure(query=[1.2, 0.4]))
    arrow = lambda: page.page.locator("svg").nth(1).inner_html()  # noqa: E731
    dot = lambda: page.page.locator("svg").nth(2).locator("circle").first.get_attribute("cy")  # noqa: E731
    before = arrow(), dot()
    page.slide("front", 37)
    assert arrow() != before[0] and dot() == before[1]
    assert "with 37 words in front as with none" in page.page.locator(".ab-said").inner_text()


def test_query_and_key_move_along_the_row_by_keyboard(open_figure):
    page = open_figure(RotaryPositionsFigure())
    handle = page.page.locator("[data-handle=key_place]")
    handle.press("ArrowRight")
    assert page.state("key_place") == 4
    handle.press("End")
    assert page.state("key_place") == 20 and page.read("distance") == 15
    page.reset()
    assert page.state("key_place") == 3
