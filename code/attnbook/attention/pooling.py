"""Attention pooling without (much) learning: averages, kernel regression, and one learned width."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn

from attnbook.attention.kernels import gaussian, get_kernel
from attnbook.attention.masks import masked_softmax
from attnbook.checks import (
    check_alike,
    check_callable,
    check_count,
    check_kind,
    check_leading_axes,
    check_mask,
    check_number,
    check_positive,
    check_query_key,
    check_switch,
    check_tensor,
)


def attention_pooling(weights: Tensor, value: Tensor) -> Tensor:
    """The weighted average Σ_j α_j v_j that every attention ends in.

    Args:
        weights: (…, T, S), attention weights.
        value: (S,), one number per key, or (…, S, Dv).

    Returns:
        (…, T) for numbers, (…, T, Dv) for vectors.
    """
    check_tensor("weights", weights, min_dims=2)
    check_tensor("value", value, min_dims=1)
    check_alike("weights", weights, "value", value)
    num_values = value.shape[0] if value.dim() == 1 else value.shape[-2]
    if weights.shape[-1] != num_values:
        raise ValueError(
            f"weights are for {weights.shape[-1]}, the number of values is {num_values}; pass one value for each key"
        )
    check_leading_axes("weights", weights.shape[:-2], "value", value.shape[:-2])
    return weights @ value


def average_pooling(query: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    """Ignore the query: every value counts the same.

    Args:
        query: (T,) or (T, D); only its length is used.
        value: (S,) or (S, Dv).

    Returns:
        output (T,) or (T, Dv), and weights (T, S), all 1/S.
    """
    check_tensor("query", query, min_dims=1)
    check_tensor("value", value, min_dims=1)
    if len(value) == 0:
        raise ValueError(
            "value is empty: the mean of nothing is undefined; pass at least one value"
        )
    weights = torch.full(
        (len(query), len(value)), 1 / len(value), dtype=value.dtype, device=value.device
    )
    return attention_pooling(weights, value), weights


def _distances(query: Tensor, key: Tensor) -> Tensor:
    """Euclidean distances (T, S) between numbers (T,), (S,) or vectors (T, D), (S, D)."""
    check_tensor("query", query, min_dims=1)
    check_tensor("key", key, min_dims=1)
    check_alike("query", query, "key", key)
    if query.dim() != key.dim() or query.dim() > 2:
        raise ValueError(
            f"query has shape {tuple(query.shape)}, key has shape {tuple(key.shape)}; "
            "pass both as numbers, (T,) and (S,), or both as vectors, (T, D) and (S, D)"
        )
    if len(key) == 0:
        raise ValueError(
            "key is empty: there is nothing to attend to; pass at least one key"
        )
    if query.dim() == 1:
        return (query[:, None] - key[None, :]).abs()
    check_query_key(query, key)
    return (query[:, None, :] - key[None, :, :]).norm(dim=-1)


def nadaraya_watson(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    kernel: str | Callable[[Tensor], Tensor] = "gaussian",
    width: float = 1.0,
    mask: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Kernel regression: average the values, each weighted by how near its key is to the query.

    Where no key has any weight (a kernel that ends, and no key within reach) the fraction is 0/0. The weights and the
    output are then zeros: visibly nothing rather than silently NaN.

    Args:
        query: (T,) numbers or (T, D) vectors.
        key: (S,) or (S, D).
        value: (S,) or (S, Dv).
        kernel: a name in `kernels.KERNELS`, or a function of the scaled distance.
        width: the kernel's width, in the unit of the keys.
        mask: bool, (T, S) or (1, S), True = may attend.

    Returns:
        output (T,) or (T, Dv), and weights (T, S); rows sum to 1, or to 0 where no key is in reach.

    Source:
        Nadaraya (1964), Watson (1964).
    """
    check_positive("width", width)
    kernel = get_kernel(kernel)
    scaled = _distances(query, key) / width  # (T, S)
    if mask is not None:
        check_mask(mask, scaled.shape)
    # The softmax of −u²/2 is the Gaussian's fraction, and does not underflow to 0/0 far away.
    if kernel is gaussian:
        weights = masked_softmax(-0.5 * scaled**2, mask=mask)
    else:
        similarity = kernel(scaled)
        check_kind("what kernel(u) gives", similarity, Tensor, "weigh each distance")
        if similarity.shape != scaled.shape:
            raise ValueError(
                f"what kernel(u) gives must have the shape of u, {tuple(scaled.shape)}, got {tuple(similarity.shape)}; "
                "weigh each distance by itself"
            )
        if mask is not None:
            similarity = similarity.masked_fill(~mask, 0)
        total = similarity.sum(dim=-1, keepdim=True)  # (T, 1)
        weights = similarity / total.masked_fill(total == 0, 1)
    return attention_pooling(weights, value), weights


