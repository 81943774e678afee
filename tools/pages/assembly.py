"""The pages of another language, as they stand below the English ones: lighter, and with all words in that language.

Sphinx translates the text of a page (`tools.languages.builder`). What the theme, drawings, figures and exercises say
comes here, once a page is written: Sphinx would not write it again when one of their catalogs changes.
"""

import json
import re
from pathlib import Path

from attnbook.widgets.page import PICTURES, with_picture_files
from tools.languages import Language, drawings, exercises, figures, translations, write_if_new
from tools.languages.builder import CLAIMED, words_script
from tools.pages import search
from tools.pages.finish import lighter
from tools.pages.styles import with_one_sheet

# a text between two tags, or an attribute
TEXT_OR_ATTRIBUTE = re.compile(r'(>\s*)([^<>\s][^<>]*?)(?=\s*<)|(=")([^"]+)(?=")')
SHARED_ADDRESS = re.compile(r'((?:href|src)=")((?:\.\./)*)((?:_static|_images|_sources)/[^"?#]*)(\?[^"#]*)?')
TRANSLATIONS = re.compile(r"\n\s*<script[^>]*/translations\.js[^>]*></script>")
CLAIMS = re.compile(re.escape(CLAIMED).replace(r"\{number\}", r"(\d+)"))


def assembled(page: str, language: Language, known: dict[str, str], site: Path, versions: dict[str, str]) -> str:
    """A page as it is among those of the whole book.

    Args:
        page: HTML as Sphinx has written it.
        language: its own.
        known: the words of the page outside its text, English to translation.
        site: the folder of the English pages.
        versions: what the English pages name: an address in `_static` to what follows its question mark.
    """
    page, _ = with_one_sheet(page)
    page = TRANSLATIONS.sub("", lighter(page, site)).replace("LANGUAGE: 'en'", f"LANGUAGE: '{language.tag}'")
    page = TEXT_OR_ATTRIBUTE.sub(lambda at: (at[1] or at[3]) + known.get(at[2] or at[4], at[2] or at[4]), page)
    for english, other in known.items():
        page = page.replace(f"<title>{english} ", f"<title>{other} ")
    page = CLAIMS.sub(lambda at: known[CLAIMED].format(number=at[1]) if CLAIMED in known else at[0], page)
    general = words_script(language)
    if tag := re.search(rf"\n[^\n]*{re.escape(general)}[^\n]*", page):
        of_figures = [tag[0].replace(general, name) for name in figures.page_scripts(page, language)]
        page = page.replace(tag[0], "".join([tag[0], *of_figures]), 1)
    page = exercises.translate_page(figures.translate_alternatives(page, language), language)

    def shared(match: re.Match[str]) -> str:
        return f"{match[1]}{match[2]}../{match[3]}{versions.get(match[3], '')}"

    return SHARED_ADDRESS.sub(shared, page)


def assemble(made: Path, language: Language, site: Path) -> None:
    """Put the pages of a language below those in English; what has not changed is not written again.

    Args:
        made: the folder in which Sphinx has made them.
        language: theirs.
        site: the folder of the English pages.
    """
    text = json.dumps(translations(language, "words", "script"), ensure_ascii=False, indent=0)
    write_if_new(site / "_static" / words_script(language), f"globalThis.attnbookWords = {text};\n")
    for address, script in figures.words_scripts(language).items():
        write_if_new(site / "_static" / address, script)
    page_words = translations(language, "words", "page")
    folder = site / language.folder
    names = {path.relative_to(made) for path in made.rglob("*.html") if "_static" not in path.parts}
    english = "".join((site / name).read_text("utf-8") for name in names)
    versions = {address: version for _, _, address, version in SHARED_ADDRESS.findall(english)}
    for name in names:
        page = assembled((made / name).read_text("utf-8"), language, page_words, site, versions)
        page = drawings.translate_page(page, language, name.with_suffix("").as_posix())
        address = f"{'../' * len(name.parts)}{PICTURES}"
        write_if_new(folder / name, with_picture_files(page, site / PICTURES, address))
    for old in folder.rglob("*.html"):
        if old.relative_to(folder) not in names:
            old.unlink()
    search.write_text(site, language)
