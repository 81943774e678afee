"""The attention-pattern viewer: the browser's model is PyTorch's, and hands and keys show what it does."""

import base64
import json
import re

import pytest
import torch
from torch.testing import assert_close

from attnbook.studies import CLASSES, START, STORED, VOCABULARY, stored_model, without_head
from attnbook.widgets import AttentionPatternsFigure
from attnbook.widgets.attention_patterns import FourHeadsFigure
from attnbook.widgets.capture import capture
from attnbook.widgets.kit import WIDGETS, figure_parts

DATA = json.loads(STORED.read_text("utf-8"))
MODEL = stored_model()
SENTENCES = [
    "the tall king likes the old dogs and the old dogs sleep .",
    "now the girls that the boy near the birds likes run the .",
    "sings sings",
    "dogs . that that today the and now see sees old shy tall behind",
]


def ask(words, model=MODEL):
    """Weights (L, H, T, T) and probabilities of the next words (T, V), in PyTorch."""
    ids = torch.tensor([[VOCABULARY.index(word) for word in (START, *words)]])
    with torch.no_grad():
        logits, weights = model(ids, need_weights=True)
    return weights[0].double(), logits[0].softmax(-1).double()


@pytest.fixture
def page(open_figure):
    return open_figure(AttentionPatternsFigure())


def shown(page, name):
    return float(page.page.locator(f'[data-number="{name}"]').text_content().replace("−", "-"))


# -- the browser against PyTorch --


def test_half_precision_is_read_as_it_was_written(maths):
    numbers = torch.tensor([0.0, 1.0, -2.5, 6e-8, 3e-5, -6.1e-5, 0.1, 65504.0]).half()
    bits = [int(b) & 0xFFFF for b in numbers.view(torch.int16)]
    assert [maths("half", b) for b in bits] == numbers.double().tolist()


@pytest.mark.parametrize("text", SENTENCES)
def test_patterns_and_predictions_are_pytorchs(maths, text):
    found = maths("run", [START, *text.split()], [])
    weights, chances = ask(text.split())
    assert_close(torch.tensor(found["weights"], dtype=torch.float64), weights, rtol=0, atol=1e-4)
    assert_close(torch.tensor(found["next"], dtype=torch.float64), chances, rtol=0, atol=1e-4)


@pytest.mark.parametrize("off", [[[1, 4]], [[2, 3], [2, 4]], [[1, 1], [2, 2], [2, 1]]])
def test_switched_off_heads_are_pytorchs(maths, off):
    model = MODEL
    for layer, head in off:
        model = without_head(model, layer, head)
    words = SENTENCES[1].split()
    found = maths("run", [START, *words], off)
    weights, chances = ask(words, model)
    assert_close(torch.tensor(found["weights"], dtype=torch.float64), weights, rtol=0, atol=1e-4)
    assert_close(torch.tensor(found["next"], dtype=torch.float64), chances, rtol=0, atol=1e-4)
    assert not torch.allclose(chances, ask(words)[1], atol=1e-3)


def test_probabilities_are_added_up_by_class(maths):
    chances = ask(SENTENCES[0].split())[1][5]
    expected = {name: sum(float(chances[VOCABULARY.index(w)]) for w in words) for name, words in CLASSES.items()}
    found = maths("byClass", chances.tolist())
    assert {one["name"]: one["p"] for one in found} == pytest.approx(expected)
    assert [one["p"] for one in found] == sorted(expected.values(), reverse=True)
    best = max(CLASSES[found[0]["name"]], key=lambda w: chances[VOCABULARY.index(w)])
    assert found[0]["words"][0][0] == best
    assert maths("share", chances.tolist(), "verb, plural") == pytest.approx(expected["verb, plural"])


def test_the_name_of_a_head_is_the_greatest_number_that_was_measured(page):
    for layer, heads in enumerate(DATA["measured"]["heads"], 1):
        for head, facts in enumerate(heads, 1):
            assert page.math("headFacts", layer, head) == facts
            jobs = {job: a for job, a in facts.items() if job != "without"}
            name, _, share = page.math("foremost", facts)
            assert (name, share) == (max(jobs, key=jobs.get), max(jobs.values()))
            label = page.handle(f"head-{layer}-{head}").get_attribute("aria-label")
            assert label == f"layer {layer}, head {head}: {name} {share:.2f}"


# -- what is shown --


