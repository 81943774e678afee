"""The shape tracer: its tables are the package's heads, and its wrong order is really the wrong view."""

import pytest
import torch
from torch.testing import assert_close

from attnbook.attention import MultiHeadAttention, merge_heads, split_heads
from attnbook.widgets import ShapeTracerFigure
from attnbook.widgets.kit.samples import seeded_normals

SIZES = [(2, 4, 2), (3, 8, 4), (4, 8, 2), (5, 12, 3), (6, 6, 1), (6, 12, 4)]


def tensor(values):
    return torch.tensor(values, dtype=torch.float64)


def layer_and_input(t, d, h):
    """The package's layer with the figure's seeded weights, and the figure's input (1, T, D)."""

    def draw(seed, rows):
        return torch.from_numpy(seeded_normals(seed, rows * d)).reshape(rows, d)

    x, q, k, v, o = (draw(seed, t if seed == 0 else d) for seed in range(5))
    layer = MultiHeadAttention(d, h, bias=False).double()
    with torch.no_grad():
        layer.W_qkv.weight.copy_(torch.cat([1.4 * q, 1.4 * k, v]) / d**0.5)
        layer.W_o.weight.copy_(o / d**0.5)
    return layer, x[None]


def at_steps(t, d, h, wrong):
    """For each step the table of feature numbers t·D + f, moved by torch's own view and transpose."""
    names = torch.arange(t * d).view(1, t, d)
    if wrong:
        headed = names.view(1, h, t, d // h)
        split = headed
    else:
        split = names.view(1, t, h, d // h)
        headed = split.transpose(1, 2)
    merged = headed.transpose(1, 2).reshape(1, t, d)
    return [names, split, headed, headed, merged]


def shape_text(x):
    return str(tuple(x.shape))


@pytest.fixture
def page(open_figure):
    return open_figure(ShapeTracerFigure())


# -- the browser against the package --


def test_heads_are_the_packages(maths):
    for t, d, h in SIZES:
        x = torch.randn(t, d, generator=torch.Generator().manual_seed(t * d), dtype=torch.float64)
        heads = split_heads(x, h)
        assert_close(tensor(maths("splitHeads", x.tolist(), h)), heads, rtol=0, atol=1e-12)
        assert_close(tensor(maths("mergeHeads", heads.tolist())), merge_heads(heads), rtol=0, atol=1e-12)
        assert_close(tensor(maths("viewHeads", x.tolist(), h)), x.view(h, t, d // h), rtol=0, atol=1e-12)


def test_the_layer_is_the_packages(maths):
    for t, d, h in SIZES:
        layer, x = layer_and_input(t, d, h)
        output, weights = layer(x, need_weights=True)
        found = maths("attend", maths("sample", t, d), h, False)
        assert_close(tensor(found["output"]), output[0], rtol=0, atol=1e-6)
        assert_close(tensor(found["weights"]), weights[0], rtol=0, atol=1e-6)
        wrong = maths("attend", maths("sample", t, d), h, True)
        assert torch.isfinite(tensor(wrong["output"])).all()
        assert ((tensor(wrong["output"]) - output[0]).abs().max() > 1e-3) == (h > 1)


@pytest.mark.parametrize("wrong", [False, True])
def test_every_number_is_followed_as_torch_moves_it(maths, wrong):
    for t, d, h in SIZES:
        size = {"T": t, "D": d, "H": h, "wrong": wrong}
        tables = at_steps(t, d, h, wrong)
        shapes = maths("shapesOf", size)
        assert shapes == [list(table.shape) for table in tables] + [[1, t, d]]
        paths = [path for row in maths("traceAll", size) for path in row]
        assert len(paths) == t * d
        for name, path in enumerate(paths):  # every number is found where it is said to be
            assert [table[tuple(index)].item() for table, index in zip(tables, path[:5], strict=True)] == [name] * 5
            assert path[5] == [*path[4][:2], None]


def test_misplaced_numbers_are_counted_as_torch_counts_them(maths):
    counts = []
    for t, d, h in SIZES:
        wrong, right = at_steps(t, d, h, True)[2], at_steps(t, d, h, False)[2]
        assert wrong.shape == right.shape  # which is why nobody is warned
        found = maths("misplaced", {"T": t, "D": d, "H": h, "wrong": True})
        assert sorted(p * d + f for p, f in found) == sorted(wrong[wrong != right].tolist())
        assert maths("misplaced", {"T": t, "D": d, "H": h, "wrong": False}) == []
        counts.append(len(found))
    assert counts[2] == 24 and counts[4] == 0


# -- what is shown --


def test_the_steps_and_their_shapes(page):
    shapes = [shape_text(x) for x in at_steps(4, 8, 2, False)] + ["(1, 4, 8)"]
    for i, shape in enumerate(shapes):
        assert page.state("step") == i
        assert page.text("shape") == shape
        assert page.page.locator(f'[data-step="{i}"] text').nth(1).text_content() == shape
        if i < 5:
            page.click("Next")
    assert page.page.get_by_role("button", name="Next").is_disabled()
    page.click("Previous")
    page.press("step", "ArrowLeft")
    assert page.state("step") == 3
    page.page.locator('[data-step="1"]').click()
    page.settle()
    assert page.state("step") == 1 and page.text("index") == "[0, 1, 1, 1]"
    assert page.page.get_by_role("button", name="Previous").is_enabled()


def test_the_numbers_of_the_followed_cell(page):
    layer, x = layer_and_input(4, 8, 2)
    output, weights = layer(x, need_weights=True)
    q, _, v = layer.W_qkv(x).split(layer.sizes, dim=-1)
    context = merge_heads(weights @ split_heads(v, 2))
    for step, expected in enumerate([q, q, q, context, context, output]):
        page.slide("step", step)
        assert page.read("number") == pytest.approx(expected[0, 1, 5].item(), abs=1e-6)
        assert page.read("error") == 0 and page.read("misplaced") == 0
    page.slide("step", 3)
    shown = page.page.locator('[data-weight="1-1-0"]').text_content()
    assert float(shown) == pytest.approx(weights[0, 1, 1, 0].item(), abs=0.0051)


def test_the_wrong_order_has_the_right_shape_and_the_wrong_numbers(page):
    page.slide("step", 2)
    page.tick("wrong_order")
    assert page.text("shape") == "(1, 2, 4, 4)"
    assert page.text("index") == "[0, 0, 3, 1]"  # b5 was to be in head 1
    assert page.read("misplaced") == 24
    assert page.read("error") > 0.1
    assert "positions a and b only" in page.page.locator(".ab-said").inner_text()
    labels = page.page.locator('[role="option"]').evaluate_all("(nodes) => nodes.map((n) => n.ariaLabel)")
    assert sum(label.endswith("misplaced") for label in labels) == 24
    page.choose("num_heads", "1")
    assert page.read("misplaced") == page.read("error") == 0


def test_a_wrong_head_can_hold_numbers_of_all_positions(page):
    page.set(num_positions=2, d_model=6, num_heads=3, wrong_order=True, cell=[0, 4])
    said = page.page.locator(".ab-said")
    page.set(step=1)
    assert "it holds the wrong ones" in said.inner_text()
    page.set(step=3)
    assert "never sees the others" not in said.inner_text()


def test_a_cell_is_chosen_by_pointing_and_by_keys(page):
    page.page.locator('[data-cell="3-2"]').hover()
    page.settle()
    assert page.state("cell") == [3, 2]
    page.press("cells", "ArrowUp", "ArrowLeft", "ArrowLeft", "ArrowLeft")
    assert page.state("cell") == [2, 0]
    page.slide("step", 2)  # now feature 4 is the first of the other head, and feature 3 the last of this one
    page.press("cells", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowUp")
    assert page.state("cell") == [1, 4]
    chosen = page.handle("cells").get_attribute("aria-activedescendant")
    words = page.page.locator(f"#{chosen}").get_attribute("aria-label")
    assert words == "feature 4 of position b, now at [0, 1, 1, 0]"
    page.tick("wrong_order")  # b4 now stands in the last row of head 0
    assert page.text("index") == "[0, 0, 3, 0]"
    page.press("cells", "ArrowUp")
    assert page.state("cell") == [1, 0]


def test_the_cells_travel_from_step_to_step(page):
    cell = page.page.locator('[data-cell="1-5"]')
    page.page.wait_for_timeout(50)
    first = cell.bounding_box()
    cell.evaluate("(node) => { globalThis.before = node; }")
    page.slide("step", 2)
    assert cell.evaluate("(node) => node === before && getComputedStyle(node).transitionDuration") == "0.55s"
    page.page.wait_for_function("before.getAnimations().length === 0")
    assert cell.bounding_box()["x"] > first["x"] + 10  # head 1 has a table of its own


def test_heads_that_do_not_divide_are_refused_with_a_reason(page):
    refused = page.page.locator('[data-value="refused"]')
    assert refused.is_hidden()
    page.choose("num_heads", "3")
    assert page.state("num_heads") == 2
    assert page.page.locator('select[data-control="num_heads"]').input_value() == "2"
    assert "8 / 3 is not a whole number. Take 1, 2, 4 heads, or 6, 12 features." in refused.inner_text()
    page.choose("d_model", "12")
    assert refused.is_hidden()
    page.choose("num_heads", "3")
    assert page.state("num_heads") == 3 and page.math("shapesOf", {"T": 4, "D": 12, "H": 3})[1] == [1, 4, 3, 4]
    page.choose("num_heads", "4")
    page.choose("d_model", "6")
    assert page.state("d_model") == 12 and "6 / 4" in refused.inner_text()


def test_a_smaller_table_keeps_the_cell_inside_and_reset_restores(page):
    page.choose("num_positions", "6")
    page.set(cell=[5, 7])
    page.choose("num_positions", "2")
    page.choose("d_model", "4")
    assert page.state("cell") == [1, 3]
    page.tick("wrong_order")
    page.slide("step", 4)
    page.reset()
    assert {name: page.state(name) for name in ShapeTracerFigure().state()} == ShapeTracerFigure().state()


@pytest.mark.parametrize("width", [360, 390])
@pytest.mark.parametrize("sizes", [(4, 8, 2), (6, 12, 1), (6, 12, 4)])
def test_it_fits_on_a_phone(open_figure, sizes, width):
    t, d, h = sizes
    page = open_figure(ShapeTracerFigure(num_positions=t, d_model=d, num_heads=h), width=width, theme="dark")
    page.stop_motion()  # the cells are where they go at once
    for step in (0, 1, 3, 4, 5):
        page.slide("step", step)
        page.require_fit()


def test_on_a_phone_one_table_fills_the_room_of_two(open_figure):
    page = open_figure(ShapeTracerFigure(), width=390)
    page.stop_motion()
    for step in (0, 1, 4, 5):
        page.slide("step", step)
        stage, cell = (page.page.locator(one).last.bounding_box() for one in (".ab-stage", "[data-cell]"))
        assert stage["y"] + stage["height"] - cell["y"] - cell["height"] < 50


# -- Python --


@pytest.mark.parametrize(
    ("traits", "error", "says"),
    [
        ({"num_heads": 3}, ValueError, "not divisible by num_heads 3: .* take 1, 2, 4 heads, or 6, 12 features"),
        ({"d_model": 6, "num_heads": 4}, ValueError, "d_model is 6, which is not divisible"),
        ({"d_model": 7}, ValueError, "one of 4, 6, 8, 12; got 7"),
        ({"num_positions": 1}, ValueError, "the length of the sequence, T: one of 2, 3, 4, 5, 6; got 1"),
        ({"step": 6}, ValueError, "from 0 to 5; got 6"),
        ({"step": "merge"}, TypeError, "a whole number from 0 to 5"),
        ({"wrong_order": 1}, TypeError, "True or False"),
        ({"cell": [4, 0]}, ValueError, r"from 0 to 3 and from 0 to 7; got \[4, 0\]"),
        ({"cell": [0, 1.5]}, ValueError, r"\[position, feature\]"),
        ({"cell": 3}, TypeError, r"\[position, feature\]"),
        ({"batch": 2}, TypeError, "has no batch"),
    ],
)
def test_bad_traits_are_named(traits, error, says):
    with pytest.raises(error, match=says):
        ShapeTracerFigure(**traits)


def test_traits_are_checked_when_set_later():
    figure = ShapeTracerFigure(num_positions=6, d_model=12, num_heads=3, cell=(5, 11))
    assert figure.cell == [5, 11]
    with pytest.raises(ValueError, match="not divisible by num_heads 3"):
        figure.d_model = 8
    assert figure.d_model == 12
    figure.d_model = 6
    figure.num_positions = 2
    assert figure.cell == [1, 5]
    with figure.hold_trait_notifications():  # both at once, as the browser sends them
        figure.d_model, figure.num_heads = 8, 4
    assert (figure.d_model, figure.num_heads) == (8, 4)
    assert "split (1, 2, 4, 2)" in figure.alt_text()
