"""The alignment reader: it shows the stored weights, tells what was seen in training, and can be read by hand."""

import math

import pytest

from attnbook.data import bundled_pairs, references, split_pairs
from attnbook.text import UNK, WordVocabulary, normalise, tokenise
from attnbook.widgets import AlignmentReaderFigure
from attnbook.widgets.alignment_reader import DATA, MOMENTS, SENTENCES
from attnbook.widgets.kit import WIDGETS

LAST = MOMENTS - 1


def stored(sentence=0, moment=LAST, kind="weights"):
    """Target words and rows of weights, as the file has them."""
    row = DATA["sentences"][sentence]
    words = row["reference"] if kind == "forced" else row["with"][moment]["own"]
    weights = row["with"][moment][kind]
    return words, [[a / 1000 for a in weights_of] for weights_of in weights]


def in_words(words):
    return " ".join(word for word in words if word != "<eos>")


@pytest.fixture
def page(open_figure):
    return open_figure(AlignmentReaderFigure())


# -- the stored numbers --


def test_the_stored_weights_are_distributions_over_the_source_words():
    for sentence, row in enumerate(DATA["sentences"]):
        assert len(row["with"]) == len(row["without"]) == MOMENTS == 8
        for moment in range(MOMENTS):
            for kind in ("weights", "forced"):
                words, weights = stored(sentence, moment, kind)
                assert len(weights) == len(words)
                for one in weights:
                    assert len(one) == len(row["source"])
                    assert min(one) >= 0
                    assert sum(one) == pytest.approx(1, abs=0.0006 * len(one))
    assert (WIDGETS / "alignment_reader" / "data.json").stat().st_size < 200_000


def test_what_was_seen_and_what_is_unknown_is_told_truly():
    split = split_pairs(bundled_pairs(), seed=DATA["split_seed"])
    trained, held_out = references(split.train), references(split.test)
    vocabulary = WordVocabulary([pair.source for pair in split.train], DATA["recipe"]["min_count"])
    for row in DATA["sentences"]:
        source = normalise(row["text"])
        assert row["seen"] == (source in trained)
        assert row["seen"] != (source in held_out)
        assert row["human"] in (trained if row["seen"] else held_out)[source]
        assert row["source"] == [*tokenise(row["text"]), "<eos>"]
        assert row["reference"] == [*tokenise(row["human"]), "<eos>"]
        unknown = [j for j, i in enumerate(vocabulary.encode(source)) if i == UNK]
        assert row["unknown"] == unknown
    assert len({row["seen"] for row in DATA["sentences"]}) == 2


def test_training_has_taught_both_and_attention_more():
    with_attention, without = DATA["bleu"]["with"], DATA["bleu"]["without"]
    assert with_attention[0] < 1 and without[0] < 1
    assert with_attention[-1] > without[-1] + 5 > 10
    assert DATA["steps"][0] == 0 and DATA["steps"] == sorted(DATA["steps"])


def test_trained_weights_are_more_concentrated_than_untrained_ones(maths):
    for sentence in range(len(SENTENCES)):
        spread = [[maths("spreadOf", row) for row in stored(sentence, moment, "forced")[1]] for moment in (0, LAST)]
        assert sum(spread[1]) < 0.9 * sum(spread[0])


# -- the browser against the file --


def test_what_is_read_is_what_is_stored(maths):
    for sentence, row in enumerate(DATA["sentences"]):
        for moment in (0, 3, LAST):
            for target, kind in (("own", "weights"), ("reference", "forced")):
                found = maths("reading", sentence, moment, True, target)
                words, weights = stored(sentence, moment, kind)
                assert (found["words"], found["weights"]) == (words, weights)
            found = maths("reading", sentence, moment, False, "own")
            assert (found["words"], found["weights"]) == (row["without"][moment], None)


def test_spread(maths):
    assert maths("spreadOf", [0.25] * 4 + [0]) == pytest.approx(4)
    assert maths("spreadOf", [0, 1, 0]) == pytest.approx(1)
    row = stored()[1][0]
    entropy = -sum(a / sum(row) * math.log(a / sum(row)) for a in row if a)
    assert maths("spreadOf", row) == pytest.approx(math.exp(entropy))


# -- what is shown --


