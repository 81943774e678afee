"""Functions of single numbers, of pairs of them, and choices between them. A new one is a line in one of the tables."""

import cmath
import functools
import math
import operator
from itertools import repeat
from math import copysign, inf, nan

from . import _numbers as n
from ._missing import error, require
from ._operations import ORDINARY, check_fits, define, must_be_tensor, number, op, operand
from ._tape import record, wants
from ._tensor import Tensor, alike, flat, meeting, new, spread

# --- one number at a time -------------------------------------------------------------------------------------------


def _sigmoid(x):
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def _towards(rounded):
    return lambda x: x if isinstance(x, int) or not math.isfinite(x) else copysign(float(rounded(x)), x)


def _flat_everywhere(g, x, y):
    return g.new_zeros(g._shape)


# name: the value; g times the derivative, from the input x and the output y; which of the two that needs
UNARY = {
    "exp": (math.exp, lambda g, x, y: g * y, "y"),
    "expm1": (math.expm1, lambda g, x, y: g * (y + 1), "y"),
    "log": (math.log, lambda g, x, y: g / x, "x"),
    "log2": (math.log2, lambda g, x, y: g / (x * math.log(2)), "x"),
    "log10": (math.log10, lambda g, x, y: g / (x * math.log(10)), "x"),
    "log1p": (math.log1p, lambda g, x, y: g / (x + 1), "x"),
    "sqrt": (math.sqrt, lambda g, x, y: g / (2 * y), "y"),
    "rsqrt": (lambda x: 1 / math.sqrt(x), lambda g, x, y: -0.5 * g * y**3, "y"),
    "reciprocal": (lambda x: 1 / x, lambda g, x, y: -g * y * y, "y"),
    "sin": (math.sin, lambda g, x, y: g * x.cos(), "x"),
    "cos": (math.cos, lambda g, x, y: -g * x.sin(), "x"),
    "tan": (math.tan, lambda g, x, y: g * (1 + y * y), "y"),
    "tanh": (math.tanh, lambda g, x, y: g * (1 - y * y), "y"),
    "atan arctan": (math.atan, lambda g, x, y: g / (1 + x * x), "x"),
    "erf": (math.erf, lambda g, x, y: g * (2 / math.sqrt(math.pi)) * (-x * x).exp(), "x"),
    "sigmoid": (_sigmoid, lambda g, x, y: g * y * (1 - y), "y"),
    "deg2rad": (math.radians, lambda g, x, y: g * (math.pi / 180), ""),
    "neg negative": (operator.neg, lambda g, x, y: -g, ""),
    "abs absolute": (abs, lambda g, x, y: g * x.sign(), "x"),
    "square": (lambda x: x * x, lambda g, x, y: 2 * g * x, "x"),
    "relu": (lambda x: x if x > 0 or x != x else type(x)(0), lambda g, x, y: where(y > 0, g, 0.0), "y"),
    "sign": (lambda x: x if x != x else type(x)((x > 0) - (x < 0)), _flat_everywhere, ""),
    "floor": (_towards(math.floor), _flat_everywhere, ""),
    "ceil": (_towards(math.ceil), _flat_everywhere, ""),
    "trunc fix": (_towards(math.trunc), _flat_everywhere, ""),
    "round": (_towards(round), _flat_everywhere, ""),
}
KEEP_INTEGERS = {"neg", "abs", "square", "relu", "sign", "floor", "ceil", "trunc", "round"}
COMPLEX = {"exp": cmath.exp, "sqrt": cmath.sqrt, "neg": operator.neg, "square": lambda x: x * x}
POLES = {"log": 0, "log2": 0, "log10": 0, "log1p": -1}  # where the value is −∞ and Python raises an error


def _at_the_edge(name: str, value, x):
    """The value where Python raises an error instead of answering ∞ or NaN."""
    try:
        return value(x)
    except OverflowError:
        return inf
    except (ValueError, ZeroDivisionError):
        if name in ("rsqrt", "reciprocal") and x == 0:
            return copysign(inf, x)
        return -inf if POLES.get(name) == x else nan


