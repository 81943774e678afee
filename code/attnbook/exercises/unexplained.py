"""What can be seen of a wrong answer that nothing explains: where it is wrong, what it depends on."""

import contextlib
from collections.abc import Callable, Iterator

import torch

from .arguments import draw
from .calls import copies, names_used, observe, read_from_outside
from .case import Case, different, fit, make_case, near, near_squeezed, smallest_wrong
from .edits import named_locals
from .errors import at_the_edge, from_outside
from .language import say
from .verdict import Finding, message
from .wording import by_shape, number, values


def ignores(exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Find an argument that makes no difference to the reader's result although it should."""
    right = [case for case in cases if case.right()][:2]
    wrong = sorted((case for case in cases if not case.right()), key=lambda case: -case.expected.numel())
    others, wrong = right + wrong[2:5], wrong[:2]  # several, lest it be a coincidence
    for position, name in enumerate(exercise.parameters):
        if not all(_makes_no_difference(case, position) for case in wrong):
            continue
        if any(_makes_a_difference(case, position) for case in others):
            continue
        if outside := read_from_outside(fn, numbers=False):
            return message("reads-a-global", name=name, outside=from_outside(outside))
        return message("ignores-an-argument", name=name, got=values(wrong[0].got))
    return None


def _makes_no_difference(case: Case, position: int) -> bool:
    """Whether the first other value that the task allows gives the reader's old answer but should not."""
    new = next(_varied(case, position), None)
    return new is not None and near(new.got, case.got) and not near(new.expected, case.expected)


def _makes_a_difference(case: Case, position: int) -> bool:
    """Whether some other value that the task allows gives another answer than the reader's old one."""
    return any(new.got is not None and not near(new.got, case.got) for new in _varied(case, position))


def _varied(case: Case, position: int) -> Iterator[Case]:
    """The same probe with other values of one argument."""
    for value in _others(case.arguments[position]):
        other = list(copies(case.arguments))
        other[position] = value
        with contextlib.suppress(Exception):  # not among the arguments that the task allows
            yield make_case(case.exercise, case.fn, tuple(other))


def _others(x: object) -> list:
    """Other values for an argument."""
    if isinstance(x, bool):
        return [not x]
    if isinstance(x, int):
        return [n for n in (x + 1, 2 * x, 1, x - 1) if n not in (x, 0)]
    if not isinstance(x, torch.Tensor):
        return [1.3 * x]
    if x.is_floating_point():
        return [x + (draw(*x.shape, seed=99) if x.dim() else 0.4)]
    return [~x if x.dtype == torch.bool else torch.where(x > 2, x - 1, x + 1)]


def always_the_same(exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Find an answer that is only begun: the same number everywhere, for all arguments."""
    numbers = [None if case.got is None else case.got.detach().to(torch.float64).flatten() for case in cases]
    if (
        numbers[0] is None
        or callable(cases[0].call.result)
        or not all(x is not None and torch.equal(x, x[:1].expand_as(x)) for x in numbers)
    ):
        return None
    found = {float(x[0]) if x.numel() else None for x in numbers}
    if len(found) > 1 or not (fit(cases) or found == {None}):
        return None
    (only,) = found
    what = say("empty") if only is None else number(only)
    if only is not None and any(x.numel() > 1 for x in numbers):
        what = say("{number} throughout", number=what)
    case, names = smallest_wrong(cases), say(", ").join(f"`{name}`" for name in exercise.parameters)
    facts = {"given": case.given, "wanted": values(case.expected), "names": names}
    return message("always-the-same", what=what, count=len(cases), **facts)


def _where_wrong(case: Case) -> str:
    """Say where the wrong numbers are."""
    if case.got.shape != case.expected.shape:
        return ""
    wrong = different(case.got, case.expected)
    if wrong.numel() < 2 or wrong.all():
        return ""
    facts = {"count": int((~wrong).sum()), "total": wrong.numel()}
    for dim, axis in enumerate(case.exercise.returns.split()):
        at = wrong.movedim(dim, 0).reshape(wrong.shape[dim], -1).any(1).nonzero().flatten().tolist()
        if wrong.shape[dim] > 1 and len(at) == 1:
            return say(
                "{count} of {total} numbers are right; the wrong ones are all at index {place} of the axis {axis}.",
                place=at[0], axis=axis, **facts,
            )  # fmt: skip
        if wrong.shape[dim] > 1 and at == list(range(1, wrong.shape[dim])):
            return say(
                "{count} of {total} numbers are right; index 0 of the axis {axis} is right, all others have mistakes.",
                axis=axis, **facts,
            )  # fmt: skip
    return say("{count} of {total} numbers are right.", **facts)


def unknown(exercise, fn: Callable, cases: list[Case]) -> Finding:
    """Describe a wrong answer that nothing else recognised, by the smallest probe that shows it."""
    case = smallest_wrong(cases)
    seen = (case.seen + _where_wrong(case)).rstrip()
    if case is cases[0]:
        steps = path(case)
        return message("unknown" if steps else "unknown/no-steps", what=say("the numbers"), seen=seen + steps)
    if at_the_edge(exercise, cases):
        return message("wrong-at-the-edge", seen=seen)
    if not any(isinstance(argument, torch.Tensor) for argument in case.arguments):
        return message("right-for-the-example-only/no-axes", seen=seen)
    sizes = ", ".join(f"{axis} = {size}" for axis, size in exercise.sizes(cases[0].arguments).items())
    return message("right-for-the-example-only", seen=seen, sizes=sizes)


def almost(exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Find numbers that are right to a few digits only, to fewer where the code mentions half precision."""
    off = 0.03 if {"half", "float16", "bfloat16"} & set(names_used(fn)) else 0.003
    if fit(cases) and all(torch.allclose(c.got.to(torch.float64), c.expected, rtol=off, atol=off) for c in cases):
        return message("few-digits", seen=smallest_wrong(cases).seen.rstrip())
    return None


def not_repeatable(exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Find an answer that changes from call to call."""
    for case in cases:
        if not near(case.answered(observe(fn, case.arguments)).got, case.got):
            return message("not-repeatable", shapes=case.shapes)
    return None


def path(case: Case) -> str:
    """The numbers that the solution passes on the way to its answer, where they are few, as lines of a message.

    And which of them the reader's function holds, under what name.
    """
    on_the_way = case.exercise.on_the_way(case.arguments)
    steps = say("; ").join(f"{what} {values(value)}" for what, value in on_the_way if not by_shape(value))
    mine = observe(lambda *given: named_locals(case.fn, given), case.arguments).result or {}
    tensors = {name: value for name, value in mine.items() if isinstance(value, torch.Tensor) and value.numel() > 1}
    held = {what: [name for name in tensors if _same(tensors[name], value)] for what, value in on_the_way}
    found = say(", ").join(
        say("{what} (your `{name}`)", what=what, name=names[0]) for what, names in held.items() if names
    )
    lines = ""
    if steps:
        lines += "\n" + say("On the way there, the solution computes: {steps}.", steps=steps)
    if found:
        lines += "\n" + say("You have right: {found}.", found=found)
    return lines


def _same(mine: torch.Tensor, right: object) -> bool:
    return isinstance(right, torch.Tensor) and near_squeezed(mine, right)
