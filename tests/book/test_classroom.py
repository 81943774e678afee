"""Exercises and cells in the built pages, opened from files with no network: written, run, checked and kept there."""

import inspect
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from playwright.sync_api import expect
from test_pages import WIDE

from attnbook.exercises.bank import SHELF
from kept import comes_back
from tools import NODE, NODE_MODULES, ROOT, stored_notebooks
from tools.barriers import PHONE, SETTLED, barriers
from tools.pages import classroom
from tools.pages.classroom import LAST_WRITTEN, PACKAGE, cells, exercises, write

pytestmark = pytest.mark.browser

PUPPETEER = NODE_MODULES / "puppeteer-core/lib/puppeteer/puppeteer-core.js"
PAGES = {name: page for page, names in exercises().items() for name in names}
CELLS = cells()
CELL = {name: next(s for s in CELLS[page] if f'check("{name}"' in s) for name, page in PAGES.items()}
RUN = """
async (question) => {
  const printed = [];
  const told = attnbookPython.run(question, () => {}, (text) => printed.push(text));
  const answer = await told.catch((error) => ({ stopped: error.message }));
  return { ...answer, printed: printed.join("") };
}
"""
RIGHT = """def my_masked_softmax(scores, valid_lens):
    keep = torch.arange(scores.shape[-1], device=scores.device) < valid_lens[:, None, None]
    weights = scores.masked_fill(~keep, -torch.inf).softmax(dim=-1)
    return weights.masked_fill(~keep, 0.0)

check("masked-softmax", my_masked_softmax)"""
WRONG = RIGHT.replace("    return weights.masked_fill(~keep, 0.0)", "    return weights")
CHAPTER = "chapters/04-masked-softmax"
DESK = {"width": 1280, "height": 720}


def verdict(answer):
    """Status and diagnosis of what was checked last."""
    last = (answer.get("verdicts") or [{}])[-1]
    return last.get("status"), last.get("diagnosis")


class Reader:
    """Somebody with a page open and an exercise in it."""

    def __init__(self, context, book, page=CHAPTER, exercise="masked-softmax", address=""):
        self.page = context.new_page()
        self.errors, self.asked = [], []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(f"{address or book.as_uri()}/{page}.html")
        self.cell = self.page.locator(f'.classroom-cell[data-exercise="{exercise}"]')

    def write(self, text):
        self.cell.locator(".cell_input").click()
        self.cell.locator(".cm-content").wait_for()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(text)

    def check(self):
        self.cell.evaluate("cell => { delete cell.dataset.status; }")
        self.cell.get_by_role("button", name=re.compile("Check|Run|检查|运行")).click()
        return self.result()

    def result(self):
        self.cell.locator("xpath=self::*[@data-status]").wait_for(timeout=60_000)
        return self.cell.get_attribute("data-status")

    def expect_nothing_wrong(self):
        assert self.errors == []
        assert [url for url in self.asked if not re.match("(file|blob|data):", url)] == []

    @property
    def output(self):
        return self.cell.locator(".cell_output").inner_text()

    @property
    def said(self):
        return self.cell.get_by_role("status").inner_text()


@pytest.fixture
def context(browser):
    context = browser.new_context(offline=True)
    yield context
    context.close()


@pytest.fixture
def newcomer(context, built_book):
    """A reader whose page has just been loaded."""
    reader = Reader(context, built_book)
    yield reader
    reader.expect_nothing_wrong()


@pytest.fixture(scope="module")
def open_page(browser, built_book):
    """A page that stays open, so that its Python need not start for every question."""
    context = browser.new_context(offline=True, viewport=DESK)
    yield Reader(context, built_book)
    context.close()


@pytest.fixture
def reader(open_page):
    """A reader at the open page, where Python may have started: each cell has a world of its own in it.

    What else a test may have changed is put back after it.
    """
    open_page.page.evaluate("attnbookPython.limit = 20")
    yield open_page
    open_page.page.set_viewport_size(DESK)
    written = open_page.page.locator(".classroom-cell").get_by_role("button", name="Start again")
    for _ in range(written.count()):  # each is hidden as soon as nothing is written there
        written.first.click()
    open_page.cell.evaluate("cell => { delete cell.dataset.status; localStorage.clear(); }")
    open_page.expect_nothing_wrong()


