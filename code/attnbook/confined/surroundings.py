"""What a confined process gets: an environment without the user's own settings, and files that Python needs."""

import os
import sys
from collections.abc import Iterable
from pathlib import Path

# all else of the environment may be a secret
KEPT = {
    "ATEN_CPU_CAPABILITY",
    "COMSPEC",
    "KMP_DUPLICATE_LIB_OK",
    "LANG",
    "LANGUAGE",
    "LD_LIBRARY_PATH",
    "LOGNAME",
    "MKL_ENABLE_INSTRUCTIONS",
    "NUMBER_OF_PROCESSORS",
    "ONEDNN_MAX_CPU_ISA",
    "PATH",
    "PATHEXT",
    "PYTHONHOME",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TZ",
    "USER",
    "USERNAME",
    "WINDIR",
}
KEPT_ALL = ("DYLD_", "LC_", "PROCESSOR_")  # names that begin like this
SYSTEM = (
    "/usr",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/bin",
    "/nix/store",
    "/gnu/store",
    "/proc",
    "/sys/devices/system",
)
DEVICES = ("full", "null", "random", "urandom", "zero")
SETTINGS = (
    "alternatives",
    "fonts",
    "group",
    "hosts",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "locale.alias",
    "localtime",
    "mime.types",
    "nsswitch.conf",
    "os-release",
    "passwd",
    "timezone",
)
INSTALLED = ("bin", "etc", "fonts", "include", "lib", "lib64", "pyvenv.cfg", "share")
PACKAGE = Path(__file__).resolve().parents[1]


def environment(folder: str, private: Iterable[str] = ()) -> dict[str, str]:
    """The environment of a confined process.

    Args:
        folder: the only one that it may change: its home, and the place for its temporary files.
        private: folders whose content is not for it.

    Returns:
        What it may know of this process's environment, and paths by which it finds the same packages.
    """
    kept = {
        name: value for name, value in os.environ.items() if name.upper() in KEPT or name.upper().startswith(KEPT_ALL)
    }
    own = ("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP", "MPLCONFIGDIR")
    path = [str(PACKAGE.parent), *_search_path(private)]
    return {
        **kept,
        **dict.fromkeys(own, folder),
        "PYTHONPATH": os.pathsep.join(path),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONIOENCODING": "utf-8",
    }


def readable(private: Iterable[str] = ()) -> list[str]:
    """The files and folders that Python and installed packages need.

    Args:
        private: folders whose content is not to be read.

    Returns:
        Absolute paths, each as it is named and as it is without links. Some may not be there.
    """
    prefixes = {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}
    installed = [os.path.join(one, part) for one in prefixes for part in INSTALLED]
    libraries = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    paths = [
        *SYSTEM,
        *(f"/dev/{one}" for one in DEVICES),
        *(f"/etc/{one}" for one in SETTINGS),
        *installed,
        str(PACKAGE.parent),
        *_search_path(private),
        *_public(libraries, private),
    ]
    return sorted({way for path in paths for way in (path, os.path.realpath(path))})


def _search_path(private: Iterable[str]) -> list[str]:
    return _public(sys.path, private)


def _public(paths: Iterable[str], private: Iterable[str]) -> list[str]:
    """Those that are there and do not hold the user's home, the current folder, or another that is private."""
    own = {os.path.realpath(one) for one in (os.path.expanduser("~"), ".", *private)}
    return [
        os.path.abspath(path)
        for path in paths
        if path and os.path.exists(path) and not any(Path(one).is_relative_to(os.path.realpath(path)) for one in own)
    ]
