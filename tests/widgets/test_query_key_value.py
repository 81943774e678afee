"""The soft look-up: the browser's numbers are the package's, the output stays in the hull, all points can be moved."""

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attnbook.attention import attention_pooling, dot_score, gaussian_score, masked_softmax, scaled_dot_score
from attnbook.widgets import QueryKeyValueFigure

SCORES = {"dot": dot_score, "scaled_dot": scaled_dot_score, "gaussian": gaussian_score}


def package(score, query, key, value, sharpness):
    query, key, value = (torch.tensor(t, dtype=torch.float64) for t in ([query], key, value))
    scores = SCORES[score](query, key)
    weights = masked_softmax(sharpness * scores)
    return {"scores": scores[0], "weights": weights[0], "output": attention_pooling(weights, value)[0]}


def assert_inside(output, values, slack=1e-9):
    """In every direction some value lies at least as far out as the output: that is to lie in their convex hull."""
    angles = np.linspace(0, 2 * np.pi, 361)
    directions = np.stack([np.cos(angles), np.sin(angles)])
    reach = (np.asarray(values) @ directions).max(0)
    assert (np.asarray(output) @ directions <= reach + slack).all()


# -- the browser against the package --


@pytest.mark.parametrize("score", SCORES)
def test_look_up_is_the_packages(maths, score):
    rng = np.random.default_rng(5)
    for _ in range(40):
        size, dims = rng.integers(1, 9), rng.integers(1, 6)
        query, key = (rng.normal(size=dims).tolist(), rng.normal(size=(size, dims)).tolist())
        value = rng.normal(size=(size, 3)).tolist()
        sharpness = float(rng.choice([0, 0.3, 1, 4, 50]))
        # Only the plane's queries have two dimensions, so that a √2 written as such would show here.
        found = maths("lookUp", score, query, key, value, sharpness)
        for name, expected in package(score, query, key, value, sharpness).items():
            np.testing.assert_allclose(found[name], expected.numpy(), rtol=1e-9, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("score", SCORES)
def test_what_is_shown_is_the_packages(open_figure, score):
    figure = QueryKeyValueFigure(score=score, sharpness=1.7)
    page = open_figure(figure)
    expected = package(score, figure.query, figure.key, figure.value, 1.7)
    for j in range(5):
        assert page.read(f"score-{j + 1}") == pytest.approx(expected["scores"][j].item(), abs=1e-9)
        assert page.read(f"weight-{j + 1}") == pytest.approx(expected["weights"][j].item(), abs=1e-9)
    x, y = (f"{c:.2f}".replace("-", "−") for c in expected["output"].tolist())
    assert page.text("output") == f"({x}, {y})"
    assert page.read("largest") == pytest.approx(expected["weights"].max().item(), abs=1e-9)
    assert page.read("taking-part") == pytest.approx(1 / (expected["weights"] ** 2).sum().item(), abs=1e-9)


def test_from_uniform_to_a_hard_look_up(open_figure):
    figure = QueryKeyValueFigure()
    page = open_figure(figure)
    page.slide("sharpness", 0)
    assert page.state("sharpness") == 0
    assert [page.read(f"weight-{j}") for j in range(1, 6)] == pytest.approx([0.2] * 5)
    assert page.read("taking-part") == pytest.approx(5)
    page.slide("sharpness", 60)
    assert page.state("sharpness") == 50
    best = int(package("dot", figure.query, figure.key, figure.value, 1)["weights"].argmax())
    assert page.read(f"weight-{best + 1}") > 0.9999
    assert page.text("output") == page.text("hard")
    assert "hard look-up" in page.page.locator(".ab-said").inner_text()


def test_a_tie_is_called_a_tie(open_figure):
    key, value = [[1, 1], [1, -1], [-2, 0]], [[0, 1], [1, 0], [0, 0]]
    page = open_figure(QueryKeyValueFigure(key=key, value=value, query=[1, 0]))
    assert page.read("weight-1") == pytest.approx(page.read("weight-2"))
    assert "Key 1 and key 2 tie" in page.page.locator(".ab-said").inner_text()
    assert page.text("hard") == "2 tie"


def test_where_all_tie_no_key_is_named(open_figure):
    page = open_figure(QueryKeyValueFigure())
    regions = "svg path[fill-opacity='0.1']"
    assert page.page.locator(regions).count() == 1
    page.set(query=[0, 0])
    assert page.text("hard") == "all tie" and page.page.locator(regions).count() == 0
    assert "several keys tie" in page.handle("query").get_attribute("aria-valuetext")
    page.set(query=[0, 0], score="gaussian")
    assert page.text("hard").startswith("(")


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        ([0.604, 0.304, 0.06, 0.032], "60 % value 1, 30 % value 2, and 10 % all the others"),
        ([0.606, 0.306, 0.06, 0.028], "61 % value 1, 31 % value 2, and 8 % all the others"),
        ([0.504, 0.304, 0.192], "about 50 % value 1, 30 % value 2, and 19 % the third"),
        ([0.7, 0.2985, 0.001, 0.0005], "70 % value 1, 30 % value 2, and less than 1 % all the others"),
    ],
)  # fmt: skip
def test_the_shares_make_a_hundred(maths, weights, says):
    view = {"query": [1, 1], "output": [0, 0], "winner": 0, "sharpness": 1, "named": False}
    assert says in maths("inWords", {**view, "weights": weights})


