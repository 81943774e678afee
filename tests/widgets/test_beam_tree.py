"""The beam tree: the browser's own search is `attnbook.translation.beam_search`, and the tree shows what it does."""

import functools
import math

import pytest

from attnbook.data import bundled_pairs, references, split_pairs
from attnbook.text import normalise
from attnbook.translation import beam_search, greedy, length_penalty_factor, load_page_model, page_model_header
from attnbook.weights import PAGE_TARGETS
from attnbook.widgets import BeamTreeFigure
from attnbook.widgets.beam_tree import DATA, LONGEST
from attnbook.widgets.beam_tree import SENTENCES as OF
from attnbook.widgets.kit import WIDGETS

FITS = """() => {
  const card = document.querySelector(".ab-card").getBoundingClientRect();
  const texts = [...document.querySelectorAll("svg text")];
  const own = [...document.querySelectorAll("button, label, select, output, li, p")];
  return {
    page: document.documentElement.scrollWidth <= innerWidth,
    outside: own.filter((node) => {
      const box = node.getBoundingClientRect();
      return box.width && (box.left < card.left || box.right > card.right);
    }).map((node) => node.textContent),
    smallest: Math.min(...texts.map((t) => parseFloat(getComputedStyle(t).fontSize))),
    scale: (({ clientWidth, viewBox }) => clientWidth / viewBox.baseVal.width)(document.querySelector(".ab-stage svg")),
    cut: (() => {
      const svg = document.querySelector(".ab-stage svg").getBoundingClientRect();
      return texts.filter((t) => t.getBoundingClientRect().right > svg.right + 1).map((t) => t.textContent);
    })(),
    spilled: [...document.querySelectorAll('[data-entry="kept"], [data-entry="ended"]')].filter((entry) => {
      const [box, word] = ["rect", "text"].map((tag) => entry.querySelector(tag).getBoundingClientRect());
      return word.left < box.left || word.right > box.right;
    }).map((entry) => entry.dataset.words),
  };
}"""


SENTENCES = OF["fr"]  # their numbers are those of DATA, where the French ones come first
NUMBERS = range(len(DATA["sentences"]))


@functools.cache
def translator(target):
    return load_page_model("transformer", target)


@functools.cache
def searched(sentence, width, alpha, max_len):
    """The package's n best of a sentence by its number: (words, log p, score)."""
    row = DATA["sentences"][sentence]
    own = translator(row["target"])
    ids, lens = own.encode([row["text"]])
    model, tokens = own.model, own.target_vocab.tokens
    found = beam_search(model, ids, lens, width=width, length_penalty=alpha, max_len=max_len, n_best=width)
    return [(tokens(one.ids), one.log_prob, one.log_prob / length_penalty_factor(len(one.ids), alpha)) for one in found]


def ranked(sentence, width, alpha, max_len):
    """The same, of one search for every alpha: it only ranks what was found, those that ended before what was cut off.

    `test_the_search_is_the_packages` compares the two.
    """
    found = searched(sentence, width, 0.6, max_len)
    scored = [(words, log_prob, log_prob / length_penalty_factor(len(words), alpha)) for words, log_prob, _ in found]
    return sorted(scored, key=lambda one: (one[0][-1] != "<eos>", -one[2]))


def best(sentence, width, alpha=0.6, max_len=LONGEST):
    return searched(sentence, width, alpha, max_len)[0]


@pytest.fixture
def open_figure(open_figure):
    """As everywhere, for a reader who wants nothing to move: every new tree would fade in, and cost a third more."""
    return functools.partial(open_figure, still=True)


@pytest.fixture
def page(open_figure):
    return open_figure(BeamTreeFigure(step=-1))


# -- the stored numbers, and the browser against the package --


@pytest.mark.parametrize("max_len", [1, 5, LONGEST])
def test_the_search_is_the_packages(maths, max_len):
    alphas = (0.0, 0.6, 2.0) if max_len == LONGEST else (1.0,)
    for sentence in NUMBERS:
        for width in range(1, 6):
            for alpha in alphas:
                found = maths("nBest", sentence, width, alpha, max_len)
                expected = searched(sentence, width, alpha, max_len)
                assert ranked(sentence, width, alpha, max_len) == expected
                assert len(found) == len(expected)
                for one, (words, log_prob, score) in zip(found, expected, strict=True):
                    assert one["words"] == words
                    assert one["logProb"] == pytest.approx(log_prob, abs=2e-4)
                    assert one["score"] == pytest.approx(score, abs=2e-4)
                    assert one["ended"] == (words[-1] == "<eos>")


