"""Sphinx extension: what pages need to run Python in themselves, below `_static/classroom/`.

A page opened from a file can load scripts and nothing else. So Pyodide (Python for browsers), the checker, the
stand-in for torch and the chapters' cells are packed into scripts, which `attnbook/classroom/python.js` asks for when a
reader runs the first cell. Pyodide and CodeMirror come from npm
(tools/node); without them the book is built without editors, and says so.
"""

import hashlib
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util import logging

from attnbook.widgets.kit import script_parts
from attnbook.widgets.scripts import newest, packed_script
from tools import NODE, NODE_MODULES, ROOT, stored_notebooks
from tools.languages import LANGUAGES, LOCALE, translation

FOLDER = "classroom"
PACKAGE = ROOT / "code" / "attnbook"
CLASSROOM = PACKAGE / "classroom"
PYODIDE = NODE_MODULES / "pyodide"
LAST_WRITTEN = "classroom.css"  # of the files to be written
SLICE = 2_000_000  # bytes of what a script holds, before they are packed
MISSING = 3  # the exit status if Pyodide is not there
# rooms and modules that work in the page; what else a chapter imports is not available there
ROOMS = "attention", "checks", "classroom", "exercises", "pairs", "page", "transformer"
MODULES = "__init__.py", "data/synthetic.py", "files.py", "reproducible.py"
# parts of Python's library that no cell of a reader needs: tests, servers, formats, terminals, other systems
UNUSED = """
_aix_support _android_support _apple_support _ios_support _markupbase _pydatetime _pydecimal _pyio _pylong _pyrepl
antigravity argparse bdb cmd compileall configparser cProfile ctypes curses dbm doctest email ensurepip fileinput ftplib
getopt getpass html http idlelib imaplib ipaddress mailbox mimetypes modulefinder multiprocessing netrc nturl2path
optparse pdb pickletools platform plistlib poplib profile pstats pty pyclbr pydoc pydoc_data rlcompleter sched shelve
smtplib socketserver sqlite3 tabnanny tarfile test tkinter tomllib trace tracemalloc tty turtle turtledemo unittest
urllib uuid venv wave webbrowser wsgiref xml xmlrpc zipapp zoneinfo
asyncio/__main__ asyncio/proactor_events asyncio/tools
asyncio/windows_events asyncio/windows_utils concurrent/interpreters importlib/metadata importlib/resources json/tool
logging/config logging/handlers pyodide/console sysconfig/__main__
"""
ENCODINGS = {"__init__", "aliases", "ascii", "cp437", "latin_1", "raw_unicode_escape", "unicode_escape", "utf_8"}
EXERCISES = re.compile(r'<section id="exercises">\s*<h2>.*?</h2>', re.DOTALL)
WITHOUT = (
    '<p class="classroom-without">This page has no JavaScript now. With it, answers can be written and checked here; '
    "without it, in the notebook.</p>"
)


class Missing(Exception):
    """What the page's Python is made of is not installed."""


# --- Python and its library -------------------------------------------------------------------------------------------


def _is_needed(name: str) -> bool:
    parts = name.removesuffix(".py").split("/")
    if parts[0] == "encodings":
        return parts[1] in ENCODINGS
    return name[-1] != "/" and not {parts[0], "/".join(parts[:2])} & set(UNUSED.split())


