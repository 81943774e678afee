"""What lies beside the files of a submission: modules and data of its author's, in a copy of their own."""

import contextlib
import importlib
import os
import stat
import sys
import types
from collections.abc import Iterator
from pathlib import Path

from attnbook.exercises.guard import kept

MOST_FILES = 1000
MOST_BYTES = 200_000_000
DEEPEST = 20  # folders
PASSED_OVER = (".", "__pycache__")  # how names begin that are no part of anybody's work


class Home:
    """A working folder with a copy of the folder that a student has handed in.

    Args:
        root: the working folder.
        original: the student's folder; None if it is the class's, in which others' files lie.
    """

    def __init__(self, root: Path, original: Path | None = None):
        self.root, self.original = root.resolve(), original and original.resolve()
        self.left_out: list[str] = []
        self.files = self.bytes = 0
        if self.original:
            with os.scandir(self.original) as entries:
                self._copy([*entries], self.root, DEEPEST)

    def _copy(self, entries: list[os.DirEntry], to: Path, deeper: int) -> None:
        # files first: what lies nearest is needed most
        for entry in sorted(
            entries, key=lambda one: (one.is_dir(follow_symlinks=False), one.name)
        ):
            if entry.name.startswith(PASSED_OVER):
                continue
            try:
                if entry.is_dir(follow_symlinks=False):
                    if not deeper:
                        raise OSError("too deep")
                    os.makedirs(to / entry.name, exist_ok=True)
                    with os.scandir(entry.path) as inside:
                        self._copy([*inside], to / entry.name, deeper - 1)
                else:
                    self._copy_file(entry.path, to / entry.name)
            except OSError:
                self.left_out.append(os.path.relpath(entry.path, self.original))

    def _copy_file(self, path: str, to: Path) -> None:
        flags = os.O_RDONLY
        for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):  # each where there is one
            flags |= getattr(os, name, 0)
        number = os.open(path, flags)
        with open(number, "rb") as file:
            about = os.fstat(number)
            fits = self.bytes + about.st_size <= MOST_BYTES and self.files < MOST_FILES
            if not stat.S_ISREG(about.st_mode) or not fits:
                raise OSError("no file, or too much")
            self.files += 1
            self.bytes += about.st_size
            to.write_bytes(file.read(about.st_size))

    def problem(self) -> str:
        """What was left out, in a sentence; nothing if nothing was."""
        if not self.left_out:
            return ""
        some, more = ", ".join(self.left_out[:5]), len(self.left_out) - 5
        return (
            f"of what lies beside the answers, {some}{f' and {more} more' if more > 0 else ''} could not be copied "
            f"(only files, at most {MOST_FILES}, of {MOST_BYTES // 1_000_000} MB together)"
        )

    def of(self, path: Path) -> Path:
        """The folder that stands for the one in which a file lies."""
        if self.original and path.is_relative_to(self.original):
            return self.root / path.relative_to(self.original).parent
        return self.root

    @contextlib.contextmanager
    def world(self, folder: Path) -> Iterator[dict]:
        """The names of a new `__main__`, in a folder whose modules can be imported; afterwards all is as before.

        Args:
            folder: one of this working folder's.

        Yields:
            The names, none of them given yet.
        """
        loaded = {*sys.modules}
        path, main, made = (
            sys.path[:],
            sys.modules["__main__"],
            types.ModuleType("__main__"),
        )
        folder.mkdir(parents=True, exist_ok=True)  # an earlier run may have deleted it
        os.chdir(folder)
        sys.path.insert(0, str(folder))
        importlib.invalidate_caches()
        sys.modules["__main__"] = made
        try:
            with kept():
                yield vars(made)
        finally:
            sys.path[:], sys.modules["__main__"] = path, main
            for name in {*sys.modules} - loaded:
                if self._holds(sys.modules[name]):
                    del sys.modules[name]

    def _holds(self, module: object) -> bool:
        """Whether a module is one of the student's own."""
        spec = getattr(module, "__spec__", None)
        places = [getattr(spec, "origin", None)]
        places += getattr(spec, "submodule_search_locations", None) or []
        return any(Path(one).is_relative_to(self.root) for one in places if one)
