"""The words of the interactive figures: taken from their JavaScript, and given to their pages in other languages.

Figures say what a reader reads with `say` (widgets/kit/kit.js): `say("Reset")`, `say("step {k}", { k })`, or, short,
say`step ${k}`, in whose translation `{0}` stands for k. Each figure has a catalog and, for each language, a script of
its words; its alternative text, which Python writes, is taken from the pages.
"""

import html
import json
import re
from collections.abc import Iterator

from docutils import nodes

from attnbook.widgets.kit.source import KIT, WIDGETS
from attnbook.widgets.scripts import figures_in, script_names
from tools.languages import Language, translations

BOX = re.compile(r'(<div class="attnbook-figure" data-widget="(\w+)" role="group" aria-label=")([^"]*)(")')
FRAMES = re.compile(r'data-widget="stored_frames".*?<script type="application/json">(.*?)</script>', re.DOTALL)
IMG_ALT = re.compile(r'(<img alt=")([^"]*)(")')
STRING = r'"(?:[^"\\\n]|\\.)*"'
QUOTED = re.compile(STRING)
CALL = re.compile(rf"(?<![\w.])say\(\s*({STRING}(?:\s*\+\s*{STRING})*)|(?<![\w.])say`")
# or a string, in which none begins
COMMENT = re.compile(rf"({STRING}|`(?:[^`\\]|\\.)*`)|/\*.*?\*/|^\s*//[^\n]*", re.DOTALL | re.MULTILINE)
ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))")
ALT, FIGURE = "alt text", "figure"


def catalog_name(module: str) -> str:
    """The name of a figure's catalog."""
    return f"figures/{module}"


def modules() -> list[str]:
    """The figures, and `kit`, whose words all have."""
    return ["kit", *script_names()]


def _template(text: str, start: int) -> str:
    """The template literal that begins at `start`, with {0}, {1} … in place of what is put in."""
    pieces, at, holes = [], start, 0
    while text[at] != "`":
        if text.startswith("${", at):
            depth, at = 1, at + 2
            while depth:
                string = QUOTED.match(text, at)  # a brace in it does not count
                depth += {"{": 1, "}": -1}.get(text[at], 0)
                at = string.end() if string else at + 1
            pieces.append(f"{{{holes}}}")
            holes += 1
        elif text[at] == "\\":
            escaped = ESCAPE.match(text, at)
            assert escaped, f"a template literal ends in a backslash: {text[at:]}"
            pieces.append(chr(int(escaped[1], 16)) if escaped[1] else escaped[2])
            at = escaped.end()
        else:
            pieces.append(text[at])
            at += 1
    return "".join(pieces)


def texts_in_calls(source: str) -> Iterator[str]:
    """What a script says: the texts in calls of `say`."""
    source = COMMENT.sub(r"\1", source)
    for call in CALL.finditer(source):
        if call[1]:
            yield "".join(json.loads(piece) for piece in re.findall(STRING, call[1]))
        else:
            yield _template(source, call.end())


def alternatives(documents: dict[str, nodes.document]) -> dict[str, list[str]]:
    """The alternative texts of the figures on the pages, by figure."""
    by_figure: dict[str, list[str]] = {}
    for document in documents.values():
        for node in document.findall(nodes.raw):
            for _, module, text, _ in BOX.findall(node.astext()):
                by_figure.setdefault(module, []).append(_one_line(text))
    return by_figure


def frames(documents: dict[str, nodes.document]) -> Iterator[str]:
    """The words of the stored frames on the pages, which Python writes."""
    for document in documents.values():
        for node in document.findall(nodes.raw):
            for state in map(json.loads, FRAMES.findall(node.astext())):
                yield from (state["title"], state["hint"])
                for frame in state["frames"]:
                    yield from (frame["name"], *frame["says"], frame["alt"])


def _one_line(attribute: str) -> str:
    """What an attribute says, however its source is broken into lines."""
    return " ".join(html.unescape(attribute).split())


def messages_by_catalog(documents: dict[str, nodes.document]) -> dict[str, dict[str, str]]:
    """What figures say: name of a catalog to its sentences, each with what it is."""
    messages, alts = {}, alternatives(documents)
    for module in modules():
        files = sorted((KIT if module == "kit" else WIDGETS / module).glob("*.js"))
        words = {text: FIGURE for path in files for text in texts_in_calls(path.read_text("utf-8"))}
        words |= dict.fromkeys(frames(documents), FIGURE) if module == "stored_frames" else {}
        messages[catalog_name(module)] = words | {text: ALT for text in alts.get(module, []) if text not in words}
    return messages


def _words(module: str, language: Language) -> dict[str, str]:
    """What a figure says, with its translations."""
    return translations(language, catalog_name(module), FIGURE)


def words_scripts(language: Language) -> dict[str, str]:
    """The words of each figure that has translated ones, as a script: its name in `_static` to JavaScript text."""
    by_name = {}
    for module in modules():
        if known := _words(module, language):
            text = json.dumps(known, ensure_ascii=False, indent=0)
            by_name[words_script(module, language)] = (
                f"globalThis.attnbookWords = Object.assign(globalThis.attnbookWords ?? {{}}, {text});\n"
            )
    return by_name


def words_script(module: str, language: Language) -> str:
    """The name of the script with the words of a figure."""
    return f"attnbook/words-{language.tag}/{module}.js"


def page_scripts(body: str, language: Language) -> list[str]:
    """The names of the scripts that a page with these figures loads before them."""
    shown = figures_in(body)
    return [words_script(module, language) for module in ("kit", *shown) if shown and _words(module, language)]


def translate_alternatives(page: str, language: Language) -> str:
    """A page whose figures have their alternative texts in its language."""
    known: dict[str, str] = {}
    for module in modules():
        known |= translations(language, catalog_name(module))

    def translated(alternative: re.Match[str]) -> str:
        *before, words, after = alternative.groups()
        other = known.get(_one_line(words))
        return f"{before[0]}{html.escape(other) if other else words}{after}"

    return IMG_ALT.sub(translated, BOX.sub(translated, page))