@pytest.fixture(scope="module")
def chromium(open_page):
    """Asks the Python of the open page."""
    return lambda question: open_page.page.evaluate(RUN, question)


@pytest.fixture(scope="module")
def firefox(built_book):
    """The same in Firefox, where the first cell of the page has been run by its button."""
    path = shutil.which("firefox-esr") or shutil.which("firefox")
    if path is None:
        pytest.skip("no Firefox found (Debian: apt install firefox-esr)")
    page = (built_book / f"{CHAPTER}.html").as_uri()
    program = [NODE, Path(__file__).with_name("firefox.mjs"), path, PUPPETEER]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([*program, page, RUN], text=True, **pipes) as node:
        assert json.loads(node.stdout.readline()) == "unwritten"

        def ask(question):
            print(json.dumps(question), file=node.stdin, flush=True)
            return json.loads(node.stdout.readline())

        yield ask
        node.stdin.close()
        assert json.loads(node.stdout.readline()) == []


@pytest.fixture(scope="module", params=["chromium", "firefox"])
def run(request):
    """Runs a cell in the one and in the other browser; its attribute `browser` is the name of the browser."""
    ask = request.getfixturevalue(request.param)

    def run(where, original, source):
        question = {"page": where, "original": original, "source": source}
        return ask(question | {"changed": {}})

    run.browser = request.param
    return run


def test_the_engine_is_there(built_book):
    """What npm brings is there; without it the book is built, too, but has no editors."""
    names = {path.name for path in (built_book / "_static/classroom").glob("*.js")}
    assert {"page.js", "worker.js", "editor.js", "engine-0.js"} <= names


# --- every exercise, every cell ---------------------------------------------------------------------------------------


def test_an_exercise_is_in_a_page():
    assert set(PAGES) == {exercise.name for exercise in SHELF}


JUDGED = [("chromium", name) for name in PAGES] + [("firefox", names[-1]) for names in exercises().values()]


@pytest.mark.parametrize(("run", "name"), JUDGED, indirect=["run"])
def test_an_exercise_is_judged_in_the_page(run, name):
    """Its solution, after the chapter's own cells; in Chromium also its stub and three of its mistakes.

    Firefox has the same Python, and the cells are all run there, too; what is around them is asked once on each page,
    by the last exercise, which has the most cells above it.
    """
    exercise, original = SHELF.get(name), CELL[name]
    asked = original[original.index("check(") :]
    solved = run(PAGES[name], original, f"{exercise.source()}\n{asked}")
    assert verdict(solved) == ("solved", None), solved
    if run.browser == "firefox":
        return
    assert verdict(run(PAGES[name], original, original)) == ("unwritten", None)
    edits = [mistake for mistake in exercise.mistakes if not callable(mistake.edit)]
    for mistake in edits[:3]:
        source = inspect.getsource(exercise.mistaken(mistake))
        wrong = run(PAGES[name], original, f"{source}\n{asked}")
        assert verdict(wrong) == ("wrong", mistake.name), wrong


