"""What somebody has written into a stored notebook: found, kept, and taken over into the chapter's text.

A notebook is stored with a fingerprint of its cells. A reader who answers an exercise in it, in whatever editor, leaves
a notebook whose fingerprint does not fit. Nothing of ours replaces such a notebook without a copy and a word.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import subprocess
import tempfile
from pathlib import Path

import jupytext
import nbformat
from nbformat import NotebookNode

from attnbook.files import write_atomically
from tools import COPIES, ROOT
from tools.notebooks import CELL_METADATA, ChapterError, read_chapter, read_stored, read_twin, twin_path

# --- found ----------------------------------------------------------------------------------------------------


def written(notebook: NotebookNode) -> list[tuple[str, str]]:
    """Kind and text of the cells that hold any; running the last cell of a notebook adds an empty one."""
    return [(cell.cell_type, cell.source) for cell in notebook.cells if cell.source.strip()]


def fingerprint(notebook: NotebookNode) -> str:
    """Stands for what is written in the cells; outputs do not count."""
    return hashlib.sha256(json.dumps(written(notebook)).encode()).hexdigest()[:16]


def stored_fingerprint(notebook: NotebookNode) -> str | None:
    """The fingerprint that the notebook was stored with, if it still has it."""
    return notebook.metadata.get("attnbook", {}).get("sources")


# --- kept -----------------------------------------------------------------------------------------------------


def keep(path: Path, successor: NotebookNode) -> Path | None:
    """Copy a notebook that is about to be replaced, if somebody has written something in it that would be lost.

    Args:
        path: the notebook; there may be none.
        successor: what will stand in its place.

    Returns:
        The copy, a new file beside it; None if there is nothing to lose.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    try:
        notebook = nbformat.reads(content.decode(), as_version=4)
        if fingerprint(notebook) in (fingerprint(successor), stored_fingerprint(notebook)):
            return None
    except Exception:  # noqa: BLE001  whatever it is, it is not ours
        pass
    names = (f".{number}" if number > 1 else "" for number in itertools.count(1))
    copies = (path.with_name(COPIES.replace("*", path.stem + name)) for name in names)
    copy = next(copy for copy in copies if not os.path.lexists(copy))
    with open(copy, "xb") as file:
        try:
            file.write(content)
            file.flush()
        except OSError:
            copy.unlink()
            raise
    return copy


# --- taken over -----------------------------------------------------------------------------------------------


def take_over(name: str, root: Path = ROOT) -> str:
    """Write what stands in a chapter's notebook into its text twin.

    Returns:
        What has become of the twin, in words.

    Raises:
        ChapterError: the twin has been changed, too, since the notebook was made from it; or the notebook does not say
            from which text it was made; or it is none.
    """
    stored = read_stored(name, root)
    path = twin_path(name, root)
    twin, full = read_twin(path), read_chapter(name, root)
    added = {cell.source for cell in full.cells} - {cell.source for cell in twin.cells}
    if fingerprint(stored) in (fingerprint(twin), fingerprint(full)):
        return "unchanged"
    if stored_fingerprint(stored) is None:
        raise ChapterError(
            f"chapters/{name}.ipynb does not say from which text it was made: its metadata are gone, or it was never "
            f"stored by make chapter. Bring over by hand what you want; make chapter NAME={name} then keeps a copy of "
            "the notebook."
        )
    if fingerprint(full) != stored_fingerprint(stored):
        raise ChapterError(
            f"chapters/text/{name}.md has been changed, too, since chapters/{name}.ipynb was made from it. Bring over "
            f"by hand what you want; make chapter NAME={name} then keeps a copy of the notebook."
        )
    text, before = path.read_text("utf-8"), jupytext.writes(twin, fmt="md:myst")
    twin.cells = [cell for cell in stored.cells if cell.source.strip() and cell.source not in added]
    for cell in twin.cells:
        cell.metadata = nbformat.from_dict({key: cell.metadata[key] for key in CELL_METADATA if key in cell.metadata})
    write_atomically(path, _merged(text, before, jupytext.writes(twin, fmt="md:myst")))
    return "written"


def _merged(text: str, before: str, after: str) -> str:
    """A twin with the changes from one text of jupytext's to another; the lines that stay keep their author's form."""
    with tempfile.TemporaryDirectory() as scratch:
        paths = [Path(scratch) / name for name in ("text", "before", "after")]
        for path, content in zip(paths, (text, before, after), strict=True):
            path.write_text(content, "utf-8")
        command = ["git", "merge-file", "-p", *map(str, paths)]
        try:
            done = subprocess.run(command, capture_output=True)
        except OSError:  # there is no git
            return after
        # not 0: a line was changed whose form is not jupytext's
        return done.stdout.decode() if done.returncode == 0 else after
