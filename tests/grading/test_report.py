"""What a teacher gets: grades.csv with columns of one's own, pages for students, a file for Canvas or Moodle."""

import csv
import html
import io
import stat
import sys
from pathlib import Path

import pytest
from tables import CANVAS, WEEK, result, rows_of, written_by

from attnbook import grading
from attnbook.exercises import Verdict, get, names
from attnbook.grading.sheet import file_names
from attnbook.grading.spreadsheet import harmless, meant
from tools import ROOT

# --- which exercises ------------------------------------------------------------------------------------------------


def test_exercises_have_the_numbers_of_the_pages():
    numbers = grading.numbers()
    assert list(numbers.values()) == names()
    for path in sorted((ROOT / "chapters/text").glob("[0-9]*.md")):
        chapter = int(path.name[:2])
        text = path.read_text("utf-8")
        labels = [
            part.partition("\n")[0]
            for part in text.split("```{exercise}")[1:]
            for part in part.split(":label: ex-")[1:2]
        ]
        assert labels == [name for number, name in numbers.items() if number.split(".")[0] == str(chapter)]


def test_the_weeks_set_exercises_in_one_word():
    assert grading.chosen(weeks=[3]) == ["masked-softmax", "padding-and-causal"]
    assert grading.chosen(["4.1", "padding-and-causal"]) == grading.chosen(weeks=[3])
    assert len(grading.chosen(weeks=range(1, 14))) == 26


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"exercises": ["4.9"]}, "no exercise 4.9; chapter 4 has 4.1 to 4.3"),
        ({"exercises": ["44"]}, "no exercise 44; numbers are those of the pages"),
        ({"exercises": ["masked-sofmax"]}, "did you mean 'masked-softmax'"),
        ({"weeks": [14]}, "weeks 1 to 13, not 14"),
    ],
)
def test_what_is_not_there_is_said(asked, says):
    with pytest.raises(ValueError, match=says):
        grading.chosen(**asked)


# --- the table ------------------------------------------------------------------------------------------------------


def test_points_ids_and_who_waits(tmp_path):
    ada = result("ada", WEEK[0], id="7", wrong=[WEEK[1]])
    report = grading.Report(tmp_path, WEEK, points=2.5)
    report.write([ada], pending=[result("bela")])
    first, second = rows_of(tmp_path / "grades.csv")
    assert (first["student"], first["id"], first["points"]) == ("ada", "7", "2.5")
    assert first[WEEK[1]] == "wrong: x"
    assert second["problems"] == "not judged yet" and second["points"] == ""
    assert "Not judged yet:</strong> bela" in (tmp_path / "grades.html").read_text()


def test_a_link_that_somebody_has_laid_leads_nowhere(tmp_path):
    """Else whoever can write to the folder would have another file of the teacher's replaced."""
    theirs = tmp_path / "theirs"
    theirs.write_text("mine")
    folder = tmp_path / "results"
    (folder / "students").mkdir(parents=True)
    names = ["grades.html", "students/ada.html", ".grades.csv"]
    for name in names:
        (folder / name).symlink_to(theirs)
    report = grading.Report(folder, WEEK)
    report.write([result("ada")])
    report.write_students([result("ada")])
    assert theirs.read_text() == "mine"
    assert [name for name in names if (folder / name).is_symlink()] == []


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such permissions")
def test_grades_are_private_and_keep_the_mode_that_a_teacher_gives(tmp_path):
    report = grading.Report(tmp_path, WEEK)
    written = [*report.write([result("ada")])]
    written += report.write_students([result("ada")]).iterdir()
    assert {stat.S_IMODE(path.stat().st_mode) for path in written} == {0o600}
    written[0].chmod(0o640)
    report.write([result("ada")])
    assert stat.S_IMODE(written[0].stat().st_mode) == 0o640


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_columns_of_the_teachers_own_stay_with_their_students(tmp_path, delimiter, encoding):
    path = tmp_path / "grades.csv"
    results = [result("Zoë"), result("=2+5"), result("bela", WEEK[0], id="8")]
    grading.Report(tmp_path, WEEK).write(results)
    heads, *rows = csv.reader(io.StringIO(path.read_text("utf-8-sig")))
    heads = [*heads[:2], "comment", *heads[2:], "late"]  # in a spreadsheet
    rows = [[*row[:2], f"über {row[0]}", *row[2:], "=1+1"] for row in rows[::-1]]
    rows += [["gone", "", "he left", *[""] * (len(heads) - 4), "yes"]]
    rows += [["gone, too"]]
    path.write_bytes(written_by([heads, *rows], delimiter, encoding))
    for _ in range(2):  # quotes are not added again and again
        results[0] = result("Zoë", *WEEK)
        grading.Report(tmp_path, WEEK).write(results)
        found = {row["student"]: row for row in rows_of(path)}
        assert list(found) == ["'=2+5", "bela", "gone", "Zoë"]
        assert found["Zoë"]["comment"] == "über Zoë" and found["Zoë"]["solved"] == "2"
        assert found["'=2+5"]["comment"] == "über '=2+5"
        assert found["bela"]["late"] == "=1+1"  # the teacher's own formula
        assert found["gone"]["comment"] == "he left"
        assert found["gone"]["problems"] == "not among the submissions any more"
    assert not list(tmp_path.glob("grades.old*"))


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=1+1", "'=1+1"),
        ("@SUM(1)", "'@SUM(1)"),
        (" =1+1", " '=1+1"),
        ("\t=1+1", "\t'=1+1"),
        ("\n\r\xa0+1", "\n\r\xa0'+1"),
        ("\ufeff\u200b-1", "\ufeff\u200b'-1"),
        ("\uff1d1+1", "'\uff1d1+1"),
        ('"=1+1"', '"\'=1+1"'),
        ("ada;=1+1;b", "ada;'=1+1;b"),  # where a semicolon separates
        ("ada\n @x", "ada\n '@x"),
        ("'=1", "'=1"),
        ("a = b - 1; c", "a = b - 1; c"),
        ("Jean-Luc", "Jean-Luc"),
        ("", ""),
    ],
)
def test_what_a_spreadsheet_would_compute_is_text(cell, written):
    assert harmless(cell) == written
    assert harmless(written) == written
    if not cell.startswith("'"):
        assert meant(written) == cell


