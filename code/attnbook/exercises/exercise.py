"""What an exercise is made of, and the shelf it is taken from by its name."""

import difflib
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

import torch

from .answers import Tensors
from .calls import copies
from .edits import Edits, apart, edited, named_locals, source, stub
from .language import say

# fmt: off
CHAPTERS = dict(enumerate((
    "Queries, keys and values", "Attention pooling", "Kernel regression with a learned width", "Masked softmax",
    "Scoring functions", "Self-, masked and cross-attention", "Multi-head attention", "Positional encoding",
    "Transformer blocks", "The Transformer", "Sequence to sequence", "Translation with Bahdanau attention",
    "Transformer translation", "Decoding", "Efficient attention", "Regression again", "Attention as the answer",
    "Reading attention", "A language model", "A pretrained encoder",
), start=1))
# fmt: on


@dataclass(frozen=True)
class Mistake:
    """One plausible wrong answer: an edit of the solution, and what its author should hear.

    The checker makes the edit, runs the result beside the reader's function, and if both give the same on every probe,
    this is the mistake. Mistakes that change different places are also recognised together.

    `edit` is ``(old, new)``, or several such pairs; each `old` occurs exactly once in the solution's code (without its
    docstring). Where no edit can say it, it is a function with the exercise's parameters.
    `says` completes "it looks as if …", without a full stop; what follows the first ". " is further explanation. In it
    ``{given}``, ``{got}``, ``{expected}``, ``{seen}`` (the engine's sentence about the numbers, put in front where none
    of them is mentioned) and the solution's own local names are filled in with what happens on `example`.
    """

    name: str  # unique within its exercise, for instance mask-after-softmax
    edit: tuple | Callable
    says: str = ""  # empty where the engine has the words; `name` is then the engine's
    ask: str = ""  # the question that leads on
    example: Callable[[], tuple] | None = None  # makes arguments on which the mistake shows; None: the exercise's
    line: str = ""  # for a mistake that raises: a pattern that the reader's failing line must match
    also: tuple = ()  # other edits that are the same mistake, such as another large number

    @property
    def edits(self) -> Edits:
        """The edits of a mistake that is not a function."""
        return (self.edit,) if isinstance(self.edit[0], str) else tuple(self.edit)

    @property
    def variants(self) -> tuple["Mistake", ...]:
        """The mistake in each of its forms."""
        return (self, *(replace(self, edit=edit) for edit in self.also))

    @property
    def parts(self) -> tuple[str, str]:
        """What completes "it looks as if …", and what follows; a full stop in an example ("Go. ") ends nothing."""
        says = say(self.says)
        end = re.search(r"\. |。(?!$)", re.sub(r"\*[^*]*\*|`[^`]*`", lambda example: "x" * len(example[0]), says))
        return (says[: end.start()], says[end.end() :]) if end else (says, "")

    @property
    def phrase(self) -> str:
        """What completes "it looks as if …"."""
        return self.parts[0]


