"""The folder that a submission may change: made, watched while it runs, and removed, whatever its author has put there.

It is the process's home. The process works in a folder in it, so that it may remove that one.
"""

import contextlib
import os
import secrets
import shutil
import tempfile

MOST_FILES = 20_000


def make() -> str:
    """Make the folder, and the one in it.

    Returns:
        The path of the outer folder, without links.
    """
    outer = os.path.realpath(tempfile.mkdtemp(prefix="attnbook-"))
    os.mkdir(inner(outer))
    return outer


def inner(outer: str) -> str:
    """Where the submission works.

    Args:
        outer: from `make`.

    Returns:
        The path.
    """
    return os.path.join(outer, "work")


def is_full(outer: str, most: float) -> bool:
    """Whether a folder holds too much, or hides how much.

    Args:
        outer: from `make`.
        most: bytes.

    Returns:
        True if it holds more bytes, or more than 20,000 files and folders, or something that cannot be looked at.
    """
    files, size, waiting = 0, 0, [outer]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    seen = entry.stat(follow_symlinks=False)
                    # a file with holes takes less room than it seems to
                    size += getattr(seen, "st_blocks", seen.st_size // 512 + 1) * 512
                    files += 1
                    if size > most or files > MOST_FILES:
                        return True
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except (FileNotFoundError, NotADirectoryError):
            pass  # it has just been removed
        except OSError:
            return os.name == "posix"
    return False


def remove(outer: str) -> None:
    """Remove it when no process works there any more.

    No link is followed. What Python cannot remove, folders that are closed or so deep that they have no path, is opened
    and brought up first; that takes longer.

    Args:
        outer: from `make`.
    """
    with contextlib.suppress(OSError, RecursionError):
        _is_folder(outer)
        shutil.rmtree(outer, ignore_errors=True)
    mark, count = os.path.join(outer, secrets.token_hex(8)), 0
    with contextlib.suppress(OSError):
        while names := os.listdir(outer):
            for name in names:
                path = os.path.join(outer, name)
                if not _is_folder(path):
                    os.unlink(path)
                    continue
                for inside in os.listdir(path):
                    below = os.path.join(path, inside)
                    if _is_folder(below):
                        count += 1
                        os.rename(below, f"{mark}{count}")
                    else:
                        os.unlink(below)
                os.rmdir(path)
        os.rmdir(outer)


def _is_folder(path: str) -> bool:
    """Whether it is a folder, and no link to one; if so, we may look into it."""
    found = os.path.isdir(path) and not os.path.islink(path)
    if found:
        os.chmod(path, 0o700)
    return found
