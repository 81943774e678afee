"""Noun phrases of the bilingual grammar: English words are said in order, and what they mean is returned."""

import functools
import random
from collections.abc import Container, Sequence
from dataclasses import replace
from typing import TypeVar

from attnbook.data.grammar.fit import KINDS, kinds_that_fit
from attnbook.data.grammar.lexicon import ADJECTIVES, NAMES, NOUNS, Adjective, Noun
from attnbook.data.grammar.meanings import (
    Agreement,
    Name,
    NounPhrase,
    Pair,
    Preposition,
    Pronoun,
    Relative,
    Said,
    Single,
    Subject,
)
from attnbook.data.grammar.rules import Tree

T = TypeVar("T")

OWN = ("my", "your", "his", "her", "our", "their")
SINGULAR = ("the",) * 6 + ("a",) * 5 + ("this",) * 2 + ("every", *OWN)
PLURAL = ("the",) * 6 + ("some",) * 3 + ("these",) * 2 + ("two", "three", *OWN)
NUMBERS = ("two", "three")
PRONOUNS = {
    "i": Agreement(0, False, "p"),
    "you": Agreement(1, False, "p"),
    "he": Agreement(2, False, "p"),
    "she": Agreement(2, True, "p"),
    "we": Agreement(3, False, "p"),
}
# what may follow "with" and "of" after a noun of a kind: the man with the hat, the dog of the man
ATTACHED = {
    "p": {"with": "pat"},
    "a": {"with": "pa", "of": "p"},
    "t": {"of": "p"},
    "l": {"of": "pl"},
}
NOT_SOME = ("near", "next", "of")  # French says them with de, and de des is not said


@functools.cache
def _nouns(kinds: str) -> list[Noun]:
    return [noun for noun in NOUNS if noun.kind in kinds]


@functools.cache
def _adjectives(kind: str, place: str) -> list[Adjective]:
    fitting = [a for a in ADJECTIVES if kind in a.kinds]
    if place == "adjective":  # wherever French puts it
        return fitting
    return [a for a in fitting if a.before == (place == "before")]


def common(kinds: str, others: str) -> str:
    """The kinds that are in both.

    Args:
        kinds: letters.
        others: letters.

    Returns:
        Letters.
    """
    return "".join(kind for kind in kinds if kind in others)


