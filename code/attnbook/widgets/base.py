"""The base of the interactive figures: alive in JupyterLab, and in the built page without a kernel."""

import base64
import html
import inspect
import json
from functools import cache
from pathlib import Path

import anywidget
import traitlets

HERE = Path(__file__).parent
KIT = ("kit.js", "paint.js")
PARTS = {  # more files of a figure, between the kit and its own
    "translate_page": (
        "words.js",
        "translate_models.js",
        "translate_beam.js",
        "translate_files.js",
        "translate_drawing.js",
    ),
    "alignment_reader": ("words.js",),
    "beam_tree": ("words.js",),
    "sampling_explorer": ("words.js",),
}
DATA = {  # whose numbers do not lie beside it
    "attention_patterns": HERE.parent / "data" / "sentence_model.json",
}


def with_kit(source):
    """Puts the kit in front of a figure's JavaScript, so that the kit's names are in scope there."""
    return "\n".join([*((HERE / name).read_text("utf-8") for name in KIT), source])


def module_source(module):
    """Reads a figure's JavaScript with the kit, and its data if it has some, in front: one ES module without imports.

    Stored numbers that belong to a figure lie in `<module>.json`; its JavaScript sees them as `DATA`.

    Args:
        module: the figure's name; `<module>.js` lies beside this file.

    Returns:
        The source text.

    Raises:
        ValueError: there is no such file.
    """
    path = HERE / f"{module}.js"
    if not path.is_file():
        raise ValueError(
            f"the figure {module!r} has no {path.name} beside base.py; write it first"
        )
    files = [*(HERE / name for name in PARTS.get(module, [])), path]
    parts = [part.read_text("utf-8") for part in files]
    data = _data_of(module)
    if data.is_file():
        parts.insert(0, f"const DATA = {data.read_text('utf-8').strip()};")
    return with_kit("\n".join(parts))


@cache
def figure_data(module):
    """Reads the stored numbers of a figure, which its JavaScript has as `DATA`.

    Args:
        module: the figure's name; `<module>.json` lies beside this file.

    Returns:
        What the file holds; the same object every time, not to be changed.
    """
    return json.loads(_data_of(module).read_text("utf-8"))


def _data_of(module):
    return DATA.get(module, HERE / f"{module}.json")


def fallback_image(module):
    """Gives the stored picture of a figure as a data URI, for readers without JavaScript.

    Args:
        module: the figure's name; `<module>.svg` lies beside this file.

    Returns:
        `data:image/svg+xml;base64,…`; of an empty picture if none is stored yet.
    """
    path = HERE / f"{module}.svg"
    empty = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 40"/>'
    svg = path.read_text("utf-8") if path.is_file() else empty
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode("utf-8")).decode(
        "ascii"
    )


def static_box(module, state, alt, picture):
    """Writes the HTML that the built page keeps of a figure.

    The host script replaces the picture by the living figure; without JavaScript the picture stays.

    Args:
        module: the figure's name.
        state: dict of JSON-able values, what the figure's JavaScript reads from its model.
        alt: what the figure shows, in words.
        picture: URI of the fallback picture.

    Returns:
        HTML text, the same for the same arguments.
    """
    # "<" never stands in the JSON as such, so no state can end the script element early.
    text = json.dumps(
        state, ensure_ascii=False, sort_keys=True, separators=(",", ":")
    ).replace("<", "\\u003c")
    name, words = html.escape(module, quote=True), html.escape(alt, quote=True)
    return (
        f'<div class="attnbook-figure" data-widget="{name}" role="group" aria-label="{words}">\n'
        f'<script type="application/json">{text}</script>\n'
        f'<img alt="{words}" src="{picture}">\n'
        f"</div>"
    )


