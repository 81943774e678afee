"""Whose a file is and what its author called it, by its name: as people, Canvas and Moodle write names."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

KINDS = (".ipynb", ".py")
PACKED = (".zip", ".gz", ".tar", ".tgz", ".7z", ".rar")
# Canvas, Submissions → Download: lovelaceada_12345_678910_04.ipynb, lovelaceada_LATE_12345_678910_04.ipynb
CANVAS = re.compile(r"(?P<name>[^_]+)(?P<late>_LATE)?_(?P<id>\d+)_(?P<upload>\d+)_(?P<file>.+)", re.S)
# Moodle, Download all submissions: Ada Lovelace_48213_assignsubmission_file_04.ipynb, or a folder without the last part
MOODLE = re.compile(r"(?P<name>.+?)_(?P<id>\d+)_assignsubmission_[a-z]+_?(?P<file>.*)", re.S)
# what a second download adds, in Chrome or Firefox, and a copy in Drive, JupyterLab, Windows or macOS
AGAIN = re.compile(r"^(Copy of )+|( ?\(\d{1,2}\)|-Copy\d{1,2}| - Copy| copy( \d{1,2})?)+\Z")
# what Canvas adds to a file that is handed in again (04-1.ipynb), and a browser to one that is loaded again
NUMBERED = re.compile(r"(?P<name>.+?)(-\d{1,2}| ?\(\d{1,2}\))(?P<ending>\.\w+)?", re.S)
# a notebook of the book under its own name, or what the page saves
CHAPTER = re.compile(r"\d\d-[a-z-]+|answers")


@dataclass(frozen=True)
class Named:
    """What a name in the folder of submissions says.

    Attributes:
        path: that bears it.
        student: whose it is.
        id: the student's number in Canvas or Moodle; empty if there is none.
        file: what the student called the file, if Canvas or Moodle has put something before it.
        upload: Canvas's number of the upload, which grows with time.
        notes: what was concluded, in sentences.
    """

    path: Path
    student: str
    id: str = ""
    file: str = ""
    upload: int = 0
    notes: tuple[str, ...] = ()

    @property
    def plain(self) -> str:
        """The file's name without what Canvas adds to one that is handed in again."""
        made = NUMBERED.fullmatch(self.file)
        return made["name"] + (made["ending"] or "") if made else self.file

    @property
    def is_code(self) -> bool:
        """Whether it is a notebook or a Python file."""
        return self.path.suffix.lower() in KINDS


def named(paths: Sequence[Path]) -> list[Named]:
    """Read the names in a folder.

    Canvas gives each file a number of its own: names in which it comes twice have been made by somebody else.
    """
    made = (CANVAS.fullmatch(path.name) for path in paths)
    uploads = Counter(one["upload"] for one in made if one)
    return [_named(path, uploads) for path in paths]


def _named(path: Path, uploads: Counter[str]) -> Named:
    code = path.suffix.lower() in KINDS + PACKED and not path.is_dir()
    written = path.stem if code else path.name
    ending = path.name.removeprefix(written)
    name = unicodedata.normalize("NFC", written)
    notes = []
    if name != written:
        notes.append(f"the letters of {path.name} are encoded in another way than usual (not NFC)")
    made = CANVAS.fullmatch(name)  # first: what follows is of the student's choice
    if made and uploads[made["upload"]] == 1:
        file = made["file"] + ending
        if made["late"]:
            notes.append(f"{file} was handed in late, as Canvas says")
        upload = int(made["upload"])
        return Named(path, made["name"], made["id"], file, upload, tuple(notes))
    if not made and (made := MOODLE.fullmatch(name)):
        file = made["file"] + ending if made["file"] else ""
        return Named(path, made["name"], made["id"], file, notes=tuple(notes))
    plain = AGAIN.sub("", name) or name
    if CHAPTER.fullmatch(plain):
        whose = "the name that the page gives" if plain == "answers" else "a chapter's name"
        notes.append(f"{path.name} bears {whose} instead of a student's")
        plain = name  # perhaps two students', saved from two letters
    elif plain != name:
        notes.append(f"{path.name} is taken for another copy of {plain}'s work; the best answer counts")
    return Named(path, plain, notes=tuple(notes))


def beside(pieces: Iterable[Named]) -> dict[str, Path]:
    """The files that Canvas or Moodle has put loose into the folder, by the names under which their author has them.

    Of several versions of a module the newest has the plain name. Data have their own name, and a plain one only if no
    other file has it.

    Args:
        pieces: of one student.

    Returns:
        Name → path; a file that was renamed on its way has both names.
    """
    loose = [
        one
        for one in pieces
        if one.file and not one.file.startswith(".") and one.path.is_file() and not one.path.is_symlink()
    ]
    loose.sort(key=lambda one: (one.file == one.plain and not one.is_code, one.upload))
    found = {one.plain: one.path for one in loose}
    for one in loose:
        if one.file != one.plain:
            found[one.file] = one.path
    return found


def several(pieces: Sequence[Named], everyone: Iterable[Named]) -> list[str]:
    """What is to be said of files that one student has handed in more than once, in sentences.

    Args:
        pieces: of the student.
        everyone: those of the class; a name that others have without a number got its number from Canvas.
    """
    code = [one for one in pieces if one.file and one.is_code]
    versions: dict[str, list[str]] = {}
    for one in sorted(code, key=lambda one: one.upload):
        versions.setdefault(one.plain, []).append(one.file)
    known = {one.file for one in everyone if one.file}
    notes = []
    for plain, files in versions.items():
        if len(files) > 1:
            notes.append(
                f"handed in more than once: {', '.join(files)}; the best answer counts, and the newest is imported"
            )
        elif files[0] != plain and (plain in known or CHAPTER.fullmatch(Path(plain).stem)):
            notes.append(
                f"{files[0]} is {plain}, handed in again, as Canvas numbers it; earlier versions were not downloaded"
            )
    return notes
