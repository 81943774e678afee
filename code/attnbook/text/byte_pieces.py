"""A vocabulary for any text: byte-pair encoding of bytes, in which nothing is unknown."""

import json
from collections.abc import Iterable
from typing import Any

from attnbook.text.vocabulary import check_size


class ByteVocabulary:
    """A vocabulary of pieces of text by byte-pair encoding of its UTF-8 bytes, as GPT-2's.

    It starts from all 256 bytes and joins, again and again, the two neighbours that most often stand together, within a
    word and the space before it. Every text can be written with it, and is given back to the letter: capitals, spaces,
    line breaks, emoji, any script. It has no special entries. Hugging Face's `tokenizers` does the counting.

    Args:
        text: what the pieces are learned from.
        size: entries in all, at least 256; fewer where the text has no more neighbours to join.

    Raises:
        TypeError, ValueError: no str, an empty one, or not a size.

    Source:
        Sennrich et al. (2016), arXiv:1508.07909, algorithm 1; Radford et al. (2019), §2.2, for bytes.
    """

    def __init__(self, text: str, size: int = 2000):
        from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

        check_size("size", size, 256)
        if not text_of(text):
            raise ValueError("the text is empty; pieces are learned from one")
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=size,
            initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
            show_progress=False,
        )
        tokenizer.train_from_iterator([text], trainer)
        self._tokenizer: Any = tokenizer

    def __len__(self) -> int:
        return self._tokenizer.get_vocab_size()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} entries)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByteVocabulary) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def encode(self, text: str) -> list[int]:
        """Turn a text into numbers.

        Args:
            text: any str.

        Returns:
            Its ids.

        Raises:
            TypeError, ValueError: no str, or half a character (a lone surrogate), which has no bytes.
        """
        return self._tokenizer.encode(text_of(text)).ids

    def decode(self, ids: Iterable[int]) -> str:
        """Turn numbers into text.

        Args:
            ids: whole numbers below the size, as a list or a tensor with one axis.

        Returns:
            The text; � where the bytes of a character are not all there.

        Raises:
            ValueError: a number that no entry has.
        """
        numbers = [int(number) for number in ids]
        if odd := [number for number in numbers if not 0 <= number < len(self)]:
            raise ValueError(
                f"ids must be in 0 … {len(self) - 1}, got {odd[0]}; were they made with another vocabulary?"
            )
        return self._tokenizer.decode(numbers)

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """What each id stands for: the labels of a heat map.

        Args:
            ids: see `decode`.

        Returns:
            One text for each id.
        """
        return [self.decode([number]) for number in ids]

    def to_dict(self) -> dict:
        """The vocabulary as plain data.

        Returns:
            What `from_dict` takes.
        """
        return {"kind": "bytes", "tokenizer": json.loads(self._tokenizer.to_str())}

    @classmethod
    def from_dict(cls, d: dict) -> "ByteVocabulary":
        """Make the vocabulary that `to_dict` described.

        Args:
            d: what `to_dict` gave.

        Returns:
            An equal vocabulary.

        Raises:
            ValueError: something else.
        """
        from tokenizers import Tokenizer

        if not isinstance(d, dict) or d.get("kind") != "bytes":
            raise ValueError("expected a dict with kind 'bytes'")
        vocabulary = cls.__new__(cls)
        try:
            vocabulary._tokenizer = Tokenizer.from_str(json.dumps(d.get("tokenizer")))
        except Exception as error:  # tokenizers raises bare Exceptions
            raise ValueError(f"this is not a tokenizer's JSON ({error})") from error
        vocabulary._tokenizer.no_padding()  # it neither fills up nor cuts, whatever a file says
        vocabulary._tokenizer.no_truncation()
        return vocabulary

    def __reduce__(self) -> tuple:
        return ByteVocabulary.from_dict, (self.to_dict(),)


def text_of(text: str) -> str:
    """The text, if it is one that has bytes."""
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, got {type(text).__name__}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"character {error.start} is half of one ({text[error.start]!r}), as a file read with the wrong encoding "
            "has them; read it as UTF-8"
        ) from error
    return text
