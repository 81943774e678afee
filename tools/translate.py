"""Translations of the book: take its sentences, say what is open, check what is done.

    python -m tools.translate                    the built book's sentences into all catalogs, and how much is done
    python -m tools.translate open PAGE …        what is not translated, beside what was there before it was changed
    python -m tools.translate check [PAGE …]     whether translations keep what they must; needs no build
    python -m tools.translate terms [WORD …]     the glossary's words, or those that hold a word

A page is named as its file: 04-masked-softmax (with its drawings), glossary, index; `words` is what the book says
outside its texts, and a figure is named as its folder, or kit; an exercise as `check` calls it, or checker. So is each
by what `open` and `check` print: drawings/04-masked-softmax.
`--language zh_CN` names one of several languages.
locale/README.md says how a translation is written.
"""

import argparse
import itertools
import sys
from collections.abc import Iterable

import polib

from tools import ROOT
from tools.languages import LANGUAGES, LOCALE, Language, drawings, exercises, figures
from tools.languages.builder import messages_outside_texts
from tools.languages.catalogs import (
    catalog_faults,
    coverage,
    documents,
    open_sentences,
    page_messages,
    terms,
    update_catalogs,
)


def known_pages(language: Language, names: list[str], new: Iterable[str] = ()) -> list[str]:
    """The catalogs of these names, or all. A chapter's name means its page and its drawings, a whole path one catalog.

    Args:
        language: whose.
        names: of which; none for all.
        new: catalogs that are to be made.

    Raises:
        SystemExit: there is none of such a name.
    """
    top = language.catalog("index").parent
    pages = sorted({path.relative_to(top).with_suffix("").as_posix() for path in top.rglob("*.po")} | {*new})
    short = {page: page.rpartition("/")[2] for page in pages}
    named = {name: [page for page in pages if name in (page, short[page])] for name in names}
    if missing := [name for name, matching in named.items() if not matching]:
        known = " ".join(dict.fromkeys(short.values()))
        raise SystemExit(f"no catalog of {', '.join(missing)} in {top.relative_to(ROOT)}; there are: {known}")
    return list(dict.fromkeys(itertools.chain(*named.values()))) if names else pages


def _update(language: Language, names: list[str]) -> int:
    pages = documents()
    messages = {page: page_messages(page, document) for page, document in pages.items()}
    messages["words"] = messages_outside_texts(pages.values())
    messages |= figures.messages_by_catalog(pages) | drawings.messages_by_catalog(pages)
    messages |= exercises.messages_by_catalog()
    asked = known_pages(language, names, messages)
    changed = update_catalogs(language, messages)
    for page in asked:
        print(f"{coverage(language, page):5.0%} {page}")
    print(f"{len(changed)} catalogs of {LOCALE.name}/{language.code} have changed.")
    return 0


def _open(language: Language, names: list[str]) -> int:
    for page in known_pages(language, names):
        for sentence, before in open_sentences(polib.pofile(str(language.catalog(page)))):
            print(f"{page}: {sentence}")
            if before is not None:
                print(f"  was: {before.msgid}\n       {before.msgstr}")
    return 0


def _check(language: Language, names: list[str]) -> int:
    pages = known_pages(language, names)
    faults = [f"{page}: {fault}" for page in pages for fault in catalog_faults(language, page)]
    print(*faults, f"{len(faults)} faults", sep="\n")
    return bool(faults)


def _terms(language: Language, names: list[str]) -> int:
    for term, word in terms(language).items():
        if not names or any(name.lower() in f"{term} {word}".lower() for name in names):
            print(f"{term} → {word}")
    return 0


def main(arguments: list[str] | None = None) -> int:
    """Do what is asked for each language; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.translate", description=__doc__.splitlines()[0])
    actions = {"update": _update, "open": _open, "check": _check, "terms": _terms}
    parser.add_argument("action", nargs="?", choices=actions, default="update")
    parser.add_argument("names", nargs="*", metavar="NAME", help="pages; for `terms`, words")
    parser.add_argument("--language", choices=LANGUAGES, help="one of them")
    options = parser.parse_args(arguments)
    languages = [LANGUAGES[options.language]] if options.language else LANGUAGES.values()
    try:
        return max(actions[options.action](language, options.names) for language in languages)
    except OSError as error:  # there is no book, or a catalog is no catalog: polib says in which line
        raise SystemExit(f"error: {error}") from None


if __name__ == "__main__":
    sys.exit(main())
