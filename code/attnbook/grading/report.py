"""What a grading leaves behind: written after each submission, so that nothing is lost when it is stopped."""

import contextlib
import hashlib
import itertools
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import attnbook
from attnbook.exercises import Verdict, names
from attnbook.files import write_atomically
from attnbook.grading.lms import Upload, upload
from attnbook.grading.sheet import file_names, page, student_page
from attnbook.grading.submissions import MOST_ENTRIES, Result
from attnbook.grading.table import EarlierTable, columns_of, table

PRIVATE = 0o600  # for the teacher alone
JOURNAL = ".unfinished"
WRITTEN = ".written"
AS_WRITTEN = ".grades.csv"  # to know what a teacher has changed since


class Report:
    """The files of a grading: `grades.csv`, `grades.html` and `students/`.

    Args:
        folder: where they go; it is made if it is not there.
        exercises: a column for each; those that somebody has handed in, if not given.
        points: for each exercise that is solved.

    Attributes:
        earlier: what an earlier `grades.csv` holds of the teacher's own.
    """

    def __init__(self, folder: str | Path, exercises: Sequence[str] | None = None, points: float = 1):
        self.folder, self.exercises, self.points = Path(folder), exercises, points
        self.earlier = EarlierTable(self.folder / "grades.csv")

    def write(self, results: Iterable[Result], pending: Sequence[Result] = ()) -> list[Path]:
        """Write `grades.csv` and `grades.html`, each whole or not at all.

        Args:
            results: of those who have been judged, in any order.
            pending: those who have not been judged yet.

        Returns:
            The paths of the two files.
        """
        results = _in_order(results)
        columns = columns_of(results, self.exercises)
        contents = {
            "grades.csv": table(results, columns, self.points, self.earlier, pending),
            "grades.html": page(results, columns, pending),
        }
        aside = self.earlier.aside
        if aside and aside.parent == self.folder and not aside.exists():
            (self.folder / "grades.csv").rename(aside)
        contents[AS_WRITTEN] = contents["grades.csv"]
        for name, content in contents.items():
            write_atomically(self.folder / name, content, mode=PRIVATE, follow_symlinks=False)
        return [self.folder / "grades.csv", self.folder / "grades.html"]

    def write_students(self, results: Iterable[Result]) -> Path:
        """Write a page for each student, with nothing of the others.

        Returns:
            The folder, `students`.
        """
        results = _in_order(results)
        columns = columns_of(results, self.exercises)
        (self.folder / "students").mkdir(0o700, parents=True, exist_ok=True)
        for name, one in zip(file_names(results), results, strict=True):
            content = student_page(one, columns, self.points)
            self._write_for_one_run(f"students/{name}", content)
        return self.folder / "students"

    def write_upload(
        self,
        results: Sequence[Result],
        roster: Path,
        assignment: str | None = None,
        most: float | None = None,
        new_column: bool = False,
    ) -> tuple[Path, Upload]:
        """Write `upload`, with the ending of the roster: the roster with the points filled in; see `lms.upload`."""
        made = upload(roster, results, self.points, most, assignment, new_column)
        name = f"upload{roster.suffix or '.csv'}"
        self._write_for_one_run(name, made.content)
        return self.folder / name, made

    def keep_changed(self) -> tuple[list[str], Path] | None:
        """Keep a copy of `grades.csv` if somebody has changed the grader's cells, which will be written anew.

        Returns:
            What was changed, in words, and the copy; None if nothing was, or if nobody can tell.
        """
        path, written = self.folder / "grades.csv", self.folder / AS_WRITTEN
        before = EarlierTable(written)
        if self.earlier.aside or not before.ours:
            return None
        columns = names() if self.exercises is None else self.exercises
        changed = self.earlier.changed(before, columns)
        if not changed:
            return None
        copy = _aside(path)
        write_atomically(copy, path.read_bytes(), mode=PRIVATE, follow_symlinks=False)
        return changed, copy

    def remove_old(self, but: Path | None = None) -> list[tuple[Path, Path]]:
        """Remove the students' pages and the upload of an earlier grading, which do not belong to this one.

        Args:
            but: a file that is still needed.

        Returns:
            Those that somebody has changed, each with the place where it is kept.
        """
        changed = []
        for name, digest in self._written().items():
            path = self.folder / name
            with contextlib.suppress(OSError):
                if but and but.resolve() == path.resolve():
                    continue
                if hashlib.sha256(path.read_bytes()).hexdigest() == digest:
                    path.unlink()
                else:
                    changed.append((path, path.rename(_aside(path))))
        with contextlib.suppress(OSError):
            (self.folder / WRITTEN).unlink(missing_ok=True)
        return changed

    def _written(self) -> dict[str, str]:
        """The files of a grading that the next one replaces, each with a digest of what was written."""
        try:
            lines = (self.folder / WRITTEN).read_text("utf-8").splitlines()
            return {name: digest for digest, name in map(json.loads, lines)}
        except (OSError, ValueError, TypeError):
            return {}

    def _write_for_one_run(self, name: str, content: bytes) -> None:
        write_atomically(self.folder / name, content, mode=PRIVATE, follow_symlinks=False)
        line = json.dumps([hashlib.sha256(content).hexdigest(), name])
        path = self.folder / WRITTEN
        with open(path, "a", opener=_private) as file:
            file.write(line + "\n")


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, PRIVATE)


