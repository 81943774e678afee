"""Many numbers to one, and along an axis: sums, extremes, softmax, sorting (through `_groups`); matrix products."""

import functools
import itertools
import math
import operator
from collections import namedtuple
from math import inf, nan

from . import _numbers as n
from ._elementwise import compute, where
from ._missing import error, require
from ._numbers import axes, axis, broadcast, listed
from ._operations import Operations, define
from ._tensor import Tensor, flat, new, record, spread, wants


def _ordered(x, dims: tuple) -> list:
    """The axes of `x`, those that are reduced last."""
    return [*(d for d in range(x.dim()) if d not in dims), *sorted(dims)]


def _groups(x, dims: tuple) -> list[list]:
    """The numbers that are reduced together, group by group."""
    values, size = flat(x.detach().permute(_ordered(x, dims))), math.prod(x._shape[d] for d in dims)
    if not size:
        return [[] for _ in range(math.prod(_left(x, dims, False)))]
    return [values[i : i + size] for i in range(0, len(values), size)]


def _left(x, dims: tuple, keepdim: bool) -> tuple:
    """The shape of what is left."""
    return tuple([1 if d in dims else size for d, size in enumerate(x._shape) if keepdim or d not in dims])


def _reduced(x, dim, keepdim, of, dtype=None, name="", back=None) -> Tensor:
    """One number of each group. `back` gets the gradient and the result, both spread out again."""
    dims, dtype = axes(dim, x.dim()), dtype or x.dtype
    out = new(n.held(list(map(of, _groups(x, dims))), dtype), _left(x, dims, keepdim), dtype)
    if back is None or not wants(x):
        return out
    kept, shape, saved = out.detach(), _left(x, dims, True), () if name[:3] == "Sum" else (x,)
    return record(out, name, (x,), lambda g: (back(*(y.reshape(shape).expand(x._shape) for y in (g, kept))),), saved)


def _along(x, dim, of, dtype=None) -> Tensor:
    """A function from rows to rows of the same length."""
    dims = (axis(dim, x.dim()),) if x._shape else ()
    dtype, order = dtype or x.dtype, _ordered(x, dims)
    values = n.held([v for row in _groups(x, dims) for v in of(row)], dtype)
    out = new(values, tuple([x._shape[d] for d in order]), dtype)
    return out.permute(sorted(order, key=order.__getitem__)).contiguous().detach()


def _summing(input, dtype) -> tuple:
    """The tensor in the dtype that was asked for, and the dtype of its sums."""
    x = input if dtype is None else input.to(dtype)
    return x, n.int64 if x.dtype.kind < 2 and dtype is None else x.dtype


