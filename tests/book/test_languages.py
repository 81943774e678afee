"""The book in other languages: the same pages with other words, from a file, and the way between them."""

import re

import pytest
from test_build import pages
from test_classroom import RIGHT, WRONG, Reader, expect_a_sign_is_named
from test_pages import tab, visit  # noqa: F401

from attnbook.widgets.scripts import figures_in
from kept import comes_back
from tools.barriers import DESK, SETTLED
from tools.languages import LANGUAGES, is_translated
from tools.languages.builder import THEME_WORDS, alternates
from tools.languages.checks import SIGNS

CHINESE = LANGUAGES["zh_CN"]
CHAPTER = "chapters/04-masked-softmax"
IDS = re.compile(r'<[a-z]\w*\b[^>]*? id="([^"]+)"')
TEX = re.compile(r'<annotation encoding="application/x-tex">(.*?)</annotation>', re.DOTALL)
HAN = re.compile("[\u4e00-\u9fff]")
TEXT = re.compile(r"\\text\{[^{}]*\}")


@pytest.fixture(scope="module")
def chinese(built_book):
    return built_book / CHINESE.folder


def article(path) -> str:
    return path.read_text("utf-8").partition("<article")[2].partition("</article>")[0]


def test_every_page_that_is_translated_is_there_and_shares_the_rest(built_book, chinese):
    names = {page.relative_to(built_book).as_posix() for page in pages(built_book)}
    english = {name for name in names if not name.startswith("zh/")}
    translated = {name for name in english if is_translated(name.removesuffix(".html"))}
    assert {name.removeprefix("zh/") for name in names - english} == translated
    assert len(translated) == 30 and {path.suffix for path in chinese.rglob("*.*")} == {".html"}
    for name in translated:
        page = (chinese / name).read_text("utf-8")
        assert '<html lang="zh-CN"' in page and "LANGUAGE: 'zh-CN'" in page
        sheet = re.compile(r'[^"]*/styles/theirs\.css\?v=\w+').search(page)
        assert sheet[0].removeprefix("../") in (built_book / name).read_text("utf-8")


def test_what_is_translated_for_the_theme_is_what_it_writes(built_book):
    made = *built_book.rglob("*.html"), *(built_book.parent / CHINESE.folder / "html").rglob("*.html")
    text = "".join(path.read_text("utf-8") for path in made)
    assert len(THEME_WORDS) > 25 and not [phrase for phrase in THEME_WORDS if phrase not in text]


def test_ids_and_formulas_are_the_english_ones(built_book, chinese):
    for path in chinese.rglob("*.html"):
        own, other = (article(p) for p in (path, built_book / path.relative_to(chinese)))
        assert IDS.findall(own) == IDS.findall(other), path.name
        assert TEXT.sub("", "".join(sorted(TEX.findall(own)))) == TEXT.sub("", "".join(sorted(TEX.findall(other))))
    assert r"\text{若 }" in article(chinese / f"{CHAPTER}.html")


def test_no_sign_of_markup_is_left(chinese):
    for path in chinese.rglob("*.html"):
        text = re.sub(r"<(pre|code|script|style|math)\b.*?</\1>|<!--.*?-->", "", article(path), flags=re.DOTALL)
        for piece in re.findall(">([^<>]*[\u4e00-\u9fff][^<>]*)<", text):
            assert not re.search(r"\*|`|::|\{\w+\}", piece), f"{path.name}: {piece}"


def test_what_is_left_in_english_says_so(chinese):
    half, whole = (article(chinese / f"{name}.html") for name in ("chapters/notation", CHAPTER))
    if "unfinished" in half:
        assert '<p lang="en">' in half
    assert "unfinished" not in whole
    assert 'lang="zh"' not in whole  # all of it is
    assert re.search(r'<em lang="en">Hello world</em>', whole)


def plain(html: str) -> str:
    return " ".join(re.sub("<[^>]*>", " ", html).split())


def test_each_figure_has_its_words(built_book, chinese):
    """Put in when the pages are assembled: Sphinx does not write a page anew for the catalog of a figure."""
    seen = set()
    for path in chinese.rglob("*.html"):
        page = path.read_text("utf-8")
        shown = figures_in(page)
        scripts = re.findall(r'src="[./]*_static/attnbook/words-zh-CN/(\w+)\.js"', page)
        assert scripts == (["kit", *shown] if shown else []), path.name
        assert page.index("words-zh-CN.js") < page.index("/languages.js"), path.name
        made = built_book.parent / CHINESE.folder / "html" / path.relative_to(chinese)
        assert "attnbook/words-" not in made.read_text("utf-8")
        seen |= {*shown}
    assert len(seen) > 20


