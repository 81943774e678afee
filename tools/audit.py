"""What a built page costs its reader, and whom it keeps out: what `make audit` runs.

    python -m tools.audit                        all pages of _build/html: weight, requests, barriers, cut lines
    python -m tools.audit index 'chapters/04*'   only these; --log names their heaviest files
    python -m tools.audit --lighthouse           and Lighthouse's scores (a minute per page)

The pages are served on localhost, compressed with gzip, as a web server would do. Goals that are missed are listed at
the end and make the exit status 1. Lighthouse is an optional package of tools/node.
"""

import argparse
import contextlib
import functools
import gzip
import json
import mimetypes
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from fnmatch import fnmatch
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from attnbook.widgets.browser import chromium, find_chromium
from tools import NODE, NODE_MODULES, ROOT
from tools.barriers import DESK, SETTLED, inspect
from tools.languages import LANGUAGES

if TYPE_CHECKING:  # `chromium` says what to do where it is not installed
    from playwright.sync_api import Browser

# the least that a score may be, or the most that there may be of anything else
GOALS = {
    "KB": 450,  # a first visit, compressed, without the stored models of figures
    "outside": 0,  # requests that leave the book's own server
    "light": 0,  # what axe finds
    "dark": 0,
    "cut": 0,  # formulas and claims wider than their line: 1400, 820 and 390 px, and in print
    "folder MB": 23,  # the English book and every drawing, without what a reader asks for
    "asked MB": 31,  # what a reader asks for
    "translation MB": 9,  # the pages of a translation
    "accessibility": 100,
    "best-practices": 100,
    "seo": 100,
    "performance desktop": 95,
    "performance mobile": 60,
    "performance mobile, index": 85,
}
# for these a reader asks: the Python that runs in pages, and models
ASKED = *(f"classroom/{name}" for name in ("editor.", "engine-", "words-", "worker.")), "/model-"
# scripts of figures that carry the weights of a model
MODELS = {
    "induction_heads.js": "weights/induction.safetensors",
    "attention_patterns.js": "weights/next_words.safetensors",
}
SCORES = "performance", "accessibility", "best-practices", "seo"
BOOK = ROOT / "_build" / "html"
LIGHTHOUSE = NODE_MODULES / "lighthouse/cli/index.js"


def asked_for(path: str) -> bool:
    """Whether a file of the built book comes only when a reader asks for it."""
    return any(part in path for part in ASKED)


def megabytes(built: Path) -> list[dict[str, float]]:
    """The parts of a built book, each with its size: the folder, what a reader asks for, each translation."""
    sizes = {"": 0, "?": 0} | {language.folder: 0 for language in LANGUAGES.values()}
    for path in built.rglob("*"):
        name = path.relative_to(built).as_posix()
        if path.is_file():
            first = "?" if asked_for(name) else name.partition("/")[0]
            sizes[first if first in sizes else ""] += path.stat().st_size
    goals = {"": "folder MB", "?": "asked MB"}
    return [{goals.get(part, "translation MB"): round(size / 1e6, 1)} for part, size in sizes.items()]


@functools.cache
def compressed(path: Path) -> bytes:
    """A file's content as it is sent."""
    content = path.read_bytes()
    return content if path.suffix in (".woff2", ".png") else gzip.compress(content, 6)


def weight(path: Path) -> int:
    """Bytes that are sent for a file, without a stored model that a figure's script carries."""
    sent = len(compressed(path))
    if path.name in MODELS:
        sent -= len(compressed(ROOT / "code/attnbook" / MODELS[path.name]))
    return sent


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address at which a folder is served, compressed, while the block runs."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = folder / unquote(urlsplit(self.path).path).lstrip("/")
            there = path.is_file() and path.resolve().is_relative_to(folder.resolve())
            body = compressed(path) if there else b""
            self.send_response(200 if there else 404)
            self.send_header("Content-Length", str(len(body)))
            if there:
                kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
                text = kind.startswith("text/") or kind.endswith("javascript")
                self.send_header("Content-Type", f"{kind}; charset=utf-8" if text else kind)
                self.send_header("Cache-Control", "max-age=31536000")
            if body[:2] == b"\x1f\x8b":
                self.send_header("Content-Encoding", "gzip")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


