"""What a reader takes out of a page: a formula by copying it, a notebook by its link. From a file, without network."""

import json

import pytest

from tools.barriers import DESK

CHAPTER = "chapters/04-masked-softmax.html"
# What the clipboard gets of a range, whose ends are [selector, offset] or, without offset, whole elements.
COPY = """
([first, last]) => {
  const range = document.createRange();
  const found = (selector) => document.querySelector("article").querySelector(selector);
  range.setStartBefore(found(first));
  range.setEndAfter(found(last ?? first));
  getSelection().removeAllRanges();
  getSelection().addRange(range);
  let copied = null;
  addEventListener("copy", (event) => { copied = event.clipboardData.getData("text/plain"); }, { once: true });
  document.execCommand("copy");
  return copied;
}
"""


@pytest.fixture
def page(browser, built_book):
    context = browser.new_context(viewport=DESK, offline=True, accept_downloads=True)
    page = context.new_page()
    page.goto((built_book / CHAPTER).as_uri())
    yield page
    context.close()


def test_an_inline_formula_is_copied_once_with_the_text_and_the_comma_around_it(page):
    text = page.evaluate(COPY, ["p:has(.formula-end)"])
    assert "sum to $84.79$, so in the softmax" in text and "$e^2/84.79 = 0.087$. If we" in text
    assert text.count("84.79") == 3


def test_a_display_is_copied_whole_though_only_a_part_of_it_was_selected(page):
    part = "div.math .katex-html .mord"
    text = page.evaluate(COPY, [part])
    tex = page.locator("article div.math annotation").first.text_content()
    assert " ".join(text.split()) == "$$" + " ".join(tex.split()) + "$$"


def test_a_section_is_copied_without_buttons_and_what_is_folded(page):
    text = page.evaluate(COPY, ["#exercises", "#further-reading"])
    assert "$" in text and "def my_masked_softmax(scores, valid_lens):" in text
    assert "Start again" not in text and "#\n" not in text
    solution = "details:not([open]) pre"
    folded = page.locator(f"article #exercises {solution}").first.text_content()
    assert folded.strip() and folded.strip() not in text


def test_text_without_formulas_is_left_to_the_browser(page):
    assert page.evaluate(COPY, ["h1"]) == ""


@pytest.mark.parametrize("name", ["04-masked-softmax.ipynb", "notation.md"])
def test_a_link_to_a_file_saves_it(page, built_book, name):
    page.goto((built_book / f"chapters/{name.partition('.')[0]}.html").as_uri())
    page.get_by_role("button", name="Download this page").click()
    with page.expect_download() as download:
        page.locator("a[download]").click()
    assert download.value.suggested_filename == name
    saved = download.value.path().read_bytes()
    assert saved == (built_book / "_sources/chapters" / name).read_bytes()
    if name.endswith(".ipynb"):
        assert json.loads(saved)["cells"][0]["id"] == "what-this-needs"


def test_a_file_whose_script_is_missing_is_shown_as_before(page, built_book):
    page.route("**/*.ipynb.js", lambda route: route.abort())
    page.reload()
    page.get_by_role("button", name="Download this page").click()
    page.locator("a[download]").click()
    page.wait_for_url("**/_sources/chapters/04-masked-softmax.ipynb")
