"""Sphinx extension: the built pages are made lighter, and pages that have left the book are deleted.

Of the theme's scripts those go that no page uses: icons come from a web font, so that their second copy (1.5 MB of
JavaScript) is not needed, and the book has a search of its own (search.py). What the theme and its extensions tell
screen readers is put right: labels that contradict the text they stand for, roles that no longer exist, a sidebar that
is no landmark. A page has its colours, light or dark, from its first paint on.
"""

import re
import shutil
import struct
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from tools import ROOT
from tools.languages import english_site, is_translated, own_pages, translation
from tools.pages import styles
from tools.pages.styles import BUNDLE

SCRIPT = r'\n\s*<script[^>]*src="[^"]*/?(?:{})\.js[^"]*"[^>]*></script>'
UNUSED_SCRIPTS = re.compile(SCRIPT.format("fontawesome|searchtools|language_data|searchindex"))
FIXES = {
    re.compile(re.escape(written)): ours
    for written, ours in {
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
SOURCE_LINK = re.compile(r'(<a href="[^"]*_sources/[^"]*?([^"/]+)") target="_blank"')
SEARCH_LABEL = re.compile(r'(search-button[^>]*?) aria-label="[^"]*"(?= data-bs-placement)')
OPTIONS_SCRIPT = re.compile(r'<script src="[^"]*documentation_options\.js[^"]*"></script>')
HEAD_SCRIPT = re.compile(r"<script (?=[^>]*src=)(?![^>]*defer)")
IMG = re.compile(r'<img (?=[^>]*src="[^"]*_images/([^"]*)")')
CLAIM = re.compile(r"^(.*<pre><span></span>)?(✓ .*?)(</pre>.*)?$", re.MULTILINE)
CHARSET = re.compile('<meta charset="utf-8" />')
STORAGE = re.sub(r"/\*.*?\*/|\s+", " ", Path(__file__).with_name("storage.js").read_text("utf-8"), flags=re.DOTALL)
FIRST_SCRIPT = f"{CHARSET.pattern}\n    <script>{STORAGE.strip()}</script>"
# names, signs, operators and spaces in code have the colour of its ground text: they would be a sixth of a page
PLAIN_CODE = re.compile(r'<span class="[nopw]">([^<]*)</span>')
# what Sphinx keeps on one line, where it is on one anyway
UNBROKEN = re.compile(r'<span class="pre">([\w.,:=]*)</span>', re.ASCII)
# what shows that something is folded, written 1,100 times, is drawn by the style sheet
FOLDED = re.compile(r"<svg [^>]*sd-octicon-chevron-right.*?</svg>")
EMPTY_HEADING = re.compile(r"<th[^>]*>\s*(?:<p>\s*</p>)?\s*</th>")


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
    changes: dict[re.Pattern[str], str | Callable[[re.Match[str]], str]] = {
        UNUSED_SCRIPTS: "",
        CHARSET: lambda _: FIRST_SCRIPT,  # which is no template
        OPTIONS_SCRIPT: lambda script: f"<script>{short}</script>" if short else script[0],
        HEAD_SCRIPT: "<script defer ",
        SOURCE_LINK: r'\1 download="\2"',
        **FIXES,
        SEARCH_LABEL: r"\1",
        PLAIN_CODE: r"\1",
        UNBROKEN: r"\1",
        FOLDED: "",
        EMPTY_HEADING: "<td></td>",
        CLAIM: r'\1<span class="claim">\2</span>\3',
        IMG: lambda img: f'<img loading="lazy" {size(built / "_images" / img[1])}',
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
            "tools/pages/finish.py changes what the theme and its extensions write, but no page has this any more: "
            f"{', '.join(gone)}. Look at what they write now, and change or delete the pattern."
        )


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


def _lighten(app: Sphinx, error: Exception | None) -> None:
    built = english_site(app)
    if error or built is None:  # the others are made lighter in tools.pages.assembly
        return
    counts: Counter[str] = Counter()
    every_page = Path(app.srcdir) == ROOT
    for path in own_pages(built):
        page = path.read_text("utf-8")
        if BUNDLE in page:  # as an earlier build has left it
            every_page = False
            continue
        light = lighter(page, built, counts)
        if light != page:
            path.write_text(light, "utf-8")
    if every_page:
        check_theme(counts)
    static = built / "_static"
    unused = "scripts/fontawesome*", "**/*.map", "searchtools.js", "language_data.js"
    for path in {path for pattern in unused for path in static.glob(pattern)}:
        path.unlink()
    shutil.rmtree(static / "locales", ignore_errors=True)
    styles.bundle(built)


def _drop_old(app: Sphinx, written: set[str], error: Exception | None) -> None:
    if error or app.builder.format != "html" or not written:  # where nothing was written, no page has left
        return
    names = [name for name in app.env.found_docs if translation(app) is None or is_translated(name)]
    sources = {f"{app.env.doc2path(name, base=False)}{app.config.html_sourcelink_suffix}" for name in names}
    drop_old(Path(app.outdir), {*names, *written}, sources)


def setup(app: Sphinx) -> dict[str, Any]:
    """Registers the extension with Sphinx."""
    written: set[str] = set()  # pages made of no document are among them, such as that of the search
    app.connect("html-page-context", lambda app, name, *_: written.add(name))
    app.connect("build-finished", lambda app, error: _drop_old(app, written, error), priority=100)  # first of all
    app.connect("build-finished", _lighten)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
