"""The kinds of values that traits are made of: what they make plain, what they turn down, and how they say so."""

import numpy as np
import pytest
import torch

from attnbook.widgets.kit import FLAG, Figure, choice, line, listed, number, point, record, taking, whole_number, word

INDEX = whole_number(0, 4)
CELL = record("a cell [row, column]", "cells [row, column]", INDEX, INDEX)


class Table(Figure):
    """A figure with one trait of every composed kind."""

    _esm = "export default { render() {} };"
    rows = taking([[0, 0]], listed(listed(number(-9, 9), 2), 1, 3), "what is shown")
    marks = taking([], listed(CELL, 0, 9, once=2), "what is marked")
    words = taking(["a", "b"], listed(word(8), 2, 5), "the sentence")
    place = taking([0, 0], point(2.5), "where it lies")


@pytest.mark.parametrize(
    ("kind", "value", "plain"),
    [
        (number(0, 1), np.float32(0.5), 0.5),
        (number(0, 1), torch.tensor(1), 1.0),
        (whole_number(0, 9), 4.0, 4),
        (listed(number(), 2), (1, 2), [1.0, 2.0]),
        (listed(listed(number(), 2), 2), np.eye(2), [[1.0, 0.0], [0.0, 1.0]]),
        (listed(point(1), 1, 3), torch.zeros(2, 2), [[0.0, 0.0], [0.0, 0.0]]),
        (record("", "", INDEX, INDEX, FLAG), (1, 2, True), [1, 2, True]),
        (choice([1, 2]), 2.0, 2),
        (line(3), " a", " a"),
    ],
)
def test_what_fits_becomes_plain(kind, value, plain):
    got = kind.check(value)
    assert got == plain and type(got) is type(plain)


@pytest.mark.parametrize(
    ("error", "values", "message"),
    [
        (
            TypeError,
            {"rows": 3},
            "Table.rows is what is shown: a list of 1 to 3 lists of 2 numbers from -9 to 9; got 3",
        ),
        (TypeError, {"rows": [[1, "2"]]}, "one of them is '2'"),
        (ValueError, {"rows": [[1, 2, 3]]}, "one of them is [1, 2, 3]"),
        (ValueError, {"rows": [[1, 10]]}, "one of them is 10"),
        (ValueError, {"rows": [[0, 0]] * 4}, "got 4"),
        (ValueError, {"rows": [[0, float("inf")]]}, "one of them is inf"),
        (
            ValueError,
            {"marks": [[0, 5]]},
            "Table.marks is what is marked: a list of at most 9 cells [row, column], each once; one of them is [0, 5]",
        ),
        (TypeError, {"marks": [[0, "5"]]}, "one of them is [0, '5']"),
        (TypeError, {"marks": [7]}, "one of them is 7"),
        (ValueError, {"marks": [[1, 1], (1, 1)]}, "each once; got [[1, 1], (1, 1)]"),
        (
            TypeError,
            {"words": "two words"},
            "a list of 2 to 5 words of 1 to 8 characters; got 'two words'; split the sentence first",
        ),
        (ValueError, {"words": ["a", " b"]}, "leave out line breaks and outer spaces"),
        (TypeError, {"words": ["a", None]}, "one of them is None"),
        (ValueError, {"place": [0, 3]}, "a point [x, y], numbers from -2.5 to 2.5; got [0, 3]"),
        (ValueError, {"place": [0]}, "got [0]"),
    ],
)
def test_what_does_not_fit_is_named(error, values, message):
    with pytest.raises(error) as caught:
        Table(**values)
    assert str(caught.value).endswith(message)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\x1c", "\u2028"])
def test_a_line_has_no_line_break_not_even_at_its_end(end):
    for text in (f"Go.{end}", end, f"Go.{end}Stay."):
        with pytest.raises(ValueError, match="got "):
            line(9).check(text)
    assert line(9).check("") == ""


@pytest.mark.parametrize("many", [np.array([4, 6]), torch.tensor([4, 6]), [4, 6]])
@pytest.mark.parametrize("kind", [choice([4, 6]), choice(["a"]), number(), whole_number(0, 9), word(3), line(3), FLAG])
def test_several_values_in_place_of_one_are_named(kind, many):
    with pytest.raises((TypeError, ValueError), match=r"^one of them is .*4, 6\]"):
        kind.check(many, "one of them is")


def test_a_long_value_is_cut_in_the_message():
    with pytest.raises(ValueError, match=r"got \[0, 0, .*\.\.\.$"):
        Table(place=[0] * 1000)
    for kind in (number(), choice([0, 1]), choice(["a"])):
        with pytest.raises((TypeError, ValueError), match=r"got \[0.0, .*\.\.\.$"):
            kind.check(torch.zeros(1000))


def test_two_figures_share_no_list():
    one, two = Table(), Table()
    assert one.rows == two.rows and one.rows is not two.rows
