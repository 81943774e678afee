"""What a submission holds besides answers, or instead of them, in sentences for whoever grades."""

import ast
import difflib
import re
import unicodedata
from collections.abc import Iterator, Sequence

from attnbook.classroom import facts, inside
from attnbook.exercises import Verdict, get, names
from attnbook.grading.judging import Submission

WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
# letters of other alphabets that look like Latin ones, and these
LOOKS_LIKE = str.maketrans(
    "аеорсухіјѕһкмтвнαορνυκιгАВЕКМНОРСТХУΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aeopcyxijshkmtbhaopvukirABEKMHOPCTXYABEZHIKMNOPTYX"
)


def remarks(read: Sequence[Submission], asked: Sequence[str]) -> Iterator[str]:
    """What is odd about the files of one student.

    Args:
        read: those that could be read.
        asked: names of the exercises that are asked for.

    Yields:
        Sentences, each with the name of a file.
    """
    functions = {name: get(name).function for name in asked}
    answered = {name for name, function in functions.items() if any(one.answers(name, function) for one in read)}
    left = [function for name, function in functions.items() if _lacking(read, name, function)]
    said = [one.problem for one in read if one.problem]
    said += [line for one in read for line in _unknown(one)]
    said += [line for one in read for line in _misspelt(one, left, one.made)]
    if len(answered) < len(asked):
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


def _lacking(read: Sequence[Submission], name: str, function: str) -> bool:
    """Whether nothing has the name that the answer to an exercise should have, and no check names another."""
    others = any(one.function != function for each in read for one in each.asked if one.name == name)
    return not others and not any(function in one.given for one in read)


def _misspelt(one: Submission, left: list[str], among: set[str]) -> Iterator[str]:
    expected = {get(name).function for name in names()}
    for given in sorted(one.made & among - expected):
        near = [function for function in left if _alike(given, function)]
        if near and given not in {check.function for check in one.asked}:
            foreign = "".join(
                f" ({sign} is {unicodedata.name(sign, 'no letter')})" for sign in given if ord(sign) > 127
            )
            yield f"{one.name} defines {given}{foreign}, which no exercise asks for; did you mean {near[0]}?"


def _besides(read: Sequence[Submission], function: str) -> Iterator[str]:
    """Functions that may be meant for one that is there too, as the book's stub or wrong: neither calls the other."""
    if not any(function in one.given for one in read):
        return
    calls: dict[str, set[str]] = {function: set()}
    for node in (node for one in read for statement in one.statements for node in inside(statement)):
        if isinstance(node, ast.FunctionDef):
            calls.setdefault(node.name, set()).update(facts(node).late)
    own = {name for name in calls if _plain(name).startswith("my_") and function not in calls[name]}
    for one in read:
        yield from _misspelt(one, [function], own - calls[function])


def _plain(name: str) -> str:
    """A name in Latin letters, as Python's style has it: my_name."""
    return "_".join(WORD.findall(name.translate(LOOKS_LIKE))).lower()


def _alike(given: str, function: str) -> bool:
    """Whether one name may be meant by another: in another style, with a part more, in another order, misspelt."""
    given, function = _plain(given), _plain(function)
    core = function.removeprefix("my_")
    pairs = [(given, function)]
    if "_" in core:  # `mask` alone is a name that anyone may give
        pairs.append((given, core))
    pairs += [(_sorted(one), _sorted(other)) for one, other in pairs]
    near = any(difflib.SequenceMatcher(None, *pair).ratio() >= 0.85 for pair in pairs)
    return near or (len(core) >= 8 and core.replace("_", "") in given.replace("_", ""))


def _sorted(name: str) -> str:
    return "_".join(sorted(name.split("_")))


def _others(one: Submission, asked: Sequence[str], silent: bool) -> Iterator[str]:
    """Answers to other exercises, or that there is none at all."""
    found = [
        name
        for name in names()
        if name not in asked and (name in {check.name for check in one.asked} or get(name).function in one.given)
    ]
    if found:
        yield f"{one.name} answers {', '.join(found)}, for which was not asked"
    elif silent:
        yield f"{one.name} holds no answer: neither a function that an exercise asks for nor a check"


def doubted(read: Sequence[Submission], name: str, found: Verdict | None = None) -> Iterator[str]:
    """Where a notebook shows as solved what is not solved here, or something of it was not understood or is misspelt.

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
        if found.diagnosis == "cannot-be-loaded":
            yield f"{name} cannot be loaded: {found.says}"
        elif found.note:
            yield f"{name}: {found.note}"
    yield from _besides(read, get(name).function)
    for one in read:
        if name in one.shown:
            yield (
                f"{one.name} shows ✓ for {name}, and here {here}; cells were run in another order, or something was "
                "not handed in"
            )