def _aside(path: Path) -> Path:
    """A name beside a file that is free: `ada.mine.html`, `ada.mine-2.html`."""
    marks = (f"mine{'' if n == 1 else f'-{n}'}" for n in itertools.count(1))
    places = (path.with_suffix(f".{mark}{path.suffix}") for mark in marks)
    return next(place for place in places if not place.exists())


def _in_order(results: Iterable[Result]) -> list[Result]:
    return sorted(results, key=lambda one: (one.student.casefold(), one.id))


class Journal:
    """Results that are ready, line by line in a file of their own, until the grading has ended.

    A disk without room for it keeps nobody from grading.

    Args:
        folder: for the file.
        settings: of the grading; results under other settings are not taken over.

    Attributes:
        damaged: a journal was there that is not one.
    """

    def __init__(self, folder: Path, **settings: object):
        self.path = folder / JOURNAL
        self.head = json.dumps(settings | {"version": attnbook.__version__})
        self.damaged = self.begun = False
        self.lines: dict[str, dict] = {}
        self.done: list[Result] = []
        self.keys: dict[tuple[str, str], str] = {}  # of what is judged, not of what is there when it has been
        try:
            head, *lines = self.path.read_text("utf-8").splitlines()
        except FileNotFoundError:
            return
        except (OSError, ValueError):
            self.damaged = True
            return
        if head != self.head:
            self.damaged = not head.startswith("{")
            return
        for line in lines:
            try:
                entry = json.loads(line)
                self.lines[entry["key"]] = entry
            except (ValueError, LookupError, TypeError):
                break  # cut off in the middle

    def ready(self, results: Sequence[Result]) -> list[Result]:
        """Those whose results are in the journal, with them; what they have handed in is the same, byte for byte."""
        for one in results:
            entry = self.lines.get(self._key(one))
            if entry:
                one.problems, one.notes = entry["problems"], entry["notes"]
                one.confidential = entry["confidential"]
                one.verdicts = {v["exercise"]: Verdict(**v) for v in entry["verdicts"]}
                self.done.append(one)
        return list(self.done)

    def add(self, one: Result) -> None:
        """Add a result; the first one begins the file anew, with those that were taken over."""
        with contextlib.suppress(OSError):
            if not self.begun:
                lines = [self.head, *map(self._line, [*self.done, one])]
                write_atomically(self.path, "\n".join(lines) + "\n", mode=PRIVATE, follow_symlinks=False)
                self.begun = True
                return
            with open(self.path, "r+", encoding="utf-8") as file:
                file.seek(0, os.SEEK_END)
                file.write(self._line(one) + "\n")
                file.flush()
                os.fsync(file.fileno())

    def end(self) -> None:
        """Everything is judged."""
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)

    def _line(self, one: Result) -> str:
        entry = {
            "key": self._key(one),
            "problems": one.problems,
            "notes": one.notes,
            "confidential": one.confidential,
            "verdicts": [asdict(verdict) for verdict in one.verdicts.values()],
        }
        return json.dumps(entry)  # ASCII, so that any name can be written

    def _key(self, one: Result) -> str:
        """What tells a submission from others, and from another state of its own files; of the state first seen."""
        whose = one.student, one.id
        if whose not in self.keys:
            self.keys[whose] = _digest(one)
        return self.keys[whose]


def _digest(one: Result) -> str:
    digest = hashlib.sha256(repr((one.student, one.id)).encode("utf-8", "replace"))
    for path in one.files:
        digest.update(repr(str(path)).encode())
        try:
            with open(path, "rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        except OSError as error:
            digest.update(repr(error).encode())
    near = itertools.chain(sorted(one.beside.values()), _below(one.folders))
    for path in itertools.islice(near, MOST_ENTRIES):
        with contextlib.suppress(OSError):
            about = path.lstat()  # a helper or data that an answer may use
            seen = about.st_mode, about.st_size, about.st_mtime_ns, about.st_ctime_ns
            digest.update(repr((str(path), seen)).encode())
    return digest.hexdigest()


def _below(folders: Iterable[Path]) -> Iterator[Path]:
    """Everything in some folders and theirs, always in the same order."""
    for folder in folders:
        for place, inner, files in os.walk(folder):
            inner.sort()
            yield from (Path(place, name) for name in [*inner, *sorted(files)])