def test_the_numbers_come_from_held_out_sentences_and_from_the_models_file():
    for about in DATA["models"]:
        header = page_model_header(about["model"], about["target"])
        assert (about["seed"], about["test"]) == (header["seed"], header["test"])
        split = split_pairs(bundled_pairs(PAGE_TARGETS[about["target"]].lower()), seed=about["split_seed"])
        held_out, trained = references(split.test), references(split.train)
        for row in DATA["sentences"]:
            if row["target"] == about["target"]:
                assert normalise(row["text"]) not in trained
                assert row["references"] == held_out[normalise(row["text"])]
    assert (WIDGETS / "beam_tree" / "data.json").stat().st_size < 150_000


def test_a_width_of_one_is_greedy_and_some_beams_find_better():
    differing = 0
    for sentence, text in enumerate(SENTENCES):
        written = greedy(translator("fr").model, *translator("fr").encode([text]), max_len=LONGEST)[0]
        words = translator("fr").target_vocab.tokens(written.ids)
        assert best(sentence, 1)[0] == words
        differing += best(sentence, 5, 0.0)[1] > best(sentence, 1)[1] + 0.01
    assert differing >= 2  # or the figure would have nothing to show


def test_spread_keeps_the_distances_and_moves_no_more_than_needed(maths):
    assert maths("spread", [0, 0, 0], [0, 10, 10], [1, 1, 1]) == [-10, 0, 10]
    assert maths("spread", [0, 30], [0, 10], [1, 1]) == [0, 30]
    heavy = maths("spread", [0, 0], [0, 10], [1, 0.25])
    assert heavy == pytest.approx([-2, 8])


# -- what is shown --


def test_the_ranking_and_the_numbers_of_the_best(page):
    words, log_prob, score = best(0, 3)
    assert page.text("prefix") == " ".join(words)
    assert page.read("log_prob") == pytest.approx(log_prob, abs=1e-3)
    assert page.read("score") == pytest.approx(score, abs=1e-3)
    assert page.read("factor") == pytest.approx(((5 + len(words)) / 6) ** 0.6)
    shown = page.page.locator("[data-score]").all_text_contents()
    expected = [one[2] for one in searched(0, 3, 0.6, LONGEST)]
    read = sorted((float(text.replace("−", "-")) for text in shown), reverse=True)
    assert read == pytest.approx(expected, abs=0.006)
    rows = page.page.locator(".ab-rows li").all_inner_texts()
    assert len(rows) == 3 + 2
    assert " ".join(words[:-1]) in rows[0]
    assert DATA["sentences"][0]["references"][0] in rows[-1]


def test_width_and_length_penalty_change_the_search(page):
    for sentence, text in enumerate(SENTENCES):
        page.choose("sentence", text)
        for width, alpha in ((1, 0.0), (5, 0.0), (5, 2.0)):
            page.slide("width", width)
            page.slide("length_penalty", int(alpha * 10))
            assert page.text("prefix") == " ".join(best(sentence, width, alpha)[0])
            said = page.page.locator(".ab-said").inner_text()
            same = best(sentence, 1, alpha)[0] == best(sentence, width, alpha)[0]
            if width == 1:
                assert "width 1 is greedy" in said
            else:
                assert ("greedy decoding takes" in said) == (not same)
                assert ("greedy decoding writes, too" in said) == same


def test_the_said_ratio_is_that_of_the_probabilities(page):
    sentence = next(i for i in range(len(SENTENCES)) if best(i, 5, 0.0)[1] > best(i, 1, 0.0)[1] + 0.01)
    page.set(sentence=SENTENCES[sentence], width=5, length_penalty=0)
    ratio = math.exp(best(sentence, 5, 0.0)[1] - best(sentence, 1, 0.0)[1])
    said = page.page.locator(".ab-said").inner_text()
    number = said.split(" times as probable")[0].split()[-1]
    assert float(number) == pytest.approx(ratio, rel=0.02)


def test_a_sentence_that_is_as_probable_is_not_called_longer_or_1_00_times(page):
    said = page.page.locator(".ab-said")
    for width in range(2, 6):
        page.set(sentence="I go to bed at ten.", width=width, length_penalty=0)
        assert "is hardly more probable than the greedy one" in said.inner_text()
    cut_off = []
    for max_len in (4, 6, 8):
        page.set(max_len=max_len, length_penalty=2)
        words, *_ = best(SENTENCES.index("I go to bed at ten."), 5, 2, max_len)
        written = best(SENTENCES.index("I go to bed at ten."), 1, 2, max_len)[0]
        if "cut off comes last" in said.inner_text():
            cut_off.append(max_len)
            assert words[-1] == "<eos>" != written[-1]
    assert cut_off