def test_the_chosen_words_weights_are_shown_as_numbers_and_ribbons(page):
    words, weights = stored()
    for i in (0, len(words) - 1):
        page.set(at=i)
        shown = page.page.locator("[data-weight]").all_text_contents()
        assert [float(text) for text in shown] == pytest.approx(weights[i], abs=0.0051)
        top = max(weights[i])
        source = DATA["sentences"][0]["source"]
        most = source[weights[i].index(top)]
        assert f"it looks most at “{most}” ({top:.2f})" in page.said
        assert f"“{words[i]}”" in page.said
        assert page.read("spread") == pytest.approx(page.math("spreadOf", weights[i]))
        broad = page.page.locator(f'[data-ribbon^="{i}-"]')
        assert broad.count() == sum(a >= 0.015 for a in weights[i])


def test_the_heat_map_has_every_weight(page):
    words, weights = stored()
    cells = page.page.locator("[data-cell]")
    assert cells.count() == len(words) * len(weights[0])
    for i, j in ((0, 0), (1, 2), (len(words) - 1, len(weights[0]) - 1)):
        text = page.page.locator(f'[data-cell="{i}-{j}"]').text_content()
        expected = f"{weights[i][j]:.2f}".replace("0.", ".")
        assert text == (expected if weights[i][j] >= 0.005 else "")


def test_without_attention_there_are_no_weights_and_it_is_said(page):
    page.tick("attention", False)
    row = DATA["sentences"][0]
    assert page.page.locator("[data-ribbon], [data-weight]").count() == 0
    assert page.text("spread") == "–" and page.page.locator("[data-cell]").count() == 0
    table = page.page.locator(".ab-stage svg").nth(1).text_content()
    assert "No attention: there are no weights to show" in table
    own = row["with"][-1]["own"]
    for text in (row["human"], *map(in_words, (own, row["without"][-1]))):
        assert text in table
    assert "cannot look back" in page.said
    for words in (row["without"][-1], row["with"][-1]["own"]):
        assert in_words(words) in page.said
    page.page.locator('select[data-control="target"]').select_option("reference")
    page.settle()
    assert "nothing to look at" in page.said


def test_the_training_moves_words_weights_and_quality(page):
    for moment in (0, 3, LAST):
        page.slide("moment", moment)
        words, weights = stored(moment=moment)
        page.set(at=0)
        texts = page.page.locator("[data-weight]").all_text_contents()
        assert [float(text) for text in texts] == pytest.approx(weights[0], abs=0.0051)
        assert page.read("bleu_with") == DATA["bleu"]["with"][moment]
        assert page.read("bleu_without") == DATA["bleu"]["without"][moment]
        options = page.page.get_by_role("option").all_text_contents()
        shown = words if "<eos>" in words else words[:8]  # it never ends
        assert [text for text in options if text in words] == shown


def test_one_layout_for_a_sentence_at_every_moment(page):
    card, controls = (page.page.locator(part) for part in (".ab-card", ".ab-controls"))
    words = page.handle("words")
    tops = set()
    for sentence in SENTENCES:
        page.set(sentence=sentence)
        page.slide("moment", 0)
        height, direction = (card.bounding_box()["height"], words.get_attribute("aria-orientation"))
        for moment in (2, 5, LAST):
            page.slide("moment", moment)
            assert card.bounding_box()["height"] == pytest.approx(height, abs=1)
            assert words.get_attribute("aria-orientation") == direction
        tops.add(controls.bounding_box()["y"])
    assert len(tops) == 1  # the note on the sentence stands below them


def test_even_weights_are_called_even(page):
    page.slide("moment", 0)
    assert "looks at all 9 places almost alike (even: 0.11 each, largest: 0.13)" in page.said
    assert "After 14 words it has still not ended" in page.said
    page.slide("moment", LAST)
    assert "looks most at" in page.said


def test_if_both_write_the_same_it_names_a_sentence_where_they_do_not(page):
    page.tick("attention", False)
    assert "both write the same here" in page.said
    other = "They have a black dog."
    assert f"Try “{other}”" in page.said
    page.set(sentence=other)
    assert "“ils ont un chien .”; with attention it writes “ils ont un chien noir .”" in page.said