class reductions(Operations):
    def sum(input, dim=None, keepdim=False, *, dtype=None):
        x, dtype = _summing(input, dtype)
        return _reduced(x, dim, keepdim, sum, dtype, f"SumBackward{int(dim is not None)}", lambda g, y: g)

    def sum_to_size(self, *size):
        size = tuple(size[0]) if size and isinstance(size[0], tuple | list) else size
        extra = self.dim() - len(size)
        gone = [d for d, m in enumerate(self._shape) if d < extra or (size[d - extra] == 1 and m != 1)]
        return (self.sum(gone, True) if gone else self).reshape(size)

    def mean(input, dim=None, keepdim=False, *, dtype=None):
        x, _ = _summing(input, dtype)
        require(x.dtype.kind > 1, "mean-dtype", x.dtype.legacy)
        return x.sum(dim, keepdim) / (math.prod(x._shape[d] for d in axes(dim, x.dim())) or nan)

    def prod(input, dim=None, keepdim=False, *, dtype=None):
        x, dtype = _summing(input, dtype)
        parts = x.to(dtype).flatten() if dim is None or not x._shape else x.to(dtype).movedim(dim, 0)
        out = (functools.reduce(operator.mul, parts) if len(parts) else parts.sum(0) + 1).contiguous()
        return out if dim is None or not keepdim else out.unsqueeze(dim)

    def var(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        less = int(unbiased) if correction is None else correction
        apart = input - input.mean(dim, True)
        count = math.prod(input._shape[d] for d in axes(dim, input.dim()))
        return (apart * apart).sum(dim, keepdim) / float(max(count - less, 0))

    def var_mean(tensor, dim=None, *, keepdim=False, **wishes):
        return tensor.var(dim, keepdim=keepdim, **wishes), tensor.mean(dim, keepdim)

    def std_mean(tensor, dim=None, *, keepdim=False, **wishes):
        return tensor.std(dim, keepdim=keepdim, **wishes), tensor.mean(dim, keepdim)

    def logsumexp(input, dim, keepdim=False):
        x = input if input.dtype.kind > 1 else input.to(n.default)
        return _reduced(x, dim, keepdim, _log_of_sum, None, "LogsumexpBackward0", lambda g, y: g * (x - y).exp())

    def norm(input, p="fro", dim=None, keepdim=False, dtype=None):
        x, _ = _summing(input, dtype)
        if p == inf:
            return x.abs().amax(() if dim is None else dim, keepdim)
        if p not in ("fro", 2, None):
            return (x.abs() ** p).sum(dim, keepdim) ** (1 / p)
        name, of = "LinalgVectorNormBackward0", lambda group: math.sqrt(sum([abs(v) ** 2 for v in group]))
        return _reduced(x, dim, keepdim, of, None, name, lambda g, y: g * where(y == 0, 0.0, x / y))

    def cumsum(input, dim, *, dtype=None):
        x, dtype = _summing(input, dtype)
        out = _along(x, dim, itertools.accumulate, dtype)
        return record(out, "CumsumBackward0", (x,), lambda g: (g.flip(dim).cumsum(dim).flip(dim) if g._shape else g,))

    def argsort(input, dim=-1, descending=False, *, stable=False):
        sign = -1 if descending else 1

        def order(row):  # NaN counts as the largest
            return sorted(range(len(row)), key=lambda i: (sign * (row[i] != row[i]), sign * row[i]))

        return _along(input, dim, order, n.int64)

    def sort(input, dim=-1, descending=False, *, stable=False):
        indices = input.argsort(dim, descending)
        return PAIRS["sort"](input.gather(dim, indices), indices)

    def topk(input, k, dim=-1, largest=True, sorted=True):
        require(0 <= int(k) <= (input._shape[dim] if input._shape else 1), "topk")
        found = input.sort(dim, largest)
        return PAIRS["topk"](*([x.narrow(dim, 0, k).contiguous() for x in found] if input._shape else found))

    def matmul(input, other):
        a, b = input, other
        require(a._shape and b._shape, "matmul-numbers", a.dim(), b.dim())
        _check(a, b)
        out = _multiplied(a.unsqueeze(0) if a.dim() == 1 else a, b.unsqueeze(1) if b.dim() == 1 else b)
        out = out.squeeze(-2) if a.dim() == 1 else out
        return out.squeeze(-1) if b.dim() == 1 else out

    def mm(input, mat2):
        require(input.dim() == mat2.dim() == 2, "must-be", "mat2" if input.dim() == 2 else "self", "matrix")
        return input.matmul(mat2)

    def dot(input, tensor):
        require(input.dim() == tensor.dim() == 1, "dot-axes", input.dim(), tensor.dim())
        return input.matmul(tensor)

    def bmm(input, mat2):
        require(input.dim() == mat2.dim() == 3, "must-be", "batch2" if input.dim() == 3 else "batch1", "3D tensor")
        require(input.shape[0] == mat2.shape[0], "bmm-sizes", *input._shape[::2], *mat2._shape[:2])
        return input.matmul(mat2)

    def tensordot(a, b, dims=2):
        if isinstance(dims, int):
            dims = list(range(a.dim() - dims, a.dim())), list(range(dims))
        here, there = list("abcdefghijklm"[: a.dim()]), list("nopqrstuvwxyz"[: b.dim()])
        for i, j in zip(*dims, strict=True):
            there[axis(j, b.dim())] = here[axis(i, a.dim())]
        out = [c for c in here + there if (c in here) != (c in there)]
        return reductions.einsum(f"{''.join(here)},{''.join(there)}->{''.join(out)}", a, b)

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
        "any": lambda input, dim=None, keepdim=False: _reduced(input, dim, keepdim, any, n.bool_),
        "all": lambda input, dim=None, keepdim=False: _reduced(input, dim, keepdim, all, n.bool_),
        "count_nonzero": lambda input, dim=None: (input != 0).sum(dim),
        "aminmax": lambda input, *, dim=(), keepdim=False: PAIRS["aminmax"](
            input.amin(dim, keepdim), input.amax(dim, keepdim)
        ),
        "cdist": lambda x1, x2, p=2.0: (x1.unsqueeze(-2) - x2.unsqueeze(-3)).norm(p, -1),
        "diff": lambda input, dim=-1: (
            input.narrow(dim, 1, input.size(dim) - 1) - input.narrow(dim, 0, input.size(dim) - 1)
        ),
        "median": lambda input: input.flatten().sort().values[(input.numel() - 1) // 2],
        "std": lambda input, *args, **wishes: input.var(*args, **wishes).sqrt(),
        "mv": lambda input, vec: input.matmul(vec),
        "inner": lambda input, other: input.matmul(other.mT if other.dim() > 1 else other),
        "outer": lambda input, vec2: input.unsqueeze(1) * vec2.unsqueeze(0),
        "baddbmm": lambda input, batch1, batch2, *, beta=1, alpha=1: beta * input + alpha * batch1.bmm(batch2),
        "trace": lambda input: input.diagonal().sum(),
    }
)


