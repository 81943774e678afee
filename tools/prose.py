"""Make the text from which the book's language models learn: the prose of chapters 1 to 18.

    python -m tools.prose              how many words the chapters' prose has now, and its SHA-256
    python -m tools.prose --store      and put it in place of the stored text

The stored text comes with the package, and data/SOURCES.md names its SHA-256. Chapters change; the models that were
trained and the numbers that were measured are of the stored text.
"""

import argparse
import hashlib
import sys
from pathlib import Path

from attnbook.data.corpus import FOLDER
from attnbook.files import write_atomically
from attnbook.language import chapter_prose
from tools import ROOT

STORED_PROSE = FOLDER / "this_book.txt"
LAST_CHAPTER = 18  # the chapters after it are about models of this text


def prose(chapters: Path = ROOT / "chapters/text") -> str:
    """The chapters' prose, one after another."""
    numbered = sorted(chapters.glob("[0-9][0-9]-*.md"))
    kept = [path for path in numbered if int(path.name[:2]) <= LAST_CHAPTER]
    return "\n\n".join(chapter_prose(path.read_text("utf-8")) for path in kept) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Say what the text is; store it if asked."""
    parser = argparse.ArgumentParser(prog="python -m tools.prose", description=__doc__.splitlines()[0])
    parser.add_argument("--store", action="store_true", help="replace the stored text, of which models were trained")
    options = parser.parse_args(arguments)
    text = prose()
    if options.store:
        write_atomically(STORED_PROSE, text)
    print(f"{len(text.split()):,} words, SHA-256 {hashlib.sha256(text.encode()).hexdigest()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
