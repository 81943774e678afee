"""The download, against a server on this machine: it resumes, it checks, and it never spoils a good file."""

import hashlib
import io
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import platformdirs
import pytest
import requests
from tensors import says

from attnbook.data import (
    TATOEBA_SHA1,
    TATOEBA_URL,
    cache_folder,
    download,
    download_tatoeba,
    read_pairs,
)


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
CUT = 30 * download.CHUNK


class Server(ThreadingHTTPServer):
    """Serves one file, and breaks in the ways that it is told to."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.content, self.etag, self.date = FILE, '"one"', None
        self.can_range = self.can_if_range = True
        self.status, self.shift = 200, 0
        self.says_length = True
        self.cuts: list[int] = []  # each answer in turn stops after so many bytes
        self.hold: threading.Event | None = None  # wait at the cut, do not hang up
        self.asked: list[dict] = []
        self.sent = 0

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/fra-eng.zip"

    def handle_error(self, request, client_address):
        """Clients that hang up are what these tests are about."""


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        server, content = self.server, self.server.content
        server.asked.append(dict(self.headers))
        if server.status != 200:
            self.send_error(server.status)
            return
        start = 0
        wanted = self.headers.get("Range")
        known = self.headers.get("If-Range")
        same = not server.can_if_range or known in (server.etag, server.date)
        if wanted and server.can_range and same:
            start = int(wanted.removeprefix("bytes=").removesuffix("-"))
        self.send_response(206 if start else 200)
        if start:
            place = f"bytes {start + server.shift}-{len(content) - 1}/{len(content)}"
            self.send_header("Content-Range", place)
        if server.says_length:
            self.send_header("Content-Length", str(len(content) - start))
        if server.etag:
            self.send_header("ETag", server.etag)
        if server.date:
            self.send_header("Last-Modified", server.date)
        self.end_headers()
        body = content[start:]
        if server.cuts:
            body = body[: server.cuts.pop(0)]
        self.wfile.write(body)
        self.wfile.flush()
        server.sent += len(body)
        if server.hold and len(body) < len(content) - start:
            server.hold.wait(30)

    def log_message(self, *args):
        pass


@pytest.fixture(autouse=True)
def directly(monkeypatch):
    """Past a proxy that the surroundings may have."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")


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


def files(cache) -> set[str]:
    return {path.name for path in cache.iterdir()} - {"fra-eng.zip.lock"}


def broken_off(server, cache, monkeypatch, cut=CUT):
    """A download of which the first `cut` bytes have come and stay."""
    monkeypatch.setattr(download, "ATTEMPTS", 1)
    server.cuts = [cut]
    with pytest.raises(ConnectionError, match="broken off"):
        fetch(server, cache)
    monkeypatch.undo()
    server.asked.clear()
    server.sent = 0


# --- all goes well --------------------------------------------------------------------------------------------


def test_a_file_arrives_whole_and_once(server, tmp_path):
    cache = tmp_path / "new" / "folder"
    path = fetch(server, cache)
    assert path == cache / "fra-eng.zip" and path.read_bytes() == FILE
    assert files(cache) == {"fra-eng.zip"}
    assert read_pairs(path) == [("Go.", "Va !")]
    assert fetch(server, cache) == path and fetch(server, cache, SHA1.upper()) == path
    assert len(server.asked) == 1  # a good file is not fetched again
    assert "Range" not in server.asked[0]
    assert server.asked[0]["Accept-Encoding"] == "identity"


def test_a_server_that_does_not_say_how_long_the_file_is(server, tmp_path):
    server.says_length = False
    assert fetch(server, tmp_path).read_bytes() == FILE


def test_the_bar_counts_what_was_there(server, tmp_path, monkeypatch, capsys):
    broken_off(server, tmp_path, monkeypatch)
    capsys.readouterr()
    download_tatoeba(tmp_path, server.url, SHA1)
    shown = capsys.readouterr().err
    assert "fra-eng.zip" in shown and "400k/400k" in shown
    fetch(server, tmp_path / "quiet")
    assert capsys.readouterr().err == ""


def test_the_address_and_the_checksum_are_those_of_d2l():
    from attnbook.interop import load_d2l

    assert load_d2l().DATA_HUB["fra-eng"] == (TATOEBA_URL, TATOEBA_SHA1)


# --- interruptions --------------------------------------------------------------------------------------------

