"""Brackets, gather and scatter: numbers taken from places that other tensors name, and written there."""

import math
import operator

from . import _numbers as n
from ._layout import axis, broadcast, places, rows
from ._making import copy_, fill_, tensor, zeros
from ._missing import words
from ._operations import op, operand, rewrite
from ._tape import record
from ._tensor import Tensor, alike, flat, new, picked, placed, spread
from ._views import cut, diagonal, repicked, unsqueeze

# --- brackets -------------------------------------------------------------------------------------------------------


def _parts(key, count: int) -> list:
    """The parts of a key, the ellipsis written out."""
    parts = list(key) if isinstance(key, tuple) else [key]
    for i, part in enumerate(parts):
        if isinstance(part, list | tuple | range):
            parts[i] = tensor(list(part))
        elif isinstance(part, str):
            raise TypeError("new(): invalid data type 'str'")
        elif not (part is None or part is ... or isinstance(part, slice | bool)) and not _names_places(part):
            try:
                parts[i] = operator.index(part)
            except TypeError:
                raise IndexError(words("index-kind", type(part).__name__)) from None
    used = sum(_axes_used(part) for part in parts)
    if used > count:
        raise IndexError(f"too many indices for tensor of dimension {count}")
    dots = [i for i, part in enumerate(parts) if part is ...]
    at = dots[0] if dots else len(parts)
    return parts[:at] + [slice(None)] * (count - used) + [part for part in parts[at:] if part is not ...]


def _names_places(part) -> bool:
    """Whether it is a tensor of indices or a mask; a single integer is as good as a Python number."""
    return isinstance(part, Tensor) and (part.dim() > 0 or part.dtype.kind != 1)


def _axes_used(part) -> int:
    if part is None or part is ... or isinstance(part, bool):
        return 0
    return part.dim() if isinstance(part, Tensor) and part.dtype in (n.bool_, n.uint8) else 1


def _seen(x, key) -> tuple[Tensor, list]:
    """What the integers and slices of a key leave, and the tensors of indices by axis (None where there is none)."""
    tensors, d, used = [], 0, 0
    for part in _parts(key, x.dim()):
        if isinstance(part, Tensor) and part.dtype not in (n.bool_, n.uint8):
            if part.dtype.kind != 1:
                raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
            tensors.append(part)
        elif part is None or isinstance(part, bool) or (isinstance(part, Tensor) and not part.dim()):
            x = unsqueeze(x, d)
            tensors.append(None if part is None else tensor([0] if part else [], dtype=n.int64))
        elif isinstance(part, Tensor):
            for j, size in enumerate(part.shape):
                if x.shape[d + j] != size:
                    raise IndexError(words("index-mask", list(part.shape), j, list(x.shape), d + j))
            tensors += nonzero(part, as_tuple=True)
        elif isinstance(part, int):
            if not -x.shape[d] <= part < x.shape[d]:
                raise IndexError(f"index {part} is out of bounds for dimension {used} with size {x.shape[d]}")
            x = x.select(d, part)
        else:
            x = _sliced(x, d, part)
            tensors.append(None)
        d, used = len(tensors), used + _axes_used(part)
    return x, tensors


def _sliced(x, d: int, part: slice) -> Tensor:
    ends = [end.item() if isinstance(end, Tensor) else end for end in (part.start, part.stop, part.step)]
    if ends[2] is not None and ends[2] <= 0:
        raise ValueError("step must be greater than zero")
    start, stop, step = slice(*ends).indices(x.shape[d])
    return cut(x, d, start, max(start, stop), step)


