"""Every submission of a class in processes of its own, which may end, hang or grow without harm to the others."""

import contextlib
import json
import math
import os
import queue
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from attnbook.confined import arrangement, environment, readable
from attnbook.exercises import Verdict
from attnbook.grading import folder, usage
from attnbook.grading.companions import copied
from attnbook.grading.events import (
    MOST_STRANGE,
    Event,
    Ready,
    Strange,
    Told,
    understood,
)
from attnbook.grading.reading import in_words
from attnbook.grading.submissions import Result

START = 120  # seconds that a process may take until it is ready; importing torch takes two or three
LONGEST_LINE = 1_000_000
MOST_LEFT_OUT = 20  # statements of a submission; each costs a process
WORKER = "attnbook.grading.worker"
LOOK = 1.0  # seconds between two looks at what a submission uses
SPARE = 0.5e9  # bytes by which several processes may exceed the limit of one
THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


@dataclass(frozen=True)
class Limits:
    """What a submission may use.

    Attributes:
        seconds: for one exercise, and outside of one for a statement. A single call of a function has 20 seconds, where
            there are alarms (not on Windows).
        total: seconds for all exercises of a submission.
        memory: gigabytes on top of what PyTorch takes, of each process and, looked at every second, of all together;
            Linux only.
        disk: gigabytes in its working folder; looked at every second.
    """

    seconds: float = 60
    total: float = 600
    memory: float = 2
    disk: float = 1


@dataclass(frozen=True)
class _Class:
    """What the submissions of a class have in common: the limits, folders that none may read, whether to stop."""

    limits: Limits
    private: Sequence[str]
    over: threading.Event


def confinement() -> str:
    """Say how far a submission that means harm is kept from doing it on this system; the first time tries it.

    Returns:
        A sentence, without its full stop.
    """
    found = arrangement(WORKER)
    if not found.parts:
        return (
            f"this system does not confine a process ({found.reason}): a submission that means harm can do whatever "
            "you can"
        )
    says = (
        "each submission can read only Python's files and its own, write only into its working folder, and use no "
        f"network ({found.means})"
    )
    gaps = f"; but it can still {', '.join(found.gaps)}" if found.gaps else ""
    return says + gaps


def grade(
    found: Sequence[Result],
    exercises: Sequence[str],
    limits: Limits | None = None,
    jobs: int | None = None,
) -> Iterator[Result]:
    """Judge submissions, several at a time.

    Args:
        found: from `submissions`.
        exercises: names of those to look for.
        limits: of a submission.
        jobs: how many at a time; one for each core, at most 8, if not given.

    Yields:
        Each result, with its verdicts, when it is ready. If the loop is left, the processes are ended.

    Raises:
        ChildProcessError: the grader's own process does not start.
    """
    private = {str(path.parent) for one in found for path in one.files}
    group = _Class(limits or Limits(), sorted(private), threading.Event())
    if private:
        arrangement(WORKER)  # once, before there are threads
    with ThreadPoolExecutor(jobs or min(8, os.cpu_count() or 1)) as pool:
        waiting = [pool.submit(_judge, one, exercises, group) for one in found]
        try:
            for done in as_completed(waiting):
                yield done.result()
        finally:
            group.over.set()
            pool.shutdown(cancel_futures=True)


def _judge(result: Result, exercises: Sequence[str], group: _Class) -> Result:
    """Judge one submission; whatever fails in doing so is a problem of this one."""
    try:
        _judge_all(result, exercises, group)
    except ChildProcessError:
        raise
    except Exception as error:  # noqa: BLE001 (the disk is full, say)
        result.problems.append(f"cannot be judged ({in_words(error)})")
    return result


