"""From sentences to numbers and back: what all vocabularies share, and vocabularies of whole words."""

import operator
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from attnbook.text.spelling import BOS, EOS, PAD, SPECIALS, UNK, tokenise
from attnbook.text.writing import capitals_kept


def tokens_of(
    sentence: str | Sequence[str], capitals: dict[str, str] | None = None
) -> list[str]:
    """The tokens of a sentence; a list or tuple of tokens is taken as it is."""
    if isinstance(sentence, str) and capitals is not None:
        return capitals_kept(sentence, capitals)
    if not isinstance(sentence, (list, tuple)):
        return tokenise(sentence)  # type: ignore[arg-type]  # it says what is wrong
    for token in sentence:
        if not isinstance(token, str) or token.split() != [token]:
            raise ValueError(
                f"a token must be a str without spaces, got {token!r}; "
                "pass a sentence as one str, or as a list of its tokens"
            )
    return list(sentence)


def checked(sentences: Iterable[str | Sequence[str]]) -> list:
    """The sentences that a vocabulary is made from; one str is not a list of sentences."""
    if isinstance(sentences, str):
        raise TypeError(
            f"sentences must be a list of sentences, got one str; pass [{sentences[:20]!r}]"
        )
    sentences = list(sentences)
    if not sentences:
        raise ValueError("no sentences: a vocabulary needs at least one")
    return sentences


def check_size(name: str, value: int, at_least: int) -> None:
    """Require a whole number of at least `at_least`."""
    if type(value) is not int or value < at_least:
        from attnbook.checks import check_count  # with it comes torch: for errors only

        check_count(name, value, at_least)


class Vocabulary:
    """What the two kinds of vocabulary share: a numbered list of tokens of which the first four are `SPECIALS`.

    Args:
        tokens: all entries; an entry's number is its position.
        capitals: keep those of a text, see `capitals_to_keep`; None for small letters.
    """

    def __init__(self, tokens: Sequence[str], capitals: dict[str, str] | None = None):
        self._tokens, self.capitals = tuple(tokens), capitals

    def __len__(self) -> int:
        return len(self._tokens)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} entries)"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def split(self, sentence: str | Sequence[str]) -> list[str]:
        """The tokens of a sentence, as this vocabulary wants them.

        Args:
            sentence: a str, or a list or tuple of tokens, which is taken as it is.

        Returns:
            What `tokenise` gives; with capitals, if the vocabulary keeps them, where they do not come from beginning a
            sentence.

        Raises:
            TypeError, ValueError: neither a str nor tokens.
        """
        return tokens_of(sentence, self.capitals)

    def encode(self, sentence: str | Sequence[str]) -> list[int]:
        """Turn a sentence into numbers.

        Args:
            sentence: a str, or a list or tuple of tokens; see `split`.

        Returns:
            Its ids; `UNK` for what is unknown. No `BOS` and no `EOS`, not even if the text says "<eos>".

        Raises:
            TypeError, ValueError: neither a str nor tokens.
        """
        raise NotImplementedError

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """Name each id, special ones too: the labels of a heat map.

        Args:
            ids: whole numbers below the size, as a list or a tensor with one axis.

        Returns:
            One token for each id.

        Raises:
            TypeError: something else than whole numbers.
            ValueError: a number that no entry has.
        """
        return [self._tokens[index] for index in self._places(ids)]

    def decode(self, ids: Iterable[int]) -> str:
        """Turn numbers into a sentence.

        Args:
            ids: whole numbers below the size, as a list or a tensor with one axis.

        Returns:
            The tokens before the first `EOS`, without `PAD` and `BOS`; `UNK` reads "<unk>".

        Raises:
            TypeError, ValueError: as `tokens`.
        """
        places = self._places(ids)
        end = places.index(EOS) if EOS in places else len(places)
        real = [index for index in places[:end] if index not in (PAD, BOS)]
        return self._join([self._tokens[index] for index in real])

    def to_dict(self) -> dict:
        """Give everything that the vocabulary is, as plain data for JSON or a checkpoint.

        Returns:
            What `vocabulary_from_dict` takes.
        """
        raise NotImplementedError

    def _join(self, tokens: list[str]) -> str:
        return " ".join(tokens)

    def _described(self, kind: str, **parts: Any) -> dict:
        """What `to_dict` gives; a vocabulary of small letters says nothing of capitals."""
        kept = {} if self.capitals is None else {"capitals": self.capitals}
        return {"kind": kind, **parts, **kept}

    def _places(self, ids: Iterable[int]) -> list[int]:
        if hasattr(ids, "tolist"):  # a tensor or an array: at once
            ids = ids.tolist()
        try:
            places = [operator.index(i) for i in ids]
        except TypeError:
            raise TypeError(
                f"ids must be whole numbers in one row, got {ids!r}; take one sentence of a batch at a time"
            ) from None
        for index in places:
            if not 0 <= index < len(self):
                raise ValueError(
                    f"id {index} is not in this vocabulary of {len(self)} entries; was it made with a different one?"
                )
        return places


