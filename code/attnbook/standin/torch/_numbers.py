"""dtypes, devices and shapes; and where the numbers of a tensor lie in its storage. Shapes are plain tuples here."""

import math
import operator
import struct
from array import array
from functools import lru_cache

from ._missing import require


class dtype:
    """A kind of number; `kind` orders them: 0 bool, 1 integers, 2 floating point, 3 complex."""

    partner = None  # the complex dtype with such parts, or the dtype of a complex number's parts

    def __init__(self, name: str, kind: str, itemsize: str, legacy: str, cpp: str):
        self.name, self.kind, self.itemsize = name, int(kind), int(itemsize)
        self.legacy, self.cpp = legacy, cpp  # how PyTorch's messages call it
        self.is_floating_point, self.is_complex = self.kind == 2, self.kind == 3

    def __repr__(self):
        return f"torch.{self.name}"

    def __deepcopy__(self, memo):
        return self


_ROWS = (
    "bool 0 1 Bool bool, uint8 1 1 Byte unsigned char, int8 1 1 Char signed char, int16 1 2 Short short, "
    "int32 1 4 Int int, int64 1 8 Long long, float16 2 2 Half c10::Half, bfloat16 2 2 BFloat16 c10::BFloat16, "
    "float32 2 4 Float float, float64 2 8 Double double, complex64 3 8 ComplexFloat c10::complex<float>, "
    "complex128 3 16 ComplexDouble c10::complex<double>"
)
DTYPES = [dtype(*row.split(" ", 4)) for row in _ROWS.split(", ")]
bool_, uint8, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128 = DTYPES
complex64.partner, complex128.partner, float32.partner, float64.partner = float32, float64, complex64, complex128
default = float32  # what floating-point numbers get if no dtype is asked for


def promote_types(a, b):
    """The smallest dtype that both fit into."""
    if a is b:
        return a
    if a.kind != b.kind:
        high, low = (a, b) if a.kind > b.kind else (b, a)
        return complex128 if high.kind == 3 and low is float64 else high
    if a.itemsize == b.itemsize:  # two kinds of 16 bits, or signed and unsigned
        return float32 if a.kind == 2 else int16
    return a if a.itemsize > b.itemsize else b


def of_number(x):
    """The dtype of a Python number, None for anything else."""
    kinds = ((bool, bool_), (int, int64), (float, default), (complex, complex64))
    return next((d for kind, d in kinds if isinstance(x, kind)), None)


def result_type(*operands):
    """The dtype of a result: tensors with axes come before those without, these before Python numbers."""
    ranks = [None, None, None]
    for x in operands:
        d = getattr(x, "dtype", None)
        rank, d = (2, of_number(x)) if d is None else (0 if x._shape else 1, d)
        ranks[rank] = d if ranks[rank] is None else promote_types(ranks[rank], d)
    found = None
    for d in ranks:  # a lower rank matters only where it brings another kind of number
        if d is not None and (found is None or d.kind > found.kind):
            found = found.partner if found is not None and (found.kind, d.kind) == (2, 3) else d
    return found


def held(values: list, d) -> list:
    """Python numbers, as a dtype holds them (a new list)."""
    if d is float64:
        return list(map(float, values))
    if d is float32:
        return array("f", values).tolist()
    if d.kind == 0:
        return list(map(bool, values))
    if d.kind == 1:
        return _integers(values, d)
    if d is complex64:
        values = map(complex, *(array("f", [getattr(complex(x), part) for x in values]) for part in ("real", "imag")))
    return list(map({float16: _half, bfloat16: _bfloat}.get(d, complex), values))


def _integers(values: list, d) -> list:
    size, low = 1 << 8 * d.itemsize, 0 if d is uint8 else -1 << 8 * d.itemsize - 1
    strange = low if d in (int32, int64) else 0  # what ∞ and NaN become
    return [(int(x) - low) % size + low if math.isfinite(x) else strange for x in values]


