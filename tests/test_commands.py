"""The commands on machines that lack something: they say what, early, and leave nothing half-made."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# A Python that installs nothing. OLD, NO_VENV and PIP say what is wrong with it; it keeps a log of its calls.
FAKE_PYTHON = """#!/bin/sh
echo "$*" >>"$LOG"
case "$*" in
    *"sys.version_info <"*) exit ${OLD:-0} ;;
    "-c import venv, ensurepip") exit ${NO_VENV:-0} ;;
    "-m venv "*) mkdir -p "$3/bin" && touch "$3/pyvenv.cfg" && cp "$0" "$3/bin/python" ;;
    "-m pip install"*) case ${PIP:-works} in works) ;; fails) exit 1 ;; killed) kill -INT $PPID; exit 1 ;; esac ;;
    *hashlib*) cat requirements.txt pyproject.toml | cksum ;;
    --version) echo "Python 3.9.2" ;;
esac
"""


@pytest.fixture
def machine(tmp_path):
    """A machine with a fake Python and a fresh copy of what sets the book up: run(stage, **wrong)."""
    book = tmp_path / "the book"  # a folder with a space in its name
    book.mkdir()
    for name in ("requirements.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, book / name)
    (book / "tools").mkdir()
    shutil.copy(ROOT / "tools" / "environment.sh", book / "tools")
    python = tmp_path / "python3"
    python.write_text(FAKE_PYTHON)
    python.chmod(0o755)

    def run(stage="book", **wrong):
        log = tmp_path / "calls"
        log.write_text("")
        env = {**os.environ, "PYTHON": str(python), "LOG": str(log), **wrong}
        done = subprocess.run(
            [str(book / "tools" / "environment.sh"), stage],
            env=env,
            capture_output=True,
            text=True,
            # a run in the background ignores Ctrl-C, and so would all that it starts
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        installs = [
            line for line in log.read_text().splitlines() if "pip install" in line
        ]
        return done.returncode, done.stdout + done.stderr, installs

    run.book, run.venv = book, book / ".venv"
    return run


def test_a_fresh_machine_is_set_up_once(machine):
    code, said, installs = machine("test")
    assert code == 0, said
    assert [line.split("--quiet ")[1] for line in installs] == [
        "-r requirements.txt",
        "--no-deps d2l==1.0.3",
    ]
    assert machine("test") == (0, "", [])
    assert machine("book") == (0, "", [])


@pytest.mark.parametrize("name", ["requirements.txt", "pyproject.toml"])
def test_what_changed_is_installed_again(machine, name):
    machine()
    with open(machine.book / name, "a") as file:
        file.write("\n# changed\n")
    code, _, installs = machine()
    assert code == 0 and len(installs) == 1
    assert machine() == (0, "", [])


def test_an_old_python_is_refused_before_anything_is_made(machine):
    code, said, installs = machine(OLD="1")
    assert code != 0 and not installs and not machine.venv.exists()
    assert "needs Python 3.11 or newer" in said and "Python 3.9.2" in said


def test_a_python_that_is_not_there_is_refused(machine):
    code, said, _ = machine(PYTHON="/nowhere/python3")
    assert code != 0 and "/nowhere/python3 is nothing" in said
    assert not machine.venv.exists()


def test_a_missing_venv_module_is_named_with_what_to_install(machine):
    code, said, installs = machine(NO_VENV="1")
    assert code != 0 and not installs and not machine.venv.exists()
    assert (
        "cannot make virtual environments" in said
        and "apt install python3-venv" in said
    )


def test_an_environment_left_half_made_is_made_again(machine):
    machine.venv.mkdir()
    (machine.venv / ".unfinished").write_text("999999999")
    (machine.venv / "rubble").write_text("")
    code, said, installs = machine()
    assert code == 0 and len(installs) == 1 and "making it again" in said
    assert not (machine.venv / "rubble").exists()
    assert not (machine.venv / ".unfinished").exists()


def test_an_environment_without_a_working_pip_is_made_again(machine):
    machine()
    (machine.venv / "bin" / "python").write_text("#!/bin/sh\nexit 1\n")
    code, said, installs = machine()
    assert code == 0 and len(installs) == 1 and "making it again" in said


def test_an_interrupted_installation_is_begun_again(machine):
    code, _, _ = machine(PIP="killed")
    assert code == 130
    assert (machine.venv / ".unfinished").exists()
    (machine.venv / "rubble").write_text("")
    code, said, installs = machine()
    assert code == 0 and len(installs) == 1, said
    assert not (machine.venv / "rubble").exists()


def test_a_failed_installation_says_so_and_keeps_what_is_whole(machine):
    machine()
    (machine.book / "requirements.txt").write_text("changed\n")
    code, said, _ = machine(PIP="fails")
    assert (
        code != 0
        and "run the same command again" in said
        and "a retry will not help" in said
    )
    (machine.venv / "kept").write_text("")
    code, _, installs = machine()
    assert code == 0 and len(installs) == 1
    assert (machine.venv / "kept").exists()


def test_a_folder_that_is_no_environment_is_left_alone(machine):
    machine.venv.mkdir()
    (machine.venv / "thesis.txt").write_text("precious")
    code, said, _ = machine()
    assert code != 0 and "not a virtual environment" in said
    assert (machine.venv / "thesis.txt").read_text() == "precious"


SKIPS = {
    "a test": "import pytest\ndef test(): pytest.skip('nothing to drive')",
    "a file": "import pytest\npytest.skip('nothing to drive', allow_module_level=True)",
}


@pytest.mark.parametrize(("ci", "outcome"), [("", 0), ("true", 1)])
@pytest.mark.parametrize("what", SKIPS)
def test_in_ci_nothing_is_skipped(tmp_path, what, ci, outcome):
    shutil.copytree(
        ROOT / "tools", tmp_path / "tools", ignore=shutil.ignore_patterns("__*")
    )
    for name in ("conftest.py", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "test_one.py").write_text(SKIPS[what])
    (tmp_path / "test_two.py").write_text("def test(): pass")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "."],
        cwd=tmp_path,
        env={**os.environ, "CI": ci, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
    )
    assert min(done.returncode, 1) == outcome, done.stdout
    assert "nothing to drive" in done.stdout
