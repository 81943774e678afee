"""The search: what it finds and in which order, from a file and without network, by keyboard and on a phone."""

import json
import os
import re

import pytest
from test_pages import WIDE

from attnbook.widgets.scripts import packed_script, unpacked_script
from tools import ROOT
from tools.barriers import DESK, PHONE, barriers
from tools.languages import own_pages
from tools.pages.search import kind, places, text

PAGE = """<html><body><article><section id="all"><h1>4. Masks<a class="headerlink">#</a></h1><p>Few words.</p>
<section id="two"><h2>4.1. Two masks</h2><p>A padding mask.</p><pre>mask = 1</pre><button>Run</button>
<div class="predict"><p>Which?</p><details class="sd-dropdown">a reply</details></div><p>After the reply.</p>
<div class="exercise admonition" id="ex"><p class="admonition-title">Exercise 4.1</p><section id="exercise-content"><p>
Do it.</p></section></div>
<details class="hide above-input"><summary>Show code</summary><pre>import torch</pre></details></section>
<div class="attnbook-hints">the solution</div><p>An end.</p></section>
<dl class="glossary"><dt id="term-mask">mask</dt><dd><p>what hides</p></dd></dl>
<dl class="py"><dt class="sig" id="a.f"><span class="sig-prename">a.</span><span class="sig-name">f</span>(x)</dt>
<dd><p>Adds.</p></dd></dl></article></body></html>"""
FORMULA = """<p>Since <span class="math"><span class="katex"><span class="katex-mathml"><math><semantics>
<mrow>{}</mrow><annotation>TeX</annotation></semantics></math></span>
<span class="katex-html">x<span class="formula-end">,</span></span>
</span></span> yes</p>"""


def test_a_page_is_told_by_its_sections_terms_and_names():
    assert places(PAGE) == [
        ["all", "4. Masks", "Few words. An end.", ""],
        ["two", "4.1. Two masks", "A padding mask. Which? After the reply.", "mask = 1 import torch"],
        ["ex", "Exercise 4.1", "Do it.", ""],
        ["term-mask", "mask", "what hides", ""],
        ["a.f", "f", "a.f(x) Adds.", ""],
    ]
    assert places("<p>no article</p>") == []


@pytest.mark.parametrize(
    "formula, said",
    [
        ("<msup><mn>10</mn><mn>6</mn></msup>", "10^6"),
        ("<msub><mi>d</mi><mi>k</mi></msub><mo>=</mo><mn>4</mn>", "d_k = 4"),
        ("<mfrac><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mi>cd</mi></mrow></mfrac>", "a/(b+cd)"),
        ("<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>", "x_i^2"),
        ("<msqrt><mi>d</mi></msqrt>", "√d"),
    ],
)
def test_a_formula_is_one_line(formula, said):
    page = f"<article><section id='a'><h2>a</h2>{FORMULA.format(formula)}</section></article>"
    assert places(page)[0][2] == f"Since {said}, yes"


def test_a_formula_that_lacks_a_part_is_named():
    with pytest.raises(ValueError, match=r"<msup> in a formula has 1 parts, not 2"):
        places(f"<article>{FORMULA.format('<msup><mi>x</mi></msup>')}</article>")


def test_pages_have_kinds():
    names = ("chapters/04-x.html", "chapters/glossary.html", "chapters/api/text.html", "index.html")
    assert [kind(name) for name in names] == ["chapter", "glossary", "package", "page"]


def test_only_a_page_that_is_newer_is_read_again(tmp_path):
    one, other, script = (tmp_path / "a.html", tmp_path / "b.html", tmp_path / "_static/search/text.js")
    script.parent.mkdir(parents=True)

    def write(page, words, when):
        page.write_text(f"<article><section id='x'><h1>A</h1><p>{words}</p></section></article>")
        os.utime(page, (when, when))

    write(one, "once", 1)
    write(other, "still", 1)
    script.write_bytes(text(tmp_path, script))
    write(one, "twice", 2**32)
    write(other, "not asked", 1)
    again = unpacked_script(text(tmp_path, script)).decode()
    assert "twice" in again and "once" not in again and "still" in again
    one.unlink()
    assert "a.html" not in unpacked_script(text(tmp_path, script)).decode()


