"""Split features into heads, merge them again, and check the inputs of multi-head attention."""

from torch import Tensor, nn

from attnbook.checks import (
    check_batch,
    check_count,
    check_features,
    check_own_weights,
    check_query_key,
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
    check_count("d_model", d_model)
    check_count("num_heads", num_heads)
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


def check_inputs(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    d_model: int,
    projection: nn.Module,
    stored: int = 0,
) -> None:
    """Require (B, T, D), (B, S, D), (B, S, D) that fit the projection; `stored` is the number of keys in a cache."""
    check_features("query", query, "d_model", d_model, dims=3, module=projection)
    if query is key is value and query.shape[1] + stored > 0:
        return
    advice = "pass lengths as valid_lens=, a mask as mask=, numbers as key.float()"
    check_tensor("key", key, advice=advice)
    for name, x in (("key", key), ("value", value)):
        check_features(name, x, "d_model", d_model, dims=3)
    check_query_key(query, key)
    check_value(query, key, value)
    check_batch(query=query, key=key, value=value)


def check_linear(name: str, module: nn.Module) -> None:
    """Require a plain linear map, since only its weights are read or written, not what is around them."""
    if type(module) is not nn.Linear:
        raise TypeError(
            f"{name} must be an nn.Linear, got {type(module).__name__}: only its weights would be taken, not what is "
            "around them; merge it into an nn.Linear first"
        )
    check_own_weights(name, module)
