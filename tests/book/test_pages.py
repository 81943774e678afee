"""Every built page, opened in a browser as a reader opens it: from a file, with no network."""

import dataclasses
import re
from pathlib import Path

import pytest

from tools.barriers import PHONE, SETTLED, inspect
from tools.languages import own_pages

# Collected in the page itself. Code, scripts and formulas are not prose.
LOOK = r"""
() => {
  const shown = (e) => e.getClientRects().length > 0;
  const name = (e) => e.outerHTML.replace(/\s+/g, " ").slice(0, 160);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const words = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (!node.parentElement.closest("pre, code, script, style, .katex, template, noscript, textarea"))
      words.push(node.textContent);
  return {
    title: document.title,
    language: document.documentElement.lang,
    formulas: all("span.math, div.math").map((e) => [e.querySelectorAll(".katex math").length, name(e)]),
    invisibleFormulas: all(".katex-html").filter((e) => shown(e.closest(".math")) && !shown(e)).map(name),
    text: words.join("\n"),
    dead: all(".attnbook-figure").filter((box) => !(
      box.classList.contains("ab-live")
      && all(":scope > img", box).every((fallback) => !shown(fallback))
      && all("svg, :scope > div img", box).some(shown)
      && all("input, select, button, [tabindex='0']", box).some(shown)
    )).map(name),
    figures: all(".attnbook-figure").length,
    drawing: document.querySelector(".attnbook-drawing img")?.getBoundingClientRect().bottom,
    boxes: all("div.admonition:is(.predict, .quiz)").length,
    rightChoices: all("fieldset.quiz").map((question) => all("details.right", question).length),
    withoutAlt: all("img:not([role=presentation])").filter((e) => !(e.getAttribute("alt") || "").trim()).map(name),
    pathAlt: all("main img").filter((e) => /\.(png|svg|jpe?g)$/.test(e.getAttribute("alt") || "")).map(name),
    broken: all("img").filter((e) => e.complete && e.naturalWidth === 0 && shown(e)).map(name),
    emptyHeadings: all("th").filter((e) => !e.textContent.trim()).map(name),
    // sphinx-exercise gives one and the same id to the body of every exercise; nothing refers to it
    duplicateIds: all("main [id]:not(#exercise-content)").map((e) => e.id)
      .filter((id, index, ids) => ids.indexOf(id) < index),
  };
}
"""
WIDE = """
() => {
  const limit = document.documentElement.clientWidth + 1;
  const scrolls = (e) => { for (; e && e !== document.body; e = e.parentElement)
    if (/auto|scroll|hidden|clip/.test(getComputedStyle(e).overflowX)) return true; return false; };
  const wide = [...document.querySelectorAll("main *")].filter((e) =>
    e.getBoundingClientRect().right > limit && !scrolls(e.parentElement));
  return {
    page: document.documentElement.scrollWidth, limit,
    elements: wide.slice(0, 5).map((e) => e.outerHTML.replace(/\\s+/g, " ").slice(0, 160)),
  };
}
"""

CHAPTER = re.compile(r"chapters/\d")


@dataclasses.dataclass
class Visit:
    """What one page did and showed."""

    requests: list  # addresses that are not files
    messages: list  # errors and warnings on the console, script errors, files that failed to load
    seen: dict = dataclasses.field(default_factory=dict)
    phone: dict = dataclasses.field(default_factory=dict)
    barriers: list = dataclasses.field(default_factory=list)  # what axe finds, light and dark
    cut: list = dataclasses.field(default_factory=list)  # formulas and claims wider than their line


# What no page may ask for. The route sees a request also when the browser would answer it from a cache.
ELSEWHERE = re.compile(r"^(?!(file|data|blob|about):)")


@pytest.fixture(scope="module")
def tab(browser):
    """A page without network, in which one address after the other is opened."""
    context = browser.new_context(viewport=PHONE, offline=True)
    yield context.new_page()
    context.close()


