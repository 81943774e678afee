"""From text to token ids and back: spelling, vocabularies of words and subwords, BPE dropout."""

from attnbook.text.bpe_dropout import BPEDropout
from attnbook.text.spelling import BOS, EOS, PAD, SPECIALS, UNK, normalise, tokenise
from attnbook.text.stored import vocabulary_from_dict
from attnbook.text.subwords import SubwordVocabulary
from attnbook.text.vocabulary import Vocabulary, WordVocabulary

__all__ = [
    "PAD",
    "BOS",
    "EOS",
    "UNK",
    "SPECIALS",
    "normalise",
    "tokenise",
    "Vocabulary",
    "WordVocabulary",
    "SubwordVocabulary",
    "vocabulary_from_dict",
    "BPEDropout",
]
