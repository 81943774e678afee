"""`make chapter`: the same bytes every time, and a failure that costs nothing."""

import base64
import io
import json
import os
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from PIL import Image, ImageChops

from tools import chapter, normal_form, reading
from tools.notebooks import ChapterError, find_chapter, read_chapter

HEADER = """---
jupytext:
  text_representation: {extension: .md, format_name: myst}
kernelspec: {display_name: Python 3, language: python, name: python3}
---
"""
TEXT = (
    HEADER
    + """
# Trial

```{code-cell} ipython3
:tags: [hide-input]

import os
import ipywidgets
print("one"); print("two", os.environ["ATTNBOOK_DEVICE"], os.environ["OMP_NUM_THREADS"])
os.path.exists(os.environ["ATTNBOOK_PROGRESS"])
```

```{code-cell} ipython3
ipywidgets.IntSlider()
```
"""
)


@pytest.fixture
def book(tmp_path):
    """An empty book with one chapter."""
    (tmp_path / "chapters" / "text").mkdir(parents=True)
    (tmp_path / "chapters" / "text" / "01-trial.md").write_text(TEXT)
    return tmp_path


def cell_writing(source):
    return HEADER + f"\n```{{code-cell}} ipython3\n{source}\n```\n"


def test_two_runs_are_identical_and_nothing_of_the_machine_stays(book, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    path = book / "chapters" / "01-trial.ipynb"
    assert chapter.make_chapter("01-trial", book) == "written"
    first = path.read_bytes()
    assert os.environ["MPLBACKEND"] == "agg"  # the caller's environment is put back
    path.unlink()
    assert chapter.make_chapter("01-trial", book) == "written"
    assert path.read_bytes() == first
    assert chapter.make_chapter("01-trial", book) == "unchanged"
    assert [p.name for p in path.parent.iterdir() if p.is_file()] == ["01-trial.ipynb"]

    notebook = json.loads(first)
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == [1, 2]
    assert cells[0]["outputs"][0]["text"] == ["one\n", "two cpu 1\n"]
    assert cells[0]["outputs"][1]["data"]["text/plain"] == ["False"]  # no reader's progress
    assert cells[0]["metadata"] == {"tags": ["hide-input"]}
    assert set(notebook["metadata"]) == {"attnbook", "kernelspec", "language_info"}
    assert "version" not in notebook["metadata"]["language_info"]
    assert "widget-view" not in first.decode() and "widget-state" not in first.decode()


def test_new_words_keep_the_stored_outputs(book, monkeypatch):
    chapter.make_chapter("01-trial", book)
    twin, path = book / "chapters/text/01-trial.md", book / "chapters/01-trial.ipynb"
    stored = json.loads(path.read_text())
    twin.write_text(TEXT + "\nMore words.\n")
    with monkeypatch.context() as patch:
        patch.setattr(chapter, "execute", None)
        assert chapter.make_chapter("01-trial", book, words=True) == "written"
    executed = [cell for cell in stored["cells"] if cell["cell_type"] == "code"]
    renewed = json.loads(path.read_text())["cells"]
    assert renewed[-1]["source"][-1] == "More words."
    assert [cell for cell in renewed if cell["cell_type"] == "code"] == executed

    other = TEXT + cell_writing("2 + 2").removeprefix(HEADER)
    for changed in (other, TEXT.replace('"one"', '"two"')):
        assert changed != TEXT
        twin.write_text(changed)
        with pytest.raises(ChapterError, match=r"code cell \d is not the one"):
            chapter.make_chapter("01-trial", book, words=True)
    twin.write_text(TEXT[: TEXT.rindex("```{code-cell}")])
    with pytest.raises(ChapterError, match="code cell 2 is gone, the one whose output is stored; leave out --words"):
        chapter.make_chapter("01-trial", book, words=True)


def test_numbers_that_only_this_machine_prints_are_told(book, monkeypatch):
    """Nobody compares them, and the words may quote them."""
    free = ":tags: [nbval-ignore-output]\n\nimport os\n"
    live = cell_writing(free + 'os.environ.get("ATTNBOOK_DEVICE"), os.environ["TRIAL"]')
    text = live + cell_writing('import os\nos.environ["TRIAL"]').removeprefix(HEADER)
    (book / "chapters/text/01-trial.md").write_text(text)
    said = []
    for trial in ("0.17", "0.17", "0.18"):
        monkeypatch.setenv("TRIAL", trial)
        said.append(chapter.make_chapter("01-trial", book))
    assert said[:2] == ["written", "unchanged"]
    assert said[2].endswith("which the words may quote: 1")


FAILURES = {
    "a cell that raises": (
        "x = 1\nraise KeyError('gone')",
        r"code cell 1 of 1.*\n.*\n +1 \| x = 1\n.*[\s\S]*KeyError: 'gone'",
    ),
    "a cell that kills the kernel": ("import os\nos._exit(1)", "the kernel died"),
    "a warning": ("import warnings\nwarnings.warn('old')", "writes to stderr"),
    "an address": ("object()", r"prints a memory address \('at 0x"),
    "a path": ("import os\nos.getcwd()", "prints the path of this working copy"),
    "a syntax error": ("x = = 1", "SyntaxError"),
}


@pytest.mark.parametrize("failure", FAILURES)
def test_a_failure_says_what_failed_and_leaves_the_notebook(book, failure):
    source, message = FAILURES[failure]
    (book / "chapters" / "text" / "01-trial.md").write_text(cell_writing(source))
    old = book / "chapters" / "01-trial.ipynb"
    old.write_text("the old notebook")
    with pytest.raises(ChapterError, match=message):
        chapter.make_chapter("01-trial", book)
    assert old.read_text() == "the old notebook"
    assert [p.name for p in old.parent.iterdir() if p.is_file()] == ["01-trial.ipynb"]


PATHS = {"": True, "/chapters": True, ".": True, "land": False, "-2": False}


@pytest.mark.parametrize(("after", "refused"), PATHS.items())
def test_only_a_path_of_this_copy_is_one(after, refused):
    root = Path("/srv/book")
    output = new_output("stream", name="stdout", text=f"{root}{after}\n")
    notebook = new_notebook(cells=[new_code_cell("print(…)", outputs=[output])])
    if refused:
        with pytest.raises(ChapterError, match="prints the path of this working copy"):
            normal_form.check_outputs(notebook, "01-trial", root)
    else:
        normal_form.check_outputs(notebook, "01-trial", root)


def test_a_full_disk_leaves_the_notebook(book, monkeypatch):
    def full(*_):
        raise OSError("no space left on device")

    monkeypatch.setattr(chapter, "execute", lambda notebook, *_: notebook)
    monkeypatch.setattr(chapter, "write_atomically", full)
    said, succeeded = chapter.attempt("01-trial", book)
    assert not succeeded and "no space left" in said and "not overwritten" in said


@pytest.mark.parametrize(
    "name", ["01-trial", "01", "1", "01-trial.md", "chapters/01-trial.ipynb", "chapters/text/01-trial.md"]
)
def test_a_chapter_is_found_by_name_number_or_path(book, name):
    assert find_chapter(name, book) == "01-trial"


def test_a_name_that_does_not_exist_is_answered_with_the_names_that_do(book):
    with pytest.raises(ChapterError, match=r"(?s)no chapter '01-trail'. Did you mean 01-trial\?.*\n    01-trial\n"):
        find_chapter("01-trail", book)
    with pytest.raises(ChapterError, match=r"(?s)Which chapter\?.*\n    01-trial"):
        find_chapter("", book)


def test_the_command_ends_with_an_error_and_its_message(capsys):
    assert chapter.main(["no-such-chapter"]) == 2
    assert "There is no chapter 'no-such-chapter'" in capsys.readouterr().err


def test_a_chapter_is_made_once_and_all_are_not_some(monkeypatch, capsys):
    made = []
    monkeypatch.setattr(chapter, "attempt_all", lambda names, *_, **__: made.extend(names) or [])
    assert chapter.main(["04", "4", "05", "04-masked-softmax"]) == 0
    assert made == ["04-masked-softmax", "05-scoring-functions"]
    with pytest.raises(SystemExit):
        chapter.main(["04", "--all"])
    assert "name chapters, or say --all, but not both" in capsys.readouterr().err


def test_two_at_a_time_and_one_that_fails_does_not_stop_the_other(book):
    broken = cell_writing("1 / 0")
    (book / "chapters" / "text" / "00-broken.md").write_text(broken)
    answers = chapter.attempt_all(["00-broken", "01-trial"], jobs=2, root=book)
    (failure, failed), (said, succeeded) = answers  # in the order of the names
    assert "ZeroDivisionError" in failure and "was not overwritten" in failure
    assert "chapters/01-trial.ipynb: written" in said and "still to do: " in said
    assert (failed, succeeded) == (False, True)
    assert [p.name for p in (book / "chapters").glob("*.ipynb")] == ["01-trial.ipynb"]


def test_cells_that_only_ipython_understands_are_checked(book, monkeypatch):
    monkeypatch.setattr(chapter, "execute", lambda notebook, *_: notebook)
    for source in ("files = !ls", "%time 1", "print?", "for i in (1, 2):\n    !echo {i}"):
        (book / "chapters" / "text" / "01-trial.md").write_text(cell_writing(source))
        said, succeeded = chapter.attempt("01-trial", book)
        assert succeeded and "01-trial.ipynb: written" in said and "no exercise in it" in said
    (book / "chapters" / "text" / "01-trial.md").write_text(cell_writing(":tags: [raises-exception]\n\nx = = 1"))
    said, succeeded = chapter.attempt("01-trial", book)
    assert succeeded and "01-trial.ipynb: written" in said and "still to do: a code cell is no Python" in said


def test_a_check_that_fails_itself_is_told_and_the_other_chapters_are_made(book, monkeypatch):
    def fails(name, root):
        raise ValueError("substring not found")

    monkeypatch.setattr(chapter, "execute", lambda notebook, *_: notebook)
    monkeypatch.setattr(chapter, "problems_of", fails)
    (book / "chapters" / "text" / "02-other.md").write_text(cell_writing("1"))
    answers = list(chapter.attempt_all(["01-trial", "02-other"], jobs=1, root=book))
    assert [succeeded for _, succeeded in answers] == [True, True]
    for name, (said, _) in zip(("01-trial", "02-other"), answers, strict=True):
        assert f"{name}.ipynb: written" in said
        assert "still to do: the chapter was not checked, since a check fails itself: ValueError('sub" in said


@pytest.mark.parametrize("config", ["", "repository:\n", "repository:\n  url:\n"])
def test_a_book_without_an_address_has_no_cell_that_names_one(book, config):
    (book / "_config.yml").write_text(config)
    assert all("%pip" not in cell.source for cell in read_chapter("01-trial", book).cells)
    (book / "_config.yml").write_text("repository:\n  url: https://example.org/book\n")
    assert any("git+https://example.org/book" in cell.source for cell in read_chapter("01-trial", book).cells)


def test_ids_follow_the_content_so_that_an_inserted_cell_changes_no_other():
    def ids(*sources):
        return [cell.id for cell in normal_form.normalise(new_notebook(cells=list(map(new_code_cell, sources)))).cells]

    first, second = ids("a", "b")
    assert ids("a", "new", "b")[::2] == [first, second]
    assert len(set(ids("a", "a", "a"))) == 3


def test_an_output_that_held_only_a_widget_view_goes():
    view = new_output("display_data", data={normal_form.WIDGET_MIMES[0]: {"model_id": "1"}})
    cell = new_code_cell("slider", outputs=[view])
    assert normal_form.normalise(new_notebook(cells=[cell])).cells[0].outputs == []


def test_a_picture_gets_lighter_once_and_looks_the_same():
    drawn = Image.radial_gradient("L").convert("RGBA")
    drawn.putalpha(Image.linear_gradient("L"))
    drawn = drawn.resize((400, 300), Image.Resampling.BICUBIC)
    png = io.BytesIO()
    drawn.save(png, "PNG")
    before = base64.b64encode(png.getvalue()).decode()
    output = new_output("display_data", {"image/png": before, "text/plain": "<Figure>"})
    book = new_notebook(cells=[new_code_cell("draw()", outputs=[output])])
    after = normal_form.normalise(book).cells[0].outputs[0].data["image/png"]
    assert len(after) < 0.7 * len(before)
    again = Image.open(io.BytesIO(base64.b64decode(after))).convert("RGBA")
    on_white = [Image.alpha_composite(Image.new("RGBA", drawn.size, "white"), picture) for picture in (drawn, again)]
    far = ImageChops.difference(*(picture.convert("RGB") for picture in on_white))
    assert max(high for _, high in far.getextrema()) < 40
    assert normal_form.normalise(book).cells[0].outputs[0].data["image/png"] == after


def test_of_a_chapter_that_has_only_its_text_is_said_that_it_is_not_made_yet(monkeypatch, capsys):
    monkeypatch.setattr(reading, "chapter_names", lambda: ["01-queries-keys-values", "99-trial"])
    assert reading.main([]) == 0
    _, first, last = capsys.readouterr().out.splitlines()
    assert first.split()[0] == "01-queries-keys-values" and last.split() == ["99-trial", "not", "made", "yet"]


def test_a_notebook_that_cannot_be_read_does_not_hide_how_long_the_others_are(monkeypatch, capsys):
    def read(name):
        if name == "02-merged":
            raise ChapterError("02-merged.ipynb cannot be read as a notebook: <<<<<<<")
        return new_notebook(cells=[new_markdown_cell("word " * 400)])

    monkeypatch.setattr(reading, "chapter_names", lambda: ["02-merged", "03-whole"])
    monkeypatch.setattr(reading, "read_stored", read)
    assert reading.main([]) == 0
    _, merged, whole = capsys.readouterr().out.splitlines()
    assert "cannot be read as a notebook" in merged and whole.split()[:2] == ["03-whole", "2"]
