"""The figure of score functions: its mathematics against the package, moved by mouse and keyboard."""

import math

import pytest
import torch
from torch.testing import assert_close

from attnbook.attention import scores
from attnbook.widgets import ScoreFunctionsFigure
from attnbook.widgets.score_functions import SCORES, drawn_weights

WORDS = {
    "dot": "dot product  q·k",
    "scaled_dot": "scaled dot  q·k/√d",
    "multiplicative": "multiplicative  qᵀMk",
    "additive": "additive  w_vᵀ tanh(W_q q + W_k k)",
    "gaussian": "Gaussian  −½‖q−k‖²",
}

FONT_SIZES = "[...document.querySelectorAll('svg text')].map((t) => parseFloat(getComputedStyle(t).fontSize))"
OVER_THE_EDGE = """[...document.querySelectorAll('svg text, select, pre, button')].filter((node) => {
  const [a, b] = [node, node.closest('.ab-card')].map((n) => n.getBoundingClientRect());
  return a.left < b.left || a.right > b.right;
}).map((node) => node.textContent)"""


def table(values):
    return torch.tensor(values, dtype=torch.float64)


def by_package(name, query, key, parameters):
    """The package's score of one query (D,) for keys (S, D)."""
    q, k = query[None], key
    if name == "multiplicative":
        return scores.multiplicative_score(q, k, parameters["weight"])[0]
    if name == "additive":
        return scores.additive_score(q, k, parameters["W_q"], parameters["W_k"], parameters["w_v"])[0]
    return getattr(scores, f"{name}_score")(q, k)[0]


def shown(page, name):
    """The four numbers written in the drawing for the four keys."""
    texts = [page.page.locator(f'[data-cell="{name}-{j}"]').text_content() for j in range(1, 5)]
    return [float(text.split(";")[0].split()[-1].replace("−", "-")) for text in texts]


def difference(page):
    """How far the two sets of weights that are shown differ at most."""
    pairs = zip(shown(page, "weight"), shown(page, "other"), strict=True)
    return max(abs(a - b) for a, b in pairs)


@pytest.fixture
def page(open_figure):
    return open_figure(ScoreFunctionsFigure())


