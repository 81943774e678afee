"""Products of vectors, matrices and batches of them. All of them end in `_multiplied`."""

import math
import operator

from . import _numbers as n
from ._layout import axis, broadcast, listed
from ._missing import error, require
from ._operations import Operations, define, must_be_tensor
from ._tape import record, wants
from ._tensor import Tensor, new, spread


def _inner(a: list, b: list):
    return sum(map(operator.mul, a, b))


_dot = getattr(math, "sumprod", _inner)  # Python 3.12 has it


def _multiplied(a, b) -> Tensor:
    """(…, n, k) times (…, k, m), the leading axes broadcast."""
    (*outer, rows, inner), (*other, size, columns) = a._shape, b._shape
    batch = broadcast(tuple(outer), tuple(other))
    count = math.prod(batch)
    require(inner == size, "bmm-sizes", count, inner, count, size)
    require(a.dtype is not n.bool_, "mm-bool")
    left, right, values = spread(a, (*batch, rows, inner)), spread(b, (*batch, inner, columns)), []
    for i in range(count):
        across = [left[j : j + inner] for j in range(i * rows * inner, (i + 1) * rows * inner, inner or 1)]
        table = right[i * columns * inner : (i + 1) * columns * inner]
        down = [table[j::columns] for j in range(columns)]
        values += [_dot(row, column) for row in across for column in down] if inner else [0] * (rows * columns)
    exact = a.dtype is n.float64 and inner
    out = new(values if exact else n.held(values, a.dtype), (*batch, rows, columns), a.dtype)
    by_a, by_b = wants(a), wants(b)
    if not (by_a or by_b):
        return out

    def back(g):
        return (
            _multiplied(g, b.transpose(-2, -1).conj()) if by_a else None,
            _multiplied(a.transpose(-2, -1).conj(), g) if by_b else None,
        )

    saved = [x for x, needed in ((b, by_a), (a, by_b)) if needed]
    return record(out, "BmmBackward0" if batch else "MmBackward0", (a, b), back, saved)


class products(Operations):
    def matmul(input, other):
        a, b = input, other
        if not isinstance(b, Tensor):
            raise must_be_tensor("matmul", "other", 2, b)
        require(a._shape and b._shape, "matmul-numbers", a.dim(), b.dim())
        _check(a, b)
        out = _multiplied(a.unsqueeze(0) if a.dim() == 1 else a, b.unsqueeze(1) if b.dim() == 1 else b)
        out = out.squeeze(-2) if a.dim() == 1 else out
        return out.squeeze(-1) if b.dim() == 1 else out

    def mm(input, mat2):
        for name, x in (("self", input), ("mat2", mat2)):
            require(x.dim() == 2, "must-be", name, "matrix")
        return input.matmul(mat2)

    def dot(input, tensor):
        require(input.dim() == tensor.dim() == 1, "dot-axes", input.dim(), tensor.dim())
        return input.matmul(tensor)

    def bmm(input, mat2):
        for name, x in (("batch1", input), ("batch2", mat2)):
            require(x.dim() == 3, "must-be", name, "3D tensor")
        require(input.shape[0] == mat2.shape[0], "bmm-sizes", *input._shape[::2], *mat2._shape[:2])
        return input.matmul(mat2)

    def tensordot(a, b, dims=2):
        if isinstance(dims, int):
            dims = list(range(a.dim() - dims, a.dim())), list(range(dims))
        here, there = list("abcdefghijklm"[: a.dim()]), list("nopqrstuvwxyz"[: b.dim()])
        for i, j in zip(*dims, strict=True):
            there[axis(j, b.dim())] = here[axis(i, a.dim())]
        out = [c for c in here + there if (c in here) != (c in there)]
        return products.einsum(f"{''.join(here)},{''.join(there)}->{''.join(out)}", a, b)

    def einsum(equation, *operands):
        operands = listed(operands)
        left, arrow, right = equation.replace(" ", "").partition("->")
        terms = left.split(",")
        require(len(operands) == len(terms), "einsum-count", "more" if len(operands) > len(terms) else "fewer")
        own = [_letters(term, x, i) for i, (term, x) in enumerate(zip(terms, operands, strict=True))]
        sizes, everywhere = {}, [c for letters in own for c in letters]
        for i, (letters, x) in enumerate(zip(own, operands, strict=True)):
            for c, size in zip(letters, x._shape, strict=True):
                require(1 in (size, sizes.get(c, 1)) or size == sizes[c], "einsum-size", c, size, i, sizes.get(c))
                sizes[c] = max(size, sizes.get(c, size)) if size else 0
        dots = sorted((c for c in sizes if c.isdigit()), reverse=True)
        if arrow:
            before, ellipsis, after = right.partition("...")
            out = [*before, *(dots if ellipsis else []), *after]
            for c in out:
                require(c in sizes, "einsum-unknown", c)
                require(out.count(c) == 1, "einsum-twice", c)
        else:
            out = dots + sorted(c for c in set(everywhere) if c not in dots and everywhere.count(c) == 1)
        product = 1
        for letters, x in map(_without_repeats, own, operands):  # each with the axes of all, side by side
            x = x.permute([letters.index(c) for c in sizes if c in letters])
            product = product * x[tuple(slice(None) if c in letters else None for c in sizes)]
        gone, left = [d for d, c in enumerate(sizes) if c not in out], [c for c in sizes if c in out]
        return (product.sum(gone) if gone else product).permute([left.index(c) for c in out])


