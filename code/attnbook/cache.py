"""The key–value cache: what a decoder need not compute twice."""

import torch
from torch import Tensor

from attnbook.checks import check_same_size, check_tensor

__all__ = ["KeyValueCache"]


class KeyValueCache:
    """Keys and values of the positions decoded so far, for one attention layer.

    Attributes:
        length: how many positions are stored; the next token's position.
    """

    def __init__(self):
        self.key: Tensor | None = None
        self.value: Tensor | None = None

    @property
    def length(self) -> int:
        return 0 if self.key is None else self.key.shape[-2]

    def update(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Append new positions and return everything so far.

        Args:
            key: (B, H, T, Dh), the new positions' keys.
            value: (B, H, T, Dh), their values.

        Returns:
            key and value, (B, H, length, Dh) each, the new positions last.

        Raises:
            ValueError: a batch, number of heads or size other than what is stored.
        """
        check_tensor("key", key, min_dims=4)
        check_tensor("value", value, min_dims=4)
        if self.key is None:
            self.key, self.value = key, value
        else:
            for axis, what in ((0, "sequences"), (1, "heads"), (3, "features")):
                check_same_size(
                    f"the cache holds {what}:",
                    self.key.shape[axis],
                    "the new keys have",
                    key.shape[axis],
                    "start a new cache",
                )
            self.key = torch.cat([self.key, key], dim=-2)
            self.value = torch.cat([self.value, value], dim=-2)
        return self.key, self.value

    def reorder(self, order: Tensor) -> None:
        """Keep and repeat sequences by index, as beam search does.

        Args:
            order: (B',) integers, which stored sequence each new one continues.
        """
        if self.key is not None:
            self.key, self.value = self.key[order], self.value[order]
