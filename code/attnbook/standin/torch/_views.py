"""The same numbers seen otherwise: axes exchanged, reshaped, cut, repeated; and tensors joined."""

import itertools
import math
import operator

from . import _numbers as n
from ._layout import axes, axis, broadcast, inferred, listed, places, reshaped, rows, sizes
from ._missing import NotInThePage, error, require
from ._operations import Operations, define
from ._tape import record
from ._tensor import Tensor, flat, meeting, new, view_of


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
    shape, (strides, shift) = tuple(shape), logical(x._strides)

    def back(g):
        return g._placed(places(shape, *logical(rows(x._shape))), x._shape)

    return view_of(x, shape, strides, x._offset + shift, name, back)


def cut(x, d: int, start: int, stop: int, step: int = 1) -> Tensor:
    """From `start` to below `stop` along an axis; both lie within it."""
    shape = (*x._shape[:d], len(range(start, stop, step)), *x._shape[d + 1 :])
    return part_of(x, shape, "SliceBackward0", lambda of: ((*of[:d], of[d] * step, *of[d + 1 :]), start * of[d]))


def _together(name: str, views) -> tuple:
    views = tuple(views)
    for i, view in enumerate(views):
        view._many = f"Output {i} of {name}"
    return views


class views(Operations):
    # axes exchanged

    def permute(input, *dims):
        dims, count = listed(dims), input.dim()
        require(len(dims) == count, "permute-count", count, len(dims))
        dims = [axis(d, count) for d in dims]
        require(len(set(dims)) == count, "permute-twice")
        return _exchanged(input, dims, "PermuteBackward0")

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

    # another shape

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
        require(-1 not in size[:extra], "expand-new", -1, 0)
        shape = size[:extra] + tuple(now if wish == -1 else wish for wish, now in zip(size[extra:], own, strict=True))
        strides = [0] * extra
        for i, (now, step) in enumerate(zip(own, self._strides, strict=True), extra):
            require(now in (1, shape[i]), "expand-size", shape[i], now, i, list(size), list(own))
            strides.append(step if shape[i] == now else 0)
        return view_of(self, shape, strides, self._offset, "ExpandBackward0", lambda g: g.sum_to_size(own))

    def view(self, *shape):
        if shape and isinstance(shape[0], n.dtype):
            raise NotInThePage("Tensor.view(dtype)")
        target = inferred(sizes("view", shape), self.numel())
        strides = reshaped(self._shape, self._strides, target)
        require(strides is not None, "view-strides")
        return _shown(self, target, strides, "ViewBackward0")

    def reshape(input, *shape, **named):
        target = inferred(sizes("reshape", (named["shape"],) if "shape" in named else shape), input.numel())
        if reshaped(input._shape, input._strides, target) is None:
            input = input.clone(memory_format="torch.contiguous_format")
        return input.view(target)

    def flatten(input, start_dim=0, end_dim=-1):
        first, last, shape = axis(start_dim, input.dim()), axis(end_dim, input.dim()), input._shape
        require(first <= last, "flatten")
        return input.reshape(*shape[:first], math.prod(shape[first : last + 1]), *shape[last + 1 :])

    def unflatten(input, dim, sizes):
        d, sizes = axis(dim, input.dim()), list(sizes)
        size, known = input._shape[d], math.prod(size for size in sizes if size != -1)
        if -1 in sizes and known and size % known == 0:
            sizes[sizes.index(-1)] = size // known
        require(math.prod(sizes) == size, "unflatten", sizes, d, size)
        return input.reshape(*input._shape[:d], *sizes, *input._shape[d + 1 :])

    # parts

    def select(input, dim, index):
        require(input._shape, "select-number")
        d, index, size = axis(dim, input.dim()), operator.index(index), input.size(dim)
        require(-size <= index < size, "select-index", index, list(input.shape), d)
        shape, i = input._shape[:d] + input._shape[d + 1 :], index % size
        return part_of(input, shape, "SelectBackward0", lambda steps: (steps[:d] + steps[d + 1 :], i * steps[d]))

    def narrow(input, dim, start, length):
        d, start, length, size = axis(dim, input.dim()), operator.index(start), operator.index(length), input.size(dim)
        require(-size <= start <= size, "narrow-start", -size, size, start)
        start = start + size if start < 0 else start
        require(length >= 0 and start + length <= size, "narrow-length", start, length, size)
        return cut(input, d, start, start + length)

    def unbind(input, dim=0):
        return _together("Unbind", (input.select(dim, i) for i in range(input.size(dim))))

    def split(input, split_size_or_sections, dim=0):
        d, size, wish = axis(dim, input.dim()), input.size(dim), split_size_or_sections
        several = isinstance(wish, tuple | list)
        require(not several or sum(wish) == size, "split-sizes", size, d, wish)
        require(not isinstance(wish, float), "split-kind")
        require(several or wish > 0, "split-negative", wish)
        parts = wish if several else [min(wish, size - i) for i in range(0, size, wish)] or [0]
        ends = zip(parts, itertools.accumulate(parts), strict=True)
        found = (cut(input, d, end - part, end) for part, end in ends)
        return _together("SplitWithSizes" if several else "Split", found)

    def chunk(input, chunks, dim=0):
        require(chunks > 0, "chunk", chunks)
        return input.split(max(-(-input.size(dim) // chunks), 1), dim)

    def diagonal(input, offset=0, dim1=0, dim2=1):
        a, b = axis(dim1, input.dim()), axis(dim2, input.dim())
        rest = [d for d in range(input.dim()) if d not in (a, b)]
        down, right = max(-offset, 0), max(offset, 0)
        count = max(min(input._shape[a] - down, input._shape[b] - right), 0)
        shape = (*(input._shape[d] for d in rest), count)
        return part_of(
            input,
            shape,
            "DiagonalBackward0",
            lambda of: ((*(of[d] for d in rest), of[a] + of[b]), down * of[a] + right * of[b]),
        )

    # numbers moved or repeated: copies

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

    # joining

    def broadcast_tensors(*tensors):
        shape = meeting(*listed(tensors))
        return tuple(x.expand(shape) for x in listed(tensors))

    def broadcast_shapes(*shapes):
        meet = ()
        for shape in shapes:
            meet = broadcast(meet, (shape,) if isinstance(shape, int) else tuple(shape))
        return n.Size(meet)

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
        lists = [flat(x) if x.dtype is dtype else n.held(flat(x), dtype) for x in parts]
        widths, values = [math.prod(x._shape[d:]) for x in parts], []
        for i in range(math.prod(first._shape[:d])):
            for numbers, width in zip(lists, widths, strict=True):
                values += numbers[i * width : (i + 1) * width]
        out = new(values, (*first._shape[:d], ends[-1], *first._shape[d + 1 :]), dtype)
        pieces = [(end - x._shape[d], end) for x, end in zip(parts, ends, strict=True)]
        return record(out, "CatBackward0", tuple(parts), lambda g: [cut(g, d, *piece) for piece in pieces])

    def stack(tensors, dim=0):
        tensors = _tensors("stack", tensors)
        for i, x in enumerate(tensors):
            require(x._shape == tensors[0]._shape, "stack-sizes", list(tensors[0].shape), list(x.shape), i)
        return views.cat([x.unsqueeze(dim) for x in tensors], axis(dim, tensors[0].dim(), 1))

    def hstack(tensors):
        tensors = [x if x._shape else x.reshape(1) for x in _tensors("hstack", tensors)]
        return views.cat(tensors, 0 if tensors[0].dim() == 1 else 1)

    def vstack(tensors):
        return views.cat([x.reshape(1, -1) if x.dim() < 2 else x for x in _tensors("vstack", tensors)], 0)


define(
    {
        "expand_as": lambda self, other: self.expand(other._shape),
        "view_as": lambda self, other: self.view(other._shape),
        "reshape_as": lambda self, other: self.reshape(other._shape),
        "broadcast_to": lambda input, size: input.expand(size),
        "ravel": lambda input: input.contiguous().view(-1),
    }
)
Tensor.T = property(lambda self: self.permute(*reversed(range(self.dim()))))
Tensor.mT = property(lambda self: self.transpose(-2, -1))
Tensor.H = property(lambda self: self.mT.conj())


def _repicked(x, d: int, at: list, name: str) -> Tensor:
    """The indices `at` of an axis."""
    before, after, strides = x._shape[:d], x._shape[d + 1 :], rows(x._shape)
    outer, inner = places(before, strides[:d]), places(after, strides[d + 1 :])
    wanted = [a + i * strides[d] + b for a in outer for i in at for b in inner]
    return x._picked(wanted, (*before, len(at), *after), name)


def _tensors(name: str, tensors) -> list:
    if not isinstance(tensors, tuple | list):
        raise error("tensors-kind", name, type(tensors).__name__)
    for i, x in enumerate(tensors):
        require(isinstance(x, Tensor), "tensors-element", i, type(x).__name__)
    require(tensors or name != "stack", "stack-none")
    require(tensors, "cat-none", name)
    return list(tensors)
