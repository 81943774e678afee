"""The surroundings in which chapters are executed and re-run, so that their outputs compare; those of a measurement."""

import contextlib
import os
import platform
import tempfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def versions(*packages: str) -> dict[str, str]:
    """What a result was made with: the versions of Python, PyTorch and these packages, by name."""
    by_name = {"python": platform.python_version()}
    for package in ("torch", *packages):
        try:
            by_name[package] = version(package)
        except PackageNotFoundError:
            by_name[package] = "not installed"
    return by_name


def machine(**more: object) -> dict[str, object]:
    """What a result was measured on: the kind of processor and what else is told; nothing that names the machine."""
    return {"architecture": platform.machine(), **more}


def execution_environment(scratch: str | Path, threads: str = "1") -> dict[str, str]:
    """The variables under which chapters are executed and re-run, so that stored outputs compare.

    Args:
        scratch: a folder of one's own; the reader's progress and the user's IPython settings stay out of it.
        threads: how many add up a sum. Outputs are stored with one, in whose fixed order they compare exactly.
    """
    return {
        "ATTNBOOK_BARS": "off",
        "ATTNBOOK_DEVICE": "cpu",
        "ATTNBOOK_LANGUAGE": "en",
        "ATTNBOOK_PROGRESS": str(Path(scratch) / "progress.json"),
        "IPYTHONDIR": str(Path(scratch) / "ipython"),
        "JUPYTER_PREFER_ENV_PATH": "1",  # the kernel of this environment, not one of the same name at home
        "MKL_NUM_THREADS": threads,
        "OMP_NUM_THREADS": threads,
    }


@contextlib.contextmanager
def clean_environment() -> Iterator[None]:
    """Set `execution_environment` in a temporary folder, and put everything back afterwards."""
    before = dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="attnbook-") as scratch:
        os.environ.update(execution_environment(scratch))
        os.environ.pop("MPLBACKEND", None)  # the kernel chooses its own inline backend
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)
