"""Kernel regression: the browser's fit, weights and errors are the package's, and everything can be moved."""

import numpy as np
import pytest
import torch

from attnbook.attention import KERNELS, NWKernelRegression, leave_one_out_mask, nadaraya_watson, regression_loss
from attnbook.data import kernel_regression_data, true_curve
from attnbook.widgets import KernelRegressionFigure

ERRORS = ("train", "leave_one_out", "truth")


def float64(*rows):
    return [torch.tensor(row, dtype=torch.float64) for row in rows]


def package_errors(kernel, width, x, y, domain=(0.0, 5.0)):
    x, y = float64(x, y)
    grid = domain[0] + (domain[1] - domain[0]) * torch.arange(100, dtype=torch.float64) / 100
    mask = leave_one_out_mask(len(x))
    return {
        "train": ((nadaraya_watson(x, x, y, kernel=kernel, width=width)[0] - y) ** 2).mean().item(),
        "leave_one_out": ((nadaraya_watson(x, x, y, kernel=kernel, width=width, mask=mask)[0] - y) ** 2).mean().item(),
        "truth": ((nadaraya_watson(grid, x, y, kernel=kernel, width=width)[0] - true_curve(grid)) ** 2).mean().item(),
    }


@pytest.fixture
def page(open_figure):
    return open_figure(KernelRegressionFigure())


# -- the browser against the package --


@pytest.mark.parametrize("kernel", KERNELS)
def test_kernels_are_the_packages(maths, kernel):
    places = [0, 0.25, 0.5, 0.999, 1, 1.001, 3, 7]
    expected = KERNELS[kernel](torch.tensor(places, dtype=torch.float64)).tolist()
    assert [maths("kernelValue", kernel, u) for u in places] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("kernel", KERNELS)
def test_weights_and_predictions_are_the_packages(maths, kernel):
    rng = np.random.default_rng(11)
    gaps = 0
    for _ in range(40):
        n, width = int(rng.integers(2, 24)), float(10 ** rng.uniform(-2, 1))
        x, y, query = (rng.uniform(-3, 3, n).tolist(), rng.normal(size=n).tolist(), float(rng.uniform(-4, 4)))
        skip = int(rng.integers(-1, n))
        keys, values, one = float64(x, y, [query])
        mask = torch.arange(n)[None] != skip
        output, weights = nadaraya_watson(one, keys, values, kernel=kernel, width=width, mask=mask)
        np.testing.assert_allclose(
            maths("weightsAt", kernel, width, query, x, skip), weights[0].numpy(), rtol=1e-6, atol=1e-9
        )
        found = maths("predict", kernel, width, query, x, y, skip)
        if found is None:  # 0/0: the package's row is zeros, and so is its output
            gaps += 1
            assert weights.sum() == 0 and output == 0
        else:
            assert found == pytest.approx(output.item(), abs=1e-6)
    assert (gaps == 0) == (kernel == "gaussian")  # the samples reach both sides, and a Gaussian reaches everywhere


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("width", [0.01, 0.05, 0.3, 1, 10])
def test_errors_are_the_packages(page, kernel, width):
    x, y = page.state("x"), page.state("y")
    found = page.math("errorsAt", kernel, width, x, y, [0, 5])
    for name, error in package_errors(kernel, width, x, y).items():
        assert found[name]["error"] == pytest.approx(error, abs=1e-6), name
    page.set(kernel=kernel, width=width)
    for name in ERRORS:
        assert page.read(name) == found[name]["error"]


def test_leave_one_out_is_the_loss_that_is_trained(page):
    x, y = float64(page.state("x"), page.state("y"))
    loss = regression_loss(NWKernelRegression(w=4.0).double(), x, y)
    page.set(width=0.25)
    assert page.read("leave_one_out") == pytest.approx(loss.item() / 50, abs=1e-6)


def test_the_queries_are_those_of_the_data(maths):
    np.testing.assert_allclose(maths("queryGrid", [0, 5]), kernel_regression_data().x_query.numpy(), atol=1e-6)
    truth = [maths("trueCurve", x) for x in (0, 1.3, 4.95)]
    assert truth == pytest.approx(true_curve(torch.tensor([0, 1.3, 4.95], dtype=torch.float64)).tolist(), abs=1e-12)


