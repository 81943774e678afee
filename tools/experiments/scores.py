"""What a table of scores costs: operations, memory and time of four ways to fill it.

Question: how much more than a scaled dot product does an additive score cost, and does a small hidden layer make it
    cheap?
Varies: the score; the size d and the hidden units; for memory, the length.
Equal: random queries and keys, as many of the one as of the other, float32, one thread, no gradients. The scores take
    turns, and a ratio is the median over the rounds of the ratios within a round.
Control: the counts of the formula beside the times; the dot product with its query scaled first, which must cost alike.
Seeds: one; neither memory nor time depends on the numbers. The least and the greatest ratio are stored.
Turned round by: times that follow neither the operations nor the memory.

About three minutes on one core.
"""

import weakref
from collections.abc import Callable
from functools import partial
from statistics import median

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from attnbook.attention import additive_score, dot_score, multiplicative_score, scaled_dot_score
from tools.benchmarks.measure import in_turns, milliseconds
from tools.surroundings import machine

OPTIONS = {"rounds": 41, "calls": 20}
SIZES = (64, 64), (256, 8), (1024, 8), (1024, 4), (1024, 2)  # (d, hidden units)
LENGTHS = 64, 128, 256, 512  # for memory
TIMED = 256  # queries, and keys


class PeakMemory(TorchDispatchMode):
    """In a `with` block: bytes of the tensors made there and still alive, `now` and at the `peak`."""

    now = peak = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        given = {block.data_ptr() for block in _blocks((args, kwargs))}
        result = function(*args, **(kwargs or {}))
        for block in _blocks(result):
            if block.data_ptr() not in given:  # a view of something given costs nothing
                self.now += block.nbytes()
                self.peak = max(self.peak, self.now)
                weakref.finalize(block, self._free, block.nbytes())
        return result

    def _free(self, size: int) -> None:
        self.now -= size


def _blocks(tree) -> list:
    leaves = tree_leaves(tree)
    return [x.untyped_storage() for x in leaves if isinstance(x, torch.Tensor)]


def multiply_adds(n: int, d: int, h: int) -> dict[str, int]:
    """Products of two numbers, each with its addition, for n queries and n keys; the tanh is left out."""
    return {
        "scaled dot": n * n * d,
        "query scaled first": n * n * d,
        "multiplicative": n * d * d + n * n * d,
        "additive": 2 * n * h * d + 2 * n * n * h,
    }


def scorers(n: int, d: int, h: int, seed: int = 0) -> dict[str, Callable]:
    """The scores of n random queries and n random keys of size d, ready to be called."""
    generator = torch.Generator().manual_seed(seed)

    def draw(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=generator)

    query, key = draw(2, n, d)
    W_q, W_k = draw(2, h, d) / d**0.5
    M, w_v = draw(d, d) / d, draw(h)
    return {
        "scaled dot": lambda: scaled_dot_score(query, key),
        "query scaled first": lambda: dot_score(query / d**0.5, key),
        "multiplicative": lambda: multiplicative_score(query, key, M),
        "additive": lambda: additive_score(query, key, W_q, W_k, w_v),
    }


def peak(score: Callable) -> int:
    """Bytes that are held at one time while a score is computed, its arguments aside."""
    with PeakMemory() as memory:
        score()
    return memory.peak


def variants(options) -> list[dict]:
    """Every size."""
    return [{"d": d, "h": h} for d, h in SIZES]


@torch.no_grad()
def run(seed: int, d: int, h: int, rounds: int, calls: int) -> dict:
    """Measure all scores at one size: a row for each."""
    spent = in_turns(scorers(TIMED, d, h, seed), partial(milliseconds, calls=calls), rounds)
    rows = []
    for name, times in spent.items():
        ratios = sorted(a / b for a, b in zip(times, spent["scaled dot"], strict=True))
        row = {
            "score": name,
            "d": d,
            "h": h,
            "multiply_adds": multiply_adds(TIMED, d, h)[name],
            "peak": {n: peak(scorers(n, d, h)[name]) for n in LENGTHS},
            "ms": round(median(times), 3),
            "ratio": round(median(ratios), 3),
            "ratios": [round(r, 3) for r in (ratios[0], ratios[-1])],
        }
        rows.append(row)
    return {"d": d, "h": h, "rows": rows}


def summary(results: list[dict], options) -> dict:
    """All rows, and on what they were measured."""
    rows = [row for result in results for row in result["rows"]]
    about = {"machine": machine(threads=torch.get_num_threads()), "n": TIMED, "lengths": list(LENGTHS), "seed": 0}
    return about | {"rows": rows}
