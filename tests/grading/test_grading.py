"""A class of submissions that do harm by mistake: each is told so, and the others are judged as if alone."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from attnbook import grading
from attnbook.exercises import get

SOFT, MASK = get("soft-lookup"), get("causal-mask")
RIGHT_SOFT = f"import torch\n\n{SOFT.source()}"
RIGHT_MASK = f"import torch\n\n{MASK.source()}"
WRONG_MASK = RIGHT_MASK.replace(*MASK.mistakes[0].edits[0])
HEAD = f"def my_causal_mask({', '.join(MASK.parameters)}):\n    "
CLAIM = {"exercise": "causal-mask", "status": "solved", "diagnosis": None, "about": ""}
LIMITS = grading.Limits(seconds=20, total=600, memory=1)
FORGED = json.dumps({"verdict": CLAIM}).encode() + b"\n"

HARM = {
    "exits": "import os\n    os._exit(0)",
    "leaves": "import sys\n    sys.exit()",
    "sleeps": "import time\n    while 1:\n     try:\n      time.sleep(1)\n     except BaseException: 0",
    "fills": "import torch\n    return torch.zeros(20 * 2**30, dtype=torch.uint8)",
    "forks": "import os\n    while True:\n        os.fork()",
    "starts": "import multiprocessing as mp\n    mp.get_context('spawn').Process(target=print).start()",
    "floods": f"import os\n    for _ in range(300):\n        print('x' * 10**6)\n        os.write(1, {FORGED!r})",
    "deletes": "import shutil\n    shutil.rmtree({folder!r})",
    "empties": "open({folder!r} + '/alone.py', 'w').close()",
    "moves": "import os\n    os.rmdir(os.getcwd())\n    os.getcwd()",
    "phones": "import socket\n    socket.create_connection(('127.0.0.1', 9))",
    "digs": "import os\n    at = os.open('.', 0)\n    for _ in range(1500):\n        os.mkdir('d', dir_fd=at)\n"
    "        below = os.open('d', 0, dir_fd=at)\n        os.close(at)\n        at = below",
    "closes": "import os\n    os.closerange(3, 1000)",
    # through a function of C, which ends at once: of Python's own calls a gigabyte holds more than can be made in time
    "recurses": "import sys\n    sys.setrecursionlimit(10**9)\n    f = lambda x: max([x], key=f)\n    f(1)",
}  # fmt: skip


def cell(source, kind="code"):
    return {"cell_type": kind, "source": source.splitlines(keepends=True)}


def notebook(*cells):
    return json.dumps({"cells": list(cells), "nbformat": 4})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The submissions of a class."""
    folder = tmp_path_factory.mktemp("submissions")
    for name, body in HARM.items():
        code = HEAD + body.replace("{folder!r}", repr(str(folder)))
        (folder / f"{name}.py").write_text(f"{code}\n\n\n{RIGHT_SOFT}", "utf-8")
    anna = notebook(
        cell("# My answers", "markdown"),
        cell("%matplotlib inline\n!pip install nothing\nfrom math import *\nimport torch"),
        cell("while True:\n    train_the_model()"),  # no answer needs it
        cell("offset = undefined_name"),
        cell(f"def my_soft_lookup({', '.join(SOFT.parameters)}):\n    ..."),
        cell(WRONG_MASK),
        cell("def my_masked_softmax(scores, valid_lens:\n    return scores"),
        cell("def twice(x, x):\n    return x"),  # can be parsed, but not compiled
    )
    (folder / "anna.ipynb").write_text(anna, "utf-8-sig")
    (folder / "long.py").write_text("my_causal_mask = 'x' * 10**7\n", "utf-8")
    deep = f"my_causal_mask = {' + '.join(['1'] * 800)}\n\n\n{RIGHT_SOFT}"
    (folder / "deep.py").write_text(deep, "utf-8")
    endless = "import time\n\ndef set_up():\n    while True:\n        time.sleep(1)\n\nset_up()"
    early = notebook(cell(endless), cell(RIGHT_MASK), cell(RIGHT_SOFT))
    (folder / "early.ipynb").write_text(early, "utf-8")
    (folder / "gone.py").write_text(f"from os import _exit as set_up\n\nset_up(4)\n{RIGHT_MASK}", "utf-8")
    (folder / "alone.py").write_text(RIGHT_MASK, "utf-8")
    (folder / "=2+5.py").write_text("raise SystemExit\n", "utf-8")
    (folder / "bert").mkdir()
    (folder / "bert" / "one.ipynb").write_text(notebook(cell(RIGHT_SOFT)), "utf-8")
    (folder / "bert" / "two.py").write_text(RIGHT_MASK, "utf-8")
    (folder / "bert" / "notes.txt").write_text("my notes", "utf-8")
    (folder / "cut.ipynb").write_text(anna[:200], "utf-8")
    (folder / "binary.py").write_bytes(b"\xff\x00\xfe")
    (folder / "essay.pdf").write_bytes(b"%PDF")
    (folder / ".DS_Store").write_bytes(b"")
    return folder


