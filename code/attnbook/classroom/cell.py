"""Run one cell of a chapter as a notebook would, after those statements of earlier cells that it needs."""

import ast
import contextlib
import importlib
import io
import itertools
import linecache
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from typing import NoReturn

from attnbook.classroom.dependence import needed
from attnbook.classroom.missing import NotHere, NotInThePage
from attnbook.classroom.statements import facts

LONGEST = 20_000  # characters that a cell may print
AT_ONCE = 200  # of these, in the first lines, which go to the page at once: a cell that never ends sends nothing later
NUMBERS = itertools.count(1)  # for the names of cells


def _no_input(*_: object) -> NoReturn:
    raise NotInThePage("input()", "")


def prepare(statements: Iterable[tuple[str, ast.stmt]], enter: Callable[[str], None]) -> dict[str, object]:
    """The names that statements of earlier cells give; what they print is dropped, and so is what needs a notebook."""
    world: dict[str, object] = {"__name__": "__main__", "input": _no_input}
    for cell, statement in statements:
        enter(cell)
        with contextlib.redirect_stdout(io.StringIO()):
            if isinstance(statement, ast.Import | ast.ImportFrom):
                _import(statement, world)
                continue
            try:
                module = ast.Module([statement], [])
                exec(compile(module, "<earlier cell>", "exec"), world)
            except BaseException as error:
                for name in facts(statement).gives:
                    world[name] = NotHere(name, _in_words(error))
    return world


def _import(statement: ast.Import | ast.ImportFrom, world: dict) -> None:
    for alias in statement.names:
        name = alias.asname or alias.name.partition(".")[0]
        one = type(statement)(**{**dict(ast.iter_fields(statement)), "names": [alias]})
        module = ast.fix_missing_locations(ast.Module([one], []))
        try:
            exec(compile(module, "<earlier cell>", "exec"), world)
        except ImportError:
            world[name] = NotHere(name)


class _Printed(io.TextIOBase):
    """Where a cell's prints go: to the page in pieces, several lines at once, and no more than a reader can use."""

    def __init__(self, tell: Callable[[str], None]):
        self.show, self.left = tell, LONGEST
        self.waiting, self.flushed = "", time.monotonic()

    def write(self, text: str) -> int:
        if text and self.left > 0:
            self.waiting += text[: self.left]
            self.left -= len(text)
            if self.left <= 0:
                self.waiting += "\n… and more, which is not shown.\n"
            early = text.endswith("\n") and self.left > LONGEST - AT_ONCE
            if early or self.left <= 0 or time.monotonic() - self.flushed > 0.05:
                self.flush()
        return len(text)

    def flush(self) -> None:
        if self.waiting:
            self.show(self.waiting)
        self.waiting, self.flushed = "", time.monotonic()


def run(
    source: str,
    earlier: Iterable[str] = (),
    tell: Callable[[str], None] = print,
    enter: Callable[[str], None] = lambda cell: None,
) -> dict:
    """Run a cell in a world of its own.

    Args:
        source: the cell's code, as the reader has changed it.
        earlier: the code of the cells above it.
        tell: is given what the cell prints, piece by piece.
        enter: is given the code of each cell before statements of it are run.

    Returns:
        `text` and `html` of the last expression's value (empty if there is none); or, for a cell that raises, `error`,
        `line`, the number of the failing line of the cell, if there is one, and `help`, what stands above the error, as
        HTML. In both cases `verdicts`: exercise, status and diagnosis of each answer that was checked.
    """
    cell, verdicts = f"<cell {next(NUMBERS)}>", list[dict]()
    linecache.cache[cell] = (len(source), None, source.splitlines(keepends=True), cell)
    printed = _Printed(tell)
    quiet = contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed)
    try:
        with _kept(), quiet[0], quiet[1], _verdicts_in(verdicts):
            world = prepare(needed(source, earlier), enter)
            enter(source)
            answer = shown(_run(source, cell, world))
    except BaseException as error:  # noqa: BLE001 (SystemExit, too, ends the cell and not Python)
        answer = _failure(error, cell)
    printed.flush()
    return answer | {"verdicts": verdicts}


def _kept() -> contextlib.AbstractContextManager:
    """Put back what a cell breaks in torch; imported here, for the page loads torch with the first cell that runs."""
    return importlib.import_module("attnbook.exercises.guard").kept()


@contextlib.contextmanager
def _verdicts_in(verdicts: list[dict]) -> Iterator[None]:
    """While a cell runs, what `check` answers is noted, wherever the cell puts it."""
    names = vars(importlib.import_module("attnbook.exercises"))
    check = names["check"]

    def noted(*arguments: object, **options: object) -> object:
        verdict = check(*arguments, **options)
        parts = ("exercise", "status", "diagnosis")
        verdicts.append({name: getattr(verdict, name) for name in parts})
        return verdict

    names["check"] = noted
    try:
        yield
    finally:
        names["check"] = check


def _run(source: str, cell: str, world: dict) -> object:
    body = ast.parse(source, cell).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), cell, "exec"), world)
    if not isinstance(last, ast.Expr):
        return None
    return eval(compile(ast.Expression(last.value), cell, "eval"), world)


def shown(value: object) -> dict:
    """How a notebook shows a value: as HTML, if it has any, and as text, which is cut where it is very long."""
    if value is None:
        return {"text": "", "html": ""}
    rich = getattr(value, "_repr_html_", None)
    text = repr(value)
    if len(text) > LONGEST:
        text = text[:LONGEST] + " … and more, which is not shown."
    return {"text": text, "html": rich() if rich else ""}


def _failure(error: BaseException, cell: str) -> dict:
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == cell]
    if isinstance(error, SyntaxError) and error.filename == cell:
        lines = [error.lineno]
    return {"error": _in_words(error), "line": lines[-1] if lines else None, "help": _help(error)}


def _help(error: BaseException) -> str:
    """What stands above an error, in the reader's language."""
    above = importlib.import_module("attnbook.exercises.unreadable").above(error)
    return importlib.import_module("attnbook.exercises.wording").inline(above)


def _in_words(error: BaseException) -> str:
    if isinstance(error, ModuleNotFoundError):
        return f"The page has no package {error.name}; in the notebook it can be imported. Try without it here."
    if isinstance(error, SyntaxError) and (error.text or "").lstrip().startswith(("%", "!")):
        return "Lines that begin with % or ! work only in notebooks."
    try:
        said = str(error.msg if isinstance(error, SyntaxError) else error)
    except Exception:  # its __str__ fails as well
        said = ""
    if isinstance(error, NotInThePage):
        return said
    kind = type(error).__name__
    return f"{kind}: {said}" if said else kind
