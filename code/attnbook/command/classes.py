"""`attnbook grade`: the submissions of a class, as a table, as pages, and for the course's system."""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path


def grade(options, rest) -> int:
    """Judge every submission; write `grades.csv`, `grades.html`, a page for each student, and a file to upload."""
    from attnbook import grading
    from attnbook.files import make_folder

    names = grading.chosen(options.exercises, options.chapters, options.week)
    found = grading.submissions(options.folder)
    out = options.out.resolve()
    if out.is_relative_to(options.folder.resolve()):
        raise ValueError(
            f"{options.out} lies among the submissions; name a folder outside of them with --out"
        )
    make_folder(out)
    limits = grading.Limits(options.seconds, options.total, options.memory)
    asked = names if options.exercises or options.chapters or options.week else None
    report = grading.Report(out, asked, options.points)
    if options.roster:  # what is wrong with it is said before the work, not after it
        grading.upload(options.roster, [], assignment=options.assignment)
    if report.kept.aside:
        _say(
            f"{out / 'grades.csv'} cannot be understood; it becomes {report.kept.aside.name}"
        )

    _say(f"{grading.confinement()}.")
    journal = grading.Journal(out, exercises=names, **vars(limits))
    if journal.damaged:
        _say(f"{journal.path} is damaged; all submissions are judged anew")
    results = journal.ready(found)
    if results:
        _say(f"going on after {len(results)} that were judged before")
    left = [one for one in found if not any(one is done for done in results)]
    for result in grading.grade(left, names, limits, options.jobs):
        results.append(result)
        left = [one for one in left if one is not result]
        journal.add(result)
        _saved(report, out, lambda: report.write(results, left))  # noqa: B023 (called at once)
        _say(f"{len(results)} of {len(found)}  {result.student}: {result.summary()}")
    paths = _saved(report, out, lambda: _write(report, results, options, names))
    journal.end()
    for path in paths:
        print(path)
    if odd := sum(bool(one.problems) for one in results):
        _say(f"{odd} of {len(results)} with problems; grades.csv says which")
    return 2 if report.folder != out else 0


def _saved(report, out: Path, write: Callable[[], list[Path]]) -> list[Path]:
    """Write; if that fails (a full disk, a spreadsheet that holds the old file), write into another folder."""
    try:
        return write()
    except OSError as error:
        if report.folder != out:
            raise
        report.folder = Path(tempfile.mkdtemp(prefix="grades-"))
        _say(f"attnbook grade: {error}; the grades are here instead: {report.folder}")
        return write()


def _write(report, results, options, names) -> list[Path]:
    paths = [*report.write(results), report.write_students(results)]
    if options.roster:
        most = len(names) * options.points
        path, made = report.write_upload(
            results, options.roster, options.assignment, most
        )
        paths.append(path)
        for what, people in (
            ("nothing to fill in for", made.alone),
            ("not in the roster, or not beyond doubt", made.unknown),
        ):
            if people:
                _say(f"{what}: {', '.join(sorted(people))}")
    return paths


def _say(sentence: str) -> None:
    """Print a line; a name in it moves no cursor."""
    shown = "".join(sign if sign.isprintable() else "?" for sign in sentence)
    print(shown, file=sys.stderr, flush=True)
