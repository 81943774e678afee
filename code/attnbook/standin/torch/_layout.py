"""Where the numbers of a tensor lie in its storage: strides, positions, broadcasting. Shapes are plain tuples here."""

import math
import operator
from functools import lru_cache

from ._missing import words


@lru_cache(4096)
def rows(shape: tuple) -> tuple:
    """Strides of numbers that lie in a row."""
    strides, step = [], 1
    for n in reversed(shape):
        strides.append(step)
        step *= max(n, 1)
    return tuple(reversed(strides))


@lru_cache(2048)
def places(shape: tuple, strides: tuple, offset: int = 0) -> list:
    """Positions in the storage, in logical order. The list is shared: not to be changed."""
    at = [offset]
    for n, step in zip(shape, strides, strict=True):
        at = [p + i * step for p in at for i in range(n)]
    return at


@lru_cache(4096)
def in_a_row(shape: tuple, strides: tuple) -> bool:
    """Whether the numbers lie in a row, in logical order (`is_contiguous`)."""
    step = 1
    if 0 in shape:
        return True
    for n, stride in zip(reversed(shape), reversed(strides), strict=True):
        if n != 1 and stride != step:
            return False
        step *= n
    return True


@lru_cache(4096)
def broadcast(a: tuple, b: tuple) -> tuple:
    """The shape in which two shapes meet."""
    n = max(len(a), len(b))
    a, b = (1,) * (n - len(a)) + a, (1,) * (n - len(b)) + b
    for axis in reversed(range(n)):
        if a[axis] != b[axis] and 1 not in (a[axis], b[axis]):
            raise RuntimeError(words("broadcast", a[axis], b[axis], axis))
    return tuple(y if x == 1 else x for x, y in zip(a, b, strict=True))


@lru_cache(4096)
def stretched(shape: tuple, strides: tuple, wide: tuple) -> tuple:
    """Strides with which numbers of one shape are read as if they had a wider one."""
    own = tuple(
        0 if n == 1 and w != 1 else s for n, s, w in zip(shape, strides, wide[len(wide) - len(shape) :], strict=True)
    )
    return (0,) * (len(wide) - len(shape)) + own


def _before(one: int, other: int, shape: tuple, operands: tuple) -> int:
    """Whether an axis should lie inside another one: 1 if not, -1 if so, 0 if the operands do not say."""
    for strides in operands:
        a, b = strides[one], strides[other]
        if a and b:
            if a != b:
                return 1 if a > b else -1
            if shape[one] > shape[other]:
                return 1
    return 0


@lru_cache(4096)
def laid_out(shape: tuple, operands: tuple) -> tuple:
    """Strides of a result, as PyTorch chooses them: its axes lie in memory as those of the operands do.

    `operands` are the operands' strides, broadcast to the shape.
    """
    order = list(reversed(range(len(shape))))  # the innermost axis first
    for i in range(1, len(order)):
        for j in reversed(range(i)):
            turn = _before(order[j], order[j + 1], shape, operands)
            if turn < 0:
                break
            if turn > 0:
                order[j], order[j + 1] = order[j + 1], order[j]
    strides, step = [0] * len(shape), 1
    for d in order:
        strides[d] = step
        step *= max(shape[d], 1)
    return tuple(strides)


def reshaped(shape: tuple, strides: tuple, target: tuple):
    """Strides with which the same numbers, unmoved, show another shape; None if there are none."""
    if in_a_row(shape, strides):
        return rows(target)
    out, t = [0] * len(target), len(target) - 1
    chunk, base = 1, strides[-1]
    for d in range(len(shape) - 1, -1, -1):
        chunk *= shape[d]
        if d == 0 or (shape[d - 1] != 1 and strides[d - 1] != chunk * base):  # a run of axes that lie in a row ends
            seen = 1
            while t >= 0 and (seen < chunk or target[t] == 1):
                out[t] = seen * base
                seen *= target[t]
                t -= 1
            if seen != chunk:
                return None
            if d > 0:
                chunk, base = 1, strides[d - 1]
    return tuple(out) if t == -1 else None


def axis(dim, count: int, extra: int = 0) -> int:
    """An axis among `count`, counted from the front."""
    try:
        dim = operator.index(dim)
    except TypeError:
        raise TypeError(f"argument 'dim' must be int, not {type(dim).__name__}") from None
    n = count + extra or 1
    if not -n <= dim < n:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})")
    return dim % n


def axes(dim, count: int) -> tuple:
    """One axis, several or (None) all, counted from the front."""
    if dim is None or (isinstance(dim, tuple | list) and not dim):
        return tuple(range(count))
    if not isinstance(dim, tuple | list):
        return (axis(dim, count),) if count or axis(dim, 0) else ()
    found = tuple(axis(d, count) for d in dim)
    if twice := [d for d in found if found.count(d) > 1]:
        raise RuntimeError(f"dim {twice[0]} appears multiple times in the list of dims")
    return found if count else ()


def whole(n) -> int:
    """A size that may be a tensor with one integer."""
    try:
        return operator.index(n)
    except TypeError:
        raise TypeError(f"expected int, but got {type(n).__name__}") from None


def sizes(name: str, given: tuple) -> tuple:
    """A shape, given as several integers or as one list of them."""
    word = "shape" if name == "reshape" else "size"
    listed = len(given) == 1 and isinstance(given[0], tuple | list)
    found = tuple(given[0]) if listed else tuple(given)
    for i, n in enumerate(found):
        if not hasattr(n, "__index__"):
            kind = type(n).__name__
            if i or listed:
                raise TypeError(words("size-unpack", name, word, i + 1, kind))
            raise TypeError(f"{name}(): argument '{word}' (position 1) must be tuple of ints, not {kind}")
    return tuple(map(operator.index, found))


def inferred(shape: tuple, count: int) -> tuple:
    """A shape for `count` numbers, with its −1 filled in."""
    if shape.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    if any(n < -1 for n in shape):
        i = next(i for i, n in enumerate(shape) if n < -1)
        raise RuntimeError(f"invalid shape dimension {shape[i]} at index {i} of shape {list(shape)}")
    rest = math.prod(n for n in shape if n != -1)
    if -1 in shape and not rest:
        raise RuntimeError(words("reshape-ambiguous", list(shape)))
    if count != rest if -1 not in shape else count % rest:
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {count}")
    return tuple(count // rest if n == -1 else n for n in shape)
