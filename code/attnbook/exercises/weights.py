"""Read a function's inner workings off its weights: their sum, and the scores behind them."""

from __future__ import annotations

import torch

from .recognise import near
from .verdict import Finding
from .wording import number, values


def odd_weights(got: torch.Tensor, expected: torch.Tensor, where: str) -> Finding | None:
    """Describe wrong weights by their sum or by the scores behind them."""
    got = got.detach().to(torch.float64)
    if near(got, expected) or not torch.isfinite(got).all():
        return None
    shown = f"{where} your weights are {values(got)}; right is {values(expected)}."
    if (got < 0).any():
        return Finding(
            "negative-weights",
            "a negative weight",
            f"{shown} A share of {number(float(got.min()))} has no meaning: the result would no longer lie "
            f"between the values.",
            "Which step should make every weight positive?",
        )
    if abs(float(got.sum()) - 1) > 1e-5:
        return Finding(
            "weights-do-not-sum-to-one",
            "the sum of the weights",
            f"{shown} Yours sum to {number(float(got.sum()))}, not to 1.",
            "Which step should see to it that the weights sum to 1, and over which axis?",
        )
    if (got == 0).any():
        return Finding(
            "other-weights",
            "the weights",
            f"{shown} Some key of yours gets nothing at all.",
            "Can exp(score) be zero for a finite score?",
        )
    mine, right = (got / got[0]).log(), (expected / expected[0]).log()
    ratio = float(mine[-1] / right[-1]) if abs(float(right[-1])) > 1e-6 else 0.0
    text = (
        f"{shown}\nA softmax keeps the differences between scores: yours lie {values(mine)} above the "
        f"first, and should lie {values(right)} above it."
    )
    if near(mine, ratio * right):
        return Finding(
            "scores-rescaled",
            "the size of the scores",
            f"{text} Yours are {number(ratio)} times as far apart.",
            f"Where is a score multiplied by {number(ratio)} (or divided by {number(1 / ratio)}) in your code?",
        )
    return Finding(
        "other-scores",
        "the scores",
        text,
        "Which of the scores is the first that you did not expect?",
    )
