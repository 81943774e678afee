"""The sampling explorer: the browser filters as `attnbook.translation.filter_logits`, and its dice are honest."""

import math

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from attnbook.data import bundled_pairs, references, split_pairs
from attnbook.text import BOS, normalise
from attnbook.translation import (
    filter_logits,
    load_page_model,
    next_word_log_probs,
    page_model_header,
)
from attnbook.widgets import SamplingExplorerFigure
from attnbook.widgets.kit import WIDGETS, figure_data
from attnbook.widgets.kit.samples import seeded_uniforms
from attnbook.widgets.sampling_explorer import EXAMPLES

DATA = figure_data("sampling_explorer")
FITS = """() => {
  const card = document.querySelector(".ab-card").getBoundingClientRect();
  const texts = [...document.querySelectorAll("svg text")];
  return {
    page: document.documentElement.scrollWidth <= innerWidth,
    outside: [...texts, ...document.querySelectorAll("button, label, select, output, p")].filter((node) => {
      const box = node.getBoundingClientRect();
      return box.width && (box.left < card.left || box.right > card.right);
    }).map((node) => node.textContent),
    smallest: Math.min(...texts.map((t) => parseFloat(getComputedStyle(t).fontSize))),
    scale: (({ clientWidth, viewBox }) => clientWidth / viewBox.baseVal.width)(document.querySelector(".ab-stage svg")),
  };
}"""
FILTERS = [
    (1.0, 0, 1.0),
    (0.3, 0, 1.0),
    (2.5, 0, 1.0),
    (1.0, 1, 1.0),
    (1.0, 10, 1.0),
    (1.0, 10000, 1.0),
    (1.0, 0, 0.9),
    (1.0, 0, 0.05),
    (1.4, 20, 0.75),
    (0.7, 500, 0.99),
]


def stored(example):
    """Log-probabilities of an example, the likeliest first, float64."""
    return -torch.tensor(DATA["examples"][example]["costs"]).cumsum(0) * DATA["unit"]


def filtered(example, temperature, top_k, top_p):
    """What the package leaves of an example."""
    return filter_logits(
        stored(example).double(),
        temperature,
        top_k or None,
        None if top_p == 1 else top_p,
    )


def from_browser(values):
    """JSON has no −∞: it arrives as None."""
    return torch.tensor(
        [-math.inf if v is None else v for v in values], dtype=torch.float64
    )


@pytest.fixture
def page(open_figure):
    return open_figure(SamplingExplorerFigure())


# -- the stored numbers, and the browser against the package --


def test_the_distributions_are_the_models():
    translator = load_page_model(DATA["model"])
    header = page_model_header(DATA["model"])
    assert (DATA["seed"], DATA["test"]) == (header["seed"], header["test"])
    held_out = references(split_pairs(bundled_pairs(), seed=DATA["split_seed"]).test)
    entropies = []
    for example, row in enumerate(DATA["examples"]):
        assert row["reference"] == held_out[normalise(row["sentence"])][0]
        ids, lens = translator.encode([row["sentence"]])
        prefix = translator.target_vocab.encode(" ".join(row["prefix"]))
        assert translator.target_vocab.tokens(prefix) == row["prefix"]
        with torch.no_grad():
            logits = translator.model(ids, torch.tensor([[BOS, *prefix]]), lens)[0, -1]
        ranked, order = next_word_log_probs(logits).sort(descending=True)
        real = ranked.isfinite()
        assert_close(stored(example), ranked[real], rtol=0, atol=6e-4)
        assert len(row["costs"]) == len(translator.target_vocab) - 2
        names = translator.target_vocab.tokens(order[:5].tolist())
        apart = (ranked[:5] - ranked[1:6]) > 2e-3  # nearly equal ones may change places
        assert all(
            a == b
            for a, b, sure in zip(names, row["names"], apart, strict=False)
            if sure
        )
        entropies.append(-float((ranked[real].exp() * ranked[real]).sum()))
    assert min(entropies) < 1 < 3 < max(entropies)  # peaked ones and flat ones
    assert (WIDGETS / "sampling_explorer" / "data.json").stat().st_size < 60_000


def test_the_filters_are_the_packages(page):
    for example in range(len(EXAMPLES)):
        logits = page.math("logProbsOf", example)
        assert_close(torch.tensor(logits), stored(example), rtol=0, atol=1e-5)
        for temperature, top_k, top_p in FILTERS:
            cut = page.page.evaluate(
                """([logits, ...rest]) => {
                  const [widget] = Object.values(attnbook.widgets);
                  return widget.math.filterLogits(logits, ...rest).map((v) => (v === -Infinity ? null : v));
                }""",
                [stored(example).tolist(), temperature, top_k, top_p],
            )
            expected = filtered(example, temperature, top_k, top_p)
            # sorted, because equally likely words may stand in any order
            found = from_browser(cut).sort(descending=True).values
            assert_close(
                found, expected.sort(descending=True).values, rtol=0, atol=1e-6
            )


def test_the_dice_fall_into_the_probabilities(page):
    probs = [0.5, 0.25, 0.125, 0.125, 0.0]
    places = page.math("drawWords", probs, 1000, 7)
    expected = np.searchsorted(np.cumsum(probs), seeded_uniforms(7, 1000), "right")
    assert places == expected.tolist()
    shares = np.bincount(places, minlength=5) / 1000
    assert np.abs(shares - probs).max() < 4 * math.sqrt(0.25 / 1000)
    assert page.math("drawWords", probs, 100, 7) == places[:100]
    # rounding may leave the sum below the die: the last word that can be drawn takes it
    assert set(page.math("drawWords", [0.25, 0.25, 0.0], 200, 1)) == {0, 1}


