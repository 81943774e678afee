"""Vocabularies of subwords, by byte-pair encoding."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from attnbook.text.spelling import SPECIALS, UNK, WITHOUT_SPACES, cut, is_spaced
from attnbook.text.vocabulary import (
    Vocabulary,
    capitals_of,
    check_size,
    checked,
    part_of,
    tokens_of,
)

WORD_START = "▁"  # U+2581, which stands for the space before a word
# a text of more characters than this gets room for as many subwords beside them
MANY = 700


def marked(tokens: Iterable[str]) -> str:
    """A text in which a space stands before each token, but for characters of scripts that write none.

    Args:
        tokens: as `tokenise` gives them.

    Returns:
        " i have 3 books" or "我有 3本书".
    """
    return "".join(" " + token if is_spaced(token) else token for token in tokens)


class SubwordVocabulary(Vocabulary):
    """A vocabulary of subwords by byte-pair encoding: frequent words are one subword, rare ones several.

    It starts from single characters and joins, again and again, the two neighbours that most often stand together.
    A character of a script without spaces, such as a Chinese one, stays by itself. Nothing is random in it. Hugging
    Face's `tokenizers` does the counting.

    Args:
        sentences: str, or lists of tokens; both languages together for a common vocabulary.
        size: entries in all, special ones included; fewer where the text has no more pairs to join, and more where it
            has too many characters. If it has over 700, those that occur once are unknown, and 700 entries are left
            for what is joined.
        capitals: keep those of a text, see `capitals_to_keep`; None for small letters.

    Raises:
        TypeError, ValueError: no sentences, something else than sentences, or not a size.

    Source:
        Sennrich et al. (2016), arXiv:1508.07909, algorithm 1.
    """

    def __init__(
        self,
        sentences: Iterable[str | Sequence[str]],
        size: int = 1500,
        capitals: dict[str, str] | None = None,
    ):
        from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

        check_size("size", size, len(SPECIALS) + 1)
        texts = [marked(tokens_of(s, capitals)) for s in checked(sentences)]
        characters = Counter(c for text in texts for c in text)
        alphabet, joins = len(characters), 0
        if alphabet > MANY:
            alphabet, joins = sum(n > 1 for n in characters.values()), MANY
        size = max(size, len(SPECIALS) + alphabet + joins)
        tokenizer = Tokenizer(models.BPE(unk_token=SPECIALS[UNK], fuse_unk=True))
        alone = Regex(f"[{WITHOUT_SPACES}]\\p{{M}}*")
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Metaspace(WORD_START, "never"),
                pre_tokenizers.Split(alone, "isolated"),
            ]
        )
        trainer = trainers.BpeTrainer(
            vocab_size=size,
            special_tokens=list(SPECIALS),
            limit_alphabet=alphabet,
            show_progress=False,
        )
        tokenizer.train_from_iterator(texts, trainer)
        self._fill(tokenizer, capitals)

    def _fill(self, tokenizer: Any, capitals: dict[str, str] | None) -> None:
        numbered = {i: token for token, i in tokenizer.get_vocab().items()}
        super().__init__([numbered[i] for i in range(len(numbered))], capitals)
        tokenizer.encode_special_tokens = True  # "<eos>" in a text is only text
        self._tokenizer = tokenizer

    @property
    def merges(self) -> list[tuple[str, str]]:
        """Which two subwords are joined, what is joined first coming first."""
        return [tuple(pair) for pair in self.to_dict()["tokenizer"]["model"]["merges"]]

    def encode(self, sentence: str | Sequence[str]) -> list[int]:
        return self._tokenizer.encode(marked(self.split(sentence))).ids

    def _join(self, tokens: list[str]) -> str:
        words = "".join(tokens).replace(WORD_START, " ").split()
        # a word with an unknown letter stays whole
        cuts = ([word] if SPECIALS[UNK] in word else cut(word) for word in words)
        return " ".join(token for tokens in cuts for token in tokens)

    def to_dict(self) -> dict:
        return self._described(
            "subwords", tokenizer=json.loads(self._tokenizer.to_str())
        )

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
        vocabulary._fill(tokenizer, capitals_of(d))
        return vocabulary

    def __reduce__(self) -> tuple:  # pickling a tokenizer forgets encode_special_tokens
        return SubwordVocabulary.from_dict, (self.to_dict(),)
