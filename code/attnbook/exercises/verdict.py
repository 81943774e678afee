"""What a check says: solved, not written yet, or one mistake with its numbers and a question."""

import functools
import html
import itertools
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from .language import say
from .wording import inline

WIDTH = 100  # columns of the plain text
CODE = "white-space:pre-wrap;margin:0.4em 0 0.8em"  # lines that are too long for a phone go on below
LOOKS = {"solved": ("✓", "#009E73"), "wrong": ("✗", "#D55E00"), "unwritten": ("○", "#999999")}


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with an answer."""

    name: str  # the diagnosis in a word, for instance mask-after-softmax
    about: str  # the few words that head the message
    says: str  # what was seen, with numbers; a line that starts with four spaces is code and stays as it is
    asks: str  # the question that leads on


@functools.cache
def _catalogue() -> dict[str, tuple[str, str, str]]:
    """The messages of `messages.txt` by their keys: what heads a message, what was seen, the question."""
    entries = {}
    for block in Path(__file__).with_name("messages.txt").read_text("utf-8").split("\n## ")[1:]:
        key, _, about = block.partition("\n")[0].partition(" | ")
        says, _, asks = block.partition("\n")[2].partition("\n→")
        entries[key] = about, says, asks.partition("\n")[0].strip()
    return entries


def message(key: str, diagnosis: str = "", **facts: object) -> Finding:
    """The finding `key` of `messages.txt`, filled in; its diagnosis is the key up to a slash, if no other is given."""
    return Finding(diagnosis or key.partition("/")[0], *(say(text, **facts) for text in _catalogue()[key]))


def found(diagnosis: str, about: str, says: str, asks: str, /, **facts: object) -> Finding:
    """A finding in an exercise's own words, each filled in."""
    return Finding(diagnosis, *(say(text, **facts) for text in (about, says, asks)))


def first(looks: Iterable[Callable], *question: object) -> Finding | None:
    """The first thing that one of several recognisers finds."""
    return next((found for look in looks if (found := look(*question))), None)


@dataclass(frozen=True)
class Verdict:
    """The result of checking an answer; shows itself as text and as HTML, the same every time."""

    exercise: str
    status: str  # "solved", "wrong" or "unwritten"
    diagnosis: str | None  # name of the mistake
    about: str  # what follows the exercise's name in the first line
    says: str = ""
    asks: str = ""
    note: str = ""  # a remark of the checker itself (for instance that the progress could not be saved)

    def __bool__(self) -> bool:
        return self.status == "solved"

    @property
    def mark(self) -> str:
        """✓, ✗ or ○."""
        return LOOKS[self.status][0]

    def __repr__(self) -> str:
        lines = _wrap(f"{self.mark} {self.exercise} — {self.about}", "", "  ")
        for line in self.says.splitlines():
            lines += [f"  {line}".rstrip()] if line.startswith("    ") else _wrap(line, "  ", "  ")
        lines += _wrap(self.asks, "  → ", "    ") if self.asks else []
        lines += _wrap(self.note, "  ! ", "    ") if self.note else []
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        style = f"border-left:4px solid {LOOKS[self.status][1]};padding:0.2em 0 0.2em 0.9em;margin:0.4em 0"
        parts = [f"<p><strong>{self.mark} {inline(self.exercise)} — {inline(self.about)}</strong></p>"]
        for is_code, lines in itertools.groupby(self.says.splitlines(), lambda line: line.startswith("    ")):
            if is_code:
                code = "\n".join(line[4:] for line in lines)
                parts.append(f'<pre style="{CODE}"><code>{html.escape(code, quote=False)}</code></pre>')
            else:
                parts += [f"<p>{inline(line)}</p>" for line in lines]
        if self.asks:
            parts.append(f'<p class="attnbook-asks">→ <em>{inline(self.asks)}</em></p>')
        if self.note:
            parts.append(f"<p>! {inline(self.note)}</p>")
        body = "\n".join(parts)
        return f'<div class="attnbook-verdict attnbook-{self.status}" style="{style}">\n{body}\n</div>'


def _wrap(line: str, first: str, later: str) -> list[str]:
    return textwrap.wrap(
        line, WIDTH, initial_indent=first, subsequent_indent=later, break_long_words=False, break_on_hyphens=False
    ) or [""]