@pytest.fixture(scope="module")
def results(folder):
    names = ["soft-lookup", "masked-softmax", "causal-mask"]
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    # those that wait out their time go first, so that the others run meanwhile
    class_of = sorted(grading.submissions(folder), key=lambda one: one.student not in ("sleeps", "early"))
    found = list(grading.grade(class_of, names, LIMITS, jobs=4))
    assert {path: path.read_bytes() for path in before} == before
    return {one.student: one for one in found}


@pytest.mark.parametrize(
    ("student", "diagnosis", "said"),
    [
        ("exits", "ends-python", "exit status 0"),
        ("leaves", None, "SystemExit"),
        ("sleeps", "takes-too-long", f"after {LIMITS.seconds} seconds"),
        ("fills", None, "memory"),
        ("forks", None, "may not start or end processes"),
        ("starts", None, "may not start processes"),
        ("floods", None, "xxx"),
        ("deletes", None, "may change files only in its working folder"),
        ("empties", None, "may write only into its working folder"),
        ("moves", None, "FileNotFoundError"),
        ("phones", None, "may not use the network"),
        ("digs", None, "None"),
        ("closes", "ends-python", "exit status 1"),
        ("deep", "not-a-function", "got is an int"),
    ],
)
def test_harm_is_named_and_ends_with_its_exercise(results, student, diagnosis, said):
    verdicts = results[student].verdicts
    assert verdicts["causal-mask"].status == "wrong"
    assert diagnosis in (None, verdicts["causal-mask"].diagnosis)
    assert said in repr(verdicts["causal-mask"])
    assert verdicts["soft-lookup"].status == "solved", verdicts["soft-lookup"]
    assert not results[student].problems


def test_a_message_of_any_length_arrives(results):
    assert results["long"].verdicts["causal-mask"].diagnosis == "not-a-function"
    assert not results["long"].problems


def test_what_brings_the_interpreter_down_is_that_exercises_mistake(results):
    verdicts = results["recurses"].verdicts
    assert verdicts["causal-mask"].status == "wrong"
    assert verdicts["soft-lookup"].status == "solved"


@pytest.mark.parametrize(
    ("student", "solved", "said"),
    [
        ("early", 2, f"early.ipynb: line 7, `set_up()`, had not ended after {LIMITS.seconds} seconds"),
        ("gone", 1, "gone.py: line 3, `set_up(4)`, ends Python, with exit status 4"),
    ],
)
def test_a_statement_that_does_not_end_is_left_out(results, student, solved, said):
    assert results[student].problems == [f"{said}; it is left out"]
    assert results[student].solved == solved == len(results[student].verdicts)


def test_an_answer_that_needs_such_a_statement_cannot_be_loaded(tmp_path):
    code = "import time\n\nmy_causal_mask = time.sleep(10**6)\n"
    (tmp_path / "late.py").write_text(code, "utf-8")
    found, limits = grading.submissions(tmp_path), grading.Limits(seconds=2)
    (late,) = grading.grade(found, ["causal-mask"], limits)
    assert late.verdicts["causal-mask"].diagnosis == "cannot-be-loaded"
    assert "Line 3, `my_causal_mask = time.sleep(10**6)`, had not ended" in late.verdicts["causal-mask"].says


def test_of_a_notebook_only_what_an_answer_needs_is_run(results):
    verdicts = results["anna"].verdicts
    assert verdicts["causal-mask"].diagnosis == MASK.mistakes[0].name
    assert verdicts["soft-lookup"].status == "unwritten"
    assert verdicts["masked-softmax"].diagnosis == "cannot-be-loaded"
    assert "SyntaxError" in verdicts["masked-softmax"].says


def test_a_student_may_hand_in_several_files(results):
    assert [path.name for path in results["bert"].files] == ["one.ipynb", "two.py"]
    assert results["bert"].solved == 2
    assert results["alone"].solved == 1 == len(results["alone"].verdicts)


def test_what_is_no_submission_is_said(results):
    assert "cut.ipynb is not a notebook" in results["cut"].problems[0]
    assert "binary.py is not Python text" in results["binary"].problems[0]
    (problem,) = results["essay.pdf"].problems
    assert problem.startswith("essay.pdf: expected .ipynb or .py; a printed notebook")
    assert ".DS_Store" not in results
    assert results["=2+5"].problems == [
        "=2+5.py holds no answer: neither a function that an exercise asks for nor a check"
    ]


def test_the_csv_has_a_row_for_each_student(results, tmp_path):
    path, _ = grading.Report(tmp_path).write(results.values())
    with open(path, encoding="utf-8-sig", newline="") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    assert list(rows) == sorted(rows, key=str.casefold) and len(rows) == len(results)
    assert rows["bert"]["solved"] == "2" and rows["bert"]["masked-softmax"] == ""
    assert rows["exits"]["causal-mask"] == "wrong: ends-python"
    assert rows["anna"]["soft-lookup"] == "unwritten"
    assert "'=2+5" in rows  # a spreadsheet would compute it


def test_a_name_that_is_not_unicode_is_written(tmp_path):
    odd = grading.Result("M\udcfcller", [Path("M\udcfcller.py")])
    for path in grading.Report(tmp_path).write([odd]):
        assert "M\\udcfcller" in path.read_text("utf-8")


