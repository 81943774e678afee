"""What the browser keeps: progress and answers, saved to files, read back, handed in; nothing strange is taken over."""

import csv
import json
import re
import subprocess
import sys

import nbformat
import pytest
from playwright.sync_api import expect
from test_classroom import CHAPTER, RIGHT, WRONG, Reader, context  # noqa: F401
from test_pages import WIDE

from attnbook.exercises import record
from attnbook.exercises.bank import SHELF
from kept import comes_back
from tools.barriers import AXE, BARRIERS, PHONE, SETTLED, THEME
from tools.pages.classroom import exercises

pytestmark = pytest.mark.browser

THEIRS = {
    "version": 1,
    "exercises": {"soft-lookup": {"state": "solved", "solved_on": "2026-01-31"}, "top-p": {"state": "attempted"}},
}
SAID = "Read; what is solved in either place is now solved here."
# milliseconds without a reply after which a page counts as frozen, also on a busy machine; it was minutes once
FROZEN = 3_000
NOT_OURS = "This is not a progress file of this book; nothing was changed."


class Files:
    """The page of all exercises, and what its two lines of buttons say."""

    def __init__(self, context, book):  # noqa: F811
        self.page = context.new_page()
        self.errors = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto((book / "chapters/exercises.html").as_uri())

    def line(self, what):
        return self.page.locator(".classroom-bar", has_text=f"Read {what}")

    def said(self, what):
        return self.line(what).get_by_role("status").inner_text()

    def read(self, what, path):
        """Choose a file; what is said, and how many milliseconds the page did not reply."""
        self.page.evaluate(
            "document.querySelectorAll('.classroom-said').forEach((s) => { s.textContent = ''; });"
            "window.longest = 0; let last = performance.now();"
            "clearInterval(window.ticks); window.ticks = setInterval(() => {"
            "  longest = Math.max(longest, performance.now() - last); last = performance.now(); }, 10);"
        )
        self.line(what).locator("input").set_input_files(path)
        self.line(what).get_by_role("status").filter(has_text=re.compile(".")).wait_for()
        self.page.wait_for_timeout(100)
        return self.said(what), self.page.evaluate("longest")

    def save(self, what, path):
        with self.page.expect_download(timeout=60_000) as download:
            self.line(what).get_by_role("button", name="Save my").click()
        download.value.save_as(path)
        return download.value.suggested_filename

    def await_solved(self, number):
        """Until the table says so: it is filled when the page's scripts have run."""
        caption = self.page.locator("table.attnbook-progress caption")
        expect(caption).to_have_text(re.compile(f"^{number} of"), timeout=20_000)

    def kept(self, key):
        return self.page.evaluate("(key) => localStorage.getItem(key)", key)


@pytest.fixture
def files(context, built_book):  # noqa: F811
    files = Files(context, built_book)
    yield files
    assert files.errors == []


@pytest.fixture(scope="module")
def unchanged(browser, built_book):
    """A page that stays open for what changes nothing."""
    own = browser.new_context(offline=True)
    yield Files(own, built_book)
    own.close()


# --- progress ---------------------------------------------------------------------------------------------------------


def test_progress_goes_to_a_file_and_comes_back(files, tmp_path):
    """In the format of the notebooks' own progress file."""
    path = tmp_path / "progress.json"
    path.write_text(json.dumps(THEIRS))
    assert files.read("progress", path)[0] == SAID
    files.await_solved(1)
    row = files.page.locator("table.attnbook-progress tr", has_text="soft-lookup")
    address = row.get_by_role("link").evaluate("link => link.href")
    assert address.endswith("chapters/01-queries-keys-values.html#ex-soft-lookup")
    assert row.get_by_role("img", name="solved").inner_text() == "✓"
    files.save("progress", tmp_path / "saved.json")
    assert json.loads((tmp_path / "saved.json").read_text()) == THEIRS
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ATTNBOOK_PROGRESS", str(tmp_path / "saved.json"))
        assert record.read().exercises == THEIRS["exercises"]


def named(exercises):  # noqa: F811
    return json.dumps({"version": 1, "exercises": exercises})


@pytest.mark.parametrize(
    "text",
    [
        "nothing",
        "[" * 90_000,
        "3",
        "null",
        '{"version": 2, "exercises": {}}',
        '{"version": 1, "exercises": [1]}',
        '{"version": 1, "exercises": "top-p"}',
        '{"version": 1, "exercises": null}',
        named({"top-p": {"state": "x"}}),
        named({"top-p": "solved"}),
        named({"top-p": None}),
        named({f"{n:06d}": {"state": "solved"} for n in range(5000)}),  # 150 kB
    ],
    ids=lambda text: text[:40],
)
def test_a_file_of_something_else_changes_nothing(unchanged, tmp_path, text):
    (tmp_path / "bad.json").write_text(text)
    said, blocked = unchanged.read("progress", tmp_path / "bad.json")
    assert said == NOT_OURS
    assert blocked < FROZEN
    assert unchanged.kept("attnbook:progress") is None
    assert unchanged.errors == []


