"""The book's classes beside those of other libraries: same weights, same inputs, and how far apart they come out.

`cases` makes inputs with every kind of mask, written in each library's way; `match_parameters` finds out which weights
are which, by their numbers; `CrossChecks` compares outputs, attention weights and gradients, and keeps the record.
"""

from attnbook.interop.comparison.cases import BARS, Case, cases, randomise
from attnbook.interop.comparison.matching import (
    Match,
    Table,
    match_parameters,
    name_table,
)
from attnbook.interop.comparison.record import CrossChecks, greatest_difference

__all__ = [
    "BARS",
    "Case",
    "cases",
    "randomise",
    "Match",
    "match_parameters",
    "Table",
    "name_table",
    "greatest_difference",
    "CrossChecks",
]
