"""What a teacher gets: grades.csv with columns of one's own, pages for students, a file for Canvas or Moodle."""

import csv
import io
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from attnbook import grading
from attnbook.exercises import Verdict, get, names
from attnbook.grading.sheet import file_names
from attnbook.grading.spreadsheet import harmless, meant
from tools import ROOT

WEEK = ["masked-softmax", "padding-and-causal"]


def result(student, *solved, id="", wrong=(), problems=()):
    verdicts = {name: Verdict(name, "solved", None, "solved") for name in solved}
    verdicts |= {
        name: Verdict(name, "wrong", "x", "<i>about</i>", "says", "asks")
        for name in wrong
    }
    files = [Path(f"{student}.py")]
    return grading.Result(student, files, verdicts, list(problems), id)


def rows_of(path, **options):
    text = path.read_bytes().decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline=""), **options))


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
        assert labels == [
            name
            for number, name in numbers.items()
            if number.split(".")[0] == str(chapter)
        ]


def test_the_weeks_set_exercises_in_one_word():
    assert grading.chosen(weeks=[3]) == ["masked-softmax", "padding-and-causal"]
    assert grading.chosen(["4.1", "padding-and-causal"]) == grading.chosen(weeks=[3])
    assert len(grading.chosen(weeks=range(1, 13))) == 24


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"exercises": ["4.9"]}, "no exercise 4.9; chapter 4 has 4.1 to 4.3"),
        ({"exercises": ["44"]}, "no exercise 44; numbers are those of the pages"),
        ({"exercises": ["masked-sofmax"]}, "did you mean 'masked-softmax'"),
        ({"weeks": [13]}, "weeks 1 to 12, not 13"),
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


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such permissions")
def test_grades_are_private_and_keep_the_mode_that_a_teacher_gives(tmp_path):
    report = grading.Report(tmp_path, WEEK)
    written = [*report.write([result("ada")])]
    written += report.write_students([result("ada")]).iterdir()
    assert {stat.S_IMODE(path.stat().st_mode) for path in written} == {0o600}
    written[0].chmod(0o640)
    report.write([result("ada")])
    assert stat.S_IMODE(written[0].stat().st_mode) == 0o640


def written_by(rows, delimiter=",", encoding="utf-8-sig"):
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=delimiter).writerows(rows)
    return file.getvalue().encode(encoding)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_columns_of_the_teachers_own_stay_with_their_students(
    tmp_path, delimiter, encoding
):
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


def test_no_cell_takes_long_or_grows_too_long():
    begun = time.monotonic()
    for cell in ("\n" * 10**6, ";=" * 10**6, " " * 10**6):
        assert len(harmless(cell)) < 32_767
    assert time.monotonic() - begun < 5


def test_a_very_long_cell_loses_nobodys_columns(tmp_path):
    report = grading.Report(tmp_path, WEEK)
    path, _ = report.write([result("ada", problems=["q" * 200_000]), result("bela")])
    assert max(map(len, rows_of(path)[0].values())) < 32_767
    text = path.read_text("utf-8-sig").replace("student,", "comment,student,", 1)
    path.write_text(
        "".join(
            f"{n and 'good,' or ''}{line}"
            for n, line in enumerate(text.splitlines(True))
        )
    )
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
    assert report.kept.aside == tmp_path / "grades.old.csv"


def test_nothing_that_a_student_chooses_is_computed_by_a_spreadsheet(tmp_path):
    evil = result("@SUM(1)", problems=["=cmd|' /C calc'!A0"], id="")
    evil.files, evil.notes = [Path("-2+3.py")], ["+1"]
    grading.Report(tmp_path, WEEK).write([evil])
    (row,) = rows_of(tmp_path / "grades.csv")
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row.values())


# --- pages ----------------------------------------------------------------------------------------------------------


def test_a_students_page_has_nothing_of_the_others(tmp_path):
    ada = result("ada", WEEK[0], wrong=[WEEK[1]])
    report = grading.Report(tmp_path, WEEK)
    folder = report.write_students([ada, result("bela", problems=["late"])])
    page = (folder / "ada.html").read_text("utf-8")
    assert "1 of 2 exercises solved" in page and "bela" not in page
    assert "&lt;i&gt;about" in page and "<i>about" not in page
    assert "late" in (folder / "bela.html").read_text("utf-8")


def test_namesakes_keep_their_pages():
    three = [result("Carla Chen", id=number) for number in "123"]
    names = file_names(three)
    assert names == [f"Carla Chen {number}.html" for number in "123"]
    assert file_names(three[1:]) == names[1:]


def test_files_of_students_have_names_that_every_system_takes():
    odd = [
        "..",
        "",
        "CON",
        "a/b",
        "a\\b",
        "Ada",
        "ada",
        "x" * 300,
        "Zoë",
        "李雷",
        "a:b",
    ]
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
        "document.body.insertAdjacentHTML('beforeend', arguments[0])".replace(
            "arguments[0]", repr(attack)
        )
    )  # as if it had come through
    page.wait_for_timeout(200)
    assert page.evaluate("window.taken") is None and said
    page.close()


