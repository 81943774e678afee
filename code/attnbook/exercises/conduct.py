"""How a right answer behaves: dtype, gradients, arguments left alone, memory layout, device."""

from __future__ import annotations

from collections.abc import Callable

import torch

from .devices import WrongDevice, on_another_device
from .exercise import Exercise, draw
from .observe import Call, copies, error_text, names_used, observe, own_line
from .recognise import Case, near
from .verdict import Finding
from .wording import LONGEST, inputs, told_apart, values

CUTS = ("detach", "item", "numpy", "tolist", "data", "no_grad", "inference_mode", "float", "tensor", "as_tensor",
        "from_numpy", "asarray", "array", "argmax", "round")


def writes(exercise: Exercise, cases: list[Case]) -> Finding | None:
    """Find an argument that the function wrote into.

    Args:
        exercise: the exercise.
        cases: the probes, answered by the reader's function.

    Returns:
        The finding, or None.
    """
    for case in cases:
        for position in case.call.touched():
            name = exercise.parameters[position]
            return Finding(
                "writes-into-argument", f"`{name}` is changed",
                f"The numbers are right, but `{name}` was {values(case.arguments[position])} before the call and "
                f"is {values(case.call.after[position])} after it.\n"
                "Whoever passed the tensor still needs it, and autograd may need the old numbers.",
                "Which operation in your code writes in place (a name that ends in `_`, `+=`, or `x[...] = ...`), and what is its "
                "namesake that returns a new tensor?")
    return None


def in_another_dtype(exercise: Exercise, arguments: tuple, dtype: torch.dtype) -> tuple:
    """Copy a call's arguments with their floating-point numbers in another dtype.

    Args:
        exercise: the exercise.
        arguments: tensors and numbers.
        dtype: the new dtype.

    Returns:
        The copies; integers and Python numbers stay.
    """
    return tuple(a.to(dtype) if isinstance(a, torch.Tensor) and a.is_floating_point() else a for a in copies(arguments))


