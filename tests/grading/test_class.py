"""A class by the command: killed and gone on with, and all its files."""

import os
import signal
import subprocess
import sys
import time

import pytest
from tables import CANVAS, rows_of, written_by

from attnbook import grading
from attnbook.exercises import get

RIGHT = "import torch\n\n" + get("causal-mask").source()
ENDLESS = "def my_causal_mask(length):\n    while True:\n        pass\n"


def attnbook(folder, out, *words, **options):
    command = [sys.executable, "-m", "attnbook", "grade", folder, "--out", out, *words]
    return subprocess.Popen([*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


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


def test_who_has_changed_a_helper_is_judged_anew_and_nobody_else(tmp_path):
    folder = tmp_path / "submissions"
    (folder / "carl/data").mkdir(parents=True)
    names = ["ada_1_10_04.py", "ada_1_11_helper.py", "bela_2_12_04.py"]
    names += ["bela_2_13_d.csv", "carl/04.py", "carl/data/d.csv"]
    for name in names:
        (folder / name).write_text(RIGHT)
    found = grading.submissions(folder)
    for changed, students in (
        ("ada_1_11_helper.py", ["bela", "carl"]),
        ("bela_2_13_d.csv", ["ada", "carl"]),
        ("carl/data/d.csv", ["ada", "bela"]),
    ):
        journal = grading.Journal(tmp_path)
        for one in found:
            journal.add(one)
        (folder / changed).write_text(f"# another version of {changed}")
        ready = grading.Journal(tmp_path).ready(grading.submissions(folder))
        assert [one.student for one in ready] == students


def test_a_class_gets_all_its_files(tmp_path):
    folder, out = tmp_path / "submissions", tmp_path / "grades"
    folder.mkdir()
    (folder / "lovelaceada_12345_1_06.py").write_text(RIGHT)
    roster = tmp_path / "export.csv"
    roster.write_bytes(written_by(CANVAS))
    words = ("--week", "5", "--points", "2", "--roster", roster)
    refused = attnbook(folder, out, *words)
    assert "--assignment" in refused.communicate()[1] and refused.returncode == 2
    done = attnbook(folder, out, *words, "--assignment", "Week 5", "--new-column")
    told, said = done.communicate(timeout=120)
    assert done.returncode == 0, said
    assert told.split() == [str(out / name) for name in ("grades.csv", "grades.html", "students", "upload.csv")]
    assert "nothing to fill in for: " in said and "Turing, Alan" in said
    assert rows_of(out / "upload.csv")[1]["Week 5"] == "2"
    assert (out / "students/lovelaceada 12345.html").exists()
    if os.name == "posix":
        for private in (out, out / "students"):
            assert private.stat().st_mode & 0o777 == 0o700
