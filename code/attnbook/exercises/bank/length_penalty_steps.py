"""Exercise length-penalty, computed: the solution, the same in named steps, and arguments to try them on."""

from __future__ import annotations

import random

import torch

from .plain_lists import Listed


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


def others(candidates: list) -> list:
    return [
        (2 * log_prob if length % 2 else log_prob / 2, length)
        for log_prob, length in candidates
    ]


def example() -> tuple:
    """Lengths for which (5 + length)/6 is 1, 3/2, 2 and 3."""
    return Listed([(-1.8, 1), (-2.4, 4), (-3.4, 7), (-5.7, 13)], others), 1.0


def gentle() -> tuple:
    """The same sentences with a smaller α, where the divisor's root is taken."""
    return Listed([(-1.8, 1), (-2.4, 4), (-3.4, 7), (-5.7, 13)], others), 0.5


def _beam(count: int, alpha: float, seed: int) -> tuple:
    """Candidates whose scores lie close together by this rule or another, so that rules can be told apart."""
    draw = random.Random(seed)
    bend = draw.uniform(-1.5, 2.2)
    found = []
    for length in draw.sample(range(1, 26), count):
        found.append(
            (round(-1.5 * factor(length, bend) * draw.uniform(0.97, 1.03), 3), length)
        )
    return Listed(found, others), alpha


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
        (Listed([(-2.5, 3)], others), 0.6),
        (Listed([(0.0, 4), (-1.0, 9)], others), 0.6),
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
