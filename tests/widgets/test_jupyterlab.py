"""A live JupyterLab: figures both ways, the workbench, every notebook as a reader finds it, one chapter run whole.

One server for the whole file, on the loopback address and always stopped. nbval runs the cells of all notebooks; here
they are opened, and what only a browser knows is looked at. No error on the console, no network.
"""

import json
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request

import pytest

from attnbook.widgets import FIGURES
from tools import ROOT, stored_notebooks

NOTEBOOKS = stored_notebooks()
# references to other pages: the book resolves them, a single notebook cannot
ELSEWHERE = "Cross reference target was not found", "Cross-reference"
# what JupyterLab itself says when a notebook is closed while its kernel is asked something, or its toolbar measured
CLOSED = "Canceled future for", "Error while computing the ReactiveToolbar"
CELLS = [
    "from attnbook.widgets import SaturationFigure, TrainWidthFigure\nfigure = SaturationFigure(d=64)\nfigure",
    "print('the kernel sees', figure.d, figure.scaled)",
    "figure.d = 4",
    "training = TrainWidthFigure(w0=0.5, lr=0.5)\ntraining",
    "print('the kernel sees', training.lr, training.step)",
    "training.w0 = 2",
    "import torch\nfrom attnbook.widgets import AttentionViewer\n"
    "viewer = AttentionViewer(torch.rand(2, 3, 5, 7).softmax(-1))\nviewer",
    "print('the kernel sees', viewer.layer, viewer.head)",
    "viewer.query = 4",
]
TRANSLATING = [  # a figure, the control that is used by keyboard, the key, and what the kernel sees then
    ("TranslatePageFigure", "written", "ArrowLeft", 6),
    ("AlignmentReaderFigure", "moment", "ArrowLeft", 6),
    ("BeamTreeFigure", "width", "ArrowRight", 4),
    ("SamplingExplorerFigure", "temperature", "ArrowRight", 1.1),
    ("WritePageFigure", "temperature", "ArrowRight", 0.9),
]
for one, trait, *_ in TRANSLATING:
    CELLS += [
        f"from attnbook.widgets import {one}\nfigure = {one}()\nfigure",
        f"print('the kernel sees', figure.{trait})",
    ]
for one in FIGURES:
    CELLS += [
        f"from attnbook.widgets import {one}\nany_figure = {one}()\nany_figure",
        "plain = lambda: {name: value for name, value in any_figure.state().items()\n"
        "                 if isinstance(value, (int, float, str, list))}\n"
        "import json\nprint(json.dumps(plain()))",
    ]
CELLS += [
    "for name, value in first.items():\n    setattr(any_figure, name, value)",
    """import torch
from attnbook.training import TrainConfig, train
from attnbook.workbench import Retrain
def again(width):
    train(torch.nn.Linear(width, 1), lambda model, x: model(x).square().mean(),
          lambda epoch: [torch.ones(2, width)], TrainConfig(10**6, 1e-2))
Retrain(again, [{"choice": {"width": 3}, "curve": [[1, 2.0]], "says": "stored"}], "Again", width=[3, 5])""",
    "print('the kernel answers')",
]
CELLS.append("from attnbook.widgets import TranslatePageFigure\nTranslatePageFigure(model='transformer', beam=4)")


