"""The theme's styles lose what no page uses, and nothing else; paper loses no line and hides no hint."""

import os
import re

import pytest
from pypdf import PdfReader

from tools.barriers import PAPER
from tools.pages.styles import bundle, without_unused

USED = {"a", "b", "col-1.5", "w-50"}


@pytest.mark.parametrize(
    ("css", "left"),
    [
        (".a{x:1}.gone{x:2}.b{x:3}", ".a{x:1}.b{x:3}"),
        (".gone,.a .b,.a.gone{x:1}", ".a .b{x:1}"),
        ("@media print{.a{x:1}.gone{x:2}}", "@media print{.a{x:1}}"),
        ("p:not(.gone){x:1}", "p:not(.gone){x:1}"),
        (":is(.gone, :not(.a)) p,.gone{x:1}", ":is(.gone, :not(.a)) p{x:1}"),
        ("p{x:1.5rem}@font-face{x:url(a.b)}", "p{x:1.5rem}@font-face{x:url(a.b)}"),
        ('/* .a{} */@charset "x";.gone{x:1}p{x:1}', '@charset "x";p{x:1}'),
        ('.a::after{x:"}"}.gone{x:"{"}p{x:1}', '.a::after{x:"}"}p{x:1}'),
        ("@media print{@supports (x:y){.gone{x:1}}p{x:1}}", "@media print{@supports (x:y){}p{x:1}}"),
        (r".w-50{x:1}.col-1\.5{x:2}", r".w-50{x:1}.col-1\.5{x:2}"),
    ],
)
def test_only_rules_that_match_nothing_go(css, left):
    assert without_unused(css, USED) == left


def test_pages_name_one_style_of_the_theme_and_keep_ours_after_it(tmp_path):
    folder = tmp_path / "_static" / "styles"
    folder.mkdir(parents=True)
    (folder / "theme.css").write_text('@import "../basic.css";.a{x:url(y.png)}')
    (tmp_path / "_static/basic.css").write_text(".gone{x:1}.b{x:url(file.png)}")
    link = '<link href="_static/styles/theme.css?v=1" rel="stylesheet" />'
    ours = '<link rel="stylesheet" href="_static/pygments.css" />'
    (tmp_path / "index.html").write_text(f'\n{link}\n{ours}<p class="a b">')
    bundle(tmp_path)
    text = (folder / "theirs.css").read_text()
    assert text == ".b{x:url(../file.png)}.a{x:url(y.png)}"
    page = (tmp_path / "index.html").read_text()
    assert page.count("<link") == 2 and "theme.css" not in page
    assert page.index("theirs.css?v=") < page.index("pygments.css")
    # a second build writes the theme's files and one of the pages again
    (folder / "theme.css").write_text(".a{x:url(y.png)}")
    (tmp_path / "other.html").write_text(f"\n{link}\n{ours}")
    bundle(tmp_path)
    assert (folder / "theirs.css").read_text() == ".a{x:url(y.png)}"
    again, other = ((tmp_path / f"{n}.html").read_text() for n in ("index", "other"))
    (version,) = re.findall(r"theirs\.css\?v=\w+", other)
    assert re.findall(r"theirs\.css[^\">]*", again) == [version] and version not in page
    # and once more, with the same rules: a page that says just that keeps its age, by which the search goes
    os.utime(tmp_path / "index.html", (1, 1))
    (folder / "theme.css").write_text(".a{x:url(y.png)}")
    (tmp_path / "other.html").write_text(f"\n{link}\n{ours}")
    bundle(tmp_path)
    assert (tmp_path / "index.html").stat().st_mtime == 1


@pytest.mark.parametrize("width", [1400, 390])
def test_the_link_to_a_heading_takes_no_line_of_its_own(browser, built_book, width):
    """19.1 fills its line at 1400 pixels, 19.3 at 390."""
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.goto((built_book / "chapters/19-language-model.html").as_uri())
    headings = page.evaluate("""() => [...document.querySelectorAll(".bd-article :is(h2, h3)")].map((heading) => {
      const words = document.createRange();
      words.selectNodeContents(heading);
      words.setEndBefore(heading.querySelector("a.headerlink"));
      return heading.getBoundingClientRect().bottom - words.getBoundingClientRect().bottom;
    })""")
    assert len(headings) > 15 and max(headings) < 12  # a line has more than 25
    page.close()


