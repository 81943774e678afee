"""Functions of single numbers, of pairs of them, and choices between them. A new one is a line in one of the tables."""

import cmath
import functools
import math
import operator
from itertools import repeat
from math import copysign, inf, nan

from . import _numbers as n
from ._missing import error, require
from ._operations import ORDINARY, Operations, check_fits, define, must_be_tensor, number, op, operand
from ._tape import record, recording, wants
from ._tensor import Tensor, alike, meeting, new, spread


def _sigmoid(x):
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def _towards(rounded):
    return lambda x: x if isinstance(x, int) or not math.isfinite(x) else copysign(float(rounded(x)), x)


def _flat_everywhere(g, x, y):
    return g.new_zeros(g._shape)


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
    "tan": (math.tan, lambda g, x, y: g * (1 + y * y), "y"),
    "tanh": (math.tanh, lambda g, x, y: g * (1 - y * y), "y"),
    "atan": (math.atan, lambda g, x, y: g / (1 + x * x), "a"),
    "erf": (math.erf, lambda g, x, y: g * (2 / math.sqrt(math.pi)) * (-x * x).exp(), "a"),
    "sigmoid": (_sigmoid, lambda g, x, y: g * y * (1 - y), "y"),
    "deg2rad": (math.radians, lambda g, x, y: g * (math.pi / 180), ""),
    "neg": (operator.neg, lambda g, x, y: -g, ""),
    "abs": (abs, lambda g, x, y: g * x.sign(), "a"),
    "square": (lambda x: x * x, lambda g, x, y: 2 * g * x, "a"),
    "relu": (lambda x: x if x > 0 or x != x else type(x)(0), lambda g, x, y: where(y > 0, g, 0.0), "y"),
    "sign": (lambda x: x if x != x else type(x)((x > 0) - (x < 0)), _flat_everywhere, ""),
    "floor": (_towards(math.floor), _flat_everywhere, ""),
    "ceil": (_towards(math.ceil), _flat_everywhere, ""),
    "trunc": (_towards(math.trunc), _flat_everywhere, ""),
    "round": (_towards(round), _flat_everywhere, ""),
}
KEEP_INTEGERS = {"neg", "abs", "square", "relu", "sign", "floor", "ceil", "trunc", "round"}
COMPLEX = {"exp": cmath.exp, "sqrt": cmath.sqrt}
POLES = {"log": 0, "log2": 0, "log10": 0, "log1p": -1}  # where the value is −∞ and Python raises an error


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

    return lambda a, b: a if a != a or wins(a, b) else b, share, "ab", lambda g, a, b, y: share(g, b, a, y), "ab"


def _log_of_sum(a, b):
    high = max(a, b)
    return high if math.isinf(high) else high + math.log1p(math.exp(min(a, b) - high))


def _no_derivative(g, a, b, y):
    raise error("floor-derivative")


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
COMPARISONS = {name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")} | {
    "logical_and": lambda a, b: bool(a and b),
    "logical_or": lambda a, b: bool(a or b),
    "logical_xor": lambda a, b: bool(a) != bool(b),
}
BITWISE = {"bitwise_and": operator.and_, "bitwise_or": operator.or_, "bitwise_xor": operator.xor}
BITWISE |= {"bitwise_not": lambda x: not x if isinstance(x, bool) else ~x}
TABLE = UNARY | BINARY | {name: (of,) for name, of in (PREDICATES | COMPARISONS | BITWISE).items()}
MASKS = PREDICATES.keys() | COMPARISONS.keys()


def compute(name: str, *operands) -> Tensor:
    """One of the functions of the tables; one of two operands may be a Python number."""
    value, *ways = TABLE[name]
    if len(operands) == 2:
        operands = _both(name, *operands)
        dtype, shape = _result_type(*operands), meeting(*operands)
    else:
        dtype, shape = operands[0].dtype, operands[0]._shape
    if dtype.kind < 2:
        require(dtype is not n.bool_ or name != "neg", "neg-bool")
        dtype = n.default if name in FLOATING else dtype
    elif name in BITWISE:
        raise error("invert") if len(operands) == 1 else error("bitwise", name, dtype.legacy)
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
    if type(a) in ORDINARY and type(b) in ORDINARY and name not in TENSORS_ONLY:
        return a, b
    pair = operand(a), operand(b)
    for position, (x, came) in enumerate(zip(pair, (a, b), strict=True), 1):
        if x is NotImplemented or (name in TENSORS_ONLY and not isinstance(x, Tensor)):
            raise must_be_tensor(name, ("input", "other")[position - 1], position, came)
    return pair