def test_every_page_is_in_the_text_and_every_place_is_there(built_book):
    said = unpacked_script((built_book / "_static/search/text.js").read_bytes()).decode()
    pages = json.loads(said)
    names = {path.relative_to(built_book).as_posix() for path in own_pages(built_book)}
    assert {page for page, _, _ in pages} == names - {"search.html"}
    for page, _, found in pages:
        html = (built_book / page).read_text("utf-8")
        assert found[0][1], page
        assert not [name for name, *_ in found if f'id="{name}"' not in html]
    assert "my_masked_softmax(scores, valid_lens)" in said  # the task, but not its solution
    assert "attnbook-" not in said and "Hint 1" not in said


@pytest.fixture
def search(browser, built_book):
    """A function that opens the search page with a query and gives the page; nothing may go wrong on it."""
    contexts, errors = [], []

    def opened(query, **options):
        context = browser.new_context(**{"viewport": DESK, "offline": True} | options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda m: m.type in ("error", "warning") and errors.append(m.text))
        page.goto((built_book / "search.html").as_uri())
        if query:
            box = page.get_by_role("searchbox", name="Search the book")
            box.fill(query)
            box.press("Enter")
            page.wait_for_function("() => /\\d+ place|^Nothing/.test(document.querySelector('.search-told').innerText)")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert errors == []


def pages_of(page) -> list[str]:
    return page.locator(".search-page > h2").all_inner_texts()


@pytest.mark.parametrize(
    "query, first",
    [
        ("mask", "4. Masked softmax"),
        ("softmax", "4. Masked softmax"),
        ("rotary", "8. Positional encoding"),
        ("beam search", "14. Decoding"),
        ("Bahdanau", "12. Translation with Bahdanau attention"),
        ("how do I mask padding?", "4. Masked softmax"),
        ("注意力", "Glossary"),
        ("层规范化", "Glossary"),
        ("层归一化", "Glossary"),  # the second word for it
        ("scaled dot product", "5. Scoring functions"),
        ("BLEU", "11. Sequence to sequence"),
        ("ALiBi", "8. Positional encoding"),
        # what the book writes out
        ("RoPE", "8. Positional encoding"),
        ("GQA", "7. Multi-head attention"),
        ("MHA", "7. Multi-head attention"),
        ("LayerNorm", "9. Transformer blocks"),
        ("FFN", "9. Transformer blocks"),
        ("SDPA", "5. Scoring functions"),
        ("KV cache", "15. Efficient attention"),
        ("KV-cache", "Glossary"),
    ],
)
def test_the_chapter_about_it_comes_first_and_the_package_last(search, query, first):
    page = search(query)
    found = pages_of(page)
    assert found[0] == first
    of_package = [name.startswith("attnbook.") for name in found]
    assert of_package == sorted(of_package)


@pytest.mark.parametrize(("page", "script"), [("", "text.js"), ("zh/", "text-zh-CN.js")])
def test_a_section_that_explains_comes_before_one_that_only_asks(browser, built_book, page, script):
    ends = "exercises", "to-think-about", "what-we-found", "check-yourself", "further-reading"
    said = unpacked_script((built_book / "_static/search" / script).read_bytes())
    chapter = next(places for name, _, places in json.loads(said) if name == "chapters/04-masked-softmax.html")
    titles = {name: title for name, title, *_ in chapter}
    places = [["top", "4", "", ""], *([name, titles[name], "掩码", ""] for name in ends), ["why", "4.1", "掩码", ""]]
    text = packed_script("globalThis.attnbookText", json.dumps([["a.html", "chapter", places]]).encode())
    opened = browser.new_page()
    opened.route(f"**/search/{script}", lambda route: route.fulfill(body=text, content_type="text/javascript"))
    opened.goto((built_book / f"{page}search.html").as_uri() + "?q=掩码")
    opened.wait_for_selector(".search-page")
    links = opened.locator(".search-page h3 a").evaluate_all("all => all.map((a) => a.hash.slice(1))")
    assert links == ["why", *ends]
    opened.close()


def test_a_text_that_could_not_be_loaded_is_asked_for_again(browser, tmp_path):
    """As on a server that was away for a moment."""
    scripts = ROOT / "tools/languages/languages.js", ROOT / "tools/pages/search.js"
    for script in scripts:
        (tmp_path / script.name).write_text(script.read_text("utf-8"), "utf-8")
    form = (ROOT / "tools/pages/search.html").read_text("utf-8")
    tags = "".join(f'<script src="{script.name}"></script>' for script in scripts)
    (tmp_path / "search.html").write_text(f'<!doctype html><html lang="en"><body>{form}{tags}', "utf-8")
    page = browser.new_page()
    page.goto((tmp_path / "search.html").as_uri() + "?q=mask")
    page.wait_for_function("document.querySelector('.search-told').innerText.includes('could not be loaded')")
    text = json.dumps([["a.html", "chapter", [["top", "4", "A mask.", ""]]]]).encode()
    (tmp_path / "text.js").write_bytes(packed_script("globalThis.attnbookText", text))
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelector('.search-told').innerText === 'mask: 1 place on 1 page'")
    page.close()