class NWKernelRegression(nn.Module):
    """Nadaraya–Watson regression with one learned parameter, the inverse width w of its Gaussian kernel.

    The scores are −(w (q − k))² / 2. The sign of w does not matter, its size does: a large |w| is a narrow kernel.

    Args:
        w: the starting value, 1 / width.

    Source:
        Zhang et al. (2023), §11.2, with the width as a parameter.
    """

    def __init__(self, w: float = 0.1):
        super().__init__()
        check_number("w", w)
        self.w = nn.Parameter(torch.tensor(float(w)))

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, *, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Predict at the queries.

        Args:
            query: (T,) numbers or (T, D) vectors.
            key: (S,) or (S, D).
            value: (S,) or (S, Dv).
            mask: bool, (T, S) or (1, S), True = may attend; `leave_one_out_mask(n)` hides each own point.

        Returns:
            output (T,) or (T, Dv), and weights (T, S).
        """
        scores = -0.5 * (self.w * _distances(query, key)) ** 2  # (T, S)
        weights = masked_softmax(scores, mask=mask)
        return attention_pooling(weights, value), weights


def leave_one_out_mask(n: int, *, device: torch.device | None = None) -> Tensor:
    """Let each of n points attend to all the others, but not to itself.

    Args:
        n: the number of points, at least 2 (a lone point has no other).
        device: where to make the mask.

    Returns:
        bool (n, n), False on the diagonal.
    """
    check_count("n", n, at_least=2)
    return ~torch.eye(n, dtype=torch.bool, device=device)


def regression_loss(
    model: NWKernelRegression, x: Tensor, y: Tensor, leave_one_out: bool = True
) -> Tensor:
    """The summed squared error of the model on the points it averages over.

    Args:
        model: a regression with `forward(query, key, value, mask=…)`.
        x: (n,), the keys, and also the queries.
        y: (n,), the values.
        leave_one_out: hide each point from its own prediction. If not, a narrow kernel copies y and the loss goes to 0.

    Returns:
        A scalar, Σ_i (ŷ_i − y_i)².
    """
    check_callable("model", model, "pass an NWKernelRegression()")
    check_tensor("x", x, min_dims=1)
    check_tensor("y", y, min_dims=1)
    check_switch("leave_one_out", leave_one_out)
    mask = leave_one_out_mask(len(x), device=x.device) if leave_one_out else None
    prediction, _ = model(x, x, y, mask=mask)
    return ((prediction - y) ** 2).sum()


class WidthStep(NamedTuple):
    """One point of the path of `fit_width`: the parameter w and the loss at it."""

    w: float
    loss: float


def fit_width(
    model: NWKernelRegression,
    x: Tensor,
    y: Tensor,
    *,
    lr: float = 0.5,
    epochs: int = 5,
    leave_one_out: bool = True,
) -> list[WidthStep]:
    """Fit the width by plain gradient descent on `regression_loss`; the model is changed in place.

    Args:
        model: the regression to fit.
        x: (n,).
        y: (n,).
        lr: the step size, on the *summed* loss.
        epochs: the number of steps, each over all points.
        leave_one_out: see `regression_loss`.

    Returns:
        epochs + 1 steps: (w, loss) before each update, and after the last.
    """
    check_kind("model", model, NWKernelRegression, "pass an NWKernelRegression()")
    check_positive("lr", lr)
    check_count("epochs", epochs, at_least=0)
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    path = []
    for epoch in range(epochs + 1):
        loss = regression_loss(model, x, y, leave_one_out)
        path.append(WidthStep(model.w.item(), loss.item()))
        if epoch < epochs:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return path
