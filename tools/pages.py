"""Sphinx extension: what every built page carries beside its text, and no more than it needs.

Of the theme's scripts those go that no page uses: icons come from a web font, so that their second copy (1.5 MB of
JavaScript) is not needed; the search index is, but only on the search page. What the theme and its extensions tell
screen readers is put right: labels that contradict the text they stand for, roles that no longer exist, a sidebar
that is no landmark.
"""

import re
from pathlib import Path

from docutils import nodes

SCRIPT = r'\s*<script[^>]*src="[^"]*/?(?:{})\.js[^"]*"[^>]*></script>'
ICONS = re.compile(SCRIPT.format("fontawesome"))
SEARCH = re.compile(SCRIPT.format("searchtools|language_data|searchindex"))
NAMES = {
    ' aria-label="Toggle hidden content"': "",
    ' aria-label="Search" data-bs-placement': " data-bs-placement",
    ' role="doc-biblioentry"': "",
    '<div role="list" class="citation-list">': '<div class="citation-list">',
    '<div id="pst-primary-sidebar"': '<div id="pst-primary-sidebar" role="region" aria-label="The book"',
}
EMPTY_HEADING = re.compile(r"<th[^>]*>\s*(?:<p>\s*</p>)?\s*</th>")
SHORTEST, LONGEST = 60, 160  # characters of a description


def description(doctree: nodes.document) -> str:
    """How a page begins, for search engines and previews: its first sentences, up to a formula."""
    for paragraph in doctree.findall(nodes.paragraph):
        words = []
        for child in paragraph.children:
            if isinstance(child, nodes.math):
                break
            words += child.astext().split()
        text = " ".join(words)
        if len(text) >= SHORTEST and words[0] != "Time":  # the line below the title
            if len(text) <= LONGEST:
                return text
            return text[: LONGEST - 2].rsplit(" ", 1)[0] + " …"
    return ""


def lighter(page: str, is_search: bool) -> str:
    """A built page without the scripts it does not use, its pictures loaded when they come into sight, and named."""
    page = ICONS.sub("", page)
    page = page if is_search else SEARCH.sub("", page)
    for theirs, ours in NAMES.items():
        page = page.replace(theirs, ours)
    page = EMPTY_HEADING.sub("<td></td>", page)
    return re.sub(r'<img (?=[^>]*src="[^"]*_images/)', '<img loading="lazy" ', page)


def _describe(app, pagename, templatename, context, doctree):
    if doctree is not None and (text := description(doctree)):
        tag = app.builder.templates.environment.from_string(
            '\n<meta name="description" content="{{ text | e }}">'
        )
        context["metatags"] = context.get("metatags", "") + tag.render(text=text)


def _lighten(app, error):
    if error or app.builder.format != "html":
        return
    built = Path(app.outdir)
    for path in built.rglob("*.html"):
        page = path.read_text("utf-8")
        light = lighter(page, is_search=path.name == "search.html")
        if light != page:
            path.write_text(light, "utf-8")
    static = built / "_static"
    for unused in {*static.glob("scripts/fontawesome*"), *static.rglob("*.map")}:
        unused.unlink()


def setup(app):
    """Registers the extension with Sphinx."""
    app.connect("html-page-context", _describe)
    app.connect("build-finished", _lighten)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
