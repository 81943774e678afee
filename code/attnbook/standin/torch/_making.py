"""Tensors out of nothing, out of lists, out of other tensors; and random numbers, which are PyTorch's, one by one."""

import contextlib
import itertools
import math
import random
from array import array
from functools import lru_cache
from math import cos, log, log1p, pi, sin, sqrt
from operator import mul

from . import _numbers as n
from ._missing import NotInThePage, error, require
from ._numbers import sizes
from ._operations import FUNCTIONS, Operations, check_fits, define, fitted, number, operand, replace, rewrite
from ._tensor import Tensor, alike, flat, new, record


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
_empties = itertools.count()
zeros, ones, empty = (FUNCTIONS[name] for name in ("zeros", "ones", "empty"))


class making(Operations):
    def full(size, fill_value, *, dtype=None, **wishes):
        value, shape = number(fill_value, "full", "fill_value", 2), shape_of("full", (size,))
        return made([value] * math.prod(shape), shape, dtype or n.of_number(value), **wishes)

    def arange(*bounds, start=0, end=None, step=1, dtype=None, **wishes):
        given = {0: (start, end, step), 1: (start, *bounds, step), 2: (*bounds, step)}.get(len(bounds), bounds)
        start, end, step = (number(x, "arange", "end", 1) for x in given)
        if dtype is None:
            dtype = n.int64 if all(isinstance(x, int) for x in (start, end, step)) else n.default
        require(step and (end - start) / step >= 0, "step-sign")
        count = math.ceil((end - start) / step)
        return made([start + i * step for i in range(count)], (count,), dtype, **wishes)

    def linspace(start, end, steps, *, dtype=None, **wishes):
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

    def randint(low, high=None, size=None, *, generator=None, dtype=None, **wishes):
        if size is None:
            high, size = None, high
        low, high = (0, low) if high is None else (low, high)
        require(high > low, "randint", low, high)
        shape = shape_of("randint", (size,))
        values = [bits % (high - low) + low for bits in (generator or default_generator).bits(math.prod(shape))]
        return made(values, shape, dtype or n.int64, **wishes)

    def randperm(count, *, generator=None, dtype=None, **wishes):
        values = list(range(count))
        for i, bits in enumerate((generator or default_generator).bits(max(count - 1, 0))):
            j = i + bits % (count - i)
            values[i], values[j] = values[j], values[i]
        return made(values, (count,), dtype or n.int64, **wishes)

    def multinomial(input, num_samples, replacement=False, *, generator=None):
        if replacement and num_samples > 1:
            raise NotInThePage("multinomial(replacement=True)")
        g, width = generator or default_generator, input._shape[-1]
        rows, drawn = [flat(input)[i : i + width] for i in range(0, input.numel(), width)], []
        for row in rows:
            require(all(p >= 0 and math.isfinite(p) for p in row), "multinomial-values")
            require(sum(p > 0 for p in row) >= num_samples, "multinomial-few")
            clocks = [-log1p(-u) for u in g.uniforms(width)]  # exponential, and the fastest win
            race = [p / c if c else math.inf for p, c in zip(row, clocks, strict=True)]
            drawn += sorted(range(width), key=race.__getitem__, reverse=True)[:num_samples]
        return new(drawn, (*input._shape[:-1], num_samples), n.int64)

    def uniform_(self, a=0.0, b=1.0, *, generator=None):
        draws = (generator or default_generator).uniforms(self.numel(), self.dtype)
        return rewrite(self, made([a + (b - a) * u for u in draws], self._shape, self.dtype))

    def normal_(self, mean=0.0, std=1.0, *, generator=None):
        draws = (generator or default_generator).normals(self.numel(), self.dtype)
        return rewrite(self, made([mean + std * z for z in draws], self._shape, self.dtype))

    def detach(input):
        x = object.__new__(Tensor)
        x._set(input)
        return x

    def clone(input, *, memory_format=None):
        plain = memory_format == "torch.contiguous_format"
        out = alike(list(flat(input)), input._shape, input.dtype, *(() if plain else (input,)))
        out.device = input.device
        return record(out, "CloneBackward0", (input,), lambda g: (g,))

    def _to_copy(self, *, dtype, device):
        out = self.detach().clone()
        out._store.values, out.dtype, out.device = n.held(out._store.values, dtype), dtype, device
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


def _nested(data) -> tuple[list, tuple, object]:
    """The numbers, the shape and the dtype of nested lists."""
    if isinstance(data, Tensor):
        return flat(data), data._shape, data.dtype
    if not isinstance(data, list | tuple | range):
        value = operand(data)
        require(value is not NotImplemented, "data-kind", type(data).__name__)
        return [value], (), n.of_number(value)
    values, shape, dtype = [], None, None
    for part in data:
        require(not isinstance(part, Tensor) or not part.dim() or part.numel() == 1, "one-element")
        more, size, kind = _nested(part)
        size = () if isinstance(part, Tensor) else size
        require(shape in (None, size), "data-length", *(shape or [1])[:1], *(size or [1])[:1])
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
        "contiguous": lambda self, memory_format=None: (
            self if self.is_contiguous() else self.clone(memory_format="torch.contiguous_format")
        ),
    }
)
Tensor._of = staticmethod(lambda *data: tensor(data[0] if data else [], dtype=n.default))
KINDS = {"double": n.float64, "float": n.float32, "half": n.float16, "bfloat16": n.bfloat16, "bool": n.bool_}
KINDS |= {"long": n.int64, "int": n.int32, "short": n.int16, "byte": n.uint8}


