"""The kinds of answer: tensors, a mask, one number, a list, several results. How each is read and judged."""

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import torch

from . import conduct, differences, kinds
from .errors import at_the_edge
from .gradients import gradients
from .observe import copies
from .recognise import Case, known_mistake, make_case, near, several_mistakes, smallest_wrong, unusual
from .verdict import Finding, message
from .wording import inputs, number, shapes, side_by_side, values


class Tensors:
    """One tensor of floating-point numbers, which is compared as it is; what every other kind starts from."""

    def wanted(self, exercise) -> str:
        """What is asked for, in words."""
        axes = exercise.returns.split()
        comma = "," if len(axes) == 1 else ""
        return f"a tensor of shape ({', '.join(axes)}{comma})" if axes else "a tensor with one number"

    def read(self, arguments: tuple, result: object) -> torch.Tensor:
        """The numbers that are compared; anything else than a tensor if the result is of another kind."""
        return result

    def amiss(self, exercise, fn: Callable, case: Case) -> Finding | None:
        """What to say of a result of another kind; None if this is not the matter."""
        return kinds.wrong_kind(exercise, case, self.wanted(exercise))

    def detect(self, exercise, fn: Callable, cases: list[Case]) -> Finding | None:
        """A recogniser for tensors of the right shape, after the mistakes that the exercise knows."""

    def describe(self, exercise, fn: Callable, cases: list[Case]) -> Finding | None:
        """What to say of wrong numbers that nothing has recognised."""

    def demand(self, exercise, fn: Callable) -> Finding | None:
        """What a result must be besides having the right numbers."""
        return conduct.leaves_lists_alone(exercise, fn)


@dataclass(frozen=True)
class Mask(Tensors):
    """A bool tensor, True where a query may attend; it is compared as ones and zeros."""

    def wanted(self, exercise) -> str:
        return f"a bool tensor of shape ({', '.join(exercise.returns.split())})"

    def read(self, arguments: tuple, result: torch.Tensor) -> torch.Tensor:
        return result.detach().to(torch.float64)

    def amiss(self, exercise, fn: Callable, case: Case) -> Finding | None:
        result, wanted = case.call.result, self.wanted(exercise)
        if isinstance(result, bool):
            given = inputs(exercise.parameters, case.arguments)
            return message("returns-a-bool", given=given, result=result, wanted=wanted)
        return kinds.wrong_kind(exercise, case, wanted)

    def detect(self, exercise, fn: Callable, cases: list[Case]) -> Finding | None:
        """A mask that is meant to be added to the scores, whatever its large negative number is."""
        for case in cases:
            allowed = case.expected == 1
            hides = not (case.got[allowed] != 0).any() and not (case.got[~allowed] > -1).any()
            if not hides or case.call.result.dtype == torch.bool or not torch.isfinite(case.got).all():
                return None  # −∞ is a mistake that the exercises know by name
        given, got = inputs(exercise.parameters, cases[0].arguments), cases[0].got
        return message("additive-finite", given=given, got=values(got), lowest=number(float(got.min())))

    def demand(self, exercise, fn: Callable) -> Finding | None:
        case = make_case(exercise, fn, exercise.example())
        dtype = case.call.result.dtype
        if dtype == torch.bool:
            return None
        facts = {"given": inputs(exercise.parameters, case.arguments), "got": values(case.got), "dtype": _short(dtype)}
        if dtype.is_floating_point:
            return message("not-bool/float", **facts)
        return message("not-bool", flipped=number(int(~torch.ones((), dtype=dtype))), **facts)


@dataclass(frozen=True)
class Number(Tensors):
    """One Python number: `what` is asked for (``"one number from 0 to 1"``), and whether it must be an integer."""

    what: str
    whole: bool = False

    def wanted(self, exercise) -> str:
        return self.what

    def read(self, arguments: tuple, result: object) -> torch.Tensor:
        if isinstance(result, torch.Tensor):
            result = result.detach().cpu().numpy()
        if isinstance(result, np.ndarray) and result.size == 1:
            result = result.item()
        if isinstance(result, bool | np.bool_ | str | bytes | complex | np.ndarray):
            raise TypeError(f"not a number but a {type(result).__name__}")
        return torch.tensor(float(result), dtype=torch.float64)

    def amiss(self, exercise, fn: Callable, case: Case) -> Finding | None:
        if case.got is not None:
            return None
        result, inside, name = case.call.result, "", "returns-another-kind"
        if isinstance(result, torch.Tensor | np.ndarray):
            inside = f"a {type(result).__name__} of shape {tuple(result.shape)}"
        elif isinstance(result, list):
            inside, name = f"a list of {len(result)}", "returns-a-list"
        elif isinstance(result, bool):
            inside = f"the truth value {result}"
        return kinds.wrong_kind(exercise, case, self.what, inside, name)

    def demand(self, exercise, fn: Callable) -> Finding | None:
        case = make_case(exercise, fn, exercise.example())
        result, facts = case.call.result, {"wanted": self.what, "given": inputs(exercise.parameters, case.arguments)}
        if self.whole and isinstance(result, torch.Tensor):
            return message("a-tensor/number", right=values(case.expected), dtype=result.dtype, **facts)
        if self.whole and not _whole(result):
            return message("a-float", result=repr(result), kind=type(result).__name__, **facts)
        return conduct.leaves_lists_alone(exercise, fn)


