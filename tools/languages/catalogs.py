"""The sentences of the built pages, and the files that hold their translations.

The messages are what Sphinx's own translation looks up (`extract_messages`), taken from the documents that the English
build has left, so that nothing has to be read again. Left out is what has no words: formulas, code, numbers.
"""

import difflib
import itertools
import pickle
import re
from collections.abc import Iterator
from pathlib import Path

import polib
from docutils import nodes
from sphinx import addnodes
from sphinx.util.nodes import extract_messages
from sphinx_exercise.nodes import exercise_title

from attnbook.files import write_atomically
from tools import ROOT
from tools.languages import Language, entries, is_translated, translations
from tools.languages.checks import faults, has_words

DOCTREES = ROOT / "_build" / ".doctrees"
GLOSSARY = "chapters/glossary"
WITHOUT_MARKUP = "alt text", "figure", "drawing"  # kinds of sentences without markup
LIKE = 0.5  # how like a vanished sentence must be to a new one, to be offered with it
FORMULA_TEXT = re.compile(r"(\\text\{)([^{}]*[A-Za-z]{2}[^{}]*)\}")
SKIPPED = exercise_title, nodes.math_block, addnodes.translatable
NODE_KINDS = {
    nodes.title: "title",
    nodes.subtitle: "title",
    nodes.rubric: "choice or answer",
    nodes.image: "alt text",
    nodes.term: "term",
}


def in_formulas(formula: str, words: dict[str, str]) -> str:
    """A formula, its words (`\\text{if }`) in another language where that has them."""
    return FORMULA_TEXT.sub(
        lambda t: t[1] + t[2].replace(t[2].strip(), words.get(t[2].strip(), t[2].strip())) + "}", formula
    )


def all_messages(document: nodes.document) -> Iterator[tuple[str, str]]:
    """The sentences of a page in their order, each with what it is."""
    for node, text in extract_messages(document):
        # a numbered title has its words in another node, captions are in words.po (builder.py), and the line above
        # printed code is the name of its file
        if isinstance(node, SKIPPED) or text.startswith("<small>`attnbook/"):
            continue
        yield text, next((kind for known, kind in NODE_KINDS.items() if isinstance(node, known)), "")


def documents(doctrees: Path = DOCTREES) -> dict[str, nodes.document]:
    """All pages that are to be translated, as the English build has left them.

    Raises:
        FileNotFoundError: there is no built book.
    """
    paths = {
        path.relative_to(doctrees).with_suffix("").as_posix(): path for path in sorted(doctrees.rglob("*.doctree"))
    }
    pages = {page: pickle.loads(path.read_bytes()) for page, path in paths.items() if is_translated(page)}
    if not pages:
        raise FileNotFoundError(f"{doctrees} holds no pages: build the book first (make book)")
    return pages


def page_messages(page: str, document: nodes.document) -> dict[str, str]:
    """What a page says: its sentences, each once, with what it is."""
    return {
        text: kind
        for text, kind in all_messages(document)
        # the English glossary has the Chinese words beside its terms, the Chinese one the English words
        if has_words(text) or (page == GLOSSARY and not text.isascii())
    }


def formula_words(document: nodes.document) -> list[str]:
    """Words in the display formulas of a page."""
    formulas = document.findall(nodes.math_block)
    return [text[2].strip() for formula in formulas for text in FORMULA_TEXT.finditer(formula.astext())]


def prompts(document: nodes.document) -> list[str]:
    """What a page's folded cells are called where its text gives them a name."""
    given = [node.get(way, "") for node in document.findall(nodes.container) for way in ("prompt_show", "prompt_hide")]
    return [text for text in dict.fromkeys(given) if text and "{type}" not in text]


def updated_catalog(old: polib.POFile | None, sentences: dict[str, str], language: Language) -> polib.POFile:
    """A catalog with exactly these sentences: translations are kept, what has vanished stands at the end.

    What has vanished is dropped once all sentences are translated: until then it helps to translate what replaced it.
    """
    known = {entry.msgid: entry for entry in old or [] if entry.msgstr}
    new = polib.POFile(wrapwidth=0)
    new.metadata = {"Language": language.code, "Content-Type": "text/plain; charset=UTF-8"}
    for text, kind in sentences.items():
        entry = polib.POEntry(msgid=text, comment=kind)
        if text in known:
            same = known[text]
            entry.msgstr, entry.tcomment, entry.flags = same.msgstr, same.tcomment, same.flags
        new.append(entry)
    if any(not entry.msgstr for entry in new):
        new.extend(
            polib.POEntry(msgid=text, msgstr=entry.msgstr, flags=entry.flags, obsolete=True)
            for text, entry in known.items()
            if text not in sentences
        )
    return new


def update_catalogs(language: Language, messages: dict[str, dict[str, str]]) -> list[Path]:
    """Bring the catalogs of a language to what pages say; gives those that have changed."""
    changed = []
    for page, sentences in messages.items():
        path = language.catalog(page)
        old = path.read_text("utf-8") if path.is_file() else ""
        new = str(updated_catalog(polib.pofile(str(path)) if old else None, sentences, language))
        if new.strip() != old.strip():
            write_atomically(path, new)
            changed.append(path)
    return changed


def open_sentences(catalog: polib.POFile) -> Iterator[tuple[str, polib.POEntry | None]]:
    """What is not translated, each with the vanished sentence that is most like it, if one is."""
    vanished = {entry.msgid: entry for entry in catalog.obsolete_entries()}
    for entry in catalog.untranslated_entries():
        (like, *_) = difflib.get_close_matches(entry.msgid, vanished, 1, LIKE) or [None]
        yield entry.msgid, vanished.get(like)


def terms(language: Language) -> dict[str, str]:
    """The words of a language for the terms of the glossary, by their English: the translation of that page."""
    return translations(language, GLOSSARY, "term")


def _pieces(entry: polib.POEntry, page: str) -> Iterator[tuple[str, str]]:
    """A sentence and its translation; those of exercises line by line, and they know no tags."""
    both = entry.msgid, entry.msgstr
    if not page.startswith("exercises/"):
        yield both
        return
    for pair in itertools.zip_longest(*(text.replace("<", r"\<").split("\n") for text in both), fillvalue=""):
        if any(pair):
            yield pair


def catalog_faults(language: Language, page: str) -> list[str]:
    """What is wrong in the catalog of a page; nothing, if nothing is."""
    words = terms(language)
    lines = []
    for entry in entries(language.catalog(page)):
        wrong = ["marked as fuzzy: check it, and remove the mark"] if entry.fuzzy else []
        if entry.msgstr:
            for english, other in _pieces(entry, page):
                wrong += faults(english, other, words, entry.comment in WITHOUT_MARKUP)
        lines += [f"{fault}\n    {entry.msgid}\n    {entry.msgstr}" for fault in wrong]
    return lines


def coverage(language: Language, page: str) -> float:
    """The share of a page's letters that is translated, 0 to 1."""
    sizes = [(len(entry.msgid), bool(entry.msgstr)) for entry in entries(language.catalog(page))]
    return sum(size for size, done in sizes if done) / max(1, sum(size for size, _ in sizes))
