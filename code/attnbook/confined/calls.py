"""System calls that a process gives up for good, and all it starts: what no limit counts, and ways to other programs.

A filter of the kernel (seccomp) needs numbers, which are a processor's own. Elsewhere nothing is given up.
"""

import contextlib
import ctypes
import os
import struct

from attnbook.confined.system import NO_NEW_PRIVILEGES, call

SET_FILTER, BY_PROGRAM = 22, 2  # of <linux/prctl.h>
GET_RING, JOIN_NEW_SESSION, OF_THE_USER = 0, 1, -4  # of <linux/keyctl.h>
NAMES = (
    *("memfd_create", "memfd_secret", "shmget", "msgget", "semget", "mq_open"),  # not a process's own memory
    *("keyctl", "add_key", "request_key"),  # passwords and tickets of the login
    *("socket", "io_uring_setup"),  # the second makes sockets, too; a socketpair is still made
    *("unshare", "setns", "mount", "fsopen"),
    *("ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "perf_event_open", "bpf", "userfaultfd"),
)
PROCESSORS = {  # machine → its number in <linux/audit.h>, and those of the calls
    "x86_64": (
        0xC000003E,
        (319, 447, 29, 68, 64, 240, 250, 248, 249, 41, 425, 272, 308, 165, 430, 101, 310, 311, 438, 298, 321, 323),
    ),
    "aarch64": (
        0xC00000B7,
        (279, 447, 194, 186, 190, 180, 219, 217, 218, 198, 425, 97, 268, 40, 430, 117, 270, 271, 438, 241, 280, 282),
    ),
}  # fmt: skip
OTHER_NUMBERING = 0x40000000  # x86_64 takes each call under a second number
LOAD, IF_EQUAL, IF_AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06  # of <linux/bpf_common.h>
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | 1  # with EPERM
NUMBER, PROCESSOR = 0, 4  # where the kernel puts them


def known() -> dict[str, int]:
    """The calls that are refused here, with their numbers; none on a processor that is not listed."""
    _, numbers = PROCESSORS.get(os.uname().machine, (0, ()))
    return dict(zip(NAMES, numbers, strict=False)) if ctypes.sizeof(ctypes.c_void_p) == 8 else {}


def give_up() -> None:
    """From now on this thread, and all that it starts, is refused these calls; it has left the keys of its login.

    Raises:
        OSError: the kernel has no such filters.
    """
    if not (refused := known()):
        return
    with contextlib.suppress(OSError):  # a kernel without keys
        call("syscall", refused["keyctl"], JOIN_NEW_SESSION, None)
    count = len(refused)
    steps = [
        (LOAD, 0, 0, PROCESSOR),
        (IF_EQUAL, 0, count + 3, PROCESSORS[os.uname().machine][0]),
        (LOAD, 0, 0, NUMBER),
        (IF_AT_LEAST, count + 1, 0, OTHER_NUMBERING),
        *((IF_EQUAL, count - place, 0, number) for place, number in enumerate(refused.values())),
        (RETURN, 0, 0, ALLOW),
        (RETURN, 0, 0, REFUSE),
    ]
    program = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    call("prctl", NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    call("prctl", SET_FILTER, BY_PROGRAM, struct.pack("@HP", len(steps), ctypes.addressof(program)))


def keys_of_this_login() -> int:
    """Try to use them.

    Returns:
        The number of their ring.

    Raises:
        OSError: that is refused, or there are no keys here.
    """
    if not (numbers := known()):
        raise OSError("the number of the call is not known here")
    return call("syscall", numbers["keyctl"], GET_RING, OF_THE_USER, 0)
