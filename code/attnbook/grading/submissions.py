"""What a class has handed in: whose it is, which files, and which exercises are asked for."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from attnbook.exercises import Verdict, get, names

KINDS = (".ipynb", ".py")
MOST_FILES = 100  # of a student


@dataclass
class Result:
    """What came of one submission.

    Attributes:
        student: who handed it in: the name of a file without its ending, or of a folder.
        files: what was read.
        verdicts: by the exercise's name; an exercise that was not handed in has none.
        problems: what is wrong with the submission as a whole, in sentences.
        folders: the student's own, whose modules and data the files in them may use.
    """

    student: str
    files: list[Path]
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
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


def chosen(
    exercises: Sequence[str] | None, chapters: Sequence[int] | None
) -> list[str]:
    """The exercises that are asked for.

    Args:
        exercises: their names, or None.
        chapters: the numbers of chapters, or None; without either, all exercises.

    Returns:
        Names, in the order of the book.

    Raises:
        ValueError: no such exercise, or a chapter without exercises.
    """
    for name in exercises or ():
        get(name)
    known = {name: get(name).chapter for name in names()} if chapters else {}
    if absent := {*(chapters or ())} - {*known.values()}:
        raise ValueError(
            f"there are exercises in chapters {min(known.values())} to {max(known.values())}, not in {min(absent)}"
        )
    wanted = {*(exercises or ()), *(name for name in known if known[name] in chapters)}
    return [name for name in names() if not (exercises or chapters) or name in wanted]


def submissions(folder: str | Path) -> list[Result]:
    """What lies in a folder: a file or a folder for each student.

    Args:
        folder: with .ipynb and .py files, or folders that hold them.

    Returns:
        A result without verdicts for each student, by name. Hidden files are passed over; a file of another kind is a
        submission with a problem.

    Raises:
        ValueError: no such folder, or nothing in it.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise ValueError(
            f"{folder} is {'not a folder' if folder.exists() else 'not there'}; pass the folder of submissions"
        )
    found: dict[str, Result] = {}
    for path in sorted(folder.iterdir()):
        if path.name.startswith((".", "__")):
            continue
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        files = [one.resolve() for one in inside if _is_code(one, folder)]
        student = path.stem if path.is_file() and files else path.name
        result = found.setdefault(student, Result(student, []))
        if len(files) > MOST_FILES:
            result.problems.append(
                f"{path.name} holds {len(files)} notebooks and Python files, at most {MOST_FILES} are read; is a "
                "whole environment or the book itself among them?"
            )
            continue
        result.files += files
        if path.is_dir():
            result.folders.append(path.resolve())
        if not files:
            result.problems.append(f"{path.name}: expected {' or '.join(KINDS)}")
    if not found:
        raise ValueError(
            f"{folder} is empty; it should hold a .ipynb, a .py or a folder for each student"
        )
    return list(found.values())


def _is_code(path: Path, folder: Path) -> bool:
    parts = path.relative_to(folder).parts
    hidden = any(part.startswith((".", "__")) for part in parts)
    return path.suffix.lower() in KINDS and path.is_file() and not hidden
