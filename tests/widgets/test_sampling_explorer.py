"""The sampling explorer: the browser filters as `attnbook.translation.filter_logits`, and its dice are honest."""

import functools
import itertools
import math
import re

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from attnbook.data import bundled_pairs, references, split_pairs
from attnbook.text import BOS, EOS, normalise
from attnbook.translation import filter_logits, greedy, load_page_model, next_word_log_probs, page_model_header
from attnbook.weights import PAGE_TARGETS
from attnbook.widgets import SamplingExplorerFigure
from attnbook.widgets.kit import WIDGETS
from attnbook.widgets.kit.samples import seeded_uniforms
from attnbook.widgets.sampling_explorer import DATA, EXAMPLES

EXAMPLE = range(len(DATA["examples"]))  # by their numbers, the French ones first
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
        stored(example).double(), temperature=temperature, top_k=top_k or None, top_p=None if top_p == 1 else top_p
    )


def from_browser(values):
    """JSON has no −∞: it arrives as None."""
    return torch.tensor([-math.inf if v is None else v for v in values], dtype=torch.float64)


@functools.cache
def translator(target="fr"):
    return load_page_model("transformer", target)


def model_after(example, written):
    """Log-probabilities of the package's model after the beginning of an example and these words."""
    row = DATA["examples"][example]
    model = translator(row["target"]).model
    ids, lens = translator(row["target"]).encode([row["sentence"]])
    words = translator(row["target"]).target_vocab.encode(" ".join([*row["prefix"], *written]))
    with torch.no_grad():
        logits = model(ids, torch.tensor([[BOS, *words]]), lens)[0, -1]
    return next_word_log_probs(logits, unknown=model.writes_unknown)


@pytest.fixture
def page(open_figure):
    return open_figure(SamplingExplorerFigure())


def draw(page, button="Draw a word", words=1):
    page.click(button)
    page.page.wait_for_function(
        "(n) => document.querySelector('.attnbook-figure').abModel.get('written').length >= n", arg=words
    )
    page.settle()


# -- the stored numbers, and the browser against the package --


def test_the_distributions_are_the_models():
    held_out = {}
    for about in DATA["models"]:
        target = about["target"]
        header = page_model_header(about["model"], target)
        assert (about["seed"], about["test"]) == (header["seed"], header["test"])
        pairs = bundled_pairs(PAGE_TARGETS[target].lower())
        held_out[target] = references(split_pairs(pairs, seed=about["split_seed"]).test)
    entropies = {target: [] for target in EXAMPLES}
    for example, row in enumerate(DATA["examples"]):
        target = row["target"]
        assert row["reference"] == held_out[target][normalise(row["sentence"])][0]
        vocab = translator(target).target_vocab
        assert vocab.tokens(vocab.encode(" ".join(row["prefix"]))) == row["prefix"]
        ranked, order = model_after(example, []).sort(descending=True)
        real = ranked.isfinite()
        assert_close(stored(example), ranked[real], rtol=0, atol=6e-4)
        assert len(row["costs"]) == len(vocab) - (2 if translator(target).model.writes_unknown else 3)
        names = vocab.tokens(order[:5].tolist())
        apart = (ranked[:5] - ranked[1:6]) > 2e-3  # nearly equal ones may change places
        assert all(a == b for a, b, sure in zip(names, row["names"], apart, strict=False) if sure)
        entropies[target].append(-float((ranked[real].exp() * ranked[real]).sum()))
    assert all(min(found) < 1 < 2.5 < max(found) for found in entropies.values())  # peaked ones and flat ones
    assert (WIDGETS / "sampling_explorer" / "data.json").stat().st_size < 60_000


def test_as_many_words_pass_as_chapter_14_says():
    found = {" ".join(row["prefix"]): row["names"] for row in DATA["examples"]}
    places = {prefix: number for number, prefix in enumerate(found)}

    def left(prefix, temperature=1.0):
        return int(filtered(places[prefix], temperature, 0, 0.8).isfinite().sum())

    assert left("mon sport préféré est le") == 1
    assert found["mon sport préféré est le"][0] == "tennis"
    assert left("c'est dangereux de") > 150
    assert left("tu as fait") == 2
    assert left("tu as fait", temperature=2.0) > 600