def most(page):
    """The word that is looked at most and its weight, as the drawing of the sentence is described."""
    label = page.page.locator(".ab-stage svg").first.get_attribute("aria-label")
    return label.split("looks most at ")[1]


def usual(page):
    return page.page.locator('[data-value="usual"]').inner_text()


def test_the_first_look(page):
    assert page.live
    figure = AttentionPatternsFigure()
    weights, chances = ask(figure.words)
    row = weights[figure.layer - 1, figure.head - 1, figure.query]
    words = [START, *figure.words]
    assert most(page) == f"{words[int(row.argmax())]} {row.max():.2f}" and words[int(row.argmax())] == "dogs"
    assert page.text("next") == f"dogs {chances[figure.query].max():.2f}"
    for t in range(figure.query + 1):
        assert shown(page, f"weight-{t}") == pytest.approx(row[t].item(), abs=0.0051)
    assert page.page.locator(f'[data-number="weight-{figure.query + 1}"]').count() == 0  # the future
    lines = page.page.locator("[data-line]")
    assert lines.count() == int((row >= 0.015).sum())
    facts = DATA["measured"]["heads"][1][1]
    largest = max(facts[j] for j in facts if j != "without")
    assert f"when a repeated adjective looks, {largest:.2f} of its weight in this head is on the noun" in usual(page)


def test_the_large_map_shows_its_weights(page):
    page.set(layer=1, head=4)
    weights = ask(AttentionPatternsFigure().words)[0][0, 3]
    cells = page.page.locator('[data-number^="cell-"]')
    assert cells.count() == int((weights >= 0.095).sum())
    for cell in cells.all()[::5]:
        i, j = map(int, cell.get_attribute("data-number").split("-")[1:])
        assert float(cell.text_content()) == pytest.approx(weights[i, j].item(), abs=0.0051)


def test_thicker_lines_are_greater_weights(page):
    page.set(layer=1, head=2)
    figure = AttentionPatternsFigure()
    row = ask(figure.words)[0][0, 1, figure.query]
    lines = [
        (int(n.get_attribute("data-line")), float(n.get_attribute("stroke-width")))
        for n in page.page.locator("[data-line]").all()
    ]
    assert len(lines) > 3
    by_weight = sorted(lines, key=lambda line: row[line[0]])
    assert [width for _, width in by_weight] == sorted(width for _, width in lines)


@pytest.mark.parametrize("number", range(len(DATA["examples"])))
def test_every_example_is_told_rightly(page, number):
    example = DATA["examples"][number]
    text = " ".join(example["words"][:-1])
    page.choose("words", text)
    assert page.state("words") == example["words"] and page.state("query") == example["answer"] - 1
    answer = [START, *example["words"]][example["answer"]]
    if example["kind"] == "noun":
        assert page.text("next").split()[0] == answer
    else:
        pair = page.read("singular"), page.read("plural")
        assert (pair[0] > 0.9) == (answer in CLASSES["verb, singular"]) and (pair[1] > 0.9) == (pair[0] < 0.1)


def test_a_changed_word_changes_the_prediction(page):
    page.choose("words", "the dogs that the king likes sleep")
    assert page.read("plural") > 0.9
    page.handle("word-2").click()
    page.settle()
    assert page.state("query") == 2
    page.choose("query", "dog")
    assert page.state("words")[1] == "dog"
    assert page.page.locator('select[data-control="words"]').input_value() == "-1"  # no longer an example
    page.handle("word-6").click()
    page.settle()
    assert page.read("singular") > 0.9
    chances = ask(["the", "dog", "that", "the", "king", "likes", "sleep", "."])[1][6]
    expected = sum(chances[VOCABULARY.index(word)].item() for word in CLASSES["verb, singular"])
    assert page.read("singular") == pytest.approx(expected, abs=1e-4)


def test_the_start_cannot_be_changed(page):
    page.handle("word-0").click()
    page.settle()
    assert page.page.locator('select[data-control="query"]').is_disabled()
    assert most(page) == f"{START} 1.00"


def test_what_the_chapter_invites_to_try(page):
    page.choose("query", "tall")  # the second "old"
    assert most(page).startswith("king 0.9") or most(page) == "king 1.00"
    assert page.text("next").startswith("king")
    page.reset()
    page.choose("words", "the dogs that the king likes sleep")
    page.set(layer=2, head=3)
    assert most(page).startswith("dogs") and page.read("plural") > 0.9
    page.reset()
    page.set(layer=1, head=4, query=7)
    assert most(page).startswith("old")
    page.set(layer=2, head=4, query=10)
    before = most(page)
    page.set(off=[[1, 4]])
    assert most(page) != before


