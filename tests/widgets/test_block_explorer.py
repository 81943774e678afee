"""The block explorer: its numbers are those that were measured, live and stored, and its drawing can be rewired."""

import json
import re

import pytest
import torch

from attnbook.studies import Wiring, layer_gradients, measure_stack
from attnbook.widgets import BlockExplorerFigure
from attnbook.widgets.block_explorer import GRID, MEASURES, WIRINGS
from tools import ROOT


def stack(norm, residual, depth):
    """One entry of the stored grid."""
    found = [s for s in GRID["stacks"] if (s["norm"], s["residual"], s["depth"]) == (norm, residual, depth)]
    assert len(found) == 1
    return found[0]


def medians(norm, residual, depth, measure):
    return [row[1] for row in stack(norm, residual, depth)[measure]]


@pytest.fixture
def page(open_figure):
    return open_figure(BlockExplorerFigure())


def said(page):
    return page.page.locator(".ab-said").inner_text().replace("\u00a0", " ")


# -- the stored grid --


def test_the_grid_is_whole_and_says_where_it_comes_from():
    stored = json.loads((ROOT / "code/attnbook/widgets/block_explorer/data.json").read_text("utf-8"))
    assert stored["command"] == "python -m tools.experiments block_grid --seeds 20"
    assert set(stored["versions"]) == {"python", "torch"} and stored["seeds"] >= 10
    assert len(stored["stacks"]) == 6 * 11
    for norm, residual in WIRINGS.values():
        for depth in range(2, 13):
            entry = stack(norm, residual, depth)
            assert [len(entry[measure]) for measure in MEASURES] == [depth, depth + 1, depth + 1]
            for low, middle, high in [*entry["gradient"], *entry["stream"], *entry["ratio"].values()]:
                assert 0 < low <= middle <= high


@pytest.mark.parametrize(("norm", "residual"), WIRINGS.values(), ids=WIRINGS)
def test_the_grid_is_what_is_measured_now(norm, residual):
    depth = 3
    runs = [measure_stack(norm, residual, depth, seed) for seed in range(GRID["seeds"])]
    entry = stack(norm, residual, depth)
    for measure in MEASURES:
        live = torch.tensor([getattr(run, measure) for run in runs], dtype=torch.float64)
        expected = torch.tensor(entry[measure], dtype=torch.float64).T
        for stored, q in zip(expected, (0.25, 0.5, 0.75), strict=True):
            # three stored digits and another processor's rounding; a share below 1e-10 is rounding alone
            torch.testing.assert_close(live.quantile(q, dim=0), stored, rtol=0.02, atol=1e-10)
    ratios = torch.tensor([run.gradient[-1] / run.gradient[0] for run in runs], dtype=torch.float64)
    assert ratios.quantile(0.5).item() == pytest.approx(entry["ratio"]["gradient"][1], rel=0.05)


@pytest.mark.parametrize(("name", "depth"), [("post-LN", 12), ("pre-LN", 12), ("pre-LN", 4)])
def test_the_grid_agrees_with_the_chapters_own_stored_gradients(name, depth):
    """Two scripts, two files: the same seeds give the same medians."""
    norm, residual = WIRINGS[name]
    rows = json.loads((ROOT / "chapters/results/blocks.json").read_text("utf-8"))["gradients"]
    wanted = [r["by_layer"] for r in rows if r["norm_first"] == (norm == "before") and r["depth"] == depth]
    assert len(wanted) == GRID["seeds"]
    found = torch.tensor(wanted, dtype=torch.float64).quantile(0.5, dim=0)
    assert medians(norm, residual, depth, "gradient") == pytest.approx(found.tolist(), rel=0.01)


# -- what is measured --


@pytest.mark.parametrize(("norm", "first"), [("after", False), ("before", True)])
def test_with_the_sum_the_measurement_is_layer_gradients(norm, first):
    assert measure_stack(norm, True, 3, 7).gradient == layer_gradients(3, first, 7)