def _shown(pair) -> str:
    parts = ",\n".join(f"{field}={part!r}" for field, part in pair._asdict().items())
    return f"torch.return_types.{type(pair).__name__}(\n{parts})"


PAIRS = {name: namedtuple(name, "values indices") for name in ("max", "min", "sort", "topk")}
PAIRS["aminmax"] = namedtuple("aminmax", "min max")
for _pair in PAIRS.values():
    _pair.__repr__ = _shown


def _not_empty(x, dim, name: str):
    for d in axes(dim, x.dim()):
        require(not x._shape or x._shape[d], "empty-axis", name, d)


def _extreme(name: str, best, of_two: str):
    def at(group):
        strange = [i for i, v in enumerate(group) if v != v]
        return strange[0] if strange else group.index(best(group))

    def argument(input, dim=None, keepdim=False):
        _not_empty(input, dim, f"arg{name}")
        return _reduced(input, dim, keepdim, at, n.int64)

    def several(input, dim=(), keepdim=False):
        _not_empty(input, None if dim == () else dim, f"a{name}")

        def back(g, y):
            hit = (input == y).to(g.dtype)
            return hit * g / hit.sum(dim, True)

        return _reduced(input, dim, keepdim, lambda group: group[at(group)], None, f"A{name}Backward0", back)

    def extreme(input, dim=None, keepdim=False, *, other=None):
        if isinstance(dim, Tensor) or other is not None:
            return compute(of_two, input, dim if other is None else other)
        _not_empty(input, dim, name)
        if dim is None:
            return several(input)
        indices = argument(input, dim, True)
        found = input.gather(dim, indices) if input._shape else input.clone(), indices
        return PAIRS[name](*(found if keepdim or not input._shape else [x.squeeze(dim) for x in found]))

    define({f"arg{name}": argument, f"a{name}": several, name: extreme})


_extreme("max", max, "maximum")
_extreme("min", min, "minimum")


def _top(row: list) -> float:
    top = max(row, default=-inf)
    return nan if top != top or math.isnan(sum(row)) and any(v != v for v in row) else top


def _log_of_sum(row: list) -> float:
    top = _top(row)
    return top if not math.isfinite(top) else top + math.log(sum([math.exp(v - top) for v in row]))


def _softmax_row(row: list) -> list:
    top = _top(row)
    if not math.isfinite(top):
        return [nan] * len(row)
    powers = [math.exp(v - top) for v in row]
    total = sum(powers)
    return [power / total for power in powers]


def _log_softmax_row(row: list) -> list:
    total = _log_of_sum(row)
    return [v - total for v in row] if math.isfinite(total) else [nan] * len(row)