@pytest.mark.parametrize("name", SCORES)
def test_scores_equal_the_package(maths, name):
    generator = torch.Generator().manual_seed(5)
    for d, h, num_keys in ((2, 3, 4), (5, 7, 11)):

        def draw(*shape):
            return torch.randn(*shape, generator=generator, dtype=torch.float64)

        query, key = draw(d), draw(num_keys, d)
        parameters = {"weight": draw(d, d), "W_q": draw(h, d), "W_k": draw(h, d), "w_v": draw(h)}
        lists = {what: tensor.tolist() for what, tensor in parameters.items()}
        got = table(maths("scoreAll", name, query.tolist(), key.tolist(), lists))
        assert_close(got, by_package(name, query, key, parameters), rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", SCORES)
def test_what_is_shown_is_what_the_package_computes(page, name):
    figure = ScoreFunctionsFigure()
    page.choose("score", WORDS[name])
    assert page.state("score") == name
    parameters = {what: table(value) for what, value in drawn_weights(1).items()}
    expected = by_package(name, table(figure.query), table(figure.key), parameters)
    weights = expected.softmax(-1).tolist()
    assert shown(page, "weight") == pytest.approx(weights, abs=0.0006)
    assert shown(page, "score") == pytest.approx(expected.tolist(), abs=0.006)


def test_dot_and_gaussian_differ_by_the_norms_of_the_keys(page):
    figure = ScoreFunctionsFigure()
    query, key = table(figure.query)[None], table(figure.key)
    dots, gaussians = (f(query, key).softmax(-1)[0] for f in (scores.dot_score, scores.gaussian_score))
    largest = (dots - gaussians).abs().max().item()
    assert largest > 0.1
    said = page.page.locator(".ab-said").inner_text()
    assert f"differ by up to {largest:.3f}" in said
    assert shown(page, "weight") == pytest.approx(dots.tolist(), abs=0.0006)
    assert shown(page, "other") == pytest.approx(gaussians.tolist(), abs=0.0006)
    norms = [
        float(text.replace("−", "-"))
        for text in page.page.locator("[data-norm]").evaluate_all("all => all.map((node) => node.dataset.norm)")
    ]
    assert norms == pytest.approx((-(key**2).sum(-1) / 2).tolist(), abs=0.006)
    page.set(score="gaussian")  # then it is the other way round
    assert shown(page, "other") == pytest.approx(dots.tolist(), abs=0.0006)


def test_the_sentence_speaks_of_the_score_and_the_key_that_leads(page):
    said = page.page.locator(".ab-said").first
    sentences = set()
    for score in SCORES:
        page.set(score=score)
        weights = shown(page, "weight")
        best = max(range(4), key=weights.__getitem__)
        assert f"k{'₁₂₃₄'[best]} scores highest" in said.inner_text()
        assert f"gets {weights[best]:.2f} of the weight" in said.inner_text()
        sentences.add(said.inner_text())
    assert len(sentences) == len(SCORES)
    page.set(score="dot", query=[0, 0])
    assert "every key scores 0" in said.inner_text()


def test_on_a_circle_they_coincide(page):
    page.tick("on_circle")
    assert difference(page) == 0
    assert "the two sets of weights are one" in page.page.locator(".ab-said").inner_text()
    assert max(shown(page, "weight")) > 0.5  # not the trivial agreement of four equal weights
    for _ in range(3):
        page.drag("query", -35, 50)
        assert difference(page) == 0
    page.tick("on_circle", on=False)
    assert difference(page) > 0.01


def test_the_circle_keeps_directions(maths):
    keys = [[1.0, 1.0], [-2.0, 0.0], [0.3, -0.4], [0.0, 0.0]]
    moved = maths("onCircle", keys, 2)
    assert [math.hypot(*k) for k in moved] == pytest.approx([2] * 4)
    assert moved[1] == pytest.approx([-2, 0])
    assert moved[2] == pytest.approx([1.2, -1.6])


def test_the_query_moves_by_mouse(page):
    width = page.page.evaluate("document.querySelector('.ab-stage svg').getBoundingClientRect().width")
    unit = (width - 54) / 6  # the plane is 6 wide; 44 and 10 pixels are the margins
    page.drag("query", -unit, unit / 2)
    assert page.state("query") == pytest.approx([0.5, 0.5], abs=0.02)
    page.drag("query", 5000, 5000)
    assert page.state("query") == [3, -3]


def test_query_and_keys_move_by_keyboard(page):
    page.press("query", "ArrowRight", "ArrowUp", "Shift+ArrowUp")
    assert page.state("query") == pytest.approx([1.6, 1.6])
    before = shown(page, "weight")[2]
    page.press("key3", *["Shift+ArrowRight"] * 6)
    assert page.state("key")[2] == pytest.approx([1.8, 0.8])
    assert shown(page, "weight")[2] > before
    words = page.handle("key3").get_attribute("aria-valuetext")
    assert words.startswith("1.80, 0.80: score ")


def test_a_key_on_the_circle_stays_on_it(page):
    page.tick("on_circle")
    page.press("key1", *["ArrowDown"] * 4)
    assert math.hypot(*page.state("key")[0]) == pytest.approx(2)
    page.drag("key2", -120, 30)
    assert math.hypot(*page.state("key")[1]) == pytest.approx(2)


def test_a_query_of_zero_scores_zero_everywhere(page):
    page.set(query=[0, 0])
    assert shown(page, "weight") == [0.25] * 4
    assert page.page.locator('[data-level="0"]').count() == 0


def test_pieces_are_joined_into_lines(maths):
    pieces = [[[0, 0], [1, 0]], [[2, 1], [2, 2]], [[2, 0], [1, 0]], [[2, 0], [2, 1]], [[5, 5], [6, 6]]]
    lines = maths("joinPieces", pieces)
    assert sorted(min(line, line[::-1]) for line in lines) == [
        [[0, 0], [1, 0], [2, 0], [2, 1], [2, 2]],
        [[5, 5], [6, 6]],
    ]


@pytest.mark.parametrize("name", ["dot", "multiplicative", "additive"])
def test_the_zero_level_lies_where_the_score_is_zero(maths, name):
    parameters = drawn_weights(1)
    query = [1.5, 1.0]
    field = maths("sampleScores", name, query, parameters)
    pieces = maths("region", field["axis"], field["axis"], field["values"], 0, 1)["pieces"]
    ends = [end for piece in pieces for end in piece]
    assert len(ends) > 40
    tensors = {what: table(value) for what, value in parameters.items()}
    off = by_package(name, table(query), table(ends), tensors).abs().max().item()
    assert off < (1e-9 if name != "additive" else 0.02)  # a curve between grid points is not quite straight


def test_level_regions_have_the_right_area(maths):
    def area(name, query, level, sign):
        field = maths("sampleScores", name, query, {})
        total = 0
        for shape in maths("region", field["axis"], field["axis"], field["values"], level, sign)["areas"]:
            pairs = zip(shape, shape[1:] + shape[:1], strict=True)
            total += abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in pairs)) / 2
        return total

    assert area("dot", [1.0, 2.0], 0, 1) == pytest.approx(18)  # half of 6 × 6
    assert area("dot", [1.0, 2.0], 0, -1) == pytest.approx(18)
    assert area("gaussian", [0.2, -0.3], -2, 1) == pytest.approx(4 * math.pi, rel=0.01)  # a disc of radius 2
    assert area("gaussian", [0.2, -0.3], -2, -1) == pytest.approx(36 - 4 * math.pi, rel=0.01)


def test_reset_restores_everything(page):
    first = {name: page.state(name) for name in ScoreFunctionsFigure().state()}
    page.drag("query", -50, 20)
    page.press("key2", "ArrowLeft")
    page.tick("on_circle")
    page.choose("score", WORDS["gaussian"])
    page.reset()
    assert {name: page.state(name) for name in first} == first


