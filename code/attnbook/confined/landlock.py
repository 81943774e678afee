"""Landlock: a Linux process gives up rights to files, to TCP and over other processes, for good and for all it starts.

The numbers are those of <linux/landlock.h>. What an older kernel does not know, it is not asked for.
"""

import contextlib
import os
import stat
import struct
import sys
from collections.abc import Iterable

from attnbook.confined.system import NO_NEW_PRIVILEGES, call

# numbers of system calls, the same on every processor that PyTorch runs on
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
ASK_FOR_VERSION = 1
BELOW_A_PATH = 1

EXECUTE, WRITE_FILE, READ_FILE, READ_FOLDER = 1 << 0, 1 << 1, 1 << 2, 1 << 3
MAKE_DEVICES = 1 << 6 | 1 << 11
TRUNCATE, CONTROL_DEVICES = 1 << 14, 1 << 15
KNOWN = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}  # version → how many rights to files
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | CONTROL_DEVICES
READ = READ_FILE | READ_FOLDER
CHANGE = ~(EXECUTE | MAKE_DEVICES)
BIND_AND_CONNECT = 1 << 0 | 1 << 1  # from version 4
ABSTRACT_SOCKETS_AND_SIGNALS = 1 << 0 | 1 << 1  # from version 6


def version() -> int:
    """Which version of Landlock the kernel has; 0 without any.

    Returns:
        The version.
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            return call("syscall", CREATE_RULESET, None, 0, ASK_FOR_VERSION)
    return 0


def restrict(readable: Iterable[str], changeable: Iterable[str]) -> None:
    """From now on this thread, and all that it starts, may read some files, change some, and run no program.

    Nor may it connect or listen by TCP, or signal processes that it has not started, as far as the kernel knows of it.

    Args:
        readable: files and folders; what is not there is passed over.
        changeable: likewise; they may be read, too.

    Raises:
        OSError: the kernel does not have Landlock, or refuses.
    """
    known = version()
    files = (1 << KNOWN.get(known, 16)) - 1
    ruleset = call(
        "syscall",
        CREATE_RULESET,
        struct.pack(
            "=QQQ", files, BIND_AND_CONNECT if known >= 4 else 0, ABSTRACT_SOCKETS_AND_SIGNALS if known >= 6 else 0
        ),
        24,
        0,
    )
    allowed = [(path, READ) for path in readable]
    for path, rights in allowed + [(path, CHANGE) for path in changeable]:
        try:
            at = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        if not stat.S_ISDIR(os.fstat(at).st_mode):
            rights &= OF_FILES
        rule = struct.pack("=Qi", rights & files, at)
        call("syscall", ADD_RULE, ruleset, BELOW_A_PATH, rule, 0)
        os.close(at)
    call("prctl", NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    call("syscall", RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)
