"""Submissions that mean harm: what each gets for it, and that nothing of it reaches the teacher or the others.

What a confined process may do at all is tested in `tests/confined`.
"""

import contextlib
import os
import stat
import sys
import textwrap
from pathlib import Path

import pytest

from attnbook import grading
from attnbook.confined import Arrangement, arrangement
from attnbook.exercises import get
from attnbook.grading import folder, running
from attnbook.grading.events import STRANGE

NAMES = (
    "causal-mask",
    "repair-mask",
    "batch-axis-bug",
    "teacher-forcing",
    "alignment-error",
    "masked-loss",
    "padding-and-causal",
    "split-heads",
    "layer-norm",
    "scaled-dot-scores",
    "left-out",
    "nadaraya-watson",
)
HEAD = """\
import ctypes, itertools, json, math, os, pathlib, shutil, sys, threading, time
import torch
import numpy as np

libc = ctypes.CDLL(None, use_errno=True)
OUT, OTHER, GRADER = pathlib.Path({out!r}), {other!r}, {grader}


def c(name, *arguments):
    if getattr(libc, name)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), name)


def channel(*lines):
    for number in range(3, 20):
        try:
            if os.readlink(f"/proc/self/fd/{{number}}").startswith("pipe"):
                for line in lines:
                    line = line if isinstance(line, bytes) else json.dumps(line).encode()
                    os.write(number, line + b"\\n")
        except OSError:
            pass


"""

CLAIM = {"status": "solved", "diagnosis": None, **dict.fromkeys(("about", "says", "asks", "note"), "")}
REFUSED = {  # what it does → a part of what the sheet says
    "torch.save": ("torch.save(torch.ones(1), OUT / 'new')", ""),
    "torch.save, upwards": ("torch.save(torch.ones(1), '../' * 9 + str(OUT) + '/new')", ""),
    "torch.jit.save": ("torch.jit.save(torch.jit.script(torch.nn.ReLU()), str(OUT / 'new'))", ""),
    "numpy": ("np.save(OUT / 'new', np.ones(1))", "may write only into"),
    "numpy, mapped": ("np.memmap(OUT / 'teachers', mode='r+')[:1] = 0", "may write only into"),
    "sqlite3": ("import sqlite3; sqlite3.connect(OUT / 'new').execute('create table t (x)')", "may change files only"),
    "C": ("c('open', bytes(OUT / 'new'), os.O_CREAT | os.O_WRONLY, 0o666)", "Error"),
    "a descriptor": ("os.open('new', os.O_CREAT | os.O_WRONLY, dir_fd=os.open(OUT, os.O_PATH))", "Error"),
    "C, removing": ("c('unlink', bytes(OUT / 'teachers'))", "Error"),
    "C, its mode": ("c('chmod', bytes(OUT / 'teachers'), 0)", "Error"),
    "deletes all": ("shutil.rmtree('..', ignore_errors=True)\nos.getcwd()", "FileNotFoundError"),
    "times": ("os.utime(OUT / 'teachers', (0, 0))", "may change files only"),
    "reads a classmate's": ("open(OTHER).read()", "Error"),
    "reads the grades": ("(OUT / 'teachers').read_text()", "Error"),
    "a secret of the shell": ("assert 'TOKEN_OF_A_TEST' in os.environ, 'no token'", "no token"),
    "the grader's environment": ("open(f'/proc/{GRADER}/environ').read()", "Error"),
    "the grader's memory": ("open(f'/proc/{GRADER}/mem', 'rb')", "Error"),
    "the grader, ended": ("c('kill', GRADER, 0)", "Error"),
    "shared memory": ("c('open', b'/dev/shm/attnbook-test', os.O_CREAT | os.O_WRONLY, 0o666)", "Error"),
    "TCPStore": ("torch.distributed.TCPStore('127.0.0.1', 0, 1, True)", "Error"),
    "UDP": ("import socket; socket.socket(2, 2).sendto(b'x', ('127.0.0.1', 9))", "may not use the network"),
    "DNS": ("import socket; socket.gethostbyname('localhost')", "may not use the network"),
    "C, a program": ("assert c('execv', b'/bin/true', (ctypes.c_char_p * 2)(b'true', None))", "Error"),
    "more memory": (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)",
        "Error",
    ),
}  # fmt: skip
HARMLESS = {  # what it does while it answers rightly
    "swallows": "try:\n    torch.save(torch.ones(1), OUT / 'new')\nexcept Exception:\n    pass",
    "swallows, C": "libc.open(bytes(OUT / 'new'), os.O_CREAT | os.O_WRONLY, 0o666)",
    "goes elsewhere": "os.chdir('/')",
    "links": "os.path.islink('link') or c('symlink', bytes(OUT), b'link')",
    "a pipe": "os.path.exists('results.json') or os.mkfifo('results.json')",
    "a thread": ("if threading.active_count() < 5:\n    threading.Thread(target=time.sleep, args=(10**6,)).start()"),
    "at the end": "import atexit; atexit.register(lambda: os.write(1, b'x'))",
    "when it is forgotten": "type('D', (), {'__del__': lambda self: sys.exit()})()",
    "a plot": (  # once: the answer is called many times
        "if not os.path.exists('plot.png'):\n"
        "    import matplotlib.pyplot as plt\n"
        "    plt.plot([0, 1])\n"
        "    plt.savefig('plot.png')"
    ),
    "loads late": (
        "import IPython, torch._dynamo, sqlite3, tempfile\n"
        "with tempfile.TemporaryFile() as file:\n"
        "    torch.save(torch.ones(1), 'w.pt')\n"
        "    torch.load('w.pt')\n"
        "    pathlib.Path.home().joinpath('x').write_text('x')"
    ),
}


