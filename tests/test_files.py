"""`write_atomically`: whoever looks finds the old file or the new one, and nothing else beside it."""

import os
import signal
import stat
import subprocess
import sys
import threading
import time

import pytest

from attnbook import files
from attnbook.files import write_atomically


@pytest.fixture
def path(tmp_path):
    """A file in a folder of its own, with a name that glob would misread."""
    folder = tmp_path / "results"
    folder.mkdir()
    (folder / "model[1].json").write_text("old")
    return folder / "model[1].json"


@pytest.mark.parametrize(
    ("content", "stored"),
    [
        ("déjà vu\n", "déjà vu\n".encode()),  # no translated line ends
        (b"\x00\xff", b"\x00\xff"),
        (lambda file: [file.write(part) for part in (b"one ", b"two")], b"one two"),
    ],
)
def test_text_bytes_or_a_function_replace_the_file(path, content, stored):
    write_atomically(str(path), content)
    assert path.read_bytes() == stored
    assert list(path.parent.iterdir()) == [path]


def test_missing_folders_are_made_and_the_file_has_the_usual_permissions(tmp_path):
    path = tmp_path / "a" / "b" / "c.txt"
    write_atomically(path, "new")
    usual = tmp_path / "usual"
    usual.touch()
    assert path.read_text() == "new"
    assert path.stat().st_mode == usual.stat().st_mode


def failing(*_):
    raise OSError("no space left on device")


def half(file):
    file.write(b"half of i")
    failing()


@pytest.mark.parametrize("step", ["the content", "fsync", "replace"])
def test_a_write_that_fails_leaves_the_old_file_and_no_other(path, step, monkeypatch):
    if step != "the content":
        monkeypatch.setattr(files.os, step, failing)
    with pytest.raises(OSError, match="no space left"):
        write_atomically(path, half if step == "the content" else "new")
    assert path.read_text() == "old"
    assert list(path.parent.iterdir()) == [path]


def test_it_is_on_the_disk_before_it_gets_its_name(path, monkeypatch):
    """A power cut between the two would otherwise leave an empty file under the good name."""
    done = []
    for name in ("fsync", "replace"):
        real = getattr(os, name)
        monkeypatch.setattr(files.os, name, lambda *a, n=name, f=real: (done.append(n), f(*a))[1])
    write_atomically(path, "new")
    assert done == ["fsync", "replace"]


@pytest.mark.skipif(sys.platform == "win32", reason="it has no SIGKILL")
def test_a_killed_process_leaves_the_old_file_and_what_it_left_is_cleared_later(path):
    program = (
        "import os, signal, sys\n"
        "from attnbook.files import write_atomically\n"
        "def write(file):\n"
        "    file.write(b'half')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "write_atomically(sys.argv[1], write)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)])
    assert done.returncode == -signal.SIGKILL and path.read_text() == "old"
    (left,) = set(path.parent.iterdir()) - {path}
    write_atomically(path, "new")
    assert left.exists()  # it could be another process, still writing
    long_ago = time.time() - files.ABANDONED - 1
    os.utime(left, (long_ago, long_ago))
    write_atomically(path, "newer")
    assert path.read_text() == "newer" and list(path.parent.iterdir()) == [path]


def test_several_writers_at_once_leave_one_whole_file(path):
    contents = [str(number) * 100_000 for number in range(8)]
    writers = [threading.Thread(target=write_atomically, args=(path, content)) for content in contents]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert path.read_text() in contents
    assert list(path.parent.iterdir()) == [path]


@pytest.fixture(params=[0o000, 0o022, 0o077], ids=oct)
def umask(request):
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def permissions(path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


on_posix = pytest.mark.skipif(sys.platform == "win32", reason="it has no permissions of this kind")


@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_a_link_unless_it_may_be_anybodys(tmp_path, there):
    """As to a checkpoint on a larger disk; a link whose end is missing leads there, too."""
    real, link = tmp_path / "disk" / "model.pt", tmp_path / "link.pt"
    real.parent.mkdir()
    link.symlink_to(real)
    if there:
        real.write_text("old")
    write_atomically(link, "new")
    assert link.is_symlink() and real.read_text() == "new"
    write_atomically(link, "newer", follow_symlinks=False)
    assert not link.is_symlink() and (link.read_text(), real.read_text()) == ("newer", "new")
    assert [*real.parent.iterdir()] == [real]


@on_posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o666, 0o400])
def test_a_file_that_is_replaced_keeps_its_permissions(path, mode, umask):
    path.chmod(mode)
    seen = []

    def write(file):
        (temporary,) = set(path.parent.iterdir()) - {path}
        seen.append(permissions(temporary))

    write_atomically(path, write, mode=0o604)
    assert permissions(path) == mode
    assert seen and not any(one & ~mode for one in seen)


@on_posix
def test_a_new_file_has_the_permissions_that_were_asked_for(tmp_path, umask):
    path = tmp_path / "grades.csv"

    def write(file):
        (temporary,) = tmp_path.iterdir()
        assert permissions(temporary) == 0o600
        file.write(b"new")

    write_atomically(path, write, mode=0o600)
    assert permissions(path) == 0o600 and path.read_bytes() == b"new"
    write_atomically(tmp_path / "usual", "new")
    assert permissions(tmp_path / "usual") == 0o666 & ~umask


@on_posix
def test_another_groups_permissions_are_given_to_no_one_else(path, monkeypatch):
    path.chmod(0o664)
    monkeypatch.setattr(files.os, "fchown", failing)
    write_atomically(path, "new")
    assert permissions(path) == 0o664  # it is the same group
    real = os.fstat
    monkeypatch.setattr(files.os, "fstat", lambda number: os.stat_result([*real(number)[:5], -1, *real(number)[6:]]))
    write_atomically(path, "newer")
    assert permissions(path) == 0o604


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give away")
def test_it_stays_its_owners(path):
    os.chown(path, 1234, 2345)
    write_atomically(path, "new")
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 2345)
