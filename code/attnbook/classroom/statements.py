"""What a statement at the top level reads, gives and changes."""

import ast
import functools
import re
import symtable
from collections.abc import Iterable
from dataclasses import dataclass

FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
IMPORT = ast.Import | ast.ImportFrom
BLOCK = ast.For | ast.AsyncFor | ast.While | ast.With | ast.AsyncWith
# methods that change their object, wherever in a statement they are called
CHANGING = {
    *("add", "append", "clear", "discard", "extend", "insert", "pop", "popitem"),
    *("popleft", "remove", "setdefault", "update"),
}
COMPREHENSION = ast.ListComp | ast.SetComp | ast.DictComp
# methods whose result shares its numbers with their object
VIEWS = {
    *("chunk", "detach", "diagonal", "expand", "flatten", "movedim", "narrow", "numpy"),
    *("permute", "reshape", "select", "split", "squeeze", "swapaxes", "transpose"),
    *("unbind", "unfold", "unsqueeze", "view"),
}
AWAITED = ast.Await | ast.AsyncFor | ast.AsyncWith
RESTATED = COMPREHENSION | ast.AugAssign | ast.Delete | ast.AnnAssign | AWAITED
SAVING = {"dump", "save", "savetxt", "savez", "to_csv", "write_text", "write_bytes"}
# functions that write into their first argument
WRITING = {"heapify", "heappop", "heappush", "setattr", "shuffle"}
FILE = re.compile(r"[\w./ -]+\.\w{1,8}")  # a file's name is a name, too


@dataclass(frozen=True)
class Facts:
    """Names that a statement at the top level has to do with.

    Attributes:
        now: read when the statement is run.
        late: read when a function is called that it defines.
        gives: bound by it.
        surely: bound by it whatever happens.
        drops: deleted.
        stores: of objects, an item or attribute of which it sets.
        touches: of objects that it may change otherwise: by a method, in a loop.
        sets: bound, or set an item or attribute of, by functions that it defines.
        stirs: of objects that these may change otherwise.
        writes: names of functions it defines that write into their arguments.
        passes: given as arguments to functions that have a name.
        changes: of objects that it surely means to change: of `stores` and `touches` all but what a loop might touch.
        shares: pairs that stand for one object afterwards, or for parts of one: `b = a`, `b = a[0]`, `b = a.view(-1)`.
    """

    now: frozenset[str] = frozenset()
    late: frozenset[str] = frozenset()
    gives: frozenset[str] = frozenset()
    surely: frozenset[str] = frozenset()
    drops: frozenset[str] = frozenset()
    stores: frozenset[str] = frozenset()
    touches: frozenset[str] = frozenset()
    sets: frozenset[str] = frozenset()
    stirs: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    passes: frozenset[tuple[str, str]] = frozenset()
    changes: frozenset[str] = frozenset()
    shares: frozenset[tuple[str, str]] = frozenset()


class _Plain(ast.NodeTransformer):
    """What symbol tables do not tell, said in other words.

    Comprehensions become generators: from Python 3.12 on, only these have a table of their own. `a += 1` also reads,
    `del a` does not give a name, and neither does `a: int`. Outside functions, only notebooks may wait for something.
    """

    def visit_Await(self, node: ast.Await) -> ast.AST:
        return self.visit(node.value)

    def visit_AsyncFor(self, node: ast.AsyncFor) -> ast.AST:
        return self.visit(ast.For(**vars(node)))

    def visit_AsyncWith(self, node: ast.AsyncWith) -> ast.AST:
        return self.visit(ast.With(**vars(node)))

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        node.is_async = 0
        return self.generic_visit(node)

    def _generator(self, node: COMPREHENSION) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node, ast.DictComp):
            pair = ast.Tuple([node.key, node.value], ast.Load())
            return ast.GeneratorExp(pair, node.generators)
        return ast.GeneratorExp(node.elt, node.generators)

    visit_ListComp = visit_SetComp = visit_DictComp = _generator

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.target, ast.Name):
            return node
        now = ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value)
        return ast.Assign([node.target], now, lineno=node.lineno)

    def visit_Delete(self, node: ast.Delete) -> ast.AST:
        names = sorted(_dropped(node))
        read: list[ast.expr] = [ast.Name(name, ast.Load()) for name in names]
        rest = [target for target in node.targets if not isinstance(target, ast.Name)]
        return ast.Delete(rest) if rest else ast.Expr(ast.Tuple(read, ast.Load()))

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        self.generic_visit(node)
        return node if node.value else ast.Expr(node.annotation)