# -- hands --


def test_pointing_at_a_word_shows_its_row_and_choosing_keeps_it(page):
    first = most(page)
    page.handle("word-7").hover()
    page.settle()
    row = ask(AttentionPatternsFigure().words)[0][1, 1, 7]
    assert most(page) != first and shown(page, "weight-6") == pytest.approx(row[6].item(), abs=0.0051)
    assert page.state("query") == 10  # only pointed at
    page.page.mouse.move(2, 2)
    page.settle()
    assert most(page) == first
    page.handle("word-7").click()
    page.page.mouse.move(2, 2)
    page.settle()
    assert page.state("query") == 7 and shown(page, "weight-6") == pytest.approx(row[6].item(), abs=0.0051)


def test_words_by_keys(page):
    page.press("word-10", "ArrowLeft", "ArrowLeft")
    assert page.state("query") == 8
    assert page.page.evaluate("document.activeElement.dataset.handle") == "word-8"
    page.press("word-8", "End", "ArrowRight")
    assert page.state("query") == 13
    page.press("word-13", "Home", "ArrowLeft")
    assert page.state("query") == 0
    stops = page.page.locator('[data-handle^="word-"][tabindex="0"]')
    assert stops.count() == 1


def test_heads_by_mouse_and_by_keys(page):
    page.handle("head-1-4").click()
    page.settle()
    assert (page.state("layer"), page.state("head")) == (1, 4)
    page.press("head-1-4", "ArrowDown", "ArrowLeft")
    assert (page.state("layer"), page.state("head")) == (2, 3)
    page.press("head-2-3", "ArrowDown", "ArrowRight", "ArrowRight")
    assert (page.state("layer"), page.state("head")) == (2, 4)
    assert page.page.evaluate("document.activeElement.dataset.handle") == "head-2-4"
    page.press("head-2-4", "Enter")
    assert page.state("off") == [[2, 4]]
    page.press("head-2-4", " ")
    assert page.state("off") == []


def test_a_click_in_the_large_map_chooses_a_row(page):
    box = page.handle("map").bounding_box()
    page.page.mouse.click(box["x"] + 80, box["y"] + box["height"] * 5.5 / 14)
    page.settle()
    assert page.state("query") == 5


def test_heads_are_switched_off_together_and_the_prediction_goes(page):
    assert page.text("next").startswith("dogs")
    for head in (1, 2, 4):
        page.handle(f"head-2-{head}").click()
        page.click("Switch this head off")
        assert page.page.get_by_role("button", name="Switch this head on").count() == 1
    assert page.state("off") == [[2, 1], [2, 2], [2, 4]]
    model = MODEL
    for head in (1, 2, 4):
        model = without_head(model, 2, head)
    chance = ask(AttentionPatternsFigure().words, model)[1][10, VOCABULARY.index("dogs")].item()
    assert chance < 0.5
    assert f"“dogs”, {chance:.2f}" in page.page.locator('[data-number="truth"]').text_content()
    page.click("All heads on")
    assert page.state("off") == [] and page.text("next").startswith("dogs")
    assert page.page.get_by_role("button", name="All heads on").is_disabled()


def test_reset_restores_everything(page):
    page.choose("words", "the birds behind the girl see the boys")
    page.handle("head-1-1").click()
    page.click("Switch this head off")
    page.press("word-5", "ArrowLeft")
    page.reset()
    assert {name: page.state(name) for name in AttentionPatternsFigure().state()} == AttentionPatternsFigure().state()


@pytest.mark.parametrize("width", [390, 800])
def test_it_fits(open_figure, width):
    page = open_figure(AttentionPatternsFigure(off=[[1, 2]]), width=width, theme="dark")
    longest = max(DATA["examples"], key=lambda e: len(" ".join(e["words"])))
    for words in (longest["words"], ["the", "dogs"]):
        page.set(words=words, query=len(words))
        page.require_fit()


def test_without_scripts_a_picture_stays(open_figure):
    page = open_figure(AttentionPatternsFigure(), javascript=False)
    image = page.page.locator(".attnbook-figure > img")
    assert image.is_visible() and image.evaluate("(img) => img.clientWidth") > 300
    assert "nearly all its weight goes to" in " ".join(image.get_attribute("alt").split())


