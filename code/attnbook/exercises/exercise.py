"""What an exercise is made of, and the shelf it is taken from by its name."""

from __future__ import annotations

import difflib
import inspect
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

import torch

CHAPTERS = {
    1: "Queries, keys and values",
    2: "Attention pooling",
    3: "Kernel regression with a learned width",
    4: "Masked softmax",
    5: "Scoring functions",
    6: "Self-, masked and cross-attention",
    7: "Multi-head attention",
    8: "Positional encoding",
    9: "Transformer blocks",
    10: "The Transformer",
    11: "Sequence to sequence",
    12: "Bahdanau translation",
    13: "Transformer translation",
    14: "Decoding",
}


@dataclass(frozen=True)
class Mistake:
    """One plausible wrong answer: how it computes, and what its author should hear.

    The checker recognises a mistake by its numbers: it runs `wrong` beside the reader's function, and if both
    give the same on every probe, this is the mistake.

    Args:
        name: short name, for instance ``mask-after-softmax``; unique within its exercise.
        wrong: the mistaken function, with the exercise's own parameters. A `slip` (one step of a pipeline
            done wrongly) can also be recognised together with other slips.
        about: the few words that head the message.
        says: the message; ``{given}``, ``{got}``, ``{expected}``, ``{seen}`` (all three), and ``{line}`` and
            ``{error}`` (for a mistake that raises) are filled in with what happens on `example`. Empty where
            the general checks have the message (then `name` is theirs).
        looks: completes "It looks as if …", without a full stop.
        asks: the question that leads on.
        example: makes the arguments on which the message shows its numbers; None for the exercise's example.
        line: for a mistake that raises, a pattern that the reader's failing line must match (the text of an
            error alone can have many causes).
    """

    name: str
    wrong: Callable
    about: str = ""
    says: str = ""
    looks: str = ""
    asks: str = ""
    example: Callable[[], tuple] | None = None
    line: str = ""


def slip(pipeline: Callable, **steps: Callable) -> partial:
    """Take a pipeline of named steps and do one of them wrongly.

    Args:
        pipeline: the right computation, with each step as a keyword argument.
        steps: the step that goes wrong.

    Returns:
        The mistaken function. `both` can put two of them together.
    """
    return partial(pipeline, **steps)


def both(first: Callable | None, second: Callable) -> Callable | None:
    """Put two slips together, if they are slips in different steps of the same pipeline.

    Args:
        first: a mistaken function.
        second: another one.

    Returns:
        The function that makes both mistakes, or None where that has no meaning.
    """
    if not (
        isinstance(first, partial)
        and isinstance(second, partial)
        and first.func is second.func
    ):
        return None
    if first.keywords.keys() & second.keywords.keys():
        return None
    return partial(first.func, **first.keywords, **second.keywords)


@dataclass(frozen=True)
class Exercise:
    """A task, its help, its solution and everything needed to judge an answer.

    Args:
        name: the name given to `check`, for instance ``soft-lookup``.
        title: a line for people.
        chapter: number of the chapter it belongs to.
        function: what the reader's function is called, for instance ``my_soft_lookup``.
        statement: the task, in markdown.
        stub: the source that the reader completes; its body is ``...``.
        hints: three hints, each saying more than the one before.
        solution: a right answer; its source is shown to the reader and its numbers are the reference.
        why: why the commonest wrong answer looks right.
        shapes: for every parameter the names of its axes, ``{"query": "B T D", "width": "a number"}``.
        returns: the names of the result's axes; empty for a single number.
        example: makes arguments small enough to follow by hand (float64).
        probes: makes arguments of several shapes (float64, moderate values, all axes different).
        edges: makes arguments at the edge of the task (an axis of size 1, say), for when the probes are right.
        steps: (what it is, its value) for the numbers on the way to the example's answer.
        wrong: the mistakes that the checker knows by name.
        detectors: further recognisers, from (exercise, function, cases) to a finding or None.
        describers: the same, asked last, where nothing has been recognised.
        demands: what a right answer must do besides giving the right numbers, from (exercise, function) to
            a finding or None.
        remarks: asked of an answer that is right, from (exercise, function) to a finding or None; what they
            find is told as something for later.
        device_matters: whether a tensor made on the wrong device is a mistake here, or only worth a remark.
        differentiable: the parameters that a gradient must reach; empty where the result is no
            floating-point tensor (a mask, a layer, a count), and has neither gradient nor precision.
        read: for such a result what to compare of it, from (arguments, result) to a float64 tensor.
        kind: for such a result what to say of one of the wrong kind, from (exercise, function, case) to a
            finding or None; takes the place of the general words, which speak of tensors.
    """

    name: str
    title: str
    chapter: int
    function: str
    statement: str
    stub: str
    hints: tuple[str, str, str]
    solution: Callable
    why: str
    shapes: dict[str, str]
    returns: str
    example: Callable[[], tuple]
    probes: Callable[[], list[tuple]]
    steps: Callable[..., list[tuple[str, object]]]
    wrong: tuple[Mistake, ...]
    edges: Callable[[], list[tuple]] = list
    detectors: tuple[Callable, ...] = ()
    describers: tuple[Callable, ...] = ()
    demands: tuple[Callable, ...] = ()
    remarks: tuple[Callable, ...] = ()
    device_matters: bool = False
    differentiable: tuple[str, ...] = ()
    read: Callable[[tuple, object], torch.Tensor] | None = None
    kind: Callable | None = None

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the parameters, in order."""
        return tuple(self.shapes)

    def sizes(self, arguments: tuple) -> dict[str, float]:
        """Read the size of every named axis (and every plain number) off a call's arguments.

        Args:
            arguments: tensors and numbers, one per parameter.

        Returns:
            For instance ``{"T": 5, "S": 7, "width": 0.6}``.
        """
        found: dict[str, float] = {}
        for (name, spec), argument in zip(self.shapes.items(), arguments, strict=True):
            if not isinstance(argument, torch.Tensor):
                found.update(
                    {name: argument} if isinstance(argument, int | float) else {}
                )
            else:
                found.update(
                    (axis, size)
                    for axis, size in zip(spec.split(), argument.shape, strict=False)
                    if axis.isidentifier()
                )
        return found

    def source(self) -> str:
        """Source of the solution, under the name that the reader's function has."""
        text = inspect.getsource(self.solution)
        return (
            text.replace(
                f"def {self.solution.__name__}(", f"def {self.function}(", 1
            ).rstrip()
            + "\n"
        )


