"""What the tests share: a browser, and the book, built once.

def test_something(browser, built_book):
    page = browser.new_page()
    page.goto((built_book / "index.html").as_uri())
"""

import subprocess
import sys
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


# Its scope is the module: while a playwright is alive, its event loop runs in this thread, and the notebooks'
# tests, which may follow in the same process, need that thread for a loop of their own.
@pytest.fixture(scope="module")
def browser():
    """A headless Chromium; without one the test is skipped (in CI that is a failure)."""
    if find_chromium() is None:
        pytest.skip(MISSING)
    with chromium() as headless:
        yield headless


def pytest_collection_modifyitems(items):
    """The book is built first, while another process runs chapters, so that nobody waits for it."""
    items.sort(key=lambda item: "/test_build.py::" not in item.nodeid)


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
