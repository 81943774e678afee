"""The way back from tokens to what a person would write: spaces and capitals, learned from a text."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from attnbook.text.spelling import SPECIALS, UNK, cut, is_spaced, kind_of, spell

ENDS = frozenset(".!?。！？؟।")  # behind them a sentence begins
NARROW = "\u202f"  # the space that French sets before a mark and inside « »


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
        kinds: defaultdict[tuple[str, str], Counter] = defaultdict(Counter)
        pairs: defaultdict[tuple[str, str], Counter] = defaultdict(Counter)
        forms: defaultdict[str, Counter] = defaultdict(Counter)
        for text in map(spell, texts):
            tokens = cut(text)
            for two, spaced in zip(
                _neighbours(tokens), _spaces(text, tokens), strict=True
            ):
                pairs[two][spaced] += 1
                kinds[_kinds(two)][spaced] += 1
            for token, first in zip(tokens, _beginnings(tokens), strict=True):
                if not first:
                    forms[token.lower()][token] += 1
        usual = {two: _most(counts) for two, counts in kinds.items()}
        differ = {
            two: _most(n)
            for two, n in pairs.items()
            if n.total() > 1 and _most(n) != usual[_kinds(two)]
        }
        capital = {small: _most(counts) for small, counts in forms.items()}
        return cls(
            usual,
            differ,
            {small: form for small, form in capital.items() if form != small},
        )

    def write(self, tokens: Sequence[str]) -> str:
        """Tokens as a person would write them.

        Args:
            tokens: in small letters, as `tokenise` gives them.

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


def _most(counts: Counter) -> Any:
    """The most frequent; of two that are equally so, the smaller."""
    return min(counts, key=lambda one: (-counts[one], one))


def _kinds(two: tuple[str, str]) -> tuple[str, str]:
    return _class(two[0]), _class(two[1])


def _class(token: str) -> str:
    kind = "L" if token == SPECIALS[UNK] else kind_of(token[0])  # it stands for a word
    return kind if kind in ("L", "N", "C") else token


def _neighbours(tokens: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Two by two, in small letters; a straight quotation mark that opens is told from one that closes."""
    named, quotes = [], 0
    for token in tokens:
        if token == '"':
            token, quotes = ('"(', '")')[quotes % 2], quotes + 1
        named.append(token.lower())
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
