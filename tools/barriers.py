"""What keeps readers out of a page that a browser has opened: what axe-core finds, and lines that are cut off.

The tests of the pages ask it, and `tools.audit`.
"""

from typing import TYPE_CHECKING, Any

from tools import NODE_MODULES

if TYPE_CHECKING:
    from playwright.sync_api import Page, ViewportSize

AXE = NODE_MODULES / "axe-core/axe.min.js"
PHONE: "ViewportSize" = {"width": 390, "height": 844}
TABLET: "ViewportSize" = {"width": 820, "height": 1180}
DESK: "ViewportSize" = {"width": 1400, "height": 900}
PAPER: "ViewportSize" = {"width": 700, "height": 1000}  # A4 with the margins of Chromium

# Formulas are hidden from screen readers, which get their MathML instead; code is thousands of spans in a palette that
# is tested elsewhere. In drawings a label says in words what stands there as several numbers, so the two differ.
# The HTML of the elements at fault is written here, since axe would write that of every element it looks at.
BARRIERS = """
async (options) => {
  axe.configure({ noHtml: true });
  const found = await axe.run(
    { include: document, exclude: [".katex-html:has(.katex-strut)", ".highlight"] },
    { resultTypes: ["violations"], elementRef: true, selectors: false, preload: false,
      rules: { "empty-table-header": { enabled: false } }, ...options },
  );
  return found.violations.flatMap((rule) => rule.nodes
    .filter((node) => !(rule.id === "label-content-name-mismatch" && node.element.localName === "g"))
    .map((node) => `${rule.id}: ${node.element.outerHTML.replace(/\\s+/g, " ").slice(0, 160)}`));
}
"""
# Most elements of a page are in its formulas and its code, or are MathML. No rule asks about them, and they cost a
# browser and axe most of their time, so they go. Their text stays. The parts of a formula keep their size and how deep
# they stand, so that lines are as long as before; that holds for one width only, since their type is another on a
# phone and on paper.
FORMULAS_EMPTIED = """
() => {
  const parts = [...document.querySelectorAll(".katex-html .katex-base:has(> .katex-strut)")];
  const boxes = parts.map((part) => {
    const strut = part.querySelector(":scope > .katex-strut");
    const [own, inner] = [part, strut].map((e) => e.getBoundingClientRect());
    const below = parseFloat(getComputedStyle(strut).verticalAlign) || 0; // the line
    return [own.width, own.height, below - own.bottom + inner.bottom].map((pixels) => `${pixels}px`);
  });
  parts.forEach((part, index) => {
    part.replaceChildren();
    [part.style.width, part.style.height, part.style.verticalAlign] = boxes[index];
  });
  for (const e of document.querySelectorAll(".katex-mathml math")) e.textContent = e.textContent;
}
"""
CODE_EMPTIED = """
() => { for (const e of document.querySelectorAll(".highlight pre")) e.textContent = e.textContent; }
"""
CUT = """
() => [...document.querySelectorAll(".katex-display, .output.stream pre")]
  .filter((e) => e.matches(".katex-display") || e.textContent.startsWith("✓"))
  .filter((e) => e.clientWidth && e.scrollWidth > e.clientWidth + 1)
  .map((e) => `${e.scrollWidth - e.clientWidth} px of `
    + (e.querySelector("annotation") || e).textContent.slice(0, 80))
"""
CUT_IN_PRINT = """
() => [...document.querySelectorAll("main :is(.katex-display, pre, table)")]
  .filter((e) => e.clientWidth && (e.scrollWidth > e.clientWidth + 1
    || e.getBoundingClientRect().right > document.documentElement.clientWidth + 1))
  .map((e) => "print: " + (e.querySelector("annotation") || e).textContent.trim().slice(0, 80))
"""
# What fades from one colour to the other would be measured in between.
SETTLED = """
async () => {
  await document.fonts.ready;
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  for (const change of document.getAnimations()) if (change instanceof CSSTransition) change.finish();
}
"""
THEME = "(theme) => { document.documentElement.dataset.theme = theme; }"


def barriers(page: "Page") -> tuple[list[str], list[str]]:
    """What axe-core finds on an opened page in the light theme, and of colours in the dark one.

    It shows the page as wide as a desk and takes its formulas and its code apart, so that it comes last.
    """
    page.set_viewport_size(DESK)
    page.evaluate(SETTLED)
    page.evaluate(FORMULAS_EMPTIED)
    page.evaluate(CODE_EMPTIED)
    page.evaluate(AXE.read_text("utf-8"))
    light = page.evaluate(BARRIERS, {})
    page.evaluate(THEME, "dark")
    page.evaluate(SETTLED)
    dark = page.evaluate(BARRIERS, {"runOnly": ["color-contrast", "link-in-text-block"]})
    page.evaluate(THEME, "light")
    return light, dark


def inspect(page: "Page", look: str = "() => null") -> tuple[Any, list[str], list[str], list[str]]:
    """Look at an opened page in every way.

    The page is taken apart on the way, so that nothing can be asked of it afterwards. Each width is laid out anew: it
    is best opened as wide as a phone, with which this begins.

    Args:
        page: as a browser has opened it.
        look: a function of JavaScript, called while the page is as wide as a desk.

    Returns:
        What `look` returns; formulas and claims that are wider than their line; what `barriers` finds, light and dark.
    """
    too_wide = _cut(page)
    return page.evaluate(look), too_wide, *barriers(page)


def _cut(page: "Page") -> list[str]:
    """Formulas and claims that are wider than their line, from a phone to a desk, where formulas are taken apart."""

    def on_screen(size: "ViewportSize") -> list[str]:
        page.set_viewport_size(size)
        page.evaluate(SETTLED)
        return [f"{size['width']} px: {what}" for what in page.evaluate(CUT)]

    too_wide = on_screen(PHONE)
    page.emulate_media(media="print")
    page.set_viewport_size(PAPER)
    too_wide += page.evaluate(CUT_IN_PRINT)
    page.emulate_media(media="screen")
    too_wide += on_screen(TABLET)
    page.evaluate(FORMULAS_EMPTIED)
    return too_wide + on_screen(DESK)
