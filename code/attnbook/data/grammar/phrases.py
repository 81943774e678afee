"""Noun phrases of the bilingual grammar: English words are said in order, French ones are returned."""

import functools
import random
from collections.abc import Container, Sequence
from typing import TypeVar

from attnbook.data.grammar.fit import KINDS, kinds_that_fit
from attnbook.data.grammar.french import Agreement, Word, determiner, translation
from attnbook.data.grammar.lexicon import (
    ADJECTIVES,
    NAMES,
    NOUNS,
    Adjective,
    Noun,
    starts_with_vowel,
)
from attnbook.data.grammar.rules import Tree

T = TypeVar("T")

OWN = ("my", "your", "his", "her", "our", "their")
SINGULAR = ("the",) * 6 + ("a",) * 5 + ("this",) * 2 + ("every", *OWN)
PLURAL = ("the",) * 6 + ("some",) * 3 + ("these",) * 2 + ("two", "three", *OWN)
NUMBERS = {"two": "deux", "three": "trois"}
PRONOUNS = {
    "i": Agreement(0, False, "p"),
    "you": Agreement(1, False, "p"),
    "he": Agreement(2, False, "p"),
    "she": Agreement(2, True, "p"),
    "we": Agreement(3, False, "p"),
}
PREPOSITIONS = {
    "near": ("près", "de"),
    "behind": ("derrière",),
    "in": ("dans",),
    "with": ("avec",),
    "of": ("de",),
}
# what may follow "with" and "of" after a noun of a kind: the man with the hat, the dog of the man
ATTACHED = {
    "p": {"with": "pat"},
    "a": {"with": "pa", "of": "p"},
    "t": {"of": "p"},
    "l": {"of": "pl"},
}


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

    def relative(self, tree: Tree, head: Agreement) -> list[Word]:
        """A relative clause; clauses are the subclass's.

        Args:
            tree: its shape.
            head: the noun that it belongs to.
        """
        raise NotImplementedError

    def subject(self, tree: Tree, kinds: str) -> tuple[list[Word], Agreement]:
        """Who does it.

        Args:
            tree: the shape of a subject, a pair, a thinker or a whose.
            kinds: the kinds that can do it.

        Returns:
            French words, and what the verb agrees with.
        """
        if tree.rule == ("pronoun",):
            return self.pronoun(kinds, refers=tree.symbol != "whose")
        return (self.pair if "and" in tree else self.full)(tree, kinds)

    def pronoun(self, kinds: str, refers: bool) -> tuple[list[Word], Agreement]:
        """A subject pronoun; *it* and *they* take number and gender from the subject of the clause before.

        Args:
            kinds: the kinds that can do it.
            refers: whether *it* and *they* are allowed here.

        Returns:
            French words, and what the verb agrees with.
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
        french = ("je", "tu", "il", "nous", "ils")[who.person]
        if who.feminine and who.person in (2, 4):
            french = {"il": "elle", "ils": "elles"}[french]
        return translation([french], self.say(english)), who

    def pair(self, tree: Tree, kinds: str) -> tuple[list[Word], Agreement]:
        """Two things of one kind: masculine unless both are feminine.

        Args:
            tree: its shape.
            kinds: the kinds to choose from.

        Returns:
            French words, and what the verb agrees with.
        """
        kind = self.rng.choice(common(kinds, kinds_that_fit(tree)))
        words, first = self.full(tree.parts[0], kind)
        words += translation(["et"], self.say("and"))
        more, second = self.full(tree.parts[2], kind)
        return words + more, Agreement(4, first.feminine and second.feminine, kind)

    def full(
        self, tree: Tree, kinds: str, avoid: Container = (), negated: bool = False
    ) -> tuple[list[Word], Agreement]:
        """A name, or a noun phrase with what may hang on it.

        Args:
            tree: the shape of a single, a full, or a subject that is no pronoun and no pair.
            kinds: the kinds to choose from.
            avoid: determiners that must not be used.
            negated: whether it is the object of a negated verb.

        Returns:
            French words, and what agrees with them.
        """
        if "name" in tree:
            name = self.pick(tuple(NAMES))
            return translation([name], self.say(name)), Agreement(2, NAMES[name], "p")
        kinds = common(kinds, kinds_that_fit(tree))
        words, who = self.np(tree["np"], kinds, avoid, negated)
        if len(tree.rule) > 1:
            words += self.attached(tree.parts[1], who)
        return words, who

    def attached(self, tree: Tree, head: Agreement) -> list[Word]:
        """What follows a noun: a relative clause or a preposition.

        Args:
            tree: its shape.
            head: the noun.

        Returns:
            French words.
        """
        if "who" in tree or "that" in tree:
            return self.relative(tree, head)
        return self.preposition(tree, head.kind)

    def preposition(self, tree: Tree, head: str = "") -> list[Word]:
        """A preposition and its noun phrase.

        Args:
            tree: its shape.
            head: the kind of the noun that it follows; empty: none, it says where something is.

        Returns:
            French words.
        """
        thing = tree.parts[-1]
        if "next" in tree:
            next_, to = self.say("next"), self.say("to")
            words = translation(["à", "côté"], next_, to) + translation(
                ["de"], to, next_
            )
            kinds = KINDS
        elif "front" in tree:
            in_, front, of = self.say("in"), self.say("front"), self.say("of")
            words, kinds = translation(["devant"], front, in_, of), KINDS
        else:
            fit = kinds_that_fit(thing)
            allowed = {"near": KINDS, "behind": KINDS, "in": "l"} | ATTACHED.get(
                head, {}
            )
            allowed = {word: k for word, k in allowed.items() if common(k, fit)}
            english = self.rng.choice(tuple(allowed))
            words = translation(PREPOSITIONS[english], self.say(english))
            kinds = allowed[english]
        avoid = ("some",) if words[-1].text == "de" else ()  # de des is not said
        return words + self.full(thing, kinds, avoid)[0]

    def np(
        self, tree: Tree, kinds: str, avoid: Container = (), negated: bool = False
    ) -> tuple[list[Word], Agreement]:
        """Determiner, adjectives and noun, which all agree.

        Args:
            tree: its shape.
            kinds: the kinds to choose from.
            avoid: determiners that must not be used.
            negated: whether it is the object of a negated verb: pas *de* chien.

        Returns:
            French words, and what agrees with them.
        """
        noun = self.pick(_nouns(kinds))
        shape = tree.rule
        plural = "all" in shape or "number" in shape or self.rng.random() < 0.35
        places = [p for p in ("before", "after", "adjective") if p in shape]
        adjectives = [self.pick(_adjectives(noun.kind, place)) for place in places]
        said = [*[a.english for a in adjectives], noun.english[plural]]

        first: list[Word] = []
        owner, form = None, "the"
        if "owner" in shape:
            owner = self.pick(tuple(NAMES))
            article = self.say(f"{owner}'s")
        elif "all" in shape:
            all_ = "toutes" if noun.feminine else "tous"
            first = translation([all_], self.say("all"))
            article = self.say("the")
        else:
            counted = ("some", *NUMBERS) if "number" in shape else ()
            forms = [d for d in (PLURAL if plural else SINGULAR) if d not in counted]
            form = self.rng.choice([d for d in forms if d not in avoid])
            vowel = form == "a" and said[0][0] in "aeiou"
            any_ = form == "some" and negated
            article = self.say("an" if vowel else "any" if any_ else form)

        before: list[Word] = []
        after: list[Word] = []
        if "number" in shape:
            number = self.rng.choice(tuple(NUMBERS))
            before += translation([NUMBERS[number]], self.say(number))
        text = noun.french[plural]
        for adjective in adjectives:
            vowel = adjective.before and starts_with_vowel(text)
            agreed = adjective.agree(noun.feminine, plural, vowel)
            place = before if adjective.before else after
            place += translation([agreed], self.say(adjective.english))
        core = before + translation([text], self.say(said[-1])) + after
        vowel = starts_with_vowel(core[0].text)
        text = determiner(form, noun.feminine, plural, vowel)
        if form in ("a", "some") and negated or text == "des" and before:
            text = "de"  # pas de chien; de grandes maisons
        words = first + translation([text], article) + core
        words += translation(["de", owner], article) if owner else []
        return words, Agreement(4 if plural else 2, noun.feminine, noun.kind)