def test_the_sheet_shows_every_mistake_and_no_markup_of_a_submission(results, tmp_path):
    anna = results["anna"]
    strange = grading.Result("<b>Zoë</b>", anna.files, anna.verdicts, ["<i>late</i>"])
    report = grading.Report(tmp_path, ["causal-mask"])
    _, path = report.write([*results.values(), strange])
    page = path.read_text("utf-8")
    assert "<b>Zoë" not in page and "&lt;b&gt;Zoë&lt;/b&gt;" in page
    assert "<i>late" not in page and "&lt;i&gt;late" in page
    assert page.count('<td class="wrong">') == len(HARM) + 4
    assert page.count('<td class="solved">') == 4
    assert "several students" in page and "2 × <strong>6.1 causal-mask</strong>" in page


def test_a_total_limit_ends_a_submission(folder):
    (found,) = [one for one in grading.submissions(folder) if one.student == "sleeps"]
    limits = grading.Limits(seconds=30, total=0.1, memory=1e12)
    (result,) = grading.grade([found], ["causal-mask", "soft-lookup"], limits)
    assert "stopped after 0.1 seconds" in result.problems[-1]
    assert "soft-lookup" in result.problems[-1]


def test_what_fails_with_one_submission_is_its_own_problem(folder, monkeypatch):
    def full():
        monkeypatch.undo()
        raise OSError("no space left")

    monkeypatch.setattr("attnbook.grading.process.folder.make", full)
    found = grading.submissions(folder)
    pair = [one for one in found if one.student in ("alone", "bert")]
    one, other = grading.grade(pair, ["causal-mask"], jobs=1)
    assert one.problems == ["cannot be judged (OSError: no space left)"]
    assert not other.problems and other.solved == 1


def test_a_grader_that_does_not_start_says_why(folder, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setattr("attnbook.grading.process.WORKER", "attnbook.nowhere")
    with pytest.raises(ChildProcessError, match="attnbook.nowhere"):
        list(grading.grade(grading.submissions(folder)[:1], ["causal-mask"]))


def test_exercises_are_chosen_by_name_and_by_chapter():
    assert grading.chosen(["causal-mask", "soft-lookup"], None) == ["soft-lookup", "causal-mask"]
    assert grading.chosen(["causal-mask"], [1])[-1] == "causal-mask"
    assert all(get(name).chapter == 1 for name in grading.chosen(None, [1]))
    assert len(grading.chosen(None, None)) > 40
    with pytest.raises(ValueError, match="did you mean 'causal-mask'"):
        grading.chosen(["casual-mask"], None)
    with pytest.raises(ValueError, match="chapters 1 to 20, not in 99"):
        grading.chosen(None, [99])


def test_a_folder_of_submissions_is_needed(tmp_path):
    with pytest.raises(ValueError, match="is empty"):
        grading.submissions(tmp_path)
    with pytest.raises(ValueError, match="is not there"):
        grading.submissions(tmp_path / "nowhere")


def test_a_whole_environment_is_no_submission(tmp_path):
    (tmp_path / "carl").mkdir()
    for number in range(101):
        (tmp_path / "carl" / f"{number}.py").touch()
    (carl,) = grading.submissions(tmp_path)
    assert not carl.files and "holds 101 notebooks and Python files" in carl.problems[0]


def children(process: int) -> list[int]:
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            number, _, rest = stat.read_text().partition(" (")
            state, parent = rest.rpartition(") ")[2].split()[:2]
        except OSError:
            continue
        if int(parent) == process and state != "Z":
            found.append(int(number))
    return found


def alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("how", ["SIGINT", "SIGKILL"])  # Windows has no SIGKILL
@pytest.mark.parametrize(
    "loop",
    [
        "while True:\n        pass",
        "import itertools\n    sum(itertools.repeat(0))",  # no other thread gets a turn
    ],
)
def test_a_grader_that_is_stopped_leaves_the_old_grades_and_no_process(tmp_path, loop, how):
    folder, out = tmp_path / "submissions", tmp_path / "grades"
    folder.mkdir()
    (folder / "loops.py").write_text(f"{HEAD}{loop}\n", "utf-8")
    out.mkdir()
    (out / "grades.csv").write_text("old", "utf-8")
    grader = subprocess.Popen(
        [sys.executable, "-m", "attnbook", "grade", folder, "--out", out],
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    end = time.monotonic() + 120
    while not (workers := children(grader.pid)) and time.monotonic() < end:
        time.sleep(0.2)
    assert workers
    time.sleep(2)
    os.kill(grader.pid, getattr(signal, how))
    _, said = grader.communicate(timeout=60)
    if how == "SIGINT":
        assert grader.returncode == 130 and "interrupted" in said
    while any(map(alive, workers)) and time.monotonic() < end:
        time.sleep(0.2)
    assert not any(map(alive, workers))
    assert (out / "grades.csv").read_text("utf-8") == "old"
    assert [path.name for path in out.iterdir()] == ["grades.csv"]
