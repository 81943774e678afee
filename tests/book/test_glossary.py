"""The glossary: each term has its words in Chinese, a line, and a link to a section that is there."""

import re

import pytest
from mdit_py_plugins.anchors.index import slugify

from tools import ROOT

CHAPTERS = ROOT / "chapters"
TEXT = (CHAPTERS / "glossary.md").read_text("utf-8").split("```{glossary}\n")[1].split("\n```")[0]
ENTRIES = dict(entry.split("\n", 1) for entry in re.split(r"\n\n(?=\S)", TEXT.strip()))
HEADING = re.compile(r"^#{1,3} (.+)$", re.MULTILINE)


def source(page: str):
    """The text of a page that is linked to, which of a notebook is its twin."""
    return CHAPTERS / "text" / page.replace(".ipynb", ".md") if page.endswith(".ipynb") else CHAPTERS / page


def anchors(page: str) -> set[str]:
    """The names under which the sections of a page are linked to."""
    prose = re.sub(r"^```\{code-cell.*?^```", "", source(page).read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    return {slugify(title.strip()) for title in HEADING.findall(prose)}


def test_there_are_terms_in_the_order_of_the_alphabet():
    names = [re.sub(r" \(.*\)|\W", "", name.lower()) for name in ENTRIES]
    assert len(names) > 140 and names == sorted(names)


@pytest.mark.parametrize("name", ENTRIES)
def test_a_term_has_chinese_words_a_line_and_the_section_that_explains_it(name):
    chinese, line, link = (part.strip() for part in ENTRIES[name].split("\n\n"))
    assert re.search("[\u4e00-\u9fff]", chinese) and line
    page, _, anchor = re.fullmatch(r"\[\]\(([^#)]+)(#([^)]+))?\)", link).group(1, 2, 3)
    assert source(page).is_file()
    assert anchor in anchors(page) if anchor else page.startswith("api/")
