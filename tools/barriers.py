"""What keeps readers out of a page that a browser has opened: what axe-core finds, and lines that are cut off.

The tests of the pages ask it, and `tools.audit`.
"""

from tools import NODE_MODULES

AXE = NODE_MODULES / "axe-core/axe.min.js"
PHONE = {"width": 390, "height": 844}
TABLET = {"width": 820, "height": 1180}
DESK = {"width": 1400, "height": 900}
PAPER = {"width": 700, "height": 1000}  # A4 with the margins of Chromium

# Formulas are hidden from screen readers, which get their MathML instead; code is thousands of spans in a palette that
# is tested elsewhere. In drawings a label says in words what stands there as several numbers, so the two differ.
BARRIERS = """
async (options) => (await axe.run(
  { include: document, exclude: [".katex-html", ".highlight"] },
  { resultTypes: ["violations"], preload: false, rules: { "empty-table-header": { enabled: false } }, ...options },
)).violations.flatMap((rule) => rule.nodes
  .filter((node) => !(rule.id === "label-content-name-mismatch" && node.html.startsWith("<g ")))
  .map((node) => `${rule.id}: ${node.html.replace(/\\s+/g, " ").slice(0, 160)}`))
"""
# Most of a page's elements are in these two, or are MathML, which no rule asks about; axe takes its time to read them.
# They go; what they say stays, and so does their place: the parts of a formula keep width and height.
EMPTIED = """
() => {
  const parts = [...document.querySelectorAll(".katex-html .katex-base")];
  const widths = parts.map((part) => part.getBoundingClientRect().width);
  parts.forEach((part, index) => {
    part.replaceChildren(part.querySelector(":scope > .katex-strut"));
    part.style.width = `${widths[index]}px`;
  });
  for (const e of document.querySelectorAll(".katex-mathml math, .highlight pre")) e.textContent = e.textContent;
}
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


def barriers(page) -> tuple[list[str], list[str]]:
    """What axe-core finds on an opened page in the light theme, and of colours in the dark one.

    It shows the page as wide as a desk and takes its formulas and its code apart: whatever else is asked comes first.
    """
    page.set_viewport_size(DESK)
    page.evaluate(SETTLED)
    page.evaluate(EMPTIED)
    page.evaluate(AXE.read_text("utf-8"))
    light = page.evaluate(BARRIERS, {})
    page.evaluate(THEME, "dark")
    page.evaluate(SETTLED)
    dark = page.evaluate(BARRIERS, {"runOnly": ["color-contrast", "link-in-text-block"]})
    page.evaluate(THEME, "light")
    return light, dark


def cut(page) -> list[str]:
    """Formulas and claims of an opened page that are wider than their line.

    Each width is laid out anew. So it begins with that of a phone, best the one at which the page was opened, and
    leaves the page as wide as a desk, as `barriers` wants it.
    """

    def on_screen(size):
        page.set_viewport_size(size)
        page.evaluate(SETTLED)
        return [f"{size['width']} px: {what}" for what in page.evaluate(CUT)]

    found = on_screen(PHONE) + on_screen(TABLET)
    page.emulate_media(media="print")
    page.set_viewport_size(PAPER)
    found += page.evaluate(CUT_IN_PRINT)
    page.emulate_media(media="screen")
    return found + on_screen(DESK)
