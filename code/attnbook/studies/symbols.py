"""Rows of random symbols with an answer at every position."""

import torch
from torch import Tensor


def look_back_batch(
    size: int,
    length: int,
    generator: torch.Generator,
    vocab_size: int = 8,
    back: int = 3,
) -> tuple[Tensor, Tensor]:
    """Random symbols; the answer at each position is the symbol a few places to the left.

    Args:
        size: B.
        length: T.
        generator: where the symbols come from.
        vocab_size: V.
        back: how many places.

    Returns:
        ids (B, T) and answers (B, T), −100 at the first `back` positions, which have no answer.
    """
    ids = torch.randint(vocab_size, (size, length), generator=generator)
    answers = ids.roll(back, dims=1)
    answers[:, :back] = -100
    return ids, answers


def reversal_batch(
    size: int, length: int, generator: torch.Generator, vocab_size: int = 8
) -> tuple[Tensor, Tensor]:
    """Random symbols; the answer at each position is the symbol at the mirrored place, so the row is reversed.

    Args:
        size: B.
        length: T.
        generator: where the symbols come from.
        vocab_size: V.

    Returns:
        ids (B, T) and answers (B, T).
    """
    ids = torch.randint(vocab_size, (size, length), generator=generator)
    return ids, ids.flip(1)
