"""Every chapter keeps to the rules of `tools/rules.py`; nbval, beside this, runs its cells again."""

import re

import pytest

from tools import ROOT, stored_notebooks
from tools.notebooks import calls, chapter_names, code_cells, first_arguments, is_chapter
from tools.rules import problems_of, registered_exercises

NOTEBOOKS = [path.stem for path in stored_notebooks()]


def test_there_are_chapters():
    assert [name for name in NOTEBOOKS if is_chapter(name)], "no chapters/NN-topic.ipynb at all"


def test_every_notebook_has_its_text_twin_and_the_other_way_round():
    assert chapter_names() == NOTEBOOKS


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_the_chapter_keeps_to_the_rules(name):
    problems = problems_of(name)
    assert not problems, f"{name}:\n" + "\n".join(f"- {problem}" for problem in problems)


def test_every_exercise_of_the_package_stands_in_exactly_one_chapter():
    import nbformat

    checked = [
        exercise
        for name in NOTEBOOKS
        for exercise in first_arguments(nbformat.read(ROOT / "chapters" / f"{name}.ipynb", as_version=4), "check")
    ]
    assert sorted(checked) == sorted(registered_exercises())


def test_every_page_of_the_contents_exists_and_every_chapter_is_in_the_contents():
    files = re.findall(r"^\s*- file: (\S+)$", (ROOT / "_toc.yml").read_text("utf-8"), re.MULTILINE)
    missing = [file for file in files if not any((ROOT / f"{file}{end}").exists() for end in (".ipynb", ".md"))]
    assert not missing
    assert {f"chapters/{name}" for name in NOTEBOOKS} <= set(files)


def test_the_landing_page_counts_what_is_not_compared():
    """Tagged cells; no claim is in one of them."""
    import nbformat

    tagged = {}
    for name in NOTEBOOKS:
        notebook = nbformat.read(ROOT / "chapters" / f"{name}.ipynb", as_version=4)
        for cell in code_cells(notebook):
            if "nbval-ignore-output" in cell.metadata.get("tags", []):
                tagged[name] = tagged.get(name, 0) + 1
                assert not calls(cell, "claim"), f"{name} hides a claim"
    chapters = {int(name[:2]): n for name, n in tagged.items() if is_chapter(name)}
    text = (ROOT / "index.md").read_text("utf-8")
    said = re.search(r"text of (\d+) cells: (\d+) in chapters (\d+) to (\d+)", text)
    assert said, "the landing page no longer says what is not compared"
    assert [int(number) for number in said.groups()] == [
        sum(tagged.values()),
        sum(chapters.values()),
        min(chapters),
        max(chapters),
    ]
    assert set(tagged) - set(filter(is_chapter, tagged)) == {"cross-checks"}