def test_the_right_translation_is_as_improbable_as_chapter_14_says():
    car = translator()
    words = car.target_vocab.encode("ma voiture est noire .")
    ids, lens = car.encode(["my car is black ."])
    with torch.no_grad():
        logits = car.model(ids, torch.tensor([[BOS, *words]]), lens)[0]
    log_probs = next_word_log_probs(logits, unknown=car.model.writes_unknown)
    each = log_probs.gather(1, torch.tensor([[*words, EOS]]).T)[:, 0].exp()
    assert words == greedy(car.model, ids, lens)[0].ids[:5]
    assert (round(float(each[3]), 2), round(float(each.prod()), 2)) == (0.13, 0.07)


def test_the_filters_are_the_packages(page):
    for example in EXAMPLE:
        logits = page.math("logProbsOf", DATA["examples"][example], DATA["unit"])
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
            assert_close(found, expected.sort(descending=True).values, rtol=0, atol=1e-6)


def test_the_dice_fall_into_the_probabilities(maths):
    probs = [0.5, 0.25, 0.125, 0.125, 0.0]
    places = maths("drawWords", probs, 1000, 7)
    expected = np.searchsorted(np.cumsum(probs), seeded_uniforms(7, 1000), "right")
    assert places == expected.tolist()
    shares = np.bincount(places, minlength=5) / 1000
    assert np.abs(shares - probs).max() < 4 * math.sqrt(0.25 / 1000)
    assert maths("drawWords", probs, 100, 7) == places[:100]
    # rounding may leave the sum below the die: the last word that can be drawn takes it
    assert set(maths("drawWords", [0.25, 0.25, 0.0], 200, 1)) == {0, 1}


def test_entropy(maths):
    assert maths("entropyOf", [0.25] * 4 + [0]) == pytest.approx(math.log(4))
    assert maths("entropyOf", [1, 0]) == 0


# -- what is shown --


@pytest.mark.parametrize(("temperature", "top_k", "top_p"), FILTERS[:1] + FILTERS[-3:])
def test_what_is_shown(open_figure, temperature, top_k, top_p):
    figure = SamplingExplorerFigure(example=2, temperature=temperature, top_k=min(top_k, 1000), top_p=top_p)
    page = open_figure(figure)
    left = filtered(2, temperature, top_k, top_p)
    before, after = stored(2).double().softmax(-1), left.softmax(-1)
    assert page.read("kept") == left.isfinite().sum()
    assert page.read("mass") == pytest.approx(float(before[left.isfinite()].sum()))
    entropies = [-float((q[q > 0] * q[q > 0].log()).sum()) for q in (before, after)]
    assert page.read("entropy_before") == pytest.approx(entropies[0], abs=1e-5)
    assert page.read("entropy_after") == pytest.approx(entropies[1], abs=1e-5)
    for i in (0, 3, 13):
        row = page.page.locator(f'[data-row="w{i}"]')
        assert row.get_attribute("data-cut") == str(not left[i].isfinite()).lower()
        shown = row.locator("text").last.text_content()
        had = f"{before[i]:.3f}" if before[i] >= 0.0005 else "< 0.001"
        assert shown == (f"{after[i]:.3f}" if left[i].isfinite() else f"was {had}")
    tail = page.page.locator('[data-row="rest"] text').last.text_content()
    if left[14:].isfinite().any():
        assert float(tail.split(",")[0]) == pytest.approx(float(after[14:].sum()), abs=6e-4)
    else:
        assert tail == f"was {before[14:].sum():.3f}"  # what was lost with them


def test_what_is_the_models_keeps_its_place_while_the_filters_move(page):
    outlines = """() => [...document.querySelectorAll('[data-row] rect[stroke]')]
      .map((box) => Math.round(box.getBoundingClientRect().width))"""
    widths = page.page.evaluate(outlines)
    for values in ({"temperature": 3.0}, {"top_k": 1}, {"temperature": 0.1, "top_p": 1}, {"draws": 100}):
        page.set(**values)
        assert page.page.evaluate(outlines) == widths


def test_top_k_says_why_it_keeps_one_more(page):
    page.set(temperature=3.0, top_k=500)
    ties = int((stored(0) == stored(0)[499]).sum())
    kept = int(filtered(0, 3.0, 500, 1).isfinite().sum())
    assert kept == 501 and ties == 3
    said = page.page.locator(".ab-said")
    assert f"top-k keeps {kept} of 1631 words, as the last {ties} are tied in the stored digits" in said.inner_text()
    page.set(top_k=100)
    assert "tied" not in said.inner_text()