def notebook():
    cells = [
        {"cell_type": "code", "id": f"c{i}", "source": source, "metadata": {}, "outputs": [], "execution_count": None}
        for i, source in enumerate(CELLS)
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """Address of a JupyterLab with all notebooks, its settings and runtime files in a folder of its own."""
    pytest.importorskip("jupyterlab")
    folder = tmp_path_factory.mktemp("lab")
    shutil.copytree(ROOT / "chapters" / "results", folder / "work" / "results")
    for path in NOTEBOOKS:
        shutil.copy(path, folder / "work")
    tracker = folder / "s" / "@jupyterlab" / "notebook-extension"
    tracker.mkdir(parents=True)
    settings = {"windowingMode": "none"}  # cells out of sight are rendered, too
    (tracker / "tracker.jupyterlab-settings").write_text(json.dumps(settings))
    (folder / "work" / "figures.ipynb").write_text(json.dumps(notebook()))
    port, token = free_port(), secrets.token_hex(8)
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}"]
    command += ["--LabApp.expose_app_in_browser=True"]  # so that a test can run a cell and know when it has run
    command += [f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={folder / 'work'}", "--LabApp.news_url="]
    places = {f"JUPYTER_{name}_DIR": str(folder / name.lower()) for name in ("CONFIG", "RUNTIME")}
    places |= {"JUPYTERLAB_SETTINGS_DIR": str(folder / "s"), "JUPYTERLAB_WORKSPACES_DIR": str(folder / "w")}
    with open(folder / "log", "w") as log:
        # A session of its own, so that the kernels go down with the server.
        server = subprocess.Popen(
            command, env={**os.environ, **places}, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            wait_for(f"http://127.0.0.1:{port}/api/status?token={token}", server, folder / "log")
            yield f"http://127.0.0.1:{port}/lab/tree/figures.ipynb?token={token}&reset"
        finally:
            os.killpg(server.pid, signal.SIGTERM)
            try:
                server.wait(15)
            except subprocess.TimeoutExpired:
                os.killpg(server.pid, signal.SIGKILL)
                server.wait()


def wait_for(address, server, log):
    for _ in range(150):
        try:
            urllib.request.urlopen(address, timeout=1).close()
            return
        except OSError:
            if server.poll() is not None:
                break
            time.sleep(0.2)
    pytest.fail(f"JupyterLab did not start:\n{log.read_text()[-3000:]}")


class Lab:
    """The notebook in the browser."""

    def __init__(self, page):
        self.page = page

    def cell(self, index):
        return self.page.locator(".jp-Notebook .jp-CodeCell").nth(index)

    def run(self, index):
        """Runs a cell and waits until it has run."""
        self.page.evaluate(
            """async (index) => {
              const notebook = jupyterapp.shell.currentWidget;
              notebook.content.activeCellIndex = index;
              await jupyterapp.commands.execute("notebook:run-cell");
            }""",
            index,
        )
        prompt = self.cell(index).locator(".jp-InputPrompt").inner_text()
        assert any(digit.isdigit() for digit in prompt), f"cell {index} has not run: {prompt}"

    def write(self, index, source):
        """Puts another text into a cell."""
        self.page.evaluate(
            """([index, source]) => {
              const { widgets } = jupyterapp.shell.currentWidget.content;
              widgets[index].model.sharedModel.setSource(source);
            }""",
            [index, source],
        )

    def open(self, name, kernel=None):
        """Opens another notebook, with a running kernel if its id is given, and waits until its words are rendered.

        Returns:
            The id of its kernel.
        """
        kernel = self.page.evaluate(
            """async ([path, id]) => {
              const kernel = id ? { id } : undefined;
              const widget = await jupyterapp.commands.execute("docmanager:open", { path, kernel });
              await widget.context.ready;
              await widget.sessionContext.ready;
              return widget.sessionContext.session.kernel.id;
            }""",
            [name, kernel],
        )
        self.page.wait_for_function(
            """() => [...jupyterapp.shell.currentWidget.node.querySelectorAll(".jp-MarkdownCell")].every(
              (cell) => cell.querySelector(".myst")?.childElementCount)""",
            timeout=120_000,
        )
        return kernel

    def close(self, shutdown=True):
        """Closes the notebook that is open, unsaved, and ends its kernel, unless another notebook is to have it."""
        self.page.evaluate(
            """async (shutdown) => {
              const widget = jupyterapp.shell.currentWidget;
              if (shutdown) await widget.sessionContext.shutdown();
              widget.dispose();
            }""",
            shutdown,
        )

    def printed(self, index):
        """Runs a cell that prints, and returns what it printed."""
        self.run(index)
        return self.cell(index).locator(".jp-OutputArea-output").inner_text().strip()

    def must_print(self, index, right):
        """Runs a cell that prints until that is right; changes of a figure are sent to the kernel every 50 ms."""
        end = time.monotonic() + 10
        while not right(said := self.printed(index)) and time.monotonic() < end:
            pass
        assert right(said), said


@pytest.fixture(scope="module")
def requests():
    return []


@pytest.fixture(scope="module")
def problems():
    return []


@pytest.fixture(scope="module")
def open_lab(lab, browser, requests, problems):
    context = browser.new_context(viewport={"width": 1200, "height": 1600})
    page = context.new_page()
    page.set_default_timeout(20_000)
    page.on("request", lambda request: requests.append(request.url))
    page.goto(lab)
    page.wait_for_selector(".jp-Notebook .jp-CodeCell")
    page.evaluate(
        """async () => {
          await jupyterapp.restored;
          const notebook = jupyterapp.shell.currentWidget;
          await notebook.context.ready;
          await notebook.sessionContext.ready;
          await notebook.sessionContext.session.kernel.info;
        }"""
    )

    def note(text: str) -> None:
        if not text.startswith(ELSEWHERE) and not any(said in text for said in CLOSED):
            problems.append(text)

    # from here on: what extensions of JupyterLab say while they start is not ours
    page.on("pageerror", lambda error: note(str(error)))
    page.on("console", lambda m: m.type == "error" and note(m.text))
    yield Lab(page)
    context.close()


def test_a_browser_side_figure(open_lab):
    lab = open_lab
    lab.run(0)
    card = lab.cell(0).locator(".ab-card")
    card.wait_for()
    assert card.evaluate("(node) => getComputedStyle(node).borderRadius") != "0px"  # the style came along

    # control → kernel, by keyboard: JupyterLab has other plans for the arrow keys
    card.locator('input[data-control="d"]').focus()
    lab.page.keyboard.press("ArrowRight")
    assert card.locator('output[data-value="d"]').inner_text() == "96"
    card.locator('input[data-control="scaled"]').check()
    lab.must_print(1, "the kernel sees 96 True".__eq__)

    # kernel → control and picture
    lab.run(2)
    card.locator('output[data-value="d"]').get_by_text("4", exact=True).wait_for()
    assert card.locator('input[data-control="d"]').input_value() == "0"
    assert float(card.locator('output[data-value="variance"]').get_attribute("data-number")) < 2


def test_gradient_steps(open_lab):
    lab = open_lab
    lab.run(3)
    card = lab.cell(3).locator(".ab-card")
    card.locator(".ab-said").get_by_text("At the start the slope is").wait_for()

    # control → kernel
    card.locator('select[data-control="lr"]').select_option(label="0.05")
    card.get_by_role("button", name="Forward ▶").click()
    card.locator(".ab-said").get_by_text("Step 1").wait_for()
    lab.must_print(4, "the kernel sees 0.05 1".__eq__)

    # kernel → control and drawing
    lab.run(5)
    card.locator('output[data-value="w0"]').get_by_text("2.0", exact=True).wait_for()
    assert card.locator('input[data-control="w0"]').input_value() == "19"


def test_the_attention_viewer(open_lab):
    lab = open_lab
    lab.run(6)
    card = lab.cell(6).locator(".ab-card")
    card.locator("[data-handle=overview]").press("ArrowDown")
    lab.page.keyboard.press("ArrowRight")
    lab.must_print(7, "the kernel sees 2 2".__eq__)
    lab.run(8)
    card.locator(".ab-said").get_by_text("Query 4 “4” gives").wait_for()


@pytest.mark.parametrize(("name", "control", "key", "value"), TRANSLATING)
def test_the_figures_about_translating(open_lab, name, control, key, value):
    lab = open_lab
    index = next(i for i, cell in enumerate(CELLS) if f"figure = {name}()" in cell)
    lab.run(index)
    card = lab.cell(index).locator(".ab-card")
    card.and_(lab.page.locator(':not([aria-busy="true"])')).wait_for()  # until the weights have come from the kernel
    picture = card.locator(".ab-stages")
    lab.page.wait_for_timeout(100)  # it is drawn again when its width is known
    before = picture.inner_html()
    assert picture.locator("svg text").count() > 10
    card.locator(f'input[data-control="{control}"]').press(key)
    lab.must_print(index + 1, f"the kernel sees {value}".__eq__)
    assert picture.inner_html() != before


def test_a_sentence_is_drawn_to_its_end(open_lab):
    """Word by word; JupyterLab sends each back as another array."""
    lab = open_lab
    index = next(i for i, cell in enumerate(CELLS) if "= SamplingExplorer" in cell)
    lab.run(index)
    card = lab.cell(index).locator(".ab-card")
    card.get_by_role("button", name="To the end").click()
    card.locator(".ab-said", has_text="Finished").wait_for()
    lab.write(index + 1, "print(len(figure.written) > 2, figure.written[-1:])")
    lab.must_print(index + 1, "True ['<eos>']".__eq__)


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_is_live_both_ways(open_lab, name):
    """A control that the keyboard moves changes the kernel's value; put back there, it goes back in the picture."""
    lab = open_lab
    index = next(i for i, cell in enumerate(CELLS) if f"any_figure = {name}()" in cell)
    lab.run(index)
    card = lab.cell(index).locator(".ab-card").first  # two figures have a second one
    card.wait_for()
    card.and_(lab.page.locator(':not([aria-busy="true"])')).wait_for()
    before = json.loads(lab.printed(index + 1))
    control = (
        lab.cell(index).locator(":is(input[type=range], input[type=checkbox], select)[data-control]:enabled").first
    )
    trait, read = (control.get_attribute("data-control"), "(c) => `${c.value} ${c.checked}`")
    shown = control.evaluate(read)
    for key in ("ArrowRight", "ArrowLeft", "Space"):
        control.press(key)
        if control.evaluate(read) != shown:
            break
    lab.must_print(index + 1, lambda said: json.loads(said)[trait] != before[trait])

    back = next(i for i, cell in enumerate(CELLS) if "first.items()" in cell)
    lab.write(back, f"first = {before!r}\n{CELLS[back]}")
    lab.run(back)
    lab.page.wait_for_function(f"([c, shown]) => ({read})(c) === shown", arg=[control.element_handle(), shown])
    # what stands in the notebook is laid out again with every figure that comes
    lab.page.evaluate("jupyterapp.commands.execute('notebook:clear-all-cell-outputs')")


def test_a_training_that_the_reader_starts_watches_and_stops(open_lab):
    lab = open_lab
    index = next(i for i, cell in enumerate(CELLS) if "Retrain" in cell)
    lab.run(index)
    cell = lab.cell(index)
    cell.get_by_label("width").select_option("5")
    cell.get_by_role("button", name="Train").click()
    cell.get_by_text("Step ").wait_for()
    assert cell.locator("img").get_attribute("alt").startswith("The loss against")
    assert lab.printed(index + 1) == "the kernel answers"  # while it trains
    cell.get_by_role("button", name="Stop").click()
    cell.get_by_text("Stopped.").wait_for()
    assert cell.get_by_role("button", name="Train").is_enabled()


def test_a_beam_search_with_weights_from_the_kernel(open_lab):
    index = len(CELLS) - 1
    open_lab.run(index)
    card = open_lab.cell(index).locator(".ab-card")
    card.scroll_into_view_if_needed()  # the weights are sent when the figure is near
    card.locator(".ab-tp-found li").nth(3).wait_for()
    best = card.locator(".ab-tp-found li .ab-row-text").first.inner_text()
    assert best == card.locator('output[data-value="translation"]').inner_text()


def test_the_extensions_have_loaded(open_lab):
    plugins = " ".join(open_lab.page.evaluate("jupyterapp.listPlugins()"))
    for name in ("jupyterlab-myst:", "anywidget:", "jupyterlab-jupytext:"):
        assert name in plugins


@pytest.fixture(scope="module")
def without_figures(open_lab):
    """The same JupyterLab after the figures' notebook is closed: the others are laid out twice as fast."""
    open_lab.close()
    return open_lab


def test_a_chapter_runs_from_top_to_bottom(without_figures):
    lab = without_figures
    lab.open("04-masked-softmax.ipynb")
    lab.page.evaluate("jupyterapp.commands.execute('notebook:run-all-cells')")
    notebook = lab.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")
    prompts = notebook.locator(".jp-CodeCell .jp-InputPrompt").all_inner_texts()
    assert [int(prompt.strip("[]:")) for prompt in prompts] == [n + 1 for n in range(len(prompts))]
    assert notebook.locator("[data-mime-type*=error]").count() == 0
    assert notebook.locator(".ab-card").count() == 1  # the figure of masks
    for folded in (".attnbook-hints", ".attnbook-findings"):
        mark = notebook.locator(f"{folded} summary").first.evaluate("(node) => getComputedStyle(node).listStyleType")
        assert mark == "disclosure-closed"
    cell = notebook.locator(".jp-CodeCell").filter(has_text='BreakIt("')
    cell.get_by_label("mistake").select_option("one too many")
    cell.get_by_text("✗ padding gets exactly zero").wait_for()
    assert "position <= lengths" in cell.get_by_label("code").input_value()
    lab.close()


@pytest.fixture(scope="module")
def opened():
    """The kernels with which notebooks have been opened; no cell has run in them."""
    return []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_notebook_is_rendered_with_its_answers_folded(without_figures, opened, path):
    cells = json.loads(path.read_text("utf-8"))["cells"]
    text = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    wanted = {
        ".myst-exercise": len(re.findall(r"^`{3,}\{exercise\}", text, re.MULTILINE)),
        "aside.quiz": text.count(":class: quiz"),
        "aside.predict": text.count(":class: predict"),
        "details.myst-dropdown": text.count("{dropdown}"),
        "details[open]": 0,
        ".katex-error": 0,
    }
    lab = without_figures
    opened.append(lab.open(path.name, *opened[:1]))
    found, words = lab.page.evaluate(
        """(selectors) => {
          const { node } = jupyterapp.shell.currentWidget;
          const words = [...node.querySelectorAll(".myst")].map((cell) => cell.innerText);
          return [selectors.map((selector) => node.querySelectorAll(selector).length), words.join("\\n")];
        }""",
        list(wanted),
    )
    assert dict(zip(wanted, found, strict=True)) == wanted
    assert not re.findall(r".*(?::::|\{(?:ref|term|eq|cite:[pt]|doc)\}).*", words)
    lab.close(shutdown=False)


def test_no_errors_on_the_console(open_lab, problems):
    assert problems == []


def test_nothing_came_from_the_network(open_lab, requests):
    assert len(requests) > 50
    local = ("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:")
    assert [url for url in requests if not url.startswith(local)] == []
