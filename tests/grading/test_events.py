"""What the grader believes of what a submission's process tells it."""

import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import asdict
from pathlib import Path

import pytest

from attnbook import grading
from attnbook.exercises import Verdict
from attnbook.grading import events, folder, running, usage
from attnbook.grading.events import STRANGE, Progress, understood
from attnbook.grading.process import Common, Process

VERDICT = Verdict("causal-mask", "wrong", "inverted", "the wrong way round")
SAYS = asdict(VERDICT)


def line(**event) -> bytes:
    return json.dumps(event).encode() + b"\n"


@pytest.mark.parametrize(
    ("told", "event"),
    [
        ({"ready": True}, events.Ready()),
        ({"begin": "causal-mask"}, events.Begun("causal-mask")),
        ({"absent": "causal-mask"}, events.Absent("causal-mask")),
        ({"problem": "a.py is no notebook"}, events.Problem("a.py is no notebook")),
        ({"runs": ["a.py", 3, "line 3"]}, events.Running("a.py", 3, "line 3")),
        ({"runs": None}, events.Running()),
        ({"answer": "a.py"}, events.Answer("a.py")),
        ({"verdict": SAYS}, events.Judged(VERDICT)),
        ({"done": True}, events.Done()),
    ],
)
def test_what_our_part_of_the_process_writes_is_understood(told, event):
    assert understood(line(**told)) == event


@pytest.mark.parametrize(
    "written",
    [
        b"",
        b"\n",
        b"hello\n",
        b"\xff\n",
        b"null\n",
        b"[]\n",
        b"{}\n",
        b"[" * 200_000,
        b"1" * 10_000,
        b'{"begin": "a", "done": true}',
        *(line(**{kind: 5}) for kind in events.KINDS),
        *(line(**{kind: ["x"]}) for kind in events.KINDS),
        *(line(**{kind: None}) for kind in events.KINDS if kind != "runs"),
        line(unknown=True),
        line(begin=True),
        line(done=1),
        line(runs=["a.py", "3", "line 3"]),
        line(runs=["a.py", 3.0, "line 3"]),
        line(runs=["a.py", True, "line 3"]),
        line(runs=["a.py", 0, "line 0"]),
        line(runs=["a.py", -1, "line 3"]),
        line(runs=["a.py", 10**30, "line 3"]),
        line(runs=["a.py", 3, 3]),
        line(runs=[["a.py"], 3, "line 3"]),
        line(runs="abc"),
        line(verdict="solved"),
        line(verdict={}),
        line(verdict={**SAYS, "status": "brilliant"}),
        line(verdict={**SAYS, "status": None}),
        line(verdict={**SAYS, "says": None}),
        line(verdict={**SAYS, "diagnosis": 5}),
        line(verdict={**SAYS, "exercise": ["causal-mask"]}),
        line(verdict={**SAYS, "points": "100"}),
        line(verdict={key: SAYS[key] for key in list(SAYS)[:-1]}),
    ],
)
def test_anything_else_is_strange(written):
    assert understood(written) == events.Strange()


def test_a_text_is_short_and_leaves_the_terminal_alone():
    (seen,) = vars(understood(line(problem="\x1b]0;x\x07\u202ea\nß\ud800\u2009."))).values()
    assert seen == "\\x1b]0;x\\x07\\u202ea\nß\\ud800\u2009."
    for letter in "x\x1b":
        long = {**SAYS, "says": letter * 10**6}
        assert len(understood(line(verdict=long)).verdict.says) == events.LONGEST
        says = understood(line(problem=letter * 10**6)).says
        assert len(says) == events.LONGEST_PROBLEM


BEGUN, JUDGED = events.Begun("causal-mask"), events.Judged(VERDICT)
OTHER = events.Judged(Verdict("soft-lookup", "solved", None, ""))


@pytest.mark.parametrize(
    ("told", "known"),
    [
        ([BEGUN, JUDGED, events.Absent("soft-lookup"), events.Done()], ["causal-mask"]),
        ([events.Running("a.py", 1, ""), events.Running(), BEGUN], []),
    ],
)
def test_what_comes_in_its_order_is_believed(told, known):
    result = grading.Result("ann", [Path("a.py")])
    book = Progress(result, ["causal-mask", "soft-lookup"])
    for event in told:
        book.take(event)
    assert [*result.verdicts] == known and not result.problems and not book.strange


@pytest.mark.parametrize(
    "told",
    [
        [JUDGED],  # not begun
        [BEGUN, OTHER],  # another
        [BEGUN, BEGUN],
        [BEGUN, events.Begun("soft-lookup")],
        [events.Begun("masked-softmax")],  # was not asked for
        [events.Begun("<b>")],
        [events.Absent("<b>")],
        [BEGUN, events.Absent("soft-lookup")],
        [BEGUN, JUDGED, JUDGED],
        [BEGUN, JUDGED, BEGUN],
        [BEGUN, JUDGED, events.Absent("causal-mask")],
        [events.Done()],  # before the last
        [events.Ready()],  # again
        [events.Running("b.py", 1, "")],  # not a file of this student
        [events.Strange()],
    ],
)
def test_what_cannot_come_next_is_one_problem_and_changes_nothing(told):
    result = grading.Result("ann", [Path("a.py")])
    book = Progress(result, ["causal-mask", "soft-lookup"])
    for event in told[:-1]:
        book.take(event)
    before = repr((result.verdicts, book.left, book.begun, book.running))
    for _ in range(3):
        book.take(told[-1])
    assert repr((result.verdicts, book.left, book.begun, book.running)) == before
    assert result.problems == [STRANGE] and book.strange == 3


