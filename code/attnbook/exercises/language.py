"""The language in which the checker speaks: `ATTNBOOK_LANGUAGE` (such as zh_CN), or else that of the system.

The English is the source: a sentence without a translation is said in English. Translations are written in locale/ and
compiled whenever the environment is made ready (`make lab`) and the book is built; a page brings its own.
"""

import functools
import gettext
import os
import re
from pathlib import Path

VARIABLE = "ATTNBOOK_LANGUAGE"
CATALOGS = Path(__file__).with_name("catalogs")  # made: CODE/LC_MESSAGES/exercises.mo
DOMAIN = "exercises"
NO_GAP = re.compile(r"(?<=[，。：；？！、]) |(?<=[\u4e00-\u9fff]) (?=[\u4e00-\u9fff])")
GAP = re.compile(r"(?<=[\u4e00-\u9fff])(?=[A-Za-z0-9`<α-ωΑ-Ω])")


@functools.cache
def _translations(wish: str) -> gettext.NullTranslations:
    languages = [wish.replace("-", "_")] if wish else None  # None: what LANGUAGE, LC_ALL and LANG say
    return gettext.translation(DOMAIN, CATALOGS, languages, fallback=True)


def say(english: str, /, **facts: object) -> str:
    """A sentence in the reader's language; each {name} in it stands for a fact, and stays where there are none."""
    said = _translations(os.environ.get(VARIABLE, "")).gettext(english) if english else ""
    return said.format_map(facts) if facts else said


def later(english: str) -> str:
    """A sentence that another line says: the mark by which it comes into the catalogs."""
    return english


def joined(text: str) -> str:
    """A text put together from several, with the gaps of Chinese: none beside Han and full stops, one before Latin."""
    return GAP.sub(" ", NO_GAP.sub("", text))
