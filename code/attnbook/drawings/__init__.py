"""The chapters' drawings: each idea as a picture that a page can show before anything has been explained.

A drawing is a function that draws on a `Sheet`, wide or narrow, and returns a `Picture` that shows the one that fits.
Its numbers are computed by the package, from what the chapter's text says.
"""

from attnbook.drawings.blocks import (
    a_stream_for_each_word,
    numbers_normalised_together,
)
from attnbook.drawings.multi_head import three_heads_share_the_width
from attnbook.drawings.positions import rotary_sees_the_distance, where_positions_act
from attnbook.drawings.recurrent import a_sentence_through_one_vector, two_looks_back
from attnbook.drawings.sheet import (
    NARROW,
    WIDE,
    Picture,
    Sheet,
    drawing,
    shade,
    tint,
)
from attnbook.drawings.transformers import (
    rows_at_once_or_in_turn,
    three_kinds_of_models,
)
from attnbook.drawings.words import budget_of_a_row

__all__ = [
    "NARROW", "WIDE", "Picture", "Sheet", "a_sentence_through_one_vector",
    "a_stream_for_each_word", "budget_of_a_row", "drawing", "numbers_normalised_together",
    "rotary_sees_the_distance", "rows_at_once_or_in_turn", "shade", "three_heads_share_the_width",
    "three_kinds_of_models", "tint", "two_looks_back", "where_positions_act",
]  # fmt: skip