def test_seen_and_held_out_sentences_are_told_apart(page):
    for row in DATA["sentences"]:
        page.set(sentence=row["text"])
        info = page.page.locator(".ab-ar-seen").inner_text()
        assert ("was trained on" in info) == row["seen"]
        assert ("never seen" in info) == (not row["seen"])
        assert row["human"] in info


# -- hands --


def test_stepping_through_the_words(page):
    words, _ = stored()
    page.slide("written", 0)
    assert page.page.locator('[data-handle^="word"][role="option"]').count() == 0
    assert "written nothing" in page.said
    page.click("Word ▶")
    page.click("Word ▶")
    assert page.state("written") == 2
    assert page.page.locator('[role="option"][data-handle]').count() == 2
    assert f"“{words[1]}”" in page.said
    page.click("◀ Word")
    assert f"“{words[0]}”" in page.said
    page.slide("written", len(words))
    assert page.state("written") == -1


def test_play_shows_the_training_from_its_beginning(page):
    page.slide("written", 2)
    page.click("Play")
    assert (page.state("moment"), page.state("written")) == (0, -1)
    page.page.wait_for_function("() => document.querySelector('.attnbook-figure').abModel.get('moment') > 1")
    page.click("Pause")
    held = page.state("moment")
    page.page.wait_for_timeout(1300)
    assert page.state("moment") == held
    page.click("Play")
    page.slide("moment", 0)  # whoever moves the training stops it
    assert page.page.get_by_role("button", name="Play", exact=True).is_visible()
    page.slide("moment", LAST - 1)
    page.click("Play")
    assert page.state("moment") == LAST
    assert page.page.get_by_role("button", name="Play", exact=True).is_visible()


def test_a_translation_that_never_ends_counts_all_its_words(page):
    page.slide("moment", 0)
    assert page.text("written") == "8 of 14"
    page.slide("moment", LAST)
    assert page.text("written") == "8 of 8"


def test_words_by_mouse_and_by_keys(page):
    words, _ = stored()
    page.handle("word1").hover()
    page.settle()
    assert page.state("at") == 1
    page.press("words", "ArrowRight")
    assert page.state("at") == 2
    page.press("words", "Home", "ArrowLeft")
    assert page.state("at") == 0
    page.press("words", "End")
    assert page.state("at") == len(words) - 1
    active = page.handle("words").get_attribute("aria-activedescendant")
    label = page.page.locator(f"#{active}").get_attribute("aria-label")
    assert label.startswith("<eos>: ")


def test_the_curve_chooses_the_moment(page):
    page.handle("bleu").scroll_into_view_if_needed()
    box = page.handle("bleu").bounding_box()
    page.page.mouse.click(box["x"] + 3, box["y"] + box["height"] / 2)
    page.settle()
    assert page.state("moment") == 0
    assert "Untrained" in page.said


def test_the_curve_has_the_epochs_true_scale(page):
    places = page.page.evaluate(
        """() => [...document.querySelectorAll('.ab-stage')[2].querySelectorAll('circle')]
          .map((mark) => { const box = mark.getBoundingClientRect(); return box.x + box.width / 2; })"""
    )
    width = places[-1] - places[0]
    found = [(x - places[0]) / width for x in places]
    expected = [epoch / DATA["epochs"][-1] for epoch in DATA["epochs"]]
    assert found == pytest.approx(expected, abs=0.005)


def test_reset_restores(page):
    page.slide("moment", 2)
    page.tick("attention", False)
    page.slide("written", 1)
    page.page.locator('select[data-control="sentence"]').select_option(index=2)
    page.settle()
    page.reset()
    first = AlignmentReaderFigure().state()
    assert {name: page.state(name) for name in first} == first


@pytest.mark.parametrize("attention", [True, False])
def test_it_fits_on_a_phone(open_figure, attention):
    for sentence in (min(SENTENCES, key=len), max(SENTENCES, key=len)):
        figure = AlignmentReaderFigure(sentence=sentence, attention=attention)
        page = open_figure(figure, width=390, theme="dark")
        for moment in (0, LAST):
            page.set(moment=moment)
            page.require_fit()
            assert page.spilled("svg rect + text") == []


