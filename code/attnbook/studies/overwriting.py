"""A memory of fixed size, filled with random pairs: how much does it read back, by which rule and which step?

Question: does the delta rule recall more pairs than a plain sum (linear attention), and by which step size?
Varies: the rule; its step β; the number of pairs; how much all keys have in common.
Equal: the same pairs for every rule; 32 × 32 numbers; unit keys. The right value is the one whose direction is closest
    to the answer's. Errors are given as read and after the best single factor on all answers, since layers normalise
    what they read.
Control: least squares, the best linear fit. The best β is chosen on other draws than those that are reported.
Seeds: 20 draws to choose, 20 to report; mean and standard deviation between draws.
Turned round by: a step with which the delta rule recalls clearly less than the sum where keys have nothing in common,
    or no step that helps where they have.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

from attnbook.attention import parallel_memory

SIZE = 32  # features of keys and of values
STEPS = (0.05, 0.1, 0.25, 0.5, 1.0)


def draw_pairs(n: int, common: float = 0.0, seed: int = 0) -> tuple[Tensor, Tensor]:
    """Random keys of length 1 and values with standard normal entries.

    Args:
        n: how many.
        common: the dot product of any two keys, on average.
        seed: of the draw.

    Returns:
        keys and values, (n, 32) each, in double precision.
    """
    generator = torch.Generator().manual_seed(seed)
    key, value = torch.randn(2, n, SIZE, generator=generator, dtype=torch.float64)
    key = F.normalize(key, dim=-1)
    shared = common**0.5 * torch.eye(SIZE, dtype=torch.float64)[0]
    return F.normalize((1 - common) ** 0.5 * key + shared, dim=-1), value


def fill_memory(rule: str | float, key: Tensor, value: Tensor) -> Tensor:
    """A memory that has read all pairs.

    Args:
        rule: "linear", "decay" (by 31/32), "least squares", or the step of a delta rule.
        key: (n, D).
        value: (n, Dv).

    Returns:
        (Dv, D).
    """
    if rule == "least squares":
        return torch.linalg.lstsq(key, value, driver="gelsd").solution.mT
    one = torch.ones(len(key), dtype=key.dtype)
    gates = {"linear": {}, "decay": {"decay": one * 31 / 32}}
    return parallel_memory(
        key, key, value, **gates[rule] if rule in gates else {"beta": rule * one}
    )[1]


def read_rightly(read: Tensor, value: Tensor, answer: Tensor) -> Tensor:
    """For each answer: 1 where the right one of all values has the direction closest to it, else 0.

    Args:
        read: what was read, (Q, Dv).
        value: all values, (n, Dv).
        answer: which one is right, (Q,).

    Returns:
        (Q,).
    """
    near = F.cosine_similarity(read[:, None], value, dim=-1)
    return (near.argmax(-1) == answer).double()


def recalled(
    rule: str | float, n: int, common: float = 0.0, seeds: range = range(20)
) -> Tensor:
    """Which of n pairs each memory reads back, oldest first.

    Args:
        rule: see `fill_memory`.
        n: how many pairs are written.
        common: see `draw_pairs`.
        seeds: of the draws.

    Returns:
        (draws, n), 0 or 1.
    """
    rows = []
    for seed in seeds:
        key, value = draw_pairs(n, common, seed)
        rows.append(
            read_rightly(key @ fill_memory(rule, key, value).mT, value, torch.arange(n))
        )
    return torch.stack(rows)


def best_step(n: int, common: float = 0.0) -> float:
    """The step of `STEPS` with which the delta rule recalls most, on 20 draws that are not those of `recalled`.

    Args:
        n, common: see `recalled`.

    Returns:
        β.
    """
    return max(
        STEPS, key=lambda step: recalled(step, n, common, range(100, 120)).mean().item()
    )