def test_a_flood_does_not_fill_the_memory():
    result = grading.Result("ann", [Path("a.py")])
    book = Progress(result, ["causal-mask"])
    for number in range(events.MOST_PROBLEMS * 2):
        book.take(events.Problem(f"{number}"))
    assert len(result.problems) == events.MOST_PROBLEMS + 1 and result.problems[-1] == STRANGE
    worker = Process(result, {}, Common(grading.Limits(), [], threading.Event()))
    threading.Timer(0.5, worker.closed.set).start()
    for _ in range(1000):
        worker._put(events.Done())  # nobody takes them
    assert worker.events.qsize() == 100


def test_events_without_end_do_not_stop_the_clock(monkeypatch):
    worker = Process(grading.Result("ann", []), {}, Common(grading.Limits(), [], threading.Event()))
    worker.events.get = lambda timeout: events.Running()
    monkeypatch.setattr(worker, "_too_much", lambda: "")
    begun = time.monotonic()
    while worker.next(begun, 0.3):
        assert time.monotonic() < begun + 10
    assert worker.ended == "late" and worker.after == pytest.approx(0.3)


def test_what_was_said_before_a_process_took_too_much_is_heard(monkeypatch):
    group = Common(grading.Limits(), [], threading.Event())
    worker = Process(grading.Result("ann", []), {}, group)
    monkeypatch.setattr(worker, "_too_much", lambda: "greedy")
    worker.look = 0.0
    for event in (BEGUN, JUDGED):
        worker.events.put(event)
    begun = time.monotonic()
    assert worker.next(begun, 60) == BEGUN and worker.next(begun, 60) == JUDGED
    worker.events.put(BEGUN)
    assert worker.next(begun, 60) is None and worker.ended == "greedy"


def test_an_unexpected_error_with_one_submission_is_its_own(monkeypatch):
    def fails(result, *_):
        if result.student == "ann":
            raise RecursionError("of all things")

    monkeypatch.setattr(running, "_judge_all", fails)
    found = [grading.Result(name, []) for name in ("ann", "bela", "chen")]
    judged = {one.student: one for one in grading.grade(found, ["causal-mask"])}
    assert judged["ann"].problems == ["cannot be judged (RecursionError: of all things)"]
    assert not judged["bela"].problems and not judged["chen"].problems


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells it")
def test_what_processes_use_is_counted_together_and_what_they_hide_is_too_much(tmp_path, monkeypatch):
    code = """
import os, sys, tempfile
file = tempfile.TemporaryFile(dir=".")
file.write(bytes(10**7)), file.flush()
shared = b"x" * 10**8
if not os.fork():
    mine = b"x" * 10**8
print("ready", flush=True)
sys.stdin.read()
"""
    command = [sys.executable, "-c", code]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd=tmp_path, **pipes) as process:
        for _ in range(2):
            assert process.stdout.readline() == b"ready\n"
        numbers = usage.processes(process.pid)
        assert len(numbers) == 2
        assert 2e8 < usage.memory(numbers) < 2.8e8
        assert 1e7 <= usage.without_a_name(numbers) < 1.1e7
        process.communicate(b"\n")
    ended = [process.pid]
    assert usage.memory(ended) == usage.without_a_name(ended) == 0

    def hidden(*_):
        raise PermissionError

    monkeypatch.setattr("builtins.open", hidden)
    with pytest.raises(usage.Hidden):
        usage.memory([os.getpid()])


def dig(here):
    """Make folders in a folder, so many that the lowest have no path: none is as long."""
    at = os.open(here, 0)
    for _ in range(1200):
        os.mkdir("e" * 100, dir_fd=at)
        below = os.open("e" * 100, 0, dir_fd=at)
        os.close(at)
        at = below
    os.close(at)


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such folders")
def test_a_working_folder_goes_whatever_lies_in_it(tmp_path):
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "kept").touch()
    theirs.chmod(0o750)
    outer = Path(folder.make())
    inner = Path(folder.inner(str(outer)))
    (inner / "a" / "b").mkdir(parents=True)
    for place in (outer, inner, inner / "a" / "b"):
        (place / "link").symlink_to(theirs)
        (place / "nowhere").symlink_to(tmp_path / "nowhere")
    dig(inner)
    for place in (inner / "a" / "b", inner / "a", inner, outer):
        place.chmod(0)
    folder.remove(str(outer))
    assert not outer.exists()
    assert [path.name for path in theirs.iterdir()] == ["kept"]
    assert theirs.stat().st_mode & 0o777 == 0o750


@pytest.mark.skipif(sys.platform == "win32", reason="files have no holes there")
def test_a_folder_is_full_by_bytes_by_names_and_by_what_it_hides(tmp_path, monkeypatch):
    (tmp_path / "work").mkdir()
    assert not folder.is_full(str(tmp_path), 10**6)
    with open(tmp_path / "holes", "wb") as file:
        file.truncate(10**8)  # takes no room
    assert not folder.is_full(str(tmp_path), 10**6)
    (tmp_path / "work" / "big").write_bytes(bytes(2 * 10**6))
    assert folder.is_full(str(tmp_path), 10**6)
    (tmp_path / "work" / "big").unlink()
    monkeypatch.setattr(folder, "MOST_FILES", 3)
    assert not folder.is_full(str(tmp_path), 10**6)
    for name in "abc":
        (tmp_path / "work" / name).touch()
    assert folder.is_full(str(tmp_path), 10**6)
    for name in "abc":
        (tmp_path / "work" / name).unlink()
    monkeypatch.setattr(folder, "MOST_FILES", 10**6)
    assert not folder.is_full(str(tmp_path), 10**9)
    dig(tmp_path / "work")
    assert folder.is_full(str(tmp_path), 10**9)
    folder.remove(str(tmp_path))  # pytest could not