@pytest.mark.parametrize("width", [390, 1000])
def test_what_stays_of_the_other_words_is_clear_of_the_running_sum(open_figure, width):
    page = open_figure(SamplingExplorerFigure(temperature=3.0, draws=100), width=width)
    edge = page.page.locator('[data-line="sum"]').bounding_box()["x"]
    for temperature in (3.0, 2.0, 1.5, 1.2):
        page.set(temperature=temperature)
        for box in page.page.locator('[data-row="rest"] text').all():
            place = box.bounding_box()
            assert place["x"] + place["width"] < edge
    page.require_fit()


def test_the_running_sum_crosses_the_threshold_in_a_words_row(page):
    page.set(temperature=3.0)
    row = page.page.locator('[data-row="rest"] rect').first.bounding_box()
    line = page.page.locator('[data-line="sum"]').get_attribute("d")
    before, last = (part.split() for part in re.split("[ML]", line)[-2:])
    assert before[1] == last[1] and float(before[0]) < float(last[0]) - 50
    svg = page.page.locator(".ab-stage svg").bounding_box()
    assert 0 < svg["y"] + float(last[1]) - row["y"] < row["height"]


def test_drawing_shows_frequencies(page):
    page.slide("top_k", 4)  # the list's fifth value: 4
    page.set(top_k=4, top_p=1)
    page.click("Draw 100")
    page.click("Draw 100")
    assert page.state("draws") == 200
    drawn = page.page.locator("[data-drawn]").evaluate_all("(marks) => marks.map((mark) => +mark.dataset.drawn)")
    assert len(drawn) == 4 and sum(drawn) == 200
    probs = filtered(0, 1.0, 4, 1.0).softmax(-1)[:4]
    for count, prob in zip(drawn, probs.tolist(), strict=True):
        assert abs(count / 200 - prob) < 4 * math.sqrt(prob * (1 - prob) / 200) + 0.01
    assert page.read("distinct") == sum(count > 0 for count in drawn)
    page.click("New seed")
    assert (page.state("draws"), page.state("seed")) == (0, 1)
    assert not page.page.locator('[data-value="distinct"]').is_visible()


def test_the_draw_is_compared_with_what_was_expected(page):
    page.set(top_p=1, draws=200)
    share = page.page.locator('[data-row="w0"] text').last.text_content()
    count = page.page.locator('[data-row="w0"] [data-drawn]').get_attribute("data-drawn")
    assert (
        f"Of 200 draws, {count} gave the likeliest word, “{DATA['examples'][0]['names'][0]}”; "
        f"200 × {share} = {200 * float(share):.1f} were expected." in page.page.locator(".ab-said").inner_text()
    )


def test_what_follows_a_drawn_word_is_told_as_such(page):
    said = page.page.locator(".ab-said")
    tall = said.evaluate("(node) => node.offsetHeight")
    draw(page)
    assert "After it, top-p needs 1 word" in said.inner_text()
    assert "Only one word is left there" in said.inner_text()
    page.click("Draw 100")
    assert said.inner_text().endswith("All of 100 draws gave “devoirs”.")
    assert said.evaluate("(node) => node.offsetHeight") == tall


def test_one_word_left_is_greedy_decoding(page):
    page.set(top_k=1)
    assert page.read("kept") == 1 and page.text("entropy_after") == "0.000"
    assert "greedy decoding" in page.page.locator(".ab-said").inner_text()


@pytest.mark.parametrize(("temperature", "top_k", "top_p"), FILTERS)
def test_the_sentence_agrees_with_the_numbers(page, temperature, top_k, top_p):
    top_k = min(top_k, 1000)
    page.set(example=2, temperature=temperature, top_k=top_k, top_p=top_p)
    said = page.page.locator(".ab-said").inner_text()
    left = filtered(2, temperature, top_k, top_p)
    before, after = stored(2).double().softmax(-1), left.softmax(-1)
    kept, size, name = (int(left.isfinite().sum()), len(left), DATA["examples"][2]["names"][0])
    if top_p < 1:
        assert f"op-p needs {kept} word" in said
    if kept == 1:
        assert "Only one word is left" in said
    elif kept < size:
        assert said.endswith(
            f"The other {size - kept} words are cut off, and “{name}” goes from {before[0]:.3f} to {after[0]:.3f}."
        )
    elif temperature == 1:
        assert said.endswith(f"The {size - 10} least likely hold {before[10:].sum():.3f} together.")
    else:
        assert said.endswith(f"No word is cut off; “{name}” goes from {before[0]:.3f} to {after[0]:.3f}.")


def test_the_first_sentence_says_which_words_are_left(page):
    said = page.page.locator(".ab-said").inner_text()
    assert said.startswith("Top-p needs 2 words, “tes” and “vos”, for 0.80")