def test_names_that_are_no_exercises_are_dropped_and_counted(files, tmp_path):
    """Of a file that fills the bound; written once, and only what belongs into a record."""
    strange = {f"x{n}": {"state": "solved"} for n in range(3000)}
    odd = {"state": "solved", "solved_on": "x" * 1000, "more": [1]}
    path = tmp_path / "many.json"
    path.write_text(named({**strange, "__proto__": {}, "top-p": odd}))
    assert 89_000 < path.stat().st_size < 100_000
    files.page.evaluate(
        "window.written = 0; const set = Storage.prototype.setItem;"
        "Storage.prototype.setItem = function (...a) { written += 1; set.apply(this, a); }; 0"
    )
    said, blocked = files.read("progress", path)
    assert said == f"{SAID} Names that are no exercises of this book were left out: 3001."
    assert blocked < FROZEN
    assert files.page.evaluate("written") == 1
    assert json.loads(files.kept("attnbook:progress")) == {"version": 1, "exercises": {"top-p": {"state": "solved"}}}


@pytest.mark.parametrize(
    "kept",
    [
        "[1]",
        "[" * 1_000_000,
        '{"exercises": 3}',
        '{"exercises": {"top-p": 1, "soft-lookup": {"state": "solved", "solved_on": {}}}}',
        named({f"x{n}": {"state": "solved"} for n in range(100_000)}),
    ],
    ids=lambda text: text[:40],
)
def test_a_strange_record_in_the_browser_is_no_hindrance(files, kept):
    files.page.evaluate("(t) => localStorage.setItem('attnbook:progress', t)", kept)
    files.page.evaluate("dispatchEvent(new StorageEvent('storage'))")
    files.page.reload()
    assert comes_back(files.page, lambda: files.kept("attnbook:progress") == kept)
    files.await_solved(int("soft-lookup" in kept))


# --- answers ----------------------------------------------------------------------------------------------------------

ATTENTION = "chapters/02-attention-pooling"


def solution(name):
    exercise = SHELF.get(name)
    return f'{exercise.source()}\ncheck("{name}", {exercise.function})'


def write(context, book, page, name, text):  # noqa: F811
    reader = Reader(context, book, page, name)
    reader.write(text)
    return reader