def _unary(names: str, value, derivative, needs: str):
    name, _, also = names.partition(" ")

    def function(input):
        x, dtype, of = input, input.dtype, value
        values = flat(x)
        if dtype.kind < 2 and name not in KEEP_INTEGERS:
            dtype, values = n.default, n.held(values, n.default)
        require(dtype is not n.bool_ or name != "neg", "neg-bool")
        if dtype.kind == 3:
            if name == "abs":
                return (x.real**2 + x.imag**2).sqrt()
            of = COMPLEX[name]
        try:
            values = list(map(of, values))
        except (ValueError, OverflowError, ZeroDivisionError):
            values = [_at_the_edge(name, of, v) for v in values]
        y = alike(values if dtype is n.float64 else n.held(values, dtype), x._shape, dtype, x)
        if not wants(x):
            return y
        kept = y.detach() if "y" in needs else None
        record(y, f"{name.capitalize()}Backward0", (x,), lambda g: (derivative(g, x, kept),))
        if needs:
            y._node.save(y if "y" in needs else x)
        return y

    function.__name__ = name
    return op(also=also, in_place=True)(function)


for _names, _entry in UNARY.items():
    _unary(_names, *_entry)
_round = Tensor.round
# name: whether it holds for a number
PREDICATES = {
    "isnan": lambda x: x != x,
    "isinf": lambda x: abs(x) == inf,
    "isposinf": lambda x: x == inf,
    "isneginf": lambda x: x == -inf,
    "isfinite": cmath.isfinite,
    "logical_not": operator.not_,
}
define(
    {
        name: lambda input, holds=holds: alike(list(map(holds, flat(input))), input._shape, n.bool_, input)
        for name, holds in PREDICATES.items()
    }
)

# --- two numbers ----------------------------------------------------------------------------------------------------


def _conj(x):
    return x.conj() if isinstance(x, Tensor) else x.conjugate()


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

    return lambda a, b: a if a != a or wins(a, b) else b, share, lambda g, a, b, y: share(g, b, a, y), "ab", "ab"


def _log_of_sum(a, b):
    high = max(a, b)
    return high if math.isinf(high) else high + math.log1p(math.exp(min(a, b) - high))


def _no_derivative(g, a, b, y):
    raise error("floor-derivative")


# name: the value; g times the derivative by a, by b; which of a, b, y these need
BINARY = {
    "add": (operator.add, lambda g, a, b, y: g, lambda g, a, b, y: g, "", ""),
    "sub": (operator.sub, lambda g, a, b, y: g, lambda g, a, b, y: -g, "", ""),
    "mul": (operator.mul, lambda g, a, b, y: g * _conj(b), lambda g, a, b, y: g * _conj(a), "b", "a"),
    "div": (operator.truediv, lambda g, a, b, y: g / _conj(b), lambda g, a, b, y: -g * _conj(a / (b * b)), "b", "ab"),
    "pow": (_power, _power_by_base, _power_by_exponent, "ab", "aby"),
    "remainder": (operator.mod, lambda g, a, b, y: g, lambda g, a, b, y: -g * (a / b).floor(), "", "ab"),
    "floor_divide": (operator.floordiv, _no_derivative, _no_derivative, "", ""),
    "maximum": _better(operator.gt),
    "minimum": _better(operator.lt),
    "logaddexp": (_log_of_sum, lambda g, a, b, y: g * (a - y).exp(), lambda g, a, b, y: g * (b - y).exp(), "ay", "by"),
}
CARRIED = {"div", "logaddexp"}  # integers become floating point
TENSORS_ONLY = {"maximum", "minimum", "logaddexp"}


def _edge_of_two(name: str, value, a, b):
    """The value where Python raises an error instead of answering ∞ or NaN."""
    try:
        return value(a, b)
    except ZeroDivisionError:
        if name == "pow":
            return copysign(inf, a) if b % 2 == 1 else inf
        require(not (isinstance(a, int) and isinstance(b, int)), "zero-division")
        if isinstance(a, complex) or name == "remainder" or a != a or a == 0:
            return nan
        return copysign(inf, a) * copysign(1, b)
    except OverflowError:
        return -inf if a < 0 and b % 2 == 1 else inf


def _values(value, a, b, dtype, careful=None) -> tuple[list, tuple]:
    """The numbers of a function of two operands, and their shape."""
    shape, sides = meeting(a, b), []
    for x in (a, b):
        if not isinstance(x, Tensor):
            sides.append(n.held([x], dtype) * math.prod(shape))
        else:
            sides.append(spread(x, shape) if x.dtype.kind == dtype.kind else n.held(spread(x, shape), dtype))
    try:
        return list(map(value, *sides)), shape
    except (ZeroDivisionError, OverflowError):
        return list(map(careful, *sides)), shape


def _both(name: str, a, b) -> tuple:
    """Both operands, or the error of a function that takes something else."""
    if type(a) in ORDINARY and type(b) in ORDINARY and name not in TENSORS_ONLY:
        return a, b
    pair = operand(a), operand(b)
    for position, (x, came) in enumerate(zip(pair, (a, b), strict=True), 1):
        if x is NotImplemented or (name in TENSORS_ONLY and not isinstance(x, Tensor)):
            raise must_be_tensor(name, ("input", "other")[position - 1], position, came)
    return pair


