"""What numbers betray about a mask: a fill value that leaks, an axis, whatever the masked positions hold."""

from __future__ import annotations

from collections.abc import Callable

import torch

from ..legacy import Exercise
from ..observe import observe
from ..recognise import Case, make_case, near, tell
from ..verdict import Finding
from ..weights import odd_weights
from ..wording import inputs, number, values


def _kept(arguments: tuple) -> torch.Tensor:
    scores, valid_lens = arguments
    return (torch.arange(scores.shape[-1]) < valid_lens[:, None, None]).expand_as(
        scores
    )


def right_where_kept(
    exercise: Exercise, fn: Callable, cases: list[Case]
) -> Finding | None:
    """Recognise slips whose masked positions may hold anything, by the positions that are kept.

    Args:
        exercise: the exercise.
        fn: the reader's function.
        cases: the probes, all answered by tensors of the right shape.

    Returns:
        The finding, or None.
    """
    formulas = {
        "filled-after-softmax": lambda e, kept: e.softmax(-1),
        "softmax-over-queries": lambda e, kept: e.softmax(1),
        "softmax-over-batch": lambda e, kept: e.masked_fill(~kept, -torch.inf).softmax(
            0
        ),
        "no-softmax": lambda e, kept: e,
        "exp-only": lambda e, kept: e.exp(),
    }
    named = {mistake.name: mistake for mistake in exercise.mistakes if mistake.says}
    for name, formula in formulas.items():
        if all(
            near(case.got[kept], formula(case.arguments[0], kept)[kept])
            for case in cases
            for kept in (_kept(case.arguments),)
        ):
            return tell(exercise, named[name], fn, cases)
    if all(_whole_rows(case) for case in cases) and any(
        case.expected.shape[1] > int(case.arguments[1].min()) for case in cases
    ):
        return tell(exercise, named["query-axis"], fn, cases)
    return None


def _whole_rows(case: Case) -> bool:
    """Whether the rows up to the length are a plain softmax, and each further row is constant or NaN."""
    scores, valid_lens = case.arguments
    rows = torch.arange(scores.shape[1]) < valid_lens[:, None]  # (B, T)
    rest = case.got[~rows]
    flat = (
        bool(torch.isnan(rest).all() | ((rest - rest[:, :1]).abs() < 1e-7).all())
        if len(rest)
        else True
    )
    return flat and near(case.got[rows], scores.softmax(-1)[rows])


def leaks(exercise: Exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Recognise weights that seep to the padding, and work out which fill value they come from.

    Args:
        exercise: the exercise.
        fn: the reader's function.
        cases: the probes, all answered by tensors of the right shape.

    Returns:
        The finding, or None.
    """
    first = make_case(exercise, fn, exercise.example())
    estimates = [
        _estimate(case.arguments, case.got)
        for case in cases
        if case.arguments[1].max() > 0
    ]
    fills = torch.cat([fill for fill, _ in estimates])
    penalties = torch.cat([penalty for _, penalty in estimates])
    if fills.numel() == 0 or not torch.isfinite(fills).all():
        return None
    seen = f"With {inputs(exercise.parameters, first.arguments)} your weights are {values(first.got, 6)}"
    if (fills - fills.mean()).abs().max() < 1e-3:
        value = float(fills.mean())
        return Finding(
            "finite-fill",
            "the padding keeps a share",
            f"{seen}: the padding gets something. From their size one can tell that the masked scores were "
            f"set to {number(value)}, "
            f"and exp({number(value)}) is {number(torch.tensor(value).exp().item())}, not 0."
            + _shifted(exercise, fn, value),
            "Is there a score that is smaller than *every* other, however small the others are?",
        )
    if (penalties - penalties.mean()).abs().max() < 1e-3 and penalties.mean() < -1e-3:
        value = float(penalties.mean())
        return Finding(
            "finite-penalty",
            "the padding keeps a share",
            f"{seen}: the padding gets something. From their size one can tell that {number(value)} was "
            f"added to the masked scores: "
            f"a high score shrugs that off.",
            "What would have to be added to a score, so that nothing is left of it whatever it was?",
        )
    return None


def first_row(exercise: Exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Describe the weights that the example's two words get.

    Args:
        exercise: the exercise.
        fn: the reader's function.
        cases: the probes, all answered by tensors of the right shape.

    Returns:
        The finding, or None if they are right.
    """
    return odd_weights(
        cases[0].got[0, 0, :2],
        cases[0].expected[0, 0, :2],
        "For the two words with the scores (1, 2)",
    )


def _estimate(arguments: tuple, got: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The masked scores that would explain the weights, and how far they lie from the true ones."""
    scores, kept = arguments[0], _kept(arguments)
    some = kept.any(-1)
    # any kept key gives log(sum) = score − log(weight); the first one is kept whenever any is
    log_sum = (scores[..., 0] - got[..., 0].log())[..., None]
    explained = got.log() + log_sum
    chosen = ~kept & some[..., None]
    return explained[chosen], (explained - scores)[chosen]


def _shifted(exercise: Exercise, fn: Callable, fill: float) -> str:
    """Show the fill winning: adding one number to all scores should change nothing."""
    if fill > -20:
        return ""
    scores, valid_lens = exercise.example()
    shift = round(fill) - 20
    result = observe(fn, (scores + shift, valid_lens)).result
    if not isinstance(result, torch.Tensor):
        return ""
    return (
        f"\nSubtract {number(-shift)} from all four scores, which should change nothing: now your "
        f"weights are {values(result)}."
    )


def leaks_a_little(exercise: Exercise, fn: Callable) -> Finding | None:
    """Demand that masked keys get exactly zero, however little leaks.

    Args:
        exercise: the exercise.
        fn: the reader's function, right to float tolerance.

    Returns:
        The finding, or None.
    """
    cases = [
        make_case(exercise, fn, arguments)
        for arguments in (exercise.example(), *exercise.probes())
    ]
    if not any(case.got[~_kept(case.arguments)].any() for case in cases):
        return None
    found = leaks(exercise, fn, cases)
    return found or Finding(
        "not-exactly-zero",
        "almost zero",
        f"With {inputs(exercise.parameters, cases[0].arguments)} the masked keys get "
        f"{values(cases[0].got[0, 0, 2:], 12)}: almost nothing, but not nothing.",
        "Which operation makes a number exactly 0, whatever it was before?",
    )
