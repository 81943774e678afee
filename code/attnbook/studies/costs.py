"""Self-attention and a recurrence with nothing around them, to be counted and timed; which kernel PyTorch runs."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode


def bare_attention(x: Tensor) -> Tensor:
    """Self-attention without projections.

    Args:
        x: (…, n, d).

    Returns:
        (…, n, d).

    Source:
        Vaswani et al. (2017), eq. 1, with Q = K = V = x.
    """
    weights = (x @ x.mT / x.shape[-1] ** 0.5).softmax(dim=-1)  # (…, n, n)
    return weights @ x


def bare_recurrence(x: Tensor, W: Tensor, U: Tensor) -> Tensor:
    """Elman's recurrence without biases, h_t = tanh(x_t W + h_{t−1} U) from h_0 = 0.

    Args:
        x: (…, n, d).
        W, U: (d, d).

    Returns:
        all states, (…, n, d).
    """
    inputs = x @ W  # (…, n, d): what does not have to wait, all at once
    state, states = torch.zeros_like(x[..., 0, :]), []
    for given in inputs.unbind(dim=-2):  # (…, d)
        state = (given + state @ U).tanh()
        states.append(state)
    return torch.stack(states, dim=-2)


class _Operations(TorchDispatchMode):
    """Notes the names of all operations that are really run."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_dispatch__(
        self, operation: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        self.names.append(str(operation))
        return operation(*args, **(kwargs or {}))


def fused_or_not(
    query: Tensor,
    key: Tensor | None = None,
    value: Tensor | None = None,
    **options: Any,
) -> str:
    """Which implementation `F.scaled_dot_product_attention` chooses, by the operations that it runs.

    Args:
        query: (…, T, D).
        key: (…, S, D); the query, if not given.
        value: (…, S, Dv); the key, if not given.
        options: as the function has them.

    Returns:
        "fused" or "plain formula".
    """
    key = query if key is None else key
    value = key if value is None else value
    with _Operations() as seen:
        F.scaled_dot_product_attention(query, key, value, **options)
    return "fused" if any("flash" in name for name in seen.names) else "plain formula"