def test_no_cell_grows_too_long():
    for cell in ("\n" * 10**6, ";=" * 10**6, " " * 10**6):
        assert len(harmless(cell)) < 32_767


def test_a_very_long_cell_loses_nobodys_columns(tmp_path):
    report = grading.Report(tmp_path, WEEK)
    path, _ = report.write([result("ada", problems=["q" * 200_000]), result("bela")])
    assert max(map(len, rows_of(path)[0].values())) < 32_767
    text = path.read_text("utf-8-sig").replace("student,", "comment,student,", 1)
    path.write_text("".join(f"{n and 'good,' or ''}{line}" for n, line in enumerate(text.splitlines(True))))
    grading.Report(tmp_path, WEEK).write([result("ada"), result("bela")])
    assert [row["comment"] for row in rows_of(path)] == ["good", "good"]


def test_columns_of_another_weeks_exercises_stay(tmp_path):
    grading.Report(tmp_path, ["soft-lookup"]).write([result("ada", "soft-lookup")])
    grading.Report(tmp_path, WEEK).write([result("ada")])
    (row,) = rows_of(tmp_path / "grades.csv")
    assert row["soft-lookup"] == "solved" and row["solved"] == "0"


@pytest.mark.parametrize("old", [b"\x00\xff\x13", b"name,mark\nada,1\n", b""])
def test_a_table_that_cannot_be_understood_is_put_aside(tmp_path, old):
    (tmp_path / "grades.csv").write_bytes(old)
    report = grading.Report(tmp_path, WEEK)
    report.write([result("ada")])
    assert (tmp_path / "grades.old.csv").read_bytes() == old
    assert report.earlier.aside == tmp_path / "grades.old.csv"


def test_nothing_that_a_student_chooses_is_computed_by_a_spreadsheet(tmp_path):
    evil = result("@SUM(1)", problems=["=cmd|' /C calc'!A0"], id="")
    evil.files, evil.notes = [Path("-2+3.py")], ["+1"]
    grading.Report(tmp_path, WEEK).write([evil])
    (row,) = rows_of(tmp_path / "grades.csv")
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row.values())


def test_columns_without_a_name_or_with_the_same_stay(tmp_path):
    report = grading.Report(tmp_path, WEEK)
    path, _ = report.write([result("ada"), result("bela")])
    heads, *rows = csv.reader(io.StringIO(path.read_text("utf-8-sig")))
    rows = [[*row, "late, -1", "a", "b"] for row in rows]
    path.write_bytes(written_by([[*heads, "", "x", "x"], *rows]))
    grading.Report(tmp_path, WEEK).write([result("ada"), result("bela")])
    again, *rows = csv.reader(io.StringIO(path.read_text("utf-8-sig")))
    assert again == [*heads, "", "x", "x"]
    assert all(row[-3:] == ["late, -1", "a", "b"] for row in rows)


def rewritten(path, change, **how):
    """A table as a spreadsheet saves it after somebody has added a column `comment`."""
    heads, *rows = csv.reader(io.StringIO(path.read_text("utf-8-sig"), newline=""))
    rows = [[*row, f"about {row[0]} {row[1]}"] for row in rows]
    path.write_bytes(written_by(change([[*heads, "comment"], *rows]), **how))


