"""The form of a result, its kind and its shape: None, tuples, arrays, axes that are missing or in the wrong order."""

import contextlib
import itertools
from collections.abc import Callable, Iterator

import numpy as np
import torch

from .case import HUGE, Case, largest, near, near_squeezed, side_by_side, smallest_wrong, unusual
from .language import later, say
from .verdict import Finding, message
from .wording import a, number, one_line, values

# a result of another kind: its type, the message, what it is, and what gets lost if a gradient is wanted
KINDS: tuple[tuple[type, str, Callable, str], ...] = (
    (type(None), "returns-none", str, ""),
    (torch.Tensor, "returns-another-kind/unusual", lambda x: say("a {unusual} tensor", unusual=say(unusual(x))), ""),
    (tuple, "returns-a-tuple", lambda x: say("a tuple of {size}", size=len(x)), ""),
    (list, "returns-a-list", lambda x: say("a Python list of length {size}", size=len(x)),
     later(", so that gradients still reach them")),
    (np.ndarray | np.generic, "returns-numpy", lambda x: say("a NumPy {kind}", kind=type(x).__name__),
     later(", and keeps no record of how a number was made: no gradient could ever reach the arguments")),
    (bool | int | float, "returns-a-number", lambda x: say("the Python number {number}", number=number(x)),
     later("\nA Python number does not remember how it was computed: no gradient can flow back through it.")),
    (object, "returns-another-kind", lambda x: a(type(x).__name__), ""),
)  # fmt: skip


def wrong_kind(case: Case, wanted: str, inside: str = "", name: str = "returns-another-kind") -> Finding | None:
    """What to say of a result that is not of the kind asked for; None for an ordinary tensor.

    `inside` describes the result, where the caller knows more of it than its type.
    """
    result, facts = case.call.result, {"given": case.given, "asked": say("; wanted: {wanted}.", wanted=wanted)}
    if isinstance(result, torch.Tensor) and not unusual(result) and not inside:
        return None
    if result is None and case.call.printed.strip():
        return message("prints", printed=one_line(case.call.printed, 60), **facts)
    if inside and result is not None:
        return message("returns-another-kind", name, kind=inside, right="", **facts)
    key, kind, lost = next(entry for kind, *entry in KINDS if isinstance(result, kind))
    lost = say(lost) if case.exercise.differentiable else ""
    return message(key, kind=kind(result), lost=lost, right=_what_is_right(case), **facts)


def _what_is_right(case: Case) -> str:
    """Say so if the numbers are right, and only what holds them is not."""
    result, expected = case.call.result, case.expected
    if isinstance(result, tuple):
        where = [i for i, part in enumerate(result, 1) if near(case.numbers(part), expected)]
        return " " + say("Number {place} of them is the right answer.", place=where[-1]) if where else ""
    array = isinstance(result, np.ndarray | np.generic) and result.dtype.kind != "c"
    size = result.size if array else len(result) if isinstance(result, list) else 1
    if not (array or isinstance(result, list | int | float)) or size > HUGE:
        return ""
    try:
        if isinstance(result, list) and result and isinstance(result[0], torch.Tensor):
            result = torch.stack(result)
        numbers = torch.as_tensor(result, dtype=torch.float64).reshape(expected.shape)
    except (TypeError, ValueError, RuntimeError):
        return ""
    return " " + say("The numbers in it are right.") if near(numbers, expected) else ""


def wrong_shape(exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Find a result of the wrong shape, and say which axis is missing, too many or in the wrong place."""
    if not (bad := [case for case in cases if case.got.shape != case.expected.shape]):
        return None
    case, axes = largest(bad), exercise.returns.split()
    comma = "," if len(axes) == 1 else ""
    wanted = f"({', '.join(axes)}{comma}) = {tuple(case.expected.shape)}" if axes else say("(), a single number")
    facts = {"shapes": case.shapes, "wanted": wanted, "came": tuple(case.got.shape)}
    says = say("With {shapes} the result should have the shape {wanted}; yours has {came}.", **facts)
    for fits, key, facts in _layouts(case, axes):
        if all(_holds(fits, one) for one in cases):
            return message(key, says=says, **facts)
    if case.got.dim() < case.expected.dim() and any(near_squeezed(one.got, one.expected) for one in cases):
        return message("missing-axis/sometimes", says=says)
    return message("wrong-shape", says=says)


def _holds(fits: Callable, case: Case) -> bool:
    with contextlib.suppress(RuntimeError, IndexError):  # there is no such axis, or the sizes do not allow it
        return near(*fits(case.got, case.expected))
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


def not_finite(exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Find NaN or infinite numbers where finite ones belong."""
    if not (bad := [case for case in cases if not torch.isfinite(case.got).all()]):
        return None
    case = smallest_wrong(bad)
    nan = bool(torch.isnan(case.got).any())
    facts = {"count": int((~torch.isfinite(case.got)).sum()), "total": case.got.numel()}
    facts["what"] = say("NaN (not a number)") if nan else say("∞ (infinity)")
    one = facts["count"] == 1
    share = say("{count} of {total} numbers is {what}." if one else "{count} of {total} numbers are {what}.", **facts)
    share = share if facts["total"] > 1 else ""
    seen = side_by_side(case.given, case.expected, case.got, longest=6)
    return message("not-finite", what="NaN" if nan else say("infinity"), seen=seen, share=share)
