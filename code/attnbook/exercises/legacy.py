"""Exercises of the old form, until they are written anew; to be deleted then."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, reduce

from . import exercise as new
from . import kinds
from .answers import Tensors
from .arguments import draw, exact  # noqa: F401


@dataclass(frozen=True)
class Mistake:
    name: str
    wrong: Callable
    about: str = ""
    says: str = ""
    looks: str = ""
    asks: str = ""
    example: Callable | None = None
    line: str = ""

    @property
    def phrase(self):
        return self.looks

    @property
    def ask(self):
        return self.asks

    @property
    def old_says(self):
        return self.says


def slip(pipeline, **steps):
    return partial(pipeline, **steps)


def both(first, second):
    if not (isinstance(first, partial) and isinstance(second, partial) and first.func is second.func):
        return None
    if first.keywords.keys() & second.keywords.keys():
        return None
    return partial(first.func, **first.keywords, **second.keywords)


@dataclass(frozen=True)
class OldAnswer(Tensors):
    reader: Callable | None
    kind: Callable | None

    def read(self, arguments, result):
        return self.reader(arguments, result) if self.reader else result

    def amiss(self, exercise, fn, case):
        if self.kind:
            return self.kind(exercise, fn, case)
        return super().amiss(exercise, fn, case)

    def demand(self, exercise, fn):
        return None


class Old(new.Exercise):
    @property
    def function(self):
        return self.old["function"]

    @property
    def stub(self):
        return self.old["stub"]

    @property
    def read(self):
        return self.old["read"]

    @property
    def kind(self):
        return self.old["kind"]

    def source(self):
        text = inspect.getsource(self.solution)
        old, name = f"def {self.solution.__name__}(", f"def {self.function}("
        return text.replace(old, name, 1).rstrip() + "\n"

    def mistaken(self, *mistakes):
        return reduce(both, (mistake.wrong for mistake in mistakes))

    def on_the_way(self, arguments):
        return self.old["steps"](*arguments)


def Exercise(*, statement, stub, function, steps, wrong, read=None, kind=None, **rest):
    made = Old(mistakes=wrong, answer=OldAnswer(read, kind), **rest)
    old = {"function": function, "stub": stub, "steps": steps, "read": read, "kind": kind}
    object.__setattr__(made, "old", old)
    return made


def wrong_kind(exercise, case):
    return kinds.wrong_kind(exercise, case, exercise.answer.wanted(exercise))


def plain(exercise, solution, floats):
    fields = {f.name: getattr(exercise, f.name) for f in dataclasses.fields(exercise)}
    changed = {"solution": solution, "differentiable": floats, "answer": Tensors()}
    return new.Exercise(**(fields | changed))
