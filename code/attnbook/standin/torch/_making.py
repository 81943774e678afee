"""Tensors out of nothing, out of Python's lists, and out of other tensors: copies, dtypes, devices."""

import itertools
import math

from . import _numbers as n
from . import _tape
from ._layout import broadcast, sizes
from ._missing import words
from ._numbers import CPU
from ._operations import FUNCTIONS, op, operand, replace
from ._tensor import Tensor, alike, flat, new


def finished(x, device=None, requires_grad=False) -> Tensor:
    """A new tensor, on the device and with the wish that were asked for."""
    if device is not None and n.device(device) != CPU:
        x.device = n.device(device)
    return x.requires_grad_() if requires_grad else x


def shape_of(name: str, given: tuple) -> tuple:
    """The shape that a factory was asked for."""
    shape = sizes(name, given)
    if any(size < 0 for size in shape):
        raise RuntimeError(f"{name}: Dimension size must be non-negative.")
    return shape


def laid_like(x, input) -> Tensor:
    """A new tensor, lying in memory as another one does."""
    x._strides = alike(flat(x), x.shape, x.dtype, input)._strides
    return x


_empties = itertools.count()


def _never_filled(count: int) -> list:
    """What memory may hold that nobody has filled: something else every time."""
    start = 7 * next(_empties)
    return [(-1) ** i * (1 + (start + 11 * i) % 101) * 10.0 ** ((start + i) % 7 - 4) for i in range(count)]


def _constant(name: str, value):
    def factory(*size, dtype=None, device=None, requires_grad=False, **_):
        dtype, shape = dtype or n.default[0], shape_of(name, size or (_["size"],) if "size" in _ else size)
        count = math.prod(shape)
        values = n.held(_never_filled(count) if value is None else [value], dtype)
        return finished(new(values * (1 if value is None else count), shape, dtype), device, requires_grad)

    def like(input, *, dtype=None, device=None, requires_grad=False, **_):
        wish = {"dtype": dtype or input.dtype, "device": device or input.device, "requires_grad": requires_grad}
        return laid_like(factory(input.shape, **wish), input)

    def new_one(self, *size, dtype=None, device=None, requires_grad=False, **_):
        return factory(*size, dtype=dtype or self.dtype, device=device or self.device, requires_grad=requires_grad)

    for function, spelling in ((like, f"{name}_like"), (new_one, f"new_{name}"), (factory, name)):
        function.__name__ = spelling
    op(method=False)(like)
    op(torch=False)(new_one)
    return op(of="anything", method=False)(factory)


zeros, ones, empty = _constant("zeros", 0), _constant("ones", 1), _constant("empty", None)
zeros_like = FUNCTIONS["zeros_like"]


@op(of="anything", method=False)
def full(size, fill_value, *, dtype=None, device=None, requires_grad=False, **_):
    number = fill_value.item() if isinstance(fill_value, Tensor) else operand(fill_value)
    if number is NotImplemented:
        raise TypeError(f"full(): argument 'fill_value' (position 2) must be Number, not {type(fill_value).__name__}")
    dtype = dtype or n.of_number(number)
    shape = shape_of("full", (size,))
    return finished(new(n.held([number], dtype) * math.prod(shape), shape, dtype), device, requires_grad)


@op(method=False)
def full_like(input, fill_value, *, dtype=None, device=None, requires_grad=False, **_):
    wish = {"dtype": dtype or input.dtype, "device": device or input.device, "requires_grad": requires_grad}
    return laid_like(full(input.shape, fill_value, **wish), input)


@op(torch=False)
def new_full(self, size, fill_value, *, dtype=None, device=None, requires_grad=False, **_):
    return full_like(self.detach().new_empty(size), fill_value, dtype=dtype, requires_grad=requires_grad)


@op(of="anything", method=False)
def arange(*bounds, start=0, end=None, step=1, dtype=None, device=None, requires_grad=False, **_):
    start, end, step = {0: (start, end, step), 1: (start, *bounds, step), 2: (*bounds, step)}.get(len(bounds), bounds)
    start, end, step = (operand(x.item() if isinstance(x, Tensor) else x) for x in (start, end, step))
    if NotImplemented in (start, end, step):
        kinds = ", ".join(type(x).__name__ for x in bounds)
        raise TypeError(f"arange() received an invalid combination of arguments - got ({kinds}), but expected one of:")
    if dtype is None:
        dtype = n.int64 if all(isinstance(x, int) for x in (start, end, step)) else n.default[0]
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) / step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    values = [start + i * step for i in range(math.ceil((end - start) / step))]
    return finished(new(n.held(values, dtype), (len(values),), dtype), device, requires_grad)