ROWS = {**REFUSED, **{name: (harm, None) for name, harm in HARMLESS.items()}}
PLACES = {  # of each row: the student and the exercise
    row: (f"eve{number // len(NAMES)}", NAMES[number % len(NAMES)]) for number, row in enumerate(ROWS)
}
MASK = NAMES[0]
UNBELIEVED = [
    {"problem": 5},
    {"runs": 5},
    {"runs": ["another.py", 1, "x"]},
    {"verdict": {"exercise": "<script>", **CLAIM}},
    {"verdict": {"exercise": "soft-lookup", **CLAIM}},
    {"verdict": {"exercise": MASK, **CLAIM, "status": "brilliant"}},
    {"begin": "<b>"},
    {"begin": MASK},
    {"absent": "soft-lookup"},
    {"done": True},
    {"ready": 1},
    [1],
    b"[" * 10**5,
    b"x" * 3 * 10**6,
    b"\xff\xfe",
]
ALONE = {  # each ends its process, or keeps it for itself: what is done, the verdict, what is said, problems
    "forges": ("channel(*LINES)", "solved", "", [STRANGE]),
    "claims": ("channel(CLAIM)\nraise ValueError", "wrong", "ValueError", [STRANGE]),
    "disturbs": ("while True:\n    channel(*[b'x'] * 1000)", "wrong", "again and again", [STRANGE]),
    "goes on": (
        "import signal\n"
        "signal.signal(signal.SIGALRM, signal.SIG_IGN)\n"
        "while True:\n"
        "    channel({'runs': None})",
        "wrong",
        "disturbs the grader",
        [STRANGE],
    ),
    "stops": ("c('raise', 19)", "wrong", "stopped after 30 seconds", []),
    "fills the disk": (
        "for name in itertools.count():\n    open(f'{name}', 'wb').write(bytes(10**7))",
        "wrong",
        "more than 0.1 GB, or too many files",
        [],
    ),
    "fills it with names": (
        "for name in itertools.count():\n    time.sleep(0.001)\n    os.mkdir(f'{name}')",
        "wrong",
        "more than 0.1 GB, or too many files",
        [],
    ),
    "fills it with what has no name": (
        "files = []\n"
        "while True:\n"
        "    time.sleep(0.01)\n"
        "    file = open('x', 'wb')\n"
        "    os.unlink('x')\n"
        "    file.write(bytes(10**7))\n"
        "    files += [(file, file.flush())]",
        "wrong",
        "more than 0.1 GB, or too many files",
        [],
    ),
    "fills the memory with many": (
        "for number in range(40):\n"
        "    if not libc.fork():\n"
        "        kept = b'x' * 10**8\n"
        "        libc.sleep(10**6)\n"
        "libc.sleep(10**6)",
        "wrong",
        "more than 1 GB in its processes",
        [],
    ),
    "makes many": (
        "for number in range(400):\n"
        "    if not libc.fork():\n"
        "        libc.sleep(10**6)\n"
        "libc.sleep(10**6)",
        "wrong",
        "GB in its processes, or with too many",
        [],
    ),
    "plants code": (
        "for name in ('sitecustomize.py', 'usercustomize.py', 'torch.py', 'x.pth'):\n"
        "    for place in ('.', '..'):\n"
        "        open(f'{place}/{name}', 'w').write('import os; os._exit(0)')\n"
        "os._exit(5)",
        "wrong",
        "exit status 5",
        [],
    ),
    "leaves a process": (
        "if not libc.fork():\n"
        "    libc.setsid()\n"
        "    libc.prctl(15, b'left-behind', 0, 0, 0)\n"
        "    libc.sleep(10**6)",
        "solved",
        "",
        [],
    ),
    "puts a link in its place": (
        "here = os.getcwd()\nos.rmdir(here)\nos.symlink(OUT, here)",
        "wrong",
        "",
        [],
    ),
    # what nobody can see from within: the teacher's page says so
    "changes the checker": (
        "import attnbook.exercises as e\n"
        "e.judge = lambda exercise, fn: e.Verdict(exercise.name, 'solved', None, '')\n"
        "raise ValueError",
        "solved",
        "",
        [],
    ),
}  # fmt: skip
TOGETHER = {  # rows of one student, each an exercise, since after each of them a process begins anew
    row: NAMES[number]
    for number, row in enumerate(
        row for row, (*_, found) in ALONE.items() if not found and row not in ("stops", "changes the checker")
    )
}
SOFT = f"import torch\n\n\n{get('soft-lookup').source()}"


