"""Functions of single numbers, of pairs of them, and choices between them. A new one is a line in one of the tables."""

import cmath
import functools
import math
import operator
from math import inf, nan

from . import _numbers as n
from ._missing import words
from ._operations import must_be_tensor, op, operand
from ._tape import maker, record, wants
from ._tensor import Tensor, alike, flat, meeting, new, spread

# --- one number at a time -------------------------------------------------------------------------------------------


def _sigmoid(x):
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def _towards(rounded):
    return lambda x: x if isinstance(x, int) or not math.isfinite(x) else math.copysign(float(rounded(x)), x)


def _sign(x):
    return x if x != x else type(x)((x > 0) - (x < 0))


# name: the value; g times the derivative, from the input x and the output y; which of the two that needs
UNARY = {
    "exp": (math.exp, lambda g, x, y: g * y, "y"),
    "exp2": (lambda x: 2.0**x, lambda g, x, y: g * y * math.log(2), "y"),
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
    "sinh": (math.sinh, lambda g, x, y: g * x.cosh(), "x"),
    "cosh": (math.cosh, lambda g, x, y: g * x.sinh(), "x"),
    "tanh": (math.tanh, lambda g, x, y: g * (1 - y * y), "y"),
    "asin": (math.asin, lambda g, x, y: g / (1 - x * x).sqrt(), "x"),
    "acos": (math.acos, lambda g, x, y: -g / (1 - x * x).sqrt(), "x"),
    "atan": (math.atan, lambda g, x, y: g / (1 + x * x), "x"),
    "erf": (math.erf, lambda g, x, y: g * (2 / math.sqrt(math.pi)) * (-x * x).exp(), "x"),
    "sigmoid": (_sigmoid, lambda g, x, y: g * y * (1 - y), "y"),
    "neg": (operator.neg, lambda g, x, y: -g, ""),
    "abs": (abs, lambda g, x, y: g * x.sign(), "x"),
    "square": (lambda x: x * x, lambda g, x, y: 2 * g * x, "x"),
    "relu": (lambda x: x if x > 0 or x != x else type(x)(0), lambda g, x, y: where(y > 0, g, 0.0), "y"),
    "sign": (_sign, lambda g, x, y: g.new_zeros(g.shape), ""),
    "floor": (_towards(math.floor), lambda g, x, y: g.new_zeros(g.shape), ""),
    "ceil": (_towards(math.ceil), lambda g, x, y: g.new_zeros(g.shape), ""),
    "trunc": (_towards(math.trunc), lambda g, x, y: g.new_zeros(g.shape), ""),
}
KEEP_INTEGERS = {"neg", "abs", "square", "relu", "sign", "floor", "ceil", "trunc"}
ALSO = {"neg": "negative", "abs": "absolute", "trunc": "fix", "asin": "arcsin", "acos": "arccos", "atan": "arctan"}
COMPLEX = {"exp": cmath.exp, "sqrt": cmath.sqrt, "log": cmath.log, "neg": operator.neg, "square": lambda x: x * x}
POLES = {"log": 0, "log2": 0, "log10": 0, "log1p": -1}  # where the value is −∞ and Python raises an error


def _at_the_edge(name: str, value, x):
    """The value where Python raises an error instead of answering ∞ or NaN."""
    try:
        return value(x)
    except OverflowError:
        return -inf if name == "sinh" and x < 0 else inf
    except (ValueError, ZeroDivisionError):
        if isinstance(x, complex):
            return complex(nan, nan)
        if name in ("rsqrt", "reciprocal") and x == 0:
            return math.copysign(inf, x)
        return -inf if POLES.get(name) == x else nan


def _unary(name: str, value, derivative, needs: str):
    def function(input):
        x = input
        values, dtype, of = flat(x), x.dtype, value
        if dtype.kind < 2 and name not in KEEP_INTEGERS:
            dtype, values = n.default[0], n.held(values, n.default[0])
        if dtype is n.bool_ and name == "neg":
            raise RuntimeError(words("neg-bool"))
        if dtype.kind == 3 and name == "abs":
            return (x.real**2 + x.imag**2).sqrt()
        if dtype.kind == 3:
            of = COMPLEX[name]
        try:
            values = list(map(of, values))
        except (ValueError, OverflowError, ZeroDivisionError):
            values = [_at_the_edge(name, of, v) for v in values]
        y = alike(values if dtype is n.float64 else n.held(values, dtype), x.shape, dtype, x)
        if not wants(x):
            return y
        kept = y.detach() if "y" in needs else None
        record(
            y, f"{name.capitalize()}Backward0", (x,), lambda g: (derivative(g, x, kept),), (x,) if "x" in needs else ()
        )
        return _saving_itself(y) if "y" in needs else y

    function.__name__ = name
    return op(also=ALSO.get(name, ""), in_place=True)(function)