def _half(x: float) -> float:
    try:
        return struct.unpack("<e", struct.pack("<e", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def _bfloat(x: float) -> float:
    """The upper half of a float32, rounded to even."""
    if not math.isfinite(x):
        return float(x)
    (bits,) = struct.unpack("<I", array("f", [x]).tobytes())
    bits += 0x7FFF + ((bits >> 16) & 1)
    return struct.unpack("<f", struct.pack("<I", bits & 0xFFFF0000))[0]


LIMITS = {
    float64: (1.7976931348623157e308, 2.220446049250313e-16, 2.2250738585072014e-308),
    float32: (3.4028234663852886e38, 1.1920928955078125e-07, 1.1754943508222875e-38),
    float16: (65504.0, 0.0009765625, 6.103515625e-05),
    bfloat16: (3.3895313892515355e38, 0.0078125, 1.1754943508222875e-38),
}


class finfo:
    def __init__(self, d=default):
        require(d in LIMITS, "finfo")
        self.max, self.eps, self.tiny = LIMITS[d]
        self.min, self.smallest_normal, self.bits, self.dtype = -self.max, self.tiny, 8 * d.itemsize, d.name


class device(str):
    """Where a tensor lives: here always the CPU; `meta` is only a name, for rehearsals."""

    index = None
    type = property(str.__str__)

    def __new__(cls, kind):
        kind = str(kind).partition(":")[0]
        require(kind not in ("cuda", "mps", "xpu"), "device-missing", kind)
        require(kind in ("cpu", "meta"), "device", kind)
        return super().__new__(cls, kind)

    def __repr__(self):
        return f"device(type='{self}')"


class Size(tuple):
    def numel(self):
        return math.prod(self)

    def __repr__(self):
        return f"torch.Size({list(self)})"

    def __getitem__(self, i):
        got = tuple.__getitem__(self, i)
        return Size(got) if isinstance(i, slice) else got


CPU = device("cpu")
for _thing in (Size, device, dtype, finfo):
    _thing.__module__ = "torch"


@lru_cache(4096)
def rows(shape: tuple) -> tuple:
    """Strides of numbers that lie in a row."""
    strides, step = [], 1
    for n in reversed(shape):
        strides.append(step)
        step *= max(n, 1)
    return tuple(reversed(strides))


@lru_cache(512)
def places(shape: tuple, strides: tuple, offset: int = 0) -> list:
    """Positions in the storage, in logical order. The list is shared: not to be changed."""
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


def reshaped(shape: tuple, strides: tuple, target: tuple):
    """Strides with which the same numbers, unmoved, show another shape; None if there are none."""
    if in_a_row(shape, strides):
        return rows(target)
    at = places(shape, strides)
    found = tuple(at[step] - at[0] if n > 1 else 0 for n, step in zip(target, rows(target), strict=True))
    return found if places(target, found) == at else None


def axis(dim, count: int, extra: int = 0) -> int:
    """An axis among `count`, counted from the front."""
    n, dim = count + extra or 1, operator.index(dim)
    require(-n <= dim < n, "dim-range", -n, n - 1, dim)
    return dim % n


def axes(dim, count: int) -> tuple:
    """One axis, several or (None) all, counted from the front."""
    several = isinstance(dim, tuple | list)
    if dim is None or (several and not dim):
        return tuple(range(count))
    found = tuple(axis(d, count) for d in (dim if several else (dim,)))
    require(len(set(found)) == len(found), "dim-twice", found[-1])
    return found if count else ()


def listed(given: tuple) -> tuple:
    """What was given one by one, or as one list."""
    return tuple(given[0]) if len(given) == 1 and isinstance(given[0], tuple | list) else given


def sizes(name: str, given: tuple) -> tuple:
    """A shape, given as several integers or as one list of them."""
    word, found = "shape" if name == "reshape" else "size", listed(given)
    for i, n in enumerate(found):
        require(hasattr(n, "__index__"), "size-unpack", name, word, i + 1, type(n).__name__)
    return tuple(map(operator.index, found))


def inferred(shape: tuple, count: int) -> tuple:
    """A shape for `count` numbers, with its −1 filled in."""
    require(shape.count(-1) <= 1, "shape-infer")
    for i, n in enumerate(shape):
        require(n >= -1, "shape-negative", n, i, list(shape))
    rest = math.prod(n for n in shape if n != -1)
    require(rest and count % rest == 0 if -1 in shape else count == rest, "shape-size", list(shape), count)
    return tuple(count // rest if n == -1 else n for n in shape)
