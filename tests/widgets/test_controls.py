"""What is moved stands below the controls that move it, and on a phone the controls stay in sight."""

import pytest

from attnbook import widgets

OTHER = {"TranslatePageFigure"}  # its sentence is typed above them


@pytest.mark.parametrize("width", [390, 1000])
@pytest.mark.parametrize("name", sorted(set(widgets.FIGURES) - OTHER))
def test_the_controls_stand_above_the_drawing_in_sight(open_figure, name, width):
    page = open_figure(getattr(widgets, name)(), width=width)
    controls = page.page.locator(".ab-controls").first.bounding_box()
    drawing = page.page.locator(".ab-stages").first.bounding_box()
    assert controls["y"] + controls["height"] <= drawing["y"]
    assert drawing["y"] - controls["y"] < 400  # half a phone's screen, at most
    assert page.page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("name", widgets.FIGURES)
def test_on_a_phone_the_controls_stay_in_sight_of_every_drawing(open_figure, name):
    page = open_figure(getattr(widgets, name)(), width=390)
    page.page.wait_for_selector('.ab-card:not([aria-busy="true"])')
    seen = page.page.evaluate(
        """() => [...document.querySelectorAll(".ab-stage")].filter((s) => s.offsetHeight).map((stage) => {
            const controls = stage.closest(".ab-card").querySelector(".ab-controls:not([hidden])");
            if (!controls) return null;
            stage.scrollIntoView({ block: "center" });
            const { top, bottom } = controls.getBoundingClientRect();
            return { top, hidden: innerHeight - bottom, part: (bottom - top) / innerHeight };
        }).filter(Boolean)"""
    )
    assert all(at["top"] >= 0 and at["hidden"] >= 0 for at in seen), seen
    assert all(at["part"] <= 0.2 for at in seen), seen  # four fifths are left