# -- the sentence goes on --


def test_a_word_is_drawn_and_the_models_next_distribution_is_shown(page):
    page.set(temperature=1.6, top_p=1)
    page.click("Draw a word")
    page.page.wait_for_selector("p.ab-se-prefix small")
    ranked, order = model_after(0, []).sort(descending=True)
    shares = (ranked[ranked.isfinite()].double() / 1.6).softmax(-1)
    die = seeded_uniforms(0, 1)[0]
    place = int(np.searchsorted(shares.cumsum(0).numpy(), die, "right"))
    (word,) = translator().target_vocab.tokens([int(order[place])])
    assert page.state("written") == [word]
    prob = page.page.locator("p.ab-se-prefix small").inner_text()
    assert float(prob.replace("−", "-")) == pytest.approx(float(ranked[place].exp()), rel=0.02)
    following = model_after(0, [word])
    assert page.read("entropy_before") == pytest.approx(
        -float((following.exp() * following.clamp(min=-100)).sum()), abs=1e-3
    )
    best = translator().target_vocab.tokens([int(following.argmax())])[0]
    row = page.page.locator('[data-row="w0"] text')
    assert row.first.text_content() == best
    page.click("Back")
    assert page.state("written") == [] and page.state("cast") == 1


def test_another_draw_after_going_back_is_another_die(page):
    page.set(temperature=3, top_p=1)
    draw(page)
    first = page.state("written")
    page.click("Back")
    draw(page)
    assert page.state("written") != first and page.state("cast") == 2


def test_stop_is_as_wide_as_to_the_end(open_figure):
    page = open_figure(SamplingExplorerFigure(temperature=1.5, top_p=1), width=1000)
    button = page.page.get_by_role("button", name="To the end")
    card = page.page.locator(".ab-card")
    places = button.bounding_box()["width"], card.bounding_box()["height"]
    button.click()
    stop = page.page.get_by_role("button", name="Stop")
    stop.wait_for()
    now = stop.bounding_box()["width"], card.bounding_box()["height"]
    assert now == pytest.approx(places, abs=0.5)
    if stop.is_visible():
        stop.click()


def test_to_the_end_with_one_word_left_is_greedy_decoding(page):
    page.set(example=1, top_k=1)
    page.click("To the end")
    said = page.page.locator(".ab-said", has_text="Finished")
    said.wait_for(timeout=20_000)
    written = page.state("written")
    assert written[-1] == "<eos>"
    for i, word in enumerate(written):
        best = int(model_after(1, written[:i]).argmax())
        assert translator().target_vocab.tokens([best]) == [word]
    assert said.inner_text().endswith("Greedy decoding writes the same.")
    assert page.page.get_by_role("button", name="Draw a word").is_disabled()
    page.reset()
    first = SamplingExplorerFigure().state()
    assert {name: page.state(name) for name in first} == first


def test_to_the_end_without_motion_is_one_change(page):
    page.set(example=1, top_k=1)
    draw(page)
    page.stop_motion()
    press = "[...document.querySelectorAll('.ab-button')].find((one) => one.textContent === 'To the end').click()"
    page.page.evaluate(f"async () => {{ {press}; await new Promise((done) => setTimeout(done)); }}")
    assert page.state("written")[-1] == "<eos>"
    assert page.page.get_by_role("button", name="Stop").count() == 0


def test_words_given_from_outside_are_read_by_the_model(open_figure):
    page = open_figure(SamplingExplorerFigure(example=1, written=["du"]))
    page.page.wait_for_selector('.ab-card[aria-busy="false"]')
    page.settle()
    best = translator().target_vocab.tokens([int(model_after(1, ["du"]).argmax())])[0]
    assert page.page.locator('[data-row="w0"] text').first.text_content() == best == "thé"


# -- another language --