def _to(self, *wishes, dtype=None, device=None, copy=False, non_blocking=False, memory_format=None):
    for wish in wishes:
        if isinstance(wish, n.dtype):
            dtype = wish
        elif isinstance(wish, Tensor):
            dtype, device = wish.dtype, wish.device
        elif isinstance(wish, str):
            device = wish
        elif not isinstance(wish, bool | None):
            raise error("to-kinds", type(wish).__name__)
    dtype, device = dtype or self.dtype, self.device if device is None else n.device(device)
    same = dtype is self.dtype and device == self.device and not copy
    return self if same else self._to_copy(dtype=dtype, device=device)


Tensor.to, Tensor.type_as = _to, lambda self, other: self.to(other.dtype)
Tensor.type = lambda self, dtype=None: self.to(dtype) if dtype else f"torch.{self.dtype.legacy}Tensor"
Tensor.cpu, Tensor.cuda = lambda self: self.to("cpu"), lambda self, *_: self.to("cuda")
Tensor.data = property(Tensor.detach, Tensor._set)
for _name, _dtype in KINDS.items():
    setattr(Tensor, _name, lambda self, dtype=_dtype: self.to(dtype))


@lru_cache(4096)
def _state(seed: int) -> array:
    """The state in which the Mersenne Twister begins."""
    x = seed & 0xFFFFFFFF
    return array("I", [x, *[x := (1812433253 * (x ^ (x >> 30)) + i) & 0xFFFFFFFF for i in range(1, 624)]])


class Generator:
    def __init__(self, device="cpu"):
        self.device = n.device(device)
        self.manual_seed(5489)

    def manual_seed(self, seed):
        self._spare, self._twister = None, random.Random()
        self._twister.setstate((3, (*_state(int(seed)), 624), None))
        return self

    def get_state(self):
        return self._twister.getstate(), self._spare

    def set_state(self, state):
        twister, self._spare = state
        self._twister.setstate(twister)
        return self

    def bits(self, count: int) -> array:
        """So many numbers of 32 random bits."""
        return array("I", self._twister.getrandbits(32 * count).to_bytes(4 * count, "little"))

    def uniforms(self, count: int, dtype=n.float64) -> list:
        """Numbers in [0, 1) of as many random bits as the dtype has digits."""
        if dtype is n.float64:
            bits = self.bits(2 * count)
            bits[::2], bits[1::2] = bits[1::2], bits[::2]  # the high half is drawn first
            return [(pair & 0x1FFFFFFFFFFFFF) * 2.0**-53 for pair in array("Q", bits.tobytes())]
        digits = {n.float16: 11, n.bfloat16: 8}.get(dtype, 24)
        return [(bits & ((1 << digits) - 1)) * 2.0**-digits for bits in self.bits(count)]

    def normals(self, count: int, dtype) -> list:
        """Normal numbers, in pairs, of which a last one is kept for the next time; from 16 on in blocks of 16."""
        if count < 16:
            found = [] if self._spare is None or not count else [self._spare]
            u = self.uniforms((count - len(found) + 1) // 2 * 2)
            for first, second in zip(u[::2], u[1::2], strict=True):
                angle, radius = 2 * pi * first, sqrt(-2 * log1p(-second))
                found += radius * cos(angle), radius * sin(angle)
            if count:
                self._spare = found[count] if len(found) > count else None
            return found[:count]
        values = _blocks(self.uniforms(count, dtype))
        return values if count % 16 == 0 else values[: count - 16] + _blocks(self.uniforms(16, dtype))


def _blocks(u: list) -> list:
    """Uniform numbers as normal ones, sixteen by sixteen, as far as they fill blocks."""
    u = u[: len(u) // 16 * 16]
    values = [0.0] * len(u)
    for i in range(8):
        radii = [sqrt(-2 * log(1 - x)) for x in u[i::16]]
        angles = [2 * pi * x for x in u[i + 8 :: 16]]
        values[i::16] = map(mul, radii, map(cos, angles))
        values[i + 8 :: 16] = map(mul, radii, map(sin, angles))
    return values


default_generator = Generator()
factory("rand", lambda count, dtype, g: (g or default_generator).uniforms(count, dtype))
factory("randn", lambda count, dtype, g: (g or default_generator).normals(count, dtype))


@contextlib.contextmanager
def fork_rng(devices=None):
    state = default_generator.get_state()
    try:
        yield
    finally:
        default_generator.set_state(state)
