"""The timeline draws its events, and its sketches are what they are called."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from attnbook.page import SKETCHES, Event, draw_timeline

EVENTS = [
    Event("1901", "First", "one thing", ("kernel",)),
    Event("1950", "Second", "another", ("causal", "both sides")),
    Event("1951", "Third", "a third", ("previous", "mirror"), ("one", "two")),
    Event("1952", "Fourth", "without a sketch"),
]


@pytest.fixture
def ax():
    figure, ax = plt.subplots()
    yield ax
    plt.close(figure)


def test_every_event_is_written_from_top_to_bottom(ax):
    draw_timeline(EVENTS, ax)
    heights = {text.get_text(): text.get_position()[1] for text in ax.texts}
    for event in EVENTS:
        assert {event.year, event.who, event.what} <= set(heights)
    years = [heights[event.year] for event in EVENTS]
    assert years == sorted(years, reverse=True)
    assert len(ax.images) == sum(len(event.sketches) for event in EVENTS)
    # named below its sketch, and the first one has its axes named
    lowest = [image.get_extent()[2] for image in ax.images]
    assert heights["two"] < lowest[4] < heights["Third"]
    assert heights["keys →"] > heights["First"]


def test_everything_lies_within_the_axes(ax):
    draw_timeline(EVENTS, ax, gap_after=1)
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    for image in ax.images:
        x0, x1, y0, y1 = image.get_extent()
        assert left <= x0 < x1 <= right and bottom <= y0 < y1 <= top
    assert all(bottom < text.get_position()[1] < top for text in ax.texts)


def test_a_gap_is_dotted_and_longer(ax):
    draw_timeline(EVENTS, ax, gap_after=1)
    pieces = [line for line in ax.lines if len(line.get_ydata()) == 2]
    assert [line.get_linestyle() for line in pieces] == ["-", ":", "-"]
    lengths = [abs(np.diff(line.get_ydata()))[0] for line in pieces]
    assert lengths[1] > lengths[0] == pytest.approx(lengths[2])


def test_one_event_is_a_history_too(ax):
    draw_timeline(EVENTS[:1], ax)
    assert "First" in [text.get_text() for text in ax.texts]


def test_a_timeline_refuses_what_it_cannot_draw(ax):
    with pytest.raises(ValueError, match="pass at least one Event"):
        draw_timeline([], ax)
    with pytest.raises(ValueError, match="between two of the 4 events"):
        draw_timeline(EVENTS, ax, gap_after=3)
    with pytest.raises(ValueError, match="no sketch is called 'spiral'; choose among kernel"):
        draw_timeline([Event("1", "a", "b", ("spiral",))], ax)
    with pytest.raises(ValueError, match="one name for each sketch"):
        draw_timeline([Event("1", "a", "b", ("kernel",), ("one", "two"))], ax)


@pytest.mark.parametrize("name", SKETCHES)
def test_sketches_are_attention_weights(name):
    table = SKETCHES[name]()
    assert table.shape == (9, 9) and (table >= 0).all()
    np.testing.assert_allclose(table.sum(axis=1), 1)


def test_sketches_show_what_the_text_says_of_them():
    best = {name: sketch().argmax(axis=1) for name, sketch in SKETCHES.items()}
    assert (np.diff(best["forward"]) >= 0).all()  # Graves: never backwards
    assert (np.diff(best["swap"]) < 0).any()  # Bahdanau: out of order
    assert set(SKETCHES["glimpses"]().flat) == {0, 1}  # Mnih: one region, and only one
    assert (SKETCHES["regions"]() > 0).all()  # Xu: all regions, blended
    assert (best["glimpses"] == best["regions"]).all()
    assert (np.triu(SKETCHES["causal"](), 1) == 0).all()  # GPT: nothing ahead
    assert (SKETCHES["both sides"]() > 0).all()  # BERT: everything
    window = SKETCHES["window"]()
    assert window[0, 3:].max() == 0 and window[4, 2:7].min() > 0  # Luong: a few words