def test_where_the_widths_part_is_said(page):
    greedy_words, winner = best(0, 1)[0], best(0, 3)[0]
    at = next(i for i, word in enumerate(winner) if word != greedy_words[i])
    said = page.page.locator(".ab-said")
    assert said.inner_text().startswith(
        f"At step {at + 1}, after “{' '.join(winner[:at])}”, greedy decoding takes "
        f"“{greedy_words[at]}” (wrong gender: sœur is feminine) and the beam's best takes “{winner[at]}”. "
        "The beam's sentence is 1.11 times as probable as the greedy one"
    )
    places = [words for words, *_ in searched(0, 3, 0.6, LONGEST)]
    assert places.index(greedy_words) == 1
    assert said.inner_text().endswith("as the greedy one, which comes second.")


def test_the_gloss_is_only_for_the_sentence_that_has_the_wrong_gender(maths):
    for sentence in NUMBERS:
        told = maths("explained", sentence, 3, LONGEST, 0.6)
        assert ("wrong gender" in told) == (sentence == 0)
    assert "wrong gender" not in maths("explained", 0, 3, 3, 0.6)  # "un" alone


def test_a_step_names_who_comes_in_and_falls_out_and_no_later_winner(maths):
    told = [maths("explained", 0, 3, LONGEST, 0.6, step) for step in range(1, 9)]
    assert told[0].startswith("Step 1: the beam begins with “elle” −0.23, “c'est”")
    assert "“elle a” −0.28 goes on with “un” −0.88 and “une” −1.23" in told[2]
    assert "“une sœur” −1.34 overtakes “un sœur” −1.37" in told[3]
    assert "“c'est … médecin .” −3.34 is finished" in told[7]
    assert not any("winner" in one or "greedy decoding takes" in one for one in told)
    alone = maths("explained", 0, 1, LONGEST, 0.6, 3)
    assert "“une” (p = 0.39) is dropped for good" in alone.replace("\u00a0", " ")


def test_what_is_said_of_each_end_is_so(maths):
    for sentence in NUMBERS:
        for width in (2, 3, 5):
            for max_len in (1, 4, 6, 8, LONGEST):
                for alpha in (0.0, 0.6, 2.0):
                    told = maths("explained", sentence, width, max_len, alpha)
                    beam = ranked(sentence, width, alpha, max_len)
                    words, log_prob, score = beam[0]
                    ((written, log_greedy, score_greedy),) = ranked(sentence, 1, alpha, max_len)
                    if "greedy decoding writes, too" in told:
                        assert words == written
                        continue
                    if "hardly" not in told:
                        times = float(told.split(" times as")[0].split()[-1])
                        assert times == pytest.approx(math.exp(log_prob - log_greedy), rel=0.02)
                    else:
                        assert abs(log_prob - log_greedy) < 0.006
                        assert ("hardly more" in told) == (log_prob > log_greedy)
                    assert ("beam's sentence" in told) == (words[-1] == "<eos>")
                    places = [one[0] for one in beam]
                    if "which comes" in told:
                        order = ["first", "second", "third", "fourth", "fifth"]
                        comes = order.index(told.split("which comes ")[1].strip("."))
                        assert places.index(written) == comes
                    if "which fell out" in told:
                        assert written not in places
                    if "scores better" in told:
                        assert score > score_greedy
                        if "longer" in told:
                            assert len(words) > len(written)
                    if "cut off comes last" in told:
                        assert words[-1] == "<eos>" != written[-1]


@pytest.mark.parametrize("width", [390, 1000])
def test_nothing_moves_while_the_width_is_dragged(open_figure, width):
    page = open_figure(BeamTreeFigure(), width=width)
    places = []
    for one in (1, 5, 3):
        page.slide("width", one)
        places.append(
            [
                page.page.locator(part).evaluate("(node) => node.offsetTop")
                for part in (".ab-head", ".ab-stages", ".ab-said", ".ab-outputs")
            ]
        )
    for tops in places:
        assert tops == pytest.approx(places[0], abs=1)  # heights are rounded


