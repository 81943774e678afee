"""Every submission of a class in processes of its own, which may end, hang or grow without harm to the others."""

import contextlib
import json
import os
import queue
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

from attnbook.exercises import Verdict
from attnbook.grading.companions import copied
from attnbook.grading.reading import in_words
from attnbook.grading.submissions import Result

START = 120  # seconds that a process may take until it is ready; importing torch takes two or three
LONGEST_LINE = 1_000_000


@dataclass(frozen=True)
class Limits:
    """What a submission may use.

    Attributes:
        seconds: for one exercise. A single call of a function has 20 seconds, where there are alarms (not on Windows).
        total: seconds for all exercises of a submission.
        memory: gigabytes on top of what PyTorch takes; Linux only.
    """

    seconds: float = 60
    total: float = 600
    memory: float = 2


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
    limits, over = limits or Limits(), threading.Event()
    with ThreadPoolExecutor(jobs or min(8, os.cpu_count() or 1)) as pool:
        waiting = [pool.submit(_judge, one, exercises, limits, over) for one in found]
        try:
            for done in as_completed(waiting):
                yield done.result()
        finally:
            over.set()
            pool.shutdown(cancel_futures=True)


def _judge(
    result: Result, exercises: Sequence[str], limits: Limits, over: threading.Event
) -> Result:
    """Judge one submission; whatever fails in doing so is a problem of this one."""
    try:
        _judge_all(result, exercises, limits, over)
    except ChildProcessError:
        raise
    except (OSError, LookupError, TypeError, ValueError) as error:
        # the disk is full, say, or it has found the channel and written to it
        result.problems.append(f"cannot be judged ({in_words(error)})")
    return result


def _judge_all(
    result: Result, exercises: Sequence[str], limits: Limits, over: threading.Event
) -> None:
    """Start a process, and, as long as it ends in the middle of an exercise, another one for those that are left.

    If it ends while a statement of the submission is run, the next one leaves this statement out.
    """
    left = list(exercises) if result.files else []
    skipped: list[tuple[str, int, str]] = []
    end = time.monotonic() + limits.total
    while left and not over.is_set():
        if time.monotonic() >= end:
            result.problems.append(
                f"stopped after {limits.total:g} seconds; not judged: {', '.join(left)}"
            )
            break
        with _Worker(result, exercises, left, skipped, limits, over) as worker:
            problems = []
            begun, runs = "", None
            while (
                event := worker.next(
                    min(
                        limits.seconds if begun or runs else limits.total,
                        end - time.monotonic(),
                    )
                )
            ) is not None:
                if "begin" in event:
                    begun = event["begin"]
                elif "runs" in event:
                    runs = event["runs"]
                elif "problem" in event:
                    problems.append(event["problem"])
                elif "absent" in event:
                    left.remove(event["absent"])
                elif "verdict" in event:
                    verdict = Verdict(**event["verdict"])
                    if verdict.status not in ("solved", "wrong", "unwritten"):
                        raise ValueError(f"no verdict: {verdict.status!r}")
                    result.verdicts[verdict.exercise] = verdict
                    left.remove(verdict.exercise)
                    begun = ""
                elif "done" in event:
                    left = []
        result.problems += [one for one in problems if one not in result.problems]
        if runs and not over.is_set() and time.monotonic() < end:
            # not a mistake in the exercise: go on without the statement
            file, line, where = runs
            skipped.append((file, line, worker.end_of_a_statement()))
            result.problems.append(
                f"{Path(file).name}: {where}, {skipped[-1][2]}; it is left out"
            )
        elif begun and not over.is_set():
            result.verdicts[begun] = worker.obituary(begun)
            left.remove(begun)
        elif left and not over.is_set() and time.monotonic() < end:
            result.problems.append(
                "Python ended while its files were being read; the rest is not judged"
            )
            break


class _Worker:
    """A process for one submission, in a working folder of its own."""

    def __init__(
        self,
        result: Result,
        asked: Sequence[str],
        exercises: Sequence[str],
        skipped: Sequence[tuple[str, int, str]],
        limits: Limits,
        over: threading.Event,
    ):
        self.result = result
        self.task = {
            "files": [str(path) for path in result.files],
            "folders": [str(path) for path in result.folders],
            "asked": list(asked),
            "exercises": list(exercises),
            "skipped": list(skipped),
            "memory": limits.memory,
            "longest": limits.total + START,
        }
        self.over, self.late = over, 0.0
        self.events: queue.Queue[dict | None] = queue.Queue()

    def __enter__(self) -> "_Worker":
        self.folder = tempfile.TemporaryDirectory(
            prefix="attnbook-", ignore_cleanup_errors=True
        )
        left_out = copied(self.result.folders, Path(self.folder.name))
        if left_out and left_out not in self.result.problems:
            self.result.problems.append(left_out)
        self.errors = tempfile.TemporaryFile()
        package = str(Path(__file__).parents[2])
        fixed = {
            "ATTNBOOK_DEVICE": "cpu",
            "ATTNBOOK_PROGRESS": "off",
            "MPLBACKEND": "agg",
            "OMP_NUM_THREADS": "1",
            "MKL_NUM_THREADS": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONIOENCODING": "utf-8",
            "PYTHONPATH": os.pathsep.join(
                filter(None, [package, os.environ.get("PYTHONPATH")])
            ),
            **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), self.folder.name),
        }
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", f"{__package__}.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            cwd=self.folder.name,
            env=os.environ | fixed,
            start_new_session=True,  # Ctrl-C is for the grader, and what a submission starts ends with it
        )
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps(self.task).encode() + b"\n")
            self.process.stdin.flush()
        threading.Thread(target=self._listen, daemon=True).start()
        try:
            ready = self.next(START)
        except BaseException:
            self.__exit__()
            raise
        if ready is None and not self.over.is_set():
            self.__exit__()
            raise ChildProcessError(
                f"the grader's own process does not start: {self.said}"
            )
        return self

    def _listen(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while line := self.process.stdout.readline(LONGEST_LINE):
                with contextlib.suppress(ValueError):  # not one of ours
                    event = json.loads(line)
                    if isinstance(event, dict):
                        self.events.put(event)
        self.events.put(None)

    def next(self, seconds: float) -> dict | None:
        """The next event; None when the process has ended or has taken too long."""
        end = time.monotonic() + seconds
        while not self.over.is_set():
            try:
                return self.events.get(
                    timeout=max(0.0, min(0.2, end - time.monotonic()))
                )
            except queue.Empty:
                if time.monotonic() >= end:
                    self.late = seconds
                    return None
        return None

    def __exit__(self, *_) -> None:
        if not self.late and not self.over.is_set():
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(10)  # it has closed its end; let it say how it ended
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(
                    self.process.pid, signal.SIGKILL
                )  # and whatever it has started
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
        with contextlib.suppress(RecursionError):  # a thousand folders, each in another
            self.folder.cleanup()

    def end_of_a_statement(self) -> str:
        """What came of the statement in whose middle the process ended, to follow its text."""
        if self.late:
            return f"had not ended after {self.late:.0f} seconds"
        if self.status < 0:
            return f"brings Python down ({_signal(-self.status)})"
        return f"ends Python, with exit status {self.status}"

    def obituary(self, exercise: str) -> Verdict:
        """The verdict on the exercise in whose middle the process ended."""
        if self.late:
            about, name = "it takes too long", "takes-too-long"
            says = f"It was stopped after {self.late:.0f} seconds."
            asks = "Is there a loop that never ends?"
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
