"""What a reader has written into a notebook: nothing of ours replaces it without a copy and a word."""

import io
import os
import shutil
import subprocess
import sys

import jupytext
import nbformat
import pytest
from jupyter_server.services.contents.largefilemanager import LargeFileManager
from jupytext.sync_contentsmanager import build_sync_jupytext_contents_manager_class
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from tools import COPIES, ROOT, chapter, edited, stored_notebooks
from tools.notebooks import ChapterError
from tools.rules import edited_elsewhere

NAME = "01-trial"
# an author's own form, which jupytext would write in another
TWIN = """---
jupytext:
  text_representation: {extension: .md, format_name: myst}
kernelspec: {display_name: Python 3, language: python, name: python3}
---

# Trial

```{code-cell} ipython3
---
mystnb:
  image:
    alt: "A picture whose description is so long that jupytext would break its line into two, and quote it otherwise."
---
print("one")
```

Words.

```{code-cell} ipython3
print("answer here")
```
"""


@pytest.fixture
def book(tmp_path, monkeypatch):
    """A book of one chapter; its cells are not executed."""
    (tmp_path / "chapters/text").mkdir(parents=True)
    (tmp_path / f"chapters/text/{NAME}.md").write_text(TWIN)
    monkeypatch.setattr(chapter, "execute", lambda notebook, *_: notebook)
    assert chapter.make_chapter(NAME, tmp_path) == "written"
    return tmp_path


def path(book):
    return book / "chapters" / f"{NAME}.ipynb"


def twin(book):
    return book / "chapters/text" / f"{NAME}.md"


def copies(book):
    return sorted(book.glob(f"chapters/{COPIES}"))


def edit(book, change):
    """Change a notebook's cells and save it as an editor does: what else is in it stays."""
    notebook = nbformat.read(path(book), as_version=4)
    change(notebook.cells)
    nbformat.write(notebook, path(book))
    return path(book).read_bytes()


def answer(cells):
    cells[3].source = "my answer"


def more_words(cells):
    cells[2].source += "\n\nMy words."


def another_cell(cells):
    cells.append(new_code_cell("x = 1"))


def one_less(cells):
    del cells[2]


def other_order(cells):
    cells[0], cells[2] = cells[2], cells[0]


@pytest.mark.parametrize("change", [answer, more_words, another_cell, one_less, other_order])
def test_an_edited_notebook_is_kept_and_the_command_says_where(book, change):
    made = path(book).read_bytes()
    theirs = edit(book, change)
    said, succeeded = chapter.attempt(NAME, book)
    assert succeeded and path(book).read_bytes() == made
    [copy] = copies(book)
    assert copy.name == f"{NAME}.mine.ipynb" and copy.read_bytes() == theirs
    assert f"what it held is now in chapters/{copy.name}" in said

    again = edit(book, another_cell)
    assert f"chapters/{NAME}.2.mine.ipynb" in chapter.attempt(NAME, book)[0]
    assert {copy.read_bytes() for copy in copies(book)} == {theirs, again}


def test_words_keep_a_copy_too_and_do_not_touch_an_edited_code_cell(book):
    theirs = edit(book, more_words)
    assert "is now in" in chapter.make_chapter(NAME, book, words=True)
    assert [copy.read_bytes() for copy in copies(book)] == [theirs]
    theirs = edit(book, answer)
    with pytest.raises(ChapterError, match="code cell 2 is not the one"):
        chapter.make_chapter(NAME, book, words=True)
    assert path(book).read_bytes() == theirs and len(copies(book)) == 1


def other_outputs(cells):
    cells[3].outputs = [new_output("stream", text="another machine's")]
    cells[3].execution_count = 7
    cells[3].id = "other"


def an_empty_cell(cells):
    cells.append(new_code_cell(""))


def what_the_twin_says_now(cells):
    cells[2].source = "Words, and more."


@pytest.mark.parametrize("change", [other_outputs, an_empty_cell, what_the_twin_says_now])
def test_nothing_is_kept_of_a_notebook_in_which_nobody_has_written(book, change):
    edit(book, change)
    twin(book).write_text(TWIN.replace("Words.", "Words, and more."))
    assert chapter.make_chapter(NAME, book) == "written"
    assert not copies(book)


