"""Collecting a class's work as root, from students who mean harm or are careless; with accounts of this machine."""

import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tools import ROOT

if os.name != "posix" or os.geteuid() != 0:
    pytest.skip("only root can act for others", allow_module_level=True)

SCRIPT = ROOT / "tools/hub/collect.py"
TEACHER, ADA, BELA = "teacher", "ada", "bela"
IDS = {TEACHER: (60001, 60011), ADA: (60002, 60012), BELA: (60003, 60013), "root": (0, 0)}
# the same command, in which these are the machine's accounts and `pack` may be another
DRIVER = """
import pwd, sys
sys.path.insert(0, {folder!r})
import collect
accounts = [
    pwd.struct_passwd((name, "x", *ids, "", {homes!r} + "/" + name, "/bin/sh"))
    for name, ids in {ids!r}.items()
]
pwd.getpwall = lambda: accounts
pwd.getpwnam = {{one.pw_name: one for one in accounts}}.__getitem__
pwd.getpwuid = {{one.pw_uid: one for one in accounts}}.__getitem__
{more}
sys.exit(collect.main())
"""
HOSTILE = """
def hostile(home, options, to, say):
    import json, os, time
    if not home.endswith("/ada"):
        return genuine_pack(home, options, to, say)
    def put(path, content=b"x", size=None):
        size = len(content) if size is None else size
        os.write(to, json.dumps([path, size]).encode() + b"\\n" + content)
{tries}
    return 0
genuine_pack, collect.pack = collect.pack, hostile
"""


class Class:
    """A machine's homes, and the teacher's place."""

    def __init__(self, root: Path):
        self.root, self.homes, self.desk = root, root / "homes", root / "desk"
        for folder in (self.homes, self.desk):
            folder.mkdir()
        os.chown(self.desk, *IDS[TEACHER])

    def work(self, student: str) -> Path:
        """The folder of a student, whose home is closed to all others."""
        folder = self.homes / student / "attention"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def give(self):
        """Each student gets what is in their home; links are not followed."""
        for home in self.homes.iterdir():
            home.chmod(0o700)
            for path in [home, *home.rglob("*")]:
                os.lchown(path, *IDS[home.name])

    def collect(self, *words: str, more: str = "", **variables: str):
        """Call the command from the teacher's desk, as sudo would."""
        self.give()
        driver = DRIVER.format(folder=str(SCRIPT.parent), homes=str(self.homes), ids=IDS, more=more)
        uid, gid = map(str, IDS[TEACHER])
        env = {"PATH": os.environ["PATH"], "SUDO_UID": uid, "SUDO_GID": gid}
        return subprocess.run(
            [sys.executable, "-I", "-c", driver, *words],
            cwd=self.desk,
            env=env | variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=100,
        )

    def collected(self, folder: str = "submissions") -> dict[str, bytes]:
        """The collected files; everything there is the teacher's, for nobody else to read, and no link."""
        place = self.desk / folder
        for path in [place, *place.rglob("*")]:
            about = path.lstat()
            assert (about.st_uid, about.st_gid) == IDS[TEACHER], path
            assert stat.S_IMODE(about.st_mode) in (0o600, 0o700)
            assert stat.S_ISREG(about.st_mode) or stat.S_ISDIR(about.st_mode)
        return {str(path.relative_to(place)): path.read_bytes() for path in sorted(place.rglob("*")) if path.is_file()}


@pytest.fixture
def school():
    # pytest's own folders are closed to other accounts
    with tempfile.TemporaryDirectory(prefix="attnbook-class-") as folder:
        os.chmod(folder, 0o755)
        school = Class(Path(folder))
        (school.work(BELA) / "04-b.ipynb").write_text("bela's")
        yield school


def bela_is_collected(school, done):
    assert school.collected()[f"{BELA}/04-b.ipynb"] == b"bela's", done.stderr
    assert f"{BELA}: 1 file\n" in done.stdout


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf"])
def test_a_time_that_is_none_is_refused(school, seconds):
    done = school.collect("submissions", "04-*.ipynb", "--seconds", seconds)
    assert done.returncode == 2 and f"--seconds must be above 0 and finite, got {seconds}" in done.stderr
    assert not list(school.desk.iterdir())


def test_what_fits_the_patterns_is_the_teachers_and_a_second_collection_is_a_new_folder(school):
    work = school.work(ADA)
    for name in ("04-a.ipynb", "05-a.ipynb", "helper.py", ".hidden.py"):
        (work / name).write_text(name)
    (work / "data").mkdir()
    (work / "data/träume.csv").write_text("1,2")
    (work / "data/deeper").mkdir()
    patterns = ["04-*.ipynb", "*.py", "helper.py", "data/*.csv"]
    done = school.collect("submissions", *patterns)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [f"{ADA}: 3 files", f"{BELA}: 1 file", "Collected into submissions from 2 of 2."]
    assert school.collected() == {
        f"{ADA}/04-a.ipynb": b"04-a.ipynb",
        f"{ADA}/data/träume.csv": b"1,2",
        f"{ADA}/helper.py": b"helper.py",
        f"{BELA}/04-b.ipynb": b"bela's",
    }
    again = school.collect("submissions", "04-*.ipynb")
    assert again.returncode == 2 and not again.stdout
    assert "Nothing was collected: FileExistsError: [Errno 17] File exists: 'submissions'" in again.stderr
    assert school.collect("second", "04-*.ipynb").returncode == 0
    assert set(school.collected("second")) == {f"{ADA}/04-a.ipynb", f"{BELA}/04-b.ipynb"}


