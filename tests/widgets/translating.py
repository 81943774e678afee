"""What the tests of "translate in the page" share: its models, its sentences, and hands to ask it with."""

import functools
import re

from attnbook.data import bundled_pairs, references, split_pairs
from attnbook.text import tokenise
from attnbook.translation import load_page_model

LOAD = """async (names) => {
  for (const name of names) {
    await new Promise((good, bad) => document.head.append(Object.assign(document.createElement("script"),
      { src: `_static/model-${name}.js`, onload: good, onerror: bad })));
    attnbookFiles[name] = await attnbookFiles[name];
  }
}"""
BOXED = "[data-source] text, [data-handle^=word] rect + text"  # words, each in a box
BEYOND = """() => {
  const inside = ".ab-controls :is(select, button), .ab-tp-found span";
  return [...document.querySelectorAll(inside)].filter((node) => {
    const panel = node.closest(".ab-controls, .ab-tp-found").getBoundingClientRect();
    return node.getBoundingClientRect().right > panel.right - 8;
  }).map((node) => node.textContent);
}"""

translator = functools.cache(load_page_model)


@functools.cache
def split():
    return split_pairs(bundled_pairs(), seed=0)


@functools.cache
def sources(part):
    return list(references(getattr(split(), part)))


def ready(page):
    page.page.wait_for_selector('.ab-card[aria-busy="false"]', timeout=30_000)
    page.settle()


def ask(page, sentence):
    page.page.get_by_label("English sentence").fill(sentence)
    page.page.keyboard.press("Enter")
    page.settle()


def shown(page):
    """The translation in large type, as tokens."""
    parts = re.split("(<unk>)", page.text("translation"))  # which is no word, but one token
    return [token for part in parts for token in ([part] if part == "<unk>" else tokenise(part))]
