"""Functions of single numbers, of pairs of them (complex ones, too), and choices. A new one is a line in a table."""

import cmath
import functools
import math
import operator
from math import copysign, inf, nan

from . import _numbers as n
from ._missing import require
from ._operations import Operations, check_fits, define, must_be_tensor, number, op, operand
from ._tensor import Tensor, alike, flat, meeting, new, record, recording, spread, wants


def _sigmoid(x):
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def _towards(rounded):
    return lambda x: x if isinstance(x, int) or not math.isfinite(x) else copysign(float(rounded(x)), x)


def _conj(x):
    return x.conj() if isinstance(x, Tensor) else x.conjugate()


# name: the value; g times the derivative, from the operand x and the result y; which of the two (a, y) that needs
UNARY = {
    "exp": (math.exp, lambda g, x, y: g * y, "y"),
    "expm1": (math.expm1, lambda g, x, y: g * (y + 1), "y"),
    "log": (math.log, lambda g, x, y: g / x, "a"),
    "log2": (math.log2, lambda g, x, y: g / (x * math.log(2)), "a"),
    "log10": (math.log10, lambda g, x, y: g / (x * math.log(10)), "a"),
    "log1p": (math.log1p, lambda g, x, y: g / (x + 1), "a"),
    "sqrt": (math.sqrt, lambda g, x, y: g / (2 * y), "y"),
    "rsqrt": (lambda x: 1 / math.sqrt(x), lambda g, x, y: -0.5 * g * y**3, "y"),
    "reciprocal": (lambda x: 1 / x, lambda g, x, y: -g * y * y, "y"),
    "sin": (math.sin, lambda g, x, y: g * x.cos(), "a"),
    "cos": (math.cos, lambda g, x, y: -g * x.sin(), "a"),
    "tanh": (math.tanh, lambda g, x, y: g * (1 - y * y), "y"),
    "erf": (math.erf, lambda g, x, y: g * (2 / math.sqrt(math.pi)) * (-x * x).exp(), "a"),
    "sigmoid": (_sigmoid, lambda g, x, y: g * y * (1 - y), "y"),
    "deg2rad": (math.radians, lambda g, x, y: g * (math.pi / 180), ""),
    "neg": (operator.neg, lambda g, x, y: -g, ""),
    "abs": (abs, lambda g, x, y: g * x.sign(), "a"),
    "square": (lambda x: x * x, lambda g, x, y: 2 * g * x, "a"),
    "relu": (lambda x: x if x > 0 or x != x else type(x)(0), lambda g, x, y: where(y > 0, g, 0.0), "y"),
    "sign": (lambda x: x if x != x else type(x)((x > 0) - (x < 0)), lambda g, x, y: g.new_zeros(g._shape), ""),
    "floor": (_towards(math.floor), lambda g, x, y: g.new_zeros(g._shape), ""),
    "ceil": (_towards(math.ceil), lambda g, x, y: g.new_zeros(g._shape), ""),
    "trunc": (_towards(math.trunc), lambda g, x, y: g.new_zeros(g._shape), ""),
    "round": (_towards(round), lambda g, x, y: g.new_zeros(g._shape), ""),
}
KEEP_INTEGERS = {"neg", "abs", "square", "relu", "sign", "floor", "ceil", "trunc", "round"}
COMPLEX = {"exp": cmath.exp, "sqrt": cmath.sqrt}
POLES = {"log": 0, "log2": 0, "log10": 0, "log1p": -1}  # where the value is −∞ and Python raises an error


def _power(a, b):
    y = a**b
    return nan if isinstance(y, complex) and not isinstance(a, complex) else y


def _power_by_base(g, a, b, y):
    if not isinstance(b, Tensor):
        return g.new_zeros(g._shape) if b == 0 else g * (b * a ** (b - 1))
    return g * where(b == 0, 0.0, b * a ** (b - 1))


def _power_by_exponent(g, a, b, y):
    if not isinstance(a, Tensor):
        return g * y * (math.log(a) if a > 0 else 0.0 if a == 0 else nan)
    return g * where((a == 0) & (b >= 0) if isinstance(b, Tensor) else a == 0, 0.0, y * a.log())


def _better(wins) -> tuple:
    """The larger (or smaller) of two. Its gradient goes to the one that it is, half to each of two equal ones."""

    def share(g, a, b, y):
        return where(a == b, g / 2, where(wins(a, b), g, 0.0))

    return lambda a, b: a if a != a or wins(a, b) else b, share, "ab", lambda g, a, b, y: share(g, b, a, y), "ab"


