"""Brackets, gather and scatter: numbers taken from places that other tensors name, and written there."""

import math
import operator

from . import _numbers as n
from ._layout import axis, places, rows
from ._making import tensor, zeros
from ._missing import error, require
from ._operations import Operations, define, operand, rewrite
from ._tape import record
from ._tensor import Tensor, alike, flat, meeting, new, spread
from ._views import cut, views

MASKS = n.bool_, n.uint8


def _parts(key, count: int) -> list:
    """The parts of a key, the ellipsis written out."""
    parts = list(key) if isinstance(key, tuple) else [key]
    for i, part in enumerate(parts):
        if isinstance(part, list | tuple | range | str):
            parts[i] = tensor(part)
        elif not (part is None or part is ... or isinstance(part, slice | bool | int | Tensor)):
            require(hasattr(part, "__index__"), "index-kind", type(part).__name__)
            parts[i] = operator.index(part)
        elif isinstance(part, Tensor) and not part._shape and part.dtype.kind == 1:
            parts[i] = part.item()  # a single integer is as good as a Python number
    used = sum(map(_axes_used, parts))
    require(used <= count, "index-many", count)
    dots = [i for i, part in enumerate(parts) if part is ...]
    at = dots[0] if dots else len(parts)
    return parts[:at] + [slice(None)] * (count - used) + [part for part in parts[at:] if part is not ...]


def _axes_used(part) -> int:
    if part is None or part is ... or isinstance(part, bool):
        return 0
    return part.dim() if isinstance(part, Tensor) and part.dtype in MASKS else 1


def _seen(x, key) -> tuple[Tensor, list]:
    """What the integers and slices of a key leave, and the tensors of indices by axis (None where there is none)."""
    tensors, used = [], 0
    for part in _parts(key, x.dim()):
        d, used = len(tensors), used + _axes_used(part)
        if isinstance(part, slice):
            x = _sliced(x, d, part)
            tensors.append(None)
        elif part is None:
            x = x.unsqueeze(d)
            tensors.append(None)
        elif isinstance(part, int) and not isinstance(part, bool):
            size = x._shape[d]
            require(-size <= part < size, "index-range", part, used - 1, size)
            x = x.select(d, part)
        elif isinstance(part, bool) or not part._shape:
            x = x.unsqueeze(d)
            tensors.append(new([0] if part else [], (int(bool(part)),), n.int64))
        elif part.dtype in MASKS:
            for j, size in enumerate(part._shape):
                require(x._shape[d + j] == size, "index-mask", list(part.shape), j, list(x.shape), d + j)
            tensors += part.nonzero(as_tuple=True)
        else:
            require(part.dtype.kind == 1, "index-dtype")
            tensors.append(part)
    return x, tensors + [None] * (x.dim() - len(tensors))


def _sliced(x, d: int, part: slice) -> Tensor:
    if part == slice(None):
        return x
    ends = [end.item() if isinstance(end, Tensor) else end for end in (part.start, part.stop, part.step)]
    require(ends[2] is None or ends[2] > 0, "index-step")
    start, stop, step = slice(*ends).indices(x._shape[d])
    return cut(x, d, start, max(start, stop), step)


def _places_named(x, tensors: list) -> tuple[list, tuple]:
    """The places (in logical order) that tensors of indices name, and the shape of what is there."""
    named = [d for d, index in enumerate(tensors) if index is not None]
    try:
        shape = meeting(*(tensors[d] for d in named))
    except RuntimeError:
        raise error("index-broadcast", ", ".join(str(list(tensors[d].shape)) for d in named)) from None
    strides, shifts = rows(x._shape), [0] * math.prod(shape)
    for d in named:
        size, indices = x._shape[d], spread(tensors[d], shape)
        for i in indices:
            require(-size <= i < size, "index-range", i, d, size)
        shifts = [shift + i % size * strides[d] for shift, i in zip(shifts, indices, strict=True)]
    together = named == list(range(named[0], named[-1] + 1))
    before = list(range(named[0] if together else 0))
    after = [d for d in range(x.dim()) if d not in named and d not in before]
    wide, narrow = (tuple(x._shape[d] for d in of) for of in (before, after))
    outer, inner = places(wide, tuple(strides[d] for d in before)), places(narrow, tuple(strides[d] for d in after))
    return [a + b + c for a in outer for b in shifts for c in inner], (*wide, *shape, *narrow)


