"""The same numbers seen otherwise: axes exchanged, reshaped, cut, repeated; and tensors joined."""

import math

from . import _numbers as n
from ._layout import axes, axis, inferred, places, reshaped, rows, sizes, whole
from ._making import clone
from ._missing import NotInThePage, words
from ._operations import FUNCTIONS, op
from ._tape import record
from ._tensor import Tensor, broadcast, flat, new, picked, placed, view_of


def _integers(given: tuple) -> tuple:
    return tuple(given[0]) if len(given) == 1 and isinstance(given[0], tuple | list) else given


# --- axes exchanged -------------------------------------------------------------------------------------------------


@op()
def permute(input, *dims):
    dims, count = _integers(dims), input.dim()
    if len(dims) != count:
        raise RuntimeError(words("permute-count", count, len(dims)))
    dims = tuple(axis(d, count) for d in dims)
    if len(set(dims)) != count:
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    back = sorted(range(count), key=dims.__getitem__)
    shape, strides = [input.shape[d] for d in dims], [input._strides[d] for d in dims]
    return view_of(input, shape, strides, input._offset, "PermuteBackward0", lambda g: permute(g, *back))


@op(also="swapaxes swapdims")
def transpose(input, dim0, dim1):
    a, b = axis(dim0, input.dim()), axis(dim1, input.dim())
    shape, strides = list(input.shape), list(input._strides)
    for where in (shape, strides) if shape else ():
        where[a], where[b] = where[b], where[a]
    return view_of(input, shape, strides, input._offset, "TransposeBackward0", lambda g: transpose(g, a, b))


@op()
def t(input):
    if input.dim() > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input.dim()}D")
    return transpose(input, 0, -1)


@op(also="moveaxis")
def movedim(input, source, destination):
    count = input.dim()
    source, destination = axes(source, count), axes(destination, count)
    order = [d for d in range(count) if d not in source]
    for place, d in sorted(zip(destination, source, strict=True)):
        order.insert(place, d)
    return permute(input, *order)


Tensor.T = property(lambda self: self.permute(*reversed(range(self.dim()))))
Tensor.mT = property(lambda self: self.transpose(-2, -1))
Tensor.H = Tensor.mH = property(lambda self: self.transpose(-2, -1).conj())

# --- axes of size 1 -------------------------------------------------------------------------------------------------


@op()
def unsqueeze(input, dim):
    d = axis(dim, input.dim(), 1)
    shape, strides = list(input.shape), list(input._strides)
    strides.insert(d, strides[d] * shape[d] if d < len(strides) else 1)
    shape.insert(d, 1)
    return view_of(input, shape, strides, input._offset, "UnsqueezeBackward0", lambda g: g.reshape(input.shape))


@op()
def squeeze(input, dim=None):
    gone = [d for d in axes(dim, input.dim()) if input.shape[d] == 1]
    shape, strides = ([x for d, x in enumerate(of) if d not in gone] for of in (input.shape, input._strides))
    return view_of(input, shape, strides, input._offset, "SqueezeBackward0", lambda g: g.reshape(input.shape))


@op(torch=False)
def expand(self, *sizes_):
    wish = sizes("expand", sizes_)
    extra = len(wish) - self.dim()
    if extra < 0:
        raise RuntimeError(
            words("expand-count", self.dtype.legacy, list(self.shape), list(wish), len(wish), self.dim())
        )
    shape, strides = [], []
    for i, size in enumerate(wish):
        own, step = (1, 0) if i < extra else (self.shape[i - extra], self._strides[i - extra])
        if i < extra and size == -1:
            raise RuntimeError(words("expand-new", size, i))
        if size not in (-1, own) and own != 1:
            raise RuntimeError(words("expand-size", size, own, i, list(wish), list(self.shape)))
        shape.append(own if size == -1 else size)
        strides.append(step if shape[-1] == own and i >= extra else 0)
    own = tuple(self.shape)
    return view_of(self, shape, strides, self._offset, "ExpandBackward0", lambda g: g.sum_to_size(own))


@op(method=True)
def broadcast_to(input, size):
    return expand(input, size)