# -- Python --


@pytest.mark.parametrize(
    ("traits", "error", "says"),
    [
        ({"words": "the dogs sleep"}, TypeError, "split the sentence first"),
        ({"words": ["dogs"]}, ValueError, "2 to 14 words .*; got 1"),
        ({"words": ["dogs"] * 15}, ValueError, "2 to 14 words .*; got 15"),
        ({"words": ["the", "zebras"]}, ValueError, "that the model knows.*dog, .*; one of them is 'zebras'"),
        ({"words": ["the", 3]}, TypeError, "one of them is 3"),
        ({"words": [START, "the"]}, ValueError, "adds in front"),
        ({"query": 15}, ValueError, "from 0 to 14; got 15"),
        (
            {"query": 4, "words": ["the", "dogs"]},
            ValueError,
            "in a sentence of 2 words: a whole number from 0 to 2; got 4",
        ),
        ({"query": 1.5}, ValueError, "a whole number"),
        ({"layer": 3}, ValueError, "from 1 to 2; got 3"),
        ({"head": 0}, ValueError, "from 1 to 4; got 0"),
        ({"off": 3}, TypeError, "list of at most 8 pairs"),
        ({"off": [1]}, TypeError, "one of them is 1"),
        ({"off": [[1, "2"]]}, TypeError, "one of them is"),
        ({"off": [[2, 5]]}, ValueError, r"heads 1 to 4, each once; one of them is \[2, 5\]"),
        ({"off": [[1, 1], (1, 1)]}, ValueError, "each once"),
        ({"colour": "red"}, TypeError, "has no colour"),
    ],
)
def test_bad_traits_are_named(traits, error, says):
    with pytest.raises(error, match=says):
        AttentionPatternsFigure(**traits)


def test_later_changes_are_checked_and_the_query_stays_inside():
    figure = AttentionPatternsFigure()
    figure.words = ["the", "dogs"]
    assert figure.query == 2
    with pytest.raises(ValueError, match="of 2 words: a whole number from 0 to 2; got 3"):
        figure.query = 3
    with pytest.raises(ValueError, match="zebras"):
        figure.words = ["the", "zebras"]
    with pytest.raises(ValueError, match="one of them is"):
        figure.off = [[0, 1]]
    assert AttentionPatternsFigure(words=["the", "dogs"]).query == 2


def test_the_four_heads_take_a_sentence_without_a_position():
    few = ["the", "dogs", "sleep", "."]
    assert FourHeadsFigure(words=few).query == 4 and FourHeadsFigure(words=few * 2).query == 6
    assert FourHeadsFigure(words=few, query=2).query == 2
    with pytest.raises(ValueError, match="in a sentence of 4 words: a whole number from 0 to 4; got 6"):
        FourHeadsFigure(words=few, query=6)


def test_the_data_comes_with_the_module_and_not_with_every_box():
    assert "weights/next_words.safetensors" in figure_parts("attention_patterns")
    assert "weights/next_words.safetensors" not in figure_parts("position_explorer")
    assert len(json.dumps(AttentionPatternsFigure().state())) < 500


def test_the_figure_says_what_its_alt_text_says():
    figure = AttentionPatternsFigure()
    row = ask(figure.words)[0][figure.layer - 1, figure.head - 1, figure.query]
    words = [START, *figure.words]
    assert words[figure.query] == "old" and words[int(row.argmax())] == "dogs" and row.max() > 0.9


def test_the_sentence_tells_what_is_seen_now_and_what_has_changed(page):
    assert page.said.startswith("“old” looks most at “dogs”, 1.00. Is this head needed?")
    page.set(off=[[1, 4]])
    assert page.said == (
        "With head 4 of layer 1 off, “old” now looks most at “king”, 0.95; "
        "with all heads on, at “dogs”, 1.00. The most probable next word is still “dogs”, 0.97 instead of 1.00."
    )
    page.set(query=1, off=[[2, 4], [1, 3], [2, 1]])
    assert page.said.startswith("With head 3 of layer 1 and heads 1 and 4 of layer 2 off,")
    page.set(query=8, layer=1, head=1, off=[[2, 3]])
    now = most(page).split()[1]
    assert "“and” still looks most at" in page.said
    assert f"{now}, as with all heads on" in page.said
    page.set(layer=2, head=4, off=[[1, 1], [1, 2], [1, 3], [1, 4]])
    assert page.said.startswith("With 4 heads off, “and”")


