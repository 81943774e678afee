"""A language model with its vocabulary: text in, text out, and in one file."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from attnbook.language.writing import continue_tokens
from attnbook.reproducible import device_of
from attnbook.text import ByteVocabulary
from attnbook.training import (
    CheckpointError,
    evaluating,
    read_archive,
    save_checkpoint,
)
from attnbook.transformer import LanguageModel, LanguageModelConfig
from attnbook.weights import rebuilt, settings

KIND = "language model"


def next_token_loss(model: Any, tokens: Tensor) -> Tensor:
    """The loss for `attnbook.training.train`: mean negative log-likelihood of each token, given those before it.

    Args:
        model: a `LanguageModel`.
        tokens: (B, T + 1) ids; the first T are read, the last T are predicted.

    Returns:
        A scalar, in nats per token.
    """
    logits, _ = model(tokens[:, :-1])
    return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


@torch.no_grad()
def held_out_loss(model: LanguageModel, ids: Sequence[int]) -> float:
    """Mean negative log-likelihood per token of a text, without dropout.

    The text is read in pieces of `max_positions`, each without what came before it; every token but the first is
    predicted once.

    Args:
        model: evaluated on its own device; its mode is left as it was.
        ids: the text's tokens, at least two.

    Returns:
        Nats per token.

    Raises:
        ValueError: fewer than two tokens.
    """
    if len(ids) < 2:
        raise ValueError(f"a text of {len(ids)} tokens has none to predict")
    text = torch.tensor([list(ids)], device=device_of(model))
    total, length = 0.0, model.config.max_positions
    with evaluating(model):
        for start in range(0, len(ids) - 1, length):
            piece = text[:, start : start + length + 1]
            total += next_token_loss(model, piece).item() * (piece.shape[1] - 1)
    return total / (len(ids) - 1)


class TextModel:
    """A language model and its vocabulary.

    Args:
        model: in evaluation mode.
        vocabulary: of as many entries as the model's.
        characters: those of the text that it has learned from.

    Raises:
        ValueError: a vocabulary of another size.
    """

    def __init__(
        self, model: LanguageModel, vocabulary: ByteVocabulary, characters: str = ""
    ):
        if model.config.vocab_size != len(vocabulary):
            raise ValueError(
                f"the model has a vocabulary of {model.config.vocab_size}, this one has {len(vocabulary)} entries"
            )
        self.model, self.vocabulary = model, vocabulary
        self.characters = characters

    def continue_text(
        self, beginning: str, *, length: int = 100, seed: int = 0, **options: Any
    ) -> str:
        """Write on where a text ends.

        Args:
            beginning: at least one character.
            length: how many tokens to write.
            seed: of what is drawn.
            options: temperature, top_k, top_p of `continue_tokens`.

        Returns:
            What follows the beginning.

        Raises:
            TypeError, ValueError: see `continue_tokens`.
        """
        ids = self.vocabulary.encode(beginning)
        if not ids:
            raise ValueError(
                "there is nothing to continue; pass at least one character"
            )
        device = device_of(self.model)
        dice = torch.Generator(device).manual_seed(seed)
        tokens = torch.tensor([ids], device=device)
        written = continue_tokens(
            self.model, tokens, length=length, generator=dice, **options
        )
        return self.vocabulary.decode(written[0].tolist())

    def unfamiliar(self, text: str) -> list[str]:
        """What of a text the model has never read.

        Args:
            text: any.

        Returns:
            Its characters that did not occur in the text that was learned from, each once.
        """
        return [*dict.fromkeys(c for c in text if c not in self.characters)]

    def save(self, path: str | Path) -> None:
        """Write sizes, vocabulary and weights to one file, whole or not at all.

        Args:
            path: where to.

        Raises:
            TypeError: a model with scaled rotary positions, as only those have that are loaded from elsewhere.
        """
        if self.model.config.rotary_scaling is not None:
            raise TypeError(
                f"rotary_scaling is {self.model.config.rotary_scaling}, and a file holds numbers only"
            )
        weights = {k: v.detach().cpu() for k, v in self.model.state_dict().items()}
        state = {
            "kind": KIND,
            "config": asdict(self.model.config),
            "vocabulary": self.vocabulary.to_dict(),
            "characters": self.characters,
            "weights": weights,
        }
        save_checkpoint(path, state)

    @classmethod
    def load(cls, path: str | Path) -> "TextModel":
        """Read what `save` wrote; nothing in the file is executed.

        Args:
            path: where from.

        Returns:
            The model, in evaluation mode, on the CPU.

        Raises:
            FileNotFoundError: no such file.
            CheckpointError: the file is damaged, or holds something else, which the message names.
        """
        state = read_archive(path)
        if (kind := kind_of_file(state)) != KIND:
            raise CheckpointError(f"{path} holds a {kind}, not a {KIND}")
        try:
            weights = state["weights"]
            chosen = LanguageModelConfig(
                **settings(LanguageModelConfig, state["config"], weights)
            )
            model = rebuilt(lambda: LanguageModel(chosen), weights)
            vocabulary = ByteVocabulary.from_dict(state["vocabulary"])
            return cls(model.eval(), vocabulary, str(state["characters"]))
        except (
            AttributeError,
            LookupError,
            TypeError,
            ValueError,
            RuntimeError,
        ) as error:
            raise CheckpointError(
                f"{path} is a damaged {KIND} ({type(error).__name__}: {error}); train one with attnbook train --task "
                "language-model"
            ) from error


def kind_of_file(state: dict) -> str:
    """What a file that `save_checkpoint` wrote holds, in words.

    Args:
        state: from `read_archive`.

    Returns:
        "language model", "translator", "training checkpoint" or "file of another kind".
    """
    if state.get("kind") == KIND:
        return KIND
    if "source_vocab" in state:
        return "translator"
    return "training checkpoint" if "optimizer" in state else "file of another kind"
