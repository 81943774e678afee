"""How a tensor is written: PyTorch's digits, columns and line breaks."""

import math

from . import _numbers as n
from ._tensor import Tensor

LINE, MOST, EDGE = 80, 1000, 3
options = {"precision": 4, "sci_mode": None}


def set_printoptions(precision: int | None = None, *, sci_mode: bool | None = None) -> None:
    """How many digits are written, and whether exponents are; of PyTorch's options these two."""
    options.update(precision=options["precision"] if precision is None else precision, sci_mode=sci_mode)


def _format(values: list, kind: int) -> tuple:
    """How each of these numbers is written, and the width of all."""
    text = str
    if kind == 2:
        finite = [v for v in values if math.isfinite(v) and v != 0]
        small, big = min(map(abs, finite), default=1.0), max(map(abs, finite), default=1.0)
        whole = all(v == math.ceil(v) for v in finite)
        exponents = big / small > 1000 or big > 1e8 or (small < 1e-4 and not whole)
        if finite and options["sci_mode"] is not None:
            exponents = options["sci_mode"]
        form = "e" if exponents else "f"
        digits = "{:.0f}." if whole and not exponents else f"{{:.{options['precision']}{form}}}"
        values = finite  # of these alone PyTorch takes the width

        def text(v):
            return digits.format(v) if math.isfinite(v) else str(v)

    column = max((len(text(v)) for v in values), default=1)
    return lambda v: text(v).rjust(column), column


def _shown(x):
    """The numbers that are written out, as nested lists with … in between."""
    if not isinstance(x, list):
        return x
    return [v if v is ... else _shown(v) for v in ([*x[:EDGE], ..., *x[-EDGE:]] if len(x) > 2 * EDGE else x)]


def _leaves(x) -> list:
    return [leaf for part in x for leaf in _leaves(part)] if isinstance(x, list) else [] if x is ... else [x]


def _written(x, depth: int, indent: int, one, width: int) -> str:
    if not depth:
        return one(x)
    parts, many = ["..." if v is ... else _written(v, depth - 1, indent + 1, one, width) for v in x], 1
    if depth == 1:  # several numbers in a line
        parts, many = [f" {v}" if v == "..." else v for v in parts], max(1, (LINE - indent) // (width + 2))
    lines = [", ".join(parts[i : i + many]) for i in range(0, len(parts), many)]
    return f"[{(',' + chr(10) * max(depth - 1, 1) + ' ' * (indent + 1)).join(lines)}]"


def _repr(self, *, tensor_contents=None) -> str:
    depth, nested, empty = self.dim(), self.detach().tolist(), not self.numel()
    nested = _shown(nested) if self.numel() > MOST else nested
    form = _format(_leaves(nested), self.dtype.kind)
    notes = ["[]" if empty else _written(nested, depth, len("tensor("), *form)]
    if empty and depth != 1:
        notes.append(f"size={tuple(self.shape)}")
    if self.dtype not in (n.default, n.complex64) and (empty or self.dtype not in (n.int64, n.bool_)):
        notes.append(f"dtype={self.dtype}")
    if self.grad_fn is not None:
        notes.append(f"grad_fn=<{self.grad_fn.name}>")
    elif self.requires_grad:
        notes.append("requires_grad=True")
    text = "Parameter containing:\ntensor" if type(self).__name__ == "Parameter" else "tensor"
    text += f"({notes[0]}"
    for note in notes[1:]:  # on a line of its own where it does not fit behind the numbers
        fits = len(text) - (text.rfind("\n") + 1) + len(note) + 3 <= LINE
        text += f", {note}" if fits else f",\n{' ' * len('tensor(')}{note}"
    return f"{text})"


Tensor.__repr__ = Tensor.__str__ = _repr
