"""Calls of the system that Python does not offer."""

import ctypes
import os

DEATH_OF_PARENT, CHILD_SUBREAPER, NO_NEW_PRIVILEGES = 1, 36, 38  # of <linux/prctl.h>


def call(name: str, *arguments: int | bytes | None) -> int:
    """Call a function of the C library.

    Args:
        name: of the function.
        arguments: numbers, and bytes for pointers.

    Returns:
        What the function returns.

    Raises:
        OSError: it returns a negative number, or this library has no such function.
    """
    function = getattr(ctypes.CDLL(None, use_errno=True), name, None)
    if function is None:
        raise OSError(f"the C library has no {name}")
    given = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    if (result := function(*given)) < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return int(result)
