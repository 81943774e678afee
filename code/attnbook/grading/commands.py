"""Cells in IPython's language: what of it is Python, and what is a command, most of which are not run here."""

import ast
import contextlib
import linecache
import os
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

AROUND = {"time", "capture", "prun"}  # `%%time`: the cell below it is run as any other
GIVING = {"load", "loadpy", "pylab", "store", "macro"}  # may give any name
DONE = {"cd", "env", "set_env"}  # `Shell` does them
MAGICS = {"run_line_magic", "run_cell_magic", "magic"}
BARE = re.compile(r"\s*(cd|run|env|set_env|mkdir) .*\s*")  # a cell of one line needs no %
NOT_RUN = "is a command of IPython's and is not run here"
Handed = Callable[[str], list[str] | None]  # the cells of a file that was handed in


class CommandNotRun(Exception):
    """Raised where a submission needs what a command of IPython's would give."""


class Shell:
    """What `get_ipython()` gives a submission: the few things that its names and files may depend on.

    Args:
        world: the names of the submission.
        root: the folder out of which no `%cd` leads.
        run_cell: runs a text.
    """

    def __init__(self, world: dict, root: Path, run_cell: Callable[[str], None]):
        self.user_ns, self.root, self.run = world, root, run_cell

    def run_cell(self, text: str, *_: object, **__: object) -> None:
        """Run a cell, or a line."""
        self.run(text)

    ex = run_cell

    def push(self, names: dict, *_: object, **__: object) -> None:
        """Give names."""
        self.user_ns.update(names)

    def system(self, line: str) -> None:
        """Do nothing, unless folders are made."""
        words = _words(line)
        if words[:1] == ["mkdir"]:
            for folder in words[1:]:
                if not folder.startswith("-"):
                    with contextlib.suppress(OSError):
                        os.makedirs(folder, exist_ok=True)

    def run_line_magic(self, name: str, line: str = "", *_: object, **__: object) -> None:
        """Change the folder, if it is there and the submission's own, or set what the environment says."""
        if name == "cd":
            place = Path("".join(_words(line)[:1]) or self.root).resolve()
            if place.is_relative_to(self.root) and place.is_dir():
                os.chdir(place)
        elif name in DONE:
            variable, *value = re.split(r"\s*[= ]\s*", line.strip(), maxsplit=1)
            if any(value):
                os.environ[variable] = value[0]
        elif name == "mkdir":
            self.system(f"mkdir {line}")
        else:
            raise CommandNotRun

    def __getattr__(self, name: str) -> NoReturn:
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
        giving: lines with commands that may give names, and what became of them.
        count: when it was run, if that is known.
    """

    text: str
    code: str = ""
    body: list[ast.stmt] = field(default_factory=list)
    error: str = ""
    giving: dict[int, str] = field(default_factory=dict)
    count: int | None = None


def parts(cells: list[str], name: str, files: dict[str, str], handed: Handed) -> list[Part]:
    """Read the cells of a file.

    Args:
        cells: their text.
        name: of the file, for messages.
        files: gets what `%%writefile` writes, by name.
        handed: for `%run`.

    Returns:
        A part for each cell; the statements have the line numbers of the file. Those of a file that `%run` runs stand
        in its place.
    """
    made, before = [], 0
    for cell in cells:
        made.append(_parsed(cell, name, before, files, handed))
        before += cell.count("\n") + 1
    return made


def _parsed(text: str, name: str, before: int, files: dict[str, str], handed: Handed) -> Part:
    part = Part(text)
    ways = [lambda: text, lambda: _python(text, files)]
    if BARE.fullmatch(text):
        ways.append(lambda: _python(f"%{text.lstrip()}", files))
    for understand in ways:
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
    if "get_ipython" in part.code:
        commands = _Commands(name, part.giving, files, handed)
        part.body = [one for each in part.body for one in _several(commands.visit(each)) if one]
        for statement in part.body:
            _settle(statement)
    return part


def _several(made: ast.AST | list) -> list:
    return made if isinstance(made, list) else [made]


def _settle(statement: ast.stmt) -> None:
    """What stands for a command inside a block has the place of the command; at the top level it has its own file."""
    for inner in ast.walk(statement):
        if inner is not statement and hasattr(inner, "line"):
            _place(inner, inner.line)


def _place(node: ast.AST, line: int) -> None:
    place = {"lineno": line, "end_lineno": line, "col_offset": 0, "end_col_offset": 0}
    for one in ast.walk(node):
        if hasattr(one, "lineno"):
            vars(one).update(place)


def _python(cell: str, files: dict[str, str]) -> str:
    """A cell, line by line, with calls of `get_ipython()` for its commands."""
    from IPython.core import inputtransformer2 as ipython  # half a second; few need it

    lines = (cell + "\n").splitlines(keepends=True)
    first = next(n for n, s in enumerate([*lines, "."]) if s.strip(" \t\n")[:1] not in ("", "#"))
    if first < len(lines) and lines[first].startswith("%%"):
        command, _, options = lines[first][2:].strip().partition(" ")
        if command in ("writefile", "file"):
            _write(options, "".join(lines[first + 1 :]), files)
        if command not in AROUND:  # another language, or a world of its own
            return "\n" * cell.count("\n")
        given = [one for one in options.split() if one.isidentifier()]
        lines[first] = f"{given[0]} = get_ipython().capture\n" if given else "\n"
        return _python("".join(lines).removesuffix("\n"), files)
    for strip in (ipython.leading_indent, ipython.classic_prompt, ipython.ipython_prompt):
        lines[first:] = strip(lines[first:])
    manager, changed = ipython.TransformerManager(), True
    while changed:
        before = lines
        changed, lines = manager.do_one_token_transform(before)
        place = next((n for n, (a, b) in enumerate(zip(before, lines, strict=False)) if a != b), 0)
        lines[place + 1 : place + 1] = ["\n"] * (len(before) - len(lines))
    return "".join(lines).removesuffix("\n")


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:  # a quotation that does not end
        return line.split()


def _write(options: str, text: str, files: dict[str, str]) -> None:
    words = _words(options)
    names = [word for word in words if not word.startswith("-")]
    if len(names) == 1:
        more = files.get(names[0], "") if {"-a", "--append"} & {*words} else ""
        files[names[0]] = more + text


class _Commands(ast.NodeTransformer):
    """Takes out the commands whose result nobody uses; `%time`, `%run` and their like become the code that they run."""

    def __init__(self, name: str, giving: dict[int, str], files: dict[str, str], handed: Handed):
        self.name, self.giving, self.files, self.handed = name, giving, files, handed

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.stmt:
        """The world's own `get_ipython` is the one that counts."""
        if (node.module or "").partition(".")[0] == "IPython":
            node.names = [one for one in node.names if one.name != "get_ipython"]
        return node if node.names else ast.copy_location(ast.Pass(), node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """`x = %time f()`."""
        self.generic_visit(node)
        command, code = _command(node)
        if command in AROUND:
            with contextlib.suppress(SyntaxError, ValueError, RecursionError):
                made = ast.parse(code.strip(), mode="eval").body
                _place(made, node.lineno)
                return made
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.stmt]:
        call, made = node.value, list[ast.stmt]()
        if not isinstance(call, ast.Call) or not (method := _method(call)):
            return self.generic_visit(node)
        command, code = _command(call)
        if command in AROUND:
            made = self._inside(code, node.lineno)
        elif command == "run":
            made = self._run(code, node.lineno)
        elif command in ("writefile", "file"):
            _write(_constants(call)[1], code, self.files)
        elif command in GIVING:
            self.giving[node.lineno] = NOT_RUN
        elif command in DONE or method not in {*MAGICS, "getoutput"}:
            return node
        return made or ast.copy_location(ast.Pass(), node)

    def _run(self, options: str, line: int) -> list[ast.stmt]:
        """What `%run` runs; its names become the notebook's."""
        words = _words(options)
        while words and re.fullmatch(r"-[a-zA-Z]+", words[0]):
            words.pop(0)
        file = words[0] if words else ""
        cells = self.handed(file)
        if cells is None:
            self.giving[line] = f"is not run here: {file} was not handed in"
            return []
        made = parts(cells, file, self.files, lambda name: None if name == file else self.handed(name))
        for error in (part.error for part in made if part.error):
            self.giving[line] = f"is not run here: {file} cannot be parsed ({error})"
        code = "\n".join(part.code for part in made)
        body = [one for part in made for one in part.body]
        arguments = self._inside(f"import sys\nsys.argv = {words!r}", line)
        return arguments + _at(body, code, f"<{file}>", line)

    def _inside(self, code: str, line: int) -> list[ast.stmt]:
        try:
            return _at(ast.parse(code).body, code, f"<{self.name}, line {line}>", line)
        except (SyntaxError, ValueError, RecursionError):
            return []


