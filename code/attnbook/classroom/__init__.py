"""Python in the page: cells that a reader changes and runs with nothing installed, exercises among them.

`cell.py` runs one cell, in the page's Python (Pyodide, with `attnbook.standin` as torch) and in tests. `page.js` makes
cells of a built page into editors, keeps what was written and solved in the browser, and starts `worker.js`, in which
Python runs. `editor.js` is CodeMirror as the book uses it. All of it is packed by `tools/classroom.py`.
"""

__all__: list[str] = []
