"""Every right answer is accepted, every wrong one rejected with its own diagnosis and something to hold on to."""

import functools
import re

import pytest
import torch
from right_answers import RIGHT
from wrong_answers import WRONG

from attnbook.exercises.bank import SHELF
from attnbook.exercises.checker import judge as judge_afresh

ALL = list(SHELF)
EXERCISES = {exercise.name: exercise for exercise in ALL}
KNOWN = [(exercise, mistake) for exercise in ALL for mistake in exercise.wrong]


@functools.cache
def judge(name, function):
    """Judge every answer once: a test more should not cost another run."""
    torch.manual_seed(0)  # some wrong answers draw random numbers
    return judge_afresh(EXERCISES[name], function)


def known_id(value):
    return value.name if hasattr(value, "name") else None


# --- what the exercises know ----------------------------------------------------------------------------------


@pytest.mark.parametrize("exercise", ALL, ids=lambda e: e.name)
def test_the_solution_is_accepted(exercise):
    verdict = judge(exercise.name, exercise.solution)
    assert verdict, verdict
    assert verdict.note == "", "the solution itself should work on any device"


@pytest.mark.parametrize(("exercise", "mistake"), KNOWN, ids=known_id)
def test_a_known_mistake_is_rejected_with_its_own_diagnosis(exercise, mistake):
    verdict = judge(exercise.name, mistake.wrong)
    if mistake.name == "wrong-device" and not exercise.device_matters:
        pytest.fail(
            "a wrong device is only a remark in this exercise; it cannot be one of its mistakes"
        )
    assert verdict.status == "wrong"
    assert verdict.diagnosis == mistake.name, verdict


@pytest.mark.parametrize("exercise", ALL, ids=lambda e: e.name)
def test_every_exercise_knows_many_mistakes(exercise):
    assert len({mistake.name for mistake in exercise.wrong}) >= 12


@pytest.mark.parametrize("exercise", ALL, ids=lambda e: e.name)
def test_no_two_mistakes_share_a_message(exercise):
    verdicts = {
        mistake.name: judge(exercise.name, mistake.wrong) for mistake in exercise.wrong
    }
    messages = [(verdict.says, verdict.asks) for verdict in verdicts.values()]
    assert len(set(messages)) == len(messages)
    written = [mistake.name for mistake in exercise.wrong if mistake.says]
    assert len(written) == len(set(written)), (
        "two mistakes of one exercise have the same name"
    )


@pytest.mark.parametrize(
    ("exercise", "mistake"), [(e, m) for e, m in KNOWN if m.says], ids=known_id
)
def test_a_mistake_shows_on_its_own_example(exercise, mistake):
    """Else its message would show numbers of another, less readable probe."""
    arguments = (mistake.example or exercise.example)()
    read = exercise.read or (lambda arguments, result: result)
    right = read(arguments, exercise.solution(*arguments))
    try:
        wrong = read(arguments, mistake.wrong(*(mistake.example or exercise.example)()))
    except (
        RuntimeError,
        TypeError,
        AttributeError,
        AssertionError,
        ValueError,
        ArithmeticError,
    ):
        assert "{error}" in mistake.says
        return
    assert wrong.shape != right.shape or not torch.allclose(
        wrong.double(), right.double(), atol=1e-3
    )


# --- what readers write ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "function"), RIGHT, ids=lambda x: getattr(x, "__name__", None)
)
def test_a_right_answer_in_another_style_is_accepted(name, function):
    verdict = judge(name, function)
    assert verdict, verdict


@pytest.mark.parametrize(
    ("name", "diagnosis", "function"), WRONG, ids=lambda x: getattr(x, "__name__", None)
)
def test_a_readers_wrong_answer_hears_its_diagnosis(name, diagnosis, function):
    verdict = judge(name, function)
    assert verdict.status == "wrong"
    assert verdict.diagnosis == diagnosis, verdict


def test_both_banks_cover_every_exercise():
    for name in EXERCISES:
        assert len([1 for exercise, _ in RIGHT if exercise == name]) >= 6
        assert len([1 for exercise, _, _ in WRONG if exercise == name]) >= 20


# --- what a message is like -----------------------------------------------------------------------------------

EVERY_WRONG = [(e, m.wrong) for e, m in KNOWN] + [
    (EXERCISES[name], function) for name, _, function in WRONG
]


@pytest.fixture(scope="module")
def verdicts():
    return [
        (exercise, judge(exercise.name, function)) for exercise, function in EVERY_WRONG
    ]


def test_every_message_is_filled_in_and_has_something_specific(verdicts):
    for _, verdict in verdicts:
        text = repr(verdict)
        own = re.findall(r"line \d+, `[^`]*`", verdict.says)
        assert "{" not in functools.reduce(
            lambda said, line: said.replace(line, ""), own, verdict.says
        ), text
        specific = re.search(r"\d", verdict.says) or "`" in verdict.says
        assert specific, f"neither a number nor a name in: {text}"
        assert not re.search(r"0x[0-9a-f]{4,}", text)


def test_what_came_never_looks_like_what_should_have_come(verdicts):
    compared = 0
    for _, verdict in verdicts:
        pair = re.search(
            r"^ *you return  (.*)\n *right is    (.*)$", verdict.says, re.MULTILINE
        )
        pair = pair or re.search(
            r"you return (\(.*?\)); right is (\(.*?\))\. ", verdict.says
        )
        if pair:
            compared += 1
            assert pair[1] != pair[2], verdict
    assert compared > 100


def test_every_message_ends_in_a_question_that_leads_on(verdicts):
    for _, verdict in verdicts:
        assert "?" in verdict.asks, verdict
        assert not re.search(r"\b(def|lambda)\b", verdict.asks)


def test_no_message_hands_out_the_solution(verdicts):
    """No line of the solution's code stands in a message (unless it is the reader's own line)."""
    for exercise, verdict in verdicts:
        lines = [
            line.split("#")[0].strip().removeprefix("return ")
            for line in exercise.source().splitlines()[2:]
        ]
        own = re.findall(r"^ {4}.*$|line \d+, `[^`]*`", verdict.says, re.MULTILINE)
        told = verdict.asks + verdict.says
        for piece in own:
            told = told.replace(piece, "")
        for line in lines:
            code = line.partition(" = ")[2] or line
            assert len(code) < 12 or code not in told, (code, verdict)


def test_the_text_keeps_to_its_width(verdicts):
    for _, verdict in verdicts:
        prose = [
            line for line in repr(verdict).splitlines() if not line.startswith("      ")
        ]
        assert max(map(len, prose)) <= 100 or any(
            " " not in line.strip() for line in prose if len(line) > 100
        )


def test_the_same_answer_hears_the_same_words():
    steady = [
        (e, f)
        for e, f in EVERY_WRONG
        if "not_repeatable" not in getattr(f, "__name__", "")
    ]
    for exercise, function in steady[::7]:
        first, second = judge(exercise.name, function), judge_afresh(exercise, function)
        assert repr(first) == repr(second)
        assert first._repr_html_() == second._repr_html_()
