"""Byte-pair encoding with holes: the same word is cut into other pieces every time it is read."""

import random
from collections.abc import Sequence
from itertools import pairwise

from attnbook.checks import check_count
from attnbook.text.spelling import UNK, tokenise
from attnbook.text.vocabulary import WORD_START, SubwordVocabulary


class BPEDropout:
    """Number the pieces of a sentence, where each merge is left out now and then, so that words fall into smaller ones.

    A translator that reads *partir* as one piece, but also as *part* and *ir*, has to learn what the pieces mean, and
    knows them again in a word that it has never seen. For training only.

    Args:
        vocab: what the pieces are, and which are merged first.
        share: the probability of leaving out a merge that could be made, at every step; 0 cuts as `vocab` does.
        variants: in so many ways a word is cut once and for all; each time it is read, one of them is drawn.
        seed: of the cuts.

    Raises:
        TypeError: not a vocabulary of pieces.
        ValueError: a share outside [0, 1).

    Source:
        Provilkov et al. (2020), arXiv:1910.13267, algorithm 1 (their p is our share).
    """

    def __init__(
        self,
        vocab: SubwordVocabulary,
        share: float = 0.1,
        variants: int = 10,
        seed: int = 0,
    ):
        if not isinstance(vocab, SubwordVocabulary):
            raise TypeError(
                f"only pieces of words can be cut anew: vocab must be a SubwordVocabulary, got {type(vocab).__name__}"
            )
        if not 0 <= share < 1:
            raise ValueError(f"share must lie in [0, 1), got {share}")
        check_count("variants", variants)
        check_count("seed", seed, at_least=0)
        self.vocab, self.share, self.variants, self.seed = vocab, share, variants, seed
        self.rank = {pair: rank for rank, pair in enumerate(vocab.merges)}
        self.number = {
            piece: i for i, piece in enumerate(vocab.tokens(range(len(vocab))))
        }
        self.cuts: dict[str, list[list[int]]] = {}

    def encode(self, sentence: str | Sequence[str], dice: random.Random) -> list[int]:
        """The numbers of a sentence's pieces, drawn.

        Args:
            sentence: a text, or its tokens.
            dice: which of a word's cuts is taken.

        Returns:
            ids, as `vocab.encode` gives them where nothing is left out.
        """
        words = tokenise(sentence) if isinstance(sentence, str) else sentence
        return [i for word in words for i in dice.choice(self._cuts_of(word))]

    def _cuts_of(self, word: str) -> list[list[int]]:
        if word not in self.cuts:
            known = [self.vocab.encode([word])]
            # a word's own dice: its cuts do not depend on what was read before
            dice = random.Random(f"{self.seed} {word}")
            self.cuts[word] = (
                known  # with a letter that no piece has
                if UNK in known[0]
                else [self._cut(word, dice) for _ in range(self.variants)]
            )
        return self.cuts[word]

    def _cut(self, word: str, dice: random.Random) -> list[int]:
        pieces = list(WORD_START + word)
        while True:
            possible = [
                (self.rank[pair], place)
                for place, pair in enumerate(pairwise(pieces))
                if pair in self.rank and dice.random() >= self.share
            ]
            if not possible:
                return [self.number[piece] for piece in pieces]
            _, place = min(possible)
            pieces[place : place + 2] = [pieces[place] + pieces[place + 1]]