@pytest.mark.parametrize("kind", ["agreement", "noun"])
def test_the_sentence_tells_what_a_head_is_worth(page, kind):
    """What was measured without it; whether a head can go without loss, readers find out by themselves."""
    measured = DATA["measured"]
    full = measured["full"]
    assert full == {"agreement": 1.0, "noun": 1.0}
    words = {"agreement": "verbs would agree", "noun": "repeated nouns would be right"}
    rates = {
        (layer, head): facts["without"]
        for layer, heads in enumerate(measured["heads"], 1)
        for head, facts in enumerate(heads, 1)
    }
    example = next(e for e in DATA["examples"] if e["kind"] == kind)
    page.set(words=example["words"], query=example["answer"] - 1)
    for (layer, head), rate in rates.items():
        page.set(layer=layer, head=head)
        if rate == full:
            text = "Is this head needed? Switch it off, and see whether the prediction changes."
        elif rate[kind] == 1:
            other = next(k for k in rate if rate[k] < 1)
            own = words[kind].replace(" would", " of the test sentences would still")
            text = f"Switched off, all {own}, but only {100 * rate[other]:.0f} % of the {words[other]}."
        else:
            tasks = sorted(rate, key=lambda k: k != kind)
            lost = [f"{100 * rate[k]:.0f} % of the {words[k]}" for k in tasks if rate[k] < 1]
            text = f"Switched off, it is missed: in the test sentences only {' and '.join(lost)} (with it, 100 %)."
        assert page.said.endswith(text)


@pytest.mark.parametrize("width", [390, 760, 1000])
def test_the_card_keeps_its_height(open_figure, width):
    page = open_figure(AttentionPatternsFigure(), width=width)
    heads = [{"layer": layer, "head": head} for layer in (1, 2) for head in (1, 2, 3, 4)]
    examples = [
        {"words": example["words"], "query": example["answer"] - 1, "layer": 2, "head": 2, "off": off}
        for example in DATA["examples"]
        for off in ([], [[1, 2]])
    ]
    first, *others = page.heights([{}, *heads])
    assert others == pytest.approx([first] * len(others), abs=1)
    others = page.heights([*examples, {"layer": 1, "head": 3}, {"layer": 2, "head": 3}])
    assert others == pytest.approx([first] * len(others), abs=2)


def test_on_a_phone_words_and_sentence_follow_the_controls(open_figure):
    page = open_figure(AttentionPatternsFigure(), width=390)
    card, panel, words, text = (
        page.page.locator(name).first.bounding_box() for name in (".ab-card", ".ab-controls", ".ab-stage", ".ab-said")
    )
    assert panel["height"] <= 200
    assert panel["y"] < words["y"] < text["y"]
    assert text["y"] + text["height"] - card["y"] <= 740  # so also below the book's own bar


def test_numbers_fit_into_small_cells(open_figure):
    page = open_figure(AttentionPatternsFigure(), width=390)
    cells = page.page.locator('[data-number^="cell-"]')
    widths = [cell.bounding_box()["width"] for cell in cells.all()]
    side = page.handle("map").bounding_box()["height"] / 14
    assert max(widths) < side - 2
    assert {"1", ".93"} <= set(cells.all_text_contents())


def test_a_head_that_is_off_is_drawn_as_off(page):
    arcs = page.page.locator("[data-line]")
    assert "--ab-weight" in arcs.first.get_attribute("style")
    page.set(layer=1, head=4, query=7, off=[[1, 4]])
    for arc in arcs.all():
        assert "--ab-masked" in arc.get_attribute("style")
        assert float(arc.get_attribute("stroke-width")) <= 3
    titles = page.page.locator("svg text").all_text_contents()
    assert "Layer 1, head 4: off" in titles and "What would “dogs” look at?" in titles
    assert (
        page.page.locator(".ab-said")
        .inner_text()
        .startswith("Head 4 of layer 1 is off and passes nothing on: “dogs” would look most at “old”")
    )


