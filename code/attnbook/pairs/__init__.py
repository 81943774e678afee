"""Pairs: scores of attention that are themselves the answer, one for every pair of tokens.

A table (B, C, T, T) has a layer for each of C types; its row is where a span starts (or a relation's subject), its
column where it ends (or the object). No softmax follows: a pair is predicted where its score is above 0.
"""

from attnbook.pairs.decoding import (
    f1_score,
    nested_decode,
    pair_table,
    pairs_above,
    span_mask,
)
from attnbook.pairs.losses import binary_loss, pair_loss
from attnbook.pairs.scorers import (
    Biaffine,
    EfficientGlobalPointer,
    GlobalPointer,
    MultiHeadSelection,
    biaffine_score,
)

__all__ = [
    "biaffine_score",
    "Biaffine",
    "MultiHeadSelection",
    "GlobalPointer",
    "EfficientGlobalPointer",
    "pair_loss",
    "binary_loss",
    "span_mask",
    "pair_table",
    "pairs_above",
    "nested_decode",
    "f1_score",
]
