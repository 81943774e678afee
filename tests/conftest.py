"""What the tests share: a browser, and the book, built once.

def test_something(browser, built_book):
    page = browser.new_page()
    page.goto((built_book / "index.html").as_uri())
"""

import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from filelock import FileLock

from attnbook.widgets.browser import MISSING, chromium, find_chromium
from tools import ROOT


@pytest.fixture(autouse=True)
def _printing_as_pytorch_does():
    """What one test sets of how tensors are printed, the next one does not see."""
    yield
    if "torch" in sys.modules:
        sys.modules["torch"].set_printoptions(profile="default")


class OneBrowser:
    """The Chromium of this process: to start one costs a second, and sixty files of tests ask for one."""

    def __init__(self):
        self.started = ExitStack()
        self.browser = None

    def open(self):
        """The Chromium that runs, or a new one."""
        if self.browser is None or not self.browser.is_connected():
            self.close()
            self.browser = self.started.enter_context(chromium())
        return self.browser

    def close(self):
        self.browser = None
        self.started.close()


_one = OneBrowser()
_browser_files = pytest.StashKey[set[Path]]()


@pytest.fixture(scope="module")
def browser():
    """A headless Chromium; without one the test is skipped (in CI that is a failure). No file sees another's pages."""
    if find_chromium() is None:
        pytest.skip(MISSING)
    headless = _one.open()
    yield headless
    for context in headless.contexts:
        context.close()


def pytest_collection_modifyitems(config, items):
    """The book is built first, while another process runs chapters, so that nobody waits for it."""
    items.sort(key=lambda item: "/test_build.py::" not in item.nodeid)
    config.stash[_browser_files] = {item.path for item in items if "browser" in getattr(item, "fixturenames", ())}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item, nextitem):
    """The browser ends before a file that needs none.

    While a playwright is alive, its event loop runs in this thread, and the notebooks' tests, which may follow in the
    same process, need that thread for a loop of their own.
    """
    result = yield
    if nextitem is None or nextitem.path not in item.config.stash[_browser_files]:
        _one.close()
    return result


def pytest_sessionfinish():
    _one.close()


@pytest.fixture(scope="session")
def built_book(tmp_path_factory, request) -> Path:
    """The folder of the built pages, once for all pytest processes of a run; a build with a warning is an error.

    Where `make book` has just built the book of these very files, that is the book; tests only read it.
    """
    from tools import book  # with Jupyter Book: seconds that most runs of a single test need not wait

    if book.is_current(ROOT / "_build"):
        return ROOT / "_build" / "html"
    folder = tmp_path_factory.getbasetemp()
    folder = (folder.parent if hasattr(request.config, "workerinput") else folder) / "built-book"
    log = folder / "build.log"
    with FileLock(f"{folder}.lock"):
        if not log.exists():
            folder.mkdir(exist_ok=True)
            command = [sys.executable, "-m", "tools.book", "--path-output", str(folder)]
            with open(log, "w") as said:
                subprocess.run(command, cwd=ROOT, stdout=said, stderr=subprocess.STDOUT)
    told = log.read_text("utf-8")
    assert (folder / "_build" / book.FINISHED).exists() and "WARNING" not in told, told[-6000:]
    return folder / "_build" / "html"