def _saving_itself(y):
    """The way back needs the result as it is now."""
    if y._node is not None:
        y._node.saved = [(y._store, y._store.version, y.dtype.legacy, list(y.shape), maker(y))]
    return y


OF_ONE = {name: _unary(name, *entry) for name, entry in UNARY.items()}


@op(in_place=True)
def round_(input, *, decimals=0):
    scale = 10.0**decimals
    x = input if not decimals else input * scale
    values = [v if isinstance(v, int) or not math.isfinite(v) else math.copysign(float(round(v)), v) for v in flat(x)]
    y = record(
        alike(n.held(values, x.dtype), x.shape, x.dtype, x), "RoundBackward0", (x,), lambda g: (g.new_zeros(g.shape),)
    )
    return y / scale if decimals else y


# name: whether it holds for a number
PREDICATES = {
    "isnan": lambda x: x != x,
    "isinf": lambda x: abs(x) == inf,
    "isposinf": lambda x: x == inf,
    "isneginf": lambda x: x == -inf,
    "isfinite": lambda x: cmath.isfinite(x),
    "logical_not": lambda x: not x,
    "signbit": lambda x: math.copysign(1, x) < 0,
}


def _predicate(name: str, holds):
    def function(input):
        return alike(list(map(holds, flat(input))), input.shape, n.bool_, input)

    function.__name__ = name
    return op()(function)


for _name, _entry in PREDICATES.items():
    _predicate(_name, _entry)

# --- two numbers ----------------------------------------------------------------------------------------------------


def _conj(x):
    return x.conj() if isinstance(x, Tensor) else x.conjugate()


def _power(a, b):
    y = a**b
    return nan if isinstance(y, complex) and not isinstance(a, complex) else y


def _power_by_base(g, a, b, y):
    if not isinstance(b, Tensor):
        return g.new_zeros(g.shape) if b == 0 else g * (b * a ** (b - 1))
    return g * where(b == 0, 0.0, b * a ** (b - 1))


def _power_by_exponent(g, a, b, y):
    if not isinstance(a, Tensor):
        return g * y * (math.log(a) if a > 0 else 0.0 if a == 0 else nan)
    return g * where((a == 0) & (b >= 0) if isinstance(b, Tensor) else a == 0, 0.0, y * a.log())


def _larger(a, b):
    return a if a != a or a > b else b


def _smaller(a, b):
    return a if a != a or a < b else b


def _share(better):
    """The gradient of the larger (or smaller) of two goes to the one that it is, half to each of two equal ones."""
    return lambda g, a, b, y: where(a == b, g / 2, where(better(a, b), g, 0.0))


def _log_of_sum(a, b):
    high = max(a, b)
    return high if math.isinf(high) else high + math.log1p(math.exp(min(a, b) - high))


def _nothing(g, a, b, y):
    raise RuntimeError("derivative for aten::floor_divide is not implemented")


# name: the value; g times the derivative by a, by b; which of a, b, y these need
BINARY = {
    "add": (operator.add, lambda g, a, b, y: g, lambda g, a, b, y: g, "", ""),
    "sub": (operator.sub, lambda g, a, b, y: g, lambda g, a, b, y: -g, "", ""),
    "mul": (operator.mul, lambda g, a, b, y: g * _conj(b), lambda g, a, b, y: g * _conj(a), "b", "a"),
    "div": (operator.truediv, lambda g, a, b, y: g / _conj(b), lambda g, a, b, y: -g * _conj(a / (b * b)), "b", "ab"),
    "pow": (_power, _power_by_base, _power_by_exponent, "ab", "aby"),
    "remainder": (operator.mod, lambda g, a, b, y: g, lambda g, a, b, y: -g * (a / b).floor(), "", "ab"),
    "fmod": (math.fmod, lambda g, a, b, y: g, lambda g, a, b, y: -g * (a / b).trunc(), "", "ab"),
    "floor_divide": (operator.floordiv, _nothing, _nothing, "", ""),
    "maximum": (_larger, _share(operator.gt), lambda g, a, b, y: _share(operator.gt)(g, b, a, y), "ab", "ab"),
    "minimum": (_smaller, _share(operator.lt), lambda g, a, b, y: _share(operator.lt)(g, b, a, y), "ab", "ab"),
    "atan2": (
        math.atan2,
        lambda g, a, b, y: g * b / (a * a + b * b),
        lambda g, a, b, y: -g * a / (a * a + b * b),
        *("ab", "ab"),
    ),
    "logaddexp": (_log_of_sum, lambda g, a, b, y: g * (a - y).exp(), lambda g, a, b, y: g * (b - y).exp(), "a", "b"),
}
CARRIED = {"div", "atan2", "logaddexp"}  # integers become floating point
TENSORS_ONLY = {"maximum", "minimum", "atan2", "logaddexp"}


