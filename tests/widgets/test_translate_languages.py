"""Translate in the page, in any two languages: rows that run to the left, characters, and a choice of language."""

import base64
import shutil

import pytest
from translating import ask, ready

from attnbook.data import Pair, Split
from attnbook.text import Writing
from attnbook.translation import Recipe, Translator, load_page_model, page_model_file, page_sentences, untrained
from attnbook.weights import FOLDER, PAGE_MODELS, page_file, page_targets, pages
from attnbook.widgets import TranslatePageFigure
from attnbook.widgets.kit import fallback_image, model_files
from attnbook.widgets.scripts import standalone_page, write_assets
from attnbook.widgets.translate_page.own import own_page
from small_translators import MEASURED

SIZES = {
    "bahdanau": {"embed_size": 5, "hidden_size": 7, "num_layers": 1, "bidirectional": True},
    "seq2seq": {"embed_size": 5, "hidden_size": 7, "num_layers": 1, "attention": "none"},
    "transformer": {"d_model": 6, "num_heads": 3, "d_ff": 11, "norm_first": True},
}
SENTENCES = {
    "en": ["Where is the book?", "This is a book.", "We know Tom."],
    "ar": ["أين الكتاب؟", "هذا كتاب.", "نحن نعرف توم."],
    "zh": ["书在哪儿？", "这是书。", "我们认识 Tom。"],
    "hi": ["किताब कहाँ है?", "यह किताब है।", "हम टॉम को जानते हैं।"],
}
NAMES = {"en": "English", "ar": "Arabic", "zh": "Chinese", "hi": "Hindi"}


def pairs_of(source, target):
    return [Pair(*two) for two in zip(SENTENCES[source], SENTENCES[target], strict=True)] * 3


def tiny(name, pairs):
    """A translator of these pairs that has learned nothing but how they are written."""
    return untrained(Recipe("transformer" if name == "transformer" else "recurrent", sizes=SIZES[name]), pairs)


@pytest.fixture
def open_own(open_html, tmp_path):
    """own("en", "ar") opens a page that translates between them, with the second sentence as the translation."""

    def open_one(source, target, width=1000):
        pairs = pairs_of(source, target)
        translator = tiny("bahdanau", pairs)
        files = {
            "bahdanau": page_model_file(translator, "bahdanau", MEASURED),
            "sentences": page_sentences(Split(pairs[:2], [], pairs[2:3])),
        }
        codes = (source, target)
        page = own_page("bahdanau", files, [NAMES[c] for c in codes], codes, SENTENCES[source], SENTENCES[source][2:])
        (tmp_path / "own.html").write_text(page, "utf-8")
        opened = open_html("", width=width)
        opened.stop_motion()  # written at once
        opened.page.goto((tmp_path / "own.html").as_uri())
        ready(opened)
        opened.set(given=[*pairs[0].target.removesuffix("؟").removesuffix("？").removesuffix("?").split(), "<eos>"])
        return opened

    return open_one


def places(page, selector):
    """Where boxes begin, from the left, in the order of the words."""
    return [box.bounding_box()["x"] for box in page.page.locator(selector).all()]


@pytest.mark.parametrize(("source", "target"), [("en", "ar"), ("ar", "en"), ("en", "hi")])
def test_each_row_runs_as_its_language_does(open_own, source, target):
    page = open_own(source, target)
    for side, selector in ((source, "[data-source] rect"), (target, "[data-handle^=word] rect:first-child")):
        found = places(page, selector)
        assert len(found) > 2 and found == sorted(found, reverse=side == "ar")
    heat = page.page.locator(".ab-stage").nth(1)
    keys = [float(label.get_attribute("x")) for label in heat.locator("svg > text[lang]").all()]
    columns = [cell.bounding_box()["x"] for cell in heat.locator("g").first.locator("rect").all()]
    assert len(keys) > 2 and keys == sorted(keys, reverse=source == "ar")
    assert columns == sorted(columns, reverse=source == "ar")


@pytest.mark.parametrize(("target", "onwards"), [("ar", "ArrowLeft"), ("en", "ArrowRight")])
def test_an_arrow_key_goes_where_it_points(open_own, target, onwards):
    page = open_own("en" if target == "ar" else "ar", target)
    page.page.locator('[data-handle="word0"]').focus()
    page.page.keyboard.press(onwards)
    page.settle()
    assert page.state("at") == 1
    page.page.keyboard.press({"ArrowLeft": "ArrowRight", "ArrowRight": "ArrowLeft"}[onwards])
    page.settle()
    assert page.state("at") == 0


