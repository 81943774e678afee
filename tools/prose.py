"""Make the text from which the book's language models learn: the prose of chapters 1 to 18.

    python -m tools.prose

It is stored with the package, and data/SOURCES.md names its SHA-256. Chapters change; the models that were trained and
the numbers that were measured are of the stored text.
"""

import hashlib
from pathlib import Path

from attnbook.data.corpus import FOLDER
from attnbook.files import write_atomically
from attnbook.language import chapter_prose
from tools import ROOT

LAST = 18  # the chapters after it are about models of this text


def prose(chapters: Path = ROOT / "chapters/text") -> str:
    """The chapters' prose, one after another."""
    numbered = sorted(chapters.glob("[0-9][0-9]-*.md"))
    kept = [path for path in numbered if int(path.name[:2]) <= LAST]
    return "\n\n".join(chapter_prose(path.read_text("utf-8")) for path in kept) + "\n"


if __name__ == "__main__":
    text = prose()
    write_atomically(FOLDER / "this_book.txt", text)
    print(f"{len(text.split()):,} words, SHA-256 {hashlib.sha256(text.encode()).hexdigest()}")