@dataclass
class Shelf:
    """The exercises by name, in the order of the book."""

    _exercises: dict[str, Exercise] = field(default_factory=dict)

    def add(self, *exercises: Exercise) -> None:
        """Put exercises on the shelf.

        Args:
            exercises: what to add.

        Raises:
            ValueError: if a name is already taken.
        """
        for exercise in exercises:
            if exercise.name in self._exercises:
                raise ValueError(
                    f"there are two exercises called {exercise.name!r}; give one another name"
                )
            self._exercises[exercise.name] = exercise

    def get(self, name: str) -> Exercise:
        """Take an exercise by its name.

        Args:
            name: for instance ``"soft-lookup"``.

        Returns:
            The exercise.

        Raises:
            TypeError: if `name` is not a string.
            ValueError: if there is no such exercise; the message names the nearest ones.
        """
        if not isinstance(name, str):
            raise TypeError(
                f"the first argument is the exercise's name, a string such as 'soft-lookup'; got "
                f"{_what(name)}. Write it as check('soft-lookup', my_soft_lookup)."
            )
        if name in self._exercises:
            return self._exercises[name]
        wanted = (
            name.strip()
            .lower()
            .replace("_", "-")
            .removeprefix("ex-")
            .removeprefix("my-")
        )
        near = difflib.get_close_matches(wanted, self._exercises, n=2, cutoff=0.5)
        if near:
            advice = "did you mean " + " or ".join(repr(other) for other in near) + "?"
        else:
            advice = (
                "there are " + ", ".join(repr(other) for other in self._exercises) + "."
            )
        raise ValueError(f"there is no exercise called {name!r}; {advice}")

    def __iter__(self) -> Iterator[Exercise]:
        return iter(self._exercises.values())

    def __len__(self) -> int:
        return len(self._exercises)

    def by_chapter(self) -> list[tuple[int, list[Exercise]]]:
        """Exercises grouped by chapter, in the order of the book."""
        ordered = sorted(self, key=lambda exercise: exercise.chapter)
        return [
            (chapter, list(group))
            for chapter, group in itertools.groupby(ordered, lambda e: e.chapter)
        ]


def _what(thing: object) -> str:
    name = getattr(thing, "__name__", None)
    return (
        f"the function {name}"
        if callable(thing) and name
        else f"a {type(thing).__name__}"
    )


def draw(*shape: int, seed: int) -> torch.Tensor:
    """Draw moderate random numbers (softmax stays away from one-hot) without touching the global generator.

    Args:
        shape: sizes of the axes.
        seed: which numbers.

    Returns:
        A float64 tensor of `shape`, normal with standard deviation 0.7.
    """
    return 0.7 * torch.randn(
        *shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64
    )


def exact(*rows: object) -> torch.Tensor:
    """Write down a float64 tensor of chosen numbers.

    Args:
        rows: numbers, or nested lists of numbers.

    Returns:
        The tensor of the rows.
    """
    return torch.tensor(list(rows), dtype=torch.float64)