def test_the_wirings_by_hand():
    x = torch.tensor([[1.0, 3.0, 5.0, 7.0]])
    normed = torch.tensor([[-1.342, -0.447, 0.447, 1.342]])  # the chapter's example

    def double(h):
        return 2 * h

    results = {
        ("none", False): 2 * x,
        ("none", True): 3 * x,
        ("before", False): 2 * normed,
        ("before", True): x + 2 * normed,
        ("after", False): normed,
        ("after", True): normed,
    }
    for (norm, residual), wanted in results.items():
        wiring = Wiring(4, norm, residual)
        torch.testing.assert_close(wiring(x, double(wiring.before(x))), wanted, rtol=0, atol=2e-3)
    with pytest.raises(ValueError, match="norm must be one of after, before, none, got 'middle'"):
        Wiring(4, "middle", True)


def test_measures_of_the_stream():
    found = measure_stack("after", True, 2, 0)
    assert len(found.gradient) == 2 and len(found.stream) == len(found.apart) == 3
    assert found.stream[1:] == pytest.approx([1, 1], abs=1e-3)  # what a norm leaves
    assert all(0 < share < 1 for share in found.apart)
    alike = measure_stack("after", False, 8, 0).apart[-1]
    assert alike < 1e-10  # without the sum all words of a row become the same vector


# -- the browser against the grid --


def test_lines_and_tops_are_the_grids(maths):
    for norm, residual in WIRINGS.values():
        for measure in MEASURES:
            lines = maths("lineOf", GRID, norm, residual, 5, measure)
            first = 1 if measure == "gradient" else 0
            assert [row[0] for row in lines] == list(range(first, 6))
            floor = 1e-10 if measure == "apart" else 0
            expected = [[max(q, floor) for q in row] for row in stack(norm, residual, 5)[measure]]
            assert [row[1:] for row in lines] == expected
            tops = maths("topsOf", GRID, norm, residual, measure)
            assert [row[0] for row in tops] == list(range(2, 13))
            assert tops[-1][2] == max(medians(norm, residual, 12, measure)[-1], floor)


def test_the_axis_holds_every_depth_of_what_is_drawn(maths):
    for measure in MEASURES:
        low, high = maths("decades", GRID, [["after", True], ["none", False]], measure)
        drawn = [
            max(q, 1e-10 if measure == "apart" else 0)
            for s in GRID["stacks"]
            if (s["norm"], s["residual"]) in (("after", True), ("none", False))
            for row in s[measure]
            for q in row
        ]
        assert 10**low < min(drawn) and max(drawn) < 10**high and high - low > 0.79
        ticks = maths("logTicks", low, high)
        assert len(ticks) >= 2 and all(low <= tick <= high for tick in ticks)


def test_numbers_far_from_one_are_written_as_powers(maths):
    written = [maths("factor", x) for x in (11270, 197.4, 3.7, 0.81, 0.023, 8.164e-6)]
    assert written == ["1.1 · 10⁴", "197", "3.7", "0.81", "0.023", "8.2 · 10⁻⁶"]
    assert [maths("tickName", t) for t in (0, -10, 3, 4, -0.30103)] == ["1", "10⁻¹⁰", "1000", "10⁴", "0.5"]


# -- what is shown --


def test_the_numbers_that_are_shown(page):
    post, pre = (medians("after", True, 12, "gradient"), medians("before", True, 12, "gradient"))
    assert (page.read("first"), page.read("last"), page.read("other")) == (post[0], post[-1], pre[-1])
    assert page.read("ratio") == post[-1] / post[0]
    page.choose("norm", "before the sublayer")
    page.slide("depth", 6)
    assert page.read("last") == medians("before", True, 6, "gradient")[-1]
    assert page.read("other") == medians("after", True, 6, "gradient")[-1]
    page.set(compare="pre-LN")
    assert page.text("other") == "–"  # the same wiring twice is drawn once
    page.choose("compare", "sum only")
    page.choose("measure", "size of the stream")
    assert page.read("last") == medians("before", True, 6, "stream")[-1]
    assert page.read("other") == medians("none", True, 6, "stream")[-1]