def _result_type(a, b):
    """As `result_type`, quick where there is little to decide."""
    if isinstance(a, Tensor):
        d = a.dtype
        if (type(b) in (float, int) and d.kind == 2) or (isinstance(b, Tensor) and b.dtype is d):
            return d
    return n.result_type(a, b)


def binary(name: str, a, b):
    """One of the functions of `BINARY`; one of its operands may be a Python number."""
    value, by_a, by_b, a_needs, b_needs = BINARY[name]
    a, b = _both(name, a, b)
    dtype = _result_type(a, b)
    if dtype.kind < 2 and name in CARRIED:
        dtype = n.default
    values, shape = _values(value, a, b, dtype, functools.partial(_edge_of_two, name, value))
    like = () if name == "pow" and not isinstance(a, Tensor) else (a, b)
    y = alike(values if dtype is n.float64 else n.held(values, dtype), shape, dtype, *like)
    sides = [(a, by_a, a_needs), (b, by_b, b_needs)]
    sides = [side for side in sides if isinstance(side[0], Tensor) and wants(side[0])]
    if not sides:
        return y
    needed = "".join(needs for _, _, needs in sides)
    kept = y.detach() if "y" in needed else None
    saved = [x for x, letter in ((a, "a"), (b, "b")) if letter in needed]
    saved = [x if isinstance(x, Tensor) else new([x], (), dtype) for x in saved]
    inputs = tuple(x for x, _, _ in sides)
    return record(
        y, f"{name.capitalize()}Backward0", inputs, lambda g: [by(g, a, b, kept) for _, by, _ in sides], saved
    )


def _named(name: str):
    return lambda input, other: binary(name, input, other)


define({"mul multiply": _named("mul")}, in_place=True)
define({name: _named(name) for name in ("maximum", "minimum", "logaddexp")})
define({name: _named(name) for name in ("floor_divide", "remainder")}, of="anything", in_place=True)


@op(of="anything", also="subtract", in_place=True)
def sub(input, other, *, alpha=1):
    bools = [x.dtype is n.bool_ if isinstance(x, Tensor) else isinstance(x, bool) for x in (input, other)]
    require(not any(bools), "sub-bools" if all(bools) else "sub-bool")
    return binary("sub", input, other if alpha == 1 else alpha * other)


@op(in_place=True)
def add(input, other, *, alpha=1):
    return binary("add", input, other if alpha == 1 else alpha * other)


@op(also="divide true_divide", in_place=True)
def div(input, other, *, rounding_mode=None):
    y = binary("div", input, other)
    return y if rounding_mode is None else getattr(y, rounding_mode)().to(n.result_type(input, other))


@op(of="anything", in_place=True)
def pow(input, exponent):
    whole = isinstance(exponent, int) and isinstance(input, Tensor) and input.dtype.kind < 2
    require(not whole or exponent >= 0, "negative-power")
    return binary("pow", input, exponent)


@op(in_place=True)
def round_(input, *, decimals=0):
    return _round(input * 10.0**decimals) / 10.0**decimals if decimals else _round(input)


# name: the value; comparisons give a mask
COMPARISONS = {
    "eq": operator.eq,
    "ne not_equal": operator.ne,
    "lt less": operator.lt,
    "le less_equal": operator.le,
    "gt greater": operator.gt,
    "ge greater_equal": operator.ge,
    "logical_and": lambda a, b: bool(a and b),
    "logical_or": lambda a, b: bool(a or b),
    "logical_xor": lambda a, b: bool(a) != bool(b),
}
BITWISE = {"bitwise_and": operator.and_, "bitwise_or": operator.or_, "bitwise_xor": operator.xor}


def _without_gradient(names: str, value):
    name = names.partition(" ")[0]

    def function(input, other):
        a, b = _both(name, input, other)
        dtype = _result_type(a, b)
        require(name not in BITWISE or dtype.kind < 2, "bitwise", name, dtype.legacy)
        values, shape = _values(value, a, b, dtype)
        return alike(values, shape, dtype if name in BITWISE else n.bool_, a, b)

    return function


define({names: _without_gradient(names, of) for names, of in (COMPARISONS | BITWISE).items()}, in_place=True)


@op(in_place=True)
def bitwise_not(input):
    require(input.dtype.kind < 2, "invert")
    turned = operator.not_ if input.dtype is n.bool_ else operator.invert
    return alike(n.held(list(map(turned, flat(input))), input.dtype), input._shape, input.dtype, input)


