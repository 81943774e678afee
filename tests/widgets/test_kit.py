"""The kit in a browser: its numbers against Python's, its handles by mouse and keyboard, its drawing."""

import numpy as np
import pytest

from attnbook.page import SIGNED, WEIGHTS
from attnbook.widgets.kit.samples import seeded_normals, seeded_uniforms

# A handle that moves in a plane, one that moves along x only, and a list of circles as long as `count` says.
PROBE = """
import { figure } from "../kit/card.js";
import { range } from "../kit/kit.js";
import { linear } from "../kit/paint.js";
function render({ model, el }) {
  const fig = figure({ model, el, title: "probe" });
  globalThis.probe = { draws: 0, created: [] };
  fig.stage({ label: "probe", height: 300, draw(p, { at, count }) {
    probe.draws += 1;
    const x = linear([0, 10], [50, 450]), y = linear([0, 10], [250, 50]);
    range(count).forEach((i) => p.circle(`c${i}`, 20 + 5 * i, 20, 2));
    p.handle("free", { x, y, at, step: [0.5, 0.25], label: "free point",
      onMove: (place) => fig.set({ at: place }) });
    p.handle("bound", { x, y: null, at: [at[0], 280], axis: "x", step: 0.5, min: [2, 0], max: [8, 0],
      label: "bound point", onMove: ([v]) => fig.set({ at: [v, at[1]] }) });
  } });
  fig.slider("count", { label: "count", min: 0, max: 20 });
  fig.output("x", { label: "x", digits: 1 });
  fig.reset(["at"]);
  return fig.start((state) => { fig.show({ x: state("at")[0] }); return { at: state("at"), count: state("count") }; });
}
export default { render };
"""


@pytest.fixture
def probe(open_module):
    return open_module(PROBE, {"at": [5, 5], "count": 3})


# -- numbers (the browser's are in tests/javascript) --


def test_random_numbers_look_normal():
    xs = seeded_normals(3, 200_000)
    assert abs(xs.mean()) < 0.01 and abs(xs.var() - 1) < 0.02
    assert abs((xs**4).mean() - 3) < 0.1  # the kurtosis of a normal distribution
    assert abs(np.corrcoef(xs[:-1], xs[1:])[0, 1]) < 0.01
    assert abs(np.corrcoef(xs, seeded_normals(4, 200_000))[0, 1]) < 0.01
    assert len(seeded_normals(0, 7)) == 7
    with pytest.raises(ValueError, match="0 or more; got seed -1"):
        seeded_uniforms(-1, 5)


@pytest.mark.parametrize(
    "fill, plots, number",
    [
        *(("weightFill", WEIGHTS, x) for x in (0, 0.2, 0.5, 0.8, 1)),
        *(("signedFill", SIGNED, x) for x in (-1, -0.4, 0, 0.3, 1)),
    ],
)
def test_numbers_have_the_plots_colours(in_node, fill, plots, number):
    light = in_node("kit/kit.js", fill, number).split("rgb(")[1].rstrip(")")
    rgb = [int(part) for part in light.split(",")]
    place = number if plots is WEIGHTS else (number + 1) / 2
    assert np.allclose(rgb, np.array(plots(float(place))[:3]) * 255, atol=2)


# -- handles --


def test_a_handle_moves_by_mouse(probe):
    probe.drag("free", 80, -40)  # 40 px are one unit across, 20 px one unit up; the page may scale a little
    scale = probe.page.evaluate("document.querySelector('.ab-stage svg').getScreenCTM().a")
    assert probe.state("at") == pytest.approx([5 + 2 / scale, 5 + 2 / scale], abs=0.05)
    assert probe.read("x") == probe.state("at")[0]


def test_a_handle_moves_by_keyboard(probe):
    probe.press("free", "ArrowRight", "ArrowUp")
    assert probe.state("at") == [5.5, 5.25]
    probe.press("free", "Shift+ArrowLeft", "Shift+ArrowDown")
    assert probe.state("at") == [3, 4]
    assert probe.page.evaluate("document.activeElement.dataset.handle") == "free"  # it is still in hand


def test_a_handle_keeps_to_its_limits_and_its_axis(probe):
    probe.drag("bound", 400, -150)
    assert probe.state("at") == [8, 5]
    probe.press("bound", "Home")
    assert probe.state("at") == [2, 5]
    probe.press("bound", "ArrowLeft", "ArrowUp", "ArrowUp")  # up is more, also along a horizontal axis
    assert probe.state("at") == [3, 5]
    probe.press("bound", "End")
    assert probe.state("at") == [8, 5]


