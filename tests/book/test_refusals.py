"""What may be refused to the page: a file of its Python, what a server's policy forbids, the browser's storage."""

import json
import re
import shutil
import subprocess
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from test_classroom import CHAPTER, NODE, PUPPETEER, RIGHT, RUN, Reader

from attnbook.widgets.browser import MISSING, NAMES, find_chromium
from kept import comes_back
from tools import ROOT

pytestmark = pytest.mark.browser


class Server:
    """The built book over HTTP, with a policy or without, and what browsers report of it."""

    def __init__(self, folder, policy=""):
        self.reports = reports = []

        class Handler(SimpleHTTPRequestHandler):
            def end_headers(self):
                if policy:
                    said = f"{policy}; report-uri /report"
                    self.send_header("Content-Security-Policy", said)
                super().end_headers()

            def do_POST(self):
                length = int(self.headers["Content-Length"])
                reports.append(self.rfile.read(length).decode())
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        address = ("127.0.0.1", 0)
        self.server = ThreadingHTTPServer(address, partial(Handler, directory=folder))
        self.base = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


# --- a file is missing or damaged -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "faults"),  # every two of file, way to start and fault
    [
        ("engine-3.js", [("by editing", "is missing"), ("by checking", "is damaged")]),
        ("worker.js", [("by editing", "is damaged"), ("by checking", "is missing")]),
    ],
)
def test_a_file_that_does_not_come_is_named(browser, built_book, file, faults):
    """And it is asked for again whenever the button is pressed again."""
    held, file_of = [], f"**/_static/classroom/{file}*"
    with Server(built_book) as server:
        page = browser.new_page()
        page.route(file_of, lambda route: held.append(route))
        page.goto(f"{server.base}/{CHAPTER}.html")
        cell = page.locator('.classroom-cell[data-exercise="masked-softmax"]')
        check = cell.get_by_role("button", name="Check")
        for start, how in faults:
            if start == "by editing":  # Python is being loaded when the cell is checked
                cell.get_by_role("button", name="Edit").click()
                cell.locator(".cm-content").wait_for()
            check.click()
            while not held:
                page.wait_for_timeout(20)
            route = held.pop()
            if how == "is missing":
                route.abort()
            else:
                content = (built_book / f"_static/classroom/{file}").read_bytes()
                wrong = content[:3000] + 500 * b"a\0" + content[4000:] if file.startswith("engine") else b""
                route.fulfill(content_type="text/javascript", body=wrong)
            cell.locator("xpath=self::*[@data-status='stopped']").wait_for()
            said = f"Python could not be loaded ({file} {how}). Press the button to try again."
            assert cell.get_by_role("status").inner_text() == said
            cell.evaluate("cell => { delete cell.dataset.status; }")
        page.unroute(file_of)
        check.click()
        cell.locator("xpath=self::*[@data-status='unwritten']").wait_for(timeout=60_000)
        page.close()


def test_a_cell_that_asked_python_to_start_hears_why_it_did_not(browser, built_book):
    """One that is only edited; and Stop, in another, ends its waiting."""
    with Server(built_book) as server:
        page = browser.new_page()
        page.route("**/engine-0.js*", lambda route: route.abort())
        page.goto(f"{server.base}/{CHAPTER}.html")
        cell = page.locator('.classroom-cell[data-exercise="masked-softmax"]')
        cell.get_by_role("button", name="Edit").click()
        said = cell.get_by_role("status")
        said.filter(has_text="(engine-0.js is missing)").wait_for()
        page.unroute("**/engine-0.js*")
        # a worker that never gets ready
        page.evaluate("globalThis.Worker = class { postMessage() {} terminate() {} }; 0")
        reader = page.locator('.classroom-cell[data-exercise="log-weight"]')
        reader.get_by_role("button", name="Edit").click()
        reader.get_by_role("status").filter(has_text="Starting Python").wait_for()
        cell.get_by_role("button", name="Check").click()
        cell.get_by_role("button", name="Stop").click()
        reader.get_by_role("status").filter(has_text="Stopped.").wait_for()
        page.close()


# --- a policy of the server -------------------------------------------------------------------------------------------


def policy():
    """The one that the book names."""
    text = (ROOT / "chapters/text/exercises.md").read_text("utf-8")
    return re.search(r"`(default-src [^`]*)`", text)[1]


@pytest.mark.parametrize(
    "taken, reason", [("'wasm-unsafe-eval'", "WebAssembly"), ("worker-src blob:", "allows no worker")]
)
def test_what_a_policy_refuses_is_said(browser, built_book, taken, reason):
    less = policy().replace(taken, "worker-src 'none'" if "worker" in taken else "")
    with Server(built_book, less) as server:
        page = browser.new_page()
        page.goto(f"{server.base}/{CHAPTER}.html")
        cell = page.locator('.classroom-cell[data-exercise="masked-softmax"]')
        cell.get_by_role("button", name="Check").click()
        cell.locator("xpath=self::*[@data-status='stopped']").wait_for(timeout=60_000)
        said = cell.get_by_role("status").inner_text()
        assert said.startswith("Python could not start: ") and reason in said
        page.close()


PAGES = ("index", "chapters/translate", "chapters/18-reading-attention", "chapters/02-attention-pooling")


