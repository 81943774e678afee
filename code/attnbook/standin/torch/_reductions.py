"""Many numbers to one, and along an axis: sums, extremes, softmax, sorting. All go through `_groups`."""

import itertools
import math
from collections import namedtuple
from math import inf, nan

from . import _numbers as n
from ._elementwise import compute, where
from ._layout import axes, axis, in_a_row, places
from ._missing import NotInThePage, error, require
from ._operations import Operations, define
from ._tape import record, wants
from ._tensor import Tensor, flat, new


def _ordered(x, dims: tuple) -> list:
    """The axes of `x`, those that are reduced last."""
    return [*(d for d in range(x.dim()) if d not in dims), *sorted(dims)]


def _groups(x, dims: tuple) -> list[list]:
    """The numbers that are reduced together, group by group."""
    order = _ordered(x, dims)
    shape, strides = tuple([x._shape[d] for d in order]), tuple([x._strides[d] for d in order])
    size, count = math.prod(shape[len(shape) - len(dims) :]), math.prod(shape[: len(shape) - len(dims)])
    values = x._store.values
    if in_a_row(shape, strides):
        values = values[x._offset : x._offset + size * count]
    else:
        values = list(map(values.__getitem__, places(shape, strides, x._offset)))
    return [values] if count == 1 else [values[i * size : (i + 1) * size] for i in range(count)]


def _left(x, dims: tuple, keepdim: bool) -> tuple:
    """The shape of what is left."""
    return tuple([1 if d in dims else size for d, size in enumerate(x._shape) if keepdim or d not in dims])


def _reduced(x, dim, keepdim, of, dtype=None, name="", back=None) -> Tensor:
    """One number of each group. `back` gets the gradient and the result, both spread out again."""
    dims, dtype = axes(dim, x.dim()), dtype or x.dtype
    out = new(n.held(list(map(of, _groups(x, dims))), dtype), _left(x, dims, keepdim), dtype)
    if back is None or not wants(x):
        return out
    kept, shape = out.detach(), _left(x, dims, True)

    def spread_out(y):
        return y.reshape(shape).expand(x._shape)

    saved = () if name[:3] == "Sum" else (x,)
    return record(out, name, (x,), lambda g: (back(spread_out(g), spread_out(kept)),), saved)


def _along(x, dims: tuple, of, dtype=None) -> Tensor:
    """A function from rows to rows of the same length."""
    dtype, order = dtype or x.dtype, _ordered(x, dims)
    values = n.held([v for row in _groups(x, dims) for v in of(row)], dtype)
    out = new(values, tuple([x._shape[d] for d in order]), dtype)
    if order != sorted(order):
        out = new(list(flat(out.permute(sorted(order, key=order.__getitem__)))), x._shape, dtype)
    return out


def _length(group: list) -> float:
    return math.sqrt(sum([abs(v) ** 2 for v in group]))


def _along_one(x, dim, of, dtype=None) -> Tensor:
    return _along(x, (axis(dim, x.dim()),) if x._shape else (), of, dtype)


def _summing(input, dtype) -> tuple:
    """The tensor in the dtype that was asked for, and the dtype of its sums."""
    x = input if dtype is None else input.to(dtype)
    return x, n.int64 if x.dtype.kind < 2 and dtype is None else x.dtype


def _of_others(row: list) -> list:
    return [math.prod(row[:i] + row[i + 1 :]) for i in range(len(row))]