# --- for the course's system ----------------------------------------------------------------------------------------

CANVAS = [
    ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Week 2 (77)"],
    ["    Points Possible", "", "", "", "", "2"],
    ["Lovelace, Ada", "12345", "s1", "al815", "A", "1"],
    ["Łuczak, Zoë", "12346", "s2", "zoe@x.org", "A", ""],
    ["Smith, Jo", "12347", "s3", "js1", "A", ""],
    ["Smith, Jo", "12348", "s4", "js2", "A", ""],
    ["Turing, Alan", "12349", "s5", "at", "A", ""],
    ["Student, Test", "99", "", "x", "A", ""],
]


@pytest.mark.parametrize("delimiter", [",", ";"])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-8", "utf-16"])
def test_canvas_gets_points_in_a_new_column(tmp_path, delimiter, encoding):
    roster = tmp_path / "export.csv"
    roster.write_bytes(written_by(CANVAS, delimiter, encoding))
    results = [
        result("lovelaceada", *WEEK, id="12345"),
        result("zoe", WEEK[0]),
        result("Jo Smith", WEEK[0]),
        result("nobody", WEEK[0]),
    ]
    report = grading.Report(tmp_path / "out", WEEK, points=3)
    path, made = report.write_upload(results, roster, "Week 3", 6)
    text = path.read_bytes().decode(encoding)
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    assert [row[:-1] for row in rows] == CANVAS  # everything else as it was
    assert [row[-1] for row in rows] == ["Week 3", "6", "6", "3", "", "", "", ""]
    assert made.unknown == ["Jo Smith", "nobody"]  # there are two Jo Smiths
    assert made.alone == ["Smith, Jo", "Smith, Jo", "Turing, Alan"]


def test_a_namesake_gets_nobodys_points(tmp_path):
    roster = tmp_path / "export.csv"
    rows = [*CANVAS[:2], ["Chen, Carla", "1", "", "", "A", ""]]
    roster.write_bytes(written_by([*rows, ["Chen, Carla", "2", "", "", "A", ""]]))
    report = grading.Report(tmp_path, WEEK)
    results = [
        result("chencarla", *WEEK, id="1"),
        result("Carla Chen", *WEEK),
        result("lovelaceada", *WEEK, id="777"),
    ]
    path, made = report.write_upload(results, roster, "Week 2")
    assert [row["Week 2 (77)"] for row in rows_of(path)] == ["2", "2", ""]
    assert made.unknown == ["Carla Chen", "lovelaceada"]
    roster.write_bytes(written_by(CANVAS))
    path, made = report.write_upload(results[2:], roster, "Week 2")
    assert rows_of(path)[1]["Week 2 (77)"] == "1"  # as it was


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


def test_a_column_that_is_there_is_filled_and_old_points_stay(tmp_path):
    roster = tmp_path / "export.csv"
    roster.write_bytes(written_by(CANVAS))
    report = grading.Report(tmp_path, WEEK)
    path, _ = report.write_upload([result("at", WEEK[0])], roster, "Week 2")
    found = {row["ID"]: row["Week 2 (77)"] for row in rows_of(path)}
    assert found["12349"] == "1" and found["12345"] == "1" and found["12346"] == ""


MOODLE = [
    ["Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade"],
    ["Participant 48213", "Ada Lovelace", "ada@x.org", "Submitted", "", "10,00"],
    ["Participant 48214", "José Álvarez", "jo@x.org", "No submission", "", "10,00"],
]


def test_moodle_gets_points_in_its_column(tmp_path):
    roster = tmp_path / "Grades-ML.csv"
    roster.write_bytes(written_by(MOODLE))
    report = grading.Report(tmp_path, WEEK)
    results = [
        result("someone else", *WEEK, id="48213"),
        result("jose alvarez", WEEK[0]),
    ]
    path, made = report.write_upload(results, roster)
    assert [row["Grade"] for row in rows_of(path)] == ["2", "1"]
    assert not made.alone and not made.unknown


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([["Name", "Mark"]], "neither Canvas's .* nor Moodle's"),
        ([], "neither Canvas's"),
        (CANVAS, "name the assignment with --assignment"),
        ([[*CANVAS[0], "Week 2 (78)"]], "several columns"),
        ([[*CANVAS[0], "Week 2"]], "Canvas's own"),
    ],
)
def test_a_roster_that_is_none_is_refused(tmp_path, rows, says):
    roster = tmp_path / "export.csv"
    roster.write_bytes(written_by(rows))
    assignment = "Week 2" if "several" in says or "own" in says else None
    with pytest.raises(ValueError, match=says):
        grading.upload(roster, [], assignment=assignment)


