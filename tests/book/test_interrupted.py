"""A build that does not end: for want of room, or because somebody stops it. The next one mends what it has left."""

import shutil

import pytest
from sphinx.application import Sphinx
from sphinx.errors import SphinxParallelError
from sphinx.util.docutils import docutils_namespace, patch_docutils

from tools import book


@pytest.fixture
def build(tmp_path, monkeypatch):
    """Builds a book of two pages, as `tools.book` does; `stop` names one in whose middle an error comes."""
    monkeypatch.setattr(Sphinx, "build", Sphinx.build)
    built = book.build_whole_pages()
    source, html = tmp_path / "source", tmp_path / "_build" / "html"
    source.mkdir()
    (source / "conf.py").write_text('html_theme = "basic"\n')
    (source / "index.rst").write_text("A\n=\n\n.. toctree::\n\n   b\n")
    (source / "b.rst").write_text("B\n=\n")

    def run(stop=""):
        with patch_docutils(), docutils_namespace():
            folders = (
                str(source),
                str(source),
                str(html),
                str(tmp_path / "_build" / "d"),
            )
            app = Sphinx(*folders, "html", status=None, warning=None)

            def write_half(app, name, *_):
                if name == stop:
                    (html / f"{name}.html").write_text("<html>")
                    raise KeyboardInterrupt

            app.connect("html-page-context", write_half)
            app.build()
        return html

    run.built, run.source = built, source
    return run


def whole(html):
    return {
        page: "</html>" in (html / page).read_text()
        for page in ("index.html", "b.html")
    }


def test_pages_that_were_cut_off_are_written_again(build):
    html = build()
    assert all(whole(html).values()) and build.built == [html]
    (build.source / "index.rst").write_text("A\n=\n\n.. toctree::\n\n   b\n\nmore\n")
    (build.source / "b.rst").write_text("B\n=\n\nmore\n")
    with pytest.raises(KeyboardInterrupt):
        build(stop="b")
    assert not whole(html)["b.html"] and build.built == [html]
    build()
    assert all(whole(html).values())
    assert not (html / ".unfinished").exists()


def test_without_room_nothing_is_begun(build, monkeypatch, capsys):
    before = (page := build() / "b.html").read_text()
    (build.source / "b.rst").write_text("B\n=\n\nmore\n")
    usage = shutil.disk_usage(page)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=2_000_000))
    with pytest.raises(SystemExit) as ended:
        build()
    assert ended.value.code == 2 and page.read_text() == before
    assert "what was there is as it was" in capsys.readouterr().err


def end(error, cause=None):
    raise error from cause


FULL = "[Errno 28] No space left on device"
UNWELL = RuntimeError("There was an error in building your book.")


@pytest.mark.parametrize(
    ("end_it", "status", "says"),
    [
        (lambda _: end(UNWELL, OSError(28, FULL)), 2, "the disk is full"),
        (lambda _: end(UNWELL, SphinxParallelError(FULL, "")), 2, "the disk is full"),
        (lambda _: end(OSError(28, FULL)), 2, "the disk is full"),
        (lambda _: end(SystemExit(KeyboardInterrupt())), 130, ""),
        (lambda _: end(SystemExit(1)), 1, ""),
    ],
)
def test_how_it_ends_is_said(monkeypatch, capsys, end_it, status, says):
    monkeypatch.setattr(Sphinx, "build", Sphinx.build)
    monkeypatch.setattr("jupyter_book.cli.main.main", end_it)
    for change in ("share_the_work", "remember_answers", "leave_out_unused_imports"):
        monkeypatch.setattr(book, change, lambda *_: None)
    monkeypatch.setattr("gc.disable", lambda: None)
    with pytest.raises(SystemExit) as ended:
        book.main([])
    assert ended.value.code == status and says in capsys.readouterr().err


def test_the_room_that_is_asked_for_is_enough(built_book):
    files = built_book.parent.rglob("*")
    assert (
        sum(path.stat().st_size for path in files if path.is_file()) < 0.8 * book.ROOM
    )
