"""What decoding asks of a model."""

from typing import Any, Protocol

from torch import Tensor

from attnbook.transformer import TransformerConfig
from attnbook.translation.config import RecurrentConfig


class DraftModel(Protocol):
    """A model that can propose words. Its state is its own affair; it can be copied."""

    training: bool

    @property
    def config(self) -> RecurrentConfig | TransformerConfig:
        """The sizes."""

    def start(self, source: Tensor, valid_lens: Tensor) -> Any:
        """Read source sentences (B, S) of these lengths (B,); return the state before the first word."""

    def extend(self, ids: Tensor, state: Any) -> Tensor:
        """Read the words (B, T), move the state on, and return the logits (B, T, V) of what follows each of them."""


class TranslationModel(DraftModel, Protocol):
    """A model that writes. Its state can also be reordered, as beam search does."""

    writes_unknown: bool  # whether <unk> may be among its words

    def step(
        self, ids: Tensor, state: Any, *, need_weights: bool = False
    ) -> tuple[Tensor, Tensor | None, Any]:
        """Read one word (B,) of each sentence; return logits (B, V), the weights (B, S) if asked for, and the state."""

    def rewind(self, state: Any, words: int) -> None:
        """Take back the last words that `extend` read."""