def broadcast_shapes(*shapes):
    """The shape in which several meet."""
    meet = ()
    for shape in shapes:
        try:
            meet = broadcast(meet, (shape,) if isinstance(shape, int) else tuple(shape))
        except RuntimeError:
            raise RuntimeError("Shape mismatch: objects cannot be broadcast to a single shape") from None
    return n.Size(meet)


def broadcast_tensors(*tensors):
    """All of them in the shape in which they meet."""
    tensors, shape = _integers(tensors), ()
    for x in tensors:
        shape = broadcast(shape, tuple(x.shape))
    return tuple(x.expand(shape) for x in tensors)


FUNCTIONS |= {"broadcast_shapes": broadcast_shapes, "broadcast_tensors": broadcast_tensors}
Tensor.expand_as = lambda self, other: self.expand(other.shape)

# --- another shape --------------------------------------------------------------------------------------------------


@op("view", torch=False)
def view(self, *shape):
    if len(shape) == 1 and isinstance(shape[0], n.dtype):
        if shape[0] is self.dtype:
            return self
        raise NotInThePage("Tensor.view(dtype)")
    target = inferred(sizes("view", shape), self.numel())
    strides = reshaped(tuple(self.shape), self._strides, target)
    if strides is None:
        raise RuntimeError(words("view-strides"))
    return view_of(self, target, strides, self._offset, "ViewBackward0", lambda g: g.reshape(self.shape))


@op()
def reshape(input, *shape, **named):
    shape = (named["shape"],) if "shape" in named else shape
    target = inferred(sizes("reshape", shape), input.numel())
    if reshaped(tuple(input.shape), input._strides, target) is None:
        input = clone(input, memory_format=n.contiguous_format)
    return view(input, target)


@op()
def flatten(input, start_dim=0, end_dim=-1):
    if not input.dim():
        return reshape(input, 1)
    first, last = axis(start_dim, input.dim()), axis(end_dim, input.dim())
    if first > last:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    shape = tuple(input.shape)
    return reshape(input, (*shape[:first], math.prod(shape[first : last + 1]), *shape[last + 1 :]))


@op()
def ravel(input):
    return view(input.contiguous(), -1)


@op()
def unflatten(input, dim, sizes):
    d, sizes = axis(dim, input.dim()), list(sizes)
    known = math.prod(size for size in sizes if size != -1)
    if -1 in sizes and known and input.shape[d] % known == 0:
        sizes[sizes.index(-1)] = input.shape[d] // known
    if math.prod(sizes) != input.shape[d]:
        raise RuntimeError(words("unflatten", sizes, d, input.shape[d]))
    return reshape(input, (*input.shape[:d], *sizes, *input.shape[d + 1 :]))


Tensor.view_as = lambda self, other: self.view(other.shape)
Tensor.reshape_as = lambda self, other: self.reshape(other.shape)

# --- parts ----------------------------------------------------------------------------------------------------------


def part_of(x, shape, strides, shift: int, name: str, logical) -> Tensor:
    """A view of some of the numbers. `logical` gives the same part as (strides, shift) of numbers in a row."""

    def back(g):
        steps, begin = logical(rows(tuple(x.shape)))
        return placed(g, places(tuple(shape), tuple(steps), begin), x.shape)

    return view_of(x, shape, strides, x._offset + shift, name, back)


@op("select.int")
def select(input, dim, index):
    if not input.dim():
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    d, index = axis(dim, input.dim()), whole(index)
    size = input.shape[d]
    if not -size <= index < size:
        raise IndexError(words("select-index", index, list(input.shape), d))

    def without(of):
        return (*of[:d], *of[d + 1 :])

    own, i = input._strides, index % size
    return part_of(
        *(input, without(input.shape), without(own), i * own[d], "SelectBackward0"),
        lambda strides: (without(strides), i * strides[d]),
    )


