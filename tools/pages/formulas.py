"""Sphinx extension: formulas become HTML while the book is built, so that a page needs no script to show them.

KaTeX does it, in a Node process that lives as long as the build. (sphinxcontrib-katex does the same over a socket: it
gives up after five seconds, and on a busy machine it loses a race with its own server.)
"""

import functools
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number
from sphinx.writers.html5 import HTML5Translator

from tools import NODE, NODE_MODULES
from tools.languages import english_site

KATEX = NODE_MODULES / "katex/dist"
PROGRAM = Path(__file__).with_suffix(".js")
END = "\u2060"  # marks where an inline formula ended
NAMESPACE = ' xmlns="http://www.w3.org/1998/Math/MathML"'  # that of every <math> in HTML


@functools.cache
def _node(process: int) -> subprocess.Popen:  # pages are written by several processes
    return subprocess.Popen(
        [NODE, PROGRAM, KATEX / "katex.min.js"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


@functools.cache
def render(tex: str, display: bool = False) -> str:
    """HTML and MathML of a formula.

    Args:
        tex: what stands between the dollar signs.
        display: a line of its own.

    Raises:
        ValueError: KaTeX does not understand it.
        ExtensionError: Node has stopped, which says nothing of the formula.
    """
    node = _node(os.getpid())
    assert node.stdin and node.stdout
    try:
        node.stdin.write(json.dumps([tex, display]) + "\n")
        node.stdin.flush()
        line = node.stdout.readline()
    except BrokenPipeError:
        line = ""
    if not line.endswith("\n"):
        raise ExtensionError(
            f"Node, which draws the formulas, has stopped (exit status {node.wait()}) at {tex!r}; there may be nothing "
            "wrong with this formula. Build again; `--all` is not needed."
        )
    answer = json.loads(line)
    if "error" in answer:
        raise ValueError(answer["error"])
    return answer["html"].replace(NAMESPACE, "")


def _formula(where: nodes.Element, display: bool) -> str:
    try:
        return render(where.astext().strip(), display)
    except ValueError as error:
        logging.getLogger(__name__).warning("formula: %s", error, location=where)
        return ""


def _inline(writer: HTML5Translator, node: nodes.math) -> None:
    writer.body.append(f'<span class="math">{_formula(node, False)}</span>{END}')
    raise nodes.SkipNode


def _display(writer: HTML5Translator, node: nodes.math_block) -> None:
    writer.body.append(writer.starttag(node, "div", CLASS="math"))
    if node["number"]:
        number = get_node_equation_number(writer, node)
        writer.body.append(f'<span class="eqno">({number})')
        writer.add_permalink_ref(node, "Link to this equation")
        writer.body.append("</span>")
    writer.body.append(_formula(node, True) + "</div>\n")
    raise nodes.SkipNode


def with_punctuation(body: str) -> str:
    """A page on which a comma after a formula is part of it: it would start the next line otherwise."""
    closing = "</span>" * 4

    def inside(found: re.Match[str]) -> str:  # _static/copying.js and tools/pages/search.py look for this class
        end = f'<span class="formula-end">{found[1]}</span>' if found[1] else ""
        return end + closing

    return re.sub(closing + END + "([,.;:!?)，。；：！？、）]*)", inside, body)


def style(text: str) -> str:
    """KaTeX's style, with its fonts in the one format that every browser knows."""
    return re.sub(r',url\([^)]*\.(?:woff|ttf)\) format\("\w+"\)', "", text)


def _write_style(app: Sphinx) -> None:
    if site := english_site(app):
        folder = site / "_static" / "katex"
        (folder / "fonts").mkdir(parents=True, exist_ok=True)
        text = (KATEX / "katex.min.css").read_text("utf-8")
        (folder / "katex.css").write_text(style(text), "utf-8")
        for font in KATEX.glob("fonts/*.woff2"):
            (folder / "fonts" / font.name).write_bytes(font.read_bytes())


def _finish_page(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object) -> None:
    body = context.get("body") or ""
    if 'class="katex"' in body:
        app.add_css_file("katex/katex.css")
        context["body"] = with_punctuation(body)


def setup(app: Sphinx) -> dict[str, Any]:
    """Registers the renderer with Sphinx, under the name that `html_math_renderer` gives."""
    app.add_html_math_renderer("katex", (_inline, None), (_display, None))
    app.connect("builder-inited", _write_style)
    app.connect("html-page-context", _finish_page)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
