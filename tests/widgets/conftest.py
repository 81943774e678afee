"""Drives the figures in a real browser, each on a page of its own, from a file and with no network.

A test asks for `open_figure` and gets a `FigurePage`:

    def test_the_slider_moves(open_figure):
        page = open_figure(SaturationFigure(d=64))
        page.slide("d", 256)                      # a control, by its trait's name
        page.press("query", "ArrowRight")         # a handle, by its key, with the keyboard
        page.drag("query", dx=40, dy=0)           # … and with the mouse, in CSS pixels
        assert page.read("variance") > 200        # an <output data-value="variance">, with all its digits
        assert page.state("d") == 256             # the trait
        assert page.math("softmax", [0, 0]) == [0.5, 0.5]   # a function of the module's `math`

The page is made by the code that makes the book's pages. A message on the browser's console, an error in a
script or a request for anything but a file fails the test.
"""

import collections
import functools
import json
import subprocess
import sys
import textwrap
import uuid
from pathlib import Path

import pytest
from translating import ready

from attnbook.widgets import TranslatePageFigure
from attnbook.widgets.kit import static_box
from attnbook.widgets.scripts import classic_script, standalone_page, write_assets


@pytest.fixture(scope="session")
def assets(tmp_path_factory):
    """The folder with the host script, the style and the figures' classic scripts, as a build writes them."""
    folder = tmp_path_factory.mktemp("site") / "_static"
    write_assets(folder)
    return folder


