"""From tables of scores to sets of pairs and back, and how well two sets agree."""

from collections.abc import Iterable, Sequence

import torch
from torch import Tensor

from attnbook.attention import causal_mask, sequence_mask
from attnbook.checks import check_count, check_tensor
from attnbook.pairs.losses import check_table

Pair = tuple[int, int, int]  # type, row (start), column (end)


def span_mask(valid_lens: Tensor, length: int) -> Tensor:
    """Which pairs are spans: real tokens, and an end that is not before its start.

    Args:
        valid_lens: (B,) integers, how many tokens are real.
        length: T.

    Returns:
        bool (B, 1, T, T), True where row ≤ column and both are real.
    """
    real = sequence_mask(valid_lens, length)[:, None, :]  # (B, 1, T): the end is real
    forwards = causal_mask(length, device=valid_lens.device).T  # (T, T)
    return (real & forwards)[:, None]


def pair_table(pairs: Sequence[Iterable[Pair]], num_types: int, length: int) -> Tensor:
    """Sets of pairs as a table of True and False.

    Args:
        pairs: for each of B sentences the (type, row, column) of its pairs.
        num_types: C.
        length: T.

    Returns:
        bool (B, C, T, T).

    Raises:
        TypeError, ValueError: sizes that are not counts, or a pair outside the table.
    """
    check_count("num_types", num_types)
    check_count("length", length)
    table = torch.zeros(len(pairs), num_types, length, length, dtype=torch.bool)
    for layers, of_sentence in zip(table, pairs, strict=True):
        for pair in of_sentence:
            sizes = layers.shape
            if not all(0 <= i < size for i, size in zip(pair, sizes, strict=True)):
                raise ValueError(
                    f"a pair is (type, row, column), each from 0 and below {tuple(sizes)}; got {tuple(pair)}"
                )
            layers[tuple(pair)] = True
    return table


def pairs_above(
    scores: Tensor, mask: Tensor | None = None, *, threshold: float = 0.0
) -> list[set[Pair]]:
    """The pairs whose score is above a threshold.

    Args:
        scores: (B, C, T, T).
        mask: bool, broadcastable to the scores, True = a pair that counts.
        threshold: 0 is what `pair_loss` trains for.

    Returns:
        B sets of (type, row, column).

    Raises:
        TypeError, ValueError: scores that are not floats with four axes, or NaN where the mask lets them count; or a
            mask that is not bool or does not fit.
    """
    check_tensor("scores", scores, dims=4)
    chosen = scores > threshold
    check_table(scores, chosen, mask)
    _refuse_nan(scores, mask)
    if mask is not None:
        chosen = chosen & mask
    return [{tuple(pair) for pair in one.nonzero().tolist()} for one in chosen]


def _refuse_nan(scores: Tensor, mask: Tensor | None) -> None:
    """NaN is above no threshold, so it would pass for a model that finds nothing."""
    unknown = scores.isnan() if mask is None else scores.isnan() & mask
    if unknown.any():
        raise ValueError(
            "the model's scores are NaN: its training diverged, or the file is damaged"
        )


def nested_decode(scores: Tensor, *, threshold: float = 0.0) -> Tensor:
    """Spans above a threshold, best first, leaving out those that cross a better one; nested ones stay.

    Args:
        scores: (T, T), row = start, column = end; only row ≤ column counts.
        threshold: see `pairs_above`.

    Returns:
        bool (T, T), True = a span that is kept.

    Raises:
        TypeError, ValueError: scores that are not floats, not a square, or NaN where they count.
    """
    check_tensor("scores", scores, dims=2)
    rows, columns = scores.shape
    if rows != columns:
        raise ValueError(
            f"scores have rows {rows}, columns {columns}; a span starts and ends at tokens of one sentence"
        )
    chosen = torch.zeros_like(scores, dtype=torch.bool)
    forwards = causal_mask(len(scores), device=scores.device).T  # row ≤ column
    _refuse_nan(scores, forwards)
    spans = map(tuple, ((scores > threshold) & forwards).nonzero().tolist())
    better: list[tuple[int, int]] = []
    for i, j in sorted(spans, key=lambda span: -scores[span].item()):
        if not any(a < i <= b < j or i < a <= j < b for a, b in better):
            better.append((i, j))
            chosen[i, j] = True
    return chosen


def f1_score(predicted: Sequence[set], gold: Sequence[set]) -> float:
    """The harmonic mean of precision and recall, over all sentences together; only exact matches count.

    Args:
        predicted: for each sentence what was predicted, a set.
        gold: for each sentence what is right, a set.

    Returns:
        From 0 to 1; 1 if there was nothing to find and nothing was found.
    """
    hits = sum(len(a & b) for a, b in zip(predicted, gold, strict=True))
    size = sum(map(len, predicted)) + sum(map(len, gold))
    return 2 * hits / size if size else 1.0