@functools.lru_cache(8192)
def facts(statement: ast.stmt) -> Facts:
    """What a statement has to do with names.

    Args:
        statement: at the top level.

    Returns:
        The names; of a statement that cannot be compiled, only those that it would give.
    """
    every = [*ast.walk(statement)]
    plain = not any(isinstance(part, FUNCTION) for part in every)
    parts = every if plain else [*inside(statement)]  # it saves half the time
    try:
        source = ast.unparse(statement)
        if any(isinstance(part, RESTATED) for part in every):
            source = ast.unparse(_Plain().visit(ast.parse(source)))
        table = symtable.symtable(source, "", "exec")
    except (SyntaxError, ValueError, RecursionError):
        return Facts(gives=frozenset(_stored(statement)))
    now, late, sets = _names(table)
    now |= (files := _files(parts))
    late |= _files(every) - files
    gives = frozenset(s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported())
    stores, touches, passes = _changes(parts)
    now &= _at_once(statement, now)
    changes = stores | touches | _added_to(parts)
    if isinstance(statement, BLOCK):
        touches |= now
    writes, set_later, stirred_later = _writers(every)
    drops = frozenset(_dropped(statement) if isinstance(statement, ast.Delete) else ())
    return Facts(
        frozenset(now) - drops,
        frozenset(late),
        gives,
        gives if _is_sure(statement) else frozenset(_sure([statement])) & gives,
        drops,
        frozenset(stores),
        frozenset(touches),
        frozenset(sets | set_later & late),
        frozenset(stirred_later & late),
        frozenset(writes),
        frozenset(passes),
        frozenset(changes),
        frozenset(_shares(parts)),
    )


def _names(table: symtable.SymbolTable) -> tuple[set[str], set[str], set[str]]:
    """Global names that are read at once, read by functions, and set by functions."""
    now: set[str] = set()
    late: set[str] = set()
    sets: set[str] = set()
    waiting = [(table, now)]
    while waiting:
        table, read = waiting.pop()
        for symbol in table.get_symbols():
            outer = table.get_type() == "module" or symbol.is_global()
            if outer and symbol.is_referenced():
                read.add(symbol.get_name())
            if symbol.is_declared_global() and symbol.is_assigned():
                sets.add(symbol.get_name())
        for inner in table.get_children():
            called = inner.get_type() == "function" and inner.get_name() != "genexpr"
            waiting.append((inner, late if called else read))
    return now, late, sets


def _at_once(statement: ast.stmt, now: set[str]) -> set[str]:
    """What a block reads before it gives it itself: not its own variable, for instance."""

    def read(body: Iterable[ast.stmt | ast.expr], given: Iterable[str] = ()) -> None:
        given = {*given}
        for part in body:
            if isinstance(part, ast.stmt):
                this = facts(part)
                found.update(this.now - given)
                given |= this.surely
            else:
                found.update(now & _files(ast.walk(part)))
                found.update(now & {n.id for n in ast.walk(part) if isinstance(n, ast.Name)})

    found: set[str] = set()
    match statement:
        case ast.For():
            read([statement.iter])
            read(statement.body, _stored(statement.target))
            read(statement.orelse)
        case ast.While() | ast.If():
            read([statement.test])
            read(statement.body)
            read(statement.orelse)
        case ast.With():
            read([item.context_expr for item in statement.items])
            targets = [item.optional_vars for item in statement.items]
            read(statement.body, (n for each in targets if each for n in _stored(each)))
        case ast.Try():
            read([*statement.body, *statement.orelse])
            for handler in statement.handlers:
                read([handler.type] if handler.type else [])
                read(handler.body, [handler.name] if handler.name else [])
            read(statement.finalbody)
        case _:
            return now
    return found


def _dropped(statement: ast.Delete) -> set[str]:
    return {target.id for target in statement.targets if isinstance(target, ast.Name)}


