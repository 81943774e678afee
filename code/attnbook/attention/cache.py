"""The key–value cache: what a decoder need not compute twice."""

import torch
from torch import Tensor

from attnbook.checks import check_alike, check_count, check_tensor


class KeyValueCache:
    """Keys and values of the positions decoded so far, for one attention layer.

    `MultiHeadAttention` fills it: `layer(x, mask=…, cache=cache)` with the new positions only. Its mask is
    `causal_mask(T, cache.length + T)`: the new positions are the last ones.

    Args:
        grows: True for self-attention, whose keys grow by every step's; False for attention to an encoder's output,
            whose keys are projected at the first step and kept.

    Attributes:
        grows: as given.
        key, value: (B, H, length, Dh) tensors, or None while empty.
        length: how many positions are stored; the next token's position.
    """

    def __init__(self, grows: bool = True):
        self.grows = grows
        self.key: Tensor | None = None
        self.value: Tensor | None = None
        self._room: tuple[Tensor, Tensor, Tensor] | None = None

    def __copy__(self) -> "KeyValueCache":
        """A cache of its own: it shares what is stored, but not the room to add to it."""
        other = KeyValueCache(self.grows)
        other.key, other.value = self.key, self.value
        return other

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
            TypeError: not floating-point tensors, or of another dtype than what is stored.
            ValueError: a batch, number of heads or size other than what is stored; the cache stays as it was.
        """
        check_tensor("key", key, dims=4)
        check_tensor("value", value, dims=4)
        if key.shape[:3] != value.shape[:3]:
            raise ValueError(
                f"key {tuple(key.shape)} and value {tuple(value.shape)} must agree but in the last axis; "
                "pass one value for each key"
            )
        if self.key is not None:
            self._check_continues("keys", self.key, key)
            self._check_continues("values", self.value, value)
            key = torch.cat([self.key, key], dim=2)
            value = torch.cat([self.value, value], dim=2)
        self.key, self.value = key, value
        return key, value

    def append(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """What `update` does, in place and unchecked: for step after step without gradients.

        Joining all keys to a new one copies them all. Here they lie in room for twice as many, and only the new one is
        written; when the room is full, it is doubled. Positions that were handed out before are never written over.

        Args:
            key: (B, H, T, Dh), the new positions' keys; they must fit what is stored.
            value: (B, H, T, Dh), their values.

        Returns:
            key and value, (B, H, length, Dh) each, the new positions last.
        """
        start, end = self.length, self.length + key.shape[2]
        # the room is ours to write in only behind the very positions that it holds
        if (
            self._room is None
            or self._room[2] is not self.key
            or self._room[0].shape[2] < end
            # what inference mode has made may not be written to outside of it
            or (self._room[0].is_inference() and not torch.is_inference_mode_enabled())
        ):
            shape = (*key.shape[:2], 2 * end, key.shape[3])
            rooms = [key.new_empty(shape), key.new_empty(shape)]
            if start:
                rooms[0][:, :, :start], rooms[1][:, :, :start] = self.key, self.value
        else:
            rooms = self._room[:2]
        rooms[0][:, :, start:end], rooms[1][:, :, start:end] = key, value
        self.key, self.value = (room[:, :, :end] for room in rooms)
        self._room = (*rooms, self.key)
        return self.key, self.value

    @staticmethod
    def _check_continues(name: str, stored: Tensor, new: Tensor) -> None:
        check_alike(f"the cache of {name}", stored, f"the new {name}", new)
        for axis, what in ((0, "sequences"), (1, "heads"), (3, "features")):
            if stored.shape[axis] != new.shape[axis]:
                raise ValueError(
                    f"the cache holds {name} of {stored.shape[axis]} {what}, the new ones have {new.shape[axis]}; "
                    "start a new cache"
                )

    def shorten(self, length: int) -> None:
        """Forget all positions from `length` on, as speculative decoding does with words that were turned down.

        Args:
            length: how many positions to keep.

        Raises:
            TypeError, ValueError: not a count, or more than are stored.
        """
        check_count("length", length, at_least=0)
        if length > self.length:
            raise ValueError(
                f"the cache holds {self.length} positions, cannot keep {length}"
            )
        if self.key is not None:
            self.key, self.value = self.key[:, :, :length], self.value[:, :, :length]

    def reorder(self, order: Tensor) -> None:
        """Keep and repeat sequences by index, as beam search does.

        Args:
            order: (B',) integers, which stored sequence each new one continues.

        Raises:
            TypeError: not a tensor of integers.
            ValueError: another shape, or a sequence that is not stored.
        """
        kind = order.dtype if isinstance(order, Tensor) else type(order).__name__
        if kind != torch.long:
            raise TypeError(f"order must be a tensor of torch.long indices, got {kind}")
        if order.dim() != 1:
            raise ValueError(f"order must be (B',), got shape {tuple(order.shape)}")
        if self.key is None:
            return
        stored = len(self.key)
        if ((order < 0) | (order >= stored)).any():
            raise ValueError(
                f"order must lie in 0 … {stored - 1}, got {order.tolist()}"
            )
        self.key, self.value = self.key[order], self.value[order]
