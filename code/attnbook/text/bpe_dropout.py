"""Byte-pair encoding with holes: the same word is cut into other subwords every time it is read."""

import random
from collections.abc import Sequence
from itertools import pairwise

from attnbook.text.spelling import UNK
from attnbook.text.subwords import WORD_START, SubwordVocabulary, marked
from attnbook.text.vocabulary import check_size


class BPEDropout:
    """Number the subwords of a sentence, each merge being left out now and then, so that words fall into smaller ones.

    A translator that reads *partir* as one subword, but also as *part* and *ir*, has to learn what the parts mean, and
    recognises them in a word that it has never seen. For training only.

    Args:
        vocab: what the subwords are, and which are merged first.
        probability: of leaving out a merge that could be made, at every step; 0 cuts as `vocab` does.
        variants: in so many ways a word is cut once and for all; each time it is read, one of them is drawn.
        seed: of the cuts.

    Raises:
        TypeError: not a vocabulary of subwords.
        ValueError: a probability outside [0, 1).

    Source:
        Provilkov et al. (2020), arXiv:1910.13267, algorithm 1 (their p).
    """

    def __init__(
        self,
        vocab: SubwordVocabulary,
        probability: float = 0.1,
        variants: int = 10,
        seed: int = 0,
    ):
        if not isinstance(vocab, SubwordVocabulary):
            raise TypeError(
                f"only subwords can be split in new ways: vocab must be a SubwordVocabulary, got {type(vocab).__name__}"
            )
        if not 0 <= probability < 1:
            raise ValueError(f"probability must be in [0, 1), got {probability}")
        check_size("variants", variants, 1)
        check_size("seed", seed, 0)
        self.vocab, self.probability = vocab, probability
        self.variants, self.seed = variants, seed
        self.rank = {pair: rank for rank, pair in enumerate(vocab.merges)}
        self.number = {
            piece: i for i, piece in enumerate(vocab.tokens(range(len(vocab))))
        }
        self.cuts: dict[str, list[list[int]]] = {}

    def encode(self, sentence: str | Sequence[str], dice: random.Random) -> list[int]:
        """The numbers of a sentence's subwords, drawn.

        Args:
            sentence: a text, or its tokens.
            dice: which of a word's cuts is taken.

        Returns:
            ids, as `vocab.encode` gives them where nothing is left out.
        """
        return [
            i
            for word in self.vocab.split(sentence)
            for i in dice.choice(self._cuts_of(word))
        ]

    def _cuts_of(self, word: str) -> list[list[int]]:
        if word not in self.cuts:
            known = [self.vocab.encode([word])]
            # a word's own dice: its cuts do not depend on what was read before
            dice = random.Random(f"{self.seed} {word}")
            self.cuts[word] = (
                known  # with a letter that no subword has
                if UNK in known[0]
                else [self._cut(word, dice) for _ in range(self.variants)]
            )
        return self.cuts[word]

    def _cut(self, word: str, dice: random.Random) -> list[int]:
        pieces = list(marked([word]).replace(" ", WORD_START))
        while True:
            possible = [
                (self.rank[pair], place)
                for place, pair in enumerate(pairwise(pieces))
                if pair in self.rank and dice.random() >= self.probability
            ]
            if not possible:
                return [self.number[piece] for piece in pieces]
            _, place = min(possible)
            pieces[place : place + 2] = [pieces[place] + pieces[place + 1]]
