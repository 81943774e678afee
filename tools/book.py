"""Build the book from its stored outputs into _build/html: what `make book` runs.

    python -m tools.book                            a warning is an error
    python -m tools.book --path-output DIR --all    into DIR/_build/html, every page anew
    python -m tools.book --links                    no pages: ask each address outside the book whether it answers

Jupyter Book does the work, in several processes where the system has them.
"""

import argparse
import errno
import gc
import io
import os
import shutil
import sys
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from jupyter_book.sphinx import build_sphinx

from attnbook.widgets.scripts import CACHES, newest
from tools import ROOT
from tools.languages import LANGUAGES, Language, exercises
from tools.languages.catalogs import coverage
from tools.pages.assembly import assemble

ROOM = 280_000_000  # bytes that a build in all languages may need, with what an older one has left
FINISHED = ".finished"  # stands beside the pages once all of them are there, and is as old as their build's beginning
BEGUN = ".begun"  # the same, until they are
MADE_FROM = (
    *("_config.yml", "_toc.yml", "index.md", "pyproject.toml", "requirements.txt"),
    *("_static", "chapters", "code/attnbook", "locale"),
    *("tools/__init__.py", "tools/book.py", "tools/languages", "tools/node", "tools/pages"),
)
SETTINGS = {  # as the command line of Jupyter Book gives them
    "external_toc_path": str(ROOT / "_toc.yml"),
    "latex_individualpages": False,
    "nitpicky": True,
}
FULL = "the disk is full, and the book is not whole. Make room, and give the same command again."


class NoBook(Exception):
    """There is no whole book now; the message, if there is one, says why and what to do."""

    def __init__(self, message: str = "", status: int = 2):
        super().__init__(message)
        self.status = status