@pytest.fixture(scope="session")
def in_node():
    """A function: file below widgets/, name of a function in it (of a figure: in its `math`), arguments → its answer.

    Node runs the modules as they are; no browser is needed for numbers.
    """
    node = Path(sys.executable).with_name("node")
    script = Path(__file__).with_name("maths.mjs")
    quiet = "--disable-warning=MODULE_TYPELESS_PACKAGE_JSON"
    with subprocess.Popen(
        [node, quiet, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    ) as process:

        def call(file, name, *arguments):
            process.stdin.write(json.dumps([file, name, arguments]) + "\n")
            process.stdin.flush()
            said = json.loads(process.stdout.readline())
            assert "error" not in said, f"{file}, {name}: {said['error']}"
            return said.get("answer")

        yield call
        process.stdin.close()


@pytest.fixture
def maths(in_node, request):
    """As `in_node`, for the `math` of the figure that the test file is named after."""
    module = request.path.stem.removeprefix("test_")
    return functools.partial(in_node, f"{module}/figure.js")


@pytest.fixture(scope="module")
def tabs():
    """Pages that no test uses now, by width and whether JavaScript runs: to open one anew takes three times as long."""
    return collections.defaultdict(list)


@pytest.fixture
def open_html(browser, tabs, assets):
    """A function: HTML of figures → `FigurePage`; every page is checked for errors and closed after the test.

    What a test expects to go wrong, it takes out of `page.problems` itself.
    """
    pages = []

    def open_one(body, width=800, theme="light", javascript=True, scripts=None, still=False, address=""):
        path = assets.parent / f"page-{uuid.uuid4().hex}.html"
        path.write_text(standalone_page(body, theme=theme, scripts=scripts), "utf-8")
        page = FigurePage(browser, tabs[width, javascript], path.as_uri() + address, width, javascript, still)
        pages.append(page)
        return page

    yield open_one
    for page in pages:
        page.close()
    for page in pages:
        assert not page.problems, "\n".join(page.problems)


@pytest.fixture
def open_figure(open_html):
    """A function: figure → `FigurePage`, with the options of `open_html`."""
    return lambda figure, **options: open_html(figure.to_html(), **options)


@pytest.fixture
def open_ready(open_figure):
    """A function: traits → the page of a `TranslatePageFigure`, weights read; words appear at once unless `motion`."""

    def open_one(motion=False, wait=True, **traits):
        options = {k: traits.pop(k) for k in ("width", "theme") if k in traits}
        page = open_figure(TranslatePageFigure(**traits), still=not motion, **options)
        if wait:
            ready(page)
        return page

    return open_one


@pytest.fixture
def open_module(open_html, assets):
    """A function: JavaScript of a figure that exists only in the test, its state → `FigurePage`."""

    def open_one(source, state, **options):
        name = f"probe_{uuid.uuid4().hex}"
        (assets / f"{name}.js").write_text(classic_script(name, textwrap.dedent(source)), "utf-8")
        options["scripts"] = ["host", "kit", name]
        return open_html(static_box(name, state, "a probe", "data:,"), **options)

    return open_one


# What sticks out of the figure's card, how small the writing is, and by how much the drawings are scaled.
FITS = """() => {
  const card = document.querySelector(".ab-card").getBoundingClientRect();
  const texts = [...document.querySelectorAll("svg text")];
  const words = "button, label, select, input, output, summary, p";
  const width = (svg) => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
  return {
    page: document.documentElement.scrollWidth <= innerWidth,
    outside: [...texts, ...document.querySelectorAll(words)].filter((node) => {
      const box = node.getBoundingClientRect();
      return box.width && (box.left < card.left || box.right > card.right);
    }).map((node) => node.textContent),
    smallest: Math.min(...texts.map((t) => parseFloat(getComputedStyle(t).fontSize))),
    scales: [...document.querySelectorAll(".ab-stage svg")].map(width).filter((scale) => scale > 0),
  };
}"""


class FigurePage:
    """One figure on a page of its own, with hands to move it and eyes to read it.

    The next test may get the page. What cannot be taken back (permissions, a touch screen, scripts, routes) sets
    `spent`; then the page is thrown away.
    """

    def __init__(self, browser, free, url, width, javascript, still):
        self.problems = []
        self.spent = False
        self.free, self.javascript = free, javascript
        self.size = {"width": width, "height": 900}
        self.page = (
            free.pop()
            if free
            else browser.new_context(viewport=self.size, java_script_enabled=javascript, offline=True).new_page()
        )
        self.context = self.page.context
        self.listeners = {
            "request": self._note_request,
            "console": lambda m: self.problems.append(f"console {m.type}: {m.text}"),
            "pageerror": lambda error: self.problems.append(f"script error: {error}"),
        }
        for event, listener in self.listeners.items():
            self.page.on(event, listener)
        self.calm = still
        if still:
            self.stop_motion()
        self.page.goto(url)
        if javascript:
            self.settle()

    def _note_request(self, request):
        if not request.url.startswith(("file:", "data:", "blob:")):
            self.problems.append(f"request for {request.url}")

    def settle(self):
        """Waits until what was done has been drawn (two animation frames)."""
        self.page.evaluate("() => new Promise((f) => requestAnimationFrame(() => requestAnimationFrame(f)))")

    def stop_motion(self):
        """Makes the page that of a reader who wants nothing to move."""
        self.calm = True
        self.page.emulate_media(reduced_motion="reduce")

    def close(self):
        """Makes the page as it was, for the next test; problems that are still on their way are noted before.

        The figure stays until the next one takes its place: an empty page in between costs a quarter of a test.
        """
        if self.spent:
            self.context.close()
            return
        if self.javascript:
            self.page.evaluate("localStorage.clear(); sessionStorage.clear()")
        for event, listener in self.listeners.items():
            self.page.remove_listener(event, listener)
        self.page.mouse.move(0, 0)
        if self.page.viewport_size != self.size:
            self.page.set_viewport_size(self.size)
        if self.calm:
            self.page.emulate_media(reduced_motion="no-preference")
        self.free.append(self.page)

    @property
    def live(self):
        """Whether the figure runs (and its fallback picture is hidden)."""
        return self.page.locator(".attnbook-figure.ab-live").count() == 1

    def math(self, name, *arguments):
        """Calls a function of the module's `math` with JSON-able arguments."""
        return self.page.evaluate(
            """([name, args]) => {
              const [widget] = Object.values(attnbook.widgets);
              const pairs = (v) => Object.fromEntries(Object.entries(v).map(([k, x]) => [k, plain(x)]));
              const plain = (v) => Array.isArray(v) || ArrayBuffer.isView(v) ? Array.from(v, plain)
                : v && typeof v === "object" ? pairs(v) : v;
              return plain(widget.math[name](...args));
            }""",
            [name, list(arguments)],
        )

    def state(self, name):
        """The value of a trait."""
        return self.page.evaluate("(name) => document.querySelector('.attnbook-figure').abModel.get(name)", name)

    def set(self, **traits):
        """Sets traits from outside, as a kernel would."""
        self.page.evaluate(
            """(traits) => {
              const model = document.querySelector(".attnbook-figure").abModel;
              Object.entries(traits).forEach(([name, value]) => model.set(name, value));
            }""",
            traits,
        )
        self.settle()

    def heights(self, states):
        """The height of the figure's card after each of some changes of traits, in CSS pixels."""
        return self.page.evaluate(
            """async (states) => {
              const found = [];
              for (const traits of states) {
                const model = document.querySelector(".attnbook-figure").abModel;
                Object.entries(traits).forEach(([name, value]) => model.set(name, value));
                await new Promise(requestAnimationFrame);
                found.push(document.querySelector(".ab-card").getBoundingClientRect().height);
              }
              return found;
            }""",
            list(states),
        )

    @property
    def said(self):
        """The sentence below the drawings."""
        return self.page.locator(".ab-said").inner_text()

    def text(self, name):
        """The text of `<output data-value="name">`."""
        return self.page.locator(f'output[data-value="{name}"]').inner_text()

    def read(self, name):
        """The number in `<output data-value="name">`, with all its digits where the figure keeps them."""
        output = self.page.locator(f'output[data-value="{name}"]')
        return float(output.get_attribute("data-number") or output.inner_text().replace("−", "-"))

    def require_fit(self):
        """Fails if something sticks out, if drawn writing is below 12 pixels, or if a drawing was made smaller."""
        fits = self.page.evaluate(FITS)
        assert fits["page"] and fits["outside"] == []
        assert fits["smallest"] >= 12 and min(fits["scales"]) > 0.99

    def spilled(self, selector):
        """The texts that are wider than the box drawn before each of them."""
        return self.page.evaluate(
            """(selector) => [...document.querySelectorAll(selector)].filter((text) => {
              const [inner, outer] = [text, text.previousElementSibling].map((node) => node.getBoundingClientRect());
              return inner.left < outer.left || inner.right > outer.right;
            }).map((node) => node.textContent)""",
            selector,
        )

    def handle(self, key):
        return self.page.locator(f'[data-handle="{key}"]')

    def drag(self, key, dx, dy, steps=6):
        """Drags a handle by the mouse, in CSS pixels."""
        self.handle(key).scroll_into_view_if_needed()
        box = self.handle(key).bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        mouse = self.page.mouse
        mouse.move(x, y)
        mouse.down()
        mouse.move(x + dx, y + dy, steps=steps)
        mouse.up()
        self.settle()

    def swipe(self, selector, dx, dy, steps=8):
        """Puts a finger on an element, moves it by so many CSS pixels and lifts it: it may drag, or scroll the page."""
        target = self.page.locator(selector)
        target.scroll_into_view_if_needed()
        box = target.bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.spent = True
        session = self.context.new_cdp_session(self.page)
        session.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
        touch = lambda kind, *points: session.send(  # noqa: E731
            "Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": a, "y": b} for a, b in points]}
        )
        touch("touchStart", (x, y))
        for i in range(1, steps + 1):
            touch("touchMove", (x + dx * i / steps, y + dy * i / steps))
            self.settle()
        touch("touchEnd")
        self.settle()

    def press(self, key, *keys):
        """Focuses a handle (by its key) or a control (by its trait's name) and presses keys."""
        target = self.page.locator(f'[data-handle="{key}"], [data-control="{key}"]').first
        target.focus()
        for one in keys:
            self.page.keyboard.press(one)
            self.settle()

    def slide(self, name, value):
        """Moves a range input to a value of its own scale (its index, for a slider over a list)."""
        self.page.locator(f'input[type=range][data-control="{name}"]').fill(str(value))
        self.settle()

    def choose(self, name, label):
        """Chooses an option of a select by its text."""
        self.page.locator(f'select[data-control="{name}"]').select_option(label=label)
        self.settle()

    def tick(self, name, on=True):
        """Ticks or unticks a checkbox."""
        self.page.locator(f'input[type=checkbox][data-control="{name}"]').set_checked(on)
        self.settle()

    def click(self, text):
        """Clicks a button by its text."""
        self.page.get_by_role("button", name=text, exact=True).click()
        self.settle()

    def reset(self):
        self.click("Reset")
