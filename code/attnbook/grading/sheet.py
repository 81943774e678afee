"""The results as pages to read and to print: one of the whole class, and one for each student to hand back."""

import base64
import hashlib
import html
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from attnbook.exercises import Verdict, get
from attnbook.grading.asked import numbers
from attnbook.grading.spreadsheet import ODD
from attnbook.grading.submissions import Result
from attnbook.grading.table import in_figures

STYLE = (Path(__file__).with_name("sheet.css")).read_text("utf-8")
SCRIPT = (
    "const open = (one) => { if (one) one.open = true; };\n"
    'addEventListener("beforeprint", () => document.querySelectorAll("details").forEach(open));\n'
    'addEventListener("hashchange", () => {\n'
    "  const there = document.getElementById(location.hash.slice(1));\n"
    '  open(there && there.closest("details"));\n'
    "  if (there) there.scrollIntoView();\n"
    "});\n"
)
# what a student has written is text here, and would not run if it were more
_DIGEST = base64.b64encode(hashlib.sha256(f"\n{SCRIPT}".encode()).digest()).decode()
POLICY = f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{_DIGEST}'"
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.I)  # on Windows


def page(results: Sequence[Result], columns: Sequence[str], pending: Sequence[Result] = ()) -> bytes:
    """The page of the class.

    Args:
        results: of those who have been judged, in the order of their rows.
        columns: the exercises.
        pending: those who have not been judged yet.
    """
    rows = "\n".join(_row(one, number, columns) for number, one in enumerate(results))
    right = "".join(f"<td>{sum(bool(one.verdicts.get(name)) for one in results)}</td>" for name in columns)
    sections = "\n".join(
        _section(one, number) for number, one in enumerate(results) if _mistakes(one) or one.problems or one.notes
    )
    wait = f"<p><strong>Not judged yet:</strong> {_and(one.student for one in pending)}.</p>\n" if pending else ""
    body = (
        f"<h1>Grades</h1>\n<p>{_count(len(results), 'submission')}, {_count(len(columns), 'exercise')}. {KEY} "
        "Point at a mark to see what the checker says, or follow it to the whole message. ⚠: problems; *: notes.</p>\n"
        f'{wait}<div class="wide" tabindex="0" role="region" aria-label="Grades"><table>\n<thead><tr><th scope="col">'
        f'Student</th><th scope="col">Solved</th>{_heads(columns)}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n<tfoot><tr>'
        f'<th scope="row">Solved by</th><td></td>{right}</tr></tfoot>\n</table></div>\n{_common(results)}\n{sections}'
    )
    return _whole("Grades", body)


def student_page(one: Result, columns: Sequence[str], points: float = 1) -> bytes:
    """The page of one student, with nothing of the others and nothing that is meant for the teacher.

    Args:
        one: the student's result.
        columns: the exercises that were asked for.
        points: for each exercise that is solved.
    """
    rows = "\n".join(
        f'<tr><th scope="row">{html.escape(_titled(name))}</th>{_mark(one.verdicts.get(name), f"#{name}")}</tr>'
        for name in columns
    )
    solved = f"{one.solved} of {_count(len(columns), 'exercise')} solved"
    if one.verdicts:  # as in the table, nothing judged is not 0 points
        got, most = (in_figures(n * points) for n in (one.solved, len(columns)))
        solved += f"; points: {got} of {most}"
    body = (
        f"<h1>{html.escape(_named(one))}</h1>\n<p><strong>{solved}.</strong> {KEY}</p>\n"
        f"<p>Handed in: {html.escape(one.handed_in())}.</p>\n{_problems(one, one.confidential)}"
        '<table>\n<thead><tr><th scope="col">Exercise</th>'
        f'<th scope="col">Solved</th></tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>\n{_messages(one, "", 2)}'
    )
    return _whole(one.student, body)


def file_names(results: Iterable[Result]) -> list[str]:
    """A name for the file of each student, whatever the student's name is; no two are the same on any system."""
    names: list[str] = []
    taken: set[str] = set()
    for one in results:
        plain = unicodedata.normalize("NFC", _named(one))
        plain = re.sub(r"[^\w -]+", "_", plain).strip(" _-") or "student"
        plain = plain.encode()[:120].decode("utf-8", "ignore")  # names end at 255 bytes
        if RESERVED.fullmatch(plain):
            plain = f"_{plain}"
        name, count = plain, 1
        while name.casefold() in taken:
            count += 1
            name = f"{plain}-{count}"
        taken.add(name.casefold())
        names.append(f"{name}.html")
    return names


