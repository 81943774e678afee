"""Sphinx extension: the files beside the pages, as they are downloaded.

A notebook begins with a note on what it needs, which nothing else says outside the book's folder. Each file also comes
as a script, which is all that a page opened from a file can load (_static/files.js).
"""

import json
from pathlib import Path

from tools.classroom import packed
from tools.languages import translation

NOTE = "what-this-needs"  # id of a cell


def with_note(notebook: str, repository: str = "") -> str:
    """A notebook for download, with its note in front.

    Args:
        notebook: its JSON; one that has the note already stays as it is.
        repository: address of the book's repository, if there is one.
    """
    content = json.loads(notebook)
    if content["cells"] and content["cells"][0].get("id") == NOTE:
        return notebook
    if repository:
        install = f'`pip install "attnbook[notebooks] @ git+{repository}"`'
    else:
        install = '`pip install ".[notebooks]"` in the book\'s folder'
    note = (
        "*A chapter of “Paying Attention”. It needs the book's package: "
        f"{install}, with Python 3.11 or newer. The book's page “Where to begin” says more.*"
    )
    content["cells"].insert(0, {"cell_type": "markdown", "id": NOTE, "metadata": {}, "source": [note]})
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n"


def _prepare(app, error):
    if error or app.builder.format != "html" or translation(app):  # all languages have the English ones
        return
    theme = app.config.html_theme_options
    # without an address of ours, Jupyter Book puts in its own and shows no button
    repository = theme["repository_url"] if theme.get("use_repository_button") else ""
    for path in Path(app.outdir, "_sources").rglob("*.*"):
        script = path.with_name(f"{path.name}.js")
        if path.suffix not in (".ipynb", ".md"):
            continue
        text = path.read_text("utf-8")
        ready = with_note(text, repository) if path.suffix == ".ipynb" else text
        if ready == text and script.exists() and script.stat().st_mtime > path.stat().st_mtime:
            continue  # as an earlier build has left it
        path.write_text(ready, "utf-8")
        script.write_text(f'globalThis.attnbookFile = "{packed(path.read_bytes())}";\n', "utf-8")


def setup(app):
    """Registers the extension with Sphinx."""
    app.connect("build-finished", _prepare)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