def link(path, work):
    path.symlink_to("/etc/shadow")


def pipe(path, work):
    os.mkfifo(path)


def folder(path, work):
    path.mkdir()
    (path / "inside").write_text("x")


def sparse(path, work):
    with open(path, "wb") as file:
        file.truncate(10 * 2**30)


def unreadable(path, work):
    path.write_text("x")
    path.chmod(0)


def two_names(path, work):
    path.write_text("x")
    os.link(path, work / "other")


def socket(path, work):
    import socket

    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))


def device(path, work):
    os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 5))  # zeros without end


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (link, "a link, left out"),
        (pipe, "a pipe, left out"),
        (folder, "a folder, left out"),
        (sparse, "left out, too large: 50 MB are the most"),
        (unreadable, "left out (Permission denied)"),
        (two_names, "the file has another name elsewhere (a hard link)"),
        (socket, "a socket, left out"),
        (device, "a device, left out"),
    ],
)
def test_what_is_not_a_file_is_named_and_neither_followed_nor_waited_for(school, make, said):
    work = school.work(ADA)
    make(work / "04-a.ipynb", work)
    (work / "04-good.ipynb").write_text("ada's")
    done = school.collect("submissions", "04-*.ipynb", "--seconds", "50")
    assert "took longer" not in done.stdout
    assert done.returncode == 1, done.stderr
    assert f"    04-a.ipynb: {said}" in done.stdout
    assert f"Look above at: {ADA}\n" in done.stdout
    bela_is_collected(school, done)
    names = {f"{ADA}/04-good.ipynb", f"{BELA}/04-b.ipynb"}
    names |= {f"{ADA}/04-a.ipynb"} if make is two_names else set()
    assert set(school.collected()) == names


def test_a_link_in_place_of_a_folder_is_not_followed(school):
    elsewhere = school.root / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "04-secret.ipynb").write_text("open to all")
    (school.homes / ADA).mkdir()
    (school.homes / ADA / "attention").symlink_to(elsewhere)
    (school.work(BELA) / "data").symlink_to(elsewhere)
    done = school.collect("submissions", "04-*.ipynb", "data/*", "--folder=attention")
    assert done.returncode == 1
    assert f"{ADA}: 0 files\n    attention: a link or a file, not a folder" in (done.stdout)
    assert "    data: a link or a file, not a folder, left out" in done.stdout
    assert f"Nothing came from: {ADA}\n" in done.stdout
    bela_is_collected(school, done)
    assert set(school.collected()) == {f"{BELA}/04-b.ipynb"}


def test_a_hundred_thousand_files_cost_seconds_and_stop_at_the_limit(school):
    work = school.work(ADA)
    for number in range(100_000):
        os.close(os.open(work / f"04-{number:06}.ipynb", os.O_CREAT | os.O_WRONLY))
    done = school.collect("submissions", "04-*.ipynb", "04-9*.ipynb")
    assert f"{ADA}: 200 files\n" in done.stdout
    assert done.stdout.count("only 200 of the files that fit are collected") == 1
    bela_is_collected(school, done)
    assert len(school.collected()) == 201


def test_names_that_would_move_the_cursor_are_neither_stored_nor_printed(school):
    work = school.work(ADA)
    for name in (b"04-\x1b[2J.ipynb", b"04-\xff.ipynb", "04-\u202e.ipynb".encode()):
        with open(os.fsencode(work) + b"/" + name, "wb"):
            pass
    done = school.collect("submissions", "04-*.ipynb")
    assert done.stdout.count("left out because of its name") == 3
    assert "\x1b" not in done.stdout and "\u202e" not in done.stdout
    assert set(school.collected()) == {f"{BELA}/04-b.ipynb"}


def test_a_student_who_is_named_and_has_nothing_is_counted(school):
    some = school.collect("some", "04-*.ipynb")  # others may live on this machine
    assert some.returncode == 0 and ADA not in some.stdout
    done = school.collect("submissions", "04-*.ipynb", "--students", ADA, BELA)
    assert done.returncode == 1
    assert f"{ADA}: 0 files\n    there is no folder attention" in done.stdout
    assert f"from 1 of 2.\nNothing came from: {ADA}\n" in done.stdout


