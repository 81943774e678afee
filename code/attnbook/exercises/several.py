"""An answer of several results: how they are read, compared as one, and judged each for itself."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

from . import forms, unexplained
from .answers import Tensors
from .calls import copies
from .case import Case, first_failed, near, side_by_side, smallest_wrong, unusual
from .language import say
from .verdict import Finding, message
from .wording import a, listed, short


@dataclass(frozen=True)
class Several(Tensors):
    """Several tensors, which are compared as one (joined) and judged each for itself.

    Args:
        names: of the parts, as messages call them, in the order in which they are returned.
        axes: of each part, ``"B Dk"``.
        dim: the axis along which they are joined; they agree in all others.
        floats: the parameters that a gradient must reach; empty for whole numbers (ids).
        settle: from (arguments, parts) to the parts that are compared, where the task leaves something open.
    """

    names: tuple[str, ...]
    axes: tuple[str, ...]
    dim: int
    floats: tuple[str, ...] = ()
    settle: Callable[[tuple, list[torch.Tensor]], list[torch.Tensor]] | None = None

    def wanted(self, exercise) -> str:
        parts = zip(self.names, self.axes, strict=True)
        return listed(f"{name} ({', '.join(axes.split())})" for name, axes in parts)

    def read(self, arguments: tuple, result: object) -> torch.Tensor:
        result = self._unstacked(result)
        if not isinstance(result, tuple | list) or len(result) != len(self.names):
            raise TypeError("not as many tensors as there are parts")
        for part, axes in zip(result, self.axes, strict=True):
            if not _ordinary(part) or part.dim() != len(axes.split()):
                raise TypeError("a part is not an ordinary tensor with these axes")
        parts = list(result) if self.floats else [part.detach().to(torch.float64) for part in result]
        return torch.cat(self.settle(arguments, parts) if self.settle else parts, dim=self.dim)

    def _unstacked(self, result: object) -> object:
        """The parts of one tensor in which they are stacked, which a caller can take apart just as well."""
        axes = max(len(part.split()) for part in self.axes)
        return result.unbind() if _ordinary(result) and result.dim() == axes + 1 else result

    def amiss(self, exercise, fn: Callable, case: Case) -> Finding | None:
        result, wanted = case.call.result, self.wanted(case.exercise)
        if case.got is not None:
            return None
        if isinstance(result, torch.Tensor):
            known = [name for name, part in zip(self.names, self._parts(case)[0], strict=True) if near(result, part)]
            right = say("What you return is the {name}, and right.", name=known[0]) if known else ""
            right = f" {right}".rstrip()
            return message("one-thing-only", given=case.given, wanted=wanted, shape=tuple(result.shape), right=right)
        if not isinstance(result, tuple | list) or len(result) != len(self.names):
            name, kind = "returns-a-dict" if isinstance(result, dict) else "returns-another-kind", type(result).__name__
            many = isinstance(result, tuple | list | dict)
            inside = say("{what} of {size}", what=a(kind), size=len(result)) if many else a(kind)
            return forms.wrong_kind(case, say("{wanted}, in this order", wanted=wanted), inside, name)
        if not all(_ordinary(part) for part in result):
            inside = f"({', '.join(type(part).__name__ for part in result)})"
            name = "returns-numpy" if any(isinstance(part, np.ndarray) for part in result) else "not-tensors"
            return forms.wrong_kind(case, say("ordinary tensors: {wanted}", wanted=wanted), inside, name)
        return None

    def another_kind(self, exercise, fn: Callable, cases: list[Case]) -> Finding | None:
        """Find a result of another kind, or parts of other shapes."""
        if found := super().another_kind(exercise, fn, cases):
            return found
        pairs = [(case, *self._parts(case)) for case in cases if first_failed(cases) is None]
        wrong = [(case, right, result) for case, right, result in pairs if _sizes(right) != _sizes(result)]
        if not wrong:
            return None
        case, right, result = max(wrong, key=lambda one: one[0].expected.numel())
        if sorted(_sizes(result)) == sorted(_sizes(right)):
            came = listed(map(str, _sizes(result)))
            return message("order-of-results", shapes=case.shapes, came=came, wanted=self.wanted(exercise))
        parts = zip(self.names, self.axes, right, result, strict=True)
        name, axes, mine, theirs = next(p for p in parts if p[2].shape != p[3].shape)
        same = theirs.numel() == mine.numel() and near(theirs.reshape(mine.shape), mine)
        facts = {"axes": ", ".join(axes.split()), "right": tuple(mine.shape), "came": tuple(theirs.shape)}
        facts["same"] = " " + say("The numbers in it are right.") if same else ""
        return message("wrong-shape/part", name=name, shapes=case.shapes, **facts)

    def _parts(self, case: Case) -> tuple:
        """The parts that should have come, and those that came."""
        return case.exercise.solution(*copies(case.arguments)), self._unstacked(case.call.result)

    def describe(self, exercise, fn: Callable, cases: list[Case]) -> Finding | None:
        """Say which of the results is wrong: the last, since the first is made of it."""
        case = smallest_wrong(cases)
        widths = [part.shape[self.dim] for part in exercise.solution(*copies(case.arguments))]
        parts = zip(self.names, *(x.split(widths, dim=self.dim) for x in (case.expected, case.got)), strict=True)
        wrong = {name: pair for name, *pair in parts if not near(*pair)}
        name, (expected, got) = list(wrong.items())[-1]
        others = [n for n in self.names if n not in wrong]
        fine = say("Right: {names}.", names=listed(others)) if others else say("None of the results is right yet.")
        steps = unexplained.path(case)
        seen = f"{side_by_side(case.given, expected, got).rstrip()}\n{fine}{steps}"
        named = f"wrong-{name}" if len(wrong) == 1 and not self.floats else "unknown"
        return message("wrong-part" if steps else "wrong-part/no-steps", named, name=name, seen=seen)

    def demand(self, exercise, fn: Callable, cases: list[Case]) -> Finding | None:
        """Demand ids of the dtype that came in."""
        came = next(a for a in cases[0].arguments if isinstance(a, torch.Tensor)).dtype
        parts = () if self.floats else zip(self.names, self._unstacked(cases[0].call.result), strict=True)
        for name, part in parts:
            if part.is_floating_point():
                return message("not-whole", name=name, dtype=short(part.dtype))
            if part.dtype != came:
                return message("narrower-ids", name=name, came=short(came), dtype=short(part.dtype))
        return None


def _ordinary(x: object) -> bool:
    return isinstance(x, torch.Tensor) and not unusual(x)


def _sizes(parts: tuple) -> list[tuple]:
    return [tuple(part.shape) for part in parts]
