"""Sentence pairs, their references, and a split that shares no source sentence between its parts."""

import hashlib
import math
from collections.abc import Iterable
from typing import NamedTuple

from attnbook.checks import check_count
from attnbook.text import normalise


class Pair(NamedTuple):
    """A sentence and one translation of it.

    Attributes:
        source: in the language translated from, as people write it.
        target: its translation.
    """

    source: str
    target: str


class Split(NamedTuple):
    """Pairs to train on, to choose by, and to report on.

    Attributes:
        train: pairs that a model may learn from.
        dev: pairs for choosing settings, and for deciding when to stop training.
        test: pairs to evaluate on once, for the number that is reported.
    """

    train: list[Pair]
    dev: list[Pair]
    test: list[Pair]


def _by_source(pairs: Iterable[Pair]) -> dict[str, list[Pair]]:
    """The pairs of each normalised source sentence, in their order."""
    groups: dict[str, list[Pair]] = {}
    for number, pair in enumerate(pairs):
        two = isinstance(pair, (tuple, list)) and len(pair) == 2
        if not two or not all(isinstance(side, str) for side in pair):
            raise TypeError(
                f"pair {number} must be a Pair of two str, a sentence and its translation; got {pair!r}"
            )
        groups.setdefault(normalise(pair[0]), []).append(Pair(*pair))
    return groups


def split_pairs(
    pairs: Iterable[Pair],
    fractions: tuple[float, float, float] = (0.8, 0.1, 0.1),
    seed: int = 0,
) -> Split:
    """Split a corpus by source sentence, so that no source sentence occurs in two parts.

    All translations of a sentence go to one part; "Go!" and "go !" are one sentence. A sentence's part
    depends only on the seed and on the set of sentences, not on their order in the corpus.

    What this does not do: sentences that differ in one word, or only in the mark at the end ("Go." and "Go!"), count
    as different, and two sentences may share a translation. So a model that has seen "I'm home." has
    an easier time with "I'm at home."; short everyday sentences are full of such neighbours (`near_duplicates` finds
    them), and a score on them says less than it would on running text.

    Args:
        pairs: the corpus.
        fractions: of train, dev and test among the distinct sources; they sum to 1.
        seed: a different one gives a different split.

    Returns:
        Every pair once, in the order of the corpus within each part.

    Raises:
        TypeError: a pair that is not two str, or fractions that are not numbers.
        ValueError: fractions outside [0, 1] or that do not sum to 1, or fewer sources than parts.
    """
    check_count("seed", seed, at_least=0)
    _check_fractions(fractions)
    groups = _by_source(pairs)
    ranked = sorted(
        groups, key=lambda source: hashlib.sha256(f"{seed} {source}".encode()).digest()
    )
    ends = [round(len(ranked) * sum(fractions[:i])) for i in (1, 2)]
    part_of = {
        source: sum(place >= end for end in ends) for place, source in enumerate(ranked)
    }
    parts: tuple[list[Pair], ...] = ([], [], [])
    for source, group in groups.items():
        parts[part_of[source]].extend(group)
    for name, part, fraction in zip(Split._fields, parts, fractions, strict=True):
        if fraction > 0 and not part:
            raise ValueError(
                f"{len(groups)} distinct source sentences are too few for fractions {tuple(fractions)}: {name} would "
                "be empty; pass more pairs"
            )
    return Split(*parts)


def _check_fractions(fractions: tuple[float, float, float]) -> None:
    try:
        values = [float(fraction) for fraction in fractions]
    except (TypeError, ValueError):
        raise TypeError(
            f"fractions must be three numbers, of train, dev and test; got {fractions!r}"
        ) from None
    if (
        len(values) != 3
        or not all(0 <= value <= 1 for value in values)
        or not math.isclose(sum(values), 1, abs_tol=1e-6)
    ):
        raise ValueError(
            f"fractions must be three numbers of at least 0 that sum to 1, for train, dev and test; got {fractions!r}"
        )


def references(pairs: Iterable[Pair]) -> dict[str, list[str]]:
    """Collect all translations of each sentence in a corpus.

    Args:
        pairs: the corpus, or a part of it.

    Returns:
        Normalised source → its distinct targets as they are written, both in the order of the corpus.

    Raises:
        TypeError: a pair that is not two str.
    """
    return {
        source: list(dict.fromkeys(pair.target for pair in group))
        for source, group in _by_source(pairs).items()
    }


def near_duplicates(pairs: Iterable[Pair], known: Iterable[Pair]) -> list[str]:
    """Find the sentences of one part that differ from a sentence of another part by at most one word.

    Two sentences are near duplicates if replacing, inserting or removing a single word makes them equal, or nothing
    at all: "He's calm." and "She's calm.", "I'm tired." and "I'm very tired.", "Go." and "Go!". Spelling is normalised
    and punctuation ignored; "isn't" is one word, as it is one token.

    Args:
        pairs: the part in question, such as a split's test pairs; only their sources are looked at.
        known: the part to compare with, such as its training pairs.

    Returns:
        The normalised sources of `pairs` that have a near duplicate in `known`, each once, in the order of the corpus.

    Raises:
        TypeError: a pair is not two str.
    """
    known_patterns = set()
    for source in references(known):
        words = _words(source)
        known_patterns |= _one_word_off(words)
    return [
        source
        for source in references(pairs)
        if _one_word_off(_words(source)) & known_patterns
    ]


def _words(source: str) -> tuple[str, ...]:
    """The tokens of a normalised sentence without its punctuation marks."""
    return tuple(token for token in source.split() if token not in ",.!?;:")


def _one_word_off(words: tuple[str, ...]) -> set[tuple]:
    """Patterns with one gap, which may also be empty: two sentences share one if one edit joins them."""
    replaced = {(*words[:i], None, *words[i + 1 :]) for i in range(len(words))}
    return replaced | {(*words[:i], None, *words[i:]) for i in range(len(words) + 1)}
