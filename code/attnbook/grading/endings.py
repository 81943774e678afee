"""How the process of a submission may end before its time, and what is then said of it."""

import signal
from dataclasses import dataclass

from attnbook.exercises import Verdict


@dataclass(frozen=True)
class Ending:
    """Texts, with places for numbers.

    Attributes:
        statement: of the statement in whose middle the process ended, to follow its text.
        diagnosis, about, says, asks: of the verdict, if it was in the middle of an exercise.
    """

    statement: str
    diagnosis: str
    about: str
    says: str
    asks: str


ENDINGS = {
    "late": Ending(
        "had not ended after {after:.0f} seconds",
        "takes-too-long",
        "it takes too long",
        "It was stopped after {after:.0f} seconds.",
        "Is there a loop that never ends?",
    ),
    "full": Ending(
        "writes more than {disk:g} GB, or too many files",
        "fills-the-disk",
        "it fills the disk",
        "It was stopped with more than {disk:g} GB, or too many files, in its folder.",
        "Does it have to write anything at all? A function returns its answer.",
    ),
    "greedy": Ending(
        "takes more than {memory:g} GB of memory, or too many processes",
        "takes-too-much-memory",
        "it takes too much memory",
        "It was stopped with more than {memory:g} GB in its processes, or with too many.",
        "Does it have to start processes at all? A function returns its answer.",
    ),
    "noisy": Ending(
        "writes to the grader's channel",
        "disturbs-the-grader",
        "it disturbs the grader",
        "It was stopped since it wrote to the grader's channel again and again.",
        "Does it write to files that it has not opened?",
    ),
    "signal": Ending(
        "brings Python down ({signal})",
        "ends-python",
        "it brings Python down",
        "The process was ended by {signal}.",
        "Does it ask for more memory, or for a deeper recursion, than there is?",
    ),
    "exit": Ending(
        "ends Python, with exit status {status}",
        "ends-python",
        "it ends Python",
        "The process ended in the middle of the check, with exit status {status}.",
        "Does it call `os._exit`? A function returns its answer.",
    ),
}


@dataclass(frozen=True)
class Ended:
    """The end of one process.

    Attributes:
        why: the grader ended it: "late", "full", "greedy" or "noisy"; empty if it ended by itself.
        status: of its exit; negative after a signal.
        after: seconds until the grader ended it.
        disk, memory: gigabytes that it might use.
    """

    why: str
    status: int
    after: float
    disk: float
    memory: float

    @property
    def _ending(self) -> Ending:
        return ENDINGS[self.why or ("signal" if self.status < 0 else "exit")]

    def _with_numbers(self, text: str) -> str:
        return text.format(**vars(self), signal=_signal(-self.status))

    def of_a_statement(self) -> str:
        """What the statement did in whose middle the process ended, to follow its text."""
        return self._with_numbers(self._ending.statement)

    def verdict(self, exercise: str) -> Verdict:
        """The verdict on the exercise in whose middle the process ended."""
        ending = self._ending
        says = self._with_numbers(ending.says)
        return Verdict(exercise, "wrong", ending.diagnosis, ending.about, says, ending.asks)


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
