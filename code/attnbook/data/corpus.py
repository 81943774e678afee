"""English–French sentence pairs: the book's own, and Tatoeba's."""

import hashlib
import re
from pathlib import Path

from attnbook.data.download import cache_folder, download_tatoeba
from attnbook.data.reading import parse_strictly, read_pairs
from attnbook.data.splits import Pair

CORPUS = Path(__file__).with_name("english_french.tsv")
SOURCES = Path(__file__).with_name("SOURCES.md")


def bundled_pairs() -> list[Pair]:
    """Read the corpus that was written for this book: short everyday sentences, several translations for some.

    Returns:
        The pairs, the shortest English sentences first. `SOURCES.md` beside the file says where they come from.

    Raises:
        ValueError: the file is not the one that SOURCES.md describes, by its SHA-256.
    """
    data = CORPUS.read_bytes().replace(b"\r\n", b"\n")  # as git may check it out
    sha256 = hashlib.sha256(data).hexdigest()
    documented = re.search(
        rf"## {re.escape(CORPUS.name)}.*?\b([0-9a-f]{{64}})\b",
        SOURCES.read_text("utf-8"),
        re.DOTALL,
    )
    if documented is None or documented[1] != sha256:
        raise ValueError(
            f"{CORPUS.name} has SHA-256 {sha256}, which {SOURCES.name} does not name: the file was changed or damaged; "
            "install the book again, or write the new sum into SOURCES.md if you meant it"
        )
    return parse_strictly(data, CORPUS.name)


def tatoeba_pairs(path: str | Path | None = None) -> list[Pair]:
    """Read Tatoeba's English–French pairs, from a file of yours or, if need be, from the network.

    Args:
        path: the file; None takes `fra.txt` in the book's cache folder if you put one there, and downloads d2l's
            `fra-eng.zip` into that folder if not.

    Returns:
        The pairs as they are written, in their order.

    Raises:
        FileNotFoundError, ValueError: as `read_pairs`.
        ConnectionError: there is no file, and the download failed; the message says where to put one.
    """
    if path is None:
        own = cache_folder() / "fra.txt"
        path = own if own.is_file() else download_tatoeba()
    return read_pairs(path)
