"""The built files: made without a warning, from nothing outside, with every link leading somewhere."""

import functools
import re
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import unquote, urlsplit

import pytest

from tools.pages import documents

# Elements that load what they name, as soon as the page is opened; an <a> only when it is followed.
LOADS = {
    "script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src", "audio": "src",
    "embed": "src", "object": "data", "track": "src", "input": "src", "link": "href",
}  # fmt: skip
OUTSIDE = re.compile(r"(?:https?:)?//", re.IGNORECASE)
HOSTS = re.compile(r"https?://(?:cdn|unpkg|cdnjs|fonts)[\w./@-]*")


class Page(HTMLParser):
    """The links, names and loads of a page."""

    def __init__(self, path: Path):
        super().__init__()
        self.links, self.loads, self.names = [], [], set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attributes):
        given = {key: value or "" for key, value in attributes}
        self.names |= {given[key] for key in ("id", "name") if key in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        named = given.get("rel") == "canonical"  # where a page is published
        if tag in LOADS and LOADS[tag] in given and not named:
            self.loads.append(given[LOADS[tag]])
        for candidate in re.split(r",\s+", given.get("srcset", "")):
            self.loads += candidate.split()[:1]


@functools.cache
def read(path: Path) -> Page:
    return Page(path)


def pages(html: Path) -> list[Path]:
    return sorted(path for path in html.rglob("*.html") if "_static" not in path.relative_to(html).parts)


def dead_links(html: Path, page: Path) -> list[str]:
    """Links and loads of a page that lead to no file or no name in it."""
    dead = []
    for address in [*read(page).links, *read(page).loads]:
        parts = urlsplit(address)
        if parts.scheme or parts.netloc or not (parts.path or parts.fragment):
            continue
        target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        if not target.is_file() or html.resolve() not in target.parents:
            dead.append(f"{address}: no such file in the book")
        elif parts.fragment and target.suffix == ".html" and unquote(parts.fragment) not in read(target).names:
            dead.append(f"{address}: nothing of this name there")
    return dead


def outside_loads(html: Path) -> list[str]:
    """What any built page or style would load from somewhere else."""
    found = [f"{p.name}: {load}" for p in pages(html) for load in read(p).loads if OUTSIDE.match(load)]
    for style in html.rglob("*.css"):
        text = style.read_text("utf-8", errors="replace")
        for address in re.findall(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)", text):
            found += [f"{style.relative_to(html)}: {a}" for a in address if OUTSIDE.match(a)]
    return found


def test_only_two_extensions_are_said_to_let_pages_be_read_side_by_side():
    names = *documents.SAFE, "a third"
    app = SimpleNamespace(extensions={name: SimpleNamespace(parallel_read_safe=None) for name in names})
    documents._read_together(app, None, None)
    assert [extension.parallel_read_safe for extension in app.extensions.values()] == [True, True, None]


def test_every_link_leads_somewhere(built_book):
    dead = {page.relative_to(built_book).as_posix(): dead_links(built_book, page) for page in pages(built_book)}
    assert not {page: links for page, links in dead.items() if links}
    assert sum(len(read(page).links) for page in pages(built_book)) > 100


def test_nothing_is_loaded_from_outside(built_book):
    assert not outside_loads(built_book)


def test_no_script_knows_a_host_to_load_from(built_book):
    found = {}
    for path in [*built_book.rglob("*.js"), *built_book.rglob("*.html"), *built_book.rglob("*.css")]:
        hosts = set(HOSTS.findall(path.read_text("utf-8", errors="replace")))
        if hosts:
            found[path.relative_to(built_book).as_posix()] = sorted(hosts)
    assert not found


def test_every_page_knows_its_name_and_picture(built_book):
    for page in pages(built_book):
        text = page.read_text("utf-8")
        assert re.search(r"<title>\s*\S", text), page.name
        assert re.search(r'<link[^>]+rel="(?:shortcut )?icon"', text), page.name
        assert re.search(r'<meta[^>]+name="viewport"', text), page.name
        if page.name not in ("genindex.html", "search.html"):
            # one, and on the landing page its own
            (said,) = re.findall(r'<meta [^>]*name="description"[^>]*>', text)
            assert re.search('content="[^"]{60,}"' if "zh" not in page.parts else 'content="[^"]{30,}"', said), page


def test_a_page_loads_what_it_needs_and_no_more(built_book):
    for page in pages(built_book):
        text = page.read_text("utf-8")
        assert ("katex.css" in text) == ('class="katex"' in text), page.name
        assert ("search/search.js" in text) == (page.name == "search.html"), page.name
        assert "searchindex" not in text and "search/text.js" not in text, page.name
        assert "fontawesome.js" not in text and "MathJax" not in text, page.name
        for picture in re.findall(r"<img [^>]*_images/[^>]*>", text):
            assert 'loading="lazy"' in picture
    assert not [*built_book.rglob("*.map")]


def test_no_path_of_a_machine_stands_in_a_page(built_book):
    from tools import ROOT

    places = re.compile(re.escape(str(ROOT)) + r"|" + re.escape(str(Path.home())) + r"/\w")
    found = {p.name: places.findall(p.read_text("utf-8"))[:3] for p in pages(built_book)}
    assert not {page: places for page, places in found.items() if places}


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ('<a href="missing.html">x</a>', "no such file"),
        ('<a href="#missing">x</a>', "nothing of this name"),
        ('<a href="b.html#missing">x</a>', "nothing of this name"),
        ('<img src="missing.png">', "no such file"),
        ('<a href="../outside.html">x</a>', "no such file in the book"),
    ],
)
def test_a_dead_link_is_noticed(tmp_path, body, complaint):
    (tmp_path / "outside.html").write_text("")
    html = tmp_path / "html"
    html.mkdir()
    (html / "b.html").write_text('<p id="there">')
    (html / "a.html").write_text('<a href="b.html#there">good</a><a href="https://example.org">good</a>' + body)
    assert [complaint in line for line in dead_links(html, html / "a.html")] == [True]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.html", '<script src="https://example.org/x.js"></script>'),
        ("a.html", '<link rel="stylesheet" href="//example.org/x.css">'),
        ("a.html", '<img srcset="https://example.org/x.png 2x" alt="">'),
        ("a.css", "@import 'https://example.org/x.css';"),
        ("a.css", "b { background: url(https://example.org/x.png) }"),
    ],
)
def test_a_load_from_outside_is_noticed(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    assert len(outside_loads(tmp_path)) == 1


def test_a_downloaded_notebook_begins_with_what_it_needs(built_book):
    import json

    from tools import ROOT
    from tools.pages.downloads import prepared

    path = built_book / "_sources" / "chapters" / "04-masked-softmax.ipynb"
    note, *cells = json.loads(path.read_text("utf-8"))["cells"]
    assert 'pip install ".[notebooks]"' in note["source"][0]
    stored = (ROOT / "chapters" / path.name).read_text("utf-8")
    assert [cell["source"] for cell in cells] == [cell["source"] for cell in json.loads(stored)["cells"]]
    assert prepared(path.read_text("utf-8")) == path.read_text("utf-8")  # only once
    named = json.loads(prepared(stored, "https://example.org/book"))["cells"][0]
    assert "git+https://example.org/book" in named["source"][0]


def test_a_downloaded_notebook_keeps_what_its_cells_say_and_no_picture(built_book):
    import nbformat

    from tools import ROOT

    paths = sorted((built_book / "_sources").rglob("*.ipynb"))
    size = sum(path.stat().st_size for path in paths)
    assert len(paths) > 20 and size < 2_000_000, size
    for path in paths:
        copy, stored = (nbformat.read(p, 4) for p in (path, ROOT / "chapters" / path.name))
        nbformat.validate(copy)
        assert len(copy.cells) == len(stored.cells) + 1
        for kept, cell in zip(copy.cells[1:], stored.cells, strict=True):
            own, whole = kept.pop("outputs", []), cell.pop("outputs", [])
            assert kept == cell
            said = [output.text for output in whole if output.output_type == "stream"]
            assert [output.text for output in own if output.output_type == "stream"] == said
            assert {kind for output in own for kind in output.get("data", {})} <= {"text/plain", "text/markdown"}
