"""Where a Chromium is looked for, and in which order."""

import pytest

from attnbook.widgets import browser


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    """An environment without a Chromium: nothing said, nothing on the PATH, nothing downloaded."""
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "downloads"))
    return tmp_path


def put(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o755)
    return str(path)


def test_without_one_it_says_what_to_do(nowhere):
    assert browser.find_chromium() is None
    with pytest.raises(RuntimeError, match="apt install chromium.*set CHROMIUM"), browser.chromium():
        pass


def test_the_variable_goes_before_the_path_and_the_path_before_a_download(nowhere, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(browser, "_playwrights_own", lambda: "/downloaded")
        assert browser.find_chromium() == "/downloaded"
        later = put(nowhere / "google-chrome")
        assert browser.find_chromium() == later
        first = put(nowhere / "chromium")
        assert browser.find_chromium() == first
        without_windows = put(nowhere / "chromium-headless-shell")
        assert browser.find_chromium() == without_windows
        patch.setenv("CHROMIUM", "/said")
        assert browser.find_chromium() == "/said"


def test_what_playwright_has_downloaded_is_found(nowhere, monkeypatch):
    from playwright.sync_api import BrowserType

    place = nowhere / "downloads" / "chrome"
    monkeypatch.setattr(BrowserType, "executable_path", property(lambda self: str(place)))
    assert browser.find_chromium() is None
    put(place)
    assert browser.find_chromium() == str(place)
