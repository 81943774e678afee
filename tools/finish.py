"""Sphinx extension: what every built page carries beside its text, and no more than it needs.

Of the theme's scripts those go that no page uses: icons come from a web font, so that their second copy (1.5 MB of
JavaScript) is not needed, and the book has a search of its own (tools/search.py). What the theme and its extensions
tell screen readers is put right: labels that contradict the text they stand for, roles that no longer exist, a sidebar
that is no landmark. A page has its colours, light or dark, from its first paint on. Chinese words are said to be.
"""

import html
import itertools
import json
import re
import shutil
import struct
from collections import Counter
from pathlib import Path

from docutils import nodes
from sphinx.errors import ExtensionError

from attnbook.widgets.page import PICTURES, with_picture_files
from tools import ROOT, search, styles
from tools.languages import (
    HAN,
    Language,
    drawings,
    english_site,
    entries,
    exercises,
    figures,
    is_translated,
    own_pages,
    translation,
    write_if_new,
)
from tools.languages.builder import CLAIMED, words_script
from tools.styles import BUNDLE, OURS, SHEET

SCRIPT = r'\n\s*<script[^>]*src="[^"]*/?(?:{})\.js[^"]*"[^>]*></script>'
UNUSED = re.compile(SCRIPT.format("fontawesome|searchtools|language_data|searchindex"))
NAMES = {
    re.compile(re.escape(theirs)): ours
    for theirs, ours in {
        ' aria-label="Toggle hidden content"': "",
        ' role="doc-biblioentry"': "",
        '<div role="list" class="citation-list">': '<div class="citation-list">',
        'class="logo__image': 'width="211" height="92" class="logo__image',
        # light or dark is decided before the first paint: the deferred script of the theme comes too late for it
        'localStorage.getItem("theme") || "auto"': 'localStorage.getItem("theme") ||'
        ' (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")',
        'data-theme="auto"': 'data-theme="light"',
        '<div id="pst-primary-sidebar"': '<div id="pst-primary-sidebar" role="region" aria-label="The book"',
    }.items()
}
# a file beside the book is saved under its name, not shown as text
FILE = re.compile(r'(<a href="[^"]*_sources/[^"]*?([^"/]+)") target="_blank"')
SEARCH_LABEL = re.compile(r'(search-button[^>]*?) aria-label="[^"]*"(?= data-bs-placement)')
OPTIONS = re.compile(r'<script src="[^"]*documentation_options\.js[^"]*"></script>')
HEAD_SCRIPT = re.compile(r"<script (?=[^>]*src=)(?![^>]*defer)")
PICTURE = re.compile(r'<img (?=[^>]*src="[^"]*_images/([^"]*)")')
CLAIM = re.compile(r"^(.*<pre><span></span>)?(✓ .*?)(</pre>.*)?$", re.MULTILINE)
CHARSET = re.compile('<meta charset="utf-8" />')
STORAGE = re.sub(r"/\*.*?\*/|\s+", " ", Path(__file__).with_name("storage.js").read_text("utf-8"), flags=re.DOTALL)
FIRST_SCRIPT = f"{CHARSET.pattern}\n    <script>{STORAGE.strip()}</script>"
# names, signs, operators and spaces in code have the colour of its ground text: they would be a sixth of a page
PLAIN = re.compile(r'<span class="[nopw]">([^<]*)</span>')
# what Sphinx keeps on one line, where it is on one anyway
UNBROKEN = re.compile(r'<span class="pre">([\w.,:=]*)</span>', re.ASCII)
# what shows that something is folded, written 1,100 times, is drawn by the style sheet
FOLDED = re.compile(r"<svg [^>]*sd-octicon-chevron-right.*?</svg>")
EMPTY_HEADING = re.compile(r"<th[^>]*>\s*(?:<p>\s*</p>)?\s*</th>")
CHINESE_SIGN = f"[{HAN}\u3000-\u303f\uff00-\uffef]"  # punctuation is among them
CHINESE = re.compile(f"({CHINESE_SIGN}+(?:[-–]{CHINESE_SIGN}+)*)")
# in a translated page: a text between two tags, or an attribute
TEXT = re.compile(r'(>\s*)([^<>\s][^<>]*?)(?=\s*<)|(=")([^"]+)(?=")')
ADDRESS = re.compile(r'((?:href|src)=")((?:\.\./)*)((?:_static|_images|_sources)/[^"?#]*)(\?[^"#]*)?')
TRANSLATIONS = re.compile(r"\n\s*<script[^>]*/translations\.js[^>]*></script>")
CLAIMS = re.compile(re.escape(CLAIMED).replace(r"\{number\}", r"(\d+)"))
AS_IT_IS = nodes.FixedTextElement, nodes.literal, nodes.math  # code and the like
SHORTEST, LONGEST = 60, 160  # characters of a description
LABELS = 3  # in bold, in the line below a chapter's title: time, needs, exercises


