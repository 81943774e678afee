"""Exercise cross-attention, computed: the solution, the same in named steps, and arguments to try them on."""

from __future__ import annotations

import math

import torch

from ..legacy import draw, exact


def solution(x, memory, W_q, W_k, W_v, memory_lens):
    """Ask with x; answer from the first memory_lens[b] positions of the memory."""
    query, key, value = (
        x @ W_q.T,
        memory @ W_k.T,
        memory @ W_v.T,
    )  # (B, T, D), (B, S, D), (B, S, D)
    scores = query @ key.transpose(1, 2) / math.sqrt(x.shape[-1])  # (B, T, S)
    position = torch.arange(memory.shape[1], device=memory.device)  # (S,)
    real = position < memory_lens[:, None, None]  # (B, 1, S)
    weights = scores.masked_fill(~real, -torch.inf).softmax(
        dim=-1
    )  # (B, T, S), every row sums to 1
    return weights @ value  # (B, T, S) · (B, S, D) → (B, T, D)


def linear(a, W):
    return a @ W.T


def root_of_features(e, q, k):
    return e / math.sqrt(q.shape[-1])


def real_keys(e, lengths):
    return torch.arange(e.shape[-1]) < lengths[:, None, None]  # (B, 1, S)


def with_infinity(e, keep):
    return e.masked_fill(~keep, -torch.inf)


def unchanged(a, keep):
    return a


def pipeline(
    x,
    memory,
    W_q,
    W_k,
    W_v,
    memory_lens,
    sources=lambda x, memory: (x, memory, memory),
    matrices=lambda W_q, W_k, W_v: (W_q, W_k, W_v),
    ask=linear,
    offer=linear,
    tell=linear,
    scale=root_of_features,
    keep=real_keys,
    fill=with_infinity,
    normalise=lambda e: e.softmax(-1),
    after=unchanged,
    gather=lambda a, v: a @ v,
):
    """The same in named steps, so that a mistake is one step done wrongly."""
    maps = zip(
        (ask, offer, tell), sources(x, memory), matrices(W_q, W_k, W_v), strict=True
    )
    query, key, value = (apply(source, W) for apply, source, W in maps)
    e = scale(query @ key.transpose(1, 2), query, key)
    kept = keep(e, memory_lens)
    return gather(after(normalise(fill(e, kept)), kept), value)


def _lengths(*lengths: int) -> torch.Tensor:
    return torch.tensor(lengths)


W_Q, W_K, W_V = ([2, 1], [0, 1]), ([0, 1], [-1, 1]), ([2, 0], [1, 3])


def _matrices() -> tuple:
    return exact(*W_Q), exact(*W_K), exact(*W_V)


def example() -> tuple:
    return exact([[1, 0]]), exact([[1, 0], [0, 1], [3, 3]]), *_matrices(), _lengths(2)


def two_questions() -> tuple:
    return (
        exact([[1, 0], [-1, 0]]),
        exact([[1, 0], [0, 1], [3, 3]]),
        *_matrices(),
        _lengths(2),
    )


def nothing_padded() -> tuple:
    return (
        exact([[1, 0], [-1, 0]]),
        exact([[1, 0], [0, 1], [3, 3]]),
        *_matrices(),
        _lengths(3),
    )


def two_sentences() -> tuple:
    memory = exact([[1, 0], [0, 1]], [[0, 1], [1, 0]])
    return exact([[1, 0]], [[1, 0]]), memory, *_matrices(), _lengths(1, 2)


def longer_first() -> tuple:
    x, memory, *matrices, lengths = two_sentences()
    return x, memory, *matrices, lengths.flip(0)


def three_questions() -> tuple:
    x, memory, W = (
        exact([[1], [2], [3]], [[1], [2], [3]]),
        exact([[1], [2]], [[2], [1]]),
        exact([1]),
    )
    return x, memory, W, W, W, _lengths(1, 2)


def probes() -> list[tuple]:
    return [
        (
            draw(b, t, d, seed=400 + t),
            draw(b, s, d, seed=410 + t),
            *(draw(d, d, seed=420 + 10 * i + d) for i in range(3)),
            _lengths(*lengths),
        )
        for b, t, s, d, lengths in [
            (2, 5, 7, 3, (3, 5)),
            (3, 2, 11, 5, (4, 9, 2)),
            (5, 7, 3, 2, (2, 1, 2, 1, 2)),
        ]
    ]


def edges() -> list[tuple]:
    return [
        (
            *(draw(1, n, 5, seed=451) for n in (1, 1)),
            *(draw(5, 5, seed=452 + i) for i in range(3)),
            _lengths(1),
        ),
        (
            *(draw(3, n, 1, seed=455) for n in (2, 5)),
            *(draw(1, 1, seed=456 + i) for i in range(3)),
            _lengths(1, 5, 3),
        ),
        (
            *(draw(2, 3, 5, seed=460 + i) for i in (1, 2)),
            *(draw(5, 5, seed=463 + i) for i in range(3)),
            _lengths(3, 2),
        ),
    ]


def steps(x, memory, W_q, W_k, W_v, memory_lens) -> list[tuple[str, object]]:
    query, key, value = x @ W_q.T, memory @ W_k.T, memory @ W_v.T
    scores = query @ key.mT / math.sqrt(x.shape[-1])
    return [
        ("the queries", query),
        ("the keys", key),
        ("the values", value),
        ("the scaled scores", scores),
        (
            "the weights",
            with_infinity(scores, real_keys(scores, memory_lens)).softmax(-1),
        ),
    ]