def _at(body: list[ast.stmt], code: str, file: str, line: int) -> list[ast.stmt]:
    """Statements that stand for a command in a line; messages quote their own text."""
    linecache.cache[file] = (len(code), None, code.splitlines(True), file)
    for statement in body:
        vars(statement).update(file=getattr(statement, "file", file), line=line)
    return body


def _command(call: ast.Call) -> tuple[str, str]:
    """The name of a command, if a call is one, and the last of its arguments."""
    words, method = _constants(call), _method(call)
    if not words or method not in MAGICS:
        return "", ""
    if method == "magic":  # `magic("time f()")`, as it was written long ago
        name, _, code = words[0].partition(" ")
        return name, code
    return words[0], words[-1] if len(words) > 1 else ""


def _constants(call: ast.Call) -> list[str]:
    return [str(one.value) for one in call.args if isinstance(one, ast.Constant)]


def _method(call: ast.Call) -> str:
    """Which method of the shell a call like `get_ipython().system("ls")` calls; the shell may have another name."""
    if not isinstance(call.func, ast.Attribute):
        return ""
    shell, method = call.func.value, call.func.attr
    literal = isinstance(shell, ast.Call) and ast.unparse(shell.func) == "get_ipython"
    named = isinstance(shell, ast.Name) and method in MAGICS
    return method if literal or named else ""