def test_into_chinese_with_its_own_model_and_without_spaces(page):
    draw(page)
    french = page.state("written")
    page.choose("target", "中文")
    assert page.state("written") == []
    row = next(row for row in DATA["examples"] if row["target"] == "zh")
    assert page.page.locator("p.ab-se-prefix b").inner_text() == "".join(row["prefix"])
    assert page.page.locator("p.ab-se-prefix").get_attribute("lang") == "zh-Hans"
    after = page.page.locator('select[data-control="example"] option').first.inner_text()
    assert after == f"“{''.join(row['prefix'])} …”: {row['sentence']}"
    assert f"of {len(row['costs'])}" in page.page.locator(".ab-outputs").inner_text()
    assert "Each character counts as a word." in page.page.locator(".ab-se-source").inner_text()
    page.set(top_k=1)
    page.click("To the end")
    said = page.page.locator(".ab-said", has_text="Finished")
    said.wait_for(timeout=20_000)
    written = page.state("written")
    number = DATA["examples"].index(row)
    for i, word in enumerate(written):
        best = int(model_after(number, written[:i]).argmax())
        assert translator("zh").target_vocab.tokens([best]) == [word]
    assert f"“{''.join([*row['prefix'], *written[:-1]])}” The words" in said.inner_text()
    page.choose("target", "Français")
    page.set(written=french)
    assert page.page.locator("p.ab-se-prefix b").inner_text() == " ".join(DATA["examples"][0]["prefix"])
    assert page.page.locator("p.ab-se-prefix small").count() == len(french)
    assert page.page.locator('[data-row="w0"] text').first.text_content() == "devoirs"


def test_a_link_leads_to_chinese(page):
    page.page.goto("about:blank")
    page.page.go_back()
    page.page.evaluate("location.hash = '#fig-sampling_explorer--target=%22zh%22&example=1'")
    page.settle()
    begun = [row["prefix"] for row in DATA["examples"] if row["target"] == "zh"][1]
    assert page.page.locator("p.ab-se-prefix b").inner_text() == "".join(begun)


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


def test_on_a_phone_sliders_bars_and_sentence_are_together(open_figure):
    page = open_figure(SamplingExplorerFigure(), width=390)
    card, controls, said = (page.page.locator(part).bounding_box() for part in (".ab-card", ".ab-controls", ".ab-said"))
    assert controls["height"] < 200
    assert said["y"] + said["height"] <= card["y"] + 844
    page.click("More settings")
    page.click("Draw 100")
    assert page.state("draws") == 100


@pytest.mark.parametrize("width", [390, 1000])
def test_nothing_moves_while_the_sliders_do(open_figure, width):
    page = open_figure(SamplingExplorerFigure(), width=width)
    card = page.page.locator(".ab-card")
    height = card.bounding_box()["height"]
    for values in (
        {"temperature": 1.5},
        {"top_k": 100},
        {"top_p": 0.95},
        {"top_k": 0, "top_p": 1.0},
        {"example": 2, "temperature": 0.1},
    ):
        page.set(**values)
        assert card.bounding_box()["height"] == pytest.approx(height, abs=1)


def test_it_fits_on_a_phone(open_figure):
    for target, example in itertools.product(EXAMPLES, range(6)):
        figure = SamplingExplorerFigure(target=target, example=example, draws=100, temperature=2)
        page = open_figure(figure, width=390, theme="dark")
        draw(page)
        page.require_fit()


# -- Python --


@pytest.mark.parametrize(
    ("traits", "error", "says"),
    [
        ({"target": "de"}, ValueError, "one of 'fr', 'zh'; got 'de'"),
        ({"example": 99}, ValueError, "which distribution is shown"),
        ({"temperature": 0}, ValueError, "from 0.1 to 3; got 0"),
        ({"top_k": -1}, ValueError, "0 for all"),
        ({"top_k": 2.5}, ValueError, "a whole number"),
        ({"top_p": 0}, ValueError, "from 0.05 to 1; got 0"),
        ({"top_p": "0.9"}, TypeError, "the probability that the words kept must reach"),
        ({"draws": 3000}, ValueError, "from 0 to 2000"),
        ({"seed": -1}, ValueError, "the seed of the random draws"),
        ({"written": "du"}, TypeError, "split the sentence first"),
        ({"written": ["du"] * 41}, ValueError, "at most 40"),
        ({"k": 3}, TypeError, "has no k"),
    ],
)
def test_bad_traits_are_named(traits, error, says):
    with pytest.raises(error, match=says):
        SamplingExplorerFigure(**traits)


def test_on_a_phone_every_slider_is_long_enough_to_be_set(open_figure):
    page = open_figure(SamplingExplorerFigure(), width=390)
    sliders = page.page.locator(".ab-controls input[type=range]").all()
    assert len(sliders) == 3
    assert min(slider.bounding_box()["width"] for slider in sliders) > 120
    panel, button = (
        page.page.locator(part).bounding_box() for part in (".ab-controls", ".ab-card .ab-button.ab-primary")
    )
    assert panel["height"] <= 112  # beside the page's bar: a fifth of a phone's screen
    assert button["y"] >= panel["y"] + panel["height"]
