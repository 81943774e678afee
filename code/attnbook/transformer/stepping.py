"""Modules that are called step by step, and their caches: one for a layer, a list of them for a model."""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from torch import Tensor, nn

from attnbook.attention import KeyValueCache
from attnbook.checks import check_kind


@dataclass
class DecoderLayerCache:
    """What one decoder layer keeps between steps, see `KeyValueCache`.

    Attributes:
        own: of the target so far; grows.
        across: of the encoder's output; stays as it is.
    """

    own: KeyValueCache
    across: KeyValueCache

    def __post_init__(self) -> None:
        advice = "let start_cache(memory) of the layer make both"
        for name, part in (("own", self.own), ("across", self.across)):
            check_kind(name, part, KeyValueCache, advice)
        if not self.own.grows or self.across.grows:
            raise ValueError(
                f"own must be a KeyValueCache(), across a memory's; {advice}"
            )

    def __copy__(self) -> "DecoderLayerCache":
        """As `KeyValueCache.__copy__`, of both."""
        return DecoderLayerCache(copy(self.own), copy(self.across))

    @property
    def parts(self) -> tuple[KeyValueCache, ...]:
        """Both, as `KeyValueCache.parts`."""
        return self.own, self.across

    @property
    def length(self) -> int:
        """How many target positions are stored: the next one's position."""
        return self.own.length

    def shorten(self, length: int) -> None:
        """As `KeyValueCache.shorten`, of the target; the encoder's output stays."""
        self.own.shorten(length)

    def reorder(self, order: Tensor) -> None:
        """As `KeyValueCache.reorder`, of both."""
        for part in self.parts:
            part.reorder(order)


@contextmanager
def unchanged(cache: Any) -> Iterator[None]:
    """Put a cache, or each cache of a list, back as it was if the block under `with` fails."""
    caches = cache if isinstance(cache, list) else [cache]
    # what is no cache is refused later, by what it is passed to
    parts = [part for entry in caches for part in getattr(entry, "parts", ())]
    before = [(part, part.key, part.value) for part in parts]
    try:
        yield
    except BaseException:  # an interruption from the keyboard, too
        for part, key, value in before:
            part.key, part.value = key, value
        raise


class Stepping(nn.Module):
    """A module that may be called with `cache=…`; if the call or one of its hooks fails, the cache stays as it was."""

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        cache = options.get("cache")
        if cache is None:
            return super().__call__(*inputs, **options)
        with unchanged(cache):
            return super().__call__(*inputs, **options)


def check_caches(caches: Any, kind: type, number: int, start: str) -> None:
    """Require a list of caches, one of its own for each layer of a model, that have read the same.

    Args:
        caches: what the caller passed.
        kind: of each cache.
        number: of layers.
        start: what makes them, for the message.
    """
    for entry in caches if isinstance(caches, list) else [caches]:
        if entry is caches or not isinstance(entry, kind):
            raise TypeError(
                f"cache must be a list of {kind.__name__}, one for each layer, got {type(entry).__name__}; use {start}"
            )
    if len(caches) != number:
        layers = "1 layer" if len(caches) == 1 else f"{len(caches)} layers"
        raise ValueError(
            f"the cache is for {layers}, the model has {number}; use {start}"
        )
    # compared in pairs: a set would compile anew for each length
    stored = [entry.parts for entry in caches]
    for (i, a), (j, b) in combinations(enumerate(stored), 2):
        if any(x is y for x, y in zip(a, b, strict=True)):
            raise ValueError(
                f"layers {i} and {j} share one cache; each needs its own: use {start}"
            )
    first, *others = [[part.length for part in parts] for parts in stored]
    if any(lengths != first for lengths in others):
        raise ValueError(
            f"the layers' caches hold different numbers of positions; begin again with {start}"
        )
