"""Recognise a mistake by its numbers: run the mistaken formula beside the reader's function and compare."""

import functools
import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import torch

from .calls import Call, at_line, copies, error_text, observe, own_line
from .edits import named_locals
from .language import later, say
from .verdict import Finding, message
from .wording import inputs, shapes, side_by_side, values

TOLERANCE = {torch.float32: (1e-3, 1e-5), torch.float16: (2e-2, 2e-3), torch.bfloat16: (1e-1, 2e-2)}
HUGE = 1_000_000  # numbers in a result; right answers have a few thousand at most
LOOKS = later("it looks as if {phrase}")
PAIRS = 250  # combinations of mistakes that are tried at most


@dataclass(frozen=True)
class Case:
    """One probe: the arguments, the right answer, and what the reader's function did."""

    exercise: object
    fn: Callable
    arguments: tuple
    expected: torch.Tensor
    call: Call

    @functools.cached_property
    def got(self) -> torch.Tensor | None:
        """The reader's result as an ordinary tensor, or None if it cannot be read as one."""
        return self.numbers(self.call.result)

    def numbers(self, result: object) -> torch.Tensor | None:
        """What is compared of a result of these arguments: an ordinary tensor, or None."""
        strange = isinstance(result, torch.Tensor) and unusual(result)
        if result is None or strange or (isinstance(result, list | tuple) and len(result) > HUGE):
            return None
        try:
            result = self.exercise.answer.read(self.arguments, result)
        except Exception:  # a result of another kind than the exercise asks for
            return None
        return result if isinstance(result, torch.Tensor) and not unusual(result) else None

    def answered(self, call: Call) -> "Case":
        """The same probe with another call's result."""
        return replace(self, call=call)

    def right(self) -> bool:
        """Whether the reader's numbers are the right ones (whatever their dtype)."""
        return near(self.got, self.expected)

    @property
    def given(self) -> str:
        """The arguments, as in ``query (1, 2) and width 2``."""
        return inputs(self.exercise.parameters, self.arguments)

    @property
    def shapes(self) -> str:
        """The arguments by their shapes."""
        return shapes(self.exercise.parameters, self.arguments)

    @property
    def shaped(self) -> str:
        """The same as what comes after "With"; numbers have no shapes."""
        tensors = any(isinstance(argument, torch.Tensor) and argument.dim() for argument in self.arguments)
        return say("the shapes {shapes}", shapes=self.shapes) if tensors else self.shapes

    @property
    def seen(self) -> str:
        """What came beside what should have come, as the beginning of a message."""
        return side_by_side(self.given, self.expected, self.got)


def unusual(x: torch.Tensor) -> str:
    """Name what keeps a tensor from being compared with others number by number; "" for an ordinary one."""
    return next((name for name, is_so in UNUSUAL.items() if is_so(x)), "")


UNUSUAL: dict[str, Callable] = {
    later("nested"): lambda x: x.is_nested,
    later("sparse"): lambda x: x.layout != torch.strided,
    later("quantized"): lambda x: x.is_quantized,
    "float8": lambda x: x.is_floating_point() and x.dtype.itemsize == 1,
    later("complex"): torch.is_complex,
    "meta": lambda x: x.is_meta,
    later("huge (over a million numbers)"): lambda x: x.numel() > HUGE,
}


def near(got: torch.Tensor | None, expected: torch.Tensor | None) -> bool:
    """Compare two results by shape and numbers; one that could not be read is near none."""
    if got is None or expected is None or unusual(got) or got.shape != expected.shape:
        return False
    rtol, atol = TOLERANCE.get(got.dtype, (1e-5, 1e-7))
    got, expected = got.detach().to("cpu", torch.float64), expected.detach().to(torch.float64)
    return torch.allclose(got, expected, rtol=rtol, atol=atol, equal_nan=True)


def near_squeezed(got: torch.Tensor | None, expected: torch.Tensor | None) -> bool:
    """Compare two results as if axes of size 1 did not matter."""
    return got is not None and expected is not None and near(got.squeeze(), expected.squeeze())


def worded(exercise) -> list:
    """The mistakes that an exercise has words for."""
    return [mistake for mistake in exercise.mistakes if mistake.says]


def does_as(fn: Callable, cases: list[Case], alike: Callable = near) -> bool:
    """Ask whether a formula does the same as the reader's function on every probe."""
    telling, raised, same = False, 0, 0
    for case in cases:
        try:
            result = fn(*copies(case.arguments))
        except Exception as error:
            if case.call.error is None:
                return False
            raised, same = raised + 1, same + (error_text(error) == error_text(case.call.error))
        else:
            result = case.numbers(result)
            if not alike(case.got, result) or bool(case.got.any()) != bool(result.any()):  # 0 is not 1e−17
                return False
            numbers = case.expected.numel() == 1 or bool(torch.isfinite(case.got).any())
            telling = telling or (numbers and not alike(case.got, case.expected))
    return telling or 2 * same > raised


