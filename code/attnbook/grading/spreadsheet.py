"""CSV files that people and other programs have written: read with any separator and encoding, written alike."""

import codecs
import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

# With these signs a spreadsheet's formula begins, and those of double width count as the same. What stands in front and
# cannot be seen is dropped first, quotes too; and a program that expects another separator takes what follows one, or
# the end of a line, for a cell of its own.
FORMULA = re.compile(
    "((?:^|[;\t\r\n])[\\s\"'\x00\ufeff\u200b-\u200f\u2060]*+)([-=+@\uff1d\uff0b\uff0d\uff20]?)"
)
LARGEST = 20_000_000  # bytes
LONGEST = 32_000  # characters of a cell; Excel takes 32,767
ODD = "backslashreplace"  # a file's name, or an error's text, need not be Unicode


@dataclass(frozen=True)
class Sheet:
    """The rows of a CSV file, and how it is written.

    Attributes:
        rows: cells as text; the first row holds the columns' names.
        delimiter: between two cells.
        encoding: of the file.
    """

    rows: list[list[str]]
    delimiter: str = ","
    encoding: str = "utf-8-sig"  # with the mark by which a spreadsheet knows UTF-8

    def to_bytes(self) -> bytes:
        """The file again."""
        file = io.StringIO(newline="")
        csv.writer(file, delimiter=self.delimiter).writerows(self.rows)
        return file.getvalue().encode(self.encoding, ODD)


def read(path: Path, *columns: str) -> Sheet:
    """Read a CSV file.

    Args:
        path: the file.
        columns: names that its first row must have.

    Returns:
        Its rows, with all cells as they are written.

    Raises:
        ValueError: it is not such a file; the message says what it is instead.
    """
    if path.stat().st_size > LARGEST:
        raise ValueError(f"{path} is larger than {LARGEST // 1_000_000} MB")
    data = path.read_bytes()
    text, encoding = _decoded(data)
    head = text.lstrip("\r\n").partition("\n")[0]
    delimiter = max(",;\t", key=head.count)
    csv.field_size_limit(LARGEST)  # of the whole process, which reads no other tables
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error as error:
        raise ValueError(f"{path} is not a CSV file ({error})") from error
    names = [name.strip() for name in rows[0]] if rows else []
    if absent := [name for name in columns if name not in names]:
        raise ValueError(
            f"{path} should have a column {absent[0]!r}; it has {', '.join(names[:12]) or 'none'}"
        )
    return Sheet(rows, delimiter, encoding)


def _decoded(data: bytes) -> tuple[str, str]:
    """The text of a file, and its encoding; old programs write that of Western Europe."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace"), "utf-16"
    marked = data.startswith(codecs.BOM_UTF8)
    try:
        return data.decode("utf-8-sig"), "utf-8-sig" if marked else "utf-8"
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace"), "cp1252"


def harmless(cell: object) -> str:
    """A cell's text, cut where a spreadsheet would; what begins like a formula is not computed."""
    text = str(cell)
    more = " …" if len(text) > LONGEST else ""
    return FORMULA.sub(_quoted, text[:LONGEST])[:LONGEST] + more


def _quoted(found: re.Match[str]) -> str:
    quote = "'" if found[2] and not found[1].endswith("'") else ""
    return found[1] + quote + found[2]


def meant(cell: str) -> str:
    """What a cell said before it was made `harmless`."""
    return FORMULA.sub(
        lambda found: found[1].removesuffix("'" * bool(found[2])) + found[2], cell
    )


def column(rows: Sequence[Sequence[str]], name: str) -> int:
    """The place of a column, by its name in the first row."""
    return [one.strip() for one in rows[0]].index(name)
