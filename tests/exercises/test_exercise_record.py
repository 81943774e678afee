"""The progress file: never half-written, never silently thrown away, and never in the way of a verdict."""

import json
import multiprocessing
import os
import stat
from pathlib import Path

import filelock
import pytest

from attnbook import exercises as book
from attnbook.exercises import record
from attnbook.exercises.bank import SHELF

RIGHT = SHELF.get("soft-lookup").solution


def average(query, keys, values):
    return values.mean(0)


@pytest.fixture
def file(tmp_path, monkeypatch):
    path = tmp_path / "folder" / "progress.json"
    monkeypatch.setenv("ATTNBOOK_PROGRESS", str(path))
    return path


def marks():
    return {name: mark for _, name, _, mark in book.progress().rows}


# --- what is remembered ---------------------------------------------------------------------------------------


def test_without_a_file_nothing_is_solved_and_nothing_is_written(file):
    shown = repr(book.progress())
    assert shown == repr(book.progress())
    assert f"0 of {len(SHELF)} exercises solved" in shown
    assert set(marks().values()) == {"○"}
    assert not file.exists()
    assert not file.parent.exists()


def test_trying_and_solving_are_remembered(file):
    assert book.check("soft-lookup", average).note == ""
    assert marks()["soft-lookup"] == "✗"
    assert book.check("soft-lookup", RIGHT).note == ""
    assert marks()["soft-lookup"] == "✓"
    data = json.loads(file.read_text())
    assert data["version"] == 1
    assert data["exercises"]["soft-lookup"]["state"] == "solved"
    assert book.progress().solved == 1


def test_solved_stays_solved_with_its_day(file):
    book.check("soft-lookup", RIGHT)
    data = json.loads(file.read_text())
    data["exercises"]["soft-lookup"]["solved_on"] = "2001-02-03"
    file.write_text(json.dumps(data))
    before = file.read_bytes()
    book.check("soft-lookup", average)
    book.check("soft-lookup", RIGHT)
    assert file.read_bytes() == before
    assert marks()["soft-lookup"] == "✓"


def test_entries_of_other_exercises_are_kept(file):
    file.parent.mkdir()
    file.write_text(json.dumps({"version": 1, "exercises": {"of-part-two": {"state": "solved", "extra": 1}}}))
    book.check("soft-lookup", RIGHT)
    data = json.loads(file.read_text())
    assert data["exercises"]["of-part-two"] == {"state": "solved", "extra": 1}
    assert "of-part-two" not in repr(book.progress())


def test_no_time_or_date_is_shown(file):
    book.check("soft-lookup", RIGHT)
    day = json.loads(file.read_text())["exercises"]["soft-lookup"]["solved_on"]
    assert day not in repr(book.progress()) + book.progress()._repr_html_()


def test_off_keeps_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTNBOOK_PROGRESS", "off")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    assert book.check("soft-lookup", RIGHT).note == ""
    assert set(marks().values()) == {"○"}
    assert list(tmp_path.iterdir()) == []


def test_the_place_is_the_users_data_folder(monkeypatch, tmp_path):
    monkeypatch.delenv("ATTNBOOK_PROGRESS", raising=False)
    monkeypatch.setattr("platformdirs.user_data_dir", lambda *a, **k: str(tmp_path))
    assert record.location() == tmp_path / "progress.json"


def test_a_tilde_in_the_variable_is_the_home_folder(monkeypatch):
    monkeypatch.setenv("ATTNBOOK_PROGRESS", "~/mine.json")
    assert record.location() == Path.home() / "mine.json"


# --- a file that cannot be understood -------------------------------------------------------------------------


BROKEN = [
    b"",
    b"{",
    b"\xff\xfe\x00not text",
    b"[]",
    b"null",
    b'{"version": 1}',
    b'{"version": "1", "exercises": {}}',
    b'{"version": 1, "exercises": []}',
    b'{"version": 1, "exercises": {"soft-lookup": "solved"}}',
    b'{"version": 1, "exercises": {"soft-lookup": {"state": "perfect"}}}',
    b"[" * 99_999,
    b"[" * 10**7,
    b'{"version": 1, "exercises": {%s}}' % b", ".join([b'"soft-lookup": {"state": "solved"}'] * 10**6),
]


@pytest.mark.parametrize("content", BROKEN, ids=range(len(BROKEN)))
def test_a_broken_file_is_told_of_and_kept(file, content):
    file.parent.mkdir()
    file.write_bytes(content)
    table = book.progress()
    assert "cannot be understood" in repr(table)
    assert "cannot be understood" in table._repr_html_()
    assert set(marks().values()) == {"○"}
    assert file.read_bytes() == content, "looking must not touch the file"

    verdict = book.check("soft-lookup", RIGHT)
    assert verdict, "the verdict does not depend on the file"
    assert "it is kept as progress.json.bak, and a new one was begun" in verdict.note
    assert "! Your progress file" in repr(verdict)
    assert file.with_name("progress.json.bak").read_bytes() == content
    assert marks()["soft-lookup"] == "✓"
    assert book.check("soft-lookup", RIGHT).note == ""


