"""Judge a pair of inputs and labels: whether it is one, what its numbers are, and which half is amiss."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

from ..differences import at_the_edge
from ..legacy import Exercise
from ..recognise import Case, make_case, smallest_wrong
from ..verdict import Finding
from ..wording import inputs as given_as
from ..wording import one_line, values

WANTED = "two tensors of shape (B, T + 1), the inputs and the labels"


def as_pair(arguments: tuple, result: object) -> torch.Tensor:
    """Read a pair as one table; where nothing is asked, <eos> and <pad> are the same input.

    Args:
        arguments: the call's arguments.
        result: a tuple or list of two tensors of one shape.

    Returns:
        (2, B, T + 1), float64: inputs and labels.

    Raises:
        TypeError, ValueError: another kind of result.
    """
    target_ids, _, eos, pad = arguments
    fed, labels = result
    fed, labels = fed.detach().to(torch.float64), labels.detach().to(torch.float64)
    if fed.shape != labels.shape or fed.dim() != 2:
        raise ValueError("inputs and labels have different shapes")
    lengths = (target_ids != pad).sum(1, keepdim=True)
    if fed.shape == (len(target_ids), target_ids.shape[1] + 1):
        place = torch.arange(fed.shape[1])
        free = (place > lengths) & ((fed == eos) | (fed == pad))
        fed = torch.where(
            free & (place == lengths + 1), eos, torch.where(free, pad, fed)
        )
    return torch.stack([fed, labels]).to(torch.float64)


def pair_kind(exercise: Exercise, fn: Callable, case: Case) -> Finding | None:
    """Find a result that is not two tensors of one shape.

    Args:
        exercise: the exercise.
        fn: the reader's function.
        case: a probe, already answered without an error.

    Returns:
        The finding, or None.
    """
    if case.got is not None:
        return None
    result, given = case.call.result, given_as(exercise.parameters, case.arguments)
    if result is None and case.call.printed.strip():
        return Finding(
            "prints",
            "printed, not returned",
            f"With {given} your function prints `{one_line(case.call.printed, 60)}` and returns nothing (None); "
            f"wanted are {WANTED}.",
            "Which word hands a result back to the caller?",
        )
    if result is None:
        return Finding(
            "returns-none",
            "nothing comes back",
            f"With {given} your function returns nothing (None); wanted are {WANTED}.",
            "Which line of yours holds them, and does the last line begin with `return`?",
        )
    if isinstance(result, torch.Tensor):
        return _one_tensor(case, given)
    if isinstance(result, tuple | list):
        return _several(case, given)
    if isinstance(result, dict):
        return Finding(
            "returns-a-dict",
            "a dictionary",
            f"With {given} your function returns a dictionary with the keys {', '.join(map(repr, result))}; wanted are "
            f"{WANTED}, in this order.",
            "How does a function return two things that the caller can take apart by `a, b = …`?",
        )
    return Finding(
        "returns-another-kind",
        "not two tensors",
        f"With {given} your function returns a {type(result).__name__}; wanted are {WANTED}.",
        "At which line does your batch turn into something else?",
    )


def _one_tensor(case: Case, given: str) -> Finding:
    result = case.call.result
    wanted = [half.long() for half in case.expected]
    target_ids, bos = case.arguments[0], case.arguments[1]
    framed = torch.cat([torch.full_like(target_ids[:, :1], bos), wanted[1]], dim=1)
    parts = (
        ("inputs-only", "the inputs", wanted[0]),
        ("labels-only", "the labels", wanted[1]),
    )
    for name, what, half in parts:
        if result.shape == half.shape and torch.equal(result.long(), half):
            return Finding(
                name,
                f"only {what}",
                f"With {given} your function returns {what}, {values(result)}, and they are right. The other half is "
                "missing.",
                "What else must a training step know besides what you return?",
            )
    if result.shape == framed.shape and torch.equal(result.long(), framed):
        return Finding(
            "framed-only",
            "one tensor, not two",
            f"With {given} your function returns the sentences with both signs, {values(result)}. That is a good half "
            "of the way: inputs and labels are two pieces of it.",
            "Which column of yours is no input, and which one is no label?",
        )
    return Finding(
        "one-tensor",
        "one tensor, not two",
        f"With {given} your function returns one tensor of shape {tuple(result.shape)}; wanted are {WANTED}.",
        "What goes in, what should come out, and where does your function return both?",
    )


def _several(case: Case, given: str) -> Finding:
    result = case.call.result
    tensors = [part for part in result if isinstance(part, torch.Tensor)]
    if len(result) != 2:
        return Finding(
            "not-a-pair",
            "not two things",
            f"With {given} your function returns {len(result)} thing{'s' if len(result) != 1 else ''}; wanted are "
            f"{WANTED}.",
            "Which of them goes into the decoder, and which should come out of it?",
        )
    if len(tensors) < 2:
        kinds = " and ".join(f"a {type(part).__name__}" for part in result)
        arrays = any(isinstance(part, np.ndarray) for part in result)
        return Finding(
            "returns-numpy" if arrays else "not-tensors",
            "two things, but not tensors",
            f"With {given} your function returns {kinds}; wanted are {WANTED}.",
            "Which function of torch makes one tensor of rows of equal length?",
        )
    shapes = [tuple(part.shape) for part in tensors]
    if shapes[0] != shapes[1]:
        right = (len(case.arguments[0]), case.arguments[0].shape[1] + 1)
        return Finding(
            "different-widths",
            "two widths",
            f"With {given} your inputs have the shape {shapes[0]} and your labels {shapes[1]}; each place of the "
            f"inputs needs one label, so both should be {right}.",
            "Which of the two has lost, or kept, a column?",
        )
    return Finding(
        "axes",
        "the number of axes",
        f"With {given} your two tensors have the shape {shapes[0]}; wanted are two axes, sentences and places.",
        "Which line adds or drops an axis?",
    )


def which_half(exercise: Exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Say in which half, and in which sentence, the first difference lies.

    Args:
        exercise: the exercise.
        fn: the reader's function.
        cases: the probes, all answered by pairs of the right shape; at least one is wrong.

    Returns:
        The finding, or None if only the edges of the task are wrong.
    """
    if at_the_edge(exercise, cases):
        return None
    case = smallest_wrong(cases)
    wrong = case.got != case.expected  # (2, B, T + 1)
    halves = [
        name
        for name, half in zip(("inputs", "labels"), wrong, strict=True)
        if half.any()
    ]
    number, row, place = (int(i) for i in wrong.nonzero()[0])
    name = ("inputs", "labels")[number]
    other = (
        ""
        if len(halves) == 2
        else f" The {'labels' if name == 'inputs' else 'inputs'} are right."
    )
    words = values(case.arguments[0][row])
    signs = ", ".join(
        f"{n} {a}"
        for n, a in zip(exercise.parameters[1:], case.arguments[1:], strict=True)
    )
    return Finding(
        "wrong-inputs"
        if halves == ["inputs"]
        else "wrong-labels"
        if halves == ["labels"]
        else "both-wrong",
        f"the {name}" if len(halves) == 1 else "inputs and labels",
        f"The words {words}, with {signs}: your {name} are {values(case.got[number, row])}; right is "
        f"{values(case.expected[number, row])}.\nThe first difference lies at place {place} of sentence {row}.{other}",
        "Write inputs and labels of this sentence below each other: is each label the input of the next column?",
    )


def must_be_whole_ids(exercise: Exercise, fn: Callable) -> Finding | None:
    """Demand ids of the kind that came in.

    Args:
        exercise: the exercise.
        fn: the reader's function, right in its numbers.

    Returns:
        The finding, or None.
    """
    case = make_case(exercise, fn, exercise.example())
    for name, part in zip(("inputs", "labels"), case.call.result, strict=True):
        kind = str(part.dtype).removeprefix("torch.")
        if part.is_floating_point():
            return Finding(
                "not-whole",
                f"{kind} ids",
                f"The numbers are right, but your {name} have the dtype {kind}: 5.0 is no row of an embedding, and "
                "`F.cross_entropy` takes floating-point targets for probabilities.",
                "Which line makes floating-point numbers, and which function makes them like another tensor's?",
            )
        if part.dtype != case.arguments[0].dtype:
            return Finding(
                "narrower-ids",
                f"int64 in, {kind} out",
                f"The numbers are right, but the ids came as int64, and your {name} have the dtype {kind}; "
                "`F.cross_entropy` wants int64 labels.",
                "Which tensor does your code make itself, and from which argument could it take the dtype?",
            )
    return None