def test_the_policy_that_the_book_names_is_enough_in_chromium(browser, built_book):
    with Server(built_book, policy()) as server:
        context = browser.new_context()
        reader = Reader(context, built_book, address=server.base)
        reader.write(RIGHT)
        assert reader.check() == "solved"
        page = reader.page
        before = page.evaluate("document.documentElement.dataset.theme")
        page.locator(".theme-switch-button").first.click()
        page.locator(".theme-switch-button").first.click()
        page.emulate_media(media="print")
        page.goto(f"{server.base}/search.html?q=softmax")
        page.locator("#search-results a").first.wait_for()
        for name in PAGES:  # with figures, which are drawn when they are in sight
            page.goto(f"{server.base}/{name}.html")
            page.evaluate("scrollTo(0, document.body.scrollHeight)")
            page.wait_for_timeout(300)
        assert before and reader.errors == [] and server.reports == []
        context.close()


def test_the_policy_that_the_book_names_is_enough_in_firefox(built_book):
    path = shutil.which("firefox-esr") or shutil.which("firefox")
    if path is None:
        pytest.skip("no Firefox found (Debian: apt install firefox-esr)")
    with Server(built_book, policy()) as server:
        page = f"{server.base}/{CHAPTER}.html"
        program = [NODE, ROOT / "tests/book/firefox.mjs", path, PUPPETEER, page, RUN]
        done = subprocess.run(program, input="", capture_output=True, text=True, timeout=120)
        assert [json.loads(line) for line in done.stdout.splitlines()] == ["unwritten", []]
        assert server.reports == []


# --- a browser that keeps nothing -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def blocked(browser, tmp_path_factory):
    """A browser whose user has blocked all site data."""
    path = find_chromium(NAMES[1:])  # without windows it knows no preferences
    if path is None:
        pytest.skip(MISSING)
    folder = tmp_path_factory.mktemp("blocked")
    (folder / "Default").mkdir()
    values = {"profile": {"default_content_setting_values": {"cookies": 2}}}
    (folder / "Default/Preferences").write_text(json.dumps(values))
    context = browser.browser_type.launch_persistent_context(folder, executable_path=path, args=["--no-sandbox"])
    yield context
    context.close()


@pytest.mark.parametrize("over", ["http", "file"])
def test_where_site_data_are_blocked_the_page_works(blocked, built_book, over):
    with Server(built_book) as server:
        address = server.base if over == "http" else built_book.as_uri()
        bare = blocked.new_page()
        bare.goto(f"{address}/_static/book.css")
        refused = "(() => { try { return localStorage.length } catch (e) { return e.name } })()"
        assert bare.evaluate(refused) == "SecurityError"
        bare.close()
        told = []
        blocked.on("console", lambda m: told.append(m.text) if m.type == "error" else 0)

        reader = Reader(blocked, built_book, address=address)
        page = reader.page
        theme = "document.documentElement.dataset.theme"
        seen = set()
        for _ in range(3):
            page.locator(".theme-switch-button").first.click()
            seen.add(page.evaluate(theme))
        assert seen == {"light", "dark"}
        reader.write(RIGHT)
        assert "storage is full or blocked: your answer is lost" in reader.said
        assert reader.check() == "solved"
        page.goto(f"{address}/search.html?q=softmax")
        page.locator("#search-results a").first.wait_for()
        page.goto(f"{address}/chapters/exercises.html")
        page.get_by_role("button", name="Save my answers").click()
        page.get_by_text("below a chapter's exercises").wait_for()
        assert reader.errors == [] and told == []
        page.close()


FILL = """() => {
  let count = 0;
  for (let size = 1 << 22; size >= 1; size >>= 1) {
    try { for (;;) localStorage.setItem(`f${count}`, "x".repeat(size)), count += 1; } catch {}
  }
  try { localStorage.setItem("mode", "auto"); } catch (error) { return error.name; }
}"""


def test_where_the_storage_is_full_the_page_works_and_says_so_once(browser, built_book):
    context = browser.new_context(offline=True)
    bare = context.new_page()
    bare.goto((built_book / "_static/book.css").as_uri())
    assert bare.evaluate(FILL) == "QuotaExceededError"
    bare.close()
    reader = Reader(context, built_book)
    page, told = reader.page, reader.page.locator(".classroom-full")
    assert comes_back(page, told.is_visible)  # since the theme writes, too
    assert "storage is full" in told.inner_text()
    told.get_by_role("button", name="Close").click()
    seen = set()
    for _ in range(3):
        page.locator(".theme-switch-button").first.click()
        seen.add(page.evaluate("document.documentElement.dataset.theme"))
    assert seen == {"light", "dark"}
    reader.write(RIGHT)
    assert "storage is full or blocked: your answer is lost" in reader.said
    assert reader.check() == "solved"
    page.locator("fieldset.choices input").first.click()
    assert page.locator(".choice-reply").first.inner_text()
    page.goto(f"{built_book.as_uri()}/search.html?q=softmax")
    page.locator("#search-results a").first.wait_for()
    assert told.count() == 0 and reader.errors == []
    # what is not kept counts as the rest does, and the two storages do not mix
    page.evaluate("sessionStorage.setItem('a-key', 'session'); localStorage.setItem('a-key', 'y'.repeat(100))")
    found = page.evaluate(
        "() => [sessionStorage.getItem('a-key'), localStorage.getItem('a-key').length,"
        " Array.from({ length: localStorage.length }, (_, i) => localStorage.key(i)).includes('a-key')]"
    )
    assert found == ["session", 100, True]
    # as soon as there is room again, it is kept
    page.goto((built_book / f"{CHAPTER}.html").as_uri())
    page.evaluate("localStorage.removeItem('f0')")
    reader.write(RIGHT)
    assert "storage is full" not in reader.said
    context.close()
