"""Exercise bahdanau-step, computed: the solution, the same in named steps, and arguments to try them on."""

from __future__ import annotations

from collections.abc import Callable

import torch

from ..legacy import Exercise, draw, exact
from ..recognise import Case, near, tell
from ..verdict import Finding
from ..weights import odd_weights
from ..wording import number, values
from .several_results import Parts

PARTS = Parts(
    ("context", "weights"),
    ("B Dk", "B S"),
    dim=1,
    floats=("state", "memory", "W_q", "W_k", "w_v"),
)


def solution(state, memory, lens, W_q, W_k, w_v):
    """Ask with the top layer's previous state; return the context and the weights behind it."""
    query = state[-1] @ W_q.T  # (B, h)
    keys = memory @ W_k.T  # (B, S, h)
    scores = torch.tanh(query[:, None] + keys) @ w_v  # (B, S)
    real = torch.arange(memory.shape[1], device=memory.device) < lens[:, None]
    weights = scores.masked_fill(~real, -torch.inf).softmax(dim=-1)
    context = (weights[:, None] @ memory)[
        :, 0
    ]  # (B, 1, S) · (B, S, Dk), the axis of size 1 dropped
    return context, weights


def top(state):
    return state[-1]


def additive(query, keys, w_v):
    return torch.tanh(query[:, None] + keys) @ w_v


def real_words(scores, lens):
    return torch.arange(scores.shape[1]) < lens[:, None]


def with_infinity(scores, keep):
    return scores.masked_fill(~keep, -torch.inf)


def unchanged(weights, keep):
    return weights


def gather(weights, memory, keys):
    return (weights[:, None] @ memory)[:, 0]


def pipeline(
    state,
    memory,
    lens,
    W_q,
    W_k,
    w_v,
    ask=top,
    offer=lambda memory, W_k: memory @ W_k.T,
    score=additive,
    scale=lambda e, state, h: e,
    keep=real_words,
    fill=with_infinity,
    normalise=lambda e: e.softmax(-1),
    after=unchanged,
    average=gather,
    hand_out=lambda e, a: a,
):
    """The same in named steps, so that a mistake is one step done wrongly."""
    keys = offer(memory, W_k)
    scores = scale(score(ask(state) @ W_q.T, keys, w_v), state, len(w_v))
    kept = keep(scores, lens)
    filled = fill(scores, kept)
    weights = after(normalise(filled), kept)
    return average(weights, memory, keys), hand_out(filled, weights)


# --- what it is tried on ------------------------------------------------------------------------------------------


def _lengths(*lengths: int) -> torch.Tensor:
    return torch.tensor(lengths)


def _maps() -> tuple:
    return exact([1], [0]), exact([0, 1], [1, 0]), exact(1, 1)


def example() -> tuple:
    """Query (1, 0); keys (0, 2) and (1, 0), and (3, 3) for the padding."""
    return exact([[5]], [[1]]), exact([[2, 0], [0, 1], [3, 3]]), _lengths(2), *_maps()


def four_features() -> tuple:
    """The same query from a state of four features."""
    _, memory, lengths, _, W_k, w_v = example()
    return (
        exact([[5, 0, 0, 0]], [[1, 0, 0, 0]]),
        memory,
        lengths,
        exact([1, 0, 0, 0], [0, 0, 0, 0]),
        W_k,
        w_v,
    )


def two_sentences() -> tuple:
    state = exact([[5], [4]], [[1], [-1]])
    return state, exact([[2, 0], [0, 1]], [[0, 1], [2, 0]]), _lengths(1, 2), *_maps()


def longer_first() -> tuple:
    state, memory, lengths, *maps = two_sentences()
    return state, memory, lengths.flip(0), *maps


def both_full() -> tuple:
    state, memory, _, *maps = two_sentences()
    return state, memory, _lengths(2, 2), *maps


