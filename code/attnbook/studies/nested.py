"""A small language whose names contain names: who is who, who works where, and who lives where."""

import random
from collections.abc import Iterable
from dataclasses import dataclass

from torch import Tensor

from attnbook.checks import check_count
from attnbook.data import pad_rows

TYPES = ("person", "group", "place")
RELATIONS = ("works for", "lives in")
PERSON, GROUP, PLACE = range(3)
WORKS, LIVES = range(2)
NAMES = [
    "austin",
    "chelsea",
    "florence",
    "georgia",
    "jordan",
    "paris",
    "sydney",
    "victoria",
]
OFFICES = ["director", "founder", "guard", "keeper"]
KIN = ["friend", "rival", "sister", "uncle"]
HOUSES = ["bank", "library", "museum", "school"]
ROOMS = ["archive", "board", "café", "shop"]
SIDES = ["centre", "east", "north", "port"]
VERBS = ["called", "followed", "met", "praised"]
OTHER = ["the", "of", "and", "works", "for", "lives", "in", "."]
PADDING = "<pad>"
NESTED_VOCABULARY = [
    PADDING,
    *OTHER,
    *NAMES,
    *OFFICES,
    *KIN,
    *HOUSES,
    *ROOMS,
    *SIDES,
    *VERBS,
]
_IDS = {word: number for number, word in enumerate(NESTED_VOCABULARY)}


@dataclass(frozen=True)
class NestedSentence:
    """A sentence, its entities and its relations.

    Attributes:
        words: up to the full stop.
        spans: (type, first token, last token) of every entity, counted from 0.
        relations: (relation, subject's span, object's span), a span as (first, last).
        depth: how many entities lie around the innermost token, itself included.
    """

    words: tuple[str, ...]
    spans: frozenset[tuple[int, int, int]]
    relations: frozenset[tuple[int, tuple[int, int], tuple[int, int]]]

    @property
    def depth(self) -> int:
        """The largest number of entities that one token belongs to."""
        inside = ((a, b) for _, a, b in self.spans)
        spans = list(inside)
        return max(sum(a <= t <= b for a, b in spans) for t in range(len(self.words)))