def cut(x, d: int, start: int, stop: int, step: int = 1) -> Tensor:
    """From `start` to below `stop` along an axis; both lie within it."""
    shape, own = list(x.shape), x._strides
    shape[d] = max(-(-(stop - start) // step), 0)

    def logical(strides):
        return (*strides[:d], strides[d] * step, *strides[d + 1 :]), start * strides[d]

    return part_of(x, shape, logical(own)[0], start * own[d], "SliceBackward0", logical)


@op()
def narrow(input, dim, start, length):
    d, start, length = axis(dim, input.dim()), whole(start), whole(length)
    size = input.shape[d]
    if not -size <= start <= size:
        raise IndexError(f"start out of range (expected to be in range of [{-size}, {size}], but got {start})")
    start = start + size if start < 0 else start
    if length < 0 or start + length > size:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return cut(input, d, start, start + length)


def _together(name: str, views: list) -> tuple:
    for i, view in enumerate(views):
        view._many = f"Output {i} of {name}"
    return tuple(views)


@op()
def unbind(input, dim=0):
    d = axis(dim, input.dim())
    return _together("Unbind", [select(input, d, i) for i in range(input.shape[d])])


@op()
def split(input, split_size_or_sections, dim=0):
    d, wish = axis(dim, input.dim()), split_size_or_sections
    size = input.shape[d]
    if isinstance(wish, tuple | list):
        parts = [whole(part) for part in wish]
        if sum(parts) != size:
            raise RuntimeError(words("split-sizes", size, d, parts))
    else:
        if isinstance(wish, float):
            raise TypeError("split_with_sizes(): argument 'split_sizes' (position 2) must be tuple of ints, not float")
        if (wish := whole(wish)) <= 0:
            raise RuntimeError(f"split expects split_size be non-negative, but got split_size={wish}")
        parts = [min(wish, size - i) for i in range(0, size, wish)] or [0]
    ends = [sum(parts[: i + 1]) for i in range(len(parts))]
    kind = "SplitWithSizes" if isinstance(split_size_or_sections, tuple | list) else "Split"
    return _together(kind, [cut(input, d, end - part, end) for part, end in zip(parts, ends, strict=True)])


@op()
def chunk(input, chunks, dim=0):
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    return split(input, max(-(-input.shape[axis(dim, input.dim())] // chunks), 1), dim)


@op()
def diagonal(input, offset=0, dim1=0, dim2=1):
    a, b = axis(dim1, input.dim()), axis(dim2, input.dim())
    rest = [d for d in range(input.dim()) if d not in (a, b)]
    down, right = max(-offset, 0), max(offset, 0)
    count = max(min(input.shape[a] - down, input.shape[b] - right), 0)

    def logical(strides):
        return (*(strides[d] for d in rest), strides[a] + strides[b]), down * strides[a] + right * strides[b]

    shape = [*(input.shape[d] for d in rest), count]
    return part_of(input, shape, *logical(input._strides), "DiagonalBackward0", logical)


@op(torch=False)
def unfold(self, dimension, size, step):
    d = axis(dimension, self.dim())
    shape = [*self.shape, size]
    shape[d] = (self.shape[d] - size) // step + 1

    def logical(strides):
        return (*strides[:d], strides[d] * step, *strides[d + 1 :], strides[d]), 0

    return part_of(self, shape, *logical(self._strides), "UnfoldBackward0", logical)


# --- numbers moved or repeated: copies ------------------------------------------------------------------------------


@op()
def flip(input, *dims):
    turned, strides = axes(_integers(dims), input.dim()), rows(tuple(input.shape))
    begin = sum(strides[d] * (input.shape[d] - 1) for d in turned)
    steps = tuple(-s if d in turned else s for d, s in enumerate(strides))
    return picked(input, places(tuple(input.shape), steps, begin), input.shape, "FlipBackward0", input)


def repicked(x, d: int, at: list, name: str) -> Tensor:
    """The indices `at` of an axis."""
    shape, strides = tuple(x.shape), rows(tuple(x.shape))
    steps = strides[:d] + (0,) + strides[d + 1 :]
    shifts = places((*shape[:d], len(at), *shape[d + 1 :]), steps)
    inner = math.prod(shape[d + 1 :])
    wanted = [strides[d] * at[i // inner % len(at)] for i in range(len(shifts))]
    return picked(x, list(map(int.__add__, shifts, wanted)), (*shape[:d], len(at), *shape[d + 1 :]), name)


@op()
def roll(input, shifts, dims=None):
    if dims is None:
        return reshape(roll(flatten(input), shifts, 0), input.shape)
    for shift, dim in zip(_tuple(shifts), _tuple(dims), strict=True):
        d = axis(dim, input.dim())
        size = input.shape[d]
        input = repicked(input, d, [(i - shift) % size for i in range(size)], "RollBackward0")
    return input


def _tuple(x) -> tuple:
    return tuple(x) if isinstance(x, tuple | list) else (x,)


@op(torch=False)
def repeat(self, *times):
    times = sizes("repeat", times)
    if len(times) < self.dim():
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    x = reshape(self, (*(1,) * (len(times) - self.dim()), *self.shape))
    for d, count in enumerate(times):
        x = repicked(x, d, list(range(x.shape[d])) * count, "RepeatBackward0")
    return x


@op()
def repeat_interleave(input, repeats, dim=None, *, output_size=None):
    if dim is None:
        input, dim = flatten(input), 0
    d = axis(dim, input.dim())
    size = input.shape[d]
    counts = flat(repeats) if isinstance(repeats, Tensor) else [repeats]
    if len(counts) not in (1, size):
        raise RuntimeError(words("repeats", len(counts), d, size))
    counts = counts * size if len(counts) == 1 else counts
    at = [i for i, count in enumerate(counts) for _ in range(count)]
    return repicked(input, d, at, "RepeatInterleaveBackward0")


# --- joining --------------------------------------------------------------------------------------------------------


def _tensors(name: str, tensors) -> list:
    if not isinstance(tensors, tuple | list):
        kind = type(tensors).__name__
        raise TypeError(f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not {kind}")
    for i, x in enumerate(tensors):
        if not isinstance(x, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type(x).__name__}")
    if not tensors:
        if name == "stack":
            raise RuntimeError("stack expects a non-empty TensorList")
        raise ValueError(f"torch.{name}(): expected a non-empty list of Tensors")
    return list(tensors)


@op(of="anything", also="concat concatenate", method=False)
def cat(tensors, dim=0):
    everyone = _tensors("cat", tensors)
    for i, x in enumerate(everyone):
        if not x.dim():
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
    parts = [x for x in everyone if x.shape != (0,)] or everyone[:1]
    first = parts[0]
    d, dtype = axis(dim, first.dim()), everyone[0].dtype
    for x in everyone:
        dtype = n.promote_types(dtype, x.dtype)
    for i, x in enumerate(parts):
        if x.dim() != first.dim():
            raise RuntimeError(f"Tensors must have same number of dimensions: got {first.dim()} and {x.dim()}")
        for k, (size, other) in enumerate(zip(first.shape, x.shape, strict=True)):
            if k != d and size != other:
                raise RuntimeError(words("cat-sizes", d, size, other, i))
    inner, outer = math.prod(first.shape[d + 1 :]), math.prod(first.shape[:d])
    lists = [(flat(x) if x.dtype is dtype else n.held(flat(x), dtype), x.shape[d] * inner) for x in parts]
    values = [v for i in range(outer) for of, width in lists for v in of[i * width : (i + 1) * width]]
    ends = [sum(x.shape[d] for x in parts[: i + 1]) for i in range(len(parts))]
    out = new(values, (*first.shape[:d], ends[-1], *first.shape[d + 1 :]), dtype)

    def back(g):
        return [cut(g, d, end - x.shape[d], end) for x, end in zip(parts, ends, strict=True)]

    return record(out, "CatBackward0", tuple(parts), back)


@op(of="anything", method=False)
def stack(tensors, dim=0):
    tensors = _tensors("stack", tensors)
    for i, x in enumerate(tensors):
        if x.shape != tensors[0].shape:
            raise RuntimeError(words("stack-sizes", list(tensors[0].shape), list(x.shape), i))
    return cat([unsqueeze(x, dim) for x in tensors], axis(dim, tensors[0].dim(), 1))


@op(of="anything", method=False)
def hstack(tensors):
    tensors = [reshape(x, 1) if not x.dim() else x for x in _tensors("hstack", tensors)]
    return cat(tensors, 0 if tensors[0].dim() == 1 else 1)


@op(of="anything", method=False)
def vstack(tensors):
    return cat([reshape(x, 1, -1) if x.dim() < 2 else x for x in _tensors("vstack", tensors)], 0)
