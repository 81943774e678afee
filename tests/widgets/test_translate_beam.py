"""The beam of "translate in the page": the search of attnbook.translation, in the browser, and how it is told."""

import inspect

import pytest
import torch
from translating import BEYOND, BOXED, LOAD, ask, ready, shown, sources, translator

from attnbook.text import BOS, EOS, tokenise
from attnbook.translation import beam_search, greedy, length_penalty_factor, next_word_log_probs
from attnbook.weights import PAGE_MODELS
from attnbook.widgets.kit import MODELS

ALPHA = inspect.signature(beam_search).parameters["length_penalty"].default
SEARCH = """([name, sentences, ...options]) => sentences.map(
  (sentence) => attnbook.widgets.translate_page.math.nBest(name, sentence, ...options))"""


@pytest.fixture
def page(open_ready):
    return open_ready()


def some(count):
    held_out = sources("test")
    return held_out[:: len(held_out) // count][:count]


def searched(name, sentence, width, max_len=60):
    """PyTorch's n-best list: (ids, log p, score)."""
    tr = translator(name)
    found = beam_search(tr.model, *tr.encode([sentence]), width=width, max_len=max_len, n_best=width)
    return [(d.ids, d.log_prob, d.log_prob / length_penalty_factor(len(d.ids), ALPHA)) for d in found]


def decoded(name, sentence):
    tr = translator(name)
    return greedy(tr.model, *tr.encode([sentence]), max_len=60)[0]


def assert_same(here, theirs):
    assert [hyp["ids"] for hyp in here] == [ids for ids, _, _ in theirs]
    for hyp, (ids, log_prob, score) in zip(here, theirs, strict=True):
        assert hyp["logProb"] == pytest.approx(log_prob, abs=1e-3)
        assert hyp["score"] == pytest.approx(score, abs=1e-3)
        assert hyp["ended"] == (ids[-1] == EOS)


def rows(page):
    """The list of what the search found: its texts, and their scores."""
    items = page.page.locator(".ab-tp-found li")
    texts = items.locator(".ab-row-text").all_inner_texts()
    numbers = items.locator(".ab-row-numbers").all_inner_texts()
    return texts, [float(n.split("= ")[1].replace("−", "-")) for n in numbers]


def sentence_where(name, differs):
    """A held-out sentence whose best of a beam of 4 is not (or is) the greedy translation."""
    return next(s for s in sources("test") if (searched(name, s, 4)[0][0] != decoded(name, s).ids) == differs)


# -- the browser against PyTorch --


@pytest.mark.parametrize("name", PAGE_MODELS)
def test_the_browser_finds_what_pytorch_finds(page, name):
    """40 held-out sentences: the same four translations in the same order, their scores to 1e-3."""
    page.page.evaluate(LOAD, [name])
    chosen = some(40)
    differ = 0
    for sentence, found in zip(chosen, page.page.evaluate(SEARCH, [name, chosen, 4]), strict=True):
        assert_same(found, searched(name, sentence, 4))
        differ += found[0]["ids"] != decoded(name, sentence).ids
    assert differ > 3  # or the test would not tell a beam from greedy decoding


@pytest.mark.parametrize("name", PAGE_MODELS)
def test_other_widths_and_a_length_that_cuts_off(page, name):
    page.page.evaluate(LOAD, [name])
    chosen = some(5)
    for width, max_len in ((1, 60), (2, 60), (4, 3), (3, 1)):
        options = [name, chosen, width, [], max_len]
        for sentence, found in zip(chosen, page.page.evaluate(SEARCH, options), strict=True):
            assert_same(found, searched(name, sentence, width, max_len))
            if width == 1:
                assert found[0]["ids"] == decoded(name, sentence).ids


def test_every_translation_keeps_a_given_beginning(page):
    name, sentence = "bahdanau", "she is very tired ."
    tr = translator(name)
    begin = tr.target_vocab.encode(["il", "est"])
    found = page.math("nBest", name, sentence, 4, begin)
    assert len({tuple(hyp["ids"]) for hyp in found}) == 4
    source, lens = tr.encode([sentence])
    for hyp in found:
        assert hyp["ids"][:2] == begin
        with torch.no_grad():
            logits = tr.model(source, torch.tensor([[BOS, *hyp["ids"][:-1]]]), lens)[0]
        gained = next_word_log_probs(logits, unknown=True).gather(-1, torch.tensor([hyp["ids"]]).T)
        assert hyp["logProb"] == pytest.approx(float(gained.sum()), abs=1e-3)


# -- what is shown --


@pytest.mark.parametrize("name", MODELS)
def test_the_list_and_the_best_one_are_shown(open_ready, name):
    sentence = sentence_where(name, differs=True)
    page = open_ready(sentence=sentence, model=name)
    assert not page.page.locator(".ab-tp-found").is_visible()
    page.choose("beam", "4")
    ready(page)
    theirs, tr = searched(name, sentence, 4), translator(name)
    words = [tr.target_vocab.tokens([i for i in ids if i != EOS]) for ids, *_ in theirs]
    texts, scores = rows(page)
    assert texts == [page.math("readable", ws) for ws in words]
    assert scores == pytest.approx([score for *_, score in theirs], abs=0.006)
    assert shown(page) == words[0]
    assert page.read("logprob") == pytest.approx(theirs[0][1], abs=1e-3)
    said = page.page.locator(".ab-said").inner_text()
    before = page.math("readable", tr.target_vocab.tokens(decoded(name, sentence).ids))
    assert "Greedy decoding writes “" in said
    assert before.removesuffix(" <eos>") in said
    page.choose("beam", "1 (greedy)")
    assert not page.page.locator(".ab-tp-found").is_visible()
    assert page.text("translation") in said.split("Greedy decoding writes")[1]


def test_the_alignment_is_that_of_the_best_one(open_ready):
    sentence = sentence_where("bahdanau", differs=True)
    page = open_ready(sentence=sentence, beam=4)
    tr = translator("bahdanau")
    ids = searched("bahdanau", sentence, 4)[0][0]
    source, lens = tr.encode([sentence])
    with torch.no_grad():
        target = torch.tensor([[BOS, *ids[:-1]]])
        weights = tr.model(source, target, lens, need_weights=True)[1][0]
    tokens = tr.source_vocab.tokens(source[0].tolist())
    assert page.page.locator('[data-handle^="word"]').count() == len(ids)
    for i, row in enumerate(weights):
        said = page.handle(f"word{i}").get_attribute("aria-label")
        j = int(row.argmax())
        if tokens[j] != "<unk>":
            assert f"looks at {tokens[j]} {float(row[j]):.2f}" in said


def test_the_controls_stay_where_they_are_when_the_beam_is_chosen(page):
    place = "(node) => node.getBoundingClientRect().top + scrollY"
    before = page.page.get_by_label("Beam width").evaluate(place)
    page.choose("beam", "4")
    ready(page)
    assert len(rows(page)[0]) == 4
    assert page.page.get_by_label("Beam width").evaluate(place) == before


def test_it_is_said_when_greedy_decoding_finds_the_same(open_ready):
    page = open_ready(sentence=sentence_where("transformer", False), model="transformer", beam=4)
    said = page.page.locator(".ab-said").inner_text()
    assert "The best of the 4 in the beam is what greedy decoding writes, too." in said


# -- hands --


def test_the_width_is_chosen_by_keyboard_and_has_a_name(page):
    control = page.page.get_by_label("Beam width")
    assert control.get_attribute("data-control") == "beam"
    page.press("beam", "ArrowDown")
    ready(page)
    assert page.state("beam") == 2 and len(rows(page)[0]) == 2
    page.press("beam", "ArrowDown")
    ready(page)
    assert page.state("beam") == 4 and len(rows(page)[0]) == 4
    found = page.page.get_by_role("list", name="What the beam search found")
    assert found.count() == 1
    assert page.page.locator(".ab-said").get_attribute("aria-live") == "polite"


def test_another_word_is_kept_by_the_search(open_ready):
    page = open_ready(sentence="they have a black dog .", beam=4, at=0)
    page.press("choice1", "Enter")
    ready(page)
    [first] = page.state("given")
    texts, _ = rows(page)
    assert first.isalpha() and len(texts) == 4
    assert [tokenise(text)[0] for text in texts] == [first] * 4
    assert f"“{first}” is your choice" in page.page.locator(".ab-said").inner_text()


SLOWLY = """() => {
  let time = 0;
  performance.now = () => (time += 1000); // every pass through the model fills its slice of time
}"""


def test_a_long_search_lets_the_browser_go_on(open_ready):
    """One pass a turn of the event loop: the old drawing stays, and another sentence takes the search's place."""
    page = open_ready(sentence="he's calm .")
    before = shown(page)
    page.page.evaluate(SLOWLY)
    turns = """() => new Promise((done) => {
      const card = document.querySelector(".ab-card");
      const model = document.querySelector(".attnbook-figure").abModel;
      let turns = 0;
      const text = () => card.querySelector('[data-value="translation"]').textContent;
      const first = text();
      const count = () => {
        if (card.getAttribute("aria-busy") === "false") { done({ turns, kept }); return; }
        turns += 1;
        kept = kept && text() === first;
        if (turns === 3) model.set("sentence", "she is very tired .");
        setTimeout(count);
      };
      let kept = true;
      model.set("sentence", "they have a black dog .");
      model.set("beam", 4);
      queueMicrotask(() => setTimeout(count));
    })"""
    went = page.page.evaluate(turns)
    page.settle()
    theirs = searched("bahdanau", "she is very tired .", 4)
    assert went["kept"] and went["turns"] > 3 + len(theirs[0][0])
    words = translator("bahdanau").target_vocab.tokens(theirs[0][0])
    assert shown(page) == [word for word in words if word != "<eos>"] != before
    assert len(rows(page)[0]) == 4


def test_nothing_to_search_is_said(open_ready):
    page = open_ready(beam=4)
    ask(page, "  ")
    assert "Type a sentence" in page.page.locator(".ab-tp-status").inner_text()
    assert not page.page.locator(".ab-tp-found").is_visible()
    ask(page, "he's calm .")
    ready(page)
    assert len(rows(page)[0]) == 4


@pytest.mark.parametrize(("theme", "width"), [("light", 360), ("dark", 390), ("light", 800)])
def test_it_fits(open_ready, theme, width):
    page = open_ready(width=width, theme=theme, beam=4)
    longest = max(sources("test"), key=lambda s: len(s.split()))
    for sentence in ("Do you want to eat with us tonight?", longest):
        ask(page, sentence)
        ready(page)
        page.require_fit()
        assert page.page.evaluate(BEYOND) == page.spilled(BOXED) == []
