"""Random numbers: PyTorch's own stream, number for number (the Mersenne Twister, and what the CPU makes of it)."""

import contextlib
import math
import random
from array import array
from functools import lru_cache
from math import cos, log, log1p, pi, sin, sqrt
from operator import mul

from . import _numbers as n
from ._making import factory, made, shape_of
from ._missing import NotInThePage, require
from ._operations import Operations, rewrite
from ._tensor import flat, new


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
        self._seed, self._spare, self._twister = int(seed), None, None
        return self

    def initial_seed(self):
        return self._seed

    def get_state(self):
        return self._twister and self._twister.getstate(), self._spare, self._seed

    def set_state(self, state):
        twister, self._spare, self._seed = state
        self._twister = twister and random.Random()
        if twister:
            self._twister.setstate(twister)
        return self

    def bits(self, count: int) -> array:
        """So many numbers of 32 random bits."""
        if self._twister is None:
            self.set_state(((3, (*_state(self._seed), 624), None), self._spare, self._seed))
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


class drawing(Operations):
    def randint(low, high=None, size=None, *, generator=None, dtype=None, **wishes):
        if size is None:
            high, size = None, high
        low, high = (0, low) if high is None else (low, high)
        require(high > low, "randint", low, high)
        if high - low >= 1 << 28:
            raise NotInThePage("randint of more than 2**28 numbers")
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
            require(sum(row) > 0, "multinomial-sum")
            require(sum(p > 0 for p in row) >= num_samples, "multinomial-few")
        for row in rows:
            clocks = [-log1p(-u) for u in g.uniforms(width)]  # exponential, and the fastest win
            race = [p / c if c else math.inf for p, c in zip(row, clocks, strict=True)]
            drawn += sorted(range(width), key=race.__getitem__, reverse=True)[:num_samples]
        return new(drawn, (*input._shape[:-1], num_samples), n.int64)

    def uniform_(self, a=0.0, b=1.0, *, generator=None, **named):
        a, b = named.get("from", a), named.get("to", b)
        draws = (generator or default_generator).uniforms(self.numel(), self.dtype)
        return rewrite(self, made([a + (b - a) * u for u in draws], self._shape, self.dtype))

    def normal_(self, mean=0.0, std=1.0, *, generator=None):
        draws = (generator or default_generator).normals(self.numel(), self.dtype)
        return rewrite(self, made([mean + std * z for z in draws], self._shape, self.dtype))


@contextlib.contextmanager
def fork_rng(devices=None, enabled=True):
    state = default_generator.get_state()
    try:
        yield
    finally:
        if enabled:
            default_generator.set_state(state)
