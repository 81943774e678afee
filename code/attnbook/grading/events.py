"""What a submission's process tells the grader: lines of JSON, believed only as far as they can be true.

The process is the submission's as much as ours: its code can find the channel and write to it, and with patience the
seal that our lines begin with. So each line becomes one of a few small values or is `Strange`, and `Progress` takes
from a value only what can come next.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from attnbook.exercises import Verdict
from attnbook.grading.submissions import Result

LONGEST = 10_000  # characters of a text
LONGEST_PROBLEM = 1000
MOST_PROBLEMS = 200
MOST_STRANGE = 1000  # lines of a process, before we listen no more
STRANGE = "something in it wrote to the grader's channel: read this submission"
# control characters, halves of characters, and what turns the direction of writing
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")  # fmt: skip


@dataclass(frozen=True)
class Ready:
    """The process has started."""


@dataclass(frozen=True)
class Begun:
    """It judges an exercise."""

    exercise: str


@dataclass(frozen=True)
class Running:
    """A statement of a file is run; none, if the line is 0."""

    file: str = ""
    line: int = 0
    where: str = ""


@dataclass(frozen=True)
class Answer:
    """Several files answer the exercise; what follows is about the answer in this one."""

    file: str


@dataclass(frozen=True)
class Problem:
    """Something is wrong with the submission as a whole."""

    says: str


@dataclass(frozen=True)
class Absent:
    """An exercise has not been handed in."""

    exercise: str


@dataclass(frozen=True)
class Judged:
    """An exercise has been judged."""

    verdict: Verdict


@dataclass(frozen=True)
class Done:
    """Nothing is left."""


@dataclass(frozen=True)
class Strange:
    """A line that our part of the process does not write."""


Event = Ready | Begun | Running | Answer | Problem | Absent | Judged | Done | Strange


def understood(line: bytes) -> Event:
    """Read a line of the channel, whoever has written it.

    Args:
        line: anything.

    Returns:
        What it says.
    """
    try:
        ((kind, value),) = json.loads(line).items()
        return KINDS[kind](value)
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError):
        return Strange()


def _text(value: object, most: int = LONGEST) -> str:
    if not isinstance(value, str):
        raise TypeError("a text is needed")
    seen = UNSEEN.sub(lambda found: ascii(found[0])[1:-1], value[:most])
    return seen[:most]


def _file(value: object) -> str:
    """A path, which is compared with those that we know, and so stays as it is."""
    return str(value) if _text(value) else ""


def _running(value: Any) -> Running:
    if value is None:
        return Running()
    file, line, where = value
    if type(line) is not int or not 0 < line < 10**9:
        raise ValueError("no line has this number")
    return Running(_file(file), line, _text(where, LONGEST_PROBLEM))


def _judged(value: dict[str, Any]) -> Judged:
    names = [field.name for field in fields(Verdict)]
    if sorted(value) != sorted(names):
        raise ValueError("a verdict has other fields")
    texts: dict[str, Any] = {
        name: None if name == "diagnosis" and said is None else _text(said) for name, said in value.items()
    }
    if texts["status"] not in ("solved", "wrong", "unwritten"):
        raise ValueError("no such status")
    return Judged(Verdict(**texts))


def _yes(kind: type[Ready | Done]) -> Callable[[object], Event]:
    def made(value: object) -> Event:
        if value is not True:
            raise ValueError("true is needed")
        return kind()

    return made


KINDS: dict[str, Callable[[Any], Event]] = {
    "ready": _yes(Ready),
    "begin": lambda value: Begun(_text(value)),
    "runs": _running,
    "answer": lambda value: Answer(_file(value)),
    "problem": lambda value: Problem(_text(value, LONGEST_PROBLEM)),
    "absent": lambda value: Absent(_text(value)),
    "verdict": _judged,
    "done": _yes(Done),
}


class Progress:
    """What is known of a submission, while its processes tell it.

    Args:
        result: gets the verdicts and the problems.
        exercises: names of those that may be judged.

    Attributes:
        left: exercises about which nothing is known yet.
        begun: the exercise that is being judged, or "".
        answer: the file whose answer is being judged, if several have one.
        fallen: exercises and files in the middle of whose answer a process has ended.
        counting: exercise → the file whose answer counts, if several have one.
        running: the statement that is being run.
        strange: how many events of this process were not believed.
    """

    def __init__(self, result: Result, exercises: Sequence[str]):
        self.result, self.left = result, list(exercises)
        self.files = {str(path): path for path in result.files}
        self.fallen: list[tuple[str, str]] = []
        self.counting: dict[str, str] = {}
        self.start()

    def start(self) -> None:
        """Another process begins."""
        self.begun, self.answer, self.running, self.strange = "", "", Running(), 0

    def take(self, event: Event) -> None:
        """Believe an event if it can come next; whatever else is told is one problem of this submission.

        Args:
            event: from `understood`.
        """
        match event:
            case Begun(exercise) if not self.begun and exercise in self.left:
                self.begun, self.answer = exercise, ""
            case Running(file, line) if not line or file in self.files:
                self.running = event
            case Answer(file) if self.begun and file in self.files:
                self.answer = file
            case Problem(says) if len(self.result.problems) < MOST_PROBLEMS:
                self.problem(says)
            case Absent(exercise) if not self.begun and exercise in self.left:
                self.left.remove(exercise)
            case Judged(verdict) if verdict.exercise == self.begun != "":
                self.judged(verdict)
            case Done() if not self.left:
                pass
            case _:
                self.strange += 1
                self.problem(STRANGE)
                if STRANGE not in self.result.confidential:
                    self.result.confidential.append(STRANGE)

    def judged(self, verdict: Verdict) -> None:
        """The exercise that was begun has a verdict.

        Args:
            verdict: on it.
        """
        self._note(verdict)
        self.left.remove(self.begun)
        self.begun = ""

    def failed(self, verdict: Verdict) -> None:
        """The process ended in the middle of the exercise that was begun.

        Args:
            verdict: on it; answers in other files may still be better.
        """
        answer = self.begun, self.answer
        if not self.answer or answer in self.fallen:
            self.judged(verdict)
        else:
            self._note(verdict)
            self.fallen.append(answer)

    def _note(self, verdict: Verdict) -> None:
        if verdict or self.begun not in self.result.verdicts:
            self.result.verdicts[self.begun] = verdict
            if self.answer:
                self.counting[self.begun] = self.answer

    def which_count(self) -> list[str]:
        """Which file counts for each exercise that several answer, in a sentence, if there is such an exercise."""
        parts = [
            f"{exercise} ({self.result.name_of(self.files[file])} counts)" for exercise, file in self.counting.items()
        ]
        return [f"answered in several files: {', '.join(parts)}"] if parts else []

    def problem(self, says: str) -> None:
        """Note a problem, once.

        Args:
            says: it in a sentence.
        """
        if says not in self.result.problems:
            self.result.problems.append(says)
