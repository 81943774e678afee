"""Pages with figures on a phone of 390 × 844: targets for a finger, and controls that leave the picture its room."""

import re

import pytest

from tools.languages import own_pages

PHONE = {"width": 390, "height": 844}
FIFTH = PHONE["height"] / 5  # the most that the page's bar and a figure's controls may take together
FINGER = 24  # pixels, WCAG 2.5.8

# Keeps in mind which elements listen to a press: a page does not tell afterwards.
LISTEN = """(() => {
  const add = EventTarget.prototype.addEventListener;
  const presses = new Set(["click", "pointerdown", "mousedown", "touchstart"]);
  EventTarget.prototype.addEventListener = function (type, ...rest) {
    if (this instanceof Element && presses.has(type)) this.acts = true;
    return add.call(this, type, ...rest);
  };
})()"""

UNFOLD = """async () => {
  document.querySelectorAll("main details").forEach((fold) => { fold.open = true; });
  document.querySelectorAll(".attnbook-figure .ab-more").forEach((more) => more.click());
  scrollTo(0, 0); // what stands above the page is not there for a finger
  await new Promise((done) => setTimeout(done, 100));
}"""

# Everything that can be pressed and is smaller than a fingertip. A checkbox is as large as with its label; a place
# that is chosen along a row or in a table is one target with it; links within a text are exempt.
SMALL = r"""(least) => {
  const native = "a[href], button, input:not([type=hidden]), select, textarea, summary";
  const roles = "[role=button], [role=radio], [role=slider], [role=tab], [role=option], [role=checkbox]";
  const properties = ["onclick", "onpointerdown", "onpointerup", "onmousedown"];
  const pressed = (node) => node.matches(native) || node.matches(roles)
    || properties.some((name) => typeof node[name] === "function") || (node.acts && node instanceof SVGElement);
  const words = "p, li, dd, dt, td, th, figcaption, h1, h2, h3, h4, blockquote, .highlight";
  const inText = (node) => node.localName === "a" && getComputedStyle(node).display === "inline" && node.closest(words);
  const boxes = (node) => [node, ...(/checkbox|radio/.test(node.type) ? node.labels : []),
    ...(node.matches(".sd-stretched-link") ? [node.closest(".sd-card")] : [])].map((n) => n.getBoundingClientRect());
  const found = [];
  for (const node of document.querySelectorAll("body *")) {
    const style = getComputedStyle(node);
    if (!pressed(node) || inText(node) || style.visibility === "hidden" || style.pointerEvents === "none") continue;
    const all = boxes(node);
    const [left, top] = ["left", "top"].map((side) => Math.min(...all.map((box) => box[side])));
    const [right, bottom] = ["right", "bottom"].map((side) => Math.max(...all.map((box) => box[side])));
    const shown = node.getClientRects().length && right > 0 && left < innerWidth && bottom + scrollY > 0;
    if (!shown || Math.min(right - left, bottom - top) > least - 0.1) continue;
    const name = node.dataset.handle || node.dataset.control || node.getAttribute("class") || "";
    found.push(`${node.localName} ${name} “${node.textContent.trim().slice(0, 30)}” ` +
      `${(right - left).toFixed(1)} × ${(bottom - top).toFixed(1)}`);
  }
  return found;
}"""

# For each figure: what stands still at the top of the window while its first picture is looked at, and what is left to
# be seen of the picture at both ends of each of its sliders.
PANELS = """async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const bar = document.querySelector(".bd-header-article");
  const found = [];
  for (const box of document.querySelectorAll(".attnbook-figure")) {
    const panel = box.querySelector(".ab-controls:not([hidden])");
    const stage = [...box.querySelectorAll(".ab-stage, .ab-frame")].find((one) => one.offsetHeight);
    if (!panel || !stage) continue;
    scrollTo(0, stage.getBoundingClientRect().top + scrollY - bar.offsetHeight - panel.offsetHeight - 8);
    await frame();
    const one = { figure: box.dataset.widget, stuck: panel.getBoundingClientRect().bottom, left: [] };
    one.scrolls = panel.scrollHeight > panel.clientHeight + 1;
    for (const input of panel.querySelectorAll("input[type=range]")) {
      if (!input.offsetHeight || input.disabled) continue;
      for (const value of [input.min, input.max]) {
        input.value = value;
        input.dispatchEvent(new Event("input"));
        await frame();
        const [hand, picture] = [panel, stage].map((node) => node.getBoundingClientRect());
        const seen = Math.min(picture.bottom, innerHeight) - Math.max(picture.top, hand.bottom);
        const inSight = hand.top >= bar.getBoundingClientRect().bottom - 1 && hand.bottom <= innerHeight;
        one.left.push([input.dataset.control, value, inSight, seen / Math.min(picture.height, 300)]);
      }
    }
    found.push(one);
  }
  return found;
}"""


