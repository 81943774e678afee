"""How much there is to read in each chapter.

    python -m tools.reading

A minute is 200 words or 10 lines of code: of the cells and of the shown source. What is folded away does not count.
"""

from __future__ import annotations

import argparse
import dataclasses
import re
import sys

from nbformat import NotebookNode

from tools.notebooks import ChapterError, calls, chapter_names, code_cells, is_chapter, read_stored

WORDS, LINES = 200, 10  # in a minute
FOLDED = {"hide-input", "remove-input", "hide-cell", "remove-cell"}
DROPDOWN = re.compile(r"^(:{3,}|`{3,})\{dropdown\}.*?^\1\s*$", re.M | re.S)


@dataclasses.dataclass(frozen=True)
class Load:
    """What a reader of one page has before them: words, lines of code, claims."""

    words: int
    lines: int
    claims: int

    @property
    def minutes(self) -> int:
        return round(self.words / WORDS + self.lines / LINES)


def load(notebook: NotebookNode) -> Load:
    """Count what is not folded."""
    words = sum(len(DROPDOWN.sub("", cell.source).split()) for cell in notebook.cells if cell.cell_type == "markdown")
    lines = claims = 0
    for cell in code_cells(notebook):
        claims += len(calls(cell, "claim"))
        if not FOLDED & set(cell.metadata.get("tags", [])):
            lines += _lines(cell.source)
        shows = calls(cell, "show") and "hide-output" not in cell.metadata.get("tags", [])
        for output in cell.outputs if shows else ():
            shown = output.get("data", {}).get("text/markdown", "")
            lines += sum(map(_lines, re.findall(r"```python\n(.*?)```", shown, re.S)))
    return Load(words, lines, claims)


def _lines(code: str) -> int:
    return sum(bool(line.strip()) for line in code.splitlines())


def main(arguments: list[str] | None = None) -> int:
    """Print a line for each chapter."""
    argparse.ArgumentParser(prog="python -m tools.reading", description=__doc__.splitlines()[0]).parse_args(arguments)
    print(f"{'':32}minutes   words   lines  claims")
    for name in filter(is_chapter, chapter_names()):
        try:
            page = load(read_stored(name))
        except FileNotFoundError:  # there is only its text
            print(f"{name:32}not made yet")
            continue
        except ChapterError as error:
            print(f"{name:32}{error}")
            continue
        print(f"{name:32}{page.minutes:7}{page.words:8}{page.lines:8}{page.claims:8}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