def zipped(files: dict[str, bytes]) -> bytes:
    """A zip archive that is the same for the same files; not compressed, since gzip does better over all of them."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as out:
        for name, content in sorted(files.items()):
            out.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content)
    return archive.getvalue()


def bytecode(book: dict[str, bytes]) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """What is imported before the first cell, compiled, by file name: Python starts in a third of the time.

    Args:
        book: the book's own modules, by file name.

    Returns:
        What is of Python's library, and what is of the book, to stand beside its modules.

    Raises:
        Missing: Pyodide cannot do it.
    """
    with TemporaryDirectory() as temporary:
        modules, made = Path(temporary, "book.zip"), Path(temporary, "compiled.zip")
        modules.write_bytes(zipped(book))
        program = [NODE, Path(__file__).with_suffix(".js"), PYODIDE, modules, made]
        done = subprocess.run(program, capture_output=True, text=True, encoding="utf-8")
        if done.returncode:
            raise Missing(f"Pyodide could not compile what it imports:\n{done.stderr}")
        files = files_in(made)
    library, compiled = (
        {name.removeprefix(folder): content for name, content in files.items() if name.startswith(folder)}
        for folder in ("library/", "book/")
    )
    return library, compiled


def files_in(archive: Path) -> dict[str, bytes]:
    """The files of a zip archive, by name."""
    with zipfile.ZipFile(archive) as within:
        return {name: within.read(name) for name in within.namelist() if name[-1] != "/"}


def engine_parts(book: dict[str, bytes]) -> dict[str, bytes]:
    """Pyodide as the worker starts it, and the book's own modules.

    Of Pyodide's module a script is made, which gives the name `pyodideModule`.

    Args:
        book: see `bytecode`.
    """
    address = '--define:import.meta.url="https://pyodide.invalid/pyodide.asm.mjs"'
    script = ["--minify-whitespace", "--format=iife", "--global-name=pyodideModule", address]
    ready, compiled = bytecode(book)
    library = files_in(PYODIDE / "python_stdlib.zip")
    imported_later = {
        name: content for name, content in library.items() if _is_needed(name) and f"{name}c" not in ready
    }
    lock = json.loads((PYODIDE / "pyodide-lock.json").read_text("utf-8"))
    return {
        "asm": esbuild(PYODIDE / "pyodide.asm.mjs", *script).encode(),
        "loader": (PYODIDE / "pyodide.js").read_bytes(),
        "wasm": (PYODIDE / "pyodide.asm.wasm").read_bytes(),
        "library": zipped(imported_later | ready),
        "lock": json.dumps({**lock, "packages": {}}).encode(),
        "book": zipped(book | compiled),
    }


# --- the book's own part ----------------------------------------------------------------------------------------------


def cells() -> dict[str, list[str]]:
    """The code cells of each page that is a notebook, by the page's name."""
    # not read with nbformat: to import it takes a second
    return {
        f"chapters/{path.stem}": [
            "".join(cell["source"])
            for cell in json.loads(path.read_text("utf-8"))["cells"]
            if cell["cell_type"] == "code"
        ]
        for path in stored_notebooks()
    }


def book_files() -> dict[str, bytes]:
    """The modules of the page's Python: torch and numpy (the stand-in), the rooms that work there, the cells."""
    import torch  # a second, which Sphinx itself need not wait for

    from attnbook.classroom.handed import DRAWN
    from attnbook.data import kernel_regression_data

    standin = PACKAGE / "standin"
    paths = {path: path.relative_to(standin) for path in standin.rglob("*")}
    for path in [PACKAGE / name for name in MODULES if (PACKAGE / name).is_file()] + [
        path for room in ROOMS for path in (PACKAGE / room).rglob("*")
    ]:
        paths[path] = path.relative_to(PACKAGE.parent)
    files = {
        place.as_posix(): path.read_bytes()
        for path, place in paths.items()
        if path.suffix in (".py", ".txt") and "__pycache__" not in path.parts
    }
    del files["__init__.py"]  # the stand-in's own
    files["attnbook/classroom/cells.json"] = json.dumps(cells()).encode()
    files["attnbook/data/__init__.py"] = (CLASSROOM / "handed.py").read_bytes()
    options: dict[str, Any] = {**DRAWN, "dtype": torch.float64}
    drawn = kernel_regression_data(**options)
    rows = [tensor.tolist() for tensor in vars(drawn).values()]
    files["attnbook/data/drawn.json"] = json.dumps(rows).encode()
    return files


def exercises() -> dict[str, list[str]]:
    """Names of the exercises on each page."""
    by_page = {
        page: [name for source in sources for name in re.findall(r'^check\("([\w-]+)"', source, re.MULTILINE)]
        for page, sources in cells().items()
    }
    return {page: names for page, names in by_page.items() if names}


# --- the scripts ------------------------------------------------------------------------------------------------------