def test_what_the_length_cuts_off_is_said(page):
    page.slide("max_len", 4)
    rows = page.page.locator(".ab-rows li").all_inner_texts()
    assert "… (cut off)" in rows[0]
    assert "… (cut off)" in next(row for row in rows if row.startswith("greedy"))
    page.slide("max_len", 1)
    assert page.text("max_len") == "1 word"
    page.slide("max_len", 4)
    assert page.page.locator('[data-entry="ended"]').count() == 0


# -- hands --


@pytest.mark.parametrize("width", [350, 390, 1000])
def test_it_opens_at_the_end_with_greedys_way_beside_the_winners(open_figure, width):
    page = open_figure(BeamTreeFigure(), width=width)
    kept = page.page.locator('[aria-level="5"][data-entry="kept"]')
    names = kept.evaluate_all("(all) => all.map((one) => one.dataset.words)")
    assert names[:2] == ["elle a un sœur", "elle a une sœur"]
    finished = page.page.locator('[data-entry="ended"]').evaluate_all("(all) => all.map((one) => one.dataset.words)")
    assert {" ".join(best(0, 1)[0]), " ".join(best(0, 3)[0])} <= set(finished)
    assert page.page.locator("[data-score]").count() == 3
    drawn = page.page.locator('[data-entry="dropped"]').count()
    assert drawn > 0 and "dropped" in page.page.locator(".ab-stage svg").text_content()
    assert page.page.evaluate(FITS)["cut"] == []
    assert "((5 + T) / 6)^0.6" in page.page.locator(".ab-outputs").inner_text()


def test_steps_backwards_forwards_and_played(open_figure):
    page = open_figure(BeamTreeFigure(step=-1), still=False)
    last = page.read("step")
    assert page.state("step") == -1
    page.click("◀ Back")
    assert page.state("step") == last - 1
    assert f"Step {int(last) - 1}: " in page.page.locator(".ab-said").inner_text()
    page.slide("step", 0)
    assert page.text("prefix") == "<bos>"
    assert page.page.locator("[data-entry]").count() == 1
    assert page.page.get_by_role("button", name="◀ Back").is_disabled()
    page.click("Forward ▶")
    kept = page.page.locator('[data-entry="kept"], [data-entry="ended"]')
    assert kept.count() == 3
    page.click("Play")
    page.page.wait_for_function("() => document.querySelector('.attnbook-figure').abModel.get('step') > 1")
    page.click("Pause")
    assert page.page.get_by_role("button", name="Play").count() == 1
    page.slide("step", int(last))
    assert page.state("step") == -1


def test_every_step_keeps_as_many_as_the_width_says(page):
    page.slide("width", 4)
    for step in range(1, int(page.read("step")) + 1):
        page.slide("step", step)
        level = page.page.locator(f'[aria-level="{step + 1}"]')
        now = level.and_(page.page.locator('[data-entry="kept"], [data-entry="ended"]'))
        ended = page.page.locator('[data-entry="ended"]')
        before = ended.count() - level.and_(ended).count()
        assert now.count() + before == 4


def test_the_tree_by_mouse(page):
    entry = page.page.locator('[data-entry="dropped"]').first
    words = entry.get_attribute("data-words")
    entry.hover()
    page.settle()
    assert page.state("at") == words.split(" ")
    assert page.text("prefix") == words
    assert entry.get_attribute("aria-selected") == "true"


def test_the_tree_by_keys(page):
    page.press("tree", "Home")
    assert page.text("prefix") == "<bos>"
    page.press("tree", "ArrowRight", "ArrowDown")
    second = page.text("prefix")
    page.press("tree", "ArrowUp")
    first = page.text("prefix")
    assert first != second and " " not in first
    page.press("tree", "ArrowRight")
    assert page.text("prefix").startswith(first + " ")
    page.press("tree", "ArrowLeft")
    assert page.text("prefix") == first
    page.press("tree", "End")
    assert page.text("prefix") == " ".join(best(0, 3)[0])
    tree = page.handle("tree")
    active = tree.get_attribute("aria-activedescendant")
    label = page.page.locator(f"#{active}").get_attribute("aria-label")
    assert "finished" in label


def test_reset_restores(open_figure):
    page = open_figure(BeamTreeFigure())
    page.slide("width", 5)
    page.slide("length_penalty", 20)
    page.slide("step", 2)
    page.press("tree", "Home")
    page.choose("sentence", SENTENCES[-1])
    page.reset()
    first = BeamTreeFigure().state()
    assert {name: page.state(name) for name in first} == first


