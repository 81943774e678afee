"""Where the words of a drawing stand, as a browser has set them."""

BOXES = """
(svg) => {
  document.body.innerHTML = svg;
  return [...document.querySelectorAll("svg > text")].map((text) => {
    const { left, top, right, bottom } = text.getBoundingClientRect();
    const [own] = [document.querySelector("svg").getBoundingClientRect()];
    return { words: text.textContent, left: left - own.left, top: top - own.top, right: right - own.left,
             bottom: bottom - own.top, size: parseFloat(getComputedStyle(text).fontSize) };
  });
}
"""


def overlap(one: dict, other: dict) -> bool:
    """Whether the ink of two lines of words meets: boxes are taller than letters, by a quarter on each side."""
    high = min(one["bottom"] - one["top"], other["bottom"] - other["top"]) / 4
    across = min(one["right"], other["right"]) - max(one["left"], other["left"]) > 1
    return across and min(one["bottom"], other["bottom"]) - max(one["top"], other["top"]) > 2 * high
