"""Of several files of one student it is said which one counts, and everything that was handed in is listed."""

from pathlib import Path

import pytest
from handed_in import RIGHT, WRONG
from tables import rows_of

from attnbook import grading
from attnbook.exercises import get
from attnbook.grading.events import Answer, Begun, Progress

OTHER = "import torch\n\n" + get("soft-lookup").source()


def test_it_is_said_which_file_counts_only_where_several_answer(tmp_path):
    for name, files in {
        "ada": {"04.py": WRONG, "again/04.py": RIGHT, "soft.py": OTHER},
        "bela": {"04.py": WRONG, "05.py": WRONG},
        "carl": {"04.py": RIGHT, "helper.py": "x = 1"},
    }.items():
        for file, text in files.items():
            path = tmp_path / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    asked = ["causal-mask", "soft-lookup"]
    found = grading.submissions(tmp_path)
    ada, bela, carl = sorted(grading.grade(found, asked), key=lambda one: one.student)
    assert [v.status for v in ada.verdicts.values()] == ["solved", "solved"]
    assert ada.notes == ["answered in several files: causal-mask (again/04.py counts)"]
    assert bela.notes == ["answered in several files: causal-mask (04.py counts)"]
    assert carl.notes == [] and not ada.problems + bela.problems + carl.problems


@pytest.mark.parametrize(
    ("begun", "file", "believed"), [(True, "a.py", True), (True, "b.py", False), (False, "a.py", False)]
)
def test_a_file_counts_only_if_it_was_handed_in_and_while_its_exercise_is_judged(begun, file, believed):  # fmt: skip
    result = grading.Result("ada", [Path("a.py")])
    told = Progress(result, ["causal-mask"])
    for event in [Begun("causal-mask")] * begun + [Answer(file)]:
        told.take(event)
    assert bool(told.answer) == believed and bool(result.problems) != believed


def test_data_are_listed_beside_what_is_read(tmp_path):
    for name in ("ada/04.py", "ada/data/d.csv", "carl_1_10_04.py", "carl_1_11_d.csv"):
        path = tmp_path / "class" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(RIGHT)
    (tmp_path / "class/bela.pdf").touch()
    found = grading.submissions(tmp_path / "class")
    out = tmp_path / "grades"
    grading.Report(out, ["causal-mask"]).write(found)
    assert [row["files"] for row in rows_of(out / "grades.csv")] == ["04.py, data/d.csv", "bela.pdf", "04.py, d.csv"]


def test_of_very_many_files_the_first_are_listed(tmp_path):
    (tmp_path / "ada").mkdir()
    for number in range(103):
        (tmp_path / "ada" / f"{number:03}.csv").touch()
    (one,) = grading.submissions(tmp_path)
    assert one.handed_in().endswith("098.csv, 099.csv, and 3 more")


ENDS = "import os\n\ndef my_causal_mask(num_queries, num_keys):\n    os._exit(3)\n"


def test_an_answer_that_ends_python_hides_no_better_one(tmp_path):
    for name, files in {
        "ada": {"1.py": ENDS, "2.py": ENDS, "3.py": RIGHT},
        "bela": {"1.py": ENDS, "2.py": WRONG, "3.py": ENDS},
        "carl": {"1.py": ENDS},
    }.items():
        (tmp_path / name).mkdir()
        for file, text in files.items():
            (tmp_path / name / file).write_text(text)
    found = grading.submissions(tmp_path)
    judged = grading.grade(found, ["causal-mask"])
    ada, bela, carl = sorted(judged, key=lambda one: one.student)
    assert ada.verdicts["causal-mask"].status == "solved"
    assert ada.notes == ["answered in several files: causal-mask (3.py counts)"]
    assert bela.verdicts["causal-mask"].diagnosis == "ends-python"
    assert bela.notes == ["answered in several files: causal-mask (1.py counts)"]
    assert carl.verdicts["causal-mask"].diagnosis == "ends-python" and not carl.notes
    assert not ada.problems + bela.problems + carl.problems