class Figure(anywidget.AnyWidget):
    """An interactive figure whose mathematics runs in the browser.

    A subclass sets `module` (the name of its `.js` and `.svg` files), `alt` (what it shows, in words) and
    its traits, each tagged `sync=True`; `alt_text()` may be overridden where the words depend on the state.

    In JupyterLab it is a widget, alive in both directions. Its `text/html` is what the built page uses.
    """

    module = ""
    alt = ""
    _css = (HERE / "figures.css").read_text("utf-8")

    def __init_subclass__(cls, **kwargs):
        if cls.module and "_esm" not in cls.__dict__:
            cls._esm = module_source(cls.module)
        super().__init_subclass__(**kwargs)

    def __init__(self, **kwargs):
        known = self.state_names()
        unknown = sorted(set(kwargs) - set(known) - {"layout"})
        if unknown:
            raise TypeError(
                f"{type(self).__name__} has no {', '.join(unknown)}; it takes {', '.join(known) or 'nothing'}"
            )
        super().__init__(**kwargs)

    @classmethod
    def state_names(cls):
        """Names of the traits that make up the figure's state, in the order of their definition."""
        own = [
            name
            for c in reversed(cls.__mro__)
            if issubclass(c, Figure)
            for name in vars(c)
        ]
        traits = cls.class_traits(sync=True)
        return [n for n in dict.fromkeys(own) if n in traits and not n.startswith("_")]

    def state(self):
        """The figure's state as a dict of JSON-able values: what the JavaScript side reads."""
        return {name: getattr(self, name) for name in self.state_names()}

    def alt_text(self):
        """What the figure shows, in words."""
        return inspect.cleandoc(self.alt)

    def to_html(self):
        """The static form of the figure, as the built page keeps it."""
        return static_box(
            self.module, self.state(), self.alt_text(), fallback_image(self.module)
        )

    def __repr__(self):
        values = ", ".join(
            f"{name}={short(value)}" for name, value in self.state().items()
        )
        return f"{type(self).__name__}({values})"

    def _repr_mimebundle_(self, **kwargs):
        data, metadata = super()._repr_mimebundle_(**kwargs)
        data["text/plain"] = repr(self)
        data["text/html"] = self.to_html()
        return data, metadata


def short(value):
    """repr of a trait's value, cut so that a long list does not fill the page."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def number_between(default, low, high, what, whole=False):
    """A trait for a number within limits, which says so clearly when it is set to something else.

    Args:
        default: value at the start.
        low, high: the limits, both allowed.
        what: the quantity in words, with its unit, for the message.
        whole: whether only whole numbers will do.

    Returns:
        A traitlets trait, synchronised with the browser. Setting it to something that is not a number
        raises TypeError, to a number outside the limits ValueError.
    """
    return NumberBetween(default, low, high, what, whole).tag(sync=True)


def one_of(default, choices, what):
    """A trait for one of several values, which names them when it is set to something else (ValueError).

    Args:
        default: value at the start.
        choices: the values allowed.
        what: the quantity in words, for the message.

    Returns:
        A traitlets trait, synchronised with the browser.
    """
    return OneOf(default, choices, what).tag(sync=True)


def yes_or_no(default, what):
    """A trait that is True or False, which says so when it is set to something else (TypeError).

    Args:
        default: value at the start.
        what: the quantity in words, for the message.

    Returns:
        A traitlets trait, synchronised with the browser.
    """
    return YesOrNo(default, what).tag(sync=True)


class NumberBetween(traitlets.TraitType):
    """A number within limits; see `number_between`."""

    def __init__(self, default, low, high, what, whole):
        super().__init__(default)
        self.low, self.high, self.what, self.whole = low, high, what, whole

    def validate(self, obj, value):
        kind = "a whole number" if self.whole else "a number"
        wanted = f"{type(obj).__name__}.{self.name} is {self.what}: {kind} from {self.low} to {self.high}"
        if isinstance(value, bool) or not hasattr(value, "__float__"):
            raise TypeError(f"{wanted}; got {value!r}")
        number = float(value)
        if not self.low <= number <= self.high or (
            self.whole and number != int(number)
        ):
            raise ValueError(f"{wanted}; got {value!r}")
        return int(number) if self.whole else number


class OneOf(traitlets.TraitType):
    """One of several values; see `one_of`."""

    def __init__(self, default, choices, what):
        super().__init__(default)
        self.choices, self.what = list(choices), what

    def validate(self, obj, value):
        for choice in self.choices:
            if type(choice) is not bool and type(value) is not bool and choice == value:
                return choice
        names = ", ".join(repr(c) for c in self.choices)
        raise ValueError(
            f"{type(obj).__name__}.{self.name} is {self.what}: one of {names}; got {value!r}"
        )


class YesOrNo(traitlets.TraitType):
    """True or False; see `yes_or_no`."""

    def __init__(self, default, what):
        super().__init__(default)
        self.what = what

    def validate(self, obj, value):
        if value is True or value is False:
            return value
        raise TypeError(
            f"{type(obj).__name__}.{self.name} is {self.what}: True or False; got {value!r}"
        )
