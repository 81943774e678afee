"""Execute a chapter's text twin and write its notebook, the same bytes every time.

    python tools/chapter.py 04-masked-softmax        one chapter (several names may follow)
    python tools/chapter.py --all                    every chapter in chapters/text/

`chapters/text/NAME.md` is what people edit. It is executed in `chapters/`, on the CPU and one thread, and its
outputs are stored in `chapters/NAME.ipynb`: that notebook is what the book publishes and what nbval re-runs.
A notebook is replaced only when every cell has run, and then in one step.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import hashlib
import os
import re
import socket
import sys
import tempfile
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

ROOT = Path(__file__).resolve().parent.parent
CELL_TIMEOUT = 600  # seconds: a cell that takes longer hangs, or belongs in a stored result
WIDGET_MIMES = ("application/vnd.jupyter.widget-view+json", "application/vnd.jupyter.widget-state+json")
KERNELSPEC = {"display_name": "Python 3", "language": "python", "name": "python3"}
LANGUAGE = {  # what a kernel reports, without the version of the Python that happened to run it
    "codemirror_mode": {"name": "ipython", "version": 3},
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "nbconvert_exporter": "python",
    "pygments_lexer": "ipython3",
}
CELL_METADATA = ("tags", "mystnb")  # what the text twin says about a cell; everything else is the editor's


class ChapterError(Exception):
    """Something the author of a chapter has to mend; the message says what."""


# --- names ----------------------------------------------------------------------------------------------------


def chapter_names(root: Path = ROOT) -> list[str]:
    """Names of all chapters that have a text twin, in reading order."""
    return sorted(path.stem for path in (root / "chapters" / "text").glob("*.md"))


def find_chapter(name: str, root: Path = ROOT) -> str:
    """The full name of a chapter from its name, its number or the path of either of its files."""
    names = chapter_names(root)
    listing = "\n".join(f"    {candidate}" for candidate in names) or "    (none yet)"
    if not name.strip():
        raise ChapterError(f"Which chapter? Say make chapter NAME=… with one of\n{listing}")
    wanted = re.sub(r"\.(md|ipynb)$", "", name.strip().replace(os.sep, "/").rpartition("/")[2])
    if wanted in names:
        return wanted
    begin = [candidate for candidate in names if wanted and candidate.startswith(f"{wanted}-")]
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


def execution_environment(scratch: str | Path) -> dict[str, str]:
    """The variables under which chapters are executed and re-run, so that stored outputs compare.

    Args:
        scratch: a folder of one's own; the reader's progress and the user's IPython settings stay out of it.
    """
    return {
        "ATTNBOOK_DEVICE": "cpu",
        "ATTNBOOK_PROGRESS": str(Path(scratch) / "progress.json"),
        "IPYTHONDIR": str(Path(scratch) / "ipython"),
        "JUPYTER_PREFER_ENV_PATH": "1",  # the kernel of this environment, not one of the same name at home
        "OMP_NUM_THREADS": "1",
    }


@contextlib.contextmanager
def clean_environment():
    """Set `execution_environment` in a temporary folder, and put everything back afterwards."""
    before = dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="attnbook-") as scratch:
        os.environ.update(execution_environment(scratch))
        os.environ.pop("MPLBACKEND", None)  # the kernel chooses its own inline backend
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)


def read_twin(path: Path) -> nbformat.NotebookNode:
    """A MyST text notebook as a notebook without outputs."""
    try:
        notebook = jupytext.read(path, fmt="md:myst")
    except Exception as error:  # jupytext raises whatever its parsers raise
        raise ChapterError(f"{path} cannot be read as a MyST notebook: {error}") from error
    if not any(cell.cell_type == "code" for cell in notebook.cells) and "{code-cell}" in path.read_text():
        raise ChapterError(f"{path}: code cells were not recognised; is the jupytext header complete?")
    return notebook


def execute(notebook: nbformat.NotebookNode, name: str, root: Path = ROOT) -> nbformat.NotebookNode:
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


def _failed_cell(notebook) -> str:
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for number, cell in enumerate(code, 1):
        if any(output.output_type == "error" for output in cell.outputs):
            numbered = "\n".join(f"    {i:2d} | {line}" for i, line in enumerate(cell.source.splitlines(), 1))
            return f"code cell {number} of {len(code)}\n\n{numbered}\n"
    return "a cell"


def _last_error(notebook) -> str:
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                return re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(output.traceback))
    return ""


# --- normal form ----------------------------------------------------------------------------------------------


def normalise(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Keep what the text and the computation say; drop what depends on when, where and by whom it was run."""
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    notebook.metadata = nbformat.from_dict({"kernelspec": KERNELSPEC, "language_info": LANGUAGE})
    seen: dict[str, int] = {}
    count = 0
    for cell in notebook.cells:
        # An id from the content: moving or inserting a cell changes no other cell's id.
        digest = hashlib.sha256(f"{cell.cell_type}\n{cell.source}".encode()).hexdigest()[:10]
        seen[digest] = seen.get(digest, 0) + 1
        cell.id = digest if seen[digest] == 1 else f"{digest}-{seen[digest]}"
        cell.metadata = nbformat.from_dict({k: cell.metadata[k] for k in CELL_METADATA if k in cell.metadata})
        if cell.cell_type != "code":
            cell.pop("attachments", None)
            continue
        if cell.source.strip():
            count += 1
            cell.execution_count = count
        cell.outputs = [output for output in map(_normal_output, cell.outputs) if output is not None]
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = cell.execution_count
    return notebook


