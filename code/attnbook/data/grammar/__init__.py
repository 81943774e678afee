"""A bilingual grammar: English–French sentences of any length with gold word alignments."""

from attnbook.data.grammar.bilingual import AlignedPair, BilingualGrammar

__all__ = [
    "AlignedPair",
    "BilingualGrammar",
]