@pytest.mark.parametrize("width", [1, 5])
def test_it_fits_on_a_phone(open_figure, width):
    for sentence in (SENTENCES[0], max(SENTENCES, key=len)):
        figure = BeamTreeFigure(width=width, sentence=sentence, step=-1)
        page = open_figure(figure, width=390, theme="dark")
        fits = page.page.evaluate(FITS)
        assert fits["page"] and fits["outside"] == []
        assert fits["smallest"] >= 12 and fits["scale"] > 0.99
        assert fits["cut"] == [] and fits["spilled"] == []


SEARCHES = [(target, text, width) for target in OF for text in OF[target] for width in (1, 3, 5)]
IN_SIGHT = """() => {
  const svg = document.querySelector(".ab-stage svg").getBoundingClientRect();
  return [...document.querySelectorAll("[data-entry], [data-score]")].filter((node) => {
    const box = node.getBoundingClientRect();
    const out = box.left < svg.left - 4 || box.right > svg.right + 4;
    return out || box.top < svg.top - 4 || box.bottom > svg.bottom;
  }).map((node) => node.textContent);
}"""


@pytest.mark.parametrize("width", [360, 390, 760, 1000])
def test_the_whole_search_is_in_sight_with_its_winners(open_figure, width):
    """On a card without room for every step beside the other the tree grows downwards; nothing is scrolled."""
    page = open_figure(BeamTreeFigure(step=-1), width=width)
    for target, text, beam in SEARCHES:
        page.set(target=target, sentence=text, width=beam)
        assert page.page.evaluate(IN_SIGHT) == []
        assert page.page.locator("[data-score]").count() == beam
        fits = page.page.evaluate(FITS)
        assert fits["outside"] == fits["cut"] == fits["spilled"] == []
        assert fits["smallest"] >= 12


@pytest.mark.parametrize("width", [390, 760, 1000])
def test_the_card_keeps_its_height_in_every_state(open_figure, width):
    page = open_figure(BeamTreeFigure(), width=width)
    states = [
        {"target": target, "sentence": text, "width": beam, "step": step}
        for target, text, beam in SEARCHES
        for step in (-1, 0, 4)
    ]
    short = {"target": "fr", "sentence": SENTENCES[4], "width": 5, "step": -1}
    first, *others = page.heights([{}, *states, *({**short, "max_len": most} for most in (1, 4, 7))])
    assert others == pytest.approx([first] * len(others), abs=1)


@pytest.mark.parametrize("width", [360, 1000])
def test_the_scores_of_a_short_tree_stand_beside_its_end(open_figure, width):
    page = open_figure(BeamTreeFigure(step=-1, max_len=2, width=5), width=width)
    ends = page.page.locator('[aria-level="3"][data-entry="kept"]').all()
    scores = page.page.locator("[data-score]").all()
    box, score = [max((one.bounding_box() for one in all), key=lambda b: b["y"]) for all in (ends, scores)]
    away = max(score["x"] - box["x"] - box["width"], score["y"] - box["y"] - box["height"])
    assert len(ends) == len(scores) == 5 and away < 90


def test_a_phone_shows_controls_tree_and_winners_at_once(open_figure):
    page = open_figure(BeamTreeFigure(), width=390)
    top = page.page.locator(".ab-card").bounding_box()["y"]
    panel = page.page.locator(".ab-controls").bounding_box()
    assert panel["height"] <= 140  # More settings stands in the row of Play
    stage = page.page.locator(".ab-stage").bounding_box()
    assert stage["y"] + stage["height"] - top < 750
    said = page.page.locator(".ab-said").bounding_box()
    assert said["y"] + said["height"] - top < 844


def test_where_the_tree_grows_downwards_the_arrow_keys_turn_with_it(open_figure):
    page = open_figure(BeamTreeFigure(), width=390)
    page.press("tree", "Home", "ArrowDown")
    first = page.text("prefix")
    assert first not in ("<bos>", "")
    page.press("tree", "ArrowRight")
    assert page.text("prefix") != first and " " not in page.text("prefix")
    page.press("tree", "ArrowLeft", "ArrowDown")
    assert page.text("prefix").startswith(first + " ")
    page.press("tree", "ArrowUp")
    assert page.text("prefix") == first


