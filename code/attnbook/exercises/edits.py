"""Mistakes as edits of a solution's source, and the numbers on the way as its named locals."""

import ast
import functools
import inspect
import itertools
import linecache
import sys
import textwrap
from collections.abc import Callable

Edits = tuple[tuple[str, str], ...]


@functools.cache
def source(function: Callable) -> str:
    """Source of a function, dedented, from its `def` on (without decorators)."""
    text = textwrap.dedent(inspect.getsource(inspect.unwrap(function)))
    first = ast.parse(text).body[0].lineno
    return "".join(text.splitlines(keepends=True)[first - 1 :]).rstrip() + "\n"


@functools.cache
def _parts(function: Callable) -> tuple[str, str]:
    """Source of a function up to the end of its docstring, and all of it but the docstring."""
    node, lines = ast.parse(source(function)).body[0], source(function).splitlines(keepends=True)
    start = node.body[0].lineno - 1
    end = start if ast.get_docstring(node) is None else node.body[0].end_lineno
    return "".join(lines[:end]), "".join(lines[:start] + lines[end:])


def code(function: Callable) -> str:
    """Source of a function without its docstring."""
    return _parts(function)[1]


def stub(function: Callable) -> str:
    """What the reader starts from: signature and docstring of the solution, and a body that is `...`."""
    return f"{_parts(function)[0]}    ...\n"


def _places(function: Callable, edits: Edits) -> list[tuple[int, int, str]]:
    """Where the edits begin and end in the source without its docstring, and what comes there, in order."""
    text, places = code(function), []
    for old, new in edits:
        if (count := text.count(old)) != 1:
            raise ValueError(
                f"an edit must match exactly once; {old!r} occurs {count} times in the "
                f"code of {function.__name__}:\n{text}"
            )
        places.append((text.index(old), text.index(old) + len(old), new))
    return sorted(places)


def apart(function: Callable, edits: Edits) -> bool:
    """Whether the edits change different places, and so can be made together."""
    return all(one[1] <= after[0] for one, after in itertools.pairwise(_places(function, edits)))


def edited_code(function: Callable, edits: Edits) -> str:
    """`code` with edits made; a ValueError if one does not match exactly once, or two change the same characters."""
    if not apart(function, edits):
        raise ValueError(f"two edits of {function.__name__} change the same characters")
    text = code(function)
    for start, end, new in reversed(_places(function, edits)):
        text = text[:start] + new + text[end:]
    return text


@functools.lru_cache(maxsize=4096)
def edited(function: Callable, edits: Edits) -> Callable:
    """The function with its source changed; a ValueError if the edits cannot be made."""
    text = edited_code(function, edits)
    file = f"<{function.__name__} with {edits!r}>"
    return compiled(function, text, file)


def compiled(function: Callable, text: str, file: str) -> Callable:
    """The function of that name that a text defines, in the surroundings of the original."""
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    name, world = function.__name__, dict(inspect.unwrap(function).__globals__)
    world.pop(name, None)
    exec(compile(text, file, "exec"), world)
    if name not in world:
        raise ValueError(f"the code defines no {name}; keep the function's name")
    return world[name]


def named_locals(function: Callable, arguments: tuple) -> dict[str, object]:
    """Call a function and note the values that its own names have when it returns, in order of appearance."""
    code, found = inspect.unwrap(function).__code__, {}

    def watch(frame, event, _):
        if event == "return" and frame.f_code is code and not found:
            found.update(frame.f_locals)

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        function(*arguments)
    finally:
        sys.setprofile(before)
    taken = set(inspect.signature(function).parameters)
    return {name: value for name, value in found.items() if name not in taken}
