"""Rotary positions: queries and keys are rotated, so that their product depends on how far apart they are."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from attnbook.attention.positions import PositionTable
from attnbook.attention.precision import sum_dtype
from attnbook.checks import (
    check_callable,
    check_count,
    check_kind,
    check_positive,
    check_tensor,
    is_traced,
    kind_of,
)


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
    if not isinstance(position, Tensor) or position.is_complex():
        raise TypeError(
            f"position must be a tensor of real numbers, got {kind_of(position)}; make one with torch.tensor([...])"
        )
    if position.shape != x.shape[-2:-1]:
        raise ValueError(
            f"position must be ({x.shape[-2]},), one number for each position of x, got {tuple(position.shape)}"
        )
    frequencies = rotary_frequencies(x.shape[-1], base=base)
    return _rotated(x, _phases(position, frequencies, x))


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


def _phases(position: Tensor, frequencies: Tensor, like: Tensor) -> Tensor:
    """e^(i p ω), complex, (T, Dh/2), for positions (T,) and frequencies (Dh/2,)."""
    # angles in float32 at least: bfloat16 cannot tell position 257 from 256
    dtype = sum_dtype(like)
    position, frequencies = (
        numbers.to(like.device, dtype) for numbers in (position, frequencies)
    )
    angle = position[:, None] * frequencies
    return torch.polar(torch.ones_like(angle), angle)


def _rotated(x: Tensor, phases: Tensor) -> Tensor:
    """Each pair of features of (…, T, Dh), read as a complex number, times its phase (T, Dh/2)."""
    precise = x.to(sum_dtype(x))
    pairs = precise.unflatten(-1, (-1, 2))
    if is_traced() or not _side_by_side(pairs):
        pairs = pairs.clone(memory_format=torch.contiguous_format)
    rotated = torch.view_as_complex(pairs) * phases
    return torch.view_as_real(rotated).flatten(-2).to(x.dtype)


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
        if scaling is not None:
            check_callable("scaling", scaling, "pass LinearScaling(8), say, or None")
        self.base, self.scaling = base, scaling
        self._tables: dict[int, PositionTable] = {}  # by Dh

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

        def make(first: int, end: int) -> Tensor:
            position = torch.arange(first, end, device=x.device)
            return _phases(position, self._frequencies(size), x)

        end, settings = start + length, (self.base, self.scaling)
        if isinstance(self.scaling, nn.Module):
            return _rotated(x, make(start, end))
        table = self._tables.setdefault(size, PositionTable())
        return _rotated(x, table.rows(start, end, x, make, *settings))

    def _frequencies(self, size: int) -> Tensor:
        """The scaled frequencies, (Dh/2,), one for each pair of features."""
        frequencies = rotary_frequencies(size, base=self.base)
        if self.scaling is None:
            return frequencies
        scaled = self.scaling(frequencies)
        advice = "give one frequency for each pair of features"
        check_kind("what scaling gives", scaled, Tensor, advice)
        if scaled.shape != frequencies.shape:
            raise ValueError(
                f"scaling must give ({size // 2},) frequencies, got {tuple(scaled.shape)}; {advice}"
            )
        return scaled


def check_even(size: int) -> None:
    """Require a number of features that make up pairs."""
    if size % 2:
        raise ValueError(
            f"rotary positions rotate pairs of features, got {size} features; use an even head_dim"
        )
