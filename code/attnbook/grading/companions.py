"""What lies beside the files of a submission: modules and data of its author's, in a copy of their own."""

import contextlib
import importlib
import os
import stat
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from attnbook.exercises.guard import kept

MOST_FILES = 1000
MOST_BYTES = 200_000_000
DEEPEST = 20  # folders
PASSED_OVER = (".", "__pycache__")  # how names begin that are no part of anybody's work


def copied(folders: Sequence[Path], to: Path, loose: Mapping[str, Path] = MappingProxyType({})) -> str:
    """Copy what a student has handed in; it is the grader that does so, before the submission runs.

    Args:
        folders: the student's own, not the class's.
        to: the working folder.
        loose: files that lie elsewhere, by the names that they get in the working folder.

    Returns:
        What was left out, in a sentence: what is too much, or cannot be read. Empty if nothing was.
    """
    copy = _Copy()
    for folder, place in _places(folders, to).items():
        copy.folder(folder, place, DEEPEST)
    for name, path in loose.items():
        copy.attempt(path, to / name)
    homes = {os.path.dirname(path) for path in (*folders, *loose.values())}
    left_out = [os.path.relpath(one, min(homes)) for one in dict.fromkeys(copy.left_out)]
    if not left_out:
        return ""
    more = f" and {len(left_out) - 5} more" if len(left_out) > 5 else ""
    return (
        f"of what lies beside the answers, {', '.join(left_out[:5])}{more} could not be copied (only files, at most "
        f"{MOST_FILES}, of {MOST_BYTES // 1_000_000} MB together)"
    )


def _places(folders: Sequence[Path], root: Path) -> dict[Path, Path]:
    """Where in the working folder the copy of each folder lies."""
    if len(folders) == 1:
        return {folders[0]: root}
    return {folder: root / str(number) for number, folder in enumerate(folders)}


class _Copy:
    """What was copied so far, and what was left out."""

    def __init__(self) -> None:
        self.files = self.bytes = 0
        self.left_out: list[str] = []

    def folder(self, path: str | Path, to: Path, deeper: int) -> None:
        to.mkdir(exist_ok=True)
        with os.scandir(path) as found:
            entries = [
                one
                for one in found
                if not one.name.startswith(PASSED_OVER)
                # links, pipes and the like have been named already (submissions.py)
                and (one.is_file(follow_symlinks=False) or one.is_dir(follow_symlinks=False))
            ]
        folders = {one for one in entries if one.is_dir(follow_symlinks=False)}
        # files first: what lies nearest is needed most
        for entry in sorted(entries, key=lambda one: (one in folders, one.name)):
            try:
                if entry not in folders:
                    self.attempt(entry.path, to / entry.name)
                elif deeper:
                    self.folder(entry.path, to / entry.name, deeper - 1)
                else:
                    self.left_out.append(entry.path)
            except OSError:
                self.left_out.append(entry.path)

    def attempt(self, path: str | Path, to: Path) -> None:
        try:
            self.file(path, to)
        except OSError:
            self.left_out.append(str(path))

    def file(self, path: str | Path, to: Path) -> None:
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


class Home:
    """The working folder, in which the process runs that judges.

    Args:
        root: its path.
        folders: those of which it holds copies.
    """

    def __init__(self, root: Path, folders: Sequence[Path] = ()):
        self.root = root.resolve()
        self.places = _places(folders, self.root)

    def of(self, path: Path) -> Path:
        """The folder that stands for the one in which a file lies."""
        for folder, place in self.places.items():
            if path.is_relative_to(folder):
                return place / path.relative_to(folder).parent
        return self.root

    def inside(self, folder: Path, name: str) -> Path | None:
        """The place of a file in this working folder; None if it has none there."""
        with contextlib.suppress(OSError, ValueError, RuntimeError):
            path = (folder / name).resolve()
            return path if path.is_relative_to(self.root) else None
        return None

    @contextlib.contextmanager
    def world(self, folder: Path) -> Iterator[dict]:
        """The names of a new `__main__`, in a folder whose modules can be imported; afterwards all is as before.

        Args:
            folder: one of this working folder's.

        Yields:
            The names, none of them given yet.
        """
        loaded, path, argv = {*sys.modules}, sys.path[:], sys.argv
        main, made = sys.modules["__main__"], types.ModuleType("__main__")
        folder.mkdir(parents=True, exist_ok=True)  # an earlier run may have deleted it
        os.chdir(folder)
        sys.path[:0] = ["", str(folder)]  # a kernel looks for modules where it is
        importlib.invalidate_caches()
        sys.modules["__main__"] = made
        try:
            with kept():
                yield vars(made)
        finally:
            sys.path[:], sys.argv, sys.modules["__main__"] = path, argv, main
            for name in {*sys.modules} - loaded:
                if self._holds(sys.modules[name]):
                    del sys.modules[name]

    def _holds(self, module: object) -> bool:
        """Whether a module is one of the student's own."""
        spec = getattr(module, "__spec__", None)
        places = [getattr(spec, "origin", None)]
        places += getattr(spec, "submodule_search_locations", None) or []
        return any(Path(one).is_relative_to(self.root) for one in places if one)
