"""How wrong numbers relate to the right ones: a factor, a sign, a step too many, an argument that is ignored."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import torch

from .exercise import Exercise, draw
from .kinds import listed
from .observe import copies, observe, read_from_outside
from .recognise import Case, near, smallest_wrong, tell_several
from .verdict import Finding
from .wording import inputs, number, side_by_side, values


# a right answer to which one thing too many was done (or too little): name, "it looks as if …", what was done, question
RELATIONS: tuple[tuple[str, str, Callable, str], ...] = (
    ("sign", "the sign is turned round", lambda r: -r, "Should a closer match give a larger number or a smaller one?"),
    ("softmax-on-top", "a softmax is applied on top", lambda r: r.softmax(-1),
     "Do the rows of what was asked for have to sum to 1 already, or does that come in a later step?"),
    ("exp-on-top", "an exponential is applied on top", lambda r: r.exp(), "Who takes the exponential: this function, or the step after it?"),
    ("log-on-top", "a logarithm is applied on top", lambda r: r.log(), "Are probabilities asked for, or their logarithms?"),
    ("absolute", "the sign is dropped (an absolute value)", lambda r: r.abs(),
     "What does a negative number mean here, and may it become positive?"),
    ("squared", "the result is squared", lambda r: r * r, "Which line squares the finished number?"),
    ("rooted", "a square root is taken of the result", lambda r: r.sqrt(), "Which line takes the root of the finished number?"),
    ("clamped", "negative numbers are cut off at 0", lambda r: r.clamp(min=0), "What does a negative number mean here?"),
    ("tanh-on-top", "a tanh is applied on top", lambda r: r.tanh(), "May the result be larger than 1?"),
    ("rounded", "the numbers are rounded (an integer type?)", lambda r: r.round(), "Which line turns floating-point numbers into whole ones?"),
    ("truncated", "the digits behind the point are cut off (an integer type?)", lambda r: r.trunc(),
     "Which line turns floating-point numbers into whole ones?"),
)


def relation(exercise: Exercise, cases: list[Case]) -> Finding | None:
    """Find a simple relation between the reader's numbers and the right ones (or those of a known mistake).

    Args:
        exercise: the exercise.
        cases: the probes, all answered by tensors of the right shape.

    Returns:
        The finding, or None.
    """
    for name, looks, change, asks in RELATIONS:
        if all(near(case.got, change(case.expected)) for case in cases):
            case = smallest_wrong(cases)
            return Finding(name, "one step too many",
                           side_by_side(inputs(exercise.parameters, case.arguments), case.expected, case.got),
                           f"It looks as if {looks}. {asks}")
    found = _factor(exercise, cases) or _offset(exercise, cases)
    return found or _known_and_more(exercise, cases)


def _known_and_more(exercise: Exercise, cases: list[Case]) -> Finding | None:
    for mistake in (mistake for mistake in exercise.wrong if mistake.looks):
        try:
            results = [mistake.wrong(*copies(case.arguments)).detach() for case in cases]
        except Exception:  # a mistake that raises on the probes cannot be half of a pair
            continue
        for name, looks, change, _ in RELATIONS:
            if all(near(case.got, change(result)) for case, result in zip(cases, results, strict=True)):
                return tell_several(exercise, [mistake.looks, looks], f"{mistake.name} + {name}", cases)
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
    says = (f"{side_by_side(inputs(exercise.parameters, case.arguments), case.expected, case.got)}"
            f"Every number is {number(ratios[where])} times what it should be.")
    matter = [axis for axis in sizes[0] if formula is None or axis in formula]
    seen = "; ".join(f"{number(ratio)} for " + ", ".join(f"{axis} = {size[axis]}" for axis in matter)
                     for ratio, size in list(zip(ratios, sizes, strict=True))[:3])
    if formula is None:
        return Finding("factor", "a factor", f"{says}\nThe factor changes with the arguments: {seen}.",
                       "By what do you multiply or divide, and what should it depend on?")
    if any(axis in formula for axis in sizes[0]):
        return Finding("factor", "a factor", f"{says}\nOver the shapes that were tried the factor is {formula}: {seen}.",
                       f"Which of your lines multiplies or divides by something that grows with {_axes_in(formula, sizes[0])}, "
                       "and by what should it?")
    return Finding("factor", "a factor", f"{says}\nThe factor is {formula} for every shape that was tried.",
                   f"Where in your code does a factor of {formula} come from, or one get lost?")


def _axes_in(formula: str, sizes: dict[str, int]) -> str:
    return " and ".join(axis for axis in sizes if axis in formula)


def _as_formula(ratios: list[float], sizes: list[dict[str, int]]) -> str | None:
    if max(ratios) - min(ratios) < 1e-5 * abs(ratios[0]):
        return number(ratios[0])
    axes = list(sizes[0])
    groups = [(axis,) for axis in axes] + list(itertools.combinations(axes, 2))
    for group in groups:
        product = [float(np.prod([size[axis] for axis in group])) for size in sizes]
        name = "·".join(group)
        for power, text in ((1, name), (-1, f"1/({name})" if len(group) > 1 else f"1/{name}"),
                            (0.5, f"√({name})" if len(group) > 1 else f"√{name}"),
                            (-0.5, f"1/√({name})" if len(group) > 1 else f"1/√{name}"), (-1.5, f"1/({name}·√{name})")):
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
    return Finding("offset", "something is added",
                   f"{side_by_side(inputs(exercise.parameters, case.arguments), case.expected, case.got)}"
                   f"Every number is off by {number(offsets[0])}, for every shape that was tried.",
                   "Where does this constant come in?")


def ignores(exercise: Exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Find an argument that makes no difference to the reader's result although it should.

    Args:
        exercise: the exercise.
        fn: the reader's function.
        cases: the probes, all answered by tensors.

    Returns:
        The finding, or None.
    """
    case = max(cases, key=lambda case: case.expected.numel())
    for position, name in enumerate(exercise.parameters):
        other = list(copies(case.arguments))
        if isinstance(other[position], torch.Tensor) and other[position].is_floating_point():
            other[position] = other[position] + (draw(*other[position].shape, seed=99) if other[position].dim() else 0.4)
        elif isinstance(other[position], torch.Tensor):
            other[position] = other[position].flip(0)
        else:
            other[position] = 1.3 * other[position]
        changed = observe(fn, tuple(other))
        wanted = exercise.solution(*copies(tuple(other)))
        if isinstance(changed.result, torch.Tensor) and near(changed.result, case.got) and not near(wanted, case.expected):
            outside = {n: what for n, what in read_from_outside(fn).items() if what.startswith("a tensor")}
            if outside:
                return Finding("reads-a-global", "the notebook's tensors, not the arguments",
                               f"Your result stays the same whatever `{name}` is. Your function reads {listed(outside)} from the notebook; "
                               "a function should live on its arguments alone.",
                               f"Which name inside your function should be `{name}`?")
            return Finding("ignores-an-argument", f"`{name}` makes no difference",
                           f"Two calls that differ only in `{name}` give the same result, {values(case.got)}; they should differ.",
                           f"Where does `{name}` enter your computation, and what makes it cancel or get lost on the way?")
    return None


