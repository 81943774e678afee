"""Python in the page: cells that a reader changes and runs with nothing installed, exercises among them.

`cell.py` runs one cell, in the page's Python (Pyodide, with `attnbook.standin` as torch) and in tests, after what
`dependence.py` finds that it needs; `attnbook.grading` asks the same of a submission. What the page lacks says so
(`missing.py`). The script of a page has four parts: `python.js` starts `worker.js`, in which Python answers
(`questions.py`); `progress.js` keeps what was written and solved in the browser; `answers.js` saves answers as a
notebook, which `handing_in.py` makes, and reads them back; `cells.js` makes cells into editors. `editor.js` is
CodeMirror as the book uses it. All of it is packed by `tools/pages/classroom.py`.
"""

from attnbook.classroom.dependence import needs
from attnbook.classroom.statements import IMPORT, facts, inside, root

__all__ = ["IMPORT", "facts", "inside", "needs", "root"]
