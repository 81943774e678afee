"""The way back from tokens to what a person would write: spaces and capitals, learned from a text."""

import functools
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from attnbook.text.spelling import SPECIALS, UNK, cut, is_spaced, kind_of, small, spell

ENDS = frozenset(".!?。！？؟।")  # behind them a sentence begins
NARROW = "\u202f"  # the space that French sets before a mark and inside « »
ENOUGH = 0.97  # of new sentences get their capitals back from a table: then small letters are enough to learn


class Writing:
    """Where a language puts spaces between its tokens, and which of its words have capitals.

    No language is named: both are what a text does most often. A space depends on the two tokens that it stands
    between, if the text has them twice, else on their kinds: letters, digits, characters of a script without spaces;
    each mark is a kind by itself. A word has the form that it most often has inside a sentence, and a capital at its
    beginning.

    Args:
        kinds: whether a space stands between two kinds.
        pairs: the same for two tokens, where it differs from that of their kinds.
        forms: words with capitals, by their small letters.

    Source:
        After Lita et al. (2003), "tRuEcasIng": the most frequent form.
    """

    def __init__(
        self,
        kinds: dict[tuple[str, str], bool],
        pairs: dict[tuple[str, str], bool],
        forms: dict[str, str],
    ):
        self.kinds, self.pairs, self.forms = kinds, pairs, forms

    @classmethod
    def learned(cls, texts: Iterable[str]) -> "Writing":
        """Learn it.

        Args:
            texts: sentences as people write them.

        Returns:
            What they do.
        """
        pairs: defaultdict[tuple[str, str], Counter] = defaultdict(Counter)
        insides = []
        for text in map(spell, texts):
            tokens = cut(text)
            insides.append(_inside(tokens))
            for two, spaced in zip(
                _neighbours(tokens), _spaces(text, tokens), strict=True
            ):
                pairs[two][spaced] += 1
        kinds: defaultdict[tuple[str, str], Counter] = defaultdict(Counter)
        for two, counts in pairs.items():
            kinds[_kinds(two)].update(counts)
        usual = {two: _most(counts) for two, counts in kinds.items()}
        differ = {
            two: _most(n)
            for two, n in pairs.items()
            if n.total() > 1 and _most(n) != usual[_kinds(two)]
        }
        return cls(usual, differ, _forms(insides))

    def write(self, tokens: Sequence[str]) -> str:
        """Tokens as a person would write them.

        Args:
            tokens: in small letters, as `tokenise` gives them, or with capitals that are to stay.

        Returns:
            A text: ["l'homme", "est", "là", "!"] becomes "L’homme est là !" if its writing was learned from French.
        """
        text = ""
        spaces = [False, *map(self._spaced, _neighbours(tokens))][: len(tokens)]
        for token, first, spaced in zip(
            tokens, _beginnings(tokens), spaces, strict=True
        ):
            form = self.forms.get(token, token)
            if first:
                form = form[:1].upper() + form[1:]
            narrow = token in ("!", "?", ";", ":", "»") or text.endswith("«")
            text += (NARROW if narrow else " ") * spaced + form
        return text.replace("'", "’")

    def _spaced(self, two: tuple[str, str]) -> bool:
        usual = self.kinds.get(
            _kinds(two), is_spaced(two[0]) and _class(two[1]) in ("L", "N")
        )
        return self.pairs.get(two, usual)

    def to_dict(self) -> dict:
        """Plain data, for JSON or a checkpoint; `from_dict` reads it."""
        tables = (
            [[*two, spaced] for two, spaced in table.items()]
            for table in (self.kinds, self.pairs)
        )
        return dict(
            zip(("kinds", "pairs", "forms"), (*tables, self.forms), strict=True)
        )

    @classmethod
    def from_dict(cls, d: dict) -> "Writing":
        """The writing that `to_dict` described.

        Args:
            d: what `to_dict` gave.

        Returns:
            An equal one.

        Raises:
            ValueError: something else.
        """
        try:
            kinds, pairs = (
                {(str(a), str(b)): bool(spaced) for a, b, spaced in d[name]}
                for name in ("kinds", "pairs")
            )
            return cls(
                kinds,
                pairs,
                {str(small): str(form) for small, form in d["forms"].items()},
            )
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise ValueError(
                f"this is not what Writing.to_dict gives ({error})"
            ) from error


