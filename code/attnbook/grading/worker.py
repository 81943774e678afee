"""The process in which a submission runs: it judges one exercise after another and tells the grader, line by line.

Started by `running.py`, confined by `attnbook.confined`; reads one line of JSON, writes one for each event.
"""

import json
import os
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from attnbook.exercises import Verdict, check, get
from attnbook.grading.events import LONGEST
from attnbook.grading.limits import (
    end_with_the_grader,
    limit_resources,
    open_channel,
    refuse_harm,
)
from attnbook.grading.reading import NotASubmission, Submission, in_words


def main() -> None:
    """Judge the exercises that are asked for."""
    asked, told = open_channel()
    task = json.loads(asked.readline())
    folder = os.getcwd()

    def tell(**event) -> None:
        told.write(json.dumps(event) + "\n")

    end_with_the_grader(asked, task["longest"])
    limit_resources(task["longest"], task["memory"])
    tell(ready=True)
    read = []
    for name in task["files"]:
        path = Path(name)
        skipped = {line: why for file, line, why in task["skipped"] if file == name}

        def enter(line: int, where: str, name: str = name) -> None:
            tell(runs=(name, line, where) if line else None)

        try:
            read.append(Submission(path, skipped, enter))
        except (OSError, NotASubmission) as error:
            tell(
                problem=str(error)
                if isinstance(error, NotASubmission)
                else f"{path.name}: {in_words(error)}"
            )
    refuse_harm(os.path.dirname(folder))
    for name in task["exercises"]:
        exercise = get(name)
        files = [one for one in read if one.mentions(exercise.function)]
        if files:
            tell(begin=name)
            os.makedirs(folder, exist_ok=True)  # the one before may have deleted it
            os.chdir(folder)
            verdict = asdict(best_of(name, exercise.function, files))
            tell(
                verdict={key: said and said[:LONGEST] for key, said in verdict.items()}
            )
        else:
            tell(absent=name)
    tell(done=True)
    told.flush()
    os._exit(0)  # whatever a submission has left to be done at the end


def best_of(name: str, function: str, files: list[Submission]) -> Verdict:
    """Judge an exercise in each file that has it, until it is solved.

    Args:
        name, function: of the exercise.
        files: with such a function.

    Returns:
        The best of the verdicts: solved, wrong, or not written yet.
    """
    order = ("unwritten", "wrong", "solved")
    found = None
    for file in files:
        verdict = judged(name, *file.function(function))
        if found is None or order.index(verdict.status) > order.index(found.status):
            found = verdict
        if verdict:
            break
    return found


def judged(name: str, function: Callable | None, error: str) -> Verdict:
    """The checker's verdict; or one that says why there is no function to check.

    Args:
        name: of the exercise.
        function: of the submission, or None.
        error: what went wrong when the submission was loaded.

    Returns:
        The verdict.
    """
    if function is None:
        says = (
            error[:1].upper() + error[1:]
            if error
            else "Nothing at the top level of the file defines it."
        )
        asks = "Does the file run from top to bottom in a fresh kernel?"
        return Verdict(
            name,
            "wrong",
            "cannot-be-loaded",
            "the function cannot be loaded",
            says,
            asks,
        )
    verdict = check(name, function)
    if error and not verdict:
        verdict = Verdict(
            **asdict(verdict) | {"note": f"When the submission was loaded, {error}."}
        )
    return verdict


if __name__ == "__main__":
    sys.exit(main())
