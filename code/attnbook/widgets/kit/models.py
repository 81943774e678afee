"""Figures that run the book's trained models: where their weights come from when there is a kernel."""

from pathlib import Path
from typing import Any

from attnbook.weights import LANGUAGE_MODEL, PAGE_MODELS, page_file, page_targets

from .base import Figure
from .source import base64_of

MODELS = ["bahdanau", "transformer", "seq2seq"]  # as they are listed


def model_files() -> dict[str, Path]:
    """What figures load when they need it: name → file of weights: translators, for each
    language whose files are there, and the language model."""
    paths = [page_file(name, target) for target in page_targets() for name in (*PAGE_MODELS, "sentences")]
    return {path.stem: path for path in (*paths, LANGUAGE_MODEL)}


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
        if path := model_files().get(str(name)):
            self.send({"file": name, "text": base64_of(path)})
