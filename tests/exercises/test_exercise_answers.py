"""Every right answer is accepted, every wrong one rejected with its own diagnosis and something to hold on to."""

import functools
import re

import pytest
import torch
from verdicts import answers

from attnbook.exercises.bank import SHELF
from attnbook.exercises.checker import judge as judge_afresh

ALL = list(SHELF)
EXERCISES = {exercise.name: exercise for exercise in ALL}


@functools.cache
def known(name):
    """What an exercise recognises, as functions."""
    return [(mistake, EXERCISES[name].mistaken(mistake)) for mistake in EXERCISES[name].mistakes]


def all_answers():
    """Readers' answers to all exercises."""
    return [answer for name in EXERCISES for answer in answers(name)]


@functools.cache
def judge(name, function):
    """Judge every answer once: a test more should not cost another run."""
    torch.manual_seed(0)  # some wrong answers draw random numbers
    return judge_afresh(EXERCISES[name], function)


# --- what the exercises know ----------------------------------------------------------------------------------


@pytest.mark.parametrize("exercise", ALL, ids=lambda e: e.name)
def test_the_solution_is_accepted(exercise):
    verdict = judge(exercise.name, exercise.solution)
    assert verdict, verdict
    assert verdict.note == "", "the solution itself should work on any device"


@pytest.mark.parametrize("name", EXERCISES)
def test_a_known_mistake_is_rejected_with_its_own_diagnosis(name):
    verdicts = [(m.name, judge(name, function)) for m, function in known(name)]
    heard = [(mistake, v.status, v.diagnosis) for mistake, v in verdicts]
    assert heard == [(mistake, "wrong", mistake) for mistake, _ in verdicts]


@pytest.mark.parametrize("exercise", ALL, ids=lambda e: e.name)
def test_every_exercise_knows_many_mistakes(exercise):
    assert len({mistake.name for mistake in exercise.mistakes}) >= 12


@pytest.mark.parametrize("exercise", ALL, ids=lambda e: e.name)
def test_no_two_mistakes_share_a_message(exercise):
    verdicts = {m.name: judge(exercise.name, f) for m, f in known(exercise.name)}
    messages = [(verdict.says, verdict.asks) for verdict in verdicts.values()]
    assert len(set(messages)) == len(messages)
    written = [mistake.name for mistake in exercise.mistakes if mistake.says]
    assert len(written) == len(set(written)), "two mistakes of one exercise have the same name"


def shows(exercise, mistake, function) -> bool:
    """Whether a mistake gives other numbers than the solution on its own example, or an error."""
    example, read = mistake.example or exercise.example, exercise.answer.read
    arguments = example()
    right = read(arguments, exercise.solution(*arguments)).double()
    try:
        wrong = read(arguments, function(*example())).double()
    except (RuntimeError, TypeError, AttributeError, AssertionError, ValueError, ArithmeticError):
        return True
    return wrong.shape != right.shape or not torch.allclose(wrong, right, atol=1e-3)


@pytest.mark.parametrize("exercise", ALL, ids=lambda e: e.name)
def test_a_mistake_shows_on_its_own_example(exercise):
    """Else its message would show numbers of another, less readable probe."""
    told = [(m, function) for m, function in known(exercise.name) if m.says]
    assert not [m.name for m, function in told if not shows(exercise, m, function)]


# --- what readers write ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXERCISES)
def test_an_answer_hears_its_diagnosis_or_is_accepted(name):
    assert not [(str(a), a.verdict) for a in answers(name) if not a.as_expected]


def test_every_exercise_has_answers():
    for name in EXERCISES:
        wrong = [answer.diagnosis is not None for answer in answers(name)]
        assert sum(wrong) >= 20
        assert len(wrong) - sum(wrong) >= 6


# --- what a message is like -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def verdicts():
    recognised = [(e, judge(e.name, f)) for e in ALL for _, f in known(e.name)]
    return recognised + [(EXERCISES[a.exercise], a.verdict) for a in all_answers() if a.diagnosis]


def test_every_message_is_filled_in_and_has_something_specific(verdicts):
    for _, verdict in verdicts:
        text = repr(verdict)
        own = re.findall(r"line \d+, `[^`]*`", verdict.says)
        assert "{" not in functools.reduce(lambda said, line: said.replace(line, ""), own, verdict.says), text
        specific = re.search(r"\d", verdict.says) or "`" in verdict.says
        assert specific, f"neither a number nor a name in: {text}"
        assert not re.search(r"0x[0-9a-f]{4,}", text)


def test_what_came_never_looks_like_what_should_have_come(verdicts):
    compared = 0
    for _, verdict in verdicts:
        pair = re.search(r"^    you return\n((?:    .*\n)+?)    right is\n((?:    .*\n?)+)", verdict.says, re.MULTILINE)
        pair = pair or re.search(r"you return (\(.*?\)); right is (\(.*?\))\. ", verdict.says)
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
        lines = [line.split("#")[0].strip().removeprefix("return ") for line in exercise.source().splitlines()[2:]]
        own = re.findall(r"^ {4}.*$|line \d+, `[^`]*`", verdict.says, re.MULTILINE)
        told = verdict.asks + verdict.says
        for piece in own:
            told = told.replace(piece, "")
        for line in lines:
            code = line.partition(" = ")[2] or line
            assert len(code) < 12 or code not in told, (code, verdict)


def test_the_text_keeps_to_its_width(verdicts):
    for _, verdict in verdicts:
        prose = [line for line in repr(verdict).splitlines() if not line.startswith("      ")]
        assert max(map(len, prose)) <= 100 or any(" " not in line.strip() for line in prose if len(line) > 100)


def test_the_same_answer_hears_the_same_words():
    steady = [a for a in all_answers() if a.diagnosis not in (None, "not-repeatable")]
    for answer in steady[::7]:
        first = answer.verdict
        torch.manual_seed(0)
        second = judge_afresh(EXERCISES[answer.exercise], answer.function)
        assert repr(first) == repr(second)
        assert first._repr_html_() == second._repr_html_()


def test_what_precedes_the_question_has_at_most_sixty_words(verdicts):
    """Numbers, formulas and lines of code are not words."""
    for exercise, verdict in verdicts:
        prose = [line for line in verdict.says.splitlines() if line[:4] != " " * 4]
        words = re.findall(r"\S*[^\W\d_]{2,}\S*", "\n".join(prose))
        assert len(words) <= 60, (exercise.name, verdict)


def test_nothing_takes_many_combinations_of_mistakes():
    """What nothing explains is compared with the most; in the page each comparison takes a while."""
    hard = [a for a in all_answers() if a.diagnosis in ("unknown", "few-digits", "factor")]
    assert len(hard) > 50
    for answer in hard:
        _, tried = answer.judged
        assert 10 < tried <= 300, answer


def test_a_mistakes_words_are_short_and_can_be_combined():
    for mistake in (mistake for exercise in ALL for mistake in exercise.mistakes):
        assert len(mistake.says.split()) <= 60, mistake
        assert bool(mistake.says) == bool(mistake.ask)
        assert "{" not in mistake.phrase, "a combined message could not fill it in"
