"""Run one cell of a chapter as a notebook would, after those statements of earlier cells that it needs."""

import ast
import contextlib
import functools
import importlib
import io
import json
import linecache
import sys
import time
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path

from attnbook.classroom.dependence import needs
from attnbook.classroom.statements import facts

LONGEST = 20_000  # characters that a cell may print


class NotHere:
    """Stands for a name that cannot be imported in the page: a plot, a figure, a model that is trained."""

    def __init__(self, name: str, why: str = ""):
        self.__dict__.update(_name=name, _why=why)

    def _refuse(self, *_, **__):
        raise NotInThePage(self._name, self._why)

    def __getattr__(self, name: str):
        if name.startswith("_"):  # Python's own questions
            raise AttributeError(name)
        self._refuse()


OPERATIONS = (
    "repr call setattr getitem setitem iter len float int bool enter neg invert lt le gt ge "
    "add radd sub rsub mul rmul truediv rtruediv matmul rmatmul pow rpow and rand or ror"
)
for _operation in OPERATIONS.split():
    setattr(NotHere, f"__{_operation}__", NotHere._refuse)


class NotInThePage(AttributeError):
    """Raised where a cell uses what only a notebook has."""

    def __init__(self, name: str, why: str = ""):
        because = (
            f"the cell above that makes it ends with {why}"
            if why
            else "Python has no such package here"
        )
        super().__init__(
            f"{name} is not available in the page: {because}. In the notebook it is."
        )


# --- which earlier statements a cell needs ----------------------------------------------------------------------------


def needed(source: str, earlier: Iterable[str]) -> list[ast.stmt]:
    """Those top-level statements of earlier cells on which a cell depends, in their order; each knows its `cell`.

    Args:
        source: the cell's code.
        earlier: the code of the cells above it; one that is not Python counts as empty.

    Returns:
        Statements, each with the line numbers of its own cell.
    """
    above = []
    for cell in earlier:
        for statement in _parsed(cell):
            statement.cell = cell
            above.append(statement)
    return needs(_parsed(source), above)[0]


@functools.lru_cache(
    256
)  # a page, or a notebook, asks of the same cells again and again
def _parsed(source: str) -> list[ast.stmt]:
    try:
        return ast.parse(source).body
    except SyntaxError:
        return []


# --- running it -------------------------------------------------------------------------------------------------------


def _no_input(*_):
    raise NotInThePage("input()", "")