def _stored(statement: ast.AST) -> set[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {statement.name}
    return {node.id for node in inside(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _is_sure(statement: ast.stmt) -> bool:
    sure = IMPORT | FUNCTION | ast.ClassDef | ast.Assign | ast.AnnAssign | ast.AugAssign
    return isinstance(statement, sure)


def _sure(body: Iterable[ast.stmt]) -> set[str]:
    """What statements give whatever happens; in a loop they may not be run at all, under `with` not to their end."""
    found = set()
    for statement in body:
        if isinstance(statement, ast.If):
            found |= _sure(statement.body) & _sure(statement.orelse)
        elif isinstance(statement, ast.Try):
            ways = [handler.body for handler in statement.handlers]
            ways = [way for way in ways if not isinstance(way[-1], ast.Raise)]
            whole = _sure([*statement.body, *statement.orelse])
            found |= whole.intersection(*map(_sure, ways)) | _sure(statement.finalbody)
        elif _is_sure(statement):
            found |= facts(statement).gives
    return found


def inside(node: ast.AST) -> Iterable[ast.AST]:
    """The parts of a statement that are run at once, not when a function is called.

    Args:
        node: the statement, or a part of one.

    Returns:
        The node itself and what is in it.
    """
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, FUNCTION):
            waiting += ast.iter_child_nodes(node)


def root(node: ast.AST) -> set[str]:
    """The name with which an expression such as `a.b[0]` begins, if it begins with one.

    Args:
        node: the expression.

    Returns:
        That name, or nothing.
    """
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return {node.id} if isinstance(node, ast.Name) else set()


def _files(parts: Iterable[ast.AST]) -> set[str]:
    """Names of files, in quotes."""
    texts = (part.value for part in parts if isinstance(part, ast.Constant))
    return {repr(t) for t in texts if isinstance(t, str) and FILE.fullmatch(t)}


def _changes(parts: Iterable[ast.AST]) -> tuple[set[str], set[str], set[tuple[str, str]]]:
    """Names whose items or attributes are set, which are changed otherwise, and which are arguments of functions."""
    stores, touches, passes = set(), set(), set()
    for part in parts:
        if isinstance(part, ast.Attribute | ast.Subscript):
            if not isinstance(part.ctx, ast.Load):
                stores |= root(part)
        elif isinstance(part, ast.Expr) and isinstance(part.value, ast.Call):
            if isinstance(part.value.func, ast.Attribute):
                touches |= root(part.value.func)
        elif isinstance(part, ast.Call):
            method = part.func.attr if isinstance(part.func, ast.Attribute) else ""
            name = method or "".join(root(part.func))
            in_place = name.endswith("_") and not name.endswith("__")
            if method and (in_place or name in CHANGING):
                touches |= root(part.func)
            if in_place or name in WRITING:
                touches |= {one for given in part.args[:1] for one in root(given)}
            for keyword in part.keywords:
                touches |= root(keyword.value) if keyword.arg == "out" else set()
            given = [*part.args, *(keyword.value for keyword in part.keywords)]
            if name in SAVING:
                touches |= _files(ast.walk(part)).union(*map(root, given))
            if not method:
                passes |= {(name, one) for each in given for one in root(each)}
    return stores, touches, passes


def _added_to(parts: Iterable[ast.AST]) -> set[str]:
    """The names in `a += 1`, which changes a list or a tensor."""
    added = (part.target for part in parts if isinstance(part, ast.AugAssign))
    return {target.id for target in added if isinstance(target, ast.Name)}


def _shares(parts: Iterable[ast.AST]) -> set[tuple[str, str]]:
    pairs: list[tuple[ast.expr, ast.expr]] = []
    for part in parts:
        if isinstance(part, ast.Assign):
            pairs += [(target, part.value) for target in part.targets]
        elif isinstance(part, ast.AnnAssign | ast.NamedExpr) and part.value:
            pairs.append((part.target, part.value))
    found = set()
    while pairs:
        target, value = pairs.pop()
        if isinstance(target, ast.Name):
            found |= {(target.id, name) for name in _source(value)}
        elif isinstance(target, ast.Tuple | ast.List):
            each = [value] * len(target.elts)
            if isinstance(value, ast.Tuple | ast.List):
                each = value.elts
            pairs += zip(target.elts, each, strict=False)
    return found


def _source(node: ast.expr) -> set[str]:
    """The name of what an expression is itself, or a part or view of."""
    while True:
        if isinstance(node, ast.Attribute | ast.Subscript | ast.Starred):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr not in VIEWS:
                return set()
            node = node.func.value
        else:
            return root(node)


def _writers(parts: Iterable[ast.AST]) -> tuple[set[str], set[str], set[str]]:
    """Functions that write into their arguments, and the names whose items a statement's functions set or change."""
    writers, all_stores, all_touches = set(), set(), set()
    for node in parts:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            stores, touches, _ = _changes(inside(ast.Module(node.body, [])))
            given = {one.arg for one in ast.walk(node.args) if isinstance(one, ast.arg)}
            if (stores | touches) & given:
                writers.add(node.name)
            all_stores |= stores
            all_touches |= touches
    return writers, all_stores, all_touches
