"""Weights as `generate()` of Hugging Face returns them, step by step, made into layers of whole maps."""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.functional import pad

Steps = list[list[Tensor]]  # steps of layers (B, H, t, s)


def are_steps(steps: Steps, listed: bool) -> bool:
    """Whether what comes in a tuple of tuples are steps of layers: the first reads a prompt, each later one a token.

    Layers of an encoder–decoder that hold two arrays each, (self, cross), are none. A single tuple of two arrays may be
    either: a step stands in a tuple, a layer of this package in a list.
    """
    first, *later = (step[0].shape[-2] for step in steps)
    count = len(steps[0])
    if any(len(step) != count or any(layer.ndim != 4 for layer in step) for step in steps):
        return False
    if any(layer.shape[:3] != step[0].shape[:3] for step in steps for layer in step):
        return False
    if not later:
        return not (listed and count == 2)
    one_each = all(t == 1 for t in later)
    read_again = list(later) == [first + i for i in range(1, len(steps))]  # no cache
    return one_each or read_again


def stack(steps: Steps, rows: Sequence[int], keys_are_queries: bool) -> list[Tensor]:
    """Put the queries of all steps below each other.

    Args:
        steps: of layers (B, H, t, s). With a cache t is the prompt's length in the first step, then 1; without, each
            step has all queries again. Of a cache that slides, s stays behind: its keys are the last ones.
        rows: for each step, where in the batch the sequence is; shorter than steps if it ended before.
        keys_are_queries: keys of self-attention, of which each step has more; not those of a source.

    Returns:
        list of layers (H, T, S); 0 where a step had no key yet.
    """
    layers = []
    for layer in zip(*steps, strict=True):
        parts: list[Tensor] = []
        done = 0
        shapes = [tuple(part.shape[-2:]) for part in layer]
        own = keys_are_queries and (len({s for _, s in shapes}) > 1 or shapes[0][0] == shapes[0][1] > 1)
        for part, row in zip(layer, rows, strict=False):
            part = part[row]
            if 0 < done < part.shape[1]:  # read again
                part = part[:, done:]
            done += part.shape[1]
            missing = max(0, done - part.shape[2]) if own else 0
            parts.append(pad(part, (missing, 0)))
        longest = max(part.shape[2] for part in parts)
        layers.append(torch.cat([pad(part, (0, longest - part.shape[2])) for part in parts], 1))
    return _without_free_places(layers) if keys_are_queries else layers


def _without_free_places(layers: list[Tensor]) -> list[Tensor]:
    """A cache of fixed size has places for keys that never came: columns of zeros behind the last query."""
    T = layers[0].shape[1]
    if all(layer.shape[2] > T and not layer[:, :, T:].any() for layer in layers):
        return [layer[:, :, :T] for layer in layers]
    return layers
