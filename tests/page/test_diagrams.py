"""The diagrams draw the numbers they are given."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import same_color, to_rgba
from matplotlib.patches import Circle

from attnbook.page import QUERY, VIOLET, draw_desk, draw_reach

THINGS = ["letter", "newspaper", "cup", "notebook", "book"]


@pytest.fixture
def ax():
    figure, ax = plt.subplots()
    yield ax
    plt.close(figure)


def words(ax):
    return [text.get_text() for text in ax.texts]


def sights(ax):
    """The lines of sight, in the order of the things."""
    return [line for line in ax.lines if same_color(line.get_color(), VIOLET)]


def test_lines_of_sight_are_as_thick_as_the_weights(ax):
    weights = np.array([0.11, 0.23, 0.02, 0.29, 0.35])
    draw_desk(weights, ax, THINGS, title="a title", wish="to read")
    widths = [line.get_linewidth() for line in sights(ax)]
    assert len(widths) == 5
    # a straight line from weight to width: order and ratios of differences are kept
    np.testing.assert_allclose(np.diff(widths) / np.diff(weights), 11)
    assert {"a title", "query: “to read”", "letter\n0.11", "book\n0.35"} <= set(words(ax))


def test_an_eye_without_a_wish_says_so_and_is_not_in_the_query_colour(ax):
    draw_desk([0.2] * 5, ax, THINGS, title="t")
    assert "no query" in words(ax)
    (iris,) = [patch for patch in ax.patches if isinstance(patch, Circle)]
    assert not same_color(iris.get_facecolor(), QUERY)


def test_a_desk_with_another_number_of_things_is_drawn(ax):
    draw_desk([0.7, 0.2, 0.1], ax, ["book", "cup", "book"], title="t")
    assert len(sights(ax)) == 3


def test_a_desk_refuses_what_it_cannot_draw(ax):
    with pytest.raises(ValueError, match="cannot draw lamp; choose among letter, newspaper"):
        draw_desk([0.5, 0.5], ax, ["cup", "lamp"], title="t")
    with pytest.raises(ValueError, match="3 weights for 2 things"):
        draw_desk([0.5, 0.3, 0.2], ax, ["cup", "book"], title="t")


def test_reach_draws_one_line_for_every_influence_and_no_other(ax):
    reach = np.zeros((5, 5), dtype=bool)
    reach[3, 1] = reach[3, 4] = reach[0, 2] = True
    draw_reach(reach, ax, highlight=3)
    ends = {tuple(line.get_xdata()): line for line in ax.lines if len(line.get_xdata()) == 2}
    assert set(ends) == {(1, 3), (4, 3), (2, 0)}  # from the input to the output
    strong = {end for end, line in ends.items() if same_color(line.get_color(), VIOLET)}
    assert strong == {(1, 3), (4, 3)}


@pytest.mark.parametrize(("recurrent", "count"), [(True, 4), (False, 0)])
def test_only_a_recurrent_layer_hands_its_outputs_on(ax, recurrent, count):
    draw_reach(np.eye(5, dtype=bool), ax, recurrent=recurrent)
    assert sum(getattr(text, "arrow_patch", None) is not None for text in ax.texts) == count


def test_reach_must_be_square(ax):
    with pytest.raises(ValueError, match=r"must be square, \(outputs, inputs\), got shape \(2, 3\)"):
        draw_reach(np.ones((2, 3), dtype=bool), ax)


def test_nothing_is_filled_with_white_since_the_dark_page_would_turn_it_black(ax):
    draw_desk([0.2] * 5, ax, THINGS, title="t", wish="w")
    draw_reach(np.eye(3, dtype=bool), ax)
    filled = [to_rgba(patch.get_facecolor()) for patch in ax.patches if patch.get_fill()]
    assert filled and all(min(colour[:3]) < 0.9 for colour in filled)
