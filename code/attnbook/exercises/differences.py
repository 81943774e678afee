"""What can be seen of a wrong answer that nothing explains: where it is wrong, what it depends on."""

from collections.abc import Callable

import torch

from .arguments import draw
from .errors import at_the_edge, listed
from .observe import copies, observe, read_from_outside
from .recognise import Case, make_case, near, smallest_wrong
from .verdict import Finding, message
from .wording import inputs, shapes, side_by_side, values


def ignores(exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Find an argument that makes no difference to the reader's result although it should."""
    right = [case for case in cases if case.right()][:2]
    cases = [case for case in cases if not case.right()]
    cases = sorted(cases, key=lambda case: -case.expected.numel())[:2]  # two, lest it be a coincidence
    for position, name in enumerate(exercise.parameters):
        ignored = all(_makes_no_difference(exercise, fn, case, position) for case in cases)
        if ignored and not any(_makes_a_difference(exercise, fn, case, position) for case in right):
            outside = {n: what for n, what in read_from_outside(fn).items() if what.startswith("a tensor")}
            if outside:
                return message("reads-a-global", name=name, outside=listed(outside))
            return message("ignores-an-argument", name=name, got=values(cases[0].got))
    return None


def _makes_no_difference(exercise, fn: Callable, case: Case, position: int) -> bool:
    """Whether the first other value that the task allows gives the reader's old answer but should not."""
    for value in _others(case.arguments[position]):
        other = list(copies(case.arguments))
        other[position] = value
        try:
            wanted = make_case(exercise, fn, tuple(other))
        except Exception:  # not among the arguments that the task allows
            continue
        same = wanted.got is not None and near(wanted.got, case.got.detach())
        return same and not near(wanted.expected, case.expected)
    return False


def _makes_a_difference(exercise, fn: Callable, case: Case, position: int) -> bool:
    """Whether some other value that the task allows gives another answer than the reader's old one."""
    for value in _others(case.arguments[position]):
        other = list(copies(case.arguments))
        other[position] = value
        try:
            new = make_case(exercise, fn, tuple(other))
        except Exception:  # not among the arguments that the task allows
            continue
        if new.got is not None and not near(new.got, case.got.detach()):
            return True
    return False


def _others(x: object) -> list:
    """Other values for an argument."""
    if isinstance(x, int):
        return [n for n in (x + 1, 2 * x, 1, x - 1) if n not in (x, 0)]
    if not isinstance(x, torch.Tensor):
        return [1.3 * x]
    if x.is_floating_point():
        return [x + (draw(*x.shape, seed=99) if x.dim() else 0.4)]
    return [torch.where(x > 2, x - 1, x + 1)]


def where_wrong(exercise, case: Case) -> str:
    """Say where the wrong numbers are."""
    wrong = ~torch.isclose(case.got.detach().to(torch.float64), case.expected, rtol=1e-5, atol=1e-7)
    if wrong.numel() < 2 or wrong.all():
        return ""
    text = f"{int((~wrong).sum())} of {wrong.numel()} numbers are right"
    for dim, axis in enumerate(exercise.returns.split()):
        at = wrong.movedim(dim, 0).reshape(wrong.shape[dim], -1).any(1).nonzero().flatten().tolist()
        if wrong.shape[dim] > 1 and len(at) == 1:
            return f"{text}; the wrong ones are all at index {at[0]} of the axis {axis}."
        if wrong.shape[dim] > 1 and at == list(range(1, wrong.shape[dim])):
            return f"{text}; index 0 of the axis {axis} is right, all others have mistakes."
    return text + "."


def unknown(exercise, cases: list[Case]) -> Finding:
    """Describe a wrong answer that nothing else recognised, by the smallest probe that shows it."""
    case = smallest_wrong(cases)
    seen = side_by_side(inputs(exercise.parameters, case.arguments), case.expected, case.got)
    seen = (seen + where_wrong(exercise, case)).rstrip()
    if case is cases[0]:
        return message("unknown", what="the numbers", seen=seen + path(exercise, case))
    if at_the_edge(exercise, cases):
        return message("wrong-at-the-edge", seen=seen)
    sizes = ", ".join(f"{axis} = {size}" for axis, size in exercise.sizes(cases[0].arguments).items())
    return message("right-for-the-example-only", seen=seen, sizes=sizes)


def almost(exercise, cases: list[Case]) -> Finding | None:
    """Find numbers that are right to a few digits only."""
    if not all(torch.allclose(case.got.to(torch.float64), case.expected, rtol=3e-3, atol=3e-3) for case in cases):
        return None
    case = smallest_wrong(cases)
    seen = side_by_side(inputs(exercise.parameters, case.arguments), case.expected, case.got)
    return message("few-digits", seen=seen.rstrip())


def not_repeatable(exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Find an answer that changes from call to call."""
    for case in cases:
        again = case.answered(observe(fn, case.arguments)).got
        if again is None or not near(again, case.got.detach()):
            return message("not-repeatable", shapes=shapes(exercise.parameters, case.arguments))
    return None


def path(exercise, case: Case) -> str:
    """The numbers that the solution passes on the way to its answer, as a line of a message."""
    steps = "; ".join(f"{what} {values(value)}" for what, value in exercise.on_the_way(case.arguments))
    return f"\nOn the way there, the solution computes: {steps}." if steps else ""
