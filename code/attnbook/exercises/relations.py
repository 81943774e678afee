"""How wrong numbers relate to the right ones: a factor, a sign, a step too many, something added."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import torch

from .exercise import Exercise
from .observe import copies
from .recognise import Case, near, smallest_wrong, tell_several
from .verdict import Finding
from .wording import inputs, number, side_by_side

# a right answer to which one thing too many was done:
# name, "it looks as if …", what was done, question
RELATIONS: tuple[tuple[str, str, Callable, str], ...] = (
    (
        "sign",
        "the sign is turned round",
        lambda r: -r,
        "Should a closer match give a larger number or a smaller one?",
    ),
    (
        "softmax-on-top",
        "a softmax is applied on top",
        lambda r: r.softmax(-1),
        "Do the rows of what was asked for have to sum to 1 already, or does that come in a later step?",
    ),
    (
        "softmax-over-another-axis",
        "a softmax over another axis than the last is applied on top",
        lambda r: r.softmax(max(-2, -r.dim())),
        "Is a softmax asked for at all, and if so, over which axis?",
    ),
    (
        "exp-on-top",
        "an exponential is applied on top",
        lambda r: r.exp(),
        "Who takes the exponential: this function, or the step after it?",
    ),
    (
        "log-on-top",
        "a logarithm is applied on top",
        lambda r: r.log(),
        "Are probabilities asked for, or their logarithms?",
    ),
    (
        "absolute",
        "the sign is dropped (an absolute value)",
        lambda r: r.abs(),
        "What does a negative number mean here, and may it become positive?",
    ),
    (
        "squared",
        "the result is squared",
        lambda r: r * r,
        "Which line squares the finished number?",
    ),
    (
        "rooted",
        "a square root is taken of the result",
        lambda r: r.sqrt(),
        "Which line takes the root of the finished number?",
    ),
    (
        "clamped",
        "negative numbers are cut off at 0",
        lambda r: r.clamp(min=0),
        "What does a negative number mean here?",
    ),
    (
        "tanh-on-top",
        "a tanh is applied on top",
        lambda r: r.tanh(),
        "May the result be larger than 1?",
    ),
    (
        "rounded",
        "the numbers are rounded (an integer type?)",
        lambda r: r.round(),
        "Which line turns floating-point numbers into whole ones?",
    ),
    (
        "truncated",
        "the digits behind the point are cut off (an integer type?)",
        lambda r: r.trunc(),
        "Which line turns floating-point numbers into whole ones?",
    ),
)


def relation(exercise: Exercise, cases: list[Case]) -> Finding | None:
    """Find a simple relation between the reader's numbers and the right ones (or those of a known mistake)."""
    for name, looks, change, asks in RELATIONS:
        if all(near(case.got, change(case.expected)) for case in cases):
            case = smallest_wrong(cases)
            return Finding(
                name,
                "one step too many",
                side_by_side(inputs(exercise.parameters, case.arguments), case.expected, case.got),
                f"It looks as if {looks}. {asks}",
            )
    found = _factor(exercise, cases) or _offset(exercise, cases)
    return found or _known_and_more(exercise, cases)


def _known_and_more(exercise: Exercise, cases: list[Case]) -> Finding | None:
    for mistake in (mistake for mistake in exercise.mistakes if mistake.says):
        try:
            results = [case.numbers(exercise.mistaken(mistake)(*copies(case.arguments))).detach() for case in cases]
        except Exception:  # a mistake that raises on the probes cannot be half of a pair
            continue
        for name, looks, change, _ in RELATIONS:
            if all(near(case.got, change(result)) for case, result in zip(cases, results, strict=True)):
                return tell_several(exercise, [mistake.phrase, looks], f"{mistake.name} + {name}", cases)
    return None


def turned(exercise: Exercise, cases: list[Case]) -> Finding | None:
    """Find a known mistake whose result has its axes in the wrong order besides."""
    axes = exercise.returns.split()
    for order in itertools.permutations(range(len(axes))):
        if all(case.got.dim() == len(axes) and near(case.got, case.expected.permute(order)) for case in cases):
            return None  # nothing is wrong but the order of the axes
    for mistake in (mistake for mistake in exercise.mistakes if mistake.says):
        try:
            results = [case.numbers(exercise.mistaken(mistake)(*copies(case.arguments))).detach() for case in cases]
        except Exception:  # a mistake that raises on the probes cannot be half of a pair
            continue
        for order in list(itertools.permutations(range(len(axes))))[1:]:
            if all(
                result.dim() == len(axes) and near(case.got, result.permute(order))
                for case, result in zip(cases, results, strict=True)
            ):
                yours = ", ".join(axes[i] for i in order)
                looks = [
                    mistake.phrase,
                    f"the axes of the result come in the order ({yours})",
                ]
                return tell_several(exercise, looks, f"{mistake.name} + transposed", cases)
    return None


