"""A download that may be cut off anywhere: it resumes where it stopped and never damages a good file."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from filelock import FileLock
from platformdirs import user_cache_dir
from tqdm.auto import tqdm

from attnbook.files import write_atomically

#: As d2l registers it (`d2l.DATA_HUB["fra-eng"]`): pairs of Tatoeba, CC BY 2.0 FR, in the form of manythings.org/anki.
TATOEBA_URL = "http://d2l-data.s3-accelerate.amazonaws.com/fra-eng.zip"
#: The SHA-1 of that file.
TATOEBA_SHA1 = "94646ad1522d915e7b0f9296181140edcf86a4f5"

ATTEMPTS = 3
TIMEOUT = (10, 30)  # seconds to connect, and to wait for the next bytes
CHUNK = 1 << 13  # bytes; less than this is lost where a connection breaks off


def cache_folder() -> Path:
    """Say where downloads are kept.

    Returns:
        The folder that the environment variable ATTNBOOK_CACHE names, else one in the user's cache folder.
    """
    wish = os.environ.get("ATTNBOOK_CACHE", "").strip()
    if wish:
        return Path(wish).expanduser()
    return Path(user_cache_dir("attnbook", appauthor=False))


def download_tatoeba(
    cache: str | Path | None = None,
    url: str = TATOEBA_URL,
    sha1: str = TATOEBA_SHA1,
    progress: bool = True,
) -> Path:
    """Fetch d2l's zip of Tatoeba's English–French pairs, unless a good copy is there already.

    What has arrived is kept beside the file as `fra-eng.zip.part`. If the process is killed, the next call goes on
    from there, provided that the server can and that its file is still the same; otherwise it starts anew. The file
    gets its name only after its checksum was found right. SHA-1 guards against accidents, not against forgers.

    Args:
        cache: the folder to keep it in; None for `cache_folder()`.
        url: where from, http or https.
        sha1: its SHA-1 checksum, 40 hexadecimal digits.
        progress: show a progress bar.

    Returns:
        The path of the zip, whole and checked.

    Raises:
        ConnectionError: no network, no such file on the server, or a connection that keeps breaking off; the message
            says where to put a file of your own.
        ValueError: what came has another checksum (it is thrown away), or an argument makes no sense.
        OSError: the folder cannot be written to.
    """
    if not str(url).startswith(("http://", "https://")):
        raise ValueError(f"url must start with http:// or https://, got {url!r}")
    if len(sha1) != 40 or set(sha1.lower()) - set("0123456789abcdef"):
        raise ValueError(f"sha1 must be 40 hexadecimal digits, got {sha1!r}")
    folder = cache_folder() if cache is None else Path(cache).expanduser()
    file = folder / "fra-eng.zip"
    lock = FileLock(folder / "fra-eng.zip.lock")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire()  # two processes would write into one part
    except OSError as error:
        raise OSError(
            f"cannot write to the cache folder {folder} ({error}); set ATTNBOOK_CACHE to a folder that you may write to"
        ) from error
    try:
        if not (file.is_file() and _sha1(file) == sha1.lower()):
            _fetch(_Part(file), url, sha1.lower(), progress)
    finally:
        lock.release()
    return file


class _Part:
    """What has arrived of a file, and a note of which version of which file on the net it is."""

    def __init__(self, file: Path):
        self.file = file
        self.body = file.with_name(f"{file.name}.part")
        self.note = file.with_name(f"{file.name}.part.json")

    @property
    def size(self) -> int:
        return self.body.stat().st_size if self.body.exists() else 0

    def about(self, url: str) -> dict:
        """The note; one that is missing, damaged or of another address says nothing."""
        nothing = {"url": url, "version": None, "length": None}
        try:
            note = json.loads(self.note.read_text("utf-8"))
        except (OSError, ValueError):
            return nothing
        whole = isinstance(note, dict) and note.keys() == nothing.keys()
        return note if whole and note["url"] == url else nothing

    def begin(self, url: str, version: str | None, length: int | None) -> None:
        """Empty the part first and write the note then: between the two, a part of size 0 is of no version."""
        self.body.write_bytes(b"")
        note = {"url": url, "version": version, "length": length}
        write_atomically(self.note, json.dumps(note))

    def discard(self) -> None:
        self.body.unlink(missing_ok=True)
        self.note.unlink(missing_ok=True)

    def finish(self) -> None:
        """Give the file its name, in one step."""
        with open(self.body, "rb+") as body:
            os.fsync(body.fileno())
        os.replace(self.body, self.file)
        self.note.unlink(missing_ok=True)


def _fetch(part: _Part, url: str, sha1: str, progress: bool) -> None:
    """Let the file arrive, in as many attempts as are allowed, and check it."""
    for _ in range(ATTEMPTS):
        problem = ""
        about, start = part.about(url), part.size
        if not about["version"]:
            start = 0  # of which version is it?
        if not start or start != about["length"]:  # or else it only needs checking
            problem = _receive(part, url, start, about["version"], progress)
        if problem:
            continue
        found = _sha1(part.body)
        if found == sha1:
            part.finish()
            return
        part.discard()
        problem = f"its SHA-1 is {found}, expected {sha1}"
        if not start:  # so it is not the fault of two halves that do not fit
            raise ValueError(
                f"{url} is not the file that was expected: {problem}. It was thrown away, and nothing was replaced; "
                f"{_instead(part)}"
            )
    raise ConnectionError(
        f"{url} did not arrive in {ATTEMPTS} attempts ({problem}); call again to resume, or {_instead(part)}"
    )


def _receive(
    part: _Part, url: str, start: int, version: str | None, progress: bool
) -> str:
    """Append to the part what follows byte `start`, or all of it anew; gives what broke it off, or ""."""
    import requests

    headers = {"Accept-Encoding": "identity"}
    if start:
        headers["Range"] = f"bytes={start}-"
    if start and version is not None:
        headers["If-Range"] = version
    try:
        response = requests.get(url, headers=headers, stream=True, timeout=TIMEOUT)
    except requests.RequestException as error:
        raise ConnectionError(
            f"no network, or {url} cannot be reached ({type(error).__name__}); {_instead(part)}"
        ) from error
    with response:
        if response.status_code in (206, 416):
            if not _continues(response, start, version):
                part.discard()
                return "the server sent another part than the one asked for"
        elif response.status_code == 200:
            start = 0  # it cannot do parts, or has another version by now
            length = response.headers.get("Content-Length", "")
            part.begin(
                url, _version(response), int(length) if length.isdigit() else None
            )
        else:
            raise ConnectionError(
                f"{url}: the server answered {response.status_code} {response.reason}; {_instead(part)}"
            )
        total = part.about(url)["length"]
        bar = tqdm(
            total=total,
            initial=start,
            unit="B",
            unit_scale=True,
            desc=part.file.name,
            disable=not progress,
        )
        broken = ""
        with bar, open(part.body, "ab") as body:
            try:
                for chunk in response.iter_content(CHUNK):
                    body.write(chunk)
                    bar.update(len(chunk))
            except requests.RequestException as error:
                broken = type(error).__name__
    if broken or part.size < (total or 0):
        return f"broken off after {part.size} of {total or 'unknown'} bytes {broken}".strip()
    return ""


def _version(response: Any) -> str | None:
    """What tells this version of a file from others: a strong ETag, or else a date."""
    etag = response.headers.get("ETag", "")
    return etag if etag.startswith('"') else response.headers.get("Last-Modified")


def _continues(response: Any, start: int, version: str | None) -> bool:
    """Whether an answer is the rest, from byte `start` on, of the version that was begun."""
    place = response.headers.get("Content-Range", "")
    same = _version(response) in (version, None)
    return response.status_code == 206 and place.startswith(f"bytes {start}-") and same


def _instead(part: _Part) -> str:
    return (
        f"without a network, put Tatoeba's fra.txt at {part.file.with_name('fra.txt')}, or pass the path of yours to "
        "read_pairs"
    )


def _sha1(file: Path) -> str:
    with open(file, "rb") as content:
        return hashlib.file_digest(content, "sha1").hexdigest()
