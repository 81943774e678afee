"""A probe: the arguments, the right answer beside the reader's, and what several probes have in common."""

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace

import torch

from .calls import Call, copies, observe
from .guard import time_limit
from .language import later, say
from .wording import LONGEST, decimals, inputs, shapes, values

TOLERANCE = {torch.float32: (1e-3, 1e-5), torch.float16: (2e-2, 2e-3), torch.bfloat16: (1e-1, 2e-2)}
HUGE = 1_000_000  # numbers in a result; right answers have a few thousand at most


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
    return not different(got, expected).any()


def different(got: torch.Tensor, expected: torch.Tensor) -> torch.Tensor:
    """Which numbers of a result are wrong, as far as its dtype can tell: bool, of the shape of both."""
    rtol, atol = TOLERANCE.get(got.dtype, (1e-5, 1e-7))
    got, expected = got.detach().to("cpu", torch.float64), expected.detach().to(torch.float64)
    if torch.equal(got, expected):  # a tenth of the time
        return torch.zeros_like(got, dtype=torch.bool)
    return ~torch.isclose(got, expected, rtol=rtol, atol=atol, equal_nan=True)


def near_squeezed(got: torch.Tensor | None, expected: torch.Tensor | None) -> bool:
    """Compare two results as if axes of size 1 did not matter."""
    return got is not None and expected is not None and near(got.squeeze(), expected.squeeze())


def side_by_side(given: str, expected: torch.Tensor, got: torch.Tensor, longest: int = LONGEST) -> str:
    """Write what came beside what should have come; a table's rows stand one above the other."""
    at = None
    if expected.shape == got.shape and expected.numel() > longest:
        wrong = different(got, expected)
        at = tuple(wrong.nonzero()[0].tolist()) if wrong.any() else (0,) * expected.dim()
        expected, got = expected[at], got[at]
    digits = decimals(expected, got)
    if max(expected.squeeze().dim(), got.squeeze().dim()) < 2 or max(expected.numel(), got.numel()) > LONGEST:
        facts = {"given": given, "got": values(got, digits), "right": values(expected, digits)}
        if at is None:
            return say("With {given} you return {got}; right is {right}.", **facts) + " "
        return say("With {given} your number at {at} is {got}; right is {right}.", at=list(at), **facts) + " "
    lines = [f"    {say('you return')}", *_rows(got, digits), f"    {say('right is')}", *_rows(expected, digits)]
    return "\n".join([say("With {given}", given=given), *lines, ""])


def _rows(x: torch.Tensor, digits: int) -> list[str]:
    """A table's rows, each on a line of its own, so that they fit a phone; an empty line parts tables."""
    x = x.detach().squeeze()
    if x.dim() < 2:
        return [f"      {values(x, digits)}"]
    tables = [_rows(part, digits) for part in x]
    between = ["    "] if x.dim() > 2 else []  # a line of code, too
    return [*tables[0], *(line for table in tables[1:] for line in [*between, *table])]


def make_case(exercise, fn: Callable, arguments: tuple) -> Case:
    """Answer one probe: the right answer beside the reader's."""
    with time_limit():
        result = exercise.solution(*copies(arguments))
    expected = exercise.answer.read(arguments, result).detach()
    return Case(exercise, fn, arguments, expected, observe(fn, arguments))


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
