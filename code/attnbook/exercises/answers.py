"""The kinds of answer: tensors, a mask, one number, a list, several results. How each is read and judged."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import torch

from . import conduct, differences, kinds
from .errors import at_the_edge
from .exercise import Exercise
from .gradients import gradients
from .observe import copies, observe
from .recognise import (
    Case,
    known_mistake,
    make_case,
    near,
    several_mistakes,
    smallest_wrong,
    unusual,
)
from .verdict import Finding
from .wording import in_words, inputs, number, shapes, side_by_side, values


class Tensors:
    """One tensor of floating-point numbers, which is compared as it is; what every other kind starts from."""

    def wanted(self, exercise: Exercise) -> str:
        """What is asked for, in words."""
        axes = exercise.returns.split()
        comma = "," if len(axes) == 1 else ""
        return f"a tensor of shape ({', '.join(axes)}{comma})" if axes else "a tensor with one number"

    def read(self, arguments: tuple, result: object) -> torch.Tensor:
        """The numbers that are compared; anything else than a tensor if the result is of another kind."""
        return result

    def amiss(self, exercise: Exercise, fn: Callable, case: Case) -> Finding | None:
        """What to say of a result of another kind; None if this is not the matter."""
        return kinds.wrong_kind(exercise, case, self.wanted(exercise))

    def detect(self, exercise: Exercise, fn: Callable, cases: list[Case]) -> Finding | None:
        """A recogniser for tensors of the right shape, after the mistakes that the exercise knows."""

    def describe(self, exercise: Exercise, fn: Callable, cases: list[Case]) -> Finding | None:
        """What to say of wrong numbers that nothing has recognised."""

    def demand(self, exercise: Exercise, fn: Callable) -> Finding | None:
        """What a result must be besides having the right numbers."""
        return leaves_lists_alone(exercise, fn)


@dataclass(frozen=True)
class Mask(Tensors):
    """A bool tensor, True where a query may attend; it is compared as ones and zeros."""

    def wanted(self, exercise: Exercise) -> str:
        return f"a bool tensor of shape ({', '.join(exercise.returns.split())})"

    def read(self, arguments: tuple, result: torch.Tensor) -> torch.Tensor:
        return result.detach().to(torch.float64)

    def amiss(self, exercise: Exercise, fn: Callable, case: Case) -> Finding | None:
        result, given = case.call.result, inputs(exercise.parameters, case.arguments)
        if isinstance(result, bool):
            return Finding(
                "returns-a-bool",
                "one yes or no",
                f"With {given} your function returns {result}; wanted is {self.wanted(exercise)}: one yes or "
                "no for every pair of a query and a key.",
                "Which line answers for one pair only, and what would answer for all pairs at once?",
            )
        return kinds.wrong_kind(exercise, case, self.wanted(exercise))

    def detect(self, exercise: Exercise, fn: Callable, cases: list[Case]) -> Finding | None:
        """A mask that is meant to be added to the scores, whatever its large negative number is."""
        for case in cases:
            allowed = case.expected == 1
            if (
                (case.got[allowed] != 0).any()
                or (case.got[~allowed] > -1).any()
                or case.call.result.dtype == torch.bool
            ):
                return None
        if not torch.isfinite(cases[0].got).all():
            return None  # −∞ is a mistake that the exercises know by name
        lowest = number(float(cases[0].got.min()))
        return Finding(
            "additive-finite",
            "a mask to be added",
            f"With {inputs(exercise.parameters, cases[0].arguments)} your mask is {values(cases[0].got)}: "
            f"numbers to add to the scores, 0 where a query may attend and {lowest} where not. Asked for is "
            "a bool mask, True where it may.",
            f"Which part of your code comes *before* the {lowest}, and says who may attend?",
        )

    def demand(self, exercise: Exercise, fn: Callable) -> Finding | None:
        case = make_case(exercise, fn, exercise.example())
        dtype = case.call.result.dtype
        if dtype == torch.bool:
            return None
        harm = (
            "A mask of floating-point numbers is *added* to the scores by `F.scaled_dot_product_attention`. "
            "Yours would add 1 where a query may attend and 0 where it may not: nothing would be hidden."
            if dtype.is_floating_point
            else f"With whole numbers `~` does not turn 1 into 0: ~1 is "
            f"{number(int(~torch.ones((), dtype=dtype)))}, and that counts as True again. "
            "`masked_fill` and `F.scaled_dot_product_attention` refuse such a mask."
        )
        return Finding(
            "not-bool",
            f"{_short(dtype)} instead of bool",
            f"With {inputs(exercise.parameters, case.arguments)} your zeros and ones are in the right places, "
            f"{values(case.got)}, but their dtype is {dtype}.\n{harm}",
            "Which dtype knows only True and False, and where could your code ask for it (or compare, so "
            "that it comes by itself)?",
        )


@dataclass(frozen=True)
class Number(Tensors):
    """One Python number.

    Args:
        what: what is asked for, ``"one number from 0 to 1"``.
        whole: whether it must be a Python integer (a count, an index).
    """

    what: str
    whole: bool = False

    def wanted(self, exercise: Exercise) -> str:
        return self.what

    def read(self, arguments: tuple, result: object) -> torch.Tensor:
        if isinstance(result, torch.Tensor):
            result = result.detach().cpu().numpy()
        if isinstance(result, np.ndarray) and result.size == 1:
            result = result.item()
        if isinstance(result, bool | np.bool_ | str | bytes | complex | np.ndarray):
            raise TypeError(f"not a number but a {type(result).__name__}")
        return torch.tensor(float(result), dtype=torch.float64)

    def amiss(self, exercise: Exercise, fn: Callable, case: Case) -> Finding | None:
        return kinds.wrong_kind(exercise, case, self.what) if case.got is None else None

    def demand(self, exercise: Exercise, fn: Callable) -> Finding | None:
        case = make_case(exercise, fn, exercise.example())
        result, seen = (
            case.call.result,
            f"With {inputs(exercise.parameters, case.arguments)}",
        )
        whole = isinstance(result, int | np.integer) and not isinstance(result, bool)
        if self.whole and isinstance(result, torch.Tensor):
            return Finding(
                "a-tensor",
                "a tensor with one number in it",
                f"{seen} you return the right number, {values(case.expected)}, in a tensor of the dtype "
                f"{result.dtype}; wanted is {self.what}.",
                "Does this need torch at all, or which method takes the number out?",
            )
        if self.whole and not whole:
            return Finding(
                "a-float",
                f"{result!r} is not a whole number",
                f"{seen} you return {result!r}, a {type(result).__name__}; wanted is {self.what}. A float is "
                "not an index, and beyond 2^53 it can no longer tell one whole number from the next.",
                "Which operator of yours makes a floating-point number even of 10/5, and which one does not?",
            )
        return leaves_lists_alone(exercise, fn)


@dataclass(frozen=True)
class WholeNumbers(Tensors):
    """A Python list of whole numbers, of whatever length.

    Lists of different lengths cannot be subtracted, so the general remarks on numbers do not apply: this kind
    recognises mistakes itself, as soon as a list comes back.
    """

    def wanted(self, exercise: Exercise) -> str:
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

    def amiss(self, exercise: Exercise, fn: Callable, case: Case) -> Finding | None:
        if case.got is None:
            return self._no_list(exercise, case)
        cases = [make_case(exercise, fn, some) for some in (exercise.example(), *exercise.probes())]
        at_the_edge = all(one.right() for one in cases)
        if at_the_edge:
            cases += [make_case(exercise, fn, some) for some in exercise.edges()]
        if any(one.call.error is not None for one in cases) or all(one.right() for one in cases):
            return None
        for one in cases:
            if one.got is None:
                return self._no_list(exercise, one)
        return (
            known_mistake(exercise, fn, cases)
            or several_mistakes(exercise, cases)
            or differences.not_repeatable(exercise, fn, cases)
            or kinds.first(exercise.detectors, exercise, fn, cases)
            or differences.ignores(exercise, fn, cases)
            or kinds.first(exercise.describers, exercise, fn, cases)
            or self._another_list(exercise, smallest_wrong(cases), at_the_edge)
        )

    def _another_list(self, exercise: Exercise, case: Case, at_the_edge: bool) -> Finding:
        seen = (
            f"With {inputs(exercise.parameters, case.arguments)} you return {_row(case.got)}; right is "
            f"{_row(case.expected)}."
        )
        if at_the_edge:
            return Finding(
                "wrong-at-the-edge",
                "at the edge",
                f"For ordinary arguments your answer is right.\n{seen}",
                "What is special about these arguments?",
            )
        return Finding(
            "unknown",
            "another list",
            f"{seen}{differences.path(exercise, case)}",
            "Print the same quantities in your function: which is the first that differs?",
        )

    def _no_list(self, exercise: Exercise, case: Case) -> Finding:
        given, result = inputs(exercise.parameters, case.arguments), case.call.result
        if isinstance(result, int | np.integer) or (isinstance(result, torch.Tensor) and result.numel() == 1):
            return Finding(
                "one-number",
                "one number",
                f"With {given} your function returns a single number; wanted is a list of whole numbers, here "
                f"{_row(case.expected)}.",
                "For how many words is an answer wanted, and which line makes one number of them all?",
            )
        if isinstance(result, tuple | list) and result and _is_row(result[0]):
            right = " The first of them is the right answer."
            return Finding(
                "returns-a-tuple",
                "more than the list",
                f"With {given} your function returns a {type(result).__name__} of {len(result)}, whose first "
                f"part is a {type(result[0]).__name__}; wanted is a list of whole numbers."
                + (right if self._same(result[0], case.expected) else ""),
                "Which part of it was asked for?",
            )
        inside = (
            f"a list whose first entry is of the type {type(result[0]).__name__}"
            if isinstance(result, list) and result
            else f"a tensor of the dtype {result.dtype} and the shape {tuple(result.shape)}"
            if isinstance(result, torch.Tensor)
            else ""
        )
        return kinds.wrong_kind(exercise, case, self.wanted(exercise), inside)

    def _same(self, part: object, expected: torch.Tensor) -> bool:
        try:
            return torch.equal(self.read((), part), expected)
        except TypeError:
            return False

    def demand(self, exercise: Exercise, fn: Callable) -> Finding | None:
        case = make_case(exercise, fn, exercise.example())
        result, seen = (
            case.call.result,
            f"Your numbers are right, {values(case.expected)}, but",
        )
        if isinstance(result, torch.Tensor | np.ndarray):
            what = "tensor" if isinstance(result, torch.Tensor) else "NumPy array"
            return Finding(
                "a-tensor" if what == "tensor" else "an-array",
                f"a {what}, not a list",
                f"{seen} they come in a {what}; asked for is an ordinary list, whose numbers can be looked up "
                "in a vocabulary one by one.",
                f"Which method of a {what} makes a Python list of it?",
            )
        if isinstance(result, tuple):
            return Finding(
                "a-tuple",
                "a tuple, not a list",
                f"{seen} they come in a tuple; asked for is a list, and a tuple equals none, whatever it holds.",
                "How does one make a list of a tuple?",
            )
        inside = next((type(x).__name__ for x in result if type(x) is not int), None)
        if inside:
            return Finding(
                "tensors-inside",
                "what is in the list",
                f"{seen} in the list they are of the type {inside}. As the key of a dictionary such a thing "
                "finds nothing.",
                "Which method or function makes a Python integer of it?",
            )
        return leaves_lists_alone(exercise, fn)


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

    def wanted(self, exercise: Exercise) -> str:
        named = [f"{name} ({', '.join(axes.split())})" for name, axes in zip(self.names, self.axes, strict=True)]
        return f"{', '.join(named[:-1])} and {named[-1]}"

    def read(self, arguments: tuple, result: object) -> torch.Tensor:
        result = self._unstacked(result)
        if not isinstance(result, tuple | list) or len(result) != len(self.names):
            raise TypeError("not as many tensors as there are parts")
        for part, axes in zip(result, self.axes, strict=True):
            if not _ordinary(part) or part.dim() != len(axes.split()):
                raise TypeError("a part is not an ordinary tensor with these axes")
        parts = list(result)
        if not self.floats:
            parts = [part.detach().to(torch.float64) for part in parts]
        if self.settle:
            parts = self.settle(arguments, parts)
        return torch.cat(parts, dim=self.dim)

    def _unstacked(self, result: object) -> object:
        """The parts of one tensor in which they are stacked, which a caller can take apart just as well."""
        axes = max(len(part.split()) for part in self.axes)
        stacked = _ordinary(result) and result.dim() == axes + 1
        return result.unbind() if stacked else result

    def split(self, joined: torch.Tensor, like: tuple) -> list[torch.Tensor]:
        """Take joined parts apart again, with the sizes of `like`."""
        return list(joined.split([part.shape[self.dim] for part in like], dim=self.dim))

    def amiss(self, exercise: Exercise, fn: Callable, case: Case) -> Finding | None:
        result, given = case.call.result, inputs(exercise.parameters, case.arguments)
        right = exercise.solution(*copies(case.arguments))
        if case.got is not None:
            result = self._unstacked(result)
            return None if _sizes(result) == _sizes(right) else self._shapes(exercise, fn)
        wanted = self.wanted(exercise)
        if isinstance(result, torch.Tensor):
            known = [
                f" What you return is the {name}, and right."
                for name, part in zip(self.names, right, strict=True)
                if _ordinary(result) and near(result, part)
            ]
            return Finding(
                "one-thing-only",
                "one tensor alone",
                f"With {given} your function returns one tensor of shape {tuple(result.shape)}; wanted are "
                f"{wanted}.{known[0] if known else ''}",
                "How does a function in Python return several things?",
            )
        if not isinstance(result, tuple | list) or len(result) != len(self.names):
            size = f" of {len(result)}" if isinstance(result, tuple | list | dict) else ""
            inside = f"a {type(result).__name__}{size}"
            name = "returns-a-dict" if isinstance(result, dict) else "returns-another-kind"
            wanted = f"{wanted}, in this order"
            return kinds.wrong_kind(exercise, case, wanted, inside, name)
        if not all(_ordinary(part) for part in result):
            inside = f"({', '.join(type(part).__name__ for part in result)})"
            wanted = f"ordinary tensors: {wanted}"
            arrays = any(isinstance(part, np.ndarray) for part in result)
            name = "returns-numpy" if arrays else "not-tensors"
            return kinds.wrong_kind(exercise, case, wanted, inside, name)
        return self._shapes(exercise, fn)

    def _shapes(self, exercise: Exercise, fn: Callable) -> Finding | None:
        cases = [make_case(exercise, fn, some) for some in (exercise.example(), *exercise.probes())]
        if any(one.call.error is not None for one in cases):
            return None
        found = known_mistake(exercise, fn, cases)
        wrong = [one for one in cases if self._misshapen(exercise, one)]
        if found or not wrong:
            return found
        case = max(wrong, key=lambda one: one.expected.numel())
        right = exercise.solution(*copies(case.arguments))
        result = self._unstacked(case.call.result)
        given = f"With {shapes(exercise.parameters, case.arguments)}"
        if sorted(_sizes(result)) == sorted(_sizes(right)):
            return Finding(
                "order-of-results",
                "the order of the results",
                f"{given} the shapes of your results are {' and '.join(map(str, _sizes(result)))}; wanted are "
                f"{self.wanted(exercise)}.",
                "In which order does the task name them?",
            )
        parts = zip(self.names, self.axes, right, result, strict=True)
        name, axes, mine, theirs = next(p for p in parts if p[2].shape != p[3].shape)
        same = theirs.numel() == mine.numel() and near(theirs.reshape(mine.shape), mine)
        return Finding(
            "wrong-shape",
            f"the shape of the {name}",
            f"{given} the {name} should have the shape ({', '.join(axes.split())}) = {tuple(mine.shape)}; "
            f"yours has {tuple(theirs.shape)}." + (" The numbers in it are right." if same else ""),
            "Write the shape as a comment behind each of your lines. At which line does an axis come or go "
            "that should not?",
        )

    def _misshapen(self, exercise: Exercise, case: Case) -> bool:
        result = self._unstacked(case.call.result)
        right = exercise.solution(*copies(case.arguments))
        if not isinstance(result, tuple | list) or len(result) != len(right):
            return False
        tensors = all(isinstance(part, torch.Tensor) for part in result)
        return tensors and _sizes(result) != _sizes(right)

    def describe(self, exercise: Exercise, fn: Callable, cases: list[Case]) -> Finding | None:
        """Say which of the results is wrong: the last, since the first is made of it."""
        if at_the_edge(exercise, cases):
            return None
        case = smallest_wrong(cases)
        right = exercise.solution(*copies(case.arguments))
        parts = zip(
            self.names,
            self.split(case.expected, right),
            self.split(case.got, right),
            strict=True,
        )
        wrong = [(name, a, b) for name, a, b in parts if not near(b, a)]
        name, expected, got = wrong[-1]
        others = [n for n in self.names if n not in [w[0] for w in wrong]]
        fine = f"Right: {' and '.join(others)}." if others else "None of the results is right yet."
        seen = side_by_side(inputs(exercise.parameters, case.arguments), expected, got).rstrip()
        return Finding(
            f"wrong-{name}" if len(wrong) == 1 and not self.floats else "unknown",
            f"the {name}",
            f"Of the {name}: {seen}\n{fine}{differences.path(exercise, case)}",
            "Print the same quantities in your function: which is the first that differs?",
        )

    def demand(self, exercise: Exercise, fn: Callable) -> Finding | None:
        if not self.floats:
            return self._whole(exercise, fn)

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

    def _whole(self, exercise: Exercise, fn: Callable) -> Finding | None:
        """Demand whole numbers of the dtype that came in."""
        case = make_case(exercise, fn, exercise.example())
        came = next(a for a in case.arguments if isinstance(a, torch.Tensor)).dtype
        for name, part in zip(self.names, self._unstacked(case.call.result), strict=True):
            kind = _short(part.dtype)
            if part.is_floating_point():
                return Finding(
                    "not-whole",
                    f"{kind} ids",
                    f"The numbers are right, but your {name} have the dtype {kind}: 5.0 is not a row of an "
                    "embedding, and `F.cross_entropy` takes floating-point targets for probabilities.",
                    "Which line makes floating-point numbers, and which function makes them like another tensor's?",
                )
            if part.dtype != came:
                return Finding(
                    "narrower-ids",
                    f"{_short(came)} in, {kind} out",
                    f"The numbers are right, but the ids came as {_short(came)}, and your {name} have the "
                    f"dtype {kind}; `F.cross_entropy` wants int64 labels.",
                    "Which tensor does your code make itself, and from which argument could it take the dtype?",
                )
        return None


def leaves_lists_alone(exercise: Exercise, fn: Callable) -> Finding | None:
    """Demand that lists among the arguments stay as they were."""
    if not any(isinstance(argument, list) for argument in exercise.example()):
        return None
    for arguments in (exercise.example(), *exercise.probes()):
        before, after = copies(arguments), observe(fn, arguments).after
        for name, old, new in zip(exercise.parameters, before, after, strict=True):
            if isinstance(old, list) and list(old) != list(new):
                return Finding(
                    "writes-into-argument",
                    f"`{name}` is changed",
                    f"The result is right, but `{name}` was {in_words(list(old))} before the call and is "
                    f"{in_words(list(new))} after it.\nWhoever passed the list may still need it.",
                    "Which method of a list (`sort`, `append`, `pop`, `remove`, …) changes the list itself, "
                    "and what gives a new one instead?",
                )
    return None


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
