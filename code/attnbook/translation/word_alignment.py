"""Which source word does a target word come from? Links read off attention weights, and their error rate."""

from collections.abc import Hashable
from collections.abc import Set as AbstractSet

from torch import Tensor

from attnbook.checks import check_tensor


def hard_alignment(weights: Tensor, threshold: float = 0.0) -> set[tuple[int, int]]:
    """Link every target token to the source token that it looks at most.

    Args:
        weights: (T, S) attention weights, a row for each target token.
        threshold: a row whose largest weight is below it gets no link.

    Returns:
        A set of (i, j): source index i, target index j; the first of equal weights.

    Raises:
        TypeError: not a floating-point tensor.
        ValueError: another shape than (T, S), no source token, or a NaN.
    """
    check_tensor("weights", weights, dims=2)
    if weights.shape[1] == 0:
        raise ValueError("weights has no column: there is no source token to link to")
    if weights.isnan().any():
        raise ValueError(
            "weights holds a NaN; look for a row in which everything is masked"
        )
    largest, source = weights.detach().max(dim=1)
    links = zip(source.tolist(), largest.tolist(), strict=True)
    return {(i, j) for j, (i, weight) in enumerate(links) if weight >= threshold}


def alignment_error_rate(
    predicted: AbstractSet[Hashable],
    gold: AbstractSet[Hashable],
    possible: AbstractSet[Hashable] | None = None,
) -> float:
    """The alignment error rate: 0 if all sure links are found and nothing but possible links is claimed.

    Args:
        predicted: A, links (i, j). For a corpus put the sentence's number first, (k, i, j), and join the sets.
        gold: S, the sure links; missing one costs.
        possible: P, links that may be claimed, the sure ones always among them; None: the sure ones only.

    Returns:
        1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|), in 0…1; without `possible` that is 1 − F1.

    Raises:
        TypeError: not sets.
        ValueError: neither a predicted nor a sure link.

    Source:
        Och and Ney (2003), section 5.1.
    """
    possible = gold if possible is None else possible
    for name, links in (
        ("predicted", predicted),
        ("gold", gold),
        ("possible", possible),
    ):
        if not isinstance(links, AbstractSet):
            raise TypeError(
                f"{name} must be a set of links (i, j), got {type(links).__name__}; make it one with set({name})"
            )
    if not predicted and not gold:
        raise ValueError("predicted and gold are both empty: the rate is 0/0")
    right = len(predicted & gold) + len(predicted & (gold | possible))
    return 1 - right / (len(predicted) + len(gold))
