"""Which means of confinement work on this system, found out by trying them."""

import contextlib
import functools
import json
import os
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass

from attnbook.confined import landlock
from attnbook.confined.surroundings import environment, readable

WAYS = (  # the first that works is taken
    ("landlock", "namespaces", "root"),
    ("landlock", "namespaces"),
    ("landlock",),
    ("namespaces", "root"),
    (),
)
LONGEST = 120  # seconds of a trial


@dataclass(frozen=True)
class Arrangement:
    """How processes are confined here.

    Attributes:
        parts: what is used: "landlock", "namespaces" and "root", or nothing.
        gaps: what a confined process was still able to do, in a trial.
        reason: why nothing, or not everything, is used.
    """

    parts: tuple[str, ...]
    gaps: tuple[str, ...] = ()
    reason: str = ""

    @property
    def means(self) -> str:
        """What of the kernel is used, in words."""
        known = f"Landlock {landlock.version()}"
        names = [known] * ("landlock" in self.parts)
        return " and ".join(names + ["namespaces"] * ("namespaces" in self.parts))


@functools.cache
def arrangement(needs: str) -> Arrangement:
    """Find out what works here. This takes a few seconds, once.

    Args:
        needs: a module that a confined process has to be able to load.

    Returns:
        The best arrangement.
    """
    if sys.platform != "linux":
        return Arrangement((), reason="Landlock and namespaces are Linux's")
    reason = ""
    for parts in filter(None, WAYS):
        gaps, said = tried(parts, needs)
        if gaps is not None:
            return Arrangement(parts, gaps, reason)
        reason = reason or said
    return Arrangement((), reason=reason)


def tried(parts: tuple[str, ...], needs: str) -> tuple[tuple[str, ...] | None, str]:
    """Confine a process for a trial.

    Args:
        parts: of an `Arrangement`.
        needs: as in `arrangement`.

    Returns:
        What the process could do in spite of them, or None and the reason why they do not work here.
    """
    with contextlib.ExitStack() as end:
        outside, folder = (os.path.realpath(end.enter_context(tempfile.TemporaryDirectory())) for _ in range(2))
        secret, mark = f"{outside}/secret", f"{folder}/mark"
        task = {"needs": needs, "other": os.getpid(), "secret": secret, "mark": mark}
        for path in (secret, mark):
            with open(path, "w") as file:
                file.write("something")
        task["tcp"] = end.enter_context(_listening()).getsockname()[1]
        task["udp"] = end.enter_context(_receiving(("127.0.0.1", 0))).getsockname()[1]
        task["unix"] = end.enter_context(_receiving(f"{outside}/socket")).getsockname()
        order = {"parts": parts, "readable": readable([folder]), "folder": folder, "run": "attnbook.confined.trial"}
        try:
            done = subprocess.run(
                [sys.executable, "-P", "-s", "-m", "attnbook.confined"],
                input=f"{json.dumps(order)}\n{json.dumps(task)}\n",
                capture_output=True,
                text=True,
                cwd=folder,
                env=environment(folder, [folder]),
                timeout=LONGEST,
            )
        except subprocess.TimeoutExpired:
            return None, f"a trial has not ended after {LONGEST} seconds"
    try:
        return tuple(json.loads(done.stdout)), ""
    except ValueError:
        return None, done.stderr.strip().rpartition("\n")[2][:200]


def _listening() -> socket.socket:
    return socket.create_server(("127.0.0.1", 0))


def _receiving(address: str | tuple[str, int]) -> socket.socket:
    family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
    receiver = socket.socket(family, socket.SOCK_DGRAM)
    receiver.bind(address)
    return receiver
