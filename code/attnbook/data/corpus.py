"""English–French sentence pairs: the book's own, and Tatoeba's in any of their common formats."""

import hashlib
import re
import zipfile
from pathlib import Path, PurePosixPath

from attnbook.data.download import cache_folder, download_tatoeba
from attnbook.data.splits import Pair

CORPUS = Path(__file__).with_name("english_french.tsv")
SOURCES = Path(__file__).with_name("SOURCES.md")
ZIP_START = b"PK\x03\x04"
# bytes of a text that is unpacked; Tatoeba's fra.txt has 40 million
LARGEST = 100_000_000
# what can be unpacked piece by piece: a few bytes of bzip2 or LZMA may become gigabytes at once
METHODS = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED


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
    return _parse(data, CORPUS.name)


def read_pairs(path: str | Path) -> list[Pair]:
    """Read sentence pairs from a file: one per line, a sentence, a tab, its translation, and perhaps a third column.

    Tatoeba's pairs come in these formats: `fra.txt` with two or three columns, the same as `.tsv`, or d2l's
    `fra-eng.zip` with `fra.txt` in it. A file is read whole or not at all.

    Args:
        path: the file.

    Returns:
        The pairs as they are written, in their order; `normalise` makes spellings equal.

    Raises:
        FileNotFoundError: no such file.
        ValueError: a damaged zip, one without fra.txt, an empty file, text that is not UTF-8, or a line without a
            tab, with a different number of columns, with an empty sentence, or cut off; the message names the line.
    """
    path = Path(path)
    if not path.is_file():
        kind = "a folder" if path.is_dir() else "not there"
        raise FileNotFoundError(
            f"{path} is {kind}; pass a file: fra.txt, a .tsv, or fra-eng.zip"
        )
    data = path.read_bytes()
    if path.suffix.lower() == ".zip" or data.startswith(ZIP_START):
        name, data = _from_zip(path)
        return _parse(data, f"{path}, {name}")
    return _parse(data, str(path))


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


def _from_zip(path: Path) -> tuple[str, bytes]:
    """The name and the content of the one fra.txt in a zip."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = [
                name
                for name in archive.namelist()
                if PurePosixPath(name).name == "fra.txt"
            ]
            problem = "".join(_too_much(archive.getinfo(name)) for name in names)
            if len(names) == 1 and not problem:
                with archive.open(names[0]) as file:  # it compares the checksum
                    # read() without a number unpacks up to 2 GB, whatever the zip states
                    return names[0], file.read(archive.getinfo(names[0]).file_size)
            inside = ", ".join(archive.namelist()[:5]) or "nothing"
    except (zipfile.BadZipFile, EOFError, OSError, RuntimeError, ValueError) as error:
        raise ValueError(
            f"{path} is not a whole zip file ({error}); it may be cut off: delete it and download it again"
        ) from error
    except Exception as error:  # of zlib, which has an error class of its own
        raise ValueError(
            f"{path} is damaged: fra.txt in it cannot be unpacked ({error}); download it again"
        ) from error
    if len(names) == 1:
        raise ValueError(
            f"{path}: {names[0]} {problem}; unpack it, if you know where it comes from, and pass the file"
        )
    raise ValueError(
        f"{path} must hold one fra.txt, it holds {len(names)} (among its files: {inside}); "
        "unpack it, and pass the file that you mean"
    )


def _too_much(stated: zipfile.ZipInfo) -> str:
    """Why a file of a zip is not unpacked, or nothing."""
    if stated.compress_type not in METHODS:
        return "is not packed as zip files usually are"
    if stated.file_size > LARGEST:
        return f"would have {stated.file_size:,} bytes, and at most {LARGEST:,} are unpacked"
    return ""


def _parse(data: bytes, name: str) -> list[Pair]:
    """The pairs of a file's content; `name` is for messages."""
    if not data.strip():
        raise ValueError(f"{name} is empty; it should hold one pair per line")
    text = _decode(data, name)
    lines = text.split("\n")  # splitlines() would also split at exotic separators
    if lines.pop():
        raise ValueError(
            f"{name}, line {len(lines) + 1}: the last line has no line end, so the file seems cut off there; get it "
            "again, or, if it is whole, add a newline at its end"
        )
    pairs, columns = [], lines[0].count("\t") + 1
    for number, line in enumerate(lines, start=1):
        fields = [field.strip() for field in line.split("\t")]
        problem = _problem(fields, columns)
        if problem:
            raise ValueError(f"{name}, line {number}: {problem}; got {_short(line)}")
        pairs.append(Pair(*fields[:2]))
    return pairs


def _decode(data: bytes, name: str) -> str:
    """UTF-8, with or without a byte-order mark, or an error that says where it is not."""
    at, advice = data.find(b"\0"), "it looks like UTF-16; save it as UTF-8"
    if at < 0:
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            at, advice = error.start, "save the file as UTF-8, or get it again"
            if data.startswith(b"\xef\xbb\xbf"):
                at += 3  # the codec counts without the mark
    line = data.count(b"\n", 0, at) + 1
    raise ValueError(
        f"{name}, line {line}: byte 0x{data[at]:02x} at position {at} of the file is not UTF-8 text; {advice}"
    )


def _problem(fields: list[str], columns: int) -> str | None:
    """What is wrong with one line, in words."""
    if len(fields) == 1:
        return "no tab; expected a sentence, a tab, its translation"
    if len(fields) not in (2, 3):
        return f"{len(fields)} columns; expected 2, or 3 with an attribution"
    if len(fields) != columns:
        return f"{len(fields)} columns, but line 1 has {columns}; lines may be cut off or run together"
    if not (fields[0] and fields[1]):
        return f"the {'translation' if fields[0] else 'sentence'} is empty"
    return None


def _short(line: str) -> str:
    return repr(line if len(line) <= 60 else line[:60] + "…")