def check_room(folder: Path) -> None:
    """Refuse to begin a build that the disk cannot hold.

    Args:
        folder: for pages and caches; what an older build has left in it gives room, too.

    Raises:
        NoBook: there is less room than `ROOM`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    old = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    free = shutil.disk_usage(folder).free
    if free + old < ROOM:
        raise NoBook(
            f"a build may need {ROOM / 1e6:.0f} MB, and {folder} has room for {(free + old) / 1e6:.0f}. "
            "Nothing was built; what was there is as it was."
        )


def build(source: Path, folder: Path, anew: bool = False, **options: Any) -> Path:
    """Build the pages of a book.

    Sphinx takes a page for finished that is newer than its source, though its end may be missing. So a mark stands
    among the pages as long as they are being built; where one was left, all pages are written again.

    Args:
        source: the folder of the book.
        folder: for pages and caches; the pages go into `html` in it.
        anew: read and write every page.
        options: of Jupyter Book's `build_sphinx`; the folder is named after `builder`.

    Returns:
        The folder of the pages.

    Raises:
        NoBook: the disk is full, a warning or an error has been told, or Ctrl-C was pressed.
    """
    # pages are trees of many objects: with Python's own threshold, half of the time goes into looking for garbage
    gc.set_threshold(1_000_000)
    gc.collect()  # sphinx_external_toc looks at all objects, and fails at a dead weak reference among the garbage
    html = folder / options.get("builder", "html")
    html.mkdir(parents=True, exist_ok=True)
    unfinished = html / ".unfinished"
    again = unfinished.exists()
    unfinished.touch()
    done = build_sphinx(source, html, freshenv=anew, force_all=anew or again, **options)
    if isinstance(done, KeyboardInterrupt):
        raise NoBook(status=130)
    if isinstance(done, Exception):  # that of another process arrives as text
        raise NoBook(FULL if os.strerror(errno.ENOSPC) in str(done) else "")
    if done:
        raise NoBook(status=done)
    unfinished.unlink()
    return html


def build_all(folder: Path, anew: bool = False, builder: str = "html") -> Path:
    """Build the book in English, and its pages in the other languages below those.

    Args:
        folder: see `build`.
        anew: see `build`.
        builder: another one than "html" is run in English only.

    Returns:
        The folder of the English pages.

    Raises:
        NoBook: see `build`.
    """
    options = {
        "noconfig": True,
        "path_config": ROOT / "_config.yml",
        "builder": builder,
        "jobs": max(2, os.cpu_count() or 1) if hasattr(os, "fork") else 1,
        "warningiserror": True,
        "keep_going": True,
    }
    others = [*LANGUAGES.values()] if builder == "html" else []
    with ProcessPoolExecutor(max(1, len(others))) as pool:
        begun = [pool.submit(build_translation, language, folder, anew, options) for language in others]
        html = build(ROOT, folder, anew, confoverrides={**SETTINGS}, **options)
        for language, translation in zip(others, begun, strict=True):
            output, made, status = translation.result()
            print(output)
            if status is not None:
                raise NoBook(made, status)
            assemble(Path(made), language, html)
            exercises.write(language)
            print(*coverage_lines(language), sep="\n")
    return html


def build_translation(language: Language, folder: Path, anew: bool, options: dict) -> tuple[str, str, int | None]:
    """Build the pages of another language, in a process of its own beside that of the English ones.

    Args:
        language: the other one.
        folder: of the English ones; theirs is in it.
        anew: see `build`.
        options: see `build`.

    Returns:
        What was told, and the folder of the pages; or, if there is no book, the message of `NoBook` and its status.
    """
    settings = {**SETTINGS, "language": language.code}
    output = io.StringIO()  # told at the end, not line by line among the English
    with redirect_stdout(output), redirect_stderr(output):
        try:
            made = build(ROOT, folder / language.folder, anew, confoverrides=settings, **options)
            return output.getvalue(), str(made), None
        except NoBook as error:
            return output.getvalue(), str(error), error.status


def _sources() -> list[Path]:
    """Every file that the book is made from; a build itself compiles the catalogs beside them."""
    paths = (path for top in MADE_FROM for path in (ROOT / top, *(ROOT / top).rglob("*")))
    return sorted(p for p in paths if p.is_file() and p.suffix != ".mo" and CACHES.isdisjoint(p.parts))


def _mark(sources: list[Path]) -> str:
    """What the mark of a finished book says: what it was made from, since a file that has gone has no age."""
    return "".join(f"{path.relative_to(ROOT).as_posix()}\n" for path in sources)


def is_current(folder: Path) -> bool:
    """Whether a finished book lies in a folder, made from just the files that are there and younger than each."""
    mark, sources = folder / FINISHED, _sources()
    return mark.is_file() and mark.read_text("utf-8") == _mark(sources) and newest(sources) <= mark.stat().st_mtime


def coverage_lines(language: Language) -> list[str]:
    """How much of each page is translated."""
    top = language.catalog("index").parent
    names = sorted(path.relative_to(top).with_suffix("").as_posix() for path in top.rglob("*.po"))
    done = {name: coverage(language, name) for name in names}
    complete = sum(share == 1 for share in done.values())
    rest = [f"  {share:4.0%}  {name}" for name, share in done.items() if share < 1]
    return [f"\n{language.name}: {complete} of {len(done)} pages are translated; the others as far as this:", *rest]


def report_failure(message: str, status: int = 2) -> int:
    """Say why there is no book now, if nobody has said it yet; returns the exit status."""
    if message:
        print(f"\ntools.book: {message}", file=sys.stderr)
    return status


def main(arguments: list[str] | None = None) -> int:
    """Build, and say where the book is; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.book", description=__doc__.splitlines()[0])
    parser.add_argument("--path-output", type=Path, default=ROOT, metavar="DIR")
    parser.add_argument("--all", action="store_true", help="every page anew")
    parser.add_argument("--links", action="store_true", help="ask each address whether it answers")
    options = parser.parse_args(arguments)
    folder = options.path_output / "_build"
    try:
        check_room(folder)
        if options.links:
            build_all(folder, options.all, "linkcheck")
            return 0
        (folder / FINISHED).unlink(missing_ok=True)
        (folder / BEGUN).write_text(_mark(_sources()), "utf-8")
        html = build_all(folder, options.all)
        (folder / BEGUN).replace(folder / FINISHED)
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        return report_failure(FULL)
    except NoBook as error:
        return report_failure(str(error), error.status)
    address = (html / "index.html").resolve().as_uri()
    print(f"\nThe book is built. Open it by double-clicking, or at this address:\n\n    {address}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
