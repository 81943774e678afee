"""The results of a class as `grades.csv`: a row for each student, and the columns that the teacher has added."""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from attnbook.exercises import Verdict, names
from attnbook.grading.spreadsheet import Sheet, column, harmless, may_be, meant, read
from attnbook.grading.submissions import Result

OURS = ("student", "id", "solved", "points", "files", "problems", "notes")
PENDING = "not judged yet"
GONE = "not among the submissions any more"
SECOND = "a second row that was there for this student; join the two"

Key = tuple[str, str]  # a student's name and number


class EarlierTable:
    """What an earlier `grades.csv` holds: columns of the teacher's own, which stay, and the grader's.

    Args:
        path: the file; there may be none.

    Attributes:
        columns: names of columns.
        rows: (student, id) → for each row of this student's, a cell for each of these columns.
        ours: (student, id) → of the first row, the grader's cells by the names of their columns.
        aside: where a file that cannot be understood goes when it is replaced, or None.
        because: why it cannot be understood.
    """

    def __init__(self, path: Path):
        self.columns: list[str] = []
        self.rows: dict[Key, list[list[str]]] = {}
        self.ours: dict[Key, dict[str, str]] = {}
        self.aside: Path | None = None
        self.because = ""
        self.numbered = True
        if not path.is_file():
            return
        try:
            rows = read(path, "student").rows
        except ValueError as error:
            self.because = str(error)
            numbers = itertools.chain([""], itertools.count(2))
            free = (path.with_name(f"{path.stem}.old{n}{path.suffix}") for n in numbers)
            self.aside = next(name for name in free if not name.exists())
            return
        heads = [head.strip() for head in rows[0]]
        self.numbered = "id" in heads
        known = {*OURS[2:], *names()}
        places = [
            n
            for n, head in enumerate(heads)
            if head not in OURS and (head or any("".join(row[n : n + 1]) for row in rows[1:]))
        ]
        self.columns = [heads[place] for place in places]
        for row in rows[1:]:
            row = row + [""] * (len(heads) - len(row))
            student = meant(row[column(rows, "student")])
            number = meant(row[heads.index("id")]) if self.numbered else ""
            cells = [row[place] for place in places]
            if student or number or any(cells):
                self.rows.setdefault((student, number), []).append(cells)
                ours = {head: meant(cell) for head, cell in zip(heads, row, strict=False) if head in known}
                self.ours.setdefault((student, number), ours)

    def own(self, exercises: Sequence[str]) -> list[int]:
        """The places of the columns that stay beside those of these exercises."""
        return [n for n, name in enumerate(self.columns) if name not in exercises]

    def changed(self, written: "EarlierTable", exercises: Sequence[str]) -> list[str]:
        """Which of the grader's cells somebody has changed, in words; they are lost when the table is written anew.

        Args:
            written: the table as the grader has written it.
            exercises: whose columns are written anew.
        """
        whose, changes = self.whose([*written.ours]), []
        for person, before in written.ours.items():
            now = self.ours.get(whose.get(person, ("", "")), {})
            for head in (*OURS[2:], *exercises):
                if head in now and head in before:
                    old, new = (" ".join(row[head].split()) for row in (before, now))
                    if not may_be(new, old):
                        changes.append(f"{person[0]}'s {head} from “{old}” to “{new}”")
        for person in sorted(self.ours.keys() - {*whose.values()}):
            if any(self.ours[person].values()):
                changes.append(f"a row for {' '.join(person).strip()}")
        return changes

    def whose(self, people: Sequence[Key]) -> dict[Key, Key]:
        """Which rows belong to whom: those of the same name and number, else those that a spreadsheet has changed.

        Args:
            people: names and numbers.

        Returns:
            Person → the row's name and number; nobody who might have two rows, or share one.
        """
        matched = {one: one for one in people if one in self.rows}
        left = [one for one in people if one not in matched]
        rows = [one for one in self.rows if one not in matched]

        def fits(row: Key, one: Key) -> bool:
            number = not self.numbered or may_be(row[1], one[1])
            return number and may_be(row[0], one[0])

        for one in left:
            mine = [row for row in rows if fits(row, one)]
            if len(mine) == 1 and sum(fits(mine[0], other) for other in people) == 1:
                matched[one] = mine[0]
        return matched


