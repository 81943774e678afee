"""Data of the book: seeded generators, sentence pairs, and batches of them."""

from attnbook.data.batches import (
    Batch,
    EncodedPair,
    collate,
    encode_pairs,
    make_batches,
    pad_rows,
)
from attnbook.data.corpus import bundled_pairs, tatoeba_pairs
from attnbook.data.download import (
    TATOEBA_SHA1,
    TATOEBA_URL,
    cache_folder,
    download_tatoeba,
)
from attnbook.data.grammar.bilingual import AlignedPair, BilingualGrammar
from attnbook.data.grammar.parsed import SYNTAX, ParsedSentence, parsed_sentences
from attnbook.data.reading import read_pairs
from attnbook.data.scripts import (
    in_both_scripts,
    in_script,
    is_chinese,
    own_scripts,
    scripts_of,
)
from attnbook.data.splits import (
    Pair,
    Split,
    near_duplicates,
    references,
    split_pairs,
)
from attnbook.data.synthetic import RegressionData, kernel_regression_data, true_curve

__all__ = [
    "RegressionData",
    "kernel_regression_data",
    "true_curve",
    "Pair",
    "Split",
    "split_pairs",
    "references",
    "near_duplicates",
    "EncodedPair",
    "encode_pairs",
    "Batch",
    "pad_rows",
    "collate",
    "make_batches",
    "cache_folder",
    "download_tatoeba",
    "TATOEBA_URL",
    "TATOEBA_SHA1",
    "bundled_pairs",
    "read_pairs",
    "scripts_of",
    "own_scripts",
    "is_chinese",
    "in_both_scripts",
    "in_script",
    "tatoeba_pairs",
    "AlignedPair",
    "BilingualGrammar",
    "SYNTAX",
    "ParsedSentence",
    "parsed_sentences",
]
