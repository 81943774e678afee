"""Pairs as numbers, and batches of pairs that are about equally long."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from attnbook.checks import check_count
from attnbook.data.splits import Pair
from attnbook.text import BOS, EOS, PAD, Vocabulary


class EncodedPair(NamedTuple):
    """A sentence pair in numbers.

    Attributes:
        source: ids, the last one `EOS`.
        target: ids without `BOS` and `EOS`: `collate` adds them.
    """

    source: list[int]
    target: list[int]


def encode_pairs(
    pairs: Iterable[Pair],
    source_vocab: Vocabulary,
    target_vocab: Vocabulary,
    max_len: int | None = None,
) -> list[EncodedPair]:
    """Turn sentence pairs into numbers.

    Args:
        pairs: the corpus, or a part of it.
        source_vocab: of the language translated from.
        target_vocab: of the language translated into.
        max_len: the most tokens that either sentence may have, special ones not counted. A longer pair is left
            out, not cut: half a sentence does not translate a whole one. None keeps all.

    Returns:
        The pairs in their order.

    Raises:
        TypeError, ValueError: something else than pairs of str, or a `max_len` below 1.
    """
    if max_len is not None:
        check_count("max_len", max_len)
    encoded = []
    for source, target in pairs:
        source_ids = source_vocab.encode(source)
        target_ids = target_vocab.encode(target)
        if max_len is None or max(len(source_ids), len(target_ids)) <= max_len:
            encoded.append(EncodedPair([*source_ids, EOS], target_ids))
    return encoded


@dataclass(frozen=True)
class Batch:
    """B sentence pairs as rectangles, short rows filled with `PAD`.

    Attributes:
        source: (B, S) long, each row a sentence and its `EOS`.
        source_lens: (B,) long, how much of each row is real, `EOS` included.
        target_in: (B, T) long, `BOS` and the translation: what the decoder is told.
        target_out: (B, T) long, the translation and `EOS`: what the decoder should write.
        target_lens: (B,) long, how much of each row of either is real.
    """

    source: Tensor
    source_lens: Tensor
    target_in: Tensor
    target_out: Tensor
    target_lens: Tensor

    def __len__(self) -> int:
        return len(self.source)

    @property
    def num_tokens(self) -> int:
        """How many tokens of `target_out` are real: what a loss is averaged over."""
        return int(self.target_lens.sum())

    def to(self, device: torch.device | str) -> "Batch":
        """The same batch on another device.

        Args:
            device: where to.

        Returns:
            A new Batch.
        """
        return Batch(*(tensor.to(device) for tensor in vars(self).values()))


def collate(encoded: Sequence[EncodedPair]) -> Batch:
    """Put sentence pairs into one batch.

    Args:
        encoded: at least one pair.

    Returns:
        The batch, as wide as its longest sentences, rows in the order of the pairs.

    Raises:
        ValueError: no pair at all, or one without a source, or without the `EOS` at the source's end.
    """
    if not len(encoded):
        raise ValueError(
            "cannot make a batch of no pairs: the list is empty; pass at least one"
        )
    for number, pair in enumerate(encoded):
        if not pair.source or pair.source[-1] != EOS:
            raise ValueError(
                f"the source of pair {number} must end in <eos> = {EOS}, got {pair.source}; use encode_pairs"
            )
    source, source_lens = pad_rows([pair.source for pair in encoded])
    target_in, target_lens = pad_rows([[BOS, *pair.target] for pair in encoded])
    target_out, _ = pad_rows([[*pair.target, EOS] for pair in encoded])
    return Batch(source, source_lens, target_in, target_out, target_lens)


def pad_rows(
    rows: Sequence[Sequence[int]], padding: int = PAD
) -> tuple[Tensor, Tensor]:
    """Make a rectangle of rows that are unequally long.

    Args:
        rows: B rows of ids, at least one.
        padding: what short rows are filled up with.

    Returns:
        ids (B, T) long, as wide as the longest row, and how many of each row are real, (B,) long.

    Raises:
        ValueError: no row.
    """
    if not rows:
        raise ValueError("there are no rows to make a batch of; pass at least one")
    lens = [len(row) for row in rows]
    filled = [[*row, *[padding] * (max(lens) - len(row))] for row in rows]
    return torch.tensor(filled, dtype=torch.long), torch.tensor(lens)


def make_batches(
    encoded: Sequence[EncodedPair],
    batch_size: int = 128,
    seed: int = 0,
    *,
    sort_by_length: bool = True,
) -> Callable[[int], Iterator[Batch]]:
    """Promise batches for every epoch: each pair once, pairs of one batch about equally long.

    In an epoch the pairs are shuffled, then sorted by length, which leaves those of equal length in random order,
    cut into batches, and the batches are shuffled. Padding, which costs time and teaches nothing, all but vanishes.

    Args:
        encoded: the pairs.
        batch_size: B; the remainder makes one smaller batch.
        seed: for the order.
        sort_by_length: False leaves the order to chance alone.

    Returns:
        A function from the number of an epoch, 0, 1, 2, …, to its batches: the same number gives the same batches.

    Raises:
        TypeError, ValueError: a number that is not a count, or no pairs.
    """
    check_count("batch_size", batch_size)
    check_count("seed", seed, at_least=0)
    encoded = list(encoded)
    if not encoded:
        raise ValueError(
            "no pairs to make batches of; is the corpus empty, or max_len too small?"
        )
    lengths = np.array([(len(source), len(target)) for source, target in encoded])

    def batches(epoch: int) -> Iterator[Batch]:
        """The batches of one epoch."""
        check_count("epoch", epoch, at_least=0)
        rng = np.random.default_rng((seed, epoch))
        order = rng.permutation(len(encoded))
        if sort_by_length:
            order = order[_by_length(lengths[order])]
        starts = rng.permutation(range(0, len(order), batch_size))
        for start in starts:
            yield collate([encoded[i] for i in order[start : start + batch_size]])

    return batches


def _by_length(lengths: np.ndarray) -> np.ndarray:
    """Sort (n, 2) lengths by target, then by source, up for even targets and down for odd ones.

    So a source's length hardly jumps where the target's grows by one, and a batch across that border pads little.
    """
    source, target = lengths.T
    return np.lexsort((np.where(target % 2 == 0, source, -source), target))