@pytest.mark.parametrize("width", [390, 1000])
def test_nothing_moves_while_the_training_is_dragged(open_figure, width):
    page = open_figure(AlignmentReaderFigure(), width=width)
    parts = (".ab-head", ".ab-controls", ".ab-stages", ".ab-said", ".ab-outputs")
    for moment in range(MOMENTS):
        page.slide("moment", moment)
    places = []
    for moment in (0, MOMENTS - 1, 2):
        page.slide("moment", moment)
        tops = [page.page.locator(part).bounding_box()["y"] for part in parts]
        places.append(tops)
    for tops in places:
        assert tops == pytest.approx(places[0], abs=1)


@pytest.mark.parametrize("width", [390, 800, 1000])
def test_the_cards_height_is_the_same_for_every_sentence(open_figure, width):
    page = open_figure(AlignmentReaderFigure(), width=width)
    page.slide("moment", 0)  # the longest of what is said
    states = [
        {"sentence": sentence, "moment": moment, "attention": attention}
        for sentence in SENTENCES
        for moment in (1, LAST)
        for attention in (False, True)
    ]
    first, *others = page.heights([{}, *states])
    assert others == pytest.approx([first] * len(others), abs=1)


def test_on_a_phone_every_map_has_its_numbers(open_figure):
    page = open_figure(AlignmentReaderFigure(), width=390)
    for number, sentence in enumerate(SENTENCES):
        page.set(sentence=sentence)
        words, weights = stored(number)
        texts = page.page.locator("[data-cell] text")
        assert texts.count() == sum(a >= 0.005 for row in weights for a in row)


def test_on_a_phone_the_ribbons_their_controls_and_the_sentence_are_together(open_figure):
    page = open_figure(AlignmentReaderFigure(), width=390)
    box = {part: page.page.locator(part).bounding_box() for part in (".ab-card", ".ab-controls", ".ab-said")}
    assert box[".ab-controls"]["height"] < 200
    assert box[".ab-said"]["y"] + 60 < box[".ab-card"]["y"] + 844
    assert not page.page.locator('select[data-control="sentence"]').is_visible()
    page.click("More settings")
    assert page.page.locator('select[data-control="sentence"]').is_visible()


def test_the_map_and_the_curve_end_together(page):
    ends = [page.page.locator(".ab-stage svg").nth(i).bounding_box() for i in (1, 2)]
    bottoms = [box["y"] + box["height"] for box in ends]
    assert bottoms[0] == pytest.approx(bottoms[1], abs=1)


# -- Python --


@pytest.mark.parametrize(
    ("traits", "error", "says"),
    [
        ({"sentence": "Hello."}, ValueError, "one of .* got 'Hello.'"),
        ({"sentence": None}, TypeError, "the English sentence: one of .*; got None"),
        ({"moment": 8}, ValueError, "from 0 to 7; got 8"),
        ({"attention": "yes"}, TypeError, "True or False; got 'yes'"),
        ({"target": "other"}, ValueError, "one of 'own', 'reference'; got 'other'"),
        ({"written": -2}, ValueError, "-1 for all"),
        ({"at": 1.5}, ValueError, "a whole number"),
        ({"epoch": 3}, TypeError, "has no epoch"),
    ],
)
def test_bad_traits_are_named(traits, error, says):
    with pytest.raises(error, match=says):
        AlignmentReaderFigure(**traits)


def test_the_diagonal_appears_before_the_translations():
    """What chapter 12 says of this run: tokens of the human translations whose largest weight is near the diagonal."""
    near, at_stop = [], []
    for moment in range(MOMENTS):
        looks = []
        for sentence in DATA["sentences"]:
            rows = sentence["with"][moment]["forced"][:-1]  # without <eos>
            slope = (len(sentence["source"]) - 2) / (len(rows) - 1)
            for i, row in enumerate(rows):
                j = row.index(max(row))
                looks.append((abs(j - i * slope) <= 1, sentence["source"][j] == "."))
        near.append(sum(is_near for is_near, _ in looks))
        at_stop.append(sum(is_stop for _, is_stop in looks))
    assert len(looks) == at_stop[1] == 52
    assert (DATA["epochs"][2], near[2], near[-1]) == (2, 28, 42)
    assert [round(DATA["bleu"]["with"][k]) for k in (2, -1)] == [5, 49]
