"""What a class has handed in: whose it is, which files are read, and why others are not."""

import os
import stat
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from attnbook.exercises import Verdict
from attnbook.grading.naming import KINDS, PACKED, Named, beside, named, several
from attnbook.grading.notebooks import holds_answers

PRINTED = (".html", ".htm", ".mhtml", ".pdf", ".docx", ".odt", ".md")
MOST_FILES = 100  # of a student
MOST_ENTRIES = 10_000  # of a student's folder
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
        files: the notebooks and Python files, which are read.
        verdicts: by the exercise's name; an exercise that was not handed in has none.
        problems: what is wrong with the submission as a whole, in sentences.
        id: the student's number in Canvas or Moodle; empty if there is none.
        notes: what was concluded from names, in sentences.
        folders: the student's own, whose modules and data the files in them may use.
        beside: the student's files that lie loose among those of the class, by the names that their author gave them.
        names: of those of these files that Canvas or Moodle has renamed: what their author called them.
        others: what else was handed in, data for instance.
        confidential: those of the problems and notes that the student's own page leaves out.
    """

    student: str
    files: list[Path]
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    id: str = ""
    notes: list[str] = field(default_factory=list)
    folders: list[Path] = field(default_factory=list)
    beside: dict[str, Path] = field(default_factory=dict)
    names: dict[Path, str] = field(default_factory=dict)
    others: list[Path] = field(default_factory=list)
    confidential: list[str] = field(default_factory=list)

    def name_of(self, file: Path) -> str:
        """What its author calls a file, with the folders in the student's own."""
        for folder in self.folders:
            if file.is_relative_to(folder):
                return file.relative_to(folder).as_posix()
        return self.names.get(file, file.name)

    def handed_in(self) -> str:
        """The names of all files, those first that are read; of very many not all."""
        names = [self.name_of(one) for one in [*self.files, *self.others]]
        more = len(names) - MOST_FILES
        return ", ".join([*names[:MOST_FILES], *[f"and {more} more"] * (more > 0)])

    @property
    def solved(self) -> int:
        """How many exercises are right."""
        return sum(map(bool, self.verdicts.values()))

    def summary(self, asked: Sequence[str] | None = None) -> str:
        """The result on one line, among the exercises that were asked for or else those that were handed in."""
        number = len(self.verdicts if asked is None else asked)
        return "; ".join([f"{self.solved} of {number} solved", *self.problems])


def submissions(folder: str | Path) -> list[Result]:
    """What lies in a folder: files or a folder for each student, also as Canvas and Moodle name them.

    Links, pipes and the like are neither followed nor waited for. Names that differ only in how their letters are
    encoded, or by what a copy or a second download adds, are one student's; that this was concluded is noted.

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
    paths = [
        path
        for path in sorted(folder.resolve().iterdir())
        if not path.name.startswith((".", "__")) and not _is_unpacked(path)
    ]
    if not paths:
        raise ValueError(f"{folder} is empty; it should hold a .ipynb, a .py or a folder for each student")
    pieces: dict[tuple[str, str], list[Named]] = {}
    everyone = named(paths)
    for one in everyone:
        pieces.setdefault((one.student, one.id), []).append(one)
    results = [_result(own, everyone) for own in pieces.values()]
    _tell_apart(results)
    return results


def _result(pieces: list[Named], everyone: list[Named]) -> Result:
    """What lies in the folder of one student's."""
    result = Result(pieces[0].student, [], id=pieces[0].id)
    unread: list[str] = []
    packed: list[str] = []
    for one in pieces:
        files, others, problems = _read(one.path, packed, unread)
        result.files += files
        result.others += others
        result.problems += problems
        result.notes += [note for note in one.notes if note not in result.notes]
        if one.path.is_dir() and not one.path.is_symlink():
            result.folders.append(one.path)
    result.beside = beside(pieces)
    result.names = {one.path: one.file for one in pieces if one.file}
    result.notes += several(pieces, everyone)
    if len(pieces) > 1 and any(one.upload for one in pieces):
        note = f"files with the number {result.id} are one student's, as Canvas names them"
        result.notes.append(note)
        result.confidential.append(note)
    if result.files:
        result.notes += packed
    elif not result.problems:
        result.problems = packed or unread
    return result


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
            note = f"has a row of its own, though there is also {' and '.join(others)}"
            one.notes.append(note)
            one.confidential.append(note)


def _read(path: Path, packed: list[str], unread: list[str]) -> tuple[list[Path], list[Path], list[str]]:
    """The notebooks and Python files at a path, other files, and what is wrong there, in sentences.

    What is to be said if the student has nothing else is added to `unread`; what of packed files, to `packed`.
    """
    files: list[Path] = []
    others: list[Path] = []
    problems: list[str] = []
    for seen, (one, odd) in enumerate(_entries(path, problems)):
        if seen == MOST_ENTRIES:
            problems.append(f"{path.name} holds more than {MOST_ENTRIES} files; only the first ones were looked at")
            break
        name = one.relative_to(path.parent).as_posix()
        if odd:
            problems.append(f"{name} is {odd}; hand in the file itself")
        elif one.suffix.lower() not in PACKED:
            (files if one.suffix.lower() in KINDS else others).append(one)
        elif not _is_unpacked(one):
            place = _unpacked(one).name
            others.append(one)
            packed.append(
                f"{name} is packed and was not looked into; hand in the files themselves, or unpack it where it lies, "
                f"into a folder {place}"
            )
    if len(files) > MOST_FILES:
        problem = (
            f"{path.name} holds {len(files)} notebooks and Python files, at most {MOST_FILES} are read; is a "
            "whole environment or the book itself among them?"
        )
        return [], sorted([*files, *others]), [problem]
    unread.append(_expected(path, others))
    if not files:  # a browser may have saved a notebook under another ending
        files = [one for one in others[:MOST_FILES] if holds_answers(one)]
        others = [one for one in others if one not in files]
    return sorted(files), sorted(others), problems


def _expected(path: Path, others: list[Path]) -> str:
    """What to do if something was handed in, and no code."""
    found = [one.relative_to(path.parent).as_posix() for one in others[:5]]
    advice = ""
    if {one.suffix.lower() for one in others} & {*PRINTED}:
        advice = "; a printed notebook cannot be run: hand in the notebook itself (in JupyterLab: File, Download)"
    return f"{', '.join(found) or path.name}: expected {' or '.join(KINDS)}{advice}"


def _unpacked(path: Path) -> Path:
    """Where the content of a packed file belongs."""
    return path.with_name(path.name.removesuffix(path.suffix).removesuffix(".tar"))


def _is_unpacked(path: Path) -> bool:
    return path.suffix.lower() in PACKED and _unpacked(path).is_dir()


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
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__")))
        for name in [*folders, *sorted(files)]:
            one = Path(place, name)
            kind = stat.S_IFMT(one.lstat().st_mode)
            if kind != stat.S_IFDIR and not name.startswith((".", "__")):
                yield one, ODD_KINDS.get(kind, "")
