"""What an English sentence says: its parts, each with the places of its English words.

The grammar makes a meaning while it says the English; each target language puts it into words. Places count the English
tokens from 0.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from attnbook.data.grammar.lexicon import Adjective, Noun, Verb


class Said(NamedTuple):
    """An English word and its place."""

    word: str
    at: int


class Agreement(NamedTuple):
    """What verbs, participles and pronouns have to agree with.

    Attributes:
        person: 0 to 4: i, you, he or she or it, we, they.
        feminine: the French gender; without any sign of it masculine. For persons it is their sex.
        kind: what sort of thing it is, as in the lexicon.
        noun: which, where it is one: the *it* after *the tree* is a tree.
    """

    person: int
    feminine: bool
    kind: str
    noun: Noun | None = None

    @property
    def plural(self) -> bool:
        """Whether it is more than one."""
        return self.person >= 3


@dataclass(frozen=True)
class Name:
    """A name."""

    said: Said
    who: Agreement


@dataclass(frozen=True)
class Pronoun:
    """A subject pronoun, and whom it means."""

    said: Said
    who: Agreement


@dataclass(frozen=True)
class NounPhrase:
    """A noun with its determiner, adjectives, and what hangs on it.

    Attributes:
        noun: which.
        plural: its number.
        at: its place.
        article: the, a, some, …, my, …, two, …; or the name of the owner.
        owned: whether it is that.
        all: the place of *all*, before *the*.
        number: a number after the article.
        adjectives: with their places, in English order.
        negated: whether it is the direct object of a negated verb.
        attached: what follows it.
    """

    noun: Noun
    plural: bool
    at: int
    article: Said
    owned: bool
    all: int | None
    number: Said | None
    adjectives: tuple[tuple[Adjective, int], ...]
    negated: bool
    attached: "Preposition | Relative | None" = None

    @property
    def who(self) -> Agreement:
        """What agrees with it."""
        noun = self.noun
        return Agreement(4 if self.plural else 2, noun.feminine, noun.kind, noun)


@dataclass(frozen=True)
class Pair:
    """Two things of one kind, and the place of the *and* between them."""

    first: "Single"
    at: int
    second: "Single"
    kind: str

    @property
    def who(self) -> Agreement:
        """What agrees with it: masculine unless both are feminine."""
        both = self.first.who.feminine and self.second.who.feminine
        return Agreement(4, both, self.kind)


Single: TypeAlias = Name | NounPhrase
Subject: TypeAlias = Name | Pronoun | NounPhrase | Pair


@dataclass(frozen=True)
class Preposition:
    """A preposition, next to and in front of as *next* and *front*; the places of its words; and what follows it."""

    word: str
    at: tuple[int, ...]
    thing: Single


@dataclass(frozen=True)
class Quality:
    """An adjective that is said of something, perhaps with very or too before it; its place."""

    very: Said | None
    adjective: Adjective
    at: int


@dataclass(frozen=True)
class State:
    """What something is, or where.

    Attributes:
        at: the place of *is*.
        past: its tense.
        negation: not, never.
        often: often, always.
        what: how it is, or where.
    """

    at: int
    past: bool
    negation: Said | None
    often: Said | None
    what: Quality | Preposition


@dataclass(frozen=True)
class Act:
    """What somebody does.

    Attributes:
        verb: which.
        at: its place.
        past: its tense.
        before: the words before it: do, not, often (also always and never), can, want, to.
        particle: the place of the verb's particle, if it has one.
        pronoun: him, her, them; or
        thing: the object.
    """

    verb: Verb
    at: int
    past: bool
    before: dict[str, Said]
    particle: tuple[int, ...] = ()
    pronoun: Said | None = None
    thing: Single | None = None

    @property
    def negated(self) -> bool:
        """Whether it says not or never."""
        return "not" in self.before or self.never

    @property
    def never(self) -> bool:
        """Whether it says never."""
        return "often" in self.before and self.before["often"].word == "never"


@dataclass(frozen=True)
class Relative:
    """A relative clause: the place of who or that, what is said, and the subject if the noun before is the object."""

    at: int
    core: State | Act
    subject: Subject | None = None


@dataclass(frozen=True)
class Clause:
    """A subject and what it does or is, perhaps with a time or a place."""

    subject: Subject
    core: State | Act
    time: Said | None = None
    place: Preposition | None = None


@dataclass(frozen=True)
class Thought:
    """A clause that somebody thinks or knows; the place of *that*."""

    subject: Subject
    act: Act
    at: int
    clause: "Clause | Thought"


@dataclass(frozen=True)
class Meaning:
    """A whole sentence.

    Attributes:
        clauses: each with the conjunction before it; the first has none.
        stop: the place of the full stop.
    """

    clauses: tuple[tuple[Said | None, Clause | Thought], ...]
    stop: int


class Word(NamedTuple):
    """A word of the target language.

    Attributes:
        text: how it is spelt.
        links: places of the English words that it comes from.
        sure: the one of them that it depends on most.
    """

    text: str
    links: tuple[int, ...]
    sure: int


def translation(texts: Iterable[str], *links: int) -> list[Word]:
    """Words that all come from the same English ones.

    Args:
        texts: the words, in order; a string is one token for each character.
        links: places of the English ones; the first is the sure one.

    Returns:
        A list of Word.
    """
    return [Word(text, links, links[0]) for text in texts]