def test_the_sentence_follows_the_numbers(page):
    post, pre = (medians(norm, True, 12, "gradient") for norm in ("after", "before"))
    compared = (
        f"is {post[-1] / post[0]:.1f} × the first's and "
        f"{post[-1] / pre[-1]:.1f} × that of pre-LN. With post-LN it grows with depth"
    )
    assert compared in said(page)
    assert "that it grows is measured" in said(page)  # no reason for it is given
    page.choose("norm", "before the sublayer")
    assert "With pre-LN it falls with depth" in said(page)
    page.choose("measure", "what tells the words apart")
    page.tick("residual", False)
    gone = next(i for i, share in enumerate(medians("before", False, 12, "apart")) if share < 1e-10)
    assert f"After layer {gone} nothing is left of it but rounding" in said(page)
    assert page.text("ratio") == "–" and page.text("last") == "< 10⁻¹⁰"


def test_a_ratio_is_that_of_the_drawn_medians(page):
    for norm, residual in WIRINGS.values():
        for depth in (2, 7, 12):
            page.set(norm=norm, residual=residual, depth=depth, layer=depth, compare="nothing")
            drawn = medians(norm, residual, depth, "gradient")
            ratio = drawn[-1] / drawn[0]
            assert page.read("ratio") == ratio
            if abs(ratio - 1) < 0.1:
                assert "within 10 % of the first's" in said(page)
            else:
                assert f"{page.math('factor', ratio)} × the first's" in said(page)


def test_a_share_is_a_number_everywhere_and_rounding_is_no_mark(page):
    page.set(measure="apart", residual=False, compare="bare layers")
    card = page.page.locator(".ab-card")
    assert "0.87 of the input's mean square" in said(page)
    assert "%" not in said(page) and "only rounding" in card.inner_text()
    drawn = sum(
        share > 1e-10
        for norm in ("after", "none")
        for share in (
            *medians(norm, False, 12, "apart"),
            *(medians(norm, False, depth, "apart")[-1] for depth in range(2, 13)),
        )
    )
    assert card.locator("[data-mark]").count() == drawn
    stage = page.page.locator(".ab-stage").first.bounding_box()
    name = page.page.locator(".ab-stage text", has_text="< 10").last.bounding_box()
    assert name["x"] + name["width"] <= stage["x"] + stage["width"]


def test_a_place_without_a_norm_says_what_it_offers(page):
    assert page.page.locator("text", has_text="norm?").count() == 2
    page.choose("norm", "nowhere")
    assert page.page.locator("text", has_text="norm?").count() == 4


def tops(*last):
    return [[2 + i, 0, value, 0] for i, value in enumerate(last)]


def test_the_sentence_is_computed_and_not_asserted(maths):
    """On another grid it says something else."""
    view = {"name": "post-LN", "depth": 2, "measure": "gradient", "seeds": 9, "other": None}
    line = [[1, 3, 4, 5], [2, 0.9, 1, 1.1]]
    text = maths("inWords", {**view, "line": line, "tops": tops(1, 1, 1, 0.3, 0.2, 0.1)})
    assert (
        "is 0.25 × the first's" in text
        and "falls with depth, on average from 1.0 (L = 2 to 4) to 0.20 (10 to 12)" in text
    )
    assert "it is large" not in text  # no reason for what is not so
    level = {**view, "line": [[1, 3, 4, 5], [2, 4, 4.2, 5]], "tops": tops(1, 1.1, 1, 1.1, 1, 1.3)}
    text = maths("inWords", level)
    assert "within 10\u00a0% of the first's" in text and "between 1.0 and 1.3, without" in text


@pytest.mark.parametrize(("name", "wiring"), WIRINGS.items())
def test_a_trend_is_said_only_where_the_stacks_have_one(page, name, wiring):
    """The first three stacks against the last three: the two ends alone differ by scatter."""
    last = [medians(*wiring, depth, "gradient")[-1] for depth in range(2, 13)]
    change = sum(last[-3:]) / sum(last[:3])
    trend = page.math("trendOf", page.math("topsOf", GRID, *wiring, "gradient"))
    page.set(norm=wiring[0], residual=wiring[1])
    if abs(change - 1) > 0.15:
        assert trend["way"] == ("grows" if change > 1 else "falls")
        assert f"With {name} it {trend['way']} with depth" in said(page)
        assert trend["many"] / trend["few"] == pytest.approx(change)
    else:
        low, high = (page.math("factor", pick(last)) for pick in (min, max))
        assert f"lies between {low} and {high}, without a clear trend" in said(page)
        assert trend["way"] == "scatters" and not wiring[1]