def prepare(statements: Iterable[ast.stmt], enter: Callable[[str], None]) -> dict:
    """The names that statements of earlier cells give; what they print is dropped, and so is what needs a notebook."""
    world = {"__name__": "__main__", "input": _no_input}
    for statement in statements:
        enter(statement.cell)
        with contextlib.redirect_stdout(io.StringIO()):
            if isinstance(statement, ast.Import | ast.ImportFrom):
                _import(statement, world)
                continue
            try:
                exec(
                    compile(ast.Module([statement], []), "<earlier cell>", "exec"),
                    world,
                )
            except BaseException as error:
                for name in facts(statement).gives:
                    world[name] = NotHere(name, _told(error))
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
        self.tell, self.left, self.waiting, self.told = (
            tell,
            LONGEST,
            "",
            time.monotonic(),
        )

    def write(self, text: str) -> int:
        if text and self.left > 0:
            self.waiting += text[: self.left]
            self.left -= len(text)
            if self.left <= 0:
                self.waiting += "\n… and more, which is not shown.\n"
            if self.left <= 0 or time.monotonic() - self.told > 0.05:
                self.flush()
        return len(text)

    def flush(self) -> None:
        if self.waiting:
            self.tell(self.waiting)
        self.waiting, self.told = "", time.monotonic()


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
        `text` and `html` of the last expression's value (empty if there is none); or, for a cell that raises, `error`
        and `line`, the number of the failing line of the cell, if there is one. In both cases `verdicts`: exercise,
        status and diagnosis of each answer that was checked.
    """
    cell, verdicts = f"<cell {_count()}>", []
    linecache.cache[cell] = (len(source), None, source.splitlines(keepends=True), cell)
    printed = _Printed(tell)
    _restore()
    quiet = contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed)
    try:
        with quiet[0], quiet[1], _noted(verdicts):
            world = prepare(needed(source, earlier), enter)
            enter(source)
            answer = shown(_run(source, cell, world))
    except BaseException as error:  # noqa: BLE001 (SystemExit, too, ends the cell and not Python)
        answer = _failure(error, cell)
    printed.flush()
    return answer | {"verdicts": verdicts}


def _restore(kept: dict = {}) -> None:  # noqa: B006 (what torch was before the first cell)
    names = vars(sys.modules["torch"]) if "torch" in sys.modules else {}
    kept.update({} if kept else names)
    names.update(kept)


@contextlib.contextmanager
def _noted(verdicts: list):
    """While a cell runs, what `check` answers is noted, wherever the cell puts it."""
    exercises = importlib.import_module("attnbook.exercises")
    check = exercises.check

    def noted(*arguments, **options):
        verdict = check(*arguments, **options)
        told = ("exercise", "status", "diagnosis")
        verdicts.append({name: getattr(verdict, name) for name in told})
        return verdict

    exercises.check = noted
    try:
        yield
    finally:
        exercises.check = check


def _count(numbers=iter(range(1, 10**9))) -> int:  # noqa: B008 (one counter, for names of cells)
    return next(numbers)


def _run(source: str, cell: str, world: dict) -> object:
    body = compile(source, cell, "exec", ast.PyCF_ONLY_AST).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), cell, "exec"), world)
    return (
        eval(compile(ast.Expression(last.value), cell, "eval"), world) if last else None
    )


def shown(value: object) -> dict:
    """How a notebook shows a value: as HTML, if it has any, and as text, which is cut where it is very long."""
    if value is None:
        return {"text": "", "html": ""}
    rich = getattr(value, "_repr_html_", None)
    text = repr(value)
    cut = (
        text
        if len(text) <= LONGEST
        else text[:LONGEST] + " … and more, which is not shown."
    )
    return {"text": cut, "html": rich() if rich else ""}


def _failure(error: BaseException, cell: str) -> dict:
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == cell
    ]
    if isinstance(error, SyntaxError) and error.filename == cell:
        lines = [error.lineno]
    return {"error": _told(error), "line": lines[-1] if lines else None}


def _told(error: BaseException) -> str:
    if isinstance(error, ModuleNotFoundError):
        return f"The page has no package {error.name}; in the notebook it can be imported. Try without it here."
    if isinstance(error, SyntaxError) and (error.text or "").lstrip().startswith(
        ("%", "!")
    ):
        return "Lines that begin with % or ! work only in notebooks."
    try:
        said = str(error.msg if isinstance(error, SyntaxError) else error)
    except Exception:  # its __str__ fails as well
        said = ""
    kind = type(error).__name__
    return (
        said if kind == NotInThePage.__name__ else f"{kind}: {said}" if said else kind
    )


# --- between Python and the page --------------------------------------------------------------------------------------


def earlier_cells(page: str, original: str, changed: dict[str, str]) -> list[str]:
    """The code of the cells above one of a page, those that the reader has changed as they stand now."""
    cells = json.loads(Path(__file__).with_name("cells.json").read_text("utf-8")).get(
        page, []
    )
    above = cells[: cells.index(original)] if original in cells else []
    return [changed.get(cell, cell) for cell in above]


def answer(
    question: str, tell: Callable[[str], None], enter: Callable[[str], None]
) -> str:
    """What the worker asks: JSON with `page`, `original`, `source` and `changed`; JSON of what `run` returns."""
    asked = json.loads(question)
    earlier = earlier_cells(asked["page"], asked["original"], asked["changed"])
    return json.dumps(run(asked["source"], earlier, tell, enter))


def warm() -> None:
    """Import what nearly every cell needs, before the reader asks."""
    importlib.import_module("torch")
    importlib.import_module("attnbook.exercises")