# Of each drawing of the page's idea: how wide the file is, and where it stands.
DRAWINGS = """() => [...document.querySelectorAll(".attnbook-drawing img")].map((img) => {
  const { left, right } = img.getBoundingClientRect();
  return [img.naturalWidth, left, right];
})"""

# Of each plot: how wide it was drawn, and where it stands.
PLOTS = """() => [...document.querySelectorAll("div.cell_output > img")].map((img) => {
  const { left, right } = img.getBoundingClientRect();
  return [+img.getAttribute("width"), left, right];
})"""


@pytest.fixture(scope="module")
def phone(browser, built_book):
    """Of each page with figures, by its name: its figures' panels, what is too small when unfolded, its pictures."""
    names = {page: page.relative_to(built_book).as_posix() for page in own_pages(built_book)}
    pages = [page for page in names if 'class="attnbook-figure"' in page.read_text("utf-8")]
    assert len(pages) > 18
    context = browser.new_context(viewport=PHONE, has_touch=True, offline=True)
    context.add_init_script(LISTEN)
    tab = context.new_page()
    seen = {}
    for page in pages:
        tab.goto(page.as_uri())
        drawings, plots, panels = map(tab.evaluate, (DRAWINGS, PLOTS, PANELS))
        tab.evaluate(UNFOLD)
        seen[page.stem] = panels, tab.evaluate(SMALL, FINGER), drawings, plots
    context.close()
    return seen


def test_everything_that_is_pressed_is_as_large_as_a_fingertip(phone):
    assert not {page: small for page, (_, small, *_) in phone.items() if small}


def test_controls_and_the_bar_take_a_fifth_and_leave_the_picture_in_sight(phone):
    found = [(page, one) for page, (panels, *_) in phone.items() for one in panels]
    assert len({one["figure"] for _, one in found}) > 18
    too_high = [(page, one["figure"], one["stuck"]) for page, one in found if one["stuck"] > FIFTH or one["scrolls"]]
    assert not too_high
    lost = [(page, one["figure"], *at) for page, one in found for at in one["left"] if not at[2] or at[3] < 0.6]
    assert not lost
    assert any(one["left"] for _, one in found)


def test_a_chapter_shows_its_narrow_drawings_whole(phone):
    chapters = {page: seen[2] for page, seen in phone.items() if page[:2].isdigit()}
    assert len(chapters) == 20 and all(chapters.values())
    for page, drawings in chapters.items():
        for natural, left, right in drawings:
            assert natural == 340 and 0.95 * natural < right - left <= natural, page
            assert left >= 0 and right <= PHONE["width"], page


def test_a_plot_fits_a_phone_and_its_type_can_be_read_there(phone):
    """10 points of one drawn 5.4 inches wide are 9.2 pixels there."""
    plots = [(page, *plot) for page, seen in phone.items() for plot in seen[3]]
    assert len(plots) > 40
    for page, drawn, left, right in plots:
        assert left >= 0 and right <= PHONE["width"], page
        assert drawn / 144 < 5.4, page


def test_what_is_too_small_is_found(browser, tmp_path):
    page = browser.new_page(viewport=PHONE)
    page.add_init_script(LISTEN)
    path = tmp_path / "small.html"
    path.write_text(
        """<!doctype html><meta name="viewport" content="width=device-width"><body>
        <p>A <a href="#a">link</a> in a text.</p>
        <button style="width:60px;height:20px;padding:0">low</button>
        <label style="display:block;height:30px"><input type="checkbox">a label</label>
        <svg width="99" height="99"><circle r="5" cx="50" cy="50"></circle></svg>
        <script>document.querySelector("circle").addEventListener("click", () => {});</script>"""
    )
    page.goto(path.as_uri())
    found = page.evaluate(SMALL, FINGER)
    assert [re.match(r"\w+", one)[0] for one in found] == ["button", "circle"]
    page.close()
