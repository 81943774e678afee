"""A figure's state in the address: written by its link, read when the page is opened, harmless if it is nonsense."""

import pytest

from attnbook.widgets import MaskBuilderFigure, TrainWidthFigure

BROKEN = [
    "w0-4000--lr-77--step-1000",  # beyond the ends of the controls
    "w0--lr-x--step--1--__proto__-3--reset-1",
    "title-3--nobody-1",
]


@pytest.fixture
def at(open_figure):
    """A function: figure, its state in the address → the page, opened anew with that address."""

    def visit(figure, state):
        page = open_figure(figure)
        page.page.goto("about:blank")
        page.page.go_back()
        page.page.evaluate("(state) => { location.hash = state }", state)
        page.page.reload()
        page.page.wait_for_timeout(100)
        page.settle()
        return page

    return visit


def states(page, *names):
    return [page.state(name) for name in names]


def test_the_link_leads_back_to_the_state(open_figure):
    page = open_figure(TrainWidthFigure())
    page.slide("w0", 9)
    page.choose("lr", "0.05")
    page.slide("step", 3)
    page.page.get_by_role("link", name="Link to this state").click()
    assert page.page.url.endswith("#fig-train_width--w0-9--lr-1--step-3")
    page.reset()
    page.page.reload()
    page.page.wait_for_timeout(100)
    assert states(page, "w0", "lr", "step") == [1.0, 0.05, 3]


def test_checkboxes_lists_and_numbers(at):
    page = at(MaskBuilderFigure(), "fig-mask_builder--valid_len-3--causal-1--policy-2")
    fresh = MaskBuilderFigure()
    assert states(page, "valid_len", "causal") == [3, True]
    assert page.state("policy") != fresh.policy
    assert page.state("scores") == fresh.scores  # what the address does not name stays


def test_what_no_control_can_do_does_not_happen(at):
    for state in BROKEN:
        page = at(TrainWidthFigure(), f"fig-train_width--{state}")
        w0, lr, step = states(page, "w0", "lr", "step")
        assert 0.1 <= w0 <= 6 and lr == 0.5 and 0 <= step <= 100
        assert page.live


def test_another_figures_address_changes_nothing(at):
    page = at(TrainWidthFigure(), "fig-mask_builder--step-7")
    assert page.state("step") == 0
