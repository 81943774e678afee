"""The results of a class as two files: a CSV for a spreadsheet, and a sheet of HTML to read and to print."""

import csv
import html
import io
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from attnbook.exercises import Verdict, get, names
from attnbook.files import write_atomically
from attnbook.grading.submissions import Result

STYLE = (Path(__file__).with_name("sheet.css")).read_text("utf-8")
ODD = "backslashreplace"  # a file's name, or an error's text, need not be Unicode
SCRIPT = (
    "const open = (one) => { if (one) one.open = true; };\n"
    'addEventListener("beforeprint", () => document.querySelectorAll("details").forEach(open));\n'
    'addEventListener("hashchange", () => {\n'
    "  const there = document.getElementById(location.hash.slice(1));\n"
    '  open(there && there.closest("details"));\n'
    "  if (there) there.scrollIntoView();\n"
    "});\n"
)


def write(
    results: Sequence[Result], exercises: Sequence[str] | None, folder: str | Path
) -> list[Path]:
    """Write `grades.csv` and `grades.html`, each whole or not at all.

    Args:
        results: from `grade`, in any order.
        exercises: the columns; those that somebody has handed in, if not given.
        folder: where to; it is made if it is not there.

    Returns:
        The paths of the two files.
    """
    results = sorted(results, key=lambda one: one.student.casefold())
    handed_in = {name for one in results for name in one.verdicts}
    columns = (
        list(exercises)
        if exercises is not None
        else [name for name in names() if name in handed_in]
    )
    paths = [Path(folder) / "grades.csv", Path(folder) / "grades.html"]
    for path, content in zip(
        paths, (_table(results, columns), _page(results, columns)), strict=True
    ):
        write_atomically(path, content)
    return paths


def _in_a_word(verdict: Verdict | None) -> str:
    if verdict is None:
        return ""
    return (
        f"wrong: {verdict.diagnosis}" if verdict.status == "wrong" else verdict.status
    )


def _table(results: Sequence[Result], columns: Sequence[str]) -> bytes:
    file = io.StringIO(newline="")
    rows = csv.writer(file)
    rows.writerow(["student", "solved", "files", "problems", *columns])
    for one in results:
        found = [_in_a_word(one.verdicts.get(name)) for name in columns]
        files = " ".join(path.name for path in one.files)
        cells = [one.student, one.solved, files, "; ".join(one.problems), *found]
        rows.writerow([_harmless(cell) for cell in cells])
    # with the mark by which a spreadsheet knows UTF-8
    return file.getvalue().encode("utf-8-sig", ODD)


def _harmless(cell: object) -> object:
    """A name that begins like a formula is not computed by the spreadsheet."""
    return (
        f"'{cell}"
        if isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t"))
        else cell
    )


def _page(results: Sequence[Result], columns: Sequence[str]) -> bytes:
    titles = {name: get(name).title for name in columns}
    head = "".join(
        f'<th scope="col" title="{html.escape(titles[name])}"><span>{html.escape(name)}</span></th>'
        for name in columns
    )
    rows = "\n".join(_row(one, number, columns) for number, one in enumerate(results))
    right = "".join(
        f"<td>{sum(bool(one.verdicts.get(name)) for one in results)}</td>"
        for name in columns
    )
    said = "\n".join(
        _section(one, number)
        for number, one in enumerate(results)
        if _told(one) or one.problems
    )
    count = f"{len(results)} submission{'s' * (len(results) != 1)}, {len(columns)} exercise{'s' * (len(columns) != 1)}"
    page = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Grades</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<link rel="icon" href="data:,">\n'
        f"<style>\n{STYLE}</style>\n<script>\n{SCRIPT}</script>\n</head>\n<body>\n<h1>Grades</h1>\n"
        f"<p>{count}. ✓ solved, ✗ wrong, ○ not written yet, blank: not handed in. Point at a mark to see what the "
        "checker says, or follow it to the whole message.</p>\n"
        f'<div class="wide" tabindex="0" role="region" aria-label="Grades"><table>\n<thead><tr><th scope="col">Student'
        f'</th><th scope="col">Solved</th>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n<tfoot><tr><th scope="row">'
        f"Solved by</th><td></td>{right}</tr></tfoot>\n</table></div>\n{_common(results)}\n{said}\n</body>\n</html>\n"
    )
    return page.encode("utf-8", ODD)


def _row(one: Result, number: int, columns: Sequence[str]) -> str:
    cells = "".join(_cell(one.verdicts.get(name), number) for name in columns)
    name = html.escape(one.student)
    if one.problems:
        name += f' <a href="#s{number}" title="{html.escape("; ".join(one.problems))}" aria-label="a problem">⚠</a>'
    return f'<tr><th scope="row">{name}</th><td>{one.solved}</td>{cells}</tr>'


def _cell(verdict: Verdict | None, number: int) -> str:
    if verdict is None:
        return '<td aria-label="not handed in"></td>'
    mark = f'<span role="img" aria-label="{verdict.status}">{verdict.mark}</span>'
    if verdict.status == "wrong":
        what = html.escape(f"{verdict.about}. {verdict.says}\n→ {verdict.asks}")
        mark = f'<a href="#s{number}-{verdict.exercise}" title="{what}">{mark}</a>'
    return f'<td class="{verdict.status}">{mark}</td>'


def _told(one: Result) -> list[Verdict]:
    return [verdict for verdict in one.verdicts.values() if verdict.status == "wrong"]


def _common(results: Sequence[Result]) -> str:
    """The mistakes that more than one student made, the commonest first."""
    counts = Counter(
        (v.exercise, v.diagnosis, v.about) for one in results for v in _told(one)
    )
    lines = [
        f"<li>{count} × <strong>{html.escape(exercise)}</strong>: {html.escape(about)}</li>"
        for (exercise, _, about), count in counts.most_common(10)
        if count > 1
    ]
    return (
        "<h2>Mistakes that several students made</h2>\n<ul>\n"
        + "\n".join(lines)
        + "\n</ul>"
        if lines
        else ""
    )


def _section(one: Result, number: int) -> str:
    problems = "".join(f"<p>⚠ {html.escape(problem)}</p>" for problem in one.problems)
    wrong = "\n".join(
        f'<div id="s{number}-{v.exercise}">{v._repr_html_()}</div>' for v in _told(one)
    )
    count = len(_told(one))
    about = (
        f"{html.escape(one.student)}: {count} wrong"
        if count
        else html.escape(one.student)
    )
    return f'<details id="s{number}"><summary>{about}</summary>\n{problems}\n{wrong}\n</details>'
