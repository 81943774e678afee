"""Sphinx extension: a book's pages in another language, and the way from each page to the same page in the others.

Sphinx puts translations into the documents, so that each language is a build of its own; it shares all else with the
English one. Its pages are put below those in English (`tools.pages.assembly`), whose `_static`, `_images` and
`_sources` they name. Pages that stay in English are read, since others lead to them, but not written.
"""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.config import Config
from sphinx.transforms import SphinxTransform
from sphinx_exercise.nodes import exercise_subtitle

from tools import ROOT
from tools.languages import (
    HAN,
    LANGUAGES,
    Language,
    english_home,
    english_site,
    is_translated,
    translation,
    translations,
    write_if_new,
)
from tools.languages.catalogs import coverage, formula_words, in_formulas, prompts

SCRIPT = Path(__file__).with_name("languages.js")
DONE = 0.6  # the share of a page that is translated; one below says that it is not finished
UNFINISHED = "This page is not yet translated as a whole. What is missing stands here in English."
LETTERS = re.compile("[A-Za-z]{2}")
CLAIMED = "All {number} claims that this page has checked"  # attnbook/page/claims.py
# what the theme and others write, and have no words of ours for; the theme's own Chinese for “Print to PDF” is that of
# another region
THEME_WORDS = Path(__file__).with_name("theme.txt").read_text("utf-8").splitlines()


def words_script(language: Language) -> str:
    """The name of the script with the words of a language, in `_static`."""
    return f"words-{language.tag}.js"


class Pages(StandaloneHTMLBuilder):
    """Writes the pages that are translated; links to the others lead to the English ones."""

    def get_target_uri(self, docname: str, typ: str | None = None) -> str:
        """The address of a page, seen from the folder of the language."""
        address = super().get_target_uri(docname, typ)
        return address if is_translated(docname) else f"../{address}"

    def get_outdated_docs(self) -> Iterator[str]:
        """Pages to be written again."""
        return filter(is_translated, super().get_outdated_docs())

    def write(self, build_docnames: Any, updated_docnames: Iterable[str], method: Any = "update") -> None:
        """Write those of the pages that are translated."""
        names = self.env.found_docs if build_docnames in (None, ["__all__"]) else build_docnames
        super().write([*filter(is_translated, names)], [*filter(is_translated, updated_docnames)], method)

    def copy_static_files(self) -> None:
        """Nothing: all languages share the English ones. But extensions write into the folder."""
        (Path(self.outdir) / "_static").mkdir(parents=True, exist_ok=True)

    def copy_image_files(self) -> None:
        """Nothing: see above."""


class Untranslatable(SphinxTransform):
    """Keeps display formulas from being translated, of which nothing would be left; lets titles of exercises be, and
    the cells of tables in boxes, which MyST leaves without a source.
    """

    default_priority = 5  # before Sphinx's translation

    def apply(self, **kwargs: Any) -> None:
        """Mark the nodes."""
        for formula in self.document.findall(nodes.math_block):
            formula["translatable"] = False
        for title in self.document.findall(exercise_subtitle):
            title.source, title.line = self.env.doc2path(self.env.docname), title.parent.line or 1
            title.rawsource = title.astext()
        for cell in self.document.findall(nodes.entry):
            for text in cell.findall(lambda node: isinstance(node, nodes.paragraph) and not node.source):
                text.source, text.line = self.env.doc2path(self.env.docname), 1


class Translated(SphinxTransform):
    """Translates words in display formulas, and says of what is left in English that it is."""

    default_priority = 24  # after Sphinx's translation

    def apply(self, **kwargs: Any) -> None:
        """Change the document."""
        language = translation(self.app)
        if language is None:
            return
        known = translations(language, "words")
        self.env.note_dependency(str(language.catalog("words")))
        # Sphinx reads each translated title as a page of this name, and of the page's headings that one would be left
        sections = {name: section for section in self.document.findall(nodes.section) for name in section["ids"]}
        self.env.metadata[self.env.docname]["myst_slugs"] = {
            slug: (line, name, sections[name][0].astext())
            for slug, (line, name, _) in getattr(self.document, "myst_slugs", {}).items()
        }
        for formula in self.document.findall(nodes.math_block):
            text = in_formulas(formula.astext(), known)
            formula[:] = [nodes.Text(text)]
            formula.rawsource = text
        for node in self.document.findall(nodes.TextElement):
            text = node.astext()
            if (
                (node.get("translated") is False or isinstance(node, nodes.emphasis))
                and LETTERS.search(text)
                and not re.search(f"[{HAN}]", text)
            ):
                node["classes"].append("language-en")  # docutils makes an attribute `lang` of it