def test_another_kind_of_sentence_brings_the_head_that_it_needs(page):
    """Unless the reader has chosen one."""
    verbs, nouns = (
        [" ".join(e["words"][:-1]) for e in DATA["examples"] if e["kind"] == kind] for kind in ("agreement", "noun")
    )
    place = lambda: [page.state("layer"), page.state("head")]  # noqa: E731
    page.choose("words", nouns[1])
    assert place() == [2, 2]
    page.choose("words", verbs[0])
    assert place() == page.math("headFor", "agreement") == [2, 3]
    assert most(page).startswith("dogs 1.00")
    page.choose("words", nouns[0])
    assert place() == page.math("headFor", "noun")
    page.handle("head-1-4").click()
    page.choose("words", verbs[1])
    assert place() == [1, 4]
    page.reset()
    page.choose("words", verbs[1])
    assert place() == [2, 3]
    page.set(layer=1, head=4)  # as a link does
    page.choose("words", verbs[0])
    assert place() == [1, 4]


def test_an_average_names_the_words_that_it_is_of(page):
    page.set(layer=1, head=1)
    facts = DATA["measured"]["heads"][0][0]
    assert f"when a noun looks, {facts['adjective']:.2f} of its weight in this head is on its adjective" in usual(page)


def test_the_panel_has_no_empty_row(page):
    button = page.page.get_by_role("button", name="All heads on")
    assert button.is_visible() and button.is_disabled()
    page.click("Switch this head off")
    assert button.is_enabled()


# -- four heads side by side --


@pytest.fixture
def together(open_figure):
    return open_figure(FourHeadsFigure())


def rows_of(page, words, layer, query):
    """What is printed of the four rows of a word, beside PyTorch's."""
    expected = ask(words)[0][layer - 1, :, query, : query + 1]
    for h in range(4):
        for j in range(query + 1):
            found = shown(page, f"weight-{h + 1}-{j}")
            assert found == pytest.approx(expected[h, j].item(), abs=0.0051)
    later = page.page.locator(f'[data-number="weight-1-{query + 1}"]')
    assert later.count() == 0
    return expected


def test_four_rows_are_pytorchs(together):
    figure = FourHeadsFigure()
    row = rows_of(together, figure.words, 2, 6)
    assert row[2].argmax() == 2  # head 3: from "likes" to "dogs", whose verb comes next
    assert "in head 3 at “dogs” (1.00)" in together.said
    together.set(layer=1)
    rows_of(together, figure.words, 1, 6)


def test_the_four_rows_of_a_word_that_is_pointed_at_or_chosen(together):
    figure = FourHeadsFigure()
    together.handle("word-3").hover()
    together.settle()
    rows_of(together, figure.words, 2, 3)
    assert together.state("query") == 6  # only pointed at
    together.page.mouse.move(2, 2)
    together.settle()
    rows_of(together, figure.words, 2, 6)
    together.press("word-6", "ArrowLeft", "Home", "ArrowRight", "ArrowRight")
    assert together.state("query") == 2
    assert together.page.evaluate("document.activeElement.dataset.handle") == "word-2"
    box = together.handle("map-4").bounding_box()
    together.page.mouse.click(box["x"] + 5, box["y"] + 4.5 * box["height"] / 9)
    together.settle()
    assert together.state("query") == 4
    rows_of(together, figure.words, 2, 4)


def test_other_sentences_of_the_four_heads(together):
    options = together.page.locator('select[data-control="words"] option').all_text_contents()
    assert len(options) == 4
    for text in options:
        together.choose("words", text)
        words, query = together.state("words"), together.state("query")
        assert " ".join(words[:-1]) == text
        rows_of(together, words, 2, query)
    together.reset()
    assert together.state("words") == FourHeadsFigure().words and together.state("query") == 6


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [374, 800])
def test_the_four_heads_fit(open_figure, width, theme):
    page = open_figure(FourHeadsFigure(), width=width, theme=theme)
    page.require_fit()
    words = page.page.locator('[data-handle^="word-"] rect')
    for box in (word.bounding_box() for word in words.all()):
        assert box["width"] >= 24 and box["height"] >= 24


def test_the_stored_picture_of_the_four_heads_is_that_of_the_present_code(browser, assets):
    """If this fails, store `capture(browser, FourHeadsFigure(), site)` in `together.svg`."""
    stored = (WIDGETS / "attention_patterns" / "together.svg").read_text("utf-8")
    whole = lambda svg: re.sub(r"-?\d+\.\d+", lambda m: f"{float(m[0]):.0f}", svg)  # noqa: E731
    drawn = capture(browser, FourHeadsFigure(), assets.parent)
    assert whole(drawn) == whole(stored)
    assert base64.b64encode(stored.encode()).decode() in FourHeadsFigure().to_html()