@pytest.mark.parametrize(
    ("target", "given", "text"),
    [
        ("ar", "أين الكتاب ؟", "أين الكتاب؟"),
        ("zh", "我 们 认 识 tom 。", "我们认识 Tom。"),
        ("en", "we know tom .", "We know Tom."),
    ],
)
def test_a_translation_is_written_as_its_language_is(open_own, target, given, text):
    page = open_own("hi", target)
    page.set(given=[*given.split(), "<eos>"])
    assert page.text("translation") == text
    written = page.page.locator("output[data-value=translation]")
    assert written.get_attribute("dir") == "auto"
    assert written.get_attribute("lang") == {"zh": "zh-Hans"}.get(target, target)
    assert written.evaluate("(node) => getComputedStyle(node).direction") == ("rtl" if target == "ar" else "ltr")
    isolated = f"\u2068{text}\u2069" if target == "ar" else text
    assert page.said.startswith(f"“{isolated}”"), "its mark would stand on the wrong side"
    assert page.page.locator("[data-handle^=word] text[lang]").first.get_attribute("lang") == written.get_attribute(
        "lang"
    )


def test_the_page_speaks_of_its_languages_and_of_characters(open_own):
    page = open_own("zh", "en", width=390)
    field = page.page.get_by_label("Chinese sentence")
    assert field.get_attribute("dir") == "auto" and field.get_attribute("lang") == "zh-Hans"
    text = page.page.locator(".ab-card").inner_text()
    assert "Chinese to English, computed here" in text and "Chinese characters and words it knows" in text
    page.click("Another held-out sentence")
    assert field.input_value() == SENTENCES["zh"][2], "as it is written, not token by token"
    assert "held out" in page.page.locator(".ab-tp-status").inner_text()
    page.require_fit()


def test_a_sentence_in_an_unknown_script_is_said_to_be_unknown(open_own):
    page = open_own("en", "zh")
    page.page.get_by_label("English sentence").fill("Привет")
    page.page.keyboard.press("Enter")
    page.settle()
    assert "“привет” is unknown to this model" in page.said


# -- a choice of languages --


@pytest.fixture
def chinese(tmp_path, monkeypatch):
    """A folder of weights that also has Chinese ones."""
    for name in (*PAGE_MODELS, "sentences"):
        shutil.copy(FOLDER / f"{name}.safetensors", tmp_path)
    monkeypatch.setattr(pages, "FOLDER", tmp_path)
    pairs = pairs_of("en", "zh")
    for name in PAGE_MODELS:
        content = page_model_file(tiny(name, pairs), page_file(name, "zh").stem, MEASURED)
        page_file(name, "zh").write_bytes(content)
    page_file("sentences", "zh").write_bytes(page_sentences(Split(pairs[:2], [], pairs[2:3])))
    return tmp_path


def test_with_french_alone_there_is_nothing_to_choose(chinese, open_ready):
    page_file("sentences", "zh").unlink()
    assert page_targets() == ["fr"] and not [name for name in model_files() if name.endswith("-zh")]
    figure = TranslatePageFigure(targets=["fr"])
    assert not {"target", "targets"} & figure.state().keys()
    page = open_ready(targets=["fr"])
    assert page.page.get_by_label("Into").count() == 0


def test_the_book_offers_french_and_chinese_and_says_what_their_scores_count(open_ready):
    page = open_ready()
    assert page.page.get_by_label("Into").locator("option").all_inner_texts() == ["Français", "中文"]
    note = page.page.locator('[data-value="bleu"] ~ .ab-note')
    assert note.inner_text() == "of this model, from 0 to 100"
    page.page.get_by_label("Into").select_option("zh")
    ready(page)
    assert note.inner_text() == "of this model, by characters"
    ask(page, "She is reading in the garden.")
    assert page.text("translation") == "她在花园里看书。"


