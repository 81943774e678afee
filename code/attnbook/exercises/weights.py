"""Read a function's inner workings off its weights: their sum, and the scores behind them."""

import torch

from .case import near
from .language import say
from .verdict import Finding, message
from .wording import number, told_apart, values


def odd_weights(got: torch.Tensor, expected: torch.Tensor, where: str) -> Finding | None:
    """Describe wrong weights by their sum or by the scores behind them."""
    got = got.detach().to(torch.float64)
    if torch.allclose(got, expected, rtol=3e-3, atol=3e-3) or not torch.isfinite(got).all():
        return None  # right, or right to a few digits
    facts = {"where": where, "got": values(got), "right": values(expected)}
    seen, total = say("{where} your weights are {got}; right is {right}.", **facts), float(got.sum())
    if (got < 0).any():
        return message("negative-weights", seen=seen, lowest=number(float(got.min())))
    if abs(total - 1) > 1e-5:
        total, _ = told_apart(got.sum(), torch.ones((), dtype=torch.float64))
        return message("weights-do-not-sum-to-one", seen=seen, total=total)
    if (got == 0).any():
        return message("other-weights", seen=seen)
    mine, right = (got / got[0]).log(), (expected / expected[0]).log()
    seen += "\n" + say(
        "A softmax keeps the differences between scores: yours are {mine} above the first, and should be "
        "{right} above it.",
        mine=values(mine),
        right=values(right),
    )
    ratio = float(mine[-1] / right[-1]) if abs(float(right[-1])) > 1e-6 else 0.0
    if ratio and len(right) > 2 and near(mine, ratio * right):  # of two scores any two have a ratio
        return message("scores-rescaled", seen=seen, ratio=number(ratio), inverse=number(1 / ratio))
    return message("other-scores", seen=seen)
