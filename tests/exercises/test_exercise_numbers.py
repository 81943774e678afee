"""The numbers in the texts of the exercises stand in the statement or in the message, where the reader sees them."""

import re
from pathlib import Path

import pytest

from attnbook.exercises.bank import SHELF
from attnbook.exercises.calls import copies
from attnbook.exercises.case import make_case
from attnbook.exercises.recognise import facts

ALL = list(SHELF)
CHAPTERS = Path(__file__).parents[2] / "chapters/text"
BOOK = "\n".join(path.read_text("utf-8") for path in sorted(CHAPTERS.glob("*.md")))
SUM = re.compile(r"(?<![\w√/^²)(−])((?:\(?[−\d.]+\)?(?:\s?[·+−/]\s?)?){2,}) = (−?[\d.]*\d)")


def numbers(text):
    """Numbers with a decimal point, those in code excepted."""
    plain = re.sub(r"`[^`]*`|\{\w+\}", "", text).replace("$", " ").replace("−", "-")
    return {x.lstrip("-") for x in re.findall(r"(?<![\w.])-?\d+\.\d+", plain)}


def statement(exercise):
    """The block of the chapter that states the task."""
    return re.search(
        rf"^```+\{{exercise\}}[^\n]*\n:label: ex-{exercise.name}\n.*?^```+$", BOOK, re.MULTILINE | re.DOTALL
    )[0]


def texts(exercise):
    yield from (*exercise.hints, exercise.why)
    for mistake in exercise.mistakes:
        yield from (mistake.says, mistake.ask)


@pytest.mark.parametrize("exercise", ALL, ids=lambda e: e.name)
def test_the_numbers_of_the_hints_stand_in_the_statement(exercise):
    shown = numbers(statement(exercise).replace("`", " "))
    for text in exercise.hints:
        assert numbers(text) <= shown, text


@pytest.mark.parametrize("exercise", ALL, ids=lambda e: e.name)
def test_the_numbers_of_a_message_stand_in_the_statement_or_in_the_message(exercise):
    shown = numbers(statement(exercise).replace("`", " "))
    for mistake in (m for m in exercise.mistakes if m.says):
        fn = exercise.mistaken(mistake)
        case = make_case(exercise, fn, copies((mistake.example or exercise.example)()))
        printed = numbers(" ".join(facts(case).values()))
        found = numbers(f"{mistake.says} {mistake.ask}")
        assert found <= shown | printed, mistake.name


@pytest.mark.parametrize("exercise", ALL, ids=lambda e: e.name)
def test_every_sum_in_a_text_is_right(exercise):
    for text in texts(exercise):
        for left, right in SUM.findall(text):
            plain = left.replace("·", "*").replace("−", "-").strip()
            if not re.search(r"\d\s?[*+/-]\s?\(?-?[\d(]", plain):
                continue
            assert re.fullmatch(r"[\d.()+*/ -]+", plain), text
            decimals = len(right.partition(".")[2])
            value = round(eval(plain, {"__builtins__": {}}), decimals)
            assert value == pytest.approx(float(right.replace("−", "-"))), text


def test_the_sums_are_found():
    assert SUM.findall("1·10 + 2·20 + 3·30 = 140.") == [("1·10 + 2·20 + 3·30", "140")]
    assert SUM.findall("the average: (10 + 20 + 30)/3 = 20.") == [("(10 + 20 + 30)/3", "20")]