def esbuild(path: Path, *options: str) -> str:
    """What esbuild makes of a file of JavaScript.

    Raises:
        Missing: it is not installed, or finds a fault.
    """
    done = subprocess.run(
        [NODE, NODE_MODULES / "esbuild/bin/esbuild", path, "--charset=utf8", *options],
        env={**os.environ, "NODE_PATH": str(NODE_MODULES)},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    if done.returncode:
        raise Missing(f"esbuild could not make a script of {path.name}:\n{done.stderr}")
    return done.stdout


def page_script(setup: dict) -> str:
    """The script of every page: `cells.js` and all that it imports."""
    start = [f"const SETUP = {json.dumps(setup)};", "const modules = {};"]
    parts = script_parts(CLASSROOM / "cells.js").values()
    return "\n".join(["(() => {", '"use strict";', *start, *parts, "})();\n"])


def scripts() -> dict[str, bytes]:
    """All that pages load, by file name.

    Raises:
        Missing: Pyodide, CodeMirror or esbuild is not installed, or not the one that is expected.
    """
    if not PYODIDE.is_dir():
        raise Missing(f"there is no Pyodide in {NODE_MODULES}")
    from tools.languages.exercises import gettext_catalog  # it imports torch

    engine, places = b"", {}
    for name, content in engine_parts(book_files()).items():
        begin, engine = len(engine), engine + content
        places[name] = begin, len(engine)
    slices = [engine[begin : begin + SLICE] for begin in range(0, len(engine), SLICE)]
    files = {
        f"engine-{number}.js": packed_script(f"(globalThis.attnbookSlices ??= [])[{number}]", piece)
        for number, piece in enumerate(slices)
    }
    megabytes = round(sum(map(len, files.values())) / 1e6, 1)
    worker = (CLASSROOM / "worker.js").read_text("utf-8")
    files["worker.js"] = f"globalThis.attnbookWorker = {json.dumps(worker)};\n".encode()
    files["editor.js"] = esbuild(CLASSROOM / "editor.js", "--bundle", "--minify").encode()  # with CodeMirror
    for language in LANGUAGES.values():
        files[f"words-{language.tag}.js"] = packed_script("globalThis.attnbookChecker", gettext_catalog(language))
    digest = hashlib.sha256(b"".join(files.values())).hexdigest()[:10]
    setup = {
        "version": digest,  # asked for with each script, so that a browser's cache never mixes two builds
        "slices": len(slices),
        "languages": {language.tag: language.code for language in LANGUAGES.values()},
        "megabytes": megabytes,
        "places": places,
        "exercises": exercises(),
    }
    files["page.js"] = page_script(setup).encode()
    files[LAST_WRITTEN] = (CLASSROOM / "classroom.css").read_bytes()
    return files


def current(folder: Path) -> bool:
    """Whether an earlier build has written all that pages load, and nothing of which it is made is newer."""
    made_of = [
        *(path for path in PACKAGE.rglob("*") if path.suffix in ("", ".css", ".js", ".py", ".txt")),
        # the folders, too: they change when a catalog goes
        *(path for path in LOCALE.glob("*/LC_MESSAGES/exercises/**") if path.is_dir()),
        *LOCALE.glob("*/LC_MESSAGES/exercises/*.po"),
        *(ROOT / "tools/languages").glob("*.py"),  # which compile them
        *stored_notebooks(),
        NODE_MODULES / ".package-lock.json",
        Path(__file__),
        Path(__file__).with_suffix(".js"),
    ]
    last = folder / LAST_WRITTEN
    return PYODIDE.is_dir() and last.is_file() and newest(made_of) < last.stat().st_mtime


def write(folder: Path) -> None:
    """Write all that pages load into a folder, and nothing else, unless it is there.

    Raises:
        Missing: see `scripts`; nothing is written.
    """
    if current(folder):
        return
    files = scripts()
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():  # a longer engine, a language that was dropped
        if old.name not in files:
            old.unlink()
    for name, content in files.items():
        (folder / name).write_bytes(content)


def _folder(app: Sphinx) -> Path:
    return Path(app.outdir) / "_static" / FOLDER


def _link(app: Sphinx, packing: subprocess.Popen) -> None:
    _, message = packing.communicate()
    if packing.returncode == MISSING:
        logging.getLogger(__name__).info(
            "The pages are built without their own Python: %s. Exercises work in the notebooks.", message.strip()
        )
    elif packing.returncode:
        raise ExtensionError(f"the page's Python could not be packed:\n{message}")
    else:
        _name(app)


def _name(app: Sphinx) -> None:
    app.add_css_file(f"{FOLDER}/classroom.css")
    app.add_js_file(f"{FOLDER}/page.js", loading_method="defer")


def _pack(app: Sphinx) -> None:
    """Begin to pack: in a process of its own, while pages are read."""
    if app.builder.format != "html":
        return
    if translation(app):  # for the English pages all is packed
        app.connect("env-updated", lambda app, env: _name(app) if PYODIDE.is_dir() else None)
        return
    packing = subprocess.Popen(
        [sys.executable, "-m", "tools.pages.classroom", _folder(app)],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    app.connect("env-updated", lambda app, env: _link(app, packing))


def _finish_page(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object) -> None:
    if not (PYODIDE.is_dir() if translation(app) else _folder(app).is_dir()):
        return
    tag = f'\n<meta name="attnbook-page" content="{pagename}">'
    context["metatags"] = context.get("metatags", "") + tag
    context["body"] = EXERCISES.sub(rf"\g<0>{WITHOUT}", context.get("body") or "")


def setup(app: Sphinx) -> dict[str, Any]:
    """Registers the extension with Sphinx."""
    app.connect("builder-inited", _pack)
    app.connect("html-page-context", _finish_page)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def main(folder: Path) -> None:
    """Write the scripts; exits with `MISSING` if they cannot be made."""
    try:
        write(folder)
    except Missing as error:
        print(error, file=sys.stderr)
        sys.exit(MISSING)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
