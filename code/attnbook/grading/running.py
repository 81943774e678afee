"""Every submission of a class in processes of its own, which may end, hang or grow without harm to the others."""

import os
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from attnbook.confined import arrangement
from attnbook.grading.endings import Ended
from attnbook.grading.events import MOST_STRANGE, Progress
from attnbook.grading.process import WORKER, Common, Limits, Process
from attnbook.grading.reading import in_words
from attnbook.grading.submissions import Result

MOST_LEFT_OUT = 20  # statements of a submission; each costs a process


def confinement() -> str:
    """Say how far a submission that means harm is kept from doing it on this system; the first time tries it.

    Returns:
        A sentence, without its full stop.
    """
    here = arrangement(WORKER)
    if not here.parts:
        return (
            f"this system does not confine a process ({here.reason}): a submission that means harm can do whatever "
            "you can"
        )
    says = (
        "each submission can read only Python's files and its own, write only into its working folder, and use no "
        f"network ({here.means})"
    )
    gaps = f"; but it can still {', '.join(here.gaps)}" if here.gaps else ""
    return says + gaps


def grade(
    results: Sequence[Result], exercises: Sequence[str], limits: Limits | None = None, jobs: int | None = None
) -> Iterator[Result]:
    """Judge submissions, several at a time.

    Args:
        results: from `submissions`; they get the verdicts.
        exercises: names of those to look for.
        limits: of a submission.
        jobs: how many at a time; one for each core, at most 8, if not given.

    Yields:
        Each result, with its verdicts, when it is ready. If the loop is left, the processes are ended.

    Raises:
        ChildProcessError: the grader's own process does not start.
    """
    private = {str(path.parent) for one in results for path in one.files}
    common = Common(limits or Limits(), sorted(private), threading.Event())
    if private:
        arrangement(WORKER)  # once, before there are threads
    with ThreadPoolExecutor(jobs or min(8, os.cpu_count() or 1)) as pool:
        waiting = [pool.submit(_judge, one, exercises, common) for one in results]
        try:
            for done in as_completed(waiting):
                yield done.result()
        finally:
            common.over.set()
            pool.shutdown(cancel_futures=True)


def _judge(result: Result, exercises: Sequence[str], common: Common) -> Result:
    """Judge one submission; whatever fails in doing so is a problem of this one."""
    try:
        _judge_all(result, exercises, common)
    except ChildProcessError:
        raise
    except Exception as error:  # noqa: BLE001 (the disk is full, say)
        result.problems.append(f"cannot be judged ({in_words(error)})")
    return result


def _judge_all(result: Result, exercises: Sequence[str], common: Common) -> None:
    """Start a process, and, as long as it ends in the middle of an exercise, another one for those that are left.

    If it ends while a statement of the submission is run, the next one leaves this statement out; if it ends while one
    of several answers to an exercise is judged, this answer.
    """
    limits, over = common.limits, common.over
    progress = Progress(result, exercises if result.files else [])
    skipped: list[tuple[str, int, str]] = []
    end = time.monotonic() + limits.total
    while progress.left and not over.is_set():
        if time.monotonic() >= end:
            left = ", ".join(progress.left)
            progress.problem(f"stopped after {limits.total:g} seconds; not judged: {left}")
            break
        ended = _one_process(progress, exercises, skipped, common, end)
        if over.is_set():
            break
        running = progress.running
        if running.line and time.monotonic() < end and len(skipped) < MOST_LEFT_OUT:
            # not a mistake in the exercise: go on without the statement
            why = ended.of_a_statement()
            skipped.append((running.file, running.line, why))
            file = result.name_of(Path(running.file))
            progress.problem(f"{file}: {running.where}, {why}; it is left out")
        elif progress.begun:
            progress.failed(ended.verdict(progress.begun))
        elif progress.left and time.monotonic() < end:
            progress.problem("Python ended while its files were being read; the rest is not judged")
            break
    result.notes += progress.which_count()


def _one_process(
    progress: Progress, exercises: Sequence[str], skipped: Sequence[tuple[str, int, str]], common: Common, end: float
) -> Ended:
    """Listen to a process until it ends, or has to be ended."""
    progress.start()
    task = {
        "asked": list(exercises),
        "exercises": list(progress.left),
        "skipped": list(skipped),
        "fallen": list(progress.fallen),
    }
    with Process(progress.result, task, common) as process:
        if process.left_out:
            progress.problem(process.left_out)
        since, begun = time.monotonic(), ""
        while event := process.next(since, _patience(progress, common.limits), end):
            progress.take(event)
            # in an exercise, not every statement that is said to be run begins the time anew
            if not progress.begun or progress.begun != begun:
                since, begun = time.monotonic(), progress.begun
            if progress.strange > MOST_STRANGE:
                process.ended = "noisy"
                break
    return process.end()


def _patience(progress: Progress, limits: Limits) -> float:
    """How many seconds the process may take until its next event that counts."""
    inside = progress.begun or progress.running.line
    return limits.seconds if inside else limits.total
