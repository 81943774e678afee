"""Gradient descent in the browser is the package's; its sentence, its arrow and its curves follow the steps."""

import pytest
import torch

from attnbook.attention import NWKernelRegression, fit_width, regression_loss
from attnbook.data import kernel_regression_data
from attnbook.widgets import TrainWidthFigure
from attnbook.widgets.kit import figure_data

DATA = figure_data("train_width")
X, Y = (torch.tensor(DATA[name], dtype=torch.float64) for name in ("x", "y"))
BEST = 15.8


@pytest.fixture
def page(open_figure):
    return open_figure(TrainWidthFigure())


def path(w0, lr, steps):
    return fit_width(NWKernelRegression(w0).double(), X, Y, lr=lr, epochs=steps)


# -- the numbers --


def test_the_points_are_the_chapters():
    data = kernel_regression_data()
    torch.testing.assert_close(X, data.x_train.double(), atol=5.1e-5, rtol=0)
    torch.testing.assert_close(Y, data.y_train.double(), atol=5.1e-5, rtol=0)


@pytest.mark.parametrize("w", [-4.2, -0.3, 0.0, 0.5, 1.7, 21.0])
def test_loss_and_slope_are_those_of_autograd(maths, w):
    model = NWKernelRegression(w).double()
    loss = regression_loss(model, X, Y)
    loss.backward()
    found = maths("lossAt", model.w.item(), DATA["x"], DATA["y"])
    assert found["loss"] == pytest.approx(loss.item(), rel=1e-9)
    assert found["slope"] == pytest.approx(model.w.grad.item(), rel=1e-9, abs=1e-9)


def test_the_prediction_is_the_models(maths):
    query = torch.tensor([0.3, 2.5], dtype=torch.float64)
    want, _ = NWKernelRegression(1.75).double()(query, X, Y)
    for place, f in zip(query.tolist(), want.tolist(), strict=True):
        found = maths("predictAt", 1.75, place, DATA["x"], DATA["y"])["f"]
        assert found == pytest.approx(f, rel=1e-9)


@pytest.mark.parametrize(("w0", "lr", "steps"), [(0.1, 0.5, 5), (0.5, 0.5, 100), (1.0, 0.05, 20), (2.0, 0.005, 40)])
def test_the_walk_is_fit_width(maths, w0, lr, steps):
    found = maths("descend", w0, lr, steps, DATA["x"], DATA["y"])
    want = path(w0, lr, steps)
    assert [at["w"] for at in found] == pytest.approx([s.w for s in want], abs=1e-4)
    assert [at["loss"] for at in found] == pytest.approx([s.loss for s in want], abs=1e-3)


def test_the_story_the_text_tells():
    for w0 in (0.5, 1.0):
        assert path(w0, 0.5, 5)[1].w > 20  # thrown onto the plateau …
        assert 1 < path(w0, 0.05, 5)[-1].w < 6  # … and a smaller step repairs it
    assert path(0.1, 0.5, 5)[-1].w == pytest.approx(-4.4, abs=0.1)


# -- the sentence --


def at(w, loss, slope):
    return {"w": w, "loss": loss, "slope": slope}


@pytest.mark.parametrize(
    ("walk", "words"),
    [
        ([at(0.5, 41, -42)], "At the start the slope is −42.00: the next step is −0.5 × (−42.00) = 21.00."),
        ([at(0.5, 41, -42), at(21, 21, 0.3)], "Overshoot: the slope at 0.50 was −42.00"),
        ([at(21, 21, 0.3), at(20.8, 21, 0.3)], "the next move is only −0.150."),
        ([at(0.1, 65, 0.8), at(0.05, 65, 0.4)], "Near w = 0"),
        (
            [at(0.5, 17, -2), at(0.6, 16.998, -0.0785)],
            "lowered the loss by less than 0.01, to 17.00: the next step is −0.5 × (−0.0785) = 0.0393.",
        ),
        ([at(0.5, 41, -2), at(4, 16, -0.4)], "In the valley: loss 16.00"),
        ([at(-3, 17, 2), at(-4, 16, 0.4)], "the curve is that of w = 4.00"),
        ([at(0.5, 41, -42), at(-1, 30, 20)], "Step 1 crossed 0, from 0.50 to −1.00"),
        ([at(0.5, 41, -42), at(1, 30, -20)], "Step 1 lowered the loss from 41.00 to 30"),
        ([at(1, 30, -20), at(0.5, 41, -42)], "Step 1 raised the loss from 30.00 to 41"),
    ],
)
def test_the_sentence_comes_from_the_steps(maths, walk, words):
    assert words in maths("tell", walk, len(walk) - 1, 0.5, BEST)


# -- on the page --


