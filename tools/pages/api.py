"""Sphinx extension: the pages of the package, and the links to them from the chapters.

`sphinx.ext.autodoc` writes a page for each room from its docstrings; a room's constants have theirs in comments that
begin with `#:`. In the chapters the heading of a shown source leads there, and so does the first mention of a name.
"""

import ast
import importlib
import inspect
import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.pycode import ModuleAnalyzer
from sphinx.util.nodes import make_refnode

DEFINED = re.compile(r"^(?:def|class) (\w+)", re.MULTILINE)
TELLING = re.compile(r"[A-Za-z]\w*(?:_\w|[a-z][A-Z])\w*")  # `masked_softmax`, not `fit`
FILE = re.compile(r"attnbook/(\w+)/\w+")


def comment(room: str, name: str) -> list[str]:
    """What the comment above a constant of a room says, in the module that defines it."""
    tree = ast.parse(inspect.getsource(importlib.import_module(room)))
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module and name in {a.name for a in node.names}:
            return ModuleAnalyzer.for_module(node.module).find_attr_docs()[("", name)]
    raise LookupError(f"{room} does not import {name} from a module of its own")


def _mend(app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]) -> None:
    if what == "data":
        lines[:] = comment(*name.rsplit(".", 1))
    for number, line in enumerate(lines):  # in reStructuredText |u| is a substitution,
        line = re.sub(r"\|(?=\S)", r"\\|", line)
        lines[number] = re.sub(r"(?<!\S)(\w\.)$", r"\\\1", line)  # and a line "T." a list


def _places(env: BuildEnvironment) -> dict[str, dict[str, tuple[str, str]]]:
    """For each public name its rooms, and there its page and place."""
    places: dict = {}
    for full, entry in env.domains["py"].objects.items():
        package, _, rest = full.partition(".")
        room, _, name = rest.partition(".")
        if package == "attnbook" and name and "." not in name:
            places.setdefault(name, {})[room] = entry.docname, entry.node_id
    return places


def _link(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    if docname.startswith("chapters/api/"):
        return
    places, linked = _places(app.env), set[str]()

    def reference(place: tuple[str, str], child: nodes.Node) -> nodes.reference:
        page, anchor = place
        return make_refnode(app.builder, docname, page, anchor, child)

    for paragraph in list(doctree.findall(nodes.paragraph)):
        after = paragraph.next_node(descend=False, siblings=True)
        rooms = FILE.findall(paragraph.astext())
        if "<small>" in paragraph.astext() and isinstance(after, nodes.literal_block):
            links = [
                (name, places[name][room])
                for name in DEFINED.findall(after.astext())
                for room in dict.fromkeys(rooms)
                if room in places.get(name, {})
            ]
            for number, (name, place) in enumerate(links):
                gap = nodes.Text(", " if number else " · reference: ")
                link = reference(place, nodes.Text(name))
                paragraph.insert(-1, [gap, link])
                linked.add(name)
        elif isinstance(paragraph.parent, nodes.section):
            for code in list(paragraph.findall(nodes.literal)):
                name = code.astext()
                known = [*places.get(name, {}).values()]
                plain = isinstance(code.parent, nodes.paragraph)  # no link yet
                new = name not in linked and TELLING.fullmatch(name)
                if len(known) == 1 and plain and new:
                    code.replace_self(reference(known[0], code.deepcopy()))
                    linked.add(name)


def setup(app: Sphinx) -> dict[str, Any]:
    """Registers the extension with Sphinx."""
    app.connect("autodoc-process-docstring", _mend)
    app.connect("doctree-resolved", _link)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
