"""The choice of stored pictures that a page keeps of a figure which needs a kernel."""

import pytest

from attnbook.widgets import StoredFrames

DOT = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
FRAMES = [
    {"name": name, "says": [f"{name} <says>", "more"], "picture": DOT, "alt": f"a {name}"}
    for name in ("first", "second")
]


def test_a_choice_changes_the_picture_and_its_words(open_figure):
    page = open_figure(StoredFrames(frames=FRAMES, title="Title", hint="What to do."))
    card = page.page.locator(".ab-card")
    assert card.locator("img").get_attribute("alt") == "a first"
    page.page.get_by_label("Show").select_option(label="second")
    card.locator("img[alt='a second']").wait_for()
    assert card.locator("li").all_inner_texts() == ["second <says>", "more"]
    assert card.locator(".ab-hint").inner_text() == "What to do."


def test_without_scripts_the_chosen_picture_stays(open_figure):
    page = open_figure(StoredFrames(frames=FRAMES, shown=1), javascript=False)
    assert page.page.locator("img").get_attribute("alt") == "a second"


@pytest.mark.parametrize(
    ("error", "says", "frames"),
    [
        (ValueError, "the pictures: a list of 1 to 100 dicts with name, says, picture, alt; got 0", []),
        (TypeError, "one of them is 'first'", ["first"]),
        (ValueError, "one of them is .*, which lacks picture, alt", [{"name": "first", "says": []}]),
        (TypeError, "one of them is .*, whose name must be a text; got 1", [FRAMES[0] | {"name": 1}]),
        (TypeError, "whose says must be a list of .* texts; got 'a line'", [FRAMES[0] | {"says": "a line"}]),
        (TypeError, "whose says must be .*; one of them is 1", [FRAMES[0] | {"says": ["a line", 1]}]),
        (TypeError, "whose picture must be a text; got b''", [FRAMES[0] | {"picture": b""}]),
        (TypeError, "whose alt must be a text; got None", [FRAMES[0] | {"alt": None}]),
    ],
)
def test_frames_that_are_none_are_named(error, says, frames):
    with pytest.raises(error, match=f"StoredFrames.frames is .*{says}"):
        StoredFrames(frames=frames)
    with pytest.raises(ValueError, match="got 0"):
        StoredFrames()


def test_a_picture_that_is_not_there_cannot_be_shown():
    with pytest.raises(ValueError, match="shown counts from 0 and must be below 2, .*; got 2"):
        StoredFrames(frames=FRAMES, shown=2)
    figure = StoredFrames(frames=FRAMES)
    with pytest.raises(ValueError, match="must be below 2, .*; got 50"):
        figure.shown = 50
    figure.shown = 1
    with pytest.raises(ValueError, match="must be below 1, .*; got 1"):
        figure.frames = FRAMES[:1]
    assert figure.alt_text() == "a second"
