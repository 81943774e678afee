"""Sphinx extension: the files beside the pages, as they are downloaded.

A notebook begins with a note on what it needs, which nothing else says outside the book's folder, and of its outputs it
keeps the text: pictures and figures are four fifths of its size, the page has them, and each cell makes its own again.
Each file also comes as a script, which is all that a page opened from a file can load (_static/files.js).
"""

import json
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from attnbook.widgets.scripts import newest, packed_script
from tools.languages import english_site

NOTE = "what-this-needs"  # id of a cell
TEXT_MIMES = "text/plain", "text/markdown", "text/latex"


def prepared(notebook: str, repository: str = "") -> str:
    """A notebook for download, with its note in front and without its pictures.

    Args:
        notebook: its JSON; one that is prepared already stays as it is.
        repository: address of the book's repository, if there is one.
    """
    content = json.loads(notebook)
    for cell in content["cells"]:
        if "outputs" in cell:
            cell["outputs"] = [text for output in cell["outputs"] if (text := _text_of(output))]
    if content["cells"] and content["cells"][0].get("id") == NOTE:
        return _written(content)
    if repository:
        install = f'`pip install "attnbook[notebooks] @ git+{repository}"`'
    else:
        install = '`pip install ".[notebooks]"` in the book\'s folder'
    note = (
        "*A chapter of “Paying Attention”. It needs the book's package: "
        f"{install}, with Python 3.11 or newer. The book's page “Where to begin” says more.*"
    )
    content["cells"].insert(0, {"cell_type": "markdown", "id": NOTE, "metadata": {}, "source": [note]})
    return _written(content)


def _text_of(output: dict) -> dict:
    """What is left of an output without pictures and figures; nothing, if it was one."""
    data = output.get("data")
    if data is None:
        return output
    drawn = any(kind.startswith("image/") for kind in data)
    text = {} if drawn else {kind: data[kind] for kind in TEXT_MIMES if kind in data}
    return {**output, "data": text} if text else {}


def _written(content: dict) -> str:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n"


def _prepare(app: Sphinx, error: Exception | None) -> None:
    site = english_site(app)
    if error or site is None:
        return
    theme = app.config.html_theme_options
    # without an address of ours, Jupyter Book puts in its own and shows no button
    repository = theme["repository_url"] if theme.get("use_repository_button") else ""
    for path in (site / "_sources").rglob("*.*"):
        script = path.with_name(f"{path.name}.js")
        if path.suffix not in (".ipynb", ".md"):
            continue
        text = path.read_text("utf-8")
        ready = prepared(text, repository) if path.suffix == ".ipynb" else text
        if ready == text and script.exists() and newest([path, Path(__file__)]) < script.stat().st_mtime:
            continue  # as an earlier build has left it
        path.write_text(ready, "utf-8")
        script.write_bytes(packed_script("globalThis.attnbookFile", path.read_bytes()))


def setup(app: Sphinx) -> dict[str, Any]:
    """Registers the extension with Sphinx."""
    app.connect("build-finished", _prepare)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
