"""A sheet of paper for drawings: lines, boxes, words and small tables, as SVG.

Lengths are pixels of the page, x to the right and y downwards. Dark ink on a transparent ground: in dark mode the page
inverts the lightness and keeps the hues, as with every picture of the book.
"""

import functools
import html
import inspect
import math
import re
from collections.abc import Callable, Sequence
from urllib.parse import quote

from attnbook.page.style import GREY, INK, MASKED, ink_on

WIDE, NARROW = 700, 340  # what a page of a laptop and one of a phone have room for
PALE = "#c4c4c4"  # of what is there and not asked about
WRITTEN = "#A0447A"  # the output's colour, dark enough for words
_SHADES = (255, 255, 255), (185, 181, 232), (75, 63, 168)  # of weights from 0 to 1


def shade(weight: float) -> str:
    """The colour of an attention weight in all pictures.

    Args:
        weight: from 0 to 1.

    Returns:
        A colour from white (0) to blue-violet (1).
    """
    place = min(max(weight, 0.0), 1.0) * 2
    low, high = _SHADES[int(place >= 1)], _SHADES[1 + int(place >= 1)]
    part = place - int(place >= 1)
    return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in zip(low, high, strict=True))


def tint(color: str, part: float = 0.2) -> str:
    """A light shade of a colour, as the ground of what the colour outlines.

    Args:
        color: as "#rrggbb".
        part: how much of it is mixed with white, from 0 to 1.

    Returns:
        A colour.
    """
    channels = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{round(255 - (255 - c) * part):02x}" for c in channels)


def _number(value: float) -> str:
    # what lies halfway goes outwards, whichever way a processor's last digit has gone; and no "-0"
    return f"{round(value + math.copysign(1e-6, value), 1) + 0:g}"


