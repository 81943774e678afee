"""Where a submission asks the checker, and for which exercise."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from attnbook.classroom import facts, inside, root

COMPREHENSION = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
SIMPLE = ast.Expr | ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Assert


@dataclass(frozen=True)
class Check:
    """A statement that asks the checker when it is run.

    Attributes:
        place: how many statements stand above it.
        statement: the whole one.
        call: what in it asks.
        target: what of it is run: a single call, or all.
        name: of the exercise; None if it is not written there as text.
        function: what is checked, if it is a plain name.
    """

    place: int
    statement: ast.stmt
    call: ast.Call
    target: ast.stmt
    name: str | None
    function: str | None = None


def checks(statements: list[ast.stmt]) -> Iterator[Check]:
    """Find them, whatever `check` is called there; also by way of a function of the submission's own."""
    names, modules = {"check", *_callers(statements)}, _modules(statements)

    def asks(call: ast.Call) -> bool:
        if isinstance(call.func, ast.Attribute):
            return call.func.attr == "check" and bool(root(call.func) & modules)
        return isinstance(call.func, ast.Name) and call.func.id in names

    for place, statement in enumerate(statements):
        many = {inner for node in inside(statement) if isinstance(node, COMPREHENSION) for inner in ast.walk(node)}
        calls = (node for node in inside(statement) if isinstance(node, ast.Call))
        asking = [call for call in calls if asks(call)]
        for call in sorted(asking, key=lambda one: (one.lineno, one.col_offset)):
            target: ast.stmt = statement
            if isinstance(statement, SIMPLE) and call not in many:
                target = ast.copy_location(ast.Expr(call), statement)
                for kept in vars(statement).keys() & {"file", "line"}:
                    setattr(target, kept, getattr(statement, kept))
            yield Check(place, statement, call, target, *_asked(call))


def _asked(call: ast.Call) -> tuple[str | None, str | None]:
    given = dict(zip(("name", "fn"), call.args, strict=False))
    given |= {one.arg: one.value for one in call.keywords if one.arg}
    name, function = given.get("name"), given.get("fn")
    text = name.value if isinstance(name, ast.Constant) else None
    plain = function.id if isinstance(function, ast.Name) else None
    return text if isinstance(text, str) else None, plain


def _modules(statements: list[ast.stmt]) -> set[str]:
    """Names that may stand for `attnbook.exercises`."""
    imports = [
        node
        for one in statements
        for node in inside(one)
        if isinstance(node, ast.Import | ast.ImportFrom) and "attnbook" in ast.unparse(node)
    ]
    return {name for one in imports for name in facts(one).gives}


def _callers(statements: list[ast.stmt]) -> set[str]:
    """Other names of `check`, and names of functions that call it."""
    known: set[str] = set()
    for node in (node for one in statements for node in inside(one)):
        if isinstance(node, ast.ImportFrom):
            known |= {one.asname or "" for one in node.names if one.name == "check"}
    before = None
    while known != before:
        before = {*known}
        for statement in statements:
            for node in inside(statement):
                if isinstance(node, ast.FunctionDef | ast.ClassDef):
                    if _mentions(ast.walk(node), known):
                        known.add(node.name)
                elif isinstance(node, ast.Assign):
                    called = {c.func for c in ast.walk(node) if isinstance(c, ast.Call)}
                    rest = (part for part in ast.walk(node.value) if part not in called)
                    if _mentions(rest, known):
                        known |= facts(node).gives
    return known


def _mentions(nodes: Iterable[ast.AST], known: set[str]) -> bool:
    for node in nodes:
        if isinstance(node, ast.Name) and node.id in {"check", *known}:
            return True
        if isinstance(node, ast.Attribute) and node.attr == "check":
            return True
    return False
