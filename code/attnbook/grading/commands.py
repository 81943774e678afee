"""Cells in IPython's language: what of it is Python, and what is a command, which is not run here."""

import ast
import linecache
import shlex
from dataclasses import dataclass, field

AROUND = {"time", "capture", "prun"}  # `%%time`: the cell below it is run as any other
GIVING = {
    "run",
    "load",
    "loadpy",
    "pylab",
    "store",
    "macro",
    "env",
    "set_env",
}  # may give any name


class CommandNotRun(Exception):
    """Raised where a submission needs what a command of IPython's would give."""


class Shell:
    """What `get_ipython()` gives a submission."""

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        raise CommandNotRun


@dataclass
class Part:
    """A cell, or a whole Python file.

    Attributes:
        text: as it was written.
        code: its Python, with as many lines.
        body: the statements; none if it cannot be parsed.
        error: why it cannot.
        files: text by name, which `%%writefile` writes.
        giving: the lines with commands that may give names.
    """

    text: str
    code: str = ""
    body: list[ast.stmt] = field(default_factory=list)
    error: str = ""
    files: dict[str, str] = field(default_factory=dict)
    giving: list[int] = field(default_factory=list)


def parsed(text: str, name: str, before: int) -> Part:
    """Read a part of a file.

    Args:
        text: of the part.
        name: of the file, for messages.
        before: how many lines of the file stand above it.

    Returns:
        The part; its statements have the line numbers of the file.
    """
    part = Part(text)
    for understand in (lambda: text, lambda: _python(text, part)):
        try:
            part.code = understand()
            part.body, part.error = ast.parse(part.code).body, ""
            break
        except (SyntaxError, ValueError, RecursionError, MemoryError) as raised:
            part.code = "\n" * text.count("\n")
            part.error = f"{type(raised).__name__}: {getattr(raised, 'msg', raised)}"
        except ImportError:
            part.error = "it holds commands of IPython's, which is not installed here: pip install ipython"
    for statement in part.body:
        ast.increment_lineno(statement, before)
    commands = _Commands(name, part.giving)
    part.body = [
        one for each in part.body for one in _several(commands.visit(each)) if one
    ]
    return part


def _several(made: ast.AST | list) -> list:
    return made if isinstance(made, list) else [made]


def _python(cell: str, part: Part) -> str:
    """A cell, line by line, with calls of `get_ipython()` for its commands."""
    from IPython.core import inputtransformer2 as ipython  # half a second; few need it

    lines = (cell + "\n").splitlines(keepends=True)
    first = next(
        n for n, s in enumerate([*lines, "."]) if s.strip(" \t\n")[:1] not in ("", "#")
    )
    if first < len(lines) and lines[first].startswith("%%"):
        command, _, options = lines[first][2:].strip().partition(" ")
        if command in ("writefile", "file"):
            _write(options, "".join(lines[first + 1 :]), part)
        if command not in AROUND:  # another language, or a world of its own
            return "\n" * cell.count("\n")
        given = [one for one in options.split() if one.isidentifier()]
        lines[first] = f"{given[0]} = get_ipython().capture\n" if given else "\n"
        return _python("".join(lines).removesuffix("\n"), part)
    for strip in (
        ipython.leading_indent,
        ipython.classic_prompt,
        ipython.ipython_prompt,
    ):
        lines[first:] = strip(lines[first:])
    manager, changed = ipython.TransformerManager(), True
    while changed:
        before = lines
        changed, lines = manager.do_one_token_transform(before)
        place = next(
            (n for n, (a, b) in enumerate(zip(before, lines, strict=False)) if a != b),
            0,
        )
        lines[place + 1 : place + 1] = ["\n"] * (len(before) - len(lines))
    return "".join(lines).removesuffix("\n")


def _write(options: str, text: str, part: Part) -> None:
    words = shlex.split(options)
    names = [word for word in words if not word.startswith("-")]
    if len(names) == 1:
        more = part.files.get(names[0], "") if {"-a", "--append"} & {*words} else ""
        part.files[names[0]] = more + text


class _Commands(ast.NodeTransformer):
    """Takes out the commands whose result nobody uses; `%time` and its like become the code that they run."""

    def __init__(self, name: str, giving: list[int]):
        self.name, self.giving = name, giving

    def visit(self, node: ast.AST) -> ast.AST | list[ast.stmt]:
        return node if isinstance(node, ast.expr) else super().visit(node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.stmt]:
        call = node.value
        if not is_command(call):
            return node
        words = [one.value for one in call.args if isinstance(one, ast.Constant)]
        command, code = str([*words, ""][0]), str(["", *words][-1])
        if call.func.attr in ("run_line_magic", "run_cell_magic"):
            if command in AROUND:
                return self._inside(code, node.lineno) or ast.Pass(lineno=node.lineno)
            if command in GIVING:
                self.giving.append(node.lineno)
        return ast.copy_location(ast.Pass(), node)

    def _inside(self, code: str, line: int) -> list[ast.stmt]:
        file = f"<{self.name}, line {line}>"
        linecache.cache[file] = (len(code), None, code.splitlines(True), file)
        try:
            body = ast.parse(code).body
        except (SyntaxError, ValueError, RecursionError):
            return []
        for statement in body:
            statement.file, statement.line = file, line
        return body


def is_command(node: ast.AST) -> bool:
    """Whether an expression is like `get_ipython().system("ls")`."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    shell = node.func.value
    return isinstance(shell, ast.Call) and ast.unparse(shell.func) == "get_ipython"
