"""Exercise length-penalty: which of the finished sentences wins?"""

from __future__ import annotations

import math
import random

import torch

from ..exercise import Exercise, Mistake, slip
from ..recognise import make_case
from ..verdict import Finding
from .one_number import as_number, number_kind
from .plain_lists import Listed, leaves_lists_alone


def solution(candidates, alpha):
    """The index of the candidate with the greatest length-penalised log-probability."""
    scores = [log_prob / ((5 + length) / 6) ** alpha for log_prob, length in candidates]
    return scores.index(max(scores))


def factor(length, alpha):
    return ((5 + length) / 6) ** alpha


def divided(log_prob, length, alpha):
    return log_prob / factor(length, alpha)


def pipeline(
    candidates,
    alpha,
    score=divided,
    best=max,
    finish=lambda place, scores, candidates: place,
):
    """The same in named steps, so that a mistake is one step done wrongly."""
    scores = [score(log_prob, length, alpha) for log_prob, length in candidates]
    return finish(scores.index(best(scores)), scores, candidates)


def _place_in_the_ranking(place, scores, candidates):
    return 0


# --- what it is tried on ------------------------------------------------------------------------------------------


def _others(candidates: list) -> list:
    return [
        (2 * log_prob if length % 2 else log_prob / 2, length)
        for log_prob, length in candidates
    ]


def example() -> tuple:
    """Lengths for which (5 + length)/6 is 1, 3/2, 2 and 3."""
    return Listed([(-1.8, 1), (-2.4, 4), (-3.4, 7), (-5.7, 13)], _others), 1.0


def gentle() -> tuple:
    """The same sentences with a smaller α, where the divisor's root is taken."""
    return Listed([(-1.8, 1), (-2.4, 4), (-3.4, 7), (-5.7, 13)], _others), 0.5


def _beam(count: int, alpha: float, seed: int) -> tuple:
    """Candidates whose scores lie close together by this rule or another, so that rules can be told apart."""
    draw = random.Random(seed)
    bend = draw.uniform(-1.5, 2.2)
    found = []
    for length in draw.sample(range(1, 26), count):
        found.append(
            (round(-1.5 * factor(length, bend) * draw.uniform(0.97, 1.03), 3), length)
        )
    return Listed(found, _others), alpha


def probes() -> list[tuple]:
    settings = [
        (7, 0.6, 1949), (11, 1.0, 3013), (5, 0.3, 3770), (13, 1.4, 4826),
        (11, 0.8, 5609), (7, 0.45, 6549), (9, 2.0, 7968), (11, 0.7, 8812),
        (13, 0.9, 9971), (7, 1.2, 10694), (11, 0.55, 11507), (13, 0.65, 13091),
        (9, 1.1, 13680), (11, 0.35, 14834),
    ]  # fmt: skip
    return [_beam(*one) for one in settings]


def edges() -> list[tuple]:
    return [
        _beam(7, 0.0, 1431),
        (Listed([(-2.5, 3)], _others), 0.6),
        (Listed([(0.0, 4), (-1.0, 9)], _others), 0.6),
    ]


def steps(candidates, alpha) -> list[tuple[str, object]]:
    return [
        (
            "the divisors",
            torch.tensor([factor(length, alpha) for _, length in candidates]),
        ),
        (
            "the penalised scores",
            torch.tensor([divided(*pair, alpha) for pair in candidates]),
        ),
    ]


GIVEN = (
    "With the candidates (−1.8, 1), (−2.4, 4), (−3.4, 7), (−5.7, 13) and alpha 1 the divisors are 1, 1.5, 2 and 3, and "
    "the scores −1.8, −1.6, −1.7 and −1.9: number 1 wins. "
)
GENTLE = (
    "With the candidates (−1.8, 1), (−2.4, 4), (−3.4, 7), (−5.7, 13) and alpha 0.5 the divisors are 1, "
    "1.225, 1.414 and "
    "1.732, and the scores −1.8, −1.96, −2.404 and −3.291: number 0 wins. "
)

