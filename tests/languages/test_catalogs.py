"""The catalogs: what pages say goes into them, and translations survive."""

import itertools
import re

import polib
import pytest
import yaml
from docutils import nodes

from attnbook.widgets.scripts import figures_in, script_names
from tools import ROOT, languages, translate
from tools.languages import LANGUAGES, drawings, entries, figures, is_translated
from tools.languages.builder import messages_outside_texts, script_messages
from tools.languages.catalogs import (
    documents,
    formula_words,
    in_formulas,
    open_sentences,
    page_messages,
    terms,
    updated_catalog,
)

CHINESE = LANGUAGES["zh_CN"]


def catalog(*pairs):
    made = polib.POFile()
    made.extend(polib.POEntry(msgid=english, msgstr=other) for english, other in pairs)
    return made


def test_translations_are_kept_and_the_order_is_the_page_s():
    old = catalog(("b", "乙"), ("a", "甲"), ("gone for ever", "走了"))
    new = updated_catalog(old, {"a": "title", "new": "", "b": ""}, CHINESE)
    assert [(entry.msgid, entry.msgstr, entry.comment) for entry in new if not entry.obsolete] == [
        ("a", "甲", "title"),
        ("new", "", ""),
        ("b", "乙", ""),
    ]
    assert [entry.msgid for entry in new.obsolete_entries()] == ["gone for ever"]
    again = updated_catalog(new, {"gone for ever": ""}, CHINESE)  # the sentence is back
    assert [(entry.msgid, entry.msgstr) for entry in again] == [("gone for ever", "走了")]


def test_what_an_editor_has_marked_stays_marked():
    old = catalog(("b", "乙"), ("a", "甲"))
    old[1].flags.append("fuzzy")
    new = updated_catalog(old, {"a": "", "b": "", "new": ""}, CHINESE)
    assert [entry.fuzzy for entry in new] == [True, False, False]
    without = updated_catalog(old, {"b": "", "new": ""}, CHINESE)
    assert updated_catalog(without, {"a": ""}, CHINESE)[0].fuzzy  # gone and back


def test_what_has_vanished_is_dropped_once_all_is_translated():
    assert not updated_catalog(catalog(("a", "甲"), ("gone", "走了")), {"a": ""}, CHINESE).obsolete_entries()


def test_a_changed_sentence_is_open_and_offered_with_what_it_was():
    new = updated_catalog(
        catalog(("The mask hides two keys.", "掩码遮住两个键。")), {"The mask hides three keys.": ""}, CHINESE
    )
    ((sentence, before),) = open_sentences(new)
    assert sentence == "The mask hides three keys." and before.msgstr == "掩码遮住两个键。"
    ((_, before),) = open_sentences(updated_catalog(catalog(("Unlike", "不同")), {"Something else": ""}, CHINESE))
    assert before is None


def test_a_long_sentence_is_one_line():
    text = "word " * 60 + "end"
    assert f'msgid "{text}"\n' in str(updated_catalog(None, {text: ""}, CHINESE))


def test_words_of_a_formula_are_translated_and_nothing_else():
    formula = r"a_{if} \text{ if } x, \quad \text{otherwise} \text{, } \mathrm{if}"
    assert in_formulas(formula, {"if": "若", "otherwise": "否则"}) == (
        r"a_{if} \text{ 若 } x, \quad \text{否则} \text{, } \mathrm{if}"
    )
    document = nodes.container("", nodes.math_block("", formula))
    assert formula_words(document) == ["if", "otherwise"]


def test_what_stays_in_english_is_not_asked_for():
    assert is_translated("chapters/04-masked-softmax") and is_translated("index")
    assert not is_translated("chapters/api/text") and not is_translated("chapters/bibliography")


def test_without_a_built_book_there_is_a_word_of_what_to_do(tmp_path):
    with pytest.raises(FileNotFoundError, match="make book"):
        documents(tmp_path)


def test_the_command_says_so_too_if_there_is_no_book(monkeypatch, tmp_path):
    monkeypatch.setattr(translate, "documents", lambda: documents(tmp_path))
    with pytest.raises(SystemExit, match=r"holds no pages: build the book first \(make book\)"):
        translate.main([])


@pytest.mark.parametrize("action", ["open", "check"])
def test_a_catalog_with_a_slip_is_named_with_its_line(action, monkeypatch, tmp_path):
    (tmp_path / "zh_CN/LC_MESSAGES").mkdir(parents=True)
    (tmp_path / "zh_CN/LC_MESSAGES/index.po").write_text('msgid "One"\nmsgstr "“一"”"\n', "utf-8")
    monkeypatch.setattr(languages, "LOCALE", tmp_path)
    with pytest.raises(SystemExit, match=r"error: .*index\.po \(line 2\)"):
        translate.main([action, "index"])


def test_a_catalog_is_named_in_short_or_as_the_command_prints_it():
    both = ["chapters/04-masked-softmax", "drawings/04-masked-softmax"]
    assert translate.known_pages(CHINESE, ["04-masked-softmax"]) == both
    for page in both:
        assert translate.known_pages(CHINESE, [page]) == [page]
    assert translate.known_pages(CHINESE, ["index", both[1], "04-masked-softmax"]) == ["index", *reversed(both)]
    assert {"index", "words", *both} < set(translate.known_pages(CHINESE, []))
    with pytest.raises(SystemExit, match=r"no catalog of drawings/index in locale/zh_CN/.*there are: .*\bindex\b"):
        translate.known_pages(CHINESE, ["index", "drawings/index"])


