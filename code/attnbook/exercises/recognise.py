"""Recognise a mistake by its numbers: run the mistaken formula beside the reader's function and compare."""

import itertools
import re
from collections.abc import Callable

import torch

from .calls import at_line, copies, error_text, own_line
from .case import Case, fit, make_case, near, near_squeezed, smallest_wrong, telling
from .edits import named_locals
from .guard import CheckTooLong, TooLong, time_limit
from .language import later, say
from .verdict import Finding, message
from .wording import values

LOOKS = later("it looks as if {phrase}")
PAIRS = 250  # combinations of mistakes that are tried at most


def worded(exercise) -> list:
    """The mistakes that an exercise has words for."""
    return [mistake for mistake in exercise.mistakes if mistake.says]


def does_as(fn: Callable, cases: list[Case], alike: Callable = near) -> bool:
    """Ask whether a formula does the same as the reader's function on every probe."""
    told, raised, same = False, 0, 0
    for case in cases:
        try:
            with time_limit():
                result = fn(*copies(case.arguments))
        except CheckTooLong:
            raise
        except TooLong:  # the formula's own doing
            return False
        except Exception as error:
            if case.call.error is None:
                return False
            raised, same = raised + 1, same + (error_text(error) == error_text(case.call.error))
        else:
            result = case.numbers(result)
            if not alike(case.got, result) or bool(case.got.any()) != bool(result.any()):  # 0 is not 1e−17
                return False
            numbers = case.expected.numel() == 1 or bool(torch.isfinite(case.got).any())
            told = told or (numbers and not alike(case.got, case.expected))
    return told or 2 * same > raised


def known_mistake(exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Look for the reader's mistake among those that the exercise knows."""
    known = worded(exercise)
    tries = [(near, form) for mistake in known for form in mistake.variants] + [(near_squeezed, one) for one in known]
    for alike, mistake in tries:
        if does_as(exercise.mistaken(mistake), cases, alike) and _line_fits(mistake, fn, cases):
            return tell(exercise, mistake, fn, cases)
    return None


def _line_fits(mistake, fn: Callable, cases: list[Case]) -> bool:
    if not mistake.line:
        return True
    places = [own_line(case.call.error, fn) for case in cases if case.call.error is not None]
    return all(place is not None and re.search(mistake.line, place[2]) for place in places)


def several_mistakes(exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Look for two or three of the exercise's mistakes, edits of different places, that meet in one answer."""
    if smallest_wrong(cases).got is None or not telling(cases):  # there are no numbers to tell of
        return None
    counts = (2, 3) if fit(cases) else (2,)
    tried = (itertools.combinations(worded(exercise), count) for count in counts)
    for some in itertools.islice(itertools.chain.from_iterable(tried), PAIRS):
        together = exercise.mistaken(*some)
        if together is not None and does_as(together, cases):
            return tell_several([m.phrase for m in some], " + ".join(m.name for m in some), cases)
    return None


def tell(exercise, mistake, fn: Callable, cases: list[Case]) -> Finding:
    """Put a recognised mistake into words, with the numbers of the reader's own function."""
    case = make_case(exercise, fn, (mistake.example or exercise.example)())
    if case.right():  # the mistake does not show on its example: take a probe on which it does
        case = next(other for other in cases if not other.right())
    told = facts(case)
    phrase, more = mistake.parts
    numbers = "" if re.search(r"\{(seen|got|error)\}", more) else told["seen"]
    about = say(LOOKS, phrase=phrase.format_map(told).rstrip(".。"))
    return Finding(mistake.name, about, (numbers + more.format_map(told)).strip(), say(mistake.ask))


def facts(case: Case) -> dict[str, str]:
    """What a mistake's words may mention: the call, the results, the solution's own locals."""
    own = named_locals(case.exercise.solution, copies(case.arguments))
    told = {name: values(value) for name, value in own.items()}
    told |= {"given": case.given, "expected": values(case.expected), "seen": ""}
    if case.got is not None:
        told |= {"got": values(case.got), "seen": case.seen}
        told["seen"] = say(case.exercise.seen, **told)
    if case.call.error is not None:
        told |= {"error": error_text(case.call.error), "line": at_line(case.call.error, case.fn)}
        told["seen"] = say("With {given} {line} raises {error}.", **told) + " "
    return told


def tell_several(looks: list[str], name: str, cases: list[Case]) -> Finding:
    """Put mistakes that meet in one answer into words."""
    count, some = (say("two"), say("either")) if len(looks) == 2 else (say("three"), say("any of them"))
    listed = say("; ").join(f"({i}) {text}" for i, text in enumerate(looks, 1))
    return message("several-slips", name, count=count, seen=smallest_wrong(cases).seen, listed=listed, some=some)