def _close(case: Case) -> torch.Tensor:
    return torch.isclose(case.got.detach().to(torch.float64), case.expected, rtol=1e-5, atol=1e-7)


def where_wrong(exercise: Exercise, case: Case) -> str:
    """Say where the wrong numbers lie.

    Args:
        exercise: the exercise.
        case: a probe with a result of the right shape.

    Returns:
        A sentence, or "" if there is nothing to say (a single number, or all are wrong).
    """
    if case.expected.numel() < 2:
        return ""
    wrong = ~_close(case)
    count, total = int(wrong.sum()), wrong.numel()
    if count == total:
        return ""
    text = f"{total - count} of {total} numbers are right"
    for dim, axis in enumerate(exercise.returns.split()):
        at = wrong.movedim(dim, 0).flatten(1).any(1).nonzero().flatten().tolist() if wrong.dim() > 1 else wrong.nonzero().flatten().tolist()
        if wrong.shape[dim] > 1 and len(at) == 1:
            return f"{text}; the wrong ones all lie at index {at[0]} of the axis {axis}."
        if wrong.shape[dim] > 1 and at == list(range(1, wrong.shape[dim])):
            return f"{text}; index 0 of the axis {axis} is right, all others have mistakes."
    return text + "."


def unknown(exercise: Exercise, cases: list[Case]) -> Finding:
    """Describe a wrong answer that nothing else recognised, by the smallest probe that shows it.

    Args:
        exercise: the exercise.
        cases: the probes, all answered by tensors of the right shape; at least one is wrong.

    Returns:
        The finding.
    """
    case = smallest_wrong(cases)
    says = side_by_side(inputs(exercise.parameters, case.arguments), case.expected, case.got) + where_wrong(exercise, case)
    says = says.rstrip()
    if case is cases[0]:
        path = "; ".join(f"{what} {values(value)}" for what, value in exercise.steps(*case.arguments))
        return Finding("unknown", "the numbers", f"{says}\nOn the way to it one passes: {path}.",
                       "Print the same quantities in your function: which is the first that differs?")
    shapes = ", ".join(f"{axis} = {size}" for axis, size in exercise.sizes(cases[0].arguments).items())
    return Finding("right-for-the-example-only", "right for the example only",
                   f"With the small example ({shapes}) your answer is right.\n{says}",
                   "What is special about the small example: an axis of size 1, two equal numbers, a size written into the code?")


def not_repeatable(exercise: Exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Find an answer that changes from call to call.

    Args:
        exercise: the exercise.
        fn: the reader's function.
        cases: the probes, all answered by tensors.

    Returns:
        The finding, or None.
    """
    again = observe(fn, cases[0].arguments).result
    if isinstance(again, torch.Tensor) and near(again, cases[0].got.detach()):
        return None
    return Finding("not-repeatable", "a different answer every time",
                   f"Two calls with the same arguments ({inputs(exercise.parameters, cases[0].arguments)}) give different results.",
                   "What does your function remember from call to call, or draw at random, or read from memory that it never filled?")
