"""Modules that are called step by step, with caches: one for a layer, a list of them for a model."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from torch import nn

from attnbook.attention import KeyValueCache


@contextmanager
def unchanged(cache: Any) -> Iterator[None]:
    """What fails within leaves a cache, or each of a list, as it was."""
    caches = cache if isinstance(cache, list) else [cache]
    # of a decoder layer's two, its own is the one that grows
    caches = [getattr(one, "own", one) for one in caches]
    growing = [one for one in caches if isinstance(one, KeyValueCache)]
    before = [(one.key, one.value) for one in growing]
    try:
        yield
    except BaseException:  # an interruption from the keyboard, too
        for one, stored in zip(growing, before, strict=True):
            one.key, one.value = stored
        raise


class Stepping(nn.Module):
    """A module that may be called with `cache=…`: a call that fails, its hooks included, leaves it as it was."""

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        cache = options.get("cache")
        if cache is None:
            return super().__call__(*inputs, **options)
        with unchanged(cache):
            return super().__call__(*inputs, **options)


def check_caches(
    caches: Any, kind: type, number: int, lengths: Callable[[Any], Any], start: str
) -> None:
    """Require a list of caches, one for each layer of a model, that have read the same.

    Args:
        caches: what the caller passed.
        kind: of each cache.
        number: of layers.
        lengths: of one cache, in which they must agree.
        start: what makes them, for the message.
    """
    for one in caches if isinstance(caches, list) else [caches]:
        if one is caches or not isinstance(one, kind):
            raise TypeError(
                f"cache must be a list of {kind.__name__}, one for each layer, got {type(one).__name__}; use {start}"
            )
    if len(caches) != number:
        layers = "1 layer" if len(caches) == 1 else f"{len(caches)} layers"
        raise ValueError(
            f"the cache is for {layers}, the model has {number}; use {start}"
        )
    first = lengths(caches[0])  # a set would compile anew for each length
    if any(lengths(one) != first for one in caches[1:]):
        raise ValueError(
            f"the layers' caches hold different numbers of positions; begin again with {start}"
        )
