"""Outputs, attention weights and gradients beside each other, and a record of how far they are apart."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from attnbook.interop.comparison.cases import BARS, Case
from attnbook.interop.comparison.matching import Table, match_parameters


def greatest_difference(
    ours: Tensor | Sequence[Tensor], theirs: Tensor | Sequence[Tensor]
) -> float:
    """The largest difference between any two numbers, relative to the largest of them if that exceeds 1.

    Args:
        ours: a tensor, or several.
        theirs: the same number, of the same shapes.

    Returns:
        max |ours − theirs| / max(1, max |theirs|), for the tensor with the largest difference.

    Raises:
        ValueError: a different number of tensors, different shapes, or only zeros to compare with.
    """
    ours, theirs = ([x] if isinstance(x, Tensor) else list(x) for x in (ours, theirs))
    if [x.shape for x in ours] != [x.shape for x in theirs]:
        raise ValueError(
            f"shapes {[tuple(x.shape) for x in ours]} and {[tuple(x.shape) for x in theirs]} cannot be compared"
        )
    worst = size = 0.0
    for mine, other in zip(ours, theirs, strict=True):
        largest = other.abs().max().item()
        gap = (mine - other).abs().max().item() / max(1.0, largest)
        worst, size = max(worst, gap), max(size, largest)
        worst = gap if gap != gap else worst  # NaN is not agreement
    if size < 1e-3:
        raise ValueError("there is nothing to compare: the expected numbers are all 0")
    return worst


def _name(thing: object) -> str:
    """A class or function as it is called in code: `nn.Linear`, `d2l.AddNorm`, `transformers.BertModel`."""
    kind: Any = type(thing) if isinstance(thing, nn.Module) else thing
    library, _, rest = kind.__module__.partition(".")
    prefix = {"attnbook": "", "torch": "nn."}.get(library, f"{library}.")
    prefix = "F." if kind.__module__ == "torch.nn.functional" else prefix
    return prefix + kind.__name__


class CrossChecks:
    """A record of comparisons: a line for each pair of classes, with the largest differences in each precision."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, str], dict] = {}
        self.last: tuple[str, str] | None = None

    def compare(
        self,
        case: Case,
        ours: nn.Module | Callable,
        theirs: nn.Module | Callable,
        inputs: Sequence[Tensor],
        our_call: Callable,
        their_call: Callable,
        peer: str | None = None,
        parameters: bool = True,
    ) -> None:
        """Run both on copies of the same inputs, and note how far outputs, weights and gradients are apart.

        Args:
            case: the precision and the masks, for the record.
            ours: the book's module or function.
            theirs: the other library's.
            inputs: tensors; their gradients are compared if they are floating point.
            our_call: inputs → (output, attention weights, hidden states or the like, or None).
            their_call: the same.
            peer: what to call the other side in the record, if not by its name.
            parameters: compare the gradients of the parameters, too.

        Raises:
            ValueError: weights that were not copied, or shapes that differ.
        """
        self.last = (_name(ours), peer or _name(theirs))
        matches = []
        if parameters and isinstance(ours, nn.Module) and isinstance(theirs, nn.Module):
            matches = match_parameters(ours, theirs)
        sides = []
        for module, call in ((ours, our_call), (theirs, their_call)):
            leaves = [
                x.detach().clone().requires_grad_(x.is_floating_point()) for x in inputs
            ]
            output, more = call(*leaves)
            wanted = {str(i): x for i, x in enumerate(leaves) if x.requires_grad}
            if matches and isinstance(module, nn.Module):
                wanted |= dict(module.named_parameters())
            sides.append((output, more, _gradients(output, wanted)))
        (output, more, mine), (expected, expected_more, other) = sides
        pairs = [(mine[name], other[name]) for name in mine if name.isdigit()]
        pairs += [
            (
                mine[m.ours].flatten()[m.our_part],
                other[m.theirs].flatten()[m.their_part],
            )
            for m in matches
        ]
        differences = {"outputs": greatest_difference(output, expected)}
        if more is not None:
            differences["weights"] = greatest_difference(more, expected_more)
        differences["gradients"] = greatest_difference(*zip(*pairs, strict=True))
        record = self.found.setdefault(self.last, {}).setdefault(case.dtype, [])
        record.append(differences)

    def worst(self, pair: tuple[str, str], dtype: torch.dtype) -> dict[str, float]:
        """The largest differences of a pair over all cases in one precision.

        Args:
            pair: names of our class and of the other one.
            dtype: the precision.

        Returns:
            "outputs", "weights" and "gradients" → a number; empty if not compared in this precision.
        """
        records = self.found[pair].get(dtype, [])
        names = dict.fromkeys(name for record in records for name in record)
        return {name: max(r[name] for r in records if name in r) for name in names}

    def holds(self, pair: tuple[str, str], dtype: torch.dtype) -> bool:
        """Whether a pair agrees within the bar of a precision, in everything that was compared.

        Args:
            pair: names of our class and of the other one.
            dtype: the precision.

        Returns:
            True if there was something to compare and no difference exceeds `BARS[dtype]`.
        """
        worst = self.worst(pair, dtype)
        return bool(worst) and all(gap <= BARS[dtype] for gap in worst.values())

    def verdict(self) -> tuple[str, bool]:
        """The sentence to claim of the pair that was compared last, and whether it is true.

        Returns:
            Both, to be passed on: `claim(*checks.verdict())`.

        Raises:
            RuntimeError: nothing has been compared yet.
        """
        if self.last is None:
            raise RuntimeError("nothing has been compared yet; call compare() first")
        dtypes = self.found[self.last]
        *front, final = dict.fromkeys(
            name for dtype in dtypes for name in self.worst(self.last, dtype)
        )
        within = " and ".join(f"{_power(BARS[d])} in {_short(d)}" for d in dtypes)
        what = f"{', '.join(front)} and {final}"
        return f"{self.last[0]} = {self.last[1]}: {what} within {within}", all(
            self.holds(self.last, dtype) for dtype in dtypes
        )

    def table(self) -> Table:
        """What was compared with what, and whether the bars were held.

        Returns:
            A table with a row for each pair.
        """
        head = ["this book", "beside", "compared", "cases"]
        head += [f"≤ {_power(bar)} in {_short(dtype)}" for dtype, bar in BARS.items()]
        marks = {True: "✓", False: "✗"}
        rows = []
        for pair, found in self.found.items():
            what = dict.fromkeys(name for d in found for name in self.worst(pair, d))
            cells = [f"`{name}`" for name in pair] + [", ".join(what)]
            cells.append(str(max(len(records) for records in found.values())))
            cells += [marks[self.holds(pair, d)] if d in found else "–" for d in BARS]
            rows.append(cells)
        return Table(head, rows)

    def differences(self) -> Table:
        """The largest differences themselves; their digits depend on the processor.

        Returns:
            A table with a row for each pair and precision.
        """
        kinds = ("outputs", "weights", "gradients")
        rows = []
        for pair, found in self.found.items():
            for dtype in found:
                worst = self.worst(pair, dtype)
                gaps = [f"{worst[k]:.1e}" if k in worst else "–" for k in kinds]
                rows.append([*(f"`{name}`" for name in pair), _short(dtype), *gaps])
        return Table(["this book", "beside", "precision", *kinds], rows)


def _short(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _power(bar: float) -> str:
    """1e-5 as a reader writes it, 10⁻⁵."""
    exponent = str(round(math.log10(bar)))
    return "10" + exponent.translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _gradients(output: Tensor, wanted: dict[str, Tensor]) -> dict[str, Tensor]:
    """Of a random sum of the output's numbers, the same for both sides; None where nothing depends."""
    generator = torch.Generator().manual_seed(2)
    upstream = torch.randn(output.shape, generator=generator, dtype=output.dtype)
    found = torch.autograd.grad(
        (output * upstream).sum(), list(wanted.values()), allow_unused=True
    )
    return dict(zip(wanted, found, strict=True))
