"""The subcommands that need the repository: they build, test, open, serve and execute the book."""

import argparse
import errno
import functools
import os
import signal
import subprocess
import sys
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

# The C library's (glibc): what was freed is kept for the next step, in large pages. A training needs a tenth less time.
MEMORY = {
    "MALLOC_TRIM_THRESHOLD_": str(2**31),
    "MALLOC_MMAP_THRESHOLD_": str(2**25),
    "MALLOC_TOP_PAD_": str(2**26),
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
}
HOSTED = {".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm"}

# how the cells of notebooks are run and compared
NBVAL = (*("--nbval", "--nbval-current-env"), *("--nbval-sanitize-with", "tests/nbval_sanitize.cfg"))


def find_repository() -> Path:
    """The book's folder: the current one, one around it, or the one in which the package lies."""
    here = Path.cwd()
    for folder in (here, *here.parents, Path(__file__).parents[3]):
        if (folder / "tools" / "book.py").is_file() and (folder / "_config.yml").is_file():
            return folder
    raise FileNotFoundError(
        f"this needs the book's repository (chapters, tests, tools), and {here} is not in it; go to its folder first"
    )


def _python(root: Path, *words: str, **variables: str) -> int:
    """Run `python …` in the repository, with its own package."""
    path = os.pathsep.join(filter(None, [str(root / "code"), os.environ.get("PYTHONPATH")]))
    # files are read and written as UTF-8 on Windows, too, whichever package does it
    env = os.environ | {"PYTHONPATH": path, "PYTHONUTF8": "1"} | variables
    with subprocess.Popen([sys.executable, *words], cwd=root, env=env) as program:
        # Ctrl-C reaches the program by itself; a request to end comes to this process alone
        before = signal.signal(signal.SIGTERM, lambda *_: program.terminate())
        try:
            while True:
                try:
                    status = program.wait()
                    return status if status >= 0 else 128 - status
                except KeyboardInterrupt:
                    continue  # JupyterLab wants to ask before it ends
        finally:
            signal.signal(signal.SIGTERM, before)


def book(options: argparse.Namespace, rest: list[str]) -> int:
    """Build the book, and say where to open it."""
    return _python(find_repository(), "-m", "tools.book", *rest)


def test(options: argparse.Namespace, rest: list[str]) -> int:
    """Run pytest and nbval on everything, or as its arguments say, on the CPU."""
    # On the CPU and with one thread sums are added in one order, so that stored outputs compare.
    threads = str(options.threads)
    fixed = {"ATTNBOOK_DEVICE": "cpu", "OMP_NUM_THREADS": threads, "MKL_NUM_THREADS": threads}
    fixed |= {"ATTNBOOK_LANGUAGE": "en", **MEMORY}
    fixed["PYTHONDONTWRITEBYTECODE"] = ""  # hundreds of processes: what one has compiled, the others need not
    # four on two cores, as those that drive a browser or wait for a process leave room; in this order, and not the
    # files with most tests first: the chapters take longest
    everything = ["-n", "4", "--dist", "loadscope", "--no-loadscope-reorder", "chapters", "tests"]
    return _python(find_repository(), "-m", "pytest", *NBVAL, *(rest or everything), **fixed)


def lab(options: argparse.Namespace, rest: list[str]) -> int:
    """Open the chapters in JupyterLab."""
    where = ["--notebook-dir=.", "--LabApp.default_url=/lab/tree/chapters"]
    return _python(find_repository(), "-m", "jupyterlab", *where, *rest)


def chapter(options: argparse.Namespace, rest: list[str]) -> int:
    """Execute chapters and write their notebooks."""
    return _python(find_repository(), "-m", "tools.chapter", *rest)


def serve(options: argparse.Namespace, rest: list[str]) -> int:
    """Serve the built book at an address of this machine until Ctrl-C."""
    pages = find_repository() / "_build" / "html"
    if not (pages / "index.html").is_file():
        raise FileNotFoundError("the book is not built yet; run attnbook book first")
    # Windows lets programs change these types, and a browser runs no script that comes as plain text
    kinds = {"extensions_map": SimpleHTTPRequestHandler.extensions_map | HOSTED}
    handler = type("Pages", (SimpleHTTPRequestHandler,), kinds)
    try:
        server = ThreadingHTTPServer(("127.0.0.1", options.port), functools.partial(handler, directory=pages))
    except (OSError, OverflowError) as error:
        taken = getattr(error, "errno", None) == errno.EADDRINUSE
        why = "is taken" if taken else f"cannot be used ({error})"
        raise ValueError(f"port {options.port} {why}; choose another with --port") from error
    with server:
        print(f"The book is at http://127.0.0.1:{server.server_port}/ (end with Ctrl-C)", flush=True)
        server.serve_forever()
    return 0