WRONG = (
    Mistake(
        "no-penalty",
        slip(pipeline, score=lambda lp, n, a: lp),
        "the shortest wins",
        GIVEN
        + "Yours is number {got}, that with the greatest log-probability. Every further word makes it smaller, so "
        "that without a penalty short sentences win.",
        "the length does not enter",
        "Where does the second entry of each pair enter your code?",
    ),
    Mistake(
        "divided-by-the-length",
        slip(pipeline, score=lambda lp, n, a: lp / n),
        "another penalty",
        GIVEN
        + "Yours is number {got}: you divide by the length itself, 1, 4, 7 and 13, and get the mean "
        "log-probability of a word. That favours long sentences more, and α makes no difference.",
        "the log-probability is divided by the length",
        "In the formula, what is added to the length, and what is done with α?",
    ),
    Mistake(
        "power-of-the-length",
        slip(pipeline, score=lambda lp, n, a: lp / n**a),
        "another base",
        GIVEN
        + "Yours is number {got}: you divide by the length to the power of α, where the task has (5 + length)/6. "
        "The 5 makes the penalty gentle for short sentences.",
        "the power is taken of the length itself",
        "What stands inside the bracket to which α belongs?",
    ),
    Mistake(
        "multiplied",
        slip(pipeline, score=lambda lp, n, a: lp * factor(n, a)),
        "times or divided by?",
        GIVEN
        + "Yours is number {got}: you multiply. Log-probabilities are negative, and multiplied by something "
        "larger than 1 they become worse: long sentences are punished twice.",
        "the log-probability is multiplied by the penalty (or α has the wrong sign)",
        "Should a long sentence's score come out larger or smaller than its log-probability?",
    ),
    Mistake(
        "the-worst",
        slip(pipeline, best=min),
        "the wrong end",
        GIVEN
        + "Yours is number {got}, the worst. The scores are negative, and the best is the *greatest*, the one "
        "nearest to 0.",
        "the smallest score is taken",
        "Which of −1.6 and −1.9 belongs to the better sentence?",
    ),
    Mistake(
        "added",
        slip(pipeline, score=lambda lp, n, a: lp + a * n),
        "a reward for every word",
        GIVEN
        + "Yours is number {got}: you add α for every word. That is used, too, as a word reward; but α would have "
        "to be of the size of a word's log-probability, and the longest sentence wins as soon as it is larger.",
        "α times the length is added",
        "Is the penalty of the formula a sum or a quotient?",
    ),
    Mistake(
        "subtracted",
        slip(pipeline, score=lambda lp, n, a: lp - factor(n, a)),
        "minus or divided by?",
        GIVEN
        + "Yours is number {got}: you subtract the penalty, which makes long sentences worse still.",
        "the penalty is subtracted from the log-probability",
        "Is the penalty of the formula a difference or a quotient?",
    ),
    Mistake(
        "alpha-ignored",
        slip(pipeline, score=lambda lp, n, a: lp / factor(n, 1)),
        "α has no say",
        GENTLE
        + "Yours is number {got}: you divide by 1, 1.5, 2 and 3, as if alpha were 1. (To multiply them by α would "
        "change "
        "nothing: a common factor never changes the winner.)",
        "the divisor is (5 + length)/6 itself, not raised to the power of α",
        "Where does α enter your code?",
        example=gentle,
    ),
    Mistake(
        "power-inside",
        slip(pipeline, score=lambda lp, n, a: lp / ((5 + n**a) / 6)),
        "to which α belongs",
        "With the candidates (−2.4, 4) and (−3.5, 16) and alpha 0.5 the divisors are 1.225 and 1.871, "
        "and the scores −1.96 "
        "and −1.871: number 1 wins. Yours is number {got}: you raise the length alone to the power of α, inside the "
        "bracket.",
        "the power is taken of the length before the 5 is added",
        "Does the bracket close before or after the power?",
        example=lambda: (Listed([(-2.4, 4), (-3.5, 16)], _others), 0.5),
    ),
    Mistake(
        "five-outside-the-fraction",
        slip(pipeline, score=lambda lp, n, a: lp / (5 + n / 6) ** a),
        "a bracket",
        GIVEN
        + "Yours is number {got}: you divide the length alone by 6 and then add 5, so that the divisors hardly "
        "differ: 5.167 for one word, 7.167 for thirteen.",
        "5 + length / 6 is computed, without a bracket around the sum",
        "Which is done first in `5 + length / 6`?",
    ),
    Mistake(
        "end-not-counted",
        slip(pipeline, score=lambda lp, n, a: lp / ((4 + n) / 6) ** a),
        "off by one",
        "Of the two candidates (−1, 1) and (−1.19, 2) with alpha 1, the scores are −1 and −1.02: number 0 wins. "
        "Yours is number {got}: you take 1 off each length. The `length` that you are given counts all that belongs "
        "to the sentence.",
        "each length is counted one too small",
        "What is (5 + 1)/6?",
        example=lambda: (Listed([(-1.0, 1), (-1.19, 2)], _others), 1.0),
    ),
    Mistake(
        "probabilities-divided",
        slip(pipeline, score=lambda lp, n, a: math.exp(lp) / factor(n, a)),
        "before or after the logarithm?",
        GIVEN
        + "Yours is number {got}: you divide the *probability*, a positive number, by the penalty, which makes "
        "long sentences worse instead of better.",
        "the exponential is taken before dividing",
        "Is it log p or p that stands in the numerator?",
    ),
    Mistake(
        "the-longest",
        slip(pipeline, score=lambda lp, n, a: n),
        "the length alone",
        GIVEN + "Yours is number {got}, the longest.",
        "the longest candidate is taken",
        "Where do the log-probabilities enter your code?",
    ),
    Mistake(
        "counted-from-one",
        slip(pipeline, finish=lambda place, scores, candidates: place + 1),
        "off by one",
        GIVEN + "Yours is {got}: the first candidate has the index 0.",
        "candidates are counted from 1",
        "What is `candidates[i]` for the number that you return?",
    ),
    Mistake(
        "place-in-the-ranking",
        slip(pipeline, finish=_place_in_the_ranking),
        "an index into which list?",
        GIVEN
        + "Yours is {got} whatever comes: in a *sorted* list the best has the index 0. Asked for is its place in "
        "`candidates`, as they were given.",
        "the index is that in a sorted list",
        "What would you have to sort, so that the place in `candidates` comes along?",
    ),
    Mistake(
        "the-score",
        slip(pipeline, finish=lambda place, scores, candidates: scores[place]),
        "the score, not the place",
        GIVEN + "You return {got}, its score. Asked for is where it stands.",
        "the greatest score is returned",
        "How does one find the place of the greatest number in a list?",
    ),
    Mistake(
        "the-log-probability",
        slip(pipeline, finish=lambda place, scores, candidates: candidates[place][0]),
        "a log-probability, not a place",
        GIVEN
        + "You return {got}, its log-probability. Asked for is where it stands in the list.",
        "the winner's log-probability is returned",
        "How does one find the place of an entry in a list?",
    ),
    Mistake(
        "the-length",
        slip(pipeline, finish=lambda place, scores, candidates: candidates[place][1]),
        "a length, not a place",
        GIVEN
        + "You return {got}, its length. Asked for is where it stands in the list.",
        "the winner's length is returned",
        "How does one find the place of an entry in a list?",
    ),
    Mistake(
        "returns-a-tuple",
        lambda candidates, alpha: candidates[solution(candidates, alpha)],
    ),
    Mistake(
        "a-tensor", lambda candidates, alpha: torch.tensor(solution(candidates, alpha))
    ),
    Mistake("a-float", lambda candidates, alpha: float(solution(candidates, alpha))),
    Mistake(
        "writes-into-argument",
        lambda candidates, alpha: (solution(candidates, alpha), candidates.sort())[0],
    ),
)