def _places_named(x, tensors: list) -> tuple[list, tuple]:
    """The places (in logical order) that tensors of indices name, and the shape of what is there."""
    named = [d for d, index in enumerate(tensors) if index is not None]
    shape = ()
    for d in named:
        try:
            shape = broadcast(shape, tuple(tensors[d].shape))
        except RuntimeError:
            shapes = ", ".join(str(list(tensors[d].shape)) for d in named)
            raise IndexError(words("index-broadcast", shapes)) from None
    strides, shifts = rows(tuple(x.shape)), [0] * math.prod(shape)
    for d in named:
        size, indices = x.shape[d], spread(tensors[d], shape)
        for i in indices:
            if not -size <= i < size:
                raise IndexError(f"index {i} is out of bounds for dimension {d} with size {size}")
        shifts = [shift + i % size * strides[d] for shift, i in zip(shifts, indices, strict=True)]
    together = named == list(range(named[0], named[-1] + 1))
    before = list(range(named[0] if together else 0))
    after = [d for d in range(x.dim()) if d not in named and d not in before]
    outer, inner = (places(tuple(x.shape[d] for d in of), tuple(strides[d] for d in of)) for of in (before, after))
    at = [a + b + c for a in outer for b in shifts for c in inner]
    return at, (*(x.shape[d] for d in before), *shape, *(x.shape[d] for d in after))


def _whole_key(x, tensors: list) -> list:
    return [*tensors, *[None] * (x.dim() - len(tensors))]


@op("index.Tensor", torch=False)
def __getitem__(self, key):
    if not self.dim() and isinstance(key, int) and not isinstance(key, bool):
        raise IndexError(words("index-number"))
    if type(key) is int and -len(self) <= key < len(self):  # by far the commonest
        return self.select(0, key)
    x, tensors = _seen(self, key)
    if all(index is None for index in tensors):
        return x if x is not self else self.view(self.shape) if self.is_contiguous() else self.expand(self.shape)
    return picked(x, *_places_named(x, _whole_key(x, tensors)), "IndexBackward0")


@op("index_put_", torch=False, mutable=True)
def __setitem__(self, key, value):
    if not isinstance(value, Tensor):
        came = value
        value = tensor(value) if isinstance(value, list | tuple) else operand(value)
        if value is NotImplemented:
            raise TypeError(f"can't assign a {type(came).__name__} to a torch.{self.dtype.legacy}Tensor")
    x, tensors = _seen(self, key)
    if any(index is not None for index in tensors):
        rewrite(x, _put(x, _whole_key(x, tensors), value))
    elif not isinstance(value, Tensor):
        fill_(x, value)
    else:
        while value.dim() > x.dim() and value.shape[0] == 1:  # leading axes of size 1 may be too many here
            value = value.squeeze(0)
        copy_(x, value.expand(x.shape))


def _put(x, tensors: list, value) -> Tensor:
    at, shape = _places_named(x, tensors)
    if not isinstance(value, Tensor):
        value = tensor(value, dtype=x.dtype)
    if value.dtype is not x.dtype:
        if value.dim():
            raise RuntimeError(words("index-put-dtype", x.dtype.legacy, value.dtype.legacy))
        value = value.to(x.dtype)
    try:
        fits = broadcast(tuple(value.shape), shape) == shape
    except RuntimeError:
        fits = False
    if not fits:
        raise RuntimeError(words("index-put-shape", list(value.shape), list(shape)))
    return put(x, at, value.expand(shape), "IndexPutBackward0")


def put(x, at: list, source, name: str, reduce=None) -> Tensor:
    """A copy of `x` in which the numbers of `source` have been written, added or multiplied into some places."""
    values = list(flat(x))
    for p, v in zip(at, flat(source), strict=True):
        values[p] = v if reduce is None else values[p] + v if reduce in ("add", "sum") else values[p] * v
    out = new(n.held(values, x.dtype), x.shape, x.dtype)

    def back(g):
        rest = g
        if reduce is None:
            rest = new(list(flat(g)), g.shape, g.dtype)
            for p in at:
                rest._store.values[p] = 0.0
        return rest, picked(g, at, source.shape, "")

    return record(out, name, (x, source), back)


# --- gather and scatter ---------------------------------------------------------------------------------------------


