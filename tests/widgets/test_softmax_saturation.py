"""Figure 3, saturation: the browser's numbers are Python's, Python's are the theory's, and the controls work."""

import numpy as np
import pytest
import torch

from attnbook.attention import dot_score, scaled_dot_score
from attnbook.widgets import SaturationFigure
from attnbook.widgets.softmax_saturation import jacobian_norm, sample_scores, saturation

# -- Python against the package and the theory --


def test_jacobian_norm_is_that_of_autograd():
    scores = torch.tensor([[0.3, -1.2, 2.0, 0.7, 0.0], [9.0, 0.0, 1.0, 2.0, 3.0]], dtype=torch.float64)
    expected = [torch.autograd.functional.jacobian(lambda e: e.softmax(-1), row).norm().item() for row in scores]
    np.testing.assert_allclose(jacobian_norm(scores.softmax(-1).numpy()), expected, rtol=1e-12)


def test_the_sample_is_scored_like_the_package():
    one, two = sample_scores(5, 64, False), sample_scores(5, 64, True)
    np.testing.assert_allclose(two, one / 8, rtol=1e-12)
    torch.manual_seed(0)
    query, key = torch.randn(3, 64), torch.randn(7, 64)
    torch.testing.assert_close(dot_score(query, key) / 8, scaled_dot_score(query, key))


@pytest.mark.parametrize("d", [4, 64, 768])
def test_the_scores_have_the_variance_of_the_theory(d):
    """Mean over ten samples; the published orders of size (see Vaswani et al., footnote 4) are d and 1."""
    raw = [saturation(sample_scores(seed, d, False)) for seed in range(10)]
    scaled = [saturation(sample_scores(seed, d, True)) for seed in range(10)]
    assert np.mean([r["variance"] for r in raw]) == pytest.approx(d, rel=0.06)
    assert np.mean([r["variance"] for r in scaled]) == pytest.approx(1, rel=0.06)
    assert np.mean([r["largest"] for r in scaled]) == pytest.approx(0.24, abs=0.015)
    assert np.mean([r["jacobian"] for r in scaled]) == pytest.approx(0.30, abs=0.015)


def test_without_scaling_the_softmax_saturates():
    small, large = (saturation(sample_scores(0, 4, False)), saturation(sample_scores(0, 768, False)))
    assert small["largest"] == pytest.approx(0.42, abs=0.03) and large["largest"] > 0.94
    assert small["jacobian"] == pytest.approx(0.33, abs=0.03) and large["jacobian"] < 1e-3


# -- the browser against Python --


@pytest.mark.parametrize(("seed", "d", "scaled"), [(0, 4, False), (3, 11, True), (0, 768, False), (999, 768, True)])
def test_the_browser_computes_pythons_numbers(open_figure, seed, d, scaled):
    page = open_figure(SaturationFigure(seed=seed, d=d, scaled=scaled))
    scores = sample_scores(seed, d, scaled)
    np.testing.assert_allclose(page.math("sampleScores", seed, d, scaled), scores, rtol=1e-9, atol=1e-9)
    for name, value in saturation(scores).items():
        assert page.read(name) == pytest.approx(value, rel=1e-7), name


def test_the_histogram_counts_every_score_once(maths):
    densities = maths("histogram", [-1.4, -0.6, -0.4, 0, 0.4, 0.6, 5], 1, 2)
    assert np.array(densities) * 7 == pytest.approx([0, 2, 3, 1, 0])  # 5 lies outside, and is not put in the last bin


# -- the controls --


def test_moved_by_mouse(open_figure):
    page = open_figure(SaturationFigure(d=64))
    slider = page.page.locator('input[type=range][data-control="d"]')
    box = slider.bounding_box()
    page.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.page.mouse.down()
    page.page.mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2, steps=5)
    page.page.mouse.up()
    page.settle()
    assert page.state("d") == 768 and page.text("d") == "768"
    assert page.read("variance") > 600
    page.page.get_by_text("divide by √d").last.click()
    page.settle()
    assert page.state("scaled") is True and page.read("variance") < 1.2


def test_moved_by_keyboard(open_figure):
    page = open_figure(SaturationFigure(d=64))
    page.press("d", "ArrowRight", "ArrowRight")
    assert page.state("d") == 128
    page.press("d", "Home")
    assert page.state("d") == 4
    page.press("scaled", "Space")
    assert page.state("scaled") is True


def test_a_new_sample_and_back(open_figure):
    page = open_figure(SaturationFigure(seed=999))
    before = page.read("variance")
    page.click("New sample")
    assert page.state("seed") == 0 and page.read("variance") != before
    page.slide("d", 0)
    page.reset()
    assert (page.state("seed"), page.state("d")) == (999, 64) and page.read("variance") == before


def test_what_is_said_follows_the_numbers(open_figure):
    page = open_figure(SaturationFigure(d=768))
    assert "almost no gradient" in page.page.locator(".ab-said").inner_text()
    page.tick("scaled")
    assert "gradients get through" in page.page.locator(".ab-said").inner_text()


def test_three_standard_deviations_fit_the_axis_and_are_no_needle(open_figure):
    page = open_figure(SaturationFigure(d=48))
    for d in (1, 4, 48, 64, 768):
        reach = page.math("reachOf", d**0.5)
        assert 0.98 * reach > 3 * d**0.5 * 0.98 and 3 * d**0.5 > 0.14 * reach
    words = lambda: page.page.locator("svg text").all_text_contents()  # noqa: E731
    assert "score (the axis ends at ±21)" in words() and "20" in words()
    page.set(d=64)
    assert "score (the axis ends at ±84)" in words() and "80" in words()
    page.tick("scaled")
    assert "score (the axis ends at ±21)" in words()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_a_phone(open_figure, theme):
    page = open_figure(SaturationFigure(), width=390, theme=theme)
    page.require_fit()


def test_bad_values():
    with pytest.raises(ValueError, match="the dimension of queries and keys: a whole number from 4 to 768; got 3"):
        SaturationFigure(d=3)
    with pytest.raises(TypeError, match="whether scores are divided by √d: True or False; got 'yes'"):
        SaturationFigure(scaled="yes")
