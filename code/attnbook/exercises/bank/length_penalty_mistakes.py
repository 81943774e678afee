"""Exercise length-penalty: the mistakes that the checker knows by name."""

from __future__ import annotations

import math

import torch

from ..legacy import Mistake, slip
from .length_penalty_steps import factor, gentle, others, pipeline, solution
from .plain_lists import Listed


def _place_in_the_ranking(place, scores, candidates):
    return 0


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
        example=lambda: (Listed([(-2.4, 4), (-3.5, 16)], others), 0.5),
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
        example=lambda: (Listed([(-1.0, 1), (-1.19, 2)], others), 1.0),
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
