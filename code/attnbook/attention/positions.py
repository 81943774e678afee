"""Positions: attention treats its keys as a set, so order must be put in by hand.

Absolute encodings, which are here, are added to the embeddings; rotary ones rotate queries and keys, in
`attnbook.attention.rotary`; relative ones change the scores, in `attnbook.attention.relative`.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from attnbook.checks import (
    check_count,
    check_features,
    check_positive,
    check_probability,
    check_tensor,
    has_values,
    is_traced,
)


def sinusoidal_encoding(
    num_positions: int,
    d_model: int,
    *,
    base: float = 10000.0,
    start: int = 0,
    dtype: torch.dtype = torch.float32,
) -> Tensor:
    """Sines and cosines of geometrically spaced frequencies: PE[p, 2i] = sin(p ω_i), PE[p, 2i+1] = cos(p ω_i).

    Args:
        num_positions: T.
        d_model: D; if it is odd, the last frequency has its sine only.
        base: ω_i = base^(−2i/D).
        start: the first position.
        dtype: of the result, floating point; angles are always computed in float64.

    Returns:
        (T, D), each entry in [−1, 1].

    Source:
        Vaswani et al. (2017), §3.5.
    """
    check_count("num_positions", num_positions, at_least=0)
    check_count("d_model", d_model)
    check_positive("base", base)
    check_count("start", start, at_least=0)
    if not isinstance(dtype, torch.dtype) or not dtype.is_floating_point:
        raise TypeError(
            f"an encoding needs a floating-point dtype, got {dtype}; use the dtype of the embeddings"
        )
    position = torch.arange(start, start + num_positions, dtype=torch.float64)  # (T,)
    even = torch.arange(0, d_model, 2, dtype=torch.float64)  # (⌈D/2⌉,)
    angle = position[:, None] * base ** (-even / d_model)  # (T, ⌈D/2⌉)
    waves = torch.stack([angle.sin(), angle.cos()], dim=-1)  # (T, ⌈D/2⌉, 2)
    return waves.flatten(1)[:, :d_model].to(dtype)  # sin cos sin cos …


class SinusoidalPositions(nn.Module):
    """Add sinusoidal encodings to embeddings.

    Args:
        d_model: D.
        dropout: the probability of dropping an entry of the sum while training.
        base: see `sinusoidal_encoding`.

    Source:
        Vaswani et al. (2017), §3.5 and §5.4 (dropout on the sum).
    """

    def __init__(self, d_model: int, dropout: float = 0.0, *, base: float = 10000.0):
        super().__init__()
        check_count("d_model", d_model)
        check_positive("base", base)
        check_probability("dropout", dropout)
        self.d_model, self.base = d_model, base
        self.dropout = nn.Dropout(dropout)
        self._table = PositionTable()

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        """Add the encodings of positions start, start + 1, ….

        Args:
            x: (B, T, D) embeddings.
            start: the position of the first token, the length of the cache when decoding step by step.

        Returns:
            (B, T, D).
        """
        _check_embeddings(x, self.d_model, start)
        x = x + self.rows(start, start + x.shape[-2], x)
        return self.dropout(x) if self.dropout.training else x

    def rows(self, start: int, end: int, like: Tensor) -> Tensor:
        """The encodings (end − start, D) of some positions."""

        def make(start: int, end: int) -> Tensor:
            return sinusoidal_encoding(
                end - start, self.d_model, base=self.base, start=start, dtype=like.dtype
            ).to(like.device)

        return self._table.rows(start, end, like, make, self.d_model, self.base)


class PositionTable:
    """The rows of a table of positions, computed once for many calls.

    When a call needs more rows than are stored, twice as many are made; all are made anew when the dtype, the device or
    the settings change, and for each call if they depend on something that learns.
    """

    def __init__(self) -> None:
        self.stored: Tensor | None = None
        self.made_for: tuple[object, ...] | None = None

    def rows(
        self,
        start: int,
        end: int,
        like: Tensor,
        make: Callable[[int, int], Tensor],
        *settings: object,
    ) -> Tensor:
        """The rows from start to end, made by make(start, end) for tensors like `like` and with these settings."""
        if is_traced():
            return make(start, end)
        stored, asked_for = self.stored, (like.dtype, like.device, *settings)
        if stored is None or len(stored) < end or self.made_for != asked_for:
            # a table that can be used anywhere, and tells whether it learns
            with torch.inference_mode(False), torch.enable_grad():
                stored = make(0, max(64, 2 * end))
            # a fake tensor, or a slice of `vmap`, is of no use once its context has ended
            if type(stored) is Tensor and (stored.is_meta or has_values(stored)):
                self.stored = None if stored.requires_grad else stored
                self.made_for = asked_for
        return stored[start:end]


def _check_embeddings(
    x: Tensor, d_model: int, start: int, table: nn.Module | None = None
) -> None:
    check_tensor("x", x, min_dims=2)
    check_features("x", x, "d_model", d_model, module=table)
    check_count("start", start, at_least=0)


class LearnedPositions(nn.Module):
    """Add one learned vector per position.

    Args:
        max_positions: how many positions can be told apart.
        d_model: D.
        dropout: the probability of dropping an entry of the sum while training.

    Source:
        Gehring et al. (2017), arXiv:1705.03122; Devlin et al. (2019).
    """

    def __init__(self, max_positions: int, d_model: int, dropout: float = 0.0):
        super().__init__()
        check_count("max_positions", max_positions)
        check_count("d_model", d_model)
        check_probability("dropout", dropout)
        self.max_positions, self.d_model = max_positions, d_model
        self.embedding = nn.Embedding(max_positions, d_model)
        nn.init.normal_(self.embedding.weight, std=0.02)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        """As `SinusoidalPositions.forward`, with learned vectors; a position beyond them is a `ValueError`."""
        _check_embeddings(x, self.d_model, start, self.embedding)
        end = start + x.shape[-2]
        if end > self.max_positions:
            raise ValueError(
                f"the sequence ends at position {end - 1}, but only positions 0 to {self.max_positions - 1} are "
                "learned; cut it, or make the model with a larger max_positions"
            )
        position = torch.arange(start, end, device=x.device)
        x = x + self.embedding(position)
        return self.dropout(x) if self.dropout.training else x
