"""Vocabularies of subwords, by byte-pair encoding."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from attnbook.text.spelling import SPECIALS, UNK
from attnbook.text.vocabulary import (
    Vocabulary,
    check_size,
    checked,
    part_of,
    tokens_of,
)

WORD_START = "▁"  # U+2581, which stands for the space before a word


class SubwordVocabulary(Vocabulary):
    """A vocabulary of subwords by byte-pair encoding: frequent words are one subword, rare ones several.

    It starts from single characters and joins, again and again, the two neighbours that most often stand together.
    Nothing is random in it. Hugging Face's `tokenizers` does the counting.

    Args:
        sentences: str, or lists of tokens; both languages together for a common vocabulary.
        size: entries in all, special ones included; fewer where the text has no more pairs to join.

    Raises:
        TypeError, ValueError: no sentences, something else than sentences, or a size that does not even hold
            the characters of the text.

    Source:
        Sennrich et al. (2016), arXiv:1508.07909, algorithm 1.
    """

    def __init__(self, sentences: Iterable[str | Sequence[str]], size: int = 1500):
        from tokenizers import Tokenizer, models, pre_tokenizers, trainers

        check_size("size", size, len(SPECIALS) + 1)
        texts = [" ".join(tokens_of(s)) for s in checked(sentences)]
        tokenizer = Tokenizer(models.BPE(unk_token=SPECIALS[UNK], fuse_unk=True))
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(WORD_START, "always")
        trainer = trainers.BpeTrainer(
            vocab_size=size, special_tokens=list(SPECIALS), show_progress=False
        )
        tokenizer.train_from_iterator(texts, trainer)
        if tokenizer.get_vocab_size() > size:
            raise ValueError(
                f"size {size} is too small: the text has {tokenizer.get_vocab_size() - len(SPECIALS)} characters, "
                f"and {len(SPECIALS)} entries are special; pass at least {tokenizer.get_vocab_size()}"
            )
        self._fill(tokenizer)

    def _fill(self, tokenizer: Any) -> None:
        numbered = {i: token for token, i in tokenizer.get_vocab().items()}
        super().__init__([numbered[i] for i in range(len(numbered))])
        tokenizer.encode_special_tokens = True  # "<eos>" in a text is only text
        self._tokenizer = tokenizer

    @property
    def merges(self) -> list[tuple[str, str]]:
        """Which two subwords are joined, what is joined first coming first."""
        return [tuple(pair) for pair in self.to_dict()["tokenizer"]["model"]["merges"]]

    def encode(self, sentence: str | Sequence[str]) -> list[int]:
        text = " ".join(tokens_of(sentence))
        return self._tokenizer.encode(text).ids

    def _join(self, tokens: list[str]) -> str:
        return " ".join("".join(tokens).replace(WORD_START, " ").split())

    def to_dict(self) -> dict:
        return {"kind": "subwords", "tokenizer": json.loads(self._tokenizer.to_str())}

    @classmethod
    def from_dict(cls, d: dict) -> "SubwordVocabulary":
        """Make the vocabulary that `to_dict` described.

        Args:
            d: what `to_dict` gave; "tokenizer" holds the tokenizer's own JSON.

        Returns:
            An equal vocabulary.

        Raises:
            ValueError: something else.
        """
        from tokenizers import Tokenizer

        described = part_of(d, "subwords", "tokenizer")
        try:
            tokenizer = Tokenizer.from_str(json.dumps(described))
        except Exception as error:  # tokenizers raises bare Exceptions
            raise ValueError(f"this is not a tokenizer's JSON ({error})") from error
        tokenizer.no_padding()  # a vocabulary neither fills up nor cuts, whatever a file says
        tokenizer.no_truncation()
        if [tokenizer.id_to_token(i) for i in range(len(SPECIALS))] != list(SPECIALS):
            raise ValueError(
                f"the first entries of the tokenizer must be {', '.join(SPECIALS)}"
            )
        vocabulary = cls.__new__(cls)
        vocabulary._fill(tokenizer)
        return vocabulary

    def __reduce__(self) -> tuple:  # pickling a tokenizer forgets encode_special_tokens
        return SubwordVocabulary.from_dict, (self.to_dict(),)
