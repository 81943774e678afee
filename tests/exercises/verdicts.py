"""What the checker says of readers' answers: `python tests/exercises/verdicts.py [NAME …]` prints a table.

`answers/NAME.py` holds answers to the exercise NAME. Its head (imports and helpers) is executed once; then each
block that begins with `# === right` or `# === wrong DIAGNOSIS` is executed with it, and the last function that it
defines is an answer. Blocks keep their line numbers, so that messages can quote the failing line.
"""

import functools
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from unittest import mock

import torch

from attnbook.exercises import recognise
from attnbook.exercises.bank import SHELF
from attnbook.exercises.checker import judge
from attnbook.exercises.recognise import does_as

FOLDER = Path(__file__).parent / "answers"
HEADER = re.compile(r"^# === (right|wrong (.+))$", re.MULTILINE)


@dataclass(frozen=True)
class Answer:
    """One reader's answer: the exercise, the diagnosis it should hear (None: it is right), the function."""

    exercise: str
    diagnosis: str | None
    function: FunctionType

    def __str__(self) -> str:
        return f"{self.exercise}: {self.function.__name__}"

    @functools.cached_property
    def judged(self):
        """The verdict, and with how many formulas of mistakes the function was compared for it."""
        tried = []
        torch.manual_seed(0)  # some wrong answers draw random numbers
        with mock.patch.object(recognise, "does_as", lambda *a, **k: tried.append(0) or does_as(*a, **k)):
            return judge(SHELF.get(self.exercise), self.function), len(tried)

    @property
    def verdict(self):
        return self.judged[0]

    @property
    def as_expected(self) -> bool:
        status = "wrong" if self.diagnosis else "solved"
        return (self.verdict.status, self.verdict.diagnosis) == (status, self.diagnosis)


@functools.cache
def answers(name: str) -> list[Answer]:
    """Read the answers to an exercise."""
    path = FOLDER / f"{name}.py"
    text = path.read_text("utf-8")
    marks = list(HEADER.finditer(text))
    shared, found = _executed(text[: marks[0].start()], 0, path, {}), []
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        source = text[mark.start() : following.start() if following else None]
        before = text.count("\n", 0, mark.start())
        world = _executed(source, before, path, shared)
        new = [v for k, v in world.items() if shared.get(k) is not v and callable(v)]
        found.append(Answer(name, mark[2], new[-1]))
    return found


def answer_called(exercise: str, name: str) -> FunctionType:
    """The answer with this name."""
    functions = [answer.function for answer in answers(exercise)]
    return next(function for function in functions if function.__name__ == name)


def every_argument(exercise) -> list:
    """All arguments that an exercise is asked with."""
    return [exercise.example(), *exercise.probes(), *exercise.edges()]


def same(a, b):
    """Assert that two tensors are the same but for the last digits of float64."""
    torch.testing.assert_close(a, b, rtol=1e-10, atol=1e-12)


def _executed(source: str, lines_before: int, path: Path, world: dict) -> dict:
    world = dict(world)
    exec(compile("\n" * lines_before + source, str(path), "exec"), world)
    return world


def table(names: list[str]) -> str:
    """How many answers there are, and how many are judged as expected; then those that are not."""
    lines = ["exercise             wrong rejected same diagnosis   right accepted"]
    for name in names:
        of = answers(name)
        wrong, right = ([a for a in of if a.diagnosis], [a for a in of if not a.diagnosis])
        rejected = sum(a.verdict.status == "wrong" for a in wrong)
        same, accepted = (sum(a.as_expected for a in wrong), sum(a.as_expected for a in right))
        lines.append(f"{name:<20} {len(wrong):5} {rejected:8} {same:14}   {len(right):5} {accepted:8}")
        lines += [
            f"    {a.function.__name__}: {a.verdict.diagnosis or a.verdict.status}, expected {a.diagnosis or 'right'}"
            for a in of
            if not a.as_expected
        ]
    return "\n".join(lines)


if __name__ == "__main__":
    names = [name for name in sys.argv[1:] if name != "--messages"]
    names = names or [exercise.name for exercise in SHELF]
    print(table(names))
    if "--messages" in sys.argv:
        print("", *[a.verdict for name in names for a in answers(name)], sep="\n\n")