def test_the_default_shows_the_books_number():
    figure = KernelRegressionFigure()
    data = kernel_regression_data()
    np.testing.assert_allclose(figure.x, data.x_train.numpy(), atol=6e-5)
    np.testing.assert_allclose(figure.y, data.y_train.numpy(), atol=6e-5)
    assert package_errors("gaussian", 1.0, figure.x, figure.y)["truth"] == pytest.approx(0.287, abs=0.001)


# -- what the figure is to teach --


def test_memorisation(page):
    """Ever narrower, the training error only falls; the errors that count have their lowest point in between."""
    widths = np.geomspace(2, 0.01, 24).tolist()
    curves = {name: [] for name in ERRORS}
    for width in widths:
        found = page.math("errorsAt", "gaussian", width, page.state("x"), page.state("y"), [0, 5])
        for name in ERRORS:
            curves[name].append(found[name]["error"])
    assert (np.diff(curves["train"]) < 0).all() and curves["train"][-1] < 0.02
    for name in ("leave_one_out", "truth"):
        best = int(np.argmin(curves[name]))
        assert 0.1 < widths[best] < 0.5
        assert curves[name][-1] > 1.4 * curves[name][best] < curves[name][0]


def test_the_words_follow_the_width(page):
    said = page.page.locator(".ab-said")
    page.set(width=3.0)
    assert said.inner_text().startswith("Wide")
    page.set(width=0.2)
    assert said.inner_text().startswith("Near the lowest")
    page.set(width=0.03)
    x, y = float64(page.state("x"), page.state("y"))
    own = nadaraya_watson(x, x, y, width=0.03)[1].diagonal().mean().item()
    assert f"gives {100 * own:.0f} % of its weight to itself" in said.inner_text()


def test_the_words_follow_the_query(page):
    said = page.page.locator(".ab-said")
    page.set(width=1.0)
    told = set()
    for query in (0.5, 2.5, 4.0):
        page.set(query=query)
        x, y = float64(page.state("x"), page.state("y"))
        answer, weights = nadaraya_watson(float64([query])[0], x, y, width=1.0)
        held = weights[0].sort(descending=True).values.cumsum(0)
        enough = int((held < 0.9).sum()) + 1
        end = f"At q = {query:.2f}, {enough} of {len(x)} keys hold 90 % of the weight, and the prediction is "
        assert said.inner_text().replace("−", "-").endswith(f"{end}{answer.item():.3f}.")
        told.add(said.inner_text())
    assert len(told) == 3


def test_where_no_key_is_near(page):
    page.set(kernel="epanechnikov", width=0.05)
    x, y = float64(page.state("x"), page.state("y"))
    grid = torch.arange(100, dtype=torch.float64) / 20
    empty = int((nadaraya_watson(grid, x, y, kernel="epanechnikov", width=0.05)[1].sum(-1) == 0).sum())
    assert empty > 10
    assert f"No key is in reach of {empty} of 100 queries" in page.page.locator(".ab-said").inner_text()
    assert page.page.get_by_text("0/0", exact=True).count() > 0  # the gap has a name
    far = grid[(grid[:, None] - x).abs().min(-1).values.argmax()].item()
    page.set(query=far)
    assert page.text("prediction") == "0/0"
    assert f"At q = {far:.2f}, no key is in reach." in page.page.locator(".ab-said").inner_text()  # fmt: skip
    page.set(kernel="gaussian")
    assert page.read("prediction") == pytest.approx(
        nadaraya_watson(torch.tensor([far], dtype=torch.float64), x, y, width=0.05)[0].item(), abs=1e-6
    )


def test_without_its_own_point_the_query_stands_on_a_point(page):
    page.set(width=0.02, query=2.0)
    page.tick("own_point", on=False)
    x, y = float64(page.state("x"), page.state("y"))
    own = (x - 2.0).abs().argmin()
    output, weights = nadaraya_watson(x, x, y, width=0.02, mask=leave_one_out_mask(50))
    assert weights[own, own] == 0
    assert page.read("prediction") == pytest.approx(output[own].item(), abs=1e-6)
    page.tick("own_point")
    assert page.read("prediction") == pytest.approx(
        nadaraya_watson(torch.tensor([2.0], dtype=torch.float64), x, y, width=0.02)[0].item(), abs=1e-6
    )


