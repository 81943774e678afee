"""The book in other languages: where translations are, and which pages they leave in English.

The English is the only source. `locale/CODE/LC_MESSAGES/PAGE.po` holds a page's sentences with their translations; what
is not translated is shown in English. `catalogs` takes the sentences from a built book, `checks` compares a translation
with its English. `python -m tools.translate` runs both; locale/README.md says how to write a translation.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polib

from tools import ROOT

if TYPE_CHECKING:  # it takes its time, and most that is here needs none of it
    from sphinx.application import Sphinx

LOCALE = ROOT / "locale"
HAN = "\u3007\u4e00-\u9fff"  # Chinese characters, for a class of a pattern
CHINESE_SIGN = f"[{HAN}\u3000-\u303f\uff00-\uffef]"  # punctuation is among them
# pages that are linked, not translated: they consist of names, measurements or addresses
ENGLISH = "chapters/api/", "chapters/bibliography", "chapters/cross-checks", "chapters/licences", "chapters/performance"


@dataclass(frozen=True)
class Language:
    """A language of the book.

    Args:
        code: as Sphinx and gettext name it, such as zh_CN; the folder below `locale`.
        folder: of its pages, below those in English.
        tag: as HTML names it, such as zh-CN.
        name: what the switch to it says.
        title: of the book.
        fonts: for the words of drawings, behind the Latin ones.
    """

    code: str
    folder: str
    tag: str
    name: str
    title: str
    fonts: str

    def catalog(self, page: str) -> Path:
        """The file with the translations of a page, such as `chapters/glossary`."""
        return LOCALE / self.code / "LC_MESSAGES" / f"{page}.po"


CHINESE_FONTS = "PingFang SC, Microsoft YaHei, Noto Sans CJK SC"
LANGUAGES = {"zh_CN": Language("zh_CN", "zh", "zh-CN", "中文", "注意力", CHINESE_FONTS)}


def translation(app: Sphinx) -> Language | None:
    """The language into which a Sphinx application translates the book; none, if that is English."""
    return LANGUAGES.get(app.config.language)


def english_home(app: Sphinx) -> str:
    """The address below which the English pages are published; nothing, if the book has none."""
    language = translation(app)
    return app.config.html_baseurl.removesuffix(f"{language.folder}/" if language else "")


def english_site(app: Sphinx) -> Path | None:
    """The folder of the English pages, if it is these that a Sphinx application builds, as HTML.

    What all languages share is written there, and only then.
    """
    return Path(app.outdir) if app.builder.format == "html" and translation(app) is None else None


def own_pages(site: Path) -> list[Path]:
    """The pages of a built book that are its own, in order: none of another language's below them."""
    others = "_static", *(language.folder for language in LANGUAGES.values())
    return sorted(path for path in site.rglob("*.html") if path.relative_to(site).parts[0] not in others)


def write_if_new(path: Path, text: str) -> None:
    """Write a file of the site, unless it says just that: a browser and the search go by its age."""
    if not path.is_file() or path.read_text("utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def is_translated(page: str) -> bool:
    """Whether a page is to be translated at all."""
    return not page.startswith(ENGLISH)


def entries(path: Path) -> list[polib.POEntry]:
    """What a catalog holds, without what has vanished from the page; nothing, if there is no such file."""
    return [entry for entry in polib.pofile(str(path)) if not entry.obsolete] if path.is_file() else []


def translations(language: Language, page: str, *kinds: str) -> dict[str, str]:
    """What is translated of a page, English to translation: all of it, or what its catalog's comments call so."""
    return {
        entry.msgid: entry.msgstr
        for entry in entries(language.catalog(page))
        if entry.msgstr and (not kinds or entry.comment in kinds)
    }