@op(of="anything", method=False)
def linspace(start, end, steps, *, dtype=None, device=None, requires_grad=False, **_):
    start, end, dtype = float(start), float(end), dtype or n.default[0]
    step = (end - start) / (steps - 1) if steps > 1 else 0.0
    values = [start + i * step if i < steps // 2 else end - (steps - 1 - i) * step for i in range(steps)]
    values = [start] if steps == 1 else values
    return finished(new(n.held(values, dtype), (steps,), dtype), device, requires_grad)


@op(of="anything", method=False)
def logspace(start, end, steps, base=10.0, *, dtype=None, device=None, requires_grad=False, **_):
    return base ** linspace(start, end, steps, dtype=dtype, device=device, requires_grad=requires_grad)


@op(of="anything", method=False)
def eye(n_, m=None, *, dtype=None, device=None, requires_grad=False, **_):
    m, dtype = n_ if m is None else m, dtype or n.default[0]
    values = n.held([i == j for i in range(n_) for j in range(m)], dtype)
    return finished(new(values, (n_, m), dtype), device, requires_grad)


# --- from Python's numbers and lists --------------------------------------------------------------------------------


def _nested(data) -> tuple[list, tuple, object]:
    """The numbers, the shape and the dtype of nested lists."""
    if isinstance(data, Tensor):
        return flat(data), tuple(data.shape), data.dtype
    if isinstance(data, str):
        raise TypeError("new(): invalid data type 'str'")
    if not isinstance(data, list | tuple | range):
        number = operand(data)
        if number is NotImplemented:
            raise RuntimeError(f"Could not infer dtype of {type(data).__name__}")
        return [number], (), n.of_number(number)
    values, shape, dtype = [], None, None
    for i, part in enumerate(data):
        if isinstance(part, Tensor) and part.dim() and part.numel() != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        more, size, kind = _nested(part)
        size = () if isinstance(part, Tensor) else size
        if shape is not None and size != shape:
            if not shape or not size:
                kind = type(part if size else data[i - 1]).__name__
                if isinstance(part if shape else data[i - 1], int):
                    raise TypeError(f"'{kind}' object cannot be interpreted as an integer")
                raise TypeError(f"must be real number, not {kind}")
            raise ValueError(f"expected sequence of length {shape[0]} at dim 1 (got {size[0]})")
        values += more
        shape, dtype = size, kind if dtype is None else dtype if kind is None else n.promote_types(dtype, kind)
    return values, (len(data), *(shape or ())), dtype


@op(of="anything", method=False)
def tensor(data, *, dtype=None, device=None, requires_grad=False, **_):
    values, shape, found = _nested(data)
    dtype = dtype or found or n.default[0]
    return finished(new(n.held(values, dtype), shape, dtype), device, requires_grad)


def as_tensor(data, dtype=None, device=None):
    """The same tensor where nothing has to change, else a new one."""
    if isinstance(data, Tensor):
        return data.to(dtype=dtype or data.dtype, device=device or data.device)
    return tensor(data, dtype=dtype, device=device)


FUNCTIONS |= {"as_tensor": as_tensor, "asarray": as_tensor}
Tensor._of = staticmethod(lambda *data: tensor(data[0] if data else [], dtype=n.default[0]))
Tensor.new_tensor = lambda self, data, dtype=None, **wish: tensor(data, dtype=dtype or self.dtype, **wish)

# --- copies ---------------------------------------------------------------------------------------------------------


@op()
def detach(input):
    x = object.__new__(Tensor)
    x._lie(input._store, input.shape, input._strides, input._offset, input.dtype)
    if input.device is not CPU:
        x.device = input.device
    return x


@op()
def clone(input, *, memory_format=None):
    plain = memory_format is n.contiguous_format
    out = alike(list(flat(input)), input.shape, input.dtype, *(() if plain else (input,)))
    if input.device is not CPU:
        out.device = input.device
    return _tape.record(out, "CloneBackward0", (input,), lambda g: (g,))


@op(torch=False)
def contiguous(self, memory_format=None):
    return self if self.is_contiguous() else clone(self, memory_format=n.contiguous_format)


@op("_to_copy", torch=False)
def _to_copy(self, *, dtype=None, device=None):
    out = clone(detach(self))
    if dtype is not None and dtype is not self.dtype:
        if dtype.kind < 3 and self.dtype.kind == 3:
            _warn_of_complex()
        out._store.values, out.dtype = n.held(out._store.values, dtype), dtype
    if device is not None:
        out.device = CPU
    return _tape.record(finished(out, device), "ToCopyBackward0", (self,), lambda g: (g.to(self.dtype),))


def _warn_of_complex():
    import warnings

    warnings.warn("Casting complex values to real discards the imaginary part", UserWarning, stacklevel=3)


def _to(self, *wishes, dtype=None, device=None, copy=False, non_blocking=False, memory_format=None):
    for wish in wishes:
        if isinstance(wish, n.dtype):
            dtype = wish
        elif isinstance(wish, Tensor):
            dtype, device = wish.dtype, wish.device
        elif isinstance(wish, str | n.device):
            device = wish
        elif not isinstance(wish, bool | None):
            raise TypeError(words("to-kinds", type(wish).__name__))
    device = None if device is None or n.device(device) == self.device else n.device(device)
    dtype = None if dtype is self.dtype else dtype
    if dtype is None and device is None and not copy:
        return self
    changes = {"dtype": dtype, "device": device}
    return self._to_copy(**{name: wish for name, wish in changes.items() if wish is not None})


Tensor.to = _to
Tensor.type_as = lambda self, other: self.to(other.dtype)
Tensor.cpu = lambda self: self.to("cpu")
Tensor.cuda = lambda self, *_: self.to("cuda")
for _name, _dtype in {
    "double": n.float64,
    "float": n.float32,
    "half": n.float16,
    "bfloat16": n.bfloat16,
    "bool": n.bool_,
    "long": n.int64,
    "int": n.int32,
    "short": n.int16,
    "byte": n.uint8,
}.items():
    setattr(Tensor, _name, lambda self, dtype=_dtype: self.to(dtype))


def _type(self, dtype=None):
    return f"torch.{self.dtype.legacy}Tensor" if dtype is None else self.to(dtype)


def _set_data(self, other):
    if not isinstance(other, Tensor):
        raise TypeError(f"Variable data has to be a tensor, but got {type(other).__name__}")
    self._lie(other._store, other.shape, other._strides, other._offset, other.dtype)


Tensor.type, Tensor.data = _type, property(lambda self: self.detach(), _set_data)

# --- out of torch ---------------------------------------------------------------------------------------------------


@op("_local_scalar_dense", torch=False)
def item(self):
    if self.numel() != 1:
        raise RuntimeError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar")
    return flat(self)[0]


@op(torch=False)
def tolist(self):
    values, count = list(flat(self)), self.numel()
    for size in reversed(self.shape[1:]):
        count = count // size if size else math.prod(self.shape[:-1])
        values = [values[i * size : (i + 1) * size] for i in range(count)]
    return values if self.shape else values[0]


# --- writing in place -----------------------------------------------------------------------------------------------


@op("copy_", torch=False, mutable=True)
def copy_(self, src, non_blocking=False):
    src = src if isinstance(src, Tensor) else tensor(src)
    if (meet := broadcast(tuple(self.shape), tuple(src.shape))) != self.shape:
        raise RuntimeError(f"output with shape {list(self.shape)} doesn't match the broadcast shape {list(meet)}")
    src = src.expand(self.shape) if src.shape != self.shape else src
    return replace(self, src.to(self.dtype))


@op("fill_", torch=False, mutable=True)
def fill_(self, value):
    if isinstance(value, Tensor):
        return copy_(self, value)
    if self.dtype.kind == 1 and isinstance(value, float) and not math.isfinite(value):
        raise RuntimeError(words("fill-overflow", "int64_t" if self.dtype is n.int64 else "int"))
    return replace(self, full(self.shape, value, dtype=self.dtype))


@op("zero_", torch=False, mutable=True)
def zero_(self):
    return fill_(self, 0)


@op("fill_diagonal_", torch=False, mutable=True)
def fill_diagonal_(self, fill_value, wrap=False):
    self.diagonal().fill_(fill_value)
    return self


@op(torch=False, mutable=True)
def detach_(self):
    self._node, self._wants = None, False
    return self


def _restrided(name: str):
    """An in-place method that changes how a tensor is seen, and none of its numbers."""

    def restride(self, *args):
        seen = getattr(self, name)(*args)
        self.shape, self._strides, self._node = seen.shape, seen._strides, seen._node
        return self

    setattr(Tensor, f"{name}_", restride)


for _name in ("transpose", "swapaxes", "t", "squeeze", "unsqueeze"):
    _restrided(_name)
