"""The corpus as a page knows it: numbers of the sentences in training, and the held-out ones, translated."""

import torch
from torch import Tensor

from attnbook.data import Split, references
from attnbook.text import normalise
from attnbook.weights import weights_file


def sentence_key(sentence: str) -> int:
    """A number that represents a sentence where the sentence itself would take too much space.

    Args:
        sentence: as people write it; it is normalised first.

    Returns:
        From 0 to 2³² − 1. Two sentences share a number by a chance of one in four billion.

    Raises:
        TypeError: not a str.

    Source:
        Fowler, Noll and Vo's FNV-1a hash, 32 bits, over the UTF-8 bytes.
    """
    key = 0x811C9DC5
    for byte in normalise(sentence).encode("utf-8"):
        key = (key ^ byte) * 0x01000193 % 2**32
    return key


def page_sentences(split: Split) -> bytes:
    """What a page has to know of the corpus to say whether a sentence was seen in training.

    Args:
        split: the one that the page models were trained with.

    Returns:
        A file in the format of `attnbook.weights`. `train` and `dev`: the numbers of their source sentences, sorted,
        as 32-bit integers; what the file says of itself is `test`: each normalised source with its translations, since
        those can be shown beside a model's.
    """

    def keys(pairs: list) -> Tensor:
        numbers = sorted({sentence_key(source) for source in references(pairs)})
        return torch.tensor(numbers).to(torch.uint32)

    stored = {"train": keys(split.train), "dev": keys(split.dev)}
    return weights_file(stored, {"test": references(split.test)})
