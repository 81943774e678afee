"""The kernel-backed figure: its frames are what the package computes, and they come up on the page."""

import base64
import io
import re

import numpy as np
import pytest

from attnbook.attention import NWKernelRegression, Step, fit_width
from attnbook.data import kernel_regression_data
from attnbook.widgets import TrainWidthFigure
from attnbook.widgets.frames import Frame, FrameFigure, Panel, frame_key
from attnbook.widgets.kit import one_of
from attnbook.widgets.train_width import verdict


@pytest.fixture(scope="module")
def figure():
    return TrainWidthFigure()


@pytest.fixture(scope="module")
def html(figure):
    return figure.to_html()


def train(w0, lr):
    data = kernel_regression_data()
    return fit_width(
        NWKernelRegression(w0), data.x_train, data.y_train, lr=lr, epochs=5
    )


# -- the numbers --


@pytest.mark.parametrize(
    ("w0", "lr"), [(0.1, 0.5), (0.5, 0.5), (0.5, 0.05), (2.0, 0.005)]
)
def test_a_frame_shows_what_the_package_computes(w0, lr):
    figure = TrainWidthFigure(w0=w0, lr=lr)
    path = train(w0, lr)
    numbers = figure.frame["numbers"]
    assert numbers["w"] == pytest.approx(path[-1].w, abs=0.051)
    assert numbers["loss"] == pytest.approx(path[-1].loss, abs=0.051)
    assert numbers["best"] <= numbers["loss"]


def test_the_story_the_text_tells():
    for w0 in (0.5, 1.0):
        assert train(w0, 0.5)[-1].w > 20  # thrown onto the plateau …
        assert 1 < train(w0, 0.05)[-1].w < 6  # … and a smaller step repairs it
        assert train(w0, 0.05)[-1].loss < train(w0, 0.5)[-1].loss - 3
    assert train(0.1, 0.5)[-1].w == pytest.approx(-4.4, abs=0.1)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ([(0.5, 60), (21, 21), (20, 21)], "Step 1 overshoots, from w = 0.5 to 21.0"),
        ([(0.5, 60), (0.6, 55), (21, 21)], "Step 2 overshoots, from w = 0.6 to 21.0"),
        ([(0.1, 66), (0.05, 65)], "do not get w away"),
        ([(0.5, 60), (0.9, 40)], "the steps are short"),
        ([(0.1, 66), (-4, 16)], "crosses 0 and ends at −4.0"),
        ([(5, 16), (4.9, 15.9)], "ends in the valley"),
    ],
)
def test_the_sentence_comes_from_the_path(path, words):
    assert words in verdict([Step(*step) for step in path], 15.8)


def test_setting_a_trait_draws_the_new_frame():
    figure = TrainWidthFigure()
    first = figure.frame
    figure.lr = 0.05
    assert figure.frame["key"] == "0.5|0.05"
    assert figure.frame["numbers"] != first["numbers"]
    assert figure.frame["panels"][0]["picture"] != first["panels"][0]["picture"]


# -- the stored form --


def test_every_choice_is_stored_in_little_space_and_always_alike(html):
    assert len(html) < 600_000
    assert len(re.findall(r'"key":"[^"]+\|[^"]+"', html)) == 15
    assert html == TrainWidthFigure().to_html()
    rest = re.sub(r"data:image/png;base64,[A-Za-z0-9+/=]*", "", html)
    assert len(rest) < 15_000  # all that nbval compares


def test_the_pictures_are_sharp_and_not_empty(figure):
    from PIL import Image

    for panel in figure.frame["panels"]:
        image = Image.open(
            io.BytesIO(base64.b64decode(panel["picture"].split(",")[1]))
        ).convert("RGBA")
        assert min(image.size) >= 450
        assert (
            0.01 < (np.asarray(image)[..., 3] > 0).mean() < 0.6
        )  # ink on a transparent ground
        assert len(panel["alt"]) > 40


def test_bad_values():
    with pytest.raises(
        ValueError,
        match=r"TrainWidthFigure.w0 is where w starts: one of 0.1, 0.5, 1.0, 2.0, 5.0; got 3",
    ):
        TrainWidthFigure(w0=3)
    with pytest.raises(
        TypeError, match="TrainWidthFigure has no epochs; it takes w0, lr"
    ):
        TrainWidthFigure(epochs=9)


class Unfinished(FrameFigure):
    """A frame figure that forgot to draw."""

    controls = {"kind": {"label": "kind", "kind": "select"}}
    kind = one_of("a", ["a", "b"], "the kind")


class Words(Unfinished):
    """The smallest frame figure: one control with words for values, and no numbers."""

    def draw(self, kind):
        return Frame(
            [Panel("data:image/gif;base64,R0lGODlhAQABAAAAACw=", f"picture {kind}")],
            said=f"this is {kind}",
        )


def test_a_frame_figure_must_draw():
    with pytest.raises(NotImplementedError, match=r"Unfinished must define draw\(\)"):
        Unfinished()


def test_a_small_frame_figure(open_figure):
    page = open_figure(Words(kind="b"))
    assert page.page.locator(".ab-said").inner_text() == "this is b"
    page.choose("kind", "a")
    assert page.page.locator(".ab-said").inner_text() == "this is a"
    assert page.page.locator("img.ab-frame").get_attribute("alt") == "picture a"


# -- on the page --


def test_the_key_is_the_same_on_both_sides(open_figure, figure):
    page = open_figure(figure)
    for w0 in (0.1, 1.0, 5.0):
        for lr in (0.5, 0.005):
            page.set(w0=w0, lr=lr)
            assert (
                page.page.locator(".ab-said").inner_text()
                == figure.frame_of({"w0": w0, "lr": lr})["said"]
            )
    assert frame_key({"w0": 1.0, "lr": 0.005}) == "1|0.005"


def test_moved_by_keyboard_and_mouse(open_figure, figure):
    page = open_figure(figure)
    assert page.live and page.read("w") > 20
    page.choose("lr", "0.05")
    assert page.read("w") < 6
    page.press("w0", "ArrowRight", "ArrowRight")
    assert page.state("w0") == 2 and page.text("w0") == "2"
    box = page.page.locator('input[data-control="w0"]').bounding_box()
    page.page.mouse.click(box["x"] + box["width"] - 3, box["y"] + box["height"] / 2)
    page.settle()
    assert page.state("w0") == 5
    page.reset()
    assert (page.state("w0"), page.state("lr")) == (0.5, 0.5)
    assert page.page.locator("img.ab-frame").count() == 2


def test_it_fits_a_phone(open_figure, figure):
    page = open_figure(figure, width=390)
    assert page.page.evaluate("document.documentElement.scrollWidth") <= 390
    boxes = [image.bounding_box() for image in page.page.locator("img.ab-frame").all()]
    assert (
        boxes[1]["y"] > boxes[0]["y"] + boxes[0]["height"] - 1
    )  # one below the other, at a readable size
    assert boxes[0]["width"] > 280


def test_without_javascript_the_first_picture_is_there(open_figure, figure):
    page = open_figure(figure, javascript=False)
    assert page.page.locator(".attnbook-figure > img").is_visible()