def test_entropy(page):
    assert page.math("entropyOf", [0.25] * 4 + [0]) == pytest.approx(math.log(4))
    assert page.math("entropyOf", [1, 0]) == 0


# -- what is shown --


@pytest.mark.parametrize(("temperature", "top_k", "top_p"), FILTERS[:1] + FILTERS[-3:])
def test_what_is_shown(open_figure, temperature, top_k, top_p):
    figure = SamplingExplorerFigure(
        example=2, temperature=temperature, top_k=min(top_k, 1000), top_p=top_p
    )
    page = open_figure(figure)
    left = filtered(2, temperature, top_k, top_p)
    before, after = stored(2).double().softmax(-1), left.softmax(-1)
    assert page.read("kept") == left.isfinite().sum()
    assert page.read("mass") == pytest.approx(float(before[left.isfinite()].sum()))
    entropies = [-float((q[q > 0] * q[q > 0].log()).sum()) for q in (before, after)]
    assert page.read("entropy_before") == pytest.approx(entropies[0], abs=1e-5)
    assert page.read("entropy_after") == pytest.approx(entropies[1], abs=1e-5)
    for i in (0, 3, 19):
        row = page.page.locator(f'[data-row="w{i}"]')
        assert row.get_attribute("data-cut") == str(not left[i].isfinite()).lower()
        shown = row.locator("text").last.text_content()
        assert shown == (f"{after[i]:.3f}" if left[i].isfinite() else "cut off")
    tail = page.page.locator('[data-row="rest"] text').last.text_content()
    if left[20:].isfinite().any():
        assert float(tail.split(",")[0]) == pytest.approx(
            float(after[20:].sum()), abs=6e-4
        )
    else:
        assert tail == "cut off"


def test_drawing_shows_frequencies(page):
    page.slide("top_k", 4)  # the list's fifth value: 4
    page.set(top_k=4, top_p=1)
    page.click("Draw 100")
    page.click("Draw 100")
    assert page.state("draws") == 200
    drawn = page.page.locator("[data-drawn]").evaluate_all(
        "(marks) => marks.map((mark) => +mark.dataset.drawn)"
    )
    assert len(drawn) == 4 and sum(drawn) == 200
    probs = filtered(0, 1.0, 4, 1.0).softmax(-1)[:4]
    for count, prob in zip(drawn, probs.tolist(), strict=True):
        assert abs(count / 200 - prob) < 4 * math.sqrt(prob * (1 - prob) / 200) + 0.01
    assert page.read("distinct") == sum(count > 0 for count in drawn)
    page.click("New seed")
    assert (page.state("draws"), page.state("seed")) == (0, 1)
    assert page.text("distinct") == "–"


def test_one_word_left_is_greedy_decoding(page):
    page.set(top_k=1)
    assert page.read("kept") == 1 and page.text("entropy_after") == "0.000"
    assert "greedy decoding" in page.page.locator(".ab-said").inner_text()


# -- hands --


def test_the_controls(page):
    page.slide("temperature", 4)
    assert page.state("temperature") == 0.5
    page.slide("top_k", 0)
    page.slide("top_p", 20)
    assert page.state("top_k") == 0 and page.state("top_p") == 1
    said = page.page.locator(".ab-said").inner_text()
    assert "sharper" in said and "top-p" not in said
    page.page.locator('select[data-control="example"]').select_option(index=1)
    page.settle()
    assert page.state("example") == 1
    page.reset()
    first = SamplingExplorerFigure().state()
    assert {name: page.state(name) for name in first} == first


def test_the_threshold_by_keys_and_by_mouse(page):
    handle = page.page.locator('[data-handle="top_p"]')
    handle.focus()
    page.page.keyboard.press("ArrowLeft")
    page.settle()
    assert page.state("top_p") == 0.75
    page.page.keyboard.press("End")
    page.settle()
    assert page.state("top_p") == 1
    page.drag("top_p", -90, 0)  # a sum of 1 is 180 pixels wide here
    assert page.state("top_p") == pytest.approx(0.5, abs=0.02)


def test_it_fits_on_a_phone(open_figure):
    for example in range(len(EXAMPLES)):
        figure = SamplingExplorerFigure(example=example, draws=100, temperature=2)
        page = open_figure(figure, width=390, theme="dark")
        fits = page.page.evaluate(FITS)
        assert fits["page"] and fits["outside"] == []
        assert fits["smallest"] >= 12 and fits["scale"] > 0.99


# -- Python --


@pytest.mark.parametrize(
    ("traits", "error", "says"),
    [
        ({"example": 99}, ValueError, "which distribution is shown"),
        ({"temperature": 0}, ValueError, "from 0.1 to 3; got 0"),
        ({"top_k": -1}, ValueError, "0 for all"),
        ({"top_k": 2.5}, ValueError, "a whole number"),
        ({"top_p": 0}, ValueError, "from 0.05 to 1; got 0"),
        ({"top_p": "0.9"}, TypeError, "the probability that the words kept must reach"),
        ({"draws": 3000}, ValueError, "from 0 to 2000"),
        ({"seed": -1}, ValueError, "the seed of the random draws"),
        ({"k": 3}, TypeError, "has no k"),
    ],
)
def test_bad_traits_are_named(traits, error, says):
    with pytest.raises(error, match=says):
        SamplingExplorerFigure(**traits)
