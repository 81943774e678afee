"""The words of the chapters' drawings (attnbook.drawings): taken from the built pages, and put into other languages.

Each page with drawings has a catalog, `drawings/PAGE`. A message is what stands in a drawing as one text: a line, or
several that follow each other closely, at the same place and in the same type. Its translation may have fewer lines;
they stand around the same middle. `_{a}` and `^{a}` lower and raise what is in the braces. What has no two letters
beside each other (numbers, signs, formulas) is no message.
"""

import html
import re
from collections.abc import Callable
from urllib.parse import unquote

from docutils import nodes

from attnbook.drawings.sheet import address, marked
from tools.languages import HAN, Language, translations
from tools.languages.checks import WORD

DRAWING = re.compile(r'<picture class="attnbook-drawing">.*?</picture>', re.DOTALL)
SVG_ADDRESS = re.compile(r'data:image/svg\+xml,([^"]*)')
DESCRIBED = re.compile(r'alt="([^"]*)"')
SVG_TEXT = re.compile(r'<text x="([^"]*)" y="([^"]*)"([^>]*[^>/])>(.*?)</text>')
SVG_TEXTS = re.compile(rf"(?:{SVG_TEXT.pattern})+")
SPAN = re.compile(r'<tspan(?: dy="(-?)[^"]*")?( font-size="[^"]*")?>(.*?)</tspan>')
MARK = re.compile(r"[_^]\{[^}]*\}")
SIZE = re.compile(r'font-size="([^"]*)"')
APART = 1.5  # base lines of one text, in sizes of its type
KIND, ALT = "drawing", "alt text"


def catalog_name(page: str) -> str:
    """The name of the catalog with the words of a page's drawings."""
    return page.replace("chapters/", "drawings/")


def _size(look: str) -> float:
    size = SIZE.search(look)
    return float(size[1]) if size else 15


def _words(inner: str) -> str:
    """What a text says, as `Sheet.text` takes it."""
    text = SPAN.sub(lambda span: f"{'^' if span[1] else '_'}{{{span[3]}}}" if span[2] else span[3], inner)
    return html.unescape(text)


def _blocks(texts: str) -> list[list[re.Match[str]]]:
    """Texts that stand beside each other in the SVG, those together that are the lines of one."""
    blocks: list[list[re.Match[str]]] = []
    for text in SVG_TEXT.finditer(texts):
        last = blocks[-1][-1] if blocks else text
        below = float(text[2]) - float(last[2])
        if last.group(1, 3) == text.group(1, 3) and 0 < below <= APART * _size(text[3]):
            blocks[-1].append(text)
        else:
            blocks.append([text])
    return blocks


def _text_of(block: list[re.Match[str]]) -> str:
    return "\n".join(_words(line[4]) for line in block)


def in_words(svg: str, translate: Callable[[str], str]) -> str:
    """A drawing whose words are others; nothing else changes.

    Args:
        svg: as `Sheet.svg` makes it.
        translate: from what a text says to what it says then.
    """

    def block(lines: list[re.Match[str]]) -> str:
        before = _text_of(lines)
        after = translate(before)
        if after == before:
            return "".join(line[0] for line in lines)
        x, look, size = lines[0][1], lines[0][3], _size(lines[0][3])
        if re.search(f"[{HAN}]", after):
            look = look.replace(' font-style="italic"', "")
        first, last = float(lines[0][2]), float(lines[-1][2])
        apart = (last - first) / (len(lines) - 1) if len(lines) > 1 else 1.2 * size
        words = after.split("\n")
        top = (first + last - apart * (len(words) - 1)) / 2
        return "".join(
            f'<text x="{x}" y="{round(top + apart * n, 1):g}"{look}>{marked(line, size)}</text>'
            for n, line in enumerate(words)
            if line
        )

    return SVG_TEXTS.sub(lambda texts: "".join(map(block, _blocks(texts[0]))), svg)


def drawn(page: str) -> list[str]:
    """The drawings of a page, wide and narrow, as SVG."""
    svgs = (svg for picture in DRAWING.findall(page) for svg in SVG_ADDRESS.findall(picture))
    return [unquote(html.unescape(svg)) for svg in svgs]


def drawn_messages(svgs: list[str]) -> dict[str, str]:
    """What drawings say: each text once, with what it is."""
    beside = (texts[0] for svg in svgs for texts in SVG_TEXTS.finditer(svg))
    drawn = (_text_of(block) for texts in beside for block in _blocks(texts))
    return {text: KIND for text in drawn if WORD.search(MARK.sub(" ", text))}


def page_messages(page: str) -> dict[str, str]:
    """What the drawings of a page say, with their alternative texts; each with what it is."""
    alts = {html.unescape(alt): ALT for picture in DRAWING.findall(page) for alt in DESCRIBED.findall(picture)}
    return drawn_messages(drawn(page)) | alts


def messages_by_catalog(documents: dict[str, nodes.document]) -> dict[str, dict[str, str]]:
    """What drawings say: name of a catalog to its messages, each with what it is."""
    pages = {page: "".join(n.astext() for n in document.findall(nodes.raw)) for page, document in documents.items()}
    return {catalog_name(page): words for page, text in pages.items() if (words := page_messages(text))}


def translate_page(page: str, language: Language, name: str) -> str:
    """A page whose drawings speak its language.

    Args:
        page: HTML.
        language: its own.
        name: of the page, such as chapters/04-masked-softmax.
    """
    known = translations(language, catalog_name(name))

    def drawing(picture: re.Match[str]) -> str:
        svg = in_words(unquote(html.unescape(picture[1])), lambda text: known.get(text, text))
        svg = svg.replace(" font-family=", f' xml:lang="{language.tag}" font-family=', 1)
        return address(svg.replace(", system-ui,", f", {language.fonts}, system-ui,", 1))

    def described(alternative: re.Match[str]) -> str:
        alt = html.unescape(alternative[1])
        return f'alt="{html.escape(known.get(alt, alt))}"'

    return DRAWING.sub(lambda picture: DESCRIBED.sub(described, SVG_ADDRESS.sub(drawing, picture[0])), page)