def _factor(exercise: Exercise, cases: list[Case]) -> Finding | None:
    ratios = []
    for case in cases:
        seen = case.expected.abs() > 1e-3
        ratio = (case.got.to(torch.float64) / case.expected)[seen]
        if ratio.numel() == 0 or not near(case.got.to(torch.float64), ratio.mean() * case.expected):
            return None
        ratios.append(float(ratio.mean()))
    if not all(1e-6 < abs(ratio) < 1e6 for ratio in ratios):
        return None
    sizes = [exercise.sizes(case.arguments) for case in cases]
    formula = _as_formula(ratios, sizes)
    if formula is None and not exercise.returns:
        return None  # of single numbers any two have a ratio
    case = smallest_wrong(cases)
    where = {id(c): i for i, c in enumerate(cases)}[id(case)]
    says = (
        f"{side_by_side(inputs(exercise.parameters, case.arguments), case.expected, case.got)}"
        f"Every number is {number(ratios[where])} times what it should be."
    )
    matter = [axis for axis in sizes[0] if formula is None or axis in formula]
    seen = "; ".join(
        f"{number(ratio)} for " + ", ".join(f"{axis} = {number(size[axis])}" for axis in matter)
        for ratio, size in list(zip(ratios, sizes, strict=True))[:3]
    )
    if formula is None:
        return Finding(
            "factor",
            "a factor",
            f"{says}\nThe factor changes with the arguments: {seen}.",
            "By what do you multiply or divide, and what should it depend on?",
        )
    if any(axis in formula for axis in sizes[0]):
        return Finding(
            "factor",
            "a factor",
            f"{says}\nOver the shapes that were tried the factor is {formula}: {seen}.",
            f"Which of your lines multiplies or divides by something that grows with "
            f"{_axes_in(formula, sizes[0])}, "
            "and by what should it?",
        )
    return Finding(
        "factor",
        "a factor",
        f"{says}\nThe factor is {formula} for every shape that was tried.",
        f"Where in your code does a factor of {formula} come from, or one get lost?",
    )


def _axes_in(formula: str, sizes: dict[str, int]) -> str:
    return " and ".join(axis for axis in sizes if axis in formula)


def _as_formula(ratios: list[float], sizes: list[dict[str, int]]) -> str | None:
    if max(ratios) - min(ratios) < 1e-5 * abs(ratios[0]):
        return number(ratios[0])
    axes = [axis for axis in sizes[0] if all(size[axis] for size in sizes)]  # a number may be 0
    groups = [(axis,) for axis in axes] + list(itertools.combinations(axes, 2))
    for group in groups:
        product = [float(np.prod([size[axis] for axis in group])) for size in sizes]
        name = "·".join(group)
        for power, text in (
            (1, name),
            (-1, f"1/({name})" if len(group) > 1 else f"1/{name}"),
            (0.5, f"√({name})" if len(group) > 1 else f"√{name}"),
            (-0.5, f"1/√({name})" if len(group) > 1 else f"1/√{name}"),
            (-1.5, f"1/({name}·√{name})"),
        ):
            rest = [ratio / p**power for ratio, p in zip(ratios, product, strict=True)]
            if max(rest) - min(rest) < 1e-5 * abs(rest[0]):
                return text if abs(rest[0] - 1) < 1e-5 else f"{number(rest[0])} · {text}"
    return None


def _offset(exercise: Exercise, cases: list[Case]) -> Finding | None:
    offsets = []
    for case in cases:
        difference = case.got.to(torch.float64) - case.expected
        if case.expected.numel() > 1 and not near(case.got.to(torch.float64), case.expected + difference.mean()):
            return None
        offsets.append(float(difference.mean()))
    if max(offsets) - min(offsets) > 1e-5:
        return None
    case = smallest_wrong(cases)
    return Finding(
        "offset",
        "something is added",
        f"{side_by_side(inputs(exercise.parameters, case.arguments), case.expected, case.got)}"
        f"Every number is off by {number(offsets[0])}, for every shape that was tried.",
        "Where does this constant come in?",
    )
