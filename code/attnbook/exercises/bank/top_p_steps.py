"""Exercise top-p, computed: the solution, the same in named steps, and arguments to try them on."""

from __future__ import annotations

import torch

from ..legacy import draw, exact


def solution(probs, p):
    """The fewest likeliest words that have probability p together, rescaled to sum to 1; 0 elsewhere."""
    ranked, order = probs.sort(descending=True)
    before = ranked.cumsum(dim=0) - ranked  # (V,), what the likelier words have already
    stays = torch.zeros_like(probs).scatter(
        0, order, (before < p).to(probs.dtype)
    )  # each at its own place
    kept = probs * stays
    return kept / kept.sum()


def back_in_place(ranked, order, stays):
    return torch.zeros_like(stays).scatter(0, order, stays)


def pipeline(
    probs,
    p,
    rank=lambda q: q.sort(descending=True),
    keep=lambda ranked, p: ranked.cumsum(0) - ranked < p,
    place=back_in_place,
    share=lambda kept, stays, p: kept / kept.sum(),
):
    """The same in named steps, so that a mistake is one step done wrongly."""
    ranked, order = rank(probs)
    stays = place(ranked, order, keep(ranked, p))
    return share(probs * stays, stays, p)


def example() -> tuple:
    return exact(0.1, 0.5, 0.15, 0.25), 0.7


def reached_exactly() -> tuple:
    """Sixteenths, whose sums are exact: 8/16 + 4/16 = 0.75."""
    return exact(0.0625, 0.5, 0.1875, 0.25), 0.75


def shuffled() -> tuple:
    return exact(0.15, 0.25, 0.1, 0.5), 0.7


def _words(v: int, p: float, seed: int) -> tuple:
    return (2 * draw(v, seed=seed)).softmax(0), p


def probes() -> list[tuple]:
    return [
        _words(5, 0.6, 1401), _words(7, 0.8, 1402), _words(11, 0.35, 1403), _words(13, 0.93, 1404),
        _words(7, 0.1, 1405),
    ]  # fmt: skip


def edges() -> list[tuple]:
    return [
        reached_exactly(),
        (exact(0.0625, 0.5, 0.1875, 0.25), 1.0),
        (exact(1), 0.5),
        (exact(0, 0.75, 0.25), 0.9),
    ]


def steps(probs, p) -> list[tuple[str, object]]:
    ranked = probs.sort(descending=True).values
    return [
        ("the probabilities in descending order", ranked),
        ("what the likelier words have before each", ranked.cumsum(0) - ranked),
        ("what is kept", probs * (solution(probs, p) > 0)),
        ("its sum", float((probs * (solution(probs, p) > 0)).sum())),
    ]