# -- moving things --


def shown_prediction(page):
    x, y, query = float64(page.state("x"), page.state("y"), [page.state("query")])
    return nadaraya_watson(query, x, y, kernel=page.state("kernel"), width=page.state("width"))[0].item()


def test_the_query_moved_by_mouse(page):
    page.drag("query", dx=80, dy=0)
    assert page.state("query") > 3
    assert page.read("prediction") == pytest.approx(shown_prediction(page), abs=1e-6)
    page.drag("query", dx=-2000, dy=0)
    assert page.state("query") == 0


def test_a_press_on_a_free_spot_takes_hold_of_the_query(page):
    query = page.handle("query").bounding_box()
    mouse = page.page.mouse
    mouse.move(query["x"] + 160, query["y"] - 200)  # in the upper right, where no point is near
    mouse.down()
    page.settle()
    first = page.state("query")
    assert first > 3.5
    mouse.move(query["x"] + 100, query["y"] - 100, steps=4)
    mouse.up()
    page.settle()
    assert 2.6 < page.state("query") < first
    assert page.state("x") == KernelRegressionFigure().x


def test_a_point_moved_by_mouse(page):
    before, errors = page.state("y"), {name: page.read(name) for name in ERRORS}
    # Not the point that has the handle, but another one: the figure hands it over.
    target = page.page.locator('circle[data-point="40"]')
    target.scroll_into_view_if_needed()
    box = target.bounding_box()
    centre = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.page.mouse.move(*centre)
    page.page.mouse.down()
    page.page.mouse.move(centre[0], centre[1] - 60, steps=5)
    page.page.mouse.up()
    page.settle()
    after = page.state("y")
    assert [j for j in range(50) if after[j] != before[j]] == [40] and after[40] > before[40] + 0.5
    for name, error in package_errors("gaussian", 1.0, page.state("x"), after).items():
        assert page.read(name) == pytest.approx(error, abs=1e-6) and page.read(name) != errors[name]
    page.drag("point", dx=0, dy=-3000)
    assert max(page.state("y")) < 6  # it cannot leave the drawing


def test_a_point_and_the_query_moved_by_a_finger(open_figure):
    page = open_figure(KernelRegressionFigure(), width=390)
    before = page.state("y")
    page.swipe('circle[data-point="44"]', dx=0, dy=-50)
    after = page.state("y")
    assert [j for j in range(50) if after[j] != before[j]] == [44] and after[44] > before[44] + 0.9
    page.swipe('[data-handle="query"]', dx=60, dy=0)
    assert page.state("query") > 3.2 and page.page.evaluate("scrollY") == 0


def test_beside_the_points_a_finger_scrolls_the_page(open_figure):
    page = open_figure(KernelRegressionFigure(), width=390)
    first = {name: page.state(name) for name in ("x", "y", "query")}
    page.swipe("svg text >> nth=0", dx=0, dy=-80)  # the legend
    assert page.page.evaluate("scrollY") > 40
    assert {name: page.state(name) for name in first} == first


def test_moved_by_keyboard(page):
    page.press("query", "ArrowRight", "Shift+ArrowRight")
    assert page.state("query") == pytest.approx(2.5 + 0.05 + 0.25)
    page.press("query", "Home")
    assert page.state("query") == 0
    page.press("point", "Home", "PageUp", "ArrowUp")  # the second point from the left
    first = KernelRegressionFigure()
    second = sorted(range(50), key=lambda j: first.x[j])[1]
    assert page.state("y")[second] == pytest.approx(first.y[second] + 0.05)
    assert page.handle("point").get_attribute("aria-label").startswith("training point 2 of 50")
    page.press("width", "End")
    assert page.state("width") == 10
    page.press("own_point", "Space")
    assert page.state("own_point") is False
    x = page.state("x")
    page.press("query", "ArrowRight", "ArrowRight")  # from point to point, however near they are to each other
    assert page.state("query") == sorted(x)[2]


def test_only_the_chosen_point_is_a_stop_of_the_tab_key(page):
    assert page.page.locator('[role="slider"][tabindex="0"]').count() == 2