def _places_along(x, d: int, index) -> list:
    """For every number of `index` the place that it names along an axis of `x`."""
    strides, size = rows(tuple(x.shape)) or (1,), x.shape[d] if x.dim() else 1
    steps = tuple(0 if k == d else strides[k] for k in range(index.dim()))
    at = places(tuple(index.shape), steps)
    for i in flat(index):
        if not 0 <= i < size:
            raise RuntimeError(f"index {i} is out of bounds for dimension {d} with size {size}")
    return [p + i * strides[d] for p, i in zip(at, flat(index), strict=True)]


def _checked(name: str, x, dim, index) -> int:
    d = axis(dim, x.dim())
    if index.dtype not in (n.int64, n.int32):
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")
    if max(index.dim(), 1) != max(x.dim(), 1):
        other = "input" if name == "gather" else "self"
        raise RuntimeError(f"Index tensor must have the same number of dimensions as {other} tensor")
    for k in range(index.dim()):
        if k != d and index.shape[k] > x.shape[k]:
            raise RuntimeError(words("gather-size", k, list(index.shape), list(x.shape), d))
    return d


@op()
def gather(input, dim, index, *, sparse_grad=False):
    d = _checked("gather", input, dim, index)
    return picked(input, _places_along(input, d, index), index.shape, "GatherBackward0")


@op(in_place=True)
def scatter(input, dim, index, src=None, *, value=None, reduce=None):
    d, source = _checked("scatter", input, dim, index), value if src is None else src
    if not isinstance(source, Tensor):
        source = new(n.held([source], input.dtype) * index.numel(), index.shape, input.dtype)
    if source.dtype is not input.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    source = source[tuple(slice(size) for size in index.shape)] if source.shape != index.shape else source
    reduce = {"multiply": "prod"}.get(reduce, reduce)
    return put(input, _places_along(input, d, index), source, "ScatterBackward0", reduce)


@op(in_place=True)
def scatter_add(input, dim, index, src):
    return scatter(input, dim, index, src, reduce="add")


@op()
def index_select(input, dim, index):
    d = axis(dim, input.dim())
    if any(not 0 <= i < input.shape[d] for i in flat(index)):
        raise IndexError("index out of range in self")
    return repicked(input, d, flat(index), "IndexSelectBackward0")