# -- the names of the example --


def test_the_question_and_the_answer_are_said_in_words(open_figure):
    page = open_figure(QueryKeyValueFigure())
    said = page.page.locator(".ab-said")
    sentence = (
        "You ask for a big animal. “horse” fits best: the output is 68 % “horse”, 23 % “tree”, and 9 % all the "
        "others: outdoors and loud."
    )
    assert said.inner_text() == sentence
    weights = package("dot", **points(), sharpness=1)["weights"]
    assert [round(100 * a) for a in weights.tolist()[:2]] == [68, 23]
    assert page.page.locator("svg text", has_text="a big animal?").count() == 1  # beside the query
    page.set(query=[-1.5, -1.5], sharpness=4)
    assert "You ask for a small thing." in said.inner_text()
    assert "“candle” takes" in said.inner_text()
    assert "indoors and quiet" in said.inner_text()
    page.set(query=[0.1, 0.2])
    assert "You ask for anything." in said.inner_text()
    assert page.handle("query").get_attribute("aria-valuetext").startswith("anything:")


def points():
    figure = QueryKeyValueFigure()
    return {"query": figure.query, "key": figure.key, "value": figure.value}


def test_points_of_ones_own_have_no_names(open_figure):
    key, value = [[1, 0], [0, 1], [-1, 0]], [[0, 1], [1, 0], [0, 0]]
    figure = QueryKeyValueFigure(key=key, value=value)
    assert not figure.named and QueryKeyValueFigure(query=[0, 1]).named
    page = open_figure(figure)
    words = " ".join(page.page.locator("svg text").all_text_contents())
    assert "k₁ → v₁" in words and "horse" not in words and "animal" not in words


# -- the hull --


def test_the_output_lies_in_the_hull(maths):
    coordinate = st.floats(-2.5, 2.5, allow_nan=False, width=32)
    point = st.lists(coordinate, min_size=2, max_size=2)
    pairs = st.lists(st.tuples(point, point), min_size=2, max_size=8)

    @settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(point, pairs, st.sampled_from(sorted(SCORES)), st.floats(0, 50))
    def check(query, pairs, score, sharpness):
        key, value = [k for k, _ in pairs], [v for _, v in pairs]
        found = maths("lookUp", score, query, key, value, sharpness)
        assert sum(found["weights"]) == pytest.approx(1) and min(found["weights"]) >= 0
        assert_inside(found["output"], value)
        assert_inside(found["output"], maths("convexHull", value))  # the hull that is drawn

    check()


