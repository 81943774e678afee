"""How a function becomes an operation: a name in torch, a method of tensors, something that dispatch modes see.

    class signs(Operations, in_place=True):
        def neg(input): ...

gives `torch.neg`, `torch.negative`, `Tensor.neg`, `Tensor.negative`, and with `in_place` `Tensor.neg_`; other files
say `signs.neg`. The first parameter has the name that it has in PyTorch and says where: `input` in torch and as a
method, `self` as a method, any other in torch alone. `define` does the same for functions that are one expression.
"""

import math

from ._missing import require
from ._numbers import broadcast, in_a_row, places
from ._tensor import Tensor, flat, record, recording, wants, written

OPERANDS = Tensor, float, int, complex
FUNCTIONS = {}  # what the module torch offers
MODES = []  # the active dispatch modes, the innermost last
SPELLINGS = {"axis": "dim", "keepdims": "keepdim"}  # NumPy's, which PyTorch takes as well
NUMBER_FIRST = {"sub", "pow", "floor_divide", "remainder"}  # which may begin with a number: torch.pow(2, x)
HEARD = {"__getitem__": "index", "__setitem__": "index_put_"}  # what dispatch modes hear, if not the name
ALSO = (  # operations and their other names
    "neg negative, abs absolute, sub subtract, mul multiply, div divide true_divide, ne not_equal, lt less, "
    "le less_equal, gt greater, ge greater_equal, clamp clip, nonzero argwhere, transpose swapaxes, movedim moveaxis, "
    "cat concat concatenate, as_tensor asarray"
)
ALSO = {name: also for name, *also in map(str.split, ALSO.split(", "))}


class Operations:
    """A class that inherits from this one is a table of operations."""

    def __init_subclass__(cls, **options):
        for name, function in [pair for pair in vars(cls).items() if hasattr(pair[1], "__code__")]:
            setattr(cls, name, staticmethod(op(name, function, **options)))


def define(functions: dict, **options):
    """Make operations of functions, by their names."""
    for name, function in functions.items():
        op(name, function, **options)


def op(name: str, kernel, in_place=False, into=None):
    """Make an operation of a function; `into`: found only there."""
    first, seen = kernel.__code__.co_varnames[0], _Seen(name, kernel)
    of_tensor = first == "input" and name not in NUMBER_FIRST

    def operation(*args, **kwargs):
        if kwargs:
            kwargs = {SPELLINGS.get(key, key): value for key, value in kwargs.items()}
        if of_tensor:
            came = args[0] if args else kwargs.get("input")
            if not isinstance(came, Tensor) and (args or "input" in kwargs):
                raise must_be_tensor(name, "input", 1, came)
        if not MODES:
            return kernel(*args, **kwargs)
        mode = MODES.pop()
        try:
            return mode.__torch_dispatch__(seen, (), args, kwargs)
        finally:
            MODES.append(mode)

    operation.__name__ = name
    for spelling in (name, *ALSO.get(name, ())):
        if into is not None or first != "self":
            (FUNCTIONS if into is None else into)[spelling] = operation
        if into is None and first in ("self", "input") and not name.endswith("_like"):
            setattr(Tensor, spelling, operation)
        if in_place:
            op(f"{spelling}_", _in_place(kernel))
    return operation


class _Seen:
    """An operation as a dispatch mode sees it; it is its own schema. One that ends in an underscore writes."""

    def __init__(self, name: str, kernel):
        self.name, self.kernel, self._schema = HEARD.get(name, name), kernel, self
        self.is_mutable = self.name.endswith("_")

    def __call__(self, *args, **kwargs):
        return self.kernel(*args, **kwargs)

    def __str__(self):
        return f"aten.{self.name}.default"


def _in_place(kernel):
    """A function that computes from what the tensor was (the way back may need it), and overwrites it."""

    def write(self, *args, **kwargs):
        x = self
        if wants(self):
            x = record(self.detach().clone(), self._node.name if self._node else "", (self,), lambda g: (g,))
        result = fitted(self, kernel(x, *args, **kwargs))
        require(result.dtype.kind <= self.dtype.kind, "result-type", result.dtype.legacy, self.dtype.legacy)
        return rewrite(self, result.to(self.dtype))

    return write


def fitted(x, result):
    """A result, broadcast to the shape of `x`."""
    meet = broadcast(x._shape, result._shape)
    require(meet == x._shape, "output-shape", list(x.shape), list(meet))
    return result if result._shape == x._shape else result.expand(x._shape)


def replace(x, source):
    """Write `source` over a tensor, which forgets what it was."""
    return rewrite(x, record(source.detach(), "CopyBackwards", (x, source), lambda g: (g.new_zeros(g._shape), g)))


def rewrite(x, result):
    """Write a tensor of the same shape and dtype over another one."""
    for owner, what in ((x, "a"), (x._base, "a view of a")) if recording[0] and x.dtype.kind >= 2 else ():
        require(owner is None or owner._node is not None or not owner._wants, "grad-leaf", what)
    values, store = flat(result), x._store
    if in_a_row(x._shape, x._strides):
        store.values[x._offset : x._offset + len(values)] = values
    else:
        values = list(values)  # it may be the same storage
        for p, v in zip(places(x._shape, x._strides, x._offset), values, strict=True):
            store.values[p] = v
    store.version += 1
    if result._node is not None:  # what it saved of itself is now saved of the tensor
        own, saved = result._store, result._node.saved
        result._node.saved = [(store, store.version, *of) if at is own else (at, v, *of) for at, v, *of in saved]
    if x._node is not None or x._base is not None or wants(result):
        written(x, result)
    return x


def must_be_tensor(name: str, argument: str, position: int, came) -> TypeError:
    """The error for something else than a tensor."""
    kind = "ellipsis" if came is ... else type(came).__name__
    return TypeError(f"{name}(): argument '{argument}' (position {position}) must be Tensor, not {kind}")


def operand(x):
    """A tensor or a Python number; NotImplemented for anything else."""
    return x if isinstance(x, OPERANDS) else NotImplemented


def check_fits(value, dtype):
    """There is no whole number for ∞ and NaN."""
    kind = {"long": "int64_t"}.get(dtype.cpp, dtype.cpp)
    require(dtype.kind > 1 or not isinstance(value, float) or math.isfinite(value), "fill-overflow", kind)


def number(x, name: str, argument: str, position: int):
    """A Python number, also out of a tensor that holds one."""
    found = x.item() if isinstance(x, Tensor) else operand(x)
    require(found is not NotImplemented, "number", name, argument, position, type(x).__name__)
    return found
