"""dtypes: what numbers a tensor may hold, which dtype two of them meet in; devices and shapes."""

import math
import struct
from array import array

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
    if d.kind < 3 and values and isinstance(values[0], complex):
        values = [x.real for x in values]
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
    bits, signed = 8 * d.itemsize, d is not uint8
    low, high = -(signed << bits - 1), (1 << bits - signed) - 1
    try:
        whole = list(map(int, values))
    except (ValueError, OverflowError):  # not finite
        whole = [int(x) if math.isfinite(x) else low if d in (int32, int64) else 0 for x in values]
    if whole and (min(whole) < low or max(whole) > high):
        return [(x - low) % (1 << bits) + low for x in whole]
    return whole


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


class device:
    """Where a tensor lives: here always the CPU; `meta` is only a name, for rehearsals."""

    def __init__(self, kind, index=None):
        kind, _, number = str(kind).partition(":")
        require(kind not in ("cuda", "mps", "xpu"), "device-missing", kind)
        require(kind in ("cpu", "meta"), "device", kind)
        self.type, self.index = kind, int(number) if number else index

    def __repr__(self):
        return f"device(type='{self.type}'{'' if self.index is None else f', index={self.index}'})"

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other):
        return isinstance(other, device) and (self.type, self.index or 0) == (other.type, other.index or 0)

    def __hash__(self):
        return hash(self.type)


CPU = device("cpu")


class Size(tuple):
    def numel(self):
        return math.prod(self)

    def __repr__(self):
        return f"torch.Size({list(self)})"

    def __getitem__(self, i):
        got = tuple.__getitem__(self, i)
        return Size(got) if isinstance(i, slice) else got

    def __add__(self, other):
        return Size(tuple.__add__(self, tuple(other)))


for _thing in (Size, device, dtype, finfo):
    _thing.__module__ = "torch"
