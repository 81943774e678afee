"""Execute a chapter's text twin and write its notebook, the same bytes every time.

    python -m tools.chapter 04-masked-softmax        one chapter (several names may follow)
    python -m tools.chapter --all --jobs 2           every chapter in chapters/text/, two at a time
    python -m tools.chapter --words 04-masked-softmax    only words have changed: the outputs stay, nothing is executed
    python -m tools.chapter --from-notebook 04-masked-softmax    the other way: what was edited in the notebook

`chapters/text/NAME.md` is what people edit. It is executed in `chapters/`, on the CPU and one thread, and its
outputs are stored in `chapters/NAME.ipynb`: that notebook is what the book publishes and what nbval re-runs.
A notebook is replaced only when every cell has run, and then in one step. If somebody has edited it, a copy stays.
"""

from __future__ import annotations

import argparse
import functools
import re
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from attnbook.files import write_atomically
from tools import ROOT
from tools.edited import keep, take_over
from tools.normal_form import check_outputs, normalise, to_bytes
from tools.notebooks import (
    ChapterError,
    chapter_names,
    code_cells,
    find_chapter,
    notebook_path,
    read_chapter,
    read_stored,
)
from tools.rules import problems_of
from tools.surroundings import clean_environment

# seconds: a cell that takes longer hangs, or belongs in a stored result
CELL_TIMEOUT = 600

# --- execution ------------------------------------------------------------------------------------------------


def execute(notebook: NotebookNode, name: str, root: Path = ROOT) -> NotebookNode:
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
        raise ChapterError(f"{name}: {where} fails with\n\n{_last_error(notebook) or error}") from error
    except CellTimeoutError as error:
        raise ChapterError(f"{name}: a cell took longer than {CELL_TIMEOUT} s.\n{error}") from error
    except DeadKernelError as error:
        raise ChapterError(f"{name}: the kernel died (out of memory?): {error}") from error


def _failed_cell(notebook: NotebookNode) -> str:
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for number, cell in enumerate(code, 1):
        if any(output.output_type == "error" for output in cell.outputs):
            numbered = "\n".join(f"    {i:2d} | {line}" for i, line in enumerate(cell.source.splitlines(), 1))
            return f"code cell {number} of {len(code)}\n\n{numbered}\n"
    return "a cell"


def _last_error(notebook: NotebookNode) -> str:
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                return re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(output.traceback))
    return ""


# --- the command ----------------------------------------------------------------------------------------------


def take_outputs(notebook: NotebookNode, name: str, root: Path = ROOT) -> NotebookNode:
    """Give the cells the outputs that are stored for them; a ChapterError if a code cell is not the stored one."""
    try:
        stored = code_cells(read_stored(name, root))
    except FileNotFoundError:
        stored = []
    cells = code_cells(notebook)
    same = [old.source == new.source for old, new in zip(stored, cells, strict=False)]
    if not all(same) or len(stored) != len(cells):
        number = (same + [False]).index(False) + 1
        wrong = "is not the one" if number <= len(cells) else "is gone, the one"
        raise ChapterError(
            f"{name}: code cell {number} {wrong} whose output is stored; leave out --words to execute what there is."
        )
    for old, new in zip(stored, cells, strict=True):
        new.outputs = old.outputs
    return notebook


def reprinted(notebook: NotebookNode, name: str, root: Path = ROOT) -> list[int]:
    """The unchanged code cells, counted from 1, that print something else than is stored, and that nbval excuses.

    What they print depends on the machine, and the words may quote what they printed on another.
    """
    try:
        stored = code_cells(read_stored(name, root))
    except (FileNotFoundError, ChapterError):  # none, or no notebook
        return []
    before = {cell.source: _printed(cell) for cell in stored}
    return [
        number
        for number, cell in enumerate(code_cells(notebook), 1)
        if "nbval-ignore-output" in cell.metadata.get("tags", [])
        and before.get(cell.source, _printed(cell)) != _printed(cell)
    ]


