"""Recognise a mistake by its numbers: run the mistaken formula beside the reader's function and compare."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import torch

from .edits import named_locals
from .exercise import Exercise, Mistake
from .observe import Call, copies, error_text, observe, own_line
from .verdict import Finding
from .wording import inputs, side_by_side, values

TOLERANCE = {
    torch.float32: (1e-3, 1e-5),
    torch.float16: (2e-2, 2e-3),
    torch.bfloat16: (1e-1, 2e-2),
}


@dataclass(frozen=True)
class Case:
    """One probe: the arguments, the right answer, what the reader's function did, and how to read it."""

    arguments: tuple
    expected: torch.Tensor
    call: Call
    read: Callable

    @property
    def got(self) -> torch.Tensor | None:
        """The reader's result as an ordinary tensor, or None if it cannot be read as one."""
        return self.numbers(self.call.result)

    def numbers(self, result: object) -> torch.Tensor | None:
        """What is compared of a result of these arguments: an ordinary tensor, or None."""
        try:
            result = None if result is None else self.read(self.arguments, result)
        except Exception:  # a result of another kind than the exercise asks for
            return None
        return result if isinstance(result, torch.Tensor) and not unusual(result) else None

    def answered(self, call: Call) -> Case:
        """The same probe with another call's result."""
        return replace(self, call=call)

    def right(self) -> bool:
        """Whether the reader's numbers are the right ones (whatever their dtype)."""
        return self.got is not None and near(self.got, self.expected)


def unusual(x: torch.Tensor) -> str:
    """Name what keeps a tensor from being compared with others number by number."""
    if x.is_nested:
        return "nested"
    if x.layout != torch.strided:
        return "sparse"
    if x.is_quantized:
        return "quantized"
    if x.is_floating_point() and x.dtype.itemsize == 1:
        return "float8"
    if x.is_complex():
        return "complex"
    return "meta" if x.is_meta else ""


def near(got: torch.Tensor, expected: torch.Tensor) -> bool:
    """Compare two results by shape and numbers."""
    if unusual(got) or got.shape != expected.shape:
        return False
    rtol, atol = TOLERANCE.get(got.dtype, (1e-5, 1e-7))
    return torch.allclose(
        got.detach().to("cpu", torch.float64),
        expected.detach().to(torch.float64),
        rtol=rtol,
        atol=atol,
        equal_nan=True,
    )


def does_as(fn: Callable, cases: list[Case]) -> bool:
    """Ask whether a formula does the same as the reader's function on every probe."""
    telling, raised, alike = False, 0, 0
    for case in cases:
        try:
            result = fn(*copies(case.arguments))
        except Exception as error:
            if case.call.error is None:
                return False
            raised, alike = (
                raised + 1,
                alike + (error_text(error) == error_text(case.call.error)),
            )
        else:
            result = case.numbers(result)
            if case.got is None or result is None or not near(case.got, result.detach()):
                return False
            telling = telling or (not case.right() and bool(torch.isfinite(case.got).any()))
    return telling or 2 * alike > raised


