"""`make test` says where it is: a line every few seconds, no dots, and last of all what was not tested."""

import os
import queue
import re
import subprocess
import sys
import time
import types

import pytest

from tools import ROOT, progress

TESTS = """
import time
import types
import pytest
@pytest.mark.parametrize("n", range(60))
def test_quick(n): assert n != 40
def test_slow(): time.sleep(1.5)
@pytest.mark.parametrize("n", ["one half", "1/2"])
def test_missing(n): pytest.skip("no browser here: install one")
"""
# only the plugins that are named, so that each start takes a moment only
ENVIRONMENT = os.environ | {
    "PYTHONPATH": str(ROOT), "CI": "", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"
}  # fmt: skip


@pytest.mark.parametrize("workers", [0, 2])
def test_lines_instead_of_dots(tmp_path, workers):
    (tmp_path / "chapters").mkdir()
    (tmp_path / "chapters" / "test_one.py").write_text(TESTS)
    (tmp_path / "chapters" / "test_two.py").write_text(TESTS)
    (tmp_path / "conftest.py").write_text(
        "from tools import progress\nprogress.EVERY = 0.3\n"
    )
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    distributed = (
        ["-p", "xdist", "-n", str(workers), "--dist", "loadscope"] if workers else []
    )
    command = [sys.executable, "-m", "pytest", "-p", "tools.progress", *distributed]
    began = time.monotonic()
    done = subprocess.run(
        [*command, "-ra", "-p", "no:cacheprovider", "chapters"],
        cwd=tmp_path,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
    )
    said = done.stdout.rstrip().splitlines()
    assert done.returncode == 1, done.stdout + done.stderr
    assert not [line for line in said if re.search(r"[.Fs]{5}", line)]
    told = [line for line in said if re.search(r"\d:\d\d  \d+ of 126 done", line)]
    assert 2 <= len(told) <= 1 + (time.monotonic() - began) / 0.3, done.stdout
    assert any("chapters/test_one.py" in line for line in told)
    assert re.search(r", [12] failed  chapters/test_", told[-1])
    at_once = said.index("FAILED chapters/test_one.py::test_quick[40]")
    assert at_once < next(n for n, line in enumerate(said) if "FAILURES" in line)
    assert done.stdout.count("no browser here") == 1
    summary, last = said[-2:]
    assert re.fullmatch(r"=+ 2 failed, 120 passed, 4 skipped in [\d.]+s =+", summary)
    assert last == "Not tested: 4 tests in chapters; no browser here: install one"


def test_nothing_follows_the_summary_if_nothing_was_skipped(tmp_path):
    (tmp_path / "test_one.py").write_text("def test(): pass")
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tools.progress", "."],
        cwd=tmp_path,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
    )
    assert re.fullmatch(r"=+ 1 passed in [\d.]+s =+", done.stdout.splitlines()[-1])


def test_a_line_comes_also_while_one_test_takes_long(monkeypatch):
    monkeypatch.setattr(progress, "EVERY", 0.05)
    told = queue.Queue()
    session = types.SimpleNamespace(testscollected=8280)
    reporter = types.SimpleNamespace(write_line=told.put)
    running = progress.Progress(session, reporter, by_itself=True)
    assert "collecting the tests" in told.get(timeout=60)
    running.pytest_runtest_logfinish("tests/test_one.py::test")
    for cell in ("chapters/08-a.ipynb::Cell 3", "tests/test_two.py::test[1::2]"):
        running.pytest_runtest_logstart(cell)
    lines = [told.get(timeout=60) for _ in range(3)]
    assert lines[-1].endswith(
        "  1 of 8,280 done  chapters/08-a.ipynb, tests/test_two.py"
    )
    running.pytest_sessionfinish()