def test_a_place_has_its_title_a_line_around_the_hit_and_a_link_that_leads_there(search):
    page = search("rotary")
    place = page.locator(".search-page").first.locator("li:has(h3)").first
    assert re.match(r"8\.\d+", place.locator("h3").inner_text())
    assert place.locator("mark").first.inner_text().lower() == "rotary"
    assert 60 < len(place.locator("p").inner_text()) < 400
    place.locator("a").click()
    page.wait_for_selector("article .highlighted")
    assert page.evaluate(
        "() => { const top = document.getElementById(location.hash.slice(1)).getBoundingClientRect().top;"
        " return top >= 0 && top < innerHeight; }"
    )


def test_a_phrase_in_quotes_is_found_word_for_word(search):
    page = search('"fully masked"')
    marks = {text.lower() for text in page.locator("#search-results mark").all_text_contents()}
    assert marks == {"fully masked"}
    assert "“fully masked”: " in page.locator(".search-told").inner_text()
    page = search("“masked fully”")
    assert page.locator(".search-told").inner_text() == (
        "Nothing in the book has “masked fully”. A phrase in quotes must stand there word for word."
    )


def test_a_query_of_nothing_but_punctuation_asks_for_nothing(search):
    page = search("mask")
    page.get_by_role("searchbox", name="Search the book").fill(" . ")
    page.locator(".search-page").first.wait_for(state="detached")
    assert page.locator(".search-told").inner_text() == search("").locator(".search-told").inner_text()


def test_another_name_is_said_and_marked_where_it_leads(search):
    page = search("RoPE")
    assert page.locator(".search-told").inner_text().startswith("rope or rotary: ")
    page.locator(".search-page h3 a").first.click()
    page.wait_for_selector("article .highlighted")
    assert page.locator("article .highlighted").first.inner_text().lower() == "rotary"


def test_a_word_that_javascript_knows_is_a_word(search):
    assert "constructor: " in search("constructor").locator(".search-told").inner_text()


def test_words_that_no_place_has_together_are_not_passed_off_as_found(search):
    page = search("mask hovercraft")
    assert page.locator(".search-told").inner_text().startswith("No place has all of: mask hovercraft.")
    assert pages_of(page)[0] == "4. Masked softmax"


@pytest.mark.parametrize("options", [{}, {"viewport": PHONE, "has_touch": True}], ids=["desk", "phone"])
def test_the_query_stays_beside_the_magnifier(search, options):
    page = search("softmax", **options)
    assert page.url.endswith("search.html?q=softmax")
    page.reload()
    page.wait_for_selector(".search-page")
    box = page.locator(".book-search input")
    assert box.input_value() == "softmax"
    gap = """(icon) => { const input = icon.parentNode.querySelector("input");
      return input.getBoundingClientRect().left + parseFloat(getComputedStyle(input).paddingLeft)
        - icon.getBoundingClientRect().right; }"""
    page.keyboard.press("Control+k")
    for icon in page.locator("form.bd-search i.fa-magnifying-glass").all():
        if icon.is_visible():
            assert 2 < icon.evaluate(gap) < 24
    seen = page.evaluate(WIDE)
    assert seen["page"] <= seen["limit"], seen["elements"]


def test_the_search_is_used_by_keyboard_and_while_typing(search):
    page = search("")
    assert page.evaluate("document.activeElement.name") == "q"
    page.keyboard.type("speculat")
    page.wait_for_selector(".search-page")
    page.keyboard.type("ive")  # the next key follows before these letters are looked up
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/14-decoding.html*")
    page.go_back()
    page.wait_for_selector(".search-page")
    assert page.locator(".book-search input").input_value() == "speculative"
    assert pages_of(page)[0] == "14. Decoding"
    assert barriers(page) == ([], [])


def test_a_book_without_its_text_says_so(browser, built_book):
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.route("**/search/text.js", lambda route: route.abort())
    page.goto((built_book / "search.html").as_uri() + "?q=mask")
    page.get_by_text("could not be loaded").wait_for()
    context.close()
