"""How a right answer behaves: arguments left alone, dtype, memory layout, device."""

from collections.abc import Callable

import torch

from .devices import WrongDevice, on_another_device
from .observe import at_line, copies, error_text, observe
from .recognise import Case, first_failed, largest, near
from .verdict import Finding, message
from .wording import short, values


def writes(exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Find a tensor or a list among the arguments that the function wrote into."""
    right = all(case.right() for case in cases)
    beginning = "The numbers are right, but" if right else "The numbers are not right yet; first of all, though:"
    for case in cases:
        for position in case.call.touched():
            before, after = case.arguments[position], case.call.after[position]
            key = "writes-into-argument/list" if isinstance(before, list) else "writes-into-argument"
            facts = {"before": values(before), "after": values(after)}
            return message(key, name=exercise.parameters[position], beginning=beginning, **facts)
    return None


def in_another_dtype(exercise, arguments: tuple, dtype: torch.dtype) -> tuple:
    """Copy a call's arguments with their floating-point numbers in another dtype."""
    return tuple(a.to(dtype) if isinstance(a, torch.Tensor) and a.is_floating_point() else a for a in copies(arguments))


def keeps_dtype(exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Find a dtype that is written into the code."""
    if not exercise.floats:
        return None
    single = in_another_dtype(exercise, cases[0].arguments, torch.float32)
    for dtype, call in (("float64", cases[0].call), ("float32", observe(fn, single))):
        if call.error is not None:
            return _fails(dtype, "float64", call.error, fn)
        result = cases[0].numbers(call.result)
        if result is not None and short(result.dtype) != dtype:
            return message("changes-dtype", dtype=dtype, came=short(result.dtype), given=cases[0].given)
    return None


def float32_only(exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Find out whether a call that failed in float64 is right in float32."""
    if (case := first_failed(cases)) is None:
        return None
    result = observe(fn, in_another_dtype(exercise, case.arguments, torch.float32)).result
    if isinstance(result, torch.Tensor) and near(result.float(), case.expected):
        return _fails("float64", "float32", case.call.error, fn)
    return None


def _fails(dtype: str, other: str, error: BaseException, fn: Callable) -> Finding:
    return message("one-dtype-only", dtype=dtype, other=other, line=at_line(error, fn), error=error_text(error))


def any_layout(exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Find a function that fails when a tensor is not contiguous in memory."""
    case = largest(cases)
    call = observe(fn, tuple(_scattered(a) if isinstance(a, torch.Tensor) else a for a in case.arguments))
    if case.answered(call).right():
        return None
    raised = call.error and f"{at_line(call.error, fn)} raises {error_text(call.error)}"
    return message("memory-layout", what=raised or "your numbers are different")


def _scattered(x: torch.Tensor) -> torch.Tensor:
    if x.dim() < 2:
        return x.repeat_interleave(2)[::2] if x.dim() else x
    return x.transpose(0, -1).contiguous().transpose(0, -1)


def any_device(exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Find a tensor that is made on the CPU although the arguments live elsewhere."""
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
