"""Exercise fill-alignment, computed: the solution, the same in named steps, and arguments to try them on."""

from __future__ import annotations

from ..legacy import draw, exact


def solution(weights, source_len):
    """For each target word, the index of the real source word with the largest weight."""
    real = weights[:, :source_len]  # (T, source_len), the padding cut off
    return real.argmax(dim=1).tolist()


def pipeline(
    weights,
    source_len,
    cut=lambda w, n: w[:, :n],
    choose=lambda w: w.argmax(1).tolist(),
    finish=lambda links, n: links,
):
    """The same in named steps, so that a mistake is one step done wrongly."""
    return finish(choose(cut(weights, source_len)), source_len)


def example() -> tuple:
    rows = [[0.1, 0.6, 0.05, 0.25], [0.2, 0.05, 0.45, 0.3], [0.3, 0.2, 0.1, 0.4]]
    return exact(*rows), 3


def two_real_words() -> tuple:
    weights, _ = example()
    return weights, 2


def from_the_first_word_twice() -> tuple:
    return exact([0.5, 0.3, 0.1, 0.1], [0.6, 0.2, 0.1, 0.1], [0.1, 0.2, 0.3, 0.4]), 3


def _attention(t: int, s: int, n: int, seed: int) -> tuple:
    """Attention that a model without a mask might have: padding gets its share."""
    return (2 * draw(t, s, seed=seed)).softmax(1), n


def probes() -> list[tuple]:
    return [
        _attention(5, 7, 3, 1201), _attention(3, 11, 7, 1202), _attention(7, 5, 2, 1203), _attention(2, 13, 11, 1204),
        _attention(11, 7, 5, 1205), _attention(13, 5, 4, 1206),
    ]  # fmt: skip


def edges() -> list[tuple]:
    return [
        _attention(3, 5, 1, 1207),
        _attention(1, 5, 3, 1208),
        _attention(2, 3, 3, 1209),
        _attention(2, 1, 1, 1210),
    ]


def steps(weights, source_len) -> list[tuple[str, object]]:
    real = weights[:, :source_len]
    return [
        ("the weights of the real words", real),
        ("the largest of each row", real.max(1).values),
    ]