@pytest.mark.parametrize("name", SCORES)
def test_it_fits_on_a_phone(open_figure, name):
    page = open_figure(ScoreFunctionsFigure(score=name, query=[3, 3]), width=390)
    assert page.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert min(page.page.evaluate(FONT_SIZES)) >= 12
    assert page.page.evaluate(OVER_THE_EDGE) == []


def test_weights_are_seeded_and_can_be_given():
    assert ScoreFunctionsFigure(seed=3).W_q == ScoreFunctionsFigure(seed=3).W_q != ScoreFunctionsFigure(seed=4).W_q
    figure = ScoreFunctionsFigure(weight=torch.eye(2), W_q=[[1, 0]], W_k=[[0, 1]], w_v=[2])
    assert (figure.weight, figure.W_q, figure.w_v) == ([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0]], [2.0])


@pytest.mark.parametrize(
    ("traits", "error", "says"),
    [
        ({"score": "cosine"}, ValueError, "one of 'dot', 'scaled_dot'"),
        ({"query": 3}, TypeError, r"the query: a point \[x, y\], numbers from -3 to 3; got 3"),
        ({"query": [1, 2, 3]}, ValueError, r"a point \[x, y\].*; got \[1, 2, 3\]"),
        ({"query": [1, "2"]}, TypeError, "the query"),
        ({"query": [1, 4]}, ValueError, r"got \[1, 4\]"),
        ({"query": [1, float("nan")]}, ValueError, r"got \[1, nan\]"),
        ({"key": [[1, 1]] * 3}, ValueError, "a list of 4 points"),
        ({"key": [[1, 1, 1]] * 4}, ValueError, r"one of them is \[1, 1, 1\]"),
        ({"on_circle": "yes"}, TypeError, "True or False"),
        ({"radius": 0}, ValueError, "from 0.5 to 3; got 0"),
        ({"weight": [[1, 2]]}, ValueError, r"matrix M \(2, 2\)"),
        ({"W_q": []}, ValueError, r"matrix W_q \(h, 2\)"),
        ({"w_v": [1, 2]}, ValueError, "share one hidden size h; W_q has 3, W_k has 3, w_v has 2"),
        ({"seed": -1}, ValueError, "seed must be at least 0, got -1"),
        ({"seed": 1.5}, TypeError, "seed must be an integer, got float"),
        ({"temperature": 2}, TypeError, "has no temperature"),
    ],
)
def test_bad_traits_are_named(traits, error, says):
    with pytest.raises(error, match=says):
        ScoreFunctionsFigure(**traits)


def test_traits_are_checked_when_set_later():
    figure = ScoreFunctionsFigure()
    with pytest.raises(ValueError, match="has 3 hidden units, got 2; make a new figure"):
        figure.w_v = [1.0, 2.0]
    with pytest.raises(ValueError, match="a list of 4 points"):
        figure.key = [[0, 0]]


def test_the_sentence_begins_with_what_has_changed(open_figure):
    page = open_figure(ScoreFunctionsFigure())
    said = page.page.locator(".ab-said").first
    weights = lambda: shown(page, "weight")  # noqa: E731
    assert "As " not in said.inner_text() and "From " not in said.inner_text()

    def most(before, after):
        j = max(range(4), key=lambda i: abs(after[i] - before[i]))
        way = "rose" if after[j] > before[j] else "fell"
        return f"the weight of k{'₁₂₃₄'[j]} {way} from {before[j]:.2f} to {after[j]:.2f}. "

    first = weights()
    page.press("query", "ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft")
    moved = weights()
    assert said.inner_text().startswith(f"As q moved, {most(first, moved)}")
    page.set(score="gaussian")  # another kind of change, told from where it began
    assert most(moved, weights()) in said.inner_text()
    assert said.inner_text().startswith("From ")


def test_each_choice_of_a_score_is_told_from_the_one_before(open_figure):
    page = open_figure(ScoreFunctionsFigure())
    said = page.page.locator(".ab-said").first
    page.set(score="dot")
    for score, says in (
        ("scaled_dot", "From dot to scaled dot"),
        ("multiplicative", "From scaled dot to multiplicative"),
        ("scaled_dot", "From multiplicative to scaled dot"),
        ("dot", "From scaled dot to dot"),
    ):
        page.set(score=score)
        assert said.inner_text().startswith(says)


def test_a_query_that_is_back_has_changed_nothing(open_figure):
    page = open_figure(ScoreFunctionsFigure())
    said = page.page.locator(".ab-said").first
    before, start = said.inner_text(), page.state("query")
    page.set(query=[0.5, 0.5])
    assert said.inner_text().startswith("As q moved")
    page.set(query=start)
    assert said.inner_text() == before


def test_a_change_that_does_nothing_is_told_as_such(maths):
    state = {"label": "a", "weights": [0.5, 0.5]}
    assert "no weight changed" in maths("sayChange", "k₂", state, state)