def known_mistake(exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Look for the reader's mistake among those that the exercise knows."""
    known = worded(exercise)
    tries = [(near, form) for mistake in known for form in mistake.variants] + [(near_squeezed, one) for one in known]
    for alike, mistake in tries:
        if does_as(exercise.mistaken(mistake), cases, alike) and _line_fits(mistake, fn, cases):
            return tell(exercise, mistake, fn, cases)
    return None


def _line_fits(mistake, fn: Callable, cases: list[Case]) -> bool:
    if not mistake.line:
        return True
    places = [own_line(case.call.error, fn) for case in cases if case.call.error is not None]
    return all(place is not None and re.search(mistake.line, place[2]) for place in places)


def several_mistakes(exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Look for two or three of the exercise's mistakes, edits of different places, that meet in one answer."""
    if smallest_wrong(cases).got is None or not telling(cases):  # there are no numbers to tell of
        return None
    counts = (2, 3) if fit(cases) else (2,)
    tried = (itertools.combinations(worded(exercise), count) for count in counts)
    for some in itertools.islice(itertools.chain.from_iterable(tried), PAIRS):
        together = exercise.mistaken(*some)
        if together is not None and does_as(together, cases):
            return tell_several([m.phrase for m in some], " + ".join(m.name for m in some), cases)
    return None


def tell(exercise, mistake, fn: Callable, cases: list[Case]) -> Finding:
    """Put a recognised mistake into words, with the numbers of the reader's own function."""
    case = make_case(exercise, fn, (mistake.example or exercise.example)())
    if case.right():  # the mistake does not show on its example: take a probe on which it does
        case = next(other for other in cases if not other.right())
    told = facts(case)
    phrase, more = mistake.parts
    numbers = "" if re.search(r"\{(seen|got|error)\}", more) else told["seen"]
    about = say(LOOKS, phrase=phrase.format_map(told).rstrip(".。"))
    return Finding(mistake.name, about, (numbers + more.format_map(told)).strip(), say(mistake.ask))


def facts(case: Case) -> dict[str, str]:
    """What a mistake's words may mention: the call, the results, the solution's own locals."""
    own = named_locals(case.exercise.solution, copies(case.arguments))
    told = {name: values(value) for name, value in own.items()}
    told |= {"given": case.given, "expected": values(case.expected), "seen": ""}
    if case.got is not None:
        told |= {"got": values(case.got), "seen": case.seen}
        told["seen"] = say(case.exercise.seen, **told)
    if case.call.error is not None:
        told |= {"error": error_text(case.call.error), "line": at_line(case.call.error, case.fn)}
        told["seen"] = say("With {given} {line} raises {error}.", **told) + " "
    return told


def make_case(exercise, fn: Callable, arguments: tuple) -> Case:
    """Answer one probe: the right answer beside the reader's."""
    expected = exercise.answer.read(arguments, exercise.solution(*copies(arguments))).detach()
    return Case(exercise, fn, arguments, expected, observe(fn, arguments))


def tell_several(looks: list[str], name: str, cases: list[Case]) -> Finding:
    """Put mistakes that meet in one answer into words."""
    count, some = (say("two"), say("either")) if len(looks) == 2 else (say("three"), say("any of them"))
    listed = say("; ").join(f"({i}) {text}" for i, text in enumerate(looks, 1))
    return message("several-slips", name, count=count, seen=smallest_wrong(cases).seen, listed=listed, some=some)


def telling(cases: list[Case]) -> bool:
    """Whether some wrong result holds different numbers: one number everywhere fits too many explanations."""
    numbers = [case.got.detach().flatten() for case in cases if case.got is not None and not case.right()]
    flat = torch.cat([x.to("cpu", torch.float64) for x in numbers]) if numbers else torch.zeros(1)
    return bool((flat != flat[:1]).any())


def first_failed(cases: list[Case]) -> Case | None:
    """The first probe on which the reader's function raised an error."""
    return next((case for case in cases if case.call.error is not None), None)


def largest(cases: list[Case]) -> Case:
    """The probe with the largest right answer."""
    return max(cases, key=lambda case: case.expected.numel())


def fit(cases: list[Case]) -> bool:
    """Whether every result is of the right kind and shape."""
    return all(case.got is not None and case.got.shape == case.expected.shape for case in cases)


def smallest_wrong(cases: list[Case]) -> Case:
    """Pick the simplest probe that is answered wrongly."""
    if not cases[0].right():
        return cases[0]
    return min(
        (case for case in cases if not case.right()),
        key=lambda case: sum(a.numel() for a in case.arguments if isinstance(a, torch.Tensor)),
    )
