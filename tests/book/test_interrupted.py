"""A build that does not end: for want of room, or because somebody stops it. The next one mends what it has left."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml
from sphinx.errors import SphinxParallelError

from tools import ROOT, book

pytestmark = pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")

CONF = """
from pathlib import Path

def write_half(app, name, *_):
    stop = Path(app.srcdir, "stop")
    if stop.exists() and stop.read_text() == name:
        Path(app.outdir, f"{name}.html").write_text("<html>")
        raise KeyboardInterrupt

def setup(app):
    app.connect("html-page-context", write_half)
"""
SETTINGS = {"latex_individualpages": False, "html_theme": "basic"}


@pytest.fixture
def build(tmp_path):
    """Builds a book of two pages, as `tools.book` does; `stop` names one in whose middle Ctrl-C comes."""
    source = tmp_path / "source"
    source.mkdir()
    (source / "conf.py").write_text(CONF)
    (source / "index.rst").write_text("A\n=\n\n.. toctree::\n\n   b\n")
    (source / "b.rst").write_text("B\n=\n")

    def run(stop=""):
        (source / "stop").write_text(stop)
        settings = {"use_external_toc": False, "confoverrides": {**SETTINGS}}
        return book.build(source, tmp_path / "_build", quiet=True, **settings)

    run.source, run.html = source, tmp_path / "_build" / "html"
    return run


def whole(html):
    return {page: "</html>" in (html / page).read_text() for page in ("index.html", "b.html")}


def test_pages_that_were_cut_off_are_written_again(build):
    html = build()
    assert all(whole(html).values()) and html == build.html
    (build.source / "index.rst").write_text("A\n=\n\n.. toctree::\n\n   b\n\nmore\n")
    (build.source / "b.rst").write_text("B\n=\n\nmore\n")
    with pytest.raises(book.NoBook) as ended:
        build(stop="b")
    assert not whole(html)["b.html"] and ended.value.status == 130
    build()
    assert all(whole(html).values())
    assert not (html / ".unfinished").exists()


def test_without_room_nothing_is_begun_and_a_finished_book_stays_finished(tmp_path, monkeypatch, capsys):
    mark = tmp_path / "_build" / book.FINISHED
    mark.parent.mkdir()
    mark.write_text("index.md\n")
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=2_000_000))
    monkeypatch.setattr(book, "build_all", lambda *_: pytest.fail("a build was begun"))
    assert book.main(["--path-output", str(tmp_path)]) == 2
    assert "what was there is as it was" in capsys.readouterr().err
    assert mark.read_text() == "index.md\n" and [*mark.parent.iterdir()] == [mark]


def end(error):
    raise error


FULL = "[Errno 28] No space left on device"


@pytest.mark.parametrize(
    ("end_it", "status", "says"),
    [
        (lambda *_, **__: OSError(28, FULL), 2, "the disk is full"),
        (lambda *_, **__: SphinxParallelError(FULL, ""), 2, "the disk is full"),
        (lambda *_, **__: end(OSError(28, FULL)), 2, "the disk is full"),
        (lambda *_, **__: KeyboardInterrupt(), 130, ""),
        (lambda *_, **__: end(KeyboardInterrupt()), 130, ""),
        (lambda *_, **__: RuntimeError("an extension broke"), 2, ""),
        (lambda *_, **__: 1, 1, ""),
    ],
)
def test_how_it_ends_is_said(tmp_path, monkeypatch, capsys, end_it, status, says):
    monkeypatch.setattr(book, "build_sphinx", end_it)
    assert book.main(["--path-output", str(tmp_path)]) == status
    assert says in capsys.readouterr().err
    assert (tmp_path / "_build/html/.unfinished").exists()


def test_the_room_that_is_asked_for_is_enough(built_book):
    files = built_book.parent.rglob("*")
    assert sum(path.stat().st_size for path in files if path.is_file()) < 0.8 * book.ROOM


def test_a_book_is_current_until_a_file_it_is_made_from_changes(tmp_path, monkeypatch):
    monkeypatch.setattr(book, "ROOT", tmp_path)
    whole, chapter = tmp_path / "_build", tmp_path / "chapters" / "a.md"
    chapter.parent.mkdir()
    chapter.write_text("A")
    assert not book.is_current(whole)
    whole.mkdir()
    monkeypatch.setattr(book, "build_all", lambda whole, *_: whole / "html")
    assert book.main(["--path-output", str(tmp_path)]) == 0 and book.is_current(whole)
    for cache in ("__pycache__", ".ruff_cache"):
        (chapter.parent / cache).mkdir()
        (chapter.parent / cache / "a").touch()
        os.utime(chapter.parent / cache / "a", (2**32, 2**32))
    assert book.is_current(whole)
    os.utime(chapter, (later := chapter.stat().st_mtime + 100, later))
    assert not book.is_current(whole)
    os.utime(chapter, (0, 0))
    assert book.is_current(whole)
    chapter.rename(tmp_path / "b.md")
    assert not book.is_current(whole)
    (tmp_path / "b.md").rename(chapter)
    assert book.is_current(whole)
    monkeypatch.setattr(book, "build_all", lambda *_: end(book.NoBook()))
    assert book.is_current(whole) and book.main(["--path-output", str(tmp_path)]) == 2 and not book.is_current(whole)


def test_a_book_is_made_from_every_tool_that_a_build_imports():
    config = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))
    extensions = [name for name in config["sphinx"]["config"]["extensions"] if name.startswith("tools.")]
    program = f"import sys, tools.book, {', '.join(extensions)}\n"
    program += "for module in [*sys.modules.values()]: print(vars(module).get('__file__'))"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    places = [Path(line).relative_to(ROOT).as_posix() for line in done.stdout.splitlines() if f"{ROOT}/tools" in line]
    assert len(places) > 20 and all(place.startswith(book.MADE_FROM) for place in places)


@pytest.mark.parametrize("pins", ["requirements.txt", "tools/node/package-lock.json"])
def test_a_book_of_other_pins_is_not_current(tmp_path, monkeypatch, pins):
    monkeypatch.setattr(book, "ROOT", tmp_path)
    monkeypatch.setattr(book, "build_all", lambda folder, *_: folder / "html")
    (file := tmp_path / pins).parent.mkdir(parents=True, exist_ok=True)
    file.write_text("sphinx==7.4.7")
    (tmp_path / "_build").mkdir()
    assert book.main(["--path-output", str(tmp_path)]) == 0 and book.is_current(tmp_path / "_build")
    os.utime(file, (later := file.stat().st_mtime + 100, later))
    assert not book.is_current(tmp_path / "_build")


def test_a_file_that_changes_while_the_book_is_built_makes_it_old(tmp_path, monkeypatch):
    monkeypatch.setattr(book, "ROOT", tmp_path)
    (chapters := tmp_path / "chapters").mkdir()
    (chapters / "a.md").write_text("A")
    for name, current in {"a.mo": True, "a.md": False}.items():  # the build itself compiles catalogs

        def build_all(folder, *_, name=name):
            time.sleep(0.05)
            (chapters / name).write_text("B")
            return folder / "html"

        monkeypatch.setattr(book, "build_all", build_all)
        assert book.main(["--path-output", str(tmp_path)]) == 0
        assert book.is_current(tmp_path / "_build") is current, name
