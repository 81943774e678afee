"""The same numbers seen otherwise: axes exchanged, reshaped, cut, repeated, joined; brackets, gather and scatter."""

import functools
import itertools
import math
import operator

from . import _numbers as n
from ._making import tensor, zeros
from ._missing import require
from ._numbers import axes, axis, broadcast, inferred, listed, places, reshaped, rows, sizes, stretched
from ._operations import Operations, define, number, rewrite
from ._tensor import Tensor, flat, meeting, new, record, spread, view_of


def _shown(x, shape, strides, name: str) -> Tensor:
    """A view of all numbers in their order."""
    return view_of(x, shape, strides, x._offset, name, lambda g: g.reshape(x._shape))


def _exchanged(x, order: list, name: str) -> Tensor:
    """A view with the axes in another order."""
    back = sorted(range(len(order)), key=order.__getitem__)
    shape, strides = [x._shape[d] for d in order], [x._strides[d] for d in order]
    return view_of(x, shape, strides, x._offset, name, lambda g: g.permute(back))


def part_of(x, shape, name: str, logical) -> Tensor:
    """A view of some of the numbers. From strides `logical` finds those of the part, and where it begins."""
    shape, own, (strides, shift) = tuple(shape), x._shape, logical(x._strides)
    begin = x._offset + shift
    return view_of(x, shape, strides, begin, name, lambda g: g._placed(places(shape, *logical(rows(own))), own))


def cut(x, d: int, start: int, stop: int, step: int = 1) -> Tensor:
    """From `start` to below `stop` along an axis; both lie within it."""
    shape = (*x._shape[:d], len(range(start, stop, step)), *x._shape[d + 1 :])
    return part_of(x, shape, "SliceBackward0", lambda of: ((*of[:d], of[d] * step, *of[d + 1 :]), start * of[d]))


