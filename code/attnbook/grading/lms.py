"""Points for a learning management system: the table that Canvas or Moodle has exported, with a column filled in."""

import difflib
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from attnbook.grading.spreadsheet import SHORTENED, Sheet, column, harmless, read
from attnbook.grading.submissions import Result
from attnbook.grading.table import in_figures

CANVAS = ("Student", "ID")
LOGINS = ("SIS Login ID", "SIS User ID", "Email address", "ID number", "Username")
PARTICIPANT = re.compile(r"\D*[^\d\s]\D*\d+")  # Moodle, in any language: Participant 48213
NUMBER = re.compile(r"\d+(?P<sign>[.,]?)\d*")
# "Grade can be changed", in languages that Moodle often speaks
NO = {"no", "nein", "non", "nee", "não", "nej", "nei", "ne", "nie", "нет", "ні", "否"}
EXCUSED = ("EX", "EXCUSED", "N/A")  # Canvas; N/A: this assignment is not this student's


@dataclass(frozen=True)
class Upload:
    """What there is to import.

    Attributes:
        content: of the file.
        alone: people in the table for whom nothing was judged.
        unknown: submissions of nobody in the table, or of more than one person.
        untouched: people whose cell must stay as it is, each with the reason.
        changed: people whose cell held other points, with both.
        full: the most points that the table gives for the assignment; None if it does not say.
    """

    content: bytes
    alone: list[str]
    unknown: list[str]
    untouched: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    full: float | None = None


@dataclass(frozen=True)
class _Person:
    row: int
    name: str
    id: str
    logins: frozenset[str]


@dataclass(frozen=True)
class _Roster:
    """A table of one of the two systems.

    Attributes:
        people: in it.
        place: of the column to fill in.
        full: the most points that it takes.
        locked: the place of a column that says whether a grade can be changed, or None.
    """

    people: list[_Person]
    place: int
    full: float | None
    locked: int | None = None


def upload(
    roster: Path,
    results: Sequence[Result],
    points: float = 1,
    most: float | None = None,
    assignment: str | None = None,
    new_column: bool = False,
) -> Upload:
    """Fill in the points.

    A submission belongs to a person by the number in its name, else by login or e-mail address, else by the name, in
    either order and without accents; never if there are two to whom it could belong. The cells of people who have
    handed in nothing stay as they are, and so do those that say that somebody is excused or that cannot be changed.

    Args:
        roster: what Canvas (Grades → Export) or Moodle (the assignment's grading worksheet) has written.
        results: of the class.
        points: for each exercise that is solved.
        most: the points of a new column in Canvas.
        assignment: in Canvas, the column; in Moodle, that of the grades if it is not called "Grade".
        new_column: add the assignment's column in Canvas if it is not there.

    Returns:
        What there is to import, and who was not found.

    Raises:
        ValueError: the roster is neither, or the assignment is missing.
    """
    if not roster.is_file():
        raise ValueError(
            f"{roster} is {'a folder' if roster.is_dir() else 'not there'}; pass the file that Canvas or Moodle has "
            "exported"
        )
    sheet = read(roster)
    heads = [head.strip() for head in sheet.rows[0]] if sheet.rows else []
    rows = [row + [""] * (len(heads) - len(row)) for row in sheet.rows]
    comma = _writes_commas(rows)

    def written(value: float) -> str:
        return in_figures(value).replace(".", "," if comma else ".")

    if set(CANVAS) <= {*heads}:
        worth = "" if most is None else written(most)
        known = _canvas(rows, assignment, roster, worth, new_column)
    elif _is_moodles(rows):
        known = _moodle(rows, assignment, roster)
    else:
        raise ValueError(
            f"{roster} is neither Canvas's (columns {' and '.join(CANVAS)}) nor Moodle's (Identifier and Grade; "
            'in another language, a first column like "Participant 48213"); it has '
            f"{', '.join(heads[:12]) or 'no columns'}"
        )
    matched = _matched(results, known.people)
    names = {person.row: person.name for person in known.people}
    untouched, changed = [], []
    for row, one in matched.items():
        if not one.verdicts:
            continue
        before, now = rows[row][known.place].strip(), one.solved * points
        if before.upper() in EXCUSED:
            untouched.append(f"{names[row]} ({before})")
        elif known.locked is not None and rows[row][known.locked].casefold().strip() in NO:  # fmt: skip
            untouched.append(f"{names[row]} (the grade cannot be changed)")
        else:
            rows[row][known.place] = written(now)
            if before and _value(before) != now:
                changed.append(f"{names[row]} ({before} → {rows[row][known.place]})")
    taken = {id(one) for one in matched.values()}
    return Upload(
        Sheet(rows, sheet.delimiter, sheet.encoding).to_bytes(),
        [person.name for person in known.people if person.row not in matched or not matched[person.row].verdicts],
        [one.student for one in results if id(one) not in taken],
        untouched,
        changed,
        known.full,
    )


def _people(
    rows: list[list[str]], names: Sequence[int], which: int, bare: Callable[[str], str] = str.strip
) -> list[_Person]:
    heads = [head.strip() for head in rows[0]]

    def logins(row: list[str]) -> Iterable[str]:
        for head, cell in zip(heads, row, strict=False):
            if cell.strip() and (head in LOGINS or re.fullmatch(r"\S+@\S+", cell)):
                yield _plain(cell)

    return [
        _Person(n, " ".join(row[place].strip() for place in names).strip(), bare(row[which]), frozenset(logins(row)))
        for n, row in enumerate(rows[1:], 1)
        if row[which].strip() and row[names[0]].strip() != "Student, Test"
    ]


