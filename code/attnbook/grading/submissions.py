"""What a class has handed in: whose it is, which files are read, and why others are not."""

import os
import re
import stat
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from attnbook.exercises import Verdict
from attnbook.grading.notebooks import holds_answers

KINDS = (".ipynb", ".py")
PACKED = (".zip", ".gz", ".tar", ".7z", ".rar")
PRINTED = (".html", ".htm", ".mhtml", ".pdf", ".docx", ".odt", ".md")
MOST_FILES = 100  # of a student
MOST_ENTRIES = 10_000  # of a student's folder
# Canvas, Submissions → Download: lovelaceada_12345_678910_04.ipynb, lovelaceada_LATE_12345_678910_04.ipynb
CANVAS = re.compile(
    r"(?P<name>[^_]+)(?:_LATE)?_(?P<id>\d+)_(?P<upload>\d+)_(?P<file>.+)", re.S
)
# Moodle, Download all submissions: Ada Lovelace_48213_assignsubmission_file_04.ipynb, or a folder without the last part
MOODLE = re.compile(
    r"(?P<name>.+?)_(?P<id>\d+)_assignsubmission_[a-z]+_?(?P<file>.*)", re.S
)
AGAIN = re.compile(r"(?P<name>.+) \(\d{1,2}\)", re.S)  # what a second download adds
CHAPTER = re.compile(r"\d\d-[a-z-]+")  # a notebook of the book under its own name
ODD_KINDS = {
    stat.S_IFLNK: "a link, which is not followed",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


@dataclass
class Result:
    """What came of one student's work.

    Attributes:
        student: who handed it in: the name of a file without its ending, or of a folder; the name in it if Canvas or
            Moodle made the name.
        files: what was read.
        verdicts: by the exercise's name; an exercise that was not handed in has none.
        problems: what is wrong with the submission as a whole, in sentences.
        id: the student's number in Canvas or Moodle; empty if there is none.
        notes: what was concluded from names, in sentences.
        folders: the student's own, whose modules and data the files in them may use.
    """

    student: str
    files: list[Path]
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    id: str = ""
    notes: list[str] = field(default_factory=list)
    folders: list[Path] = field(default_factory=list)

    @property
    def solved(self) -> int:
        """How many exercises are right."""
        return sum(map(bool, self.verdicts.values()))

    def summary(self) -> str:
        """The result on one line."""
        return "; ".join(
            [f"{self.solved} of {len(self.verdicts)} solved", *self.problems]
        )


def submissions(folder: str | Path) -> list[Result]:
    """What lies in a folder: files or a folder for each student, also as Canvas and Moodle name them.

    Links, pipes and the like are neither followed nor waited for. Names that differ only in how their letters are
    encoded, or by the number of a second download, are one student's; that this was concluded is noted.

    Args:
        folder: with .ipynb and .py files, or folders that hold them.

    Returns:
        A result without verdicts for each student, by name. Hidden files are passed over; whatever cannot be read is a
        problem of its student.

    Raises:
        ValueError: no such folder, or nothing in it.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise ValueError(
            f"{folder} is {'not a folder' if folder.exists() else 'not there'}; pass the folder of submissions"
        )
    found: dict[tuple[str, str], Result] = {}
    paths = [
        path
        for path in sorted(folder.resolve().iterdir())
        if not path.name.startswith((".", "__"))
    ]
    uploads = Counter(
        made["upload"] for path in paths if (made := CANVAS.fullmatch(path.name))
    )
    for path in paths:
        files, problems = _read(path)
        name, number, note = _whose(path, uploads)
        result = found.setdefault((name, number), Result(name, [], id=number))
        result.files += files
        result.problems += problems
        if note and note not in result.notes:
            result.notes.append(note)
        if path.is_dir() and not path.is_symlink():
            result.folders.append(path)
    if not found:
        raise ValueError(
            f"{folder} is empty; it should hold a .ipynb, a .py or a folder for each student"
        )
    _tell_apart(list(found.values()))
    return list(found.values())


def _whose(path: Path, uploads: Counter[str]) -> tuple[str, str, str]:
    """The student's name and number, and what was concluded about them.

    Canvas gives each file a number of its own: names in which it comes twice have been made by somebody else.
    """
    code = path.suffix.lower() in KINDS + PACKED and not path.is_dir()
    written = path.stem if code else path.name
    name, number, note = unicodedata.normalize("NFC", written), "", ""
    if name != written:
        note = f"the letters of {path.name} are encoded in another way than usual (not NFC)"
    if made := CANVAS.fullmatch(name):  # first: what follows is of the student's choice
        if uploads[made["upload"]] == 1:
            name, number = made["name"], made["id"]
            note = f"files with the number {number} are one student's, as Canvas names them"
    elif made := MOODLE.fullmatch(name):
        name, number = made["name"], made["id"]
    elif made := AGAIN.fullmatch(name):
        if CHAPTER.fullmatch(made["name"]):
            note = f"{path.name} bears a chapter's name instead of a student's"
        else:
            name = made["name"]
            note = f"{path.name} is taken for a second download of {name}'s work"
    elif CHAPTER.fullmatch(name):
        note = f"{path.name} bears a chapter's name instead of a student's"
    return name, number, note


def _tell_apart(results: list[Result]) -> None:
    """Note on each student whose name is nearly another one's that there is another."""
    near = Counter(one.student.casefold() for one in results)
    for one in results:
        others = [
            f"{other.student} ({other.id})" if other.id else other.student
            for other in results
            if other is not one and other.student.casefold() == one.student.casefold()
        ]
        if near[one.student.casefold()] > 1:
            one.notes.append(
                f"has a row of its own, though there is also {' and '.join(others)}"
            )


def _read(path: Path) -> tuple[list[Path], list[str]]:
    """The notebooks and Python files at a path, and what is wrong there, in sentences."""
    files: list[Path] = []
    others: list[Path] = []
    problems: list[str] = []
    for seen, (one, odd) in enumerate(_entries(path, problems)):
        if seen == MOST_ENTRIES:
            problems.append(
                f"{path.name} holds more than {MOST_ENTRIES} files; only the first ones were looked at"
            )
            break
        name = one.relative_to(path.parent).as_posix()
        if odd:
            problems.append(f"{name} is {odd}; hand in the file itself")
        else:
            (files if one.suffix.lower() in KINDS else others).append(one)
    if len(files) > MOST_FILES:
        return [], [
            f"{path.name} holds {len(files)} notebooks and Python files, at most {MOST_FILES} are read; is a "
            "whole environment or the book itself among them?"
        ]
    # a browser may have saved a notebook under another ending
    files = files or [one for one in others[:MOST_FILES] if holds_answers(one)]
    if not files and not problems:
        problems.append(_expected(path, others))
    return sorted(files), problems


def _expected(path: Path, others: list[Path]) -> str:
    """What to do if something was handed in, and no code."""
    found = [one.relative_to(path.parent).as_posix() for one in others[:5]]
    endings = {one.suffix.lower() for one in others}
    advice = ""
    if endings & {*PACKED}:
        advice = "; unpack it into a folder of the student's"
    elif endings & {*PRINTED}:
        advice = "; a printed notebook cannot be run: hand in the notebook itself (in JupyterLab: File, Download)"
    return f"{', '.join(found) or path.name}: expected {' or '.join(KINDS)}{advice}"


def _entries(path: Path, problems: list[str]) -> Iterator[tuple[Path, str]]:
    """Everything below a path but hidden files, each with what it is if it is no regular file."""
    kind = stat.S_IFMT(path.lstat().st_mode)
    if kind != stat.S_IFDIR:
        yield path, ODD_KINDS.get(kind, "")
        return

    def unreadable(error: OSError) -> None:
        place = Path(error.filename or path).relative_to(path.parent).as_posix()
        problems.append(f"{place} cannot be read ({error.strerror})")

    for place, folders, files in os.walk(path, onerror=unreadable):
        folders[:] = sorted(
            name for name in folders if not name.startswith((".", "__"))
        )
        for name in [*folders, *sorted(files)]:
            one = Path(place, name)
            kind = stat.S_IFMT(one.lstat().st_mode)
            if kind != stat.S_IFDIR and not name.startswith((".", "__")):
                yield one, ODD_KINDS.get(kind, "")