PROGRAM = """
import sys
from attnbook.data import download_tatoeba
download_tatoeba(*sys.argv[1:], progress=False)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_killed_process_loses_nothing(server, tmp_path):
    server.cuts, server.hold = [CUT], threading.Event()
    part = tmp_path / "fra-eng.zip.part"
    child = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(tmp_path), server.url, SHA1]
    )
    try:
        deadline = time.monotonic() + 60
        while not part.exists() or part.stat().st_size < CUT // 2:
            assert child.poll() is None and time.monotonic() < deadline
            time.sleep(0.02)
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
        server.hold.set()
    assert child.returncode == -signal.SIGKILL
    had = part.stat().st_size
    assert CUT // 2 <= had <= CUT
    assert not (tmp_path / "fra-eng.zip").exists()
    assert part.read_bytes() == FILE[:had]

    server.asked.clear()
    server.sent = 0
    assert fetch(server, tmp_path).read_bytes() == FILE
    (asked,) = server.asked
    assert (asked["Range"], asked["If-Range"]) == (f"bytes={had}-", '"one"')
    assert server.sent == len(FILE) - had
    assert files(tmp_path) == {"fra-eng.zip"}


def test_a_connection_that_breaks_off_is_taken_up_again_at_once(server, tmp_path):
    first, second = 12 * download.CHUNK, 18 * download.CHUNK
    server.cuts = [first, second]
    assert fetch(server, tmp_path).read_bytes() == FILE
    assert [a.get("Range") for a in server.asked] == [
        None,
        f"bytes={first}-",
        f"bytes={first + second}-",
    ]
    assert server.sent == len(FILE)


def test_little_is_lost_wherever_it_breaks_off(server, tmp_path, monkeypatch):
    broken_off(server, tmp_path, monkeypatch, CUT + 1234)
    had = (tmp_path / "fra-eng.zip.part").stat().st_size
    assert CUT + 1234 - download.CHUNK < had <= CUT + 1234
    assert fetch(server, tmp_path).read_bytes() == FILE


def test_one_that_always_breaks_off_is_an_error_and_the_next_call_goes_on(
    server, tmp_path
):
    cut = 12 * download.CHUNK
    server.cuts = [cut] * 3
    with pytest.raises(
        ConnectionError,
        match=says("3 attempts", f"{3 * cut} of 400", "call again", "fra.txt"),
    ):
        fetch(server, tmp_path)
    assert files(tmp_path) == {"fra-eng.zip.part", "fra-eng.zip.part.json"}
    assert fetch(server, tmp_path).read_bytes() == FILE
    assert server.sent == len(FILE)


def test_a_server_without_ranges_starts_anew(server, tmp_path, monkeypatch):
    server.can_range = False
    broken_off(server, tmp_path, monkeypatch)
    had = (tmp_path / "fra-eng.zip.part").stat().st_size
    assert fetch(server, tmp_path).read_bytes() == FILE
    assert server.asked[0]["Range"] == f"bytes={had}-" and server.sent == len(FILE)


@pytest.mark.parametrize("can_if_range", [True, False])
def test_another_version_on_the_server_starts_anew(
    server, tmp_path, monkeypatch, can_if_range
):
    """Also where the server heeds no If-Range and sends the rest of the new version."""
    broken_off(server, tmp_path, monkeypatch)
    server.content, server.etag, server.can_if_range = OTHER, '"two"', can_if_range
    assert fetch(server, tmp_path, OTHER_SHA1).read_bytes() == OTHER
    assert server.asked[0]["If-Range"] == '"one"'
    assert "Range" not in server.asked[-1] or can_if_range


@pytest.mark.parametrize("change", ["version", "place", "nothing left"])
def test_a_part_that_was_not_asked_for_is_not_appended(
    server, tmp_path, monkeypatch, change
):
    broken_off(server, tmp_path, monkeypatch)
    if change == "version":
        server.content, server.etag, server.can_if_range = OTHER, '"two"', False
    elif change == "place":
        server.shift = 1
    else:
        server.status = 416
    monkeypatch.setattr(download, "ATTEMPTS", 1)
    with pytest.raises(ConnectionError, match="another part than the one asked for"):
        fetch(server, tmp_path)
    assert files(tmp_path) == set()


def test_a_short_answer_is_noticed_even_where_the_http_library_lets_it_pass(
    server, tmp_path, monkeypatch
):
    real = requests.get

    def get(*args, **kwargs):
        response = real(*args, **kwargs)
        response.raw.enforce_content_length = False
        return response

    monkeypatch.setattr(requests, "get", get)
    server.cuts = [12 * download.CHUNK]
    assert fetch(server, tmp_path).read_bytes() == FILE
    assert server.sent == len(FILE)


@pytest.mark.parametrize(
    ("etag", "date", "sent"),
    [
        (None, "Tue, 01 Jul 2025 10:00:00 GMT", "Tue, 01 Jul 2025 10:00:00 GMT"),
        ('W/"one"', "Tue, 01 Jul 2025 10:00:00 GMT", "Tue, 01 Jul 2025 10:00:00 GMT"),
        ('W/"one"', None, None),
        (None, None, None),
    ],
)
def test_only_what_can_be_told_apart_is_taken_up_again(
    server, tmp_path, monkeypatch, etag, date, sent
):
    server.etag, server.date = etag, date
    broken_off(server, tmp_path, monkeypatch)
    assert fetch(server, tmp_path).read_bytes() == FILE
    assert server.asked[0].get("If-Range") == sent
    assert server.sent == len(FILE) - (CUT if sent else 0)


def test_killed_between_the_last_byte_and_the_name(server, tmp_path, monkeypatch):
    broken_off(server, tmp_path, monkeypatch)
    (tmp_path / "fra-eng.zip.part").write_bytes(FILE)
    assert fetch(server, tmp_path).read_bytes() == FILE
    assert server.asked == []


@pytest.mark.parametrize(
    "spoil",
    [
        lambda part, note: part.write_bytes(OTHER[:CUT]),  # another file's bytes
        lambda part, note: part.write_bytes(FILE + b"more"),  # too long
        lambda part, note: part.write_bytes(FILE[:-1] + b"x"),  # whole, but wrong
        lambda part, note: part.write_bytes(b""),
        lambda part, note: part.unlink(),
        lambda part, note: note.unlink(),
        lambda part, note: note.write_text('{"url":'),
        lambda part, note: note.write_text("[]"),
        lambda part, note: note.write_text(
            json.dumps({"url": "http://elsewhere", "version": '"one"', "length": 9})
        ),
    ],
)
def test_a_part_that_is_no_good_does_no_harm(server, tmp_path, monkeypatch, spoil):
    broken_off(server, tmp_path, monkeypatch)
    spoil(tmp_path / "fra-eng.zip.part", tmp_path / "fra-eng.zip.part.json")
    assert fetch(server, tmp_path).read_bytes() == FILE
    assert files(tmp_path) == {"fra-eng.zip"}


def test_two_processes_at_once_fetch_one_file(server, tmp_path):
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(fetch(server, tmp_path)))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [tmp_path / "fra-eng.zip"] * 3
    assert len(server.asked) == 1


# --- nothing good is ever replaced by something bad ------------------------------------------------------------


def test_a_wrong_checksum_is_an_error_and_leaves_nothing(server, tmp_path):
    with pytest.raises(ValueError, match=says(SHA1, f"expected {OTHER_SHA1}")):
        fetch(server, tmp_path, OTHER_SHA1)
    assert files(tmp_path) == set() and len(server.asked) == 1


@pytest.mark.parametrize("trouble", ["checksum", "cut", "status", "no server"])
def test_a_file_that_is_there_stays_until_a_better_one_is_whole(
    server, tmp_path, monkeypatch, trouble
):
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
    with pytest.raises(ConnectionError, match=says(f"answered {status}", "fra.txt")):
        fetch(server, tmp_path)
    assert files(tmp_path) == set()


def test_without_a_network_the_message_says_what_to_do(tmp_path):
    with pytest.raises(
        ConnectionError,
        match=says("no network", f"at {tmp_path / 'fra.txt'}", "read_pairs"),
    ):
        download_tatoeba(tmp_path, "http://127.0.0.1:1/fra-eng.zip", progress=False)


def test_a_server_that_falls_silent(server, tmp_path, monkeypatch):
    monkeypatch.setattr(download, "TIMEOUT", (5, 0.2))
    server.cuts, server.hold = [100_000] * 3, threading.Event()
    with pytest.raises(ConnectionError, match=says("3 attempts", "bytes")):
        fetch(server, tmp_path)
    server.hold.set()
    server.hold = None
    assert fetch(server, tmp_path).read_bytes() == FILE


def test_every_request_has_a_timeout(server, tmp_path, monkeypatch):
    real, timeouts = requests.get, []

    def get(*args, **kwargs):
        timeouts.append(kwargs["timeout"])
        return real(*args, **kwargs)

    monkeypatch.setattr(requests, "get", get)
    fetch(server, tmp_path)
    assert timeouts == [download.TIMEOUT] and all(0 < t < 120 for t in download.TIMEOUT)


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