def _judge_all(result: Result, exercises: Sequence[str], group: _Class) -> None:
    """Start a process, and, as long as it ends in the middle of an exercise, another one for those that are left.

    If it ends while a statement of the submission is run, the next one leaves this statement out.
    """
    limits, over = group.limits, group.over
    told = Told(result, exercises if result.files else [])
    skipped: list[tuple[str, int, str]] = []
    end = time.monotonic() + limits.total
    while told.left and not over.is_set():
        if time.monotonic() >= end:
            told.problem(
                f"stopped after {limits.total:g} seconds; not judged: {', '.join(told.left)}"
            )
            break
        told.start()
        with _Worker(result, exercises, told.left, skipped, group) as worker:
            if worker.left_out:
                told.problem(worker.left_out)
            since, begun = time.monotonic(), ""
            while event := worker.next(
                since,
                limits.seconds if told.begun or told.running.line else limits.total,
                end,
            ):
                told.take(event)
                # in an exercise, not every statement that is said to be run begins the time anew
                if not told.begun or told.begun != begun:
                    since, begun = time.monotonic(), told.begun
                if told.strange > MOST_STRANGE:
                    worker.ended = "noisy"
                    break
        if over.is_set():
            break
        running = told.running
        if running.line and time.monotonic() < end and len(skipped) < MOST_LEFT_OUT:
            # not a mistake in the exercise: go on without the statement
            skipped.append((running.file, running.line, worker.end_of_a_statement()))
            told.problem(
                f"{Path(running.file).name}: {running.where}, {skipped[-1][2]}; it is left out"
            )
        elif told.begun:
            told.judged(worker.obituary(told.begun))
        elif told.left and time.monotonic() < end:
            told.problem(
                "Python ended while its files were being read; the rest is not judged"
            )
            break
    result.notes += told.which_count()


