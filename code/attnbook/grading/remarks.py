"""What a submission holds besides answers, or instead of them, in sentences for whoever grades."""

import difflib
from collections.abc import Iterator, Sequence

from attnbook.exercises import Verdict, get, names
from attnbook.grading.judging import Submission


def remarks(read: Sequence[Submission], asked: Sequence[str]) -> Iterator[str]:
    """What is odd about the files of one student.

    Args:
        read: those that could be read.
        asked: names of the exercises that are asked for.

    Yields:
        Sentences, each with the name of a file.
    """
    functions = {name: get(name).function for name in asked}
    answered = {
        name
        for name, function in functions.items()
        if any(one.answers(name, function) for one in read)
    }
    left = [functions[name] for name in asked if name not in answered]
    said = [one.problem for one in read if one.problem]
    said += [line for one in read for line in _unknown(one)]
    said += [line for one in read for line in _misspelt(one, left)]
    if left:
        said += [line for one in read for line in one.unread]
    if not answered:
        said += [line for one in read for line in _others(one, asked, not said)]
    yield from said


def _unknown(one: Submission) -> Iterator[str]:
    for name in dict.fromkeys(check.name for check in one.asked if check.name):
        try:
            get(name)
        except ValueError as error:
            yield f"{one.name}: {error}"


def _misspelt(one: Submission, left: list[str]) -> Iterator[str]:
    for given in sorted(one.made):
        near = difflib.get_close_matches(given, left, n=1, cutoff=0.85)
        if near and not any(get(name).function == given for name in names()):
            yield f"{one.name} defines {given}, which no exercise asks for; did you mean {near[0]}?"


def _others(one: Submission, asked: Sequence[str], silent: bool) -> Iterator[str]:
    """Answers to other exercises, or that there is none at all."""
    found = [
        name
        for name in names()
        if name not in asked
        and (
            name in {check.name for check in one.asked}
            or get(name).function in one.given
        )
    ]
    if found:
        yield f"{one.name} answers {', '.join(found)}, for which was not asked"
    elif silent:
        yield f"{one.name} holds no answer: neither a function that an exercise asks for nor a check"


def doubted(
    read: Sequence[Submission], name: str, found: Verdict | None = None
) -> Iterator[str]:
    """Where a notebook shows as solved what is not solved here.

    Args:
        read: the files of one student.
        name: of an exercise.
        found: the verdict on it here; None if nothing answers it.

    Yields:
        Sentences, each with the name of a file.
    """
    if found:
        return
    here = "nothing answers it"
    if found is not None:
        wrong = f"it is judged wrong: {found.about}"
        here = "it is not written yet" if found.status == "unwritten" else wrong
    for one in read:
        if name in one.shown:
            yield (
                f"{one.name} shows ✓ for {name}, and here {here}; cells were run in another order, or something was "
                "not handed in"
            )