@dataclass(frozen=True)
class Exercise:
    """A task, its help, its solution and everything needed to judge an answer.

    The solution has the name that the reader's function has. Its source is shown to the reader, its numbers are the
    reference, its signature and docstring are the stub. The task itself is stated in the chapter.
    Detectors and describers go from (exercise, function, cases) to a finding or None, bans, demands and remarks
    from (exercise, function).
    """

    name: str  # given to `check`, for instance soft-lookup
    title: str  # a line for people
    chapter: int  # the chapter that states the task
    solution: Callable
    shapes: dict[str, str]  # for every parameter the names of its axes: {"query": "B T D", "width": "a number"}
    example: Callable[[], tuple]  # makes arguments small enough to follow by hand (float64)
    probes: Callable[[], list[tuple]]  # makes arguments of several shapes (float64, moderate, all axes different)
    mistakes: tuple[Mistake, ...]  # the mistakes that the checker knows by name
    hints: tuple[str, str, str]  # each says more than the one before
    why: str  # why the commonest wrong answer looks right
    returns: str = ""  # the names of the result's axes; empty for a single number
    answer: Tensors = field(default_factory=Tensors)  # what kind of thing is asked for
    seen: str = "{seen}"  # how a mistake's numbers are introduced, in words that may mention what a mistake's may
    space: Callable | None = None  # makes any arguments that the task allows, from a `Pick` (see `space.py`)
    edges: Callable[[], list[tuple]] = list  # arguments at the edge of the task, for when the probes are right
    steps: dict[str, str] = field(default_factory=dict)  # for names inside the solution what they are in words
    views: bool = False  # whether the statement says that tensors may be views, not contiguous in memory
    differentiable: tuple[str, ...] = ()  # the parameters that a gradient must reach
    detectors: tuple[Callable, ...] = ()  # further recognisers
    describers: tuple[Callable, ...] = ()  # asked last, where nothing has been recognised
    bans: tuple[Callable, ...] = ()  # asked of the function before it is called
    demands: tuple[Callable, ...] = ()  # what a right answer must do besides giving the right numbers
    remarks: tuple[Callable, ...] = ()  # asked of a right answer; what they find is told as something for later

    @property
    def function(self) -> str:
        """What the reader's function is called, for instance ``my_soft_lookup``."""
        return self.solution.__name__

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the parameters, in order."""
        return tuple(self.shapes)

    @property
    def floats(self) -> tuple[str, ...]:
        """The parameters that a gradient must reach, whatever kind of answer there is."""
        return self.differentiable or self.answer.floats

    @property
    def stub(self) -> str:
        """The source that the reader completes."""
        return stub(self.solution)

    def source(self) -> str:
        """Source of the solution."""
        return source(self.solution)

    def mistaken(self, *mistakes: Mistake) -> Callable | None:
        """The function that makes a mistake, or several together; None where these cannot be combined."""
        first, *others = mistakes
        if any(callable(mistake.edit) for mistake in mistakes):
            return None if others else first.edit
        edits = tuple(edit for mistake in mistakes for edit in mistake.edits)
        return edited(self.solution, edits) if not others or apart(self.solution, edits) else None

    @property
    def told_steps(self) -> dict[str, str]:
        """For names inside the solution what they are, in the reader's language."""
        return {name: say(step) for name, step in self.steps.items()}

    def on_the_way(self, arguments: tuple) -> list[tuple[str, object]]:
        """(what it is, its value) for the numbers that the solution passes on the way to its answer."""
        found = named_locals(self.solution, copies(arguments))
        words = self.told_steps or {name: f"`{name}`" for name in found}
        return [(words[name], found[name]) for name in words if name in found]

    def sizes(self, arguments: tuple) -> dict[str, float]:
        """Size of every named axis (and every plain number): ``{"T": 5, "S": 7, "width": 0.6}``."""
        found: dict[str, float] = {}
        for (name, spec), argument in zip(self.shapes.items(), arguments, strict=True):
            if isinstance(argument, int | float):
                found[name] = argument
            elif isinstance(argument, torch.Tensor):
                axes = zip(spec.split(), argument.shape, strict=False)
                found |= {axis: size for axis, size in axes if axis.isidentifier()}
        return found


class Shelf:
    """The exercises by name, in the order of the book; each is loaded when it is first asked for."""

    def __init__(self, names: Iterable[str] = (), load: Callable[[str], Exercise] | None = None):
        self._exercises: dict[str, Exercise | None] = dict.fromkeys(names)
        self._load = load

    def add(self, *exercises: Exercise) -> None:
        """Put exercises on the shelf."""
        for exercise in exercises:
            if exercise.name in self._exercises:
                raise ValueError(f"there are two exercises called {exercise.name!r}; give one another name")
            self._exercises[exercise.name] = exercise

    def names(self) -> list[str]:
        """The names of all exercises; nothing is loaded."""
        return list(self._exercises)

    def get(self, name: str) -> Exercise:
        """Take an exercise by its name."""
        if not isinstance(name, str):
            what = f"the function {name.__name__}" if hasattr(name, "__name__") else type(name).__name__
            raise TypeError(
                f"the first argument is the exercise's name, a string such as 'soft-lookup'; got {what}. Write it as "
                "check('soft-lookup', my_soft_lookup)."
            )
        if name in self._exercises:
            if self._exercises[name] is None:
                self._exercises[name] = self._load(name)
            return self._exercises[name]
        wanted = name.strip().lower().replace("_", "-").removeprefix("ex-").removeprefix("my-")
        near = difflib.get_close_matches(wanted, self._exercises, n=2, cutoff=0.5)
        advice = (
            f"did you mean {' or '.join(map(repr, near))}?"
            if near
            else f"it is one of {', '.join([*self._exercises][:3])} … (`names()` gives all {len(self)})."
        )
        raise ValueError(f"there is no exercise called {name!r}; {advice}")

    def __iter__(self) -> Iterator[Exercise]:
        return map(self.get, self.names())

    def __len__(self) -> int:
        return len(self._exercises)