@pytest.mark.parametrize(("width", "shown"), [(390, 1), (1000, 2)])
def test_two_references_are_listed_and_the_rest_counted(open_figure, width, shown):
    most = max(DATA["sentences"], key=lambda row: len(row["references"]))
    page = open_figure(BeamTreeFigure(sentence=most["text"]), width=width)
    listed = page.page.locator('[data-row="references"] .ab-row-text').inner_text()
    references = most["references"]
    assert listed == " · ".join(references[:shown]) + f" … and {len(references) - shown} more"


def test_the_list_follows_the_search(page):
    page.slide("step", 2)
    rows = page.page.locator(".ab-rows li").all_inner_texts()
    assert len(rows) == 3 + 2
    numbers = [float(row.split("log p ")[1].replace("−", "-")) for row in rows[:3]]
    assert numbers == sorted(numbers, reverse=True)
    assert all(" …" in row for row in rows[:3])


@pytest.mark.parametrize("width", [390, 1000])
def test_into_chinese_its_characters_are_written_without_spaces(open_figure, width):
    page = open_figure(BeamTreeFigure(), width=width)
    if width < 480:
        page.click("More settings")
    page.choose("target", "中文")
    (text, *_) = OF["zh"]
    assert page.state("sentence") == text == page.page.locator('[data-control="sentence"]').input_value()
    offered = page.page.locator('[data-control="sentence"] option').all_inner_texts()
    assert offered == OF["zh"] != SENTENCES
    page.slide("step", 0)
    assert "Each Chinese character counts as a word" in page.page.locator(".ab-said").inner_text()
    page.set(step=-1)
    number = [row["text"] for row in DATA["sentences"]].index(text)
    words = best(number, 3)[0]
    written = "".join(words[:-1])
    assert page.text("prefix") == f"{written}<eos>"
    first = page.page.locator(".ab-rows li").first
    assert written == first.locator(".ab-row-text").inner_text() == "不，我不知道。"
    assert page.page.locator('[data-row="greedy"] .ab-row-text').inner_text() == "不知道我不知道。"  # chapter 14
    at = next(i for i, (a, b) in enumerate(zip(words, best(number, 1)[0], strict=False)) if a != b)
    assert f"after “{written[:at]}”, greedy decoding takes " in page.page.locator(".ab-said").inner_text()
    marked = page.page.locator('[data-entry="kept"] text[lang="zh-Hans"]').all_text_contents()
    assert "道" in marked and not any(" " in word for word in marked)
    assert first.locator(".ab-row-text").get_attribute("lang") == "zh-Hans"
    page.choose("target", "Français")
    assert page.state("sentence") == SENTENCES[0] and " " in page.text("prefix")


# -- Python --


def test_the_first_sentence_of_a_language_is_taken_and_another_language_s_is_refused():
    assert BeamTreeFigure(target="zh").sentence == OF["zh"][0]
    with pytest.raises(ValueError, match="with target 'zh': one of .*; got 'She has a sister"):
        BeamTreeFigure(target="zh", sentence=SENTENCES[0])
    with pytest.raises(ValueError, match="one of 'fr', 'zh'; got 'de'"):
        BeamTreeFigure(target="de")
    figure = BeamTreeFigure()
    with pytest.raises(ValueError, match="with target 'zh': one of .*; got 'She has a sister"):
        figure.target = "zh"
    figure.set_state({"target": "zh", "sentence": OF["zh"][0]})  # as the browser does
    assert (figure.target, figure.sentence) == ("zh", OF["zh"][0])


@pytest.mark.parametrize(
    ("traits", "error", "says"),
    [
        ({"sentence": "Hello."}, ValueError, "one of .* got 'Hello.'"),
        ({"sentence": 3}, TypeError, "the English sentence: one of .*; got 3"),
        ({"target": ["fr"]}, TypeError, r"into which is translated: one of 'fr', 'zh'; got \['fr'\]"),
        ({"width": 6}, ValueError, "the width of the beam: .* from 1 to 5; got 6"),
        ({"width": 2.5}, ValueError, "a whole number from 1 to 5"),
        ({"length_penalty": -0.1}, ValueError, "α of the length penalty"),
        ({"max_len": 0}, ValueError, "from 1 to 12; got 0"),
        ({"step": -2}, ValueError, "-1 for all"),
        ({"at": "je ne"}, TypeError, "split the sentence first"),
        ({"beam": 3}, TypeError, "has no beam"),
    ],
)
def test_bad_traits_are_named(traits, error, says):
    with pytest.raises(error, match=says):
        BeamTreeFigure(**traits)