class brackets(Operations):
    def __getitem__(self, key):
        require(self._shape or type(key) is not int, "index-number")
        if type(key) is int and -self._shape[0] <= key < self._shape[0]:  # by far the commonest
            return self.select(0, key)
        x, tensors = _seen(self, key)
        if any(index is not None for index in tensors):
            return x._picked(*_places_named(x, tensors))
        return x if x is not self else cut(self, 0, 0, self._shape[0]) if self._shape else self.expand(())

    def __setitem__(self, key, value):
        if not isinstance(value, Tensor):
            came, value = value, tensor(value) if isinstance(value, list | tuple) else operand(value)
            require(value is not NotImplemented, "index-put-kind", type(came).__name__, self.dtype.legacy)
        x, tensors = _seen(self, key)
        if any(index is not None for index in tensors):
            rewrite(x, _put(x, tensors, value))
        elif not isinstance(value, Tensor):
            x.fill_(value)
        else:
            while value.dim() > x.dim() and value._shape[0] == 1:  # leading axes of size 1 may be too many here
                value = value.squeeze(0)
            x.copy_(value.expand(x._shape))


def _put(x, tensors: list, value) -> Tensor:
    at, shape = _places_named(x, tensors)
    value = value if isinstance(value, Tensor) else tensor(value, dtype=x.dtype)
    require(value.dtype is x.dtype or not value._shape, "index-put-dtype", x.dtype.legacy, value.dtype.legacy)
    try:
        value = value.to(x.dtype).expand(shape)
    except RuntimeError:
        raise error("index-put-shape", list(value.shape), list(shape)) from None
    return put(x, at, value, "IndexPutBackward0")


def put(x, at: list, source, name: str, add=False) -> Tensor:
    """A copy of `x` in which the numbers of `source` have been written or added into some places."""
    values = list(flat(x))
    for p, v in zip(at, flat(source), strict=True):
        values[p] = values[p] + v if add else v
    out = new(n.held(values, x.dtype), x._shape, x.dtype)
    return record(out, name, (x, source), lambda g: (g if add else g._without(at), g._picked(at, source._shape)))


def _places_along(name: str, x, dim, index) -> list:
    """For every number of `index` the place that it names along an axis of `x`."""
    d, shape = axis(dim, x.dim()), index._shape
    require(index.dtype in (n.int64, n.int32), "gather-dtype", name)
    require(max(len(shape), 1) == max(x.dim(), 1), "gather-dim", "input" if name == "gather" else "self")
    for k in range(len(shape)):
        require(k == d or shape[k] <= x._shape[k], "gather-size", k, list(shape), list(x._shape), d)
    strides, size = rows(x._shape) or (1,), x._shape[d] if x._shape else 1
    for i in flat(index):
        require(0 <= i < size, "gather-range", i, d, size)
    at = places(shape, tuple(0 if k == d else strides[k] for k in range(len(shape))))
    return [p + i * strides[d] for p, i in zip(at, flat(index), strict=True)]


def _scattered(input, dim, index, src, add=False) -> Tensor:
    at = _places_along("scatter", input, dim, index)
    if not isinstance(src, Tensor):
        src = new(n.held([src], input.dtype) * len(at), index._shape, input.dtype)
    require(src.dtype is input.dtype, "scatter-dtype")
    return put(input, at, src[tuple(map(slice, index._shape))], "ScatterBackward0", add)


def _triangle(input, diagonal: int, beyond) -> Tensor:
    require(input.dim() > 1, "triangle", "tril" if beyond is operator.gt else "triu")
    down, across = input._shape[-2:]
    gone = [beyond(j - i, diagonal) for i in range(down) for j in range(across)]
    return input.masked_fill(new(gone, (down, across), n.bool_), 0)