def test_what_is_folded_is_printed_and_folded_again(browser, built_book):
    context = browser.new_context(viewport=PAPER, offline=True)
    page = context.new_page()
    page.goto((built_book / "chapters/04-masked-softmax.html").as_uri())
    folded = "() => document.querySelectorAll('main details:not([open])').length"
    others = "() => document.querySelectorAll(':is(.predict, .quiz, .attnbook-hints) details').length"
    before, choices = page.evaluate(folded), page.evaluate(others)
    assert before > choices > 0
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(folded) == choices
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(folded) == before
    context.close()


def test_a_dark_page_is_printed_light_and_is_dark_again(browser, built_book):
    context = browser.new_context(viewport=PAPER, offline=True, color_scheme="dark")
    page = context.new_page()
    page.goto((built_book / "chapters/04-masked-softmax.html").as_uri())
    paper = "() => getComputedStyle(document.querySelector('.attnbook-drawing')).getPropertyValue('color')"
    dark = page.evaluate(paper)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    light = page.evaluate(paper)
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(paper) == dark != light
    context.close()


def test_what_is_opened_for_the_paper_is_on_it_and_leaves_no_page_half_empty(browser, built_book, tmp_path):
    """Chromium printed what it was still fading in: nothing."""
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto((built_book / "chapters/15-efficient-attention.html").as_uri())
    hidden = page.locator("details.hide pre").first.text_content()
    page.pdf(path=tmp_path / "a.pdf", format="A4", outline=True)
    context.close()
    pages = PdfReader(tmp_path / "a.pdf").pages
    texts = [page.extract_text() for page in pages]
    whole = "".join("".join(texts).split())
    assert "".join(hidden.split())[:200] in whole
    assert "Hidecode" not in whole and "On this page" not in " ".join(texts)
    lines = sorted(len(text.splitlines()) for text in texts[1:-1])
    assert lines[0] > 12, "a page is nearly empty"


def test_choices_are_printed_as_a_list_and_help_as_one_line(browser, built_book, tmp_path):
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto((built_book / "chapters/04-masked-softmax.html").as_uri())
    choices = page.locator("fieldset.quiz").first.locator(".choice label").all_inner_texts()
    solution = page.locator(".attnbook-hints pre").first.text_content()
    page.pdf(path=tmp_path / "a.pdf", format="A4")
    context.close()
    text = "\n".join(page.extract_text() for page in PdfReader(tmp_path / "a.pdf").pages)
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert len(choices) == 3 and {f"○ {choice.strip()}" for choice in choices} <= {*lines}
    parts = "Hint 1", "Hint 2", "Hint 3", "Solution", "Why the wrong answer looks right"
    assert lines.count(f"In the page: {' '.join(parts)}") == 3
    code = [" ".join(line.split()) for line in solution.splitlines() if "=" in line]
    assert code and not {*code} & {*lines}


def test_what_is_printed_of_the_help_is_said_in_chinese(browser, built_book):
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto((built_book / "zh/chapters/04-masked-softmax.html").as_uri())
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    said = "hints => getComputedStyle(hints, '::before').content"
    assert page.locator(".attnbook-hints").first.evaluate(said) == '"在网页里： "'
    context.close()


def test_every_icon_of_a_page_is_in_the_font(built_book):
    from fontTools.ttLib import TTFont

    fonts = built_book / "_static/vendor/fontawesome/webfonts"
    icons = set(TTFont(fonts / "fa-solid-900.woff").getBestCmap())
    # download, expand, list, search, sun, moon, close, and the arrows of the foot
    assert {0xF019, 0xF065, 0xF03A, 0xF002, 0xF185, 0xF186, 0xF00D, 0xF104} <= icons
    assert len(icons) < 100 and not [*fonts.glob("*.ttf"), *fonts.glob("*.woff2")]