def description(doctree: nodes.document) -> str:
    """What a page says of itself, or how it begins, for search engines and previews: sentences up to a formula."""
    for meta in doctree.findall(nodes.meta):
        if meta.get("name") == "description":
            return meta["content"]
    for paragraph in doctree.findall(nodes.paragraph):
        words = itertools.takewhile(lambda child: not isinstance(child, nodes.math), paragraph.children)
        text = " ".join("".join(child.astext() for child in words).split())
        wide = len(re.findall(CHINESE_SIGN, text))  # a character says as much as two letters
        labels = sum(isinstance(child, nodes.strong) for child in paragraph.children)
        if len(text) + wide >= SHORTEST and labels < LABELS:
            if len(text) + wide <= LONGEST:
                return text
            return text[: LONGEST // 2] + "…" if wide > len(text) / 2 else text[: LONGEST - 2].rsplit(" ", 1)[0] + " …"
    return ""


def size(picture: Path) -> str:
    """Attributes with the width and height of a PNG picture, so that its place is kept; none for other kinds."""
    head = picture.read_bytes()[:24] if picture.is_file() else b""
    if head[:4] != b"\x89PNG":
        return ""
    return 'width="{}" height="{}" '.format(*struct.unpack(">II", head[16:]))


def lighter(page: str, built: Path, counts: Counter[str] | None = None) -> str:
    """A built page without the scripts it does not use; those it uses, and its pictures, do not hold it up.

    Args:
        page: its HTML.
        built: the folder of the built book.
        counts: gets how often each pattern was found.
    """
    options = built / "_static/documentation_options.js"
    short = " ".join(options.read_text("utf-8").split()) if options.is_file() else ""
    changes = {
        UNUSED: "",
        CHARSET: lambda _: FIRST_SCRIPT,  # which is no template
        OPTIONS: lambda script: f"<script>{short}</script>" if short else script[0],
        HEAD_SCRIPT: "<script defer ",
        FILE: r'\1 download="\2"',
        **NAMES,
        SEARCH_LABEL: r"\1",
        PLAIN: r"\1",
        UNBROKEN: r"\1",
        FOLDED: "",
        EMPTY_HEADING: "<td></td>",
        CLAIM: r'\1<span class="claim">\2</span>\3',
        PICTURE: lambda img: f'<img loading="lazy" {size(built / "_images" / img[1])}',
    }
    counts = Counter() if counts is None else counts
    for pattern, ours in changes.items():
        page, times = pattern.subn(ours, page)
        counts[pattern.pattern] += times
    return page


def check_theme(counts: Counter[str]) -> None:
    """Refuse a book in which something no longer stands that pages are changed at.

    Args:
        counts: how often each pattern of `lighter` was found in all pages.

    Raises:
        ExtensionError: one was never found.
    """
    if gone := [pattern for pattern, times in counts.items() if not times]:
        raise ExtensionError(
            "tools/finish.py changes what the theme and its extensions write, but no page has this any more: "
            f"{', '.join(gone)}. Look at what they write now, and change or delete the pattern."
        )


def mark_chinese(doctree: nodes.document) -> None:
    """Say of Chinese words that they are, so that they are pronounced and drawn as such."""
    for text in list(doctree.findall(nodes.Text)):
        pieces = CHINESE.split(text)  # every other one is Chinese
        if len(pieces) > 1 and not isinstance(text.parent, AS_IT_IS):
            marked = [
                # docutils makes an attribute `lang` of the class
                nodes.inline("", piece, classes=["language-zh"]) if number % 2 else nodes.Text(piece)
                for number, piece in enumerate(pieces)
                if piece
            ]
            text.parent.replace(text, marked)


def in_one_document(doctree: nodes.document) -> None:
    """Let all nodes belong to the document in which they stand.

    What autodoc reads, and each translated sentence, comes from a document of its own, which would be stored with it:
    10 MB for the page of a room.
    """
    for node in doctree.findall():
        node.document = doctree


def assembled(page: str, language: Language, said: dict[str, str], site: Path, versions: dict[str, str]) -> str:
    """A page as it is among those of the whole book.

    Args:
        page: HTML as Sphinx has written it.
        language: its own.
        said: words of the page outside its text.
        site: the folder of the English pages.
        versions: what the English pages name: an address in `_static` to what follows its question mark.
    """
    sheets = [sheet for sheet in SHEET.finditer(page) if not sheet[2].startswith(OURS)]
    theirs = f'\n    <link rel="stylesheet" href="{sheets[0][1]}{BUNDLE}">'
    page = page.replace(sheets[0][0], theirs, 1)
    page = SHEET.sub(lambda sheet: sheet[0] if sheet[2].startswith(OURS) else "", page)
    page = TRANSLATIONS.sub("", lighter(page, site)).replace("LANGUAGE: 'en'", f"LANGUAGE: '{language.tag}'")
    page = TEXT.sub(lambda at: (at[1] or at[3]) + said.get(at[2] or at[4], at[2] or at[4]), page)
    for english, other in said.items():
        page = page.replace(f"<title>{english} ", f"<title>{other} ")
    page = CLAIMS.sub(lambda at: said[CLAIMED].format(number=at[1]) if CLAIMED in said else at[0], page)
    # here, not when Sphinx writes the page: it would not write it again for the catalog of a figure
    general = words_script(language)
    if tag := re.search(rf"\n[^\n]*{re.escape(general)}[^\n]*", page):
        own = [tag[0].replace(general, name) for name in figures.page_scripts(page, language)]
        page = page.replace(tag[0], "".join([tag[0], *own]), 1)
    page = exercises.translated(figures.with_alternatives(page, language), language)

    def shared(match):
        return f"{match[1]}{match[2]}../{match[3]}{versions.get(match[3], '')}"

    return ADDRESS.sub(shared, page)


def assemble(made: Path, language: Language, site: Path) -> None:
    """Put the pages of a language below those in English; what has not changed is not written again.

    Args:
        made: the folder in which Sphinx has made them.
        language: theirs.
        site: the folder of the English pages.
    """
    said = [entry for entry in entries(language.catalog("words")) if entry.msgstr]
    scripts = {entry.msgid: entry.msgstr for entry in said if entry.comment == "script"}
    text = json.dumps(scripts, ensure_ascii=False, indent=0)
    write_if_new(site / "_static" / words_script(language), f"globalThis.attnbookWords = {text};\n")
    for name, script in figures.scripts(language).items():
        write_if_new(site / "_static" / name, script)
    page_words = {entry.msgid: entry.msgstr for entry in said if entry.comment == "page"}
    folder = site / language.folder
    names = {path.relative_to(made) for path in made.rglob("*.html") if "_static" not in path.parts}
    english = "".join((site / name).read_text("utf-8") for name in names)
    versions = {address: version for _, _, address, version in ADDRESS.findall(english)}
    for name in names:
        page = assembled((made / name).read_text("utf-8"), language, page_words, site, versions)
        page = drawings.translated(page, language, name.with_suffix("").as_posix())
        address = f"{'../' * len(name.parts)}{PICTURES}"
        write_if_new(folder / name, with_picture_files(page, site / PICTURES, address))
    for old in folder.rglob("*.html"):
        if old.relative_to(folder) not in names:
            old.unlink()
    search.write_text(site, language)


def _describe(app, pagename, templatename, context, doctree):
    own = 'name="description"' in context.get("metatags", "")
    if doctree is not None and not own and (text := description(doctree)):
        tag = f'\n<meta name="description" content="{html.escape(text)}">'
        context["metatags"] = context.get("metatags", "") + tag


def drop_old(built: Path, pages: set[str], sources: set[str]) -> None:
    """Delete pages that an earlier build has left and that are no longer in the book, with their files for download.

    Args:
        built: the folder of the built book; pages of languages in folders of their own are not looked at.
        pages: names of all pages that it has now.
        sources: names of the files they are made of.
    """
    for path in own_pages(built):
        if path.relative_to(built).with_suffix("").as_posix() not in pages:
            path.unlink()
    folder = built / "_sources"
    for path in [path for path in folder.rglob("*") if path.is_file()]:
        if path.relative_to(folder).as_posix().removesuffix(".js") not in sources:  # which downloads.py adds
            path.unlink()


def _lighten(app, error):
    built = english_site(app)
    if error or built is None:  # the others are finished by tools.languages
        return
    counts, whole = Counter(), Path(app.srcdir) == ROOT
    for path in own_pages(built):
        page = path.read_text("utf-8")
        if BUNDLE in page:  # as an earlier build has left it
            whole = False
            continue
        light = lighter(page, built, counts)
        if light != page:
            path.write_text(light, "utf-8")
    if whole:
        check_theme(counts)
    static = built / "_static"
    unused = "scripts/fontawesome*", "**/*.map", "searchtools.js", "language_data.js"
    for path in {path for pattern in unused for path in static.glob(pattern)}:
        path.unlink()
    shutil.rmtree(static / "locales", ignore_errors=True)
    styles.bundle(built)


def _read_together(app, env, names):
    """Let several processes read pages, though two extensions do not say that this is safe.

    Both (numbers of chapters, LaTeX) act only before the first page is read and after the last.
    """
    for extension in app.extensions.values():
        if extension.parallel_read_safe is None:
            extension.parallel_read_safe = True


def _drop_old(app, written, error):
    if error or app.builder.format != "html" or not written:  # where nothing was written, no page has left
        return
    names = [name for name in app.env.found_docs if translation(app) is None or is_translated(name)]
    sources = {f"{app.env.doc2path(name, base=False)}{app.config.html_sourcelink_suffix}" for name in names}
    drop_old(Path(app.outdir), {*names, *written}, sources)


def setup(app):
    """Registers the extension with Sphinx."""
    written = set()  # pages made of no document are among them, such as that of the search
    app.connect("html-page-context", lambda app, name, *_: written.add(name))
    app.connect("build-finished", lambda app, error: _drop_old(app, written, error), priority=100)  # first of all
    app.connect("env-before-read-docs", _read_together)
    app.connect("doctree-read", lambda app, doctree: translation(app) or mark_chinese(doctree))
    app.connect("doctree-read", lambda app, doctree: in_one_document(doctree), priority=100)  # before it is indexed
    # each page names all others beside its text
    app.connect("doctree-read", lambda app, doctree: app.env.note_dependency(app.config.external_toc_path))
    app.connect("html-page-context", _describe)
    app.connect("build-finished", _lighten)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