def _normal_output(output):
    if output.output_type not in ("display_data", "execute_result"):
        return output
    for mime in WIDGET_MIMES:
        output.data.pop(mime, None)
    return output if output.data else None


def check_outputs(notebook: nbformat.NotebookNode, name: str, root: Path = ROOT) -> None:
    """Refuse to store what another machine, or nbval, could never reproduce."""
    traces = {
        "the path of this working copy": re.escape(str(root)),
        "a home folder": re.escape(str(Path.home())) if len(Path.home().parts) > 2 else r"/(home|Users)/\w",
        "the temporary folder": re.escape(tempfile.gettempdir()) + r"/\w",
        "a memory address": r"\bat 0x[0-9a-f]{6,}",
        "the name of this machine": rf"\b{re.escape(socket.gethostname())}\b" if "-" in socket.gethostname() else "(?!)",
    }
    for number, cell in enumerate((c for c in notebook.cells if c.cell_type == "code"), 1):
        for output in cell.outputs:
            if output.output_type == "stream" and output.name == "stderr":
                raise ChapterError(
                    f"{name}: code cell {number} writes to stderr; mend the cause, or print it:\n{output.text}"
                )
            if output.output_type == "error":
                raise ChapterError(f"{name}: code cell {number} stores an error; catch it and print its message.")
            for mime, text in _texts(output):
                for what, pattern in traces.items():
                    if found := re.search(pattern, text):
                        raise ChapterError(
                            f"{name}: code cell {number} prints {what} ({found.group()!r} in {mime}); "
                            "give the object a repr of its own, or print less of it."
                        )


def _texts(output):
    if output.output_type == "stream":
        yield output.name, output.text
    for mime, data in output.get("data", {}).items():
        if isinstance(data, str) and not mime.startswith("image/png"):
            # a picture in HTML is base64: any word might occur in it by chance
            yield mime, re.sub(r"base64,[A-Za-z0-9+/=]+", "base64,", data)


def to_bytes(notebook: nbformat.NotebookNode) -> bytes:
    """The notebook as it is stored: sorted keys, one space of indentation, a newline at the end."""
    nbformat.validate(notebook)
    return (nbformat.writes(notebook, version=4).rstrip("\n") + "\n").encode()


def write_atomically(path: Path, content: bytes) -> None:
    """Replace a file in one step: after a crash it holds the old content or the new, never a part."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


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
    parser.add_argument("names", nargs="*", metavar="NAME", help="a chapter, for instance 04-masked-softmax")
    parser.add_argument("--all", action="store_true", help="every chapter")
    options = parser.parse_args(arguments)
    from rules import report  # it imports this module

    try:
        names = chapter_names() if options.all else [find_chapter(name) for name in options.names]
        if not names:
            find_chapter("")  # raises, with the list of names
        for name in names:
            changed = make_chapter(name)
            print(f"chapters/{name}.ipynb: {'written' if changed else 'unchanged'}", flush=True)
            report(name)
    except ChapterError as error:
        print(f"\n{error}\n\nNothing was overwritten.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