@op("nonzero", also="argwhere")
def nonzero(input, *, as_tuple=False):
    strides = rows(tuple(input.shape))
    at = [p for p, v in enumerate(flat(input)) if v]
    if as_tuple:
        shape = tuple(input.shape) or (1,)
        return tuple(
            new([p // s % size for p in at], (len(at),), n.int64)
            for s, size in zip(strides or (1,), shape, strict=True)
        )
    found = [p // s % size for p in at for s, size in zip(strides, input.shape, strict=True)]
    return new(found, (len(at), input.dim()), n.int64)


# --- triangles and diagonals ----------------------------------------------------------------------------------------


def _triangle(name: str, keeps):
    def function(input, diagonal=0):
        if input.dim() < 2:
            raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")
        down, across = input.shape[-2:]
        zero = n.held([0], input.dtype)[0]
        kept = [keeps(j - i, diagonal) for i in range(down) for j in range(across)] * math.prod(input.shape[:-2])
        values = [v if k else zero for k, v in zip(kept, flat(input), strict=True)]
        kind = f"{name.capitalize()}Backward0"
        out = new(values, input.shape, input.dtype)
        return record(out, kind, (input,), lambda g: (function(g, diagonal),))

    def indices(row, col, offset=0, **_):
        at = [(i, j) for i in range(row) for j in range(col) if keeps(j - i, offset)]
        return new([i for i, _ in at] + [j for _, j in at], (2, len(at)), n.int64)

    function.__name__, indices.__name__ = name, f"{name}_indices"
    op(of="anything", method=False)(indices)
    op(in_place=True)(function)


_triangle("tril", operator.le)
_triangle("triu", operator.ge)


@op()
def diag_embed(input, offset=0, dim1=-2, dim2=-1):
    size = input.shape[-1] + abs(offset)
    shape = (*input.shape[:-1], size, size)
    place = diagonal(zeros(shape), offset, -2, -1)
    out = placed(input.detach(), places(tuple(place.shape), place._strides, place._offset), shape)
    out = record(out, "DiagEmbedBackward0", (input,), lambda g: (diagonal(g, offset, -2, -1),))
    return out if (dim1, dim2) == (-2, -1) else out.movedim((-2, -1), (dim1, dim2))


@op()
def diag(input, diagonal=0):
    return diag_embed(input, diagonal) if input.dim() == 1 else input.diagonal(diagonal).contiguous()


# --- comparing, counting --------------------------------------------------------------------------------------------


def _close(a, b, rtol: float, atol: float, equal_nan: bool) -> bool:
    if a == b or (equal_nan and a != a and b != b):
        return True
    return abs(a - b) <= atol + rtol * abs(b) and not (math.isinf(abs(a)) or math.isinf(abs(b)))


def _pairs(a, b) -> tuple:
    if a.dtype is not b.dtype:
        raise RuntimeError(f"{a.dtype.legacy} did not match {b.dtype.legacy}")
    shape = broadcast(tuple(a.shape), tuple(b.shape))
    return zip(spread(a, shape), spread(b, shape), strict=True), shape


@op()
def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    pairs, shape = _pairs(input, other)
    return alike([_close(a, b, rtol, atol, equal_nan) for a, b in pairs], shape, n.bool_, input, other)


@op()
def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    return all(a == b or _close(a, b, rtol, atol, equal_nan) for a, b in _pairs(input, other)[0])


@op()
def equal(input, other):
    return input.shape == other.shape and all(map(operator.eq, flat(input), flat(other)))


@op()
def trapezoid(y, x=None, *, dx=1.0, dim=-1):
    d, size = axis(dim, y.dim()), y.shape[dim]
    middle = (y.narrow(d, 1, size - 1) + y.narrow(d, 0, size - 1)) / 2
    return (middle * (dx if x is None else x[1:] - x[:-1])).sum(dim)


# --- complex numbers ------------------------------------------------------------------------------------------------


@op("complex", method=False)
def complex_(real, imag):
    shape = broadcast(tuple(real.shape), tuple(imag.shape))
    values = list(map(complex, spread(real, shape), spread(imag, shape)))
    return record(
        new(values, shape, real.dtype.to_complex()), "ComplexBackward0", (real, imag), lambda g: (g.real, g.imag)
    )


def _complex_part(name: str, other: str):
    def function(input):
        if input.dtype.kind != 3:
            if name == "imag":
                raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
            return input
        out = new([getattr(v, name) for v in flat(input)], input.shape, input.dtype.to_real())

        def back(g):
            parts = {name: g, other: g.new_zeros(g.shape)}
            return (complex_(parts["real"], parts["imag"]),)

        return record(out, f"{name.capitalize()}Backward0", (input,), back)

    function.__name__ = name
    return op(method=False)(function)


Tensor.real, Tensor.imag = property(_complex_part("real", "imag")), property(_complex_part("imag", "real"))


@op()
def conj(input):
    if input.dtype.kind != 3:
        return input
    out = new([v.conjugate() for v in flat(input)], input.shape, input.dtype)
    return record(out, "ConjBackward0", (input,), lambda g: (conj(g),))


@op(method=False)
def polar(abs, angle):
    return complex_(abs * angle.cos(), abs * angle.sin())


@op(method=False)
def view_as_complex(input):
    if not input.dim() or input.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    return complex_(input.select(-1, 0), input.select(-1, 1))


@op(method=False)
def view_as_real(input):
    parts = [input.real.unsqueeze(-1), input.imag.unsqueeze(-1)]
    return parts[0].expand(*input.shape, 2).where(tensor([True, False]), parts[1])
