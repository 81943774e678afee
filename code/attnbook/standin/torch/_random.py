"""Random numbers: PyTorch's own stream, number for number (the Mersenne Twister, and what the CPU makes of it)."""

import contextlib
import math
import operator
import random
from array import array

from . import _numbers as n
from ._making import finished, laid_like, shape_of
from ._missing import words
from ._operations import op, rewrite
from ._tensor import flat, new


class Generator:
    """A source of random numbers."""

    def __init__(self, device="cpu"):
        self.device = n.device(device)
        self.manual_seed(5489)

    def manual_seed(self, seed):
        """Begin anew: equal seeds give equal numbers."""
        self._seed, self._spare = int(seed), None
        state = [self._seed & 0xFFFFFFFF]
        for i in range(1, 624):
            state.append((1812433253 * (state[-1] ^ (state[-1] >> 30)) + i) & 0xFFFFFFFF)
        self._twister = random.Random()
        self._twister.setstate((3, (*state, 624), None))
        return self

    def initial_seed(self):
        """The seed that was given last."""
        return self._seed

    def seed(self):
        """Begin anew, nobody knows where."""
        return self.manual_seed(random.SystemRandom().getrandbits(53)).initial_seed()

    def get_state(self):
        """Where the stream is."""
        return self._twister.getstate(), self._spare, self._seed

    def set_state(self, state):
        """Go back to where the stream was."""
        twister, self._spare, self._seed = state
        self._twister.setstate(twister)
        return self

    def bits(self, count: int) -> array:
        """So many numbers of 32 random bits."""
        return array("I", self._twister.getrandbits(32 * count).to_bytes(4 * count, "little"))

    def uniforms(self, count: int, dtype=n.float64) -> list:
        """Numbers in [0, 1) of as many random bits as the dtype has digits."""
        if dtype is n.float64:
            bits = self.bits(2 * count)
            return [((high & 0x1FFFFF) << 32 | low) * 2.0**-53 for high, low in zip(bits[::2], bits[1::2], strict=True)]
        digits = {n.float16: 11, n.bfloat16: 8}.get(dtype, 24)
        return [(bits & ((1 << digits) - 1)) * 2.0**-digits for bits in self.bits(count)]

    def normal(self) -> float:
        """One normal number; they are made in pairs, and the second is kept for the next time."""
        if self._spare is not None:
            spare, self._spare = self._spare, None
            return spare
        first, second = self.uniforms(2)
        angle, radius = 2 * math.pi * first, math.sqrt(-2 * math.log1p(-second))
        self._spare = radius * math.sin(angle)
        return radius * math.cos(angle)

    def normals(self, count: int, dtype) -> list:
        """Normal numbers; from 16 on PyTorch makes them in blocks of 16."""
        if count < 16:
            return [self.normal() for _ in range(count)]
        u = self.uniforms(count, dtype)
        blocks = [_block(u[i : i + 16]) for i in range(0, count - 15, 16)]
        values = [z for block in blocks for z in block]
        return values[: count - 16] + _block(self.uniforms(16, dtype)) if count % 16 else values


def _block(u: list) -> list:
    """Sixteen uniform numbers as normal ones."""
    radii = [math.sqrt(-2 * math.log(1 - x)) for x in u[:8]]
    angles = [2 * math.pi * x for x in u[8:]]
    return [*map(operator.mul, radii, map(math.cos, angles)), *map(operator.mul, radii, map(math.sin, angles))]


default_generator = Generator()
manual_seed, initial_seed, seed = default_generator.manual_seed, default_generator.initial_seed, default_generator.seed


def _factory(name: str, draw):
    def factory(*size, generator=None, dtype=None, device=None, requires_grad=False, **_):
        dtype, shape = dtype or n.default[0], shape_of(name, size)
        values = draw(generator or default_generator, math.prod(shape), dtype)
        return finished(new(n.held(values, dtype), shape, dtype), device, requires_grad)

    def like(input, *, dtype=None, **wish):
        return laid_like(factory(input.shape, dtype=dtype or input.dtype, **wish), input)

    factory.__name__, like.__name__ = name, f"{name}_like"
    op(method=False)(like)
    return op(of="anything", method=False)(factory)


