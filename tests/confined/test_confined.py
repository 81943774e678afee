"""A confined process, by each way that this system allows: what it may do and may not; and nothing outlives it."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from attnbook.confined import arrangement, calls, environment, means, readable

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux confines processes")
NEEDS = "json"  # a trial with PyTorch takes two seconds, and is made in tests/grading
HERE = [way for way in means.WAYS if way and sys.platform == "linux" and means.tried(way, NEEDS)[0] is not None]
NAMES = "+".join

ATTEMPTS = r"""
import ctypes, json, mmap, os, signal, socket, sys
from attnbook.confined.calls import keys_of_this_login, known
libc = ctypes.CDLL(None, use_errno=True)
out, parent = sys.stdin.readline().strip(), os.getppid()
grader, tcp, udp = map(int, sys.stdin.readline().split())
here, theirs = os.getcwd(), f"{out}/theirs"

def c(name, *arguments):
    if getattr(libc, name)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), name)

def through_a_link():
    os.symlink(theirs, "link")
    open("link", "w").write("mine")

def by_a_folder():
    os.mkdir("new", dir_fd=os.open(out, os.O_PATH))

def by_proc(process):
    open(f"/proc/{process}/root{theirs}", "r+").write("mine")

def mapped():
    file = open(theirs, "r+b")
    mmap.mmap(file.fileno(), 0)[:4] = b"mine"

def in_namespaces_of_its_own():
    c("unshare", 0x10020000)
    c("mount", None, b"/", None, 32 | 1 << 12, None)  # remount, no longer read-only
    open(theirs, "w").write("mine")

def run_in_memory():
    memory = os.memfd_create("program")
    os.write(memory, open("/bin/sleep", "rb").read())
    open(f"/proc/{grader}/mem", "r+b")

def run_a_program():
    if not (child := libc.fork()):
        libc.execv(b"/bin/true", (ctypes.c_char_p * 2)(b"true", None))
        os._exit(9)
    if os.waitpid(child, 0)[1]:
        raise OSError("not run")

def sent(family, address):
    socket.socket(family, socket.SOCK_DGRAM).sendto(b"x", address)

refused = {
    "read": lambda: open(theirs).read(),
    "read by a copy of its own root": lambda: open(f"/proc/self/root{theirs}").read(),
    "list": lambda: os.listdir(out),
    "write": lambda: open(theirs, "w").write("mine"),
    "write upwards": lambda: open("../../" * 9 + theirs, "w").write("mine"),
    "write by the C library": lambda: c("open", f"{out}/new".encode(), os.O_CREAT | os.O_WRONLY, 0o666),
    "write through a link": through_a_link,
    "write into a folder that is open": by_a_folder,
    "write by the parent's root": lambda: by_proc(parent),
    "write to memory that is a file": mapped,
    "write from new namespaces": in_namespaces_of_its_own,
    "truncate": lambda: c("truncate", theirs.encode(), 0),
    "remove": lambda: os.unlink(theirs),
    "make a folder": lambda: os.mkdir(f"{out}/new"),
    "make a pipe": lambda: os.mkfifo(f"{out}/new"),
    "move in": lambda: os.rename(theirs, "theirs"),
    "move out": lambda: (open("mine", "w").close(), os.rename("mine", f"{out}/new")),
    "link in": lambda: os.link(theirs, "linked"),
    "link out": lambda: (open("mine", "w").close(), os.link("mine", f"{out}/new")),
    "change the mode": lambda: c("chmod", theirs.encode(), 0o777),
    "change the times": lambda: os.utime(theirs, (0, 0)),
    "read the grader's environment": lambda: open(f"/proc/{grader}/environ").read(),
    "read the parent's environment": lambda: open(f"/proc/{parent}/environ").read(),
    "open the grader's memory": lambda: open(f"/proc/{grader}/mem", "r+b"),
    "open the grader's files": lambda: os.readlink(f"/proc/{grader}/fd/0"),
    "open the parent's memory": lambda: open(f"/proc/{parent}/mem", "r+b"),
    "trace the parent": lambda: c("ptrace", 16, parent, None, None),
    "signal the grader": lambda: os.kill(grader, 0),
    "run a program": run_a_program,
    "read a secret of the system": lambda: open("/etc/shadow").read(),
    "see the grader": lambda: os.stat(f"/proc/{grader}/status"),
    "use TCP": lambda: socket.create_connection(("127.0.0.1", tcp), 3),
    "listen by TCP": lambda: socket.create_server(("127.0.0.1", 0)),
    "use UDP": lambda: sent(socket.AF_INET, ("127.0.0.1", udp)),
    "find a name": lambda: socket.getaddrinfo("localhost.localdomain.", 80),
    "use a socket in the file system": lambda: sent(socket.AF_UNIX, f"{out}/socket"),
    "make memory that is a file": lambda: os.memfd_create("memory"),
    "use the keys of the login": keys_of_this_login,
    "use an abstract socket": lambda: sent(socket.AF_UNIX, f"\0attnbook{grader}"),
}
allowed = {
    "write here": lambda: open("own", "w").write("x"),
    "write to its home": lambda: open(os.environ["HOME"] + "/own", "w").write("x"),
    "write to nowhere": lambda: open("/dev/null", "w").write("x"),
    "draw numbers": lambda: open("/dev/urandom", "rb").read(8),
    "move here": lambda: (os.mkdir("a"), os.mkdir("b"), open("a/x", "w").close(), os.rename("a/x", "b/x")),
    "fork": lambda: os.waitpid(os.fork() or os._exit(0), 0),
    "load code late": lambda: __import__("xml.dom.minidom"),
    "load a library late": lambda: __import__("sqlite3").connect("data.db").execute("create table t (x)"),
    "signal itself": lambda: os.kill(os.getpid(), 0),
    "talk to itself": lambda: [one.close() for one in socket.socketpair()],
}
def tried(attempts):
    done = {}
    for name, attempt in attempts.items():
        try:
            attempt()
            done[name] = ""
        except Exception as error:
            done[name] = repr(error)
    return done