def _edge_of_two(name: str, value, a, b):
    """The value where Python raises an error instead of answering ∞ or NaN."""
    try:
        return value(a, b)
    except ZeroDivisionError:
        if name == "pow":
            if isinstance(a, int) and isinstance(b, int):
                raise RuntimeError("Integers to negative integer powers are not allowed.") from None
            return math.copysign(inf, a) if b % 2 == 1 else inf
        if isinstance(a, int) and isinstance(b, int):
            raise RuntimeError("ZeroDivisionError") from None
        if isinstance(a, complex) or name == "remainder" or a != a or a == 0:
            return nan
        return math.copysign(inf, a) * math.copysign(1, b)
    except OverflowError:
        return -inf if a < 0 and b % 2 == 1 else inf
    except ValueError:
        return nan


def _values(value, a, b, dtype, careful):
    """The numbers of a function of two operands, and their shape."""
    shape = meeting(a, b)
    count, sides = math.prod(shape), []
    for x in (a, b):
        if not isinstance(x, Tensor):
            sides.append(n.held([x], dtype) * count)
        else:
            sides.append(spread(x, shape) if x.dtype.kind == dtype.kind else n.held(spread(x, shape), dtype))
    try:
        return list(map(value, *sides)), shape
    except (ZeroDivisionError, OverflowError, ValueError):
        return list(map(careful, *sides)), shape


def _both(name: str, a, b):
    """Both operands, or the error of a function that takes something else."""
    pair = operand(a), operand(b)
    for position, (x, came) in enumerate(zip(pair, (a, b), strict=True), 1):
        if x is NotImplemented or (name in TENSORS_ONLY and not isinstance(x, Tensor)):
            raise must_be_tensor(name, ("input", "other")[position - 1], position, came)
    return pair


def binary(name: str, a, b):
    """One of the functions of `BINARY`; one of its operands may be a Python number."""
    value, by_a, by_b, a_needs, b_needs = BINARY[name]
    a, b = _both(name, a, b)
    dtype = n.result_type(a, b)
    if dtype.kind < 2 and name in CARRIED:
        dtype = n.default[0]
    values, shape = _values(value, a, b, dtype, functools.partial(_edge_of_two, name, value))
    y = alike(
        values if dtype is n.float64 else n.held(values, dtype),
        shape,
        dtype,
        *(() if name == "pow" and not isinstance(a, Tensor) else (a, b)),
    )
    sides = [(x, by, needs) for x, by, needs in ((a, by_a, a_needs), (b, by_b, b_needs)) if isinstance(x, Tensor)]
    sides = [side for side in sides if wants(side[0])]
    if not sides:
        return y
    needed = "".join(needs for _, _, needs in sides)
    kept = y.detach() if "y" in needed or name == "logaddexp" else None
    saved = [x for x, letter in ((a, "a"), (b, "b")) if letter in needed]
    saved = [x if isinstance(x, Tensor) else new([x], (), dtype) for x in saved]
    inputs = tuple(x for x, _, _ in sides)
    return record(
        y, f"{name.capitalize()}Backward0", inputs, lambda g: [by(g, a, b, kept) for _, by, _ in sides], saved
    )


def _public(name: str, also: str = "", of: str = "tensor"):
    def function(input, other):
        return binary(name, input, other)

    function.__name__ = name
    return op(of=of, also=also, in_place=True)(function)


for _name in ("mul", "maximum", "minimum", "atan2", "logaddexp", "fmod"):
    _public(_name, {"mul": "multiply"}.get(_name, ""))
_public("floor_divide", of="anything")
_public("remainder", of="anything")


@op(also="subtract", in_place=True)
def sub(input, other, *, alpha=1):
    bools = [x.dtype is n.bool_ if isinstance(x, Tensor) else isinstance(x, bool) for x in (input, other)]
    if any(bools):
        two = "two bool tensors is not supported. Use the `^` or `logical_xor()` operator instead."
        one = (
            "a bool tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` "
            "operator instead."
        )
        raise RuntimeError(f"Subtraction, the `-` operator, with {two if all(bools) else one}")
    return binary("sub", input, other if alpha == 1 else alpha * other)