def probes() -> list[tuple]:
    sizes = [
        (3, 2, 5, 7, 11, 13, (4, 6)),
        (2, 3, 7, 5, 4, 6, (2, 4, 3)),
        (4, 5, 2, 7, 3, 11, (1, 6, 3, 5, 2)),
    ]
    return [
        (
            draw(layers, batch, d, seed=1220 + d),
            draw(batch, s, dk, seed=1230 + d),
            _lengths(*lengths),
            draw(h, d, seed=1240 + d),
            draw(h, dk, seed=1250 + d),
            draw(h, seed=1260 + d),
        )
        for layers, batch, d, s, dk, h, lengths in sizes
    ]


def edges() -> list[tuple]:
    sizes = [
        (1, 2, 3, 5, 7, 4, (5, 3)),
        (2, 1, 3, 4, 5, 7, (1,)),
        (3, 2, 5, 1, 4, 6, (1, 1)),
        (2, 3, 4, 5, 6, 1, (2, 5, 4)),
    ]
    return [
        (
            draw(layers, batch, d, seed=1270 + i),
            draw(batch, s, dk, seed=1275 + i),
            _lengths(*lengths),
            draw(h, d, seed=1280 + i),
            draw(h, dk, seed=1285 + i),
            draw(h, seed=1290 + i),
        )
        for i, (layers, batch, d, s, dk, h, lengths) in enumerate(sizes)
    ]


def steps(state, memory, lens, W_q, W_k, w_v) -> list[tuple[str, object]]:
    query, keys = state[-1] @ W_q.T, memory @ W_k.T
    scores = additive(query, keys, w_v)
    return [
        ("the query", query),
        ("the keys", keys),
        ("the scores", scores),
        ("the weights", with_infinity(scores, real_words(scores, lens)).softmax(-1)),
    ]


def over_the_batch(
    exercise: Exercise, fn: Callable, cases: list[Case]
) -> Finding | None:
    """Recognise a softmax over the sentences, whatever the padding's scores are filled with.

    Args:
        exercise: the exercise.
        fn: the reader's function.
        cases: the probes, all answered by tensors of the right shapes.

    Returns:
        The finding, or None.
    """
    for case in cases:
        state, memory, lens, W_q, W_k, w_v = case.arguments
        scores = additive(state[-1] @ W_q.T, memory @ W_k.T, w_v)
        real = real_words(scores, lens)
        weights = PARTS.split(case.got, exercise.solution(*case.arguments))[1]
        if not near(weights[real], with_infinity(scores, real).softmax(0)[real]):
            return None
    return tell(
        exercise,
        next(m for m in exercise.mistakes if m.name == "softmax-over-batch"),
        fn,
        cases,
    )


def padding_heard(
    exercise: Exercise, fn: Callable, cases: list[Case]
) -> Finding | None:
    """Say how much of the attention the padding gets.

    Args:
        exercise: the exercise.
        fn: the reader's function.
        cases: the probes, all answered by tensors of the right shapes.

    Returns:
        The finding, or None.
    """
    weights = PARTS.split(cases[0].got, exercise.solution(*cases[0].arguments))[1][0]
    share = float(weights[2])
    if share == 0 or not near(weights.sum(), torch.ones((), dtype=torch.float64)):
        return None
    return Finding(
        "padding-heard",
        "attention to the padding",
        f"In the small example the padding gets {number(share, 6)} of the attention in yours; it should get exactly 0. "
        f"Your weights are {values(weights)}.",
        "Which score makes exp(score) exactly 0, whatever the padding holds?",
    )


def own_weights(exercise: Exercise, fn: Callable, cases: list[Case]) -> Finding | None:
    """Read the scores off the weights of the example, where these are wrong.

    Args:
        exercise: the exercise.
        fn: the reader's function.
        cases: the probes, all answered by tensors of the right shapes.

    Returns:
        The finding, or None if the weights are right or the padding gets some.
    """
    right = exercise.solution(*cases[0].arguments)
    mine, theirs = (
        PARTS.split(joined, right)[1][0] for joined in (cases[0].expected, cases[0].got)
    )
    if near(theirs, mine) or theirs[2] != 0:
        return None
    return odd_weights(
        theirs[:2],
        mine[:2],
        "For the two real words of the small example, with the scores 1.726 and 0.964,",
    )
