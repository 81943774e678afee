"""Sphinx extension: the search page, and what it searches: the text of each section of each page.

Sphinx's own search knows whole pages, and fetches each to show a line of it, which a page opened from a file cannot do.
So the build packs the text of all sections into `_static/search/text.js`. `search.js` beside it, which only the search
page has, asks for it when there is something to look for.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lxml.html
from lxml.html import HtmlElement
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder

from attnbook.widgets.scripts import packed_script, unpacked_script
from tools.languages import Language, english_site, own_pages

PAGE, SCRIPT = (Path(__file__).with_suffix(ending) for ending in (".html", ".js"))
FOLDER = "search"
HEADINGS = "h1", "h2", "h3", "h4"
BLOCKS = "p", "div", "li", "th", "td", "dd", "section"
# what is no text: links of headings, buttons, the second copy of a formula; and what a reader should not meet by
# accident: hints, solutions, replies to a choice
GONE = (
    "//script | //style | //noscript | //button | //a[contains(@class, 'headerlink')]"
    " | //div[contains(@class, 'toctree-wrapper')] | //*[contains(@class, 'attnbook-unwritten')]"
    " | //details[contains(@class, 'hide')]/summary | //details[contains(@class, 'sd-dropdown')]"
    " | //*[contains(@class, 'attnbook-hints')] | //*[@class='classroom-without']"
)
# MathML that is not just one thing after another
SIGNS = {"msup": "^", "mover": " ", "msub": "_", "munder": "_", "msubsup": "_^", "munderover": "_^", "mfrac": "/"}
RELATIONS = set("=≈≠<>≤≥∈→")
SPACES = re.compile(r"[\s\u200b\u2060-\u2064]+")


class Place:
    """A section, an exercise, a term of the glossary or a name of the package: its id, its title, its text."""

    def __init__(self, name: str = "", title: str = ""):
        self.name, self.title = name, title
        self.text: list[str] = []
        self.code: list[str] = []

    @property
    def row(self) -> list[str]:
        """What the page's script gets: id, title, text, code."""
        texts = self.title, "".join(self.text), "".join(self.code)
        return [self.name, *(SPACES.sub(" ", text).strip() for text in texts)]


def _begins_a_place(element: HtmlElement) -> bool:
    headed = element.tag == "section" and element.xpath("./h1 | ./h2 | ./h3 | ./h4")
    exercise = "exercise" in element.get("class", "").split()
    return bool(element.get("id") and (headed or exercise or element.tag == "dt"))


def _collect(element: HtmlElement, place: Place, places: list[Place]) -> None:
    """Sort what stands in an element by the places that begin in it; the rest belongs to `place`."""
    outer = place
    for child in [child for child in element if isinstance(child.tag, str)]:
        if begins := _begins_a_place(child):
            place = Place(child.get("id"))
            places.append(place)
        if begins and child.tag == "dt":
            names = child.xpath("./span[contains(@class, 'sig-name')]")
            place.title = (names or [child])[0].text_content()  # without module and arguments
            place.text.append(f"{child.text_content()} " if names else "")
        elif not place.title and (child.tag in HEADINGS or child.get("class") == "admonition-title"):
            place.title = child.text_content()
        elif child.tag == "pre":
            place.code.append(f"{child.text_content()} ")
        else:
            place.text.append(child.text or "")
            _collect(child, place, places)
            place.text.append(" " if child.tag in BLOCKS else "")
        if child.tag != "dt":
            place = outer
        place.text.append(child.tail or "")


def _in_a_line(formula: HtmlElement) -> str:
    """A formula of MathML as one types it: 10^6, x_j, e^(a+b)."""
    sign = (formula.text or "").strip()
    first, *rest = [*map(_in_a_line, formula)] or [""]
    signs = SIGNS.get(formula.tag, "")
    if signs:
        if len(rest) != len(signs):
            raise ValueError(f"<{formula.tag}> in a formula has {1 + len(rest)} parts, not {1 + len(signs)}")
        return first + "".join(s + (f"({r})" if len(r) > 3 else r) for s, r in zip(signs, rest, strict=True))
    if sign in RELATIONS or formula.tag in ("mspace", "mtd"):
        sign = f" {sign} "
    return ("√" if formula.tag == "msqrt" else "") + sign + first + "".join(rest)


