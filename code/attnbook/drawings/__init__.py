"""The chapters' drawings: each idea as a picture that a page can show before anything has been explained.

A drawing is a function that draws on a `Sheet`, wide or narrow, and returns a `Picture` that shows the one that fits.
Its numbers are computed by the package, from what the chapter's text says.
"""

from attnbook.drawings.lookup import one_key_or_a_blend
from attnbook.drawings.regression import each_point_by_its_weight, three_widths
from attnbook.drawings.scores import three_favourites
from attnbook.drawings.sentences import three_vectors_of_a_word, who_asks_whom
from attnbook.drawings.sheet import NARROW, WIDE, Picture, Sheet, drawing, shade
from attnbook.drawings.words import budget_of_a_row

__all__ = [
    "NARROW", "WIDE", "Picture", "Sheet", "budget_of_a_row", "drawing",
    "each_point_by_its_weight", "one_key_or_a_blend", "shade", "three_favourites",
    "three_vectors_of_a_word", "three_widths", "who_asks_whom",
]  # fmt: skip
