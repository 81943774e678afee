"""The reader's progress: a small file that is never half-written and never silently thrown away."""

import contextlib
import datetime
import html
import itertools
import json
import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from ..files import write_atomically
from .exercise import CHAPTERS, Shelf
from .language import say
from .verdict import message

VERSION = 1
VARIABLE = "ATTNBOOK_PROGRESS"
LARGEST = 100_000  # bytes of a file; all exercises of the book take 5,000
MARKS = {"attempted": "✗", "solved": "✓"}


@dataclass
class Record:
    """What is remembered, by the name of each exercise that was tried: {"state": …, "solved_on": "2025-01-31"}."""

    exercises: dict[str, dict] = field(default_factory=dict)
    remark: str = ""  # what went wrong with reading or writing, in words for the reader
    damaged: bool = False  # a file is there that could not be understood


def location() -> Path | None:
    """Say where the progress is kept."""
    wish = os.environ.get(VARIABLE, "").strip()
    if wish.lower() == "off":
        return None
    if wish:
        return Path(wish).expanduser()
    import platformdirs  # here, and filelock below: not needed where no progress is kept

    folder = platformdirs.user_data_dir("attnbook", appauthor=False)
    return Path(folder) / "progress.json"


def read() -> Record:
    """Read the progress; a missing file is an empty record, a broken one is told of and left as it is."""
    try:
        path = location()
        if path is None or not path.exists():
            return Record()
        with open(path, "rb") as file:
            content = file.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise ValueError("a file of something else")
        data = json.loads(content.decode("utf-8"))
        if data["version"] > VERSION:
            return Record(remark=_remark("newer", format=data["version"], known=VERSION))
        if all(entry["state"] in MARKS for entry in data["exercises"].values()):
            return Record(data["exercises"])
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        pass  # it is not JSON, or something else than a record
    except (OSError, RuntimeError) as error:  # RuntimeError: no home folder
        return Record(remark=_cannot(say("read"), error))
    return Record(damaged=True, remark=_remark("damaged"))


def _cannot(what: str, error: Exception) -> str:
    reason = getattr(error, "strerror", None) or str(error)
    return _remark("cannot", what=what, kind=type(error).__name__, reason=reason)


def _remark(key: str, **facts: object) -> str:
    return message(f"progress/{key}", variable=VARIABLE, **facts).says


def note(name: str, solved: bool) -> str:
    """Remember that an exercise was tried or solved; returns a remark if something went wrong."""
    try:
        path = location()
        if path is None:
            return ""
        import filelock

        path = path.resolve()  # whose lock all links to it share
        path.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.ExitStack() as held:
            with contextlib.suppress(NotImplementedError):  # no locks there: go on without
                held.enter_context(filelock.FileLock(f"{path}.lock", timeout=20))
            record = read()
            if record.remark and not record.damaged:
                return record.remark
            known = record.exercises.get(name, {}).get("state")
            if known == "solved" or (known == "attempted" and not solved):
                return record.remark
            entry = {"solved_on": datetime.date.today().isoformat()} if solved else {}
            record.exercises[name] = {"state": "solved" if solved else "attempted", **entry}
            kept = _remark("kept", aside=_keep_aside(path)) if record.damaged else ""
            data = {"version": VERSION, "exercises": record.exercises}
            write_atomically(path, json.dumps(data, indent=1, sort_keys=True) + "\n")
            return kept
    except (OSError, RuntimeError) as error:
        return _cannot(say("saved"), error)


def _keep_aside(path: Path) -> str:
    """Copy a damaged file to a free name beside it; the original goes only when the new file replaces it."""
    free = (path.with_name(f"{path.name}.bak{number}") for number in itertools.chain([""], itertools.count(2)))
    aside = next(name for name in free if not name.exists())
    with open(path, "rb") as damaged, open(aside, "xb") as copy:
        shutil.copyfileobj(damaged, copy)
    return aside.name


@dataclass(frozen=True)
class Progress:
    """The table that `progress()` shows: exercises by chapter, each with ✓ (solved), ✗ (tried) or ○."""

    rows: tuple[tuple[int, str, str, str], ...]  # chapter, the exercise's name, its title, its mark
    remark: str = ""  # what went wrong with reading the file

    @property
    def solved(self) -> int:
        """How many exercises are solved."""
        return sum(mark == "✓" for *_, mark in self.rows)

    def _summary(self) -> str:
        return say("{solved} of {count} exercises solved", solved=self.solved, count=len(self.rows))

    def _by_chapter(self):
        """Each row with the heading of its chapter, once for each chapter."""
        for before, row in zip((None, *self.rows), self.rows, strict=False):
            new = before is None or before[0] != row[0]
            yield (f"{row[0]}  {say(CHAPTERS[row[0]])}" if new else ""), row

    def __repr__(self) -> str:
        lines, width = [], max((len(row[1]) for row in self.rows), default=0)
        for heading, (_, name, title, mark) in self._by_chapter():
            if heading:
                lines.append(heading)
            lines.append(f"   {mark} {name:<{width}}  {title}")
        lines.append(self._summary())
        if self.remark:
            lines.append(f"! {self.remark}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        said = {"✓": say("solved"), "✗": say("tried, not solved yet"), "○": say("not tried yet")}
        lines = [
            f'<table class="attnbook-progress">\n<caption>{self._summary()}</caption>',
            "<thead><tr>"
            + "".join(f"<th>{head}</th>" for head in (say("Chapter"), say("Exercise"), say("Solved")))
            + "</tr></thead>\n<tbody>",
        ]
        lines += [
            f"<tr><td>{html.escape(heading.replace('  ', ' '))}</td>"
            f"<td>{html.escape(title)} (<code>{name}</code>)</td>"
            f'<td title="{said[mark]}"><span aria-label="{said[mark]}" role="img">{mark}</span></td></tr>'
            for heading, (_, name, title, mark) in self._by_chapter()
        ]
        lines.append("</tbody>\n</table>")
        if self.remark:
            lines.append(f"<p>! {html.escape(self.remark, quote=False)}</p>")
        return "\n".join(lines)


def table(shelf: Shelf) -> Progress:
    """Make the table of progress."""
    record = read()
    marks = {name: MARKS[entry["state"]] for name, entry in record.exercises.items()}
    return Progress(tuple((e.chapter, e.name, say(e.title), marks.get(e.name, "○")) for e in shelf), record.remark)
