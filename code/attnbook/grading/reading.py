"""A submission as code: from a notebook or a Python file to the function that the reader was asked for."""

import ast
import builtins
import json
import linecache
import re
import tokenize
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from attnbook.classroom import needed

LONGEST = 20_000_000  # bytes; a notebook with many pictures has a few million
MAGIC = re.compile(r"^(\s*)[%!?].*$", re.MULTILINE)


class NotASubmission(ValueError):
    """A file that cannot be read as a notebook or as Python; the message says why."""


class Submission:
    """The code of one file.

    Args:
        path: a notebook (.ipynb) or a Python file.
        skipped: line → why the statement that begins there is not run.
        enter: is given the line of each statement before it is run, and the statement in words; 0 after the last.

    Raises:
        NotASubmission: it is neither.
    """

    def __init__(
        self,
        path: Path,
        skipped: Mapping[int, str] = MappingProxyType({}),
        enter: Callable[[int, str], None] = lambda line, where: None,
    ):
        self.name, self.skipped, self.enter = f"<{path.name}>", skipped, enter
        if path.stat().st_size > LONGEST:
            raise NotASubmission(
                f"{path.name} is larger than {LONGEST // 1_000_000} MB; clear the outputs"
            )
        read = _notebook if path.suffix.lower() == ".ipynb" else _python
        parts = [(part, *_parsed(part)) for part in read(path)]
        self.written = "\n".join(part for part, _, _ in parts)
        self.broken = [(part, error) for part, _, error in parts if error]
        # one text, so that messages about a function can quote its lines
        self.source = "\n".join(code for _, code, _ in parts)
        lines = self.source.splitlines(keepends=True)
        linecache.cache[self.name] = (len(self.source), None, lines, self.name)

    def mentions(self, function: str) -> bool:
        """Whether a function of this name is defined, or at least was meant to be."""
        return bool(
            re.search(
                rf"\bdef {function}\b|^{function}\s*=", self.written, re.MULTILINE
            )
        )

    def function(self, name: str) -> tuple[Callable | None, str]:
        """Run what the function needs, and nothing else.

        Args:
            name: of the function.

        Returns:
            The function, or None; and the first error on the way, in words.
        """
        for part, error in self.broken:
            if re.search(rf"\bdef {name}\b", part):
                return None, error
        world, error = {"__name__": "submission", "__builtins__": builtins}, ""
        stars = [one for one in ast.parse(self.source).body if _star(one)]
        try:
            wanted = {*stars, *self._needed(name)}
        except (RecursionError, SyntaxError, ValueError) as raised:
            return None, f"{self.name[1:-1]} raises {in_words(raised)}"
        for statement in sorted(wanted, key=lambda one: one.lineno):
            where = f"line {statement.lineno}, `{self._line(statement)}`"
            if statement.lineno in self.skipped:
                error = error or f"{where}, {self.skipped[statement.lineno]}"
                continue
            self.enter(statement.lineno, where)
            try:
                exec(compile(ast.Module([statement], []), self.name, "exec"), world)
            except BaseException as raised:  # noqa: BLE001 (SystemExit, too)
                error = error or f"{where}, raises {in_words(raised)}"
        self.enter(0, "")
        return world.get(name), error

    def _needed(self, name: str) -> list[ast.stmt]:
        return needed(name, [self.source])

    def _line(self, statement: ast.stmt) -> str:
        return linecache.getline(self.name, statement.lineno).strip()[:70]


def _notebook(path: Path) -> list[str]:
    try:
        cells = json.loads(path.read_text("utf-8-sig"))["cells"]
        code = [cell["source"] for cell in cells if cell["cell_type"] == "code"]
        return [part if isinstance(part, str) else "".join(part) for part in code]
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise NotASubmission(
            f"{path.name} is not a notebook ({in_words(error)})"
        ) from error


def _python(path: Path) -> list[str]:
    try:
        with tokenize.open(path) as file:
            return [file.read()]
    except (SyntaxError, ValueError) as error:
        raise NotASubmission(
            f"{path.name} is not Python text ({in_words(error)})"
        ) from error


def _parsed(part: str) -> tuple[str, str]:
    """What of a part can be run, and the error if that is nothing; lines of IPython's own are left out."""
    error = ""
    for code in (part, MAGIC.sub(r"\1pass", part)):
        try:
            ast.parse(code)
            return code, ""
        except (SyntaxError, ValueError, RecursionError, MemoryError) as raised:
            error = error or in_words(raised)
    return "", error


def _star(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*"


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