def test_the_hull_test_can_fail():
    with pytest.raises(AssertionError):
        assert_inside([0.8, 0.8], [[0, 0], [1, 0], [0, 1]])


def test_convex_hull(maths):
    square = [[0, 0], [2, 0], [2, 2], [0, 2]]
    hull = maths("convexHull", [[1, 1], *square, [1, 0], [0.5, 1.5]])
    assert sorted(map(tuple, hull)) == sorted(map(tuple, square))
    assert sorted(map(tuple, maths("convexHull", [[0, 0], [1, 1], [2, 2]]))) == [(0, 0), (2, 2)]


@pytest.mark.parametrize("score", SCORES)
def test_each_region_is_won_by_its_key(maths, score):
    figure = QueryKeyValueFigure()
    frame = [[-3, 3], [3, 3], [3, -3], [-3, -3]]
    regions = maths("winningRegions", score, figure.key, frame)
    area = 0
    for j, polygon in enumerate(map(np.array, regions)):
        x, y = polygon.T
        area += abs((x * np.roll(y, -1) - y * np.roll(x, -1)).sum()) / 2
        query = torch.tensor(0.999 * polygon + 0.001 * polygon.mean(0))
        winners = SCORES[score](query, torch.tensor(figure.key, dtype=torch.float64)).argmax(-1)
        assert (winners == j).all()
    assert area == pytest.approx(36)  # together they fill the frame


# -- moving things --


def test_the_query_moved_by_mouse(open_figure):
    page = open_figure(QueryKeyValueFigure())
    before, weight = page.state("query"), page.read("weight-5")
    page.drag("query", dx=30, dy=90)  # towards key 5, to the lower right
    after = page.state("query")
    assert after[0] > before[0] and after[1] < before[1]
    assert (after[0] - before[0]) / (before[1] - after[1]) == pytest.approx(30 / 90, rel=1e-3)  # equal units both ways
    assert page.read("weight-5") > weight
    expected = package("dot", after, page.state("key"), page.state("value"), 1)
    assert page.read("weight-5") == pytest.approx(expected["weights"][4].item(), abs=1e-9)


def test_keys_and_values_moved_by_mouse(open_figure):
    page = open_figure(QueryKeyValueFigure())
    value, output = page.state("value"), page.text("output")
    page.drag("key-3", dx=-20, dy=10)
    assert page.state("key")[2][0] < -1.7 and page.state("key")[2][1] < 0.3
    page.drag("value-1", dx=25, dy=0)
    assert page.state("value")[0][0] > value[0][0] and page.state("value")[1:] == value[1:]
    assert page.text("output") != output
    page.drag("value-1", dx=2000, dy=0)
    assert page.state("value")[0][0] == 2.5


def test_the_query_moved_by_a_finger(open_figure):
    page = open_figure(QueryKeyValueFigure(query=[0, 0]), width=390)
    page.swipe('[data-handle="query"]', dx=30, dy=-40)
    x, y = page.state("query")
    assert x / y == pytest.approx(30 / 40, rel=1e-3) and x > 0.4  # all the way, not cut short by the page's scrolling
    assert page.page.evaluate("scrollY") == 0


def test_moved_by_keyboard(open_figure):
    page = open_figure(QueryKeyValueFigure(query=[0.5, 0.5]))
    page.press("query", "ArrowRight", "ArrowUp", "Shift+ArrowDown")
    assert page.state("query") == pytest.approx([0.6, 0.1])
    page.press("key-2", "ArrowLeft")
    assert page.state("key")[1] == pytest.approx([-0.5, 1.6])
    page.press("value-4", "Shift+ArrowUp")
    assert page.state("value")[3] == pytest.approx([-1.8, -0.4])
    page.press("sharpness", "End")
    assert page.state("sharpness") == 50
    assert page.handle("query").get_attribute("aria-valuetext").startswith("an animal: (0.60, 0.10); ")


