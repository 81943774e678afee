"""Judge an answer: from the function itself, over its numbers, to how it behaves."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import torch

from . import conduct, differences, kinds, relations
from .errors import an_error
from .exercise import Exercise
from .gradients import gradients
from .observe import is_unwritten
from .recognise import Case, known_mistake, make_case, several_mistakes
from .verdict import Finding, Verdict
from .wording import one_line

UNWRITTEN = Finding("unwritten", "not written yet", "", "")


def judge(exercise: Exercise, fn: Callable) -> Verdict:
    """Judge the reader's function."""
    with (
        torch.inference_mode(False),
        torch.enable_grad(),
        torch.random.fork_rng(devices=[]),
    ):
        finding, first = examine(exercise, fn)
        later = None
        if finding is not None and finding.name == "wrong-device" and not exercise.device_matters:
            finding, later = None, finding
        elif finding is None:
            later = kinds.first(exercise.remarks, exercise, fn)
    if finding is UNWRITTEN:
        return Verdict(exercise.name, "unwritten", None, "not written yet")
    if finding is None:
        remark = f"One thing for later. {later.says}" if later else ""
        return Verdict(exercise.name, "solved", None, "solved", _praise(exercise), note=remark)
    says = finding.says
    if first is not None and first.call.printed.strip() and finding.name != "prints":
        lines = [line for line in first.call.printed.splitlines() if line.strip()]
        more = f" (and {len(lines) - 1} more)" if len(lines) > 1 else ""
        says += f"\nOn the small example your function printed `{one_line(lines[0], 70)}`{more}."
    return Verdict(exercise.name, "wrong", finding.name, finding.about, says, finding.asks)


def _praise(exercise: Exercise) -> str:
    shapes = 1 + len(exercise.probes()) + len(exercise.edges())
    if not exercise.differentiable:
        tensors = any(isinstance(argument, torch.Tensor) for argument in exercise.example())
        return f"Right on {shapes} sets of arguments{'; they stay as they were' if tensors else ''}."
    return (
        f"Right on {shapes} sets of arguments of different shapes, in float32 and float64, gradients "
        f"included; "
        "your arguments stay as they were."
    )


def examine(exercise: Exercise, fn: Callable) -> tuple[Finding | None, Case | None]:
    """Look for what is wrong with an answer."""
    found = _callable(exercise, fn) or _signature(exercise, fn)
    if found:
        return found, None
    first = make_case(exercise, fn, exercise.example())
    if is_unwritten(fn, first.call):
        return UNWRITTEN, first
    cases = [first] + [make_case(exercise, fn, arguments) for arguments in exercise.probes()]
    found = _numbers(exercise, fn, cases)
    if found:  # the edges can wait
        return found, first
    cases += [make_case(exercise, fn, arguments) for arguments in exercise.edges()]
    return _numbers(exercise, fn, cases) or _conduct(exercise, fn, cases), first


def _callable(exercise: Exercise, fn: object) -> Finding | None:
    if callable(fn):
        return None
    came = "None" if fn is None else "the text " + repr(fn) if isinstance(fn, str) else f"a {type(fn).__name__}"
    return Finding(
        "not-a-function",
        "not a function",
        f"The checker calls your function itself, many times; what it got is {came}.",
        f'Write check("{exercise.name}", {exercise.function}), with the function\'s name and no brackets '
        f"behind it. "
        "Did you hand over a result instead?",
    )


def _signature(exercise: Exercise, fn: Callable) -> Finding | None:
    try:
        signature = inspect.signature(fn)
    except (TypeError, ValueError):  # some functions written in C do not tell
        return None
    wanted = exercise.parameters
    call = f"{exercise.function}({', '.join(wanted)})"
    kinds_ = inspect.Parameter
    names = tuple(
        p.name
        for p in signature.parameters.values()
        if p.kind in (kinds_.POSITIONAL_ONLY, kinds_.POSITIONAL_OR_KEYWORD)
    )
    try:
        signature.bind(*wanted)
    except TypeError as error:
        return Finding(
            "parameters",
            "the parameters",
            f"The checker calls {call}; your function takes ({', '.join(names)}): {one_line(str(error))}.",
            "Which parameter is missing, or which one too many?",
        )
    if names[: len(wanted)] != wanted and sorted(names[: len(wanted)]) == sorted(wanted):
        return Finding(
            "parameter-order",
            "the order of the parameters",
            f"The checker calls {call} by position; yours has the order ({', '.join(names)}).",
            "In which order does the task list them?",
        )
    return None


def _numbers(exercise: Exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    if all(case.right() for case in cases):
        return None
    answered = [case for case in cases if case.call.error is None]
    if answered:
        found = exercise.answer.amiss(exercise, fn, answered[0])
        if found:
            return found
    found = known_mistake(exercise, fn, cases)
    if found:
        return found
    tensors = all(case.got is not None for case in cases)
    if tensors and all(case.got.shape == case.expected.shape for case in cases):
        found = differences.not_repeatable(exercise, fn, cases) or kinds.first(
            (*exercise.detectors, exercise.answer.detect), exercise, fn, cases
        )
    found = found or several_mistakes(exercise, cases)
    if found:
        return found
    if len(answered) < len(cases):
        failed = next(case for case in cases if case.call.error is not None)
        return conduct.float32_only(exercise, fn, failed) or an_error(exercise, fn, cases)
    for case in cases:
        found = exercise.answer.amiss(exercise, fn, case)
        if found:
            return found
    return (
        differences.not_repeatable(exercise, fn, cases)
        or relations.turned(exercise, cases)
        or kinds.wrong_shape(exercise, cases)
        or kinds.not_finite(exercise, cases)
        or relations.relation(exercise, cases)
        or differences.ignores(exercise, fn, cases)
        or kinds.first((*exercise.describers, exercise.answer.describe), exercise, fn, cases)
        or differences.almost(exercise, cases)
        or conduct.writes(exercise, cases, right=False)
        or differences.unknown(exercise, cases)
    )


def _conduct(exercise: Exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    largest = max(cases, key=lambda case: case.expected.numel())
    return (
        kinds.first((exercise.answer.demand, *exercise.demands), exercise, fn)
        or conduct.writes(exercise, cases)
        or differences.not_repeatable(exercise, fn, cases)
        or (gradients(exercise, fn, cases) if exercise.differentiable else None)
        or (conduct.keeps_dtype(exercise, fn, cases) if exercise.differentiable else None)
        or conduct.any_layout(exercise, fn, largest)
        or conduct.any_device(exercise, fn, largest)
    )
