"""Self-attention, recurrence and convolution with nothing around them, to be counted and timed."""

import torch
import torch.nn.functional as F
from torch import Tensor


def bare_attention(x: Tensor) -> Tensor:
    """Self-attention without projections.

    Args:
        x: (n, d).

    Returns:
        (n, d).

    Source:
        Vaswani et al. (2017), eq. 1, with Q = K = V = x.
    """
    weights = (x @ x.T / x.shape[-1] ** 0.5).softmax(dim=-1)  # (n, n)
    return weights @ x


def bare_recurrence(x: Tensor, W: Tensor, U: Tensor) -> Tensor:
    """Elman's recurrence without biases, h_t = tanh(x_t W + h_{t−1} U) from h_0 = 0.

    Args:
        x: (n, d).
        W, U: (d, d).

    Returns:
        all states, (n, d).
    """
    inputs = x @ W  # (n, d): what does not have to wait, all at once
    state, states = torch.zeros_like(x[:1]), []
    for given in inputs.split(1):  # (1, d)
        state = (given + state @ U).tanh()
        states.append(state)
    return torch.cat(states)


def bare_convolution(x: Tensor, kernel: Tensor, dilation: int = 1) -> Tensor:
    """A convolution along the positions, which keeps their number.

    Args:
        x: (n, d).
        kernel: (d, d, k), k odd.
        dilation: the distance between neighbours in the window.

    Returns:
        (n, d).
    """
    padding = dilation * (kernel.shape[-1] // 2)
    return F.conv1d(x.T[None], kernel, padding=padding, dilation=dilation)[0].T
