"""dtypes: what numbers a tensor may hold, which dtype two of them meet in, and devices."""

import math
import struct
from array import array

from ._missing import words


class dtype:
    """A kind of number; `kind` orders them: 0 bool, 1 integers, 2 floating point, 3 complex."""

    def __init__(self, name: str, kind: int, itemsize: int, legacy: str, cpp: str):
        self.name, self.kind, self.itemsize = name, kind, itemsize
        self.legacy, self.cpp = legacy, cpp  # how PyTorch's messages call it
        self.is_floating_point, self.is_complex = kind == 2, kind == 3
        self.is_signed = name not in ("bool", "uint8")

    def __repr__(self):
        return f"torch.{self.name}"

    def __deepcopy__(self, memo):
        return self

    def to_complex(self):
        """The complex dtype whose parts are of this one."""
        return complex128 if self is float64 else complex64

    def to_real(self):
        """The dtype of a complex number's parts."""
        return float64 if self is complex128 else float32


bool_ = dtype("bool", 0, 1, "Bool", "bool")
uint8, int8 = dtype("uint8", 1, 1, "Byte", "unsigned char"), dtype("int8", 1, 1, "Char", "signed char")
int16, int32 = dtype("int16", 1, 2, "Short", "short"), dtype("int32", 1, 4, "Int", "int")
int64 = dtype("int64", 1, 8, "Long", "long")
float8_e4m3fn = dtype("float8_e4m3fn", 2, 1, "Float8_e4m3fn", "c10::Float8_e4m3fn")
float16, bfloat16 = dtype("float16", 2, 2, "Half", "c10::Half"), dtype("bfloat16", 2, 2, "BFloat16", "c10::BFloat16")
float32, float64 = dtype("float32", 2, 4, "Float", "float"), dtype("float64", 2, 8, "Double", "double")
complex64 = dtype("complex64", 3, 8, "ComplexFloat", "c10::complex<float>")
complex128 = dtype("complex128", 3, 16, "ComplexDouble", "c10::complex<double>")

default = [float32]  # one place, which `set_default_dtype` changes


def get_default_dtype():
    """The dtype that floating-point numbers get if none is asked for."""
    return default[0]


def set_default_dtype(d):
    """Choose the dtype that floating-point numbers get if none is asked for."""
    if d.kind != 2:
        raise TypeError("only floating-point types are supported as the default type")
    default[0] = d


# --- which dtype two operands meet in -------------------------------------------------------------------------------


def promote_types(a, b):
    """The smallest dtype that both fit into."""
    if a is b:
        return a
    if a.kind != b.kind:
        high, low = (a, b) if a.kind > b.kind else (b, a)
        return complex128 if high.kind == 3 and low is float64 else high
    if a.kind == 2 and a.itemsize == b.itemsize:
        return float32
    if a.kind == 1 and uint8 in (a, b) and a.itemsize == b.itemsize:
        return int16
    return a if a.itemsize >= b.itemsize else b


def of_number(x):
    """The dtype of a Python number, None for anything else."""
    if isinstance(x, bool):
        return bool_
    if isinstance(x, int):
        return int64
    if isinstance(x, float):
        return default[0]
    return default[0].to_complex() if isinstance(x, complex) else None


def result_type(*operands):
    """The dtype of a result: tensors with axes come before those without, these before Python numbers."""
    first, *others = (getattr(x, "dtype", None) for x in operands)
    if first is not None and all(d is first for d in others):
        return first
    ranks = [None, None, None]
    for x in operands:
        d = getattr(x, "dtype", None)
        rank, d = (0 if x.shape else 1, d) if d is not None else (2, of_number(x))
        ranks[rank] = d if ranks[rank] is None else promote_types(ranks[rank], d)
    return _outranked(ranks[0], _outranked(ranks[1], ranks[2]))


def _outranked(high, low):
    """A lower rank matters only where it brings another kind of number."""
    if high is None or low is None:
        return low if high is None else high
    if high.kind == 2 and low.kind == 3:
        return high.to_complex()
    return high if high.kind >= low.kind else low if high.kind < 2 else promote_types(high, low)


# --- numbers as a dtype holds them ----------------------------------------------------------------------------------


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
    if d is complex128:
        return list(map(complex, values))
    if d is complex64:
        parts = (array("f", [complex(x).real for x in values]), array("f", [complex(x).imag for x in values]))
        return list(map(complex, *parts))
    return [_half(float(x)) if d is float16 else _bfloat(float(x)) for x in values]


def _integers(values: list, d) -> list:
    low, high = _range(d)
    try:
        whole = list(map(int, values))
    except (ValueError, OverflowError):  # not finite
        nothing = low if d in (int32, int64) else 0
        whole = [int(x) if math.isfinite(x) else nothing for x in values]
    if whole and (min(whole) < low or max(whole) > high):
        return [(x - low) % (high - low + 1) + low for x in whole]
    return whole


def _range(d) -> tuple[int, int]:
    bits = 8 * d.itemsize
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if d.is_signed else (0, (1 << bits) - 1)


def _half(x: float) -> float:
    try:
        return struct.unpack("<e", struct.pack("<e", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def _bfloat(x: float) -> float:
    """The upper half of a float32, rounded to even."""
    if not math.isfinite(x):
        return x
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
    """Limits of a floating-point dtype."""

    def __init__(self, d=None):
        d = default[0] if d is None else d
        if d.kind == 3:
            d = d.to_real()
        if d not in LIMITS:
            raise TypeError(words("finfo"))
        self.max, self.eps, self.tiny = LIMITS[d]
        self.min, self.smallest_normal, self.bits, self.dtype = -self.max, self.tiny, 8 * d.itemsize, d.name


class iinfo:
    """Limits of an integer dtype."""

    def __init__(self, d):
        if d.kind != 1:
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'")
        (self.min, self.max), self.bits, self.dtype = _range(d), 8 * d.itemsize, d.name


# --- devices --------------------------------------------------------------------------------------------------------


class device:
    """Where a tensor lives: here always the CPU. `meta` is only a name, under which a second device is rehearsed."""

    def __init__(self, kind, index=None):
        if isinstance(kind, device):
            kind, index = kind.type, kind.index
        kind, _, number = kind.partition(":")
        if kind in ("cuda", "mps", "xpu"):
            raise RuntimeError(f"there is no {kind} device in the page: torch is a small stand-in on the CPU here")
        if kind not in ("cpu", "meta"):
            raise RuntimeError(words("device", kind))
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


class layout:
    """How numbers lie in memory; here always with strides."""

    def __init__(self, name: str):
        self.name = name

    def __repr__(self):
        return f"torch.{self.name}"


strided, sparse_coo = layout("strided"), layout("sparse_coo")
contiguous_format, preserve_format = layout("contiguous_format"), layout("preserve_format")


class Size(tuple):
    """The shape of a tensor."""

    def numel(self):
        """How many numbers a tensor of this shape has."""
        return math.prod(self)

    def __repr__(self):
        return f"torch.Size({list(self)})"

    __str__ = __repr__

    def __getitem__(self, i):
        got = tuple.__getitem__(self, i)
        return Size(got) if isinstance(i, slice) else got

    def __add__(self, other):
        return Size(tuple.__add__(self, tuple(other)))
