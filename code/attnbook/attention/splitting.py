"""Features to heads and back, and what every stage requires of its inputs."""

from torch import Tensor

from attnbook.checks import (
    check_alike,
    check_count,
    check_query_key,
    check_same_size,
    check_tensor,
    check_value,
)


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    """Cut the features into heads and bring the head axis forward.

    Args:
        x: (…, T, D), D divisible by `num_heads`.
        num_heads: H.

    Returns:
        (…, H, T, D/H). Head h holds features h·D/H to (h + 1)·D/H of every position.
    """
    check_tensor("x", x, min_dims=2)
    head_dim = head_size(x.shape[-1], num_heads)
    return x.unflatten(-1, (num_heads, head_dim)).transpose(-3, -2)


def merge_heads(x: Tensor) -> Tensor:
    """Undo `split_heads`: put the heads' features side by side again.

    Args:
        x: (…, H, T, Dh).

    Returns:
        (…, T, H·Dh).
    """
    check_tensor("x", x, min_dims=3)
    return x.transpose(-3, -2).flatten(-2)


def head_size(d_model: int, num_heads: int) -> int:
    """D/H, the features of one head; D must be divisible by H."""
    check_count("d_model", d_model, at_least=1)
    check_count("num_heads", num_heads, at_least=1)
    if d_model % num_heads:
        raise ValueError(
            f"d_model {d_model} is not divisible by num_heads {num_heads}: every head gets d_model / num_heads "
            f"features; take {num_heads * max(1, round(d_model / num_heads))} features, or another number of heads"
        )
    return d_model // num_heads


def check_kv_heads(num_heads: int, num_kv_heads: int | None) -> None:
    """Require a number of key/value heads that divides the number of query heads."""
    check_count("num_heads", num_heads)
    if num_kv_heads is None:
        return
    check_count("num_kv_heads", num_kv_heads)
    if num_heads % num_kv_heads:
        raise ValueError(
            f"num_kv_heads {num_kv_heads} does not divide num_heads {num_heads}: query heads share key/value "
            "heads in groups of equal size; take a divisor"
        )


def check_inputs(query: Tensor, key: Tensor, value: Tensor, weight: Tensor) -> None:
    """Require (B, T, D), (B, S, D), (B, S, D) that the weight (…, D) of a projection can take."""
    d_model = weight.shape[-1]
    for name, x in (("query", query), ("key", key), ("value", value)):
        check_tensor(name, x, dims=3)
        size = x.shape[-1]
        check_same_size(f"{name} has size", size, "d_model is", d_model, "project it")
    check_query_key(query, key)
    check_value(key, value)
    if not len(query) == len(key) == len(value):
        raise ValueError(
            f"query, key and value hold {len(query)}, {len(key)} and {len(value)} sequences; pass as many of each"
        )
    check_alike("query", query, "the layer", weight)
