"""The key–value cache: what a decoder need not compute twice."""

from collections.abc import Sequence

import torch
from torch import Tensor

from attnbook.checks import (
    check_alike,
    check_count,
    check_tensor,
    is_traced,
    kind_of,
    readable,
)


class GrowingBuffer:
    """A buffer in which a tensor (B, H, positions, Dh) can grow by positions without being copied each time.

    It is made for twice as many positions as are stored, and doubled when it is full. Positions that were handed out
    before are never written over: only what follows those that were joined last is free.
    """

    def __init__(self) -> None:
        self.buffer: Tensor | None = None
        self.last: Tensor | None = None

    def join(self, stored: Tensor, new: Tensor) -> Tensor:
        """What `torch.cat([stored, new], dim=2)` gives, without gradients."""
        start, end = stored.shape[2], stored.shape[2] + new.shape[2]
        dtype = torch.promote_types(stored.dtype, new.dtype)  # they differ in autocast
        buffer = self.buffer
        if (
            buffer is None
            or self.last is not stored
            or buffer.shape[2] < end
            or buffer.dtype != dtype
            # what inference mode has made may not be written to outside of it
            or (buffer.is_inference() and not torch.is_inference_mode_enabled())
        ):
            shape = (*new.shape[:2], 2 * end, new.shape[3])
            self.buffer = buffer = new.new_empty(shape, dtype=dtype)
            buffer[:, :, :start] = stored
        buffer.narrow(2, start, new.shape[2]).copy_(new)
        self.last = buffer.narrow(2, 0, end)
        return self.last


class KeyValueCache:
    """Keys and values that need not be made again, for one attention layer.

    There are two kinds; either is passed as `cache`, without a key beside the query. `KeyValueCache()` is for
    self-attention: it begins empty, and each call `layer(x, mask=…, cache=cache)` adds the positions of x, the new
    ones. They are the last ones, so the mask is `causal_mask(T, cache.length + T)`. `layer.start_cache(memory)` makes
    the other kind, for attention to a memory, such as an encoder's output: it holds the memory's keys and values, and
    calls do not change it.

    Args:
        memory: the keys and values of a memory, (B, H, S, Dh) each; without them, the cache is empty and grows.

    Attributes:
        grows: whether each call adds its positions.
        key, value: (B, H, length, Dh) tensors, or None while empty.
        length: how many positions are stored; of self-attention, the next token's position.
    """

    def __init__(self, memory: Sequence[Tensor] | None = None):
        self.grows = memory is None
        self.key: Tensor | None = None
        self.value: Tensor | None = None
        self._buffers = (GrowingBuffer(), GrowingBuffer())
        if memory is None:
            return
        got, pair = type(memory).__name__, "memory must be a pair of keys and values"
        advice = "let start_cache(memory) of the layer make it"
        if not isinstance(memory, Sequence):
            raise TypeError(f"{pair}, got {got}; {advice}")
        if len(memory) != 2:
            raise ValueError(f"{pair}, got {got} of {len(memory)}; {advice}")
        key, value = memory
        _check_pair(key, value)
        # copies: they are views of a larger tensor, with the queries
        self.key, self.value = key.clone(), value.clone()

    def __copy__(self) -> "KeyValueCache":
        """A cache that shares what is stored so far, and nothing that is added to either later."""
        copied = KeyValueCache()
        copied.grows, copied.key, copied.value = self.grows, self.key, self.value
        return copied

    def __deepcopy__(self, memo: dict) -> "KeyValueCache":
        """A cache that shares nothing. (Left to itself, `deepcopy` refuses tensors that gradients flow through.)"""
        copied = self.__copy__()
        if self.key is not None and self.value is not None:
            copied.key, copied.value = self.key.clone(), self.value.clone()
        return copied

    @property
    def parts(self) -> tuple["KeyValueCache", ...]:
        """The caches of single attention layers that it consists of: itself alone."""
        return (self,)

    @property
    def length(self) -> int:
        """How many positions are stored."""
        return 0 if self.key is None else self.key.shape[2]

    def joined(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """The stored keys and values followed by these; the layer stores the result once its call has succeeded."""
        if self.key is None or self.value is None:  # empty
            # copies, as of a memory, and the caller's stay the caller's
            return key.clone(), value.clone()
        if torch.is_grad_enabled() or is_traced():
            keys = torch.cat([self.key, key], dim=2)  # (B, H, length + T, Dh)
            return keys, torch.cat([self.value, value], dim=2)
        # the same, but what is stored need not be copied to add to it
        key_buffer, value_buffer = self._buffers
        return key_buffer.join(self.key, key), value_buffer.join(self.value, value)

    def check_queries(self, query: Tensor, num_heads: int, head_dim: int) -> None:
        """Require queries (B, T, D), of any dtype, and a number and a size of key heads that fit what is stored."""
        if self.key is None:
            return
        sequences, heads, _, features = self.key.shape
        for what, stored, new in (
            ("sequences", sequences, query.shape[0]),
            ("heads", heads, num_heads),
            ("features", features, head_dim),
        ):
            if stored != new:
                raise ValueError(
                    f"the cache holds keys of {stored} {what}, the new ones have {new}; start a new cache"
                )
        if self.key.device != query.device:
            raise ValueError(
                f"the cache is on {self.key.device}, query is on {query.device}; start a new cache"
            )

    def shorten(self, length: int) -> None:
        """Forget all positions from `length` on, as speculative decoding does with rejected words.

        Args:
            length: how many positions to keep.
        """
        if not self.grows:
            raise ValueError(
                "the cache holds a memory, which stays as it is; only KeyValueCache() grows and is shortened"
            )
        check_count("length", length, at_least=0)
        if length > self.length:
            raise ValueError(
                f"the cache holds {self.length} positions, cannot keep {length}; pass at most {self.length}"
            )
        if length == 0:  # as it began, for any sequences
            self.key = self.value = None
        elif self.key is not None and self.value is not None:
            self.key, self.value = self.key[:, :, :length], self.value[:, :, :length]

    def reorder(self, order: Tensor) -> None:
        """Keep and repeat sequences by index, as beam search does.

        Args:
            order: (B',) integers, which stored sequence each new one continues.
        """
        dtype = kind_of(order)
        if dtype != torch.long:
            raise TypeError(
                f"order must be a tensor of torch.long indices, got {dtype}; make one with torch.tensor([...])"
            )
        if order.dim() != 1:
            raise ValueError(
                f"order must be (B',), got shape {tuple(order.shape)}; pass one index for each sequence"
            )
        if self.key is None or self.value is None:
            return
        stored = self.key.shape[0]
        if readable(order) and ((order < 0) | (order >= stored)).any():
            raise ValueError(
                f"order must be in 0 … {stored - 1}, got {order.tolist()}; pass indices of the {stored} sequences that "
                "the cache holds"
            )
        self.key, self.value = self.key[order], self.value[order]


def _check_pair(key: Tensor, value: Tensor) -> None:
    """Require keys and values (B, H, S, Dh), at least one, and one value for each key."""
    check_tensor("key", key, dims=4)
    check_tensor("value", value, dims=4)
    check_alike("key", key, "value", value)
    if key.shape != value.shape:
        raise ValueError(
            f"key {tuple(key.shape)} and value {tuple(value.shape)} must have one shape, (B, H, S, Dh); pass one value "
            "for each key"
        )
    if key.shape[2] == 0:
        raise ValueError("memory holds no key to attend to; pass at least one")
