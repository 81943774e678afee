"""The process in which a submission runs: it judges one exercise after another and tells the grader, line by line.

Started by `process.py`, confined by `attnbook.confined`; reads one line of JSON, writes one for each event.
"""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from attnbook.exercises import Verdict, get
from attnbook.grading.companions import Home
from attnbook.grading.events import LONGEST
from attnbook.grading.judging import Submission
from attnbook.grading.limits import end_with_the_grader, limit_resources, open_channel, refuse_harm
from attnbook.grading.reading import NotASubmission, in_words
from attnbook.grading.remarks import doubted, remarks


def main() -> None:
    """Judge the exercises that are asked for."""
    orders, channel = open_channel()
    task = json.loads(orders.readline())
    folder, seal = os.getcwd(), task.pop("seal")

    def tell(**event: object) -> None:
        channel.write(seal + json.dumps(event) + "\n")

    end_with_the_grader(orders, task["longest"])
    limit_resources(task["longest"], task["memory"])
    tell(ready=True)
    home = Home(Path(folder), [Path(path) for path in task["folders"]])
    read = []
    for file, name in task["files"]:
        skipped = {line: why for one, line, why in task["skipped"] if one == file}

        def enter(line: int, where: str, file: str = file) -> None:
            tell(runs=(file, line, where) if line else None)

        try:
            read.append(Submission(Path(file), skipped, enter, home, name))
        except (OSError, NotASubmission) as error:
            tell(problem=str(error) if isinstance(error, NotASubmission) else f"{name}: {in_words(error)}")
    refuse_harm(os.path.dirname(folder))
    for sentence in remarks(read, task["asked"]):
        tell(problem=sentence)
    fallen = {(name, file) for name, file in task["fallen"]}
    for name in task["exercises"]:
        function = get(name).function
        answers = [one for one in read if one.answers(name, function)]
        files = [one for one in answers if (name, str(one.path)) not in fallen]
        if files:
            tell(begin=name)
            os.makedirs(folder, exist_ok=True)  # the one before may have deleted it
            os.chdir(folder)

            def about(file: Submission, several: bool = len(answers) > 1) -> None:
                if several:
                    tell(answer=str(file.path))

            best, file = best_of(name, function, files, about)
            for sentence in doubted(read, name, best):
                tell(problem=sentence)
            about(file)
            verdict = asdict(best)
            tell(verdict={key: text and text[:LONGEST] for key, text in verdict.items()})
        else:
            if not answers:
                for sentence in doubted(read, name):
                    tell(problem=sentence)
            tell(absent=name)
    tell(done=True)
    channel.flush()
    os._exit(0)  # whatever a submission has left to be done at the end


def best_of(
    name: str, function: str, files: Sequence[Submission], begin: Callable[[Submission], None] = lambda file: None
) -> tuple[Verdict, Submission]:
    """Judge the answers to an exercise until it is solved.

    Args:
        name, function: of the exercise.
        files: with an answer; at least one.
        begin: is given each file before its answer is judged.

    Returns:
        The best of the verdicts (solved, wrong, cannot be loaded, or not written yet), and whose it is; of equal ones
        the first.
    """
    order = ("unwritten", "cannot-be-loaded", "wrong", "solved")

    def rank(verdict: Verdict) -> int:
        loaded = verdict.diagnosis != "cannot-be-loaded"
        return order.index(verdict.status if loaded else "cannot-be-loaded")

    verdicts: list[tuple[Verdict, Submission]] = []
    for file in files:
        begin(file)
        for verdict in file.verdicts(name, function):
            verdicts.append((verdict, file))
            if verdict:
                return verdicts[-1]
    return max(verdicts, key=lambda one: rank(one[0]))


if __name__ == "__main__":
    main()
