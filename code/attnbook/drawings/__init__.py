"""The chapters' drawings: each idea as a picture that a page can show before anything has been explained.

A drawing is a function that draws on a `Sheet`, wide or narrow, and returns a `Picture` that shows the one that fits.
Its numbers are computed by the package, from what the chapter's text says.
"""

from attnbook.drawings.lookup import one_key_or_a_blend
from attnbook.drawings.regression import each_point_by_its_weight, three_widths
from attnbook.drawings.scores import three_favourites
from attnbook.drawings.sentences import three_vectors_of_a_word, who_asks_whom
from attnbook.drawings.sheet import NARROW, WIDE, Picture, Sheet, drawing, shade
from attnbook.drawings.spans import (
    room_for_nested_names,
    two_readings_of_a_table,
    who_works_for_the_museum,
)
from attnbook.drawings.words import budget_of_a_row
from attnbook.drawings.writing import (
    four_steps_or_one,
    rejected_words_fill_the_gaps,
    two_guards_of_the_answer,
    what_a_cache_saves,
    where_greedy_loses,
)

__all__ = [
    "NARROW", "WIDE", "Picture", "Sheet", "budget_of_a_row", "drawing",
    "each_point_by_its_weight", "one_key_or_a_blend", "shade", "three_favourites",
    "three_vectors_of_a_word", "three_widths", "who_asks_whom",
]  # fmt: skip
