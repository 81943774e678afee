"""The words of drawings in other languages: found, put in their places, and no wider than there is room."""

import json
import re
from functools import cache
from itertools import combinations
from xml.etree import ElementTree

import pytest

from attnbook.drawings import Picture
from attnbook.drawings.sheet import Sheet
from boxes import BOXES, overlap
from tools import ROOT
from tools.languages import HAN, LANGUAGES, Language, drawings, entries

CHINESE = LANGUAGES["zh_CN"]
CHAPTERS = sorted(path.stem for path in (ROOT / "chapters").glob("[0-9]*.ipynb"))
ONE_EM = re.compile(rf"[{HAN}\u3000-\u303f\uff00-\uffef]")
# Of each shape, the words that lie on its outline. What a filled rectangle hides below words is left out, and hatching.
TOUCHED = """
(svg) => {
  document.body.innerHTML = svg;
  const { left, top } = document.querySelector("svg").getBoundingClientRect();
  const shapes = [...document.querySelectorAll('svg > :not(text, [stroke="#999999"])')];
  for (const shape of shapes) shape.setAttribute("stroke-width", Math.max(2, shape.getAttribute("stroke-width")));
  const boxes = shapes.map((shape) => shape.getBoundingClientRect());
  const texts = [...document.querySelectorAll("svg > text")].map((text) => {
    const box = text.getBoundingClientRect();
    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    const ground = shapes.findLastIndex((shape, n) => shape.matches('rect:not([fill="none"])') &&
      boxes[n].left < x && x < boxes[n].right && boxes[n].top < y && y < boxes[n].bottom);
    return { words: text.textContent, box, ground };
  });
  return shapes.map((shape, n) => texts.filter(({ box, ground }) => {
    const edge = box.height / 12;
    if (n < ground || box.right < boxes[n].left || box.left > boxes[n].right) return false;
    if (box.bottom - edge < boxes[n].top || box.top + edge > boxes[n].bottom) return false;
    for (let x = box.left; x < box.right; x += 1.5)
      for (let y = box.top + edge; y < box.bottom - edge; y += 1.5)
        if (shape.isPointInStroke(new DOMPoint(x - left, y - top))) return true;
    return false;
  }).map(({ words }) => words));
}
"""


@cache
def shown(chapter: str) -> str:
    """What the cells of a chapter have put out as HTML."""
    cells = json.loads((ROOT / f"chapters/{chapter}.ipynb").read_text("utf-8"))["cells"]
    outputs = [output.get("data", {}) for cell in cells for output in cell.get("outputs", [])]
    return "".join("".join(data.get("text/html", [])) for data in outputs)


def words(chapter: str) -> dict[str, str]:
    catalog = CHINESE.catalog(drawings.catalog_name(f"chapters/{chapter}"))
    return {e.msgid: e.msgstr for e in entries(catalog) if e.msgstr}


@pytest.fixture
def sheet() -> Sheet:
    sheet = Sheet(340)
    sheet.text(10, 20, "a key & W_O", anchor="start")
    sheet.box(0, 30, 100, 60, "three lines\nof one\ntext", italic=True)
    sheet.box(200, 30, 100, 60, "two\nlines")
    sheet.text(10, 120, "below it")
    sheet.text(10, 150, "far below")
    sheet.text(30, 150, "0.5 k^{2}")
    sheet.text(50, 50, "turned", turn=-90)
    return sheet


def test_words_are_found_and_lines_that_belong_together_are_one(sheet):
    assert list(drawings.drawn_messages([sheet.svg(), sheet.svg()])) == [
        "a key & W_{O}",
        "three lines\nof one\ntext",
        "two\nlines",
        "below it",
        "far below",
        "turned",
    ]


def test_words_are_replaced_and_nothing_else_is(sheet):
    known = {
        "a key & W_{O}": "键 < W_{O}",
        "three lines\nof one\ntext": "一段\n文字",
        "two\nlines": "上\n",
        "turned": "转了",
    }
    other = Sheet(340)
    other.text(10, 20, "键 < W_O", anchor="start")
    other.box(0, 30, 100, 60, "一段\n文字")
    other.box(200, 30, 100, 60)
    other.text(250, 60 + 0.35 * 15 - 0.6 * 15, "上")
    for x, y, said in ((10, 120, "below it"), (10, 150, "far below"), (30, 150, "0.5 k^{2}")):
        other.text(x, y, said)
    other.text(50, 50, "转了", turn=-90)
    assert drawings.in_words(sheet.svg(), lambda text: known.get(text, text)) == other.svg()
    assert drawings.in_words(sheet.svg(), lambda text: text) == sheet.svg()


def test_a_page_speaks_its_language(tmp_path, monkeypatch):
    def draw(sheet):
        sheet.text(50, 20, "the key")
        sheet.text(50, 80, "the value")

    language = Language("xx", "xx", "xx", "X", "X", "Some Font")
    monkeypatch.setattr("tools.languages.LOCALE", tmp_path)
    page = f'<p>the key</p>{Picture(draw, "A key.")._repr_html_()}<p>"the key"</p>'
    path = language.catalog("drawings/01-a")
    path.parent.mkdir(parents=True)
    path.write_text('msgid "the key"\nmsgstr "<键>"\n\nmsgid "A key."\nmsgstr "一个“键”。"\n', "utf-8")
    other = drawings.translate_page(page, language, "chapters/01-a")
    assert other.startswith("<p>the key</p><picture") and other.endswith('alt="一个“键”。"></picture><p>"the key"</p>')
    for english, svg in zip(drawings.drawn(page), drawings.drawn(other), strict=True):
        assert svg == english.replace(">the key<", ">&lt;键&gt;<").replace(
            'font-family="DejaVu Sans, Verdana,', 'xml:lang="xx" font-family="DejaVu Sans, Verdana, Some Font,'
        )
    assert drawings.translate_page(page, language, "chapters/02-b").count("the%20key") == 2


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_word_of_a_chapter_s_drawings_is_translated(chapter):
    known, said = words(chapter), drawings.page_messages(shown(chapter))
    assert said and [text for text in said if text not in known] == []
    svgs = drawings.drawn(drawings.translate_page(shown(chapter), CHINESE, f"chapters/{chapter}"))
    assert all(ElementTree.fromstring(svg).get("width") for svg in svgs)


@pytest.mark.browser
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_translated_words_have_room(browser, chapter):
    """Nothing is cut off, and no words lie on others or on a line, unless the English do; a Chinese sign is one em."""
    page, known = browser.new_page(), words(chapter)
    for svg in drawings.drawn(shown(chapter)):
        other = ONE_EM.sub("—", drawings.in_words(svg, lambda text: known.get(text, text)))
        found = page.evaluate(BOXES, other)
        width = float(ElementTree.fromstring(svg).get("width"))
        assert [text for text in found if text["left"] < 0 or text["right"] > width] == []
        assert [(a["words"], b["words"]) for a, b in combinations(found, 2) if overlap(a, b)] == []
        before, after = page.evaluate(TOUCHED, svg), page.evaluate(TOUCHED, other)
        assert [(a, b) for a, b in zip(before, after, strict=True) if len(b) > len(a)] == []
    page.close()