print(json.dumps([tried(refused), tried(allowed)]))
"""


COMMAND = [sys.executable, "-P", "-s", "-m", "attnbook.confined"]
GRADER = [sys.executable, "-c", "import subprocess, sys; subprocess.run(sys.argv[1:])"]


@contextlib.contextmanager
def confined(tmp_path, parts, program, command=COMMAND):
    """A running process, with a folder outside of its own."""
    code, out, own = (tmp_path / name for name in ("code", "out", "own"))
    for folder in (code, out, own / "work"):
        folder.mkdir(parents=True)
    (code / "program_of_a_test.py").write_text(program, "utf-8")
    order = {
        "parts": parts,
        "readable": [*readable([str(tmp_path)]), str(code)],
        "folder": str(own),
        "run": "program_of_a_test",
    }
    surroundings = environment(str(own), [str(tmp_path)])
    surroundings["PYTHONPATH"] += os.pathsep + str(code)
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=own / "work",
        env=surroundings,
        start_new_session=True,
    ) as process:
        try:
            process.stdin.write(json.dumps(order) + "\n")
            process.stdin.flush()
            yield process
        finally:
            process.kill()


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """(way → attempt → True or the error), and what has become of the file outside."""
    found = {}
    for way in HERE:
        tmp_path = tmp_path_factory.mktemp("confined")
        with (
            socket.create_server(("127.0.0.1", 0)) as tcp,
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as near,
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as abstract,
            confined(tmp_path, way, ATTEMPTS) as process,
        ):
            out = tmp_path / "out"
            (out / "theirs").write_text("theirs")
            (out / "theirs").chmod(0o640)
            udp.bind(("127.0.0.1", 0))
            near.bind(str(out / "socket"))
            abstract.bind(f"\0attnbook{os.getpid()}")
            ports = f"{tcp.getsockname()[1]} {udp.getsockname()[1]}"
            said, _ = process.communicate(f"{out}\n{os.getpid()} {ports}\n")
            left = {path.name for path in out.iterdir()}
            mode = (out / "theirs").stat().st_mode & 0o777
            found[way] = json.loads(said), left, mode, (out / "theirs").read_text()
    return found


SOCKETS = {"use a socket in the file system", "use UDP", "find a name", "listen by TCP"}
OPEN = {  # what a way leaves open; a newer kernel may close it
    ("landlock", "namespaces"): {
        "change the mode",
        "change the times",
        "use a socket in the file system",
        "see the grader",
    },
    ("landlock",): {
        "change the mode",
        "change the times",
        "use a socket in the file system",
        "use UDP",
        "see the grader",
        "find a name",
    },
    ("namespaces", "root"): {
        "run a program",  # one of those that it can read
        "listen by TCP",  # on a network where it is alone
    },
}


@pytest.mark.parametrize("way", HERE, ids=NAMES)
def test_a_confined_process_does_what_it_may_and_nothing_else(done, way):
    (refused, allowed), left, mode, text = done[way]
    assert not any(allowed.values()), allowed
    worked = {name for name, error in refused.items() if not error}
    closed = SOCKETS if calls.known() else set()
    assert worked <= OPEN.get(way, set()) - closed
    assert left == {"theirs", "socket"} and text == "theirs"
    assert mode == 0o640 or "root" not in way


def test_calls_that_are_given_up_are_refused_under_both_numberings(tmp_path):
    program = """
import ctypes, json, os
from attnbook.confined import calls
libc = ctypes.CDLL(None, use_errno=True)
def refused(number):
    ctypes.set_errno(0)
    return libc.syscall(ctypes.c_long(number), *[ctypes.c_long(0)] * 5) == -1 and ctypes.get_errno() == 1
names = calls.known()
print(json.dumps([[name for name, number in names.items() if not refused(number)],
                  not names or refused(calls.OTHER_NUMBERING | names["socket"])]))
