"""The download, against a server on this machine: it is checked, and it never spoils a good file."""

import hashlib
import io
import os
import random
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import platformdirs
import pytest

from attnbook.data import TATOEBA_SHA1, TATOEBA_URL, cache_folder, download, download_tatoeba, read_pairs
from tensors import says


def a_zip(seed: int) -> bytes:
    """A zip of 400 KB with a fra.txt in it."""
    noise = random.Random(seed).randbytes(400_000)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("fra.txt", "Go.\tVa !\n")
        archive.writestr("noise", noise)
    return buffer.getvalue()


FILE, OTHER = a_zip(1), a_zip(2)
SHA1, OTHER_SHA1 = (hashlib.sha1(data).hexdigest() for data in (FILE, OTHER))


class Server(ThreadingHTTPServer):
    """Serves one file, and breaks in the ways that it is told to."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.status, self.says_length = 200, True
        self.cuts: list[int] = []  # each answer in turn stops after so many bytes
        self.hold: threading.Event | None = None  # wait at the cut, do not hang up
        self.asked = 0

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/fra-eng.zip"

    def handle_error(self, request, client_address):
        """Clients that hang up are what these tests are about."""


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        server.asked += 1
        if server.status != 200:
            self.send_error(server.status)
            return
        self.send_response(200)
        if server.says_length:
            self.send_header("Content-Length", str(len(FILE)))
        self.end_headers()
        body = FILE[: server.cuts.pop(0)] if server.cuts else FILE
        self.wfile.write(body)
        self.wfile.flush()
        if server.hold and len(body) < len(FILE):
            server.hold.wait(30)

    def log_message(self, *args):
        pass


@pytest.fixture(autouse=True)
def directly(monkeypatch):
    """Past a proxy that the surroundings may have, and without waiting between attempts."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr("pooch.core.time.sleep", lambda _: None)


@pytest.fixture
def server():
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def fetch(server, cache, sha1=SHA1):
    return download_tatoeba(cache, server.url, sha1, progress=False)


def files(cache) -> list[str]:
    return [path.name for path in cache.iterdir()]


# --- all goes well --------------------------------------------------------------------------------------------


def test_a_file_arrives_whole_and_once(server, tmp_path, capsys):
    cache = tmp_path / "new" / "folder"
    path = fetch(server, cache)
    assert path == cache / "fra-eng.zip" and path.read_bytes() == FILE
    assert files(cache) == ["fra-eng.zip"]
    assert read_pairs(path) == [("Go.", "Va !")]
    assert fetch(server, cache) == path and fetch(server, cache, SHA1.upper()) == path
    assert server.asked == 1  # a good file is not fetched again
    assert capsys.readouterr().err == ""


def test_a_server_that_does_not_say_how_long_the_file_is(server, tmp_path):
    server.says_length = False
    assert fetch(server, tmp_path).read_bytes() == FILE


def test_a_bar_is_shown_if_it_is_wanted(server, tmp_path, capsys):
    download_tatoeba(tmp_path, server.url, SHA1)
    assert "400k/400k" in capsys.readouterr().err


def test_the_address_and_the_checksum_are_those_of_d2l():
    from attnbook.interop import load_d2l

    assert load_d2l().DATA_HUB["fra-eng"] == (TATOEBA_URL, TATOEBA_SHA1)


# --- interruptions --------------------------------------------------------------------------------------------


def test_a_connection_that_breaks_off_is_tried_again(server, tmp_path):
    server.cuts = [100_000, 200_000]
    assert fetch(server, tmp_path).read_bytes() == FILE
    assert server.asked == 3


def test_one_that_always_breaks_off_is_an_error_and_leaves_nothing(server, tmp_path):
    server.cuts = [100_000] * 3
    with pytest.raises(ConnectionError, match=says("3 attempts", "fra.txt")):
        fetch(server, tmp_path)
    assert files(tmp_path) == []
    assert fetch(server, tmp_path).read_bytes() == FILE


