"""What can be seen of a wrong answer that nothing explains: where it is wrong, what it depends on."""

from __future__ import annotations

from collections.abc import Callable

import torch

from .arguments import draw
from .errors import at_the_edge, listed
from .exercise import Exercise
from .observe import copies, observe, read_from_outside
from .recognise import Case, make_case, near, smallest_wrong
from .verdict import Finding
from .wording import inputs, shapes, side_by_side, values


def ignores(exercise: Exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Find an argument that makes no difference to the reader's result although it should."""
    cases = [case for case in cases if not case.right()]
    cases = sorted(cases, key=lambda case: -case.expected.numel())[:2]  # two, lest it be a coincidence
    for position, name in enumerate(exercise.parameters):
        if all(_makes_no_difference(exercise, fn, case, position) for case in cases):
            case = cases[0]
            outside = {n: what for n, what in read_from_outside(fn).items() if what.startswith("a tensor")}
            if outside:
                return Finding(
                    "reads-a-global",
                    "the notebook's tensors, not the arguments",
                    f"Your result stays the same whatever `{name}` is. Your function reads "
                    f"{listed(outside)} from the notebook; "
                    "a function should live on its arguments alone.",
                    f"Which name inside your function should be `{name}`?",
                )
            return Finding(
                "ignores-an-argument",
                f"`{name}` makes no difference",
                f"Two calls that differ only in `{name}` give the same result, {values(case.got)}; they should differ.",
                f"Where does `{name}` enter your computation, and what makes it cancel or get lost on the way?",
            )
    return None


def _makes_no_difference(exercise: Exercise, fn: Callable, case: Case, position: int) -> bool:
    other = list(copies(case.arguments))
    if isinstance(other[position], int):
        return _makes_no_difference_whole(exercise, fn, case, position)
    if not isinstance(other[position], torch.Tensor):
        other[position] = 1.3 * other[position]
    elif other[position].is_floating_point():
        shift = draw(*other[position].shape, seed=99) if other[position].dim() else 0.4
        other[position] = other[position] + shift
    else:
        other[position] = torch.where(other[position] > 2, other[position] - 1, other[position] + 1)
    return _same_answer(exercise, fn, case, tuple(other)) is True


def _makes_no_difference_whole(exercise: Exercise, fn: Callable, case: Case, position: int) -> bool:
    n = case.arguments[position]
    for whole in (
        n + 1,
        2 * n,
        1,
        n - 1,
    ):  # the first that the task allows, such as a divisor
        other = (*case.arguments[:position], whole, *case.arguments[position + 1 :])
        same = None if whole in (n, 0) else _same_answer(exercise, fn, case, other)
        if same is not None:
            return same
    return False


def _same_answer(exercise: Exercise, fn: Callable, case: Case, other: tuple) -> bool | None:
    """Whether a call with other arguments gives the reader's old answer but should not; None if it is no call."""
    try:
        wanted = make_case(exercise, fn, other)
    except Exception:  # not among the arguments that the task allows
        return None
    same = wanted.got is not None and near(wanted.got, case.got.detach())
    return same and not near(wanted.expected, case.expected)


def _close(case: Case) -> torch.Tensor:
    return torch.isclose(case.got.detach().to(torch.float64), case.expected, rtol=1e-5, atol=1e-7)


def where_wrong(exercise: Exercise, case: Case) -> str:
    """Say where the wrong numbers lie."""
    if case.expected.numel() < 2:
        return ""
    wrong = ~_close(case)
    count, total = int(wrong.sum()), wrong.numel()
    if count == total:
        return ""
    text = f"{total - count} of {total} numbers are right"
    for dim, axis in enumerate(exercise.returns.split()):
        at = (
            wrong.movedim(dim, 0).flatten(1).any(1).nonzero().flatten().tolist()
            if wrong.dim() > 1
            else wrong.nonzero().flatten().tolist()
        )
        if wrong.shape[dim] > 1 and len(at) == 1:
            return f"{text}; the wrong ones all lie at index {at[0]} of the axis {axis}."
        if wrong.shape[dim] > 1 and at == list(range(1, wrong.shape[dim])):
            return f"{text}; index 0 of the axis {axis} is right, all others have mistakes."
    return text + "."


def unknown(exercise: Exercise, cases: list[Case]) -> Finding:
    """Describe a wrong answer that nothing else recognised, by the smallest probe that shows it."""
    case = smallest_wrong(cases)
    says = side_by_side(inputs(exercise.parameters, case.arguments), case.expected, case.got) + where_wrong(
        exercise, case
    )
    says = says.rstrip()
    if case is cases[0]:
        return Finding(
            "unknown",
            "the numbers",
            f"{says}{path(exercise, case)}",
            "Print the same quantities in your function: which is the first that differs?",
        )
    if at_the_edge(exercise, cases):
        return Finding(
            "wrong-at-the-edge",
            "at the edge",
            f"For ordinary arguments your answer is right.\n{says}",
            "What is special about these arguments: an axis of size 1, equal numbers, a length of 0?",
        )
    sizes = ", ".join(f"{axis} = {size}" for axis, size in exercise.sizes(cases[0].arguments).items())
    return Finding(
        "right-for-the-example-only",
        "right for the example only",
        f"With the small example ({sizes}) your answer is right.\n{says}",
        "What is special about the small example: an axis of size 1, two equal numbers, a size written into the code?",
    )


def almost(exercise: Exercise, cases: list[Case]) -> Finding | None:
    """Find numbers that are right to a few digits only."""
    if not all(torch.allclose(case.got.to(torch.float64), case.expected, rtol=3e-3, atol=3e-3) for case in cases):
        return None
    case = smallest_wrong(cases)
    return Finding(
        "few-digits",
        "right to a few digits",
        f"{side_by_side(inputs(exercise.parameters, case.arguments), case.expected, case.got).rstrip()}\n"
        "For all shapes that were tried your numbers are right to two or three digits, and no further.",
        "Is something rounded, is half precision used, or is a small number added (to a sum that is divided by, say)?",
    )


def not_repeatable(exercise: Exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Find an answer that changes from call to call."""
    for case in cases:
        again = case.answered(observe(fn, case.arguments)).got
        if again is None or not near(again, case.got.detach()):
            break
    else:
        return None
    return Finding(
        "not-repeatable",
        "a different answer every time",
        f"Two calls with the same arguments ({shapes(exercise.parameters, case.arguments)}) give different results.",
        "What does your function remember from call to call, or draw at random, or read from memory that "
        "it never filled?",
    )


def path(exercise: Exercise, case: Case) -> str:
    """The numbers that the solution passes on the way to its answer, as a line of a message."""
    steps = "; ".join(f"{what} {values(value)}" for what, value in exercise.on_the_way(case.arguments))
    return f"\nOn the way to it one passes: {steps}." if steps else ""
