"""Hints, stubs and the table of progress as a page shows them: complete, escaped, and the same every time."""

import os
import subprocess
import sys
from html.parser import HTMLParser

import pytest
import torch

import attnbook
from attnbook import exercises as book
from attnbook.exercises import display, wording
from attnbook.exercises.arguments import Described
from attnbook.exercises.bank import SHELF
from attnbook.exercises.case import side_by_side

ALL = list(SHELF)


class Page(HTMLParser):
    """Collects the text by element, and insists that every element is closed in order."""

    def __init__(self, html):
        super().__init__()
        self.open, self.text, self.tags, self.attributes = [], {}, [], []
        self.feed(html)
        assert self.open == [], f"never closed: {self.open}"

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        for tag in self.open:
            self.text[tag] = self.text.get(tag, "") + data


@pytest.mark.parametrize("exercise", ALL, ids=lambda e: e.name)
def test_the_hints_are_folded_one_by_one(exercise):
    page = Page(book.hints(exercise.name)._repr_html_())
    assert page.tags.count("details") == 5
    assert ("open", None) not in page.attributes, "everything is folded until it is wanted"
    summaries = "Hint 1Hint 2Hint 3SolutionWhy the wrong answer looks right"
    assert page.text["summary"] == summaries
    assert page.text["pre"].rstrip() == exercise.source().rstrip(), "the source comes through unharmed"
    for hint in exercise.hints:
        assert hint.split("`")[0].replace("*", "")[:30] in page.text["details"]


def test_special_characters_are_escaped():
    assert wording.inline("a < b & `c < d` *so*") == "a &lt; b &amp; <code>c &lt; d</code> <em>so</em>"
    assert wording.inline("2 * 3 * 4") == "2 * 3 * 4"
    assert wording.inline("`x ** 2`") == "<code>x ** 2</code>"
    page = Page(display.highlighted("if a < b and '<script>':\n    pass\n"))
    assert page.text["pre"].rstrip() == "if a < b and '<script>':\n    pass"
    assert "script" not in page.tags


@pytest.mark.parametrize("exercise", ALL, ids=lambda e: e.name)
def test_one_hint_at_a_time(exercise):
    for level in (1, 2, 3):
        text = repr(book.hint(exercise.name, level))
        assert text == f"Hint {level} of 3: {exercise.hints[level - 1]}"
    assert book.hint(exercise.name, 1)._repr_markdown_().startswith("**Hint 1 of 3.**")


@pytest.mark.parametrize(
    ("level", "error", "says"),
    [
        (0, ValueError, "level should be 1 to 3, got 0"),
        (4, ValueError, "has 3 hints"),
        ("1", TypeError, "level should be 1, 2 or 3; got '1'"),
        (True, TypeError, "got True"),
    ],
)
def test_a_hint_that_does_not_exist(level, error, says):
    with pytest.raises(error, match=says):
        book.hint("additive-concat", level)


def test_the_table_goes_by_chapter():
    lines = repr(book.progress()).splitlines()
    assert lines[0] == "1  Queries, keys and values"
    assert lines[1].split() == ["○", "soft-lookup", "A", "soft", "dictionary"]
    assert lines[-1] == f"0 of {len(ALL)} exercises solved"
    assert len(lines) == len({exercise.chapter for exercise in ALL}) + len(ALL) + 1
    page = Page(book.progress()._repr_html_())
    assert page.tags.count("tr") == 1 + len(ALL)
    assert ("aria-label", "not tried yet") in page.attributes


def test_the_table_shows_all_three_marks():
    book.check("soft-lookup", SHELF.get("soft-lookup").solution)
    book.check("scaled-dot-scores", lambda query, key: query @ key.mT)
    table = book.progress()
    tried = {"soft-lookup": "✓", "scaled-dot-scores": "✗"}
    marks = [mark for *_, mark in table.rows]
    assert marks == [tried.get(exercise.name, "○") for exercise in ALL]
    labels = [value for name, value in Page(table._repr_html_()).attributes if name == "aria-label"]
    assert labels[marks.index("✓")] == "solved"
    assert labels[marks.index("✗")] == "tried, not solved yet"


