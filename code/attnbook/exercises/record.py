"""The reader's progress: a small file that is never half-written and never silently thrown away."""

from __future__ import annotations

import contextlib
import datetime
import html
import json
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import filelock
import platformdirs

from .exercise import CHAPTERS, Shelf

VERSION = 1
VARIABLE = "ATTNBOOK_PROGRESS"
STATES = ("attempted", "solved")


@dataclass
class Record:
    """What is remembered.

    Args:
        exercises: for every exercise that was tried its state (``"attempted"`` or ``"solved"``) and, if
            solved, the day (``"solved_on": "2025-01-31"``).
        remark: what went wrong with reading or writing, in words for the reader; "" if nothing did.
        damaged: whether a file is there that could not be understood.
        foreign: whether the file belongs to a newer version of the book and must be left alone.
    """

    exercises: dict[str, dict] = field(default_factory=dict)
    remark: str = ""
    damaged: bool = False
    foreign: bool = False


def location() -> Path | None:
    """Say where the progress is kept."""
    wish = os.environ.get(VARIABLE, "").strip()
    if wish.lower() == "off":
        return None
    if wish:
        return Path(wish).expanduser()
    folder = platformdirs.user_data_dir("attnbook", appauthor=False)
    return Path(folder) / "progress.json"


def read() -> Record:
    """Read the progress; a missing file is an empty record, a broken one is told of and left as it is."""
    try:
        path = location()
        if path is None or not path.exists():
            return Record()
        data = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError):
        return Record(damaged=True, remark=_damaged("it is no JSON"))
    except (OSError, RuntimeError) as error:  # RuntimeError: no home folder
        return Record(remark=_cannot("read", error))
    return _understood(data)


def _understood(data: object) -> Record:
    if (
        not isinstance(data, dict)
        or not isinstance(data.get("version"), int)
        or not isinstance(data.get("exercises"), dict)
    ):
        return Record(damaged=True, remark=_damaged("it has no version or no list of exercises"))
    if data["version"] > VERSION:
        return Record(
            foreign=True,
            remark=f"Your progress file was written by a newer version of this book (format "
            f"{data['version']}; this one knows "
            f"{VERSION}). It is left alone; install the newer version to see it, or set {VARIABLE} to "
            f"another file.",
        )
    entries = data["exercises"]
    for entry in entries.values():
        if not isinstance(entry, dict) or entry.get("state") not in STATES:
            return Record(damaged=True, remark=_damaged("an entry has no known state"))
    return Record(entries)


def _damaged(why: str) -> str:
    return (
        f"Your progress file cannot be understood ({why}). It is left as it is; the next answer that you "
        "check begins a new file and keeps the old one beside it, under the same name with .bak added."
    )


def _cannot(what: str, error: Exception) -> str:
    reason = getattr(error, "strerror", None) or str(error)
    return (
        f"Your progress could not be {what} ({type(error).__name__}: {reason}). The verdict holds all the "
        f"same. To keep your progress, set the environment variable {VARIABLE} to a file in a folder that "
        "you may write to."
    )


def note(name: str, solved: bool) -> str:
    """Remember that an exercise was tried or solved."""

    def change(exercises: dict[str, dict]) -> bool:
        known = exercises.get(name, {}).get("state")
        if known == "solved" or (known == "attempted" and not solved):
            return False
        exercises[name] = (
            {"state": "solved", "solved_on": datetime.date.today().isoformat()} if solved else {"state": "attempted"}
        )
        return True

    return _update(change)


def forget() -> str:
    """Begin anew: empty the record."""

    def change(exercises: dict[str, dict]) -> bool:
        had_some = bool(exercises)
        exercises.clear()
        return had_some

    return _update(change)


def _update(change: Callable[[dict[str, dict]], bool]) -> str:
    try:
        path = location()
        if path is None:
            return ""
        path = path.resolve()  # a link stays a link
        path.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.ExitStack() as held:
            with contextlib.suppress(NotImplementedError):  # no locks there: go on without
                held.enter_context(filelock.FileLock(f"{path}.lock", timeout=20))
            record = read()
            if record.foreign or (record.remark and not record.damaged):
                return record.remark
            if not change(record.exercises):
                return record.remark
            kept = (
                f"Your progress file could not be understood; it is kept as {_keep_aside(path)}, and a new "
                f"one was begun."
                if record.damaged
                else ""
            )
            _replace(path, {"version": VERSION, "exercises": record.exercises})
            return kept
    except (OSError, RuntimeError) as error:
        return _cannot("saved", error)


def _keep_aside(path: Path) -> str:
    """Copy a damaged file to a free name beside it; the original goes only when the new file replaces it."""
    count = 1
    while True:
        aside = path.with_name(path.name + (".bak" if count == 1 else f".bak{count}"))
        try:
            with open(aside, "xb") as copy:
                copy.write(path.read_bytes())
            return aside.name
        except FileExistsError:
            count += 1


def _replace(path: Path, data: dict) -> None:
    """Write a file in full or not at all."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name + ".", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(data, file, indent=1, sort_keys=True)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


@dataclass(frozen=True)
class Progress:
    """The table that `progress()` shows: exercises by chapter, each with ✓ (solved), ✗ (tried) or ○.

    Args:
        rows: (chapter, exercise's name, its title, its mark).
        remark: what went wrong with reading the file, or "".
    """

    rows: tuple[tuple[int, str, str, str], ...]
    remark: str = ""

    @property
    def solved(self) -> int:
        """How many exercises are solved."""
        return sum(mark == "✓" for *_, mark in self.rows)

    def _summary(self) -> str:
        return f"{self.solved} of {len(self.rows)} exercises solved"

    def __repr__(self) -> str:
        lines, last = [], None
        width = max((len(name) for _, name, _, _ in self.rows), default=0)
        for chapter, name, title, mark in self.rows:
            if chapter != last:
                lines.append(f"{chapter}  {CHAPTERS[chapter]}")
            lines.append(f"   {mark} {name:<{width}}  {title}")
            last = chapter
        lines.append(self._summary())
        return "\n".join(lines + ([f"! {self.remark}"] if self.remark else []))

    def _repr_html_(self) -> str:
        said = {"✓": "solved", "✗": "tried, not solved yet", "○": "not tried yet"}
        lines = [
            '<table class="attnbook-progress">',
            f"<caption>{self._summary()}</caption>",
            "<thead><tr><th>Chapter</th><th>Exercise</th><th></th></tr></thead>",
            "<tbody>",
        ]
        last = None
        for chapter, name, title, mark in self.rows:
            head = f"{chapter} {html.escape(CHAPTERS[chapter])}" if chapter != last else ""
            lines.append(
                f"<tr><td>{head}</td><td>{html.escape(title)} (<code>{name}</code>)</td>"
                f'<td title="{said[mark]}"><span aria-label="{said[mark]}" role="img">{mark}</span></td></tr>'
            )
            last = chapter
        lines += ["</tbody>", "</table>"]
        if self.remark:
            lines.append(f"<p>! {html.escape(self.remark, quote=False)}</p>")
        return "\n".join(lines)


def table(shelf: Shelf) -> Progress:
    """Make the table of progress."""
    record = read()
    marks = {"solved": "✓", "attempted": "✗"}
    rows = tuple(
        (
            chapter,
            exercise.name,
            exercise.title,
            marks.get(record.exercises.get(exercise.name, {}).get("state"), "○"),
        )
        for chapter, exercises in shelf.by_chapter()
        for exercise in exercises
    )
    return Progress(rows, record.remark)
