"""What the tests share: a browser, and the book, built once.

def test_something(browser, built_book):
    page = browser.new_page()
    page.goto((built_book / "index.html").as_uri())
"""

import subprocess
import sys
import time
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


class Build:
    """A finished build: its folder, its log and how long it took."""

    def __init__(self, folder: Path):
        self.html = folder / "_build" / "html"
        self.log = (folder / "build.log").read_text("utf-8")
        code, seconds = (folder / "result").read_text().split()
        self.code, self.seconds = int(code), float(seconds)


@pytest.fixture(scope="session")
def cold_build(tmp_path_factory, request):
    """The book built from nothing, as `make book` builds it, once for all pytest processes of a run."""
    folder = tmp_path_factory.getbasetemp()
    folder = (folder.parent if hasattr(request.config, "workerinput") else folder) / "built-book"
    with FileLock(f"{folder}.lock"):
        if not (folder / "result").exists():
            folder.mkdir(exist_ok=True)
            command = [sys.executable, "-m", "tools.book"]
            begin = time.perf_counter()
            with open(folder / "build.log", "w") as log:
                done = subprocess.run(
                    [*command, "--path-output", str(folder)], cwd=ROOT, stdout=log, stderr=subprocess.STDOUT
                )
            (folder / "result").write_text(f"{done.returncode} {time.perf_counter() - begin:.1f}")
    return Build(folder)


@pytest.fixture(scope="session")
def built_book(cold_build) -> Path:
    """The folder of the built pages; a build with a warning is an error."""
    assert cold_build.code == 0, f"the book does not build without a warning:\n{cold_build.log[-6000:]}"
    return cold_build.html
