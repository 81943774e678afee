"""Exercise masked-loss, computed: the solution, the same in named steps, and arguments to try them on."""

from __future__ import annotations

import torch

from ..legacy import draw, exact


def solution(logits, target, pad):
    """Mean of −log p(word) over the words that are no padding."""
    log_probs = logits.log_softmax(dim=-1)  # (B, T, V)
    surprise = -log_probs.gather(-1, target[..., None])[..., 0]  # (B, T)
    real = target != pad  # (B, T)
    return (surprise * real).sum() / real.sum().clamp(min=1)


def of_the_target(scores, target):
    return scores.gather(-1, target[..., None])[..., 0]


def per_word(surprise, real):
    return (surprise * real).sum() / real.sum().clamp(min=1)


def pipeline(
    logits,
    target,
    pad,
    spread=lambda z: z.log_softmax(-1),
    pick=of_the_target,
    sign=lambda s: -s,
    real=lambda y, pad: y != pad,
    average=per_word,
    finish=lambda loss: loss,
):
    """The same in named steps, so that a mistake is one step done wrongly."""
    return finish(average(sign(pick(spread(logits), target)), real(target, pad)))


# the probabilities of the right words are 1/2, 1/4 and 1/8; at the padding it is 1/16
PROBABILITIES = [
    [[1 / 4, 1 / 2, 1 / 4], [1 / 2, 1 / 4, 1 / 4]],
    [[1 / 2, 1 / 8, 3 / 8], [1 / 16, 7 / 16, 1 / 2]],
]


def example() -> tuple:
    return (
        exact(*PROBABILITIES).log() + exact([[1], [0.5]], [[-1], [0]]),
        torch.tensor([[1, 2], [1, 0]]),
        0,
    )


def another_padding() -> tuple:
    """The same with the number 2 for the padding, and 0 an ordinary word."""
    logits, _, _ = example()
    return logits[..., [2, 1, 0]], torch.tensor([[1, 0], [1, 2]]), 2


def three_positions() -> tuple:
    """One sentence of two words, and a place for a third."""
    logits, target, pad = example()
    return logits[:, [0, 1, 1]][:1], torch.tensor([[1, 2, 0]]), pad


def nothing_but_padding() -> tuple:
    logits, target, pad = example()
    return logits, torch.full_like(target, pad), pad


def _batch(shape: tuple, pad: int, lengths: tuple, seed: int) -> tuple:
    batch, time, vocabulary = shape
    words = torch.randint(
        vocabulary - 1, (batch, time), generator=torch.Generator().manual_seed(seed)
    )
    words = words + (words >= pad)  # every word but the padding
    there = torch.arange(time) < torch.tensor(lengths)[:, None]
    return draw(*shape, seed=seed), words.where(there, pad), pad


def probes() -> list[tuple]:
    return [
        _batch((2, 5, 7), 0, (5, 3), 1101),
        _batch((3, 2, 11), 1, (1, 2, 1), 1102),
        _batch((5, 7, 13), 4, (6, 1, 3, 7, 2), 1103),
        _batch((2, 11, 5), 3, (4, 9), 1104),
    ]


def edges() -> list[tuple]:
    return [
        _batch((2, 3, 5), 0, (3, 3), 1105),
        _batch((1, 1, 3), 2, (1,), 1106),
        _batch((2, 3, 5), 1, (0, 0), 1107),
    ]


def steps(logits, target, pad) -> list[tuple[str, object]]:
    surprise = -of_the_target(logits.log_softmax(-1), target)
    return [
        ("the probabilities of the words in `target`", (-surprise).exp()),
        ("their surprises", surprise),
        ("the surprises that count", surprise * (target != pad)),
        ("how many there are", int((target != pad).sum())),
    ]