def test_every_wiring_measure_and_depth_can_be_drawn(page):
    for name, (norm, residual) in WIRINGS.items():
        for measure in MEASURES:
            page.set(norm=norm, residual=residual, measure=measure, depth=2, layer=1, compare="nothing")
            layer, whole = said(page).split(". ", 1)
            assert "layer 1 " in layer
            assert whole.lower().startswith(name.lower() + ", 2 layers:")
            page.set(depth=12, compare="pre-LN")
            assert "NaN" not in page.page.locator(".ab-card").inner_text()
            assert "Infinity" not in page.page.locator(".ab-card").inner_text()


# -- hands --


def slot(page, where):
    return page.page.get_by_role("button", name=f"Layer norm {where} the sublayer").first


def test_the_norm_moves_by_mouse_and_goes_by_a_second_click(page):
    assert slot(page, "after").get_attribute("aria-pressed") == "true"
    slot(page, "before").click()
    page.settle()
    assert page.state("norm") == "before"
    assert slot(page, "after").get_attribute("aria-pressed") == "false"
    page.page.wait_for_timeout(500)  # until it has arrived
    norms = page.page.locator("svg g", has=page.page.locator("xpath=./*[name()='text' and text()='norm']"))
    place, ghost = norms.first.bounding_box(), slot(page, "before").bounding_box()
    assert abs(place["x"] - ghost["x"]) < 2 and abs(place["y"] - ghost["y"]) < 2
    slot(page, "before").click()
    page.settle()
    assert page.state("norm") == "none"
    assert norms.first.get_attribute("opacity") == "0"


def test_the_drawing_by_keys(page):
    slot(page, "before").focus()
    page.page.keyboard.press("Enter")
    page.settle()
    assert page.state("norm") == "before"
    total = page.page.get_by_role("button", name="Residual sum").first
    total.focus()
    page.page.keyboard.press("Space")
    page.settle()
    assert page.state("residual") is False
    assert not page.page.locator('input[data-control="residual"]').is_checked()
    assert page.page.evaluate("() => document.activeElement.getAttribute('aria-label')") == "Residual sum"
    page.page.keyboard.press("Enter")
    page.settle()
    assert page.state("residual") is True


def test_the_sum_is_cut_by_a_click(page):
    page.page.get_by_role("button", name="Residual sum").last.click()
    page.settle()
    assert page.state("residual") is False and said(page).startswith("Post-norm only")


def test_what_one_had_before_stays_beside_it(page):
    """By mouse, by keyboard and by the controls; a wiring is not offered as its own comparison."""
    slot(page, "before").click()
    page.settle()
    assert (page.state("norm"), page.state("compare")) == ("before", "post-LN")
    assert page.read("other") == medians("after", True, 12, "gradient")[-1]
    assert "of post-LN" in said(page)
    slot(page, "before").focus()
    page.page.keyboard.press("Enter")
    page.settle()
    assert (page.state("norm"), page.state("compare")) == ("none", "pre-LN")
    page.tick("residual", False)
    assert page.state("compare") == "sum only"
    page.choose("norm", "after the sublayer")
    assert page.state("compare") == "bare layers"
    offered = page.page.locator('select[data-control="compare"] option:disabled')
    assert offered.all_text_contents() == ["post-norm only"]
    page.choose("compare", "nothing")
    page.tick("residual")
    assert page.state("compare") == "nothing"