@pytest.mark.parametrize("w0", [0.1, 0.5, 2, 6])
@pytest.mark.parametrize("lr", [0.5, 0.05, 0.005])
def test_the_product_is_that_of_the_numbers_shown(page, w0, lr):
    number = lambda text: float(text.strip("()").replace("−", "-"))  # noqa: E731
    for step in (0, 1, 2, 20, 100):
        page.set(w0=w0, lr=lr, step=step)
        slope, move = number(page.text("slope")), number(page.text("move"))
        digits = 0.005 if abs(move) >= 1 else 0.06 * abs(move)
        assert move == pytest.approx(-lr * slope, abs=1.001 * digits)
        if "next step is" in page.said:
            factors, product = page.said.split("next step is ")[1].split(" = ")
            assert number(factors.split(" × ")[1]) == slope
            assert number(product.removesuffix(".")) == move != 0


def test_short_steps_are_drawn_on_an_axis_of_the_valley(page):
    ball = page.page.locator('[data-mark="now"]')
    ticks = page.page.locator(".ab-stage").first.locator("text")
    assert "30" in ticks.all_text_contents()
    page.choose("lr", "0.05")
    assert "10" in ticks.all_text_contents()
    assert "30" not in ticks.all_text_contents()
    page.set(w0=6)
    inside = page.page.locator(".ab-stage svg").first.get_attribute("viewBox")
    assert float(ball.get_attribute("cx")) < float(inside.split()[2])
    data = [DATA["x"], DATA["y"]]
    for start in (0.5, 0.7, 6):
        assert max(p["w"] for p in page.math("descend", start, 0.05, 100, *data)) < 10


def test_a_step_moves_the_ball_the_curve_and_the_numbers(page):
    assert page.live and page.read("w") == 0.5
    slope = page.read("slope")
    assert page.read("move") == pytest.approx(-0.5 * slope)
    curve = page.page.locator('[data-mark="fit"]')
    ball = page.page.locator('[data-mark="now"]')
    before = curve.get_attribute("d"), ball.get_attribute("cx")
    page.click("Forward ▶")
    assert page.state("step") == 1
    assert page.read("w") == pytest.approx(path(0.5, 0.5, 1)[1].w, abs=1e-6)
    assert page.said.startswith("Overshoot")
    after = curve.get_attribute("d"), ball.get_attribute("cx")
    assert before[0] != after[0] and float(before[1]) < float(after[1])
    page.click("◀ Back")
    assert page.read("w") == 0.5 and curve.get_attribute("d") == before[0]


def test_play_goes_on_by_itself_and_pauses(page):
    page.click("Play")
    page.page.wait_for_function("document.querySelector('.attnbook-figure').abModel.get('step') >= 3")
    page.click("Pause")
    seen = page.state("step")
    page.page.wait_for_timeout(800)
    assert page.state("step") == seen


def test_nothing_below_moves_while_it_plays(page):
    page.choose("lr", "0.05")
    page.slide("step", 0)
    tall = []
    for step in range(12):
        page.set(step=step)
        tall.append(page.page.evaluate("document.querySelector('.ab-card').offsetHeight"))
    assert tall == sorted(tall)  # a longer sentence may need a line more, never less
    page.set(step=0)
    assert page.page.evaluate("document.querySelector('.ab-card').offsetHeight") == tall[-1]


def test_start_and_size_by_keyboard_mouse_and_list(page):
    page.set(step=5)
    page.choose("lr", "0.05")
    assert page.read("w") == pytest.approx(path(0.5, 0.05, 5)[-1].w, abs=1e-6)
    page.press("w0", "ArrowRight")  # the slider or the triangle: both move it by 0.1
    assert page.state("w0") == 0.6
    page.drag("w0", dx=60, dy=0)
    assert 1.5 < page.state("w0") <= 6
    page.reset()
    assert [page.state(n) for n in ("w0", "lr", "step")] == [0.5, 0.5, 0]


def test_it_fits_a_phone(open_figure):
    page = open_figure(TrainWidthFigure(step=1), width=390)
    page.require_fit()
    play = page.page.get_by_role("button", name="Play", exact=True).bounding_box()
    second = page.page.locator(".ab-stage").nth(1).bounding_box()
    assert second["y"] + second["height"] - play["y"] < 844  # in sight of one another


def test_without_javascript_the_first_picture_is_there(open_figure):
    page = open_figure(TrainWidthFigure(), javascript=False)
    assert page.page.locator(".attnbook-figure > img").is_visible()


def test_bad_values():
    with pytest.raises(ValueError, match=r"TrainWidthFigure.lr is the step size: one"):
        TrainWidthFigure(lr=3)
    with pytest.raises(ValueError, match=r"w0 is where w starts: a number from 0.1"):
        TrainWidthFigure(w0=7)
    with pytest.raises(TypeError, match="has no epochs; it takes w0, lr, step"):
        TrainWidthFigure(epochs=9)
