"""Exercise label-smoothing, computed: the solution, the same in named steps, and arguments to try them on."""

from __future__ import annotations

import torch

from ..legacy import draw, exact


def solution(logits, target, epsilon):
    """Cross-entropy with a target that gives every word the share ε/V, and the right one 1 − ε on top."""
    log_probs = logits.log_softmax(dim=-1)  # (N, V)
    right = -log_probs.gather(-1, target[:, None])[:, 0]  # (N,)
    even = -log_probs.mean(dim=-1)  # (N,), the surprise at a word drawn evenly
    return ((1 - epsilon) * right + epsilon * even).mean()


def pipeline(
    logits,
    target,
    epsilon,
    spread=lambda z: z.log_softmax(-1),
    even=lambda lp, right: lp.mean(-1),
    mix=lambda right, even, e: (1 - e) * right + e * even,
    average=lambda s: s.mean(),
    finish=lambda loss: -loss,
):
    """The same in named steps, so that a mistake is one step done wrongly."""
    log_probs = spread(logits)
    right = log_probs.gather(-1, target[:, None])[:, 0]
    return finish(average(mix(right, even(log_probs, right), epsilon)))


def example() -> tuple:
    """Surprises of 1, 2, 3, 3 and of 2, 2, 2, 2 times log 2."""
    probabilities = exact([1 / 2, 1 / 4, 1 / 8, 1 / 8], [1 / 4, 1 / 4, 1 / 4, 1 / 4])
    return probabilities.log() + exact([1], [-0.5]), torch.tensor([0, 3]), 0.2


def _words(n: int, v: int, epsilon: float, seed: int) -> tuple:
    target = torch.randint(v, (n,), generator=torch.Generator().manual_seed(seed))
    return draw(n, v, seed=seed), target, epsilon


def probes() -> list[tuple]:
    return [
        _words(2, 7, 0.1, 1301),
        _words(5, 3, 0.3, 1302),
        _words(7, 11, 0.15, 1303),
        _words(3, 13, 0.6, 1304),
    ]


def edges() -> list[tuple]:
    return [_words(3, 5, 0.0, 1305), _words(1, 2, 0.25, 1306), _words(2, 5, 1.0, 1307)]


def steps(logits, target, epsilon) -> list[tuple[str, object]]:
    log_probs = logits.log_softmax(-1)
    return [
        (
            "the surprises at the right words",
            -log_probs.gather(-1, target[:, None])[:, 0],
        ),
        ("the mean surprises at all words", -log_probs.mean(-1)),
        (
            "each example's loss",
            torch.stack(
                [
                    solution(logits[[n]], target[[n]], epsilon)
                    for n in range(len(target))
                ]
            ),
        ),
    ]