# --- a class, by the command ----------------------------------------------------------------------------------------

RIGHT = "import torch\n\n" + get("causal-mask").source()
ENDLESS = "def my_causal_mask(length):\n    while True:\n        pass\n"


def attnbook(folder, out, *words, **options):
    command = [sys.executable, "-m", "attnbook", "grade", folder, "--out", out, *words]
    return subprocess.Popen(
        [*map(str, command)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_killed_run_has_written_what_it_knew_and_goes_on(tmp_path):
    folder, out = tmp_path / "submissions", tmp_path / "grades"
    folder.mkdir()
    for name in ("ada", "bela"):
        (folder / f"{name}.py").write_text(RIGHT)
    (folder / "carl.py").write_text(ENDLESS)
    words = ("--exercises", "6.1", "--jobs", "1", "--seconds", "5000")
    assert grading.chosen(["6.1"]) == ["causal-mask"]
    grader = attnbook(folder, out, *words)
    end = time.monotonic() + 120
    journal = out / ".unfinished"
    while not journal.exists() or len(journal.read_text().splitlines()) < 3:
        assert grader.poll() is None and time.monotonic() < end
        time.sleep(0.1)
    os.kill(grader.pid, signal.SIGKILL)
    grader.communicate()
    found = {row["student"]: row for row in rows_of(out / "grades.csv")}
    assert found["ada"]["causal-mask"] == "solved"
    assert found["carl"]["problems"] == "not judged yet"

    (folder / "bela.py").write_text(RIGHT + "\n# a new version\n")
    (folder / "carl.py").write_text(RIGHT)
    again = attnbook(folder, out, *words)
    _, said = again.communicate(timeout=120)
    assert again.returncode == 0, said
    assert "going on after 1 that were judged before" in said and "3 of 3" in said
    assert {row["causal-mask"] for row in rows_of(out / "grades.csv")} == {"solved"}
    assert not journal.exists()


def test_a_damaged_journal_is_said_and_another_command_is_not_taken_over(tmp_path):
    folder = tmp_path / "submissions"
    folder.mkdir()
    (folder / "ada.py").write_text(RIGHT)
    found = grading.submissions(folder)
    journal = grading.Journal(tmp_path, exercises=["causal-mask"])
    journal.add(found[0])
    journal.add(found[0])
    same = grading.Journal(tmp_path, exercises=["causal-mask"])
    assert same.ready(found) == found and not same.damaged
    other = grading.Journal(tmp_path, exercises=["soft-lookup"])
    assert not other.ready(found) and not other.damaged
    path = tmp_path / ".unfinished"
    path.write_text(path.read_text()[:-20])  # cut off: what is whole counts
    assert grading.Journal(tmp_path, exercises=["causal-mask"]).lines
    for damage in ("", "not JSON\n", "\x00"):
        path.write_text(damage)
        assert grading.Journal(tmp_path).damaged


def test_what_an_answer_may_use_has_changed_and_it_is_judged_anew(tmp_path):
    folder = tmp_path / "submissions" / "ada"
    (folder / "data" / "more").mkdir(parents=True)
    data = folder / "data" / "more" / "numbers.csv"
    for path in (folder / "answer.py", folder / "helper.py", data):
        path.write_text(RIGHT)

    def known():
        found = grading.submissions(tmp_path / "submissions")
        return bool(grading.Journal(tmp_path).ready(found))

    for changed in (data, folder / "helper.py", folder / "answer.py"):
        found = grading.submissions(tmp_path / "submissions")
        journal = grading.Journal(tmp_path)
        journal.ready(found)
        journal.add(found[0])
        assert known()
        about = changed.stat()
        changed.write_text(RIGHT.upper())  # as many bytes, and no younger
        os.utime(changed, ns=(about.st_atime_ns, about.st_mtime_ns))
        assert not known()
        # the change came after the grading had begun
        journal.add(found[0])
        assert not known()


def test_a_class_gets_all_its_files(tmp_path):
    folder, out = tmp_path / "submissions", tmp_path / "grades"
    folder.mkdir()
    (folder / "lovelaceada_12345_1_06.py").write_text(RIGHT)
    roster = tmp_path / "export.csv"
    roster.write_bytes(written_by(CANVAS))
    words = ("--week", "5", "--points", "2", "--roster", roster)
    refused = attnbook(folder, out, *words)
    assert "--assignment" in refused.communicate()[1] and refused.returncode == 2
    done = attnbook(folder, out, *words, "--assignment", "Week 5")
    told, said = done.communicate(timeout=120)
    assert done.returncode == 0, said
    assert told.split() == [
        str(out / name)
        for name in ("grades.csv", "grades.html", "students", "upload.csv")
    ]
    assert "nothing to fill in for: " in said and "Turing, Alan" in said
    assert rows_of(out / "upload.csv")[1]["Week 5"] == "2"
    assert (out / "students/lovelaceada 12345.html").exists()
