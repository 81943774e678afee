"""What an output betrays about the weights behind it: a memory whose values are the axes lays them open."""

from __future__ import annotations

from collections.abc import Callable

import torch

from ..legacy import Exercise, exact
from ..observe import copies
from ..recognise import Case, make_case, near, tell
from ..verdict import Finding
from ..weights import odd_weights
from ..wording import number, values


def _open(length: int) -> tuple:
    """Arguments for which the output *is* the weights: the values are the rows of the identity."""
    identity = torch.eye(3, dtype=torch.float64)
    W_q, W_k = (
        exact([1, 0, 0], [0, 1, 0], [0, 0, 2]),
        exact([1, 2, 0], [0, 1, 1], [0, 0, -1]),
    )
    return (
        exact([[1, 0, 1]]),
        identity[None],
        W_q,
        W_k,
        identity,
        torch.tensor([length]),
    )


def over_queries(exercise: Exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Recognise a softmax over the queries, which with padding gives NaN or not, depending on the fill.

    Args:
        exercise: the exercise.
        fn: the reader's function.
        cases: the probes, all answered by tensors of the right shape.

    Returns:
        The finding, or None.
    """
    mistake = next(
        mistake
        for mistake in exercise.mistakes
        if mistake.name == "softmax-over-queries"
    )
    x, memory, *matrices, lengths = cases[1].arguments
    whole = (x, memory, *matrices, torch.full_like(lengths, memory.shape[1]))
    case = make_case(exercise, fn, whole)
    if case.got is None or not near(case.got, mistake.wrong(*copies(whole))):
        return None
    return tell(exercise, mistake, fn, cases)


def own_weights(exercise: Exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Describe the weights that a query's answer is made with.

    Args:
        exercise: the exercise.
        fn: the reader's function.
        cases: the probes, all answered by tensors of the right shape.

    Returns:
        The finding, or None if they are right (or cannot be seen).
    """
    whole, padded = make_case(exercise, fn, _open(3)), make_case(exercise, fn, _open(2))
    if any(
        case.got is None or case.got.shape != case.expected.shape
        for case in (whole, padded)
    ):
        return None
    setting = "With an identity for the memory and for W_v the output is the weights themselves."
    got = padded.got[0, 0].detach()
    if (
        whole.right()
        and not padded.right()
        and float(got[2]) != 0
        and torch.isfinite(got).all()
    ):
        return Finding(
            "padding-answers",
            "the padding keeps a share",
            f"{setting} For 2 real positions of 3 yours are {values(got, 5)}; right is "
            f"{values(padded.expected[0, 0])}. The padding gets {number(float(got[2]), 5)}.",
            "For which score is exp(score) exactly zero, however small the others are?",
        )
    return odd_weights(
        whole.got[0, 0], whole.expected[0, 0], f"{setting} For 3 real positions of 3"
    )