def visit(tab, address: str) -> Visit:
    """Open an address with the network blocked, wait until it is drawn, and look, at phone and desk width.

    What it does is told of it alone, and what it keeps in the browser, the next one does not find.
    """
    found = Visit([], [])
    listeners = {
        "websocket": lambda socket: found.requests.append(socket.url),
        "console": lambda m: m.type in ("error", "warning") and found.messages.append(f"{m.type}: {m.text}"),
        "pageerror": lambda error: found.messages.append(f"script error: {error}"),
        "requestfailed": lambda r: found.messages.append(f"not loaded: {r.url} ({r.failure})"),
    }

    def refuse(route):
        found.requests.append(route.request.url)
        route.abort()

    tab.set_viewport_size(PHONE)
    tab.route(ELSEWHERE, refuse)
    for event, listener in listeners.items():
        tab.on(event, listener)
    tab.goto(address, wait_until="load")
    tab.evaluate(SETTLED)
    found.phone = tab.evaluate(WIDE)
    found.seen, found.cut, light, dark = inspect(tab, LOOK)
    found.barriers = light + [f"dark: {what}" for what in dark]
    tab.evaluate("localStorage.clear(); sessionStorage.clear()")
    for event, listener in listeners.items():
        tab.remove_listener(event, listener)
    tab.unroute(ELSEWHERE)
    return found


@pytest.fixture(scope="module")
def visits(tab, built_book) -> dict[str, Visit]:
    """Every page of the book in English, visited once."""
    pages = own_pages(built_book)
    return {path.relative_to(built_book).as_posix(): visit(tab, path.as_uri()) for path in pages}


def nothing_in(offences: dict) -> None:
    """Fail with the offending pages and what was found on each."""
    bad = {page: found for page, found in offences.items() if found}
    assert not bad, "\n".join(f"{page}:\n    " + "\n    ".join(map(str, found)) for page, found in bad.items())


def test_the_book_is_there(visits):
    import yaml

    from tools import ROOT

    toc = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    wanted = {toc["root"], *(chapter["file"] for part in toc["parts"] for chapter in part["chapters"])}
    assert {f"{page}.html" for page in wanted} <= set(visits)
    assert all(found.seen["title"] and found.seen["language"] == "en" for found in visits.values())


def test_no_page_asks_for_anything_but_files(visits):
    nothing_in({page: found.requests for page, found in visits.items()})


def test_no_page_has_an_error_on_its_console(visits):
    nothing_in({page: found.messages for page, found in visits.items()})


def test_every_formula_is_rendered(visits):
    for page, found in visits.items():
        if page.startswith("chapters/0"):
            assert len(found.seen["formulas"]) > 5, page
    nothing_in({page: [what for n, what in found.seen["formulas"] if n != 1] for page, found in visits.items()})
    nothing_in({page: found.seen["invisibleFormulas"] for page, found in visits.items()})


def test_no_page_keeps_anybody_out(visits):
    """axe-core, https://github.com/dequelabs/axe-core: its rules for WCAG 2.2 A and AA, and for good practice."""
    nothing_in({page: found.barriers for page, found in visits.items()})
    nothing_in({page: found.seen["emptyHeadings"] for page, found in visits.items()})


def test_no_formula_or_claim_is_cut(visits):
    nothing_in({page: found.cut for page, found in visits.items()})


def test_no_markup_is_left_in_the_text(visits):
    raw = re.compile(
        r"\\[(\[][^\n]*|\$\$[^\n]*|\$\\?\w[^$\n]*\$|\\begin\{\w+\}|\\(?:frac|sum|exp|alpha|mathbb|top)\b[^\n]*"
        r"|\{(?:ref|numref|eq|cite(?::[tp])?|code-cell|exercise|admonition)\}[^\n]*"
    )
    nothing_in({page: raw.findall(found.seen["text"])[:5] for page, found in visits.items()})


def test_every_figure_is_alive(visits):
    nothing_in({page: found.seen["dead"] for page, found in visits.items()})


def test_every_chapter_shows_its_figures(visits, built_book):
    """The landing page and every chapter has at least one, and none is lost between notebook and page."""
    import nbformat

    from tools import stored_notebooks
    from tools.notebooks import is_chapter

    stored = {}
    for path in stored_notebooks():
        if not is_chapter(path.stem):
            continue
        boxes = [
            output.get("data", {}).get("text/html", "").count('class="attnbook-figure"')
            for cell in nbformat.read(path, as_version=4).cells
            for output in cell.get("outputs", [])
        ]
        stored[f"chapters/{path.stem}.html"] = sum(boxes)
    assert visits["index.html"].seen["figures"] >= 1
    assert {page: visits[page].seen["figures"] for page in stored} == stored
    bare = {page for page, count in stored.items() if not count}
    assert not bare, "a chapter has no figure, or has lost it"