class Sheet:
    """What is drawn on one sheet. It is as high as what stands on it.

    Args:
        width: in pixels.
    """

    def __init__(self, width: int):
        self.width = width
        self.narrow = width < 500
        self.bottom = 0.0
        self._parts: list[str] = []

    def _put(self, tag: str, lowest: float, inner: str = "", **attributes) -> None:
        self.bottom = max(self.bottom, lowest)
        said = "".join(
            f' {name.replace("_", "-")}="{_number(value) if isinstance(value, int | float) else value}"'
            for name, value in attributes.items()
            if value is not None
        )
        self._parts.append(f"<{tag}{said}>{inner}</{tag}>" if inner else f"<{tag}{said}/>")

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        color: str = INK,
        anchor: str = "middle",
        size: float = 15,
        bold: bool = False,
        italic: bool = False,
        turn: float = 0,
    ) -> None:
        """Words in one line. `_` lowers what follows, `^` raises it: "W_O", "d_{head}"; `\\_` is an underscore.

        Args:
            x, y: where; y is the base line.
            words: what.
            color: of the ink.
            anchor: what stands at x: "start", "middle" or "end" of the words.
            size: of the type.
            bold, italic: the face.
            turn: around (x, y), in degrees, clockwise.
        """
        self._put(
            "text",
            y + 0.3 * size,
            marked(words, size),
            x=x,
            y=y,
            fill=color,
            text_anchor=anchor,
            font_size=None if size == 15 else size,
            font_weight="bold" if bold else None,
            font_style="italic" if italic else None,
            transform=f"rotate({_number(turn)} {_number(x)} {_number(y)})" if turn else None,
        )

    def line(
        self,
        *points: tuple[float, float],
        color: str = INK,
        width: float = 1.5,
        dashed: bool = False,
        arrow: bool = False,
        curved: bool = False,
    ) -> None:
        """A line through points.

        Args:
            points: at least two.
            color, width: of the stroke.
            dashed: whether it is.
            arrow: whether a head stands at its last point.
            curved: through four points, a Bézier curve that they steer.
        """
        way = " ".join(f"{_number(x)},{_number(y)}" for x, y in points)
        start, _, rest = way.partition(" ")
        self._put(
            "path",
            max(y for _, y in points),
            d=f"M{start} {'C' if curved else 'L'}{rest}",
            fill="none",
            stroke=color,
            stroke_width=width,
            stroke_dasharray="5 4" if dashed else None,
        )
        if arrow:
            (x0, y0), (x1, y1) = points[-2:]
            angle, long = math.atan2(y1 - y0, x1 - x0), 5 + 2 * width
            wings = [(x1 - long * math.cos(angle + turn), y1 - long * math.sin(angle + turn)) for turn in (0.42, -0.42)]
            self.area((x1, y1), *wings, fill=color)

    def area(self, *points: tuple[float, float], fill: str, color: str | None = None) -> None:
        """A filled shape.

        Args:
            points: its corners.
            fill: its colour.
            color: of its outline, if it has one.
        """
        corners = " ".join(f"{_number(x)},{_number(y)}" for x, y in points)
        self._put("polygon", max(y for _, y in points), points=corners, fill=fill, stroke=color)

    def dot(self, x: float, y: float, radius: float = 4, *, fill: str = INK, color: str | None = None) -> None:
        """A disk around (x, y); `color` is its outline's."""
        self._put("circle", y + radius, cx=x, cy=y, r=radius, fill=fill, stroke=color, stroke_width=color and 1.5)

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        words: str = "",
        *,
        color: str = INK,
        fill: str = "none",
        ink: str | None = None,
        dashed: bool = False,
        radius: float = 5,
        line: float = 1.5,
        size: float = 15,
        bold: bool = False,
        italic: bool = False,
    ) -> None:
        """A rectangle with words in its middle.

        Args:
            x, y: its upper left corner.
            width, height: its size.
            words: one line or several.
            color: of its outline.
            fill: its ground.
            ink: of the words; the outline's, if not given.
            dashed: its outline.
            radius: of its corners.
            line: width of its outline.
            size, bold, italic: of the words.
        """
        self._put(
            "rect",
            y + height,
            x=x,
            y=y,
            width=width,
            height=height,
            rx=radius or None,
            fill=fill,
            stroke=color,
            stroke_width=line,
            stroke_dasharray="5 4" if dashed else None,
        )
        lines = words.split("\n") if words else []
        for number, words in enumerate(lines):
            base = y + height / 2 + 0.35 * size + (number - (len(lines) - 1) / 2) * 1.2 * size
            self.text(x + width / 2, base, words, color=ink or color, size=size, bold=bold, italic=italic)

    def bar(self, x: float, y: float, width: float, height: float, *, fill: str) -> None:
        """A filled rectangle without an outline; (x, y) is its upper left corner."""
        self._put("rect", y + height, x=x, y=y, width=width, height=height, fill=fill)

    def hatch(self, x: float, y: float, width: float, height: float) -> None:
        """A grey, hatched rectangle: what may not be looked at."""
        self.bar(x, y, width, height, fill="#e4e4e4")
        for step in range(-int(height // 7), int(width // 7) + 1):
            left, right = max(step * 7, 0), min(step * 7 + height, width)
            if left < right:
                low = height - (left - step * 7)
                high = height - (right - step * 7)
                self.line((x + left, y + low), (x + right, y + high), color=MASKED, width=0.8)

    def table(
        self,
        x: float,
        y: float,
        weights: Sequence[Sequence[float | None]],
        *,
        cell: float,
        rows: Sequence[str] = (),
        columns: Sequence[str] = (),
        numbers: bool = False,
        size: float = 13,
    ) -> None:
        """Weights as a small heat map: queries down, keys across.

        Args:
            x, y: the upper left corner of its cells.
            weights: from 0 to 1, row by row; None where a mask forbids.
            cell: the side of a cell.
            rows: names on the left.
            columns: names above.
            numbers: whether each weight stands in its cell.
            size: of the type.
        """
        for i, row in enumerate(weights):
            for j, weight in enumerate(row):
                left, top = x + j * cell, y + i * cell
                if weight is None:
                    self.hatch(left, top, cell, cell)
                    self.box(left, top, cell, cell, color=GREY, radius=0, line=1)
                    continue
                ink = ink_on(weight)
                words = f"{weight:.2f}".lstrip("0") if numbers else ""
                self.box(
                    left, top, cell, cell, words, color=GREY, fill=shade(weight), ink=ink, radius=0, line=1, size=size
                )
        for i, name in enumerate(rows):
            self.text(x - 6, y + (i + 0.5) * cell + 0.35 * size, name, anchor="end", size=size)
        for j, name in enumerate(columns):
            self.text(x + (j + 0.5) * cell, y - 7, name, size=size)

    def vector(
        self, x: float, y: float, count: int, width: float, height: float, *, color: str, down: bool = False
    ) -> None:
        """The numbers of a vector as empty cells beside (or below) each other.

        Args:
            x, y: the upper left corner of the first.
            count: how many.
            width, height: of one cell.
            color: of the outlines; the cells are lightly filled with it.
            down: whether they stand below each other.
        """
        for number in range(count):
            left = x if down else x + number * width
            top = y + number * height if down else y
            look = {"color": color, "fill": tint(color), "radius": 0, "line": 1}
            self.box(left, top, width, height, **look)

    def svg(self) -> str:
        """The sheet as an SVG document."""
        size = f'width="{self.width}" height="{math.ceil(self.bottom) + 6}"'
        face = 'font-family="DejaVu Sans, Verdana, system-ui, sans-serif" font-size="15"'
        return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {face}>{"".join(self._parts)}</svg>'


def marked(words: str, size: float) -> str:
    """Words for SVG, with what `_` and `^` lower and raise.

    Args:
        words: as `Sheet.text` takes them.
        size: of the type, in pixels.
    """
    found, back = "", 0.0
    for part in re.split(r"(\\_|[_^](?:\{[^}]*\}|\w))", words):
        if part[:1] in ("_", "^") and len(part) > 1:
            away = 0.25 * size if part[0] == "_" else -0.35 * size
            inner = html.escape(part[1:].strip("{}"))
            found += f'<tspan dy="{_number(back + away)}" font-size="{_number(0.75 * size)}">{inner}</tspan>'
            back = -away
        elif part:
            moved, part = f' dy="{_number(back)}"' if back else "", "_" if part == r"\_" else part
            found += f"<tspan{moved}>{html.escape(part)}</tspan>" if moved else html.escape(part)
            back = 0.0
    return found


def address(svg: str) -> str:
    """The address, as HTML has it in an attribute, that holds a whole picture."""
    return html.escape("data:image/svg+xml," + quote(svg, safe="/:=;()'!*@$?<>"))


class Picture:
    """A drawing in two widths, of which the page shows the one that fits.

    Args:
        draw: draws on a sheet, wide or narrow.
        alt: what is to be seen, for those who cannot see it.
    """

    def __init__(self, draw: Callable[[Sheet], None], alt: str):
        self.alt = alt
        self.sheets = [Sheet(WIDE), Sheet(NARROW)]
        for sheet in self.sheets:
            draw(sheet)

    def __repr__(self) -> str:
        return self.alt

    def _repr_html_(self) -> str:
        wide, narrow = (address(sheet.svg()) for sheet in self.sheets)
        alt = html.escape(self.alt)
        return (
            f'<picture class="attnbook-drawing"><source media="(max-width: 640px)" srcset="{narrow}">'
            f'<img src="{wide}" alt="{alt}"></picture>'
        )


def drawing(alt: str) -> Callable[[Callable[[Sheet], None]], Callable[[], Picture]]:
    """Make a function that draws on a sheet one that returns the picture.

    Args:
        alt: what is to be seen, for those who cannot see it.

    Returns:
        The decorator.
    """

    def decorate(draw: Callable[[Sheet], None]) -> Callable[[], Picture]:
        @functools.wraps(draw)
        def picture() -> Picture:
            return Picture(draw, alt)

        picture.__signature__ = inspect.Signature(return_annotation=Picture)
        return picture

    return decorate
