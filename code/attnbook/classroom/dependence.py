"""Which statements others depend on."""

import ast
import builtins
import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence

from attnbook.classroom.statements import FUNCTION, IMPORT, facts, root

Partners = Mapping[str, frozenset[str]]
NOTHING: frozenset[str] = frozenset()
BUILTIN = frozenset(dir(builtins))
OPTIONS = "set_", "use_"  # how names of functions begin that set an option
SURROUNDINGS = "sys.path", "os.chdir", "os.environ", "get_ipython()"


def needs(target: Iterable[ast.stmt], *rounds: Sequence[ast.stmt]) -> tuple[list[ast.stmt], set[str]]:
    """The statements on which others depend.

    A statement is needed if it gives a name that is used further down, or may change the value of one: by an
    assignment to an item, a method of its own, a function that PyTorch marks with a final underscore, `out=`, a
    function known to write into its argument (`shuffle`), one of theirs that does, or in a loop. What is done to
    another name for the value, or for a part of it, counts too. What a function reads is looked up when it is called.
    Seeds and options of the last round are always set. Not seen is what an object's method does to other objects, as
    `loss.backward()` and `optimizer.step()` do outside of loops.

    Args:
        target: the statements that are to be run.
        rounds: statements that are run before them, in their order. A name that nothing in the last round gives is
            looked for in the one before, and so on.

    Returns:
        The needed ones, in the order in which they are to be run, and the names that nothing gives.
    """
    known = _Known([statement for statements in rounds for statement in statements])
    wanted, found = known.before(target), []
    for number, statements in reversed([*enumerate(rounds)]):
        given: set[str] = set()
        partners = _partners(statements, known.constant)
        for statement, partner in reversed([*zip(statements, partners, strict=True)]):
            this = facts(statement)
            wanted -= this.drops
            last = number == len(rounds) - 1
            always = last and _sets(statement, known.constant)
            always |= _is_star(statement) and (last or wanted > BUILTIN & wanted)
            if always or known.has_to_do_with(statement, wanted, partner):
                found.append(statement)
                given |= this.gives
                wanted = wanted - this.surely | this.now | known.reached(this.now)
            elif this.drops:
                found.append(statement)
        wanted -= given
    absent = {name for name in wanted - BUILTIN if name.isidentifier()}
    return _without_idle_drops(found[::-1]), absent


def needed(source: str, earlier: Iterable[str]) -> list[tuple[str, ast.stmt]]:
    """Those top-level statements of earlier cells on which a cell depends, in their order.

    Args:
        source: the cell's code.
        earlier: the code of the cells above it; one that is not Python counts as empty.

    Returns:
        Cells and statements of theirs, with the line numbers of the cell.
    """
    above = [(cell, statement) for cell in earlier for statement in _parsed(cell)]
    cells = {statement: cell for cell, statement in above}
    statements, _ = needs(_parsed(source), [statement for _, statement in above])
    return [(cells[statement], statement) for statement in statements]


# a page, or a notebook, asks of the same cells again and again
@functools.lru_cache(256)
def _parsed(source: str) -> list[ast.stmt]:
    try:
        return ast.parse(source).body
    except (SyntaxError, ValueError):  # of NUL characters, in some Pythons
        return []


def _is_star(statement: ast.stmt) -> bool:
    """Whether a statement may give any name."""
    return isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*"


def _without_idle_drops(statements: list[ast.stmt]) -> list[ast.stmt]:
    given: set[str] = set()
    kept = []
    for statement in statements:
        this = facts(statement)
        if not this.drops or this.drops & given:
            kept.append(statement)
        given |= this.gives
    return kept


def _partners(statements: Sequence[ast.stmt], constant: Iterable[str]) -> Iterator[Partners]:
    """For each statement, who shares an object with whom when it is run."""
    now: dict[str, frozenset[str]] = {}
    for statement in statements:
        yield dict(now)
        this = facts(statement)
        for name in (this.surely | this.drops) - this.changes:
            for other in now.pop(name, NOTHING):
                now[other] = now[other] - {name} if other in now else NOTHING
        for target, source in this.shares:
            if source not in constant and source != target:
                group = {target, source} | now.get(source, NOTHING) | now.get(target, NOTHING)
                now |= {name: frozenset(group) for name in group}


class _Known:
    """What is known of names from all statements together."""

    def __init__(self, statements: Sequence[ast.stmt]):
        self.constant = set(BUILTIN)  # what is done with these does not change them
        self.classes: set[str] = set()
        self.late: dict[str, set[str]] = {}
        self.leads: dict[str, set[str]] = {}
        self.sets: dict[str, set[str]] = {}
        self.writes: set[str] = set()
        for statement in statements:
            this = facts(statement)
            if isinstance(statement, IMPORT | FUNCTION | ast.ClassDef):
                self.constant |= this.gives
            if isinstance(statement, ast.ClassDef):
                self.classes |= this.gives
            self.writes |= this.writes
        for statement in statements:
            this = facts(statement)
            for name in this.gives | this.stores | this.touches - self.constant:
                self.late.setdefault(name, set()).update(this.late)
                self.leads.setdefault(name, set()).update(this.now, this.late)
                if this.sets or this.stirs:
                    sets = self.sets.setdefault(name, set())
                    sets.update(this.sets, this.stirs - self.constant)

    def _closure(self, names: Iterable[str]) -> set[str]:
        found, waiting = set(), {*names}
        while waiting:
            found |= waiting
            waiting = {other for name in waiting for other in self.leads.get(name, ())} - found
        return found

    def _all(self, of: Mapping[str, set[str]], names: Iterable[str]) -> set[str]:
        return {one for name in self._closure(names) for one in of.get(name, ())}

    def reached(self, names: Iterable[str]) -> set[str]:
        """What functions may read that can be called by way of these names."""
        return self._all(self.late, names)

    def before(self, target: Iterable[ast.stmt]) -> set[str]:
        """What has to be given before these statements."""
        wanted: set[str] = set()
        for statement in reversed([*target]):
            this = facts(statement)
            wanted = wanted - this.surely | this.now | this.late
        return wanted | self.reached(wanted)

    def has_to_do_with(self, statement: ast.stmt, wanted: set[str], partners: Partners) -> bool:
        this = facts(statement)
        if (this.gives | this.stores) & wanted:
            return True
        touched = this.touches - self.constant
        if isinstance(statement, ast.Expr):  # Registry.add(…)
            touched |= this.touches & self.classes
        written = {given for name, given in this.passes if name in self.writes}
        if (touched | written) & wanted:
            return True
        if any(partners.get(name, NOTHING) & wanted for name in this.changes | written):
            return True
        calls = self.sets and not isinstance(statement, IMPORT | FUNCTION)
        return bool(calls and self._all(self.sets, this.now) & wanted)


def _sets(statement: ast.stmt, constant: set[str]) -> bool:
    """Whether a statement is like `seed_everything(0)`, `torch.set_printoptions(precision=3)`, `os.chdir("data")`."""
    if isinstance(statement, ast.AugAssign):
        return ast.unparse(statement.target) == "sys.path"
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not root(call.func) <= constant:
        return False
    called = ast.unparse(call.func)
    name = called.rpartition(".")[2]
    option = name.startswith(OPTIONS) or "seed" in name
    return option or called.startswith(SURROUNDINGS)
