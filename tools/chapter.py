"""Execute a chapter's text twin and write its notebook, the same bytes every time.

    python tools/chapter.py 04-masked-softmax        one chapter (several names may follow)
    python tools/chapter.py --all                    every chapter in chapters/text/

`chapters/text/NAME.md` is what people edit. It is executed in `chapters/`, on the CPU and one thread, and its
outputs are stored in `chapters/NAME.ipynb`: that notebook is what the book publishes and what nbval re-runs.
A notebook is replaced only when every cell has run, and then in one step.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import sys
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from normal_form import (
    ROOT,
    ChapterError,
    check_outputs,
    normalise,
    to_bytes,
    write_atomically,
)
from surroundings import clean_environment

# seconds: a cell that takes longer hangs, or belongs in a stored result
CELL_TIMEOUT = 600

# --- names ----------------------------------------------------------------------------------------------------


def chapter_names(root: Path = ROOT) -> list[str]:
    """Names of all chapters that have a text twin, in reading order."""
    return sorted(path.stem for path in (root / "chapters" / "text").glob("*.md"))


def find_chapter(name: str, root: Path = ROOT) -> str:
    """The full name of a chapter from its name, its number or the path of either of its files."""
    names = chapter_names(root)
    listing = "\n".join(f"    {candidate}" for candidate in names) or "    (none yet)"
    if not name.strip():
        raise ChapterError(
            f"Which chapter? Say make chapter NAME=… with one of\n{listing}"
        )
    wanted = re.sub(
        r"\.(md|ipynb)$", "", name.strip().replace(os.sep, "/").rpartition("/")[2]
    )
    if wanted in names:
        return wanted
    begin = [
        candidate
        for candidate in names
        if wanted and candidate.startswith(f"{wanted}-")
    ]
    if len(begin) == 1:
        return begin[0]
    near = difflib.get_close_matches(wanted, names, n=1, cutoff=0.3)
    guess = f"Did you mean {near[0]}?\n" if near else ""
    raise ChapterError(
        f"There is no chapter {name!r}. {guess}The chapters in chapters/text/ are\n{listing}\n"
        f"To begin a new one, write chapters/text/{wanted}.md first."
    )


def twin_path(name: str, root: Path = ROOT) -> Path:
    return root / "chapters" / "text" / f"{name}.md"


def notebook_path(name: str, root: Path = ROOT) -> Path:
    return root / "chapters" / f"{name}.ipynb"


# --- execution ------------------------------------------------------------------------------------------------


def read_twin(path: Path) -> nbformat.NotebookNode:
    """A MyST text notebook as a notebook without outputs."""
    try:
        notebook = jupytext.read(path, fmt="md:myst")
    except Exception as error:  # jupytext raises whatever its parsers raise
        raise ChapterError(
            f"{path} cannot be read as a MyST notebook: {error}"
        ) from error
    if (
        not any(cell.cell_type == "code" for cell in notebook.cells)
        and "{code-cell}" in path.read_text()
    ):
        raise ChapterError(
            f"{path}: code cells were not recognised; is the jupytext header complete?"
        )
    return notebook


def execute(
    notebook: nbformat.NotebookNode, name: str, root: Path = ROOT
) -> nbformat.NotebookNode:
    """Run all cells in a fresh kernel in `chapters/`; a cell that fails is a ChapterError that shows it."""
    client = NotebookClient(
        notebook,
        timeout=CELL_TIMEOUT,
        kernel_name="python3",
        resources={"metadata": {"path": str(root / "chapters")}},
        record_timing=False,
        coalesce_streams=True,
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
    )
    try:
        with clean_environment():
            return client.execute()
    except CellExecutionError as error:
        where = _failed_cell(notebook)
        raise ChapterError(
            f"{name}: {where} fails with\n\n{_last_error(notebook) or error}"
        ) from error
    except CellTimeoutError as error:
        raise ChapterError(
            f"{name}: a cell took longer than {CELL_TIMEOUT} s.\n{error}"
        ) from error
    except DeadKernelError as error:
        raise ChapterError(
            f"{name}: the kernel died (out of memory?): {error}"
        ) from error


def _failed_cell(notebook) -> str:
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for number, cell in enumerate(code, 1):
        if any(output.output_type == "error" for output in cell.outputs):
            numbered = "\n".join(
                f"    {i:2d} | {line}"
                for i, line in enumerate(cell.source.splitlines(), 1)
            )
            return f"code cell {number} of {len(code)}\n\n{numbered}\n"
    return "a cell"


def _last_error(notebook) -> str:
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                return re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(output.traceback))
    return ""


# --- the command ----------------------------------------------------------------------------------------------


def make_chapter(name: str, root: Path = ROOT) -> bool:
    """Execute one chapter and store its notebook.

    Returns:
        True if the stored notebook changed, False if it was the same already.
    """
    notebook = read_twin(twin_path(name, root))
    notebook = normalise(execute(notebook, name, root))
    check_outputs(notebook, name, root)
    content = to_bytes(notebook)
    path = notebook_path(name, root)
    if path.exists() and path.read_bytes() == content:
        return False
    write_atomically(path, content)
    return True


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="a chapter, for instance 04-masked-softmax",
    )
    parser.add_argument("--all", action="store_true", help="every chapter")
    options = parser.parse_args(arguments)
    from rules import report  # it imports this module

    try:
        names = (
            chapter_names()
            if options.all
            else [find_chapter(name) for name in options.names]
        )
        if not names:
            find_chapter("")  # raises, with the list of names
        for name in names:
            changed = make_chapter(name)
            print(
                f"chapters/{name}.ipynb: {'written' if changed else 'unchanged'}",
                flush=True,
            )
            report(name)
    except ChapterError as error:
        print(f"\n{error}\n\nNothing was overwritten.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
