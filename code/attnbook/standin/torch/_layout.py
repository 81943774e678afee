"""Where the numbers of a tensor lie in its storage: strides, positions, broadcasting. Shapes are plain tuples here."""

import math
import operator
from functools import cmp_to_key, lru_cache

from ._missing import require


@lru_cache(4096)
def rows(shape: tuple) -> tuple:
    """Strides of numbers that lie in a row."""
    strides, step = [], 1
    for n in reversed(shape):
        strides.append(step)
        step *= max(n, 1)
    return tuple(reversed(strides))


def places(shape: tuple, strides: tuple, offset: int = 0) -> list:
    """Positions in the storage, in logical order. The list is shared: not to be changed."""
    return (_places if math.prod(shape) < 4096 else _places.__wrapped__)(shape, strides, offset)


@lru_cache(2048)
def _places(shape: tuple, strides: tuple, offset: int) -> list:
    at = [offset]
    for n, step in zip(shape, strides, strict=True):
        at = [p + i for p in at for i in range(0, n * step, step)] if step else [p for p in at for _ in range(n)]
    return at


@lru_cache(4096)
def in_a_row(shape: tuple, strides: tuple) -> bool:
    """Whether the numbers lie in a row, in logical order (`is_contiguous`)."""
    steps = zip(shape, strides, rows(shape), strict=True)
    return 0 in shape or all(n == 1 or stride == step for n, stride, step in steps)


@lru_cache(4096)
def broadcast(a: tuple, b: tuple) -> tuple:
    """The shape in which two shapes meet."""
    n = max(len(a), len(b))
    a, b = (1,) * (n - len(a)) + a, (1,) * (n - len(b)) + b
    for axis in reversed(range(n)):
        require(a[axis] == b[axis] or 1 in (a[axis], b[axis]), "broadcast", a[axis], b[axis], axis)
    return tuple(y if x == 1 else x for x, y in zip(a, b, strict=True))


@lru_cache(4096)
def stretched(shape: tuple, strides: tuple, wide: tuple) -> tuple:
    """Strides with which numbers of one shape are read as if they had a wider one."""
    extra = len(wide) - len(shape)
    own = (0 if n == 1 and w != 1 else s for n, s, w in zip(shape, strides, wide[extra:], strict=True))
    return (0,) * extra + tuple(own)


def _before(one: int, other: int, shape: tuple, operands: tuple) -> int:
    """Whether an axis should lie inside another one: 1 if not, -1 if so, 0 if the operands do not say."""
    for strides in operands:
        a, b = strides[one], strides[other]
        if a and b and a != b:
            return 1 if a > b else -1
        if a and b and shape[one] > shape[other]:
            return 1
    return 0


@lru_cache(4096)
def laid_out(shape: tuple, operands: tuple) -> tuple:
    """Strides of a result, as PyTorch chooses them: its axes lie in memory as those of the operands do.

    `operands` are the operands' strides, broadcast to the shape.
    """
    order = list(range(len(shape)))[::-1]  # the innermost axis first
    order.sort(key=cmp_to_key(lambda one, other: _before(one, other, shape, operands)))
    strides, step = [0] * len(shape), 1
    for d in order:
        strides[d] = step
        step *= max(shape[d], 1)
    return tuple(strides)


def reshaped(shape: tuple, strides: tuple, target: tuple):
    """Strides with which the same numbers, unmoved, show another shape; None if there are none."""
    if in_a_row(shape, strides):
        return rows(target)
    at = places(shape, strides)
    found = tuple(at[step] - at[0] if n > 1 else 0 for n, step in zip(target, rows(target), strict=True))
    return found if places(target, found) == at else None


def axis(dim, count: int, extra: int = 0) -> int:
    """An axis among `count`, counted from the front."""
    require(hasattr(dim, "__index__"), "dim-kind", type(dim).__name__)
    n, dim = count + extra or 1, operator.index(dim)
    require(-n <= dim < n, "dim-range", -n, n - 1, dim)
    return dim % n


def axes(dim, count: int) -> tuple:
    """One axis, several or (None) all, counted from the front."""
    several = isinstance(dim, tuple | list)
    if dim is None or (several and not dim):
        return tuple(range(count))
    found = tuple(axis(d, count) for d in (dim if several else (dim,)))
    for d in found:
        require(found.count(d) == 1, "dim-twice", d)
    return found if count else ()


def listed(given: tuple) -> tuple:
    """What was given one by one, or as one list."""
    return tuple(given[0]) if len(given) == 1 and isinstance(given[0], tuple | list) else given


def sizes(name: str, given: tuple) -> tuple:
    """A shape, given as several integers or as one list of them."""
    word, found = "shape" if name == "reshape" else "size", listed(given)
    for i, n in enumerate(found):
        of_list, kind = i or found is not given, type(n).__name__
        require(hasattr(n, "__index__") or not of_list, "size-unpack", name, word, i + 1, kind)
        require(hasattr(n, "__index__"), "size-kind", name, word, kind)
    return tuple(map(operator.index, found))


def inferred(shape: tuple, count: int) -> tuple:
    """A shape for `count` numbers, with its −1 filled in."""
    require(shape.count(-1) <= 1, "shape-infer")
    for i, n in enumerate(shape):
        require(n >= -1, "shape-negative", n, i, list(shape))
    rest = math.prod(n for n in shape if n != -1)
    require(-1 not in shape or rest, "reshape-ambiguous", list(shape))
    require(count % rest == 0 if -1 in shape else count == rest, "shape-size", list(shape), count)
    return tuple(count // rest if n == -1 else n for n in shape)
