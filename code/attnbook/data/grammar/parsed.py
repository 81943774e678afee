"""English sentences whose structure is known, since they were made from it: which word belongs to which."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from attnbook.checks import check_count
from attnbook.data.grammar.clauses import Sentence
from attnbook.data.grammar.meanings import (
    Act,
    Clause,
    Meaning,
    Name,
    NounPhrase,
    Pair,
    Preposition,
    Pronoun,
    Relative,
    Single,
    State,
    Subject,
    Thought,
)
from attnbook.data.grammar.rules import RULES, Shapes

#: What a link can say, with its dependent in front and its head behind.
SYNTAX = (
    "determiner → noun",
    "adjective → noun",
    "noun → preposition",
    "subject → verb",
    "object → verb",
    "who → noun",
    "verb → noun",
    "pronoun → subject",
)

DETERMINER, ADJECTIVE, PREPOSITION, SUBJECT, OBJECT, WHO, RELATIVE, PRONOUN = SYNTAX


@dataclass(frozen=True)
class ParsedSentence:
    """A sentence and its structure.

    Attributes:
        words: in lower case, the full stop among them.
        kinds: a letter for each word: N for nouns, names and pronouns, V for verbs (of several, the one that means
            something; *is*), D for determiners, A for adjectives, P for prepositions (the last word of *next to*), W
            for the first word of a relative clause, a dot for others.
        links: (kind, dependent, head), the kind as in `SYNTAX`, the places counted from 0. The verb of a relative
            clause depends on the noun before the clause; *it* and *they* on the subject that they mean.
    """

    words: tuple[str, ...]
    kinds: str
    links: tuple[tuple[str, int, int], ...]


def parsed_sentences(
    num: int, min_len: int = 6, max_len: int = 16, *, seed: int = 0
) -> list[ParsedSentence]:
    """Draw distinct sentences of the bilingual grammar's English, about as many of each length.

    Those with an owner (*anna's*) are left out, since tokenisers cut it into pieces.

    Args:
        num: how many.
        min_len, max_len: the least and the largest number of words, at least 6 and at most 40.
        seed: of the draws.

    Returns:
        `num` ParsedSentence in random order.

    Raises:
        TypeError, ValueError: a number that is no count, or lengths out of range.
    """
    check_count("num", num, at_least=0)
    check_count("min_len", min_len, at_least=6)
    check_count("max_len", max_len, at_least=min_len)
    if max_len > 40:
        raise ValueError(f"max_len must be at most 40, got {max_len}")
    rng, shapes = random.Random(seed), Shapes(RULES)
    found: dict[tuple[str, ...], ParsedSentence] = {}
    lengths = range(min_len, max_len + 1)
    while len(found) < num:
        length = lengths[len(found) % len(lengths)]
        drawn = Sentence(shapes.draw("sentence", length, rng), rng)
        words = tuple(drawn.english)
        if not any("'" in word for word in words):
            found.setdefault(words, _parsed(words, drawn.meaning))
    sentences = list(found.values())
    rng.shuffle(sentences)
    return sentences


def _parsed(words: tuple[str, ...], meaning: Meaning) -> ParsedSentence:
    kinds = ["."] * len(words)
    links: list[tuple[str, int, int]] = []
    before: int | None = None  # the subject of the clause before
    for _, clause in meaning.clauses:
        while isinstance(clause, Thought):
            links += _subject(clause.subject, clause.act.at, before, kinds)
            kinds[clause.act.at] = "V"
            before, clause = _meant(clause.subject), clause.clause
        links += _clause(clause, before, kinds)
        before = _meant(clause.subject)
    return ParsedSentence(words, "".join(kinds), tuple(sorted(links)))


def _word(thing: Name | NounPhrase | Pronoun) -> int:
    """The place of the word that stands for it."""
    return thing.at if isinstance(thing, NounPhrase) else thing.said.at


def _meant(thing: Subject) -> int | None:
    """What a pronoun in the next clause may mean; a pair is not one word."""
    return None if isinstance(thing, Pair) else _word(thing)


Links = Iterator[tuple[str, int, int]]


def _clause(clause: Clause, before: int | None, kinds: list[str]) -> Links:
    yield from _subject(clause.subject, clause.core.at, before, kinds)
    yield from _core(clause.core, kinds)
    if clause.place:
        yield from _preposition(clause.place, kinds)


def _subject(thing: Subject, verb: int, before: int | None, kinds: list[str]) -> Links:
    if isinstance(thing, Pair):
        yield from _single(thing.first, kinds)
        yield from _single(thing.second, kinds)
        return
    if isinstance(thing, Pronoun):
        kinds[thing.said.at] = "N"
        if before is not None and thing.who.noun:
            yield PRONOUN, thing.said.at, before
        yield SUBJECT, thing.said.at, verb
        return
    yield from _single(thing, kinds)
    yield SUBJECT, _word(thing), verb


def _single(thing: Single, kinds: list[str]) -> Links:
    at = _word(thing)
    kinds[at] = "N"
    if not isinstance(thing, NounPhrase):
        return
    if not thing.owned:
        kinds[thing.article.at] = "D"
        yield DETERMINER, thing.article.at, at
    for _, adjective in thing.adjectives:
        kinds[adjective] = "A"
        yield ADJECTIVE, adjective, at
    if isinstance(thing.attached, Preposition):
        yield from _preposition(thing.attached, kinds)
    elif isinstance(thing.attached, Relative):
        yield from _relative(thing.attached, at, kinds)


def _preposition(phrase: Preposition, kinds: list[str]) -> Links:
    kinds[max(phrase.at)] = "P"
    yield PREPOSITION, _word(phrase.thing), max(phrase.at)
    yield from _single(phrase.thing, kinds)


def _relative(clause: Relative, noun: int, kinds: list[str]) -> Links:
    kinds[clause.at] = "W"
    yield WHO, clause.at, noun
    yield RELATIVE, clause.core.at, noun
    if clause.subject:
        yield from _subject(clause.subject, clause.core.at, None, kinds)
    yield from _core(clause.core, kinds)


def _core(core: State | Act, kinds: list[str]) -> Links:
    kinds[core.at] = "V"
    if isinstance(core, State):
        if isinstance(core.what, Preposition):
            yield from _preposition(core.what, kinds)
        else:
            kinds[core.what.at] = "A"
        return
    if core.particle:
        kinds[core.particle[0]] = "P"
    # what is looked for belongs to "for"
    relation, head = (
        (PREPOSITION, core.particle[0]) if core.particle else (OBJECT, core.at)
    )
    if core.pronoun:
        kinds[core.pronoun.at] = "N"
        yield relation, core.pronoun.at, head
    elif core.thing:
        yield relation, _word(core.thing), head
        yield from _single(core.thing, kinds)
