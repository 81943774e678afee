"""Many numbers to one, and along an axis: sums, extremes, softmax, sorting. All go through `_groups`."""

import itertools
import math
import operator
from math import inf, nan

from . import _numbers as n
from ._elementwise import binary, where
from ._layout import axes, axis, in_a_row, places
from ._missing import NotInThePage, error, require
from ._operations import define, op
from ._tape import record, wants
from ._tensor import Tensor, flat, new


def _groups(x, dims: tuple) -> list[list]:
    """The numbers that are reduced together, group by group."""
    order = [*(d for d in range(x.dim()) if d not in dims), *sorted(dims)]
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


def _reduced(x, dim, keepdim, of, dtype=None) -> Tensor:
    """One number of each group."""
    dims, dtype = axes(dim, x.dim()), dtype or x.dtype
    return new(n.held(list(map(of, _groups(x, dims))), dtype), _left(x, dims, keepdim), dtype)


def _regrown(g, x, dim) -> Tensor:
    """A result (or its gradient), spread over the axes that were reduced."""
    return g.reshape(_left(x, axes(dim, x.dim()), True)).expand(x._shape)


def _count(x, dim) -> int:
    """How many numbers are reduced to one."""
    return math.prod(x._shape[d] for d in axes(dim, x.dim()))


def _summing(input, dtype) -> tuple:
    """The tensor in the dtype that was asked for, and the dtype of its sums."""
    x = input if dtype is None else input.to(dtype)
    return x, n.int64 if x.dtype.kind < 2 and dtype is None else x.dtype


@op("sum.dim_IntList")
def sum_(input, dim=None, keepdim=False, *, dtype=None):
    x, dtype = _summing(input, dtype)
    kind = "SumBackward0" if dim is None else "SumBackward1"
    return record(_reduced(x, dim, keepdim, sum, dtype), kind, (x,), lambda g: (_regrown(g, x, dim),))


@op(torch=False)
def sum_to_size(self, *size):
    size = tuple(size[0]) if size and isinstance(size[0], tuple | list) else size
    extra = self.dim() - len(size)
    gone = [d for d, m in enumerate(self._shape) if d < extra or (size[d - extra] == 1 and m != 1)]
    return (sum_(self, gone, True) if gone else self).reshape(size)


@op()
def mean(input, dim=None, keepdim=False, *, dtype=None):
    x, _ = _summing(input, dtype)
    require(x.dtype.kind > 1, "mean-dtype", x.dtype.legacy)
    require(isinstance(keepdim, bool), "mean-keepdim", type(keepdim).__name__)
    return sum_(x, dim, keepdim) / (_count(x, dim) or nan)


@op()
def prod(input, dim=None, keepdim=False, *, dtype=None):
    x, dtype = _summing(input, dtype)

    def without_each(row):
        return [math.prod(row[:i] + row[i + 1 :]) for i in range(len(row))]

    def back(g):
        return (_regrown(g, x, dim) * _along(x, axes(dim, x.dim()), without_each),)

    return record(_reduced(x, dim, keepdim, math.prod, dtype), "ProdBackward0", (x,), back, (x,))


