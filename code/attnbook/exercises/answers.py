"""The kinds of answer: tensors, a mask, one number, a list (and several results: several.py). How each is judged."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

from . import forms, unexplained, wrong_numbers
from .case import Case, near, smallest_wrong, unusual
from .language import say
from .verdict import Finding, message
from .wording import number, short, values


class Tensors:
    """One tensor of floating-point numbers, which is compared as it is; what every other kind starts from."""

    floats: tuple[str, ...] = ()  # as in `Several`
    # what can be seen of any wrong numbers
    looks = (
        unexplained.not_repeatable, wrong_numbers.turned, forms.wrong_shape, forms.not_finite, wrong_numbers.relation,
        unexplained.ignores,
    )  # fmt: skip

    def wanted(self, exercise) -> str:
        """What is asked for, in words."""
        shape = _shape(exercise)
        return say("a tensor of shape {shape}", shape=shape) if shape else say("a tensor with one number")

    def read(self, arguments: tuple, result: object) -> torch.Tensor:
        """The numbers that are compared; anything else than a tensor if the result is of another kind."""
        return result

    def another_kind(self, exercise, fn: Callable, cases: list[Case]) -> Finding | None:
        """Find a result of another kind."""
        for case in (case for case in cases if case.call.error is None):
            strange = isinstance(result := case.call.result, torch.Tensor) and unusual(result)
            if found := forms.wrong_kind(case, self.wanted(exercise)) if strange else self.amiss(exercise, fn, case):
                return found
        return None

    def amiss(self, exercise, fn: Callable, case: Case) -> Finding | None:
        """What to say of a result of another kind; None if this is not the matter."""
        return forms.wrong_kind(case, self.wanted(case.exercise))

    def detect(self, exercise, fn: Callable, cases: list[Case]) -> Finding | None:
        """A recogniser for tensors of the right shape, after the mistakes that the exercise knows."""

    def describe(self, exercise, fn: Callable, cases: list[Case]) -> Finding | None:
        """What to say of wrong numbers for ordinary arguments that nothing has recognised."""

    def demand(self, exercise, fn: Callable, cases: list[Case]) -> Finding | None:
        """What a result must be besides having the right numbers."""


class Mask(Tensors):
    """A bool tensor, True where a query may attend; it is compared as ones and zeros."""

    def wanted(self, exercise) -> str:
        return say("a bool tensor of shape {shape}", shape=_shape(exercise))

    def read(self, arguments: tuple, result: torch.Tensor) -> torch.Tensor:
        return result.detach().to(torch.float64)

    def amiss(self, exercise, fn: Callable, case: Case) -> Finding | None:
        if isinstance(result := case.call.result, bool):
            return message("returns-a-bool", given=case.given, result=result, wanted=self.wanted(case.exercise))
        return super().amiss(exercise, fn, case)

    def detect(self, exercise, fn: Callable, cases: list[Case]) -> Finding | None:
        """A mask that is meant to be added to the scores, whatever its large negative number is."""
        for case in cases:
            allowed = case.expected == 1
            hides = not (case.got[allowed] != 0).any() and not (case.got[~allowed] > -1).any()
            if not hides or case.call.result.dtype == torch.bool or not torch.isfinite(case.got).all():
                return None  # −∞ is a mistake that the exercises know by name
        given, got = cases[0].given, cases[0].got
        return message("additive-finite", given=given, got=values(got), lowest=number(float(got.min())))

    def demand(self, exercise, fn: Callable, cases: list[Case]) -> Finding | None:
        dtype = cases[0].call.result.dtype
        if dtype == torch.bool:
            return None
        facts = {"given": cases[0].given, "got": values(cases[0].got), "dtype": short(dtype)}
        if dtype.is_floating_point:
            return message("not-bool/float", **facts)
        return message("not-bool", flipped=number(int(~torch.ones((), dtype=dtype))), **facts)


@dataclass(frozen=True)
class Number(Tensors):
    """One Python number: `what` is asked for (``"one number from 0 to 1"``), and whether it must be an integer."""

    what: str
    whole: bool = False

    def wanted(self, exercise) -> str:
        return say(self.what)

    def read(self, arguments: tuple, result: object) -> torch.Tensor:
        if isinstance(result, torch.Tensor | np.ndarray) and math.prod(result.shape) == 1:
            result = result.item()
        if isinstance(result, bool | np.bool_ | str | bytes | complex | np.ndarray | torch.Tensor):
            raise TypeError(f"not a number but a {type(result).__name__}")
        return torch.tensor(float(result), dtype=torch.float64)

    def amiss(self, exercise, fn: Callable, case: Case) -> Finding | None:
        if case.got is not None:
            return None
        result, inside, name = case.call.result, "", "returns-another-kind"
        if isinstance(result, torch.Tensor | np.ndarray):
            inside = say("a {kind} of shape {shape}", kind=type(result).__name__, shape=tuple(result.shape))
        elif isinstance(result, list):
            inside, name = say("a list of {size}", size=len(result)), "returns-a-list"
        elif isinstance(result, bool):
            inside = say("the truth value {value}", value=result)
        return forms.wrong_kind(case, self.wanted(case.exercise), inside, name)

    def demand(self, exercise, fn: Callable, cases: list[Case]) -> Finding | None:
        result, facts = cases[0].call.result, {"wanted": self.wanted(exercise), "given": cases[0].given}
        if self.whole and isinstance(result, torch.Tensor):
            return message("a-tensor/number", right=values(cases[0].expected), dtype=result.dtype, **facts)
        if self.whole and not _whole(result):
            return message("a-float", result=repr(result), kind=type(result).__name__, **facts)
        return None


class WholeNumbers(Tensors):
    """A Python list of whole numbers, of whatever length: lists of different lengths cannot be subtracted."""

    looks = unexplained.not_repeatable, unexplained.ignores

    def wanted(self, exercise) -> str:
        return say("a list of whole numbers")

    def read(self, arguments: tuple, result: object) -> torch.Tensor:
        if isinstance(result, torch.Tensor | np.ndarray):
            result = torch.as_tensor(result)
            if result.dim() != 1 or result.is_floating_point() or result.dtype == torch.bool:
                raise TypeError(f"not a row of whole numbers: {result.dtype}, {result.dim()} axes")
            return result.detach().to("cpu", torch.float64)
        if not isinstance(result, list | tuple) or not all(_whole(x) for x in result):
            raise TypeError("not a list of whole numbers")
        return torch.tensor([int(x) for x in result], dtype=torch.float64)

    def amiss(self, exercise, fn: Callable, case: Case) -> Finding | None:
        if case.got is not None:
            return None
        given, result = case.given, case.call.result
        tensor, kind = isinstance(result, torch.Tensor), type(result).__name__
        if isinstance(result, int | np.integer) or (tensor and result.numel() == 1):
            return message("one-number", given=given, right=values(case.expected))
        part = result[0] if isinstance(result, tuple | list) and result else None
        if isinstance(part, list | tuple) or (isinstance(part, torch.Tensor) and part.dim() == 1):
            right = near(case.numbers(part), case.expected)
            facts = {"kind": kind, "size": len(result), "part": type(part).__name__}
            facts["right"] = " " + say("The first of them is the right answer.") if right else ""
            return message("returns-a-tuple/row", given=given, **facts)
        inside = ""
        if tensor:
            facts = {"dtype": result.dtype, "shape": tuple(result.shape)}
            inside = say("a tensor of the dtype {dtype} and the shape {shape}", **facts)
        if isinstance(result, list) and result:
            inside = say("a list whose first entry is of the type {kind}", kind=type(part).__name__)
        return forms.wrong_kind(case, self.wanted(case.exercise), inside)

    def describe(self, exercise, fn: Callable, cases: list[Case]) -> Finding | None:
        case = smallest_wrong(cases)
        steps = unexplained.path(case)
        key = "unknown" if steps else "unknown/no-steps"
        return message(key, what=say("another list"), seen=case.seen.rstrip() + steps)

    def demand(self, exercise, fn: Callable, cases: list[Case]) -> Finding | None:
        result, right = cases[0].call.result, values(cases[0].expected)
        if isinstance(result, torch.Tensor):
            return message("a-tensor", what=say("tensor"), right=right)
        if isinstance(result, np.ndarray):
            return message("a-tensor", "an-array", what=say("NumPy array"), right=right)
        if isinstance(result, tuple):
            return message("a-tuple", right=right)
        other = [type(x).__name__ for x in result if isinstance(x, torch.Tensor)]
        return message("tensors-inside", what=other[0], right=right) if other else None


def _shape(exercise) -> str:
    """The axes of what is asked for, as one writes a shape; "" for one number."""
    axes = exercise.returns.split()
    return f"({', '.join(axes)}{',' * (len(axes) == 1)})" if axes else ""


def _whole(x: object) -> bool:
    if isinstance(x, torch.Tensor):
        return x.numel() == 1 and not x.is_floating_point() and x.dtype != torch.bool
    return isinstance(x, int | np.integer) and not isinstance(x, bool)
