"""Points for Canvas and Moodle: whose row it is, which column, and what stays as it was."""

import csv
import io

import pytest
from tables import CANVAS, MOODLE, WEEK, result, rows_of, written_by

from attnbook import grading


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
    path, made = report.write_upload(results, roster, "Week 3", 6, new_column=True)
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
    results = [result("chencarla", *WEEK, id="1"), result("Carla Chen", *WEEK), result("lovelaceada", *WEEK, id="777")]
    path, made = report.write_upload(results, roster, "Week 2")
    assert [row["Week 2 (77)"] for row in rows_of(path)] == ["2", "2", ""]
    assert made.unknown == ["Carla Chen", "lovelaceada"]
    roster.write_bytes(written_by(CANVAS))
    path, made = report.write_upload(results[2:], roster, "Week 2")
    assert rows_of(path)[1]["Week 2 (77)"] == "1"  # as it was


def test_a_column_that_is_there_is_filled_and_old_points_stay(tmp_path):
    roster = tmp_path / "export.csv"
    roster.write_bytes(written_by(CANVAS))
    report = grading.Report(tmp_path, WEEK)
    path, _ = report.write_upload([result("at", WEEK[0])], roster, "Week 2")
    found = {row["ID"]: row["Week 2 (77)"] for row in rows_of(path)}
    assert found["12349"] == "1" and found["12345"] == "1" and found["12346"] == ""


def test_moodle_gets_points_in_its_column(tmp_path):
    roster = tmp_path / "Grades-ML.csv"
    roster.write_bytes(written_by(MOODLE))
    report = grading.Report(tmp_path, WEEK)
    results = [result("someone else", *WEEK, id="48213"), result("jose alvarez", WEEK[0])]
    path, made = report.write_upload(results, roster)
    assert [row["Grade"] for row in rows_of(path)] == ["2", "1"]
    assert not made.alone and not made.unknown


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([["Name", "Mark"]], "neither Canvas's .* nor Moodle's"),
        ([], "neither Canvas's"),
        (CANVAS, r"name the assignment with --assignment .* Week 2 \(77\)"),
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


@pytest.mark.parametrize("new_column", [False, True])
def test_a_mistyped_assignment_adds_no_column_unasked(tmp_path, new_column):
    roster = tmp_path / "export.csv"
    roster.write_bytes(written_by(CANVAS))
    for name in ("Week 2", "Week 2 (77)"):
        made = grading.upload(roster, [], assignment=name, new_column=new_column)
        assert made.content.splitlines()[0].count(b"Week") == 1 and made.full == 2
    if new_column:
        made = grading.upload(roster, [], 1, 2, "Week 22", new_column)
        assert made.content.splitlines()[0].endswith(b"Week 2 (77),Week 22")
    else:
        says = r'no assignment Wek 2; did you mean "Week 2 \(77\)".* are Week 2 \(77\).* --new-column'
        with pytest.raises(ValueError, match=says):
            grading.upload(roster, [], assignment="Wek 2")


def test_who_is_excused_or_has_other_points_is_said(tmp_path):
    roster = tmp_path / "export.csv"
    rows = [list(row) for row in CANVAS]
    rows[3][-1], rows[6][-1] = "EX", "N/A"
    roster.write_bytes(written_by(rows))
    results = [result("al815", *WEEK), result("zoe", *WEEK), result("at", *WEEK)]
    made = grading.upload(roster, results, assignment="Week 2")
    assert made.untouched == ["Łuczak, Zoë (EX)", "Turing, Alan (N/A)"]
    assert made.changed == ["Lovelace, Ada (1 → 2)"]
    assert made.alone == ["Smith, Jo", "Smith, Jo"]
    (tmp_path / "upload.csv").write_bytes(made.content)
    found = [row["Week 2 (77)"] for row in rows_of(tmp_path / "upload.csv")]
    assert found == ["2", "2", "EX", "", "", "N/A", ""]


GERMAN = [
    ["ID", "Vollständiger Name", "Status", "Bewertung", "Bestwertung", "Änderbar"],
    ["Teilnehmer/in48213", "Ada Lovelace", "Abgegeben", "", "10,00", "Ja"],
    ["Teilnehmer/in48214", "José Álvarez", "Abgegeben", "", "10,00", "Nein"],
    ["Teilnehmer/in48215", "Zoë Łuczak", "Keine Abgabe", "", "10,00", "Ja"],
]


def test_moodle_in_another_language_asks_for_the_column(tmp_path):
    roster = tmp_path / "Bewertungen.csv"
    roster.write_bytes(written_by(GERMAN))
    for assignment, meant in ((None, ""), ("Bewertun", '.*did you mean "Bewertung"')):
        says = f"other than English.*--assignment{meant}.* columns are ID, Voll"
        with pytest.raises(ValueError, match=says):
            grading.upload(roster, [], assignment=assignment)
    results = [result("x", WEEK[0], id="48213"), result("jose alvarez", *WEEK), result("Zoe Łuczak", WEEK[0])]
    made = grading.upload(roster, results, 2.5, assignment="Bewertung")
    (tmp_path / "upload.csv").write_bytes(made.content)
    found = [row["Bewertung"] for row in rows_of(tmp_path / "upload.csv")]
    assert found == ["2,5", "", "2,5"]  # as the file writes numbers
    assert made.untouched == ["José Álvarez (the grade cannot be changed)"]
    assert made.full == 10 and not made.alone and not made.unknown


def test_moodle_with_first_and_last_names_and_grades_that_are_closed(tmp_path):
    heads = ["Identifier", "First name", "Last name", "Grade", "Maximum Grade"]
    rows = [
        [*heads, "Grade can be changed"],
        ["Participant 1", "Carla", "Chen", "", "2.00", "Yes"],
        ["Participant 2", "Carla", "Diaz", "", "2.00", "Yes"],
        ["Participant 3", "Ada", "Lovelace", "1.00", "2.00", "No"],
    ]
    roster = tmp_path / "Grades.csv"
    roster.write_bytes(written_by(rows))
    results = [result("Diaz Carla", *WEEK), result("Carla"), result("x", id="3")]
    results[2].verdicts = results[0].verdicts
    made = grading.upload(roster, results)
    (tmp_path / "upload.csv").write_bytes(made.content)
    found = [row["Grade"] for row in rows_of(tmp_path / "upload.csv")]
    assert found == ["", "2", "1.00"]
    assert made.untouched == ["Ada Lovelace (the grade cannot be changed)"]
    assert made.unknown == ["Carla"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "is not there; pass the file that Canvas or Moodle has exported"),
        (b"PK\x03\x04...", "spreadsheet's own file .*xlsx.* save it as CSV"),
        (b"\xd0\xcf\x11\xe0", "spreadsheet's own file .*xls.* save it as CSV"),
        (
            written_by([CANVAS[0], ["Ada", "1.043E+16", *"abcd"]]),
            "ID of .* holds 1.043E.16: a spreadsheet has changed the numbers; export it",
        ),
    ],
)
def test_a_file_that_is_none_says_what_to_do(tmp_path, content, says):
    roster = tmp_path / "export.csv"
    if content is not None:
        roster.write_bytes(content)
    with pytest.raises(ValueError, match=says):
        grading.upload(roster, [], assignment="Week 2")
