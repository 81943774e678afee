"""A tool: pictures that were stored, one of them shown at a time; what a page keeps of a figure that needs a kernel."""

from typing import Any

import traitlets

from ..kit import Figure, Kind, as_proposed, line, listed, static_box, taking, whole_number
from ..kit.traits import short


def _text(value: Any, came: str = "got") -> str:
    if not isinstance(value, str):
        raise TypeError(f"{came} {short(value)}")
    return value


TEXT = Kind("a text", "texts", _text)
PARTS = {"name": TEXT, "says": listed(TEXT, 0, 100), "picture": TEXT, "alt": TEXT}


def _frame(value: Any, came: str = "got") -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError(f"{came} {short(value)}")
    if missing := [part for part in PARTS if part not in value]:
        raise ValueError(f"{came} {short(value)}, which lacks {', '.join(missing)}")
    frame = dict(value)
    for part, kind in PARTS.items():
        try:
            frame[part] = kind.check(value[part])
        except (TypeError, ValueError) as error:
            raise type(error)(f"{came} {short(value)}, whose {part} must be {kind.one}; {error}") from None
    return frame


FRAME = Kind(f"a dict with {', '.join(PARTS)}", f"dicts with {', '.join(PARTS)}", _frame)


class StoredFrames(Figure):
    """Shows one of several stored pictures, with what there is to say about it.

    Args:
        frames: dicts with `name`, `says` (lines), `picture` (the address of an image) and `alt` (what it shows).
        title: above the picture.
        hint: what a reader has to do for more than these pictures.
        shown: number of the picture to begin with, from 0.
    """

    module = "stored_frames"

    frames = taking([], listed(FRAME, 1, 100), "the pictures")
    title = taking("", line(200), "the title")
    hint = taking("", line(400), "what to do")
    shown = taking(0, whole_number(0, 99), "which picture is shown")

    def __init__(self, frames: Any = (), **kwargs: Any):
        super().__init__(frames=frames, **kwargs)

    @traitlets.validate("frames", "shown")
    def _check_that_there_is_such_a_frame(self, proposal: dict[str, Any]) -> Any:
        frames, shown = as_proposed(self, proposal, "frames", "shown")
        if shown >= len(frames):
            raise ValueError(
                f"StoredFrames.shown counts from 0 and must be below {len(frames)}, the number of frames; got {shown}"
            )
        return proposal["value"]

    def alt_text(self) -> str:
        """What the figure shows, in words."""
        return self.frames[self.shown]["alt"]

    def to_html(self) -> str:
        """The static form: the chosen picture in place of the figure, and below it what to do for more."""
        picture = self.frames[self.shown]["picture"]
        return static_box(self.module, self.state(), self.alt_text(), picture)

    def __repr__(self) -> str:
        names = ", ".join(frame["name"] for frame in self.frames)
        return f"StoredFrames({self.title}: {names})"
