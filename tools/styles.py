"""The theme's style sheets as a page needs them: one file, without rules for what no page contains.

Most of the theme's rules are for icons and for parts of Bootstrap that this book does not use. A rule goes if each of
its selectors names a class that occurs in no page and no script. The icons' fonts keep only the icons that are left.
"""

import hashlib
import re
from os.path import relpath
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
RULE = re.compile(r"([^{}]+)(\{[^{}]*\})")
IMPORT = re.compile(r'@import "([^"]+)";?')
ADDRESS = re.compile(r'url\((?!["\']?data:)["\']?([^)"\']+)["\']?\)')
ICON = re.compile(r"\\(f[0-9a-f]{3})|([\ue000-\uf8ff])")
FONT = re.compile(r'src:url\(([^)]*/)([\w-]+)\.woff2\) format\("woff2"\)[^}]*')
SHEET = re.compile(r'\n\s*<link [^>]*?href="((?:\.\./)*_static/)([^"?]+\.css)[^>]*>')
BUNDLE = "styles/theirs.css"
NAMED = re.compile(re.escape(BUNDLE) + r"(\?v=\w+)?")
# the theme writes pygments.css after everything else
OURS = BUNDLE, "book.css", "pygments.css", "attnbook/", "classroom/", "katex/"


def words(built: Path) -> set[str]:
    """Whatever may be the name of a class, on a page of the book or in one of its scripts."""
    found = set()
    for path in built.rglob("*"):
        data = path.name.startswith(("model-", "searchindex"))
        packed = path.parent.name == "classroom" and path.name != "page.js"
        if path.suffix in (".html", ".js") and not data and not packed:
            found.update(path.read_text("utf-8").split())
    return set(re.findall(r"[\w-]+", " ".join(found)))


def without_unused(css: str, used: set[str]) -> str:
    """A style sheet without comments, and without selectors and rules that can match nothing.

    Args:
        css: the text of the style sheet.
        used: names of classes; others may be among them.
    """

    def matches(selector: str) -> bool:
        while (outer := re.sub(r"\([^()]*\)", "", selector)) != selector:
            selector = outer  # what `:not(…)` and `:is(…)` name need not be there
        names = re.findall(r"\.((?:[A-Za-z_-]|\\.)(?:[\w-]|\\.)*)", selector)
        return all(name.replace("\\", "") in used for name in names)

    def shorter(rule: re.Match) -> str:
        before, end, selectors = rule[1].rpartition(";")  # @charset and the like
        if selectors.lstrip().startswith("@"):
            return rule[0]
        parts, depth = [""], 0
        for char in selectors:
            depth += (char == "(") - (char == ")")
            if char == "," and not depth:
                parts.append("")
            else:
                parts[-1] += char
        left = ",".join(filter(matches, parts))
        return before + end + (left + rule[2] if left else "")

    return RULE.sub(shorter, COMMENT.sub("", css))


def _text(path: Path, into: Path) -> str:
    """A style sheet with those that it imports, and with addresses as seen from another folder."""
    css = path.read_text("utf-8")
    css = IMPORT.sub(lambda found: _text(path.parent / found[1], into), css)

    def seen(found):
        return f"url({relpath(path.parent / found[1], into)})"

    return css if path.parent == into else ADDRESS.sub(seen, css)


def _cut_fonts(css: str, folder: Path) -> str:
    icons = {int(code, 16) if code else ord(icon) for code, icon in ICON.findall(css)}

    def cut(found):
        place = folder / found[1]
        font = TTFont(place / f"{found[2]}.ttf", recalcTimestamp=False)
        cutter = subset.Subsetter(subset.Options(layout_features=[], notdef_outline=True))
        cutter.populate(unicodes=icons)
        cutter.subset(font)
        font.flavor = "woff"
        font.save(place / f"{found[2]}.woff")
        for name in (f"{found[2]}.ttf", f"{found[2]}.woff2"):
            (place / name).unlink()
        return f'src:url({found[1]}{found[2]}.woff) format("woff")'

    return FONT.sub(cut, css)


def bundle(built: Path) -> None:
    """Make one style sheet of the theme's and its extensions', and let all pages of a built book name it.

    Pages that an earlier build has left name it already.
    """
    static, used, names = built / "_static", words(built), {}
    for page in built.rglob("*.html"):
        text = page.read_text("utf-8")
        found = [s for s in SHEET.finditer(text) if not s[2].startswith(OURS)]
        if not found:
            continue
        for sheet in found:
            names.setdefault(sheet[2])
        tag = f'\n    <link rel="stylesheet" href="{found[0][1]}{BUNDLE}">'
        text = SHEET.sub(lambda s: s[0] if s[2].startswith(OURS) else "", text)
        page.write_text(text[: found[0].start()] + tag + text[found[0].start() :], "utf-8")
    if not names:
        return
    folder = static / "styles"
    css = without_unused("".join(_text(static / n, folder) for n in names), used)
    css = _cut_fonts(css, folder)
    version = hashlib.sha256(css.encode()).hexdigest()[:8]
    for name in names:
        (static / name).unlink()
    (static / BUNDLE).write_text(css, "utf-8")
    for page in built.rglob("*.html"):
        text = page.read_text("utf-8")
        page.write_text(NAMED.sub(f"{BUNDLE}?v={version}", text), "utf-8")