def test_in_doubt_a_copy_is_kept(book):
    made = path(book).read_bytes()
    for content in (
        made.replace(b'"sources"', b'"other"').replace(b"Words.", b"Mine."),
        made.replace(b'"attnbook"', b'"other"').replace(b"Words.", b"Mine."),
        made[: len(made) // 2],
        b"<<<<<<< HEAD\n" + made,
        b"\xff\xfe",
    ):
        path(book).write_bytes(content)
        assert "is now in" in chapter.make_chapter(NAME, book)
        assert content in [copy.read_bytes() for copy in copies(book)]
        assert path(book).read_bytes() == made
    assert len(copies(book)) == 5


@pytest.mark.parametrize("what", [{"words": True}, {"from_notebook": True}])
def test_what_is_no_notebook_is_named_where_its_content_is_needed(book, what):
    made = path(book).read_bytes()
    for content in (b"<<<<<<< HEAD\n" + made, made[: len(made) // 2], b"\xff\xfe", b"[]", b"{}"):
        path(book).write_bytes(content)
        said, succeeded = chapter.attempt(NAME, book, **what)
        assert not succeeded and f"{path(book)} cannot be read as a notebook: " in said
        assert path(book).read_bytes() == content and twin(book).read_text() == TWIN


def test_without_room_for_the_copy_the_notebook_stays(book, monkeypatch):
    theirs = edit(book, answer)
    (book / f"chapters/{NAME}.mine.ipynb").write_text("an earlier copy")

    class Full(io.FileIO):
        def write(self, content):
            super().write(content[:9])
            raise OSError("no space left on device")

    monkeypatch.setattr(edited, "open", Full, raising=False)
    said, succeeded = chapter.attempt(NAME, book)
    assert not succeeded and "no space left" in said and "not overwritten" in said
    assert path(book).read_bytes() == theirs
    assert [copy.read_text() for copy in copies(book)] == ["an earlier copy"]


def test_the_rules_name_a_notebook_that_was_edited(book):
    assert not edited_elsewhere(nbformat.read(path(book), as_version=4))
    edit(book, other_outputs)
    assert not edited_elsewhere(nbformat.read(path(book), as_version=4))
    edit(book, answer)
    [problem] = edited_elsewhere(nbformat.read(path(book), as_version=4))
    assert "--from-notebook" in problem


def test_a_copy_is_no_chapter_for_git_nbval_or_the_build(book):
    edit(book, answer)
    chapter.make_chapter(NAME, book)
    edit(book, answer)
    chapter.make_chapter(NAME, book)
    assert len(copies(book)) == 2
    assert stored_notebooks(book) == [path(book)]
    for copy in copies(book):
        command = ["git", "check-ignore", "-q", "--no-index", f"chapters/{copy.name}"]
        assert subprocess.run(command, cwd=ROOT).returncode == 0
    command[-1] = f"chapters/{NAME}.ipynb"
    assert subprocess.run(command, cwd=ROOT).returncode == 1

    shutil.copy(ROOT / "conftest.py", book)
    found = subprocess.run(
        [sys.executable, "-m", "pytest", "--nbval", "--collect-only", "-q", "chapters"],
        cwd=book,
        env=os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'code'}"},
        capture_output=True,
        text=True,
    ).stdout
    assert f"{NAME}.ipynb::Cell 1" in found and "mine" not in found


# --- the other way ------------------------------------------------------------------------------------------------


def tagged(cells):
    answer(cells)
    cells[3].metadata["tags"] = ["hide-input"]
    cells[3].metadata["vscode"] = {"languageId": "python"}
    cells.insert(2, new_markdown_cell("A new cell."))
    cells.append(new_code_cell(""))


def test_what_was_edited_in_the_notebook_is_written_into_the_text(book):
    edit(book, tagged)
    said, succeeded = chapter.attempt(NAME, book, from_notebook=True)
    assert (said, succeeded) == (f"chapters/text/{NAME}.md: written", True)
    assert twin(book).read_text() == TWIN.replace("Words.", "A new cell.\n\n+++\n\nWords.").replace(
        'ipython3\nprint("answer here")', "ipython3\n:tags: [hide-input]\n\nmy answer"
    )
    assert chapter.attempt(NAME, book, from_notebook=True)[0].endswith(": unchanged")
    assert chapter.make_chapter(NAME, book) == "written" and not copies(book)


def test_without_git_the_text_is_jupytexts(book, monkeypatch):
    def missing(*_, **__):
        raise FileNotFoundError("git")

    monkeypatch.setattr(edited.subprocess, "run", missing)
    edit(book, answer)
    assert edited.take_over(NAME, book) == "written"
    cells = jupytext.read(twin(book)).cells
    assert [cell.source for cell in cells] == [cell.source for cell in nbformat.read(path(book), as_version=4).cells]


def test_a_text_that_was_changed_too_is_not_overwritten(book):
    theirs = edit(book, answer)
    changed = TWIN.replace("Words.", "An author's words.")
    twin(book).write_text(changed)
    said, succeeded = chapter.attempt(NAME, book, from_notebook=True)
    assert not succeeded and f"{NAME}.md has been changed, too" in said
    assert twin(book).read_text() == changed and path(book).read_bytes() == theirs


def test_a_notebook_that_lost_its_metadata_is_not_said_to_stand_beside_a_changed_text(book):
    edit(book, answer)
    notebook = nbformat.read(path(book), as_version=4)
    del notebook.metadata["attnbook"]
    nbformat.write(notebook, path(book))
    said, succeeded = chapter.attempt(NAME, book, from_notebook=True)
    assert not succeeded and "does not say from which text it was made" in said and "changed, too" not in said
    assert twin(book).read_text() == TWIN


def test_the_sentence_for_colab_stays_out_of_the_text(book):
    address = "https://example.org/book"
    (book / "_config.yml").write_text(f"repository: {{url: '{address}'}}")
    chapter.make_chapter(NAME, book)
    assert address in path(book).read_text()
    assert edited.take_over(NAME, book) == "unchanged"
    edit(book, lambda cells: cells.append(new_markdown_cell("The end.")))
    assert edited.take_over(NAME, book) == "written"
    assert twin(book).read_text() == TWIN + "\nThe end.\n"


def test_saving_in_jupyterlab_changes_the_notebook_alone_and_reads_it_alone(book):
    for name in ("pyproject.toml", "jupytext.toml"):  # where jupytext looks
        if (ROOT / name).exists():
            shutil.copy(ROOT / name, book)
    # what JupyterLab opens and saves files with
    manager = build_sync_jupytext_contents_manager_class(LargeFileManager)()
    manager.root_dir = str(book)
    edit(book, answer)
    newer = TWIN.replace("answer here", "a new edition")
    twin(book).write_text(newer)
    later = path(book).stat().st_mtime + 60
    os.utime(twin(book), (later, later))
    model = manager.get(f"chapters/{NAME}.ipynb")
    assert model["content"]["cells"][3]["source"] == "my answer"
    model["content"]["cells"][2]["source"] = "My words."
    manager.save(model, f"chapters/{NAME}.ipynb")
    assert twin(book).read_text() == newer
    cells = nbformat.read(path(book), as_version=4).cells
    assert [cell.source for cell in cells[2:]] == ["My words.", "my answer"]
