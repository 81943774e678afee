"""`python -m tools.book --links`: Sphinx asks each address of a small book; a server here answers to one of them."""

import contextlib
import functools
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tools import book

pytestmark = pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
SETTINGS = {"latex_individualpages": False, "html_theme": "basic"}


@contextlib.contextmanager
def served(folder):
    handler = functools.partial(SimpleHTTPRequestHandler, directory=folder)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("name, status", [("there.txt", None), ("gone.txt", 1)])
def test_an_address_that_does_not_answer_is_an_error_and_is_told(tmp_path, name, status):
    source, whole = tmp_path / "source", tmp_path / "_build"
    source.mkdir()
    (tmp_path / "there.txt").write_text("yes")
    (source / "conf.py").write_text("")
    with served(tmp_path) as address:
        (source / "index.rst").write_text(f"A\n=\n\n`a file <{address}/{name}>`_\n")
        options = {"use_external_toc": False, "confoverrides": {**SETTINGS}, "builder": "linkcheck"}
        try:
            book.build(source, whole, quiet=True, warningiserror=True, keep_going=True, **options)
            ended = None
        except book.NoBook as error:
            ended = error.status
    assert ended == status
    said = (whole / "linkcheck/output.txt").read_text()
    assert (f"{address}/{name}" in said) == bool(status)
    assert not list(whole.rglob("*.html"))


def test_the_command_asks_and_builds_no_pages(monkeypatch, tmp_path, capsys):
    asked, mark = {}, tmp_path / "_build" / book.FINISHED
    mark.parent.mkdir()
    mark.touch()
    monkeypatch.setattr(book, "build", lambda *_, **options: asked.update(options))
    assert book.main(["--links", "--path-output", str(tmp_path)]) == 0
    assert asked["builder"] == "linkcheck" and "is built" not in capsys.readouterr().out
    assert mark.exists(), "the book that was there is as finished as before"
