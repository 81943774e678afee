"""What the processes of a submission use together, as Linux tells it: limits of the system count each for itself.

Elsewhere nothing is known of it.
"""

import contextlib
import os
import stat
from collections.abc import Iterator

MOST_PROCESSES = 200


class Hidden(Exception):
    """A process does not let itself be looked at; none does so by mistake."""


def processes(first: int) -> list[int]:
    """A process and those below it; of too many not all.

    Args:
        first: its number.

    Returns:
        Their numbers. Some may have ended.
    """
    found: list[int] = []
    waiting = [first]
    while waiting and len(found) <= MOST_PROCESSES:
        found.append(waiting.pop())
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"/proc/{found[-1]}/task"):
                waiting += map(int, _read(f"/proc/{found[-1]}/task/{thread}/children").split())
    return found


def memory(numbers: list[int]) -> int:
    """How much memory processes hold that is no file's; what several share counts once.

    Args:
        numbers: of the processes.

    Returns:
        Bytes.

    Raises:
        Hidden: as its name says.
    """
    lines = (line for one in numbers for line in _read(f"/proc/{one}/smaps_rollup").splitlines())
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(("Pss_Anon:", "Pss_Shmem:")))


def without_a_name(numbers: list[int]) -> int:
    """How much is in files that have been removed, and that processes still have open.

    Args, Returns, Raises: as above.
    """
    sizes = {}
    for file in _open(numbers):
        with contextlib.suppress(OSError):
            seen = os.stat(file)
            if stat.S_ISREG(seen.st_mode) and not seen.st_nlink:
                sizes[seen.st_dev, seen.st_ino] = seen.st_blocks * 512
    return sum(sizes.values())


def _open(numbers: list[int]) -> Iterator[str]:
    for one in numbers:
        try:
            yield from (entry.path for entry in os.scandir(f"/proc/{one}/fd"))
        except PermissionError:
            raise Hidden from None
        except OSError:
            pass  # it has ended


def _read(path: str) -> str:
    try:
        with open(path) as file:
            return file.read()
    except PermissionError:
        raise Hidden from None
    except OSError:  # it has ended
        return ""
