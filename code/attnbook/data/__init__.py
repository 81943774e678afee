"""Data of the book: seeded generators, sentence pairs, and batches of them."""

from attnbook.data.batches import (
    Batch,
    EncodedPair,
    collate,
    encode_pairs,
    make_batches,
)
from attnbook.data.download import cache_folder, download_tatoeba
from attnbook.data.grammar import AlignedPair, BilingualGrammar
from attnbook.data.splits import Pair, Split, references, split_pairs
from attnbook.data.synthetic import RegressionData, kernel_regression_data, true_curve
from attnbook.data.translation import bundled_pairs, read_pairs, tatoeba_pairs

__all__ = [
    "RegressionData",
    "kernel_regression_data",
    "true_curve",
    "Pair",
    "Split",
    "bundled_pairs",
    "read_pairs",
    "tatoeba_pairs",
    "AlignedPair",
    "BilingualGrammar",
    "cache_folder",
    "download_tatoeba",
    "split_pairs",
    "references",
    "EncodedPair",
    "encode_pairs",
    "Batch",
    "collate",
    "make_batches",
]
