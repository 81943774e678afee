"""The kind and the shape of a result: None, tuples, arrays, axes that are missing or in the wrong order."""

import itertools
from collections.abc import Callable, Iterator

import numpy as np
import torch

from .recognise import Case, near, smallest_wrong, unusual
from .verdict import Finding, message
from .wording import inputs, number, one_line, shapes, side_by_side, values

NO_GRADIENT = "A Python number does not remember how it was computed: no gradient can flow back through it."
NO_RECORD = ", and keeps no record of how a number was made: no gradient could ever reach the arguments"


def first(asked: tuple[Callable, ...], *question: object) -> Finding | None:
    """The first finding that one of several recognisers has."""
    return next((found for one in asked if (found := one(*question))), None)


def wrong_kind(
    exercise, case: Case, wanted: str, inside: str = "", name: str = "returns-another-kind"
) -> Finding | None:
    """What to say of a result that is not of the kind asked for; None for an ordinary tensor.

    `inside` describes the result, where the caller knows more of it than its type.
    """
    result, given = case.call.result, inputs(exercise.parameters, case.arguments)
    if isinstance(result, torch.Tensor) and not unusual(result) and not inside:
        return None
    if result is None and case.call.printed.strip():
        return message("prints", given=given, printed=one_line(case.call.printed, 60))
    flow, shown = bool(exercise.differentiable), {"returns": f"With {given} your function returns"}
    shown |= {"asked": f"; wanted: {wanted}.", "right": "", "kind": inside}
    if result is None:
        return message("returns-none", **shown)
    if inside:
        return message("returns-another-kind", name, **shown)
    if _same_numbers(result, case.expected):
        shown["right"] = " The numbers in it are right."
    if isinstance(result, torch.Tensor):
        kind = f"a {unusual(result)} tensor; wanted is an ordinary one"
        return message("returns-another-kind/unusual", **shown | {"kind": kind})
    if isinstance(result, tuple):
        where = [i for i, part in enumerate(result, 1) if _is_it(case, part)]
        right = f" Number {where[-1]} of them is the right answer." if where else ""
        return message("returns-a-tuple", **shown | {"kind": f"a tuple of {len(result)}", "right": right})
    if isinstance(result, list):
        shown["flow"] = ", so that gradients still reach them" if flow else ""
        return message("returns-a-list", **shown | {"kind": f"a Python list of length {len(result)}"})
    if isinstance(result, np.ndarray | np.generic):
        kind, lost = f"a NumPy {type(result).__name__}", NO_RECORD if flow else ""
        return message("returns-numpy", **shown | {"kind": kind, "lost": lost})
    if isinstance(result, bool | int | float):
        kind, lost = f"the Python number {number(result)}", f"\n{NO_GRADIENT}" if flow else ""
        return message("returns-a-number", **shown | {"kind": kind, "lost": lost})
    noun = type(result).__name__
    return message("returns-another-kind", **shown | {"kind": f"a{'n' * (noun[0].lower() in 'aeiou')} {noun}"})


def _is_it(case: Case, part: object) -> bool:
    got = case.numbers(part)
    return got is not None and near(got, case.expected)


def _same_numbers(result: object, expected: torch.Tensor) -> bool:
    try:
        if isinstance(result, list) and result and isinstance(result[0], torch.Tensor):
            result = torch.stack(result)
        numbers = torch.as_tensor(np.asarray(result, dtype=float))
        return near(numbers.reshape(expected.shape), expected)
    except (TypeError, ValueError, RuntimeError):
        return False


def wrong_shape(exercise, cases: list[Case]) -> Finding | None:
    """Find a result of the wrong shape, and say which axis is missing, too many or in the wrong place."""
    bad = [case for case in cases if case.got.shape != case.expected.shape]
    if not bad:
        return None
    case, axes = max(bad, key=lambda case: case.expected.numel()), exercise.returns.split()
    comma = "," if len(axes) == 1 else ""
    wanted = f"({', '.join(axes)}{comma}) = {tuple(case.expected.shape)}" if axes else "(), a single number"
    says = (
        f"With {shapes(exercise.parameters, case.arguments)} the result should have the shape {wanted}; "
        f"yours has {tuple(case.got.shape)}."
    )
    for fits, key, facts in _layouts(case, axes):
        if all(_holds(fits, one) for one in cases):
            return message(key, says=says, **facts)
    squeezed = any(near(c.got.squeeze(), c.expected.squeeze()) for c in cases)
    if squeezed and case.got.dim() < case.expected.dim():
        return message("missing-axis/sometimes", says=says)
    return message("wrong-shape", says=says, what="the result")


def _holds(fits: Callable, case: Case) -> bool:
    try:
        return near(*fits(case.got, case.expected))
    except (RuntimeError, IndexError):  # there is no such axis, or the sizes do not allow it
        return False


def _layouts(case: Case, axes: list[str]) -> Iterator[tuple[Callable, str, dict]]:
    """What may have happened to the shape: (which two tensors would then agree, the message, its facts)."""
    sizes, got = case.expected.shape, case.got
    verbs = {"sum": torch.sum, "mean": torch.mean}
    for order in itertools.permutations(range(len(axes))):
        facts = {"yours": ", ".join(axes[i] for i in order)}
        yield lambda got, right, order=order: (got, right.permute(order)), "transposed", facts
    key = "extra-axis" if got.dim() > len(sizes) else "missing-axis"
    yield lambda got, right: (got.squeeze(), right.squeeze()), key, {}
    for verb, of in verbs.items() if axes else ():
        yield lambda got, right, of=of: (got, of(right)), "over-summed/all", {"verb": verb}
    for dim, axis in enumerate(axes):
        facts = {"axis": axis, "size": sizes[dim]}
        yield lambda got, right, dim=dim: (got, right.select(dim, 0)), "cut-short/first", facts
    yield lambda got, right: (got.reshape(right.shape), right), "flattened", {}
    for dim, axis in enumerate(axes[: got.dim()]):
        facts = {"axis": axis, "size": sizes[dim], "count": got.shape[dim]}
        yield lambda got, right, dim=dim: (got, right.narrow(dim, 0, got.shape[dim])), "cut-short", facts
    for dim, (verb, of) in itertools.product(range(got.dim()), verbs.items()):
        facts = {"verb": verb, "dim": dim, "size": got.shape[dim], "right": values(case.expected)}
        yield lambda got, right, dim=dim, of=of: (of(got.to(torch.float64), dim), right), "not-summed", facts
    for (dim, axis), (verb, of) in itertools.product(enumerate(axes), verbs.items()):
        facts = {"verb": verb, "axis": axis}
        yield lambda got, right, dim=dim, of=of: (got, of(right, dim)), "over-summed", facts


def not_finite(exercise, cases: list[Case]) -> Finding | None:
    """Find NaN or infinite numbers where finite ones belong."""
    bad = [case for case in cases if not torch.isfinite(case.got).all()]
    if not bad:
        return None
    case = smallest_wrong(bad)
    what = "NaN (not a number)" if torch.isnan(case.got).any() else "∞ (infinity)"
    count, total = int((~torch.isfinite(case.got)).sum()), case.got.numel()
    share = f"{count} of {total} numbers {'is' if count == 1 else 'are'} {what}." if total > 1 else ""
    seen = side_by_side(inputs(exercise.parameters, case.arguments), case.expected, case.got, longest=6)
    return message("not-finite", what="NaN" if "NaN" in what else "infinity", seen=seen, share=share)
