"""What all figures of the workbench share: pictures with words, and two forms, a live one and a stored one."""

import base64
import html
import io
from dataclasses import asdict, dataclass

import ipywidgets
from matplotlib.figure import Figure
from PIL import Image

from attnbook.widgets import StoredFrames

COLOURS = 64  # of a stored picture: curves and cells need no more, and it is half as large


@dataclass(frozen=True)
class Frame:
    """A picture and what there is to say about it.

    Attributes:
        name: what was chosen to get it.
        says: lines of plain text.
        picture: its address, see `as_address`; empty if there is none.
        alt: what the picture shows.
    """

    name: str
    says: list[str]
    picture: str = ""
    alt: str = ""

    def to_html(self) -> str:
        """The frame for a live notebook, on white, since the ink is dark."""
        image = (
            f'<img src="{self.picture}" alt="{html.escape(self.alt, quote=True)}" '
            'style="max-width: 100%; background: #fff">'
        )
        lines = "".join(f"<p>{html.escape(line)}</p>" for line in self.says)
        return (image if self.picture else "") + lines


def as_address(figure: Figure, dpi: int = 110) -> str:
    """Draw a figure into a data address, with few colours.

    Args:
        figure: made without pyplot, which would show it a second time.
        dpi: dots per inch, and so how large it is drawn.

    Returns:
        `data:image/png;base64,…`
    """
    drawn, small = io.BytesIO(), io.BytesIO()
    figure.savefig(drawn, format="png", dpi=dpi)
    with Image.open(drawn) as image:
        few = image.quantize(COLOURS, method=Image.Quantize.FASTOCTREE)
        few.save(small, "PNG", optimize=True)
    return f"data:image/png;base64,{base64.b64encode(small.getvalue()).decode()}"


class Workbench:
    """A live figure of ipywidgets whose stored form is a choice of pictures.

    Args:
        title: a few words.
        hint: what a running notebook offers beyond the stored pictures.
        frames: what is stored; at least one.
        box: the live figure.
    """

    def __init__(self, title: str, hint: str, frames: list[Frame], box: ipywidgets.Box):
        self.box = box
        self.stored = StoredFrames(frames=[asdict(frame) for frame in frames], title=title, hint=hint)

    def to_html(self) -> str:
        """The stored form."""
        return self.stored.to_html()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.stored.title})"

    def _repr_mimebundle_(self, **options) -> dict:
        live = self.box._repr_mimebundle_(**options)
        return live | {"text/plain": repr(self), "text/html": self.to_html()}


def choosing(name: str, values) -> ipywidgets.Widget:
    """A labelled control for one of several values: a slider for a range, else a list.

    Args:
        name: the label, and the argument that gets the value.
        values: a range, or a list.

    Returns:
        The control; its `value` is the choice.
    """
    label = {"description": name.replace("_", " ")}
    if isinstance(values, range):
        return ipywidgets.IntSlider(values[0], values[0], values[-1], values.step, **label)
    return ipywidgets.Dropdown(options=list(values), **label)
