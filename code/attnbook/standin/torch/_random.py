"""Random numbers: PyTorch's own stream, number for number (the Mersenne Twister, and what the CPU makes of it)."""

import contextlib
import math
import random

from . import _numbers as n
from ._making import finished, laid_like, shape_of
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

    def bits(self, count: int) -> int:
        """Random bits, 32 or 64 at once."""
        high = self._twister.getrandbits(32)
        return high if count == 32 else high << 32 | self._twister.getrandbits(32)

    def uniform(self, dtype=n.float64) -> float:
        """A number in [0, 1) of as many random bits as the dtype has digits."""
        if dtype is n.float64:
            return (self.bits(64) & ((1 << 53) - 1)) * 2.0**-53
        digits = {n.float16: 11, n.bfloat16: 8}.get(dtype, 24)
        return (self.bits(32) & ((1 << digits) - 1)) * 2.0**-digits

    def normal(self) -> float:
        """One normal number; they are made in pairs, and the second is kept for the next time."""
        if self._spare is not None:
            spare, self._spare = self._spare, None
            return spare
        angle, radius = 2 * math.pi * self.uniform(), math.sqrt(-2 * math.log1p(-self.uniform()))
        self._spare = radius * math.sin(angle)
        return radius * math.cos(angle)

    def normals(self, count: int, dtype) -> list:
        """Normal numbers; from 16 on PyTorch makes them in blocks of 16."""
        if count < 16:
            return [self.normal() for _ in range(count)]
        u = [self.uniform(dtype) for _ in range(count)]
        blocks = list(range(0, count - 15, 16))
        for begin in [*blocks, *([count - 16] if count % 16 else [])]:
            if begin == count - 16 and count % 16:
                u[begin:] = [self.uniform(dtype) for _ in range(16)]
            for i in range(begin, begin + 8):
                radius, angle = math.sqrt(-2 * math.log(1 - u[i])), 2 * math.pi * u[i + 8]
                u[i], u[i + 8] = radius * math.cos(angle), radius * math.sin(angle)
        return u


default_generator = Generator()
manual_seed, initial_seed, seed = default_generator.manual_seed, default_generator.initial_seed, default_generator.seed


def _uniforms(g, count: int, dtype) -> list:
    return [g.uniform(dtype) for _ in range(count)]


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


rand = _factory("rand", _uniforms)
randn = _factory("randn", Generator.normals)


def _integers(g, low: int, high: int, count: int) -> list:
    span = high - low
    return [g.bits(64 if span >= 1 << 28 else 32) % span + low for _ in range(count)]


@op(of="anything", method=False)
def randint(low, high=None, size=None, *, generator=None, dtype=None, device=None, requires_grad=False, **_):
    """Whole numbers from `low` (0 if it is left out) to below `high`."""
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
    """The numbers from 0 to below `count` in random order."""
    g, values, dtype = generator or default_generator, list(range(count)), dtype or n.int64
    for i in range(count - 1):
        j = i + g.bits(32) % (count - i)
        values[i], values[j] = values[j], values[i]
    return finished(new(n.held(values, dtype), (count,), dtype), device)


@op()
def multinomial(input, num_samples, replacement=False, *, generator=None):
    """Indices drawn with these probabilities, row by row."""
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
            raise RuntimeError(
                "invalid multinomial distribution (with replacement=False, not enough non-negative category to sample)"
            )
        clocks = [[-math.log1p(-g.uniform()) for _ in row] for row in rows]
        races = [
            [p / c if c else math.inf for p, c in zip(*pair, strict=True)] for pair in zip(rows, clocks, strict=True)
        ]
        drawn = [i for race in races for i in sorted(range(width), key=lambda i: -race[i])[:num_samples]]  # noqa: B023
    return new(drawn, (*input.shape[:-1], num_samples), n.int64)


def _drawn(g, row: list) -> int:
    at, total = g.uniform() * sum(row), 0.0
    for i, p in enumerate(row):
        total += p
        if at < total:
            return i
    return max(i for i, p in enumerate(row) if p > 0)


@op()
def bernoulli(input, p=None, *, generator=None):
    """Ones with these probabilities, else zeros."""
    g = generator or default_generator
    drawn = [g.uniform(input.dtype) < (chance if p is None else p) for chance in flat(input)]
    return new(n.held(drawn, input.dtype), input.shape, input.dtype)


def _drawn_in_place(name: str, draw):
    def fill(self, *parameters, generator=None, **named):
        values = draw(generator or default_generator, self, *parameters, **named)
        return rewrite(self, new(n.held(values, self.dtype), self.shape, self.dtype))

    fill.__name__ = name
    op(torch=False, mutable=True)(fill)


def _fill_uniform(g, x, from_=0.0, to=1.0, **named):
    low, high = named.get("from", named.get("a", from_)), named.get("b", to)
    return [low + (high - low) * u for u in _uniforms(g, x.numel(), x.dtype)]


_drawn_in_place("uniform_", _fill_uniform)
_drawn_in_place("normal_", lambda g, x, mean=0.0, std=1.0: [mean + std * z for z in g.normals(x.numel(), x.dtype)])
_drawn_in_place("bernoulli_", lambda g, x, p=0.5: [g.uniform() < p for _ in range(x.numel())])
_drawn_in_place("exponential_", lambda g, x, lambd=1.0: [-math.log1p(-g.uniform()) / lambd for _ in range(x.numel())])
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
