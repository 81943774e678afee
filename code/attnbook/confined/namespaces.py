"""Namespaces: a Linux process with no network, with no view of other processes, and with a root of its own.

An unprivileged process may do so where the system lets it make a namespace of users.
"""

import contextlib
import os
import struct
import sys
from collections.abc import Iterable
from pathlib import Path

from attnbook.confined.system import NO_NEW_PRIVILEGES, call

# of <linux/sched.h>: mounts, messages between processes, users, processes, network
NEW = 0x00020000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
NO_SUID, BIND, RECURSIVE, PRIVATE = 2, 1 << 12, 1 << 14, 1 << 18  # <linux/mount.h>
DETACH = 2
SET_ATTRIBUTES = 442  # the number of mount_setattr on every processor
HERE, ALL_BELOW = -100, 0x8000
READ_ONLY = 1
CAPABILITIES_3 = 0x20080522
PROCESSES = 200  # with their threads; the kernel holds root to no such number


def leave() -> None:
    """Leave the network, the other processes and the mounts; the processes from the next one on are numbered anew.

    Raises:
        OSError: the system does not allow it.
    """
    user, group = os.getuid(), os.getgid()
    call("unshare", NEW)
    with contextlib.suppress(FileNotFoundError):
        Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")


def new_root(readable: Iterable[str], folder: str) -> None:
    """Make a root in which some files and folders can be read, one folder can be changed, and there is nothing else.

    Args:
        readable: files and folders, by absolute paths; what is not there is passed over.
        folder: an absolute path without links.

    Raises:
        OSError: the system does not allow it.
    """
    own = os.open(folder, os.O_PATH | os.O_CLOEXEC)
    call("mount", None, b"/", None, RECURSIVE | PRIVATE, None)
    # over the folder, since this is a place that no one else needs
    call("mount", b"tmpfs", folder.encode(), b"tmpfs", NO_SUID, b"mode=755")
    shown: list[str] = []
    for path in sorted({*map(os.path.normpath, readable)} - {"/proc"}):
        is_new = not any(Path(path).is_relative_to(one) for one in shown)
        if is_new and os.path.exists(path):
            _show(path, folder + path)
            shown.append(path)
    os.makedirs(f"{folder}/proc", exist_ok=True)
    try:
        call("mount", b"proc", f"{folder}/proc".encode(), b"proc", NO_SUID, None)
    except OSError:  # in some containers, where a part of it is hidden
        _show("/proc", f"{folder}/proc")
    _show(f"/proc/self/fd/{own}", folder + folder, 0)  # without what now lies over it
    os.close(own)
    _set(folder, ALL_BELOW, READ_ONLY, 0)
    _set(folder + folder, 0, 0, READ_ONLY)
    os.chdir(folder)
    call("pivot_root", b".", b".")
    call("umount2", b".", DETACH)
    os.chdir("/")


def _show(path: str, place: str, below: int = RECURSIVE) -> None:
    if os.path.isdir(path):
        os.makedirs(place, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "ab"):
            pass
    call("mount", os.fsencode(path), os.fsencode(place), None, BIND | below, None)


def _set(place: str, how: int, add: int, remove: int) -> None:
    attributes = struct.pack("=QQQQ", add, remove, 0, 0)
    arguments = HERE, os.fsencode(place), how, attributes, len(attributes)
    call("syscall", SET_ATTRIBUTES, *arguments)


def bound_processes() -> None:
    """Bound the number of processes, in a namespace of users that holds no others."""
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_NPROC, (PROCESSES, PROCESSES))


def drop_capabilities() -> None:
    """Give up what the namespaces have brought, and what root may do beside what all others may.

    Raises:
        OSError: the system does not allow it.
    """
    call("prctl", NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    call("capset", struct.pack("=Ii", CAPABILITIES_3, 0), bytes(24))
