"""A process for one submission: started, listened to, watched while it runs, and ended."""

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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from attnbook.confined import arrangement, environment, readable
from attnbook.grading import folder, usage
from attnbook.grading.companions import copied
from attnbook.grading.endings import Ended
from attnbook.grading.events import Event, Ready, Strange, understood
from attnbook.grading.submissions import Result

START = 120  # seconds that a process may take until it is ready; importing torch takes two or three
LONGEST_LINE = 1_000_000
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
class Common:
    """What the submissions of a class have in common: the limits, folders that none may read, whether to stop."""

    limits: Limits
    private: Sequence[str]
    over: threading.Event


class Process:
    """A process for one submission, in a working folder of its own."""

    def __init__(self, result: Result, task: Mapping[str, object], common: Common):
        self.common, self.result = common, result
        # before each line of ours: whoever finds the channel does not know it yet
        self.seal = secrets.token_hex(16)
        self.files = [str(path) for path in result.files]
        self.task = {
            **task,
            "seal": self.seal,
            "files": [(str(path), result.name_of(path)) for path in result.files],
            "folders": [str(path) for path in result.folders],
            "memory": common.limits.memory,
            "longest": common.limits.total + START,
        }
        # why and when we have ended it, as in `Ended`
        self.ended, self.after = "", 0.0
        # when to look again; at first there is nothing of the submission's
        self.look = math.inf
        self.rest = 0  # events that were waiting when we ended it
        self.loaded = 0  # bytes, when the process begins to read the submission
        self.events: queue.Queue[Event | None] = queue.Queue(100)
        self.closed = threading.Event()

    def __enter__(self) -> "Process":
        self.folder = folder.make()
        self.private = [*self.common.private, self.folder]
        self.errors = tempfile.TemporaryFile()
        try:
            work = Path(folder.inner(self.folder))
            self.left_out = copied(self.result.folders, work, self.result.beside)
            self._start()
        except OSError:  # there can be no more processes, say
            folder.remove(self.folder)
            raise
        threading.Thread(target=self._listen, daemon=True).start()
        try:
            with contextlib.suppress(BrokenPipeError):
                for line in (self._order(), self.task):
                    self.stdin.write(json.dumps(line).encode() + b"\n")
                self.stdin.flush()
            begun = time.monotonic()
            while (event := self.next(begun, START)) not in (Ready(), None):
                pass  # a package may print something when it is loaded
        except BaseException:
            self.__exit__()
            raise
        self.look, self.loaded = 0.0, 0
        if event is None and not self.common.over.is_set():
            self.__exit__()
            raise ChildProcessError(f"the grader's own process does not start: {self.last_line}")
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
        assert self.process.stdin and self.process.stdout  # since they are pipes
        self.stdin, self.stdout = self.process.stdin, self.process.stdout

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
            while line := self.stdout.readline(LONGEST_LINE):
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
        while not self.common.over.is_set() and not self.ended:
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
        limits, removed = self.common.limits, 0
        if sys.platform == "linux":
            try:
                numbers = usage.processes(self.process.pid)
                held = usage.memory(numbers)
                removed = usage.without_a_name(numbers)
            except usage.Hidden:
                return "greedy"
            self.loaded = self.loaded or held
            if held > self.loaded + limits.memory * 1e9 + SPARE or len(numbers) > usage.MOST_PROCESSES:
                return "greedy"
        return "full" if folder.is_full(self.folder, limits.disk * 1e9 - removed) else ""

    def __exit__(self, *_: object) -> None:
        if not self.ended and not self.common.over.is_set():
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
        for stream in (self.stdin, self.stdout):
            with contextlib.suppress(OSError):
                stream.close()
        self.errors.seek(0)
        self.last_line = self.errors.read()[-2000:].decode("utf-8", "replace").strip().rpartition("\n")[2]
        self.errors.close()
        folder.remove(self.folder)

    def end(self) -> Ended:
        """How it has ended."""
        limits = self.common.limits
        return Ended(self.ended, self.status, self.after, limits.disk, limits.memory)
