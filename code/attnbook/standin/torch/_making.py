"""Tensors out of nothing, out of Python's lists, and out of other tensors: copies, dtypes, devices."""

import itertools
import math
import warnings

from . import _numbers as n
from ._layout import sizes
from ._missing import error, require
from ._operations import FUNCTIONS, Operations, check_fits, define, fitted, number, operand, replace
from ._tape import record
from ._tensor import Tensor, alike, flat, new


def made(values: list, shape: tuple, dtype, device=None, requires_grad=False, **_) -> Tensor:
    """A new tensor of these numbers, on the device and with the wish that were asked for."""
    x = new(n.held(values, dtype), shape, dtype)
    if device is not None:
        x.device = n.device(device)
    return x.requires_grad_() if requires_grad else x


def shape_of(name: str, given: tuple) -> tuple:
    """The shape that a factory was asked for."""
    shape = sizes(name, given)
    require(all(size >= 0 for size in shape), "size-negative", name)
    return shape


_empties = itertools.count()


def _never_filled(count: int, *_) -> list:
    """What memory may hold that nobody has filled: something else every time."""
    start = 7 * next(_empties)
    return [(-1) ** i * (1 + (start + 11 * i) % 101) * 10.0 ** ((start + i) % 7 - 4) for i in range(count)]


def factory(name: str, numbers):
    """Define `name`, `name_like`, `new_name`. `numbers` goes from (count, dtype, generator) to a list."""

    def fresh(*size, dtype=None, generator=None, **wishes):
        dtype, shape = dtype or n.default, shape_of(name, size or (wishes.pop("size", ()),))
        return made(numbers(math.prod(shape), dtype, generator), shape, dtype, **wishes)

    def like(input, *, dtype=None, device=None, **wishes):
        x = fresh(input._shape, dtype=dtype or input.dtype, device=device or input.device, **wishes)
        x._strides = alike(flat(x), x._shape, x.dtype, input)._strides
        return x

    def new_one(self, *size, dtype=None, device=None, **wishes):
        return fresh(*size, dtype=dtype or self.dtype, device=device or self.device, **wishes)

    define({name: fresh, f"{name}_like": like} | ({} if name[:4] == "rand" else {f"new_{name}": new_one}))


factory("zeros", lambda count, *_: [0] * count)
factory("ones", lambda count, *_: [1] * count)
factory("empty", _never_filled)
zeros, ones, empty = (FUNCTIONS[name] for name in ("zeros", "ones", "empty"))


class making(Operations):
    def full(size, fill_value, *, dtype=None, **wishes):
        value, shape = number(fill_value, "full", "fill_value", 2), shape_of("full", (size,))
        return made([value] * math.prod(shape), shape, dtype or n.of_number(value), **wishes)

    def arange(*bounds, start=0, end=None, step=1, dtype=None, **wishes):
        given = {0: (start, end, step), 1: (start, *bounds, step), 2: (*bounds, step)}.get(len(bounds), bounds)
        start, end, step = (operand(x.item() if isinstance(x, Tensor) else x) for x in given)
        if NotImplemented in (start, end, step):
            raise error("arange", ", ".join(type(x).__name__ for x in bounds))
        if dtype is None:
            dtype = n.int64 if all(isinstance(x, int) for x in (start, end, step)) else n.default
        require(step != 0, "step-zero")
        require((end - start) / step >= 0, "step-sign")
        count = math.ceil((end - start) / step)
        return made([start + i * step for i in range(count)], (count,), dtype, **wishes)

    def linspace(start, end, steps, *, dtype=None, **wishes):
        start, end = float(start), float(end)
        step = (end - start) / max(steps - 1, 1)
        values = [start + i * step if 2 * i < steps else end - (steps - 1 - i) * step for i in range(steps)]
        return made(values, (steps,), dtype or n.default, **wishes)

    def eye(n_, m=None, *, dtype=None, **wishes):
        m = n_ if m is None else m
        return made([i == j for i in range(n_) for j in range(m)], (n_, m), dtype or n.default, **wishes)

    def tensor(data, *, dtype=None, **wishes):
        values, shape, found = _nested(data)
        return made(values, shape, dtype or found or n.default, **wishes)

    def as_tensor(data, dtype=None, device=None):
        if isinstance(data, Tensor):
            return data.to(dtype=dtype or data.dtype, device=device or data.device)
        return tensor(data, dtype=dtype, device=device)