def test_what_chapters_11_to_13_say_of_a_chinese_sentence(open_ready):
    page = open_ready(model="transformer", target="zh")
    ask(page, "She is sleeping in the garden.")
    assert page.text("translation") == "她在花园里睡觉。"
    for words, look in ((3, "“花”: looks most at “garden”, 0.94;"), (6, "“睡”: looks most at “sleeping”, 0.92;")):
        page.set(written=words, at=-1)
        assert look in page.said
    page.set(written=-1)
    page.choose("model", "GRU, Bahdanau’s attention")
    ready(page)
    assert page.text("translation") == "她在花园里睡觉。"
    page.choose("model", "GRU without attention")
    ready(page)
    assert page.text("translation") == "她在花园里。"


def test_files_of_a_target_are_offered_once_all_are_there(chinese):
    assert page_targets() == ["fr", "zh"]
    translator = load_page_model("transformer", "zh")
    assert isinstance(translator, Translator) and vars(translator.writing) == vars(Writing.learned(SENTENCES["zh"] * 3))
    assert load_page_model("transformer").writing is None
    page_file("seq2seq", "zh").unlink()
    assert page_targets() == ["fr"]


def test_the_reader_chooses_the_language(chinese, open_html, tmp_path_factory):
    folder = tmp_path_factory.mktemp("two")
    write_assets(folder / "_static")
    figure = TranslatePageFigure(targets=["fr", "zh"], sentence="We know Tom.", tries=["We know Tom."])
    (folder / "page.html").write_text(standalone_page(figure.to_html()), "utf-8")
    address = (folder / "page.html").as_uri()
    page = open_html("")
    page.page.goto(address)
    ready(page)
    loaded = "Object.keys(globalThis.attnbookFiles || {})"
    assert sorted(page.page.evaluate(loaded)) == ["bahdanau", "sentences"]
    assert page.page.locator('select[data-control="target"] option').all_inner_texts() == ["Français", "中文"]
    page.set(given=["nous"])
    page.choose("target", "中文")
    ready(page)
    assert sorted(page.page.evaluate(loaded)) == ["bahdanau", "bahdanau-zh", "sentences", "sentences-zh"]
    assert page.state("target") == "zh" and page.state("given") == []
    text = page.page.locator(".ab-card").inner_text()
    assert "English to Chinese, computed here" in text and "Chinese: queries" in page.page.content()
    assert page.page.locator(".ab-tp-tries small").first.inner_text() == "held out"
    page.choose("model", "Transformer")
    ready(page)
    assert "transformer-zh" in page.page.evaluate(loaded)
    link = page.page.get_by_role("link", name="Link to this state")
    link.focus()
    state = link.get_attribute("href")
    assert 'target="zh"' in state.replace("%22", '"')
    page.choose("target", "Français")
    ready(page)
    assert "English to French, computed here" in page.page.locator(".ab-card").inner_text()
    assert page.page.locator(".ab-tp-tries small").first.inner_text() == "new"
    page.page.goto("about:blank")
    page.page.goto(address + state)
    ready(page)
    assert page.state("target") == "zh" and "English to Chinese" in page.page.locator(".ab-title").inner_text()
    page.page.goto("about:blank")
    page.page.goto(address + state.replace("zh", "de"))
    ready(page)
    assert "This link does not fit the figure" in page.page.locator(".ab-linked").inner_text()
    assert page.state("target") == "fr"


@pytest.mark.parametrize("model", PAGE_MODELS)
def test_the_picture_and_its_description_are_of_what_is_translated(model):
    french = TranslatePageFigure(model=model)
    stored = fallback_image("translate_page", french.picture())
    assert "French" in french.alt_text() and stored in french.to_html()
    for traits, said in (
        ({"target": "zh"}, "“They have a black dog.”, and its Chinese translation."),
        ({"sentence": "We know Tom."}, "“We know Tom.”, and its French translation."),
    ):
        other = TranslatePageFigure(model=model, **traits)
        html = other.to_html()
        assert other.alt_text().startswith(said) and "chien" not in html and stored not in html
        drawn = base64.b64decode(html.split("svg+xml;base64,")[1].split('"')[0]).decode()
        assert said in drawn


def test_a_language_that_a_page_does_not_offer_is_not_set_by_a_link(open_ready):
    page = open_ready()
    page.page.goto("about:blank")
    page.page.go_back()
    page.page.evaluate("location.hash = '#fig-translate_page--target=%22de%22'")
    page.settle()
    assert "This link does not fit the figure" in page.page.locator(".ab-linked").inner_text()
    ask(page, "I'm home.")
    assert page.text("translation").endswith(".")