@pytest.mark.parametrize("encoding", ["cp1252", "mac_roman", "cp850", "utf-16"])
def test_comments_stay_in_every_old_encoding(tmp_path, encoding):
    students = ["Zoë Müller", "José Núñez", "Anaïs Öztürk", "François Łuć"]
    results = [result(name) for name in students]
    path, _ = grading.Report(tmp_path, WEEK).write(results)
    rewritten(path, lambda rows: rows, encoding=encoding)
    grading.Report(tmp_path, WEEK).write(results)
    found = {row["student"]: row["comment"] for row in rows_of(path)}
    assert found.keys() == {*students}
    for name in students[:3]:
        assert found[name] == f"about {name} "
    assert found[students[3]].startswith("about François ")


@pytest.mark.parametrize(("first", "delimiter"), [(b"sep=;\r\n", ";"), (b"\r\n", ","), (b";;;;\r\n", ";")])
def test_lines_above_the_names_of_the_columns_are_passed_over(tmp_path, first, delimiter):
    path, _ = grading.Report(tmp_path, WEEK).write([result("ada")])
    rewritten(path, lambda rows: rows, delimiter=delimiter, encoding="utf-8")
    path.write_bytes(first + path.read_bytes())
    grading.Report(tmp_path, WEEK).write([result("ada")])
    assert rows_of(path)[0]["comment"] == "about ada "
    assert not list(tmp_path.glob("grades.old*"))


def test_names_and_numbers_that_a_spreadsheet_has_changed_find_their_rows(tmp_path):
    people = [("007", "00123"), ("true", ""), ("ada", "480123456789012")]
    people += [("Zoë Łuczak", "7"), ("bela", "1")]
    results = [result(name, id=number) for name, number in people]
    path, _ = grading.Report(tmp_path, WEEK).write(results)
    changed = {"007": "7", "00123": "123", "true": "TRUE", "Zoë Łuczak": "Zoë ?uczak"}
    changed |= {"480123456789012": "4,8E+14"}
    rewritten(path, lambda rows: [[changed.get(cell, cell) for cell in row] for row in rows], delimiter=";")
    for _ in range(2):
        grading.Report(tmp_path, WEEK).write(results)
        found = {row["student"]: row for row in rows_of(path)}
        assert len(found) == len(people)
        for name, number in people:
            assert found[name]["comment"] == f"about {name} {number}"
            assert not found[name]["problems"]
    grading.Report(tmp_path, WEEK).write(results[:1])  # and nobody is mistaken
    gone = [row for row in rows_of(path) if "any more" in row["problems"]]
    assert len(gone) == 4


def test_that_a_row_was_found_by_another_name_is_noted(tmp_path):
    path, _ = grading.Report(tmp_path, WEEK).write([result("007", id="1")])
    rewritten(path, lambda rows: [[cell.lstrip("0") for cell in row] for row in rows])
    grading.Report(tmp_path, WEEK).write([result("007", id="1")])
    assert rows_of(path)[0]["notes"] == "has the row that was 7 1's"


def test_two_people_whose_numbers_were_shortened_alike_are_not_mistaken(tmp_path):
    results = [result("Jo", id="480123456789012"), result("Jo", id="480234567890123")]
    path, _ = grading.Report(tmp_path, WEEK).write(results)
    rewritten(
        path,
        lambda rows: [[*row[:1], *(["4.8E+14"] * (n > 0) or row[1:2]), *row[2:]] for n, row in enumerate(rows)],
    )  # fmt: skip
    grading.Report(tmp_path, WEEK).write(results)
    found = rows_of(path)
    assert [row["comment"] for row in found if not row["problems"]] == ["", ""]
    assert sorted(row["comment"] for row in found if row["problems"]) == [
        "about Jo 480123456789012",
        "about Jo 480234567890123",
    ]


def test_a_second_row_of_the_teachers_is_kept_and_said(tmp_path):
    path, _ = grading.Report(tmp_path, WEEK).write([result("ada"), result("bela")])
    rewritten(path, lambda rows: [*rows, [*rows[1][:-1], "phoned"], rows[1], [*rows[2][:-1], ""]])
    for _ in range(2):
        grading.Report(tmp_path, WEEK).write([result("ada"), result("bela")])
        first, second, third = rows_of(path)
        assert (first["comment"], first["problems"]) == ("about ada ", "")
        assert second["comment"] == "phoned" and "a second row" in second["problems"]
        assert second["student"] == "ada" and third["student"] == "bela"


def test_a_workbook_in_place_of_the_table_is_put_aside_and_said(tmp_path):
    (tmp_path / "grades.csv").write_bytes(b"PK\x03\x04...")
    kept = grading.Report(tmp_path, WEEK).earlier
    assert kept.aside and "spreadsheet's own file" in kept.because


