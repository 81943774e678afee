"""Show the package's own source on the page: the idea, without docstrings, argument checks and annotations.

The text is stored with the notebook, so it is also a detector of drift: change the function without running the chapter
again and the notebook's test fails.
"""

import ast
import inspect
import textwrap
from pathlib import Path

WIDTH = 88  # columns of a page


class Source:
    """The source of functions or classes, rendered as a code block.

    Args:
        objects: functions or classes of this package, or anything `inspect.getsource` can read.
        whole: print all of it; if not, only `idea` of it.
    """

    def __init__(self, *objects: object, whole: bool = True):
        texts, files, names = [], [], []
        for thing in objects:
            try:
                text = textwrap.dedent(inspect.getsource(thing)).rstrip()
                # a decorator such as torch.no_grad has a file of its own
                file = inspect.getsourcefile(inspect.unwrap(thing))
            except (TypeError, OSError) as error:
                raise TypeError(
                    f"show() needs a function or class that has source code, got {type(thing).__name__} ({error})"
                ) from None
            texts.append(text if whole else idea(text))
            names.append(getattr(thing, "__qualname__", type(thing).__name__))
            files.append(_inside(file))
        self.name, self.file = ", ".join(names), ", ".join(dict.fromkeys(files))
        self.text = "\n\n\n".join(texts)

    def _repr_markdown_(self) -> str:
        return f"<small>`{self.file}`</small>\n\n```python\n{self.text}\n```"

    def __repr__(self) -> str:
        return f"{self.name}: {len(self.text.splitlines())} lines of {self.file}"


def _inside(file: str | None) -> str:
    """`attnbook/attention/masks.py` rather than a path of this machine."""
    # the last "attnbook" of the path: a reader's clone may be called so too
    _, package, inside = Path(file or "?").as_posix().rpartition("/attnbook/")
    return f"attnbook/{inside}" if package else Path(inside).name


def show(*objects: object, whole: bool = False) -> Source:
    """Show the source of functions or classes of the package: what they compute, not how they guard themselves.

    Args:
        objects: the functions or classes.
        whole: print docstrings, argument checks and annotations too.

    Returns:
        A `Source`, which notebooks and pages render as a Python code block.

    Raises:
        TypeError: an object without source code.
    """
    return Source(*objects, whole=whole)


# --- what is left out -----------------------------------------------------------------------------------------


def idea(text: str) -> str:
    """A source text without docstrings, argument checks and annotations; comments and layout stay.

    A check is a call of a function whose name begins with `check_`, an `assert`, or an `if` that ends in a `raise`;
    with it goes what serves no other purpose: an assignment that only checks read, a block or a method that held
    nothing else.

    Args:
        text: of a function or class.

    Returns:
        Still a program, and without wrong arguments the same one.
    """
    lines, tree = text.splitlines(), ast.parse(text)
    drop: set[int] = set()
    signatures: dict[int, list[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            drop.update(*(_lines_of(method) for method in node.body if _only_checks(method)))
        if isinstance(node, ast.FunctionDef):
            for statement in _idle(node):
                drop |= _lines_of(statement)
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            line = lines[node.lineno - 1]
            kept = line[: node.target.end_col_offset]
            lines[node.lineno - 1] = kept + line[node.annotation.end_col_offset :]
        if _begins_with_a_docstring(node):
            drop |= _lines_of(node.body[0])
        if isinstance(node, ast.FunctionDef) and node.body[0].lineno > node.lineno and node.lineno - 1 not in drop:
            begin, end = node.lineno - 1, node.body[0].lineno - 1
            while not lines[end - 1].rstrip().endswith(":"):
                end -= 1  # a comment between the signature and the body
            drop |= set(range(begin, end))
            signatures[begin] = _signature(node)
    shown: list[str] = []
    for number, line in enumerate(lines):
        if number in signatures:
            shown += signatures[number]
        elif number not in drop and (line.strip() or _may_end_in_a_gap(shown)):
            shown.append(line)
    return "\n".join(shown).rstrip()


def _begins_with_a_docstring(node: ast.AST) -> bool:
    """Whether there is one, and more than that."""
    kind = isinstance(node, ast.FunctionDef | ast.ClassDef)
    return kind and len(node.body) > 1 and ast.get_docstring(node) is not None


def _only_checks(node: ast.stmt) -> bool:
    """Whether a method holds nothing but checks."""
    if not isinstance(node, ast.FunctionDef):
        return False
    body = node.body[_begins_with_a_docstring(node) :]
    return set(body) <= _idle(node)


def _may_end_in_a_gap(shown: list[str]) -> bool:
    """No gap where something was left out, nor below a signature."""
    return bool(shown) and bool(shown[-1].strip()) and shown[-1][-1] != ":"


def _lines_of(node: ast.stmt) -> set[int]:
    return set(range(node.lineno - 1, node.end_lineno))


def _signature(node: ast.FunctionDef) -> list[str]:
    """`def f(x, mask=None):` without annotations, broken only where the page ends."""
    for argument in ast.walk(node.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    start = f"{' ' * node.col_offset}def {node.name}("
    whole = f"{start}{ast.unparse(node.args)}):".replace("'", '"')
    return textwrap.wrap(whole, WIDTH, subsequent_indent=" " * len(start))


def _names_read(nodes) -> set[str]:
    names = (node for node in nodes if isinstance(node, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, ast.Load)}


def _statements(node: ast.AST) -> list[ast.stmt]:
    """All statements below a node, in the order of their lines."""
    inner = [n for n in ast.walk(node) if isinstance(n, ast.stmt) and n is not node]
    return sorted(inner, key=lambda n: (n.lineno, -n.end_lineno))


def _idle(function: ast.FunctionDef) -> set[ast.stmt]:
    """The statements of a function that check, or that serve checks alone."""
    idle: set[ast.stmt] = set()
    while True:
        read = _names_read(_walk_without(function, idle))
        more = {s for s in _statements(function) if _is_check(s, idle, read)} - idle
        if not more:
            return idle
        idle |= more


def _walk_without(node: ast.AST, idle: set[ast.stmt]):
    yield node
    for child in ast.iter_child_nodes(node):
        if child not in idle:
            yield from _walk_without(child, idle)


def _is_check(statement: ast.stmt, idle: set[ast.stmt], read: set[str]) -> bool:
    """Whether a statement checks, or serves only those that are known to check."""
    if isinstance(statement, ast.Assert):
        return True
    if isinstance(statement, ast.Expr):
        return _calls_a_check(statement.value)
    if isinstance(statement, ast.If) and not statement.orelse:
        raises = isinstance(statement.body[-1], ast.Raise)
        return raises or all(inner in idle for inner in statement.body)
    if isinstance(statement, ast.For | ast.With):
        return all(inner in idle for inner in statement.body)
    if isinstance(statement, ast.Assign) and idle:
        parts = [part for target in statement.targets for part in ast.walk(target)]
        names = {part.id for part in parts if isinstance(part, ast.Name)}
        plain = not any(isinstance(p, ast.Attribute | ast.Subscript) for p in parts)
        return plain and not names & read
    return False


def _calls_a_check(value: ast.expr) -> bool:
    if not isinstance(value, ast.Call):
        return False
    name = getattr(value.func, "id", None) or getattr(value.func, "attr", "")
    return name.lstrip("_").startswith("check_")
