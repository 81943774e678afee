"""Do the gradients flow, and are they the right ones?"""

from collections.abc import Callable

import torch

from .arguments import draw
from .observe import at_line, copies, error_text, names_used, observe
from .recognise import Case, near
from .verdict import Finding, message
from .wording import LONGEST, told_apart, values

CUTS = (
    *("detach", "item", "numpy", "tolist", "data", "no_grad", "inference_mode", "float", "tensor"),
    *("as_tensor", "from_numpy", "asarray", "array", "argmax", "round"),
)


def gradients(exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Compare the gradients with those of the solution."""
    if not exercise.floats:
        return None
    cut = _mentioned([name for name in CUTS if name in names_used(fn)])
    for case in cases:
        leaves = _leaves(exercise, case.arguments)
        with torch.enable_grad():
            call = observe(lambda leaves=leaves: fn(*leaves), ())  # no copies: the gradient must reach these tensors
            result = case.numbers(call.result)
            if call.error is not None:
                line, error = at_line(call.error, fn), error_text(call.error)
                return message("no-gradient/raises", line=line, error=error, cut=cut)
            # a view that was made under no_grad says that it wants a gradient, but has no way back
            lost = result.grad_fn is None and not any(result is leaf for leaf in leaves)
            if not result.requires_grad or lost:
                return message("no-gradient", cut=cut)
            right = case.numbers(exercise.solution(*leaves))
            upstream = draw(*right.shape, seed=7) if right.dim() else torch.ones((), dtype=torch.float64)
            wanted = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
            expected = torch.autograd.grad(right, wanted, upstream)
            try:
                got = torch.autograd.grad(result, wanted, upstream.to(result.dtype), allow_unused=True)
            except RuntimeError as error:
                used = sorted(n for n in names_used(fn) if n.endswith("_") and not n.startswith("_"))
                return message("gradient-fails", error=error_text(error), in_place=_mentioned(used))
        names = [name for name in exercise.parameters if name in exercise.floats]
        for name, mine, theirs in zip(names, expected, got, strict=True):
            found = _compare(case, name, mine, theirs if theirs is None else theirs.to(result.dtype), cut)
            if found:
                return found
    return None


def _compare(case: Case, name: str, expected: torch.Tensor, got: torch.Tensor | None, cut: str):
    if near(got, expected):
        return None
    facts = {"name": name, "given": case.given, "cut": cut}
    if got is None or (not got.any() and expected.abs().max() > 1e-6):
        return message("gradient-cut", **facts)
    facts["says"] = f"is {values(got)}; it should be {values(expected)}"
    if expected.numel() > LONGEST:
        at = tuple((~torch.isclose(got.double(), expected, rtol=1e-5, atol=1e-7)).nonzero()[0].tolist())
        right, yours = told_apart(expected[at], got[at])
        facts["says"] = f"is {yours} at {list(at)}; it should be {right} there"
    return message("wrong-gradient" if torch.isfinite(got).all() else "nan-gradient", **facts)


def _leaves(exercise, arguments: tuple) -> tuple:
    return tuple(
        a.detach().requires_grad_() if name in exercise.floats else a
        for name, a in zip(exercise.parameters, copies(arguments), strict=True)
    )


def _mentioned(names: list[str]) -> str:
    return f" Your code mentions {', '.join(f'`{name}`' for name in names)}." if names else ""