def _normalised(name: str, of, derivative):
    """softmax and log_softmax; `derivative` goes from (g, result, axis) to the gradient."""

    def function(input, dim=None, dtype=None):
        require(dim is not None, "softmax-dim", name)
        x, d = _summing(input, dtype)[0], axis(dim, input.dim())
        require(x.dtype.kind > 1, "softmax-dtype", name, "lastdim_" if d == x.dim() - 1 else "", x.dtype.legacy)
        out = _along(x, dim, of)
        if wants(x):
            kept, kind = out.detach(), "".join(map(str.capitalize, name.split("_")))
            record(out, f"{kind}Backward0", (x,), lambda g: (derivative(g, kept, d),))
            out._node.save(out)  # the way back needs the result as it is now
        return out

    define({name: function})


_normalised("softmax", _softmax_row, lambda g, y, d: y * (g - (g * y).sum(d, keepdim=True)))
_normalised("log_softmax", _log_softmax_row, lambda g, y, d: g - y.exp() * g.sum(d, keepdim=True))


_dot = getattr(math, "sumprod", lambda a, b: sum(map(operator.mul, a, b)))  # Python 3.12 has it


def _multiplied(a, b) -> Tensor:
    """(…, n, k) times (…, k, m), the leading axes broadcast."""
    (*outer, rows, inner), (*other, size, columns) = a._shape, b._shape
    batch = broadcast(tuple(outer), tuple(other))
    count = math.prod(batch)
    require(inner == size, "bmm-sizes", count, inner, count, size)
    require(a.dtype is not n.bool_, "mm-bool")
    left, right, values = spread(a, (*batch, rows, inner)), spread(b, (*batch, inner, columns)), []
    for i in range(count):
        across = [left[j * inner : (j + 1) * inner] for j in range(i * rows, (i + 1) * rows)]
        table = right[i * inner * columns : (i + 1) * inner * columns]
        down = [table[j::columns] for j in range(columns)]
        values += [_dot(row, column) for row in across for column in down]
    exact = a.dtype is n.float64 and inner
    out = new(values if exact else n.held(values, a.dtype), (*batch, rows, columns), a.dtype)
    by_a, by_b = wants(a), wants(b)
    if not (by_a or by_b):
        return out

    def back(g):
        to_a = _multiplied(g, b.mT.conj()) if by_a else None
        return to_a, _multiplied(a.mT.conj(), g) if by_b else None

    saved = [x for x, needed in ((b, by_a), (a, by_b)) if needed]
    return record(out, "BmmBackward0" if batch else "MmBackward0", (a, b), back, saved)


Tensor.__matmul__ = lambda self, other: self.matmul(other) if isinstance(other, Tensor) else NotImplemented


def _check(a, b):
    """The errors of PyTorch's kernels, which differ by how many axes there are."""
    vectors, count, inner, size = a.dim() == b.dim() == 1, math.prod(a._shape[:-1]), a._shape[-1], b._shape[-2:][0]
    require(a.dtype is b.dtype or (inner != size and not vectors), "mm-dtypes", a.dtype.cpp, b.dtype.cpp)
    if inner != size and b.dim() <= 2:
        require(not vectors, "dot-sizes", inner, size, inner, size)
        require(b.dim() == 2, "mv-sizes", count, count, inner, size)
        raise error("mm-sizes", count, inner, size, b._shape[-1])


def _letters(term: str, x, i: int) -> list:
    """A letter for each axis; those of the dots are digits, counted from the last."""
    before, ellipsis, after = term.partition("...")
    count = len(before) + len(after)
    extra = x.dim() - count
    require(extra >= 0 if ellipsis else extra == 0, "einsum-letters", count, x.dim(), i)
    return [*before, *(str(d) for d in reversed(range(extra))), *after]


def _without_repeats(letters: list, x) -> tuple[list, Tensor]:
    """Where a letter stands twice in one operand, the diagonal."""
    while twice := [c for c in letters if letters.count(c) > 1]:
        first, second = (d for d, c in enumerate(letters) if c == twice[0])
        x = x.diagonal(0, first, second)
        letters = [c for c in letters if c != twice[0]] + twice[:1]
    return letters, x