"""
    with confined(tmp_path, (), program) as process:
        said, _ = process.communicate("")
    assert json.loads(said) == [[], True]
    for _, numbers in calls.PROCESSORS.values():
        assert len({*numbers}) == len(calls.NAMES)


def test_no_process_is_signalled_that_has_been_waited_for():
    program = """
import os, sys
from attnbook.confined import __main__ as confined
kill = os.kill
os.kill = lambda *given: (print("killed", given, file=sys.stderr), kill(*given))
confined._go_on_in_a_child()
os._exit(0)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True)
    assert done.returncode == 0 and not done.stderr


SURVIVORS = r"""
import ctypes, os, signal, sys, time
libc = ctypes.CDLL(None)
libc.prctl(1, 0, 0, 0, 0)  # it does not want to end with its parent
for number in range(3):
    if not libc.fork():
        libc.setsid()
        if libc.fork():
            os._exit(0)
        libc.prctl(15, b"survivor", 0, 0, 0)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            time.sleep(1)
time.sleep(0.3)
print("ready", flush=True)
if "ends" in sys.stdin.readline():
    sys.exit(7)
os.closerange(0, 3)
os.setsid() if os.getpid() != os.getsid(0) else None
while True:
    time.sleep(1)
"""


def survivors() -> list[int]:
    found = []
    for file in Path("/proc").glob("[0-9]*/comm"):
        with contextlib.suppress(OSError):
            if file.read_text() == "survivor\n":
                found.append(int(file.parent.name))
    return found


@pytest.mark.parametrize("end", ["ends", "is ended", "loses its grader"])
@pytest.mark.parametrize("way", [*HERE, ()], ids=lambda way: NAMES(way) or "nothing")
def test_nothing_that_it_has_started_outlives_it(tmp_path, way, end, request):
    request.addfinalizer(lambda: [os.kill(one, signal.SIGKILL) for one in survivors()])
    command = [*GRADER, *COMMAND] if end == "loses its grader" else COMMAND
    with confined(tmp_path, way, SURVIVORS, command) as process:
        assert process.stdout.readline() == "ready\n"
        limit = time.monotonic() + 20
        while len(survivors()) < 3:
            assert time.monotonic() < limit
            time.sleep(0.05)
        process.stdin.write(f"{end}\n")
        process.stdin.flush()
        if end == "ends":
            assert process.wait(20) == 7
        elif end == "is ended":
            process.terminate()
            process.wait(20)
        else:
            process.kill()
            limit = time.monotonic() + 20
            while survivors() and time.monotonic() < limit:
                time.sleep(0.05)
        assert not survivors()


def test_the_best_way_that_works_is_taken():
    found = arrangement(NEEDS)
    assert found.parts == next(iter([*HERE, ()]))
    # a container may forbid a /proc of its own
    assert found.parts != means.WAYS[0] or {*found.gaps} <= {"see which programs run"}
    assert ("Landlock" in found.means) == ("landlock" in found.parts)


@pytest.mark.parametrize("way", HERE, ids=NAMES)
def test_a_trial_finds_what_a_way_leaves_open(way):
    gaps, _ = means.tried(way, NEEDS)
    assert ("change permissions of other files" in gaps) == ("root" not in way)
    assert ("use UDP" in gaps) == (not calls.known() and "namespaces" not in way)
    if calls.known():
        assert {*gaps} <= {"change permissions of other files", "see which programs run"}
    if "root" not in way:
        assert "see which programs run" in gaps
    assert not {"read other files", "write other files", "empty other files"} & {*gaps}


def test_what_cannot_be_arranged_is_said(monkeypatch):
    nowhere = arrangement("attnbook.nowhere")
    assert not nowhere.parts and "ModuleNotFoundError" in nowhere.reason
    monkeypatch.setattr(sys, "platform", "darwin")
    assert "are Linux's" in arrangement("elsewhere").reason


def test_an_environment_holds_no_secret_and_finds_the_same_packages(tmp_path, monkeypatch):
    monkeypatch.setenv("CANVAS_TOKEN", "secret")
    monkeypatch.setenv("USER_PASSWORD", "secret")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    packages, mine = tmp_path / "packages", tmp_path / "course"
    for folder in (packages, mine / "submissions"):
        folder.mkdir(parents=True)
    monkeypatch.setattr(sys, "path", [*sys.path, str(packages), str(mine), "", "."])
    found = environment(str(tmp_path), [str(mine / "submissions")])
    assert "secret" not in found.values() and found["LC_ALL"] == "C.UTF-8"
    assert found["HOME"] == found["TMPDIR"] == str(tmp_path)
    path = found["PYTHONPATH"].split(os.pathsep)
    assert str(packages) in path and str(mine) not in path
    assert os.getcwd() not in path and os.path.expanduser("~") not in path
    assert str(Path(json.__file__).parents[1]) in path
    may = readable([str(mine / "submissions")])
    assert str(packages) in may and str(mine) not in may
    assert not {"/", "/etc", "/home", os.path.expanduser("~")} & {*may}
