"""A submission as code: from a notebook or a Python file to statements that can be run."""

import ast
import contextlib
import linecache
import re
from pathlib import Path

from attnbook.classroom import IMPORT, facts
from attnbook.grading.commands import Part, parts
from attnbook.grading.companions import Home
from attnbook.grading.notebooks import NotASubmission, in_cells, read

__all__ = ["NotASubmission", "Source", "in_words"]


class Source:
    """The code of one file.

    Args:
        path: a notebook or a Python file.
        home: the working folder.
        name: of the file, for messages.

    Attributes:
        folder: the working folder's that stands for the one in which it lies.
        shown: names of exercises that stored outputs show as solved.
        parts: the cells.
        files: text by name, which cells write.
        statements: those of all cells that can be parsed, in their order, with the line numbers of the file.
        given: the names that they give.
        made: those of them that are not imported.

    Raises:
        NotASubmission: it is neither, or holds no code.
    """

    def __init__(self, path: Path, home: Home, name: str):
        self.path, self.name = path, name
        self.home, self.folder = home, home.of(path)
        contents = read(path, name)
        self.shown, self.prose = contents.shown, contents.prose
        self.is_script = not contents.notebook
        self.files: dict[str, str] = {}
        self.parts = self._parts(contents.cells)
        self.problem = ""  # with the file as a whole
        if self.is_script and self.parts[0].error:
            self.problem = f"{name} cannot be parsed ({self.parts[0].error})"
            self.parts = self._parts(in_cells(contents.cells[0]))
        for part, count in zip(self.parts, contents.counts, strict=False):
            part.count = count
        self.statements = [one for part in self.parts for one in part.body]
        self.given = {name for one in self.statements for name in facts(one).gives}
        imports = (one for one in self.statements if isinstance(one, IMPORT))
        self.made = self.given.difference(*(facts(one).gives for one in imports))
        self.text = "\n".join(part.text for part in self.parts)
        self.lines = self.text.split("\n")
        # one text, so that messages about a function can quote its lines
        self.file = f"<{name}>"
        code = "\n".join(part.code for part in self.parts)
        lines = [f"{line}\n" for line in code.split("\n")]
        linecache.cache[self.file] = (len(code), None, lines, self.file)

    def _parts(self, cells: list[str]) -> list[Part]:
        return parts(cells, self.name, self.files, self._handed_in)

    def _handed_in(self, name: str) -> list[str] | None:
        """The cells of a file that lies beside this one, or that one of its cells writes."""
        for one in (name, f"{name}.py", f"{name}.ipynb"):
            if one in self.files:
                return [self.files[one]]
            path = self.home.inside(self.folder, one)
            with contextlib.suppress(OSError, NotASubmission):
                if path:
                    return read(path).cells
        return None

    def orders(self) -> list[list[ast.stmt]]:
        """The statements as they stand, and as their cells were run, if that was in another order."""
        run = (part for part in self.parts if part.count)
        in_order = sorted(run, key=lambda part: part.count or 0)
        again = [one for part in in_order for one in part.body]
        return [self.statements, again] if again not in ([], self.statements) else [self.statements]

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
        return function in self.given or bool(re.search(pattern, self.text, re.MULTILINE))

    def why_absent(self, names: set[str]) -> str:
        """Why names may be given by nothing: a cell that cannot be parsed or is no code, a command that is not run."""
        for name in sorted(names):
            gives = rf"\b(def|class) {name}\b|^{name}\s*[=,:]|\bimport\b.*\b{name}\b"
            for part in self.parts:
                if part.error and re.search(gives, part.text, re.MULTILINE):
                    return f"what gives {name} cannot be parsed ({part.error})"
            if re.search(gives, self.prose, re.MULTILINE):
                return f"what gives {name} stands in a cell that is not a code cell"
            for file, text in self.files.items():
                if re.search(gives, text, re.MULTILINE):
                    return f"what gives {name} is written to {file}, which is neither imported nor run"
        giving = [(line, said) for part in self.parts for line, said in part.giving.items()]
        return f"{self.line(giving[0][0])}, {giving[0][1]}" if names and giving else ""


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
