"""Help as the page shows it: hints one at a time, the solution folded away."""

from dataclasses import dataclass

from .exercise import Exercise
from .language import say
from .wording import inline


@dataclass(frozen=True)
class Text:
    """A piece of text, which a notebook shows as Markdown."""

    plain: str
    markdown: str

    def __repr__(self) -> str:
        return self.plain

    def _repr_markdown_(self) -> str:
        return self.markdown


@dataclass(frozen=True)
class Hints:
    """All the help for an exercise, each part folded until it is wanted."""

    exercise: Exercise

    def __repr__(self) -> str:
        return f'Hints for {self.exercise.name}: hint("{self.exercise.name}", 1), then 2, then 3'

    def _repr_html_(self) -> str:
        parts = [
            (say("Hint {level}", level=level), f"<p>{inline(say(text))}</p>")
            for level, text in enumerate(self.exercise.hints, 1)
        ]
        parts.append((say("Solution"), highlighted(self.exercise.source())))
        parts.append((say("Why the wrong answer looks right"), f"<p>{inline(say(self.exercise.why))}</p>"))
        folded = "\n".join(f"<details><summary>{title}</summary>\n{body}\n</details>" for title, body in parts)
        return f'<div class="attnbook-hints" data-exercise="{self.exercise.name}">\n{folded}\n</div>'


def hint(exercise: Exercise, level: int) -> Text:
    """Give one hint."""
    count = len(exercise.hints)
    if not isinstance(level, int) or isinstance(level, bool):
        raise TypeError(f"level should be 1, 2 or 3; got {level!r}")
    if not 1 <= level <= count:
        raise ValueError(f"{exercise.name} has {count} hints: level should be 1 to {count}, got {level}")
    head, text = say("Hint {level} of {count}", level=level, count=count), say(exercise.hints[level - 1])
    return Text(f"{head}: {text}", f"**{head}.** {text}")


def highlighted(source: str) -> str:
    """Show Python source in colours (Pygments' classes, as on the rest of the page)."""
    from pygments import highlight  # not needed for a verdict
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    return highlight(source, PythonLexer(), HtmlFormatter(cssclass="highlight", wrapcode=True)).strip()