def _configure(app: Sphinx, config: Config) -> None:
    config.templates_path = [*config.templates_path, str(Path(__file__).parent)]
    config.html_theme_options["article_header_end"] = ["languages.html", "article-header-buttons.html"]
    language = translation(app)
    if language is None:
        return
    if config.html_baseurl:
        config.html_baseurl += f"{language.folder}/"  # see english_home
    known = translations(language, "words")
    config.html_title = config.html_short_title = language.title
    config.author = known.get(config.author, config.author)
    config.html_theme_options["toc_title"] = known.get("On this page", "On this page")


def _write_script(app: Sphinx) -> None:
    if site := english_site(app):
        write_if_new(site / "_static" / SCRIPT.name, SCRIPT.read_text("utf-8"))


def _translate_captions(app: Sphinx, doctree: nodes.document) -> None:
    language = translation(app)
    known = translations(language, "words") if language else {}
    for tree in doctree.findall(addnodes.toctree):
        tree["caption"] = known.get(tree.get("caption"), tree.get("caption"))


def _translate_description(app: Sphinx, doctree: nodes.document) -> None:
    """What a page says of itself to search engines; MyST adds it only after Sphinx has translated the page."""
    if language := translation(app):
        known = translations(language, app.env.docname)
        for meta in doctree.findall(nodes.meta):
            meta["content"] = known.get(meta["content"], meta["content"])


def alternates(home: str, pagename: str, spoken: str) -> str:
    """Links to a page in the other languages, for search engines: they take whole addresses only, so none without."""
    folders = {"en": ""} | {language.tag: f"{language.folder}/" for language in LANGUAGES.values()}
    places = [(tag, f"{home}{folder}{pagename}.html") for tag, folder in folders.items() if home and tag != spoken]
    return "".join(f'\n<link rel="alternate" hreflang="{tag}" href="{place}">' for tag, place in places)


def _lead_to_others(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object) -> None:
    here = translation(app)
    up = "../" * pagename.count("/")
    home = "" if here is None else "../"
    same = is_translated(pagename)
    page = f"{pagename if same else 'index'}.html"
    app.add_js_file(SCRIPT.name, loading_method="defer", priority=100)  # before all that say something
    editions = [(language.tag, language.name, f"{up}{home}{language.folder}/{page}") for language in LANGUAGES.values()]
    editions.insert(0, ("en", "English", f"{up}{home}{page}"))
    spoken = here.tag if here else "en"
    context["other_languages"] = [
        {"tag": tag, "name": name, "address": address, "same": same} for tag, name, address in editions if tag != spoken
    ]
    if same:
        context["metatags"] = context.get("metatags", "") + alternates(english_home(app), pagename, spoken)
    if here is None:
        return
    app.add_js_file(words_script(here), loading_method="defer", priority=90)
    if context.get("body") and here.catalog(pagename).is_file() and coverage(here, pagename) < DONE:
        context["body"] = f'<p class="unfinished" role="note">{UNFINISHED}</p>\n{context["body"]}'


def script_messages(root: Path = ROOT) -> list[str]:
    """What the scripts of pages say: the texts in calls of `t`."""
    folders = root / "_static", root / "tools/pages", root / "code/attnbook/classroom"
    text = "".join(path.read_text("utf-8") for folder in folders for path in sorted(folder.glob("*.js")))
    return [json.loads(literal) for literal in re.findall(r'\bt\(\s*("(?:[^"\\]|\\.)*")', text.replace("\\\n", ""))]


def messages_outside_texts(documents: Iterable[nodes.document]) -> dict[str, str]:
    """All that the book with these pages says outside its texts, each with where."""
    pages = [*documents]
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    searching = re.findall(r">([^<>]*[a-z][^<>]*)<", (ROOT / "tools/pages/search.html").read_text("utf-8"))
    return {
        **{part["caption"]: "caption" for part in toc["parts"]},
        **dict.fromkeys([*THEME_WORDS, CLAIMED, UNFINISHED], "page"),
        **dict.fromkeys(searching, "page"),
        **dict.fromkeys(script_messages(), "script"),
        **dict.fromkeys((text for page in pages for text in prompts(page)), "page"),
        **dict.fromkeys((word for page in pages for word in formula_words(page)), "in a formula"),
    }


def setup(app: Sphinx) -> dict[str, Any]:
    """Registers the extension with Sphinx."""
    if translation(app) is not None:
        app.add_builder(Pages, override=True)
    app.add_transform(Untranslatable)
    app.add_transform(Translated)
    app.connect("config-inited", _configure)
    app.connect("builder-inited", _write_script)
    app.connect("doctree-read", _translate_captions, priority=900)
    app.connect("doctree-read", _translate_description)
    app.connect("html-page-context", _lead_to_others, priority=100)  # before the theme drops what is empty
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
