"""Many numbers to one, and along an axis: sums, extremes, softmax, sorting. All go through `_groups`."""

import itertools
import math
from math import inf, nan

from . import _numbers as n
from ._elementwise import _saving_itself, binary, where
from ._layout import axes, axis, in_a_row, places
from ._missing import words
from ._operations import op
from ._tape import record, wants
from ._tensor import Tensor, flat, new


def _groups(x, dims: tuple) -> list[list]:
    """The numbers that are reduced together, group by group."""
    kept = [d for d in range(x.dim()) if d not in dims]
    order = [*kept, *sorted(dims)]
    shape, strides = tuple(x.shape[d] for d in order), tuple(x._strides[d] for d in order)
    size, count = math.prod(x.shape[d] for d in dims), math.prod(x.shape[d] for d in kept)
    values = x._store.values
    if in_a_row(shape, strides):
        values = values[x._offset : x._offset + size * count]
    else:
        values = list(map(values.__getitem__, places(shape, strides, x._offset)))
    return [values[i * size : (i + 1) * size] for i in range(count)]


def _left(x, dims: tuple, keepdim: bool) -> tuple:
    """The shape of what is left."""
    return tuple(1 if d in dims else size for d, size in enumerate(x.shape) if keepdim or d not in dims)


def _reduced(x, dim, keepdim, of, dtype=None) -> Tensor:
    """One number of each group."""
    dims, dtype = axes(dim, x.dim()), dtype or x.dtype
    return new(n.held([of(group) for group in _groups(x, dims)], dtype), _left(x, dims, keepdim), dtype)


def _regrown(g, x, dim) -> Tensor:
    """A result (or its gradient), spread over the axes that were reduced."""
    dims = axes(dim, x.dim())
    return g.reshape(_left(x, dims, True)).expand(x.shape)


def _in_dtype(x, dtype) -> Tensor:
    return x if dtype is None else x.to(dtype)


@op("sum.dim_IntList")
def sum_(input, dim=None, keepdim=False, *, dtype=None):
    x = _in_dtype(input, dtype)
    kind = "SumBackward0" if dim is None else "SumBackward1"
    out = _reduced(x, dim, keepdim, sum, n.int64 if x.dtype.kind < 2 and dtype is None else x.dtype)
    return record(out, kind, (x,), lambda g: (_regrown(g, x, dim),))


@op(torch=False)
def sum_to_size(self, *size):
    size = tuple(size[0]) if size and isinstance(size[0], tuple | list) else size
    extra = self.dim() - len(size)
    gone = [d for d, m in enumerate(self.shape) if d < extra or (size[d - extra] == 1 and m != 1)]
    return (sum_(self, gone, True) if gone else self).reshape(size)


@op()
def mean(input, dim=None, keepdim=False, *, dtype=None):
    x = _in_dtype(input, dtype)
    if x.dtype.kind < 2:
        raise RuntimeError(words("mean-dtype", x.dtype.legacy))
    count = math.prod(x.shape[d] for d in axes(dim, x.dim()))
    return sum_(x, dim, keepdim) / (count if count else nan)


@op()
def prod(input, dim=None, keepdim=False, *, dtype=None):
    x = _in_dtype(input, dtype)
    out = _reduced(x, dim, keepdim, math.prod, n.int64 if x.dtype.kind < 2 and dtype is None else x.dtype)

    def back(g):
        others = _along(x, axes(dim, x.dim()), lambda row: [math.prod(row[:i] + row[i + 1 :]) for i in range(len(row))])
        return (_regrown(g, x, dim) * others,)

    return record(out, "ProdBackward0", (x,), back, (x,))


