"""Figures that need Python to draw: live the kernel draws each picture, the built page stores them all."""

import base64
import io
import itertools
from dataclasses import asdict, dataclass, field

import traitlets

from ..kit import Figure, module_source, static_box


@dataclass(frozen=True)
class Panel:
    """One picture of a frame: its PNG as a data URI, and what it shows in words."""

    picture: str
    alt: str


@dataclass(frozen=True)
class Frame:
    """What a figure shows for one choice of its controls: pictures, numbers by name, and a sentence."""

    panels: list[Panel]
    numbers: dict[str, float] = field(default_factory=dict)
    said: str = ""


def picture_of(figure, colours=96):
    """Turns a matplotlib figure into a small PNG, the same bytes for the same drawing.

    Args:
        figure: a `matplotlib.figure.Figure`.
        colours: size of the PNG's palette; line drawings need few, and a small file is why there can be many.

    Returns:
        `data:image/png;base64,…`.
    """
    from PIL import Image

    raw = io.BytesIO()
    figure.savefig(raw, format="png", metadata={"Software": None})
    image = (
        Image.open(raw)
        .convert("RGBA")
        .quantize(colours, method=Image.Quantize.FASTOCTREE)
    )
    small = io.BytesIO()
    image.save(small, format="png", optimize=True)
    return "data:image/png;base64," + base64.b64encode(small.getvalue()).decode("ascii")


class FrameFigure(Figure):
    """A kernel-backed figure: controls with a few values each, and pictures drawn by Python.

    In JupyterLab every change of a control makes the kernel draw again, and setting a trait moves the
    control. The built page has no kernel: it stores one frame for each combination of the values.

    A subclass defines one `one_of(...)` trait for each control; `title`, `hint` and `alt`; `controls`,
    a dict trait → {"label": …, "kind": "slider" or "select"}; `outputs`, a dict number → {"label": …,
    "digits": …}; and `draw(**choice)`, which returns the `Frame` of a choice.
    """

    module = "frames"
    _esm = module_source("frames")
    title = ""
    hint = ""
    controls = {}
    outputs = {}

    spec = traitlets.Dict().tag(sync=True)
    frame = traitlets.Dict().tag(sync=True)

    def __init__(self, **choice):
        self._drawn = {}
        super().__init__(**choice)
        self.spec = self._describe()
        self._refresh()
        self.observe(self._refresh, names=self.state_names())

    @classmethod
    def state_names(cls):
        """Names of the controls, in the order of `controls`."""
        return list(cls.controls)

    def draw(self, **choice):
        """The `Frame` of one choice of the controls."""
        raise NotImplementedError(
            f"{type(self).__name__} must define draw(), which returns a Frame"
        )

    def state(self):
        """The controls' values."""
        return {name: getattr(self, name) for name in self.state_names()}

    def frame_of(self, choice):
        """The frame of a choice (dict control → value) as JSON-able values; drawn once and then kept."""
        key = frame_key(choice)
        if key not in self._drawn:
            self._drawn[key] = {"key": key, **asdict(self.draw(**choice))}
        return self._drawn[key]

    def to_html(self):
        """The static form of the figure, with a frame for every combination of the controls' values."""
        names = self.state_names()
        combinations = itertools.product(*(self._values(name) for name in names))
        choices = [dict(zip(names, values, strict=True)) for values in combinations]
        frames = {frame_key(choice): self.frame_of(choice) for choice in choices}
        now = self.frame_of(self.state())
        state = {**self.state(), "spec": self._describe(), "frames": frames}
        return static_box(
            self.module, state, self.alt_text(), now["panels"][0]["picture"]
        )

    def _values(self, name):
        kind = getattr(self.traits()[name], "kind", None)
        choices = kind.choices if kind else ()
        if not choices:
            raise TypeError(
                f"{type(self).__name__}.{name} must be a one_of(...) trait: its values are the frames"
            )
        return list(choices)

    def _describe(self):
        controls = [
            {"name": n, "values": self._values(n), **self.controls[n]}
            for n in self.state_names()
        ]
        outputs = [{"name": n, **look} for n, look in self.outputs.items()]
        return {
            "title": self.title,
            "hint": self.hint,
            "controls": controls,
            "outputs": outputs,
        }

    def _refresh(self, change=None):
        self.frame = self.frame_of(self.state())


def frame_key(choice):
    """One text for a choice, the same in Python and in JavaScript: the values in the controls' order."""
    return "|".join(
        format(value, "g") if isinstance(value, int | float) else value
        for value in choice.values()
    )
