"""Scoring functions: how well does a key answer a query? (before any softmax)

All take queries (…, T, Dq) and keys (…, S, Dk) and return scores (…, T, S): one row per query, one column per key.
"""

import math

import torch
from torch import Tensor

from attnbook.attention.precision import product_dtype
from attnbook.checks import check_positive, check_query_key, check_tensor, check_weight


def gaussian_score(query: Tensor, key: Tensor, *, width: float = 1.0) -> Tensor:
    """The logarithm of a Gaussian kernel, −‖q − k‖² / (2 width²): close is high.

    Args:
        query: (…, T, D).
        key: (…, S, D).
        width: the kernel's standard deviation, in the unit of the features.

    Returns:
        (…, T, S), never above 0.

    Source:
        Nadaraya (1964), Watson (1964), with a Gaussian kernel.
    """
    check_query_key(query, key)
    check_positive("width", width)
    difference = query.unsqueeze(-2) - key.unsqueeze(-3)  # (…, T, S, D)
    return -(difference**2).sum(dim=-1) / (2 * width**2)


def dot_score(query: Tensor, key: Tensor) -> Tensor:
    """The dot product q·k, unscaled.

    Args:
        query: (…, T, D).
        key: (…, S, D).

    Returns:
        (…, T, S).

    Source:
        Luong et al. (2015), §3.1, "dot" (their h_t is our query, h̄_s our key).
    """
    check_query_key(query, key)
    return query @ key.transpose(-2, -1)


def scaled_dot_score(query: Tensor, key: Tensor) -> Tensor:
    """The dot product divided by √D, so that its spread does not grow with the size.

    Where products are rounded to float16, which may hold q·k / √D but not q·k, the query is divided instead.

    Args:
        query: (…, T, D).
        key: (…, S, D).

    Returns:
        (…, T, S).

    Source:
        Vaswani et al. (2017), eq. 1 (their d_k is our D).
    """
    check_query_key(query, key)
    if product_dtype(query) == torch.float16:
        return scaled_product(query, key, query.shape[-1])
    return query @ key.mT / math.sqrt(query.shape[-1])


def scaled_product(query: Tensor, key: Tensor, size: int) -> Tensor:
    """q·k / √size, unchecked; the query is divided, since float16 may hold the scores but not q·k."""
    return query / math.sqrt(size) @ key.mT


def multiplicative_score(query: Tensor, key: Tensor, weight: Tensor) -> Tensor:
    """The bilinear form qᵀ M k, for queries and keys of different sizes.

    Args:
        query: (…, T, Dq).
        key: (…, S, Dk).
        weight: M, (Dq, Dk).

    Returns:
        (…, T, S).

    Source:
        Luong et al. (2015), §3.1, "general" (W_a is our weight).
    """
    check_query_key(query, key, same_features=False)
    sizes = {"Dq": query.shape[-1], "Dk": key.shape[-1]}
    check_weight("weight", weight, query, sizes)
    return query @ weight @ key.mT


def additive_score(
    query: Tensor, key: Tensor, W_q: Tensor, W_k: Tensor, w_v: Tensor
) -> Tensor:
    """The additive score w_vᵀ tanh(W_q q + W_k k): a small network with one hidden layer.

    Args:
        query: (…, T, Dq).
        key: (…, S, Dk).
        W_q: (h, Dq), h hidden units.
        W_k: (h, Dk).
        w_v: (h,).

    Returns:
        (…, T, S).

    Source:
        Bahdanau et al. (2015), appendix A.1.2 (v_a, W_a, U_a are our w_v, W_q, W_k).
    """
    check_query_key(query, key, same_features=False)
    check_tensor("w_v", w_v, dims=1)
    check_weight("w_v", w_v, query, {"h": len(w_v)})
    check_weight("W_q", W_q, query, {"h": len(w_v), "Dq": query.shape[-1]})
    check_weight("W_k", W_k, query, {"h": len(w_v), "Dk": key.shape[-1]})
    projected_query = (query @ W_q.T).unsqueeze(-2)  # (…, T, 1, h)
    projected_key = (key @ W_k.T).unsqueeze(-3)  # (…, 1, S, h)
    # every query meets every key: (…, T, S, h)
    hidden = (projected_query + projected_key).tanh()
    return hidden @ w_v


def concat_score(query: Tensor, key: Tensor, W: Tensor, w_v: Tensor) -> Tensor:
    """The concatenation form w_vᵀ tanh(W [q; k]): the additive score with W = [W_q, W_k] in one matrix.

    Args:
        query: (…, T, Dq).
        key: (…, S, Dk).
        W: (h, Dq + Dk), the query's columns first.
        w_v: (h,).

    Returns:
        (…, T, S).

    Source:
        Luong et al. (2015), §3.1, "concat" (v_a and W_a are our w_v and W).
    """
    check_query_key(query, key, same_features=False)
    query_size, key_size = query.shape[-1], key.shape[-1]
    check_tensor("w_v", w_v, dims=1)
    check_weight("W", W, query, {"h": len(w_v), "Dq + Dk": query_size + key_size})
    # W [q; k] = W_q q + W_k k, so no (…, T, S, Dq + Dk) tensor has to be built
    return additive_score(query, key, W[:, :query_size], W[:, query_size:], w_v)