class WordVocabulary(Vocabulary):
    """A vocabulary of whole words: the most frequent first, those equally frequent by the alphabet.

    Args:
        sentences: str, or lists of tokens, in any order.
        min_count: rarer words are unknown.
        max_size: the most entries, special ones included; None for no limit.
        capitals: keep those of a text, see `capitals_to_keep`; None for small letters.

    Raises:
        TypeError, ValueError: no sentences, something else than sentences, or a number out of range.
    """

    def __init__(
        self,
        sentences: Iterable[str | Sequence[str]],
        min_count: int = 1,
        max_size: int | None = None,
        capitals: dict[str, str] | None = None,
    ):
        check_size("min_count", min_count, 1)
        if max_size is not None:
            check_size("max_size", max_size, len(SPECIALS))
            max_size -= len(SPECIALS)
        counts = Counter(t for s in checked(sentences) for t in tokens_of(s, capitals))
        frequent = [t for t in counts if counts[t] >= min_count and t not in SPECIALS]
        self._fill(sorted(frequent, key=lambda t: (-counts[t], t))[:max_size], capitals)

    def _fill(self, words: list[str], capitals: dict[str, str] | None) -> None:
        super().__init__((*SPECIALS, *words), capitals)
        self._ids = {word: i for i, word in enumerate(words, start=len(SPECIALS))}

    def encode(self, sentence: str | Sequence[str]) -> list[int]:
        return [self._ids.get(token, UNK) for token in self.split(sentence)]

    def to_dict(self) -> dict:
        return self._described("words", words=list(self._tokens[len(SPECIALS) :]))

    @classmethod
    def from_dict(cls, d: dict) -> "WordVocabulary":
        """Make the vocabulary that `to_dict` described.

        Args:
            d: what `to_dict` gave.

        Returns:
            An equal vocabulary.

        Raises:
            ValueError: something else.
        """
        words = part_of(d, "words", "words")
        if not isinstance(words, list) or len({*SPECIALS, *tokens_of(words)}) != len(
            words
        ) + len(SPECIALS):
            raise ValueError("the words of a vocabulary must be a list without repeats")
        vocabulary = cls.__new__(cls)
        vocabulary._fill(words, capitals_of(d))
        return vocabulary


def part_of(d: dict, kind: str, part: str) -> Any:
    """One part of what `to_dict` gave for a vocabulary of this kind."""
    if not isinstance(d, dict) or d.get("kind") != kind or part not in d:
        given = sorted(d) if isinstance(d, dict) else type(d).__name__
        raise ValueError(
            f"expected what to_dict gives, a dict with kind {kind!r} and {part!r}; got {given}"
        )
    return d[part]


def capitals_of(d: dict) -> dict[str, str] | None:
    """The capitals that `to_dict` gave; None if it gave none."""
    capitals = d.get("capitals")
    if capitals is not None and not (
        isinstance(capitals, dict)
        and all(isinstance(form, str) for form in capitals.values())
    ):
        raise ValueError("the capitals of a vocabulary must be a dict of words")
    return capitals
