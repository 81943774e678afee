"""Arguments of probes: random and exact tensors, and lists and functions that can say what they are."""

from collections.abc import Callable

import torch

from .language import say
from .wording import in_words


def draw(*shape: int, seed: int) -> torch.Tensor:
    """Moderate random numbers, float64 with standard deviation 0.7; the global generator is not touched."""
    return 0.7 * torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def exact(*rows: object) -> torch.Tensor:
    """A float64 tensor of chosen numbers, or nested lists of them."""
    return torch.tensor(list(rows), dtype=torch.float64)


class Described:
    """A function that can say what it does, for exercises whose arguments are functions.

    `other` makes another function, to find out whether this argument matters; without it the result is scaled.
    `words` say what it does, filled in with `facts`.
    """

    def __init__(self, words: str, function: Callable, other: Callable | None = None, **facts: object):
        self.words, self.function, self.other, self.facts = words, function, other, facts

    @property
    def described(self) -> str:
        """What it does, in the reader's language."""
        return say(self.words, **self.facts)

    def __call__(self, *arguments: object) -> object:
        return self.function(*arguments)

    def __rmul__(self, factor: float):
        """Another one: how the checker asks whether a function matters."""
        if self.other:
            return self.other()
        return Described(f"{factor:g}·({self.described})", lambda *a: factor * self.function(*a))


class Listed(list):
    """A list that messages can show; `other` makes another one, to find out whether this argument matters."""

    def __init__(self, items=(), other: Callable[[list], list] | None = None):
        super().__init__(items)
        self.other = other

    @property
    def described(self) -> str:
        """The list on one line; a long one by its length."""
        text = in_words(list(self))
        return text if len(text) <= 110 else say("a list of {size}", size=len(self))

    def __rmul__(self, factor: float) -> list:
        """Another list for a factor that is not a whole number; else what Python does."""
        if isinstance(factor, float) and self.other is not None:
            return Listed(self.other(list(self)), self.other)
        return super().__rmul__(factor)


Listed.__name__ = "list"  # what Python's own messages call it