class Phrases:
    """Says noun phrases.

    Args:
        rng: the source of chance.

    Attributes:
        english: the tokens said so far.
        subject_before: the subject of the clause before, which *it* and *they* refer to.
    """

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.english: list[str] = []
        self.subject_before: Agreement | None = None
        self._lately: list = []

    def say(self, word: str) -> int:
        """Say an English word.

        Args:
            word: the word.

        Returns:
            Its place.
        """
        self.english.append(word)
        return len(self.english) - 1

    def said(self, word: str) -> Said:
        """Say an English word.

        Args:
            word: the word.

        Returns:
            The word with its place.
        """
        return Said(word, self.say(word))

    def pick(self, choices: Sequence[T]) -> T:
        """Choose something that was not chosen lately, if there is any.

        Args:
            choices: a sequence.

        Returns:
            One of them.
        """
        for _ in range(8):
            choice = self.rng.choice(choices)
            if choice not in self._lately:
                break
        self._lately = [*self._lately[-5:], choice]
        return choice

    def relative(self, tree: Tree, head: Agreement) -> Relative:
        """A relative clause; clauses are the subclass's.

        Args:
            tree: its shape.
            head: the noun that it belongs to.
        """
        raise NotImplementedError

    def subject(self, tree: Tree, kinds: str) -> Subject:
        """Who does it.

        Args:
            tree: the shape of a subject, a pair, a thinker or a whose.
            kinds: the kinds that can do it.

        Returns:
            What the verb agrees with.
        """
        if tree.rule == ("pronoun",):
            return self.pronoun(kinds, refers=tree.symbol != "whose")
        if "and" in tree:
            return self.pair(tree, kinds)
        return self.full(tree, kinds)

    def pronoun(self, kinds: str, refers: bool) -> Pronoun:
        """A subject pronoun; *it* and *they* take number and gender from the subject of the clause before.

        Args:
            kinds: the kinds that can do it.
            refers: whether *it* and *they* are allowed here.

        Returns:
            The pronoun.
        """
        before = self.subject_before
        english = self.rng.choice(tuple(PRONOUNS))
        who = PRONOUNS[english]
        if refers and before and before.person in (2, 4) and before.kind in kinds:
            plain = before.person == 2 and before.kind == "p"  # he or she
            if not plain and self.rng.random() < 0.9:
                english, who = ("they" if before.plural else "it"), before
        elif refers and not before and self.rng.random() < 0.15:
            english, who = "they", Agreement(4, False, "p")
        return Pronoun(self.said(english), who)

    def pair(self, tree: Tree, kinds: str) -> Pair:
        """Two things of one kind.

        Args:
            tree: its shape.
            kinds: the kinds to choose from.

        Returns:
            The pair.
        """
        kind = self.rng.choice(common(kinds, kinds_that_fit(tree)))
        first = self.full(tree.parts[0], kind)
        and_ = self.say("and")
        return Pair(first, and_, self.full(tree.parts[2], kind), kind)

    def full(
        self, tree: Tree, kinds: str, avoid: Container = (), negated: bool = False
    ) -> Single:
        """A name, or a noun phrase with what may hang on it.

        Args:
            tree: the shape of a single, a full, or a subject that is no pronoun and no pair.
            kinds: the kinds to choose from.
            avoid: determiners that must not be used.
            negated: whether it is the object of a negated verb.

        Returns:
            The name or the noun phrase.
        """
        if "name" in tree:
            name = self.pick(tuple(NAMES))
            return Name(self.said(name), Agreement(2, NAMES[name], "p"))
        kinds = common(kinds, kinds_that_fit(tree))
        phrase = self.np(tree["np"], kinds, avoid, negated)
        if len(tree.rule) > 1:
            phrase = replace(phrase, attached=self.attached(tree.parts[1], phrase.who))
        return phrase

    def attached(self, tree: Tree, head: Agreement) -> Preposition | Relative:
        """What follows a noun: a relative clause or a preposition.

        Args:
            tree: its shape.
            head: the noun.

        Returns:
            One of them.
        """
        if "who" in tree or "that" in tree:
            return self.relative(tree, head)
        return self.preposition(tree, head.kind)

    def preposition(self, tree: Tree, head: str = "") -> Preposition:
        """A preposition and its noun phrase.

        Args:
            tree: its shape.
            head: the kind of the noun that it follows; empty: none, it says where something is.

        Returns:
            Both.
        """
        thing = tree.parts[-1]
        at: tuple[int, ...]
        if "next" in tree:
            word, at, kinds = "next", (self.say("next"), self.say("to")), KINDS
        elif "front" in tree:
            in_, front, of = self.say("in"), self.say("front"), self.say("of")
            word, at, kinds = "front", (front, in_, of), KINDS
        else:
            fit = kinds_that_fit(thing)
            allowed = {"near": KINDS, "behind": KINDS, "in": "l"} | ATTACHED.get(
                head, {}
            )
            word = self.rng.choice([w for w, k in allowed.items() if common(k, fit)])
            at, kinds = (self.say(word),), allowed[word]
        avoid = ("some",) if word in NOT_SOME else ()
        return Preposition(word, at, self.full(thing, kinds, avoid))

    def np(
        self, tree: Tree, kinds: str, avoid: Container = (), negated: bool = False
    ) -> NounPhrase:
        """Determiner, adjectives and noun.

        Args:
            tree: its shape.
            kinds: the kinds to choose from.
            avoid: determiners that must not be used.
            negated: whether it is the object of a negated verb: not *any* dogs.

        Returns:
            The noun phrase.
        """
        noun = self.pick(_nouns(kinds))
        shape = tree.rule
        plural = "all" in shape or "number" in shape or self.rng.random() < 0.35
        places = [p for p in ("before", "after", "adjective") if p in shape]
        adjectives = [self.pick(_adjectives(noun.kind, place)) for place in places]
        following = [*[a.english for a in adjectives], noun.english[plural]]

        all_, number = None, None
        if "owner" in shape:
            owner = self.pick(tuple(NAMES))
            article = Said(owner, self.say(f"{owner}'s"))
        elif "all" in shape:
            all_, article = self.say("all"), self.said("the")
        else:
            counted = ("some", *NUMBERS) if "number" in shape else ()
            forms = [d for d in (PLURAL if plural else SINGULAR) if d not in counted]
            form = self.rng.choice([d for d in forms if d not in avoid])
            an = form == "a" and following[0][0] in "aeiou"
            any_ = form == "some" and negated
            article = Said(form, self.say("an" if an else "any" if any_ else form))
        if "number" in shape:
            number = self.said(self.rng.choice(NUMBERS))
        placed = tuple((a, self.say(a.english)) for a in adjectives)
        at = self.say(following[-1])
        return NounPhrase(
            noun, plural, at, article, "owner" in shape, all_, number, placed, negated
        )
