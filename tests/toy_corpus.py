"""A language small enough to be learned in seconds: numbers, translated word by word, colours after their nouns."""

import itertools

from attnbook.data import Pair

NUMBERS = {"one": "un", "two": "deux", "three": "trois", "four": "quatre"}
COLOURS = {"red": "rouge", "green": "vert", "black": "noir"}
THINGS = {"car": "auto", "house": "toit", "book": "livre", "tree": "arbre"}


def toy_pairs():
    """48 sentences, such as `two red car .` → `deux auto rouge .`"""
    every = itertools.product(NUMBERS, COLOURS, THINGS)
    return [Pair(f"{n} {c} {t} .", f"{NUMBERS[n]} {THINGS[t]} {COLOURS[c]} .") for n, c, t in every]


def enough_pairs():
    """144 pairs, which are enough for the command line: the same with a word more at the end."""
    ends = [("", ""), ("here ", "ici "), ("now ", "alors ")]
    return [Pair(f"{p.source[:-1]}{here}.", f"{p.target[:-1]}{ici}.") for here, ici in ends for p in toy_pairs()]


def uneven_pairs():
    """The same, but every seventh pair is cut to its end, so that one batch has halves of unequal lengths."""
    return [
        pair if i % 7 else Pair(*(" ".join(side.split()[-2:]) for side in pair)) for i, pair in enumerate(toy_pairs())
    ]
