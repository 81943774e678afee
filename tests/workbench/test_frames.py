"""The stored form of the workbench's figures, and their pictures."""

import base64

import ipywidgets
import pytest
from matplotlib.figure import Figure

from attnbook.workbench.frames import Frame, Workbench, as_address, choosing


def test_the_stored_form_needs_no_kernel_and_the_live_one_is_a_widget():
    frames = [Frame("one", ["a < b"], "data:,", "a picture")]
    bundle = Workbench("Title", "hint", frames, ipywidgets.VBox())._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html", "application/vnd.jupyter.widget-view+json"}
    assert 'data-widget="stored_frames"' in bundle["text/html"]
    assert bundle["text/plain"] == "Workbench(Title)"


def test_words_of_a_reader_are_no_html():
    shown = Frame("x", ["<b>bold</b>"], "data:,", 'a "quoted" word').to_html()
    assert "<b>" not in shown and "&quot;quoted&quot;" in shown


def test_a_picture_is_the_same_every_time():
    def draw():
        figure = Figure((2, 1))
        figure.subplots().plot([1, 2])
        return as_address(figure)

    assert draw() == draw()
    assert base64.b64decode(draw().partition(",")[2]).startswith(b"\x89PNG")


@pytest.mark.parametrize(("values", "kind"), [(range(3), ipywidgets.IntSlider), ([1, 8], ipywidgets.Dropdown)])
def test_a_control_is_labelled_and_takes_the_values(values, kind):
    control = choosing("d_model", values)
    assert isinstance(control, kind)
    assert control.description == "d model" and control.value == values[0]
