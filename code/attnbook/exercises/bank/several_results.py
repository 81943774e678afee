"""Exercises that return several tensors: they are laid side by side, and judged as one and each for itself."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

import torch

from .. import conduct
from ..gradients import gradients
from ..legacy import Exercise, plain
from ..recognise import Case, known_mistake, make_case, near, smallest_wrong, unusual
from ..verdict import Finding
from ..wording import inputs, one_line, shapes, side_by_side, values


@dataclass(frozen=True)
class Parts:
    """What a function returns, in order, and how it is laid side by side.

    Args:
        names: of the parts, as messages call them.
        axes: of each part, ``"B Dk"``.
        dim: the axis along which the parts are joined; they agree in all others.
        floats: the parameters that a gradient must reach.
    """

    names: tuple[str, ...]
    axes: tuple[str, ...]
    dim: int
    floats: tuple[str, ...]

    def read(self, arguments: tuple, result: object) -> torch.Tensor:
        """Join the parts.

        Args:
            arguments: the call's arguments.
            result: a tuple or list of ordinary tensors.

        Returns:
            One tensor.

        Raises:
            TypeError: if there are more or fewer, or tensors with another number of axes.
        """
        if not isinstance(result, tuple | list) or len(result) != len(self.names):
            raise TypeError("not as many tensors as there are parts")
        for part, axes in zip(result, self.axes, strict=True):
            if (
                not isinstance(part, torch.Tensor)
                or unusual(part)
                or part.dim() != len(axes.split())
            ):
                raise TypeError("a part is no ordinary tensor with these axes")
        return torch.cat(tuple(result), dim=self.dim)

    def split(self, joined: torch.Tensor, like: tuple) -> list[torch.Tensor]:
        """Take joined parts apart again.

        Args:
            joined: from `read`.
            like: tensors whose sizes are the parts'.

        Returns:
            The parts.
        """
        return list(joined.split([part.shape[self.dim] for part in like], dim=self.dim))

    @property
    def wanted(self) -> str:
        """The parts and their axes in words."""
        named = [
            f"{name} ({', '.join(axes.split())})"
            for name, axes in zip(self.names, self.axes, strict=True)
        ]
        return f"{', '.join(named[:-1])} and {named[-1]}"

    def kind(self, exercise: Exercise, fn: Callable, case: Case) -> Finding | None:
        """Find a result that is not these tensors; fills the slot `kind` of an exercise.

        Args:
            exercise: the exercise.
            fn: the reader's function.
            case: a probe, already answered without an error.

        Returns:
            The finding, or None.
        """
        result, given = case.call.result, inputs(exercise.parameters, case.arguments)
        right = exercise.solution(*case.arguments)
        if case.got is not None and [_size(part) for part in result] == [
            _size(part) for part in right
        ]:
            return None
        if result is None and case.call.printed.strip():
            return Finding(
                "prints",
                "printed, not returned",
                f"With {given} your function prints `{one_line(case.call.printed, 60)}` and returns nothing (None).",
                "Which word hands a result back to the caller?",
            )
        if result is None:
            return Finding(
                "returns-none",
                "nothing comes back",
                f"With {given} your function returns nothing (None); wanted are {self.wanted}.",
                "Does your last line begin with `return`?",
            )
        if isinstance(result, torch.Tensor):
            known = [
                n
                for n, part in zip(self.names, right, strict=True)
                if not unusual(result) and near(result, part)
            ]
            told = f" What you return is the {known[0]}, and right." if known else ""
            return Finding(
                "one-thing-only",
                "one tensor alone",
                f"With {given} your function returns one tensor of shape {tuple(result.shape)}; wanted are "
                f"{self.wanted}.{told}",
                "How does a function in Python return several things?",
            )
        if not isinstance(result, tuple | list) or len(result) != len(self.names):
            count = f"a {type(result).__name__}"
            if isinstance(result, tuple | list | dict):
                count += f" of {len(result)}"
            return Finding(
                "returns-another-kind",
                "what comes back",
                f"With {given} your function returns {count}; wanted are {self.wanted}, in this order.",
                "Which things are asked for, and in which order does your last line name them?",
            )
        if not all(
            isinstance(part, torch.Tensor) and not unusual(part) for part in result
        ):
            kinds = ", ".join(type(part).__name__ for part in result)
            return Finding(
                "returns-another-kind",
                "no tensors",
                f"With {given} your function returns ({kinds}); wanted are ordinary tensors: {self.wanted}.",
                "At which line does your tensor turn into something else?",
            )
        return self._shapes(exercise, fn, case, right)

    def _shapes(
        self, exercise: Exercise, fn: Callable, case: Case, right: tuple
    ) -> Finding | None:
        cases = [
            make_case(exercise, fn, some)
            for some in (exercise.example(), *exercise.probes())
        ]
        if any(one.call.error is not None for one in cases):
            return None
        found = known_mistake(exercise, fn, cases)
        if found:
            return found
        wrong = [one for one in cases if self._misshapen(exercise, one)]
        if not wrong:
            return None
        case = max(wrong, key=lambda one: one.expected.numel())
        right, result = exercise.solution(*case.arguments), case.call.result
        if sorted(map(_size, result)) == sorted(map(_size, right)) and list(
            map(_size, result)
        ) != list(map(_size, right)):
            return Finding(
                "order-of-results",
                "the order of the results",
                f"With {shapes(exercise.parameters, case.arguments)} the shapes of your results are "
                f"{' and '.join(str(_size(part)) for part in result)}; wanted are {self.wanted}.",
                "In which order does the task name them?",
            )
        for name, axes, mine, theirs in zip(
            self.names, self.axes, right, result, strict=True
        ):
            if _size(mine) != _size(theirs):
                same = theirs.numel() == mine.numel() and near(
                    theirs.reshape(mine.shape), mine
                )
                return Finding(
                    "wrong-shape",
                    f"the shape of the {name}",
                    f"With {shapes(exercise.parameters, case.arguments)} the {name} should have the shape "
                    f"({', '.join(axes.split())}) = {_size(mine)}; yours has {_size(theirs)}."
                    + (" The numbers in it are right." if same else ""),
                    "Write the shape as a comment behind each of your lines. At which line does an axis come or go "
                    "that should not?",
                )
        return None

    def _misshapen(self, exercise: Exercise, case: Case) -> bool:
        result, right = case.call.result, exercise.solution(*case.arguments)
        if not isinstance(result, tuple | list) or len(result) != len(right):
            return False
        tensors = all(isinstance(part, torch.Tensor) for part in result)
        return tensors and [_size(part) for part in result] != [
            _size(part) for part in right
        ]

    def which_part(
        self, exercise: Exercise, fn: Callable, cases: list[Case]
    ) -> Finding | None:
        """Say which of the results is wrong first; fills a slot of `describers`.

        Args:
            exercise: the exercise.
            fn: the reader's function.
            cases: the probes, all answered by tensors of the right shapes.

        Returns:
            The finding.
        """
        case = smallest_wrong(cases)
        right = exercise.solution(*case.arguments)
        mine, theirs = self.split(case.expected, right), self.split(case.got, right)
        wrong = [
            (name, a, b)
            for name, a, b in zip(self.names, mine, theirs, strict=True)
            if not near(b, a)
        ]
        name, expected, got = wrong[
            -1
        ]  # the last part is what the first is made of: weights, keys and values
        others = [n for n in self.names if n not in [w[0] for w in wrong]]
        fine = (
            f"Right: {' and '.join(others)}."
            if others
            else "None of the results is right yet."
        )
        seen = side_by_side(
            inputs(exercise.parameters, case.arguments), expected, got
        ).rstrip()
        path = "; ".join(
            f"{what} {values(value)}"
            for what, value in exercise.on_the_way(case.arguments)
        )
        return Finding(
            "unknown",
            f"the {name}",
            f"Of the {name}: {seen}\n{fine} On the way one passes: {path}.",
            "Print the same quantities in your function: which is the first that differs?",
        )

    def flows(self, exercise: Exercise, fn: Callable) -> Finding | None:
        """Demand gradients and dtypes of the parts; fills a slot of `demands`.

        Args:
            exercise: the exercise.
            fn: the reader's function, right in its numbers.

        Returns:
            The finding, or None.
        """

        @functools.wraps(fn)
        def joined(*arguments):
            return self.read(arguments, fn(*arguments))

        as_one = plain(
            exercise,
            lambda *arguments: self.read(arguments, exercise.solution(*arguments)),
            self.floats,
        )
        cases = [
            make_case(as_one, joined, some)
            for some in (as_one.example(), *as_one.probes(), *as_one.edges())
        ]
        return (
            conduct.writes(as_one, cases)
            or gradients(as_one, joined, cases)
            or conduct.keeps_dtype(as_one, joined, cases)
        )


def _size(x: torch.Tensor) -> tuple:
    return tuple(x.shape)
