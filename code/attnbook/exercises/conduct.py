"""How a right answer behaves: arguments left alone, dtype, memory layout, device."""

from __future__ import annotations

from collections.abc import Callable

import torch

from .devices import WrongDevice, on_another_device
from .exercise import Exercise
from .observe import copies, error_text, observe, own_line
from .recognise import Case, near
from .verdict import Finding
from .wording import inputs, values


def writes(exercise: Exercise, cases: list[Case], right: bool = True) -> Finding | None:
    """Find an argument that the function wrote into."""
    beginning = "The numbers are right, but" if right else "The numbers are not right yet; first of all, though:"
    for case in cases:
        for position in case.call.touched():
            name = exercise.parameters[position]
            return Finding(
                "writes-into-argument",
                f"`{name}` is changed",
                f"{beginning} `{name}` was {values(case.arguments[position])} before the call and "
                f"is {values(case.call.after[position])} after it.\n"
                "Whoever passed the tensor still needs it, and autograd may need the old numbers.",
                "Which operation in your code writes in place (a name that ends in `_`, `+=`, or `x[...] = "
                "...`), and what is its "
                "namesake that returns a new tensor?",
            )
    return None


def in_another_dtype(exercise: Exercise, arguments: tuple, dtype: torch.dtype) -> tuple:
    """Copy a call's arguments with their floating-point numbers in another dtype."""
    return tuple(a.to(dtype) if isinstance(a, torch.Tensor) and a.is_floating_point() else a for a in copies(arguments))


def keeps_dtype(exercise: Exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Find a dtype that is written into the code."""
    calls = [("float64", torch.float64, cases[0].call)]
    single = in_another_dtype(exercise, cases[0].arguments, torch.float32)
    calls.append(("float32", torch.float32, observe(fn, single)))
    for name, dtype, call in calls:
        if call.error is not None:
            place = own_line(call.error, fn)
            line = f"line {place[1]}, `{place[2]}`, raises" if place and place[2] else "your function raises"
            return Finding(
                "one-dtype-only",
                f"fails in {name}",
                f"With float64 numbers your answer is right. With the same numbers in {name} {line} "
                f"{error_text(call.error)}.",
                "Which tensor does your code make itself, and where could it read the dtype to make it in?",
            )
        if isinstance(call.result, torch.Tensor) and call.result.dtype != dtype:
            came = str(call.result.dtype).removeprefix("torch.")
            return Finding(
                "changes-dtype",
                f"{name} in, {came} out",
                f"With {inputs(exercise.parameters, cases[0].arguments)} in {name} your result has the "
                f"dtype {came}.\n"
                "A caller who computes in one precision should get the same one back.",
                "Does your code make a tensor of its own (`torch.zeros`, `torch.tensor`, `.float()`)? "
                "From which argument could it take the dtype?",
            )
    return None


def float32_only(exercise: Exercise, fn: Callable, case: Case) -> Finding | None:
    """Find out whether a call that failed in float64 is right in float32."""
    call = observe(fn, in_another_dtype(exercise, case.arguments, torch.float32))
    if not isinstance(call.result, torch.Tensor) or not near(call.result.float(), case.expected):
        return None
    place = own_line(case.call.error, fn)
    line = f"line {place[1]}, `{place[2]}`, raises" if place and place[2] else "your function raises"
    return Finding(
        "one-dtype-only",
        "fails in float64",
        f"With float32 numbers your answer is right. With the same numbers in float64 {line} "
        f"{error_text(case.call.error)}.",
        "Which tensor does your code make itself, and where could it read the dtype to make it in?",
    )


def any_layout(exercise: Exercise, fn: Callable, case: Case) -> Finding | None:
    """Find a function that fails when a tensor's numbers do not lie in a row in memory."""
    call = observe(
        fn,
        tuple(_scattered(a) if isinstance(a, torch.Tensor) else a for a in case.arguments),
    )
    if case.answered(call).right():
        return None
    place = own_line(call.error, fn) if call.error else None
    what = (
        f"line {place[1]}, `{place[2]}`, raises {error_text(call.error)}"
        if place and place[2]
        else f"your function raises {error_text(call.error)}"
        if call.error
        else "your numbers are different"
    )
    return Finding(
        "memory-layout",
        "a transposed tensor",
        "The numbers are right as long as the arguments lie in a row in memory. With the same numbers in a "
        "tensor that "
        f"was made by a transpose (not contiguous) {what}.",
        "`.view` wants the numbers in a row. Which of its relatives copies them when they are not?",
    )


def _scattered(x: torch.Tensor) -> torch.Tensor:
    if x.dim() == 0:
        return x
    if x.dim() == 1:
        return x.repeat_interleave(2)[::2]
    return x.transpose(0, -1).contiguous().transpose(0, -1)


def any_device(exercise: Exercise, fn: Callable, case: Case) -> Finding | None:
    """Find a tensor that is made on the CPU although the arguments live elsewhere."""
    if not any(isinstance(argument, torch.Tensor) for argument in case.arguments):
        return None  # there is no device to follow
    try:
        result = on_another_device(fn, case.arguments)
    except WrongDevice as seen:
        place = own_line(seen, fn)
        line = f"line {place[1]}, `{place[2]}`," if place and place[2] else "a line of your function"
        return Finding(
            "wrong-device",
            "the device",
            f"The numbers are right on the CPU. With the arguments on an accelerator {line} puts two "
            f"devices together: {seen}.",
            "Which tensor does your code make itself, and from which argument could it take the device?",
        )
    except Exception:
        return None
    if isinstance(result, torch.Tensor) and result.device.type == "cpu":
        return Finding(
            "wrong-device",
            "the device",
            "The numbers are right on the CPU. With the arguments on an accelerator your result, of shape "
            f"{tuple(result.shape)}, is on the CPU all the same.",
            "Which tensor does your code make itself, and from which argument could it take the device?",
        )
    return None
