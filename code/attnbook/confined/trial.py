"""What a confined process tries, so that what is said about it is true: `arrangement` has this run."""

import contextlib
import importlib
import json
import os
import socket
import sys
from collections.abc import Callable

from attnbook.confined import calls


def main() -> None:
    """Do what must work, and then print what else works of that which should not."""
    task = json.loads(sys.stdin.readline())
    importlib.import_module(task["needs"])
    open(task["mark"], "r+").close()  # the folder itself, and not another in its place
    secret, here = task["secret"], ("127.0.0.1", task["tcp"])
    attempts: dict[str, Callable[[], object]] = {
        "read other files": lambda: open(secret).close(),
        "see the names of other files": lambda: os.listdir(os.path.dirname(secret)),
        "write other files": lambda: open(f"{secret}2", "w").close(),
        "empty other files": lambda: os.truncate(secret, 0),
        "change permissions of other files": lambda: os.chmod(secret, 0o600),
        "use TCP": lambda: socket.create_connection(here, 5).close(),
        "use UDP": lambda: _socket("AF_INET").sendto(b"", ("127.0.0.1", task["udp"])),
        "talk to other programs of this user": lambda: _socket("AF_UNIX").sendto(b"", task["unix"]),
        "use the keys of this login": lambda: calls.keys_of_this_login(),
        "see which programs run": lambda: os.stat(f"/proc/{task['other']}/cmdline"),
        "signal other processes": lambda: os.kill(task["other"], 0),
    }
    print(json.dumps([what for what, attempt in attempts.items() if _works(attempt)]))


def _socket(family: str) -> socket.socket:
    return socket.socket(getattr(socket, family), socket.SOCK_DGRAM)


def _works(attempt: Callable[[], object]) -> bool:
    with contextlib.suppress(OSError):
        attempt()
        return True
    return False


if __name__ == "__main__":
    main()
