"""How wrong numbers relate to the right ones: a factor, a sign, a step too many, something added."""

import contextlib
import functools
import itertools
import math
from collections.abc import Callable, Iterator

import torch

from .calls import copies
from .case import Case, near, smallest_wrong, telling
from .errors import at_the_edge
from .language import say
from .recognise import LOOKS, tell_several, worded
from .verdict import Finding, message
from .wording import listed, number

# what may have been done to a right answer besides; `messages.txt` has the words
RELATIONS: dict[str, Callable] = {
    "sign": torch.neg,
    "softmax-on-top": lambda r: r.softmax(-1),
    "softmax-over-another-axis": lambda r: r.softmax(max(-2, -r.dim())),
    "exp-on-top": torch.exp,
    "log-on-top": torch.log,
    "absolute": torch.abs,
    "squared": torch.square,
    "rooted": torch.sqrt,
    "clamped": torch.relu,
    "rounded": torch.round,
    "truncated": torch.trunc,
}
# how a factor may depend on an axis (or two): the power of its size, and how one writes it
POWERS = (1, "{}"), (-1, "1/{}"), (0.5, "√{}"), (-0.5, "1/√{}"), (-1.5, "1/({0}·√{0})")


def relation(exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Find a simple relation between the reader's numbers and the right ones (or those of a known mistake)."""
    for name, change in RELATIONS.items():
        if all(near(case.got, change(case.expected)) for case in cases) and telling(cases):
            return message(name, seen=smallest_wrong(cases).seen)
    if found := _factor(exercise, cases) or _offset(cases):
        return found
    changes = RELATIONS.items() if telling(cases) else ()
    for (mistake, result), (name, change) in itertools.product(_mistaken(exercise, cases), changes):
        if _agree(cases, result, change):
            looks = message(name, seen="").about.removeprefix(say(LOOKS, phrase=""))
            return tell_several([mistake.phrase, looks], f"{mistake.name} + {name}", cases)
    return None


def _mistaken(exercise, cases: list[Case]) -> Iterator[tuple]:
    """Each mistake that has words, with its results: a function of the case's place, since most differ in the first."""
    for mistake in worded(exercise):
        wrong = exercise.mistaken(mistake)
        result = functools.cache(lambda i, wrong=wrong: cases[i].numbers(wrong(*copies(cases[i].arguments))).detach())
        with contextlib.suppress(Exception):  # one that raises on the probes cannot be half of a pair
            result(0)
            yield mistake, result


def _agree(cases: list[Case], result: Callable[[int], torch.Tensor], change: Callable) -> bool:
    """Whether a mistake's results, changed, are the reader's on every probe."""
    with contextlib.suppress(Exception):  # the mistake raises, or its result cannot be changed so
        return all(near(case.got, change(result(i))) for i, case in enumerate(cases))
    return False


def turned(exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Find a known mistake whose result has its axes in the wrong order besides."""
    axes = exercise.returns.split()
    orders = list(itertools.permutations(range(len(axes))))
    if any(_permuted(cases, lambda i: cases[i].expected, order) for order in orders):
        return None  # nothing is wrong but the order of the axes
    for mistake, result in _mistaken(exercise, cases) if len(orders) > 1 else ():
        for order in orders[1:]:
            if _permuted(cases, result, order):
                yours = ", ".join(axes[i] for i in order)
                looks = [mistake.phrase, say("the axes of the result come in the order ({axes})", axes=yours)]
                return tell_several(looks, f"{mistake.name} + transposed", cases)
    return None


def _permuted(cases: list[Case], result: Callable[[int], torch.Tensor], order: tuple) -> bool:
    return _agree(cases, result, lambda numbers: numbers.permute(order))


def _factor(exercise, cases: list[Case]) -> Finding | None:
    ratios, sizes = [], [exercise.sizes(case.arguments) for case in cases]
    for case in cases:
        got = case.got.to(torch.float64)
        ratio = (got / case.expected)[case.expected.abs() > 1e-3].mean()  # NaN if there is none
        if not 1e-6 < ratio.abs() < 1e6 or not near(got, ratio * case.expected):
            return None
        ratios.append(float(ratio))
    if all(abs(ratio - 1) < 3e-3 for ratio in ratios):
        return None  # right to a few digits, which has words of its own
    formula = _as_formula(ratios, sizes)
    few = max(int((case.expected.abs() > 1e-3).sum()) for case in cases) < 3
    if formula is None and (few or at_the_edge(exercise, cases)):
        return None  # of one or two numbers any two have a ratio, and at an edge few are left
    here = ratios[[case is smallest_wrong(cases) for case in cases].index(True)]
    says = smallest_wrong(cases).seen + say("Every number is {ratio} times what it should be.", ratio=number(here))
    matter = [axis for axis in sizes[0] if formula is None or axis in formula]
    told = [
        (number(ratio), ", ".join(f"{axis} = {number(size[axis])}" for axis in matter))
        for ratio, size in list(zip(ratios, sizes, strict=True))[:3]
    ]
    seen = say("; ").join(say("{ratio} for {sizes}", ratio=ratio, sizes=size) for ratio, size in told)
    if formula is None:
        return message("factor", says=says, seen=seen)
    if matter:
        return message("factor/grows", says=says, formula=formula, seen=seen, axes=listed(matter))
    return message("factor/constant", says=says, formula=formula)


def _as_formula(ratios: list[float], sizes: list[dict[str, int]]) -> str | None:
    if max(ratios) - min(ratios) < 1e-5 * abs(ratios[0]):
        return number(ratios[0])
    axes = [axis for axis in sizes[0] if all(size[axis] for size in sizes)]  # a number may be 0
    groups = [(axis,) for axis in axes] + list(itertools.combinations(axes, 2))
    for group, (power, text) in itertools.product(groups, POWERS):
        name = group[0] if len(group) == 1 else f"({'·'.join(group)})" if power != 1 else "·".join(group)
        products = [math.prod(size[axis] for axis in group) for size in sizes]
        rest = [ratio / product**power for ratio, product in zip(ratios, products, strict=True)]
        if max(rest) - min(rest) < 1e-5 * abs(rest[0]):
            return text.format(name) if abs(rest[0] - 1) < 1e-5 else f"{number(rest[0])} · {text.format(name)}"
    return None


def _offset(cases: list[Case]) -> Finding | None:
    offsets = [float((case.got.detach().to(torch.float64) - case.expected).mean()) for case in cases]
    off = all(near(c.got.to(torch.float64), c.expected + by) for c, by in zip(cases, offsets, strict=True))
    if not off or max(offsets) - min(offsets) > 1e-5:
        return None
    return message("offset", seen=smallest_wrong(cases).seen, offset=number(offsets[0]))
