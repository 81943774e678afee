"""Stores a picture of each figure, for readers without JavaScript: `python -m attnbook.widgets.capture [name …]`.

Each figure is drawn in headless Chromium in its first state, and its drawings are stored as `fallback.svg` in the
figure's folder; a figure that needs more pictures names them, with their states, in `pictures`. It needs playwright and
a Chromium; run it after changing how a figure looks.
"""

import argparse
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from attnbook.files import write_atomically

from . import FIGURES, figure_class
from .browser import chromium
from .kit import WIDGETS
from .scripts import standalone_page, write_assets

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from .kit import Figure

WIDTH = 720

# Gathers the stages of a figure into one SVG. What only the living figure needs is left out; colours
# fall back from their CSS variables to the values written beside them.
GATHER = """([width, shows]) => {
  const card = document.querySelector(".attnbook-figure .ab-card");
  card.querySelectorAll(".ab-stages :is(.ab-said, .ab-usual)").forEach((said) => said.remove()); // between drawings
  const stages = card.querySelector(".ab-stages").getBoundingClientRect();
  const top = shows ? 62 : 44, edge = 12;
  let end = stages.height + top;
  const drawings = [...card.querySelectorAll(".ab-stage svg")].map((svg) => {
    const box = svg.getBoundingClientRect();
    const copy = svg.cloneNode(true);
    copy.querySelectorAll(".ab-ring").forEach((node) => node.remove());
    copy.querySelectorAll("circle").forEach((node) => { if (node.style.fill === "transparent") node.remove(); });
    for (const node of [copy, ...copy.querySelectorAll("*")]) {
      for (const { name } of [...node.attributes]) {
        if (/^(aria-|data-|role$|lang$|tabindex$|class$|cursor$)/.test(name)) node.removeAttribute(name);
      }
    }
    const [x, y] = [box.left - stages.left + edge, box.top - stages.top + top];
    const below = !svg.closest(".ab-stages"); // in a tab: right under the others
    const place = { x, y: below ? end + 8 : y, width: box.width, height: box.height };
    for (const [name, value] of Object.entries(place)) copy.setAttribute(name, String(Math.round(value)));
    if (below) end += box.height + 8;
    return copy;
  });
  const height = Math.round(end + edge);
  const whole = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  whole.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const type = 'font-family="system-ui,sans-serif" font-size="16" font-weight="650" fill="#1f2430"';
  whole.innerHTML = `<rect width="${width}" height="${height}" rx="12" fill="#ffffff"/>`
    + `<text x="${edge + 4}" y="28" ${type}></text>`
    + (shows && `<text x="${edge + 4}" y="50" font-family="system-ui,sans-serif" font-size="14" `
      + `fill="#5b6472"></text>`);
  [card.querySelector(".ab-title").textContent, shows].forEach((words, i) => {
    if (words) whole.querySelectorAll("text")[i].textContent = words;
  });
  whole.append(...drawings);
  return new XMLSerializer().serializeToString(whole) + "\\n";
}"""


def capture(browser: "Browser", figure: "Figure", site: Path) -> str:
    """Draw one figure in a browser and give its picture.

    Args:
        browser: a playwright browser.
        figure: the figure, in the state to be drawn.
        site: the folder for its page; what `write_assets` writes is in its `_static`.

    Returns:
        SVG text, the same for the same code and browser.

    Raises:
        ValueError: it does not come to life.
    """
    style = f"<style>body {{ margin: 0; width: {WIDTH + 14}px }}</style>"  # the card's padding and border
    path = site / "figure.html"
    path.write_text(standalone_page(style + figure.to_html()), "utf-8")
    page = browser.new_page(viewport={"width": WIDTH + 40, "height": 900})
    try:
        page.goto(path.as_uri())
        if not page.locator(".attnbook-figure.ab-live").count():
            raise ValueError(
                f"the figure {figure.module} does not come to life; open it in a browser and read the console"
            )
        page.wait_for_selector('.ab-card:not([aria-busy="true"])')
        return page.evaluate(GATHER, [WIDTH, figure.shows])
    finally:
        page.close()


def main(names: list[str]) -> None:
    """Capture the figures of these names (all that are drawn in the browser, if none is given)."""
    parser = argparse.ArgumentParser("python -m attnbook.widgets.capture", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help="of the folders; all figures if none is given")
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        write_assets(Path(folder) / "_static")
        for name in parser.parse_args(names).names or FIGURES.values():
            for picture, state in figure_class(name).pictures.items():
                path = WIDGETS / name / f"{picture}.svg"
                write_atomically(path, capture(browser, figure_class(name)(**state), Path(folder)))
                print(f"{name}, {picture}: {path.stat().st_size / 1024:.0f} KB")


if __name__ == "__main__":
    main(sys.argv[1:])
