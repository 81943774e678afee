"""Exercise key-value-cache, computed: the solution, the same in named steps, and arguments to try them on."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from ..legacy import draw, exact
from .several_results import Parts

PARTS = Parts(
    ("output", "keys", "values"),
    ("B H T Dh", "B H t+T Dh", "B H t+T Dh"),
    dim=2,
    floats=("q", "k", "v", "past_keys", "past_values"),
)


def solution(q, k, v, past_keys, past_values, rotate):
    """Attend from T new words to the t cached ones and to each other, and return the longer cache."""
    t, T = past_keys.shape[2], k.shape[2]
    new = torch.arange(t, t + T, device=k.device)  # (T,), the new words' positions
    keys = torch.cat([past_keys, rotate(k, new)], dim=2)  # (B, H, t + T, Dh)
    values = torch.cat([past_values, v], dim=2)
    scores = (
        rotate(q, new) @ keys.transpose(2, 3) / math.sqrt(q.shape[-1])
    )  # (B, H, T, t + T)
    sees = torch.arange(t + T, device=k.device) <= new[:, None]  # (T, t + T)
    weights = scores.masked_fill(~sees, -torch.inf).softmax(dim=-1)
    return weights @ values, keys, values


def behind(past, new):
    return torch.cat([past, new], dim=2)


def places(t, T):
    return torch.arange(t, t + T)


def up_to_itself(t, T):
    return torch.arange(t + T) <= torch.arange(t, t + T)[:, None]


def pipeline(
    q,
    k,
    v,
    past_keys,
    past_values,
    rotate,
    where_q=places,
    where_k=places,
    turn_q=lambda rotate, x, places: rotate(x, places),
    turn_k=lambda rotate, x, places: rotate(x, places),
    turn_v=lambda rotate, x, places: x,
    join_keys=behind,
    join_values=behind,
    attended=lambda keys, rotate: keys,
    scale=lambda e, q, keys: e / math.sqrt(q.shape[-1]),
    sees=up_to_itself,
    normalise=lambda e: e.softmax(-1),
    give=lambda output, keys, values, rest: (output, keys, values),
):
    """The same in named steps, so that a mistake is one step done wrongly."""
    t, T = past_keys.shape[2], k.shape[2]
    turned = turn_k(rotate, k, where_k(t, T))
    keys = join_keys(past_keys, turned)
    values = join_values(past_values, turn_v(rotate, v, where_k(t, T)))
    at = attended(keys, rotate)
    scores = scale(turn_q(rotate, q, where_q(t, T)) @ at.mT, q, at)
    weights = normalise(scores.masked_fill(~sees(t, T), -torch.inf))
    return give(weights @ values, keys, values, (k, v, past_keys, past_values))


# --- what turns the keys ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Turn:
    """A function (x, positions) → x turned that can say what it does.

    Args:
        described: what it does, in a few words.
        angle: makes the (…, T, Dh/2) angles of the positions (T,) and the number of pairs.
    """

    described: str
    angle: Callable[[Tensor, int], Tensor]

    def __call__(self, x: Tensor, positions: Tensor) -> Tensor:
        if not isinstance(positions, Tensor) or positions.shape != x.shape[-2:-1]:
            came = (
                f"of shape {tuple(positions.shape)}"
                if isinstance(positions, Tensor)
                else repr(positions)
            )
            raise ValueError(
                f"rotate(x, positions) wants one whole number for each of the {x.shape[-2]} rows of x, a tensor of "
                "shape "
                f"({x.shape[-2]},); positions is {came}"
            )
        angle = self.angle(positions.to(x), x.shape[-1] // 2)
        cos, sin = (
            x.where(x.abs() > 1e-9, 0.0) for x in (angle.cos(), angle.sin())
        )  # a quarter turn's are exact
        first, second = x[..., 0::2], x[..., 1::2]
        return torch.stack(
            [first * cos - second * sin, first * sin + second * cos], dim=-1
        ).flatten(-2)

    def __rmul__(self, factor: float) -> Turn:
        """The same, turning further: how the checker asks whether this argument matters."""
        return Turn(
            f"{factor:g}·({self.described})",
            lambda p, pairs: factor * self.angle(p, pairs),
        )


def _rotary_angles(positions: Tensor, pairs: int) -> Tensor:
    frequency = 100.0 ** (-torch.arange(pairs, dtype=positions.dtype) / pairs)
    return positions[:, None] * frequency.to(positions.device)


QUARTERS = Turn(
    "a quarter turn for each position", lambda p, pairs: p[:, None] * (math.pi / 2)
)
ROTARY = Turn("rotary positions", _rotary_angles)


# --- what it is tried on ------------------------------------------------------------------------------------------

# a quarter turn takes (1, 0) to (0, 1), two take it to (−1, 0), three to (0, −1)


def example() -> tuple:
    """One new word at position 2."""
    return (
        exact([[[2, 0]]]), exact([[[1, 0]]]), exact([[[2, 2]]]),
        exact([[[1, 0], [0, 2]]]), exact([[[1, 0], [0, 1]]]), QUARTERS,
    )  # fmt: skip


def two_new() -> tuple:
    """Two new words at positions 1 and 2."""
    return (
        exact([[[2, 0], [1, 1]]]), exact([[[1, 0], [0, 2]]]), exact([[[2, 2], [0, 4]]]),
        exact([[[1, 0]]]), exact([[[1, 0]]]), QUARTERS,
    )  # fmt: skip


def two_sentences() -> tuple:
    """The example, and behind it a sentence with another past."""
    *tensors, turn = example()
    return *(torch.cat([x, -2 * x + 1]) for x in tensors), turn


def _call(batch: int, heads: int, new: int, cached: int, size: int, seed: int) -> tuple:
    tensors = [draw(batch, heads, new, size, seed=seed + i) for i in range(3)]
    tensors += [draw(batch, heads, cached, size, seed=seed + i) for i in range(3, 5)]
    return *tensors, ROTARY


def probes() -> list[tuple]:
    return [
        _call(2, 3, 1, 5, 4, 1461),
        _call(3, 2, 5, 7, 4, 1467),
        _call(5, 1, 3, 2, 6, 1473),
        _call(1, 3, 2, 7, 8, 1479),
    ]


def edges() -> list[tuple]:
    return [
        _call(2, 3, 5, 0, 4, 1485),
        _call(1, 1, 1, 0, 2, 1491),
        _call(2, 3, 1, 1, 6, 1497),
    ]


def steps(q, k, v, past_keys, past_values, rotate) -> list[tuple[str, object]]:
    t, T = past_keys.shape[2], k.shape[2]
    new = places(t, T)
    keys = behind(past_keys, rotate(k, new))
    scores = rotate(q, new) @ keys.mT / math.sqrt(q.shape[-1])
    return [
        ("the positions of the new words", new),
        ("the turned queries", rotate(q, new)),
        ("all keys", keys),
        ("the scores", scores),
        (
            "the weights",
            scores.masked_fill(~up_to_itself(t, T), -torch.inf).softmax(-1),
        ),
    ]
