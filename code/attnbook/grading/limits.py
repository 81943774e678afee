"""What keeps a submission, in its own process, from harming others by mistake, on every system.

Memory is bounded on Linux only; time, the size of a file and what Python is asked for wherever Python runs, except that
Windows knows no limits of resources. On Linux the kernel confines the process besides (`attnbook.confined`).
"""

import contextlib
import faulthandler
import os
import socket
import sys
import threading
from pathlib import Path
from typing import Any, TextIO

PROCESSES = {
    "os.exec",
    "os.fork",
    "os.forkpty",
    "os.posix_spawn",
    "os.spawn",
    "os.startfile",
    "os.system",
    "pty.spawn",
    "subprocess.Popen",
    "os.kill",
    "os.killpg",
}
NETWORK = {
    "socket.bind",
    "socket.connect",
    "socket.getaddrinfo",
    "socket.gethostbyaddr",
    "socket.gethostbyname",
    "socket.sendmsg",
    "socket.sendto",
}
INTERNET = {socket.AF_INET, socket.AF_INET6}
# families of addresses, IPv4's and IPv6's, as each system numbers them
CHANGES = {  # event → how many of its first arguments are files
    "os.chflags": 1,
    "os.chmod": 1,
    "os.chown": 1,
    "os.link": 2,
    "os.mkdir": 1,
    "os.remove": 1,
    "os.removexattr": 1,
    "os.rename": 2,
    "os.rmdir": 1,
    "os.setxattr": 1,
    "os.symlink": 2,
    "os.truncate": 1,
    "os.utime": 1,
    "shutil.rmtree": 1,
    "sqlite3.connect": 1,
}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_TRUNC
LARGEST_FILE = 100_000_000


def open_channel() -> tuple[TextIO, TextIO]:
    """Keep standard input and output for the grader; the submission reads nothing and prints to nowhere.

    Returns:
        Files to read from and to write to.
    """
    channel = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    return os.fdopen(channel[0]), os.fdopen(channel[1], "w", buffering=1)


def end_with_the_grader(asked: TextIO, seconds: float) -> None:
    """End this process when the grader's end of the channel closes, however the grader ends.

    A loop in compiled code may never let the thread that waits for this run. On Linux the parent of this process sees
    to it as well (`attnbook.confined`); elsewhere the process ends after a time.

    Args:
        asked: from `open_channel`; the grader writes nothing more to it.
        seconds: the longest that the process may exist.
    """
    faulthandler.dump_traceback_later(seconds, exit=True)

    def watch() -> None:
        asked.read()
        os._exit(3)

    threading.Thread(target=watch, daemon=True).start()


def limit_resources(seconds: float, gigabytes: float) -> None:
    """Bound the processor time, the size of a file, and, on Linux, the memory on top of what is in use now.

    Args:
        seconds: of processor time.
        gigabytes: of memory.
    """
    try:
        import resource
    except ImportError:  # Windows has none of these
        return

    def limit(which: int, most: float, more: int = 0) -> None:
        _, hard = resource.getrlimit(which)
        limits = [int(most), int(most) + more]  # the second so that it cannot raise them
        if hard != resource.RLIM_INFINITY:
            limits = [min(one, hard) for one in limits]
        with contextlib.suppress(ValueError, OSError, OverflowError):
            resource.setrlimit(which, (limits[0], limits[1]))

    limit(resource.RLIMIT_CPU, seconds, more=5)
    limit(resource.RLIMIT_FSIZE, LARGEST_FILE)
    limit(resource.RLIMIT_CORE, 0)
    if (pages := Path("/proc/self/statm")).exists():  # macOS keeps to no such limit
        used = int(pages.read_text().split()[0]) * resource.getpagesize()
        limit(resource.RLIMIT_AS, used + gigabytes * 1e9)


def refuse_harm(folder: str) -> None:
    """From now on, refuse to start or signal processes, to use the network, and to change files outside a folder.

    Python itself asks (`sys.addaudithook`), and so the refusal is a sentence. Compiled code that calls the system
    directly is not seen: PyTorch's own writers, for instance. On Linux the kernel refuses that; elsewhere nothing does.

    Args:
        folder: the submission's own, the only place where it may write.
    """
    own, nowhere = os.path.realpath(folder), os.path.realpath(os.devnull)

    def inside(path: Any) -> bool:
        if isinstance(path, int):  # an open file
            return True
        path = os.path.abspath(os.fsdecode(path))  # without following a last link
        place = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        place = os.path.realpath(path) if os.path.exists(path) else place
        try:
            return place == nowhere or os.path.commonpath([own, place]) == own
        except ValueError:  # on another drive
            return False

    def look(event: str, arguments: tuple) -> None:
        if event == "open":
            path, _, flags = arguments
            if flags & WRITING and not inside(path):
                raise PermissionError(f"a submission may write only into its working folder, not to {path}")
        elif event in PROCESSES:
            raise PermissionError(f"a submission may not start or end processes ({event})")
        elif event in NETWORK or (event == "socket.__new__" and arguments[1] in INTERNET):
            raise PermissionError(f"a submission may not use the network ({event})")
        elif event in CHANGES and not all(map(inside, arguments[: CHANGES[event]])):
            raise PermissionError(f"a submission may change files only in its working folder ({event})")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError("a submission may not start processes")

    if posix := sys.modules.get("_posixsubprocess"):
        # multiprocessing calls it, and Python does not ask there
        vars(posix)["fork_exec"] = refuse
    sys.addaudithook(look)
