"""Figures that run the book's trained translators: where their weights come from when there is a kernel."""

from typing import Any

from attnbook.weights import FOLDER

from .base import Figure
from .source import base64_of

MODELS = ["bahdanau", "transformer", "seq2seq"]
FILES = [*MODELS, "sentences"]


class ModelFigure(Figure):
    """A figure that runs trained models in the browser. Their weights are neither in the notebook nor in the page.

    The built page loads them from a file beside its scripts (kit/files.js); in JupyterLab the kernel sends them when
    the figure asks.
    """

    def __init__(self, **kwargs: Any):
        super().__init__(**kwargs)
        self.on_msg(self._send_file)

    def _send_file(self, _: Any, content: dict[str, Any], buffers: Any) -> None:
        """Answers {"wanted": name} with {"file": name, "text": its content in base64}."""
        name = content.get("wanted")
        if name in FILES:
            text = base64_of(FOLDER / f"{name}.safetensors")
            self.send({"file": name, "text": text})
