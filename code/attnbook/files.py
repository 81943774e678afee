"""Writing a file in one step."""

import contextlib
import glob
import os
import secrets
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

__all__ = ["make_folder", "write_atomically"]

ABANDONED = 3600.0  # seconds after which a temporary file counts as abandoned


def make_folder(path: Path, mode: int = 0o777) -> None:
    """Make a folder for a command's results, unless it is there, and see that files can be written to it.

    Args:
        path: what the user has given as --out, or the folder of that file.
        mode: the permissions of a new folder, less those that the umask takes away.

    Raises:
        ValueError: a file is in the way.
        OSError: the folder cannot be made, or not be written to.
    """
    try:
        path.mkdir(mode, parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise ValueError(
            f"{path} cannot be a folder, since there is a file of that name; name another with --out"
        ) from None
    if not os.access(path, os.W_OK):
        raise PermissionError(
            f"{path} cannot be written to; name another folder with --out"
        )


def write_atomically(
    path: str | Path,
    content: str | bytes | Callable[[BinaryIO], object],
    mode: int = 0o666,
    *,
    follow_symlinks: bool = True,
) -> None:
    """Replace a file in one step: whatever happens, it holds the old content or the new, never a part of either.

    A file that is replaced keeps its permissions and, where the system lets us, its owner and group.

    Args:
        path: the file; missing folders are made.
        content: text (stored as UTF-8), bytes, or a function that writes to the open binary file it is given.
        mode: the permissions of a new file, less those that the umask takes away.
        follow_symlinks: replace the file that a link leads to, so that the link stays one. Else the link itself is
            replaced, as it must be in a folder where others may have laid one.
    """
    path = Path(os.path.realpath(path) if follow_symlinks else path)
    path.parent.mkdir(parents=True, exist_ok=True)
    _clear_abandoned(path)
    old = _regular(path)
    if old:
        mode = stat.S_IMODE(old.st_mode) & 0o777
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with open(
            temporary, "xb", opener=lambda name, how: os.open(name, how, mode)
        ) as file:
            if callable(content):
                content(file)
            else:
                file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            if old:
                _give_back(file.fileno(), temporary, old, mode)
            os.fsync(file.fileno())  # on the disk before it gets its name
        os.replace(temporary, path)
    except OSError as error:
        if error.errno and not error.filename:  # a write does not say to which file
            error.filename = str(path)
        raise
    finally:
        temporary.unlink(missing_ok=True)


def _regular(path: Path) -> os.stat_result | None:
    with contextlib.suppress(OSError):
        found = path.stat()
        return found if stat.S_ISREG(found.st_mode) else None
    return None


def _give_back(number: int, temporary: Path, old: os.stat_result, mode: int) -> None:
    """Give a new file the owner, the group and the permissions of the one that it replaces."""
    if hasattr(os, "fchown"):  # not on Windows
        with contextlib.suppress(OSError):
            os.fchown(number, -1, old.st_gid)
        with contextlib.suppress(OSError):  # only root may
            os.fchown(number, old.st_uid, -1)
        if os.fstat(number).st_gid != old.st_gid:
            mode &= ~0o070  # they were another group's
    with contextlib.suppress(OSError):  # some drives know no permissions
        os.chmod(temporary, mode)


def _clear_abandoned(path: Path) -> None:
    """Remove what processes left that were killed while they wrote; one that is still writing keeps its file."""
    for left in path.parent.glob(f".{glob.escape(path.name)}.*.part"):
        try:
            if time.time() - left.stat().st_mtime > ABANDONED:
                left.unlink()
        except OSError:
            pass  # another process was faster, or it is not ours to remove