@op()
def var(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    less = int(unbiased) if correction is None else correction
    apart = input - mean(input, dim, True)
    return sum_(apart * apart, dim, keepdim) / float(max(_count(input, dim) - less, 0))


def _truth(of):
    def function(input, dim=None, keepdim=False):
        return _reduced(input, dim, keepdim, of, n.uint8 if input.dtype is n.uint8 else n.bool_)

    return function


def _with_mean(of):
    def function(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
        return of(input, dim, unbiased, keepdim, correction=correction), mean(input, dim, keepdim)

    return function


def _deviation(input, *args, **wishes):
    return var(input, *args, **wishes).sqrt()


define(
    {
        "any": _truth(any),
        "all": _truth(all),
        "count_nonzero": lambda input, dim=None: sum_(input != 0, dim),
        "std": _deviation,
    }
)
define({"var_mean": _with_mean(var), "std_mean": _with_mean(_deviation)}, method=False)


# --- extremes -------------------------------------------------------------------------------------------------------


def named_pair(name: str, *fields: str):
    """A tuple whose parts have names, `values` and `indices`."""

    def shown(self):
        parts = ",\n".join(f"{field}={part!r}" for field, part in zip(fields, self, strict=True))
        return f"torch.return_types.{name}(\n{parts})"

    parts = {field: property(operator.itemgetter(i)) for i, field in enumerate(fields)}
    return type(name, (tuple,), {**parts, "__repr__": shown})


def _not_empty(x, dim, name: str):
    require(x.numel() or dim is not None, "empty-arg" if name[:3] == "arg" else "empty", name)
    for d in axes(dim, x.dim()):
        require(not x._shape or x._shape[d], "empty-axis", name, d)


def _extreme(name: str, best, other_name: str):
    pair = named_pair(name, "values", "indices")

    def at(group):
        strange = [i for i, v in enumerate(group) if v != v]
        return strange[0] if strange else group.index(best(group))

    def argument(input, dim=None, keepdim=False):
        _not_empty(input, dim, f"arg{name}")
        return _reduced(input, dim, keepdim, at, n.int64)

    def several(input, dim=(), keepdim=False):
        _not_empty(input, dim if dim != () else None, f"a{name}")
        out = _reduced(input, dim, keepdim, lambda group: group[at(group)])

        def back(g):
            hit = (input == _regrown(out.detach(), input, dim)).to(g.dtype)
            return (hit * _regrown(g, input, dim) / sum_(hit, dim, True),)

        return record(out, f"A{name}Backward0", (input,), back, (input,))

    def extreme(input, dim=None, keepdim=False, *, other=None):
        if isinstance(dim, Tensor) or other is not None:
            return binary(other_name, input, dim if other is None else other)
        _not_empty(input, dim, name)
        if dim is None:
            return several(input)
        indices = argument(input, dim, True)
        values = input.gather(dim, indices) if input._shape else input.clone()
        return pair((values, indices) if keepdim or not input._shape else (values.squeeze(dim), indices.squeeze(dim)))

    define({f"arg{name}": argument, f"a{name}": several, name: extreme})


_extreme("max", max, "maximum")
_extreme("min", min, "minimum")
_BOTH = named_pair("aminmax", "min", "max")
define({"aminmax": lambda input, *, dim=(), keepdim=False: _BOTH((input.amin(dim, keepdim), input.amax(dim, keepdim)))})


@op()
def logsumexp(input, dim, keepdim=False):
    x = input if input.dtype.kind > 1 else input.to(n.default)
    out = _reduced(x, dim, keepdim, _log_of_sum)

    def back(g):
        return (_regrown(g, x, dim) * (x - _regrown(out.detach(), x, dim)).exp(),)

    return record(out, "LogsumexpBackward0", (x,), back, (x,))


def _log_of_sum(row: list) -> float:
    top = _top(row)
    return top if not math.isfinite(top) else top + math.log(sum([math.exp(v - top) for v in row]))


def _top(row: list) -> float:
    top = max(row, default=-inf)
    return nan if top != top or math.isnan(sum(row)) and any(v != v for v in row) else top


# --- along an axis --------------------------------------------------------------------------------------------------


def _along(x, dims: tuple, of, dtype=None) -> Tensor:
    """A function from rows to rows of the same length."""
    dtype = dtype or x.dtype
    values = n.held([v for row in _groups(x, dims) for v in of(row)], dtype)
    order = [*(d for d in range(x.dim()) if d not in dims), *sorted(dims)]
    out = new(values, tuple([x._shape[d] for d in order]), dtype)
    if order != sorted(order):
        out = out.detach().permute(sorted(order, key=order.__getitem__))
        out = new(list(flat(out)), x._shape, dtype)
    return out


def _along_one(x, dim, of, dtype=None) -> Tensor:
    return _along(x, (axis(dim, x.dim()),) if x._shape else (), of, dtype)


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


def _normalised(name: str, kind: str, of, derivative):
    """softmax and log_softmax; `derivative` goes from (g, result, axis) to the gradient."""

    def function(input, dim=None, dtype=None):
        require(dim is not None, "softmax-dim", name)
        x, d = _summing(input, dtype)[0], axis(dim, input.dim())
        if x.dtype.kind < 2:
            raise error("softmax-dtype", name, "lastdim_" if d == x.dim() - 1 else "", x.dtype.legacy)
        out = _along_one(x, dim, of)
        if not wants(x):
            return out
        kept = out.detach()
        record(out, kind, (x,), lambda g: (derivative(g, kept, d),))
        out._node.save(out)  # the way back needs the result as it is now
        return out

    function.__name__ = name
    return op(f"_{name}")(function)


softmax = _normalised(
    *("softmax", "SoftmaxBackward0", _softmax_row), lambda g, y, d: y * (g - (g * y).sum(d, keepdim=True))
)
log_softmax = _normalised(
    *("log_softmax", "LogSoftmaxBackward0", _log_softmax_row), lambda g, y, d: g - y.exp() * g.sum(d, keepdim=True)
)


@op(in_place=True)
def cumsum(input, dim, *, dtype=None):
    x, dtype = _summing(input, dtype)
    out = _along_one(x, dim, itertools.accumulate, dtype)
    return record(out, "CumsumBackward0", (x,), lambda g: (g.flip(dim).cumsum(dim).flip(dim) if g._shape else g,))


# --- sorting --------------------------------------------------------------------------------------------------------

_SORTED, _TOP = named_pair("sort", "values", "indices"), named_pair("topk", "values", "indices")


@op()
def argsort(input, dim=-1, descending=False, *, stable=False):
    def order(row):
        if descending:
            return sorted(range(len(row)), key=lambda i: (row[i] == row[i], -row[i]))
        return sorted(range(len(row)), key=lambda i: (row[i] != row[i], row[i]))

    return _along_one(input, dim, order, n.int64)


@op()
def sort(input, dim=-1, descending=False, *, stable=False):
    indices = argsort(input, dim, descending)
    return _SORTED((input.gather(dim, indices), indices))


@op()
def topk(input, k, dim=-1, largest=True, sorted=True):
    require(0 <= int(k) <= (input._shape[dim] if input._shape else 1), "topk")
    found = sort(input, dim, largest)
    return _TOP([x.narrow(dim, 0, k).contiguous() for x in found] if input._shape else found)


def _median(input, dim=None, keepdim=False):
    if dim is not None:
        raise NotInThePage("Tensor.median(dim)")
    return sort(input.flatten()).values[(input.numel() - 1) // 2]


define(
    {
        "median": _median,
        "diff": lambda input, dim=-1: (
            input.narrow(dim, 1, input.size(dim) - 1) - input.narrow(dim, 0, input.size(dim) - 1)
        ),
    }
)

# --- lengths --------------------------------------------------------------------------------------------------------


@op()
def norm(input, p="fro", dim=None, keepdim=False, dtype=None):
    x, _ = _summing(input, dtype)
    if p == inf:
        return x.abs().amax(() if dim is None else dim, keepdim)
    if p not in ("fro", 2, None):
        return sum_(x.abs() ** p, dim, keepdim) ** (1 / p)
    out = _reduced(x, dim, keepdim, lambda group: math.sqrt(sum([abs(v) ** 2 for v in group])))

    def back(g):
        length = _regrown(out.detach(), x, dim)
        return (_regrown(g, x, dim) * where(length == 0, 0.0, x / length),)

    return record(out, "LinalgVectorNormBackward0", (x,), back, (x,))


@op("_cdist_forward", method=False)
def cdist(x1, x2, p=2.0):
    for name, x in (("X1", x1), ("X2", x2)):
        require(x.dim() > 1, "cdist-axes", name, x.dim())
    require(x1._shape[-1] == x2._shape[-1], "cdist-columns", x1._shape[-1], x2._shape[-1])
    return norm(x1.unsqueeze(-2) - x2.unsqueeze(-3), p, -1)
