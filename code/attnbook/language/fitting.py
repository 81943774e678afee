"""Train a language model on a text by a recipe."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from attnbook.checks import check_count
from attnbook.language.text_model import TextModel, held_out_loss, next_token_loss
from attnbook.reproducible import seed_everything
from attnbook.text import ByteVocabulary
from attnbook.training import TrainConfig, make_fabric, train
from attnbook.transformer import LanguageModel, LanguageModelConfig
from attnbook.translation import EarlyStopping

if TYPE_CHECKING:
    from lightning_fabric import Fabric


@dataclass(frozen=True)
class LanguageRecipe:
    """Everything that decides what a language model becomes, but the text and how long it is trained.

    Attributes:
        sizes: of the model, by the names of `LanguageModelConfig`, without the vocabulary's.
        subwords: entries of the vocabulary, at least 256.
        batch_size: pieces of text in a batch, each of `max_positions` tokens.
        training: how it is trained; the length and the seed are left to `fit_language_model`.

    Raises:
        TypeError, ValueError: a size that there is not, a number out of range, or a training with a length.
    """

    sizes: dict = field(default_factory=dict)
    subwords: int = 1500
    batch_size: int = 4
    training: TrainConfig = TrainConfig(
        lr=2e-3,
        schedule="warmup-cosine",
        warmup_fraction=0.1,
        weight_decay=0.1,
        betas=(0.9, 0.95),
    )

    def __post_init__(self) -> None:
        self.config(self.subwords)  # an unknown size is an error now
        check_count("subwords", self.subwords, at_least=256)
        check_count("batch_size", self.batch_size)
        if self.training.steps is not None or self.training.seconds is not None:
            raise ValueError(
                "a recipe does not say how long to train: pass steps or seconds to fit_language_model"
            )

    def config(self, vocab_size: int) -> LanguageModelConfig:
        """The model's sizes.

        Args:
            vocab_size: V.

        Returns:
            A `LanguageModelConfig`.
        """
        return LanguageModelConfig(vocab_size, **self.sizes)


_SMALL = {
    "d_model": 128,
    "num_heads": 4,
    "num_layers": 4,
    "max_positions": 128,
    "dropout": 0.1,
}
#: The recipes by name, of about a million parameters each; the command line offers the same.
LANGUAGE_RECIPES = {
    "llama": LanguageRecipe(_SMALL | {"d_ff": 344}),
    "gpt-2": LanguageRecipe(
        _SMALL
        | {
            "d_ff": 512,
            "activation": "gelu-tanh",
            "gated": False,
            "norm": "layer",
            "attention_bias": True,
            "feed_forward_bias": True,
            "positions": "learned",
        }
    ),
}


@dataclass
class FittedLanguageModel:
    """A trained language model and how it came about.

    Attributes:
        text_model: with the weights of the lowest development loss.
        losses: of every step.
        history: (steps, development loss).
        seconds: how long the training took.
    """

    text_model: TextModel
    losses: list[float]
    history: list[tuple[int, float]]
    seconds: float


def random_pieces(
    ids: Tensor, length: int, batch_size: int, seed: int
) -> Callable[[int], Iterable[Tensor]]:
    """Pieces of a text, drawn anew for every epoch; an epoch has about as many tokens as the text.

    Args:
        ids: (N,) the text.
        length: T, of what is read; each piece has a token more, the last one's target.
        batch_size: B.
        seed: of the places.

    Returns:
        Epoch number → batches (B, T + 1).

    Raises:
        ValueError: a text of T tokens or fewer.
    """
    if len(ids) <= length:
        raise ValueError(
            f"the text has {len(ids)} tokens, and a piece of {length + 1} is to be learned from; take a longer text, "
            "or a smaller max_positions"
        )

    def batches(epoch: int) -> Iterable[Tensor]:
        dice = torch.Generator().manual_seed(seed * 1_000_003 + epoch)
        pieces = ids.unfold(0, length + 1, 1)  # (N − T, T + 1), views
        for _ in range(max(1, len(ids) // (length * batch_size))):
            yield pieces[torch.randint(len(pieces), (batch_size,), generator=dice)]

    return batches


def fit_language_model(
    recipe: LanguageRecipe,
    text: str,
    development: str,
    *,
    steps: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    evaluations: int = 10,
    patience: int | None = None,
    fabric: "Fabric | None" = None,
    folder: str | Path | None = None,
    progress: bool | None = None,
) -> FittedLanguageModel:
    """Train a language model; the same seed and number of steps give the same model, also across an interruption.

    Args:
        recipe: what to build and how to train it.
        text: to learn from; the vocabulary is learned from it, too.
        development: a text to evaluate on now and then.
        steps: updates in all; or
        seconds: how long. The schedule follows the clock.
        seed: for the weights, the pieces and dropout.
        evaluations: how often to evaluate, the last time at the end.
        patience: evaluations without progress until the training stops early; None to use all steps.
        fabric: Lightning Fabric for one process, already launched; one on `best_device()` if not given.
        folder: for checkpoints; an interrupted training resumes from there.
        progress: show a progress bar, see `attnbook.training.train`.

    Returns:
        The model in evaluation mode, with the weights of the lowest development loss; its losses and its history.

    Raises:
        ValueError: not exactly one of steps and seconds, or a text that is too short.
        CheckpointError: the folder holds a training of another recipe.
    """
    began = time.perf_counter()
    if (steps is None) == (seconds is None):
        raise ValueError("pass one of steps and seconds")
    check_count("evaluations", evaluations)
    vocabulary = ByteVocabulary(text, recipe.subwords)
    ids = torch.tensor(vocabulary.encode(text))
    unseen = vocabulary.encode(development)
    config = recipe.config(len(vocabulary))
    pieces = random_pieces(ids, config.max_positions, recipe.batch_size, seed)
    seed_everything(seed)
    model = LanguageModel(config)
    how = replace(recipe.training, steps=steps, seconds=seconds, seed=seed)
    every = how.length / evaluations
    folder = None if folder is None else Path(folder)
    if folder is not None:
        how = replace(how, checkpoint_every=every)
    stopping = EarlyStopping(
        model,
        unseen,
        every,
        patience,
        folder / "best.pt" if folder else None,
        loss=held_out_loss,
    )
    losses = train(
        model,
        next_token_loss,
        pieces,
        how,
        fabric=fabric or make_fabric(),
        checkpoint=folder / "training.pt" if folder else None,
        progress=progress,
        after_step=stopping,
        elapsed=time.perf_counter() - began,
    )
    stopping.restore()
    characters = "".join(sorted(set(text)))
    text_model = TextModel(model.eval(), vocabulary, characters)
    took = time.perf_counter() - began
    return FittedLanguageModel(text_model, losses, stopping.history, took)


def measured(text_model: TextModel, text: str) -> dict[str, Any]:
    """How well a model predicts a text that it was not trained on.

    Args:
        text_model: trained.
        text: held out.

    Returns:
        `loss` in nats per token, `perplexity`, its exponential, and `bits_per_byte`, which does not depend on the
        vocabulary.
    """
    ids = text_model.vocabulary.encode(text)
    return described_loss(held_out_loss(text_model.model, ids), len(ids), text)


def described_loss(loss: float, num_tokens: int, text: str) -> dict[str, Any]:
    """A loss per token in the three units in which it is told.

    Args:
        loss: in nats per token.
        num_tokens: of the text.
        text: that was predicted.

    Returns:
        See `measured`.
    """
    nats = torch.tensor(loss, dtype=torch.float64)
    bits = nats / torch.log(torch.tensor(2.0, dtype=torch.float64))
    per_byte = bits * num_tokens / max(1, len(text.encode()))
    return {
        "loss": loss,
        "perplexity": nats.exp().item(),
        "bits_per_byte": per_byte.item(),
    }
