"""The position-wise network of a block, plain and with a gate."""

from collections.abc import Callable
from functools import partial

import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.checks import (
    check_choice,
    check_count,
    check_features,
    check_probability,
    check_switch,
)

#: The functions between the two linear maps of `FeedForward`, by name.
ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "gelu-tanh": partial(F.gelu, approximate="tanh"),
    "silu": F.silu,
}


class FeedForward(nn.Module):
    """The position-wise network: the same two linear maps at every position, W_2 f(W_1 x).

    Args:
        d_model: D.
        d_ff: the hidden width, usually 4 D.
        activation: one of `ACTIVATIONS`: "relu" (the Transformer), "gelu" (BERT), "gelu-tanh" (GPT-2), "silu".
        dropout: the probability of dropping a hidden unit while training.
        bias: give both maps a bias.

    Source:
        Vaswani et al. (2017), §3.3; Hendrycks & Gimpel (2016), arXiv:1606.08415, for GELU.
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        *,
        activation: str = "relu",
        dropout: float = 0.0,
        bias: bool = True,
    ):
        super().__init__()
        check_count("d_model", d_model)
        check_count("d_ff", d_ff)
        check_probability("dropout", dropout)
        check_switch("bias", bias)
        check_choice("activation", activation, ACTIVATIONS)
        self.d_model = d_model
        self.W_1 = nn.Linear(d_model, d_ff, bias=bias)
        self.W_2 = nn.Linear(d_ff, d_model, bias=bias)
        self.activation, self.dropout = ACTIVATIONS[activation], nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        """Apply the network to each position by itself.

        Args:
            x: (…, D).

        Returns:
            (…, D).
        """
        check_features("x", x, "d_model", self.d_model, module=self.W_1)
        hidden = self.hidden(x)
        if self.dropout.training:  # a call that does nothing is not free
            hidden = self.dropout(hidden)
        return self.W_2(hidden)

    def hidden(self, x: Tensor) -> Tensor:
        """The hidden units (…, d_ff) of x (…, D), before dropout."""
        return self.activation(self.W_1(x))


class GatedFeedForward(FeedForward):
    """The position-wise network with a gate: W_2 (f(W_g x) ⊙ W_1 x), three linear maps.

    With "silu" it is SwiGLU (Llama), with "gelu" or "gelu-tanh" GeGLU (Gemma).

    Args:
        d_model, d_ff, activation, dropout, bias: see `FeedForward`. With the three maps, a hidden width of 8/3 D has as
            many parameters as 4 D without a gate.

    Source:
        Shazeer (2020), arXiv:2002.05202, eq. 6 (his W, V, W_2 are our W_g, W_1, W_2).
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        *,
        activation: str = "silu",
        dropout: float = 0.0,
        bias: bool = False,
    ):
        super().__init__(
            d_model, d_ff, activation=activation, dropout=dropout, bias=bias
        )
        self.W_g = nn.Linear(d_model, d_ff, bias=bias)

    def hidden(self, x: Tensor) -> Tensor:
        """Each hidden unit, multiplied by its gate."""
        return self.activation(self.W_g(x)) * self.W_1(x)