def places(page: str) -> list[list[str]]:
    """What a built page says: [id, title, text, code] of each of its places, in their order."""
    articles = lxml.html.fromstring(page).xpath("//article")
    if not articles:
        return []
    for formula in articles[0].xpath(".//span[@class='katex']"):
        mathml = formula.xpath(".//semantics/*[1]")[0]
        end = formula.xpath("string(.//span[@class='formula-end'])")
        for part in list(formula):
            formula.remove(part)
        formula.text = _in_a_line(mathml) + end
    for gone in articles[0].xpath(GONE.replace("//", ".//")):
        gone.drop_tree()
    sections: list[Place] = []
    _collect(articles[0], Place(), sections)
    return [section.row for section in sections]


def kind(page: str) -> str:
    """What search.js weighs a page by: chapter, glossary, package, or page, which is any other."""
    kinds = {r"chapters/\d": "chapter", "chapters/glossary": "glossary", "chapters/api/": "package"}
    return next((kind for start, kind in kinds.items() if re.match(start, page)), "page")


def text(built: Path, script: Path) -> bytes:
    """The script that holds the text of all pages of one language.

    Args:
        built: the folder of its pages; those of languages in folders of their own are not among them.
        script: where an earlier one may be, which is asked for pages that are older than it.
    """
    since = 0.0
    known: dict[str, list] = {}
    if script.is_file() and script.stat().st_mtime > Path(__file__).stat().st_mtime:
        since = script.stat().st_mtime
        known = {page[0]: page for page in json.loads(unpacked_script(script.read_bytes()))}
    pages = []
    for path in own_pages(built):
        name = path.relative_to(built).as_posix()
        if name in known and path.stat().st_mtime < since:
            pages.append(known[name])
        elif rows := places(path.read_text("utf-8")):
            pages.append([name, kind(name), rows])
    content = json.dumps(pages, ensure_ascii=False, separators=(",", ":"))
    return packed_script("globalThis.attnbookText", content.encode())


def _replace_sphinx(app: Sphinx) -> None:
    if isinstance(app.builder, StandaloneHTMLBuilder):
        app.builder.search = False  # its index, and its page


def _page(app: Sphinx) -> Iterator[tuple[str, dict[str, str], str]]:
    if app.builder.format == "html":
        body = PAGE.read_text("utf-8")
        yield "search", {"title": "Search", "body": body}, "page.html"


def _load(app: Sphinx, pagename: str, *_: object) -> None:
    if pagename == "search":
        app.add_js_file(f"{FOLDER}/search.js", loading_method="defer")


def _write_script(app: Sphinx) -> None:
    if site := english_site(app):
        folder = site / "_static" / FOLDER
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "search.js").write_text(SCRIPT.read_text("utf-8"), "utf-8")


def write_text(site: Path, language: Language | None = None) -> None:
    """Write the text of a language's pages, where search.js looks for it.

    Args:
        site: the folder of the English pages.
        language: another one than English.
    """
    built, name = (site / language.folder, f"text-{language.tag}.js") if language else (site, "text.js")
    script = site / "_static" / FOLDER / name
    script.write_bytes(text(built, script))


def _write_text(app: Sphinx, error: Exception | None) -> None:
    if (site := english_site(app)) and not error:
        write_text(site)


def setup(app: Sphinx) -> dict[str, Any]:
    """Registers the extension with Sphinx."""
    app.connect("builder-inited", _replace_sphinx)
    app.connect("builder-inited", _write_script)
    app.connect("html-collect-pages", _page)
    app.connect("html-page-context", _load)
    app.connect("build-finished", _write_text)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
