"""Help as the page shows it: hints one at a time, the solution folded away, the stub to start from."""

from __future__ import annotations

from dataclasses import dataclass

from .exercise import Exercise
from .wording import inline


@dataclass(frozen=True)
class Text:
    """A piece of text that a notebook shows as it is.

    Args:
        plain: as text.
        markdown: as markdown, if that is something else.
    """

    plain: str
    markdown: str = ""

    def __str__(self) -> str:
        return self.plain

    def __repr__(self) -> str:
        return self.plain

    def _repr_markdown_(self) -> str:
        return self.markdown or self.plain


@dataclass(frozen=True)
class Hints:
    """All the help for an exercise, each part folded until it is wanted.

    Args:
        exercise: the exercise.
    """

    exercise: Exercise

    def __repr__(self) -> str:
        return f'Hints for {self.exercise.name}: hint("{self.exercise.name}", 1), then 2, then 3'

    def _repr_html_(self) -> str:
        parts = [
            (f"Hint {level}", f"<p>{inline(text)}</p>")
            for level, text in enumerate(self.exercise.hints, 1)
        ]
        parts.append(("Solution", highlighted(self.exercise.source())))
        parts.append(
            ("Why the wrong answer looks right", f"<p>{inline(self.exercise.why)}</p>")
        )
        folded = "\n".join(
            f"<details><summary>{title}</summary>\n{body}\n</details>"
            for title, body in parts
        )
        return f'<div class="attnbook-hints" data-exercise="{self.exercise.name}">\n{folded}\n</div>'


def hint(exercise: Exercise, level: int) -> Text:
    """Give one hint.

    Args:
        exercise: the exercise.
        level: 1, 2 or 3; each says more than the one before.

    Returns:
        The hint.

    Raises:
        TypeError: if `level` is no whole number.
        ValueError: if there is no such hint.
    """
    count = len(exercise.hints)
    if not isinstance(level, int) or isinstance(level, bool):
        raise TypeError(f"level should be 1, 2 or 3; got {level!r}")
    if not 1 <= level <= count:
        raise ValueError(
            f"{exercise.name} has {count} hints: level should be 1 to {count}, got {level}"
        )
    text = exercise.hints[level - 1]
    return Text(
        f"Hint {level} of {count}: {text}", f"**Hint {level} of {count}.** {text}"
    )


def stub(exercise: Exercise) -> Text:
    """Give the code that an answer starts from.

    Args:
        exercise: the exercise.

    Returns:
        The source of the stub; `str()` of it can be executed.
    """
    return Text(exercise.stub, f"```python\n{exercise.stub}```")


def statement(exercise: Exercise) -> Text:
    """Give the task.

    Args:
        exercise: the exercise.

    Returns:
        The task in markdown.
    """
    return Text(
        f"{exercise.title}\n\n{exercise.statement}",
        f"**{exercise.title}**\n\n{exercise.statement}",
    )


def highlighted(source: str) -> str:
    """Show Python source in colours (Pygments' classes, as on the rest of the page).

    Args:
        source: Python source.

    Returns:
        The HTML, escaped.
    """
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    return highlight(
        source, PythonLexer(), HtmlFormatter(cssclass="highlight", wrapcode=True)
    ).strip()
