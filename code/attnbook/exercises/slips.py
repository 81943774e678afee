"""Slips that no bank has to list: two things change places, one is taken for another, a step is left out.

They are made in the solution, one at a time, and compared with the reader's function as a bank's mistakes are.
"""

import ast
import functools
import inspect
import itertools
import warnings
from collections.abc import Callable, Iterator

from .case import Case, fit, smallest_wrong, telling
from .edits import code
from .language import later, say
from .recognise import does_as
from .verdict import Finding, message
from .wording import by_shape, values

TERM = later("a term"), later("a term with {name}")
LOST = {
    ast.Add: TERM, ast.Sub: TERM, ast.Mult: (later("a factor"), later("a factor with {name}")),
    ast.Div: (later("a division"), later("a division with {name}")),
    ast.Pow: (later("a power"), later("a power with {name}")),
    ast.MatMult: (later("a product"), later("a product with {name}")),
}  # fmt: skip
SIGNS, TIMES = later("plus and minus are"), later("multiplied and divided are")
LESS, MORE = later("< and ≤ are"), later("> and ≥ are")
MIXED = {
    (ast.Add, ast.Sub): SIGNS, (ast.Sub, ast.Add): SIGNS, (ast.Mult, ast.Div): TIMES, (ast.Div, ast.Mult): TIMES,
    (ast.Lt, ast.LtE): LESS, (ast.LtE, ast.Lt): LESS, (ast.Gt, ast.GtE): MORE, (ast.GtE, ast.Gt): MORE,
}  # fmt: skip
AXES = 0, 1, 2, -1, -2
MOST = 250  # slips that are tried


def slip(exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Find one slip that gives the reader's numbers on every probe."""
    if not fit(cases) or not telling(cases):
        return None
    tries = itertools.islice(itertools.chain(_arguments(exercise), _edited(exercise)), MOST)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a slip's own
        found = next((told for wrong, *told in tries if does_as(wrong, cases)), None)
    if found is None:
        return None
    (key, facts, step), case = found, smallest_wrong(cases)
    steps = dict(exercise.on_the_way(case.arguments))
    return message(key, seen=case.seen, should=_should(step, steps), **facts)


def _should(step: str, steps: dict) -> str:
    """What the step that is wrong should have given, where it can be shown."""
    if step not in steps or by_shape(steps[step]):
        return ""
    return say("{step} should be {right}.", step=f"{step[0].upper()}{step[1:]}", right=values(steps[step]))


def _arguments(exercise) -> Iterator[tuple]:
    """The solution with two arguments of the same axes exchanged, or one of them given twice."""
    names = exercise.parameters
    for (i, one), (j, other) in itertools.permutations(enumerate(names), 2):
        if exercise.shapes[one] != exercise.shapes[other] or exercise.shapes[one] in ("a function", "a list"):
            continue
        facts = {"one": f"`{one}`", "other": f"`{other}`"}
        if i < j:
            yield _placed(exercise.solution, {i: j, j: i}), "exchanged", facts, ""
        yield _placed(exercise.solution, {j: i}), "taken-for", facts, ""


def _placed(solution: Callable, places: dict[int, int]) -> Callable:
    return lambda *given: solution(*(given[places.get(i, i)] for i in range(len(given))))


def _edited(exercise) -> list[tuple]:
    """The solution with one small edit: compiled once for each exercise."""
    return _compiled(exercise.solution, tuple(exercise.parameters), tuple(exercise.told_steps.items()))


@functools.cache
def _compiled(solution: Callable, parameters: tuple, steps: tuple) -> list[tuple]:
    tree = ast.parse(code(solution))
    words = {name: f"`{name}`" for name in parameters} | dict(steps)
    world, found = inspect.unwrap(solution).__globals__, []
    for line in ast.walk(tree.body[0]):
        if not isinstance(line, ast.Assign | ast.Return) or line.value is None:
            continue
        target = line.targets[0] if isinstance(line, ast.Assign) else None
        step = dict(steps).get(getattr(target, "id", ""), "")
        for parent, field, place, node in list(_children(line)):
            for new, key, facts in _changes(node, words):
                _put(parent, field, place, new)
                mine = dict(world)
                exec(compile(ast.fix_missing_locations(tree), f"<a slip in {solution.__name__}>", "exec"), mine)
                found.append((mine[solution.__name__], key, facts, step))
                _put(parent, field, place, node)
    return found


def _children(line: ast.AST) -> Iterator[tuple]:
    """All expressions of a line that are computed, and where they are."""
    for parent in ast.walk(line):
        for field, value in ast.iter_fields(parent):
            for place, part in enumerate(value) if isinstance(value, list) else [(None, value)]:
                if isinstance(part, ast.expr) and not isinstance(getattr(part, "ctx", None), ast.Store):
                    yield parent, field, place, part


def _put(parent: ast.AST, field: str, place: int | None, node: ast.AST) -> None:
    if place is None:
        setattr(parent, field, node)
    else:
        getattr(parent, field)[place] = node


def _changes(node: ast.AST, words: dict[str, str]) -> Iterator[tuple]:
    """What may take an expression's place: (it, the message, its facts)."""
    match node:
        case ast.BinOp(left, op, right):
            what = LOST.get(type(op))
            for kept, lost in ((left, right), (right, left)) if what else ():
                names = [words[n.id] for n in ast.walk(lost) if isinstance(n, ast.Name) and n.id in words]
                yield kept, "left-out", {"what": say(what[1], name=names[0]) if names else say(what[0])}
            if isinstance(op, ast.Sub | ast.Div | ast.Pow):
                yield ast.BinOp(right, op, left), "operands-exchanged", {}
            for (old, new), mixed in MIXED.items():
                if isinstance(op, old):
                    yield ast.BinOp(left, new(), right), "mixed-up", {"what": say(mixed)}
        case ast.Compare(left, [op], right):
            for (old, new), mixed in MIXED.items():
                if isinstance(op, old):
                    yield ast.Compare(left, [new()], right), "mixed-up", {"what": say(mixed)}
        case ast.Call(ast.Attribute(owner, name), arguments, keywords):
            kept = arguments[0] if isinstance(owner, ast.Name) and owner.id == "torch" and arguments else owner
            yield kept, "left-out", {"what": f"`{name}`"}
            for i, keyword in enumerate(keywords):
                if keyword.arg == "dim":
                    for axis in AXES:
                        dims = [*keywords[:i], ast.keyword("dim", ast.Constant(axis)), *keywords[i + 1 :]]
                        yield ast.Call(node.func, arguments, dims), "another-axis", {"what": name}
        case ast.Attribute(owner, "T" | "mT"):
            yield owner, "left-out", {"what": say("a transposition")}
        case ast.Name(name) if name in words:
            for other in words:
                if other != name:
                    taken = {"one": words[other], "other": words[name]}
                    yield ast.Name(other, ast.Load()), "taken-for", taken