def test_reset(page):
    first = KernelRegressionFigure()
    page.choose("kernel", "boxcar")
    page.slide("width", 10)
    page.tick("own_point", on=False)
    page.press("point", "ArrowUp", "ArrowLeft")
    page.press("query", "ArrowLeft")
    page.reset()
    assert {name: page.state(name) for name in first.state_names()} == first.state()


def test_points_of_ones_own(open_figure):
    figure = KernelRegressionFigure(x=np.array([-1.5, 1.0, 2.0, 3.0]), y=torch.tensor([15.0, 10, 20, 10]), width=2.0)
    assert figure.truth is False and figure.query == pytest.approx(0.75)
    page = open_figure(figure)
    assert page.text("truth") == "–"
    expected = package_errors("gaussian", 2.0, figure.x, figure.y)
    assert page.read("leave_one_out") == pytest.approx(expected["leave_one_out"], abs=1e-6)
    assert page.read("prediction") == pytest.approx(shown_prediction(page), abs=1e-6)


def test_points_of_ones_own_with_the_truth(open_figure):
    figure = KernelRegressionFigure(x=[0.5, 2.0, 6.0], y=[1.0, 3.0, 4.0], truth=True)
    page = open_figure(figure)
    assert figure.domain == [0.0, 6.0]
    expected = package_errors("gaussian", 1.0, figure.x, figure.y, (0.0, 6.0))["truth"]
    assert page.read("truth") == pytest.approx(expected, abs=1e-6)
    figure.truth, figure.x = False, [1.0, 2.0, 5.0]  # the axis stays, in what its state makes too
    assert KernelRegressionFigure(**figure.state()).state() == figure.state()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_a_phone(open_figure, theme):
    page = open_figure(KernelRegressionFigure(), width=390, theme=theme)
    page.require_fit()


# -- bad values --


@pytest.mark.parametrize(
    ("error", "match", "bad"),
    [
        (TypeError, "takes x and y together", {"x": [1, 2]}),
        (TypeError, "x is the keys: a list of 2 to 200 finite numbers; got 'abc'", {"x": "abc", "y": [1]}),
        (TypeError, "finite numbers; one of them is True", {"x": [True, 1], "y": [1, 2]}),
        (ValueError, "KernelRegressionFigure.y .*; one of them is nan", {"x": [0, 1], "y": [1, float("nan")]}),
        (ValueError, "2 to 200 finite numbers; got 1", {"x": [1], "y": [1]}),
        (ValueError, "one y for each x; got 3 x and 2 y", {"x": [1, 2, 3], "y": [1, 2]}),
        (ValueError, "needs two different numbers", {"x": [1, 1], "y": [1, 2]}),
        (ValueError, "the kernel: one of 'gaussian', 'boxcar', .*'epanechnikov'; got 'cosine'", {"kernel": "cosine"}),
        (ValueError, "width in the unit of x: a number from 0.01 to 10; got 0", {"width": 0}),
        (ValueError, "query lies on the figure's axis, from 0 to 5; got 5.5", {"query": 5.5}),
        (TypeError, "where the query is: a finite number; got 'here'", {"query": "here"}),
        (TypeError, "whether a training point is among its own keys: True or False; got 1", {"own_point": 1}),
        (ValueError, "true_curve is not defined for the negative x", {"x": [-1, 1], "y": [0, 1], "truth": True}),
        (ValueError, r"domain must hold all x, 0.* to 4.*; got \[0.*, 1", {"domain": [0, 1]}),
        (ValueError, "the ends of the axis: a list of 2 .*; got 1", {"domain": [0]}),
        (TypeError, "has no bandwidth; it takes x, y, kernel", {"bandwidth": 1}),
    ],
)
def test_bad_values(error, match, bad):
    with pytest.raises(error, match=match):
        KernelRegressionFigure(**bad)


def test_a_bad_value_leaves_the_figure_as_it_was():
    figure = KernelRegressionFigure()
    before = figure.state()
    with pytest.raises(ValueError, match="has 50 numbers, got 2; make a new figure"):
        figure.y = [1, 2]
    with pytest.raises(ValueError, match="axis, from 0 to 5; got 7.0"):
        figure.x = [7.0] * 50
    with pytest.raises(ValueError, match="domain is fixed"):
        figure.domain = [0, 1]
    assert figure.state() == before