@op()
def var(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    less = int(unbiased) if correction is None else correction
    count = math.prod(input.shape[d] for d in axes(dim, input.dim()))
    apart = input - mean(input, dim, True)
    return sum_(apart * apart, dim, keepdim) / (float(max(count - less, 0)))


@op()
def std(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
    return var(input, dim, unbiased, keepdim, correction=correction).sqrt()


@op(method=False)
def var_mean(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
    return var(input, dim, unbiased, keepdim, correction=correction), mean(input, dim, keepdim)


@op(method=False)
def std_mean(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
    return std(input, dim, unbiased, keepdim, correction=correction), mean(input, dim, keepdim)


def _truth(name: str, of):
    def function(input, dim=None, keepdim=False):
        return _reduced(input, dim, keepdim, of, n.uint8 if input.dtype is n.uint8 else n.bool_)

    function.__name__ = name
    return op()(function)


_truth("any", any)
_truth("all", all)


@op()
def count_nonzero(input, dim=None):
    return _reduced(input, dim, False, lambda group: sum(map(bool, group)), n.int64)


# --- extremes -------------------------------------------------------------------------------------------------------


def named_pair(name: str, *fields: str):
    """A tuple whose parts have names, `values` and `indices`."""

    def shown(self):
        parts = ",\n".join(f"{field}={part!r}" for field, part in zip(fields, self, strict=True))
        return f"torch.return_types.{name}(\n{parts})"

    parts = {field: property(lambda self, i=i: self[i]) for i, field in enumerate(fields)}
    return type(name, (tuple,), {**parts, "__repr__": shown, "_fields": fields})


def _extreme(name: str, best):
    pair = named_pair(name, "values", "indices")

    def at(group):
        strange = [i for i, v in enumerate(group) if v != v]
        return strange[0] if strange else group.index(best(group))

    def value(group):
        return group[at(group)]

    def not_empty(x, dim, what=""):
        if not x.numel() and dim is None:
            raise (IndexError if what == "arg" else RuntimeError)(
                f"{what}{name}(): Expected reduction dim to be specified for input.numel() == 0."
                + ("" if what == "arg" else " Specify the reduction dim with the 'dim' argument.")
            )
        for d in axes(dim, x.dim()):
            if not x.shape[d]:
                raise IndexError(f"{what}{name}(): Expected reduction dim {d} to have non-zero size.")

    def argument(input, dim=None, keepdim=False):
        not_empty(input, dim, "arg")
        return _reduced(input, dim, keepdim, at, n.int64)

    def several(input, dim=(), keepdim=False):
        not_empty(input, dim if dim != () else None, "a")
        out = _reduced(input, dim, keepdim, value)

        def back(g):
            hit = (input == _regrown(out.detach(), input, dim)).to(g.dtype)
            return (hit * _regrown(g, input, dim) / sum_(hit, dim, True),)

        return record(out, f"A{name}Backward0", (input,), back, (input,))

    def extreme(input, dim=None, keepdim=False, *, other=None):
        if isinstance(dim, Tensor) or other is not None:
            return binary("maximum" if name == "max" else "minimum", input, dim if other is None else other)
        not_empty(input, dim)
        if dim is None:
            return several(input)
        if not input.dim():
            return pair((input.clone(), argument(input)))
        indices = argument(input, dim, True)
        values = input.gather(dim, indices)
        return pair((values, indices) if keepdim else (values.squeeze(dim), indices.squeeze(dim)))

    for function, spelling in ((argument, f"arg{name}"), (several, f"a{name}"), (extreme, name)):
        function.__name__ = spelling
        op()(function)
    return several


amax, amin = _extreme("max", max), _extreme("min", min)
_BOTH, _MIDDLE = named_pair("aminmax", "min", "max"), named_pair("median", "values", "indices")


@op()
def aminmax(input, *, dim=None, keepdim=False):
    return _BOTH((amin(input, () if dim is None else dim, keepdim), amax(input, () if dim is None else dim, keepdim)))


@op()
def median(input, dim=None, keepdim=False):
    if dim is None:
        return median(input.reshape(-1), 0).values
    middle = (input.shape[dim] - 1) // 2
    values, indices = (x.select(dim, middle).contiguous() for x in sort(input, dim))
    return _MIDDLE((values.unsqueeze(dim), indices.unsqueeze(dim)) if keepdim else (values, indices))


@op()
def logsumexp(input, dim, keepdim=False):
    x = input if input.dtype.kind > 1 else input.to(n.default[0])
    out = _reduced(x, dim, keepdim, _log_of_sum)

    def back(g):
        return (_regrown(g, x, dim) * (x - _regrown(out.detach(), x, dim)).exp(),)

    return record(out, "LogsumexpBackward0", (x,), back, (x,))


def _log_of_sum(row: list) -> float:
    top = _top(row)
    return top if not math.isfinite(top) else top + math.log(sum(math.exp(v - top) for v in row))


def _top(row: list) -> float:
    return nan if any(v != v for v in row) else max(row, default=-inf)


# --- along an axis --------------------------------------------------------------------------------------------------


def _along(x, dims: tuple, of, dtype=None) -> Tensor:
    """A function from rows to rows of the same length."""
    dtype = dtype or x.dtype
    order = [d for d in range(x.dim()) if d not in dims] + sorted(dims)
    values = [v for row in _groups(x, dims) for v in of(row)]
    out = new(n.held(values, dtype), [x.shape[d] for d in order], dtype)
    if order == list(range(x.dim())):
        return out
    turned = out.permute(sorted(range(x.dim()), key=order.__getitem__))
    return new(list(flat(turned)), x.shape, dtype)


def _softmax_row(row: list) -> list:
    top = _top(row)
    if not math.isfinite(top):
        return [nan] * len(row)
    powers = [math.exp(v - top) for v in row]
    total = sum(powers)
    return [power / total for power in powers]


def _log_softmax_row(row: list) -> list:
    top = _top(row)
    if not math.isfinite(top):
        return [nan] * len(row)
    total = math.log(sum([math.exp(v - top) for v in row]))
    return [v - top - total for v in row]


def _normalised(name: str, kind: str, of, derivative):
    """softmax and log_softmax; `derivative` goes from (g, result, axis) to the gradient."""

    def function(input, dim=None, dtype=None):
        if dim is None:
            raise TypeError(f'{name}() missing 1 required positional arguments: "dim"')
        x = _in_dtype(input, dtype)
        d = axis(dim, x.dim())
        if x.dtype.kind < 2:
            last = "lastdim_" if d == x.dim() - 1 else ""
            raise NotImplementedError(f"\"{name}_{last}kernel_impl\" not implemented for '{x.dtype.legacy}'")
        out = _along(x, (d,) if x.dim() else (), of)
        if not wants(x):
            return out
        kept = out.detach()
        return _saving_itself(record(out, kind, (x,), lambda g: (derivative(g, kept, d),)))

    function.__name__ = name
    return op(f"_{name}")(function)


softmax = _normalised(
    *("softmax", "SoftmaxBackward0", _softmax_row), lambda g, y, d: y * (g - (g * y).sum(d, keepdim=True))
)
log_softmax = _normalised(
    *("log_softmax", "LogSoftmaxBackward0", _log_softmax_row), lambda g, y, d: g - y.exp() * g.sum(d, keepdim=True)
)


def _flowing_back(g, d: int) -> Tensor:
    """What all later places give."""
    return cumsum(g.flip(d), d).flip(d) if g.dim() else g


@op(in_place=True)
def cumsum(input, dim, *, dtype=None):
    x, d = _in_dtype(input, dtype), axis(dim, input.dim())
    dims, kind = (d,) if x.dim() else (), n.int64 if x.dtype.kind < 2 and dtype is None else x.dtype
    out = _along(x, dims, itertools.accumulate, kind)
    return record(out, "CumsumBackward0", (x,), lambda g: (_flowing_back(g, d),))


@op(in_place=True)
def cumprod(input, dim, *, dtype=None):
    x, d = _in_dtype(input, dtype), axis(dim, input.dim())
    dims, kind = (d,) if x.dim() else (), n.int64 if x.dtype.kind < 2 and dtype is None else x.dtype
    out = _along(x, dims, lambda row: itertools.accumulate(row, lambda a, b: a * b), kind)
    return record(out, "CumprodBackward0", (x,), lambda g: (_flowing_back(g * out.detach(), d) / x,), (x,))


# --- sorting --------------------------------------------------------------------------------------------------------

_SORTED, _TOP = named_pair("sort", "values", "indices"), named_pair("topk", "values", "indices")


@op()
def argsort(input, dim=-1, descending=False, *, stable=False):

    def order(row):
        if descending:
            return sorted(range(len(row)), key=lambda i: (row[i] == row[i], -row[i]))
        return sorted(range(len(row)), key=lambda i: (row[i] != row[i], row[i]))

    return _along(input, (axis(dim, input.dim()),) if input.dim() else (), order, n.int64)


@op()
def sort(input, dim=-1, descending=False, *, stable=False):
    indices = argsort(input, dim, descending)
    return _SORTED((input.gather(dim, indices), indices))


@op()
def topk(input, k, dim=-1, largest=True, sorted=True):
    if not 0 <= int(k) <= (input.shape[dim] if input.dim() else 1):
        raise RuntimeError("selected index k out of range")
    found = sort(input, dim, largest)
    return _TOP([x.narrow(dim, 0, k).contiguous() for x in found] if input.dim() else found)


# --- lengths --------------------------------------------------------------------------------------------------------


@op()
def norm(input, p="fro", dim=None, keepdim=False, dtype=None):
    x = _in_dtype(input, dtype)
    if p == inf:
        return amax(x.abs(), () if dim is None else dim, keepdim)
    if p == 1:
        return sum_(x.abs(), dim, keepdim)
    if p not in ("fro", 2, None):
        return sum_(x.abs() ** p, dim, keepdim) ** (1 / p)
    out = _reduced(x, dim, keepdim, lambda group: math.sqrt(sum([abs(v) ** 2 for v in group])))

    def back(g):
        length = _regrown(out.detach(), x, dim)
        return (_regrown(g, x, dim) * where(length == 0, 0.0, x / length),)

    return record(out, "LinalgVectorNormBackward0", (x,), back, (x,))


@op("_cdist_forward", method=False)
def cdist(x1, x2, p=2.0, compute_mode=None):
    for name, x in (("X1", x1), ("X2", x2)):
        if x.dim() < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {name} got: {x.dim()}D")
    if x1.shape[-1] != x2.shape[-1]:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {x1.shape[-1]} X2: {x2.shape[-1]}")
    return norm(x1.unsqueeze(-2) - x2.unsqueeze(-3), p, -1)