def capitals_to_keep(texts: Iterable[str]) -> dict[str, str] | None:
    """Find out whether a translator has to learn a language's capitals, as German's.

    It need not where a table of words, made of nine tenths of the sentences, restores those inside 97 % of the others:
    French 100 %, English 99 %, German 92 %.

    Args:
        texts: sentences of the language as people write them.

    Returns:
        What a vocabulary takes as its `capitals`: the forms of words that have some; None if small letters are enough.
    """
    insides = [_inside(cut(spell(text))) for text in texts]
    forms = _forms(inside for i, inside in enumerate(insides) if i % 10)
    new = insides[::10]
    restored = sum(
        all(forms.get(small(t), small(t)) == t for t in inside) for inside in new
    )
    return None if restored >= ENOUGH * len(new) else _forms(insides)


def capitals_kept(sentence: str, capitals: dict[str, str]) -> list[str]:
    """The tokens of a sentence with their capitals; the first word of a sentence has the form that it has inside one.

    Args:
        sentence: as people write it.
        capitals: those forms, by small letters, where they differ.

    Returns:
        Its tokens: "Die Katze schläft." gives ["die", "Katze", "schläft", "."].
    """
    tokens = cut(spell(sentence))
    return [
        capitals.get(small(token), small(token)) if first else token
        for token, first in zip(tokens, _beginnings(tokens), strict=True)
    ]


def _inside(tokens: Sequence[str]) -> list[str]:
    """Those that begin no sentence."""
    firsts = _beginnings(tokens)
    return [token for token, first in zip(tokens, firsts, strict=True) if not first]


def _forms(insides: Iterable[Sequence[str]]) -> dict[str, str]:
    """The most frequent form of each word that usually has a capital, by its small letters."""
    counts: defaultdict[str, Counter] = defaultdict(Counter)
    for inside in insides:
        for token in inside:
            counts[small(token)][token] += 1
    usual = {low: _most(forms) for low, forms in counts.items()}
    return {low: form for low, form in usual.items() if form != low}


def _most(counts: Counter) -> Any:
    """The most frequent; of two that are equally so, the smaller."""
    return min(counts, key=lambda one: (-counts[one], one))


def _kinds(two: tuple[str, str]) -> tuple[str, str]:
    return _class(two[0]), _class(two[1])


@functools.lru_cache(maxsize=10_000)
def _class(token: str) -> str:
    kind = "L" if token == SPECIALS[UNK] else kind_of(token[0])  # it stands for a word
    return kind if kind in ("L", "N", "C") else token


def _neighbours(tokens: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Two by two, in small letters; a straight quotation mark that opens is told from one that closes."""
    named, quotes = [], 0
    for token in tokens:
        if token == '"':
            token, quotes = ('"(', '")')[quotes % 2], quotes + 1
        named.append(small(token))
    return pairwise(named)


def _spaces(text: str, tokens: Sequence[str]) -> Iterator[bool]:
    """Whether a space stands before each token but the first."""
    place = len(tokens[0]) if tokens else 0
    for token in tokens[1:]:
        yield text[place] == " "
        place += len(token) + (text[place] == " ")


def _beginnings(tokens: Sequence[str]) -> Iterator[bool]:
    """Whether each token is the first word of a sentence."""
    begins = True
    for token in tokens:
        word = _class(token) in ("L", "N", "C")
        yield begins and word
        begins = token in ENDS or (begins and not word)
