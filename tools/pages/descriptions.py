"""Sphinx extension: a page's description, for search engines and previews.

It is what the page says of itself (`description` in its `html_meta`), or how it begins.
"""

import html
import itertools
import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from tools.languages import CHINESE_SIGN

SHORTEST, LONGEST = 60, 160  # characters
LABELS = 3  # in bold, in the line below a chapter's title: time, needs, exercises


def description(doctree: nodes.document) -> str:
    """What a page says of itself, or how it begins: sentences up to a formula."""
    for meta in doctree.findall(nodes.meta):
        if meta.get("name") == "description":
            return meta["content"]
    for paragraph in doctree.findall(nodes.paragraph):
        words = itertools.takewhile(lambda child: not isinstance(child, nodes.math), paragraph.children)
        text = " ".join("".join(child.astext() for child in words).split())
        wide = len(re.findall(CHINESE_SIGN, text))  # a character says as much as two letters
        labels = sum(isinstance(child, nodes.strong) for child in paragraph.children)
        if len(text) + wide >= SHORTEST and labels < LABELS:
            if len(text) + wide <= LONGEST:
                return text
            return text[: LONGEST // 2] + "…" if wide > len(text) / 2 else text[: LONGEST - 2].rsplit(" ", 1)[0] + " …"
    return ""


def _describe(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    described = 'name="description"' in context.get("metatags", "")
    if doctree is not None and not described and (text := description(doctree)):
        tag = f'\n<meta name="description" content="{html.escape(text)}">'
        context["metatags"] = context.get("metatags", "") + tag


def setup(app: Sphinx) -> dict[str, Any]:
    """Registers the extension with Sphinx."""
    app.connect("html-page-context", _describe)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
