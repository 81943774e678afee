"""The results of a class as `grades.csv`: a row for each student, and the columns that the teacher has added."""

import itertools
from collections.abc import Sequence
from pathlib import Path

from attnbook.exercises import Verdict, names
from attnbook.grading.spreadsheet import Sheet, column, harmless, meant, read
from attnbook.grading.submissions import Result

OURS = ("student", "id", "solved", "points", "files", "problems", "notes")
PENDING = "not judged yet"
GONE = "not among the submissions any more"


class Kept:
    """What an earlier `grades.csv` holds that the grader has not written: columns of the teacher's own.

    Args:
        path: the file; there may be none.

    Attributes:
        columns: names of columns.
        rows: (student, id) → a cell for each of these columns.
        aside: where a file that cannot be understood goes when it is replaced, or None.
    """

    def __init__(self, path: Path):
        self.columns: list[str] = []
        self.rows: dict[tuple[str, str], list[str]] = {}
        self.aside: Path | None = None
        if not path.is_file():
            return
        try:
            rows = read(path, "student").rows
        except ValueError:
            numbers = itertools.chain([""], itertools.count(2))
            free = (path.with_name(f"{path.stem}.old{n}{path.suffix}") for n in numbers)
            self.aside = next(name for name in free if not name.exists())
            return
        heads = [head.strip() for head in rows[0]]
        places = [
            n
            for n, head in enumerate(heads)
            if head not in OURS
            and (head or any("".join(row[n : n + 1]) for row in rows[1:]))
        ]
        self.columns = [heads[place] for place in places]
        for row in rows[1:]:
            row = row + [""] * (len(heads) - len(row))
            student = meant(row[column(rows, "student")])
            number = meant(row[heads.index("id")]) if "id" in heads else ""
            self.rows.setdefault((student, number), [row[place] for place in places])

    def own(self, exercises: Sequence[str]) -> list[int]:
        """The places of the columns that stay beside those of these exercises."""
        return [n for n, name in enumerate(self.columns) if name not in exercises]

    def of(self, student: str, number: str, places: Sequence[int]) -> list[str]:
        """A student's cells in some of the columns; two columns may have one name, or none."""
        cells = self.rows.get((student, number)) or [""] * len(self.columns)
        return [cells[place] for place in places]


def table(
    results: Sequence[Result],
    exercises: Sequence[str],
    points: float = 1,
    kept: Kept | None = None,
    pending: Sequence[Result] = (),
) -> bytes:
    """The file's content.

    Args:
        results: of those who have been judged.
        exercises: a column for each.
        points: for each exercise that is solved.
        kept: of the file that this one replaces; its columns stand at the right, those of other exercises too.
        pending: those who have not been judged yet.

    Returns:
        CSV, in UTF-8 with its mark.
    """
    own = kept.own(exercises) if kept else []
    heads = [kept.columns[place] for place in own] if kept else []
    rows = [[*OURS, *map(harmless, [*exercises, *heads])]]
    people = {(one.student, one.id) for one in [*results, *pending]}
    gone = [key for key in kept.rows if key not in people] if kept else []
    everyone = [
        *results,
        *(Result(p.student, p.files, {}, [PENDING], p.id, p.notes) for p in pending),
        *(
            Result(student, [], {}, [GONE], number)
            for student, number in gone
            if any(kept.of(student, number, own))
        ),
    ]
    for one in sorted(everyone, key=lambda one: (one.student.casefold(), one.id)):
        judged = PENDING not in one.problems and GONE not in one.problems
        cells = [
            one.student,
            one.id,
            one.solved if judged else "",
            number(one.solved * points) if judged and one.verdicts else "",
            " ".join(path.name for path in one.files),
            "; ".join(one.problems),
            "; ".join(one.notes),
            *(in_a_word(one.verdicts.get(name)) for name in exercises),
        ]
        mine = kept.of(one.student, one.id, own) if kept else []
        rows.append([*map(harmless, cells), *mine])
    return Sheet(rows).to_bytes()


def number(value: float) -> str:
    """Points as people write them: 3, 2.5."""
    return f"{value:.10g}"


def in_a_word(verdict: Verdict | None) -> str:
    """A verdict as a cell."""
    if verdict is None:
        return ""
    return (
        f"wrong: {verdict.diagnosis}" if verdict.status == "wrong" else verdict.status
    )


def columns_of(results: Sequence[Result], exercises: Sequence[str] | None) -> list[str]:
    """The exercises that get a column: those that were asked for, or else those that somebody has handed in."""
    if exercises is not None:
        return list(exercises)
    handed_in = {name for one in results for name in one.verdicts}
    return [name for name in names() if name in handed_in]