rand = _factory("rand", Generator.uniforms)
randn = _factory("randn", Generator.normals)


def _integers(g, low: int, high: int, count: int) -> list:
    span = high - low
    if span < 1 << 28:
        return [bits % span + low for bits in g.bits(count)]
    bits = g.bits(2 * count)
    return [(first << 32 | second) % span + low for first, second in zip(bits[::2], bits[1::2], strict=True)]


@op(of="anything", method=False)
def randint(low, high=None, size=None, *, generator=None, dtype=None, device=None, requires_grad=False, **_):
    if size is None:
        high, size = None, high
    low, high = (0, low) if high is None else (low, high)
    if high <= low:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    shape, dtype = shape_of("randint", (size,)), dtype or n.int64
    values = _integers(generator or default_generator, low, high, math.prod(shape))
    return finished(new(n.held(values, dtype), shape, dtype), device, requires_grad)


@op(of="anything", method=False)
def randperm(count, *, generator=None, dtype=None, device=None, **_):
    g, values, dtype = generator or default_generator, list(range(count)), dtype or n.int64
    for i, bits in enumerate(g.bits(max(count - 1, 0))):
        j = i + bits % (count - i)
        values[i], values[j] = values[j], values[i]
    return finished(new(n.held(values, dtype), (count,), dtype), device)


@op()
def multinomial(input, num_samples, replacement=False, *, generator=None):
    g, width = generator or default_generator, input.shape[-1]
    rows = [flat(input)[i : i + width] for i in range(0, input.numel(), width)]
    if any(p < 0 or not math.isfinite(p) for row in rows for p in row):
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if any(sum(row) <= 0 for row in rows):
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    if replacement and num_samples > 1:
        drawn = [_drawn(g, row) for row in rows for _ in range(num_samples)]
    else:  # a race of exponential clocks
        if any(sum(p > 0 for p in row) < num_samples for row in rows):
            raise RuntimeError(words("multinomial-few"))
        clocks = [[-math.log1p(-u) for u in g.uniforms(width)] for _ in rows]
        races = [
            [p / c if c else math.inf for p, c in zip(*pair, strict=True)] for pair in zip(rows, clocks, strict=True)
        ]
        drawn = [i for race in races for i in sorted(range(width), key=lambda i: -race[i])[:num_samples]]  # noqa: B023
    return new(drawn, (*input.shape[:-1], num_samples), n.int64)


def _drawn(g, row: list) -> int:
    at, total = g.uniforms(1)[0] * sum(row), 0.0
    for i, p in enumerate(row):
        total += p
        if at < total:
            return i
    return max(i for i, p in enumerate(row) if p > 0)


def _drawn_in_place(name: str, draw):
    def fill(self, *parameters, generator=None, **named):
        values = draw(generator or default_generator, self, *parameters, **named)
        return rewrite(self, new(n.held(values, self.dtype), self.shape, self.dtype))

    fill.__name__ = name
    op(torch=False, mutable=True)(fill)


def _fill_uniform(g, x, from_=0.0, to=1.0, **named):
    low, high = named.get("from", named.get("a", from_)), named.get("b", to)
    return [low + (high - low) * u for u in g.uniforms(x.numel(), x.dtype)]


_drawn_in_place("uniform_", _fill_uniform)
_drawn_in_place("normal_", lambda g, x, mean=0.0, std=1.0: [mean + std * z for z in g.normals(x.numel(), x.dtype)])
_drawn_in_place("bernoulli_", lambda g, x, p=0.5: [u < p for u in g.uniforms(x.numel())])
_drawn_in_place(
    "random_", lambda g, x, low=0, high=None: _integers(g, *((0, low) if high is None else (low, high)), x.numel())
)


@contextlib.contextmanager
def fork_rng(devices=None, enabled=True, **_):
    """A block after which the random stream is where it was."""
    state = default_generator.get_state()
    try:
        yield
    finally:
        if enabled:
            default_generator.set_state(state)


def get_rng_state():
    """Where the random stream is."""
    return default_generator.get_state()


def set_rng_state(state):
    """Go back to where the random stream was."""
    default_generator.set_state(state)
