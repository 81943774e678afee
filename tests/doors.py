"""A public door: a function, class or method, what it requires and what it allows; tried in test_public_doors.py."""

import random
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import torch
from torch import nn

from attnbook.attention import KeyValueCache
from tensors import fill

# options that exclude each other
ALONE = {"TrainConfig", "BilingualGrammar.sample", "parsed_sentences"}


@dataclass
class Door:
    """What is called by its name; what it requires and what it allows; and what is looked at of what comes back."""

    name: str
    call: Callable
    given: dict
    options: dict
    look: Callable = lambda found: found
    passes: frozenset = frozenset()  # arguments that the call passes by itself

    def calls(self):
        yield self.given
        for name, value in self.options.items():
            yield self.given | {name: value}
        if len(self.options) > 1 and self.name not in ALONE:
            yield self.given | self.options

    def seen(self, given):
        """What comes back, as plain data, by the same dice."""
        torch.manual_seed(0)
        random.seed(0)
        return plain(self.look(self.call(**given)))


def plain(thing: Any) -> Any:
    """Numbers, text and lists of them, which can be compared."""
    if isinstance(thing, torch.Tensor):
        assert not thing.is_floating_point() or not thing.isnan().any()
        return str(thing.dtype), thing.tolist()
    if isinstance(thing, nn.Module):
        return plain(thing.state_dict())
    if isinstance(thing, KeyValueCache):
        return plain((thing.key, thing.value))
    if hasattr(thing, "to_dict"):
        return thing.to_dict()
    if is_dataclass(thing):
        return {field.name: plain(getattr(thing, field.name)) for field in fields(thing)}
    if isinstance(thing, dict):
        return {name: plain(value) for name, value in thing.items()}
    if isinstance(thing, set | frozenset):
        return sorted(map(plain, thing))
    if isinstance(thing, list | tuple):
        return [plain(one) for one in thing]
    return thing


def layer(kind, sizes, options, given, more):
    """Two doors of a layer: how it is made, of which its outputs tell, and how it is called."""

    def output(made):
        return fill(deepcopy(made)).train()(**given)

    made = fill(kind(**sizes)).eval()
    forward = Door(f"{kind.__name__}.forward", made, given, more)
    return Door(kind.__name__, kind, sizes, options, output), forward