def answer(name, harm):
    """A right answer that does harm first."""
    exercise = get(name)
    right, call = f"right_{exercise.function}", ", ".join(exercise.parameters)
    body = textwrap.indent(f"{harm}\nreturn {right}({call})", "    ")
    return (
        exercise.source().replace(f"def {exercise.function}", f"def {right}")
        + f"\n\n\ndef {exercise.function}({call}):\n{body}\n\n\n"
    )


@pytest.fixture(scope="module")
def outside(tmp_path_factory):
    """A folder of the teacher's."""
    out = tmp_path_factory.mktemp("grades")
    (out / "teachers").write_text("theirs", "utf-8")
    (out / "teachers").chmod(0o640)
    return out


@pytest.fixture(scope="module")
def results(outside, tmp_path_factory):
    """(student → result) of the class; what is outside is as it was."""
    submissions = tmp_path_factory.mktemp("submissions")
    files = {}
    for row, (student, name) in PLACES.items():
        files[student] = files.get(student, "") + answer(name, ROWS[row][0])
    claim = {"verdict": {"exercise": MASK, **CLAIM}}
    wrong = SOFT.replace("return ", "return 2 * ")
    lines = f"CLAIM, LINES = {claim!r}, {UNBELIEVED!r}\n"
    for row, (harm, *_) in ALONE.items():
        if row in TOGETHER:
            files["mallory"] = files.get("mallory", SOFT) + "\n\n" + answer(TOGETHER[row], harm)
        else:
            soft = wrong if row == "changes the checker" else SOFT
            files[row] = f"{lines}{answer(MASK, harm)}\n{soft}"
    files["ada"] = answer(MASK, "")
    for student, code in files.items():
        head = HEAD.format(out=str(outside), other=str(submissions / "ada.py"), grader=os.getpid())
        (submissions / f"{student}.py").write_text(head + code, "utf-8")
    before = {path: path.read_bytes() for path in submissions.iterdir()}
    limits = grading.Limits(seconds=30, total=600, memory=1, disk=0.1)
    temporary = tmp_path_factory.mktemp("temporary")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(folder.tempfile, "tempdir", str(temporary))
        patch.setattr(folder, "MOST_FILES", 300)  # to remove them takes its time
        patch.setenv("TOKEN_OF_A_TEST", "secret")
        # the one that waits out its time goes first, so that the others run meanwhile
        found = sorted(grading.submissions(submissions), key=lambda one: one.student != "stops")
        judged = list(grading.grade(found, [*NAMES, "soft-lookup"], limits, jobs=2))
    assert {path: path.read_bytes() for path in submissions.iterdir()} == before
    assert not [*temporary.iterdir()]
    return {one.student: one for one in judged}