def keeps_dtype(exercise: Exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Find a dtype that is written into the code.

    Args:
        exercise: the exercise.
        fn: the reader's function.
        cases: the probes in float64, all answered rightly.

    Returns:
        The finding, or None.
    """
    calls = [("float64", torch.float64, cases[0].call)]
    single = in_another_dtype(exercise, cases[0].arguments, torch.float32)
    calls.append(("float32", torch.float32, observe(fn, single)))
    for name, dtype, call in calls:
        if call.error is not None:
            place = own_line(call.error, fn)
            line = f"line {place[1]}, `{place[2]}`, raises" if place and place[2] else "your function raises"
            return Finding("one-dtype-only", f"fails in {name}",
                           f"With float64 numbers your answer is right. With the same numbers in {name} {line} {error_text(call.error)}.",
                           "Which tensor does your code make itself, and where could it read the dtype to make it in?")
        if isinstance(call.result, torch.Tensor) and call.result.dtype != dtype:
            came = str(call.result.dtype).removeprefix("torch.")
            return Finding("changes-dtype", f"{name} in, {came} out",
                           f"With {inputs(exercise.parameters, cases[0].arguments)} in {name} your result has the dtype {came}.\n"
                           "A caller who computes in one precision should get the same one back.",
                           "Does your code make a tensor of its own (`torch.zeros`, `torch.tensor`, `.float()`)? "
                           "From which argument could it take the dtype?")
    return None


def float32_only(exercise: Exercise, fn: Callable, case: Case) -> Finding | None:
    """Find out whether a call that failed in float64 is right in float32.

    Args:
        exercise: the exercise.
        fn: the reader's function.
        case: a probe on which the function raised an error.

    Returns:
        The finding, or None.
    """
    call = observe(fn, in_another_dtype(exercise, case.arguments, torch.float32))
    if not isinstance(call.result, torch.Tensor) or not near(call.result.float(), case.expected):
        return None
    place = own_line(case.call.error, fn)
    line = f"line {place[1]}, `{place[2]}`, raises" if place and place[2] else "your function raises"
    return Finding("one-dtype-only", "fails in float64",
                   f"With float32 numbers your answer is right. With the same numbers in float64 {line} {error_text(case.call.error)}.",
                   "Which tensor does your code make itself, and where could it read the dtype to make it in?")


def any_layout(exercise: Exercise, fn: Callable, case: Case) -> Finding | None:
    """Find a function that fails when a tensor's numbers do not lie in a row in memory.

    Args:
        exercise: the exercise.
        fn: the reader's function.
        case: a probe that is answered rightly.

    Returns:
        The finding, or None.
    """
    call = observe(fn, tuple(_scattered(a) if isinstance(a, torch.Tensor) else a for a in case.arguments))
    if isinstance(call.result, torch.Tensor) and near(call.result, case.expected):
        return None
    place = own_line(call.error, fn) if call.error else None
    what = (f"line {place[1]}, `{place[2]}`, raises {error_text(call.error)}" if place and place[2]
            else f"your function raises {error_text(call.error)}" if call.error else "your numbers are different")
    return Finding("memory-layout", "a transposed tensor",
                   "The numbers are right as long as the arguments lie in a row in memory. With the same numbers in a tensor that "
                   f"was made by a transpose (not contiguous) {what}.",
                   "`.view` wants the numbers in a row. Which of its relatives copies them when they are not?")


def _scattered(x: torch.Tensor) -> torch.Tensor:
    if x.dim() == 0:
        return x
    if x.dim() == 1:
        return x.repeat_interleave(2)[::2]
    return x.transpose(0, -1).contiguous().transpose(0, -1)


def gradients(exercise: Exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Compare the gradients with those of the solution.

    Args:
        exercise: the exercise.
        fn: the reader's function.
        cases: the probes, all answered rightly.

    Returns:
        The finding, or None.
    """
    for case in cases:
        leaves = _leaves(exercise, case.arguments)
        cut = _suspects(fn)
        with torch.enable_grad():
            call = _in_place(fn, leaves)
            result = call.result
            if call.error is not None:
                place = own_line(call.error, fn)
                line = f"line {place[1]}, `{place[2]}`, raises" if place and place[2] else "your function raises"
                return Finding("no-gradient", "the gradient",
                               f"The numbers are right, but as soon as the arguments want a gradient {line}\n{error_text(call.error)}",
                               f"A gradient flows only through torch's own operations.{cut} What would keep the whole way inside torch?")
            if not isinstance(result, torch.Tensor) or not result.requires_grad:
                return Finding("no-gradient", "the gradient",
                               "The numbers are right, but no gradient can flow back: the result does not remember how it was computed "
                               f"(`requires_grad` is False).{cut}",
                               "Which line leaves torch, or tells it to stop recording?")
            right = exercise.solution(*leaves)
            upstream = draw(*right.shape, seed=7) if right.dim() else torch.ones((), dtype=torch.float64)
            wanted = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
            names = [name for name in exercise.parameters if name in exercise.differentiable]
            expected = torch.autograd.grad(right, wanted, upstream)
            try:
                got = torch.autograd.grad(result, wanted, upstream.to(result.dtype), allow_unused=True)
            except RuntimeError as error:
                return Finding("gradient-fails", "the gradient",
                               f"The numbers are right, but going backwards through your function raises\n{error_text(error)}",
                               "Does one of your lines overwrite (in place) numbers that the backward pass still needs?")
        for name, mine, theirs in zip(names, expected, got, strict=True):
            found = _compare(exercise, case, name, mine, theirs, cut)
            if found:
                return found
    return None


def _compare(exercise: Exercise, case: Case, name: str, expected: torch.Tensor, got: torch.Tensor | None,
             cut: str) -> Finding | None:
    if got is not None and near(got, expected):
        return None
    given = inputs(exercise.parameters, case.arguments)
    if got is not None:
        says = f"is {values(got)}; it should be {values(expected)}"
        if expected.numel() > LONGEST:
            at = tuple((~torch.isclose(got.double(), expected, rtol=1e-5, atol=1e-7)).nonzero()[0].tolist())
            pair = told_apart(expected[at], got[at])
            says = f"is {pair[1]} at {list(at)}; it should be {pair[0]} there"
    if got is None or (not got.any() and expected.abs().max() > 1e-6):
        return Finding("gradient-cut", f"no gradient reaches `{name}`",
                       f"The numbers are right, but with {given} the gradient with respect to `{name}` is zero, "
                       f"as if the result did not depend on it.{cut}",
                       f"On the way from `{name}` to the result, where is the thread cut?")
    if not torch.isfinite(got).all():
        return Finding("nan-gradient", "NaN in the gradient",
                       f"The numbers are right, but with {given} the gradient with respect to `{name}` {says}.\n"
                       "One NaN here, and after the next training step every parameter of a model is NaN.",
                       "Cleaning a NaN out of the result does not clean the way back: where is it made, and can that step "
                       "be given something harmless instead?")
    return Finding("wrong-gradient", f"the gradient of `{name}`",
                   f"The numbers are right, but with {given} the gradient with respect to `{name}` {says}.{cut}",
                   f"Is part of what depends on `{name}` treated as a constant?")


def _leaves(exercise: Exercise, arguments: tuple) -> tuple:
    return tuple(a.detach().requires_grad_() if name in exercise.differentiable else a
                 for name, a in zip(exercise.parameters, copies(arguments), strict=True))


def _in_place(fn: Callable, leaves: tuple) -> Call:
    return observe(lambda: fn(*leaves), ())  # no copies: the gradient must reach these very tensors


def _suspects(fn: Callable) -> str:
    used = sorted(names_used(fn) & set(CUTS), key=CUTS.index)
    return " Your code mentions " + ", ".join(f"`{name}`" for name in used) + "." if used else ""


def any_device(exercise: Exercise, fn: Callable, case: Case) -> Finding | None:
    """Find a tensor that is made on the CPU although the arguments live elsewhere.

    Args:
        exercise: the exercise.
        fn: the reader's function.
        case: a probe that is answered rightly.

    Returns:
        The finding, or None (also where the rehearsal cannot be held: it never blames without having seen).
    """
    try:
        result = on_another_device(fn, case.arguments)
    except WrongDevice as seen:
        place = own_line(seen, fn)
        line = f"line {place[1]}, `{place[2]}`," if place and place[2] else "a line of your function"
        return Finding("wrong-device", "the device",
                       f"The numbers are right on the CPU. With the arguments on an accelerator {line} puts two devices together: {seen}.",
                       "Which tensor does your code make itself, and from which argument could it take the device?")
    except Exception:
        return None
    if isinstance(result, torch.Tensor) and result.device.type == "cpu":
        return Finding("wrong-device", "the device",
                       "The numbers are right on the CPU. With the arguments on an accelerator your result is on the CPU all the same.",
                       "Which tensor does your code make itself, and from which argument could it take the device?")
    return None