class _Writer:
    """Writes a sentence word by word and notes where entities begin and end."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.words: list[str] = []
        self.spans: set[tuple[int, int, int]] = set()
        self.relations: set[tuple[int, tuple[int, int], tuple[int, int]]] = set()

    def say(self, *words: str) -> None:
        self.words.extend(words)

    def one_of(self, words: list[str]) -> None:
        self.words.append(self.rng.choice(words))

    def _note(self, kind: int, start: int) -> tuple[int, int]:
        span = (start, len(self.words) - 1)
        self.spans.add((kind, *span))
        return span

    def place(self, depth: int) -> tuple[int, int]:
        """A name, or "the north of" a place."""
        start = len(self.words)
        if depth == 1:
            self.one_of(NAMES)
        else:
            self.say("the")
            self.one_of(SIDES)
            self.say("of")
            self.place(depth - 1)
        return self._note(PLACE, start)

    def group(self, depth: int) -> tuple[int, int]:
        """ "the museum of" a place, "the archive of" a group, or a group and "shop"; depth ≥ 2."""
        start = len(self.words)
        if depth == 2 or self.rng.random() < 0.3:
            self.say("the")
            self.one_of(HOUSES)
            self.say("of")
            self.place(depth - 1)
        elif self.rng.random() < 0.5:
            self.say("the")
            self.one_of(ROOMS)
            self.say("of")
            self.group(depth - 1)
        else:
            self.group(depth - 1)
            self.one_of(ROOMS)
        return self._note(GROUP, start)

    def person(self, depth: int) -> tuple[int, int]:
        """A name, "the director of" a group (who works for it), or "the sister of" a person."""
        start = len(self.words)
        if depth == 1:
            self.one_of(NAMES)
            return self._note(PERSON, start)
        self.say("the")
        if depth == 2 or self.rng.random() < 0.4:
            self.one_of(KIN)
            self.say("of")
            self.person(depth - 1)
            return self._note(PERSON, start)
        self.one_of(OFFICES)
        self.say("of")
        there = self.group(depth - 1)
        here = self._note(PERSON, start)
        self.relations.add((WORKS, here, there))
        return here


def nested_sentence(rng: random.Random, depth: int = 3) -> NestedSentence:
    """One sentence: a person, then what they do, sometimes twice.

    Eight names are persons' and places' alike: which of the two one is, only the words around it tell.

    Args:
        rng: where the words come from.
        depth: no entity has more levels than this, at least 2.

    Returns:
        The sentence.
    """
    check_count("depth", depth, at_least=2)
    writer = _Writer(rng)
    who = writer.person(rng.randint(1, depth))
    for part in range(rng.randint(1, 2)):
        if part:
            writer.say("and")
        what = rng.choice(("meets", "works", "lives"))
        if what == "works":
            writer.say("works", "for")
            writer.relations.add((WORKS, who, writer.group(rng.randint(2, depth))))
        elif what == "lives":
            writer.say("lives", "in")
            writer.relations.add((LIVES, who, writer.place(rng.randint(1, depth))))
        else:
            writer.one_of(VERBS)
            writer.person(rng.randint(1, depth))
    writer.say(".")
    return NestedSentence(
        tuple(writer.words), frozenset(writer.spans), frozenset(writer.relations)
    )


def nested_sentences(
    count: int, seed: int, depth: int = 3, exactly: bool = False
) -> list[NestedSentence]:
    """Draw different sentences.

    Args:
        count: how many.
        seed: which ones.
        depth: see `nested_sentence`.
        exactly: only sentences in which some token belongs to exactly `depth` entities.

    Returns:
        A list of sentences, none twice.
    """
    check_count("count", count)
    rng = random.Random(seed)
    drawn: dict[tuple[str, ...], NestedSentence] = {}
    while len(drawn) < count:
        sentence = nested_sentence(rng, depth)
        if not exactly or sentence.depth == depth:
            drawn.setdefault(sentence.words, sentence)
    return list(drawn.values())


def nested_ids(some: Iterable[NestedSentence]) -> tuple[Tensor, Tensor]:
    """Number the words of sentences.

    Args:
        some: B sentences.

    Returns:
        ids (B, T), 0 for padding, and lengths (B,).
    """
    return pad_rows([[_IDS[word] for word in one.words] for one in some])


# ---- what a tagger can say ---------------------------------------------------------------------


def innermost(spans: Iterable[tuple[int, int, int]]) -> set[tuple[int, int, int]]:
    """The spans that have no other one inside; of nested spans, no larger set is free of overlaps.

    Args:
        spans: (type, start, end), nested or apart, never crossing.

    Returns:
        A set of them, no two of which share a token.
    """
    spans = set(spans)
    return {
        (kind, i, j)
        for kind, i, j in spans
        if not any(i <= a and b <= j and (a, b) != (i, j) for _, a, b in spans)
    }


def heights(
    spans: Iterable[tuple[int, int, int]],
) -> dict[tuple[int, int, int], int]:
    """How many levels of other spans lie inside each.

    Args:
        spans: (type, start, end), nested or apart.

    Returns:
        For each span 0 if none is inside, else 1 more than the highest that is.
    """
    spans = sorted(spans, key=lambda span: span[2] - span[1])
    found: dict[tuple[int, int, int], int] = {}
    for span in spans:
        _, i, j = span
        inside = [height for (_, a, b), height in found.items() if i <= a and b <= j]
        found[span] = 1 + max(inside, default=-1)
    return found


def token_stacks(
    spans: Iterable[tuple[int, int, int]], length: int
) -> list[tuple[str, ...]]:
    """One joint label per token: a letter B or I and the type of every entity around it, the outermost first.

    Args:
        spans: (type, start, end), nested or apart, no two with the same tokens.
        length: T.

    Returns:
        T labels; () outside all entities.
    """
    nested = sorted(spans, key=lambda span: (span[1], -span[2]))
    return [
        tuple(
            f"{'B' if t == i else 'I'}-{TYPES[kind]}"
            for kind, i, j in nested
            if i <= t <= j
        )
        for t in range(length)
    ]


def read_stacks(labels: Iterable[tuple[str, ...]]) -> set[tuple[int, int, int]]:
    """The spans that joint labels spell; an I without its B before it begins a span, as usual.

    Args:
        labels: T labels as `token_stacks` makes them; single BIO tags are labels of at most one level.

    Returns:
        A set of (type, start, end).
    """
    spans: set[tuple[int, int, int]] = set()
    open_spans: list[tuple[int, int]] = []
    last = -1

    def close(level: int) -> None:
        while len(open_spans) > level:
            kind, start = open_spans.pop()
            spans.add((kind, start, last))

    for t, label in enumerate(labels):
        for level, (letter, name) in enumerate(tag.split("-") for tag in label):
            kind = TYPES.index(name)
            going_on = level < len(open_spans) and open_spans[level][0] == kind
            if letter == "B" or not going_on:
                close(level)
                open_spans.append((kind, t))
        close(len(label))
        last = t
    close(0)
    return spans
