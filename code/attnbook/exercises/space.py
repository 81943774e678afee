"""The space of an exercise's allowed arguments: what is drawn from it by seed, and how a failing draw is made small.

An exercise says its space as a function of a `Pick`:

    def space(pick) -> tuple:
        B, T, S = pick.sizes(1, 1, 1)
        return pick.numbers(B, T, S, far=3000), pick.lengths(B, S)

Everything that is drawn is exact and made without torch, so that a page draws the same as PyTorch.
"""

import math
import random
from collections.abc import Callable, Iterator, Sequence

import torch

from .case import Case, make_case

DRAWS = 24  # from each space
TRIES = 60  # of making a failing draw smaller
SIZES = 1, 2, 3, 5, 7, 11, 13


class Pick:
    """Picks by seed, one choice after another, and remembers which: the same choices make the same arguments.

    Each choice is a number, and 0 is the simplest. Given `choices`, it makes these.
    """

    def __init__(self, seed: str, choices: Sequence[int] | None = None):
        self.seed, self.choices, self.made = seed, choices, []

    def of(self, *options):
        """One of several things, the simplest first."""
        place = len(self.made)
        if self.choices is None:
            chosen = self._chance().randrange(len(options))
        else:
            chosen = min(self.choices[place], len(options) - 1) if place < len(self.choices) else 0
        self.made.append(chosen)
        return options[chosen]

    def _chance(self) -> random.Random:
        """Random numbers of their own for every choice, so that one that is made simpler leaves the others alone."""
        return random.Random(int.from_bytes(f"{self.seed} {len(self.made)}".encode(), "big"))

    def sizes(self, *least: int) -> list[int]:
        """A size for each of some axes, all different and at least so large."""
        found: list[int] = []
        some = SIZES[: max(4, len(least) + sum(n < max(least) for n in SIZES))]
        for smallest in least:
            found.append(self.of(*(n for n in some if n >= smallest and n not in found)))
        return found

    def numbers(self, *shape: int, most: int = 3, far: int = 0, loud: int = 1) -> torch.Tensor:
        """Whole numbers or eighths up to `most`, so that some are equal.

        Rows, or single numbers, may lie apart by `far` or be `loud` times as large.
        """
        parts = self.of(1, 8)
        reach = self.of("", "rows", "numbers") if far or loud > 1 else ""
        chance, flat = self._chance(), []
        for i in range(math.prod(shape)):
            if not i or reach == "numbers" or (reach == "rows" and i % shape[-1] == 0):
                add, times = chance.choice((0, far, -far)) * bool(reach), chance.choice((1, loud)) if reach else 1
            flat.append(chance.randint(-most * parts, most * parts) / parts * times + add)
        return torch.tensor(flat, dtype=torch.float64).reshape(shape)

    def distinct(self, *shape: int) -> torch.Tensor:
        """Eighths around 0, no two of them equal, in any order."""
        count = math.prod(shape)
        order = self._chance().sample(range(count), count)
        return torch.tensor([(n - count // 2) / 8 for n in order], dtype=torch.float64).reshape(shape)

    def weights(self, *shape: int, least: int = 0, mask: torch.Tensor | None = None) -> torch.Tensor:
        """Rows that sum to 1; zeros are among them if `least` is 0, and only zeros where the mask is False."""
        chance = self._chance()
        flat = [chance.choice((least, least, *range(least, 9))) for _ in range(math.prod(shape))]
        found = torch.tensor(flat, dtype=torch.float64).reshape(shape)
        allowed = torch.ones(shape, dtype=torch.float64) if mask is None else mask.to(torch.float64).expand(shape)
        found = found * allowed
        empty = (found.sum(-1, keepdim=True) == 0).to(torch.float64)
        found = found + empty * allowed  # a row of zeros becomes even
        return found / found.sum(-1, keepdim=True)

    def lengths(self, count: int, most: int, least: int = 0) -> torch.Tensor:
        """So many lengths, the shortest and the longest more often than others."""
        chance = self._chance()
        return torch.tensor([chance.choice((least, most, chance.randint(least, most))) for _ in range(count)])

    def below(self, limits: torch.Tensor) -> torch.Tensor:
        """A whole number from 0 on below each limit."""
        chance = self._chance()
        return torch.tensor([chance.randrange(limit) for limit in limits.tolist()])

    def ids(self, *shape: int, among: Sequence[int]) -> torch.Tensor:
        """Whole numbers, some of `among`."""
        chance = self._chance()
        return torch.tensor([chance.choice(among) for _ in range(math.prod(shape))]).reshape(shape)

    def rows(self, batch: int, length: int, among: Sequence[int], pad: int, least: int = 0, left: bool = False):
        """Rows of ids of different lengths, filled up with `pad` at the end (or in front)."""
        there = torch.arange(length) < self.lengths(batch, length, least)[:, None]
        words = self.ids(batch, length, among=[word for word in among if word != pad])
        return words.masked_fill(~(there.flip(1) if left else there), pad)

    def mask(self, *shape: int) -> torch.Tensor:
        """True and False at random; some rows are all True or all False."""
        chance, flat = self._chance(), []
        for _ in range(math.prod(shape[:-1])):
            share = chance.choice((0.0, 0.5, 0.5, 1.0))
            flat += [chance.random() < share for _ in range(shape[-1])]
        return torch.tensor(flat, dtype=torch.bool).reshape(shape)

    def some(self, *options, least: int = 0, most: int = 7) -> list:
        """A list of some of these, in any order, with repetitions."""
        count = self.of(*range(least, most + 1))
        chance = self._chance()
        return [chance.choice(options) for _ in range(count)]


def draws(exercise, fn: Callable) -> list[Case]:
    """Draw from an exercise's space; if the reader's function fails on one, the first is it, made small."""
    cases, failed = [], None
    for number in range(DRAWS):
        pick = Pick(f"{exercise.name} {number}")
        cases.append(make_case(exercise, fn, exercise.space(pick)))
        if failed is None and not cases[-1].right():
            failed = pick, cases[-1]
    return [_small(exercise, fn, *failed), *cases] if failed else cases


def _small(exercise, fn: Callable, pick: Pick, case: Case) -> Case:
    """Make choices simpler one by one, as long as the reader's function fails in the same way."""
    tried = 0
    while tried < TRIES:
        for choices in _simpler(pick.made):
            tried += 1
            other = Pick(pick.seed, choices)
            new = make_case(exercise, fn, exercise.space(other))
            if not new.right() and _way(new) == _way(case):
                pick, case = other, new
                break
            if tried == TRIES:
                break
        else:
            break
    return case


def _simpler(choices: list[int]) -> Iterator[list[int]]:
    for i, choice in enumerate(choices):
        for lower in sorted({0, choice // 2, choice - 1} - {-1, choice}):
            yield [*choices[:i], lower, *choices[i + 1 :]]


def _way(case: Case) -> object:
    """How a case fails: which error, another kind or shape, numbers that are not finite, wrong numbers."""
    if case.call.error is not None:
        return type(case.call.error)
    if case.got is None or case.got.shape != case.expected.shape:
        return case.got is None
    return "numbers" if torch.isfinite(case.got).all() else "not finite"