@op(in_place=True)
def add(input, other, *, alpha=1):
    return binary("add", input, other if alpha == 1 else alpha * other)


@op(also="divide true_divide", in_place=True)
def div(input, other, *, rounding_mode=None):
    if rounding_mode is None:
        return binary("div", input, other)
    whole = n.result_type(input, other)
    return (OF_ONE["floor"] if rounding_mode == "floor" else OF_ONE["trunc"])(binary("div", input, other)).to(whole)


@op(of="anything", in_place=True)
def pow(input, exponent):
    if isinstance(exponent, int) and exponent < 0 and isinstance(input, Tensor) and input.dtype.kind < 2:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    return binary("pow", input, exponent)


@op(method=False)
def rsub(input, other):
    return sub.__wrapped__(other, input)


# name: the value; comparisons give a mask
COMPARISONS = {
    "eq": (operator.eq, ""),
    "ne": (operator.ne, "not_equal"),
    "lt": (operator.lt, "less"),
    "le": (operator.le, "less_equal"),
    "gt": (operator.gt, "greater"),
    "ge": (operator.ge, "greater_equal"),
    "logical_and": (lambda a, b: bool(a) and bool(b), ""),
    "logical_or": (lambda a, b: bool(a) or bool(b), ""),
    "logical_xor": (lambda a, b: bool(a) != bool(b), ""),
}


def _comparison(name: str, value, also: str):
    def function(input, other):
        a, b = _both(name, input, other)
        values, shape = _values(value, a, b, n.result_type(a, b), value)
        return alike(values, shape, n.bool_, a, b)

    function.__name__ = name
    return op(also=also, in_place=True)(function)


for _name, _entry in COMPARISONS.items():
    _comparison(_name, *_entry)

BITWISE = {"bitwise_and": operator.and_, "bitwise_or": operator.or_, "bitwise_xor": operator.xor}


def _bitwise(name: str, value):
    def function(input, other):
        a, b = _both(name, input, other)
        dtype = n.result_type(a, b)
        if dtype.kind >= 2:
            raise NotImplementedError(f"\"{name}_cpu\" not implemented for '{dtype.legacy}'")
        values, shape = _values(value, a, b, dtype, value)
        return alike(n.held(values, dtype), shape, dtype, a, b)

    function.__name__ = name
    return op(in_place=True)(function)


for _name, _entry in BITWISE.items():
    _bitwise(_name, _entry)


@op(in_place=True)
def bitwise_not(input):
    if input.dtype.kind >= 2:
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    turned = operator.not_ if input.dtype is n.bool_ else operator.invert
    return alike(n.held(list(map(turned, flat(input))), input.dtype), input.shape, input.dtype, input)


# --- choices --------------------------------------------------------------------------------------------------------


@op(method=False)
def where(input, self=None, other=None, **named):
    mask, a, b = input, named.get("input", self), other
    if a is None and b is None:
        return mask.nonzero(as_tuple=True)
    if mask.dtype not in (n.bool_, n.uint8):
        raise RuntimeError(words("where-mask", mask.dtype.legacy))
    a, b = _both("where", a, b)
    dtype, shape = n.result_type(a, b), meeting(mask, a, b)
    sides = [n.held(spread(x, shape) if isinstance(x, Tensor) else [x] * math.prod(shape), dtype) for x in (a, b)]
    values = [x if here else y for here, x, y in zip(spread(mask, shape), *sides, strict=True)]
    inputs = [(x, own) for x, own in ((a, True), (b, False)) if isinstance(x, Tensor)]

    def back(g):
        return [where(mask, g, 0.0) if own else where(mask, 0.0, g) for _, own in inputs]

    return record(alike(values, shape, dtype, mask, a, b), "WhereBackward0", tuple(x for x, _ in inputs), back)


Tensor.where = lambda self, condition, other: where(condition, self, other)


