"""Judge an answer: from the function itself, over its numbers, to how it behaves."""

import inspect
from collections.abc import Callable

import torch

from . import conduct, differences
from .errors import an_error
from .gradients import gradients
from .observe import is_unwritten
from .recognise import Case, fit, known_mistake, make_case, several_mistakes
from .verdict import Finding, Verdict, first, message
from .wording import one_line

UNWRITTEN = Finding("unwritten", "not written yet", "", "")
POSITIONAL = inspect.Parameter.POSITIONAL_OR_KEYWORD


def judge(exercise, fn: Callable) -> Verdict:
    """Judge the reader's function."""
    with torch.inference_mode(False), torch.enable_grad(), torch.random.fork_rng(devices=[]):
        finding, example = examine(exercise, fn)
        later = None
        if finding is not None and finding.name == "wrong-device" and not exercise.device_matters:
            finding, later = None, finding
        elif finding is None:
            later = first(exercise.remarks, exercise, fn)
    if finding is UNWRITTEN:
        return Verdict(exercise.name, "unwritten", None, "not written yet")
    if finding is None:
        remark = f"One thing for later. {later.says}" if later else ""
        return Verdict(exercise.name, "solved", None, "solved", _praise(exercise), note=remark)
    says = finding.says
    lines = [] if example is None else [line for line in example.call.printed.splitlines() if line.strip()]
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
    example = make_case(exercise, fn, exercise.example())
    if is_unwritten(fn, example.call):
        return UNWRITTEN, example
    cases = [example] + [make_case(exercise, fn, arguments) for arguments in exercise.probes()]
    found = _numbers(exercise, fn, cases)
    if found:  # the edges can wait
        return found, example
    cases += [make_case(exercise, fn, arguments) for arguments in exercise.edges()]
    return _numbers(exercise, fn, cases) or _conduct(exercise, fn, cases), example


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
    answer = exercise.answer
    fitting = (differences.not_repeatable, *exercise.detectors, answer.detect) if fit(cases) else ()
    looks = (
        *(known_mistake, answer.another_kind, *fitting, several_mistakes, conduct.float32_only, an_error),
        *(*answer.looks, *exercise.describers, answer.describe),
        *(differences.almost, conduct.writes, differences.unknown),
    )
    return first(looks, exercise, fn, cases)


def _conduct(exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    looks = (
        *(conduct.writes, differences.not_repeatable, gradients),
        *(conduct.keeps_dtype, conduct.any_layout, conduct.any_device),
    )
    return (
        exercise.answer.demand(exercise, fn, cases)
        or first(exercise.demands, exercise, fn)
        or first(looks, exercise, fn, cases)
    )
