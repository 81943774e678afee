"""What a student gets back, and what becomes of a table in which the teacher has changed the grader's cells."""

import csv
import io

import pytest
from tables import WEEK, result, rows_of, written_by

from attnbook import grading
from attnbook.grading.events import STRANGE, Progress, understood

# --- students' pages ------------------------------------------------------------------------------------------------


def student_page(tmp_path, one, **options):
    folder = grading.Report(tmp_path, WEEK, **options).write_students([one])
    return next(folder.iterdir()).read_text("utf-8")


@pytest.mark.parametrize(("points", "says"), [(1, "points: 1 of 2"), (2.5, "points: 2.5 of 5")])
def test_a_page_says_the_points(tmp_path, points, says):
    page = student_page(tmp_path, result("ada", WEEK[0], wrong=[WEEK[1]]), points=points)  # fmt: skip
    assert f"1 of 2 exercises solved; {says}." in page


def test_of_whom_nothing_was_judged_has_no_points(tmp_path):
    page = student_page(tmp_path, result("ada", problems=["a.py is empty"]))
    assert "0 of 2 exercises solved." in page and "points" not in page


def test_what_is_meant_for_the_teacher_stands_on_no_students_page(tmp_path):
    one = result("ada", WEEK[0], problems=["a.py is empty"])
    Progress(one, []).take(understood(b"print"))
    assert STRANGE in one.problems
    page = student_page(tmp_path, one)
    assert "a.py is empty" in page and "channel" not in page
    table, whole = grading.Report(tmp_path, WEEK).write([one])
    assert "channel" in whole.read_text("utf-8")
    assert STRANGE in rows_of(table)[0]["problems"]


def test_a_page_names_no_namesake_also_after_an_interruption(tmp_path):
    (tmp_path / "class").mkdir()
    for name in ("Ada_1_10_04.py", "ada_2_11_04.py"):
        (tmp_path / "class" / name).touch()
    journal = grading.Journal(tmp_path)
    for one in grading.submissions(tmp_path / "class"):
        journal.add(one)
    found = grading.submissions(tmp_path / "class")
    for one in grading.Journal(tmp_path).ready(found):
        assert "there is also" in one.notes[0]
        page = student_page(tmp_path / one.id, one)
        assert "there is also" not in page and f"{one.student} {one.id}" in page


# --- the grader's own cells in the table ----------------------------------------------------------------------------


def edited(path, change, **how):
    """The table as somebody saves it from a spreadsheet."""
    rows = list(csv.reader(io.StringIO(path.read_text("utf-8-sig"), newline="")))
    path.write_bytes(written_by(change(rows), **how))


def written(tmp_path):
    results = [result("Zoë", WEEK[0], id="007"), result("=bela", problems=["a\nb"])]
    report = grading.Report(tmp_path, WEEK, points=2.5)
    return report.write(results)[0], results


def test_a_cell_that_the_teacher_has_changed_is_said_and_the_table_kept(tmp_path):
    path, results = written(tmp_path)

    def change(rows):
        rows[2][rows[0].index("points")] = "5"
        return [[*row, "good"] for row in [*rows[:2], rows[2], ["dora", "", "1"]]]

    edited(path, change)
    mine = path.read_bytes()
    report = grading.Report(tmp_path, WEEK, points=2.5)
    assert report.keep_changed() == (["Zoë's points from “2.5” to “5”", "a row for dora"], tmp_path / "grades.mine.csv")
    report.write(results)
    assert (tmp_path / "grades.mine.csv").read_bytes() == mine
    assert {row["student"]: row["points"] for row in rows_of(path)}["Zoë"] == "2.5"
    again = grading.Report(tmp_path, WEEK, points=2.5)
    assert again.keep_changed() is None, "the table is the grader's own again"


@pytest.mark.parametrize(
    ("change", "how"),
    [
        (lambda rows: rows[:1] + rows[:0:-1], {"delimiter": ";", "encoding": "cp1252"}),
        (lambda rows: [[*row, "comment"] for row in rows], {"encoding": "utf-16"}),
        (lambda rows: [["comment", *row[:3], *row[5:]] for row in rows], {}),
        (lambda rows: [[c.replace("2.5", "2,5").lstrip("'") for c in r] for r in rows], {"delimiter": ";"}),
        (lambda rows: [[c.replace("007", "7").replace("\n", "\r\n") for c in r] for r in rows], {}),
    ],
    ids=["sorted", "a column more", "columns fewer", "in German", "numbers"],
)  # fmt: skip
def test_what_a_spreadsheet_does_by_itself_is_no_change(tmp_path, change, how):
    path, _ = written(tmp_path)
    edited(path, change, **how)
    assert grading.Report(tmp_path, WEEK).keep_changed() is None
    assert not list(tmp_path.glob("grades.mine*"))


def test_a_column_that_stays_as_it_is_is_no_change(tmp_path):
    path, _ = written(tmp_path)
    edited(path, lambda rows: [rows[0], *([c.replace("solved", "half") for c in row] for row in rows[1:])])
    assert grading.Report(tmp_path, ["soft-lookup"]).keep_changed() is None
    assert grading.Report(tmp_path, WEEK).keep_changed()
