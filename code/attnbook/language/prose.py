"""A chapter's prose: what is left of its text twin without code, displayed formulas and markup."""

import re
from html.entities import html5

_LEFT_OUT = re.compile(
    r"\A---\n.*?^---$"  # the head
    r"|^(`{3,}|~{3,})(?!\{exercise).*?^\1 *$"  # code and tables; an exercise's statement stays
    r"|^\$\$.*?\$\$.*?$"  # displayed formulas
    r"|^ *:[\w-]+:.*?$|^\([\w-]+\)=$|^\+\+\+$|^\*\*Time\*\*.*?$|^!\[.*?$|^\|.*?$",
    re.MULTILINE | re.DOTALL,
)
_EMPHASIS = re.compile(r"\*\*|`|(?<![\w*])\*(?=\w)|(?<=[\w.!?])\*(?![\w*])|</?\w[^>]*>")
_OPENED = re.compile(r"^(?::{3,}|`{3,})(?:\{[\w-]+\})?", re.MULTILINE)
_SPELLED = {
    "cdot": "·",
    "ldots": "…",
    "dots": "…",
    "sqrt": "√",
    "to": "→",
    "infty": "∞",
}
_SILENT = re.compile(
    r"\\(?:math\w+|text\w*|operatorname|[Bb]igg?[lr]?|left|right|quad|qquad)\b|\\[,;:! ]|[{}]"
)


def chapter_prose(markdown: str) -> str:
    """The paragraphs of a chapter, one to a line, with a blank line between.

    Headings keep their #, one for each level. Formulas within a sentence stay, spelled in letters and signs; a role
    leaves its text, and a citation in brackets nothing.

    Args:
        markdown: a chapter's text twin, such as `chapters/text/05-scoring-functions.md`.

    Returns:
        Its prose.
    """
    text = _OPENED.sub("", _LEFT_OUT.sub("\n", markdown))
    text = re.sub(
        r"^ *(?:[-*]|\d\.) +", "\n", text, flags=re.MULTILINE
    )  # items of lists
    text = re.sub(r"\$([^$]+)\$", lambda found: _formula(found[1]), text)
    text = re.sub(r"\s*\{cite:p\}`[^`]*`", "", text)
    text = re.sub(r"\{cite:t\}`([a-z-]+)(\d+)\w*`", _author_and_year, text)
    text = re.sub(r"\{eq\}`[^`]*`", "the equation", text)
    # a reference without a text of its own leaves the words of its label
    text = re.sub(r"\{ref\}`([^`<]+)`", lambda found: found[1].replace("-", " "), text)
    text = re.sub(r"\{[\w-]+\}`([^`<]*?)\s*(?:<[^`]*>)?`", r"\1", text)
    text = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", text)
    text = _EMPHASIS.sub("", text)
    paragraphs = (" ".join(one.split()) for one in re.split(r"\n\s*\n", text))
    return "\n\n".join(one for one in paragraphs if re.search(r"\w", one))


def _author_and_year(found: re.Match) -> str:
    return f"{found[1].capitalize()} ({found[2]})"


def _formula(latex: str) -> str:
    """A formula as one would type it: α_ij = exp(e_ij)."""
    plain = re.sub(
        r"\\frac\s*\{?([^{}]+?)\}?\s*\{?([^{}]+?)\}?(?![}\w])", r"\1/\2", latex
    )
    plain = _SILENT.sub("", plain)
    return re.sub(
        r"\\([a-zA-Z]+)",
        lambda found: _SPELLED.get(found[1]) or html5.get(f"{found[1]};", found[1]),
        plain,
    ).replace("\\", "")