def visit(browser: "Browser", base: str, name: str, folder: Path) -> tuple[dict, list, list]:
    """Open a page for the first time; returns its row, its faults, and its heaviest files."""
    context = browser.new_context(viewport=DESK)
    page = context.new_page()
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(f"{base}{name}.html", wait_until="load")
    page.evaluate(SETTLED)
    loaded = {urlsplit(u).path.lstrip("/") for u in requests if u.startswith(base)}
    outside = [u for u in requests if not u.startswith((base, "data:", "blob:"))]
    sizes = {path: weight(folder / path) for path in loaded if (folder / path).is_file() and not asked_for(path)}
    _, too_wide, light, dark = inspect(page)
    context.close()
    row = {"KB": round(sum(sizes.values()) / 1000), "requests": len(requests)}
    row |= {"outside": len(outside), "light": len(light), "dark": len(dark)}
    heaviest = sorted(sizes, key=sizes.__getitem__, reverse=True)[:12]
    log = [f"{sizes[path] / 1000:7.1f} KB  {path}" for path in heaviest]
    faults = outside + light + [f"dark: {fault}" for fault in dark] + too_wide
    return row | {"cut": len(too_wide)}, faults, log


def lighthouse(address: str, desktop: bool) -> dict[str, int]:
    """Lighthouse's four scores of an address, of 100."""
    command: list[str | Path] = [NODE, LIGHTHOUSE, address, "--output=json", "--quiet"]
    command += [f"--only-categories={','.join(SCORES)}"]
    command += ["--chrome-flags=--headless=new --no-sandbox --disable-gpu"]
    if desktop:
        command += ["--preset=desktop"]
    done = subprocess.run(
        command, env={**os.environ, "CHROME_PATH": find_chromium() or ""}, capture_output=True, check=True
    )
    categories = json.loads(done.stdout)["categories"]
    return {name: round(100 * categories[name]["score"]) for name in SCORES}


def scores(address: str, name: str) -> dict[str, int]:
    """A row's part from Lighthouse: performance twice, of the others the worse of desktop and mobile."""
    desk, phone = lighthouse(address, True), lighthouse(address, False)
    mobile = "performance mobile, index" if name == "index" else "performance mobile"
    row = {"performance desktop": desk["performance"], mobile: phone["performance"]}
    return row | {what: min(desk[what], phone[what]) for what in SCORES[1:]}


def missed(row: dict) -> list[str]:
    """What a row misses of the goals, in words."""
    return [
        f"{what} is {row[what]}, the goal is {goal}"
        for what, goal in GOALS.items()
        if what in row and (row[what] < goal if what.startswith(SCORES) else row[what] > goal)
    ]


def main(arguments: list[str] | None = None) -> int:
    """Print a line for each page, and below it its faults; returns 1 if a goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m tools.audit", description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="*", default=["*"], help="such as index 'chapters/0*'")
    parser.add_argument("--lighthouse", action="store_true", help="a minute per page")
    parser.add_argument("--log", action="store_true", help="the heaviest files of each page")
    options = parser.parse_args(arguments)
    if options.lighthouse and not LIGHTHOUSE.is_file():
        parser.error(f"there is no Lighthouse in {NODE_MODULES}: npm left it out")
    names = [f.relative_to(BOOK).with_suffix("").as_posix() for f in BOOK.rglob("*.html")]
    names = [n for n in sorted(names) if "_static" not in n and any(fnmatch(n, p) for p in options.pages)]
    if not names:
        parser.error(f"{BOOK} has no page such as {' '.join(options.pages)}; build the book, or name others")
    folders = megabytes(BOOK)
    print(f"{BOOK}: {', '.join(f'{what} {size}' for row in folders for what, size in row.items())}")
    bad = [what for row in folders for what in missed(row)]
    with served(BOOK) as base, chromium() as browser:
        for name in names:
            row, faults, heaviest = visit(browser, base, name, BOOK)
            if options.lighthouse:
                row |= scores(f"{base}{name}.html", name)
            print(f"{name:38}" + "  ".join(f"{what} {value}" for what, value in row.items()))
            for what in [*faults, *heaviest] if options.log else faults:
                print(f"    {what}")
            bad += [f"{name}: {what}" for what in missed(row)]
    print("", f"{len(names)} pages, {len(bad)} goals missed", *bad, sep="\n")
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
