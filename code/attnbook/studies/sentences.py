"""A small language of English sentences, in each of which one word can be told only from a word further back."""

import random
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from attnbook.checks import check_count

START, STOP = "<bos>", "."
NOUNS = ["dog", "cat", "bird", "boy", "girl", "king"]  # the plural ends in s
TRANSITIVE = ["see", "like", "hear", "chase"]  # the singular ends in s
INTRANSITIVE = ["sleep", "run", "sing", "laugh"]
ADJECTIVES = ["old", "young", "big", "small", "tall", "kind", "loud", "shy"]
PLACES = ["near", "behind"]
OPENINGS = ["today", "now"]
VERBS = TRANSITIVE + INTRANSITIVE
CLASSES = {
    "noun, singular": NOUNS,
    "noun, plural": [noun + "s" for noun in NOUNS],
    "verb, singular": [verb + "s" for verb in VERBS],
    "verb, plural": VERBS,
    "adjective": ADJECTIVES,
    "preposition": PLACES,
    "adverb": OPENINGS,
    "the": ["the"],
    "that": ["that"],
    "and": ["and"],
    "full stop": [STOP],
}
VOCABULARY = [START, *(word for words in CLASSES.values() for word in words)]
MAX_WORDS = 15  # of the longest sentence, <bos> and full stop included


@dataclass(frozen=True)
class Sentence:
    """A sentence, and the one word of it that only an earlier word tells.

    Attributes:
        words: from <bos> to the full stop.
        source: the place of the word that tells: the subject, or the noun's first mention.
        answer: the place of the word that is told: the subject's verb, or the noun's second mention.
        kind: "agreement" or "noun".
    """

    words: tuple[str, ...]
    source: int
    answer: int
    kind: str

    @property
    def held_out(self) -> bool:
        """Whether no training sees the sentence: its ids add up to a multiple of 5."""
        return sum(map(VOCABULARY.index, self.words)) % 5 == 0

    @property
    def far(self) -> bool:
        """Whether something stands between the two words."""
        return self.answer - self.source > 1


def _noun(rng: random.Random, many: bool) -> str:
    return rng.choice(NOUNS) + ("s" if many else "")


def _verb(rng: random.Random, verbs: list[str], many: bool) -> str:
    return rng.choice(verbs) + ("" if many else "s")


def _opening(rng: random.Random) -> list[str]:
    """Half of the sentences begin one place further right, so that places alone tell little."""
    return [START, rng.choice(OPENINGS)] if rng.random() < 0.5 else [START]


def agreement_sentence(rng: random.Random) -> Sentence:
    """A sentence whose verb has to agree with a noun that may stand far away.

    Between the two stands nothing, a place ("near the cats"), or a clause ("that sees the cats", "that the cats see",
    "that the cats near the bird see").

    Args:
        rng: where the words come from.

    Returns:
        The sentence; its source is the subject, its answer the subject's verb.
    """
    many, others, third, last = (rng.random() < 0.5 for _ in range(4))
    kind = rng.choice(
        (
            "",
            "place",
            "place",
            "who",
            "who",
            "whom",
            "whom",
            "whom, where",
            "whom, where",
        )
    )
    words = [*_opening(rng), "the", _noun(rng, many)]
    source = len(words) - 1
    if kind == "place":
        words += [rng.choice(PLACES), "the", _noun(rng, others)]
    elif kind == "who":
        words += ["that", _verb(rng, TRANSITIVE, many), "the", _noun(rng, others)]
    elif kind:
        words += ["that", "the", _noun(rng, others)]
        if "where" in kind:
            words += [rng.choice(PLACES), "the", _noun(rng, third)]
        words.append(_verb(rng, TRANSITIVE, others))
    answer = len(words)
    if rng.random() < 0.4 and "where" not in kind:
        words += [_verb(rng, TRANSITIVE, many), "the", _noun(rng, last)]
    else:
        words.append(_verb(rng, INTRANSITIVE, many))
    return Sentence((*words, STOP), source, answer, "agreement")


def noun_sentence(rng: random.Random) -> Sentence:
    """A sentence that mentions one of two nouns again: "the tall king sees the old dogs and the old dogs sleep".

    Args:
        rng: where the words come from.

    Returns:
        The sentence; its source is the noun's first mention, its answer the second. Which noun it is, only the
        adjective before it says.
    """
    many = [rng.random() < 0.5, rng.random() < 0.5]
    kinds, nouns = rng.sample(ADJECTIVES, 2), [_noun(rng, many[0]), _noun(rng, many[1])]
    again, words, places = rng.randrange(2), _opening(rng), []
    for i in range(2):
        words += ["the", kinds[i], nouns[i]]
        places.append(len(words) - 1)
        between = (
            [rng.choice(PLACES)]
            if rng.random() < 0.3
            else [_verb(rng, TRANSITIVE, many[0])]
        )
        words += ["and"] if i else between
    words += [
        "the",
        kinds[again],
        nouns[again],
        _verb(rng, INTRANSITIVE, many[again]),
        STOP,
    ]
    return Sentence(tuple(words), places[again], len(words) - 3, "noun")


def sentences(
    count: int,
    seed: int,
    held_out: bool = False,
    draw: Callable[[random.Random], Sentence] | None = None,
) -> list[Sentence]:
    """Draw sentences.

    Args:
        count: how many.
        seed: which ones.
        held_out: those that no training sees, instead of those that it may see.
        draw: `agreement_sentence` or `noun_sentence`; if not given, either by a coin.

    Returns:
        A list of sentences.

    Raises:
        TypeError, ValueError: `count` is not a count.
    """
    check_count("count", count)
    rng = random.Random(seed)
    drawn: list[Sentence] = []
    while len(drawn) < count:
        sentence = (draw or rng.choice((agreement_sentence, noun_sentence)))(rng)
        if sentence.held_out == held_out:
            drawn.append(sentence)
    return drawn


def to_ids(some: list[Sentence], padding: int = -1) -> Tensor:
    """Number the words of sentences.

    Args:
        some: N sentences.
        padding: what stands behind the full stop.

    Returns:
        (N, MAX_WORDS) ids.
    """
    ids = torch.full((len(some), MAX_WORDS), padding)
    for row, sentence in zip(ids, some, strict=True):
        row[: len(sentence.words)] = torch.tensor(
            [VOCABULARY.index(word) for word in sentence.words]
        )
    return ids