class views(Operations):
    def permute(input, *dims):
        dims, count = listed(dims), input.dim()
        require(len(dims) == count, "permute-count", count, len(dims))
        return _exchanged(input, list(axes(dims, count)), "PermuteBackward0")

    def transpose(input, dim0, dim1):
        order, a, b = list(range(input.dim())), axis(dim0, input.dim()), axis(dim1, input.dim())
        if order:
            order[a], order[b] = b, a
        return _exchanged(input, order, "TransposeBackward0")

    def t(input):
        require(input.dim() <= 2, "t", input.dim())
        return input.transpose(0, -1)

    def movedim(input, source, destination):
        source, destination = axes(source, input.dim()), axes(destination, input.dim())
        order = [d for d in range(input.dim()) if d not in source]
        for place, d in sorted(zip(destination, source, strict=True)):
            order.insert(place, d)
        return input.permute(order)

    def unsqueeze(input, dim):
        d, own, strides = axis(dim, input.dim(), 1), input._shape, input._strides
        step = strides[d] * own[d] if d < len(own) else 1
        return _shown(input, (*own[:d], 1, *own[d:]), (*strides[:d], step, *strides[d:]), "UnsqueezeBackward0")

    def squeeze(input, dim=None):
        gone = [d for d in axes(dim, input.dim()) if input._shape[d] == 1]
        left = ([x for d, x in enumerate(of) if d not in gone] for of in (input._shape, input._strides))
        return _shown(input, *left, "SqueezeBackward0")

    def expand(self, *size):
        size, own = sizes("expand", size), self._shape
        extra = len(size) - len(own)
        require(extra >= 0, "expand-count", self.dtype.legacy, list(own), list(size), len(size), len(own))
        shape = size[:extra] + tuple(now if wish == -1 else wish for wish, now in zip(size[extra:], own, strict=True))
        for i, now in enumerate(own, extra):
            require(now in (1, shape[i]), "expand-size", shape[i], now, i, list(size), list(own))
        strides = stretched(own, self._strides, shape)
        return view_of(self, shape, strides, self._offset, "ExpandBackward0", lambda g: g.sum_to_size(own))

    def view(self, *shape):
        target = inferred(sizes("view", shape), self.numel())
        strides = reshaped(self._shape, self._strides, target)
        require(strides is not None, "view-strides")
        return _shown(self, target, strides, "ViewBackward0")

    def reshape(input, *shape, **named):
        target = inferred(sizes("reshape", (named["shape"],) if "shape" in named else shape), input.numel())
        if reshaped(input._shape, input._strides, target) is None:
            input = input.contiguous()
        return input.view(target)

    def flatten(input, start_dim=0, end_dim=-1):
        first, last, shape = axis(start_dim, input.dim()), axis(end_dim, input.dim()), input._shape
        require(first <= last, "flatten")
        return input.reshape(*shape[:first], math.prod(shape[first : last + 1]), *shape[last + 1 :])

    def unflatten(input, dim, sizes):
        d, sizes = axis(dim, input.dim()), list(sizes)
        size, known = input._shape[d], math.prod(size for size in sizes if size != -1)
        sizes = [size // known if part == -1 else part for part in sizes]
        require(math.prod(sizes) == size, "unflatten", sizes, d, size)
        return input.reshape(*input._shape[:d], *sizes, *input._shape[d + 1 :])

    def select(input, dim, index):
        d, index, size = axis(dim, input.dim()), operator.index(index), input.size(dim)
        require(-size <= index < size, "select-index", index, list(input.shape), d)
        shape, i = input._shape[:d] + input._shape[d + 1 :], index % size
        return part_of(input, shape, "SelectBackward0", lambda steps: (steps[:d] + steps[d + 1 :], i * steps[d]))

    def narrow(input, dim, start, length):
        d, start, length, size = axis(dim, input.dim()), operator.index(start), operator.index(length), input.size(dim)
        start = start + size if start < 0 else start
        require(length >= 0 and start + length <= size, "narrow-length", start, length, size)
        return cut(input, d, start, start + length)

    def split(input, split_size_or_sections, dim=0):
        d, size, wish = axis(dim, input.dim()), input.size(dim), split_size_or_sections
        parts = wish if isinstance(wish, tuple | list) else [min(wish, size - i) for i in range(0, size, wish)] or [0]
        require(sum(parts) == size, "split-sizes", size, d, wish)
        ends = zip(parts, itertools.accumulate(parts), strict=True)
        return tuple(cut(input, d, end - part, end) for part, end in ends)

    def diagonal(input, offset=0, dim1=0, dim2=1):
        a, b = axis(dim1, input.dim()), axis(dim2, input.dim())
        rest = [d for d in range(input.dim()) if d not in (a, b)]
        down, right = max(-offset, 0), max(offset, 0)
        count = max(min(input._shape[a] - down, input._shape[b] - right), 0)
        shape = (*(input._shape[d] for d in rest), count)

        def logical(of):
            return (*(of[d] for d in rest), of[a] + of[b]), down * of[a] + right * of[b]

        return part_of(input, shape, "DiagonalBackward0", logical)

    def flip(input, *dims):
        turned, strides = axes(listed(dims), input.dim()), rows(input._shape)
        begin = sum(strides[d] * (input._shape[d] - 1) for d in turned)
        steps = tuple(-s if d in turned else s for d, s in enumerate(strides))
        return input._picked(places(input._shape, steps, begin), input._shape, "FlipBackward0", input)

    def index_select(input, dim, index):
        d = axis(dim, input.dim())
        require(all(0 <= i < input._shape[d] for i in flat(index)), "index-select")
        return _repicked(input, d, flat(index), "IndexSelectBackward0")

    def roll(input, shifts, dims=None):
        if dims is None:
            return input.flatten().roll(shifts, 0).reshape(input._shape)
        for shift, dim in [(shifts, dims)] if isinstance(dims, int) else zip(shifts, dims, strict=True):
            at = range(input.size(dim))
            input = _repicked(input, axis(dim, input.dim()), [(i - shift) % len(at) for i in at], "RollBackward0")
        return input

    def repeat(self, *repeats):
        times = sizes("repeat", repeats)
        require(len(times) >= self.dim(), "repeat-dims")
        x = self.reshape(*(1,) * (len(times) - self.dim()), *self._shape)
        for d, count in enumerate(times):
            x = _repicked(x, d, list(range(x._shape[d])) * count, "RepeatBackward0")
        return x

    def repeat_interleave(input, repeats, dim=None):
        if dim is None:
            return input.flatten().repeat_interleave(repeats, 0)
        d, size = axis(dim, input.dim()), input.size(dim)
        counts = flat(repeats) if isinstance(repeats, Tensor) else [repeats]
        require(len(counts) in (1, size), "repeats", len(counts), d, size)
        counts = counts * size if len(counts) == 1 else counts
        at = [i for i, count in enumerate(counts) for _ in range(count)]
        return _repicked(input, d, at, "RepeatInterleaveBackward0")

    def broadcast_shapes(*shapes):
        shapes = [(shape,) if isinstance(shape, int) else tuple(shape) for shape in shapes]
        return n.Size(functools.reduce(broadcast, shapes, ()))

    def cat(tensors, dim=0):
        everyone = _tensors("cat", tensors)
        parts = [x for x in everyone if x._shape != (0,)] or everyone[:1]
        first, dtype = parts[0], everyone[0].dtype
        d = axis(dim, first.dim())
        for i, x in enumerate(everyone):
            dtype = n.promote_types(dtype, x.dtype)
            require(x._shape, "cat-number", i)
        for i, x in enumerate(parts):
            require(x.dim() == first.dim(), "cat-dims", first.dim(), x.dim())
            for k, (size, other) in enumerate(zip(first._shape, x._shape, strict=True)):
                require(k == d or size == other, "cat-sizes", d, size, other, i)
        ends = list(itertools.accumulate(x._shape[d] for x in parts))
        values = [v for x in parts for v in flat(x.to(dtype).detach().movedim(d, 0))]
        rest = first._shape[:d] + first._shape[d + 1 :]
        out = new(values, (ends[-1], *rest), dtype).movedim(0, d).contiguous().detach()
        pieces = [(end - x._shape[d], end) for x, end in zip(parts, ends, strict=True)]
        return record(out, "CatBackward0", tuple(parts), lambda g: [cut(g, d, *piece) for piece in pieces])

    def stack(tensors, dim=0):
        tensors = _tensors("stack", tensors)
        for i, x in enumerate(tensors):
            require(x._shape == tensors[0]._shape, "stack-sizes", list(tensors[0].shape), list(x.shape), i)
        return views.cat([x.unsqueeze(dim) for x in tensors], axis(dim, tensors[0].dim(), 1))

    def nonzero(input, *, as_tuple=False):
        strides, shape = rows(input._shape), input._shape
        at = [p for p, v in enumerate(flat(input)) if v]
        columns = [[p // s % size for p in at] for s, size in zip(strides or (1,), shape or (1,), strict=True)]
        columns = tuple(new(column, (len(at),), n.int64) for column in columns)
        return columns if as_tuple else views.stack(columns, 1)

    def diag_embed(input, offset=0):
        size = input._shape[-1] + abs(offset)
        out = zeros(*input._shape[:-1], size, size, dtype=input.dtype)
        out.diagonal(offset, -2, -1).copy_(input)
        return out

    def __getitem__(self, key):
        if type(key) is int and self._shape and -self._shape[0] <= key < self._shape[0]:  # by far the commonest
            return self.select(0, key)
        x, tensors = _seen(self, key)
        if any(index is not None for index in tensors):
            return x._picked(*_places_named(x, tensors))
        return x if x is not self else cut(self, 0, 0, self._shape[0]) if self._shape else self.expand(())

    def __setitem__(self, key, value):
        if not isinstance(value, Tensor):
            value = tensor(value) if isinstance(value, list | tuple) else number(value, "fill_", "value", 1)
        x, tensors = _seen(self, key)
        if any(index is not None for index in tensors):
            value = value if isinstance(value, Tensor) else tensor(value, dtype=x.dtype)
            require(value.dtype is x.dtype or not value._shape, "index-put-dtype", x.dtype.legacy, value.dtype.legacy)
            at, shape = _places_named(x, tensors)
            fits = value.dim() <= len(shape) and broadcast(value._shape, shape) == shape
            require(fits, "index-put-shape", list(value.shape), list(shape))
            rewrite(x, put(x, at, value.to(x.dtype).expand(shape), "IndexPutBackward0"))
        elif not isinstance(value, Tensor):
            x.fill_(value)
        else:
            while value.dim() > x.dim() and value._shape[0] == 1:  # leading axes of size 1 may be too many here
                value = value.squeeze(0)
            x.copy_(value.expand(x._shape))


define(
    {
        "expand_as": lambda self, other: self.expand(other._shape),
        "broadcast_tensors": lambda *tensors: tuple(x.expand(meeting(*listed(tensors))) for x in listed(tensors)),
        "broadcast_to": lambda input, size: input.expand(size),
        "ravel": lambda input: input.contiguous().view(-1),
        "unbind": lambda input, dim=0: tuple(input.select(dim, i) for i in range(input.size(dim))),
        "chunk": lambda input, chunks, dim=0: input.split(max(-(-input.size(dim) // chunks), 1), dim),
        "split_with_sizes": lambda input, split_sizes, dim=0: input.split(list(split_sizes), dim),
        "hstack": lambda tensors: views.cat(tensors, min(tensors[0].dim() - 1, 1)),
        "vstack": lambda tensors: views.cat([x.reshape(1, -1) if x.dim() < 2 else x for x in tensors]),
        "gather": lambda input, dim, index: input._picked(
            _places_along("gather", input, dim, index), index._shape, "GatherBackward0"
        ),
        "diag": lambda input, diagonal=0: (
            input.diag_embed(diagonal) if input.dim() == 1 else input.diagonal(diagonal).contiguous()
        ),
        "view_as_real": lambda tensor: views.stack([tensor.real, tensor.imag], -1),
    }
)
Tensor.T = property(lambda self: self.permute(*reversed(range(self.dim()))))
Tensor.mT = property(lambda self: self.transpose(-2, -1))
MASKS = n.bool_, n.uint8


def _repicked(x, d: int, at: list, name: str) -> Tensor:
    """The indices `at` of an axis."""
    before, after, strides = x._shape[:d], x._shape[d + 1 :], rows(x._shape)
    outer, inner = places(before, strides[:d]), places(after, strides[d + 1 :])
    wanted = [a + i * strides[d] + b for a in outer for i in at for b in inner]
    return x._picked(wanted, (*before, len(at), *after), name)


def _tensors(name: str, tensors) -> list:
    require(isinstance(tensors, tuple | list), "tensors-kind", name, type(tensors).__name__)
    for i, x in enumerate(tensors):
        require(isinstance(x, Tensor), "tensors-element", i, type(x).__name__)
    require(tensors, "stack-none" if name == "stack" else "cat-none", name)
    return list(tensors)


def _parts(key, count: int) -> list:
    """The parts of a key, the ellipsis written out."""
    parts = list(key) if isinstance(key, tuple) else [key]
    for i, part in enumerate(parts):
        if isinstance(part, list | tuple | range | str | bool):
            parts[i] = tensor(part)
        elif not (part is None or part is ... or isinstance(part, slice | int | Tensor)):
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
    if isinstance(part, Tensor) and part.dtype in MASKS:
        return part.dim()
    return int(part is not None and part is not ...)


def _seen(x, key) -> tuple[Tensor, list]:
    """What the integers and slices of a key leave, and the tensors of indices by axis (None where there is none)."""
    tensors, used = [], 0
    for part in _parts(key, x.dim()):
        d, used = len(tensors), used + _axes_used(part)
        if isinstance(part, slice):
            ends = [end.item() if isinstance(end, Tensor) else end for end in (part.start, part.stop, part.step)]
            require(ends[2] is None or ends[2] > 0, "index-step")
            start, stop, step = slice(*ends).indices(x._shape[d])
            x = x if part == slice(None) else cut(x, d, start, max(start, stop), step)
            tensors.append(None)
        elif part is None:
            x = x.unsqueeze(d)
            tensors.append(None)
        elif isinstance(part, int):
            size = x._shape[d]
            require(-size <= part < size, "index-range", part, used - 1, size)
            x = x.select(d, part)
        elif part.dtype in MASKS:
            x = x if part._shape else x.unsqueeze(d)
            for j, size in enumerate(part._shape):
                require(x._shape[d + j] == size, "index-mask", list(part.shape), j, list(x.shape), d + j)
            tensors += part.nonzero(as_tuple=True)
        else:
            require(part.dtype.kind == 1, "index-dtype")
            tensors.append(part)
    return x, tensors + [None] * (x.dim() - len(tensors))


def _places_named(x, tensors: list) -> tuple[list, tuple]:
    """The places (in logical order) that tensors of indices name, and the shape of what is there."""
    named = [d for d, index in enumerate(tensors) if index is not None]
    shape = meeting(*(tensors[d] for d in named))
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


def _scattered(input, dim, index, src=None, *, value=None, add=False) -> Tensor:
    at = _places_along("scatter", input, dim, index)
    if not isinstance(src, Tensor):
        src = new(n.held([value if src is None else src], input.dtype) * len(at), index._shape, input.dtype)
    require(src.dtype is input.dtype, "scatter-dtype")
    return put(input, at, src[tuple(map(slice, index._shape))], "ScatterBackward0", add)


define(
    {"scatter": _scattered, "scatter_add": lambda input, dim, index, src: _scattered(input, dim, index, src, add=True)},
    in_place=True,
)
