"""Positions: attention treats its keys as a set, so order must be put in by hand.

Absolute encodings are added to the embeddings; rotary encoding rotates queries and keys; relative ones change the
scores and are in `attnbook.attention.relative`.
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
        dtype: of the result; angles are always computed in float64.

    Returns:
        (T, D), each entry in [−1, 1].

    Raises:
        TypeError: a dtype that is not floating point, beside arguments of a wrong kind.

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
        self._table = Table()

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


class Table:
    """The first rows of a table without end, one row per position.

    They are made anew, twice as many, when they are used up, and when the dtype, the device or the settings change; and
    for each call where they depend on something that learns.
    """

    def __init__(self) -> None:
        self.stored: Tensor | None = None
        self.kind: tuple[object, ...] | None = None

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
        stored, kind = self.stored, (like.dtype, like.device, *settings)
        if stored is None or len(stored) < end or self.kind != kind:
            # a table that can be used anywhere, and tells whether it learns
            with torch.inference_mode(False), torch.enable_grad():
                stored = make(0, max(64, 2 * end))
            # none of a fake mode or of `vmap`, which ends
            if type(stored) is Tensor and (stored.is_meta or has_values(stored)):
                learns = stored.requires_grad
                self.stored, self.kind = (None, None) if learns else (stored, kind)
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
        """Add the vectors of positions start, start + 1, ….

        Args:
            x: (B, T, D) embeddings.
            start: the position of the first token.

        Returns:
            (B, T, D).

        Raises:
            ValueError: more positions than were learned.
        """
        limit = self.max_positions
        _check_embeddings(x, self.d_model, start, self.embedding)
        end = start + x.shape[-2]
        if end > limit:
            raise ValueError(
                f"the sequence ends at position {end - 1}, but only positions 0 to {limit - 1} are learned; "
                "cut it, or make the model with a larger max_positions"
            )
        position = torch.arange(start, end, device=x.device)
        x = x + self.embedding(position)
        return self.dropout(x) if self.dropout.training else x


def rotate(x: Tensor, position: Tensor, *, base: float = 10000.0) -> Tensor:
    """Rotate each pair of features (x_2i, x_2i+1) by the angle position · base^(−2i/Dh).

    Args:
        x: (…, T, Dh), Dh even.
        position: (T,), numbers.
        base: of the geometric sequence of frequencies.

    Returns:
        (…, T, Dh), the same norms.

    Source:
        Su et al. (2021), arXiv:2104.09864, eq. 34.
    """
    check_tensor("x", x, min_dims=2)
    check_positive("base", base)
    size = x.shape[-1]
    check_even(size)
    if not isinstance(position, Tensor):
        raise TypeError(
            f"position must be a tensor of numbers, got {type(position).__name__}; make one with torch.tensor([...])"
        )
    if position.shape != x.shape[-2:-1]:
        raise ValueError(
            f"position must be ({x.shape[-2]},), one number for each position of x, got {tuple(position.shape)}"
        )
    return _turned(x, _turns(position, rotary_frequencies(size, base=base), x))


def rotary_frequencies(head_dim: int, *, base: float = 10000.0) -> Tensor:
    """The angle by which each pair of features is rotated from one position to the next: ω_i = base^(−2i/Dh).

    Args:
        head_dim: Dh, even.
        base: of the geometric sequence.

    Returns:
        (Dh/2,), float64.

    Source:
        Su et al. (2021), arXiv:2104.09864, §3.2.2 (θ_i).
    """
    check_count("head_dim", head_dim)
    check_positive("base", base)
    check_even(head_dim)
    even = torch.arange(0, head_dim, 2, dtype=torch.float64)
    return base ** (-even / head_dim)


def _turns(position: Tensor, frequencies: Tensor, like: Tensor) -> Tensor:
    """e^(i p ω), complex, (T, Dh/2), for positions (T,) and frequencies (Dh/2,)."""
    # angles in float32 at least: bfloat16 cannot tell position 257 from 256
    precise = torch.promote_types(like.dtype, torch.float32)
    position, frequencies = (
        numbers.to(like.device, precise) for numbers in (position, frequencies)
    )
    angle = position[:, None] * frequencies
    return torch.polar(torch.ones_like(angle), angle)


def _turned(x: Tensor, turns: Tensor) -> Tensor:
    """Each pair of features of (…, T, Dh), read as a complex number, times its turn (T, Dh/2)."""
    precise = x.to(torch.promote_types(x.dtype, torch.float32))
    pairs = precise.unflatten(-1, (-1, 2))
    if is_traced() or not _side_by_side(pairs):
        pairs = pairs.clone(memory_format=torch.contiguous_format)
    turned = torch.view_as_complex(pairs) * turns
    return torch.view_as_real(turned).flatten(-2).to(x.dtype)


def _side_by_side(pairs: Tensor) -> bool:
    """Whether (…, 2) lies in memory as complex numbers do."""
    *strides, last = pairs.stride()
    return last == 1 and not any(s % 2 for s in (*strides, pairs.storage_offset()))


class RotaryPositions(nn.Module):
    """Rotary positions as a layer: rotates queries and keys so that q·k depends on their distance only.

    It has nothing to learn and needs no sizes: those of the heads come with them.

    Args:
        base: of the geometric sequence of frequencies; by its name only.
        scaling: a function of the frequencies (Dh/2,) that gives those to rotate by, such as `Llama3Scaling(8)`, for
            texts longer than those of the training; by its name only. A module may learn or change, and is called each
            time; what another function gives is kept.

    Attributes:
        base, scaling: as given; either may be replaced, also after calls.

    Source:
        Su et al. (2021), arXiv:2104.09864.
    """

    def __init__(
        self,
        *,
        base: float = 10000.0,
        scaling: Callable[[Tensor], Tensor] | None = None,
    ):
        super().__init__()
        check_positive("base", base)
        self.base, self.scaling = base, scaling
        self._tables: dict[int, Table] = {}  # by Dh

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        """Rotate the features of positions start, start + 1, ….

        Args:
            x: (…, T, Dh), queries or keys.
            start: the first position.

        Returns:
            (…, T, Dh).
        """
        check_tensor("x", x, min_dims=2)
        check_count("start", start, at_least=0)
        length, size = x.shape[-2:]
        check_even(size)

        def make(first: int, end: int) -> Tensor:
            frequencies = rotary_frequencies(size, base=self.base)
            if self.scaling is not None:
                frequencies = self.scaling(frequencies)
            position = torch.arange(first, end, device=x.device)
            return _turns(position, frequencies, x)

        end, settings = start + length, (self.base, self.scaling)
        if isinstance(self.scaling, nn.Module):
            return _turned(x, make(start, end))
        table = self._tables.setdefault(size, Table())
        return _turned(x, table.rows(start, end, x, make, *settings))


def check_even(size: int) -> None:
    """Require a number of features that make up pairs."""
    if size % 2:
        raise ValueError(
            f"rotary positions rotate pairs of features, got {size} features; use an even head_dim"
        )
