"""Judge an answer: from the function itself, over its numbers, to how it behaves."""

import inspect
from collections.abc import Callable

import torch

from . import conduct, differences, kinds, relations
from .errors import an_error
from .gradients import gradients
from .observe import is_unwritten
from .recognise import Case, known_mistake, make_case, several_mistakes
from .verdict import Finding, Verdict, message
from .wording import one_line

UNWRITTEN = Finding("unwritten", "not written yet", "", "")
POSITIONAL = inspect.Parameter.POSITIONAL_OR_KEYWORD


def judge(exercise, fn: Callable) -> Verdict:
    """Judge the reader's function."""
    with torch.inference_mode(False), torch.enable_grad(), torch.random.fork_rng(devices=[]):
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
    lines = [] if first is None else [line for line in first.call.printed.splitlines() if line.strip()]
    if lines and finding.name != "prints":
        more = f" (and {len(lines) - 1} more)" if len(lines) > 1 else ""
        says += f"\nOn the small example your function printed `{one_line(lines[0], 70)}`{more}."
    return Verdict(exercise.name, "wrong", finding.name, finding.about, says, finding.asks)


def _praise(exercise) -> str:
    shapes = 1 + len(exercise.probes()) + len(exercise.edges())
    if not exercise.differentiable:
        tensors = any(isinstance(argument, torch.Tensor) for argument in exercise.example())
        return f"Right on {shapes} sets of arguments{'; they stay as they were' if tensors else ''}."
    return (
        f"Right on {shapes} sets of arguments of different shapes, in float32 and float64, gradients included; your "
        "arguments stay as they were."
    )


def examine(exercise, fn: Callable) -> tuple[Finding | None, Case | None]:
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


def _callable(exercise, fn: object) -> Finding | None:
    if callable(fn):
        return None
    came = "None" if fn is None else f"the text {fn!r}" if isinstance(fn, str) else f"a {type(fn).__name__}"
    return message("not-a-function", came=came, call=f'check("{exercise.name}", {exercise.function})')


def _signature(exercise, fn: Callable) -> Finding | None:
    try:
        signature = inspect.signature(fn)
    except (TypeError, ValueError):  # some functions written in C do not tell
        return None
    wanted, by_position = exercise.parameters, (inspect.Parameter.POSITIONAL_ONLY, POSITIONAL)
    names = tuple(name for name, p in signature.parameters.items() if p.kind in by_position)
    facts = {"call": f"{exercise.function}({', '.join(wanted)})", "names": ", ".join(names)}
    try:
        signature.bind(*wanted)
    except TypeError as error:
        return message("parameters", error=one_line(str(error)), **facts)
    mine = names[: len(wanted)]
    return message("parameter-order", **facts) if mine != wanted and sorted(mine) == sorted(wanted) else None


def _numbers(exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    if all(case.right() for case in cases):
        return None
    answered, answer = [case for case in cases if case.call.error is None], exercise.answer
    found = (answered and answer.amiss(exercise, fn, answered[0])) or known_mistake(exercise, fn, cases)
    if not found and all(case.got is not None and case.got.shape == case.expected.shape for case in cases):
        found = differences.not_repeatable(exercise, fn, cases) or kinds.first(
            (*exercise.detectors, answer.detect), exercise, fn, cases
        )
    found = found or several_mistakes(exercise, cases)
    if found:
        return found
    if len(answered) < len(cases):
        failed = next(case for case in cases if case.call.error is not None)
        return conduct.float32_only(exercise, fn, failed) or an_error(exercise, fn, cases)
    if amiss := next((found for case in cases if (found := answer.amiss(exercise, fn, case))), None):
        return amiss
    return (
        differences.not_repeatable(exercise, fn, cases)
        or relations.turned(exercise, cases)
        or kinds.wrong_shape(exercise, cases)
        or kinds.not_finite(exercise, cases)
        or relations.relation(exercise, cases)
        or differences.ignores(exercise, fn, cases)
        or kinds.first((*exercise.describers, answer.describe), exercise, fn, cases)
        or differences.almost(exercise, cases)
        or conduct.writes(exercise, cases, right=False)
        or differences.unknown(exercise, cases)
    )


def _conduct(exercise, fn: Callable, cases: list[Case]) -> Finding | None:
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