def must_be_an_index(exercise: Exercise, fn) -> Finding | None:
    """Demand an ordinary integer.

    Args:
        exercise: the exercise.
        fn: the reader's function, right in its value.

    Returns:
        The finding, or None.
    """
    result = make_case(exercise, fn, exercise.example()).call.result
    if isinstance(result, torch.Tensor):
        return Finding(
            "a-tensor",
            "a tensor with one number in it",
            "The number is right, 1, but it comes in a tensor.",
            "Which method takes the number out?",
        )
    if isinstance(result, float):
        return Finding(
            "a-float",
            "1.0 is no index",
            f"The number is right, but you return {result!r}, and `candidates[1.0]` raises a TypeError.",
            "Which line of yours makes a floating-point number of a place?",
        )
    return None


def another_winner(exercise: Exercise, fn, cases: list) -> Finding | None:
    """Show the scores of the candidate that was chosen and of the one that wins.

    Args:
        exercise: the exercise.
        fn: the reader's function.
        cases: the probes, all answered by numbers.

    Returns:
        The finding, or None if some answer is no index.
    """
    for case in cases:
        place, right = float(case.got), int(case.expected)
        candidates, alpha = case.arguments
        if not (place.is_integer() and 0 <= place < len(candidates)):
            return None
    case = next(case for case in cases if not case.right())
    candidates, alpha = case.arguments
    place, right = int(case.got), int(case.expected)
    told = [
        f"number {i}, {candidates[i]}, has the score {divided(*candidates[i], alpha):.3f}"
        for i in (place, right)
    ]
    text = "; ".join(told).replace("-", "−")
    return Finding(
        "another-winner",
        "another winner",
        f"With alpha {alpha} and {len(candidates)} candidates you choose number {place}; right is {right}.\nIn the "
        f"formula {text}.",
        "Which scores does your own code compute for these two?",
    )