@dataclass(frozen=True)
class WholeNumbers(Tensors):
    """A Python list of whole numbers, of whatever length.

    Lists of different lengths cannot be subtracted, so the general remarks on numbers do not apply: this kind
    recognises mistakes itself, as soon as a list comes back.
    """

    def wanted(self, exercise) -> str:
        return "a list of whole numbers"

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
        if case.got is None:
            return self._no_list(exercise, case)
        cases = _on_probes(exercise, fn)
        if edge := all(one.right() for one in cases):
            cases += [make_case(exercise, fn, some) for some in exercise.edges()]
        if any(one.call.error is not None for one in cases) or all(one.right() for one in cases):
            return None
        if unread := [one for one in cases if one.got is None]:
            return self._no_list(exercise, unread[0])
        return (
            known_mistake(exercise, fn, cases)
            or several_mistakes(exercise, cases)
            or differences.not_repeatable(exercise, fn, cases)
            or kinds.first(exercise.detectors, exercise, fn, cases)
            or differences.ignores(exercise, fn, cases)
            or kinds.first(exercise.describers, exercise, fn, cases)
            or self._another_list(exercise, smallest_wrong(cases), edge)
        )

    def _another_list(self, exercise, case: Case, edge: bool) -> Finding:
        given = inputs(exercise.parameters, case.arguments)
        seen = f"With {given} you return {_row(case.got)}; right is {_row(case.expected)}."
        if edge:
            return message("wrong-at-the-edge", seen=seen)
        return message("unknown", what="another list", seen=seen + differences.path(exercise, case))

    def _no_list(self, exercise, case: Case) -> Finding:
        given, result = inputs(exercise.parameters, case.arguments), case.call.result
        tensor, kind = isinstance(result, torch.Tensor), type(result).__name__
        if isinstance(result, int | np.integer) or (tensor and result.numel() == 1):
            return message("one-number", given=given, right=_row(case.expected))
        if isinstance(result, tuple | list) and result and _is_row(result[0]):
            got, part = case.numbers(result[0]), type(result[0]).__name__
            right = " The first of them is the right answer." if got is not None and near(got, case.expected) else ""
            return message("returns-a-tuple/row", given=given, kind=kind, size=len(result), part=part, right=right)
        inside = f"a tensor of the dtype {result.dtype} and the shape {tuple(result.shape)}" if tensor else ""
        if isinstance(result, list) and result:
            inside = f"a list whose first entry is of the type {type(result[0]).__name__}"
        return kinds.wrong_kind(exercise, case, self.wanted(exercise), inside)

    def demand(self, exercise, fn: Callable) -> Finding | None:
        case = make_case(exercise, fn, exercise.example())
        result, right = case.call.result, values(case.expected)
        if isinstance(result, torch.Tensor):
            return message("a-tensor", what="tensor", right=right)
        if isinstance(result, np.ndarray):
            return message("a-tensor", "an-array", what="NumPy array", right=right)
        if isinstance(result, tuple):
            return message("a-tuple", right=right)
        if other := [type(x).__name__ for x in result if type(x) is not int]:
            return message("tensors-inside", what=other[0], right=right)
        return conduct.leaves_lists_alone(exercise, fn)


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
        named = [f"{name} ({', '.join(axes.split())})" for name, axes in zip(self.names, self.axes, strict=True)]
        return f"{', '.join(named[:-1])} and {named[-1]}"

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
        result, wanted = case.call.result, self.wanted(exercise)
        right = exercise.solution(*copies(case.arguments))
        if case.got is not None:
            return None if _sizes(self._unstacked(result)) == _sizes(right) else self._shapes(exercise, fn)
        if isinstance(result, torch.Tensor):
            known = [n for n, part in zip(self.names, right, strict=True) if _ordinary(result) and near(result, part)]
            facts = {"given": inputs(exercise.parameters, case.arguments), "shape": tuple(result.shape)}
            facts["right"] = f" What you return is the {known[0]}, and right." if known else ""
            return message("one-thing-only", wanted=wanted, **facts)
        if not isinstance(result, tuple | list) or len(result) != len(self.names):
            size = f" of {len(result)}" if isinstance(result, tuple | list | dict) else ""
            name = "returns-a-dict" if isinstance(result, dict) else "returns-another-kind"
            inside = f"a {type(result).__name__}{size}" if result is not None else ""
            return kinds.wrong_kind(exercise, case, f"{wanted}, in this order", inside, name)
        if not all(_ordinary(part) for part in result):
            inside = f"({', '.join(type(part).__name__ for part in result)})"
            name = "returns-numpy" if any(isinstance(part, np.ndarray) for part in result) else "not-tensors"
            return kinds.wrong_kind(exercise, case, f"ordinary tensors: {wanted}", inside, name)
        return self._shapes(exercise, fn)

    def _shapes(self, exercise, fn: Callable) -> Finding | None:
        cases = _on_probes(exercise, fn)
        if any(one.call.error is not None for one in cases):
            return None
        found = known_mistake(exercise, fn, cases)
        wrong = [one for one in cases if self._misshapen(exercise, one)]
        if found or not wrong:
            return found
        case = max(wrong, key=lambda one: one.expected.numel())
        right, result = exercise.solution(*copies(case.arguments)), self._unstacked(case.call.result)
        given = f"With {shapes(exercise.parameters, case.arguments)}"
        if sorted(_sizes(result)) == sorted(_sizes(right)):
            came = " and ".join(map(str, _sizes(result)))
            return message("order-of-results", given=given, came=came, wanted=self.wanted(exercise))
        parts = zip(self.names, self.axes, right, result, strict=True)
        name, axes, mine, theirs = next(p for p in parts if p[2].shape != p[3].shape)
        same = theirs.numel() == mine.numel() and near(theirs.reshape(mine.shape), mine)
        says = (
            f"{given} the {name} should have the shape ({', '.join(axes.split())}) = {tuple(mine.shape)}; yours has "
            f"{tuple(theirs.shape)}.{' The numbers in it are right.' if same else ''}"
        )
        return message("wrong-shape", says=says, what=f"the {name}")

    def _misshapen(self, exercise, case: Case) -> bool:
        result, right = self._unstacked(case.call.result), exercise.solution(*copies(case.arguments))
        if not isinstance(result, tuple | list) or len(result) != len(right):
            return False
        return all(isinstance(part, torch.Tensor) for part in result) and _sizes(result) != _sizes(right)

    def describe(self, exercise, fn: Callable, cases: list[Case]) -> Finding | None:
        """Say which of the results is wrong: the last, since the first is made of it."""
        if at_the_edge(exercise, cases):
            return None
        case = smallest_wrong(cases)
        widths = [part.shape[self.dim] for part in exercise.solution(*copies(case.arguments))]
        parts = zip(self.names, *(x.split(widths, dim=self.dim) for x in (case.expected, case.got)), strict=True)
        wrong = {name: pair for name, *pair in parts if not near(*pair)}
        name, (expected, got) = list(wrong.items())[-1]
        others = [n for n in self.names if n not in wrong]
        fine = f"Right: {' and '.join(others)}." if others else "None of the results is right yet."
        seen = side_by_side(inputs(exercise.parameters, case.arguments), expected, got).rstrip()
        seen = f"{seen}\n{fine}{differences.path(exercise, case)}"
        named = f"wrong-{name}" if len(wrong) == 1 and not self.floats else "unknown"
        return message("wrong-part", named, name=name, seen=seen)

    def demand(self, exercise, fn: Callable) -> Finding | None:
        if not self.floats:
            return self._ids(exercise, fn)

        @functools.wraps(fn)
        def joined(*arguments):
            return self.read(arguments, fn(*arguments))

        def solution(*arguments):
            return self.read(arguments, exercise.solution(*arguments))

        as_one = replace(exercise, solution=solution, differentiable=self.floats, answer=Tensors())
        cases = [make_case(as_one, joined, some) for some in (as_one.example(), *as_one.probes(), *as_one.edges())]
        return (
            conduct.writes(as_one, cases)
            or gradients(as_one, joined, cases)
            or conduct.keeps_dtype(as_one, joined, cases)
        )

    def _ids(self, exercise, fn: Callable) -> Finding | None:
        """Demand whole numbers of the dtype that came in."""
        case = make_case(exercise, fn, exercise.example())
        came = next(a for a in case.arguments if isinstance(a, torch.Tensor)).dtype
        for name, part in zip(self.names, self._unstacked(case.call.result), strict=True):
            if part.is_floating_point():
                return message("not-whole", name=name, dtype=_short(part.dtype))
            if part.dtype != came:
                return message("narrower-ids", name=name, came=_short(came), dtype=_short(part.dtype))
        return None


def _on_probes(exercise, fn: Callable) -> list[Case]:
    return [make_case(exercise, fn, some) for some in (exercise.example(), *exercise.probes())]


def _short(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _ordinary(x: object) -> bool:
    return isinstance(x, torch.Tensor) and not unusual(x)


def _sizes(parts: tuple) -> list[tuple]:
    return [tuple(part.shape) for part in parts]


def _whole(x: object) -> bool:
    if isinstance(x, torch.Tensor):
        return x.numel() == 1 and not x.is_floating_point() and x.dtype != torch.bool
    return isinstance(x, int | np.integer) and not isinstance(x, bool)


def _is_row(x: object) -> bool:
    return isinstance(x, list | tuple) or (isinstance(x, torch.Tensor) and x.dim() == 1)


def _row(x: torch.Tensor) -> str:
    return "an empty list" if x.numel() == 0 else values(x) if x.numel() > 1 else f"[{values(x)}]"