def test_the_dots_by_keys_and_by_mouse(page):
    page.press("layer", "ArrowLeft", "ArrowLeft")
    assert page.state("layer") == 10
    text = page.handle("layer").get_attribute("aria-valuetext")
    shown = re.fullmatch(r"layer 10: (\d+\.\d)", text)
    assert float(shown[1]) == pytest.approx(medians("after", True, 12, "gradient")[9], abs=0.051)
    page.press("layer", "Home")
    assert page.state("layer") == 1
    page.press("layer", "End")
    page.press("depth", "ArrowLeft")
    assert (page.state("depth"), page.state("layer")) == (11, 11)  # who reads the last goes on reading the last
    page.press("depth", "Home")
    assert (page.state("depth"), page.state("layer")) == (2, 2)
    page.drag("depth", 1000, 0)
    assert page.state("depth") == 12
    page.drag("layer", -1000, 0)
    assert page.state("layer") == 1
    page.slide("depth", 5)
    assert (page.state("depth"), page.state("layer")) == (5, 1)


def test_reset_restores_everything(page):
    page.choose("norm", "nowhere")
    page.tick("residual", False)
    page.choose("compare", "nothing")
    page.choose("measure", "size of the stream")
    page.slide("depth", 3)
    page.press("layer", "Home")
    page.reset()
    start = BlockExplorerFigure().state()
    assert {name: page.state(name) for name in start} == start


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_on_a_phone(open_figure, theme):
    page = open_figure(BlockExplorerFigure(), width=390, theme=theme)
    for name, (norm, residual) in WIRINGS.items():
        for measure in MEASURES:
            compare = "post-norm only" if name == "pre-LN" else "pre-LN"
            page.set(norm=norm, residual=residual, measure=measure, compare=compare)
            page.require_fit()


# -- Python --


@pytest.mark.parametrize(
    ("traits", "error", "says"),
    [
        ({"norm": "middle"}, ValueError, "one of 'after', 'before', 'none'; got 'middle'"),
        ({"residual": 1}, TypeError, "True or False; got 1"),
        ({"depth": 13}, ValueError, "number of layers, L: a whole number from 2 to 12; got 13"),
        ({"depth": 2.5}, ValueError, "a whole number from 2 to 12"),
        ({"depth": "6"}, TypeError, "a whole number from 2 to 12; got '6'"),
        ({"measure": "loss"}, ValueError, "one of 'gradient', 'stream', 'apart'; got 'loss'"),
        ({"compare": "post"}, ValueError, "the wiring to compare with: one of 'post-LN', .*got 'post'"),
        ({"layer": 0}, ValueError, "the layer that is read: a whole number from 1 to 12; got 0"),
        ({"layer": 7, "depth": 6}, ValueError, "in a stack of 6 layers: a whole number from 1 to 6; got 7"),
        ({"grid": {"seeds": 1, "stacks": []}}, ValueError, "cannot be set. Run that script"),
        ({"colour": "red"}, TypeError, "has no colour"),
    ],
)
def test_bad_traits_are_named(traits, error, says):
    with pytest.raises(error, match=says):
        BlockExplorerFigure(**traits)


def test_the_layer_follows_the_depth_and_later_changes_are_checked():
    assert BlockExplorerFigure(depth=4).layer == 4
    figure = BlockExplorerFigure(layer=9)
    figure.depth = 5
    assert figure.layer == 5
    with pytest.raises(ValueError, match="stack of 5 layers: .* from 1 to 5; got 6"):
        figure.layer = 6
    with pytest.raises(ValueError, match="cannot be set"):
        figure.grid = {}
    figure.grid = GRID


def test_layers_are_added_from_two_to_twelve(open_figure):
    page = open_figure(BlockExplorerFigure())
    reached = "(n) => document.querySelector('.attnbook-figure').abModel.get('depth') === n"
    page.click("Add layers")
    assert page.state("depth") == page.state("layer") == 2
    page.page.wait_for_function(reached, arg=4)
    page.click("Pause")
    page.page.wait_for_timeout(1000)
    assert page.state("depth") == page.state("layer") == 4
    assert said(page).startswith("Post-LN, 4 layers: the last layer's gradient is")
    page.set(depth=11, layer=11)
    page.click("Add layers")
    page.page.wait_for_function(reached, arg=12)
    page.page.get_by_role("button", name="Add layers", exact=True).wait_for()  # it stops


