"""Points for a learning management system: the table that Canvas or Moodle has exported, with a column filled in."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from attnbook.grading.spreadsheet import Sheet, column, harmless, read
from attnbook.grading.submissions import Result
from attnbook.grading.table import number

CANVAS = ("Student", "ID")
MOODLE = ("Identifier", "Grade")
LOGINS = ("SIS Login ID", "SIS User ID", "Email address", "ID number", "Username")


@dataclass(frozen=True)
class Upload:
    """What there is to import.

    Attributes:
        content: of the file.
        alone: people in the table for whom nothing was judged.
        unknown: submissions of nobody in the table, or of more than one person.
    """

    content: bytes
    alone: list[str]
    unknown: list[str]


@dataclass(frozen=True)
class _Person:
    row: int
    name: str
    id: str
    logins: frozenset[str]


def upload(
    roster: Path,
    results: Sequence[Result],
    points: float = 1,
    most: float | None = None,
    assignment: str | None = None,
) -> Upload:
    """Fill in the points.

    A submission belongs to a person by the number in its name, else by login or e-mail address, else by the name, in
    either order and without accents; never if there are two to whom it could belong. The cells of people who have
    handed in nothing stay as they are.

    Args:
        roster: what Canvas (Grades → Export) or Moodle (the assignment's grading worksheet) has written.
        results: of the class.
        points: for each exercise that is solved.
        most: the points of a new column in Canvas.
        assignment: in Canvas, the column; one that is not there yet is added.

    Returns:
        What there is to import, and who was not found.

    Raises:
        ValueError: the roster is neither, or the assignment is missing.
    """
    sheet = read(roster)
    heads = [head.strip() for head in sheet.rows[0]] if sheet.rows else []
    rows = [row + [""] * (len(heads) - len(row)) for row in sheet.rows]
    if set(CANVAS) <= {*heads}:
        people = _people(rows, "Student", "ID", lambda text: text)
        place = _canvas_column(rows, assignment, roster, most)
    elif set(MOODLE) <= {*heads}:
        name = next((h for h in ("Full name", "First name") if h in heads), MOODLE[0])
        people = _people(rows, name, "Identifier", lambda text: text.split(" ")[-1])
        place = heads.index("Grade")
    else:
        raise ValueError(
            f"{roster} is neither Canvas's (columns {' and '.join(CANVAS)}) nor Moodle's ({' and '.join(MOODLE)}); "
            f"it has {', '.join(heads[:12]) or 'no columns'}"
        )
    found = _matched(results, people)
    for row, one in found.items():
        if one.verdicts:
            rows[row][place] = number(one.solved * points)
    taken = {id(one) for one in found.values()}
    return Upload(
        Sheet(rows, sheet.delimiter, sheet.encoding).to_bytes(),
        [
            person.name
            for person in people
            if person.row not in found or not found[person.row].verdicts
        ],
        [one.student for one in results if id(one) not in taken],
    )


def _people(
    rows: list[list[str]], name: str, number: str, bare: Callable[[str], str]
) -> list[_Person]:
    where, which = column(rows, name), column(rows, number)
    logins = [n for n, head in enumerate(rows[0]) if head.strip() in LOGINS]
    return [
        _Person(
            n,
            row[where].strip(),
            bare(row[which].strip()),
            frozenset(_plain(row[place]) for place in logins if row[place].strip()),
        )
        for n, row in enumerate(rows[1:], 1)
        if row[which].strip() and row[where].strip() != "Student, Test"
    ]


def _canvas_column(
    rows: list[list[str]], assignment: str | None, roster: Path, most: float | None
) -> int:
    """The place of the assignment's column, which is added if it is not there; Canvas writes `Week 3 (98765)`."""
    heads = [head.strip() for head in rows[0]]
    if not assignment:
        raise ValueError(
            f'{roster} is Canvas\'s: name the assignment with --assignment "Week 3"'
        )
    named = re.compile(re.escape(assignment.strip()) + r"( \(\d+\))?")
    places = [n for n, head in enumerate(heads) if named.fullmatch(head)]
    if own := [heads[n] for n in places if not re.search(r" \(\d+\)$", heads[n])]:
        raise ValueError(
            f"{own[0]} is a column of Canvas's own, not an assignment, which would end in its number"
        )
    if len(places) > 1:
        raise ValueError(
            f"{roster} has several columns called {assignment}; give the whole name of one, with its number"
        )
    if places:
        return places[0]
    for row in rows:
        if row[0].strip() == "Points Possible":
            row.append("" if most is None else number(most))
        else:
            row.append("")
    rows[0][-1] = harmless(assignment.strip())
    return len(heads)


def _plain(text: str) -> str:
    """Text without accents, case and spaces around it."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(one for one in letters if not unicodedata.combining(one)).strip()


def _spellings(name: str) -> set[str]:
    """A name without spaces in each order that a list may have it: `Lovelace, Ada` and `Ada Lovelace` share both."""
    words = re.findall(r"\w+", _plain(name))
    return {"".join(words[n:] + words[:n]) for n in range(len(words))}


def _matched(results: Sequence[Result], people: Iterable[_Person]) -> dict[int, Result]:
    """The row of each person whose submission is known beyond doubt, and the submission."""
    found: dict[int, Result] = {}
    everyone, left = list(people), list(results)
    ways: tuple[Callable[[Result, _Person], bool], ...] = (
        lambda one, person: bool(one.id) and one.id == person.id,
        lambda one, person: (
            _plain(one.student) in person.logins
            or any(
                _plain(one.student) == login.partition("@")[0]
                for login in person.logins
            )
        ),
        lambda one, person: bool(_spellings(one.student) & _spellings(person.name)),
    )
    for fits in ways:
        # with everyone, not only with those who are left: a namesake is a doubt
        pairs = [(one, p) for one in left for p in everyone if fits(one, p)]
        for one, person in pairs:
            alone = sum(o is one for o, _ in pairs) == 1
            only = sum(p is person for _, p in pairs) == 1
            contradicted = bool(one.id) and one.id != person.id
            if alone and only and not contradicted and person.row not in found:
                found[person.row] = one
        doubtful = {id(one) for one, _ in pairs}
        left = [one for one in left if id(one) not in doubtful]
    return found
