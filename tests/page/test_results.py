"""Stored results are read by name, and a missing one says which there are."""

import json
from importlib.metadata import PackagePath
from types import SimpleNamespace

import pytest

from attnbook.page import stored_results


@pytest.fixture
def chapters(tmp_path, monkeypatch):
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "heads.json").write_text(json.dumps({"runs": [1, 2]}))
    monkeypatch.chdir(tmp_path)


def test_by_name(chapters):
    assert stored_results("heads") == {"runs": [1, 2]}


def test_a_missing_one_names_those_that_are_there(chapters):
    with pytest.raises(FileNotFoundError, match=r"haeds\.json in .*; there are heads\. Run the notebook"):
        stored_results("haeds")


def test_outside_the_books_folder_those_installed_with_the_package(tmp_path, monkeypatch):
    (tmp_path / "share" / "results").mkdir(parents=True)
    (tmp_path / "share" / "results" / "heads.json").write_text('{"runs": []}')
    (tmp_path / "other.json").write_text("{}")
    there = [PackagePath("share/results/heads.json"), PackagePath("other.json")]
    for path in there:
        path.dist = SimpleNamespace(locate_file=lambda name: tmp_path / name)
    monkeypatch.setattr("attnbook.page.results.files", lambda _: there)
    monkeypatch.chdir(tmp_path)
    assert stored_results("heads") == {"runs": []}
    with pytest.raises(FileNotFoundError, match=r"there are heads\. .*pip install"):
        stored_results("other")