def test_without_motion_each_press_is_one_layer(open_figure):
    page = open_figure(BlockExplorerFigure(depth=4, layer=3))
    page.stop_motion()
    page.click("Add layers")
    page.click("Add layers")
    page.page.wait_for_timeout(1000)
    assert (page.state("depth"), page.state("layer")) == (6, 3)


def test_a_phone_shows_the_layer_beside_its_curve_with_the_controls_and_the_sentence(open_figure):
    page = open_figure(BlockExplorerFigure(), width=390)
    boxes = {
        part: page.page.locator(part).bounding_box() for part in (".ab-card", ".ab-controls", ".ab-stage", ".ab-said")
    }
    assert boxes[".ab-controls"]["height"] <= 200
    said_end = boxes[".ab-said"]["y"] + boxes[".ab-said"]["height"]
    assert said_end - boxes[".ab-card"]["y"] < 844
    layer = page.page.get_by_role("button", name="Residual sum").first.bounding_box()
    curve = page.handle("layer").bounding_box()
    assert layer["x"] + layer["width"] < curve["x"]
    top, bottom = (boxes[".ab-stage"][k] for k in ("y", "height"))
    assert top < curve["y"] < layer["y"] + layer["height"] < top + bottom


@pytest.mark.parametrize("width", [390, 760, 1000])
def test_the_card_keeps_its_height_in_every_state(open_figure, width):
    page = open_figure(BlockExplorerFigure(), width=width)
    heights = page.page.evaluate(
        """async ([wirings, measures]) => {
          const model = document.querySelector(".attnbook-figure").abModel;
          const found = new Set();
          for (const [norm, residual] of Object.values(wirings))
            for (const measure of measures)
              for (const compare of ["pre-LN", "post-norm only", "nothing"])
                for (const [depth, layer] of [[12, 12], [12, 5], [2, 1]]) {
                  const state = { depth, layer, norm, residual, measure, compare };
                  Object.entries(state).forEach(([name, value]) => model.set(name, value));
                  await new Promise(requestAnimationFrame);
                  found.add(document.querySelector(".ab-card").offsetHeight);
                }
          return [...found];
        }""",
        [WIRINGS, MEASURES],
    )
    assert len(heights) == 1


def test_adding_layers_moves_nothing_and_each_layer_is_told(open_figure):
    page = open_figure(BlockExplorerFigure())
    still = said(page)
    stage = page.page.locator(".ab-stage").first
    before = stage.bounding_box()["y"]
    page.click("Add layers")
    assert page.page.get_by_role("button", name="Pause").count() == 1
    assert stage.bounding_box()["y"] == before
    page.click("Pause")
    page.set(depth=12, layer=7)
    post, pre = (page.math("factor", medians(norm, True, 12, "gradient")[6]) for norm in ("after", "before"))
    told = f"The gradient norm of layer 7 is {post}; for pre-LN it is {pre}. "
    assert said(page) == told + still.split(" With post-LN")[0]
    page.set(measure="stream")
    assert said(page).startswith("After layer 7 the stream's mean square is 1.0; before that layer it was")
    page.set(measure="apart", layer=1)
    assert said(page).startswith("After layer 1 the share that tells the words apart is ")


BEHIND = """() => {
  const label = [...document.querySelectorAll(".ab-stage text")].find(
    (t) => t.getAttribute("pointer-events") === "none" && t.style.paintOrder || t.getAttribute("paint-order"));
  const box = label.getBoundingClientRect();
  return [...document.querySelectorAll("[data-mark]")].filter((mark) => {
    const at = mark.getBoundingClientRect();
    const beside = at.right <= box.left || at.left >= box.right;
    return !beside && at.bottom > box.top + 3 && at.top < box.bottom - 3;
  }).length;
}"""


def test_the_read_number_stands_on_no_mark(open_figure):
    page = open_figure(BlockExplorerFigure(), width=1000)
    for norm, residual in WIRINGS.values():
        for compare in ("post-LN", "sum only", "bare layers"):
            for layer in (12, 1):
                page.set(norm=norm, residual=residual, compare=compare, layer=layer)
                assert page.page.evaluate(BEHIND) == 0