define(
    {
        "mv": lambda input, vec: input.matmul(vec),
        "inner": lambda input, other: input.matmul(other.mT if other.dim() > 1 else other),
        "outer": lambda input, vec2: input.unsqueeze(1) * vec2.unsqueeze(0),
        "baddbmm": lambda input, batch1, batch2, *, beta=1, alpha=1: beta * input + alpha * batch1.bmm(batch2),
        "trace": lambda input: input.diagonal().sum(),
    }
)
matmul = products.matmul
Tensor.__matmul__ = lambda self, other: matmul(self, other) if isinstance(other, Tensor) else NotImplemented


def _check(a, b):
    """The errors of PyTorch's kernels, which differ by how many axes there are."""
    vectors, count, inner, size = a.dim() == b.dim() == 1, math.prod(a._shape[:-1]), a._shape[-1], b._shape[-2:][0]
    if a.dtype is not b.dtype and (vectors or inner == size):
        require(not vectors, "dot-dtypes", a.dtype.legacy, b.dtype.legacy)
        require(b.dim() > 2, "mm-dtypes", a.dtype.cpp, b.dtype.cpp)
        raise error("bmm-dtypes", a.dtype.legacy, b.dtype.legacy)
    if inner != size and b.dim() <= 2:
        require(not vectors, "dot-sizes", inner, size, inner, size)
        require(b.dim() == 2, "mv-sizes", count, count, inner, size)
        raise error("mm-sizes", count, inner, size, b._shape[-1])


def _letters(term: str, x, i: int) -> list:
    """A letter for each axis; those of the dots are digits, counted from the last."""
    before, ellipsis, after = term.partition("...")
    for c in before + after:
        require(c.isalpha(), "einsum-subscript", term.index(c))
    count = len(before) + len(after)
    extra = x.dim() - count
    require(extra >= 0 or not ellipsis, "einsum-too-many", count, x.dim(), i)
    require(extra == 0 or ellipsis, "einsum-letters", count, x.dim(), i)
    return [*before, *(str(d) for d in reversed(range(extra))), *after]


def _without_repeats(letters: list, x) -> tuple[list, Tensor]:
    """Where a letter stands twice in one operand, the diagonal."""
    while twice := [c for c in letters if letters.count(c) > 1]:
        first, second = (d for d, c in enumerate(letters) if c == twice[0])
        x = x.diagonal(0, first, second)
        letters = [c for c in letters if c != twice[0]] + twice[:1]
    return letters, x