def table(
    results: Sequence[Result],
    exercises: Sequence[str],
    points: float = 1,
    earlier: EarlierTable | None = None,
    pending: Sequence[Result] = (),
) -> bytes:
    """The file's content.

    Args:
        results: of those who have been judged.
        exercises: a column for each.
        points: for each exercise that is solved.
        earlier: of the file that this one replaces; its columns stand at the right, those of other exercises too.
        pending: those who have not been judged yet.

    Returns:
        CSV, in UTF-8 with its mark.
    """
    old = earlier.rows if earlier else {}
    own = earlier.own(exercises) if earlier else []
    heads = [earlier.columns[place] for place in own] if earlier else []
    waiting = [Result(one.student, one.files, {}, [PENDING], one.id, one.notes) for one in pending]
    people = [(one.student, one.id) for one in [*results, *waiting]]
    whose = earlier.whose(people) if earlier else {}

    def cells_of(key: Key) -> list[list[str]]:
        """A student's cells in the columns that stay, row by row; two columns may have one name, or none."""
        return [[cells[place] for place in own] for cells in old.get(key, ())]

    everyone: list[tuple[Result, list[str]]] = []
    for one in [*results, *waiting]:
        key = whose.get((one.student, one.id), ("", ""))
        first, *more = cells_of(key) or [[""] * len(own)]
        renamed = key != (one.student, one.id) and key in old
        note = [f"has the row that was {' '.join(key).strip()}'s"] if renamed else []
        everyone.append((replace(one, notes=[*one.notes, *note]), first))
        everyone += _also(one.student, one.id, first, more)
    taken = {*whose.values()}
    for student, number in (key for key in old if key not in taken):
        first, *more = cells_of((student, number))
        if any(first):
            everyone.append((Result(student, [], {}, [GONE], number), first))
        everyone += _also(student, number, first, more)
    everyone.sort(key=lambda pair: (pair[0].student.casefold(), pair[0].id))
    rows = [[*OURS, *map(harmless, [*exercises, *heads])]]
    rows += [[*_cells(one, exercises, points), *mine] for one, mine in everyone]
    return Sheet(rows).to_bytes()


def _also(student: str, number: str, first: list[str], more: Sequence[list[str]]) -> list[tuple[Result, list[str]]]:
    """Further rows of one student, unless they say nothing new."""
    return [(Result(student, [], {}, [SECOND], number), cells) for cells in more if any(cells) and cells != first]


def _cells(one: Result, exercises: Sequence[str], points: float) -> list[str]:
    """A row without the teacher's columns."""
    judged = not {PENDING, GONE, SECOND} & {*one.problems}
    cells = [
        one.student,
        one.id,
        one.solved if judged else "",
        in_figures(one.solved * points) if judged and one.verdicts else "",
        one.handed_in(),
        "; ".join(one.problems),
        "; ".join(one.notes),
        *(in_a_word(one.verdicts.get(name)) for name in exercises),
    ]
    return [*map(harmless, cells)]


def in_figures(value: float) -> str:
    """Points as people write them: 3, 2.5."""
    return f"{value:.10g}"


def in_a_word(verdict: Verdict | None) -> str:
    """A verdict as a cell."""
    if verdict is None:
        return ""
    return f"wrong: {verdict.diagnosis}" if verdict.status == "wrong" else verdict.status


def columns_of(results: Sequence[Result], exercises: Sequence[str] | None) -> list[str]:
    """The exercises that get a column: those that were asked for, or else those that somebody has handed in."""
    if exercises is not None:
        return list(exercises)
    handed_in = {name for one in results for name in one.verdicts}
    return [name for name in names() if name in handed_in]