define(
    {
        "scatter": lambda input, dim, index, src=None, *, value=None: _scattered(
            input, dim, index, value if src is None else src
        ),
        "scatter_add": lambda input, dim, index, src: _scattered(input, dim, index, src, add=True),
        "tril": lambda input, diagonal=0: _triangle(input, diagonal, operator.gt),
        "triu": lambda input, diagonal=0: _triangle(input, diagonal, operator.lt),
    },
    in_place=True,
)


class choosing(Operations):
    def gather(input, dim, index):
        return input._picked(_places_along("gather", input, dim, index), index._shape, "GatherBackward0")

    def nonzero(input, *, as_tuple=False):
        strides, shape = rows(input._shape), input._shape
        at = [p for p, v in enumerate(flat(input)) if v]
        columns = [[p // s % size for p in at] for s, size in zip(strides or (1,), shape or (1,), strict=True)]
        if as_tuple:
            return tuple(new(column, (len(at),), n.int64) for column in columns)
        found = [i for row in zip(*columns[: len(shape)], strict=True) for i in row]
        return new(found, (len(at), len(shape)), n.int64)

    def diag_embed(input, offset=0, dim1=-2, dim2=-1):
        size = input._shape[-1] + abs(offset)
        shape = (*input._shape[:-1], size, size)
        place = zeros(shape).diagonal(offset, -2, -1)
        out = input.detach()._placed(places(place._shape, place._strides, place._offset), shape)
        out = record(out, "DiagEmbedBackward0", (input,), lambda g: (g.diagonal(offset, -2, -1),))
        return out if (dim1, dim2) == (-2, -1) else out.movedim((-2, -1), (dim1, dim2))

    def diag(input, diagonal=0):
        return input.diag_embed(diagonal) if input.dim() == 1 else input.diagonal(diagonal).contiguous()

    # comparing

    def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
        found = list(_agreeing(input, other, rtol, atol, equal_nan))
        return alike(found, meeting(input, other), n.bool_, input, other)

    def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
        return all(_agreeing(input, other, rtol, atol, equal_nan))

    def equal(input, other):
        return input._shape == other._shape and all(map(operator.eq, flat(input), flat(other)))

    # complex numbers

    def complex(real, imag):
        shape = meeting(real, imag)
        values = list(map(complex, spread(real, shape), spread(imag, shape)))
        out = new(values, shape, real.dtype.partner)
        return record(out, "ComplexBackward0", (real, imag), lambda g: (g.real, g.imag))

    def conj(input):
        return input if input.dtype.kind != 3 else choosing.complex(input.real, -input.imag)

    def polar(abs, angle):
        return choosing.complex(abs * angle.cos(), abs * angle.sin())

    def view_as_complex(tensor):
        require(tensor._shape and tensor._shape[-1] == 2, "view-as-complex")
        return choosing.complex(*tensor.unbind(-1))

    def view_as_real(tensor):
        return views.stack([tensor.real, tensor.imag], -1)


def _agreeing(a, b, *wishes):
    """Whether two tensors are close, number by number."""
    require(a.dtype is b.dtype, "close-dtypes", a.dtype.legacy, b.dtype.legacy)
    shape = meeting(a, b)
    return (v == w or _close(v, w, *wishes) for v, w in zip(spread(a, shape), spread(b, shape), strict=True))


def _close(a, b, rtol: float, atol: float, equal_nan: bool) -> bool:
    if equal_nan and a != a and b != b:
        return True
    return abs(a - b) <= atol + rtol * abs(b) and not (math.isinf(abs(a)) or math.isinf(abs(b)))


def _part(x, name: str) -> Tensor:
    """The real or the imaginary part."""
    out = new([getattr(v, name) for v in flat(x)], x._shape, x.dtype.partner)
    pair = (1, 0) if name == "real" else (0, 1)
    return record(out, f"{name.capitalize()}Backward0", (x,), lambda g: (choosing.complex(g * pair[0], g * pair[1]),))


def _imag(x):
    require(x.dtype.kind == 3, "imag")
    return _part(x, "imag")


Tensor.real = property(lambda x: x if x.dtype.kind != 3 else _part(x, "real"))
Tensor.imag = property(_imag)
