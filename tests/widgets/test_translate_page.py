"""Translate in the page: the browser computes what PyTorch computes, and tells honestly what it has seen."""

import json
import re
from base64 import b64encode
from copy import deepcopy
from pathlib import Path

import pytest
import torch
from translating import BOXED, LOAD, ask, ready, shown, sources, split, translator

from attnbook.data import references
from attnbook.text import BOS, EOS, UNK, Writing, normalise, tokenise
from attnbook.translation import Translator, greedy, page_model_file, page_model_header, sentence_key
from attnbook.weights import PAGE_MODELS
from attnbook.widgets import TranslatePageFigure
from attnbook.widgets.kit import MODELS, model_files, module_source
from attnbook.widgets.scripts import figures_in, write_assets
from spellings import SPELLINGS, TEXTS

# as text, since the browser's driver takes seconds for a million numbers
RUN = """([name, sentences]) => JSON.stringify(sentences.map((sentence) => {
  const { source, steps } = attnbook.widgets.translate_page.math.translate(name, sentence);
  const plain = ({ id, logProb, weights, logits }) => ({ id, logProb, weights, logits: [...logits] });
  return { source: source.ids, steps: steps.map(plain) };
}))"""


def written(name, sentence):
    """What PyTorch writes: the words without <eos>."""
    tr = translator(name)
    ids = greedy(tr.model, *tr.encode([sentence]), max_len=60)[0].ids
    return tr.target_vocab.tokens([i for i in ids if i != EOS])


@pytest.fixture
def page(open_ready):
    return open_ready()


# -- the browser against PyTorch --


