"""The form in which a notebook is stored: the same bytes on every machine, and nothing of any machine."""

from __future__ import annotations

import base64
import hashlib
import io
import re
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import imagequant
import nbformat
from nbformat import NotebookNode
from PIL import Image

from tools import ROOT
from tools.edited import fingerprint
from tools.notebooks import CELL_METADATA, ChapterError

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


def normalise(notebook: NotebookNode) -> NotebookNode:
    """Keep what the text and the computation say; drop what depends on when, where and by whom it was run."""
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    notebook.metadata = nbformat.from_dict(
        {"attnbook": {"sources": fingerprint(notebook)}, "kernelspec": KERNELSPEC, "language_info": LANGUAGE}
    )
    occurrences: dict[str, int] = {}
    count = 0
    for cell in notebook.cells:
        # An id from the content: moving or inserting a cell changes no other cell's id.
        digest = hashlib.sha256(f"{cell.cell_type}\n{cell.source}".encode()).hexdigest()[:10]
        number = occurrences[digest] = occurrences.get(digest, 0) + 1
        cell.id = digest if number == 1 else f"{digest}-{number}"
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


def _in_a_palette(png: str) -> str:
    """A picture in at most 256 colours, which no eye tells from the original and which weigh less than half of it."""
    picture = Image.open(io.BytesIO(base64.b64decode(png)))
    if picture.mode == "P":  # it has been here before
        return png
    lighter = imagequant.quantize_pil_image(picture.convert("RGBA"), dithering_level=0.0, max_colors=256)
    content = io.BytesIO()
    lighter.save(content, "PNG", optimize=True)
    return base64.b64encode(content.getvalue()).decode()


def _normal_output(output: NotebookNode) -> NotebookNode | None:
    if output.output_type not in ("display_data", "execute_result"):
        return output
    for mime in WIDGET_MIMES:
        output.data.pop(mime, None)
    if "image/png" in output.data:
        output.data["image/png"] = _in_a_palette(output.data["image/png"])
    return output if output.data else None


def check_outputs(notebook: NotebookNode, name: str, root: Path = ROOT) -> None:
    """Refuse to store what another machine, or nbval, could never reproduce."""
    traces = {
        "the path of this working copy": re.escape(str(root)) + r"(?![\w-])",
        "a home folder": re.escape(str(Path.home())) if len(Path.home().parts) > 2 else r"/(home|Users)/\w",
        "the temporary folder": re.escape(tempfile.gettempdir()) + r"/\w",
        "a memory address": r"\bat 0x[0-9a-f]{6,}",
        "the name of this machine": rf"\b{re.escape(socket.gethostname())}\b"
        if "-" in socket.gethostname()
        else "(?!)",
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
                    if trace := re.search(pattern, text):
                        raise ChapterError(
                            f"{name}: code cell {number} prints {what} ({trace.group()!r} in {mime}); "
                            "give the object a repr of its own, or print less of it."
                        )


def _texts(output: NotebookNode) -> Iterator[tuple[str, str]]:
    if output.output_type == "stream":
        yield output.name, output.text
    for mime, data in output.get("data", {}).items():
        if isinstance(data, str) and not mime.startswith("image/png"):
            # a picture in HTML is base64: any word might occur in it by chance
            yield mime, re.sub(r"base64,[A-Za-z0-9+/=]+", "base64,", data)


def to_bytes(notebook: NotebookNode) -> bytes:
    """The notebook as it is stored: sorted keys, one space of indentation, a newline at the end."""
    nbformat.validate(notebook)
    return (nbformat.writes(notebook, version=4).rstrip("\n") + "\n").encode()
