"""Sentence pairs: the book's own, English–French and English–Chinese, and Tatoeba's."""

import hashlib
import re
from pathlib import Path

from attnbook.checks import check_choice
from attnbook.data.download import cache_folder, download_tatoeba
from attnbook.data.reading import parse_strictly, read_pairs
from attnbook.data.splits import Pair

FOLDER = Path(__file__).parent
SOURCES = FOLDER / "SOURCES.md"
#: Languages that the book's English sentences have been translated into.
TARGETS = ("french", "chinese")


def bundled_pairs(target: str = "french") -> list[Pair]:
    """Read the corpus that was written for this book: short everyday sentences, several translations for some.

    Args:
        target: "french", or "chinese" (simplified characters): the same English sentences, in the one or the other.

    Returns:
        The pairs, the shortest English sentences first. `SOURCES.md` beside the files says where they come from.

    Raises:
        ValueError: another target, or a file that is not the one that SOURCES.md describes, by its SHA-256.
    """
    check_choice("target", target, TARGETS)
    name, data = f"english_{target}.tsv", _corpus(target)
    sha256 = hashlib.sha256(data).hexdigest()
    documented = re.search(
        rf"## {re.escape(name)}.*?\b([0-9a-f]{{64}})\b",
        SOURCES.read_text("utf-8"),
        re.DOTALL,
    )
    if documented is None or documented[1] != sha256:
        raise ValueError(
            f"{name} has SHA-256 {sha256}, which SOURCES.md does not name: the file was changed or damaged; install "
            "the book again, or write the new sum into SOURCES.md if you meant it"
        )
    return parse_strictly(data, name)


def corpus_sha256(target: str = "french") -> str:
    """What a model that was trained on the book's corpus says about its data.

    Args:
        target: see `bundled_pairs`.

    Returns:
        64 hexadecimal digits, of the file with a line feed at its line ends.
    """
    return hashlib.sha256(_corpus(target)).hexdigest()


def _corpus(target: str) -> bytes:
    data = (FOLDER / f"english_{target}.tsv").read_bytes()
    return data.replace(b"\r\n", b"\n")  # as git may check it out


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