def test_a_page_that_is_none_is_refused_before_a_catalog_is_written(monkeypatch):
    written = []
    monkeypatch.setattr(translate, "documents", dict)
    monkeypatch.setattr(translate, "messages_outside_texts", lambda pages: {})
    for source in ("drawings", "exercises", "figures"):
        monkeypatch.setattr(getattr(translate, source), "messages_by_catalog", lambda *pages: {})
    monkeypatch.setattr(translate, "update_catalogs", lambda *given: written.append(given) or [])
    with pytest.raises(SystemExit, match="no catalog of nosuch in"):
        translate.main(["update", "nosuch"])
    assert not written
    assert translate.main(["update", "index"]) == 0 and len(written) == 1


def test_the_glossary_s_chinese_changes_places_with_its_english():
    text = (ROOT / "chapters/glossary.md").read_text("utf-8").partition("{glossary}\n")[2]
    blocks = [block.split("\n\n")[0].split("\n  ") for block in text.split("```")[0].split("\n\n") if "\n  " in block]
    in_english = dict(block for block in blocks if len(block) == 2)
    assert len(in_english) > 140
    assert terms(CHINESE) == in_english
    said = {entry.msgid: entry.msgstr for entry in entries(CHINESE.catalog("chapters/glossary"))}
    assert {said[chinese]: chinese for chinese in in_english.values()} == in_english


def test_the_words_of_the_pages_are_in_the_catalog(tmp_path):
    (tmp_path / "_static").mkdir()
    (tmp_path / "tools/pages").mkdir(parents=True)
    (tmp_path / "tools/pages/search.js").write_text('t("{a} of \\\n\\"b\\"", { a }); set("no"); t(x)')
    assert script_messages(tmp_path) == ['{a} of "b"']
    known = {entry.msgid: entry.comment for entry in entries(CHINESE.catalog("words"))}
    assert messages_outside_texts([]).items() <= known.items()
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    assert {part["caption"] for part in toc["parts"]} <= set(known)


@pytest.fixture(scope="module")
def built(built_book):
    return documents(built_book.parent / ".doctrees")


def test_the_catalogs_hold_what_the_built_pages_say(built):
    for page, document in built.items():
        said = {entry.msgid: entry.comment for entry in entries(CHINESE.catalog(page))}
        assert said == page_messages(page, document), f"{page}: run make words"
        assert set(formula_words(document)) <= {entry.msgid for entry in entries(CHINESE.catalog("words"))}


def test_a_page_is_stored_without_the_documents_of_its_translations(built_book):
    stored = documents(built_book.parent / "zh/.doctrees")
    for page, document in stored.items():
        assert all(node.document in (None, document) for node in document.findall()), page


def test_what_figures_say_is_found():
    source = r"""say("Reset"), say("{k} of " +
      "{n}", { k, n }), say`${a} “b” ${f({ c: 1 }, "}")}\u00a0%`, fig.say("no"), say(x)"""
    assert [*figures.texts_in_calls(source)] == ["Reset", "{k} of {n}", "{0} “b” {1}\u00a0%"]


def test_a_sentence_is_no_comment_and_a_comment_no_sentence():
    source = """say("a /* b */ c"), say`d /* e
      // f */ g`
      // say("no"), and don't say `no`
      /* say("no") */ say("h")"""
    assert [*figures.texts_in_calls(source)] == ["a /* b */ c", "d /* e\n      // f */ g", "h"]


def test_what_two_figures_of_a_page_say_alike_is_translated_alike(built_book):
    """They share one table of words."""
    catalogs = {module: entries(CHINESE.catalog(figures.catalog_name(module))) for module in figures.modules()}
    said = {module: {e.msgid: e.msgstr for e in catalog} for module, catalog in catalogs.items()}
    together = [["kit", *figures_in(path.read_text("utf-8"))] for path in (built_book / "chapters").glob("*.html")]
    for modules in together:
        for module, other in itertools.combinations(modules, 2):
            both = said[module].keys() & said[other].keys()
            assert {text: said[module][text] for text in both} == {text: said[other][text] for text in both}
    assert any(len(modules) > 3 for modules in together)


def test_the_words_of_figures_are_in_their_catalogs(built):
    spoken = figures.messages_by_catalog(built)
    assert set(spoken) == {f"figures/{module}" for module in ["kit", *script_names()]}
    for catalog, words in spoken.items():
        known = {entry.msgid: entry.comment for entry in entries(CHINESE.catalog(catalog))}
        assert known == words, f"{catalog}: run make words"
    assert "Reset" in spoken["figures/kit"]
    assert "✓ padding gets exactly zero" in spoken["figures/stored_frames"]  # which Python has written


def test_the_words_of_drawings_are_in_their_catalogs(built, built_book):
    for catalog, words in (drawn := drawings.messages_by_catalog(built)).items():
        known = {entry.msgid: entry.comment for entry in entries(CHINESE.catalog(catalog))}
        assert known == words, f"{catalog}: run make words"
    assert len(drawn) == 20
    page = built_book / "zh/chapters/01-queries-keys-values.html"
    text = page.read_text("utf-8")
    svgs = [(page.parent / address).read_text("utf-8") for address in re.findall(r'="([^"]*/pictures/[^"]*)"', text)]
    assert (
        drawings.drawn_messages(svgs)["字典只找一个键"] == "drawing"
        and "alt text" in drawings.page_messages(text).values()
    )
