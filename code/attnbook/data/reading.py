"""Sentence pairs from a file, as they go round: what is no pair is left out, and said."""

import warnings
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from attnbook.data.scripts import own_scripts, scripts_of
from attnbook.data.splits import Pair
from attnbook.text.spelling import INVISIBLE

ZIP_START = b"PK\x03\x04"
# bytes of a text that is unpacked; Tatoeba's fra.txt has 40 million
LARGEST = 100_000_000
# what can be unpacked piece by piece: a few bytes of bzip2 or LZMA may become gigabytes at once
METHODS = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED

# characters of a sentence; what is longer is not one
LONGEST = 1000
# the part of a file's lines that may be left out, and one line may; more, and the file as a whole is not what it should
# be
MOST_LEFT_OUT = 0.05


def read_pairs(
    path: str | Path,
    *,
    strict: bool = False,
    report: Callable[[str], object] | None = None,
) -> list[Pair]:
    """Read sentence pairs from a file: one per line, a sentence, a tab, its translation, and perhaps a third column.

    Tatoeba's pairs come so, for any two languages: Anki's `cmn.txt`, the same as `.tsv`, or a zip with one such text,
    `cmn-eng.zip`. Such files hold lines that are no pair: they are left out, and counted.

    Args:
        path: the file.
        strict: require that each line is a pair, with as many columns as the first and a line end.
        report: is told in one sentence how many pairs there are and what was left out; not with `strict`, which leaves
            nothing out. If not given, a warning says it when something was.

    Returns:
        The pairs as they are written, in their order; `normalise` makes spellings equal.

    Raises:
        FileNotFoundError: no such file.
        ValueError: no file of pairs: a damaged zip, or one that does not hold one text; an empty file; not UTF-8; no
            line with a tab, or no pair; over 5 % of the lines, and more than one, left out. With `strict`, any line
            that is no pair. The message names the line.
    """
    path = Path(path)
    if not path.is_file():
        kind = "a folder" if path.is_dir() else "not there"
        raise FileNotFoundError(
            f"{path} is {kind}; pass a file of pairs: a .txt, a .tsv, or a zip with one of them"
        )
    data, name = path.read_bytes(), str(path)
    if path.suffix.lower() == ".zip" or data.startswith(ZIP_START):
        inside, data = _from_zip(path)
        name = f"{path}, {inside}"
    if strict:
        return parse_strictly(data, name)
    pairs, said, complete = _parse(data, name)
    if report is not None:
        report(said)
    elif not complete:
        warnings.warn(said, stacklevel=2)
    return pairs


def _from_zip(path: Path) -> tuple[str, bytes]:
    """The name and the content of the one text in a zip."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = [
                name for name in archive.namelist() if _is_text(PurePosixPath(name))
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
            f"{path} is damaged: the text in it cannot be unpacked ({error}); download it again"
        ) from error
    if len(names) == 1:
        raise ValueError(
            f"{path}: {names[0]} {problem}; unpack it, if you know where it comes from, and pass the file"
        )
    raise ValueError(
        f"{path} must hold one .txt or .tsv with pairs, it holds {len(names)} (among its files: {inside}); "
        "unpack it, and pass the file that you mean"
    )


def _is_text(name: PurePosixPath) -> bool:
    hidden = name.name.startswith(("_", ".")) or name.parts[0] == "__MACOSX"
    return name.suffix.lower() in (".txt", ".tsv") and not hidden


def _too_much(stated: zipfile.ZipInfo) -> str:
    """Why a file of a zip is not unpacked, or nothing."""
    if stated.compress_type not in METHODS:
        return "is not packed as zip files usually are"
    if stated.file_size > LARGEST:
        return f"would have {stated.file_size:,} bytes, and at most {LARGEST:,} are unpacked"
    return ""


def _parse(data: bytes, name: str) -> tuple[list[Pair], str, bool]:
    """The pairs of a file's content, a sentence about them, and whether each line is a pair."""
    lines = [line.rstrip("\r") for line in _decode(data, name).split("\n")]
    whole = not lines[-1]
    if whole:
        lines.pop()
    rows = [[field.strip() for field in line.split("\t")] for line in lines]
    columns = Counter(len(row) for row in rows if len(row) > 1).most_common(1)
    if not columns:
        raise ValueError(
            f"{name} has no line with a tab, so it holds no pairs: each line should be a sentence, a tab, its "
            f"translation; line 1 is {_short(lines[0])}"
        )
    usual = columns[0][0]
    own = [
        own_scripts([row[side] for row in rows if len(row) == usual]) for side in (0, 1)
    ]
    pairs: dict[tuple[str, ...], Pair] = {}  # by what one sees of it
    left_out: dict[str, list[int]] = {}
    for number, row in enumerate(rows, start=1):
        key = tuple(INVISIBLE.sub("", side) for side in row[:2])
        why = _fault(row, usual, own) or ("repeated" if key in pairs else "")
        if why:
            left_out.setdefault(why, []).append(number)
        else:
            pairs[key] = Pair(*row[:2])
    counted = [
        (why, f"{len(n)} {why}, first line {n[0]}") for why, n in left_out.items()
    ]
    lost = sum(len(n) for why, n in left_out.items() if why not in HARMLESS)
    if lost > max(1, MOST_LEFT_OUT * len(rows)) or not pairs:
        reasons = "; ".join(said for why, said in counted if why not in HARMLESS)
        raise ValueError(
            f"{name}: {lost:,} of {len(rows):,} lines are no pair ({reasons}), too many to be left out: is it a file "
            "of sentences and their translations, with a tab between the two?"
        )
    said = f"{name}: {len(pairs):,} pair{'s' * (len(pairs) != 1)}"
    if left_out:
        number = sum(map(len, left_out.values()))
        lines_are = "1 line" if number == 1 else f"{number:,} lines"
        said += f"; {lines_are} left out ({'; '.join(reason for _, reason in counted)})"
    if not whole:
        said += "; the last line has no line end: the file may be cut off"
    return list(pairs.values()), said, not left_out and whole


# what is left out without a loss
HARMLESS = ("blank", "repeated")


def _fault(fields: list[str], usual: int, own: list[set[str]]) -> str:
    """Why a line is no pair, or nothing."""
    if not any(fields):
        return "blank"
    if len(fields) != usual:
        return "with other columns"
    two = fields[:2]
    if any("\ufffd" in side for side in two):
        return "with a character that was lost"
    if any("\r" in side for side in two):
        return "with a carriage return inside"
    if any(len(side) > LONGEST for side in two):
        return f"over {LONGEST:,} characters long"
    scripts = [scripts_of(side) for side in two]
    if not all(scripts):
        return "with a side without a letter"
    if any(own_ and not own_ & found for own_, found in zip(own, scripts, strict=True)):
        return "in another script than the rest"
    if two[0] == two[1] and len(two[0].split()) > 3:
        return "with both sides the same"
    return ""


def parse_strictly(data: bytes, name: str) -> list[Pair]:
    """The pairs of a file's content, each line one; `name` is for messages."""
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
    if not data.strip():
        raise ValueError(f"{name} is empty; it should hold one pair per line")
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
