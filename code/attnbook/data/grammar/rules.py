"""The shapes of the grammar's English sentences, and how to draw one of exactly n tokens.

A sentence is drawn in two steps: first its shape, a tree from the weighted rules below; then the words (`grammar`).
Weighted rules alone would give short sentences mostly. So the first step asks for a length: it draws from the same
distribution over trees, given that the sentence has n tokens. For that one table is enough: the total weight of all
ways in which a symbol becomes k tokens.
"""

import random
from bisect import bisect
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

# A symbol without a rule of its own is one English token. The rules keep French a function of English:
# - "and" between nouns joins subjects only, and no such pair follows an "and": in "i saw anna and paul slept" and in
#   "i slept and anna saw the cat and marc slept" only the last one is the subject of the last verb;
# - a relative clause belongs to the noun right before it, and has one verb.
_RULES = """
sentence   : 1 chain .
chain      : 5 clause | 2 clause and chain_one | 2 clause link chain | 2 clause link chain_one
chain_one  : 5 clause_one | 2 clause_one and chain_one | 4 clause_one link chain
clause     : 9 subject vp | 1 pair vp | 1 thinker think that clause
clause_one : 10 later vp | 1 thinker think that clause
thinker    : 2 pronoun | 1 name | 1 np
subject    : 5 pronoun | 2 name | 5 np | 1 np short_pp | 1 np short_rel
later      : 9 pronoun | 1 name | 5 np | 1 np short_pp | 1 np short_rel
pair       : 1 single and single
single     : 1 name | 3 np
vp         : 10 core | 2 brief time | 3 core place

core       : 4 be state | 1 be negation state | 1 be often state | 1 be place
           | 8 act | 2 do not act | 2 often act | 1 can act | 0.5 can not act | 1 want to act | 0.5 do not want to act
brief      : 3 be state | 1 be negation state
           | 8 act | 2 do not act | 1 can act | 0.5 can not act | 1 want to act | 0.5 do not want to act
act        : 5 see object | 2 look for object | 1 talk to single | 2 sleep
state      : 3 adjective | 1 very adjective
object     : 1 him | 6 full
full       : 1 name | 5 np | 1.5 np pp | 1.5 np rel
pp         : 4 near full | 1 next to full | 1 in front of full
place      : 4 near full | 1 next to full | 1 in front of full
rel        : 3 who core | 2 that whose see | 1 that whose look for | 1 that whose do not see | 1 that whose want to see

short_pp   : 4 near single | 1 next to single | 1 in front of single
short_rel  : 3 who short_core | 2 that whose see | 1 that whose do not see
short_core : 2 be state | 1 be negation state | 3 short_act | 1 do not short_act | 1 often short_act
short_act  : 4 see single | 1 look for single | 1 talk to single | 2 sleep
whose      : 3 pronoun | 2 name | 3 np

np         : 8 det noun | 6 det adjective noun | 1 det before after noun | 1 all the noun | 1 det number noun
           | 1 owner noun | 1 owner adjective noun
"""


def _parse(text: str) -> dict[str, list[tuple[float, tuple[str, ...]]]]:
    rules: dict = {}
    for definition in text.replace("\n           |", " |").strip().splitlines():
        if definition:
            symbol, _, choices = definition.partition(":")
            rules[symbol.strip()] = [
                (float(weight), tuple(parts))
                for weight, *parts in map(str.split, choices.split("|"))
            ]
    return rules


RULES = _parse(_RULES)


@dataclass(slots=True, eq=False)
class Tree:
    """A symbol, the rule that was applied to it, and the trees of the rule's parts.

    Attributes:
        symbol: what was expanded.
        rule: the parts' symbols.
        parts: a Tree for each symbol of the rule that has rules; None for a token.
    """

    symbol: str
    rule: tuple[str, ...]
    parts: tuple

    def __getitem__(self, symbol: str) -> "Tree":
        return self.parts[self.rule.index(symbol)]

    def __contains__(self, symbol: str) -> bool:
        return symbol in self.rule


class Shapes:
    """Draws trees of weighted rules that have exactly as many tokens as asked for.

    Args:
        rules: symbol → list of (weight, parts); a part without rules is one token. No rule may be empty, and no
            symbol may become itself alone.
    """

    def __init__(self, rules: dict[str, list[tuple[float, tuple[str, ...]]]]):
        self.rules = {
            symbol: [(w / sum(v for v, _ in choices), parts) for w, parts in choices]
            for symbol, choices in rules.items()
        }
        self._weights: dict = {}
        self._choices: dict = {}

    def weight(self, parts: tuple[str, ...], n: int) -> float:
        """The probability that a sequence of symbols becomes n tokens.

        Args:
            parts: the symbols.
            n: the number of tokens.

        Returns:
            A number in 0…1.
        """
        if n < len(parts) or not parts:
            return float(n == 0 and not parts)
        if (parts, n) not in self._weights:
            self._weights[parts, n] = sum(weight for weight, _ in self._ways(parts, n))
        return self._weights[parts, n]

    def _ways(self, parts: tuple[str, ...], n: int) -> list[tuple[float, Any]]:
        """For one symbol: (weight, rule). For more: (weight, length of the first)."""
        first, rest = parts[:1], parts[1:]
        if rest:
            lengths = range(1, n - len(rest) + 1)
            ways: list[tuple[float, Any]] = [
                (self.weight(first, k) * self.weight(rest, n - k), k) for k in lengths
            ]
        elif first[0] in self.rules:
            ways = [
                (w * self.weight(rule, n), rule) for w, rule in self.rules[first[0]]
            ]
        else:
            ways = [(float(n == 1), ())]
        return [(weight, way) for weight, way in ways if weight > 0]

    def draw(self, symbol: str, n: int, rng: random.Random) -> Tree:
        """Draw a tree of n tokens.

        Args:
            symbol: its root, which has rules.
            n: how many tokens; `weight((symbol,), n)` must be above 0.
            rng: the source of chance.

        Returns:
            A Tree.
        """
        rule = self._choose((symbol,), n, rng)
        parts: list[Tree | None] = []
        for i, part in enumerate(rule):
            if part not in self.rules:
                parts.append(None)
                n -= 1
                continue
            k = self._choose(rule[i:], n, rng) if i < len(rule) - 1 else n
            parts.append(self.draw(part, k, rng))
            n -= k
        return Tree(symbol, rule, tuple(parts))

    def _choose(self, parts: tuple[str, ...], n: int, rng: random.Random) -> Any:
        if (parts, n) not in self._choices:
            weights, ways = zip(*self._ways(parts, n), strict=True)
            self._choices[parts, n] = list(accumulate(weights)), ways
        bounds, ways = self._choices[parts, n]
        return ways[min(bisect(bounds, rng.random() * bounds[-1]), len(ways) - 1)]
