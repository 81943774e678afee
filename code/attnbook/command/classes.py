"""`attnbook grade`: the submissions of a class, as a table, as pages, and for the course's system."""

import argparse
import math
import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # it takes a second to load
    from attnbook.grading import Report, Result

LIST = re.compile("--[ecw][a-z]*")  # --exercises, --chapters, --week; also shortened


def grade(options: argparse.Namespace, rest: list[str]) -> int:
    """Judge every submission; write `grades.csv`, `grades.html`, a page for each student, and a file to upload."""
    from attnbook import grading
    from attnbook.files import make_folder

    names = grading.chosen(options.exercises, options.chapters, options.week)
    submissions = grading.submissions(options.folder)
    out = options.out.resolve()
    if out.is_relative_to(options.folder.resolve()):
        raise ValueError(f"{options.out} lies among the submissions; name a folder outside of them with --out")
    if (options.assignment or options.new_column) and not options.roster:
        raise ValueError("--assignment and --new-column belong to --roster, the file of Canvas or Moodle")
    if options.roster:  # what is wrong with it is said before the work, not after it
        _look_at_roster(options, len(names))
    make_folder(out, 0o700)
    limits = grading.Limits(options.seconds, options.total, options.memory)
    asked = names if options.exercises or options.chapters or options.week else None
    report = grading.Report(out, asked, options.points)
    _keep_what_was_changed(report, options.roster)
    _say(f"{grading.confinement()}.")
    journal = grading.Journal(out, exercises=names, **vars(limits))
    if journal.damaged:
        _say(f"{journal.path} is damaged; all submissions are judged anew")
    results = journal.ready(submissions)
    if results:
        _say(f"going on after {len(results)} that were judged before")
    left = [one for one in submissions if not any(one is done for done in results)]
    for result in grading.grade(left, names, limits, options.jobs):
        results.append(result)
        left = [one for one in left if one is not result]
        journal.add(result)
        _saved(report, out, lambda: report.write(results, left))  # noqa: B023 (called at once)
        _say(f"{len(results)} of {len(submissions)}  {result.student}: {result.summary(asked)}")
    paths = _saved(report, out, lambda: _write(report, results, options, names))
    journal.end()
    for path in paths:
        print(path)
    if odd := sum(bool(one.problems) for one in results):
        _say(f"{odd} of {len(results)} with problems; grades.csv says which")
    return 2 if report.folder != out else 0


def _look_at_roster(options: argparse.Namespace, exercises: int) -> None:
    from attnbook import grading

    most = exercises * options.points
    full = grading.upload(options.roster, [], options.points, most, options.assignment, options.new_column).full
    if full and not math.isclose(full, most, rel_tol=1e-3):
        _say(
            f"{options.roster} gives the assignment {full:g} points, and the exercises have {most:g}; with --points "
            f"{full / exercises:.4g} both would be the same"
        )


def _keep_what_was_changed(report: "Report", roster: Path | None) -> None:
    if report.earlier.aside:
        _say(f"{report.earlier.because}; it becomes {report.earlier.aside.name}")
    if edited := report.keep_changed():
        changes, copy = edited
        more = [f"and {len(changes) - 5} more"] if len(changes) > 5 else []
        _say(
            f"grades.csv was changed in the grader's own cells ({'; '.join([*changes[:5], *more])}); they are written "
            f"anew, and your file is kept as {copy.name}"
        )
    for path, place in report.remove_old(but=roster):
        _say(f"{path} was changed since the last grading; it is kept as {place.name}")


def _saved(report: "Report", out: Path, write: Callable[[], list[Path]]) -> list[Path]:
    """Write; if that fails (a full disk, a spreadsheet that holds the old file), write into another folder."""
    try:
        return write()
    except OSError as error:
        if report.folder != out:
            raise
        report.folder = Path(tempfile.mkdtemp(prefix="grades-"))
        _say(f"attnbook grade: {error}; the grades are here instead: {report.folder}")
        return write()


def _write(report: "Report", results: "list[Result]", options: argparse.Namespace, names: list[str]) -> list[Path]:
    paths = [*report.write(results), report.write_students(results)]
    if options.roster:
        path, made = report.write_upload(
            results, options.roster, options.assignment, len(names) * options.points, options.new_column
        )
        paths.append(path)
        for what, people in (
            ("nothing to fill in for", made.alone),
            ("not in the roster, or not beyond doubt", made.unknown),
            ("left as it was", made.untouched),
            ("had other points before", made.changed),
            (
                "points in spite of problems, so look before you import them",
                [one.student for one in results if one.problems and one.solved],
            ),
        ):
            if people:
                _say(f"{what}: {'; '.join(sorted(people))}")
    return paths


def with_commas(words: Sequence[str]) -> list[str]:
    """The words of a command line, with each list as one word: `--week 3 4` and `--week 3, 4` as `--week 3,4`.

    To argparse the folder behind a list would be one more of its items.
    """
    result: list[str] = []
    in_list = False
    for word in words:
        if word.startswith("-"):
            in_list = bool(LIST.fullmatch(word))
        elif in_list and not LIST.fullmatch(result[-1]):  # not the first item
            in_list = not _is_folder(word)
            if in_list:
                result[-1] += f",{word}"
                continue
        result.append(word)
    return result


def _is_folder(word: str) -> bool:
    from attnbook.exercises import names

    is_path = "/" in word or "\\" in word or Path(word).is_dir()
    return is_path and not re.fullmatch(r"[\d.,]+", word) and word not in names()


def _say(sentence: str) -> None:
    """Print a line; a name in it moves no cursor."""
    shown = "".join(sign if sign.isprintable() else "?" for sign in sentence)
    print(shown, file=sys.stderr, flush=True)