def marked_cells():
    """(page, number) of the cells that say they can be run in the page."""
    for path in stored_notebooks():
        code = [c for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code"]
        for number, cell in enumerate(code):
            if "try-it" in cell.metadata.get("tags", []):
                yield pytest.param(path.stem, cell, id=f"{path.stem}-{number}")


@pytest.mark.parametrize("page, cell", list(marked_cells()))
def test_a_cell_gives_in_the_page_what_the_notebook_stores(run, page, cell):
    ran = run(f"chapters/{page}", cell.source, cell.source)
    streams = [o.text for o in cell.outputs if o.output_type == "stream"]
    data = [o.data for o in cell.outputs if o.output_type != "stream"]
    assert ran.get("error") is None
    assert ran["printed"] == "".join(streams)
    assert ran["html"] or ran["text"] == "".join(d.get("text/plain", "") for d in data)
    assert ran["html"] == "".join(d.get("text/html", "") for d in data)


def test_python_starts_from_compiled_modules_and_has_what_a_reader_imports(run):
    source = """import asyncio, bisect, collections, contextlib, copy, csv, dataclasses, datetime, decimal, fractions
import functools, heapq, inspect, itertools, json, math, operator, os, pathlib, pprint, random, re, statistics, string
import textwrap, time, typing
import attnbook.exercises, importlib.util, torch
print([module.__file__.rpartition("/")[2] for module in (asyncio, inspect, json, typing)])
print([os.path.exists(importlib.util.cache_from_source(own.__file__)) for own in (torch, attnbook.exercises)])"""
    compiled = ["__init__.pyc", "inspect.pyc", "__init__.pyc", "typing.pyc"]
    printed = run("chapters/01-queries-keys-values", "", source)["printed"]
    assert printed == f"{compiled}\n{[True, True]}\n"


def test_a_long_tape_is_taken_apart_without_deep_recursion(run):
    steps = "x = y = torch.ones(2, requires_grad=True)\nfor _ in range(3000): y = y * 1.001"
    ran = run(CHAPTER, "", f"import torch\n{steps}\ny.sum().backward()\ndel y\nx.grad.shape")
    assert ran.get("text") == "torch.Size([2])", ran


# --- a reader ---------------------------------------------------------------------------------------------------------


def test_a_reader_writes_checks_mends_and_comes_back(newcomer, context, built_book):
    assert not any("/engine-" in url or "/editor" in url for url in newcomer.asked)
    newcomer.write(WRONG)
    newcomer.page.keyboard.press("Control+Enter")
    assert newcomer.result() == "wrong"
    assert "✗ masked-softmax" in newcomer.output
    assert newcomer.said == "Not right yet. The result is below."
    mark = newcomer.page.locator(".classroom-solved")
    assert mark.count() == 0
    newcomer.write(RIGHT)
    assert newcomer.check() == "solved"
    assert mark.inner_text() == "1/3 ✓"

    again = Reader(context, built_book)  # the same browser, on another day
    assert comes_back(again.page, lambda: "Solved on 2" in again.output)
    assert "masked_fill(~keep, 0.0)" in again.cell.locator(".cell_input").inner_text()
    assert "not written yet" not in again.output
    assert again.page.locator(".classroom-solved").inner_text() == "1/3 ✓"
    assert again.check() == "solved"
    again.cell.get_by_role("button", name="Start again").click()
    assert "Softmax over the first" in again.cell.locator(".cell_input").inner_text()
    assert "not written yet" in again.output
    again.cell.get_by_role("button", name="Undo").click()
    assert "masked_fill(~keep, 0.0)" in again.cell.locator(".cell_input").inner_text()
    again.cell.get_by_role("button", name="Start again").click()
    again.write("# another answer")
    assert again.cell.get_by_role("button", name="Start again").inner_text() == "Start again"  # and nothing undoes
    assert again.errors == []


def test_an_error_is_told_by_the_readers_line(reader):
    reader.write("a = 1\nprint('seen')\na.nothing")
    assert reader.check() == "error"
    assert reader.output.split("\n")[0] == "seen"
    assert reader.said == "Line 3 raises an error."
    assert "line 3: AttributeError: 'int' object has no attribute 'nothing'" in reader.output
    assert reader.cell.locator(".classroom-failing").inner_text() == "a.nothing"


def expect_a_sign_is_named(reader, above, own):
    """One of another keyboard, in a line so long that the editor scrolls."""
    reader.write(f"def my_masked_softmax(scores，valid_lens)：\n    return scores  # {'far ' * 60}")
    scroller = reader.cell.locator(".cm-scroller")
    assert scroller.evaluate("node => node.scrollLeft") > 0
    assert reader.check() == "error"
    first, second = reader.cell.locator(".cell_output > *").all_inner_texts()
    assert first.startswith(above) and second.startswith(own)
    assert scroller.evaluate("node => node.scrollLeft") == 0


def test_a_sign_of_another_keyboard_is_named_above_python_s_line(reader):
    """And in Chinese: test_languages.py."""
    above = "Line 1, column 29: ， is a full-width character."
    expect_a_sign_is_named(reader, above, "line 1: SyntaxError: invalid character '，'")


SCROLLED = """
cell => [...cell.querySelectorAll(".cell_output *")]
  .filter((node) => node.clientWidth && node.scrollWidth > node.clientWidth + 1).map((node) => node.outerHTML)
"""


@pytest.mark.parametrize(
    ("pages", "name", "mistake"),
    [("zh", "split-heads", "reshaped-at-once"), (".", "layer-norm", "eps-outside-the-root")],
)
def test_a_phone_shows_the_tables_of_a_verdict_whole(browser, built_book, pages, name, mistake):
    context = browser.new_context(offline=True, viewport=PHONE)
    reader = Reader(context, built_book / pages, PAGES[name], name)
    exercise = SHELF.get(name)
    wrong = next(found for found in exercise.mistakes if found.name == mistake)
    asked = CELL[name][CELL[name].index("check(") :]
    reader.write(f"{inspect.getsource(exercise.mistaken(wrong))}\n{asked}")
    assert reader.check() == "wrong"
    (table,) = reader.cell.locator(".cell_output pre").all()
    assert table.inner_text().count("\n") >= 5
    assert reader.cell.evaluate(SCROLLED) == []
    below, under = (place.bounding_box() for place in (table, reader.cell.locator(".cell_output pre + p")))
    assert under["y"] - below["y"] - below["height"] >= 8
    context.close()


def test_an_endless_loop_is_stopped_by_the_reader_or_by_the_clock(reader):
    reader.write("print('begun')\nwhile True: pass")
    reader.cell.get_by_role("button", name="Check").click()
    reader.cell.locator(".classroom-printed", has_text="begun").wait_for(timeout=60_000)
    reader.cell.get_by_role("button", name="Stop").click()
    assert reader.result() == "stopped"
    assert reader.said == "Stopped."

    reader.page.evaluate("attnbookPython.limit = 3")
    assert reader.check() == "stopped"
    assert reader.said == "Stopped after 3 seconds. Does a loop never end?"
    reader.page.evaluate("attnbookPython.limit = 60")
    reader.write(RIGHT)
    assert reader.check() == "solved"


def test_an_endless_loop_in_a_changed_cell_above_is_found_there(reader):
    reader.page.evaluate("attnbookPython.warm(() => {}); attnbookPython.limit = 5")
    above = CELLS[CHAPTER][0]
    question = {"page": CHAPTER, "original": CELL["masked-softmax"], "source": "a"}
    changed = {above: "# for ever\na = 1\nwhile a: a += 1"}
    told = reader.page.evaluate(RUN, question | {"changed": changed})
    assert told["stopped"] == (
        "Stopped after 5 seconds in the cell above that begins with “# for ever”. Does a loop never end there?"
    )


def test_two_cells_take_turns_and_each_stops_itself(reader):
    other = reader.page.locator('.classroom-cell[data-exercise="log-weight"]')
    reader.write("print('begun')\nwhile True: pass")
    reader.cell.get_by_role("button", name="Check").click()
    reader.cell.locator(".classroom-printed", has_text="begun").wait_for(timeout=60_000)
    other.get_by_role("button", name="Check").click()
    waiting = other.get_by_role("status")
    expect(waiting).to_have_text("Waiting for the other cell …")
    other.get_by_role("button", name="Stop").click()
    other.locator("xpath=self::*[@data-status='stopped']").wait_for()
    assert reader.cell.get_by_role("button", name="Stop").is_visible()
    reader.cell.get_by_role("button", name="Stop").click()
    assert reader.result() == "stopped"
    other.get_by_role("button", name="Check").click()
    other.locator("xpath=self::*[@data-status='unwritten']").wait_for(timeout=60_000)


def test_python_that_breaks_down_starts_afresh(reader):
    reader.write("import os\nos._exit(1)")
    assert reader.check() == "stopped"
    assert "starts afresh" in reader.said
    reader.write(RIGHT)
    assert reader.check() == "solved"


def test_a_check_that_was_taken_away_is_missed(reader):
    for code in ("1 + 1", RIGHT.replace('"masked-softmax"', '"log-weight"')):
        reader.write(code)
        assert reader.check() == "done"
        assert "the last line should be check(" in reader.said


def test_the_focus_stays_where_it_was(reader):
    reader.page.evaluate("attnbookPython.stop()")  # so that it starts when the button is pressed
    check = reader.cell.get_by_role("button", name="Check")
    check.focus()
    reader.page.keyboard.press("Enter")
    assert reader.result() == "unwritten"
    assert check.evaluate("button => button === document.activeElement")


def test_what_the_browser_keeps_may_be_anything(context, built_book):
    context.add_init_script(
        "localStorage.setItem('attnbook:cell:chapters/04-masked-softmax:masked-softmax', '17');"
        "localStorage.setItem('attnbook:progress', '[1');"
    )
    reader = Reader(context, built_book)
    assert "Softmax over the first" in reader.cell.locator(".cell_input").inner_text()
    assert reader.check() == "unwritten"
    assert reader.errors == []


def test_the_keyboard_is_enough(reader):
    cell = reader.page.locator('.classroom-cell[data-exercise="padding-and-causal"]')  # only this test opens it
    keyboard = reader.page.keyboard
    cell.get_by_role("button", name="Edit").focus()
    keyboard.press("Enter")
    cell.locator(".cm-content:focus").wait_for()
    keyboard.press("Control+a")
    keyboard.type("if 1:\n2 + 2\n")
    assert cell.locator(".cm-line").nth(1).inner_text() == "    2 + 2"
    keyboard.press("Control+z")
    keyboard.press("Escape")
    keyboard.press("Tab")
    assert reader.page.evaluate("document.activeElement.textContent") == "Check"
    assert cell.evaluate("cell => cell.contains(document.activeElement)")


def test_an_open_editor_keeps_nobody_out(reader):
    reader.write(WRONG)
    assert reader.check() == "wrong"
    reader.page.set_viewport_size(PHONE)
    reader.page.evaluate(SETTLED)
    found = reader.page.evaluate(WIDE)
    assert found["page"] <= found["limit"], found
    assert barriers(reader.page) == ([], [])


# --- where it cannot work ---------------------------------------------------------------------------------------------


def test_without_scripts_the_page_is_as_it_was_and_says_why(browser, built_book):
    context = browser.new_context(offline=True, java_script_enabled=False)
    page = context.new_page()
    page.goto((built_book / f"{CHAPTER}.html").as_uri())
    assert page.get_by_text("This page has no JavaScript now").is_visible()
    assert page.get_by_text("def my_masked_softmax").first.is_visible()
    assert page.locator(".classroom-bar").count() == 0
    context.close()


def test_without_workers_the_page_is_as_it_was_and_says_why(browser, built_book):
    context = browser.new_context(offline=True)
    context.add_init_script("delete globalThis.Worker")
    page = context.new_page()
    page.goto((built_book / f"{CHAPTER}.html").as_uri())
    assert page.get_by_text("cannot run Python in the page (it lacks workers)").is_visible()
    assert page.locator(".classroom-bar").count() == 0
    context.close()


def test_a_cell_that_is_not_open_follows_another_tab(newcomer):
    page = newcomer.page
    key = f"attnbook:cell:{CHAPTER}:masked-softmax"
    shown = newcomer.cell.locator(".cell_input")
    stub = shown.inner_text()
    again = newcomer.cell.get_by_role("button", name="Start again")
    for theirs in ("first = 1", "second = 2", None):
        page.evaluate(
            """([key, theirs]) => {
              if (theirs === null) localStorage.removeItem(key);
              else localStorage.setItem(key, JSON.stringify(theirs));
              dispatchEvent(new StorageEvent("storage", { key }));
            }""",
            [key, theirs],
        )
        assert shown.inner_text().strip() == (theirs or stub).strip()
        assert again.is_visible() is (theirs is not None)
        assert ("was kept" in newcomer.output) is (theirs is not None)


def test_a_browser_that_keeps_nothing_still_checks(browser, built_book):
    context = browser.new_context(offline=True)
    context.add_init_script(
        "const get = () => { throw new Error('forbidden'); };"
        "Object.defineProperty(globalThis, 'localStorage', { configurable: true, get });"
    )
    reader = Reader(context, built_book)
    reader.write(RIGHT)
    assert "storage is full or blocked" in reader.said
    assert reader.check() == "solved"
    context.close()


def test_what_is_packed_is_packed_again_only_after_a_change(tmp_path, monkeypatch):
    times = []
    monkeypatch.setattr(classroom, "scripts", lambda: times.append(1) or {LAST_WRITTEN: b"a"})
    folder = tmp_path / "classroom"
    write(folder)
    write(folder)
    assert len(times) == 1
    now = (PACKAGE / "classroom/cell.py").stat().st_mtime
    os.utime(folder / LAST_WRITTEN, (now, now))  # as old as one of the files
    write(folder)
    assert len(times) == 2
    monkeypatch.setattr(classroom, "PACKAGE", tmp_path / "package")
    for cache in (".ruff_cache/0", "__pycache__"):
        (tmp_path / "package" / cache).mkdir(parents=True)
        (tmp_path / "package" / cache / "a.py").touch()
        os.utime(tmp_path / "package" / cache / "a.py", (2**32, 2**32))
    os.utime(folder / LAST_WRITTEN, (2**31, 2**31))
    write(folder)
    assert len(times) == 2


def test_what_a_longer_build_has_left_goes(tmp_path, monkeypatch):
    folder = tmp_path / "classroom"
    for names in (["engine-0.js", "engine-1.js", "words-xx.js"], ["engine-0.js"]):
        monkeypatch.setattr(classroom, "scripts", lambda: dict.fromkeys([*names, LAST_WRITTEN], b"a"))  # noqa: B023
        os.utime(folder / LAST_WRITTEN, (0, 0)) if folder.is_dir() else None
        write(folder)
        assert {path.name for path in folder.iterdir()} == {*names, LAST_WRITTEN}


@pytest.mark.parametrize("newer", ["zh_CN/LC_MESSAGES/exercises", "tools/languages/exercises.py"])
def test_what_the_checker_says_is_packed_again_when_a_catalog_goes_or_is_compiled_otherwise(
    tmp_path, monkeypatch, newer
):
    monkeypatch.setattr(classroom, "scripts", lambda: {LAST_WRITTEN: b"a"})
    monkeypatch.setattr(classroom, "LOCALE", tmp_path)
    monkeypatch.setattr(classroom, "ROOT", tmp_path)
    (tmp_path / newer).mkdir(parents=True)
    write(folder := tmp_path / "classroom")
    os.utime(folder / LAST_WRITTEN, (2**32, 2**32))
    assert classroom.current(folder)
    os.utime(tmp_path / newer, (2**32, 2**32))  # of a catalog that goes, only the folder tells
    assert not classroom.current(folder)


def test_esbuild_has_the_environment_of_the_build(monkeypatch):
    """Windows starts no program without SYSTEMROOT."""
    given = {}
    monkeypatch.setenv("SYSTEMROOT", "C:/Windows")
    monkeypatch.setattr(
        classroom.subprocess, "run", lambda *_, env, **__: given.update(env) or SimpleNamespace(returncode=0, stdout="")
    )
    classroom.esbuild(ROOT / "a.js")
    assert given["SYSTEMROOT"] == "C:/Windows" and given["NODE_PATH"] == str(NODE_MODULES)


@pytest.mark.parametrize(("builder", "packs"), [("html", True), ("", False)])
def test_packing_begins_with_the_build_and_only_for_pages(tmp_path, monkeypatch, builder, packs):
    """Not before: Sphinx may find a fault in its settings, and nobody would wait for the process."""
    begun, handlers = [], {}
    monkeypatch.setattr(classroom.subprocess, "Popen", lambda *a, **_: begun.append(a))
    app = SimpleNamespace(
        outdir=tmp_path,
        config=SimpleNamespace(language="en"),
        builder=SimpleNamespace(format=builder),  # that of `linkcheck` is empty
        connect=handlers.__setitem__,
    )
    classroom.setup(app)
    assert begun == []
    handlers["builder-inited"](app)
    assert bool(begun) is ("env-updated" in handlers) is packs


def test_without_its_packages_the_book_is_built_and_says_so(tmp_path, monkeypatch, capsys):
    app = SimpleNamespace(outdir=tmp_path, config=SimpleNamespace(language="en"))
    monkeypatch.setattr(classroom, "PYODIDE", tmp_path / "pyodide")
    with pytest.raises(SystemExit) as stopped:
        classroom.main(classroom._folder(app))
    packing = SimpleNamespace(returncode=stopped.value.code, communicate=lambda: (None, capsys.readouterr().err))
    said = []
    monkeypatch.setattr(classroom.logging, "getLogger", lambda _: SimpleNamespace(info=lambda *a: said.append(a)))
    classroom._link(app, packing)
    page = {"body": '<section id="exercises"><h2>Exercises</h2>'}
    classroom._finish_page(app, "page", "", page, None)
    assert "without their own Python" in said[0][0]
    assert "there is no Pyodide" in said[0][1]
    assert page == {"body": '<section id="exercises"><h2>Exercises</h2>'}
    assert list(tmp_path.iterdir()) == []
