"""How a tensor is written: as PyTorch does, four digits, columns of one width, long ones with their middle left out."""

import math

from . import _numbers as n
from ._tensor import Tensor

PRECISION, LINE, MOST, EDGE = 4, 80, 1000, 3


def _format(values: list, kind: int):
    """How each of these numbers is written, all with one width."""
    if kind < 2:
        return _aligned(str, values)
    finite = [v for v in values if math.isfinite(v) and v != 0]
    small, big = min(map(abs, finite), default=1.0), max(map(abs, finite), default=1.0)
    if all(v == math.ceil(v) for v in finite):
        exponents = big / small > 1000 or big > 1e8
        plain = "{:.0f}."
    else:
        exponents = big / small > 1000 or big > 1e8 or small < 1e-4
        plain = f"{{:.{PRECISION}f}}"
    text = f"{{:.{PRECISION}e}}" if exponents else plain
    # PyTorch finds no width where all is zero or not finite
    return _aligned(lambda v: text.format(v) if math.isfinite(v) else str(v), values if finite else [])


def _aligned(text, values: list):
    width = max((len(text(v)) for v in values), default=1)

    def one(v):
        return text(v).rjust(width)

    one.width = width
    return one


def _complex_format(values: list):
    real, imag = _format([v.real for v in values], 2), _format([v.imag for v in values], 2)
    one = _aligned(lambda v: f"{real(v.real)}{imag(v.imag) if v.imag < 0 else '+' + imag(v.imag).lstrip()}j", values)
    one.width = real.width + imag.width + 1
    return one


def _shown(x, depth: int) -> list:
    """The numbers that are written out, as nested lists with … in between."""
    if not depth:
        return x
    return [
        part if part is ... else _shown(part, depth - 1)
        for part in ([*x[:EDGE], ..., *x[-EDGE:]] if len(x) > 2 * EDGE else x)
    ]


def _leaves(x) -> list:
    return [leaf for part in x for leaf in _leaves(part)] if isinstance(x, list) else [] if x is ... else [x]


def _written(x, depth: int, indent: int, one) -> str:
    if not depth:
        return one(x)
    if depth == 1:
        parts = [" ..." if v is ... else one(v) for v in x]
        many = max(1, (LINE - indent) // (one.width + 2))
        lines = [", ".join(parts[i : i + many]) for i in range(0, len(parts), many)] or [""]
        return f"[{(',' + chr(10) + ' ' * (indent + 1)).join(lines)}]"
    parts = ["..." if part is ... else _written(part, depth - 1, indent + 1, one) for part in x]
    return f"[{(',' + chr(10) * (depth - 1) + ' ' * (indent + 1)).join(parts)}]"


def _repr(self, *, tensor_contents=None) -> str:
    depth, nested = self.dim(), self.detach().tolist()
    if self.numel() > MOST:
        nested = _shown(nested, depth)
    values = [nested] if not depth else _leaves(nested)
    one = _complex_format(values) if self.dtype.kind == 3 else _format(values, self.dtype.kind)
    empty = not self.numel()
    notes = ["[]" if empty else _written(nested, depth, len("tensor("), one)]
    if empty and depth != 1:
        notes.append(f"size={tuple(self.shape)}")
    usual = (n.default[0], n.default[0].to_complex(), *(() if empty else (n.int64, n.bool_)))
    if self.dtype not in usual:
        notes.append(f"dtype={self.dtype}")
    if self.grad_fn is not None:
        notes.append(f"grad_fn=<{self.grad_fn.name()}>")
    elif self.requires_grad:
        notes.append("requires_grad=True")
    name = "Parameter containing:\ntensor" if type(self).__name__ == "Parameter" else "tensor"
    return _fitted(name, notes)


def _fitted(name: str, notes: list) -> str:
    """Notes that no longer fit behind the numbers stand on a line of their own."""
    text = f"{name}({notes[0]}"
    length = len(text) - (text.rfind("\n") + 1)
    for note in notes[1:]:
        if length + len(note) + 3 > LINE:
            text, length = f"{text},\n{' ' * len('tensor(')}{note}", len("tensor(") + len(note)
        else:
            text, length = f"{text}, {note}", length + len(note) + 2
    return f"{text})"


Tensor.__repr__ = Tensor.__str__ = _repr
