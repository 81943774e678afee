"""How a right answer behaves: arguments left alone, dtype, memory layout, device."""

from collections.abc import Callable

import torch

from .devices import WrongDevice, on_another_device
from .observe import at_line, copies, error_text, observe
from .recognise import Case, near
from .verdict import Finding, message
from .wording import in_words, inputs, values


def writes(exercise, cases: list[Case], right: bool = True) -> Finding | None:
    """Find a tensor among the arguments that the function wrote into."""
    beginning = "The numbers are right, but" if right else "The numbers are not right yet; first of all, though:"
    for case in cases:
        for position in case.call.touched():
            facts = {"before": values(case.arguments[position]), "after": values(case.call.after[position])}
            return message("writes-into-argument", name=exercise.parameters[position], beginning=beginning, **facts)
    return None


def leaves_lists_alone(exercise, fn: Callable) -> Finding | None:
    """Demand that lists among the arguments stay as they were."""
    if not any(isinstance(argument, list) for argument in exercise.example()):
        return None
    for arguments in (exercise.example(), *exercise.probes()):
        before, after = copies(arguments), observe(fn, arguments).after
        for name, old, new in zip(exercise.parameters, before, after, strict=True):
            if isinstance(old, list) and list(old) != list(new):
                facts = {"before": in_words(list(old)), "after": in_words(list(new))}
                return message("writes-into-argument/list", name=name, **facts)
    return None


def in_another_dtype(exercise, arguments: tuple, dtype: torch.dtype) -> tuple:
    """Copy a call's arguments with their floating-point numbers in another dtype."""
    return tuple(a.to(dtype) if isinstance(a, torch.Tensor) and a.is_floating_point() else a for a in copies(arguments))


def keeps_dtype(exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Find a dtype that is written into the code."""
    single = in_another_dtype(exercise, cases[0].arguments, torch.float32)
    for dtype, call in (("float64", cases[0].call), ("float32", observe(fn, single))):
        if call.error is not None:
            return _fails(dtype, "float64", call.error, fn)
        came = str(getattr(call.result, "dtype", "")).removeprefix("torch.")
        if isinstance(call.result, torch.Tensor) and came != dtype:
            given = inputs(exercise.parameters, cases[0].arguments)
            return message("changes-dtype", dtype=dtype, came=came, given=given)
    return None


def float32_only(exercise, fn: Callable, case: Case) -> Finding | None:
    """Find out whether a call that failed in float64 is right in float32."""
    result = observe(fn, in_another_dtype(exercise, case.arguments, torch.float32)).result
    if isinstance(result, torch.Tensor) and near(result.float(), case.expected):
        return _fails("float64", "float32", case.call.error, fn)
    return None


def _fails(dtype: str, other: str, error: BaseException, fn: Callable) -> Finding:
    return message("one-dtype-only", dtype=dtype, other=other, line=at_line(error, fn), error=error_text(error))


def any_layout(exercise, fn: Callable, case: Case) -> Finding | None:
    """Find a function that fails when a tensor is not contiguous in memory."""
    call = observe(fn, tuple(_scattered(a) if isinstance(a, torch.Tensor) else a for a in case.arguments))
    if case.answered(call).right():
        return None
    raised = call.error and f"{at_line(call.error, fn)} raises {error_text(call.error)}"
    return message("memory-layout", what=raised or "your numbers are different")


def _scattered(x: torch.Tensor) -> torch.Tensor:
    if x.dim() < 2:
        return x.repeat_interleave(2)[::2] if x.dim() else x
    return x.transpose(0, -1).contiguous().transpose(0, -1)


def any_device(exercise, fn: Callable, case: Case) -> Finding | None:
    """Find a tensor that is made on the CPU although the arguments live elsewhere."""
    if not any(isinstance(argument, torch.Tensor) for argument in case.arguments):
        return None  # there is no device to follow
    try:
        result = on_another_device(fn, case.arguments)
    except WrongDevice as seen:
        return message("wrong-device/meets", line=at_line(seen, fn), error=seen)
    except Exception:
        return None
    if isinstance(result, torch.Tensor) and result.device.type == "cpu":
        return message("wrong-device", shape=tuple(result.shape))
    return None
