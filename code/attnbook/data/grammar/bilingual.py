"""Endless translated sentences of any length, with the truth about which word comes from which.

A small grammar makes English sentences and what they mean, and puts that into French or into Chinese. The translation
follows from the English alone, so a model can get every word right, but not word by word. In French adjectives change
sides (*a red car*, une voiture rouge), genders and numbers agree over a distance, *not* becomes two words around the
verb, *the tree* one, l'arbre. In Chinese whatever hangs on a noun stands before it: *the horse that marc sold* is
马克卖的马, marc sold 的 horse.
"""

import random
from collections.abc import Collection
from dataclasses import dataclass

from attnbook.checks import check_choice, check_count
from attnbook.data.grammar.chinese_sentences import in_chinese
from attnbook.data.grammar.clauses import Sentence
from attnbook.data.grammar.french_sentences import in_french
from attnbook.data.grammar.rules import RULES, Shapes
from attnbook.data.splits import Pair
from attnbook.text.spelling import is_spaced

SHORTEST, LONGEST = 3, 100
PATIENCE = 2000  # draws in a row of nothing new, after which a length counts as used up


@dataclass(frozen=True, slots=True)
class AlignedPair:
    """A sentence, its translation, and the links between their tokens.

    Attributes:
        source: English tokens.
        target: French words or Chinese characters; an elided word is one token with the next: l'arbre.
        alignment: links (i, j) from source i to target j. Every token of both sides has one; l'arbre has two, to
            *the* and *tree*. *Not* goes to ne and pas, and so does its *do*. A character has the links of its word.
        sure: for each target token the one link that matters most (l'arbre: *tree*). Attention that looks there has
            an alignment error rate of 0 if `sure` is the gold and `alignment` what is possible.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    alignment: frozenset[tuple[int, int]]
    sure: frozenset[tuple[int, int]]

    @property
    def pair(self) -> Pair:
        """Both sentences as strings."""
        between = " " if is_spaced(self.target[0]) else ""
        return Pair(" ".join(self.source), between.join(self.target))


SHAPES = Shapes(RULES)
TARGETS = {"french": in_french, "chinese": in_chinese}


class BilingualGrammar:
    """Draws English sentences with their French or Chinese translations.

    It uses about 170 English and 320 French words, or 130 Chinese characters, in present and past, and says *tu* for
    *you*; *i*, *you* and *we* are masculine. *It* and *they* refer to the subject of the clause before.

    Args:
        seed: of all draws; a grammar gives the same sample every time that it is asked the same, and the same English
            whatever the target.
        target: "french" or "chinese".

    Raises:
        ValueError: another target.
    """

    def __init__(self, seed: int = 0, target: str = "french"):
        check_count("seed", seed, at_least=0)
        check_choice("target", target, TARGETS)
        self.seed, self.target = seed, target

    def sample(
        self,
        num: int,
        min_len: int = 4,
        max_len: int = 40,
        exclude: Collection[str] = (),
    ) -> list[AlignedPair]:
        """Draw distinct sentences, about as many of each length.

        Args:
            num: how many.
            min_len: the least number of English tokens, the full stop among them; at least 3.
            max_len: the largest, at most 100.
            exclude: English sentences that must not be among them, such as those of the training set.

        Returns:
            A list of `num` AlignedPair with distinct English sentences, in random order. Where there are too few
            short sentences for an equal share, longer ones take their place.

        Raises:
            TypeError: a number is not an integer, or `exclude` is not a collection of strings.
            ValueError: a length outside 3…100, `min_len` above `max_len`, or more sentences wanted than were found.
        """
        check_count("num", num, at_least=0)
        check_count("min_len", min_len, at_least=SHORTEST)
        check_count("max_len", max_len, at_least=SHORTEST)
        if min_len > max_len:
            raise ValueError(f"min_len {min_len} is above max_len {max_len}; swap them")
        if max_len > LONGEST:
            raise ValueError(f"max_len must be at most {LONGEST}, got {max_len}")
        if isinstance(exclude, str) or not all(isinstance(s, str) for s in exclude):
            raise TypeError(
                "exclude must be a collection of sentences as strings: [pair.pair.source, …]"
            )
        for n in range(max_len):  # short ones first, so that no recursion is deep
            SHAPES.weight(("sentence",), n)
        rng = random.Random(self.seed)
        sampled: list[AlignedPair] = []
        known = set(exclude)
        open_lengths = list(range(min_len, max_len + 1))
        while open_lengths and len(sampled) < num:
            rounds, rest = divmod(num - len(sampled), len(open_lengths))
            for length in open_lengths * rounds + rng.sample(open_lengths, rest):
                if length not in open_lengths:
                    continue
                pair = _draw_new(length, rng, known, self.target)
                if pair is None:
                    open_lengths.remove(length)
                else:
                    sampled.append(pair)
                    known.add(pair.pair.source)
        if len(sampled) < num:
            raise ValueError(
                f"found only {len(sampled)} distinct sentences of {min_len} to {max_len} tokens, {num} were wanted; "
                "ask for fewer, or for longer ones"
            )
        rng.shuffle(sampled)
        return sampled


def _draw_new(
    length: int, rng: random.Random, known: set[str], target: str
) -> AlignedPair | None:
    """A sentence that is not known yet; None if none came up."""
    for _ in range(PATIENCE):
        pair = _draw(length, rng, target)
        if pair.pair.source not in known:
            return pair
    return None


def _draw(length: int, rng: random.Random, target: str = "french") -> AlignedPair:
    sentence = Sentence(SHAPES.draw("sentence", length, rng), rng)
    words = TARGETS[target](sentence.meaning)
    return AlignedPair(
        tuple(sentence.english),
        tuple(word.text for word in words),
        frozenset((i, j) for j, word in enumerate(words) for i in word.links),
        frozenset((word.sure, j) for j, word in enumerate(words)),
    )