@op(in_place=True)
def masked_fill(input, mask, value):
    if not isinstance(mask, Tensor):
        raise TypeError(words("masked-fill-kinds", type(mask).__name__, type(value).__name__))
    if mask.dtype is not n.bool_:
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {_spelt(mask.dtype)}")
    number = value
    if isinstance(value, Tensor):
        if value.dim():
            raise RuntimeError(words("masked-fill-value", value.dim()))
        number = value.item()
    elif (number := operand(value)) is NotImplemented:
        raise TypeError(f"masked_fill(): argument 'value' (position 2) must be Number, not {type(value).__name__}")
    if input.dtype.kind < 2 and isinstance(number, float) and not math.isfinite(number):
        kind = "int64_t" if input.dtype is n.int64 else input.dtype.cpp
        raise RuntimeError(f"value cannot be converted to type {kind} without overflow")
    (fill,), shape = n.held([number], input.dtype), meeting(mask, input)
    pairs = zip(spread(mask, shape), spread(input, shape), strict=True)
    y = new([fill if here else v for here, v in pairs], shape, input.dtype)
    inputs = (input, value) if isinstance(value, Tensor) else (input,)
    return record(y, "MaskedFillBackward0", inputs, lambda g: (where(mask, 0.0, g), where(mask, g, 0.0))[: len(inputs)])


def _spelt(dtype) -> str:
    return {"long": "long int"}.get(dtype.cpp, dtype.cpp)


@op(also="clip", in_place=True)
def clamp(input, min=None, max=None):
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    bounds = [x for x in (min, max) if x is not None]
    dtype = n.result_type(input, *bounds)
    if any(isinstance(x, Tensor) for x in bounds):
        y = input
        y = y if min is None else where(y < min, min, y)
        return y if max is None else where(y > max, max, y)
    values = n.held(flat(input), dtype)
    if min is not None:
        (low,) = n.held([min], dtype)
        values = [low if v < low else v for v in values]
    if max is not None:
        (high,) = n.held([max], dtype)
        values = [high if v > high else v for v in values]

    def back(g):
        inside = (input >= (-inf if min is None else min)) & (input <= (inf if max is None else max))
        return (where(inside, g, 0.0),)

    return record(alike(values, input.shape, dtype, input), "ClampBackward1", (input,), back, (input,))


@op(in_place=True)
def clamp_min(input, min):
    return clamp(input, min)


@op(in_place=True)
def clamp_max(input, max):
    return clamp(input, None, max)


@op(in_place=True)
def nan_to_num(input, nan=0.0, posinf=None, neginf=None):
    if input.dtype.kind < 2:
        return input.clone()
    top = n.LIMITS[input.dtype][0]
    high, low = top if posinf is None else posinf, -top if neginf is None else neginf
    values = [nan if v != v else high if v == inf else low if v == -inf else v for v in flat(input)]
    y = alike(n.held(values, input.dtype), input.shape, input.dtype, input)
    return record(y, "NanToNumBackward0", (input,), lambda g: (where(input.isfinite(), g, 0.0),), (input,))


@op(in_place=True)
def lerp(input, end, weight):
    return input + weight * (end - input)


@op(in_place=True)
def addcmul(input, tensor1, tensor2, *, value=1):
    return input + value * tensor1 * tensor2


@op(in_place=True)
def xlogy(input, other):
    product = input * (other.log() if isinstance(other, Tensor) else math.log(other))
    return where((input == 0) & ~(product.isnan() & (other != other)), 0.0, product)


# --- Python's operators ---------------------------------------------------------------------------------------------


def _operator(symbol: str, function, reflected=None):
    """What `x + y`, `y + x` and `x += y` mean; Python itself says which operands do not go together."""

    def forward(self, other):
        other = operand(other)
        return other if other is NotImplemented else function(self, other)

    def backward(self, other):
        other = operand(other)
        return other if other is NotImplemented else reflected(self, other)

    def in_place(self, other):
        other = operand(other)
        return other if other is NotImplemented else getattr(self, f"{function.__name__}_")(other)

    setattr(Tensor, f"__{symbol}__", forward)
    if reflected is not None:
        setattr(Tensor, f"__r{symbol}__", backward)
        setattr(Tensor, f"__i{symbol}__", in_place)


def _turned(function):
    return lambda self, other: function(other, self)


_operator("add", add, add)
_operator("sub", sub, rsub)
_operator("mul", Tensor.mul, Tensor.mul)
_operator("truediv", div, lambda self, other: self.reciprocal() * other)
_operator("floordiv", Tensor.floor_divide, _turned(Tensor.floor_divide))
_operator("mod", Tensor.remainder, _turned(Tensor.remainder))
_operator("pow", pow, _turned(pow))
_operator("and", Tensor.bitwise_and, Tensor.bitwise_and)
_operator("or", Tensor.bitwise_or, Tensor.bitwise_or)
_operator("xor", Tensor.bitwise_xor, Tensor.bitwise_xor)
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    _operator(_name, getattr(Tensor, _name))
Tensor.__neg__, Tensor.__abs__, Tensor.__invert__ = Tensor.neg, Tensor.abs, bitwise_not
Tensor.__pos__ = lambda self: self
