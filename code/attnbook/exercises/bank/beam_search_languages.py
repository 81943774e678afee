"""Exercise beam-search: languages to search in, small enough for a pencil or drawn at random."""

from __future__ import annotations

import functools
from collections.abc import Callable

import torch
from torch import Tensor


class Language:
    """The log-probabilities of the next word, given a tuple of words.

    Args:
        described: what it is, in a few words.
        logits: makes V numbers (float64) of a tuple of words; their log-softmax is the answer.
        other: makes another language, to find out whether this argument matters.
    """

    def __init__(
        self,
        described: str,
        logits: Callable[[tuple], Tensor],
        other: Callable[[], Language] | None = None,
    ):
        self.described, self.logits, self.other = (
            described,
            functools.cache(logits),
            other,
        )

    def __call__(self, prefix: tuple) -> Tensor:
        """The log-probabilities of the next word, (V,); a list is as good as a tuple."""
        if not isinstance(prefix, tuple | list) or not all(
            isinstance(word, int) for word in prefix
        ):
            raise TypeError(
                f"next_log_probs wants a tuple of word numbers, for instance (3, 1); got {prefix!r}"
            )
        return self.logits(tuple(prefix)).log_softmax(0)

    def __deepcopy__(self, memo: dict) -> Language:
        return self  # it holds nothing that a call could change

    def __rmul__(self, factor: float) -> Language:
        """Another language: how the checker asks whether this one matters."""
        return self.other() if self.other else self


def by_the_last_word(first: list, after: dict[int, list], described: str) -> Language:
    """A language whose next word depends on the last one only.

    Args:
        first: the probabilities of the first word.
        after: for each word those of the next one.
        described: what messages say of it.

    Returns:
        The language.
    """
    rows = {
        word: torch.tensor(row, dtype=torch.float64).log()
        for word, row in after.items()
    }
    start = torch.tensor(first, dtype=torch.float64).log()
    return Language(
        described,
        lambda prefix: rows[prefix[-1]] if prefix else start,
        lambda: at_random(len(first), 3),
    )


@functools.cache
def at_random(
    vocabulary: int, seed: int, spread: float = 1.2, ends: float = 0.0, eos: int = 0
) -> Language:
    """A language in which every beginning has a distribution of its own.

    Args:
        vocabulary: V.
        seed: which language.
        spread: how much the logits differ.
        ends: what is added to the logit of `eos`.
        eos: the word that ends a sentence.

    Returns:
        The language.
    """

    def logits(prefix: tuple) -> Tensor:
        state = seed
        for word in prefix:
            state = (state * 1_000_003 + word + 1) % 2_147_483_647
        drawn = torch.randn(
            vocabulary,
            generator=torch.Generator().manual_seed(state),
            dtype=torch.float64,
        )
        drawn = spread * drawn
        drawn[eos] += ends
        return drawn

    described = f"a random language of {vocabulary} words"
    return Language(
        described, logits, lambda: at_random(vocabulary, seed + 500, spread, ends, eos)
    )


# --- with a pencil ------------------------------------------------------------------------------------------------

TABLE = "(0.1, 0.5, 0.4) for the first word, (0.3, 0.4, 0.3) after a 1 and (0.9, 0.05, 0.05) after a 2"


def example() -> tuple:
    """Greedy search begins with 1 and never ends; the likeliest sentence is 2, 0."""
    rows = {0: [0.2, 0.4, 0.4], 1: [0.3, 0.4, 0.3], 2: [0.9, 0.05, 0.05]}
    return by_the_last_word([0.1, 0.5, 0.4], rows, TABLE), 0, 2, 3


def cut_off() -> tuple:
    """2, 0 is finished with 0.3 · 0.9 = 0.27; the open 1, 1 has 0.6 · 0.6 = 0.36."""
    rows = {0: [0.2, 0.4, 0.4], 1: [0.1, 0.6, 0.3], 2: [0.9, 0.05, 0.05]}
    table = (
        "(0.1, 0.6, 0.3) for the first word and after a 1, (0.9, 0.05, 0.05) after a 2"
    )
    return by_the_last_word([0.1, 0.6, 0.3], rows, table), 0, 2, 2


def one_beam() -> tuple:
    language, eos, _, _ = example()
    return language, eos, 1, 2


def endless() -> tuple:
    """So many equally likely words that a product of their probabilities is 0 before the sentence is over."""
    return at_random(13, 1490, spread=0.1, ends=-12.0), 0, 2, 331


def probes() -> list[tuple]:
    """Languages in which the rules of the task and other rules find different sentences."""
    return [
        (at_random(4, 4974, 2.0, 1.0, eos=0), 0, 2, 7),
        (at_random(6, 3884, 1.2, 1.2, eos=4), 4, 3, 5),
        (at_random(9, 2050, 1.2, -0.3, eos=1), 1, 5, 3),
        (at_random(4, 2029, 1.2, -0.3, eos=3), 3, 2, 6),
        (at_random(5, 4057, 1.5, 0.5, eos=2), 2, 3, 5),
        (at_random(6, 4420, 2.0, 1.0, eos=0), 0, 4, 3),
        (at_random(4, 2013, 1.2, 0.4, eos=0), 0, 2, 7),
        (at_random(5, 3989, 1.5, 0.5, eos=2), 2, 3, 5),
        (at_random(4, 3141, 1.2, 1.2, eos=3), 3, 2, 6),
    ]


def edges() -> list[tuple]:
    return [
        (at_random(5, 1451, eos=2), 2, 1, 4),
        (at_random(3, 1452, eos=1), 1, 5, 1),
        (at_random(5, 1453, ends=-9.0), 0, 2, 3),
        endless(),
    ]
