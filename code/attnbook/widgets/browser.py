"""The one place that knows where a Chromium is and how the figures' tools and tests start it."""

import os
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# the first has no window, so that a page costs half as much
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # the page's Python runs for seconds here: to optimise its WebAssembly costs more than it saves
    "--js-flags=--wasm-tiering-budget=200000000",
    # Playwright's own that matter here, and RenderDocument: a frame anew for every page, a quarter of opening one
    "--disable-features=RenderDocument,PaintHolding,ThirdPartyStoragePartitioning,HttpsUpgrades,OptimizationHints",
]
MISSING = (
    "no Chromium found: install one (Debian: apt install chromium; anywhere: playwright install chromium), "
    "or set CHROMIUM to its path"
)


def find_chromium(names: tuple[str, ...] = NAMES) -> str | None:
    """Path of a Chromium on this machine, or None.

    The environment variable CHROMIUM goes first, then the names on the PATH, then what playwright has downloaded.
    """
    on_path = next(filter(None, map(shutil.which, names)), None)
    return os.environ.get("CHROMIUM") or on_path or _playwrights_own()


@contextmanager
def chromium() -> Iterator["Browser"]:
    """A headless Chromium as a playwright browser, closed at the end; RuntimeError if there is none."""
    path = find_chromium()
    if path is None:
        raise RuntimeError(MISSING)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


def _playwrights_own() -> str | None:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None

    def ask() -> str:
        with sync_playwright() as playwright:
            return playwright.chromium.executable_path

    # In a thread of its own, because playwright refuses to start where an event loop is running.
    with ThreadPoolExecutor(1) as pool:
        path = pool.submit(ask).result()
    return path if Path(path).is_file() else None