# --- parts of a page ------------------------------------------------------------------------------------------------

KEY = "✓ solved, ✗ wrong, ○ not written yet, blank: not handed in."


def _whole(title: str, body: str) -> bytes:
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n<title>{html.escape(title)}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<link rel="icon" href="data:,">\n'
        f"<style>\n{STYLE}</style>\n<script>\n{SCRIPT}</script>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    ).encode("utf-8", ODD)


def _named(one: Result) -> str:
    """A student's name, with the number that tells namesakes apart."""
    return f"{one.student} {one.id}".strip()


def _titled(name: str) -> str:
    """An exercise's number and title, as its chapter has them."""
    return f"{_number(name)} {get(name).title}"


def _numbered(name: str) -> str:
    """An exercise's number and name, as HTML."""
    return html.escape(f"{_number(name)} {name}")


def _number(name: str) -> str:
    return next(number for number, one in numbers().items() if one == name)


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'s' * (number != 1)}"


def _and(words: Iterable[str]) -> str:
    return html.escape(", ".join(words))


def _heads(columns: Sequence[str]) -> str:
    return "".join(
        f'<th scope="col" title="{html.escape(_titled(name))}"><span>{_numbered(name)}</span></th>' for name in columns
    )


def _row(one: Result, number: int, columns: Sequence[str]) -> str:
    cells = "".join(_mark(one.verdicts.get(name), f"#s{number}-{name}") for name in columns)
    name = html.escape(_named(one))
    for sign, label, sentences in (("⚠", "a problem", one.problems), ("*", "a note", one.notes)):
        if sentences:
            name += f' <a href="#s{number}" title="{html.escape("; ".join(sentences))}" aria-label="{label}">{sign}</a>'
    return f'<tr><th scope="row">{name}</th><td>{one.solved}</td>{cells}</tr>'


def _mark(verdict: Verdict | None, place: str) -> str:
    if verdict is None:
        return '<td aria-label="not handed in"></td>'
    mark = f'<span role="img" aria-label="{html.escape(verdict.status)}">{verdict.mark}</span>'
    if verdict.status == "wrong":
        what = html.escape(f"{verdict.about}. {verdict.says}\n→ {verdict.asks}")
        mark = f'<a href="{html.escape(place)}" title="{what}">{mark}</a>'
    return f'<td class="{html.escape(verdict.status)}">{mark}</td>'


def _mistakes(one: Result) -> list[Verdict]:
    return [verdict for verdict in one.verdicts.values() if verdict.status == "wrong"]


def _problems(one: Result, left_out: Sequence[str] = ()) -> str:
    return "".join(
        f"<p>{sign} {html.escape(sentence)}</p>\n"
        for sign, sentences in (("⚠", one.problems), ("Note:", one.notes))
        for sentence in sentences
        if sentence not in left_out
    )


def _messages(one: Result, prefix: str, level: int) -> str:
    return "\n".join(
        f'<div id="{html.escape(prefix + v.exercise)}"><h{level}>{html.escape(_titled(v.exercise))}</h{level}>\n'
        f"{v._repr_html_()}</div>"
        for v in _mistakes(one)
    )


def _common(results: Sequence[Result]) -> str:
    """The mistakes that more than one student made, the commonest first."""
    counts = Counter((v.exercise, v.diagnosis, v.about) for one in results for v in _mistakes(one))
    lines = [
        f"<li>{count} × <strong>{_numbered(exercise)}</strong>: {html.escape(about)}</li>"
        for (exercise, _, about), count in counts.most_common(10)
        if count > 1
    ]
    return "<h2>Mistakes that several students made</h2>\n<ul>\n" + "\n".join(lines) + "\n</ul>" if lines else ""


def _section(one: Result, number: int) -> str:
    wrong = len(_mistakes(one))
    about = html.escape(f"{one.student}: {wrong} wrong" if wrong else one.student)
    return (
        f'<details id="s{number}"><summary>{about}</summary>\n{_problems(one)}\n'
        f"{_messages(one, f's{number}-', 3)}\n</details>"
    )