@pytest.mark.parametrize(
    ("tries", "said"),
    [
        ("put('/etc/attnbook-was-here')", "no file has this name"),
        ("put('../../attnbook-was-here')", "no file has this name"),
        (f"put('a/../../{BELA}/04-b.ipynb')", "no file has this name"),
        ("put('a'); put('a/b')", "collected: Not a directory"),
        ("put('a'); put('a')", "collected: File exists"),
        ("put('a', size=-1)", "no file has this name"),
        ("put('a', size=10 ** 30)", "no file has this name"),
        ("put('a', size='1')", "no file has this name"),
        ("put(['a'])", "no file has this name"),
        ("os.write(to, b'[' * 100_000)", "no file has this name"),
        ("put('a' * 201)", "no file has this name"),
        ("put('/'.join('abcdefghi'))", "no file has this name"),
        ("put('04-a.ipynb', b'short', size=9)", "a file is cut short"),
        ("for i in range(300): put(f'04-{i}.ipynb')", "more came than"),
        ("for i in range(3): put(str(i), bytes(45_000_000))", "more came than"),
        ("while True: os.write(to, bytes(1 << 20))", "no file has this name"),
        ("put('a', size=45_000_000); time.sleep(99)", "took longer than 3 s"),
        ("while True: put('a', b'', 9); time.sleep(0.1)", "File exists"),
        ("while True: say('!' * 50)", "took longer than 3 s"),
        ("os.kill(os.getpid(), 9)", "the student's process ended early"),
        ("os.kill(os.getpid(), 19)", "took longer than 3 s"),  # it is stopped
        ("say('1'); say('\\x1b[2J')", "?[2J"),
    ],
)
def test_a_stream_of_lies_harms_nobody_else(school, tries, said):
    school.work(ADA)
    before = {path.name for path in [*Path("/etc").iterdir(), *school.root.iterdir()]}
    more = HOSTILE.format(tries="".join(f"    {one}\n" for one in tries.split("; ")))
    if ": " in tries:
        more = HOSTILE.format(tries=f"    {tries}\n")
    done = school.collect("submissions", "04-*.ipynb", "--seconds", "3", more=more)
    assert done.returncode == 1 and not done.stderr
    assert said in done.stdout
    assert len(done.stdout) < 5000 and "\x1b" not in done.stdout
    bela_is_collected(school, done)
    here = {path.name for path in [*Path("/etc").iterdir(), *school.root.iterdir()]}
    assert here == before
    assert sum(map(len, school.collected().values())) <= 100_000_000


def test_the_students_process_has_nothing_of_roots(school):
    school.work(ADA)
    look = """
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    for key in ("Uid", "Gid", "Groups", "CapEff", "CapPrm"):
        say(f"{key} {set(status[key].split())}")
    say(f"umask {os.umask(0):o}, variables {sorted(os.environ)}")
    say(f"of a session of its own {os.getsid(0) == os.getpid()}")
    say(f"reads root's files {os.access('/etc/shadow', os.R_OK)}")
    say(f"traced by whom {os.stat('/proc/self/mem').st_uid}")
    names = [f"/proc/self/fd/{number}" for number in range(64)]
    files = [os.readlink(name).split(":")[0] for name in names if os.path.lexists(name)]
    say(f"open {sorted(files)}")
"""
    done = school.collect("submissions", "*", more=HOSTILE.format(tries=look))
    uid, gid = IDS[ADA]
    assert done.stdout.splitlines()[1:-4] == [
        f"    Uid {{'{uid}'}}",
        f"    Gid {{'{gid}'}}",
        f"    Groups {{'{gid}'}}",
        "    CapEff {'0000000000000000'}",
        "    CapPrm {'0000000000000000'}",
        "    umask 77, variables []",
        "    of a session of its own True",
        "    reads root's files False",
        "    traced by whom 0",
        "    open ['/dev/null', '/dev/null', '/dev/null', 'pipe', 'pipe']",
        "    not all was collected: the student's process ended early",
    ]


def test_it_says_who_must_call_it_and_how(school):
    done = school.collect("submissions", "*", SUDO_UID="0")
    assert done.returncode == 2 and "call this with sudo" in done.stderr
    done = school.collect("submissions", "*", "--teacher", "root")
    assert done.returncode == 2 and "call this with sudo" in done.stderr
    done = school.collect("submissions", "*", "--teacher", TEACHER, SUDO_UID="0")
    assert done.returncode == 0
    school.collected()
    for pattern in ("/etc/*", "../*", "a/../../*"):
        done = school.collect("other", pattern)
        assert done.returncode == 2 and "must lie below" in done.stderr
    done = school.collect("other", "*", "--students", "root")
    assert done.returncode == 2 and "root is not a student" in done.stderr
    done = school.collect("/not-the-teachers", "*")
    assert done.returncode == 2 and "Permission denied" in done.stderr
    assert not (school.desk / "other").exists()
    done = school.collect("other", "*", more="collect.os.geteuid = lambda: 60002")
    assert done.returncode == 2 and "only root can act for all" in done.stderr


def test_a_full_disk_of_the_teachers_is_said(school):
    (school.work(ADA) / "04-a.ipynb").write_bytes(bytes(3_000_000))
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (999, 999))"
    done = school.collect("submissions", "04-*.ipynb", more=limit)
    assert done.returncode == 1
    assert done.stdout.splitlines()[:3] == [
        f"{ADA}: 0 files",
        "    not all was collected: File too large",
        f"{BELA}: 1 file",
    ]
    assert set(school.collected()) == {f"{BELA}/04-b.ipynb"}
