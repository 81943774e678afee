"""Show the package's own source on the page.

The text is stored with the notebook, so it is also a detector of drift: change the function without running the chapter
again and the notebook's test fails.
"""

import ast
import inspect
import textwrap
from pathlib import Path


class Source:
    """The source of a function or class, rendered as a code block.

    Args:
        obj: a function or class of this package, or anything `inspect.getsource` can read.
        docstring: keep the docstring, or leave it out for a page that has just explained it.
    """

    def __init__(self, obj: object, docstring: bool = True):
        try:
            text = inspect.getsource(obj)
            # a decorator such as torch.no_grad has a file of its own
            file = inspect.getsourcefile(inspect.unwrap(obj))
        except (TypeError, OSError) as error:
            raise TypeError(
                f"show() needs a function or class that has source code, got {type(obj).__name__} ({error})"
            ) from None
        self.name = getattr(obj, "__qualname__", type(obj).__name__)
        self.file = _place(file)
        self.text = textwrap.dedent(
            text if docstring else _without_docstrings(text)
        ).rstrip()

    def _repr_markdown_(self) -> str:
        return f"<small>`{self.file}`</small>\n\n```python\n{self.text}\n```"

    def __repr__(self) -> str:
        return f"{self.name}: {len(self.text.splitlines())} lines of {self.file}"


def _place(file: str | None) -> str:
    """`attnbook/attention/masks.py` rather than a path of this machine."""
    # the last "attnbook" of the path: a reader's clone may be called so too
    _, package, inside = Path(file or "?").as_posix().rpartition("/attnbook/")
    return f"attnbook/{inside}" if package else Path(inside).name


def _without_docstrings(text: str) -> str:
    """Cut the docstrings out of a source text, by line numbers, so that comments and layout stay."""
    lines = textwrap.dedent(text).splitlines()
    drop: set[int] = set()
    for node in ast.walk(ast.parse("\n".join(lines))):
        if (
            isinstance(node, ast.FunctionDef | ast.ClassDef)
            and ast.get_docstring(node) is not None
            and len(node.body) > 1  # a docstring alone is the whole body
        ):
            doc = node.body[0]
            drop.update(range(doc.lineno - 1, doc.end_lineno))
            after = doc.end_lineno
            if after < len(lines) and not lines[after].strip():
                drop.add(after)
    return "\n".join(line for number, line in enumerate(lines) if number not in drop)


def show(obj: object, docstring: bool = False) -> Source:
    """Show the source of a function or class of the package.

    Args:
        obj: the function or class.
        docstring: print its docstring too.

    Returns:
        A `Source`, which notebooks and pages render as a Python code block.

    Raises:
        TypeError: the object has no source code.
    """
    return Source(obj, docstring)