def test_answers_are_handed_in_and_graded_as_in_the_page(
    context,  # noqa: F811
    built_book,
    files,
    tmp_path,
):
    """Three answers of two chapters, one wrong, one built on a cell that the reader has changed."""
    other = exercises()[ATTENTION][0]
    reader = write(context, built_book, CHAPTER, "masked-softmax", WRONG)
    assert reader.check() == "wrong"
    reader.cell = reader.page.locator('.classroom-cell[data-exercise="log-weight"]')
    reader.write(solution("log-weight"))
    assert reader.check() == "solved"
    two = write(context, built_book, ATTENTION, other, solution(other))
    assert two.check() == "solved"
    tried = two.page.locator(".classroom-cell.tag_try-it").first
    tried.locator(".cell_input").click()
    tried.locator(".cm-content").wait_for()
    two.page.keyboard.press("Control+a")
    two.page.keyboard.insert_text("mine = 'tried'")
    assert tried.get_by_role("button", name="Restore this cell").inner_text() == "Restore"  # nothing was asked there

    class_folder = tmp_path / "class"
    class_folder.mkdir()
    texts = "Array.from({ length: localStorage.length }, (_, i) => localStorage.getItem(localStorage.key(i)))"
    files.page.wait_for_function(f"{texts}.some((text) => text.includes('tried'))")
    assert files.save("answers", class_folder / "ada.ipynb") == "answers.ipynb"
    expect(files.line("answers").get_by_role("status")).to_have_text(re.compile("^Saved as answers.ipynb: "))
    written = nbformat.read(class_folder / "ada.ipynb", as_version=nbformat.NO_CONVERT)
    nbformat.validate(written)
    assert (written.nbformat, written.nbformat_minor) == (4, 5)
    headings = [c.source for c in written.cells if c.cell_type == "markdown"]
    assert headings == ["# 2. Attention pooling", "# 4. Masked softmax"]
    assert WRONG in [cell.source for cell in written.cells]
    assert "mine = 'tried'" in [cell.source for cell in written.cells]

    command = [sys.executable, "-m", "attnbook", "grade", str(class_folder)]
    done = subprocess.run([*command, "--out", str(tmp_path)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    with open(tmp_path / "grades.csv", encoding="utf-8-sig", newline="") as table:
        (graded,) = csv.DictReader(table)
    assert graded["log-weight"] == graded[other] == "solved"
    assert graded["masked-softmax"].startswith("wrong: ")
    assert graded["problems"] == "" and graded["solved"] == "2"

    # and into another browser
    elsewhere = context.browser.new_context(offline=True)
    there = Files(elsewhere, built_book)
    said, _ = there.read("answers", class_folder / "ada.ipynb")
    assert said.startswith("Read; they stand in their chapters now: ")
    again = Reader(elsewhere, built_book)
    assert comes_back(again.page, lambda: "return weights" in again.cell.locator(".cell_input").inner_text())
    assert again.check() == "wrong"
    elsewhere.close()


def test_a_chapter_saves_its_own_even_if_the_browser_keeps_nothing(
    context,  # noqa: F811
    built_book,
    tmp_path,
):
    context.add_init_script(  # full, but for the few bytes of the theme
        "const set = Storage.prototype.setItem; Storage.prototype.setItem = function (key, text) {"
        "  if (key.startsWith('attnbook')) throw new DOMException('', 'QuotaExceededError');"
        "  set.call(this, key, text); };"
    )
    reader = Reader(context, built_book)
    bar = reader.page.locator("section#exercises > .classroom-bar")
    save = bar.get_by_role("button", name="Save this chapter's answers")
    save.click()
    expect(bar.get_by_role("status")).to_have_text("No answer is written yet.")
    reader.write(RIGHT.rpartition("check(")[0])
    assert "storage is full or blocked" in reader.said
    with reader.page.expect_download(timeout=60_000) as download:
        save.click()
    name = download.value.suggested_filename
    assert name == "04-masked-softmax-answers.ipynb"
    download.value.save_as(tmp_path / name)
    expect(bar.get_by_role("status")).to_have_text("Saved as 04-masked-softmax-answers.ipynb: masked-softmax.")
    last = nbformat.read(tmp_path / name, as_version=nbformat.NO_CONVERT).cells[-1]
    assert last.source == RIGHT
    assert reader.errors == []


def answers(**sources):
    cells = [{"cell_type": "code", "source": text, "metadata": {"attnbook": key}} for key, text in sources.items()]
    return {"cells": cells, "nbformat": 4}


MINE, KEY = ("attnbook:cell:chapters/04-masked-softmax:masked-softmax", ("chapters/04-masked-softmax:masked-softmax"))


@pytest.mark.parametrize("agreed", [True, False])
def test_another_answer_is_replaced_only_if_the_reader_says_so(files, tmp_path, agreed):
    files.page.evaluate("(k) => localStorage.setItem(k, JSON.stringify('old'))", MINE)
    asked = []
    answer = "accept" if agreed else "dismiss"
    files.page.on("dialog", lambda dialog: (asked.append(dialog.message), getattr(dialog, answer)()))
    other = "chapters/04-masked-softmax:log-weight"
    path = tmp_path / "answers.ipynb"
    path.write_text(json.dumps(answers(**{KEY: ["new", "er"], other: "b"})))
    said, _ = files.read("answers", path)
    assert len(asked) == 1 and asked[0].endswith("\n\nmasked-softmax")
    assert "log-weight" in said and ("masked-softmax" in said) is agreed
    assert files.kept(MINE) == ('"newer"' if agreed else '"old"')
    assert files.kept(f"attnbook:cell:{other}") == '"b"'
    files.read("answers", path)
    assert len(asked) == (1 if agreed else 2)  # what is the same is not asked about


@pytest.mark.parametrize(
    "content",
    [
        "nothing",
        "[" * 1_000_000,
        "{}",
        '{"cells": [null]}',
        json.dumps(answers(**{"chapters/99:top-p": "a"})),
        json.dumps(answers(**{"chapters/04-masked-softmax:top-p": "a"})),
        json.dumps(answers(**{"__proto__:top-p": "a"})),
        json.dumps(answers(**{KEY: "a" * 2_000_000})),
        json.dumps(answers(**{f"{CHAPTER}:{number}": "" for number in range(501)})),
    ],
    ids=lambda text: text[:60],
)
def test_what_is_no_answer_of_this_book_changes_nothing(unchanged, tmp_path, content):
    (tmp_path / "bad.ipynb").write_text(content)
    said, blocked = unchanged.read("answers", tmp_path / "bad.ipynb")
    assert said == "This file holds no answers that were saved here; nothing was changed."
    assert blocked < FROZEN
    keys = "Array.from({ length: localStorage.length }, (_, i) => localStorage.key(i))"
    ours = f"{keys}.filter((key) => key.startsWith('attnbook'))"
    assert unchanged.page.evaluate(ours) == []
    assert unchanged.errors == []


def test_without_an_answer_nothing_is_loaded(files):
    files.page.evaluate("localStorage.setItem('attnbook:cell:chapters/x:1a', '\"b\"')")
    files.line("answers").get_by_role("button", name="Save").click()
    expect(files.line("answers").get_by_role("status")).to_have_text("No answer is written yet.")
    assert files.page.evaluate("attnbookPython.ready") is None


def test_the_buttons_keep_nobody_out(files):
    files.page.evaluate(AXE.read_text("utf-8"))
    for theme in ("light", "dark"):
        files.page.evaluate(THEME, theme)
        files.page.evaluate(SETTLED)
        assert files.page.evaluate(BARRIERS, {}) == []
    files.page.set_viewport_size(PHONE)
    files.page.evaluate(SETTLED)
    found = files.page.evaluate(WIDE)
    assert found["page"] <= found["limit"], found
    for button in files.page.locator(".classroom-bar button").all():
        assert button.bounding_box()["height"] >= 24
