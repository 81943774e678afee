"""Confine this process, and then run a module in it: `python -m attnbook.confined`, by `attnbook.grading`.

The first line of standard input says how, as JSON: `parts` (of an `Arrangement`), the `readable` files and folders,
the `folder` that may be changed, and the module to `run`. The lines below are the module's.
"""

import contextlib
import json
import os
import runpy
import signal
import sys
from collections.abc import Sequence

from attnbook.confined import calls, landlock, namespaces
from attnbook.confined.system import CHILD_SUBREAPER, DEATH_OF_PARENT, call


def main() -> None:
    """Read how, and do it."""
    order = json.loads(_line())
    if sys.platform == "linux":
        _confine(order["parts"], order["readable"], order["folder"])
    sys.argv = [order["run"]]
    runpy.run_module(order["run"], run_name="__main__", alter_sys=True)


def _line() -> bytes:
    """The first line, and not a byte of the next."""
    line = bytearray()
    while (byte := os.read(0, 1)) not in (b"", b"\n"):
        line += byte
    return bytes(line)


def _confine(parts: Sequence[str], readable: Sequence[str], folder: str) -> None:
    here = os.getcwd()
    if "namespaces" in parts:
        namespaces.leave()
    _go_on_in_a_child()
    if "namespaces" in parts:
        if "root" in parts:
            namespaces.new_root(readable, folder)
        # the first process of a namespace ignores signals; with it, all others end
        _go_on_in_a_child()
        namespaces.bound_processes()
    os.chdir(here)
    if "landlock" in parts:
        landlock.restrict(readable, [folder, os.devnull])
    if parts:  # root's let it look into other processes
        namespaces.drop_capabilities()
    with contextlib.suppress(OSError):  # a trial finds what is open then
        calls.give_up()


def _go_on_in_a_child() -> None:
    """Only a child returns. The parent waits for it, ends what it has left running, and ends as the child has ended."""
    call("prctl", CHILD_SUBREAPER, 1, 0, 0, 0)  # orphans become ours
    call("prctl", DEATH_OF_PARENT, signal.SIGTERM, 0, 0, 0)
    awaited = {signal.SIGTERM, signal.SIGCHLD}
    signal.pthread_sigmask(signal.SIG_BLOCK, awaited)
    if not (child := os.fork()):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, awaited)
        call("prctl", DEATH_OF_PARENT, signal.SIGKILL, 0, 0, 0)
        return
    os.closerange(0, 2)  # the channel is the child's
    ended, status = 0, 0
    while ended != child and signal.sigwait(awaited) == signal.SIGCHLD:
        with contextlib.suppress(ChildProcessError):
            while ended != child and (found := os.waitpid(-1, os.WNOHANG))[0]:
                ended, status = found
    with contextlib.suppress(ChildProcessError):
        while os.getpid() != 1:  # with the first of a namespace the kernel ends all
            # none that has been waited for: another process may have its number by now
            for one in _children() or [child] * (ended != child):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(one, signal.SIGKILL)
            os.waitpid(-1, 0)
    code = os.waitstatus_to_exitcode(status)
    if code > 128:  # of a child that is the first in a namespace
        code = 128 - code
    if code < 0:
        with contextlib.suppress(OSError, ValueError):
            signal.signal(-code, signal.SIG_DFL)
        with contextlib.suppress(OSError):
            os.kill(os.getpid(), -code)
    os._exit(code if code >= 0 else 128 - code)


def _children() -> list[int]:
    own = os.getpid()
    with contextlib.suppress(OSError), open(f"/proc/self/task/{own}/children") as file:
        return [int(one) for one in file.read().split()]
    return []


if __name__ == "__main__":
    main()
