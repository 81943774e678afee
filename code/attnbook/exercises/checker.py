"""Judge an answer: from the function itself, over its numbers, to how it behaves."""

import inspect
from collections.abc import Callable

import torch

from . import beyond_numbers, guard, unexplained
from .calls import at_line, error_text, is_unwritten
from .case import Case, fit, make_case
from .errors import an_error, at_the_edge
from .exercise import Exercise
from .language import joined, later, say
from .recognise import known_mistake, several_mistakes
from .slips import slip
from .space import draws
from .verdict import Finding, Verdict, first, message
from .wording import a, one_line

UNWRITTEN = Finding("unwritten", later("not written yet"), "", "")
BY_POSITION = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD


def judge(exercise: Exercise, fn: Callable) -> Verdict:
    """Judge the reader's function."""
    with (
        torch.inference_mode(False),
        torch.enable_grad(),
        guard.own_dice(),
        guard.kept(),
        guard.on_the_cpu(),
        guard.check_limit(),
    ):
        try:
            finding, cases = examine(exercise, fn)
        except guard.CheckTooLong:
            finding, cases = message("takes-too-long/check", seconds=guard.CHECK), []
        except guard.TooLong as stopped:
            facts = {"seconds": guard.SECONDS, "line": at_line(stopped, fn)}
            finding, cases = message("takes-too-long", **facts), []
        except (Exception, SystemExit) as error:  # a result that fights back
            finding, cases = message("cannot-be-judged", error=error_text(error)), []
        if finding is UNWRITTEN:
            return Verdict(exercise.name, "unwritten", None, say(finding.about))
        if finding is None:
            remark = _remark(exercise, fn, cases)
            about = say("solved, with a remark") if remark else say("solved")
            note = joined(say("One thing for later. {says}", says=remark.says)) if remark else ""
            return Verdict(exercise.name, "solved", None, about, _praise(exercise, len(cases)), note=note)
    says = finding.says
    lines = [line for case in cases[:1] for line in case.call.printed.splitlines() if line.strip()]
    if lines and finding.name != "prints":
        facts = {"line": one_line(lines[0], 70), "count": len(lines) - 1}
        says += "\n" + (
            say("On the small example your function printed `{line}` (and {count} more).", **facts)
            if facts["count"]
            else say("On the small example your function printed `{line}`.", **facts)
        )
    return Verdict(exercise.name, "wrong", finding.name, joined(finding.about), joined(says), joined(finding.asks))


def _remark(exercise: Exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Something worth knowing about a right answer, if there is time for it."""
    behaves = beyond_numbers.any_device, beyond_numbers.any_layout
    try:
        return first(exercise.remarks, exercise, fn) or first(behaves, exercise, fn, cases)
    except guard.TooLong:
        return None


def _praise(exercise: Exercise, count: int) -> str:
    if not any(isinstance(argument, torch.Tensor) for argument in exercise.example()):
        return say("Right on {count} sets of arguments.", count=count)
    if not exercise.differentiable:
        return say("Right on {count} sets of arguments; they stay as they were.", count=count)
    return say(
        "Right on {count} sets of arguments of different shapes, in float32 and float64, gradients included; your "
        "arguments stay as they were.",
        count=count,
    )


def examine(exercise: Exercise, fn: Callable) -> tuple[Finding | None, list[Case]]:
    """Look for what is wrong with an answer; returns what was tried as well."""
    if found := _callable(exercise, fn) or _signature(exercise, fn) or first(exercise.bans, exercise, fn):
        return found, []
    cases = [make_case(exercise, fn, exercise.example())]
    if is_unwritten(fn, cases[0].call):
        return UNWRITTEN, cases
    cases += [make_case(exercise, fn, arguments) for arguments in exercise.probes()]
    if found := _numbers(exercise, fn, cases):  # the edges can wait
        return found, cases
    cases += [make_case(exercise, fn, arguments) for arguments in exercise.edges()]
    if found := _numbers(exercise, fn, cases):
        return found, cases
    drawn = [*cases, *draws(exercise, fn)] if exercise.space else cases
    return _numbers(exercise, fn, drawn) or _conduct(exercise, fn, cases, drawn[len(cases) :]), drawn


def _callable(exercise: Exercise, fn: object) -> Finding | None:
    if callable(fn):
        return None
    came = say("the text {text}", text=repr(fn)) if isinstance(fn, str) else a(type(fn).__name__)
    came = "None" if fn is None else came
    return message("not-a-function", came=came, call=f'check("{exercise.name}", {exercise.function})')


def _signature(exercise: Exercise, fn: Callable) -> Finding | None:
    try:
        signature = inspect.signature(fn)
    except (TypeError, ValueError):  # some functions written in C do not tell
        return None
    wanted = exercise.parameters
    names = tuple(name for name, p in signature.parameters.items() if p.kind in BY_POSITION)
    facts = {"call": f"{exercise.function}({', '.join(wanted)})", "names": ", ".join(names)}
    try:
        signature.bind(*wanted)
    except TypeError:
        return message("parameters", mine=_untyped(signature), **facts)
    mine = names[: len(wanted)]
    return message("parameter-order", **facts) if mine != wanted and sorted(mine) == sorted(wanted) else None


def _untyped(signature: inspect.Signature) -> str:
    """A function's parameters as they are written, without types: ``(x, *, eps=1e-05)``."""
    bare = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in signature.parameters.values()]
    return one_line(str(inspect.Signature(bare)))


def _numbers(exercise: Exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    if all(case.right() for case in cases):
        return None
    answer = exercise.answer
    fitting = (unexplained.not_repeatable, *exercise.detectors, answer.detect) if fit(cases) else ()
    ordinary = () if at_the_edge(exercise, cases) else (answer.describe,)
    # The first finding is heard, so causes come before symptoms, and the surer before what fits many answers. Surest is
    # a mistake of the exercise, made beside the reader's function: it agrees on every probe. Then comes what leaves
    # nothing to compare (an answer only begun, another kind of result), what the exercise and its kind of answer
    # recognise, and two mistakes at once. An error or a shape is a symptom, but it hides what would follow; a relation
    # between numbers has many causes. Slips, edits that nobody foresaw, are many, and one may fit by chance. The last
    # ones only describe.
    looks = (
        known_mistake, unexplained.always_the_same, answer.another_kind, *fitting, several_mistakes,
        beyond_numbers.float32_only, an_error, *answer.looks, slip, *exercise.describers, *ordinary,
        unexplained.almost, beyond_numbers.writes, unexplained.unknown,
    )  # fmt: skip
    return first(looks, exercise, fn, cases)


def _conduct(exercise: Exercise, fn: Callable, cases: list[Case], drawn: list[Case]) -> Finding | None:
    looks = (
        beyond_numbers.writes,
        unexplained.not_repeatable,
        beyond_numbers.gradients,
        beyond_numbers.keeps_dtype,
        beyond_numbers.loses_digits,
        beyond_numbers.changes_torch,
    )
    return (
        exercise.answer.demand(exercise, fn, cases)
        or first(exercise.demands, exercise, fn)
        or first((*looks, *(beyond_numbers.any_layout,) * exercise.views), exercise, fn, cases)
        or beyond_numbers.finite_gradients(exercise, fn, drawn)
    )