def test_every_chapter_shows_its_idea_on_its_first_screen(visits):
    for page in filter(CHAPTER.match, visits):
        assert 0 < (visits[page].seen["drawing"] or 0) <= 1000, page


def test_every_box_becomes_a_question(visits):
    nothing_in({page: [found.seen["boxes"]] * found.seen["boxes"] for page, found in visits.items()})
    for page in filter(CHAPTER.match, visits):
        assert visits[page].seen["rightChoices"] in ([1] * 3, [1] * 4), page


def test_every_picture_has_alt_text_and_can_be_seen(visits):
    nothing_in({page: found.seen["withoutAlt"] for page, found in visits.items()})
    nothing_in({page: found.seen["pathAlt"] for page, found in visits.items()})
    nothing_in({page: found.seen["broken"] for page, found in visits.items()})


def test_every_name_on_a_page_stands_for_one_thing(visits):
    nothing_in({page: found.seen["duplicateIds"] for page, found in visits.items()})


def test_no_page_is_wider_than_a_phone(visits):
    nothing_in(
        {
            page: found.phone["elements"] or [f"{found.phone['page']} px wide"]
            for page, found in visits.items()
            if found.phone["page"] > found.phone["limit"]
        }
    )


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_page_has_its_colours_before_any_script_has_come(browser, built_book, theme):
    context = browser.new_context(color_scheme=theme)
    page = context.new_page()
    page.route("**/*.js*", lambda route: route.abort())
    page.goto((built_book / "index.html").as_uri())
    assert page.evaluate("document.documentElement.dataset.theme") == theme
    context.close()


# --- the tests above notice what they are for -----------------------------------------------------------------

FAULTY = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>faulty</title>
<link rel="stylesheet" href="https://example.org/style.css"><script src="missing.js"></script></head><body><main>
<p>Raw \\(x\\) and $$y$$ and {ref}`ch-pooling`.</p><span class="math">\\(x\\)</span>
<div class="katex-display" style="width:200px;overflow:auto"><div style="width:300px">
<annotation>x</annotation></div></div>
<div class="attnbook-figure" data-widget="x"><img alt="" src="data:image/svg+xml;base64,"></div>
<img src="missing.png"><div style="width:900px">wide</div><p id="a"></p><p id="a"></p>
<script>localStorage.kept = 1;
fetch("http://example.org/x").catch(() => {}); throw new Error("on purpose")</script></main></body></html>"""


def test_a_faulty_page_is_noticed_in_every_respect(tab, tmp_path: Path):
    (tmp_path / "faulty.html").write_text(FAULTY)
    found = visit(tab, (tmp_path / "faulty.html").as_uri())
    assert sorted(found.requests) == ["http://example.org/x", "https://example.org/style.css"]
    assert any("on purpose" in message for message in found.messages)
    assert any("missing.js" in message for message in found.messages)
    assert found.seen["formulas"][0][0] == 0
    assert len(found.seen["dead"]) == 1 and len(found.seen["withoutAlt"]) == 2 and found.seen["duplicateIds"] == ["a"]
    assert found.seen["broken"]
    assert found.phone["page"] > found.phone["limit"] and "wide" in found.phone["elements"][0]
    for check in (
        test_no_page_asks_for_anything_but_files,
        test_no_page_has_an_error_on_its_console,
        test_every_figure_is_alive,
        test_every_picture_has_alt_text_and_can_be_seen,
        test_every_name_on_a_page_stands_for_one_thing,
        test_no_page_is_wider_than_a_phone,
        test_no_markup_is_left_in_the_text,
        test_no_formula_or_claim_is_cut,
        test_no_page_keeps_anybody_out,
    ):
        with pytest.raises(AssertionError, match="faulty.html"):
            check({"faulty.html": found})


def test_what_one_page_does_and_keeps_is_not_told_of_the_next(tab, tmp_path: Path):
    (tmp_path / "faulty.html").write_text(FAULTY)
    (tmp_path / "next.html").write_text("<script>if (localStorage.length) throw new Error('kept')</script>")
    visit(tab, (tmp_path / "faulty.html").as_uri())
    found = visit(tab, (tmp_path / "next.html").as_uri())
    assert found.requests == found.messages == [] and found.phone["limit"] == PHONE["width"] + 1