def test_what_is_folded_says_in_chinese_what_it_is(built_book, chinese):
    for path in chinese.rglob("*.html"):
        own, english = (article(page) for page in (path, built_book / path.relative_to(chinese)))
        folds = re.findall("<summary(?! class=.sd).*?</summary>", own, re.DOTALL)  # all but choices
        assert [fold for fold in folds if not HAN.search(fold)] == [], path.name
        for what, name in {"source": "代码", "outputs?": "输出"}.items():
            found = len(re.findall(f">Show code cell {what}<", english))
            assert own.count(f">显示{name}<") == own.count(f">隐藏{name}<") == found, path.name
    claims = re.search(r"All (\d+) claims that this page has checked", article(built_book / f"{CHAPTER}.html"))[1]
    assert f"本页检验过的全部 {claims} 条断言" in article(chinese / f"{CHAPTER}.html")


def test_what_surrounds_a_text_is_in_chinese(chinese):
    """Labels and tooltips of the theme, its foot, and the search."""
    for name in ("index", CHAPTER, "search"):
        page = (chinese / f"{name}.html").read_text("utf-8")
        around = page.partition("<body")[2].replace(article(chinese / f"{name}.html"), "")
        said = re.findall(r'(?:aria-label|title|placeholder)="([^"]*)"', around)
        foot = around.partition('<footer class="bd-footer-content">')[2].partition("</footer>")[0]
        said += [plain(piece) for piece in re.findall("<p.*?</p>", foot, re.DOTALL)]
        assert len(said) > 10
        assert [text for text in said if re.search("[A-Za-z]", text) and not HAN.search(text)] == []
        assert "列印" not in page


def test_what_search_engines_are_told_is_in_chinese(chinese):
    for name in ("index", CHAPTER):
        (tag,) = re.findall('<meta [^>]*name="description"[^>]*>', (chinese / f"{name}.html").read_text("utf-8"))
        assert len(HAN.findall(tag)) > 20


def test_a_table_in_an_exercise_is_in_chinese(chinese):
    exercise = article(chinese / "chapters/02-attention-pooling.html").partition('id="ex-kernel-pooling"')[2]
    rows = re.findall("<tr.*?</tr>", exercise.partition("</table>")[0], re.DOTALL)
    words = [plain(re.search("<t[hd].*?</t[hd]>", row, re.DOTALL)[0]) for row in rows]
    assert words[1:] == ["查询", "键", "值", "权重", "答案"]


def test_a_page_of_the_package_leads_to_chinese_and_back(built_book, chinese):
    english = (built_book / "chapters/api/attention.html").read_text("utf-8")
    assert 'href="../../zh/index.html" hreflang="zh-CN"' in english
    page = (chinese / f"{CHAPTER}.html").read_text("utf-8")
    assert 'href="../../chapters/api/attention.html"' in page
    assert 'rel="alternate"' not in page


def test_search_engines_are_led_by_whole_addresses():
    home = "https://example.org/book/"
    lead = '\n<link rel="alternate" hreflang="{}" href="https://example.org/book/{}">'
    assert alternates(home, CHAPTER, "en") == lead.format("zh-CN", f"zh/{CHAPTER}.html")
    assert alternates(home, CHAPTER, "zh-CN") == lead.format("en", f"{CHAPTER}.html")
    assert alternates("", CHAPTER, "en") == ""


SAID = """() => [...document.querySelectorAll(".attnbook-figure")].flatMap((figure) => [
  ...[...figure.querySelectorAll("text, p, output:not(pre *), button, label, option")].map((e) => e.textContent),
  ...[...figure.querySelectorAll("[aria-label]")].map((e) => e.getAttribute("aria-label")),
])"""


def test_a_figure_puts_no_english_punctuation_between_chinese_words(reader, chinese):
    """What a figure says at first, put together from what is translated, is set as a translation has to be."""
    heard, seen = [], set()
    for path in sorted(chinese.rglob("*.html")):
        shown = {*figures_in(path.read_text("utf-8"))}
        if shown <= seen:
            continue
        seen |= shown
        reader.goto(path.as_uri())
        reader.evaluate(SETTLED)
        assert reader.locator(".attnbook-figure:not(.ab-live)").count() == 0
        said = reader.evaluate(SAID)
        assert any(HAN.search(text) for text in said), path.name
        heard += [(path.stem, text) for text in said if any(re.search(sign, text.strip()) for sign in SIGNS)]
    assert heard == []


