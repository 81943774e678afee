"""How a function becomes an operation: a name in torch, a method of tensors, something that dispatch modes see.

    @op(in_place=True, also="negative")
    def neg(input): ...

gives `torch.neg`, `torch.negative`, `Tensor.neg`, `Tensor.negative` and `Tensor.neg_`. `define` does the same for
functions that are one expression.
"""

import math

from ._layout import broadcast, in_a_row, places
from ._missing import require
from ._tape import check_may_write, record, wants, written
from ._tensor import Tensor, flat

ORDINARY = {Tensor, float, int, bool}
OPERANDS = Tensor, float, int, complex
FUNCTIONS = {}  # what the module torch offers
MODES = []  # the active dispatch modes, the innermost last
SPELLINGS = {"axis": "dim", "keepdims": "keepdim"}  # NumPy's, which PyTorch takes as well


class _Schema:
    def __init__(self, is_mutable: bool):
        self.is_mutable = is_mutable


class _Seen:
    """An operation as a dispatch mode sees it."""

    def __init__(self, name: str, kernel, mutable: bool):
        self.name, self.kernel, self._schema = f"aten.{name}.default", kernel, _Schema(mutable)

    def __call__(self, *args, **kwargs):
        return self.kernel(*args, **kwargs)

    def __str__(self):
        return self.name


def op(aten="", *, of="tensor", also="", in_place=False, mutable=False, torch=True, method=True):
    """Register an operation.

    `aten` is what dispatch modes hear, if not the function's own name. `of` says what comes first: a tensor, or
    "anything". `also` are further names. With `in_place` there is a method with an underscore, too; `mutable` marks
    one that writes by itself. `torch` and `method` say where the names are to be found.
    """

    def register(kernel):
        name = kernel.__name__
        if not mutable and not name.startswith("__"):
            name = name.removesuffix("_")  # `sum_` is called sum
        seen = _Seen(aten or name, kernel, mutable)

        def operation(*args, **kwargs):
            if kwargs:
                kwargs = {SPELLINGS.get(key, key): value for key, value in kwargs.items()}
            if of == "tensor":
                first = args[0] if args else kwargs.get("input")
                if not isinstance(first, Tensor) and (args or "input" in kwargs):
                    raise must_be_tensor(name.strip("_"), "input", 1, first)
            return _dispatched(seen, args, kwargs) if MODES else kernel(*args, **kwargs)

        operation.__name__ = name
        for spelling in (name, *also.split()):
            if torch:
                FUNCTIONS[spelling] = operation
            if method:
                setattr(Tensor, spelling, operation)
            if in_place:
                setattr(Tensor, f"{spelling}_", _in_place(f"{spelling}_", kernel))
        return operation

    return register


def define(functions: dict, **options):
    """Register functions by their names; a key may hold several."""
    for names, function in functions.items():
        function.__name__, _, also = names.partition(" ")
        op(also=also, **options)(function)


def _dispatched(seen, args, kwargs):
    mode = MODES.pop()
    try:
        return mode.__torch_dispatch__(seen, (), args, kwargs)
    finally:
        MODES.append(mode)


def _in_place(name, kernel):
    """A method that computes from what the tensor was, and overwrites it."""

    def write(self, *args, **kwargs):
        return overwrite(self, kernel(_as_it_was(self) if wants(self) else self, *args, **kwargs))

    def operation(self, *args, **kwargs):
        return _dispatched(seen, (self, *args), kwargs) if MODES else write(self, *args, **kwargs)

    seen = _Seen(name, write, True)
    return operation


def _as_it_was(x):
    """A copy with the same history: the way back may need the numbers that are overwritten."""
    return record(x.detach().clone(), x._node.name() if x._node else "", (x,), lambda g: (g,))


def overwrite(x, result):
    """Put a result into the tensor itself: numbers, and history."""
    if result._shape != x._shape:
        meet = broadcast(x._shape, result._shape)
        require(meet == x._shape, "output-shape", list(x.shape), list(meet))
        result = result.expand(x._shape)
    require(result.dtype.kind <= x.dtype.kind, "result-type", result.dtype.legacy, x.dtype.legacy)
    return rewrite(x, result.to(x.dtype))


def replace(x, source):
    """Write `source` over a tensor, which forgets what it was."""
    return rewrite(x, record(source.detach(), "CopyBackwards", (x, source), lambda g: (g.new_zeros(g._shape), g)))


def rewrite(x, result):
    """Write a tensor of the same shape and dtype over another one."""
    check_may_write(x)
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
    if type(x) in ORDINARY or isinstance(x, OPERANDS):
        return x
    if isinstance(x, str | list | tuple | dict) or x is None or x is ...:
        return NotImplemented
    return float(x) if hasattr(x, "__float__") else NotImplemented


def check_fits(value, dtype):
    """There is no whole number for ∞ and NaN."""
    kind = {"long": "int64_t"}.get(dtype.cpp, dtype.cpp)
    require(dtype.kind > 1 or not isinstance(value, float) or math.isfinite(value), "fill-overflow", kind)


def number(x, name: str, argument: str, position: int):
    """A Python number, also out of a tensor that holds one."""
    found = x.item() if isinstance(x, Tensor) else operand(x)
    require(found is not NotImplemented, "number", name, argument, position, type(x).__name__)
    return found
