"""The theme's style sheets as a page needs them: one file, without rules for what no page contains.

Most of the theme's rules are for icons and for parts of Bootstrap that this book does not use. A rule goes if each of
its selectors names a class that occurs in no page and no script. The icons' fonts keep only the icons that are left.
"""

import codecs
import hashlib
import re
from itertools import pairwise
from os.path import relpath
from pathlib import Path

import tinycss2
from fontTools import subset
from fontTools.ttLib import TTFont

from tools.languages import write_if_new

IMPORT = re.compile(r'@import "([^"]+)";?')
URL = re.compile(r'url\((?!["\']?data:)["\']?([^)"\']+)["\']?\)')
ICON = re.compile(r"\\(f[0-9a-f]{3})|([\ue000-\uf8ff])")
FONT = re.compile(r'src:url\(([^)]*/)([\w-]+)\.woff2\) format\("woff2"\)[^}]*')
SHEET = re.compile(r'\n\s*<link [^>]*?href="((?:\.\./)*_static/)([^"?]+\.css)[^>]*>')
BUNDLE = "styles/theirs.css"
BUNDLE_ADDRESS = re.compile(re.escape(BUNDLE) + r"(\?v=\w+)?")
COMMA = tinycss2.parse_one_component_value(",")
# the theme writes pygments.css after everything else
OWN_SHEETS = BUNDLE, "book.css", "pygments.css", "attnbook/", "classroom/", "katex/"


def class_names_in(built: Path) -> set[str]:
    """Whatever may be the name of a class, on a page of the book or in one of its scripts."""
    tokens = set()
    for path in built.rglob("*"):
        in_editor = path.parent.name == "classroom" and path.name != "page.js"
        if path.suffix in (".html", ".js") and not in_editor:
            content = path.read_bytes()
            if not content.startswith(codecs.BOM_UTF16_LE):  # packed data
                tokens.update(content.decode().split())
    return set(re.findall(r"[\w-]+", " ".join(tokens)))


def without_unused(css: str, used: set[str]) -> str:
    """A style sheet without comments, and without selectors and rules that can match nothing.

    Args:
        css: the text of the style sheet.
        used: names of classes; others may be among them.
    """
    return tinycss2.serialize(_left(tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True), used))


def _left(rules: list, used: set[str]) -> list:
    left = []
    for rule in rules:
        if rule.type == "at-rule" and rule.lower_at_keyword in ("media", "supports"):
            rule.content = _left(tinycss2.parse_rule_list(rule.content, True, True), used)
        elif rule.type == "qualified-rule":
            rule.prelude = _matching(rule.prelude, used)
            if not rule.prelude:
                continue
        left.append(rule)
    return left


def _matching(prelude: list, used: set[str]) -> list:
    """The selectors of a list whose classes are all used; what `:not(…)` and `:is(…)` name need not be there."""
    commas = [number for number, token in enumerate(prelude) if token == ","]
    selectors = [prelude[a + 1 : b] for a, b in pairwise([-1, *commas, len(prelude)])]
    matching = [
        s for s in selectors if all(n.value in used for dot, n in pairwise(s) if dot == "." and n.type == "ident")
    ]
    return [token for n, s in enumerate(matching) for token in ([COMMA, *s] if n else s)]


def _text(path: Path, into: Path) -> str:
    """A style sheet with those that it imports, and with addresses as seen from another folder."""
    css = path.read_text("utf-8")
    css = IMPORT.sub(lambda match: _text(path.parent / match[1], into), css)

    def from_there(match: re.Match[str]) -> str:
        return f"url({relpath(path.parent / match[1], into)})"

    return css if path.parent == into else URL.sub(from_there, css)


def _cut_fonts(css: str, folder: Path) -> str:
    icons = {int(code, 16) if code else ord(icon) for code, icon in ICON.findall(css)}

    def cut(match: re.Match[str]) -> str:
        place = folder / match[1]
        font = TTFont(place / f"{match[2]}.ttf", recalcTimestamp=False)
        cutter = subset.Subsetter(subset.Options(layout_features=[], notdef_outline=True))
        cutter.populate(unicodes=icons)
        cutter.subset(font)
        font.flavor = "woff"
        font.save(place / f"{match[2]}.woff")
        for name in (f"{match[2]}.ttf", f"{match[2]}.woff2"):
            (place / name).unlink()
        return f'src:url({match[1]}{match[2]}.woff) format("woff")'

    return FONT.sub(cut, css)


def with_one_sheet(page: str) -> tuple[str, list[str]]:
    """A page that names `BUNDLE` in place of the theme's style sheets, and which these are, in their order.

    Where an earlier build has left it so already, it stays as it is.
    """
    sheets = [sheet for sheet in SHEET.finditer(page) if not sheet[2].startswith(OWN_SHEETS)]
    if not sheets:
        return page, []
    first = sheets[0]
    tag = f'\n    <link rel="stylesheet" href="{first[1]}{BUNDLE}">'
    rest = SHEET.sub(lambda sheet: sheet[0] if sheet[2].startswith(OWN_SHEETS) else "", page[first.start() :])
    return page[: first.start()] + tag + rest, [sheet[2] for sheet in sheets]


def bundle(built: Path) -> None:
    """Make one style sheet of the theme's and its extensions', and let all pages of a built book name it."""
    static = built / "_static"
    names: dict[str, None] = {}  # in their order
    for page in built.rglob("*.html"):
        text, sheets = with_one_sheet(page.read_text("utf-8"))
        if sheets:
            page.write_text(text, "utf-8")
            names |= dict.fromkeys(sheets)
    if names:
        folder = static / "styles"
        css = without_unused("".join(_text(static / n, folder) for n in names), class_names_in(built))
        css = _cut_fonts(css, folder)
        version = hashlib.sha256(css.encode()).hexdigest()[:8]
        (static / BUNDLE).write_text(css, "utf-8")
        for page in built.rglob("*.html"):
            write_if_new(page, BUNDLE_ADDRESS.sub(f"{BUNDLE}?v={version}", page.read_text("utf-8")))
    for sheet in static.rglob("*.css"):  # Sphinx copies some anew at each build, of which no page is new
        if not sheet.relative_to(static).as_posix().startswith(OWN_SHEETS):
            sheet.unlink()