@pytest.mark.parametrize("name", ["index", CHAPTER, "chapters/glossary", "search"])
def test_a_page_is_whole_without_network_and_on_a_phone(tab, chinese, name):  # noqa: F811
    found = visit(tab, (chinese / f"{name}.html").as_uri())
    assert not found.requests + found.messages + found.barriers + found.cut
    assert not found.seen["dead"] and not found.seen["broken"] and not found.seen["withoutAlt"]
    assert found.phone["page"] <= found.phone["limit"], found.phone["elements"]


@pytest.fixture
def reader(browser, built_book):
    context = browser.new_context(viewport=DESK, offline=True)
    page = context.new_page()
    page.set_default_timeout(20_000)
    yield page
    context.close()


def test_an_exercise_in_a_chinese_page_is_judged_in_chinese(browser, built_book):
    context = browser.new_context(viewport=DESK, offline=True)
    reader = Reader(context, built_book, f"{CHINESE.folder}/{CHAPTER}")
    assert "还没有写" in reader.output
    reader.write(WRONG)
    assert reader.check() == "wrong" and "看来" in reader.output and "给定 scores" in reader.output
    reader.write(RIGHT)
    assert reader.check() == "solved" and "已做对" in reader.output
    above = "第 1 行第 29 个字符 ， 是中文（全角）字符，"
    expect_a_sign_is_named(reader, above, "第 1 行：SyntaxError: invalid character '，'")
    assert reader.errors == [] and reader.page.get_by_text("Hint 1").count() == 0
    assert reader.page.get_by_text("提示 1").count() == 3
    context.close()


def press(reader, name: str):
    """Click a link of the header where it is; Playwright's own click would scroll the page first."""
    box = reader.get_by_role("link", name=name, exact=True).bounding_box()
    reader.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def test_the_switch_leads_to_the_same_place(reader, built_book):
    reader.goto((built_book / f"{CHAPTER}.html").as_uri())
    reader.evaluate("document.getElementById('two-masks-at-once').scrollIntoView({ behavior: 'instant' })")
    press(reader, "中文")
    reader.wait_for_url("**/zh/chapters/04-masked-softmax.html#two-masks-at-once")
    assert reader.locator("#two-masks-at-once > h3").inner_text().startswith("4.2.1. 两个掩码一起用")
    top = "document.getElementById('two-masks-at-once').getBoundingClientRect().top"
    assert 0 <= reader.evaluate(top) < DESK["height"] / 2
    press(reader, "English")
    reader.wait_for_url(re.compile(r"html/chapters/04-masked-softmax\.html#two-masks-at-once$"))
    reader.evaluate("window.scrollTo({ top: 0, behavior: 'instant' })")
    press(reader, "中文")
    reader.wait_for_url(re.compile(r"zh/chapters/04-masked-softmax\.html$"))


@pytest.mark.parametrize("query", ["空行", "对数求和指数", "“掩蔽 softmax”"])
def test_the_search_finds_chinese(reader, chinese, query):
    reader.goto((chinese / "search.html").as_uri())
    reader.locator(".book-search input").fill(query)
    reader.wait_for_selector(".search-page")
    found = reader.locator(".search-page > h2").all_inner_texts()
    assert "4. 掩蔽 softmax" in found
    assert re.search(r"\d 页中的 \d+ 处", reader.locator(".search-told").inner_text())
    assert query.strip("“”") in reader.locator("#search-results mark").all_inner_texts()
    reader.locator(".search-page", has_text="4. 掩蔽 softmax").locator("h3 a").first.click()
    reader.wait_for_url("**/zh/chapters/04-masked-softmax.html*")


def test_a_quiz_answers_in_chinese(reader, chinese):
    reader.goto((chinese / f"{CHAPTER}.html").as_uri())
    reader.get_by_role("radio", name="0.625 和 0.375").check()
    assert reader.locator(".choice-verdict").inner_text() == "✓ 正确"
    assert reader.locator(".choice-score p").inner_text() == "已答 1 题，一次答对 1 题，还剩 3 题"
    reader.get_by_role("link", name="English").click()
    reader.wait_for_url(re.compile(r"html/chapters/04-masked-softmax\.html"))
    assert comes_back(reader, reader.get_by_role("radio", name="0.625 and 0.375").is_checked)