def _printed(cell: NotebookNode) -> list[str]:
    return [output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.outputs]


def make_chapter(name: str, root: Path = ROOT, words: bool = False) -> str:
    """Store a chapter's notebook, executed anew or, if only words have changed, with the outputs that it has.

    Returns:
        What has become of the stored notebook, in words.
    """
    notebook = read_chapter(name, root)
    run = take_outputs if words else execute
    notebook = normalise(run(notebook, name, root))
    check_outputs(notebook, name, root)
    content = to_bytes(notebook)
    path = notebook_path(name, root)
    if path.exists() and path.read_bytes() == content:
        return "unchanged"
    changed = reprinted(notebook, name, root)
    copy = keep(path, notebook)
    write_atomically(path, content)
    outcome = "written"
    if copy:
        outcome += f"; somebody had edited it, and what it held is now in chapters/{copy.name}"
    if changed:
        cells = ", ".join(map(str, changed))
        outcome += f"; code cells that print other numbers than before, which the words may quote: {cells}"
    return outcome


def attempt(name: str, root: Path = ROOT, words: bool = False, from_notebook: bool = False) -> tuple[str, bool]:
    """Make one chapter, or take its notebook over; what there is to say about it, and whether it succeeded."""
    path = f"chapters/text/{name}.md" if from_notebook else f"chapters/{name}.ipynb"
    try:
        if from_notebook:
            return f"{path}: {take_over(name, root)}", True
        state = make_chapter(name, root, words)
    except (ChapterError, OSError) as error:  # OSError: the disk is full, say
        return f"\n{error}\n\n{path} was not overwritten.\n", False
    try:
        problems = problems_of(name, root)
    except SyntaxError as error:  # of a cell that may fail
        problems = [f"a code cell is no Python, so the chapter was not checked: {error}"]
    except Exception as error:  # of a check: the chapter is made, and others wait
        problems = [f"the chapter was not checked, since a check fails itself: {error!r}"]
    return "\n  still to do: ".join([f"{path}: {state}", *problems]), True


def attempt_all(
    names: Iterable[str], jobs: int, root: Path = ROOT, words: bool = False, from_notebook: bool = False
) -> Iterable[tuple[str, bool]]:
    """`attempt` every chapter, several at a time if asked; the answers come in the order of the names."""
    work = functools.partial(attempt, root=root, words=words, from_notebook=from_notebook)
    if jobs == 1:
        yield from map(work, names)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(work, names)


def main(arguments: list[str] | None = None) -> int:
    """Make the chapters that were asked for; one that fails does not keep the others from being made."""
    parser = argparse.ArgumentParser(prog="python -m tools.chapter", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="a chapter, for instance 04-masked-softmax")
    parser.add_argument("--all", action="store_true", help="every chapter")
    either = parser.add_mutually_exclusive_group()
    either.add_argument("--words", action="store_true", help="keep the stored outputs, execute nothing")
    either.add_argument(
        "--from-notebook",
        action="store_true",
        help="write the text from a notebook that was edited, instead of the notebook from the text",
    )
    parser.add_argument("--jobs", "-j", type=int, default=1, help="how many at a time")
    options = parser.parse_args(arguments)
    if options.jobs < 1:
        parser.error(f"--jobs must be at least 1, got {options.jobs}")
    if options.all and options.names:
        parser.error("name chapters, or say --all, but not both")
    try:
        names = chapter_names() if options.all else map(find_chapter, options.names)
        names = list(dict.fromkeys(names)) or [find_chapter("")]  # raises, with the list of names
    except ChapterError as error:
        print(f"\n{error}", file=sys.stderr)
        return 2
    failures = 0
    outcomes = attempt_all(names, options.jobs, words=options.words, from_notebook=options.from_notebook)
    for message, succeeded in outcomes:
        failures += not succeeded
        print(message, file=sys.stdout if succeeded else sys.stderr, flush=True)
    if failures and len(names) > 1:
        print(f"{failures} of {len(names)} chapters failed.", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
