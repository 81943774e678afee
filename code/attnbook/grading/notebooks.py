"""The files of a submission as text: the cells of a notebook, or a Python file, and what a notebook shows as solved."""

import io
import json
import re
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path

LONGEST = 20_000_000  # bytes; a notebook with many pictures has a few million
MARKS = (b"\xff\xfe", b"\xfe\xff")  # of UTF-16 and UTF-32
CELL = re.compile(
    r"^(?=# ?(?:%%|In\[))", re.MULTILINE
)  # VS Code's, Jupytext's, nbconvert's
SHOWN = re.compile(r"^✓ ([\w-]+) — ", re.MULTILINE)


class NotASubmission(ValueError):
    """A file in which there is no code that could be read; the message says why."""


def read(path: Path) -> tuple[list[str], set[str]]:
    """The code of a file.

    Args:
        path: a notebook (.ipynb) or a Python file.

    Returns:
        Its code cells, of a Python file one, and the exercises that stored outputs show as solved.

    Raises:
        NotASubmission: it is neither, or holds no code.
    """
    notebook = path.suffix.lower() == ".ipynb"
    kind = "a notebook" if notebook else "Python text"
    if path.stat().st_size > LONGEST:
        raise NotASubmission(
            f"{path.name} is larger than {LONGEST // 1_000_000} MB; clear the outputs"
        )
    content = path.read_bytes()
    if not content.strip():
        raise NotASubmission(f"{path.name} is empty")
    if content.startswith(MARKS):
        raise NotASubmission(
            f"{path.name} is not {kind}: it is UTF-16 text; save it as UTF-8"
        )
    if b"\0" in content:
        raise NotASubmission(f"{path.name} is not {kind} (it holds NUL bytes)")
    try:
        cells, shown = _notebook(content) if notebook else _python(content)
    except NotASubmission as error:
        raise NotASubmission(f"{path.name} {error}") from error
    except (
        SyntaxError,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        RecursionError,
    ) as error:
        said = f"{type(error).__name__}: {error}"
        raise NotASubmission(f"{path.name} is not {kind} ({said})") from error
    if not any(cell.strip() for cell in cells):
        raise NotASubmission(f"{path.name} holds no code cells")
    return cells, shown


def _notebook(content: bytes) -> tuple[list[str], set[str]]:
    book = json.loads(content.decode("utf-8-sig"))
    if not isinstance(book, dict) or not {"cells", "worksheets"} & {*book}:
        raise NotASubmission("is JSON, and not a notebook: it has no cells")
    about = book.get("metadata", {})
    languages = [
        about.get("kernelspec", {}).get("language"),
        about.get("language_info", {}).get("name"),
    ]
    for language in filter(None, languages):
        if not str(language).lower().startswith(("python", "ipython")):
            raise NotASubmission(f"is a notebook in {language}, not in Python")
    sheets = book.get("worksheets", [book])  # of notebooks before 2015
    code = [c for sheet in sheets for c in sheet["cells"] if c["cell_type"] == "code"]
    shown = {
        name for cell in code for text in _shown(cell) for name in SHOWN.findall(text)
    }
    return [_text(cell.get("source", cell.get("input", ""))) for cell in code], shown


def _shown(cell: dict) -> Iterator[str]:
    for output in cell.get("outputs", []):
        yield _text(output.get("data", {}).get("text/plain", output.get("text", "")))


def _text(lines: str | Iterable[str]) -> str:
    return lines if isinstance(lines, str) else "".join(lines)


def _python(content: bytes) -> tuple[list[str], set[str]]:
    encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
    text = io.TextIOWrapper(
        io.BytesIO(content), encoding
    ).read()  # any line's end is \n
    return [text], set()


def in_cells(text: str) -> list[str]:
    """A Python file in parts where comments such as `# %%` or `# In[3]:` begin a cell."""
    return CELL.split(text)
