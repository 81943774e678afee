"""The base of the interactive figures: alive in JupyterLab, and in the built page without a kernel."""

import html
import inspect
import json
from typing import Any, ClassVar

import anywidget

from .source import KIT, fallback_image, module_source
from .traits import short


def static_box(module: str, state: dict[str, Any], alt: str, picture: str) -> str:
    """Write the HTML that the built page keeps of a figure.

    The host script replaces the picture by the living figure; without JavaScript the picture stays.

    Args:
        module: the figure's name.
        state: dict of JSON-able values, what the figure's JavaScript reads from its model.
        alt: what the figure shows, in words.
        picture: URI of the fallback picture.

    Returns:
        HTML text, the same for the same arguments.
    """
    # "<" never appears in the JSON as such, so no state can end the script element early.
    text = json.dumps(state, ensure_ascii=False, sort_keys=True, separators=(",", ":")).replace("<", "\\u003c")
    name, words = html.escape(module, quote=True), html.escape(alt, quote=True)
    return (
        f'<div class="attnbook-figure" data-widget="{name}" role="group" aria-label="{words}">\n'
        f'<script type="application/json">{text}</script>\n'
        f'<img alt="{words}" src="{picture}">\n'
        f"</div>"
    )


class Figure(anywidget.AnyWidget):
    """An interactive figure whose mathematics runs in the browser.

    A subclass sets `module` (the name of its folder, with `figure.js` and `fallback.svg`), `alt` (what it shows, in
    words) and its traits, each tagged `sync=True`; `alt_text()` may be overridden where the words depend on the state.

    In JupyterLab it is a widget, alive in both directions. Its `text/html` is what the built page uses.

    Raises:
        TypeError, ValueError: a value of the wrong kind or outside its limits, also one that is set later; the message
            names what would fit.
    """

    module = ""
    alt = ""
    #: what a stored picture says beside its title: of what it is a picture, for those who see no controls
    shows: ClassVar[str] = ""
    #: the stored pictures, and the state that each shows
    pictures: ClassVar[dict[str, dict[str, Any]]] = {"fallback": {}}
    _css = (KIT / "figures.css").read_text("utf-8")

    def __init_subclass__(cls, **kwargs: Any):
        if cls.module and "_esm" not in cls.__dict__:
            cls._esm = module_source(cls.module)
        super().__init_subclass__(**kwargs)

    def __init__(self, **kwargs: Any):
        known = self.state_names()
        unknown = sorted(set(kwargs) - set(known) - {"layout"})
        if unknown:
            raise TypeError(
                f"{type(self).__name__} has no {', '.join(unknown)}; it takes {', '.join(self.taken()) or 'nothing'}"
            )
        super().__init__(**kwargs)

    @classmethod
    def state_names(cls) -> list[str]:
        """Names of the traits that make up the figure's state, in the order of their definition."""
        own = [name for c in reversed(cls.__mro__) if issubclass(c, Figure) for name in vars(c)]
        traits = cls.class_traits(sync=True)
        return [n for n in dict.fromkeys(own) if n in traits and not n.startswith("_")]

    @classmethod
    def taken(cls) -> list[str]:
        """Names of what can be given to a new figure: its own arguments, and its state without what it makes itself.

        A trait that the figure makes is tagged `made=True`.
        """
        own = inspect.signature(cls.__init__).parameters.values()
        named = [p.name for p in own if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)][1:]  # without self
        state, made = cls.state_names(), cls.class_traits(made=True)
        return [name for name in named if name not in state] + [name for name in state if name not in made]

    @classmethod
    def limits(cls) -> dict[str, Any]:
        """What each trait takes, as JSON-able values: the page checks by it what a link would set.

        The kind is the trait's own, or stands in its tag `kind` where limits depend on other traits. Traits without
        one are not in it.
        """
        kinds = {
            name: getattr(trait, "kind", None) or trait.metadata.get("kind")
            for name, trait in cls.class_traits(sync=True).items()
        }
        return {name: kind.limits for name, kind in kinds.items() if kind}

    def state(self) -> dict[str, Any]:
        """The figure's state as a dict of JSON-able values: what the JavaScript side reads."""
        return {name: getattr(self, name) for name in self.state_names()}

    def alt_text(self) -> str:
        """What the figure shows, in words."""
        return inspect.cleandoc(self.alt)

    def picture(self) -> str:
        """The name of the stored picture; may be overridden, as `alt_text()`, where it depends on the state."""
        return "fallback"

    def to_html(self) -> str:
        """The static form of the figure, as the built page keeps it."""
        return static_box(self.module, self.state(), self.alt_text(), fallback_image(self.module, self.picture()))

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={short(value)}" for name, value in self.state().items())
        return f"{type(self).__name__}({values})"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict, dict]:
        data, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
        data["text/plain"] = repr(self)
        data["text/html"] = self.to_html()
        return data, metadata
