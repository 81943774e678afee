"""The files of a submission as text: the cells of a notebook, or a Python file, and what a notebook shows as solved."""

import contextlib
import io
import json
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

LONGEST = 20_000_000  # bytes; a notebook with many pictures has a few million
MARKS = (b"\xff\xfe", b"\xfe\xff")  # of UTF-16, which Windows PowerShell writes
CELL = re.compile(r"^(?=# ?(?:%%|In\[))", re.MULTILINE)  # VS Code's, Jupytext's, nbconvert's
SHOWN = re.compile(r"^✓ ([\w-]+) — ", re.MULTILINE)
ANSWERS = re.compile(r"^\s*def my_|\bcheck\(", re.MULTILINE)


class NotASubmission(ValueError):
    """A file in which there is no code that could be read; the message says why."""


@dataclass
class Contents:
    """What a file holds.

    Attributes:
        cells: the code cells, of a Python file one.
        counts: when each was run: 1 for the kernel's first; None if it was not, or nobody knows.
        shown: the exercises that stored outputs show as solved.
        prose: the text of cells that are not code.
        notebook: whether it is one.
    """

    cells: list[str]
    counts: list[int | None] = field(default_factory=lambda: [None])
    shown: set[str] = field(default_factory=set)
    prose: str = ""
    notebook: bool = False


def read(path: Path, name: str = "") -> Contents:
    """The code of a file.

    Args:
        path: a notebook or a Python file, whatever its name ends in.
        name: for messages, if its author calls it otherwise.

    Returns:
        What it holds.

    Raises:
        NotASubmission: it is neither, or holds no code.
    """
    name = name or path.name
    named = path.suffix.lower() == ".ipynb"
    kind = "a notebook" if named else "Python text"
    if path.stat().st_size > LONGEST:
        raise NotASubmission(f"{name} is larger than {LONGEST // 1_000_000} MB; clear the outputs")
    text = _decoded(path.read_bytes())
    if not text.strip():
        raise NotASubmission(f"{name} is empty")
    if "\0" in text:
        raise NotASubmission(f"{name} is not {kind} (it holds NUL bytes)")
    try:
        contents = _notebook(text) if named or _is_notebook(text) else Contents([text])
    except NotASubmission as error:
        raise NotASubmission(f"{name} {error}") from error
    except (ValueError, TypeError, RecursionError) as error:
        said = f"{type(error).__name__}: {error}"
        raise NotASubmission(f"{name} is not {kind} ({said})") from error
    if not any(cell.strip() for cell in contents.cells):
        raise NotASubmission(f"{name} holds no code cells")
    return contents


def holds_answers(path: Path) -> bool:
    """Whether a file with another ending, `a.ipynb.txt` for instance, is a notebook or Python all the same."""
    with contextlib.suppress(OSError):
        if path.stat().st_size <= LONGEST:
            content = path.read_bytes()
            encoding = "utf-16" if content.startswith(MARKS) else "utf-8"
            text = content.decode(encoding, "replace")
            plain = path.suffix.lower() in ("", ".txt")
            return _is_notebook(text) or plain and bool(ANSWERS.search(text))
    return False


def _is_notebook(text: str) -> bool:
    return text.lstrip().startswith("{") and '"cells"' in text


def _decoded(content: bytes) -> str:
    """A text in the encoding that it names, in UTF-8, or as Windows writes it; any line's end is a line feed."""
    encodings = ["utf-8-sig", "cp1252"]
    with contextlib.suppress(SyntaxError):
        encodings.insert(0, tokenize.detect_encoding(io.BytesIO(content).readline)[0])
    if content.startswith(MARKS):
        encodings.insert(0, "utf-16")
    for encoding in encodings:
        with contextlib.suppress(UnicodeError, LookupError):  # `coding: rot13` is none
            return re.sub("\r\n?", "\n", content.decode(encoding))
    return content.decode("latin-1")


def _notebook(text: str) -> Contents:
    book = json.loads(text)
    if not isinstance(book, dict) or not {"cells", "worksheets"} & {*book}:
        raise NotASubmission("is JSON, and not a notebook: it has no cells")
    about = _dict(book.get("metadata"))
    named = (_dict(about.get("kernelspec")).get("language"), _dict(about.get("language_info")).get("name"))
    languages = [str(one) for one in named if one]
    if languages and not any("python" in one.lower() for one in languages):
        raise NotASubmission(f"is a notebook in {languages[0]}, not in Python")
    sheets = book.get("worksheets") or [book]  # of notebooks before 2015
    cells = [_dict(cell) for sheet in sheets for cell in _dict(sheet).get("cells") or ()]
    code = [cell for cell in cells if cell.get("cell_type") == "code"]
    shown = (SHOWN.findall(text) for cell in code for text in _shown(cell))
    return Contents(
        [_source(cell) for cell in code],
        [_count(cell) for cell in code],
        {name for names in shown for name in names},
        "\n".join(_source(cell) for cell in cells if cell.get("cell_type") != "code"),
        notebook=True,
    )


def _source(cell: dict) -> str:
    return _text(cell.get("source", cell.get("input")))


def _count(cell: dict) -> int | None:
    count = cell.get("execution_count", cell.get("prompt_number"))
    return count if isinstance(count, int) else None


def _shown(cell: dict) -> Iterator[str]:
    for output in map(_dict, cell.get("outputs") or ()):
        yield _text(_dict(output.get("data")).get("text/plain", output.get("text")))


def _dict(value: object) -> dict:
    """A value of a notebook that another program than Jupyter may have written."""
    return value if isinstance(value, dict) else {}


def _text(lines: object) -> str:
    lines = [lines] if isinstance(lines, str) else lines
    return "".join(line for line in (lines if isinstance(lines, list) else ()) if isinstance(line, str))


def in_cells(text: str) -> list[str]:
    """A Python file in parts where comments such as `# %%` or `# In[3]:` begin a cell."""
    return CELL.split(text)
