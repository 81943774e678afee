"""Stored results are read by name, and a missing one says which there are."""

import json

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
    with pytest.raises(
        FileNotFoundError,
        match=r"haeds\.json in .*; there are heads\. Run the notebook",
    ):
        stored_results("haeds")
