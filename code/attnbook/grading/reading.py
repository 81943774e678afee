"""A submission as code: from a notebook or a Python file to statements that can be run."""

import ast
import linecache
import re
from pathlib import Path

from attnbook.classroom import IMPORT, facts
from attnbook.grading.commands import Part, parsed
from attnbook.grading.notebooks import NotASubmission, in_cells, read

__all__ = ["NotASubmission", "Source", "in_words"]


class Source:
    """The code of one file.

    Args:
        path: a notebook (.ipynb) or a Python file.

    Attributes:
        name: of the file.
        shown: names of exercises that stored outputs show as solved.
        parts: the cells.
        statements: those of all cells that can be parsed, in their order, with the line numbers of the file.
        given: the names that they give.
        made: those of them that are not imported.

    Raises:
        NotASubmission: it is neither, or holds no code.
    """

    def __init__(self, path: Path):
        self.name = path.name
        cells, self.shown = read(path)
        self.parts = self._parts(cells)
        self.problem = ""  # with the file as a whole
        if path.suffix.lower() != ".ipynb" and self.parts[0].error:
            self.problem = f"{path.name} cannot be parsed ({self.parts[0].error})"
            self.parts = self._parts(in_cells(cells[0]))
        self.statements = [one for part in self.parts for one in part.body]
        self.given = {name for one in self.statements for name in facts(one).gives}
        imports = (one for one in self.statements if isinstance(one, IMPORT))
        self.made = self.given.difference(*(facts(one).gives for one in imports))
        self.lines = "\n".join(part.text for part in self.parts).split("\n")
        # one text, so that messages about a function can quote its lines
        self.file = f"<{path.name}>"
        code = "\n".join(part.code for part in self.parts)
        lines = [f"{line}\n" for line in code.split("\n")]
        linecache.cache[self.file] = (len(code), None, lines, self.file)

    def _parts(self, cells: list[str]) -> list[Part]:
        parts, before = [], 0
        for cell in cells:
            parts.append(parsed(cell, self.name, before))
            before += cell.count("\n") + 1
        return parts

    def line(self, number: int) -> str:
        """A line as it was written, for a message."""
        text = self.lines[number - 1] if number <= len(self.lines) else ""
        return f"line {number}, `{text.strip()[:70]}`"

    def where(self, statement: ast.stmt) -> tuple[int, str]:
        """Where a statement stands: the number of its line, and the line in words."""
        number = getattr(statement, "line", statement.lineno)
        return number, self.line(number)

    def meant(self, function: str) -> bool:
        """Whether a function of this name is defined at the top level, or at least was meant to be."""
        pattern = rf"\bdef {function}\b|^{function}\s*="
        written = "\n".join(part.text for part in self.parts)
        return function in self.given or bool(re.search(pattern, written, re.MULTILINE))

    def why_absent(self, names: set[str]) -> str:
        """Why names may be given by nothing: a cell that cannot be parsed, or a command that is not run."""
        for part in self.parts:
            for name in sorted(names) if part.error else ():
                gives = (
                    rf"\b(def|class) {name}\b|^{name}\s*[=,:]|\bimport\b.*\b{name}\b"
                )
                if re.search(gives, part.text, re.MULTILINE):
                    return f"what gives {name} cannot be parsed ({part.error})"
        giving = [line for part in self.parts for line in part.giving]
        if names and giving:
            return (
                f"{self.line(giving[0])}, is a command of IPython's and is not run here"
            )
        return ""


def in_words(error: BaseException) -> str:
    """An error on one line.

    Args:
        error: of a submission, so that it may have no text either.

    Returns:
        Its class and its text.
    """
    try:
        said = " ".join(str(error).split())[:200]
    except BaseException:  # noqa: BLE001
        said = ""
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
