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
FORMULA = re.compile("((?:^|[;\t\r\n])[\\s\"'\x00\ufeff\u200b-\u200f\u2060]*+)([-=+@\uff1d\uff0b\uff0d\uff20]?)")
LARGEST = 20_000_000  # bytes
LONGEST = 32_000  # characters of a cell; Excel takes 32,767
ODD = "backslashreplace"  # a file's name, or an error's text, need not be Unicode
# how spreadsheets write names in Western Europe where they do not write Unicode: on Windows, old Macs, in DOS
OLD = ("cp1252", "mac_roman", "cp850")
COMMON = frozenset("äöüßéèêëàâáãåçñíîïóôòõøúùûæœšž’ÄÖÜÉÅÇØÁÓÍ")
WORKBOOK = {b"PK\x03\x04": ".xlsx or .ods", b"\xd0\xcf\x11\xe0": ".xls"}
SEPARATOR = re.compile(r'"?sep=(?P<sign>[^"])"?[,;\t]*\r?\n', re.I)  # Excel's own line
SHORTENED = re.compile(r"\d[.,]?(?P<digits>\d*)E\+?\d+", re.I)  # 4.8E+14


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
    """Read a CSV file; blank lines above the columns' names, and a line that names the separator, are passed over.

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
    if workbook := WORKBOOK.get(data[:4]):
        raise ValueError(
            f"{path} is a spreadsheet's own file ({workbook}), not CSV; open it in the spreadsheet and save it as CSV"
        )
    text, encoding = _decoded(data)
    text = text.lstrip("\r\n")
    named = SEPARATOR.match(text)
    if named:
        text = text[named.end() :]
    head = next((line for line in text.splitlines() if line.strip(" ,;\t")), "")
    delimiter = named["sign"] if named else max(",;\t", key=head.count)
    csv.field_size_limit(LARGEST)  # of the whole process, which reads no other tables
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error as error:
        raise ValueError(f"{path} is not a CSV file ({error})") from error
    while rows and not "".join(rows[0]).strip():
        del rows[0]
    names = [name.strip() for name in rows[0]] if rows else []
    if absent := [name for name in columns if name not in names]:
        raise ValueError(f"{path} should have a column {absent[0]!r}; it has {', '.join(names[:12]) or 'none'}")
    return Sheet(rows, delimiter, encoding)


def _decoded(data: bytes) -> tuple[str, str]:
    """The text of a file, and its encoding; an old one is that which makes the likeliest letters."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace"), "utf-16"
    marked = data.startswith(codecs.BOM_UTF8)
    try:
        return data.decode("utf-8-sig"), "utf-8-sig" if marked else "utf-8"
    except UnicodeDecodeError:
        encoding = max(OLD, key=lambda one: _likeliness(data.decode(one, "replace")))
        return data.decode(encoding, "replace"), encoding


def _likeliness(text: str) -> int:
    """How well the signs outside of ASCII suit names: letters, and best the common ones."""
    odd = [sign for sign in text if not sign.isascii()]
    return sum((sign in COMMON) + 2 * sign.isalpha() for sign in odd)


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
    return FORMULA.sub(lambda found: found[1].removesuffix("'" * bool(found[2])) + found[2], cell)


def may_be(cell: str, text: str) -> bool:
    """Whether a spreadsheet may have written a cell for a text that was there.

    Spreadsheets take text for numbers and for truth, 007 for 7 and 480123456789012 for 4.8E+14, and write ? for letters
    that an encoding lacks.
    """
    if cell == text:
        return True
    if text.casefold() in ("true", "false"):
        return cell.casefold() == text.casefold()
    if "?" in cell and not text.isascii():
        pattern = re.escape(cell).replace(r"\?", ".")
        return bool(re.fullmatch(pattern, text))
    try:
        left, right = float(cell.replace(",", ".")), float(text)
    except ValueError:
        return False
    short = SHORTENED.fullmatch(cell)
    if short:
        return f"{left:.{len(short['digits'])}E}" == f"{right:.{len(short['digits'])}E}"
    return f"{left:.14g}" == f"{right:.14g}"


def column(rows: Sequence[Sequence[str]], name: str) -> int:
    """The place of a column, by its name in the first row."""
    return [one.strip() for one in rows[0]].index(name)