LOWEST = {bool: 0, int: 1, float: 2}  # the kind from which on a dtype holds such a number


def _result_type(a, b):
    """As `result_type`, quick where there is little to decide."""
    if isinstance(a, Tensor):
        d = a.dtype
        if b.dtype is d if isinstance(b, Tensor) else d.kind >= LOWEST.get(type(b), 9):
            return d
    return n.result_type(a, b)


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
    def add(input, other, *, alpha=1):
        return compute("add", input, other if alpha == 1 else alpha * other)

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

    def abs(input):
        return compute("abs", input) if input.dtype.kind < 3 else (input.real**2 + input.imag**2).sqrt()

    def round(input, *, decimals=0):
        return compute("round", input * 10.0**decimals) / 10.0**decimals if decimals else compute("round", input)

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
        return record(
            y, "MaskedFillBackward0", inputs, lambda g: [where(mask, 0.0, g), where(mask, g, 0.0)][: len(inputs)]
        )

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
        "clamp_min": lambda input, min: input.clamp(min),
        "clamp_max": lambda input, max: input.clamp(None, max),
        "lerp": lambda input, end, weight: input + weight * (end - input),
        "addcmul": lambda input, tensor1, tensor2, *, value=1: input + value * tensor1 * tensor2,
    },
    in_place=True,
)


def where(condition, input=None, other=None):
    mask = condition
    if input is None and other is None:
        return mask.nonzero(as_tuple=True)
    if not isinstance(mask, Tensor):
        raise must_be_tensor("where", "condition", 1, mask)
    require(mask.dtype in (n.bool_, n.uint8), "where-mask", mask.dtype.legacy)
    a, b = _both("where", input, other)
    dtype, shape = n.result_type(a, b), meeting(mask, a, b)
    sides = [n.held(spread(x, shape), dtype) if isinstance(x, Tensor) else repeat(*n.held([x], dtype)) for x in (a, b)]
    values = [x if here else y for here, x, y in zip(spread(mask, shape), *sides, strict=False)]
    inputs = [(x, own) for x, own in ((a, True), (b, False)) if isinstance(x, Tensor)]
    y, given = alike(values, shape, dtype, mask, a, b), [x for x, _ in inputs]
    return record(
        y, "WhereBackward0", given, lambda g: [where(mask, g, 0.0) if own else where(mask, 0.0, g) for _, own in inputs]
    )


where = op("where", where)
Tensor.where = lambda self, condition, other: where(condition, self, other)


def _operator(of):
    """A method of two operands; Python itself says which of them do not go together."""

    def method(self, other):
        if type(other) not in ORDINARY:
            other = operand(other)
        return other if other is NotImplemented else of(self, other)

    return method


def _turned(function):
    return lambda self, other: function(other, self)


ARITHMETIC = {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "pow": "pow", "and": "bitwise_and"}
ARITHMETIC |= {"or": "bitwise_or", "xor": "bitwise_xor", "floordiv": "floor_divide", "mod": "remainder"}
for _symbol, _name in ARITHMETIC.items():
    _function = getattr(Tensor, _name)
    _turn = _function if _symbol in ("add", "mul", "and", "or", "xor") else _turned(_function)
    for _sign, _of in (("", _function), ("r", _turn), ("i", getattr(Tensor, f"{_name}_"))):
        setattr(Tensor, f"__{_sign}{_symbol}__", _operator(_of))
Tensor.__rtruediv__ = _operator(lambda self, other: self.reciprocal() * other)
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(Tensor, f"__{_name}__", _operator(getattr(Tensor, _name)))
Tensor.__neg__, Tensor.__abs__, Tensor.__invert__ = Tensor.neg, Tensor.abs, Tensor.bitwise_not
Tensor.__pos__ = lambda self: self