def _log_of_sum(a, b):
    high = max(a, b)
    return high if math.isinf(high) else high + math.log1p(math.exp(min(a, b) - high))


_no_derivative = functools.partial(require, False, "floor-derivative")
# name: the value; g times the derivative by a and what of a, b, y that needs; the same by b
BINARY = {
    "add": (operator.add, lambda g, a, b, y: g, "", lambda g, a, b, y: g, ""),
    "sub": (operator.sub, lambda g, a, b, y: g, "", lambda g, a, b, y: -g, ""),
    "mul": (operator.mul, lambda g, a, b, y: g * _conj(b), "b", lambda g, a, b, y: g * _conj(a), "a"),
    "div": (operator.truediv, lambda g, a, b, y: g / _conj(b), "b", lambda g, a, b, y: -g * _conj(a / (b * b)), "ab"),
    "pow": (_power, _power_by_base, "ab", _power_by_exponent, "aby"),
    "remainder": (operator.mod, lambda g, a, b, y: g, "", lambda g, a, b, y: -g * (a / b).floor(), "ab"),
    "floor_divide": (operator.floordiv, _no_derivative, "", _no_derivative, ""),
    "maximum": _better(operator.gt),
    "minimum": _better(operator.lt),
    "logaddexp": (_log_of_sum, lambda g, a, b, y: g * (a - y).exp(), "ay", lambda g, a, b, y: g * (b - y).exp(), "by"),
}
TENSORS_ONLY = {"maximum", "minimum", "logaddexp"}
FLOATING = UNARY.keys() - KEEP_INTEGERS | {"div", "logaddexp"}  # make floating-point numbers of integers
# name: the value; these give a mask
PREDICATES = {
    "isnan": lambda x: x != x,
    "isinf": lambda x: abs(x) == inf,
    "isposinf": lambda x: x == inf,
    "isneginf": lambda x: x == -inf,
    "isfinite": cmath.isfinite,
    "logical_not": operator.not_,
}
COMPARISONS = {name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")}
COMPARISONS |= {"logical_and": lambda a, b: bool(a and b), "logical_or": lambda a, b: bool(a or b)}
BITWISE = {"bitwise_and": operator.and_, "bitwise_or": operator.or_, "bitwise_xor": operator.xor}
BITWISE |= {"bitwise_not": lambda x: not x if isinstance(x, bool) else ~x}
TABLE = UNARY | BINARY | {name: (of,) for name, of in (PREDICATES | COMPARISONS | BITWISE).items()}
MASKS = PREDICATES.keys() | COMPARISONS.keys()


def compute(name: str, *operands) -> Tensor:
    """One of the functions of the tables; one of two operands may be a Python number."""
    value, *ways = TABLE[name]
    if len(operands) == 2:
        operands = _both(name, *operands)
        dtype, shape = n.result_type(*operands), meeting(*operands)
    else:
        dtype, shape = operands[0].dtype, operands[0]._shape
    require(dtype.kind < 2 or name not in BITWISE, "bitwise" if operands[1:] else "invert", name, dtype.legacy)
    require(dtype is not n.bool_ or name != "neg", "neg-bool")
    dtype = n.default if dtype.kind < 2 and name in FLOATING else dtype
    value = COMPLEX.get(name, value) if dtype.kind == 3 else value
    sides = [_side(x, shape, dtype) for x in operands]
    try:
        values = list(map(value, *sides))
    except (ValueError, ZeroDivisionError, OverflowError):
        values = list(map(functools.partial(_at_the_edge, name, value), *sides))
    if name in MASKS:
        return alike(values, shape, n.bool_, *operands)
    like = () if name == "pow" and not isinstance(operands[0], Tensor) else operands
    y = alike(values if dtype is n.float64 else n.held(values, dtype), shape, dtype, *like)
    if not ways or not recording[0]:
        return y
    sides = zip(operands, ways[::2], ways[1::2], strict=True)
    sides = [side for side in sides if isinstance(side[0], Tensor) and wants(side[0])]
    if not sides:
        return y
    needed = "".join(needs for _, _, needs in sides)
    kept = y.detach() if "y" in needed else None
    inputs = tuple(x for x, _, _ in sides)
    record(y, f"{name.capitalize()}Backward0", inputs, lambda g: [by(g, *operands, kept) for _, by, _ in sides])
    if needed:
        saved = zip((*operands, y), "aby" if len(operands) == 2 else "ay", strict=True)
        saved = [x for x, letter in saved if letter in needed]
        y._node.save(*(x if isinstance(x, Tensor) else new([x], (), dtype) for x in saved))
    return y


def _both(name: str, a, b) -> tuple:
    """Both operands, or the error of a function that takes something else."""
    pair = operand(a), operand(b)
    for position, (x, came) in enumerate(zip(pair, (a, b), strict=True), 1):
        if x is NotImplemented or (name in TENSORS_ONLY and not isinstance(x, Tensor)):
            raise must_be_tensor(name, ("input", "other")[position - 1], position, came)
    return pair


def _side(x, shape: tuple, dtype):
    """An operand's numbers, as often as they are needed."""
    if not isinstance(x, Tensor):
        return n.held([x], dtype) * math.prod(shape)
    return spread(x, shape) if x.dtype.kind == dtype.kind else n.held(spread(x, shape), dtype)


def _at_the_edge(name: str, value, *xs):
    """The value where Python raises an error instead of answering ∞ or NaN."""
    x, other = xs[0], xs[-1]
    try:
        return value(*xs)
    except ValueError:
        return -inf if POLES.get(name) == x else nan
    except OverflowError:
        return -inf if x < 0 and other % 2 == 1 else inf
    except ZeroDivisionError:
        if name in ("rsqrt", "reciprocal"):
            return copysign(inf, x)
        if name == "pow":
            return copysign(inf, x) if other % 2 == 1 else inf
        require(not (isinstance(x, int) and isinstance(other, int)), "zero-division")
        if isinstance(x, complex) or name == "remainder" or x != x or x == 0:
            return nan
        return copysign(inf, x) * copysign(1, other)


def _named(name: str):
    if len(TABLE[name]) == 3 or name in PREDICATES or name == "bitwise_not":
        return lambda input: compute(name, input)
    return lambda input, other: compute(name, input, other)


define({name: _named(name) for name in PREDICATES})
define({name: _named(name) for name in TABLE if name not in PREDICATES}, in_place=True)


class arithmetic(Operations, in_place=True):
    def sub(input, other, *, alpha=1):
        bools = [x.dtype is n.bool_ if isinstance(x, Tensor) else isinstance(x, bool) for x in (input, other)]
        require(not any(bools), "sub-bools" if all(bools) else "sub-bool")
        return compute("sub", input, other if alpha == 1 else alpha * other)

    def div(input, other, *, rounding_mode=None):
        y = compute("div", input, other)
        return y if rounding_mode is None else getattr(y, rounding_mode)().to(n.result_type(input, other))

    def pow(input, exponent):
        whole = isinstance(exponent, int) and isinstance(input, Tensor) and input.dtype.kind < 2
        require(not whole or exponent >= 0, "negative-power")
        return compute("pow", input, exponent)

    def round(input, *, decimals=0):
        return compute("round", input * 10.0**decimals) / 10.0**decimals if decimals else compute("round", input)

    def masked_fill(input, mask, value):
        require(mask.dtype is n.bool_, "mask-dtype", {"long": "long int"}.get(mask.dtype.cpp, mask.dtype.cpp))
        filled = number(value, "masked_fill", "value", 2)
        check_fits(filled, input.dtype)
        filled = value.to(input.dtype) if isinstance(value, Tensor) else n.held([filled], input.dtype)[0]
        return where(mask, filled, input).contiguous()

    def clamp(input, min=None, max=None):
        require(min is not None or max is not None, "clamp")
        y, x = input, input.detach()
        for bound, beyond in ((min, operator.lt), (max, operator.gt)):
            if bound is not None:
                y = where(beyond(x, bound), bound, y)
        return y

    def nan_to_num(input, nan=0.0, posinf=None, neginf=None):
        top = n.LIMITS.get(input.dtype, (0,))[0]
        high, low = top if posinf is None else posinf, -top if neginf is None else neginf
        return where(input.isnan(), nan, where(input == inf, high, where(input == -inf, low, input)))


define(
    {
        "add": lambda input, other, *, alpha=1: compute("add", input, other if alpha == 1 else alpha * other),
        "abs": lambda input: (input.real**2 + input.imag**2).sqrt() if input.is_complex() else compute("abs", input),
        "clamp_min": lambda input, min: input.clamp(min),
        "clamp_max": lambda input, max: input.clamp(None, max),
        "lerp": lambda input, end, weight: input + weight * (end - input),
        "addcmul": lambda input, tensor1, tensor2, *, value=1: input + value * tensor1 * tensor2,
        "tril": lambda input, diagonal=0: _triangle(input, diagonal, operator.gt),
        "triu": lambda input, diagonal=0: _triangle(input, diagonal, operator.lt),
    },
    in_place=True,
)


def _triangle(input, diagonal: int, beyond) -> Tensor:
    require(input.dim() > 1, "triangle", "tril" if beyond is operator.gt else "triu")
    gone = [beyond(j - i, diagonal) for i in range(input._shape[-2]) for j in range(input._shape[-1])]
    return input.masked_fill(new(gone, input._shape[-2:], n.bool_), 0)


class pairs(Operations):
    def complex(real, imag):
        shape = meeting(real, imag)
        out = new(list(map(complex, spread(real, shape), spread(imag, shape))), shape, real.dtype.partner)
        return record(out, "ComplexBackward0", (real, imag), lambda g: (g.real, g.imag))

    def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
        require(input.dtype is other.dtype, "close-dtypes", input.dtype.legacy, other.dtype.legacy)
        shape = meeting(input, other)
        both = zip(spread(input, shape), spread(other, shape), strict=True)
        near = [x == y or abs(x - y) <= atol + rtol * abs(y) < inf or equal_nan and x != x and y != y for x, y in both]
        return alike(near, shape, n.bool_, input, other)


define(
    {
        "allclose": lambda input, *args, **wishes: all(flat(input.isclose(*args, **wishes))),
        "equal": lambda input, other: input._shape == other._shape and all(map(operator.eq, flat(input), flat(other))),
        "conj": lambda input: input if input.dtype.kind != 3 else pairs.complex(input.real, -input.imag),
        "polar": lambda abs, angle: pairs.complex(abs * angle.cos(), abs * angle.sin()),
        "view_as_complex": lambda tensor: pairs.complex(*tensor.reshape(*tensor._shape[:-1], 2).unbind(-1)),
    }
)


def _part(x, name: str) -> Tensor:
    """The real or the imaginary part."""
    require(x.dtype.kind == 3, "imag")
    out = new([getattr(v, name.lower()) for v in flat(x)], x._shape, x.dtype.partner)
    return record(out, f"{name}Backward0", (x,), lambda g: (pairs.complex(g * (name == "Real"), g * (name == "Imag")),))


Tensor.real = property(lambda x: x if x.dtype.kind != 3 else _part(x, "Real"))
Tensor.imag = property(lambda x: _part(x, "Imag"))


def where(condition, input=None, other=None):
    if input is None and other is None:
        return condition.nonzero(as_tuple=True)
    if not isinstance(condition, Tensor):
        raise must_be_tensor("where", "condition", 1, condition)
    require(condition.dtype in (n.bool_, n.uint8), "where-mask", condition.dtype.legacy)
    a, b = _both("where", input, other)
    dtype, shape = n.result_type(a, b), meeting(condition, a, b)
    sides = [_side(x, shape, dtype) for x in (a, b)]
    values = [x if here else y for here, x, y in zip(spread(condition, shape), *sides, strict=True)]
    inputs = [(x, own) for x, own in ((a, True), (b, False)) if isinstance(x, Tensor)]

    def back(g):
        return [where(condition, g, 0.0) if own else where(condition, 0.0, g) for _, own in inputs]

    return record(alike(values, shape, dtype, condition, a, b), "WhereBackward0", [x for x, _ in inputs], back)


where = op("where", where)
Tensor.where = lambda self, condition, other: where(condition, self, other)


def _operator(of, turned=False):
    """A method of two operands; Python itself says which of them do not go together."""

    def method(self, other):
        if operand(other) is NotImplemented:
            return NotImplemented
        return of(other, self) if turned else of(self, other)

    return method


ARITHMETIC = {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "pow": "pow", "and": "bitwise_and"}
ARITHMETIC |= {"or": "bitwise_or", "xor": "bitwise_xor", "floordiv": "floor_divide", "mod": "remainder"}
for _symbol, _name in ARITHMETIC.items():
    _turns = _symbol not in ("add", "mul", "and", "or", "xor")
    setattr(Tensor, f"__{_symbol}__", _operator(getattr(Tensor, _name)))
    setattr(Tensor, f"__r{_symbol}__", _operator(getattr(Tensor, _name), _turns))
    setattr(Tensor, f"__i{_symbol}__", _operator(getattr(Tensor, f"{_name}_")))
Tensor.__rtruediv__ = _operator(lambda self, other: self.reciprocal() * other)
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(Tensor, f"__{_name}__", _operator(getattr(Tensor, _name)))
Tensor.__neg__, Tensor.__abs__, Tensor.__invert__ = Tensor.neg, Tensor.abs, Tensor.bitwise_not
Tensor.__pos__ = lambda self: self