def confined() -> bool:
    return sys.platform == "linux" and bool(arrangement(running.WORKER).parts)


# asked by those who run these tests, not by everyone who collects them: it takes seconds
needs_confinement = pytest.mark.skipif("not confined()", reason="this system confines no process")


@needs_confinement
@pytest.mark.parametrize("row", REFUSED)
def test_harm_is_refused_and_counts_as_wrong(results, row):
    student, name = PLACES[row]
    verdict = results[student].verdicts[name]
    assert verdict.status == "wrong"
    assert REFUSED[row][1] in repr(verdict)


@needs_confinement
@pytest.mark.parametrize("row", HARMLESS)
def test_what_harms_nobody_does_not_count(results, row):
    student, name = PLACES[row]
    verdict = results[student].verdicts[name]
    assert verdict.status == "solved", verdict
    assert not results[student].problems


@needs_confinement
@pytest.mark.parametrize("row", ALONE)
def test_what_ends_or_misleads_is_its_authors_alone(results, row):
    _, status, said, problems = ALONE[row]
    student, names = ("mallory", TOGETHER) if row in TOGETHER else (row, {row: MASK})
    result, verdict = results[student], results[student].verdicts[names[row]]
    assert verdict.status == status, verdict
    assert said in repr(verdict)
    assert result.problems == problems
    assert result.verdicts["soft-lookup"].status == "solved"
    assert {*result.verdicts} == {*names.values(), "soft-lookup"}
    assert results["ada"].solved == 1 and not results["ada"].problems


@needs_confinement
def test_nothing_of_it_reached_the_teacher(results, outside):
    assert [path.name for path in outside.iterdir()] == ["teachers"]
    seen = (outside / "teachers").stat()
    assert (outside / "teachers").read_text("utf-8") == "theirs"
    assert stat.S_IMODE(seen.st_mode) == 0o640 and seen.st_mtime > 1
    assert not os.path.exists("/dev/shm/attnbook-test")


@needs_confinement
def test_no_process_is_left(results):
    for file in Path("/proc").glob("[0-9]*/comm"):
        with contextlib.suppress(OSError):
            assert file.read_text() != "left-behind\n"


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (Arrangement((), reason="it is old"), "does not confine a process (it is old)"),
        (Arrangement(("landlock",), ("use UDP",)), "; but it can still use UDP"),
    ],
)
def test_the_teacher_is_told_what_holds(monkeypatch, found, said):
    assert grading.confinement().startswith("each submission can read only") == confined()
    monkeypatch.setattr(running, "arrangement", lambda needs: found)
    assert said in grading.confinement()
