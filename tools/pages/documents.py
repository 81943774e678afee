"""Sphinx extension: mends each document after it is read, and lets several processes read them."""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from tools.languages import CHINESE_SIGN, translation

CHINESE = re.compile(f"({CHINESE_SIGN}+(?:[-–]{CHINESE_SIGN}+)*)")
# they act before the first page is read and after the last, but do not declare that pages may be read in parallel
SAFE = "sphinx_multitoc_numbering", "sphinx_jupyterbook_latex"
AS_IT_IS = nodes.FixedTextElement, nodes.literal, nodes.math  # code and the like


def mark_chinese(doctree: nodes.document) -> None:
    """Say of Chinese words that they are, so that they are pronounced and drawn as such."""
    for text in list(doctree.findall(nodes.Text)):
        pieces = CHINESE.split(text)  # every other one is Chinese
        if len(pieces) > 1 and not isinstance(text.parent, AS_IT_IS):
            marked = [
                # docutils makes an attribute `lang` of the class
                nodes.inline("", piece, classes=["language-zh"]) if number % 2 else nodes.Text(piece)
                for number, piece in enumerate(pieces)
                if piece
            ]
            text.parent.replace(text, marked)


def in_one_document(doctree: nodes.document) -> None:
    """Let all nodes belong to the document in which they stand.

    What autodoc reads, and each translated sentence, comes from a document of its own, which would be stored with it:
    10 MB for the page of a room.
    """
    for node in doctree.findall():
        node.document = doctree


def _read_together(app: Sphinx, env: BuildEnvironment, names: list[str]) -> None:
    """Let several processes read pages; Sphinx warns of any other extension that does not say that this is safe."""
    for name in app.extensions.keys() & SAFE:
        app.extensions[name].parallel_read_safe = True


def _mend(app: Sphinx, doctree: nodes.document) -> None:
    if translation(app) is None:
        mark_chinese(doctree)


def setup(app: Sphinx) -> dict[str, Any]:
    """Registers the extension with Sphinx."""
    app.connect("env-before-read-docs", _read_together)
    app.connect("doctree-read", _mend)
    app.connect("doctree-read", lambda app, doctree: in_one_document(doctree), priority=100)  # before it is indexed
    # each page names all others beside its text
    app.connect("doctree-read", lambda app, doctree: app.env.note_dependency(app.config.external_toc_path))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