# --- choices --------------------------------------------------------------------------------------------------------


@op(method=False)
def where(condition, input=None, other=None):
    mask = condition
    if input is None and other is None:
        return mask.nonzero(as_tuple=True)
    require(mask.dtype in (n.bool_, n.uint8), "where-mask", mask.dtype.legacy)
    a, b = _both("where", input, other)
    dtype, shape = n.result_type(a, b), meeting(mask, a, b)
    sides = [n.held(spread(x, shape), dtype) if isinstance(x, Tensor) else repeat(*n.held([x], dtype)) for x in (a, b)]
    values = [x if here else y for here, x, y in zip(spread(mask, shape), *sides, strict=False)]
    inputs = [(x, own) for x, own in ((a, True), (b, False)) if isinstance(x, Tensor)]

    def back(g):
        return [where(mask, g, 0.0) if own else where(mask, 0.0, g) for _, own in inputs]

    return record(alike(values, shape, dtype, mask, a, b), "WhereBackward0", [x for x, _ in inputs], back)


Tensor.where = lambda self, condition, other: where(condition, self, other)


@op(in_place=True)
def masked_fill(input, mask, value):
    require(isinstance(mask, Tensor), "masked-fill-kinds", type(mask).__name__, type(value).__name__)
    require(mask.dtype is n.bool_, "mask-dtype", {"long": "long int"}.get(mask.dtype.cpp, mask.dtype.cpp))
    if isinstance(value, Tensor):
        require(not value.dim(), "masked-fill-value", value.dim())
    filled = number(value, "masked_fill", "value", 2)
    check_fits(filled, input.dtype)
    (filled,), shape = n.held([filled], input.dtype), meeting(mask, input)
    pairs = zip(spread(mask, shape), spread(input, shape), strict=True)
    y = new([filled if here else v for here, v in pairs], shape, input.dtype)
    inputs = (input, value) if isinstance(value, Tensor) else (input,)
    return record(y, "MaskedFillBackward0", inputs, lambda g: (where(mask, 0.0, g), where(mask, g, 0.0))[: len(inputs)])


@op(also="clip", in_place=True)
def clamp(input, min=None, max=None):
    require(min is not None or max is not None, "clamp")
    y, x = input, input.detach()
    for bound, beyond in ((min, operator.lt), (max, operator.gt)):
        if bound is not None:
            y = where(beyond(x, bound), bound, y)
    return y


@op(in_place=True)
def nan_to_num(input, nan=0.0, posinf=None, neginf=None):
    top = n.LIMITS.get(input.dtype, (0,))[0]
    high, low = top if posinf is None else posinf, -top if neginf is None else neginf
    return where(input.isnan(), nan, where(input == inf, high, where(input == -inf, low, input)))


define(
    {
        "clamp_min": lambda input, min: clamp(input, min),
        "clamp_max": lambda input, max: clamp(input, None, max),
        "lerp": lambda input, end, weight: input + weight * (end - input),
        "addcmul": lambda input, tensor1, tensor2, *, value=1: input + value * tensor1 * tensor2,
    },
    in_place=True,
)

# --- Python's operators ---------------------------------------------------------------------------------------------


def _operator(symbol: str, function, reflected=None):
    """What `x + y`, `y + x` and `x += y` mean; Python itself says which operands do not go together."""

    def meaning(of):
        def method(self, other):
            if type(other) not in ORDINARY:
                other = operand(other)
            return other if other is NotImplemented else of(self, other)

        return method

    setattr(Tensor, f"__{symbol}__", meaning(function))
    if reflected is not None:
        setattr(Tensor, f"__r{symbol}__", meaning(reflected))
        setattr(Tensor, f"__i{symbol}__", meaning(getattr(Tensor, f"{function.__name__}_")))


def _turned(function):
    return lambda self, other: function(other, self)


_operator("add", add, add)
_operator("sub", sub, _turned(sub))
_operator("truediv", div, lambda self, other: self.reciprocal() * other)
_operator("pow", pow, _turned(pow))
for _symbol, _name in {"mul": "mul", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor"}.items():
    _operator(_symbol, getattr(Tensor, _name), getattr(Tensor, _name))
for _symbol, _name in {"floordiv": "floor_divide", "mod": "remainder"}.items():
    _operator(_symbol, getattr(Tensor, _name), _turned(getattr(Tensor, _name)))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    _operator(_name, getattr(Tensor, _name))
Tensor.__neg__, Tensor.__abs__, Tensor.__invert__ = Tensor.neg, Tensor.abs, bitwise_not
Tensor.__pos__ = lambda self: self
