"""Do the gradients flow, and are they the right ones?"""

from __future__ import annotations

from collections.abc import Callable

import torch

from .arguments import draw
from .exercise import Exercise
from .observe import Call, copies, error_text, names_used, observe, own_line
from .recognise import Case, near
from .verdict import Finding
from .wording import LONGEST, inputs, told_apart, values

CUTS = (
    "detach",
    "item",
    "numpy",
    "tolist",
    "data",
    "no_grad",
    "inference_mode",
    "float",
    "tensor",
    "as_tensor",
    "from_numpy",
    "asarray",
    "array",
    "argmax",
    "round",
)


def gradients(exercise: Exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Compare the gradients with those of the solution."""
    for case in cases:
        leaves = _leaves(exercise, case.arguments)
        cut = _suspects(fn)
        with torch.enable_grad():
            call = _in_place(fn, leaves)
            result = call.result
            if call.error is not None:
                place = own_line(call.error, fn)
                line = f"line {place[1]}, `{place[2]}`, raises" if place and place[2] else "your function raises"
                return Finding(
                    "no-gradient",
                    "the gradient",
                    f"The numbers are right, but as soon as the arguments want a gradient "
                    f"{line}\n{error_text(call.error)}",
                    f"A gradient flows only through torch's own operations.{cut} What would keep the whole "
                    f"way inside torch?",
                )
            # a view that was made under no_grad says that it wants a gradient, but has no way back
            lost = result.grad_fn is None and not any(result is leaf for leaf in leaves)
            if not result.requires_grad or lost:
                return Finding(
                    "no-gradient",
                    "the gradient",
                    "The numbers are right, but no gradient can flow back: the result does not remember "
                    "how it was computed "
                    f"(`requires_grad` is False).{cut}",
                    "Which line leaves torch, or tells it to stop recording?",
                )
            right = exercise.solution(*leaves)
            upstream = draw(*right.shape, seed=7) if right.dim() else torch.ones((), dtype=torch.float64)
            wanted = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
            names = [name for name in exercise.parameters if name in exercise.differentiable]
            expected = torch.autograd.grad(right, wanted, upstream)
            try:
                got = torch.autograd.grad(result, wanted, upstream.to(result.dtype), allow_unused=True)
            except RuntimeError as error:
                return Finding(
                    "gradient-fails",
                    "the gradient",
                    f"The numbers are right, but going backwards through your function raises\n{error_text(error)}",
                    f"Which of your lines overwrites (in place) numbers that the backward pass still "
                    f"needs?{_in_place_names(fn)}",
                )
        for name, mine, theirs in zip(names, expected, got, strict=True):
            theirs = theirs if theirs is None else theirs.to(result.dtype)
            found = _compare(exercise, case, name, mine, theirs, cut)
            if found:
                return found
    return None


def _compare(
    exercise: Exercise,
    case: Case,
    name: str,
    expected: torch.Tensor,
    got: torch.Tensor | None,
    cut: str,
) -> Finding | None:
    if got is not None and near(got, expected):
        return None
    given = inputs(exercise.parameters, case.arguments)
    if got is not None:
        says = f"is {values(got)}; it should be {values(expected)}"
        if expected.numel() > LONGEST:
            at = tuple((~torch.isclose(got.double(), expected, rtol=1e-5, atol=1e-7)).nonzero()[0].tolist())
            pair = told_apart(expected[at], got[at])
            says = f"is {pair[1]} at {list(at)}; it should be {pair[0]} there"
    if got is None or (not got.any() and expected.abs().max() > 1e-6):
        return Finding(
            "gradient-cut",
            f"no gradient reaches `{name}`",
            f"The numbers are right, but with {given} the gradient with respect to `{name}` is zero, "
            f"as if the result did not depend on it.{cut}",
            f"On the way from `{name}` to the result, where is the thread cut?",
        )
    if not torch.isfinite(got).all():
        return Finding(
            "nan-gradient",
            "NaN in the gradient",
            f"The numbers are right, but with {given} the gradient with respect to `{name}` {says}.\n"
            "One NaN here, and after the next training step every parameter of a model is NaN.",
            "Cleaning a NaN out of the result does not clean the way back: where is it made, and can that "
            "step "
            "be given something harmless instead?",
        )
    return Finding(
        "wrong-gradient",
        f"the gradient of `{name}`",
        f"The numbers are right, but with {given} the gradient with respect to `{name}` {says}.{cut}",
        f"Is part of what depends on `{name}` treated as a constant?",
    )


def _leaves(exercise: Exercise, arguments: tuple) -> tuple:
    return tuple(
        a.detach().requires_grad_() if name in exercise.differentiable else a
        for name, a in zip(exercise.parameters, copies(arguments), strict=True)
    )


def _in_place(fn: Callable, leaves: tuple) -> Call:
    return observe(lambda: fn(*leaves), ())  # no copies: the gradient must reach these very tensors


def _in_place_names(fn: Callable) -> str:
    used = sorted(name for name in names_used(fn) if name.endswith("_") and not name.startswith("_"))
    return " Your code mentions " + ", ".join(f"`{name}`" for name in used) + "." if used else ""


def _suspects(fn: Callable) -> str:
    used = sorted(names_used(fn) & set(CUTS), key=CUTS.index)
    return " Your code mentions " + ", ".join(f"`{name}`" for name in used) + "." if used else ""
