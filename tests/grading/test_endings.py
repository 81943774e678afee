"""Answers under another ending than a notebook's, and what is handed in instead of one."""

import pytest
from handed_in import HEAD, RIGHT, WRONG, book

from attnbook import grading


@pytest.mark.parametrize("name", ["a.ipynb.txt", "a.json", "a.txt", "a", "a.ipynb.download"])
@pytest.mark.parametrize("content", [book(RIGHT), RIGHT], ids=["notebook", "python"])
def test_another_ending_hides_no_answer(tmp_path, name, content):
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / name).write_text(content, "utf-8")
    (one,) = grading.submissions(tmp_path)
    if content == RIGHT and name.endswith((".json", ".download")):
        assert one.problems == [f"ada/{name}: expected .ipynb or .py"]
    else:
        assert [path.name for path in one.files] == [name] and not one.problems


def test_data_beside_an_answer_is_no_answer(tmp_path):
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "a.py").write_text(RIGHT, "utf-8")
    (tmp_path / "ada" / "old.ipynb.txt").write_text(book(WRONG), "utf-8")
    (one,) = grading.submissions(tmp_path)
    assert [path.name for path in one.files] == ["a.py"]


@pytest.mark.parametrize("name", ["a.html", "a.pdf", "a.docx", "a.md"])
def test_a_printed_notebook_is_named_with_what_to_do(tmp_path, name):
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / name).write_text(f"<html>{HEAD}</html>")
    (one,) = grading.submissions(tmp_path)
    assert one.problems == [
        f"ada/{name}: expected .ipynb or .py; a printed notebook cannot be run: hand in the notebook itself (in "
        "JupyterLab: File, Download)"
    ]