def test_a_handle_is_a_slider_for_screen_readers(probe):
    handle = probe.handle("bound")
    probe.press("bound", "ArrowRight")
    names = ["role", "tabindex", "aria-label", "aria-valuenow", "aria-valuemin", "aria-valuemax"]
    assert [handle.get_attribute(name) for name in names] == ["slider", "0", "bound point", "5.5", "2", "8"]
    assert handle.get_attribute("aria-valuetext")


# -- drawing and controls --


def test_elements_stay_while_others_come_and_go(probe):
    probe.page.evaluate("globalThis.kept = document.querySelector('[data-handle=free]')")
    probe.press("free", "ArrowRight")
    for count in (0, 7, 2):
        probe.slide("count", count)
        assert probe.page.locator(".ab-stage svg > circle").count() == count
    assert probe.page.evaluate("kept === document.querySelector('[data-handle=free]')")
    order = probe.page.evaluate("[...document.querySelector('.ab-stage svg').children].map((n) => n.localName)")
    assert order == ["circle", "circle", "g", "g"]


def test_several_changes_in_one_go_are_drawn_once(probe):
    before = probe.page.evaluate("probe.draws")
    probe.set(at=[1, 1], count=9)
    assert probe.page.evaluate("probe.draws") == before + 1


def test_reset_restores_every_trait(probe):
    probe.press("free", "ArrowRight")
    probe.slide("count", 11)
    assert (probe.state("at"), probe.state("count")) == ([5.5, 5], 11)
    probe.reset()
    assert (probe.state("at"), probe.state("count")) == ([5, 5], 3)
    assert probe.page.locator("input").input_value() == "3"


FOLDED = """
import { figure } from "../kit/card.js";
function render({ model, el }) {
  const fig = figure({ model, el, title: "probe" });
  fig.stage({ label: "probe", height: 50, draw() {} });
  fig.slider("main", { label: "main", min: 0, max: 9 });
  fig.more();
  fig.slider("other", { label: "other", min: 0, max: 9 });
  return fig.start(() => ({}));
}
export default { render };
"""


def test_a_phone_folds_what_stands_below_more(open_module):
    page = open_module(FOLDED, {"main": 1, "other": 2}, width=390)
    more = page.page.get_by_role("button", name="More settings")
    other = page.page.locator('[data-control="other"]')
    assert page.page.locator('[data-control="main"]').is_visible() and not other.is_visible()
    more.press("Enter")
    assert other.is_visible()
    panel = page.page.locator(".ab-controls")
    assert panel.evaluate("p => getComputedStyle(p).position") == "static"
    page.page.get_by_role("button", name="Fewer settings", expanded=True).click()
    assert not other.is_visible()


def test_a_wide_page_shows_all_controls(open_module):
    page = open_module(FOLDED, {"main": 1, "other": 2})
    assert page.page.locator('[data-control="other"]').is_visible()
    assert not page.page.locator(".ab-more").is_visible()


def test_the_drawing_follows_the_width_of_the_page(probe):
    probe.page.set_viewport_size({"width": 390, "height": 800})
    probe.settle()
    box = probe.page.evaluate("document.querySelector('.ab-stage svg').getAttribute('viewBox')")
    assert int(box.split()[2]) < 390
    assert probe.page.evaluate("document.querySelector('.ab-stage svg').getScreenCTM().a") == pytest.approx(1, abs=0.02)


def test_taking_a_figure_down_leaves_nothing(probe):
    probe.page.evaluate("document.querySelector('.attnbook-figure').abStop()")
    before = probe.page.evaluate("probe.draws")
    probe.set(count=5)
    assert probe.page.evaluate("probe.draws") == before
    assert probe.page.locator(".ab-card").count() == 0


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        ("p.circle('a', 1, 1, 1); p.circle('a', 2, 2, 2);", 'the key "a" is drawn twice'),
        ("p.circle('a', NaN, 1, 1);", '"a": cx is NaN'),
        ("p.mark('a', 'star', 1, 1, 1);", 'no mark of shape "star"'),
    ],
)
def test_drawing_mistakes_are_named_and_leave_the_picture(open_module, draw, message):
    source = f"""
      import {{ figure }} from "../kit/card.js";
      function render({{ model, el }}) {{
        const fig = figure({{ model, el, title: "wrong" }});
        fig.stage({{ draw(p) {{ {draw} }} }});
        return fig.start(() => null);
      }}
      export default {{ render }};"""
    page = open_module(source, {})
    (problem,) = page.problems
    page.problems.clear()
    assert message in problem and "stays a picture" in problem
    assert not page.live
    assert page.page.locator(".attnbook-figure > img").count() == 1
    assert page.page.locator(".ab-card").count() == 0
