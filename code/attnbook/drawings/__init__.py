"""The chapters' drawings: each idea as a picture that a page can show before anything has been explained.

A drawing is a function that draws on a `Sheet`, wide or narrow, and returns a `Picture` that shows the one that fits.
Its numbers are computed by the package, from what the chapter's text says.
"""

from attnbook.drawings.sheet import NARROW, WIDE, Picture, Sheet, drawing, shade
from attnbook.drawings.words import budget_of_a_row

__all__ = [
    "NARROW", "WIDE", "Picture", "Sheet", "budget_of_a_row", "drawing", "shade",
]  # fmt: skip