def known_mistake(exercise: Exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Look for the reader's mistake among those that the exercise knows."""
    known = [mistake for mistake in exercise.mistakes if mistake.says]
    for mistake in known:
        if does_as(exercise.mistaken(mistake), cases) and _line_fits(mistake, fn, cases):
            return tell(exercise, mistake, fn, cases)
    if any(case.got is None for case in cases) or all(case.got.shape == case.expected.shape for case in cases):
        return None
    squeezed = [  # a known mistake, and an axis of size 1 too many or too few
        Case(
            case.arguments,
            case.expected.squeeze(),
            case.call,
            lambda arguments, result, read=case.read: read(arguments, result).squeeze(),
        )
        for case in cases
    ]
    for mistake in known:
        if does_as(exercise.mistaken(mistake), squeezed):
            return tell(exercise, mistake, fn, cases)
    return None


def _line_fits(mistake: Mistake, fn: Callable, cases: list[Case]) -> bool:
    if not mistake.line:
        return True
    places = [own_line(case.call.error, fn) for case in cases if case.call.error is not None]
    return all(place is not None and re.search(mistake.line, place[2]) for place in places)


PAIRS = 1500  # combinations of mistakes that are tried at most


def several_mistakes(exercise: Exercise, cases: list[Case]) -> Finding | None:
    """Look for two or three of the exercise's mistakes, edits of different places, that meet in one answer."""
    known = [mistake for mistake in exercise.mistakes if mistake.says]
    if smallest_wrong(cases).got is None:  # there are no numbers to tell of
        return None
    shapes_fit = all(case.got is not None and case.got.shape == case.expected.shape for case in cases)
    tried = itertools.chain.from_iterable(
        itertools.combinations(known, count) for count in ((2, 3) if shapes_fit else (2,))
    )
    for some in itertools.islice(tried, PAIRS):
        together = exercise.mistaken(*some)
        if together is not None and does_as(together, cases):
            return tell_several(
                exercise,
                [mistake.phrase for mistake in some],
                " + ".join(m.name for m in some),
                cases,
            )
    return None


def tell(exercise: Exercise, mistake: Mistake, fn: Callable, cases: list[Case]) -> Finding:
    """Put a recognised mistake into words, with the numbers of the reader's own function."""
    case = make_case(exercise, fn, (mistake.example or exercise.example)())
    if case.right():  # the mistake does not show on its example: take a probe on which it does
        case = next(other for other in cases if not other.right())
    if hasattr(mistake, "about"):  # an exercise of the old form
        says = mistake.old_says.format_map(_facts(exercise, fn, case))
        asks = f"It looks as if {mistake.phrase}. {mistake.ask}"
        return Finding(mistake.name, mistake.about, says, asks)
    facts = _facts(exercise, fn, case)
    phrase, _, more = mistake.says.partition(". ")
    numbers = "" if re.search(r"\{(seen|got|error)\}", more) else facts["seen"]
    return Finding(
        mistake.name,
        f"it looks as if {phrase.format_map(facts).rstrip('.')}",
        (numbers + more.format_map(facts)).strip(),
        mistake.ask,
    )


def _facts(exercise: Exercise, fn: Callable, case: Case) -> dict[str, str]:
    facts = {
        "given": inputs(exercise.parameters, case.arguments),
        "expected": values(case.expected),
        "seen": "",
    }
    if case.got is not None:
        facts["got"] = values(case.got)
        facts["seen"] = side_by_side(facts["given"], case.expected, case.got)
    if case.call.error is not None:
        place = own_line(case.call.error, fn)
        facts["error"] = error_text(case.call.error)
        facts["line"] = f"line {place[1]}, `{place[2]}`," if place and place[2] else "your function"
        facts["seen"] = "With {given} {line} raises {error}. ".format_map(facts)
    own = named_locals(exercise.solution, copies(case.arguments))
    return {name: values(value) for name, value in own.items()} | facts


def make_case(exercise: Exercise, fn: Callable, arguments: tuple) -> Case:
    """Answer one probe: the right answer beside the reader's."""
    read = exercise.answer.read
    expected = read(arguments, exercise.solution(*copies(arguments))).detach()
    return Case(arguments, expected, observe(fn, arguments), read)


def tell_several(exercise: Exercise, looks: list[str], name: str, cases: list[Case]) -> Finding:
    """Put mistakes that meet in one answer into words."""
    case = smallest_wrong(cases)
    count = {2: "two", 3: "three"}[len(looks)]
    listed = "; ".join(f"({i}) {text}" for i, text in enumerate(looks, 1))
    return Finding(
        name,
        f"{count} things at once",
        f"{side_by_side(inputs(exercise.parameters, case.arguments), case.expected, case.got)}"
        f"Your numbers are exactly those of {count} slips together: {listed}.",
        "Mend any of them and check again: the message will then speak of the rest with its numbers. "
        "Which do you find first in your code?",
    )


def smallest_wrong(cases: list[Case]) -> Case:
    """Pick the simplest probe that is answered wrongly."""
    if not cases[0].right():
        return cases[0]
    return min(
        (case for case in cases if not case.right()),
        key=lambda case: sum(a.numel() for a in case.arguments if isinstance(a, torch.Tensor)),
    )
