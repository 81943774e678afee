"""Say which of the four weights a layer of PyTorch holds in which place."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn

from ..legacy import Exercise
from ..observe import observe
from ..recognise import Case
from ..verdict import Finding
from ..wording import number, values

SHARES = ("W_q", "W_k", "W_v")


def left_random(fn: Callable, case: Case) -> Finding | None:
    """Find weights that are different random numbers every time.

    Args:
        fn: the reader's function.
        case: a probe that is answered by a layer.

    Returns:
        The finding, or None.
    """
    first, second = (_blocks(observe(fn, case.arguments).result) for _ in range(2))
    if not first or not second:
        return None
    left = [name for name in first if not torch.equal(first[name], second[name])]
    if not left:
        return None
    others = [
        n
        for n in ("q_proj_weight", "W_q", "q_proj")
        if getattr(case.call.result, n, None) is not None
    ]
    if others and set(SHARES) <= set(left):
        return Finding(
            "other-names",
            "a weight that nobody reads",
            f"You fill `{others[0]}`, but the layer does not look at it: queries, keys and values of the "
            "same size come from `in_proj_weight`, with 3·D rows, 6 in the small example. That one still "
            "holds the random numbers of a new layer.",
            "Where do the three weights belong, and how do they become one table?",
        )
    count = len(left)
    name = (
        "nothing-copied"
        if count == 4
        else "inputs-not-copied"
        if set(left) == set(SHARES)
        else f"{left[0]}-not-copied"
        if count == 1
        else "some-not-copied"
    )
    places = {
        "W_q": "the first third of in_proj_weight",
        "W_k": "the second third of in_proj_weight",
        "W_v": "the last third of in_proj_weight",
        "W_o": "out_proj.weight",
    }
    where = (
        "all of it"
        if count == 4
        else "in_proj_weight"
        if count == 3 and "W_o" not in left
        else None
    )
    where = where or ", ".join(places[block] for block in left)
    return Finding(
        name,
        "random numbers are left",
        f"Two calls of your function make layers with different weights: {where} still holds the random "
        f"numbers of a new layer. Missing {'is' if count == 1 else 'are'} "
        + ", ".join(
            f"{block} {values(case.arguments[_position(block)])}" for block in left
        )
        + ".",
        "Which parameters has a new layer, and which of your lines writes into each of them?",
    )


def _position(block: str) -> int:
    """Position of a weight among the exercise's parameters."""
    return (*SHARES, "W_o").index(block)


def _blocks(layer: object) -> dict[str, torch.Tensor]:
    """The four weights that a layer uses, or {} if it cannot be taken apart."""
    if not isinstance(layer, nn.MultiheadAttention) or layer.in_proj_weight is None:
        return {}
    thirds = layer.in_proj_weight.detach().chunk(3)
    return {
        **dict(zip(SHARES, thirds, strict=True)),
        "W_o": layer.out_proj.weight.detach(),
    }


def read_blocks(exercise: Exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Say which weights a layer holds where, if its answers are wrong and no known mistake explains them.

    Args:
        exercise: the exercise.
        fn: the reader's function.
        cases: the probes, all answered by layers.

    Returns:
        The finding, or None if every weight is in its place.
    """
    telling = [case for case in cases if len(case.arguments[0]) > 1]
    held = [_blocks(case.call.result) for case in telling]
    if not all(held):
        return None
    what = {
        block: _recognised(
            [
                (case.arguments, blocks[block])
                for case, blocks in zip(telling, held, strict=True)
            ]
        )
        for block in held[0]
    }
    wrong = [block for block, found in what.items() if found != block]
    if not wrong:
        return None
    block, first = wrong[0], cases[0]
    yours, right = _blocks(first.call.result)[block], first.arguments[_position(block)]
    return Finding(
        "other-weights",
        "which weight is where?",
        f"Your in_proj_weight holds, from above: {', '.join(what[name] for name in SHARES)}; your "
        f"out_proj.weight: {what['W_o']}.\nIn the small example {values(yours)} stands where {block} = "
        f"{values(right)} belongs.",
        "Which of the lines that fill the layer is the first to put something in another place, or in "
        "another form?",
    )


def _recognised(pairs: list[tuple[tuple, torch.Tensor]]) -> str:
    """Name what a block holds, by comparing it with the weights that were given."""
    for position, name in enumerate((*SHARES, "W_o")):
        for suffix, change in (
            ("", lambda W: W),
            ("ᵀ", lambda W: W.T),
            (" upside down", lambda W: W.flip(0)),
        ):
            ratios = [
                _ratio(block, change(arguments[position])) for arguments, block in pairs
            ]
            if all(ratio is not None for ratio in ratios):
                same = max(ratios) - min(ratios) < 1e-6
                times = (
                    ""
                    if same and abs(ratios[0] - 1) < 1e-6
                    else number(ratios[0])
                    if same
                    else "a multiple of "
                )
                return f"{times}{' ' if times and same else ''}{name}{suffix}"
    if all(
        torch.equal(block, torch.eye(len(block), dtype=block.dtype))
        for _, block in pairs
    ):
        return "the identity"
    return "zeros" if not any(block.any() for _, block in pairs) else "something else"


def _ratio(block: torch.Tensor, weight: torch.Tensor) -> float | None:
    seen = weight.abs() > 1e-6
    if block.shape != weight.shape or not seen.any():
        return None
    ratio = (block.double()[seen] / weight[seen]).mean()
    fits = (
        torch.allclose(block.double(), ratio * weight, rtol=1e-4, atol=1e-6)
        and abs(float(ratio)) > 1e-6
    )
    return float(ratio) if fits else None