@pytest.mark.parametrize("name", PAGE_MODELS)
def test_the_browser_computes_what_pytorch_computes(page, name):
    """100 held-out sentences: the same tokens, logits and attention weights to 1e-3."""
    held_out = sources("test")
    chosen = held_out[:: len(held_out) // 100][:100]
    assert len(chosen) == 100
    page.page.evaluate(LOAD, [name])
    tr = translator(name)
    for sentence, found in zip(chosen, json.loads(page.page.evaluate(RUN, [name, chosen])), strict=True):
        ids, lens = tr.encode([sentence])
        assert found["source"] == ids[0].tolist()
        words = [step["id"] for step in found["steps"]]
        decoded = greedy(tr.model, ids, lens, max_len=60)[0]
        assert words == decoded.ids, sentence
        with torch.no_grad():
            target = torch.tensor([[BOS, *words[:-1]]])
            logits, weights = tr.model(ids, target, lens, need_weights=True)
        here = torch.tensor([step["logits"] for step in found["steps"]])
        torch.testing.assert_close(here, logits[0], rtol=0, atol=1e-3)
        assert sum(step["logProb"] for step in found["steps"]) == pytest.approx(decoded.log_prob, abs=1e-3)
        if name == "seq2seq":
            assert weights is None and found["steps"][0]["weights"] is None
            continue
        weights = weights[-1].mean(1) if isinstance(weights, list) else weights
        looked = torch.tensor([step["weights"] for step in found["steps"]])
        torch.testing.assert_close(looked, weights[0], rtol=0, atol=1e-3)


@pytest.mark.parametrize("name", PAGE_MODELS)
def test_a_given_beginning_is_read_like_any_other(page, name):
    page.page.evaluate(LOAD, [name])
    tr, sentence, begin = translator(name), "she is very tired .", ["il", "est"]
    found = page.math("translate", name, sentence, tr.target_vocab.encode(begin))
    words = [step["id"] for step in found["steps"]]
    assert tr.target_vocab.tokens(words[:2]) == begin
    assert [step["given"] for step in found["steps"]] == [True, True] + [False] * (len(words) - 2)
    ids, lens = tr.encode([sentence])
    with torch.no_grad():
        logits = tr.model(ids, torch.tensor([[BOS, *words[:-1]]]), lens)[0]
    assert words[2:] == logits.argmax(-1).tolist()[2:]


def test_a_file_says_whether_its_model_writes_unk(page):
    """The book's models do, a file made today rules it out: in the browser as in PyTorch."""
    name = "transformer"
    asked = [s for s in sources("test")[:100] if "<unk>" in written(name, s)][:5]
    page.page.evaluate(LOAD, [name])
    tr = Translator(deepcopy(translator(name).model), translator(name).source_vocab, translator(name).target_vocab)
    tr.model.writes_unknown = False
    content = page_model_file(tr, name, page_model_header(name))
    assert asked  # or nothing is shown
    page.page.evaluate("([name, text]) => { attnbookFiles[name] = text; }", [name, b64encode(content).decode()])
    for sentence, found in zip(asked, json.loads(page.page.evaluate(RUN, [name, asked])), strict=True):
        decoded = greedy(tr.model, *tr.encode([sentence]), max_len=60)[0]
        assert [step["id"] for step in found["steps"]] == decoded.ids and UNK not in decoded.ids
        assert sum(step["logProb"] for step in found["steps"]) == pytest.approx(decoded.log_prob, abs=1e-3)


def test_sentences_fall_into_the_same_tokens(maths):
    written = [*SPELLINGS, "Où étiez-vous?! «oui»", "İstanbul ΑΣ", "a\x1cb\x85c\ufeffd\u2003e", "", "\u0301a", " - '"]
    differ = {text: maths("tokenise", text) for text in written}
    assert differ == {text: tokenise(text) for text in written}


@pytest.mark.parametrize("texts", TEXTS.values(), ids=TEXTS)
def test_tokens_are_written_as_the_package_writes_them(maths, texts):
    """What was learned from one language writes the tokens of all of them, in their order and backwards."""
    writing = Writing.learned(texts)
    tokens = [tokenise(text) for all_texts in TEXTS.values() for text in all_texts]
    tokens += [["<unk>", "<unk>", "."], ["3", "<unk>"], [], *(one[::-1] for one in tokens)]
    differ = {tuple(one): maths("write", writing.to_dict(), one) for one in tokens}
    assert differ == {tuple(one): writing.write(one) for one in tokens}


@pytest.mark.parametrize(
    ("code", "text", "left"),
    [
        ("ar", "أين الكتاب", True),
        ("ckb", "", True),
        ("en", "Where", False),
        ("fa", "1 DVD ها", True),
        ("ar", "Where", False),  # a code given by mistake
        ("xx", "1 שלום", True),
        ("xx", "", False),
        ("zh", "我们", False),
    ],
)
def test_the_direction_is_that_of_the_language_and_its_letters(maths, code, text, left):
    assert maths("runsLeft", code, text) is left


def test_sentence_keys_are_the_packages(maths):
    for sentence in ("i'm home .", "où es-tu ?", "", "日本"):
        assert maths("sentenceKey", normalise(sentence)) == sentence_key(sentence)


def test_how_a_sentence_stands_to_the_corpus(page):
    for part in ("train", "dev", "test"):
        for sentence in sources(part)[::37]:
            assert page.math("standing", sentence.split()) == part
    everything = {s for part in ("train", "dev", "test") for s in sources(part)}
    bare = next(
        s for s in sources("train") if s.endswith(" .") and not {s[:-2], s[:-1] + "!", s[:-1] + "?"} & everything
    )
    assert page.math("standing", bare[:-2].split()) == "near"
    assert page.math("standing", (bare[:-1] + "!").split()) == "near"
    assert page.math("standing", ["my", "giraffe", "speaks", "portuguese", "."]) == "new"
    assert page.math("standing", ["constructor"]) == "new"  # a name that every object has


def test_capitals_and_the_last_mark_make_no_sentence_new(page):
    everything = {s for part in ("train", "dev", "test") for s in sources(part)}
    for part, kind in (("dev", "nearDev"), ("test", "nearTest")):
        whole = next(
            s for s in sources(part) if s.endswith(" .") and not {s[:-2], s[:-1] + "!", s[:-1] + "?"} & everything
        )
        assert page.math("standing", whole[:-2].split()) == kind
    ask(page, "THEY HAVE a black dog")
    status = page.page.locator(".ab-tp-status").inner_text()
    assert status.startswith("held outExcept for its final mark")
    assert "Ils ont un chien noir." in status


def test_the_likeliest_and_the_readable(maths):
    assert maths("likeliest", [-3.0, -0.5, -1.0, -0.5], 3) == [
        {"id": 1, "prob": pytest.approx(0.60653, abs=1e-5)},
        {"id": 3, "prob": pytest.approx(0.60653, abs=1e-5)},
        {"id": 2, "prob": pytest.approx(0.36788, abs=1e-5)},
    ]
    assert maths("readable", ["où", "es-tu", "?"]) == "Où es-tu\u202f?"
    assert maths("readable", ["non", ",", "c'est", "lui", "."]) == "Non, c’est lui."
    assert maths("readable", []) == ""
    for written_by_people in ("Am I late?", "In winter, I’m ill.", "Who is it?"):
        tokens = tokenise(written_by_people)
        for code in ("en", "en-GB"):
            assert maths("readable", tokens, code) == written_by_people


# -- what is shown --


@pytest.mark.parametrize("name", MODELS)
def test_the_translation_that_is_shown_is_pytorchs(open_ready, name):
    sentence = sources("test")[3]
    page = open_ready(sentence=sentence, model=name)
    tr = translator(name)
    assert shown(page) == written(name, sentence)
    decoded = greedy(tr.model, *tr.encode([sentence]), max_len=60)[0]
    assert page.read("logprob") == pytest.approx(decoded.log_prob, abs=1e-3)
    assert page.read("each") == pytest.approx(2.718281828 ** (decoded.log_prob / len(decoded.ids)), abs=1e-3)


def test_held_out_seen_and_new_are_told(page):
    held_out, seen = sources("test")[5], sources("train")[5]
    ask(page, held_out)
    status = page.page.locator(".ab-tp-status")
    assert status.inner_text().startswith("held outNo model was trained on this sentence")
    for text in references(split().test)[held_out]:
        assert text in status.inner_text()
    ask(page, seen)
    assert status.inner_text().startswith("seenThe models were trained on this sentence")
    ask(page, "My giraffe speaks Portuguese.")
    assert status.inner_text().startswith("newThis sentence is not in the book’s corpus")
    ask(page, sources("dev")[5])
    assert "settings were chosen" in status.inner_text()


def test_the_sentences_to_try_are_marked_truly(page):
    kinds = {part: word for word, parts in {"seen": ["train"], "held out": ["dev", "test"]}.items() for part in parts}
    for button in page.page.locator(".ab-tp-tries button:has(small)").all():
        mark = button.locator("small").inner_text()
        text = normalise(button.evaluate("(node) => node.firstChild.textContent"))
        part = next((p for p in ("train", "dev", "test") if text in sources(p)), None)
        assert mark == kinds.get(part, mark) and (part or mark in ("new", "seen"))


def test_another_held_out_sentence_each_time(page):
    seen = set()
    for _ in range(4):
        page.click("Another held-out sentence")
        seen.add(page.state("sentence"))
        assert normalise(page.state("sentence")) in sources("test")
        assert page.page.locator(".ab-tp-status").inner_text().startswith("held out")
    assert len(seen) == 4


def test_unknown_words_are_shown_as_such(page):
    ask(page, "The giraffe is sleeping.")
    dashed = page.page.locator("svg g[data-unknown]")
    assert dashed.all_text_contents() == ["giraffe"]
    assert dashed.locator("rect").get_attribute("stroke-dasharray")
    said = page.page.locator(".ab-said").inner_text()
    assert "“giraffe” is unknown to this model" in said
    known = page.page.locator(".ab-tp-words p").text_content().split(", ")
    assert "giraffe" not in known
    vocab = translator("bahdanau").source_vocab
    assert set(known) <= set(vocab.tokens(range(4, len(vocab)))) and len(known) > 500


def test_an_unknown_word_in_the_translation_is_shown_as_such(page):
    tr = translator("bahdanau")
    page.click("◀ Back")
    page.set(given=["<unk>"], sentence="he's calm .", written=-1, at=0)
    assert shown(page)[0] == "<unk>"
    said = page.page.locator(".ab-said").inner_text()
    _, _, weights = tr.align("he's calm .", target=None)
    assert "it wants a word that is not in its vocabulary; it looked most at" in said
    tokens = tr.source_vocab.tokens(tr.encode(["he's calm ."])[0][0].tolist())
    assert f"“{tokens[int(weights[0].argmax())]}”" in said  # the first look does not depend on what is written


def test_all_unknown_words_share_one_clause(page):
    said = page.page.locator(".ab-said")
    ask(page, "The giraffe is sleeping.")
    words = shown(page)
    end = f"; its word {words.index('<unk>') + 1} is <unk>, too" * ("<unk>" in words)
    assert said.inner_text().endswith(
        f"“giraffe” is unknown to this model: it reads <unk> and can only guess from the rest{end}."
    )
    ask(page, "zebras quickly devour purple broccoli .")
    assert said.inner_text().count("unknown") == 1
    assert said.inner_text().count(".") <= 3


def test_without_a_final_mark_one_is_advised(page):
    """Of the corpus fewer than one sentence in twenty ends without a mark."""
    everything = [s for part in ("train", "dev", "test") for s in sources(part)]
    assert sum(s[-1] not in ".!?" for s in everything) < len(everything) / 20
    said = page.page.locator(".ab-said")
    ask(page, "I love you")
    assert "end in a mark: try it with a full stop." in said.inner_text()
    bare = next(s for s in everything if s[-1] not in ".!?")
    for sentence in ("I love you.", bare, "My giraffe speaks Portuguese!"):
        ask(page, sentence)
        assert "full stop" not in said.inner_text()


AGREES = "() => document.querySelector('.ab-said').textContent.includes('as they did')"


def test_where_people_wrote_something_else_it_is_said_first(page):
    said = page.page.locator(".ab-said")
    ask(page, "I like white flowers.")
    page.page.wait_for_function(AGREES)
    theirs = references(split().test)["i like white flowers ."]
    one, other = (written(name, "i like white flowers .") for name in MODELS[:2])
    plain = [tokenise(text) for text in theirs]
    assert one not in plain and other in plain
    assert "People wrote something else. The Transformer writes “" in said.inner_text()
    assert "firmest" not in said.inner_text()
    page.choose("model", "Transformer")
    ready(page)
    assert shown(page) == other
    assert "People wrote something else" not in said.inner_text()
    ask(page, "They have a black dog.")
    assert "People wrote something else" not in said.inner_text()


def test_people_agree_but_for_capitals_and_marks(open_ready):
    """Over held-out sentences: said exactly where the translation is none of theirs and holds no <unk>."""
    page = open_ready(model="transformer")
    page.page.wait_for_timeout(100)
    theirs = references(split().test)
    plain = lambda words: " ".join(words).removesuffix(" .")  # noqa: E731
    for sentence in [s for s in theirs if s.endswith(" .")][::60]:
        ask(page, sentence)
        ready(page)
        words = shown(page)
        same = plain(words) in {plain(tokenise(text)) for text in theirs[sentence]}
        said = page.page.locator(".ab-said").inner_text()
        expected = not same and "<unk>" not in words
        if "as they did" not in said:
            assert ("People wrote something else" in said) == expected, said


def test_a_new_sentence_starts_with_new_room(open_ready):
    page = open_ready(width=390, sentence="I'm home.")
    card = page.page.locator(".ab-card")
    tall = card.evaluate("(node) => node.offsetHeight")
    ask(page, max(sources("test"), key=lambda s: len(s.split())))
    ask(page, "zebras quickly devour purple broccoli beside mountains .")
    assert card.evaluate("(node) => node.offsetHeight") != tall
    ask(page, "I'm home.")
    assert card.evaluate("(node) => node.offsetHeight") == tall


def test_the_sentence_names_two_lines_that_cross(page):
    """The translator page speaks of this sentence."""
    ask(page, "They have a black dog.")
    tr = translator("bahdanau")
    _, _, weights = tr.align("they have a black dog .", target=None)
    noun, adjective = (weights[i].max().item() for i in (3, 4))
    assert [int(weights[i].argmax()) for i in (3, 4)] == [4, 3]
    assert (
        f"“chien” looked most at “dog” ({noun:.2f}) and the next word, “noir”, back at "
        f"“black” ({adjective:.2f}): their lines cross." in page.page.locator(".ab-said").inner_text()
    )
    ask(page, "He's calm.")
    assert "cross" not in page.page.locator(".ab-said").inner_text()


def test_only_clear_looks_at_words_cross(maths):
    source = {"tokens": ["a", "b", "c", ".", "<eos>"]}
    step = lambda *weights: {"id": 9, "weights": weights}  # noqa: E731
    first, second = step(0.2, 0.2, 0.6, 0, 0), step(0.1, 0.5, 0.2, 0.2, 0)
    steps = {"source": source, "steps": [second, first, second]}
    assert maths("crossing", steps) == [1, 2, 1]
    for other in (step(0.1, 0, 0.3, 0.6, 0), step(0.3, 0.2, 0.3, 0.2, 0)):
        mixed = {"source": source, "steps": [other, second]}
        assert maths("crossing", mixed) is None
    end = {"id": EOS, "weights": [0.9, 0.1, 0, 0, 0]}
    assert maths("crossing", {"source": source, "steps": [second, end]}) is None


def test_no_attention_means_no_weights(open_ready):
    page = open_ready(model="seq2seq")
    assert page.page.get_by_text("No attention, no weights").count() == 1
    said = page.page.locator(".ab-said").inner_text()
    assert "one vector of" in said and "People wrote something else" in said
    loaded = "Object.keys(attnbookFiles)"  # no other model is read unasked
    assert sorted(page.page.evaluate(loaded)) == ["sentences", "seq2seq"]
    assert page.page.locator("svg path[d^=M]").count() > 4  # all goes through one point


def test_the_choices_are_the_distribution_and_can_be_taken(page):
    sentence = sources("test")[3]
    ask(page, sentence)
    page.set(at=1)
    tr = translator("bahdanau")
    ids, lens = tr.encode([sentence])
    target = tr.target_vocab.encode(written("bahdanau", sentence))
    with torch.no_grad():
        logits = tr.model(ids, torch.tensor([[BOS, *target]]), lens)[0]
    probs, best = logits[1].softmax(-1).topk(5)
    labels = [page.handle(f"choice{i}").get_attribute("aria-label") for i in range(5)]
    assert [label.split(",")[0] for label in labels] == tr.target_vocab.tokens(best)
    assert labels[0].endswith("written") and labels[1].endswith("write this instead")
    page.press("choice1", "Enter")
    assert page.state("given") == tr.target_vocab.tokens([target[0], int(best[1])])
    now = tr.target_vocab.encode(shown(page))
    assert now[:2] == [target[0], int(best[1])]
    with torch.no_grad():
        after = tr.model(ids, torch.tensor([[BOS, *now]]), lens)[0].argmax(-1).tolist()
    assert [*now, EOS][2:] == after[2:] or "<unk>" in shown(page)
    assert "is your choice" in page.page.locator(".ab-said").inner_text()
    ask(page, sentence)
    assert page.state("given") == [] and shown(page) == written("bahdanau", sentence)


# -- hands --


def test_typing_translates_after_a_pause(page):
    field = page.page.get_by_label("English sentence")
    field.fill("")
    field.press_sequentially("he's calm .", delay=5)
    page.page.wait_for_function(
        "() => document.querySelector('.attnbook-figure').abModel.get('sentence') === \"he's calm .\""
    )
    page.settle()
    assert shown(page) == written("bahdanau", "he's calm .")


def test_steps_by_button_and_slider(page):
    whole = shown(page)
    page.slide("written", 0)
    assert page.text("translation").strip() == "" and page.text("logprob") == "–"
    for i in range(1, len(whole) + 1):
        page.click("Forward ▶")
        assert shown(page) == whole[:i]
        assert page.page.locator('[data-handle^="word"]').count() == i
    page.click("Forward ▶")
    assert page.state("written") == -1 and page.text("logprob") != "–"
    page.click("◀ Back")
    assert page.state("written") == len(whole)
    assert page.text("written") == f"{len(whole)} of {len(whole) + 1}"


def test_words_are_walked_by_keys_and_looked_at_by_mouse(page):
    ask(page, "she is very tired .")
    page.press("word0", "ArrowRight", "ArrowRight")
    assert page.state("at") == 2
    assert "looks at" in page.handle("word2").get_attribute("aria-label")
    page.page.keyboard.press("ArrowLeft")
    page.settle()
    assert page.state("at") == 1
    page.handle("word3").hover()
    page.settle()
    assert page.state("at") == 3
    assert page.page.get_by_text("Word 4: what it could have been").count() == 1


def test_the_label_of_a_word_gives_its_weights(page):
    ask(page, "she is very tired .")
    tr = translator("bahdanau")
    source, _, weights = tr.align("she is very tired .")
    top = weights[1].topk(2)
    said = [f"{source[j]} {a:.2f}" for a, j in zip(top.values.tolist(), top.indices.tolist(), strict=True)]
    assert page.handle("word1").get_attribute("aria-label").endswith("looks at " + ", ".join(said))


def test_the_model_can_be_changed(page):
    for name, label in (("transformer", "Transformer"), ("seq2seq", "GRU without attention")):
        page.choose("model", label)
        page.page.wait_for_function("(name) => name in attnbookFiles", arg=name)
        ready(page)
        assert shown(page) == [w.replace("<unk>", "?") for w in written(name, page.state("sentence"))]


def test_reset_restores(page):
    first = {name: page.state(name) for name in TranslatePageFigure().state()}
    ask(page, "where are you ?")
    page.press("choice1", "Enter")
    page.choose("model", "Transformer")
    page.choose("beam", "4")
    page.slide("written", 1)
    page.reset()
    assert {name: page.state(name) for name in first} == first


PAUSE = """async () => {
  document.querySelector(".ab-tp-ask").requestSubmit();
  await new Promise((f) => setTimeout(f, 1000));
  [...document.querySelectorAll("button")].find((button) => button.textContent === "Pause").click();
}"""


def test_words_come_one_by_one_where_motion_is_welcome(open_ready):
    page = open_ready(motion=True)
    whole, said = shown(page), page.page.locator(".ab-said")
    page.page.evaluate(PAUSE)
    page.settle()
    some = shown(page)
    assert 0 < len(some) < len(whole) and some == whole[: len(some)]
    assert page.text("logprob") == "–"
    page.page.wait_for_timeout(1000)
    assert shown(page) == some
    page.page.get_by_label("English sentence").fill("he's calm .")
    page.page.keyboard.press("Enter")
    page.settle()
    assert page.state("written") in (0, 1)
    assert said.get_attribute("aria-live") == "off"  # it is read out once, when all is written
    page.page.wait_for_function("() => document.querySelector('.attnbook-figure').abModel.get('written') === -1")
    page.settle()
    assert shown(page) == written("bahdanau", "he's calm .")
    assert said.inner_text().startswith("“Il est calme.”")
    assert said.get_attribute("aria-live") == "polite"


def test_the_sentence_stays_while_words_are_taken_back(page):
    said, card = page.page.locator(".ab-said"), page.page.locator(".ab-card")
    tall = card.evaluate("(node) => node.offsetHeight")
    _, _, weights = translator("bahdanau").align("they have a black dog .", target=None)
    page.click("◀ Back")
    page.click("◀ Back")
    look = weights[4].max().item()
    start = f"Word 5, “noir”: looks most at “black”, {look:.2f}; probability "
    assert said.inner_text().startswith(start)
    page.slide("written", 0)
    assert said.inner_text().startswith("No word is written yet")
    assert card.evaluate("(node) => node.offsetHeight") == tall


def test_without_crossing_lines_the_firmest_look_is_named(page):
    ask(page, "She doesn't eat meat.")
    tr = translator("bahdanau")
    source, words, weights = tr.align("she doesn't eat meat .", target=None)
    i = max((i for i, w in enumerate(words) if w.isalpha()), key=lambda i: weights[i].max())
    look, place = weights[i].max(-1)
    expected = f"Of its words, “{words[i]}” has the firmest look: {look:.2f} at “{source[place]}”."
    assert expected in page.page.locator(".ab-said").inner_text()


def test_nothing_to_translate_is_said(page):
    ask(page, "   ")
    assert "Type a sentence" in page.page.locator(".ab-tp-status").inner_text()
    assert page.page.locator('[data-handle^="word"]').count() == 0
    ask(page, "he's calm .")
    assert shown(page) == written("bahdanau", "he's calm .")


@pytest.mark.parametrize(("theme", "width"), [("light", 390), ("dark", 390), ("light", 800)])
def test_it_fits(open_ready, theme, width):
    longest = max(sources("test"), key=lambda s: len(s.split()))
    page = open_ready(width=width, theme=theme, sentence="I'm home.")
    for sentence in ("He's calm.", longest, "unbelievablyintercontinental words are unhappily incomprehensible ."):
        ask(page, sentence)
        page.require_fit()
        assert page.spilled(BOXED) == []


@pytest.mark.parametrize("width", [390, 1000])
def test_choosing_a_beam_moves_no_drawing(open_ready, width):
    page = open_ready(width=width, sentence="They have a black dog.")
    if width == 390:
        page.click("More settings")
    parts = (".ab-stage >> nth=0", ".ab-said", ".ab-stage >> nth=1", ".ab-outputs")
    tops = {}
    for beam in ("1 (greedy)", "2", "4"):
        page.choose("beam", beam)
        page.page.wait_for_selector('.ab-card[aria-busy="false"]')
        page.settle()
        tops[beam] = [
            page.page.locator(part).bounding_box()["y"] - page.page.locator(".ab-card").bounding_box()["y"]
            for part in parts
        ]
    for beam in ("2", "4"):
        assert tops[beam] == pytest.approx(tops["1 (greedy)"], abs=1)


def test_on_a_phone_a_few_sentences_to_try_are_enough(open_ready):
    page = open_ready(width=390, sentence="They have a black dog.")
    assert page.page.locator(".ab-tp-tries").bounding_box()["height"] < 130
    kinds = page.page.locator(".ab-tp-tries small:visible").all_text_contents()
    assert kinds == ["seen", "held out", "new"]
    assert page.page.locator(".ab-controls").bounding_box()["height"] < 200


def test_on_a_phone_the_one_vector_has_its_whole_name_and_no_map_stands_empty(open_ready):
    page = open_ready(width=390, model="seq2seq", sentence="They have a black dog.")
    name = page.page.get_by_text("184 numbers", exact=True).first.bounding_box()
    boxes = [box.bounding_box() for box in page.page.locator("svg .ab-tp-word rect, [data-source] rect").all()]
    across = [b for b in boxes if b["x"] < name["x"] + name["width"] and name["x"] < b["x"] + b["width"]]
    assert across and all(b["y"] + b["height"] <= name["y"] or b["y"] >= name["y"] + name["height"] for b in across)
    title = page.page.locator("svg", has_text="No attention, no weights")
    assert title.bounding_box()["height"] < 40


# -- where the weights come from --


def test_the_page_itself_stays_light(assets):
    box = TranslatePageFigure().to_html()
    assert len(box) < 80_000 and "attnbook page model" not in box
    assert len((assets / "translate_page.js").read_text("utf-8")) < 120_000
    assert figures_in(box) == ["translate_page"]
    for name in model_files():
        assert (assets / f"model-{name}.js").is_file()


def test_weights_are_read_when_the_figure_comes_near_and_no_others(open_html):
    page = open_html('<div style="height: 5000px"></div>' + TranslatePageFigure().to_html())
    page.page.wait_for_timeout(300)
    loaded = "Object.keys(globalThis.attnbookFiles || {})"
    assert page.page.evaluate(loaded) == []
    page.page.locator(".ab-card").scroll_into_view_if_needed()
    ready(page)
    assert sorted(page.page.evaluate(loaded)) == ["bahdanau", "sentences"]


def damage(path):
    content = path.read_bytes()
    path.write_bytes(content[:3000] + 500 * b"a\0" + content[4000:])  # still a script


@pytest.mark.parametrize("spoil", [Path.unlink, damage])
def test_without_its_file_the_figure_says_so(spoil, open_html, tmp_path_factory):
    from attnbook.widgets.scripts import standalone_page

    folder = tmp_path_factory.mktemp("poor")
    write_assets(folder / "_static")
    spoil(folder / "_static" / "model-bahdanau.js")
    (folder / "page.html").write_text(standalone_page(TranslatePageFigure().to_html()), "utf-8")
    page = open_html("")
    page.page.goto((folder / "page.html").as_uri())
    page.page.wait_for_selector('.ab-card[aria-busy="false"]')
    said = "The model could not be loaded: the file model-bahdanau.js beside this page’s scripts cannot be read"
    assert said in page.page.locator(".ab-tp-status").inner_text()
    page.choose("model", "Transformer")
    page.page.wait_for_function("() => 'transformer' in (globalThis.attnbookFiles || {})")
    ready(page)
    assert shown(page)
    problems = [p for p in page.problems if "ERR_FILE_NOT_FOUND" in p]
    assert bool(problems) == (spoil is Path.unlink) and len(problems) == len(page.problems)
    page.problems.clear()


KERNEL = """async ([source, files]) => {
  const { default: widget } = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  const state = { sentence: "he's calm .", model: "bahdanau", written: -1, at: -1, beam: 1, given: [], tries: [] };
  const heard = [];
  globalThis.wanted = [];
  const model = {
    get: (name) => state[name], set: (name, value) => { state[name] = value; }, save_changes() {},
    on: (name, listener) => heard.push([name, listener]),
    off: (name, listener) => heard.splice(heard.findIndex((pair) => pair[1] === listener), 1),
    send: (message) => {
      wanted.push(message.wanted);
      const answer = { file: message.wanted, text: files[message.wanted] };
      setTimeout(() => heard.slice().forEach(([name, listener]) => name === "msg:custom" && listener(answer)));
    },
  };
  const el = document.createElement("div");
  document.body.append(el);
  widget.render({ model, el });
}"""


def test_in_jupyterlab_the_kernel_sends_the_weights(open_html):
    sent = []
    figure = TranslatePageFigure()
    figure.send = lambda message, *_: sent.append(message)
    for name in ("bahdanau", "sentences", "../../secret", None):
        figure._handle_custom_msg({"wanted": name}, [])
    assert [message["file"] for message in sent] == ["bahdanau", "sentences", "../../secret", "None"]
    assert [message["text"] is None for message in sent] == [False, False, True, True]
    page = open_html("", scripts=[])
    page.page.evaluate(KERNEL, [module_source("translate_page"), {m["file"]: m["text"] for m in sent}])
    ready(page)
    assert shown(page) == written("bahdanau", "he's calm .")
    assert sorted(page.page.evaluate("wanted")) == ["bahdanau", "sentences"]


def test_in_jupyterlab_a_file_that_the_kernel_does_not_have_is_named_at_once(open_html):
    page = open_html("", scripts=[])
    page.page.evaluate(KERNEL, [module_source("translate_page"), {"bahdanau": None, "sentences": None}])
    page.page.get_by_text("the kernel has no file").first.wait_for(timeout=5000)


@pytest.mark.parametrize("model", ["bahdanau", "seq2seq"])
def test_without_scripts_a_true_translation_is_told(open_html, model):
    html = TranslatePageFigure(model=model).to_html()
    page = open_html(html, javascript=False)
    image = page.page.locator(".attnbook-figure > img")
    assert image.is_visible() and image.bounding_box()["height"] > 200
    english, french = re.search("“(.*?)”.*?“(.*?)”", image.get_attribute("alt"), re.DOTALL).groups()
    assert english == TranslatePageFigure().sentence
    assert tokenise(french) == written(model, english)
    described = image.get_attribute("alt")
    assert ("looked at" in described) == (model == "bahdanau")
    assert ("one vector" in described) == (model == "seq2seq")


# -- Python --


@pytest.mark.parametrize(
    ("traits", "error", "says"),
    [
        ({"sentence": 3}, TypeError, "at most 120 characters on one line; got 3"),
        ({"sentence": "a" * 121}, ValueError, "got 121 characters"),
        ({"sentence": "a\nb"}, ValueError, "on one line"),
        ({"model": "bert"}, ValueError, "one of 'bahdanau', 'transformer', 'seq2seq'; got 'bert'"),
        ({"target": "de"}, ValueError, "into which it translates: one of 'fr', 'zh'; got 'de'"),
        ({"target": "zh", "targets": ["fr"]}, ValueError, "target is one of its targets, fr; got 'zh'"),
        ({"written": -2}, ValueError, "from -1 to 60; got -2"),
        ({"written": 1.5}, ValueError, "a whole number"),
        ({"at": 61}, ValueError, "from -1 to 60; got 61"),
        ({"beam": 3}, ValueError, "prefixes the search keeps: one of 1, 2, 4; got 3"),
        ({"beam": True}, ValueError, "got True"),
        ({"given": "il est"}, TypeError, "words of the translation; got 'il est'; split"),
        ({"given": [1]}, TypeError, "words of the translation; one of them is 1"),
        ({"tries": "a b"}, TypeError, "at most 8 sentences"),
        ({"tries": ["a"] * 9}, ValueError, "at most 8 sentences"),
        ({"tries": [None]}, TypeError, "tries .* on one line; one of them is None"),
        ({"colour": "red"}, TypeError, "has no colour"),
    ],
)
def test_bad_traits_are_named(traits, error, says):
    with pytest.raises(error, match=says):
        TranslatePageFigure(**traits)


def test_later_changes_are_checked_and_the_models_are_the_packages():
    figure = TranslatePageFigure()
    with pytest.raises(TypeError, match="got None"):
        figure.sentence = None
    with pytest.raises(TypeError, match="words of the translation"):
        figure.given = [None]
    with pytest.raises(ValueError, match="target is one of its targets, zh; got 'fr'"):
        figure.targets = ["zh"]
    with figure.hold_trait_notifications():
        figure.target, figure.targets = "zh", ["zh"]
    with pytest.raises(ValueError, match="target is one of its targets, zh; got 'fr'"):
        figure.target = "fr"
    assert sorted(MODELS) == sorted(PAGE_MODELS)
    assert json.loads(json.dumps(figure.state())) == figure.state()
    assert UNK == 3