def test_an_older_backup_is_not_overwritten(file):
    file.parent.mkdir()
    file.with_name("progress.json.bak").write_text("precious")
    file.write_text("broken")
    assert "progress.json.bak2" in book.check("soft-lookup", RIGHT).note
    assert file.with_name("progress.json.bak").read_text() == "precious"
    assert file.with_name("progress.json.bak2").read_text() == "broken"


def test_a_file_of_a_newer_version_is_left_alone(file):
    file.parent.mkdir()
    content = json.dumps({"version": 2, "exercises": {"soft-lookup": {"state": "mastered"}}})
    file.write_text(content)
    verdict = book.check("soft-lookup", RIGHT)
    assert "newer version of this book" in verdict.note
    assert "newer version of this book" in repr(book.progress())
    assert file.read_text() == content
    assert [path.name for path in file.parent.iterdir() if not path.name.endswith(".lock")] == ["progress.json"]


# --- a place that cannot be written ---------------------------------------------------------------------------


def cannot(*_, **__):
    raise PermissionError(13, "Permission denied")


def test_a_folder_that_cannot_be_made_is_a_remark(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("a file where a folder should be")
    monkeypatch.setenv("ATTNBOOK_PROGRESS", str(tmp_path / "file" / "progress.json"))
    verdict = book.check("soft-lookup", RIGHT)
    assert verdict
    assert "could not be saved (" in verdict.note
    assert "set the environment variable ATTNBOOK_PROGRESS" in verdict.note
    assert str(tmp_path) not in verdict.note, "a path of the machine would differ from page to page"
    assert repr(book.progress()).startswith("1  Queries")


@pytest.mark.parametrize("step", ["write", "replace", "fsync", "mkdir", "lock"])
def test_whichever_step_fails_the_verdict_comes_and_the_file_stays(file, monkeypatch, step):
    book.check("soft-lookup", average)
    before = file.read_bytes()
    where = {
        "write": (record, "write_atomically"),
        "replace": (os, "replace"),
        "fsync": (os, "fsync"),
        "mkdir": (record.Path, "mkdir"),
        "lock": (filelock.FileLock, "acquire"),
    }[step]
    monkeypatch.setattr(*where, cannot, raising=False)
    verdict = book.check("soft-lookup", RIGHT)
    monkeypatch.undo()
    assert verdict
    assert "could not be saved (PermissionError: Permission denied)" in verdict.note
    assert file.read_bytes() == before
    assert [path.name for path in file.parent.iterdir() if path.suffix == ".part"] == []


def test_a_folder_in_the_files_place_is_a_remark(file):
    file.mkdir(parents=True)
    assert "could not be" in book.check("soft-lookup", RIGHT).note
    assert "could not be read" in repr(book.progress())


def test_a_folder_without_write_permission_is_a_remark(file):
    file.parent.mkdir()
    file.parent.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        verdict = book.check("soft-lookup", RIGHT)
        # the superuser may write anywhere
        assert ("could not be saved" in verdict.note) != (os.access(file.parent, os.W_OK))
    finally:
        file.parent.chmod(stat.S_IRWXU)


def test_a_link_stays_a_link(file, tmp_path):
    real = tmp_path / "real.json"
    file.parent.mkdir()
    file.symlink_to(real)
    book.check("soft-lookup", RIGHT)
    assert file.is_symlink()
    assert json.loads(real.read_text())["exercises"]["soft-lookup"]["state"] == "solved"


# --- crashes and crowds ---------------------------------------------------------------------------------------


def _die_in_the_middle(path):
    os.environ["ATTNBOOK_PROGRESS"] = str(path)
    os.replace = lambda *_: os._exit(9)  # the process is gone: no clean-up, no except
    record.note("soft-lookup", solved=True)


def test_a_crash_in_the_middle_leaves_the_old_file(file):
    record.note("soft-lookup", solved=False)
    before = file.read_bytes()
    process = multiprocessing.get_context("fork").Process(target=_die_in_the_middle, args=(file,))
    process.start()
    process.join(30)
    assert process.exitcode == 9
    assert file.read_bytes() == before
    assert record.note("soft-lookup", solved=True) == "", "what the crash left behind is in nobody's way"
    assert marks()["soft-lookup"] == "✓"


def _note_many(path, names):
    os.environ["ATTNBOOK_PROGRESS"] = str(path)
    for name in names:
        record.note(name, solved=True)


def test_writers_at_the_same_time_lose_nothing(file):
    context = multiprocessing.get_context("fork")
    groups = [[f"exercise-{i}-{j}" for j in range(12)] for i in range(4)]
    writers = [context.Process(target=_note_many, args=(file, group)) for group in groups]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    assert [writer.exitcode for writer in writers] == [0] * 4
    assert set(json.loads(file.read_text())["exercises"]) == {name for group in groups for name in group}


def test_a_file_system_without_locks_does_not_stop_anyone(file, monkeypatch):
    monkeypatch.setattr(filelock.FileLock, "acquire", cannot_lock)
    assert book.check("soft-lookup", RIGHT).note == ""
    assert marks()["soft-lookup"] == "✓"


def cannot_lock(*args, **kwargs):
    raise NotImplementedError("no locks on this file system")