class sums(Operations):
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
        require(isinstance(keepdim, bool), "mean-keepdim", type(keepdim).__name__)
        return x.sum(dim, keepdim) / (math.prod(x._shape[d] for d in axes(dim, x.dim())) or nan)

    def prod(input, dim=None, keepdim=False, *, dtype=None):
        x, dtype = _summing(input, dtype)
        dims = axes(dim, x.dim())
        return _reduced(
            x, dim, keepdim, math.prod, dtype, "ProdBackward0", lambda g, y: g * _along(x, dims, _of_others)
        )

    def var(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        less = int(unbiased) if correction is None else correction
        apart = input - input.mean(dim, True)
        count = math.prod(input._shape[d] for d in axes(dim, input.dim()))
        return (apart * apart).sum(dim, keepdim) / float(max(count - less, 0))

    def logsumexp(input, dim, keepdim=False):
        x = input if input.dtype.kind > 1 else input.to(n.default)
        return _reduced(x, dim, keepdim, _log_of_sum, None, "LogsumexpBackward0", lambda g, y: g * (x - y).exp())

    def norm(input, p="fro", dim=None, keepdim=False, dtype=None):
        x, _ = _summing(input, dtype)
        if p == inf:
            return x.abs().amax(() if dim is None else dim, keepdim)
        if p not in ("fro", 2, None):
            return (x.abs() ** p).sum(dim, keepdim) ** (1 / p)
        return _reduced(
            x, dim, keepdim, _length, None, "LinalgVectorNormBackward0", lambda g, y: g * where(y == 0, 0.0, x / y)
        )


def _truth(of):
    return lambda input, dim=None, keepdim=False: _reduced(
        input, dim, keepdim, of, n.uint8 if input.dtype is n.uint8 else n.bool_
    )


def _with_mean(of):
    return lambda tensor, dim=None, unbiased=True, keepdim=False, *, correction=None: (
        (of(tensor, dim, unbiased, keepdim, correction=correction), tensor.mean(dim, keepdim))
    )


def _cumsum(input, dim, *, dtype=None):
    x, dtype = _summing(input, dtype)
    out = _along_one(x, dim, itertools.accumulate, dtype)
    return record(out, "CumsumBackward0", (x,), lambda g: (g.flip(dim).cumsum(dim).flip(dim) if g._shape else g,))


def _cdist(x1, x2, p=2.0):
    for name, x in (("X1", x1), ("X2", x2)):
        require(x.dim() > 1, "cdist-axes", name, x.dim())
    require(x1._shape[-1] == x2._shape[-1], "cdist-columns", x1._shape[-1], x2._shape[-1])
    return (x1.unsqueeze(-2) - x2.unsqueeze(-3)).norm(p, -1)


define(
    {
        "any": _truth(any),
        "all": _truth(all),
        "count_nonzero": lambda input, dim=None: (input != 0).sum(dim),
        "diff": lambda input, dim=-1: (
            input.narrow(dim, 1, input.size(dim) - 1) - input.narrow(dim, 0, input.size(dim) - 1)
        ),
        "std": lambda input, *args, **wishes: input.var(*args, **wishes).sqrt(),
        "cdist": _cdist,
    }
)
define({"var_mean": _with_mean(Tensor.var), "std_mean": _with_mean(Tensor.std)})
define({"cumsum": _cumsum}, in_place=True)


def _shown(pair) -> str:
    parts = ",\n".join(f"{field}={part!r}" for field, part in pair._asdict().items())
    return f"torch.return_types.{type(pair).__name__}(\n{parts})"


PAIRS = {name: namedtuple(name, "values indices") for name in ("max", "min", "sort", "topk")}
PAIRS["aminmax"] = namedtuple("aminmax", "min max")
for _pair in PAIRS.values():
    _pair.__repr__ = _shown


def _not_empty(x, dim, name: str):
    require(x.numel() or dim is not None, "empty-arg" if name[:3] == "arg" else "empty", name)
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


class sorting(Operations):
    def aminmax(input, *, dim=(), keepdim=False):
        return PAIRS["aminmax"](input.amin(dim, keepdim), input.amax(dim, keepdim))

    def argsort(input, dim=-1, descending=False, *, stable=False):
        sign = -1 if descending else 1

        def order(row):  # NaN counts as the largest
            return sorted(range(len(row)), key=lambda i: (sign * (row[i] != row[i]), sign * row[i]))

        return _along_one(input, dim, order, n.int64)

    def sort(input, dim=-1, descending=False, *, stable=False):
        indices = input.argsort(dim, descending)
        return PAIRS["sort"](input.gather(dim, indices), indices)

    def topk(input, k, dim=-1, largest=True, sorted=True):
        require(0 <= int(k) <= (input._shape[dim] if input._shape else 1), "topk")
        found = input.sort(dim, largest)
        return PAIRS["topk"](*([x.narrow(dim, 0, k).contiguous() for x in found] if input._shape else found))

    def median(input, dim=None, keepdim=False):
        if dim is not None:
            raise NotInThePage("Tensor.median(dim)")
        return input.flatten().sort().values[(input.numel() - 1) // 2]


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
        if x.dtype.kind < 2:
            raise error("softmax-dtype", name, "lastdim_" if d == x.dim() - 1 else "", x.dtype.legacy)
        out = _along_one(x, dim, of)
        if wants(x):
            kept, kind = out.detach(), "".join(map(str.capitalize, name.split("_")))
            record(out, f"{kind}Backward0", (x,), lambda g: (derivative(g, kept, d),))
            out._node.save(out)  # the way back needs the result as it is now
        return out

    define({name: function})


_normalised("softmax", _softmax_row, lambda g, y, d: y * (g - (g * y).sum(d, keepdim=True)))
_normalised("log_softmax", _log_softmax_row, lambda g, y, d: g - y.exp() * g.sum(d, keepdim=True))
