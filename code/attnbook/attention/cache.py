"""The key–value cache: what a decoder need not compute twice."""

from copy import copy

import torch
from torch import Tensor

from attnbook.checks import check_alike, check_count, check_tensor, readable


class Room:
    """Room for a tensor (B, H, positions, Dh) to grow along its positions without being copied each time.

    It is made for twice as many positions as are stored, and doubled when it is full. Positions that were handed out
    before are never written over: only behind those that were joined last is the room free.
    """

    def __init__(self) -> None:
        self.room: Tensor | None = None
        self.last: Tensor | None = None

    def join(self, stored: Tensor, new: Tensor) -> Tensor:
        """What `torch.cat([stored, new], dim=2)` gives, without gradients."""
        start, end = stored.shape[2], stored.shape[2] + new.shape[2]
        room = self.room
        if (
            room is None
            or self.last is not stored
            or room.shape[2] < end
            # what inference mode has made may not be written to outside of it
            or (room.is_inference() and not torch.is_inference_mode_enabled())
        ):
            self.room = room = new.new_empty(*new.shape[:2], 2 * end, new.shape[3])
            room[:, :, :start] = stored
        room[:, :, start:end] = new
        self.last = room[:, :, :end]
        return self.last


class KeyValueCache:
    """Keys and values of the positions decoded so far, for one attention layer.

    `MultiHeadAttention` fills it: `layer(x, mask=…, cache=cache)` with the new positions only. Its mask is
    `causal_mask(T, cache.length + T)`: the new positions are the last ones.

    Args:
        grows: True for self-attention, whose keys grow by every step's; False for attention to an encoder's output,
            whose keys are projected at the first step and kept until another memory comes.

    Attributes:
        grows: as given.
        key, value: (B, H, length, Dh) tensors, or None while empty.
        length: how many positions are stored; the next token's position.
    """

    def __init__(self, grows: bool = True):
        self.grows = grows
        self.key: Tensor | None = None
        self.value: Tensor | None = None
        self._rooms = (Room(), Room())
        # what keys and values that do not grow were made from; None: not known
        self._memory: tuple[Tensor, Tensor] | None = None

    def __copy__(self) -> "KeyValueCache":
        """An independent cache: it shares what is stored so far; what is added goes to one of them only."""
        other = KeyValueCache(self.grows)
        other.key, other.value, other._memory = self.key, self.value, self._memory
        return other

    def __deepcopy__(self, memo: dict) -> "KeyValueCache":
        """An independent cache that shares nothing, whether or not gradients flow through what is stored."""
        other = copy(self)
        if self.key is not None and self.value is not None:
            other.key, other.value = self.key.clone(), self.value.clone()
        return other

    @property
    def length(self) -> int:
        return 0 if self.key is None else self.key.shape[2]

    def update(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Append new positions and return everything so far.

        Args:
            key: (B, H, T, Dh), the new positions' keys.
            value: (B, H, T, Dh), their values.

        Returns:
            key and value, (B, H, length, Dh) each, the new positions last.

        Raises:
            TypeError, ValueError: keys or values unlike those that are stored; the cache stays as it was.
        """
        check_tensor("key", key, dims=4)
        check_tensor("value", value, dims=4)
        if key.shape[:3] != value.shape[:3]:
            raise ValueError(
                f"key {tuple(key.shape)} and value {tuple(value.shape)} must agree except in the last axis; "
                "pass one value for each key"
            )
        if self.key is not None and self.value is not None:
            _check_continues("keys", self.key, key)
            _check_continues("values", self.value, value)
        return self.append(key, value)

    def append(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """What `update` does, unchecked: for keys and values that a model has just made."""
        if self.key is None or self.value is None:  # empty
            self.key, self.value = key, value
        elif torch.is_grad_enabled():
            self.key = torch.cat([self.key, key], dim=2)  # (B, H, length + T, Dh)
            self.value = torch.cat([self.value, value], dim=2)
        else:  # the same, but what is stored need not be copied to add to it
            key_room, value_room = self._rooms
            self.key = key_room.join(self.key, key)
            self.value = value_room.join(self.value, value)
        return self.key, self.value

    def holds(self, key: Tensor, value: Tensor) -> bool:
        """Whether the projections of this memory are stored, so that they need not be made again.

        Args:
            key, value: (B, S, D), what the projections are made from.

        Returns:
            False also for a cache that grows. After `reorder` the memory is another tensor, which is recognised when
            it comes first.
        """
        if self.grows or self.key is None:
            return False
        if self._memory is None:
            self._memory = key, value
        return self._memory[0] is key and self._memory[1] is value

    def keep(
        self, key: Tensor, value: Tensor, memory: tuple[Tensor, Tensor]
    ) -> tuple[Tensor, Tensor]:
        """Store the projections of a memory, instead of an earlier one's.

        Args:
            key, value: (B, H, S, Dh).
            memory: two times (B, S, D), what they were made from.

        Returns:
            key and value.
        """
        self.key, self.value, self._memory = key, value, memory
        return key, value

    def check(self, key: Tensor, itself: bool, num_heads: int, head_dim: int) -> None:
        """Require inputs that fit the cache and what it holds: before a layer writes into it.

        Args:
            key: (B, S, D), what the keys are made from.
            itself: it is the query, too: self-attention.
            num_heads: of the layer's keys.
            head_dim: Dh.
        """
        if self.grows != itself:
            advice = (
                "a growing cache collects the keys of self-attention step by step, but other keys than the query were "
                "passed; leave them out, or pass KeyValueCache(grows=False)"
                if self.grows
                else "KeyValueCache(grows=False) keeps the keys of a memory, but no other keys than the query were "
                "passed; pass the memory, or KeyValueCache()"
            )
            raise ValueError(advice)
        if self.key is None:
            return
        if self.grows:
            new = key.new_empty(key.shape[0], num_heads, 0, head_dim)
            _check_continues("keys", self.key, new)
        elif self.length and self.key.shape[::2] != key.shape[:2]:
            stored, given = tuple(self.key.shape[::2]), tuple(key.shape[:2])
            raise ValueError(
                f"the cache keeps a memory of (sequences, positions) {stored}, but {given} were passed; "
                "start a new cache"
            )

    def shorten(self, length: int) -> None:
        """Forget all positions from `length` on, as speculative decoding does with rejected words.

        Args:
            length: how many positions to keep.
        """
        check_count("length", length, at_least=0)
        if length > self.length:
            raise ValueError(
                f"the cache holds {self.length} positions, cannot keep {length}"
            )
        if self.key is not None and self.value is not None:
            self.key, self.value = self.key[:, :, :length], self.value[:, :, :length]

    def reorder(self, order: Tensor) -> None:
        """Keep and repeat sequences by index, as beam search does.

        Args:
            order: (B',) integers, which stored sequence each new one continues.
        """
        kind = order.dtype if isinstance(order, Tensor) else type(order).__name__
        if kind != torch.long:
            raise TypeError(f"order must be a tensor of torch.long indices, got {kind}")
        if order.dim() != 1:
            raise ValueError(f"order must be (B',), got shape {tuple(order.shape)}")
        if self.key is None or self.value is None:
            return
        stored = self.key.shape[0]
        if readable(order) and ((order < 0) | (order >= stored)).any():
            raise ValueError(f"order must be in 0 … {stored - 1}, got {order.tolist()}")
        self.key, self.value = self.key[order], self.value[order]
        self._memory = None


def _check_continues(name: str, stored: Tensor, new: Tensor) -> None:
    check_alike(f"the cache of {name}", stored, f"the new {name}", new)
    for axis, what in ((0, "sequences"), (1, "heads"), (3, "features")):
        if stored.shape[axis] != new.shape[axis]:
            raise ValueError(
                f"the cache holds {name} of {stored.shape[axis]} {what}, the new ones have {new.shape[axis]}; "
                "start a new cache"
            )