def test_everything_is_shown_the_same_in_another_process():
    """What a notebook stores is compared character by character."""
    program = "import test_exercise_display as here; print(here.shown(), end='')"
    package = os.path.dirname(os.path.dirname(attnbook.__file__))  # the same one, wherever it is
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([os.path.dirname(__file__), package])}
    command = [sys.executable, "-c", program]
    other = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, encoding="utf-8")
    assert other.stdout.count("✗") >= 8
    # this process begins with what the other has recorded: tried exercises, the same marks
    assert other.stdout == shown()


def shown():
    """Everything that an exercise puts on a page."""
    texts = []
    for name in book.names():
        texts += [repr(book.hints(name)), book.hints(name)._repr_html_()]
        verdict = book.check(name, lambda *arguments: arguments[0])
        texts += [repr(verdict), verdict._repr_html_()]
    return "\n".join([*texts, repr(book.progress()), book.progress()._repr_html_()])


# --- numbers --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (0, "0"), (-0.0, "0"), (1, "1"), (-2, "−2"), (0.5, "0.5"), (0.0320586, "0.032"), (-1.25, "−1.25"),
        (140.0, "140"), (2 / 3, "0.667"), (1e-9, "1e−9"), (-3.68e-45, "−3.7e−45"), (1234567, "1.2e6"), (-1e6, "−1e6"),
        (999999, "999999"), (float("nan"), "NaN"), (float("inf"), "∞"), (-float("inf"), "−∞"), (True, "True"),
        (0.0625, "0.063"), (-1e-5, "−1e−5"),
    ],
)  # fmt: skip
def test_a_number_on_paper(x, text):
    assert wording.number(x) == text


def test_ties_are_rounded_alike_whatever_the_last_bit():
    assert wording.number(0.0625 - 1e-15) == wording.number(0.0625 + 1e-15) == "0.063"


def test_a_tensor_on_paper():
    t = torch.tensor
    assert wording.values(t([[1.0, 0.5]])) == "(1, 0.5)"
    assert wording.values(t([[1.0], [2.0]])) == "(1, 2)"
    assert wording.values(t([[1.0, 2], [3, 4]])) == "((1, 2), (3, 4))"
    assert wording.values(t(3.5)) == "3.5"
    assert wording.values(t([[[3.5]]])) == "(3.5)"
    assert wording.values(torch.zeros(5, 7)) == "numbers of shape (5, 7)"
    assert wording.values(torch.zeros(2, 0)) == "numbers of shape (2, 0)"
    assert wording.values(torch.zeros(0)) == "()"
    assert wording.values("x") == "a str"


def test_two_tensors_are_told_apart():
    a = torch.tensor([0.5, 0.25], dtype=torch.float64)
    for difference in (1e-2, 1e-4, 1e-7, 1e-11):
        first, second = wording.told_apart(a, a + difference)
        assert first != second


def test_a_long_message_is_cut_at_a_sentence():
    text = "The first sentence of it. " + "and then a very long one " * 20
    assert wording.one_line(text, 40) == "The first sentence of it"
    assert wording.one_line("x" * 300, 40) == "x" * 39 + "…"
    assert wording.one_line("\n\n  a line  \nanother") == "a line"


def test_a_table_has_a_line_for_each_row():
    right = torch.tensor([[[1.0, 2], [3, 4]], [[5, 6], [7, 8]]])
    assert side_by_side("x (1, 2)", right, 2 * right).split("\n") == [
        "With x (1, 2)",
        *("    you return", "      (2, 4)", "      (6, 8)", "    ", "      (10, 12)", "      (14, 16)"),
        *("    right is", "      (1, 2)", "      (3, 4)", "    ", "      (5, 6)", "      (7, 8)", ""),
    ]
    assert side_by_side("x (1, 2)", right[0, 0], right[0, 1]) == "With x (1, 2) you return (3, 4); right is (1, 2). "


def test_what_a_function_does_is_told_apart_from_its_name():
    twice = Described("2·h", lambda h: 2 * h)
    assert wording.inputs(("x", "attend"), (3, twice)) == "x 3 and attend = 2·h"
