"""Hands for any figure: finds what a reader can move on its page, and moves all of it, by mouse and by keyboard."""

# What is seen of the figure, a line for every visible element: its attributes, its own text and its value; without what
# is a matter of names (ids) or of what was there before (heights kept free).
LOOK = r"""() => {
  const skip = /^(id|for|tabindex|viewBox|clip-path|aria-activedescendant|data-(probe|room|lm-suppress-shortcuts))$/;
  const seen = (node) => node.getClientRects().length && !node.closest("style, .ab-linked, [role=status]");
  const own = (node) => [...node.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data).join("").trim();
  const attributes = (node) => [...node.attributes]
    .filter(({ name }) => !skip.test(name) && (name !== "style" || node instanceof SVGElement))
    .map(({ name, value }) => `${name}=${value.replace(/#ab\d+/g, "#ab")}`).sort();
  const value = (node) => [node.value, node.checked, node.selectedIndex, node.open].filter((v) => v !== undefined);
  return [...document.querySelectorAll(".ab-card *")].filter(seen)
    .filter((node) => !(node.dataset.value === "time")) // how long it took
    .map((node) => [node.localName, ...attributes(node), own(node), ...value(node)].join(" | ")).join("\n");
}"""

# Everything that can be moved, each with a number; of many of one kind (cells, words) the first, one in the middle and
# the last.
FIND = r"""() => {
  const card = document.querySelector(".ab-card");
  const acts = ["onclick", "onpointerdown", "onpointerup"];
  const moves = (node) => node.matches("input, select, button, summary, [tabindex]") || acts.some((name) => node[name]);
  const kinds = new Map();
  const visible = (node) => node.getClientRects().length > 0;
  [...card.querySelectorAll("*")].filter((node) => moves(node) && visible(node)).forEach((node) => {
    if (node.closest(".ab-reset, .ab-linked") || node.disabled || node.localName === "pre") return;
    const name = node.dataset.control || node.dataset.handle || node.getAttribute("class") || "";
    const kind = node instanceof SVGElement ? `${node.localName} ${name.replace(/[-\d]+/g, "")}` : node;
    kinds.set(kind, [...(kinds.get(kind) || []), node]);
  });
  const some = (all) => [...new Set([all[0], all[all.length >> 1], all[all.length - 1]])];
  const found = [...kinds.values()].flatMap(some);
  return found.map((node, i) => {
    node.dataset.probe = i;
    const kind = node.localName === "input" ? node.type : node instanceof SVGElement ? "svg" : node.localName;
    const name = node.dataset.control || node.dataset.handle || node.textContent.slice(0, 30) || node.localName;
    return { i, kind, name, focusable: node.tabIndex >= 0 && node.hasAttribute("tabindex") };
  });
}"""


# Waits until what was done has been drawn: two frames in which no figure is at work.
QUIET = """() => new Promise((done, fail) => {
  const frames = (busy) => requestAnimationFrame(() => requestAnimationFrame(() => {
    const still = document.querySelector('.ab-card[aria-busy="true"]') !== null;
    if (busy || still) frames(still);
    else done();
  }));
  frames(false);
  setTimeout(() => fail(new Error("the figure is at work for a minute")), 60000);
})"""

USABLE = """(i) => {
  const found = document.querySelectorAll(`[data-probe="${i}"]`);
  const [node] = found;
  return found.length === 1 && node.checkVisibility({ visibilityProperty: true }) && !node.matches(":disabled");
}"""

BOX = """(node) => {
  node.scrollIntoViewIfNeeded();
  const { x, y, width, height } = node.getBoundingClientRect();
  return { x, y, width, height };
}"""


def every_control(page):
    """Moves everything on a figure's page, one thing after the other.

    Args:
        page: a `FigurePage`.

    Yields:
        str, what was moved and how, after all moves of one thing; what the last one does may not be drawn yet: `QUIET`.
    """
    for one in page.page.evaluate(FIND):
        node = page.page.locator(f'[data-probe="{one["i"]}"]')
        done = []
        for how in ways(one):
            if not page.page.evaluate(USABLE, one["i"]):
                continue  # another move has taken it away
            if done:
                page.page.evaluate(QUIET)
            HANDS[how](page, node)
            done.append(how)
        if done:
            yield f"{one['kind']} {one['name']} by {', '.join(done)}"


def ways(one):
    return {
        "range": ["keys", "click at 80 %"],
        "select": ["choice"],
        "checkbox": ["space"],
        "text": ["typing"],
        "button": ["click"],
        "summary": ["click"],
        "svg": (["keys"] if one["focusable"] else []) + ["drag", "click"],
    }.get(one["kind"], ["click"])


def keys(page, node):
    node.focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowUp", "ArrowUp"):
        page.page.keyboard.press(key)


def middle(node, part=0.5):
    box = node.evaluate(BOX)
    return box["x"] + part * box["width"], box["y"] + box["height"] / 2


def slide(page, node):
    page.page.mouse.click(*middle(node, 0.8))


def choose(page, node):
    to = node.evaluate(
        """(select) => [...select.options].findIndex((o, i) => i > select.selectedIndex && !o.disabled)"""
    )
    node.select_option(index=max(to, 0))


def space(page, node):
    node.focus()
    page.page.keyboard.press("Space")


def write(page, node):
    node.fill("She likes a cat.")
    page.page.keyboard.press("Enter")


def click(page, node):
    """Clicks; what plays then is stopped after a moment."""
    before = node.text_content()
    page.page.mouse.click(*middle(node))
    if node.count() and node.text_content() in ("Pause", "Stop") != before:
        page.page.wait_for_timeout(500)
        if node.text_content() in ("Pause", "Stop"):
            page.page.mouse.click(*middle(node))


def drag(page, node):
    x, y = middle(node)
    page.page.mouse.move(x, y)
    page.page.mouse.down()
    page.page.mouse.move(x + 24, y + 17, steps=3)
    page.page.mouse.up()


HANDS = {
    "keys": keys,
    "click at 80 %": slide,
    "choice": choose,
    "space": space,
    "typing": write,
    "click": click,
    "drag": drag,
}
