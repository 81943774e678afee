"""Answers written in the page become a notebook that says the same in JupyterLab and to the grader."""

import json

import nbformat
import pytest

from attnbook.classroom import cell, handing_in
from attnbook.classroom.dependence import needed
from attnbook.exercises import Verdict
from attnbook.grading.judging import Submission
from tools.pages.classroom import cells

PAGE, OTHER = "chapters/01-queries-keys-values", "chapters/04-masked-softmax"
STUB = 'def my_lookup(q):\n    ...\n\ncheck("soft-lookup", my_lookup)'
USES = 'def my_masked_softmax(s):\n    return base * s\n\ncheck("masked-softmax", my_masked_softmax)'
PAGES = {
    PAGE: [
        "import math\nfrom attnbook.exercises import (\n    check,\n    hints,\n)",
        "base = 2\nunused = fail()",
        "@math.wraps\ndef helper():\n    return base",
        STUB,
        "print(base)",
    ],
    OTHER: ["base = 3", USES],
}
ANSWER = STUB.replace("...", "return helper() + q")


def made(**kept):
    notebook = handing_in.notebook(PAGES, kept)
    nbformat.validate(notebook)
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len({*ids}) == len(ids)
    return [(one["cell_type"], one["source"]) for one in notebook["cells"]]


def test_an_answer_comes_with_what_it_needs_and_no_more():
    assert made(**{f"{PAGE}:soft-lookup": ANSWER}) == [
        ("markdown", "# 1. Queries, keys and values"),
        ("code", PAGES[PAGE][0]),
        ("code", "base = 2"),
        ("code", "@math.wraps\ndef helper():\n    return base"),
        ("code", ANSWER),
    ]


def test_chapters_come_in_the_order_of_the_book():
    kept = {f"{OTHER}:masked-softmax": USES + "\n1", f"{PAGE}:soft-lookup": ANSWER}
    sources = [source for _, source in made(**kept)]
    assert sources[-3:] == ["# 4. Masked softmax", "base = 3", USES + "\n1"]


def test_a_cell_above_that_was_changed_is_there_as_it_was_changed():
    above = handing_in.key(PAGE, PAGES[PAGE][1])
    kept = {f"{PAGE}:soft-lookup": ANSWER, above: "base = 7\nmine = 1"}
    notebook = handing_in.notebook(PAGES, kept)
    sources = {one["source"]: one["metadata"] for one in notebook["cells"]}
    assert sources["base = 7\nmine = 1"] == {"attnbook": above}
    assert sources[ANSWER] == {"attnbook": f"{PAGE}:soft-lookup"}
    assert sources[PAGES[PAGE][0]] == {} and "base = 2" not in sources


def test_the_line_that_checks_it_is_put_back():
    bare = ANSWER.rpartition("check(")[0]
    assert made(**{f"{PAGE}:soft-lookup": bare})[-1] == ("code", ANSWER)
    named = ANSWER.replace("my_lookup", "mine").replace("check(", "print(), check(")
    assert made(**{f"{PAGE}:soft-lookup": named})[-1] == ("code", named)


CHECKED = 'check("soft-lookup", my_lookup)'


@pytest.mark.parametrize(
    "last",
    [
        f"# {CHECKED}",
        f"x = 1  # {CHECKED}",
        f"'{CHECKED}'",
        f'"""\n{CHECKED}\n"""',
        f"    {CHECKED}",
        f"later = lambda: {CHECKED}",
        'check("soft-lookups", my_lookup)',
        f"def (:\n# {CHECKED}",
    ],
)
def test_a_line_that_checks_nothing_is_no_check(last):
    """A reader had commented it out, and the grader found no answer."""
    written = f"def my_lookup(q):\n    return q\n{last}"
    assert made(**{f"{PAGE}:soft-lookup": written})[-1] == ("code", f"{written}\n\n{CHECKED}")


@pytest.mark.parametrize(
    "last",
    [
        "check('soft-lookup', my_lookup)",
        f"if True:\n    {CHECKED}",
        'verdict = check(\n    "soft-lookup", fn=my_lookup)',
        f"%time {CHECKED}",
    ],
)
def test_an_answer_that_checks_itself_stays_as_it_is(last):
    written = f"def my_lookup(q):\n    return q\n{last}"
    assert made(**{f"{PAGE}:soft-lookup": written})[-1] == ("code", written)


@pytest.mark.parametrize("written", ["def my_lookup(q:\n  return", "", "\0", "%time 1"])
def test_what_is_no_python_is_handed_in_too(written):
    kind, source = made(**{f"{PAGE}:soft-lookup": written})[-1]
    assert kind == "code" and source.startswith(written)


def test_what_belongs_to_no_cell_is_not_lost():
    assert made(**{f"{PAGE}:gone": "old", "chapters/99:1a": "older"}) == [
        ("markdown", f"# {handing_in.HEADING}"),
        ("raw", "old"),
        ("raw", "older"),
    ]


def test_the_key_is_that_of_the_page():
    """As JavaScript computes it: `5381` in base 36, and signs beyond 16 bits are one."""
    assert handing_in.key("p", "") == "p:45h"
    assert handing_in.key("p", "a") == "p:3t3a"
    assert handing_in.key("p", "print('𝛼 → β')" * 9) == "p:n6a5ap"
    assert handing_in.key("p", STUB) == "p:soft-lookup"


def test_no_two_cells_of_the_book_have_one_key():
    keys = [handing_in.key(p, source) for p, found in cells().items() for source in found]
    assert len({*keys}) == len(keys)


def test_the_worker_is_told_which_answers_are_in_it(tmp_path, monkeypatch):
    monkeypatch.setattr(handing_in, "__file__", str(tmp_path / "x.py"))
    (tmp_path / "cells.json").write_text(json.dumps(PAGES))
    other = handing_in.key(PAGE, PAGES[PAGE][1])
    kept = {f"{PAGE}:soft-lookup": ANSWER, other: "base = 7", f"{PAGE}:gone": "old"}
    told = json.loads(handing_in.answer(json.dumps({"kept": kept})))
    assert told["answers"] == ["soft-lookup"]
    assert json.loads(told["notebook"]) == handing_in.notebook(PAGES, kept)


def test_the_grader_gets_the_function_that_ran_in_the_page(tmp_path, monkeypatch):
    """One name means another thing in each chapter."""
    here = PAGES[PAGE][1].splitlines()[0]
    pages = {PAGE: [here, STUB.replace("...", "return base * q")], OTHER: PAGES[OTHER]}
    one, two = (pages[page][-1] + "\n" for page in pages)
    kept = {f"{PAGE}:soft-lookup": one, f"{OTHER}:masked-softmax": two}
    path = tmp_path / "ada.ipynb"
    path.write_text(json.dumps(handing_in.notebook(pages, kept)))
    seen = []

    def check(exercise, function):
        seen.append(function(5))
        return Verdict(exercise, "solved", None, "")

    monkeypatch.setattr("attnbook.grading.judging.check", check)
    asked = ((PAGE, "soft-lookup", "my_lookup"), (OTHER, "masked-softmax", "my_masked_softmax"))
    for page, exercise, name in asked:
        assert next(Submission(path).verdicts(exercise, name)).status == "solved"
        world = cell.prepare(needed(name, pages[page]), lambda _: None)
        assert seen.pop() == world[name](5)