# --- pages ----------------------------------------------------------------------------------------------------------


def test_a_students_page_has_nothing_of_the_others(tmp_path):
    ada = result("ada", WEEK[0], wrong=[WEEK[1]])
    report = grading.Report(tmp_path, WEEK)
    folder = report.write_students([ada, result("bela", problems=["late"])])
    page = (folder / "ada.html").read_text("utf-8")
    assert "1 of 2 exercises solved" in page and "bela" not in page
    assert "&lt;i&gt;about" in page and "<i>about" not in page
    assert "late" in (folder / "bela.html").read_text("utf-8")


def test_messages_stand_below_the_number_and_title_of_their_exercise(tmp_path):
    ada, title = result("ada", wrong=[WEEK[1]]), html.escape(get(WEEK[1]).title)
    report = grading.Report(tmp_path, WEEK)
    page = (report.write_students([ada]) / "ada.html").read_text("utf-8")
    assert f"<h2>4.3 {title}</h2>" in page
    _, whole = report.write([ada, result("bela", wrong=[WEEK[1]])])
    page = whole.read_text("utf-8")
    assert f"<h3>4.3 {title}</h3>" in page and f"4.3 {WEEK[1]}</strong>" in page


def test_what_an_earlier_grading_left_for_students_and_upload_goes(tmp_path):
    roster = tmp_path / "export.csv"
    roster.write_bytes(written_by(CANVAS))
    out = tmp_path / "out"
    report = grading.Report(out, WEEK)
    report.write_students([result(name) for name in ("ada", "bela", "carla")])
    report.write_upload([], roster, "Week 2")
    (out / "students" / "bela.html").write_text("with remarks of the teacher's")
    (out / "students" / "mine.txt").write_text("the teacher's")
    again = grading.Report(out, WEEK)
    changed, kept = out / "students/bela.html", out / "students/bela.mine.html"
    assert again.remove_old(but=out / "upload.csv") == [(changed, kept)]
    left = {path.name for path in out.rglob("*") if path.is_file()}
    assert left == {"bela.mine.html", "mine.txt", "upload.csv"}
    again.write_students([result("bela")])
    assert kept.read_text() == "with remarks of the teacher's"
    again.write_upload([], roster, "Week 2")
    grading.Report(out, WEEK).remove_old()
    assert not (out / "upload.csv").exists()


def test_a_row_of_the_page_shows_that_there_are_notes(tmp_path):
    late = result("ada")
    late.notes.append("04.py was handed in late")
    _, whole = grading.Report(tmp_path, WEEK).write([late, result("bela")])
    page = whole.read_text("utf-8")
    assert page.count('title="04.py was handed in late" aria-label="a note">*') == 1


def test_namesakes_keep_their_pages():
    three = [result("Carla Chen", id=number) for number in "123"]
    names = file_names(three)
    assert names == [f"Carla Chen {number}.html" for number in "123"]
    assert file_names(three[1:]) == names[1:]


def test_files_of_students_have_names_that_every_system_takes():
    odd = ["..", "", "CON", "a/b", "a\\b", "Ada", "ada", "x" * 300, "Zoë", "李雷", "a:b"]
    found = file_names([result(name) for name in odd])
    assert len({name.casefold() for name in found}) == len(odd)
    for name in found:
        assert len(name.encode()) < 140 and not set('/\\:*?"<>|') & set(name)
        assert name.removesuffix(".html").strip(". ") and name != "CON.html"
    assert "Zoë.html" in found and "李雷.html" in found


def test_no_script_of_a_student_runs(browser, tmp_path):
    attack = '<img src=x onerror="window.taken = 1"><script>window.taken = 1</script>'
    evil = result(attack, wrong=[WEEK[0]], problems=[attack], id=attack)
    evil.verdicts[WEEK[0]] = Verdict(WEEK[0], "wrong", *[attack] * 4)
    evil.notes.append(attack)
    report = grading.Report(tmp_path, WEEK)
    _, whole = report.write([evil, result("ada")], pending=[result(attack)])
    page = browser.new_page()
    said = []
    page.on("console", lambda message: said.append(message.text))
    for path in [*report.write_students([evil]).iterdir(), whole]:
        page.goto(path.as_uri())
        assert page.evaluate("window.taken") is None and not said
    page.evaluate(f"location.hash = 's0-{WEEK[0]}'")  # our own script is allowed
    page.wait_for_selector("details[open]")
    page.evaluate(
        "document.body.insertAdjacentHTML('beforeend', arguments[0])".replace("arguments[0]", repr(attack))
    )  # as if it had come through
    page.wait_for_timeout(200)
    assert page.evaluate("window.taken") is None and said
    page.close()