def test_the_score_is_chosen_and_all_is_reset(open_figure):
    figure = QueryKeyValueFigure()
    page = open_figure(figure)
    before = page.text("output")
    page.choose("score", "Gaussian  −½‖q−k‖²")
    assert page.state("score") == "gaussian" and page.read("score-1") < 0
    page.press("query", "ArrowLeft")
    page.press("key-1", "ArrowLeft")
    page.press("value-1", "ArrowLeft")
    page.slide("sharpness", 40)
    page.reset()
    assert {name: page.state(name) for name in figure.state_names()} == figure.state()
    assert page.text("output") == before


@pytest.mark.parametrize("pairs", [2, 8])
def test_other_numbers_of_pairs(open_figure, pairs):
    rng = np.random.default_rng(0)
    page = open_figure(QueryKeyValueFigure(key=rng.uniform(-2, 2, (pairs, 2)), value=torch.rand(pairs, 2)))
    assert sum(page.read(f"weight-{j + 1}") for j in range(pairs)) == pytest.approx(1)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_a_phone(open_figure, theme):
    page = open_figure(QueryKeyValueFigure(), width=390, theme=theme)
    page.require_fit()
    top = {key: page.handle(key).bounding_box()["y"] for key in ("query", "value-1")}
    bars = page.page.locator('svg[aria-label^="Scores and weights"]').bounding_box()["y"]
    assert (
        top["query"] < top["value-1"] < bars
    )  # the query that is moved and the output that it moves: next to each other
    assert bars - page.page.locator(".ab-stage").first.bounding_box()["y"] < 600


# -- bad values --


@pytest.mark.parametrize(
    ("error", "match", "bad"),
    [
        (ValueError, r"a point \[x, y\], numbers from -2.5 to 2.5; got \[1, 2, 3\]", {"query": [1, 2, 3]}),
        (TypeError, r"got \['north', 0\]", {"query": ["north", 0]}),
        (TypeError, r"got \[True, 0\]", {"query": [True, 0]}),
        (TypeError, "got 3", {"query": 3}),
        (ValueError, r"got \[0, 2.6\]", {"query": [0, 2.6]}),
        (ValueError, r"got \[0, nan\]", {"query": [0, float("nan")]}),
        (TypeError, r"a list of 2 to 8 points \[x, y\].*; one of them is 1", {"key": [1, 2]}),
        (ValueError, "2 to 8 points .*; got 1", {"key": [[0, 0]], "value": [[0, 0]]}),
        (ValueError, "2 to 8 points .*; got 9", {"key": [[0, 0]] * 9, "value": [[0, 0]] * 9}),
        (ValueError, "one value for each key; got 3 keys and 5 values", {"key": [[0, 0]] * 3}),
        (
            ValueError,
            "names for 5 pairs, got 3; leave out named=True",
            {"key": [[0, 0]] * 3, "value": [[0, 0]] * 3, "named": True},
        ),
        (ValueError, "one of 'dot', 'scaled_dot', 'gaussian'; got 'cosine'", {"score": "cosine"}),
        (ValueError, "what the scores are multiplied by: a number from 0 to 50; got -1", {"sharpness": -1}),
        (TypeError, "has no temperature; it takes query, key, value, score, named, sharpness", {"temperature": 1}),
    ],
)
def test_bad_values(error, match, bad):
    with pytest.raises(error, match=match):
        QueryKeyValueFigure(**bad)


def test_a_bad_value_leaves_the_figure_as_it_was():
    figure = QueryKeyValueFigure()
    before = figure.state()
    with pytest.raises(ValueError, match="has 5 points, got 2; make a new figure"):
        figure.key = [[0, 0], [1, 1]]
    with pytest.raises(ValueError, match=r"got \[9, 9\]"):
        figure.query = [9, 9]
    assert figure.state() == before


def test_two_figures_share_nothing():
    one, two = QueryKeyValueFigure(), QueryKeyValueFigure()
    one.key = torch.tensor(one.key) * 0.5
    assert two.key == QueryKeyValueFigure().key and one.key != two.key
