"""Scaled frequencies of rotary positions, for texts longer than those of the training.

Each is made with its settings and called with the frequencies (Dh/2,); `RotaryPositions` takes it as `scaling`.
"""

import math
from dataclasses import dataclass

from torch import Tensor

from attnbook.checks import check_fields, check_positive, check_tensor


@dataclass(frozen=True)
class LinearScaling:
    """Position interpolation: all frequencies divided by a factor, so that positions lie so much closer together.

    Attributes:
        factor: how many times as long the texts are.

    Source:
        Chen et al. (2023), arXiv:2306.15595, eq. 3.
    """

    factor: float

    def __post_init__(self) -> None:
        check_fields(self)
        check_positive("factor", self.factor)

    def __call__(self, frequencies: Tensor) -> Tensor:
        check_tensor("frequencies", frequencies)
        return frequencies / self.factor


@dataclass(frozen=True)
class Llama3Scaling:
    """Llama 3's scaling: frequencies with many turns within the trained length stay, those with few are divided.

    Attributes:
        factor: how many times as long the texts are; what slow frequencies are divided by.
        low: a frequency with fewer turns than this is divided in full.
        high: one with more turns than this stays; between the two it is divided in part.
        trained_length: of the texts of the training before, within which turns are counted.

    Source:
        Grattafiori et al. (2024), arXiv:2407.21783, §3.4.2; the code of Llama 3.1 (their low_freq_factor,
        high_freq_factor, original_max_position_embeddings are our low, high, trained_length).
    """

    factor: float = 8.0
    low: float = 1.0
    high: float = 4.0
    trained_length: int = 8192

    def __post_init__(self) -> None:
        check_fields(self)
        for name in ("factor", "low", "high"):
            check_positive(name, getattr(self, name))
        if self.low >= self.high:
            raise ValueError(
                f"low must be below high, got {self.low} and {self.high}; turns between the two are divided in part"
            )

    def __call__(self, frequencies: Tensor) -> Tensor:
        check_tensor("frequencies", frequencies)
        turns = self.trained_length * frequencies / (2 * math.pi)
        share_kept = ((turns - self.low) / (self.high - self.low)).clamp(0, 1)
        return frequencies * (share_kept + (1 - share_kept) / self.factor)