LENGTH_PENALTY = Exercise(
    name="length-penalty",
    title="Long or short?",
    chapter=14,
    function="my_length_penalty_best",
    statement="""\
A beam search has finished. Each candidate is a pair `(log_prob, length)`: the sum of its words'
log-probabilities, and how many words it has. Pick the winner by

$$\\frac{\\log p}{\\bigl((5 + \\text{length}) / 6\\bigr)^{\\alpha}}$$

and return its index in the list, an integer. With $\\alpha = 0$ the likeliest wins, whatever its length.""",
    stub='''\
def my_length_penalty_best(candidates, alpha):
    """The index of the candidate with the greatest length-penalised log-probability.

    candidates: list of pairs (log_prob, length), alpha: at least 0 → an integer
    """
    ...
''',
    hints=(
        "Compute a score for every candidate first, a list of numbers as long as `candidates`. What is the score of "
        "(−2.4, 4) with α = 1?",
        "The divisor is 1 for a sentence of one word and grows with the length. The scores stay negative; the best is "
        "the greatest, the one nearest to 0.",
        "`((5 + length) / 6) ** alpha`, with the brackets just so. The place of the greatest number in a list `scores` "
        "is `scores.index(max(scores))`, or `max(range(len(scores)), key=…)`.",
    ),
    solution=solution,
    why="Dividing by something larger than 1 usually makes a number smaller, and so one is tempted to multiply when "
    "long sentences should win. But log-probabilities are negative: divided they come nearer to 0, which "
    "is better. And "
    "the exponent in the wrong place is hard to see, since every variant is the same for α = 1, and none changes "
    "anything when all candidates are equally long.",
    shapes={"candidates": "a list", "alpha": "a number"},
    returns="",
    example=example,
    probes=probes,
    edges=edges,
    steps=steps,
    wrong=WRONG,
    detectors=(another_winner,),
    demands=(must_be_an_index, leaves_lists_alone),
    read=as_number,
    kind=number_kind("the index of one candidate, a whole number"),
)
