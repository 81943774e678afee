"""From text to token ids and back: spelling, vocabularies of words and subwords, BPE dropout, writing."""

from attnbook.text.bpe_dropout import BPEDropout
from attnbook.text.byte_pieces import ByteVocabulary
from attnbook.text.spelling import (
    BOS,
    EOS,
    PAD,
    SPECIALS,
    UNK,
    is_spaced,
    normalise,
    small,
    spell,
    tokenise,
)
from attnbook.text.stored import vocabulary_from_dict
from attnbook.text.subwords import SubwordVocabulary, marked
from attnbook.text.vocabulary import Vocabulary, WordVocabulary
from attnbook.text.writing import Writing, capitals_to_keep

__all__ = [
    "PAD",
    "BOS",
    "EOS",
    "UNK",
    "SPECIALS",
    "spell",
    "is_spaced",
    "marked",
    "normalise",
    "small",
    "tokenise",
    "Vocabulary",
    "WordVocabulary",
    "SubwordVocabulary",
    "ByteVocabulary",
    "vocabulary_from_dict",
    "BPEDropout",
    "Writing",
    "capitals_to_keep",
]