def _canvas(rows: list[list[str]], assignment: str | None, roster: Path, worth: str, new_column: bool) -> _Roster:
    people = _people(rows, [column(rows, "Student")], column(rows, "ID"))
    if shortened := [one.id for one in people if SHORTENED.fullmatch(one.id)]:
        raise ValueError(
            f"the column ID of {roster} holds {shortened[0]}: a spreadsheet has changed the numbers; export it from "
            "Canvas again, and pass that file as it is"
        )
    place = _canvas_column(rows, assignment, roster, worth, new_column)
    possible = (row for row in rows if row[0].strip() == "Points Possible")
    return _Roster(people, place, next((_value(row[place]) for row in possible), None))


def _canvas_column(rows: list[list[str]], assignment: str | None, roster: Path, worth: str, new_column: bool) -> int:
    """The place of the assignment's column, which may be added; Canvas writes `Week 3 (98765)`."""
    heads = [head.strip() for head in rows[0]]
    assignments = [head for head in heads if re.search(r" \(\d+\)$", head)]
    there = f"its assignments are {', '.join(assignments) or 'none'}"
    if not assignment or not assignment.strip():
        raise ValueError(f'{roster} is Canvas\'s: name the assignment with --assignment "Week 3"; {there}')
    named = re.compile(re.escape(assignment.strip()) + r"( \(\d+\))?")
    places = [n for n, head in enumerate(heads) if named.fullmatch(head)]
    if own := [heads[n] for n in places if heads[n] not in assignments]:
        raise ValueError(
            f"{own[0]} is a column of Canvas's own, not an assignment, which would end in its number; {there}"
        )
    if len(places) > 1:
        raise ValueError(
            f"{roster} has several columns called {assignment}; give the whole name of one, with its number"
        )
    if places:
        return places[0]
    if not new_column:
        near = _nearest(assignment, assignments)
        raise ValueError(
            f"{roster} has no assignment {assignment.strip()}{near}; {there}. To add a column of this name, add "
            "--new-column"
        )
    for row in rows:
        row.append(worth if row[0].strip() == "Points Possible" else "")
    rows[0][-1] = harmless(assignment.strip())
    return len(heads)


def _nearest(wanted: str, names: Sequence[str]) -> str:
    """A question whether another name was meant; empty if none is near."""
    plain = {re.sub(r" \(\d+\)$", "", one).casefold(): one for one in names}
    near = difflib.get_close_matches(wanted.strip().casefold(), plain, 1)
    return f'; did you mean "{plain[near[0]]}"?' if near else ""


def _is_moodles(rows: list[list[str]]) -> bool:
    """Whether people are numbered as Moodle does it; what the columns are called depends on the language."""
    if not rows:
        return False
    heads = [head.strip() for head in rows[0]]
    cells = [row[0].strip() for row in rows[1:] if "".join(row).strip()]
    numbered = bool(cells) and all(map(PARTICIPANT.fullmatch, cells))
    return {"Identifier", "Grade"} <= {*heads} or (numbered and len(heads) > 2)


def _moodle(rows: list[list[str]], assignment: str | None, roster: Path) -> _Roster:
    heads = [head.strip() for head in rows[0]]
    grade = "Grade" if "Grade" in heads else (assignment or "").strip()
    if grade not in heads:
        near = difflib.get_close_matches(grade, heads, 1)
        meant = f'; did you mean "{near[0]}"?' if grade and near else ""
        raise ValueError(
            f"{roster} is Moodle's, in a language other than English: name its column of grades with --assignment"
            f"{meant}; its columns are {', '.join(heads)}"
        )
    which = heads.index("Identifier") if "Identifier" in heads else 0
    names = [
        n for n, head in enumerate(heads) if head in ("First name", "Last name", "Surname")
    ]  # fmt: skip
    if "Full name" in heads:
        names = [heads.index("Full name")]
    place = heads.index(grade)
    # Moodle writes them in this order: Grade, Maximum Grade, Grade can be changed
    locked = place + 2 if place + 2 < len(heads) else None
    if "Grade can be changed" in heads:
        locked = heads.index("Grade can be changed")
    people = _people(rows, names or [which + 1], which, _digits)
    highest = {_value(row[place + 1]) for row in rows[1:] if place + 1 < len(row)}
    full = highest.pop() if len(highest) == 1 else None
    return _Roster(people, place, full, locked)


def _digits(identifier: str) -> str:
    found = re.search(r"\d+\s*$", identifier)
    return found[0].strip() if found else identifier.strip()


def _value(cell: str) -> float | None:
    """A cell as a number, with a point or a comma; None if it is none."""
    return float(cell.replace(",", ".")) if NUMBER.fullmatch(cell.strip()) else None


def _writes_commas(rows: Sequence[Sequence[str]]) -> bool:
    """Whether a table writes 7,5 and not 7.5."""
    numbers = (NUMBER.fullmatch(cell.strip()) for row in rows[1:] for cell in row)
    return {one["sign"] for one in numbers if one} - {""} == {","}


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
    rows: dict[int, Result] = {}
    everyone, left = list(people), list(results)
    ways: tuple[Callable[[Result, _Person], bool], ...] = (
        lambda one, person: bool(one.id) and one.id == person.id,
        lambda one, person: (
            _plain(one.student) in person.logins
            or any(_plain(one.student) == login.partition("@")[0] for login in person.logins)
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
            if alone and only and not contradicted and person.row not in rows:
                rows[person.row] = one
        doubtful = {id(one) for one, _ in pairs}
        left = [one for one in left if id(one) not in doubtful]
    return rows
