"""What a test solves is noted in a file of its own."""

import pytest


@pytest.fixture(autouse=True)
def own_progress(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTNBOOK_PROGRESS", str(tmp_path / "progress.json"))