def test_a_short_answer_without_a_length_is_noticed(server, tmp_path):
    server.says_length, server.cuts = False, [100_000]
    assert fetch(server, tmp_path).read_bytes() == FILE
    assert server.asked == 2


# --- nothing good is ever replaced by something bad ------------------------------------------------------------


def test_a_wrong_checksum_is_an_error_and_leaves_nothing(server, tmp_path):
    with pytest.raises(ValueError, match=says(OTHER_SHA1, "thrown away")):
        fetch(server, tmp_path, OTHER_SHA1)
    assert files(tmp_path) == []


@pytest.mark.parametrize("trouble", ["checksum", "cut", "status", "no server"])
def test_a_file_that_is_there_stays_until_a_better_one_is_whole(server, tmp_path, trouble):
    """The file is good by its own checksum; the call asks for another, and fails to get it."""
    file = tmp_path / "fra-eng.zip"
    file.write_bytes(OTHER)
    wanted, url = SHA1, server.url
    if trouble == "checksum":
        wanted = "0" * 40
    elif trouble == "cut":
        server.cuts = [1000] * 9
    elif trouble == "status":
        server.status = 503
    else:
        url = "http://127.0.0.1:1/fra-eng.zip"
    with pytest.raises((ConnectionError, ValueError)):
        download_tatoeba(tmp_path, url, wanted, progress=False)
    assert file.read_bytes() == OTHER
    server.cuts, server.status = [], 200
    assert fetch(server, tmp_path).read_bytes() == FILE  # and a damaged one is replaced


@pytest.mark.parametrize("status", [403, 404, 500])
def test_an_answer_that_is_no_file(server, tmp_path, status):
    server.status = status
    with pytest.raises(ConnectionError, match=says(str(status), "fra.txt")):
        fetch(server, tmp_path)
    assert files(tmp_path) == []


def test_without_a_network_the_message_says_what_to_do(tmp_path):
    with pytest.raises(ConnectionError, match=says("did not arrive", f"at {tmp_path / 'fra.txt'}", "read_pairs")):
        download_tatoeba(tmp_path, "http://127.0.0.1:1/fra-eng.zip", progress=False)


def test_a_server_that_falls_silent(server, tmp_path, monkeypatch):
    monkeypatch.setattr(download, "TIMEOUT", (5, 0.2))
    server.cuts, server.hold = [100_000] * 3, threading.Event()
    with pytest.raises(ConnectionError, match="3 attempts"):
        fetch(server, tmp_path)
    server.hold.set()
    server.hold = None
    assert fetch(server, tmp_path).read_bytes() == FILE


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"url": "ftp://somewhere/fra-eng.zip"}, ("http:// or https://", "ftp")),
        ({"sha1": "abc"}, ("40 hexadecimal digits", "abc")),
        ({"sha1": "g" * 40}, ("40 hexadecimal digits",)),
    ],
)
def test_errors(tmp_path, arguments, message):
    with pytest.raises(ValueError, match=says(*message)):
        download_tatoeba(tmp_path, **arguments)


def test_a_cache_that_cannot_be_a_folder(server, tmp_path):
    (tmp_path / "file").write_text("here")
    with pytest.raises(OSError, match=says("cannot write", "ATTNBOOK_CACHE")):
        fetch(server, tmp_path / "file" / "cache")


# --- where it is kept -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("own", ["/own", "~/own"])
def test_the_cache_is_where_the_reader_wants_it(monkeypatch, own):
    monkeypatch.setenv("ATTNBOOK_CACHE", own)
    assert str(cache_folder()) == os.path.expanduser(own)


@pytest.mark.parametrize("blank", [None, " "])
def test_else_it_is_in_the_users_cache_folder(monkeypatch, blank):
    monkeypatch.delenv("ATTNBOOK_CACHE", raising=False)
    if blank:
        monkeypatch.setenv("ATTNBOOK_CACHE", blank)
    wanted = platformdirs.user_cache_dir("attnbook", appauthor=False)
    assert str(cache_folder()) == wanted
