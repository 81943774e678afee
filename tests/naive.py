"""The same functions, written with loops: slow, and plain enough to be believed.

Nothing here imports the rest of the package, so that a test may take these as the truth. Every function works on one
sequence, without a batch axis, one number at a time.
"""

import math

import torch
from torch import Tensor

__all__ = ["softmax", "masked_softmax", "average", "nadaraya_watson", "dot_product_attention", "additive_attention"]


def softmax(scores: list[float]) -> list[float]:
    """Exponentiate and divide by the sum, with the greatest score subtracted first.

    Args:
        scores: numbers, at least one.

    Returns:
        As many numbers, positive, with sum 1.
    """
    greatest = max(scores)
    powers = [math.exp(score - greatest) for score in scores]
    total = sum(powers)
    return [power / total for power in powers]


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """Row by row: a softmax over the allowed keys only, zero elsewhere.

    Args:
        scores: (T, S).
        mask: bool (T, S), True = may attend.

    Returns:
        Weights (T, S), float64; a row with nothing allowed is all zeros.
    """
    weights = torch.zeros(scores.shape, dtype=torch.float64)
    for i in range(scores.shape[0]):
        allowed = [j for j in range(scores.shape[1]) if mask[i, j]]
        if allowed:
            for j, weight in zip(allowed, softmax([scores[i, j].item() for j in allowed]), strict=True):
                weights[i, j] = weight
    return weights


def average(weights: Tensor, value: Tensor) -> Tensor:
    """For each query, add up the values, each times its weight.

    Args:
        weights: (T, S).
        value: (S, Dv).

    Returns:
        (T, Dv), float64.
    """
    output = torch.zeros(weights.shape[0], value.shape[1], dtype=torch.float64)
    for i in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            for d in range(value.shape[1]):
                output[i, d] += weights[i, j].item() * value[j, d].item()
    return output


def nadaraya_watson(query: list[float], key: list[float], value: list[float], width: float = 1.0) -> list[float]:
    """Kernel regression with a Gaussian kernel, on numbers.

    Args:
        query: where to guess.
        key: where something is known.
        value: what is known there.
        width: the kernel's standard deviation.

    Returns:
        One guess a query.
    """
    guesses = []
    for q in query:
        similarity = [math.exp(-((q - k) ** 2) / (2 * width**2)) for k in key]
        guesses.append(sum(s * v for s, v in zip(similarity, value, strict=True)) / sum(similarity))
    return guesses


def dot_product_attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Scaled dot-product attention, one score at a time.

    Args:
        query: (T, D).
        key: (S, D).
        value: (S, Dv).
        mask: bool (T, S), True = may attend.

    Returns:
        output (T, Dv) and weights (T, S), float64.
    """
    scores = torch.zeros(query.shape[0], key.shape[0], dtype=torch.float64)
    for i in range(query.shape[0]):
        for j in range(key.shape[0]):
            product = sum(q * k for q, k in zip(query[i].tolist(), key[j].tolist(), strict=True))
            scores[i, j] = product / math.sqrt(query.shape[1])
    weights = masked_softmax(scores, mask)
    return average(weights, value), weights


def additive_attention(
    query: Tensor, key: Tensor, value: Tensor, W_q: Tensor, W_k: Tensor, w_v: Tensor, mask: Tensor
) -> tuple[Tensor, Tensor]:
    """Additive attention, one hidden unit at a time.

    Args:
        query: (T, Dq).
        key: (S, Dk).
        value: (S, Dv).
        W_q: (h, Dq).
        W_k: (h, Dk).
        w_v: (h,).
        mask: bool (T, S), True = may attend.

    Returns:
        output (T, Dv) and weights (T, S), float64.
    """
    scores = torch.zeros(query.shape[0], key.shape[0], dtype=torch.float64)
    for i in range(query.shape[0]):
        for j in range(key.shape[0]):
            for unit in range(w_v.shape[0]):
                inside = sum(w * x for w, x in zip(W_q[unit].tolist(), query[i].tolist(), strict=True))
                inside += sum(w * x for w, x in zip(W_k[unit].tolist(), key[j].tolist(), strict=True))
                scores[i, j] += w_v[unit].item() * math.tanh(inside)
    weights = masked_softmax(scores, mask)
    return average(weights, value), weights