class _Worker:
    """A process for one submission, in a working folder of its own."""

    def __init__(
        self,
        result: Result,
        asked: Sequence[str],
        exercises: Sequence[str],
        skipped: Sequence[tuple[str, int, str]],
        group: _Class,
    ):
        self.files, self.group = [str(path) for path in result.files], group
        self.folders, self.beside = result.folders, result.beside
        # before each line of ours: whoever finds the channel does not know it yet
        self.seal = secrets.token_hex(16)
        self.task = {
            "seal": self.seal,
            "files": self.files,
            "folders": [str(path) for path in result.folders],
            "asked": list(asked),
            "exercises": list(exercises),
            "skipped": list(skipped),
            "memory": group.limits.memory,
            "longest": group.limits.total + START,
        }
        self.ended, self.after = (
            "",
            0.0,
        )  # why we have ended it: late, full, greedy or noisy
        self.look = (
            math.inf
        )  # when to look again; at first there is nothing of the submission's
        self.rest = 0  # events that were waiting when we ended it
        self.loaded = 0  # bytes, when the process begins to read the submission
        self.events: queue.Queue[Event | None] = queue.Queue(100)
        self.closed = threading.Event()

    def __enter__(self) -> "_Worker":
        self.folder = folder.make()
        self.private = [*self.group.private, self.folder]
        self.errors = tempfile.TemporaryFile()
        try:
            work = Path(folder.inner(self.folder))
            self.left_out = copied(self.folders, work, self.beside)
            self._start()
        except OSError:  # there can be no more processes, say
            folder.remove(self.folder)
            raise
        threading.Thread(target=self._listen, daemon=True).start()
        try:
            with contextlib.suppress(BrokenPipeError):
                for line in (self._order(), self.task):
                    self.process.stdin.write(json.dumps(line).encode() + b"\n")
                self.process.stdin.flush()
            begun = time.monotonic()
            while (event := self.next(begun, START)) not in (Ready(), None):
                pass  # a package may print something when it is loaded
        except BaseException:
            self.__exit__()
            raise
        self.look, self.loaded = 0.0, 0
        if event is None and not self.group.over.is_set():
            self.__exit__()
            raise ChildProcessError(
                f"the grader's own process does not start: {self.said}"
            )
        return self

    def _start(self) -> None:
        own = {
            "ATTNBOOK_DEVICE": "cpu",
            "ATTNBOOK_PROGRESS": "off",
            "CUDA_VISIBLE_DEVICES": "",
            "MPLBACKEND": "agg",
            **dict.fromkeys(THREADS, "1"),
        }
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-s", "-m", "attnbook.confined"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            cwd=folder.inner(self.folder),
            env=environment(self.folder, self.private) | own,
            start_new_session=True,  # Ctrl-C is for the grader, and what a submission starts ends with it
        )

    def _order(self) -> dict:
        return {
            "parts": arrangement(WORKER).parts,
            "readable": [*readable(self.private), *self.files],
            "folder": self.folder,
            "run": WORKER,
        }

    def _listen(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            seal = self.seal.encode()
            while line := self.process.stdout.readline(LONGEST_LINE):
                ours = line.startswith(seal)
                self._put(understood(line.removeprefix(seal)) if ours else Strange())
        self._put(None)

    def _put(self, event: Event | None) -> None:
        while not self.closed.is_set():
            with contextlib.suppress(queue.Full):
                self.events.put(event, timeout=0.2)
                return

    def next(self, since: float, seconds: float, end: float = math.inf) -> Event | None:
        """The next event; None when the process has ended, has taken too long since a time, or has used too much."""
        end = min(end, since + seconds)
        while not self.group.over.is_set() and not self.ended:
            # the time first, since there may always be another event
            if (now := time.monotonic()) >= end:
                self.ended, self.after = "late", end - since
            elif now >= self.look:
                self.look = now + LOOK
                self.ended = self._too_much()
            if self.ended:
                self.rest = self.events.qsize()  # it has said so before
                break
            with contextlib.suppress(queue.Empty):
                return self.events.get(timeout=max(0.0, min(0.2, end - now)))
        if not self.rest:
            return None
        self.rest -= 1
        return self.events.get()

    def _too_much(self) -> str:
        """Of what its processes use too much together, if they do: "full" or "greedy"."""
        limits, removed = self.group.limits, 0
        if sys.platform == "linux":
            try:
                numbers = usage.processes(self.process.pid)
                held = usage.memory(numbers)
                removed = usage.without_a_name(numbers)
            except usage.Hidden:
                return "greedy"
            self.loaded = self.loaded or held
            if (
                held > self.loaded + limits.memory * 1e9 + SPARE
                or len(numbers) > usage.MOST_PROCESSES
            ):
                return "greedy"
        return (
            "full" if folder.is_full(self.folder, limits.disk * 1e9 - removed) else ""
        )

    def __exit__(self, *_) -> None:
        if not self.ended and not self.group.over.is_set():
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(10)  # it has closed its end; let it say how it ended
        self.closed.set()
        if sys.platform == "linux":  # it ends what the submission has started
            self.process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(10)
        if sys.platform != "linux" or self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                if hasattr(os, "killpg"):
                    os.killpg(self.process.pid, signal.SIGKILL)
                else:
                    self.process.kill()
        self.status = self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):
                stream.close()
        self.errors.seek(0)
        self.said = (
            self.errors.read()[-2000:]
            .decode("utf-8", "replace")
            .strip()
            .rpartition("\n")[2]
        )
        self.errors.close()
        folder.remove(self.folder)

    def end_of_a_statement(self) -> str:
        """What came of the statement in whose middle the process ended, to follow its text."""
        if self.ended == "late":
            return f"had not ended after {self.after:.0f} seconds"
        if self.ended == "full":
            return f"writes more than {self.group.limits.disk:g} GB, or too many files"
        if self.ended == "greedy":
            return f"takes more than {self.group.limits.memory:g} GB of memory, or too many processes"
        if self.ended == "noisy":
            return "writes to the grader's channel"
        if self.status < 0:
            return f"brings Python down ({_signal(-self.status)})"
        return f"ends Python, with exit status {self.status}"

    def obituary(self, exercise: str) -> Verdict:
        """The verdict on the exercise in whose middle the process ended."""
        if self.ended == "late":
            about, name = "it takes too long", "takes-too-long"
            says = f"It was stopped after {self.after:.0f} seconds."
            asks = "Is there a loop that never ends?"
        elif self.ended == "full":
            about, name = "it fills the disk", "fills-the-disk"
            says = f"It was stopped with more than {self.group.limits.disk:g} GB, or too many files, in its folder."
            asks = (
                "Does it have to write anything at all? A function returns its answer."
            )
        elif self.ended == "greedy":
            about, name = "it takes too much memory", "takes-too-much-memory"
            says = f"It was stopped with more than {self.group.limits.memory:g} GB in its processes, or with too many."
            asks = (
                "Does it have to start processes at all? A function returns its answer."
            )
        elif self.ended == "noisy":
            about, name = "it disturbs the grader", "disturbs-the-grader"
            says = (
                "It was stopped since it wrote to the grader's channel again and again."
            )
            asks = "Does it write to files that it has not opened?"
        elif self.status < 0:
            about, name = "it brings Python down", "ends-python"
            says = f"The process was ended by {_signal(-self.status)}."
            asks = (
                "Does it ask for more memory, or for a deeper recursion, than there is?"
            )
        else:
            about, name = "it ends Python", "ends-python"
            says = f"The process ended in the middle of the check, with exit status {self.status}."
            asks = "Does it call `os._exit`? A function returns its answer."
        return Verdict(exercise, "wrong", name, about, says, asks)


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