def _nested(data) -> tuple[list, tuple, object]:
    """The numbers, the shape and the dtype of nested lists."""
    if isinstance(data, Tensor):
        return flat(data), data._shape, data.dtype
    require(not isinstance(data, str), "data-text")
    if not isinstance(data, list | tuple | range):
        value = operand(data)
        require(value is not NotImplemented, "data-kind", type(data).__name__)
        return [value], (), n.of_number(value)
    values, shape, dtype = [], None, None
    for part in data:
        require(not isinstance(part, Tensor) or not part.dim() or part.numel() == 1, "one-element")
        more, size, kind = _nested(part)
        size = () if isinstance(part, Tensor) else size
        if shape is not None and size != shape:
            raise error("data-length", shape[0], size[0]) if shape and size else error("data-number", "list")
        values += more
        shape, dtype = size, kind if dtype is None else dtype if kind is None else n.promote_types(dtype, kind)
    return values, (len(data), *(shape or ())), dtype


tensor, full, as_tensor = making.tensor, making.full, making.as_tensor
define(
    {
        "full_like": lambda input, fill_value, **wishes: FUNCTIONS["empty_like"](input, **wishes).fill_(fill_value),
        "new_full": lambda self, size, fill_value, **wishes: self.new_empty(size, **wishes).fill_(fill_value),
        "new_tensor": lambda self, data, dtype=None, **wishes: tensor(data, dtype=dtype or self.dtype, **wishes),
        "zero_": lambda self: self.fill_(0),
    }
)
Tensor._of = staticmethod(lambda *data: tensor(data[0] if data else [], dtype=n.default))
KINDS = {"double": n.float64, "float": n.float32, "half": n.float16, "bfloat16": n.bfloat16, "bool": n.bool_}
KINDS |= {"long": n.int64, "int": n.int32, "short": n.int16, "byte": n.uint8}


class copies(Operations):
    def detach(input):
        x = object.__new__(Tensor)
        x._set(input)
        return x

    def clone(input, *, memory_format=None):
        plain = memory_format == "torch.contiguous_format"
        out = alike(list(flat(input)), input._shape, input.dtype, *(() if plain else (input,)))
        out.device = input.device
        return record(out, "CloneBackward0", (input,), lambda g: (g,))

    def contiguous(self, memory_format=None):
        return self if self.is_contiguous() else self.clone(memory_format="torch.contiguous_format")

    def _to_copy(self, *, dtype=None, device=None):
        out = self.detach().clone()
        if dtype is not None:
            if dtype.kind < 3 and self.dtype.kind == 3:
                told = "Casting complex values to real discards the imaginary part"
                warnings.warn(told, UserWarning, stacklevel=3)
            out._store.values, out.dtype = n.held(out._store.values, dtype), dtype
        out.device = device or self.device
        return record(out, "ToCopyBackward0", (self,), lambda g: (g.to(self.dtype),))

    def item(self):
        require(self.numel() == 1, "item", self.numel())
        return self._store.values[self._offset]

    def tolist(self):
        values, count = list(flat(self)), self.numel()
        for size in reversed(self._shape[1:]):
            count = count // size if size else math.prod(self._shape[:-1])
            values = [values[i * size : (i + 1) * size] for i in range(count)]
        return values if self._shape else values[0]

    # writing in place

    def copy_(self, src, non_blocking=False):
        return replace(self, fitted(self, as_tensor(src)).to(self.dtype))

    def fill_(self, value):
        if isinstance(value, Tensor):
            return self.copy_(value)
        check_fits(value, self.dtype)
        return replace(self, full(self._shape, value, dtype=self.dtype))

    def fill_diagonal_(self, fill_value):
        self.diagonal().fill_(fill_value)
        return self


def _to(self, *wishes, dtype=None, device=None, copy=False, non_blocking=False, memory_format=None):
    for wish in wishes:
        if isinstance(wish, n.dtype):
            dtype = wish
        elif isinstance(wish, Tensor):
            dtype, device = wish.dtype, wish.device
        elif isinstance(wish, str | n.device):
            device = wish
        elif not isinstance(wish, bool | None):
            raise error("to-kinds", type(wish).__name__)
    changes = {}
    if dtype is not None and dtype is not self.dtype:
        changes["dtype"] = dtype
    if device is not None and n.device(device) != self.device:
        changes["device"] = n.device(device)
    return self._to_copy(**changes) if changes or copy else self


def _type(self, dtype=None):
    return f"torch.{self.dtype.legacy}Tensor" if dtype is None else self.to(dtype)


Tensor.to, Tensor.type, Tensor.type_as = _to, _type, lambda self, other: self.to(other.dtype)
Tensor.cpu, Tensor.cuda = lambda self: self.to("cpu"), lambda self, *_: self.to("cuda")
Tensor.data = property(Tensor.detach, Tensor._set)
for _name, _dtype in KINDS.items():
    setattr(Tensor, _name, lambda self, dtype=_dtype: self.to(dtype))
