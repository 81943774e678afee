"""How a right answer behaves: arguments left alone, dtype, gradients, memory layout, device."""

from collections.abc import Callable

import torch

from .arguments import draw
from .calls import at_line, copies, error_text, names_used, observe
from .case import Case, different, first_failed, largest, near, side_by_side
from .devices import WrongDevice, on_another_device
from .language import say
from .verdict import Finding, message
from .wording import LONGEST, in_words, short, told_apart, values

CUTS = (
    "detach", "item", "numpy", "tolist", "data", "no_grad", "inference_mode", "float", "tensor", "as_tensor",
    "from_numpy", "asarray", "array", "argmax", "round",
)  # fmt: skip


def writes(exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Find a tensor or a list among the arguments that the function wrote into."""
    right = all(case.right() for case in cases)
    beginning = say("The numbers are right, but" if right else "The numbers are not right yet; first of all, though:")
    for case in cases:
        for position in case.call.touched():
            before, after = case.arguments[position], case.call.after[position]
            key = "writes-into-argument/list" if isinstance(before, list) else "writes-into-argument"
            facts = dict(zip(("before", "after"), _unlike(before, after), strict=True))
            return message(key, name=exercise.parameters[position], beginning=beginning, **facts)
    return None


def _unlike(before: object, after: object) -> tuple[str, str]:
    """Write two things so that one sees in what they differ: their numbers, a number in them, shape or dtype."""
    if isinstance(before, torch.Tensor):
        if before.shape != after.shape:
            return tuple(say("of shape {shape}", shape=tuple(x.shape)) for x in (before, after))
        if before.dtype != after.dtype:
            return tuple(say("of the dtype {dtype}", dtype=short(x.dtype)) for x in (before, after))
        if before.numel() > LONGEST:
            same = torch.isclose(before.double(), after.double(), rtol=0, atol=0, equal_nan=True)
            at = tuple((~same).nonzero()[0].tolist())
            old, new = told_apart(before[at], after[at])
            return say("{value} at {place}", value=old, place=list(at)), new
        return told_apart(before, after)
    told = in_words(list(before)), in_words(list(after))
    if told[0] != told[1] and max(map(len, told)) <= 110:
        return told
    if len(before) != len(after):
        return say("a list of {size}", size=len(before)), say("a list of {size}", size=len(after))
    at = next(i for i, old in enumerate(before) if old != after[i])
    return say("{value} at {place}", value=in_words(before[at]), place=at), in_words(after[at])


def changes_torch(exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Find a setting or a function of torch that is another one after the call."""
    names = next((case.call.changed for case in cases if case.call.changed), ())
    return message("changes-torch", names=say(", ").join(names)) if names else None


def in_another_dtype(arguments: tuple, dtype: torch.dtype) -> tuple:
    """Copy a call's arguments with their floating-point numbers in another dtype."""
    return tuple(a.to(dtype) if isinstance(a, torch.Tensor) and a.is_floating_point() else a for a in copies(arguments))


def keeps_dtype(exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Find a dtype that is written into the code."""
    if not exercise.floats:
        return None
    single = in_another_dtype(cases[0].arguments, torch.float32)
    for dtype, call in (("float64", cases[0].call), ("float32", observe(fn, single))):
        if call.error is not None:
            return _fails(dtype, "float64", call.error, fn)
        result = cases[0].numbers(call.result)
        if result is not None and short(result.dtype) != dtype:
            return message("changes-dtype", dtype=dtype, came=short(result.dtype), given=cases[0].given)
    return None


def loses_digits(exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Find numbers that are right in float64 and far off in float32, where the solution's are not."""
    for case in cases if exercise.floats else ():
        single = in_another_dtype(case.arguments, torch.float32)
        got = case.numbers(observe(fn, single).result)
        if (off := _distance(got, case.expected)) <= 0.01:
            continue
        unavoidable = _distance(case.numbers(observe(exercise.solution, single).result), case.expected)
        if off > 0.01 + 30 * unavoidable:
            seen = side_by_side(case.given, case.expected, got.detach()).rstrip()
            return message("few-digits/float32", "float32", seen=seen)
    return None


def _distance(got: torch.Tensor | None, expected: torch.Tensor) -> float:
    """How far numbers are off, as a share of the largest; 0 if they are of another kind or not finite."""
    if got is None or got.shape != expected.shape or not expected.numel() or not torch.isfinite(got).all():
        return 0.0
    return float((got.detach().to(expected.dtype) - expected).abs().max() / expected.abs().max().clamp(min=1e-3))


def float32_only(exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Find out whether a call that failed in float64 is right in float32."""
    if (case := first_failed(cases)) is None:
        return None
    if case.answered(observe(fn, in_another_dtype(case.arguments, torch.float32))).right():
        return _fails("float64", "float32", case.call.error, fn)
    return None


def _fails(dtype: str, other: str, error: BaseException, fn: Callable) -> Finding:
    return message("one-dtype-only", dtype=dtype, other=other, line=at_line(error, fn), error=error_text(error))


def gradients(exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Compare the gradients with those of the solution."""
    if not exercise.floats:
        return None
    cut = _mentioned([name for name in CUTS if name in names_used(fn)])
    for case in cases:
        leaves = _leaves(exercise, case.arguments)
        with torch.enable_grad():
            call = observe(lambda leaves=leaves: fn(*leaves), ())  # no copies: the gradient must reach these tensors
            result = case.numbers(call.result)
            if call.error is not None:
                line, error = at_line(call.error, fn), error_text(call.error)
                return message("no-gradient/raises", line=line, error=error, cut=cut)
            right = case.numbers(exercise.solution(*leaves))
            upstream = draw(*right.shape, seed=7) if right.dim() else torch.ones((), dtype=torch.float64)
            wanted = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
            # of a sum, since for other outputs torch imports sympy
            expected = torch.autograd.grad((right * upstream).sum(), wanted)
            # a view that was made under no_grad says that it wants a gradient, but has no way back
            lost = result.grad_fn is None and not any(result is leaf for leaf in leaves)
            if not result.requires_grad or lost:
                if all(near(torch.zeros_like(mine), mine) for mine in expected):
                    continue  # with one key, say, the result is a constant, and may well be written as one
                names = say(", ").join(f"`{name}`" for name in exercise.parameters if name in exercise.floats)
                return message("no-gradient", names=names, given=case.given, cut=cut)
            try:
                got = torch.autograd.grad((result * upstream.to(result.dtype)).sum(), wanted, allow_unused=True)
            except RuntimeError as error:
                used = sorted(n for n in names_used(fn) if n.endswith("_") and not n.startswith("_"))
                return message("gradient-fails", error=error_text(error), in_place=_mentioned(used))
        names = [name for name in exercise.parameters if name in exercise.floats]
        for name, mine, theirs in zip(names, expected, got, strict=True):
            if found := _compare(case, name, mine, theirs if theirs is None else theirs.to(result.dtype), cut):
                return found
    return None


def finite_gradients(exercise, fn: Callable, drawn: list[Case]) -> Finding | None:
    """Find a gradient that is not finite where the solution's is; at a kink, which draws may hit, slopes may differ."""
    names = [name for name in exercise.parameters if name in exercise.floats]
    for case in drawn if names else ():
        leaves = _leaves(exercise, case.arguments)
        wanted = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
        got = _slopes(case, fn, leaves, wanted)
        if all(mine is None or torch.isfinite(mine).all() for mine in got):
            continue
        expected = _slopes(case, exercise.solution, leaves, wanted)
        for name, right, mine in zip(names, expected, got, strict=True):
            if mine is not None and torch.isfinite(right).all() and not torch.isfinite(mine).all():
                return _compare(case, name, right, mine, "")
    return None


def _slopes(case: Case, fn: Callable, leaves: tuple, wanted: list) -> tuple:
    """The gradients of the sum of a function's numbers; None for each that there is none of."""
    with torch.enable_grad():
        result = case.numbers(observe(lambda: fn(*leaves), ()).result)
        if result is None or result.grad_fn is None:
            return (None,) * len(wanted)
        return torch.autograd.grad(result.sum(), wanted, allow_unused=True)


def _compare(case: Case, name: str, expected: torch.Tensor, got: torch.Tensor | None, cut: str):
    if near(torch.zeros_like(expected) if got is None else got, expected):
        return None
    facts = {"name": name, "given": case.given, "cut": cut}
    if got is None or (not got.any() and expected.abs().max() > 1e-6):
        return message("gradient-cut", **facts)
    facts["says"] = say("is {got}; it should be {right}", got=values(got), right=values(expected))
    if expected.numel() > LONGEST:
        at = tuple(different(got, expected).nonzero()[0].tolist())
        right, yours = told_apart(expected[at], got[at])
        facts["says"] = say("is {got} at {place}; it should be {right} there", got=yours, place=list(at), right=right)
    return message("wrong-gradient" if torch.isfinite(got).all() else "nan-gradient", **facts)


def _leaves(exercise, arguments: tuple) -> tuple:
    return tuple(
        a.detach().requires_grad_() if name in exercise.floats else a
        for name, a in zip(exercise.parameters, copies(arguments), strict=True)
    )


def _mentioned(names: list[str]) -> str:
    code = say(", ").join(f"`{name}`" for name in names)
    return " " + say("Your code mentions {names}.", names=code) if names else ""


def any_layout(exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Find a function that fails when a tensor is not contiguous in memory."""
    case = largest(cases)

    def scattered(*arguments):  # here and not before: a copy of a vector lies close together again
        return fn(*(_scattered(a) if isinstance(a, torch.Tensor) else a for a in arguments))

    call = observe(scattered, case.arguments)
    if case.answered(call).right():
        return None
    if call.error is None:
        return message("memory-layout", what=say("your numbers are different"))
    raised = say("{line} raises {error}", line=at_line(call.error, fn), error=error_text(call.error))
    return message("memory-layout", what=raised)


def _scattered(x: torch.Tensor) -> torch.Tensor:
    if x.dim() < 2:
        return x.repeat_interleave(2)[::2] if x.dim() else x
    return x.transpose(0, -1).contiguous().transpose(0, -1)


def any_device(exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Find a tensor that is made on the CPU although the arguments live elsewhere: worth a remark, as few have both."""
    if not any(isinstance(argument, torch.Tensor) for argument in cases[0].arguments):
        return None  # there is no device to follow
    try:
        result = on_another_device(fn, largest(cases).arguments)
    except WrongDevice as seen:
        return message("wrong-device/meets", line=at_line(seen, fn), error=seen)
    except Exception:
        return None
    if isinstance(result, torch.Tensor) and result.device.type == "cpu":
        return message("wrong-device", shape=tuple(result.shape))
    return None
