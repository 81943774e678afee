"""Where the chapters are, and what is in them."""

from __future__ import annotations

import ast
import difflib
import functools
import os
import re
from pathlib import Path

import jupytext
import nbformat
import yaml
from IPython.core.inputtransformer2 import TransformerManager
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from tools import ROOT

# what the text twin says about a cell; everything else is the editor's
CELL_METADATA = ("tags", "mystnb")


class ChapterError(Exception):
    """Something the author of a chapter has to mend; the message says what."""


# --- where they are -------------------------------------------------------------------------------------------


def chapter_names(root: Path = ROOT) -> list[str]:
    """Names of all chapters that have a text twin, in reading order."""
    return sorted(path.stem for path in (root / "chapters" / "text").glob("*.md"))


def find_chapter(name: str, root: Path = ROOT) -> str:
    """The full name of a chapter from its name, its number or the path of either of its files."""
    names = chapter_names(root)
    listing = "\n".join(f"    {candidate}" for candidate in names) or "    (none yet)"
    if not name.strip():
        raise ChapterError(f"Which chapter? Say make chapter NAME=… with one of\n{listing}")
    stem = re.sub(r"\.(md|ipynb)$", "", name.strip().replace(os.sep, "/").rpartition("/")[2])
    if stem in names:
        return stem
    start = f"{int(stem):02}-" if stem.isdecimal() else f"{stem}-"
    numbered = [candidate for candidate in names if stem and candidate.startswith(start)]
    if len(numbered) == 1:
        return numbered[0]
    near = difflib.get_close_matches(stem, names, n=1, cutoff=0.3)
    guess = f"Did you mean {near[0]}?\n" if near else ""
    raise ChapterError(
        f"There is no chapter {name!r}. {guess}The chapters in chapters/text/ are\n{listing}\n"
        f"To begin a new one, write chapters/text/{stem}.md first."
    )


def twin_path(name: str, root: Path = ROOT) -> Path:
    return root / "chapters" / "text" / f"{name}.md"


def notebook_path(name: str, root: Path = ROOT) -> Path:
    return root / "chapters" / f"{name}.ipynb"


# --- what is in them ------------------------------------------------------------------------------------------


def read_twin(path: Path) -> NotebookNode:
    """A MyST text notebook as a notebook without outputs."""
    try:
        notebook = jupytext.read(path, fmt="md:myst")
    except Exception as error:  # jupytext raises whatever its parsers raise
        raise ChapterError(f"{path} cannot be read as a MyST notebook: {error}") from error
    if not any(cell.cell_type == "code" for cell in notebook.cells) and "{code-cell}" in path.read_text("utf-8"):
        raise ChapterError(f"{path}: code cells were not recognised; is the jupytext header complete?")
    return notebook


def read_stored(name: str, root: Path = ROOT) -> NotebookNode:
    """A chapter's stored notebook; FileNotFoundError if there is none."""
    path = notebook_path(name, root)
    try:
        return nbformat.read(path, as_version=4)
    except OSError:
        raise
    except Exception as error:  # merge markers, half a file, JSON of something else: nbformat raises many kinds
        raise ChapterError(f"{path} cannot be read as a notebook: {error}") from error


def read_chapter(name: str, root: Path = ROOT) -> NotebookNode:
    """A chapter's twin as a notebook without outputs; once the repository has an address, it tells how to install it.

    Colab opens the stored notebook alone. The page, which Jupyter Book makes of it, leaves the cell out.
    """
    notebook = read_twin(twin_path(name, root))
    config = root / "_config.yml"
    settings = (yaml.safe_load(config.read_text("utf-8")) if config.is_file() else None) or {}
    if address := (settings.get("repository") or {}).get("url"):
        note = (
            "**On Colab**, and wherever else the book is not installed, first run this in a cell of its own: "
            f"`%pip install git+{address}`"
        )
        if all(cell.source != note for cell in notebook.cells):
            kinds = [cell.cell_type for cell in notebook.cells]
            place = kinds.index("code") if "code" in kinds else len(kinds)
            tags = {"tags": ["remove-cell"]}
            notebook.cells.insert(place, new_markdown_cell(note, metadata=tags))
    return notebook


def is_chapter(name: str) -> bool:
    """Whether a notebook is a numbered chapter; any other is an appendix, which needs no exercises and no question."""
    return re.match(r"\d\d-", name) is not None


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]


def parsed(cell: NotebookNode) -> ast.Module:
    """The syntax tree of a code cell; what only IPython understands (`%magic`, `!command`, `name?`) becomes calls."""
    return _parsed(cell.source)


@functools.lru_cache(maxsize=128)  # more than the cells of a chapter: half a dozen rules ask for the same trees
def _parsed(source: str) -> ast.Module:
    return ast.parse(TransformerManager().transform_cell(source))


def calls(cell: NotebookNode, function: str) -> list[ast.Call]:
    """Calls of a function by its plain name in a code cell."""
    return [
        node
        for node in ast.walk(parsed(cell))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function
    ]


def first_arguments(notebook: NotebookNode, function: str) -> list[str]:
    """The text constants with which a function is called, in reading order."""
    return [
        call.args[0].value
        for cell in code_cells(notebook)
        for call in calls(cell, function)
        if call.args and isinstance(call.args[0], ast.Constant) and isinstance(call.args[0].value, str)
    ]
